#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim sensitivity" as a user runs it: its numbers are those of single runs, the same whatever the number of jobs, and
# refusals: test_sensitivity_command.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
refuses() { # refuses MESSAGE ARGUMENTS...
    message=$1
    shift
    "$gpusim" sensitivity "$@" >out 2>err
    status=$?
    [ $status = 2 ] && grep -qF -- "$message" err || fail "sensitivity $*: exit $status, '$(cat err)', expected 2, '$message'"
}
refuses 'no program' --sched kesco
refuses 'no scheduler' --workload vec
refuses "--method: expected oat, morris or sobol, found 'fast'" --workload vec --sched kesco --method fast
refuses "unknown number 'clock_mh', did you mean 'clock_mhz'" --workload vec --sched kesco --numbers clock_mh
refuses '--spread: expected per cent' --workload vec --sched kesco --spread 100
refuses '--samples: expected --method morris or sobol' --workload vec --sched kesco --samples 4
refuses "ending in .svg, .pdf or .png, found 'a.jpg'" --workload vec --sched kesco -o a.jpg

run='--workload img --sched kesco --size 1000'
# shellcheck disable=SC2086 # words
"$gpusim" sensitivity $run --numbers clock_mhz,dram_gbps,sm_count --spread 20 --csv oat.csv >table 2>err || fail "oat: $(cat err)"
grep -q '7 points in' err || fail "oat: expected 2 x 3 + 1 runs, found '$(cat err)'"
grep -q 'with kesco on a100-sxm4-40gb' table || fail "table: $(cat table)"
# result_low of clock_mhz is the iteration that compare finds at four fifths of it.
# shellcheck disable=SC2086
"$gpusim" compare $run --opt device.clock_mhz=1128 --csv compared.csv >/dev/null
expected=$(awk -F, '$1 == "img" { print $7 }' compared.csv)
found=$(awk -F, '$1 == "clock_mhz" { print $8 }' oat.csv)
awk "BEGIN { exit !($expected > 0 && ($expected - $found)^2 < 1e-8 * $expected^2) }" ||
    fail "clock_mhz a fifth lower: found '$found', expected '$expected'"
[ "$(awk -F, '$1 == "sm_count" { print $5 "," $6 }' oat.csv)" = 86,130 ] || fail "sm_count: expected whole numbers, found $(grep sm_count oat.csv)"

# Kernels given by their time alone do not answer to the chip's numbers, and the table says so.
cat >timed.json <<'END'
{"schema": "gpusim-program/1", "name": "timed", "buffers": [{"name": "a", "bytes": 4096, "init": "device"}],
 "kernels": [{"name": "k", "solo_us": 100}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [1000], "block": [256], "writes": ["a"]}]}
END
"$gpusim" sensitivity --workload timed.json --sched serial --numbers clock_mhz,dram_gbps,launch_us >table 2>err || fail "timed: $(cat err)"
grep -qF '(2 others have no effect to speak of: clock_mhz, dram_gbps)' table || fail "numbers without an effect: $(cat table)"
grep -qF 'all kernels are given by their time alone (solo_us), which stays' table || fail "times alone: $(cat table)"

for method in morris sobol; do
    for jobs in 1 3; do
        # shellcheck disable=SC2086
        "$gpusim" sensitivity $run --base serial --method $method --samples 8 --numbers clock_mhz,dram_gbps,launch_us \
            --jobs $jobs --csv $method-$jobs.csv >$method-$jobs.txt 2>err || fail "$method: $(cat err)"
    done
    cmp -s $method-1.csv $method-3.csv || fail "$method: another result with 3 jobs"
    cmp -s $method-1.txt $method-3.txt || fail "$method: another table with 3 jobs"
    [ "$(wc -l <$method-1.csv)" = 4 ] || fail "$method: expected three numbers, found $(cat $method-1.csv)"
done
# A program that cannot run ends the analysis with its message.
"$gpusim" sensitivity --workload vec --sched kesco --size 1e13 >out 2>err && fail 'expected a failure'
grep -q "^gpusim: workload 'vec': size: expected" err || fail "expected gpusim run's message, found '$(cat err)'"
"$gpusim" sensitivity --workload vec --sched serial --size 1e10 --memory pinned --device p100 >out 2>err && fail 'expected a failure'
grep -q 'point [0-9]* of [0-9]* failed: ' err || fail "expected the failing point, found '$(cat err)'"
if command -v gnuplot >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    "$gpusim" sensitivity $run --numbers clock_mhz,sm_count -o tornado.svg --keep kept >/dev/null 2>err || fail "picture: $(cat err)"
    grep -q clock_mhz kept/tornado.dat && grep -q '<svg' tornado.svg || fail 'no picture'
fi
printf 'sensitivity: %d failures\n' "$failures"
[ "$failures" = 0 ]
