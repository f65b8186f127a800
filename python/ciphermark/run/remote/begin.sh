# What a box is, and a private folder on it. A POSIX shell reads this from its standard input, after
# lines that set: `wanted`, names of folders that earlier calls have left; `new`, the name for one
# that is made where none of them is there, or nothing; `need`, KiB that must be free.
# Lines that begin with `ciphermark:` are the answer: what a login prints beside them is not.
umask 077
trap '' HUP PIPE # when the connection ends here already, there is still to be tidied up
say() { printf 'ciphermark:%s\n' "$*"; }

# Says why a place cannot be used; sets `folder` where it can.
try() {
    why=$(mkdir "$1/$new" 2>&1) || { say "refused=$1 takes no folder (${why##*: })"; return 1; }
    free=$(df -Pk "$1" 2>/dev/null | tail -n 1 | { read -r _ _ _ kib _; echo "$kib"; })
    if [ "${free:-$need}" -lt "$need" ]; then
        say "refused=$1 has $((free / 1024)) MB free of the $((need / 1024)) that are needed"
    elif ! printf '#!%s\nexit 0\n' "$shell" >"$1/$new/try"; then
        say "refused=$1 takes no file"
    elif chmod 700 "$1/$new/try" && "$1/$new/try" 2>/dev/null; then
        rm -f "$1/$new/try"
        folder=$1/$new
        return 0
    else
        say "refused=$1 lets no program run (mounted noexec)"
    fi
    rm -rf "${1:?}/$new"
    return 1
}

# The folder of an earlier call, which nobody else can have made.
find_wanted() {
    for name in $wanted; do
        for place in "$@"; do
            [ -d "$place/$name" ] && [ -O "$place/$name" ] && folder=$place/$name && return 0
        done
    done
    return 1
}

make_new() {
    for place in "$@"; do
        [ -d "$place" ] && try "$place" && return 0
    done
    return 1
}

# Becomes `box.sh`, if that was written; where an earlier call has left one, that goes on doing.
hold_box() {
    if [ "$1" -eq 0 ]; then
        mv "$folder/box.new" "$folder/box.sh"
    elif ! rm -f "$folder/box.new" || [ ! -s "$folder/box.sh" ]; then
        say "refused=${folder%/*} takes no file"
        say nowhere
        exit 0
    fi
    exec sh "$folder/box.sh" hold
}

[ -n "$TMPDIR" ] || TMPDIR=/tmp
shell=$(command -v sh)
case $shell in /*) ;; *) shell=/bin/sh ;; esac # busybox's own is called `sh`
set -- "$TMPDIR" /tmp /var/tmp /dev/shm "$HOME"
say "system=$(uname -s)"
say "node=$(uname -n)"
say "machine_id=$(cat /etc/machine-id 2>/dev/null)"
command -v gzip >/dev/null && say "unpacks=gzip"
ask | while read -r line; do say "fact=$line"; done
folder=
if find_wanted "$@"; then
    say "found=${folder##*/}"
elif [ -z "$new" ]; then
    say gone
    exit 0
elif make_new "$@"; then
    trap 'rm -rf "$folder"' EXIT # for the end of a connection, and so of these lines
else
    say nowhere
    exit 0
fi
