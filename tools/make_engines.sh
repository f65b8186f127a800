#!/bin/bash
# Builds the engine for x86-64 and arm64, linked statically with musl.
#
#   tools/make_engines.sh TOOLCHAIN FOLDER [MACHINE...]
#
# Of both machines, or of those named. TOOLCHAIN keeps what is fetched for it; FOLDER gets
# ciphermark-engine-MACHINE and index.json. Rust's standard library is rustup's where it has the targets,
# and compiled out of Debian's sources elsewhere. CARGO_TARGET_DIR gets a folder `static` beside what
# other builds leave there.
set -eu -o pipefail

toolchain=$(realpath -m "$1")
folder=$2
shift 2
machines=("$@")
test $# -gt 0 || machines=(x86_64 aarch64)
tools=$(dirname "$(realpath "$0")")
standard=()

# Whether rustup has the standard library for all of them.
has_std() {
    local machine folder
    for machine in "${machines[@]}"; do
        folder=$(rustc --print target-libdir --target "$machine-unknown-linux-musl" 2>/dev/null) ||
            return 1
        compgen -G "$folder/libstd-*.rlib" >/dev/null || return 1
    done
}

# A folder for each script, with what it unpacked; a script that fails is run again the next time.
fetched() {
    test -e "$toolchain/$1.made" || "$tools/$2" "${@:3}" "$toolchain/$1"
    touch "$toolchain/$1.made"
}

mkdir -p "$toolchain" "$folder"
if has_std; then
    cargo=cargo
else
    fetched rust fetch_rust.sh
    # The sources can only be compiled by what calls itself unstable.
    export RUSTC=$toolchain/rust/rustc RUSTC_BOOTSTRAP=1
    cargo=$toolchain/rust/cargo
    standard=(-Z build-std=std,panic_unwind)
fi

unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CFLAGS LDFLAGS # of which some would take the place of these
targets=()
for machine in "${machines[@]}"; do
    fetched "musl-$machine" fetch_musl.sh "$machine"
    musl=$toolchain/musl-$machine
    target=$machine-unknown-linux-musl
    name=${target//-/_}
    export "CC_$name=$musl/cc" "AR_$name=$machine-linux-gnu-ar"
    export "CARGO_TARGET_${name^^}_LINKER=$musl/cc"
    export "CARGO_TARGET_${name^^}_RUSTFLAGS=-C target-feature=+crt-static -C link-self-contained=no"
    targets+=(--target "$target")
done

echo "Building the engine for ${machines[*]}"
built=${CARGO_TARGET_DIR:-target}/static
CARGO_TARGET_DIR=$built CARGO_PROFILE_RELEASE_STRIP=symbols \
    "$cargo" build --quiet --release --locked -p ciphermark-engine "${standard[@]}" "${targets[@]}"
for machine in "${machines[@]}"; do
    cp "$built/$machine-unknown-linux-musl/release/ciphermark-engine" \
        "$folder/ciphermark-engine-$machine"
done
"${PYTHON:-python3}" "$tools/index_engines.py" "$folder" "${machines[@]}"
