#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --spread as a user gives it: the same copies every time, whatever the number of jobs; the makespan itself stays; the interval follows
# the device's numbers; validate counts what intervals hold: test_spread.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
cases=$GPUSIM_DATA/traces/h200/vm/aten.json.gz

run() { "$gpusim" --workload img --sched kesco "$@" 2>err >text || fail "run $*: $(cat err)"; }
# field NAME REPORT: of its spread.
field() { sed -n "s/.*\"spread\": {.*\"$1\": \([0-9.a-z]*\).*/\1/p" "$2"; }
holds() { awk "BEGIN { exit !($1) }" || fail "$2: not $1"; }

run --report plain.json
run --spread 9 --report one.json
grep -q '^  Spread .* expected, median .* (9 perturbed copies)$' text || fail "no line about the spread: $(cat text)"
run --spread 9 --report two.json
cmp -s one.json two.json || fail "other copies the second time"
sed '/"spread"/d' one.json | cmp -s - plain.json || fail "--spread changes the run itself"
[ "$(field runs one.json)" = 9 ] || fail "runs: $(field runs one.json)"
low=$(field low_us one.json) median=$(field median_us one.json) high=$(field high_us one.json)
holds "$low < $median && $median < $high" "one.json"
run --spread 9 --opt device.spread_width=100 --report wide.json
grep -q note err && fail "said to change nothing: $(cat err)"
holds "$(field high_us wide.json) - $median > 20 * ($high - $median)" "spread_width"
[ "$(field unstable wide.json)" = true ] || fail "so wide an interval is not unstable"
run --spread 9 --report still.json --opt device.spread_calls=0 --opt device.spread_gaps=0 --opt device.call_spread=0 \
    --opt device.kernel_spread=0 --opt device.spread_least=0 --opt device.block_ends_us=0
holds "$(field high_us still.json) - $(field low_us still.json) < 0.5 * ($high - $low)" "nothing drawn"
for wrong in 0 -1 x 10001 1.5; do
    "$gpusim" --workload img --sched kesco --spread $wrong >text 2>err && fail "--spread $wrong is taken"
    grep -q -- '--spread: expected an integer from 1 to 10000' err || fail "--spread $wrong: $(cat err)"
done

for jobs in 1 3; do
    "$gpusim" validate "$cases" --spread 3 --jobs $jobs --csv $jobs.csv --report $jobs.json >$jobs.txt 2>err || fail "validate: $(cat err)"
done
cmp -s 1.csv 3.csv && cmp -s 1.json 3.json || fail "other intervals with 3 jobs"
grep -q '90 % intervals of 3 perturbed copies' 1.txt || fail "no table of intervals: $(cat 1.txt)"
held=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["quantity"] == "live" { n++; held += $at["measured"] >= $at["low_us"] && $at["measured"] <= $at["high_us"] }
    END { printf "%.1f", 100 * held / n }' 1.csv)
grep -q "^aten  *live  *12 *$held %" 1.txt || fail "live: $held % by the CSV, table: $(grep '^aten *live' 1.txt)"
"$gpusim" validate "$cases" --csv without.csv >/dev/null 2>err || fail "validate: $(cat err)"
cut -d, -f 1-13 1.csv | cmp -s - without.csv || fail "--spread changes the predictions"
exit $((failures > 0))
