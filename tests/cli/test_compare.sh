#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim compare" as a user runs it: what it measures, repetitions, worker processes, plug-ins that crash:
# test_compare.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# column NAME FILE: "workload scheduler value" per row.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $1, $2, $at }' "$2"
}

# The median of the steady iterations is that of 30, in every cell.
for device in a100-sxm4-40gb gtx960 h200; do
    [ $device = h200 ] || [ "${GPUSIM_FULL-}" ] || continue
    "$gpusim" compare --workload m1,m2,img,dl --device $device --csv steady.csv >/dev/null 2>err || fail "$device: $(cat err)"
    "$gpusim" compare --workload m1,m2,img,dl --device $device --iterations 30 --csv thirty.csv >/dev/null 2>err || fail "$device: $(cat err)"
    column iteration_us steady.csv >found
    column iteration_us thirty.csv >expected
    paste -d' ' found expected | awk -v device=$device '
        $1 != $4 || $2 != $5 || $6 <= 0 || ($3 / $6 - 1)^2 > 0.005^2 { print device ": " $0; bad = 1 } { n++ }
        END { exit bad || n < 28 }' || fail "$device: not within 0.5 % of 30 iterations"
done

# Any number of workers gives the same bytes, and those of a run.
for jobs in 1 3; do
    "$gpusim" compare --workload m1,img --size 500 --sched serial,kesco --jobs $jobs --csv jobs-$jobs.csv >jobs-$jobs.txt 2>/dev/null
done
cmp -s jobs-1.csv jobs-3.csv && cmp -s jobs-1.txt jobs-3.txt || fail 'other results with three workers'
"$gpusim" run --workload m1 --size 500 --sched kesco --report run.json >/dev/null 2>&1
first=$(sed -n 's/.*"iteration_us": \[\([0-9.]*\)[],].*/\1/p' run.json)
column first_us jobs-1.csv | grep -qx "m1 kesco $first" || fail "first_us: $(column first_us jobs-1.csv), expected m1 kesco $first"

# Repetitions: seeds of their own, the interval as Student's t has it (4.30265 for three values), ratios seed by seed.
"$gpusim" compare --workload img --size 500 --sched kesco --noise --seed 5 --repeat 3 --csv repeated.csv >repeated.txt 2>err || fail "repeat: $(cat err)"
for seed in 5 6 7; do
    "$gpusim" compare --workload img --size 500 --sched kesco --noise --seed $seed --csv one.csv >/dev/null 2>&1
    echo "$(column iteration_us one.csv) $(column speedup one.csv) $(column iteration_ci95_us repeated.csv) $(column iteration_us repeated.csv) \
$(column speedup_ci95 repeated.csv) $(column speedup repeated.csv)"
done | awk '{ t[NR] = $3; s[NR] = $6; tc = $9; tm = $12; sc = $15; sm = $18 }
    function close_to(a, b) { return a > 0 && b > 0 && (a / b - 1)^2 < 1e-8 }
    function half(v, m) { return 4.302653 * sqrt(((v[1] - m)^2 + (v[2] - m)^2 + (v[3] - m)^2) / 2 / 3) }
    END { m = (t[1] + t[2] + t[3]) / 3; r = (s[1] + s[2] + s[3]) / 3
          exit !(NR == 3 && close_to(m, tm) && close_to(r, sm) && close_to(half(t, m), tc) && close_to(half(s, r), sc)) }' ||
    fail "repetitions: $(cat repeated.csv)"
grep -q '95 % confidence$' repeated.txt && grep -q 'seeds 5 to 7, with noise' repeated.txt || fail "repetitions: $(cat repeated.txt)"
"$gpusim" compare --repeat 0 >out 2>err && fail '--repeat 0: expected a refusal'
grep -qF -- "--repeat: expected an integer from 1" err || fail "--repeat 0: $(cat err)"
# Without them there is no interval to speak of.
grep -qi 'confidence\|+-' jobs-1.txt && fail "an interval of one run: $(cat jobs-1.txt)"

# A plug-in that crashes costs its own cell.
cat >one.json <<'END'
{"schema": "gpusim-program/1", "name": "one", "buffers": [{"name": "a", "bytes": 4096, "init": "device"}],
 "kernels": [{"name": "k", "flops": 1e9, "dram_bytes": 1e6}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [1000], "block": [256], "writes": ["a"]}]}
END
"$gpusim" compare --workload one.json,img --sched "serial,$build/plugins/crashing.so,kesco" >out 2>err
status=$?
[ $status = 1 ] || fail "a crash: exit $status, expected 1"
grep -q '^img .* 1\.00 *failed .* [0-9.]*$' out || fail "a crash: $(cat out)"
grep '^one.json' out | grep -q failed && fail "a plug-in that did not crash here: $(cat out)"
grep -q 'gpusim: img with crashing: .*' err || fail "a crash: $(cat err)"

# Programs that are drawn: a line for each scheduler that cannot take them.
"$gpusim" compare --workload frontier,early-exit --sched "serial,$build/plugins/depthfirst.so" >out 2>err
[ $? = 2 ] || fail 'drawn programs: expected exit 2'
echo "gpusim: depthfirst needs the whole program beforehand, and 'frontier', 'early-exit' are drawn while they run" \
    >expected
cmp -s err expected || fail "drawn programs: $(cat err)"

# What is wrong with the command is said once, whatever the workers did.
"$gpusim" compare --workload img,nosuch --sched serial,kesco >out 2>err && fail 'an unknown workload: expected a failure'
[ "$(grep -c "nosuch" err)" = 1 ] || fail "an unknown workload: $(cat err)"

[ $failures = 0 ]
