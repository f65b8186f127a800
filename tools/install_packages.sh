#!/bin/bash
# Installs Debian's packages, as far as this release has them:
#
#   tools/install_packages.sh NAME...
#
# Prints the packages that it installs, and those that this release does not have. Ends with 0 where none
# was to install, 3 where it installed some, 1 where that failed, and 2 where it would need root.
set -eu -o pipefail
export LC_ALL=C # one order of names for sort and comm

installed() {
    { dpkg-query --show --showformat '${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true; } |
        awk '$1 == "ii" {print $2}' | sort --unique
}

# Of the names those that apt can install; `dpkg` is among them where apt has lists at all.
offered() {
    apt-cache madison dpkg "$@" 2>/dev/null | awk '{print $1}' | sort --unique
}

missing="$(comm -13 <(installed "$@") <(printf '%s\n' "$@" | sort --unique))"
test -n "$missing" || exit 0
test "$(id -u)" = 0 && command -v apt-get >/dev/null || exit 2

if test "$(offered $missing)" != dpkg; then
    apt-get -qq update || exit 1
fi
absent="$(comm -13 <(offered $missing) <(echo "$missing"))"
if test -n "$absent"; then
    echo "Not in this release, and not installed:" $absent
fi
missing="$(comm -12 <(offered $missing) <(echo "$missing"))"
test -n "$missing" || exit 0
echo "Installing (some minutes the first time):" $missing
timeout --foreground 20m apt-get -qq install --no-install-recommends $missing >/dev/null || exit 1
exit 3
