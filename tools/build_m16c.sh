#!/bin/bash
# Builds the tools of the target m16c, which Debian has as sources only: tools/build_m16c.sh [FOLDER]
#
# FOLDER gets assembler and linker, GCC, and GDB's simulator as a library. Without it that is where
# ciphermark looks for them, in the user's cache. What is there and was built of the same sources is
# left as it is.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-${XDG_CACHE_HOME:-$HOME/.cache}/ciphermark/m16c}"
target=m32c-elf
gcc_patch="$here/patches/gcc-12-m32c-leaf-function.patch"
sources=(binutils-source gcc-12-source gdb-source)
packages=("${sources[@]}" bison flex g++ gcc libgmp-dev libmpc-dev libmpfr-dev make patch xz-utils)

work="$folder.building"
log="$folder.log"
stamp="$folder/built-of"
options=(--target=$target --prefix="$folder" --disable-nls --disable-werror
    CFLAGS='-O1 -g0' CXXFLAGS='-O1 -g0')
make=(make --jobs "${JOBS:-$(nproc)}" MAKEINFO=true)

fail() {
    echo "$1" >&2
    exit 1
}

# step FOLDER LIMIT WHAT COMMAND...: runs it there; its output is for who looks for an error.
step() {
    local in="$work/$1" limit=$2 what=$3
    shift 3
    echo "$what"
    (cd "$in" && timeout --foreground "$limit" "$@") >>"$log" 2>&1 ||
        fail "$what failed or took longer than $limit: see the end of $log"
}

packages_missing() {
    { dpkg-query --show --showformat '${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>/dev/null ||
        true; } | awk '$1 == "ii" {print $2}' | sort -u |
        comm -13 - <(printf '%s\n' "${packages[@]}" | sort)
}

install_packages() {
    local missing
    missing="$(packages_missing | xargs)"
    test -n "$missing" || return 0
    [ "$(id -u)" = 0 ] || fail "Packages are missing; type: sudo apt-get install $missing"
    echo "Installing $missing"
    apt-get -qq update
    timeout --foreground 15m apt-get -qq install --no-install-recommends $missing >/dev/null
}

# What the tools depend on: this file, the patch, and the versions of the sources.
ingredients() {
    sha256sum <"$here/build_m16c.sh"
    sha256sum <"$gcc_patch"
    dpkg-query --show "${sources[@]}"
}

# Only what a compiler of C needs: the rest of GCC is three quarters of it.
unpack() {
    echo "Unpacking sources"
    mkdir -p "$work"/{binutils,gcc,gdb}{,-build}
    tar -x -f /usr/src/binutils/binutils-*.tar.xz -C "$work/binutils" --strip-components 1
    tar -x -f /usr/src/gcc-12/gcc-*.tar.xz -C "$work/gcc" --strip-components 1 \
        --exclude='gcc-*/gcc/'{ada,fortran,go,testsuite/g*} \
        --exclude='gcc-*/lib'{ada,ffi,go,gfortran,phobos,sanitizer,stdc++-v3}
    tar -x -f /usr/src/gdb.tar.xz -C "$work/gdb" --strip-components 1
    patch --quiet --strip 1 --directory "$work/gcc" --input "$gcc_patch"
}

build_binutils() {
    step binutils-build 10m "Configuring binutils" ../binutils/configure "${options[@]}" \
        --disable-gdb --disable-gprof --disable-gprofng
    step binutils-build 60m "Building binutils" "${make[@]}"
    step binutils-build 10m "Installing binutils" "${make[@]}" install-strip
}

# Without standard library: kernels need none but GCC's own.
build_gcc() {
    step gcc-build 10m "Configuring GCC" ../gcc/configure "${options[@]}" \
        --enable-languages=c --disable-bootstrap --disable-decimal-float --disable-gcov \
        --disable-libgomp --disable-libquadmath --disable-libssp --disable-lto --disable-multilib --disable-plugin \
        --disable-shared --disable-threads --disable-analyzer --with-newlib --without-headers --without-isl \
        --without-zstd
    step gcc-build 120m "Building GCC (some minutes)" "${make[@]}" all-gcc
    # Debian's sources lack the manual that this is checked against.
    touch "$work/gcc-build/gcc/s-tm-texi"
    step gcc-build 10m "Installing GCC" "${make[@]}" install-gcc
}

# For some functions with floating point, which kernels do not call, the compiler finds no register:
# so make ends with an error, and what it could compile makes the library. Its symbols lose the
# underscore in front, as kernels are compiled with -fno-leading-underscore.
build_libgcc() {
    local objects="$work/gcc-build/$target/libgcc" library
    library="$(dirname "$("$folder/bin/$target-gcc" -print-file-name=include)")/libgcc.a"
    step gcc-build 30m "Building libgcc" "${make[@]}" --keep-going --ignore-errors \
        all-target-libgcc CFLAGS_FOR_TARGET=-Os
    rm -f "$objects"/*_s.o
    "$folder/bin/$target-ar" rcs "$library" "$objects"/*.o
    "$folder/bin/$target-objcopy" --remove-leading-char "$library"
}

# Its library with what it needs: kernels/runners/m32c.c is linked to them.
build_simulator() {
    step gdb-build 10m "Configuring the simulator" ../gdb/configure "${options[@]}" --disable-binutils \
        --disable-gas --disable-gdb --disable-gdbserver --disable-gprofng --disable-ld \
        --without-zstd
    step gdb-build 60m "Building the simulator" "${make[@]}" all-sim
    mkdir "$folder/simulator"
    cp "$work"/gdb-build/{sim/m32c/libsim,bfd/libbfd,libiberty/libiberty,zlib/libz}.a \
        "$work"/gdb-build/bfd/bfd.h "$work"/gdb/include/{ansidecl,diagnostics,symcat}.h \
        "$work"/gdb/sim/m32c/{cpu,load,mem}.h "$folder/simulator"
}

install_packages
built_of="$(ingredients)"
if [ -f "$stamp" ] && [ "$(<"$stamp")" = "$built_of" ]; then
    echo "The tools of the target m16c are in $folder"
    exit
fi
trap 'rm -rf "$work"' EXIT
rm -rf "$work" "$folder"
mkdir -p "$folder" "$work"
: >"$log"
unpack
build_binutils
build_gcc
build_libgcc
build_simulator
rm -rf "$folder/share"
echo "$built_of" >"$stamp"
echo "The tools of the target m16c are in $folder ($(du -sh "$folder" | cut -f1))"
