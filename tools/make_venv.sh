#!/bin/bash
# Makes the virtual environment: tools/make_venv.sh PYTHON FOLDER
#
# Debian's Python comes without ensurepip. Then the environment is made without pip, and the pip of
# the system, where there is one, puts another into it; nothing is installed outside of it.
set -eu

python=$1
folder=$2

fail() {
    echo "$1" >&2
    exit 1
}

has() {
    "$python" -c "import $1" 2>/dev/null
}

command -v "$python" >/dev/null || fail "There is no $python here; type: make PYTHON=/path/to/python3.11"
"$python" tools/toolchain.py

if ! has ensurepip && ! has pip; then
    [ "$(id -u)" = 0 ] || fail "This Python has no pip; ask your administrator for: apt-get install python3-venv"
    apt-get -qq update && apt-get -qq install --no-install-recommends python3-venv >/dev/null
fi

if has ensurepip; then
    "$python" -m venv "$folder"
else
    "$python" -m venv --without-pip "$folder"
    "$python" -m pip --python "$folder/bin/python" install --quiet pip
fi
