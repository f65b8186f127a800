#!/bin/bash
# Runs a command so many times in a row beside two busy loops, which end with it or by themselves:
# tools/beside_busy_loops.sh TIMES SECONDS COMMAND [ARGUMENT]...
#
# SECONDS is the longest that all of it may take. Ends with 1 when the command failed once.
set -u

times=$1
seconds=$2
shift 2

loops=()
for _ in 1 2; do
    timeout "$seconds" bash -c 'while :; do :; done' &
    loops+=($!)
done
trap 'kill "${loops[@]}" 2>/dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

failed=0
for ((run = 1; run <= times; run++)); do
    echo "== run $run of $times, beside two busy loops"
    timeout --foreground $((seconds - SECONDS)) "$@" || failed=$((failed + 1))
    kill -0 "${loops[@]}" 2>/dev/null || { echo "The loops have ended: over $seconds s"; exit 1; }
done
echo "$failed of $times runs failed"
[ "$failed" = 0 ]
