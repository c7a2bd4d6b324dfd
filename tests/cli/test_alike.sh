#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Options that mean the same take the same values whatever the scheduler; and a report says where a program does not say whose
# times it has: test_alike.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
report() { "$gpusim" run --size 300 "$@" --report - 2>err || fail "$*: $(cat err)"; }
waits() { grep -c cudaStreamWaitEvent "$1"; }

# prune: a word or its number, the same to every scheduler that has it.
for sched in async kesco; do
    number=0
    for word in none latest clock; do
        report --workload m2 --sched $sched --opt prune=$word >$word
        report --workload m2 --sched $sched --opt $sched.prune=$number >number
        cmp -s $word number || fail "$sched: prune=$word and prune=$number differ"
        grep -q "\"$sched.prune\": \"$word\"" $word || fail "$sched: the report does not say prune=$word"
        number=$((number + 1))
    done
    "$gpusim" run --workload m2 --sched $sched --opt prune=3 >out 2>err && fail "$sched takes prune=3"
    grep -qF 'expected one of none|latest|clock' err || fail "$sched: $(cat err)"
    for word in none latest clock; do
        sed -n 's/.*"stream_waits": \([0-9]*\).*/\1/p' $word | head -n 1
    done | tr '\n' ' ' >counts
    read -r none latest clock <counts
    [ "${none:-0}" -ge "${latest:-1}" ] && [ "${latest:-0}" -ge "${clock:-1}" ] && [ "$none" -gt "$clock" ] || fail "$sched: waits $(cat counts)"
done
"$gpusim" compare --workload m2 --sched async,kesco --base async --opt prune=clock >out 2>err || fail "compare: $(cat err)"

# solo_us without solo_device: a note in the report, of any form.
program() {
    printf '{"schema": "gpusim-program/1", "name": "p", "buffers": [{"name": "a", "bytes": 4096, "init": "device"}],
 "kernels": [{"name": "k", "solo_us": 100%s}, {"name": "l"%s}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [64], "block": [256], "writes": ["a"]},
         {"op": "kernel", "kernel": "l", "grid": [64], "block": [256], "writes": ["a"]}]}\n' "$1" "$2"
}
program '' ', "solo_us": 7' >all.json
program '' ', "flops": 1e9, "dram_bytes": 1e6' >one.json
program ', "solo_device": "h200"' ', "flops": 1e9, "dram_bytes": 1e6' >none.json
all='no kernel names the device of its solo_us (solo_device): the times are taken as of h200'
one='1 of 2 kernels do not name the device of their solo_us (solo_device): taken as of h200'
for name in all one none; do
    "$gpusim" --workload $name.json --sched serial --device h200 >$name.txt 2>err || fail "$name: $(cat err)"
    "$gpusim" --workload $name.json --sched serial --device h200 --report $name.report.json >/dev/null 2>&1
    "$gpusim" report $name.report.json -o $name.html >/dev/null 2>err || fail "$name: $(cat err)"
done
grep -qF "  Note         $all" all.txt || fail "all: $(cat all.txt)"
grep -qF "\"notes\": [\"$all\"]" all.report.json || fail 'all: no note in the JSON'
grep -qF "  Note         $one" one.txt || fail "one: $(cat one.txt)"
grep -qF "\"notes\": [\"$one\"]" one.report.json || fail 'one: no note in the JSON'
grep -q 'Note\|"notes"' none.txt none.report.json && fail 'none: a note without a reason'

[ $failures = 0 ]
