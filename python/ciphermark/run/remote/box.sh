# What a box does for ciphermark: `sh box.sh VERB ARGUMENT...`, in the folder that this file is in.
# POSIX, so that busybox's shell will do. Lines that begin with `ciphermark:` are for the program at
# the other end; a login may print others before them.
umask 077
cd "${0%/*}" || exit 97
folder=$(pwd -P)
place=${folder%/*}
say() { printf 'ciphermark:%s\n' "$*"; }

# ---- processes

# When a process began, in ticks since the machine did: with its number, which process it is.
began() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

is_running() { [ -n "$2" ] && [ "$(began "$1")" = "$2" ]; }

# All processes in this folder: engines with their workers, and shells of connections.
ours() {
    ls -l /proc/[0-9]*/cwd 2>/dev/null |
        sed -n "s|.* /proc/\([0-9]*\)/cwd -> $folder\$|\1|p"
}

# Ends what runs here and removes all.
clean() {
    cd / || exit 97
    for process in $(ours); do
        [ "$process" = $$ ] || kill -KILL "$process" 2>/dev/null
    done
    for _ in 1 2 3; do # what is being ended may write a last file
        rm -rf "$folder" 2>/dev/null
        [ -e "$folder" ] || break
        sleep 1
    done
    for held in "$place"/ciphermark.lock.*."${folder##*.}"; do
        [ -d "$held" ] && rmdir "$held"
    done
}

# ---- one measurement at a time: a lock is a folder whose name says which process holds it

