#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Notes of runs, as text and as JSON: a framework's time that a plan leaves out, and tgs in a run shorter than its messages.
# Run as "test_report_notes.sh SOURCE-DIR BUILD-DIR".
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"

# Two calls with 300 us between them.
cat >framework.json <<'E2'
{"schema": "gpusim-program/1", "name": "framework", "kernels": [{"name": "k", "solo_us": 10, "solo_device": "h200"}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [8], "block": [128]}, {"op": "host_compute", "us": 300, "overhead": true},
         {"op": "kernel", "kernel": "k", "grid": [8], "block": [128]}]}
E2
for sched in kesco cudagraph async serial; do
    "$gpusim" --workload framework.json --sched $sched --device h200 --report report.json >out 2>err || fail "$sched: $(cat err)"
    note="$sched captures or compiles the program once: a framework's time between calls, 300.0 us an iteration, is left out"
    case $sched in
    kesco | cudagraph)
        grep -qxF "  Note         $note" out || fail "$sched: $(cat out)"
        grep -qF "\"notes\": [\"$note\"]" report.json || fail "$sched: not in the report"
        ;;
    *)
        grep -q 'is left out' out report.json && fail "$sched: $(cat out)"
        ;;
    esac
done

# Messages each 5 s, a run of some ms; each 10 us.
pair='--task framework.json,name=a,requests=20 --task framework.json,name=b,priority=5,requests=20 --device h200'
note='tgs: 0 messages'
# shellcheck disable=SC2086 # words
"$gpusim" compare $pair --share tgs,mps >out 2>err || fail "compare: $(cat err)"
[ "$(grep -c '^  Note: ' out)" = 2 ] && grep -q "^  Note: $note" out && grep -q '^  Note: p99 of fewer than 100 requests' out || fail "compare: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" compare $pair --share tgs,mps --report - >out 2>err || fail "compare: $(cat err)"
[ "$(grep -c '"notes"' out)" = 1 ] && python3 -m json.tool out >/dev/null || fail "compare, JSON: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" $pair --share tgs --report report.json >out 2>err || fail "run: $(cat err)"
grep -q "^  Note  *$note" out && grep -q "\"notes\": .\"$note" report.json || fail "run: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" $pair --share tgs --opt tgs.message_us=100 >out 2>err || fail "quick messages: $(cat err)"
grep -q '^  Note' out && fail "quick messages: $(cat out)"
# A grid that is packed on the SMs which others left: DL without prefetch, not with it, where inputs arrive one after the other.
"$gpusim" --workload dl --size 14k --sched kesco --prefetch off --iterations 2 >out 2>err || fail "packed: $(cat err)"
grep -q '^  Note  *conv2d stands on [0-9]* of 108 SMs for .*: others held the rest when it started' out || fail "packed: $(cat out)"
"$gpusim" --workload dl --size 14k --sched serial --prefetch off --iterations 2 >out 2>err || fail "packed: $(cat err)"
grep -q 'stands on' out && fail "one after the other: $(cat out)"
[ $failures = 0 ]
