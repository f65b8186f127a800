#!/bin/bash
# Builds the engine alone for another machine, linked statically with musl.
#
#   tools/make_engine.sh TOOLCHAIN MACHINE FILE
#
# TOOLCHAIN is as in tools/cross_build.sh.
set -eu -o pipefail

case $2 in
x86_64 | aarch64) target=$2-unknown-linux-musl ;;
armv7) target=armv7-unknown-linux-musleabihf ;;
riscv64) target=riscv64gc-unknown-linux-musl ;;
*)
    echo "there is no engine for $2: write x86_64, aarch64, armv7 or riscv64" >&2
    exit 1
    ;;
esac
"$(dirname "$0")/cross_build.sh" "$1" static "$target"
mkdir -p "$(dirname "$3")"
cp "${CARGO_TARGET_DIR:-target}/static/$target/release/ciphermark-engine" "$3"
