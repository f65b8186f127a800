#!/bin/bash
# Builds the engine for other machines and older C libraries, by zig.
#
#   tools/cross_build.sh TOOLCHAIN static|dynamic TARGET...
#
# TARGET is Rust's, with the version of glibc where the engine is linked to it: x86_64-unknown-linux-gnu.2.17.
# TOOLCHAIN is the environment of cargo-zigbuild, and keeps what is fetched for it. Rust's standard library
# is rustup's where it has the targets, and compiled out of Debian's sources elsewhere. The engines are in
# CARGO_TARGET_DIR/static (or dynamic)/TARGET/release, without a path of this machine in them: where the
# tree, the toolchain and the folder of targets lie changes no byte.
set -eu -o pipefail

toolchain=$(realpath -m "$1")
linked=$2
shift 2
tools=$(dirname "$(realpath "$0")")
root=$(dirname "$tools")
export PATH=$toolchain/bin:$PATH
standard=()

# Whether rustup has the standard library for all of them.
has_std() {
    local target folder
    for target in "$@"; do
        folder=$(rustc --print target-libdir --target "${target%%.*}" 2>/dev/null) || return 1
        compgen -G "$folder/libstd-*.rlib" >/dev/null || return 1
    done
}

unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CFLAGS LDFLAGS # which others take the place of
if ! has_std "$@"; then
    test -e "$toolchain/rust.made" || "$tools/fetch_rust.sh" "$toolchain/rust"
    touch "$toolchain/rust.made"
    # The sources can only be compiled by what calls itself unstable.
    export CARGO=$toolchain/rust/cargo RUSTC=$toolchain/rust/rustc RUSTC_BOOTSTRAP=1
    standard=(-Z build-std=std,panic_unwind)
fi

built=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")/$linked
# The last that fits counts. Cargo names the sources of a standard library in the tree relative to it.
names=("$root=." "${CARGO_HOME:-$HOME/.cargo}=cargo" "$toolchain=toolchain"
    "${toolchain#"$root"/}=toolchain" "$built=target")
crt=-crt-static
test "$linked" = dynamic || crt=+crt-static
targets=()
for target in "$@"; do
    name=${target%%.*}
    name=${name//-/_}
    flags="-C target-feature=$crt ${names[*]/#/--remap-path-prefix=}"
    # Debian has no start-up objects of musl for other machines; zig adds its own.
    if [[ $target == *-musl* && ${#standard[@]} -gt 0 ]]; then flags+=" -C link-self-contained=no"; fi
    export "CARGO_TARGET_${name^^}_RUSTFLAGS=$flags"
    export "CFLAGS_$name=${names[*]/#/-ffile-prefix-map=}"
    targets+=(--target "$target")
    test "$linked" = dynamic || continue
    # Shims are compiled with the headers of several releases. Crypto++ has the ABI of GCC's library of C++.
    machine=${target%%-*}
    test -e "$toolchain/headers/sid-$machine" || "$tools/fetch_headers.sh" "$machine" "$toolchain/headers"
    export CIPHERMARK_HEADERS=$toolchain/headers
    if [[ $target == *-gnu* ]] && command -v "$machine-linux-gnu-g++" >/dev/null; then
        export "CXX_$name=$machine-linux-gnu-g++"
    fi
done

echo "Building the engine for $*, $linked" >&2
CARGO_TARGET_DIR=$built CARGO_PROFILE_RELEASE_STRIP=symbols \
    CARGO_ZIGBUILD_CACHE_DIR=$toolchain/cache \
    cargo-zigbuild zigbuild --quiet --release --locked -p ciphermark-engine "${standard[@]}" "${targets[@]}"
