#!/bin/bash
# Builds the engine alone for other machines, linked statically with musl.
#
#   tools/make_engines.sh TOOLCHAIN FOLDER MACHINE...
#
# TOOLCHAIN is as in tools/cross_build.sh; FOLDER gets ciphermark-engine-MACHINE and index.json.
set -eu -o pipefail

toolchain=$1
folder=$2
shift 2
tools=$(dirname "$(realpath "$0")")

# Rust's name of a machine with musl.
target() {
    case $1 in
    x86_64 | aarch64) echo "$1-unknown-linux-musl" ;;
    armv7) echo armv7-unknown-linux-musleabihf ;;
    riscv64) echo riscv64gc-unknown-linux-musl ;;
    *)
        echo "there is no engine for $1: write x86_64, aarch64, armv7 or riscv64" >&2
        return 1
        ;;
    esac
}

targets=()
for machine in "$@"; do
    name=$(target "$machine")
    targets+=("$name")
done
"$tools/cross_build.sh" "$toolchain" static "${targets[@]}"
mkdir -p "$folder"
for machine in "$@"; do
    cp "${CARGO_TARGET_DIR:-target}/static/$(target "$machine")/release/ciphermark-engine" \
        "$folder/ciphermark-engine-$machine"
done
"$toolchain/bin/python" "$tools/index_engines.py" "$folder" "$@"
