#!/bin/bash
# Unpacks headers and shared libraries of several releases of Debian, for shims of each version.
#
#   tools/fetch_headers.sh MACHINE FOLDER [SUITE...]
#
# MACHINE is x86_64 or aarch64, whatever this one is; the suites are bookworm, trixie and sid unless others
# are named. FOLDER gets a folder for each, SUITE-MACHINE, with the packages' files; builds read it as
# CIPHERMARK_HEADERS=FOLDER. Packages come from the mirror that this Debian's apt has; nothing is installed.
set -eu -o pipefail

machine=$1
folder=$(realpath -m "$2")
shift 2
suites=("$@")
test $# -gt 0 || suites=(bookworm trixie sid)

# Development packages, whose dependencies of the same version are the libraries.
packages=(libcrypto++-dev libmbedtls-dev libtomcrypt-dev libwolfssl-dev nettle-dev)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

fail() {
    echo "$1" >&2
    exit 1
}

case $machine in
x86_64) debian=amd64 packages+=(libipsec-mb-dev) ;;
aarch64) debian=arm64 ;;
*) fail "there are no shims for $machine: write x86_64 or aarch64" ;;
esac
command -v apt-get >/dev/null ||
    fail "headers for shims come out of Debian's packages, and there is no apt-get here"
test -e "$keyring" || fail "there is no $keyring; type: apt-get install debian-archive-keyring"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Label: Debian' \
    'Component: main' | head -n 1)
test -n "$mirror" ||
    fail "the lists of apt name no mirror of Debian; type: apt-get update (as root)"

# A configuration and lists of its own for each suite. A mirror may be weeks behind Debian's, which only sid's
# lists say an end for.
configure() {
    local apt=$1 suite=$2
    mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    echo "deb [signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<CONF
APT::Architecture "$debian";
APT::Architectures { "$debian"; };
APT::Sandbox::User "$(id -un)";
Debug::NoLocking "true";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Dir::State::Lists "$apt/lists";
Dir::State::status "/dev/null";
Dir::Cache "$apt";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
CONF
}

# The libraries that a development package needs in its own version.
libraries() {
    apt-cache show --no-all-versions "$1" |
        awk '/^Version:/ { version = $2 }
             /^Depends:/ { depends = $0; sub(/^Depends:/, "", depends) }
             END { count = split(depends, parts, ",")
                   for (i = 1; i <= count; i++)
                       if (index(parts[i], "(= " version ")")) {
                           split(parts[i], words, " ")
                           print words[1]
                       } }'
}

# GCC's C++ library, for shims in C++ by a compiler that has another: that of the first suite, since newer
# systems have all of it.
cpp_library() {
    local version
    version=$(apt-cache depends g++ | sed -n 's/.* g++-\([0-9]*\)$/\1/p' | head -n 1)
    echo "libgcc-s1 libstdc++6 libstdc++-$version-dev"
}

for suite in "${suites[@]}"; do
    part=$folder/$suite-$machine.part
    echo "Fetching headers of $suite for $machine"
    rm -rf "$part" "$folder/$suite-$machine"
    configure "$part/apt" "$suite"
    (
        export APT_CONFIG=$part/apt/apt.conf
        cd "$part"
        apt-get -qq update
        wanted=()
        test "$suite" != "${suites[0]}" || read -ra wanted < <(cpp_library)
        for package in "${packages[@]}"; do
            mapfile -t -O "${#wanted[@]}" wanted < <(libraries "$package")
        done
        apt-get -qq download "${packages[@]}" "${wanted[@]}"
        for package in *.deb; do dpkg-deb -x "$package" .; done
    )
    # Older packages have libraries in /lib, which is a link to /usr/lib wherever they are installed.
    if test -d "$part/lib"; then cp -a "$part/lib/." "$part/usr/lib" && rm -r "$part/lib"; fi
    rm -rf "$part"/*.deb "$part/apt" "$part/usr/share" "$part/usr/bin"
    find "$part" -name '*.a' -delete
    mv "$part" "$folder/$suite-$machine"
done