is_locked_by_another() {
    for held in "$place"/ciphermark.lock.*; do
        [ -d "$held" ] || continue
        name=${held##*/ciphermark.lock.}
        [ "${name##*.}" = "${folder##*.}" ] && continue
        holder=${name%%.*}
        since=${name#*.}
        if is_running "$holder" "${since%%.*}"; then
            set -- $(ls -ld "$held")
            say "busy=process $holder of $3"
            return 0
        fi
        rmdir "$held" 2>/dev/null
    done
    return 1
}

# Of two that come at once both may be refused, but never are both let in: each makes its lock
# before it looks for another.
take_lock() {
    lock=$place/ciphermark.lock.$$.$(began $$).${folder##*.}
    mkdir "$lock" || return 1
    is_locked_by_another || return 0
    rmdir "$lock"
    return 1
}

# ---- runs of the engine, a folder for each

# Lets go of the connection, which else lives as long as we do. By `exec`: where a function is called
# with other streams, shells keep the old ones open until it returns.
quietly() { exec </dev/null >/dev/null 2>&1; }

# Ends a process when its time is over, first gently.
guard() {
    trap 'kill $! 2>/dev/null; exit 0' TERM
    sleep "$1" &
    wait $!
    kill -TERM "$2" 2>/dev/null
    sleep 10 &
    wait $!
    kill -KILL "$2" 2>/dev/null
}

# Waits for a process within its time; its exit code.
wait_for() {
    (quietly && guard "$2" "$1") &
    guarding=$!
    wait "$1"
    code=$?
    kill -TERM "$guarding" 2>/dev/null
    wait "$guarding" 2>/dev/null
    return "$code"
}

run_engine() {
    ./engine run --plan "$1/plan" </dev/null >>"$1/events" 2>"$1/words" &
    echo $! >"$1/engine"
    wait_for $! "$2"
    echo $? >"$1/code.new"
    mv "$1/code.new" "$1/code"
}

# Whether a run is here that nobody has collected yet.
keeps() {
    for run in */keep; do
        [ -e "$run" ] && return 0
    done
    return 1
}

# Whether no more events come: the engine has ended, or whoever started it was killed.
is_over() {
    [ -e "$1/code" ] && return 0
    read -r runner since <"$1/runner" && is_running "$runner" "$since" && return 1
    sleep 1 # between the end of the one and the other
    return 0
}

all_over() {
    for run in */plan; do
        [ -e "$run" ] && { is_over "${run%/plan}" || return 1; }
    done
    return 0
}

# ---- verbs

# As long as a connection lives. When it ends with a farewell, or with no run that is to be kept, all
# is removed; else what runs goes on, and its events wait for the next call.
hold() {
    trap '' HUP
    say "folder=$folder"
    take_lock || { keeps || clean; exit 0; }
    say ready
    read -r word
    if [ "$word" = bye ] || ! keeps; then
        clean
        say gone
        exit 0
    fi
    until all_over; do sleep 5; done
    rmdir "$lock" 2>/dev/null
}

sum_of() {
    if command -v sha256sum; then
        sha256sum <"$1"
    elif command -v openssl; then
        openssl dgst -sha256 -r <"$1"
    elif command -v busybox; then
        busybox sha256sum <"$1"
    fi 2>/dev/null | sed -n 's/^\([0-9a-f]\{64\}\).*/\1/p'
}

# A file from standard input, packed by gzip or plain.
put() {
    if [ "$2" = packed ]; then
        gzip -dc >"$1.new" || exit 98
    else
        cat >"$1.new" || exit 98
    fi
    say "sum=$(sum_of "$1.new")"
    chmod 700 "$1.new"
    mv "$1.new" "$1"
}

ask() {
    seconds=$1
    shift
    ./engine "$@" </dev/null &
    wait_for $! "$seconds"
}

# Starts a run that nobody need wait for, of the plan on standard input; once, however often asked.
start() {
    trap '' HUP
    if [ ! -e "$1/runner" ]; then
        mkdir -p "$1"
        cat >"$1/plan.new" || exit 98
        [ "$(($(wc -c <"$1/plan.new")))" -eq "$2" ] || exit 99
        mv "$1/plan.new" "$1/plan"
        : >"$1/events"
        [ "$4" = keep ] && : >"$1/keep"
        (quietly && run_engine "$1" "$3") &
        echo $! "$(began $!)" >"$1/runner"
    fi
    say started
}

# The events from a byte on, until there will be no more. `cat` goes on where the one before it has
# ended, since they share the file.
follow() {
    exec 3<"$1/events"
    [ "$2" -ge 65536 ] && dd bs=65536 count=$(($2 / 65536)) <&3 >/dev/null 2>&1
    [ $(($2 % 65536)) -gt 0 ] && dd bs=1 count=$(($2 % 65536)) <&3 >/dev/null 2>&1
    last=
    while [ -z "$last" ]; do
        is_over "$1" && last=yes
        cat <&3 || exit 98
        [ -n "$last" ] || sleep 1
    done
}

# Why nothing more can be written to a folder; nothing where it can.
why_full() {
    dd if=/dev/zero of="$1/probe" bs=8192 count=1 2>&1 | sed -n 's/^dd: .*: //p'
    rm -f "$1/probe"
}

# How a run has ended, and what the engine said of it.
ended() {
    say "code=$(cat "$1/code" 2>/dev/null)"
    say "full=$(why_full "$1")"
    cat "$1/words"
}

stop() {
    [ -e "$1/code" ] || kill -"$2" "$(cat "$1/engine")"
}

# The files whose names come on standard input, each after its name.
read_files() {
    while read -r file; do
        printf '\n== %s\n' "$file"
        cat "$file" 2>/dev/null
    done
    return 0
}

may_write() {
    while read -r file; do
        [ -w "$file" ] || exit 1
    done
}

may_make() {
    read -r group
    mkdir "$group" 2>/dev/null && rmdir "$group"
}

statuses() {
    grep -H -e '^Uid:' -e '^Threads:' /proc/[0-9]*/status 2>/dev/null
    return 0
}

verb=$1
shift
[ "$verb" = hold ] || say answer
case $verb in
hold | put | ask | start | follow | ended | stop | read_files | may_write | may_make | statuses)
    "$verb" "$@"
    ;;
user) id -u ;;
get) cat "$1" ;;
sum) say "sum=$(sum_of "$1")" ;;
forget) rm -f "$1/keep" ;;
*) exit 96 ;;
esac
