#!/bin/bash
# Makes an image of containers, in the layout of the OCI, from a package: no daemon, no registry.
#
#   tools/make_image.sh PACKAGE.deb FOLDER [ROOT.tar]
#
# mmdebstrap makes the root folder: the smallest Debian that has the package's Python, and the package.
# umoci writes the layout. ROOT.tar takes the place of the root folder. Runs are kept in /runs.
# Equal packages, also Debian's, and an equal SOURCE_DATE_EPOCH give equal bytes.
set -eu -o pipefail

package=$(realpath "$1")
folder=$(realpath -m "$2")
root=${3:-}

for tool in umoci dpkg-deb ${root:-mmdebstrap}; do
    [ "$tool" = "$root" ] || command -v "$tool" >/dev/null ||
        { echo "There is no $tool here; type: sudo make system-packages" >&2; exit 1; }
done
[ ! -e "$folder" ] || { echo "$folder exists: remove it first, or name another folder" >&2; exit 1; }

version=$(dpkg-deb --field "$package" Version)
architecture=$(dpkg-deb --field "$package" Architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
created=$(date --utc --date "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)

part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT

if [ -z "$root" ]; then
    case $version in
    *+py311) suite=bookworm library=libssl3 ;;
    *+py313) suite=trixie library=libssl3t64 ;;
    *) echo "No release of Debian has the Python of the package $version" >&2; exit 1 ;;
    esac
    root=$part/root.tar
    # Lines of apt's sources, where mmdebstrap's own mirror does not serve.
    mapfile -t sources < <(printf '%s' "${SOURCES:-}")
    # shellcheck disable=SC2016 # mmdebstrap replaces $1
    mmdebstrap --quiet --variant=minbase --architectures="$architecture" \
        --include="python3,libstdc++6,libgcrypt20,libsodium23,$library" \
        --dpkgopt=path-exclude=/usr/share/man/* --dpkgopt=path-exclude=/usr/share/locale/* \
        --customize-hook="upload '$package' /tmp/package.deb" \
        --customize-hook='chroot "$1" dpkg --install /tmp/package.deb' \
        --customize-hook='rm "$1/tmp/package.deb"; mkdir -m 1777 "$1/runs"' \
        "$suite" "$root" "${sources[@]}"
fi

image=$part/layout:${version%%-*}
umoci init --layout "${image%:*}"
umoci new --image "$image"
umoci raw add-layer --image "$image" --history.created "$created" \
    --history.created_by "tools/make_image.sh" --history.comment "ciphermark $version" "$root"
umoci config --image "$image" --no-history --created "$created" --architecture "$architecture" --os linux \
    --author "The ciphermark authors" --config.user 1000:1000 --config.workingdir /runs \
    --config.env PATH=/usr/local/bin:/usr/bin:/bin --config.env CIPHERMARK_RUNS=/runs --config.env HOME=/tmp \
    --config.env LANG=C.UTF-8 --config.volume /runs --config.entrypoint ciphermark --config.cmd --help \
    --config.label "org.opencontainers.image.version=${version%%-*}" \
    --config.label "org.opencontainers.image.licenses=MIT OR Apache-2.0"
umoci gc --layout "${image%:*}"
mkdir -p "$(dirname "$folder")"
mv "${image%:*}" "$folder"
echo "$folder"
