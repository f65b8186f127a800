#!/bin/bash
# Unpacks the C library musl, and makes a C compiler that links with it statically.
#
#   tools/fetch_musl.sh MACHINE FOLDER
#
# MACHINE is x86_64 or aarch64, whatever this one is. Afterwards FOLDER has cc (GCC with musl) and
# lib/libunwind.a (GCC's unwinder, which Rust's standard library asks for by that name). Needs GCC for
# that machine and the headers of Linux; nothing is installed.
set -eu -o pipefail

machine=$1
folder=$(realpath -m "$2")
tools=$(dirname "$(realpath "$0")")
part=$folder.part

fail() {
    echo "$1" >&2
    exit 1
}

case $machine in
x86_64) debian=amd64 ;;
aarch64) debian=arm64 ;;
*) fail "there is no engine for $machine: write x86_64 or aarch64" ;;
esac

gcc=$machine-linux-gnu-gcc
package=gcc-${machine/_/-}-linux-gnu
command -v "$gcc" >/dev/null ||
    fail "there is no $gcc for the engine of $machine; type: apt-get install $package libc6-dev-$debian-cross"
command -v apt-get >/dev/null ||
    fail "musl for $machine comes out of Debian's packages, and there is no apt-get here"

anyone=(-o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1)

# With lists of its own where the system does not know the other architecture.
download() {
    local own=()
    if test "$(dpkg --print-architecture)" != "$debian"; then
        mkdir -p "$part/apt/lists/partial" "$part/apt/archives/partial"
        own=(-o APT::Architecture="$debian" -o APT::Architectures="$debian"
            -o Dir::State::Lists="$part/apt/lists" -o Dir::Cache="$part/apt"
            -o Dir::State::status=/dev/null -o Acquire::Languages=none)
        (cd "$part" && apt-get -qq "${own[@]}" "${anyone[@]}" update)
    fi
    (cd "$part" && apt-get -qq "${own[@]}" "${anyone[@]}" download "$1")
}
echo "Fetching musl for $machine"
rm -rf "$folder" "$part"
mkdir -p "$part/lib" "$part/linux"
download musl-dev
dpkg-deb -x "$part"/musl-dev_*.deb "$part"
rm -rf "$part"/apt "$part"/*.deb

# The kernel's headers, which some libraries include, without those of glibc beside them.
headers() {
    local of
    for of in /usr/"$machine"-linux-gnu/include "/usr/include/$machine-linux-gnu" /usr/include; do
        if test -e "$of/$1"; then echo "$of/$1"; return; fi
    done
    fail "there are no headers of Linux ($1) for $machine; type: apt-get install libc6-dev-$debian-cross"
}
for name in asm asm-generic linux; do
    ln -s "$(headers "$name")" "$part/linux/$name"
done

# Debian's own specs know no position-independent executables that are static.
musl=$folder/usr/lib/$machine-linux-musl
include="-nostdinc -isystem $folder/usr/include/$machine-linux-musl -isystem include%s \
-idirafter $folder/linux"
erratum=""
test "$machine" = x86_64 || erratum="--fix-cortex-a53-843419"
cat >"$part/specs" <<SPECS
%rename cpp_options old_cpp_options

*cpp_options:
$include %(old_cpp_options)

*cc1:
%(cc1_cpu) $include

*link_libgcc:
-L$musl -L$folder/lib -L .%s

*libgcc:
libgcc.a%s

*startfile:
%{static-pie:$musl/rcrt1.o;:$musl/crt1.o} $musl/crti.o %{static-pie:crtbeginS.o%s;:crtbeginT.o%s}

*endfile:
%{static-pie:crtendS.o%s;:crtend.o%s} $musl/crtn.o

*link:
-nostdlib -static %{static-pie:-pie --no-dynamic-linker -z text} $erratum

SPECS
cat >"$part/cc" <<CC
#!/bin/sh
exec $gcc "\$@" -specs $folder/specs
CC
chmod +x "$part/cc"
mv "$part" "$folder"

cp "$("$gcc" -print-file-name=libgcc_eh.a)" "$folder/lib/libunwind.a"
"$folder/cc" -std=c99 -O2 -fPIC -Wall -Wextra -c "$tools/find_object.c" -o "$folder/find_object.o"
"$machine-linux-gnu-ar" rs "$folder/lib/libunwind.a" "$folder/find_object.o"
