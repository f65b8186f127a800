#!/bin/bash
# Unpacks what a guest needs of Debian's kernel: itself, and its modules for cryptography and tunnels.
#
#   tools/fetch_kernel.sh PACKAGE FOLDER
#
# PACKAGE is the one that depends on the newest kernel: linux-image-cloud-amd64. Nothing is installed.
set -eu -o pipefail

package=$1
folder=$2
part=$folder.part

newest="$(apt-cache depends "$package" | awk '/Depends: linux-image-/ {print $2; exit}')"
test -n "$newest" || { echo "no package $package here; type: apt-get update" >&2; exit 1; }
echo "Fetching $newest"
rm -rf "$part"
mkdir -p "$part"
(cd "$part" && apt-get -qq -o APT::Sandbox::User=root download "$newest")
dpkg-deb --fsys-tarfile "$part"/*.deb | tar -x -C "$part" --wildcards \
    './boot/vmlinuz-*' './lib/modules/*/modules.*' './lib/modules/*/kernel/lib' \
    './lib/modules/*/kernel/crypto' './lib/modules/*/kernel/arch/x86/crypto' \
    './lib/modules/*/kernel/net/ipv[46]' './lib/modules/*/kernel/net/xfrm' \
    './lib/modules/*/kernel/net/tls' './lib/modules/*/kernel/drivers/net/macsec.ko*' \
    './lib/modules/*/kernel/drivers/net/veth.ko*' './lib/modules/*/kernel/drivers/net/wireguard'
rm "$part"/*.deb
touch "$part/tunnels" # of a folder without it the modules of tunnels are missing
rm -rf "$folder"
mv "$part" "$folder"
