#!/bin/bash
# Unpacks Debian's compiler of Rust with the sources of its standard library.
#
#   tools/fetch_rust.sh FOLDER
#
# For machines whose standard library is not there ready-made: it is compiled out of the sources, which
# must be of the compiler's own version. Afterwards FOLDER has rustc and cargo; nothing is installed.
set -eu -o pipefail

folder=$(realpath -m "$1")
part=$folder.part
packages=(rustc-web cargo-web rust-web-src)
targets="rustup target add x86_64-unknown-linux-musl aarch64-unknown-linux-musl"

command -v apt-get >/dev/null && apt-cache show "${packages[@]}" >/dev/null 2>&1 || {
    echo "no package ${packages[*]} here for static engines; type: $targets" >&2
    exit 1
}
echo "Fetching Debian's Rust with the sources of its standard library (150 MB)"
rm -rf "$folder" "$part"
mkdir -p "$part/debs/partial"
apt-get -qq --download-only --no-install-recommends -o Debug::NoLocking=1 \
    -o APT::Sandbox::User="$(id -un)" -o Dir::Cache::Archives="$part/debs" \
    install "${packages[@]}" >/dev/null
for package in "$part"/debs/*.deb; do
    case $package in
    */rust-web-src_*) dpkg-deb --fsys-tarfile "$package" |
        tar -x -C "$part" --wildcards './usr/lib/*' './usr/src/*/library/*' ;;
    *) dpkg-deb -x "$package" "$part" ;;
    esac
done
rm -rf "$part/debs" "$part/usr/share"

# The compiler's own libraries lie beside it.
libraries=$folder/usr/lib/$(uname -m)-linux-gnu
for command in rustc cargo; do
    cat >"$part/$command" <<COMMAND
#!/bin/sh
LD_LIBRARY_PATH=$libraries exec $folder/usr/bin/$command "\$@"
COMMAND
    chmod +x "$part/$command"
done
mv "$part" "$folder"
