#!/bin/bash
# Runs stages one after the other, whatever an earlier one finds, and says at the end how each ended:
# tools/run_stages.sh TITLE COMMAND [TITLE COMMAND]...
#
# Ends with 1 when a stage failed. Ctrl-C ends all stages: what a tool makes of it is its own affair.
set -u
trap 'exit 130' INT
trap 'exit 143' TERM

PAST_ITS_LIMIT=124 # of timeout(1)

outcomes=()
failed=0
while [ $# -ge 2 ]; do
    echo
    echo "== $1"
    began=$SECONDS
    bash -eu -o pipefail -c "$2"
    status=$?
    case $status in
        0) outcome=passed ;;
        "$PAST_ITS_LIMIT") outcome="took too long" ;;
        *) outcome="failed ($status)" ;;
    esac
    [ $status = 0 ] || failed=1
    took=$((SECONDS - began))
    outcomes+=("$(printf '%-15s %3d:%02d  %s' "$outcome" $((took / 60)) $((took % 60)) "$1")")
    shift 2
done

echo
printf '%s\n' "${outcomes[@]}"
exit $failed
