#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim explain" and "gpusim whatif" as a user runs them: sums, the same numbers in every form, refusals, and what was measured on an
# H100 where the recordings are there: test_whatif_command.sh SOURCE-DIR BUILD-DIR.
set -u
gpusim=$(cd "$2" && pwd)/gpusim
source=$(cd "$1" && pwd)
measured=$source/../shared/data/h100
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
GPUSIM_DATA=$source
export GPUSIM_DATA
cd "$place" || exit 1
failures=0
fail() { printf '%s\n' "$*" && failures=$((failures + 1)); }
refuses() { # refuses MESSAGE ARGUMENTS...
    message=$1
    shift
    "$gpusim" "$@" >out 2>err
    status=$?
    [ $status = 2 ] && grep -qF -- "$message" err || fail "$*: exit $status, '$(cat err)', expected 2, '$message'"
}
refuses 'expected gpusim whatif TRACE|PROGRAM|WORKLOAD' whatif
refuses "cannot read 'none.json': expected a trace, a program file or a built-in workload" explain none.json
refuses "unknown change 'graphs'" whatif vec --change graphs
refuses '--step: applies to profilers' explain vec --step 1
refuses '--profiler-overhead: expected keep or remove' explain "$source/traces/h200/kineto/kineto_resnet18.json.gz" --profiler-overhead some

# 40 kernels of 5 us that the host waits for one by one without need.
awk 'BEGIN {
    print "{\"schema\": \"gpusim-program/1\", \"name\": \"waits\", \"buffers\": [],"
    print " \"kernels\": [{\"name\": \"k\", \"regs_per_thread\": 32, \"solo_us\": 5}], \"ops\": ["
    for (i = 0; i < 40; i++) {
        print "  {\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [8, 1, 1], \"block\": [128, 1, 1], \"stream\": 0},"
        printf "  {\"op\": \"host_compute\", \"us\": 1, \"after\": [%d]}%s\n", 2 * i, i < 39 ? "," : ""
    }
    print " ], \"iterations\": 1}" }' >waits.json
"$gpusim" explain waits.json --device h200 --csv - >waits.csv 2>err || fail "explain: $(cat err)"
sum=$(awk -F, 'NR > 1 { sum += $(NF - 1) } END { printf "%.3f", sum }' waits.csv)
"$gpusim" explain waits.json --device h200 --json waits-why.json >why.txt 2>err || fail "explain --json: $(cat err)"
total=$(sed -n 's/.*"makespan_us": \([0-9.]*\).*/\1/p' waits-why.json)
awk "BEGIN { exit !($total > 200 && ($sum - $total)^2 < 1e-4) }" || fail "the shares add up to $sum of $total us"
first=$(awk '/^GPU idle/ { getline; print; exit }' why.txt)
case $first in *'waited for a result'*) ;; *) fail "the first cause is '$first', expected that the host waited for results" ;; esac

"$gpusim" whatif waits.json --device h200 --csv table.csv --json table.json >table.txt 2>err || fail "whatif: $(cat err)"
now=$(awk -F, '$1 == "now" { print $2 }' table.csv)
nosync=$(awk -F, '$1 == "nosync" { print $2 }' table.csv)
awk "BEGIN { exit !($nosync > 200 && $nosync < 0.8 * $now) }" || fail "nosync: $nosync of $now us"
grep -q '^nosync ' table.txt && grep -q '"change": "nosync"' table.json || fail "nosync is not in every form"
# The command of a row shows that run.
command=$(grep '^nosync ' table.txt | sed 's/.*gpusim explain/explain/')
# shellcheck disable=SC2086 # words
"$gpusim" $command --csv - 2>err >one.csv || fail "$command: $(cat err)"
alone=$(awk -F, 'NR > 1 { sum += $(NF - 1) } END { printf "%.3f", sum }' one.csv)
awk "BEGIN { exit !(($alone - $nosync)^2 < 1e-3 * $nosync) }" || fail "'gpusim $command' takes $alone us, the table says $nosync"
"$gpusim" whatif waits.json --device h200 --jobs 1 --csv - >other.csv 2>/dev/null
cmp -s table.csv other.csv || { sed 's/ --jobs 1//' other.csv >plain.csv; cmp -s table.csv plain.csv || fail "other numbers with one job"; }
if command -v gnuplot >/dev/null; then
    "$gpusim" whatif waits.json --device h200 --change nosync,graph -o tornado.svg >/dev/null 2>err && grep -q nosync tornado.svg || fail "picture: $(cat err)"
fi

# What was measured: eager and graph of six models, from their eager traces.
[ -d "$measured/whatif" ] || exit $failures
for model in googlenet_b1 resnet50_b1 mobilenet_v2_b1 gpt_decode encoder_b8 branchy_b1; do
    "$gpusim" whatif "$measured/whatif/kineto_$model.json.gz" --change graph --csv - 2>/dev/null |
        awk -F, -v model=$model '$1 == "now" || $1 == "graph" { print model, $1, $2 }'
    awk -v model=$model '$0 ~ "\"" model "\"" { found = 1 } found && /eager_us|graph_us/ { kind = /eager/ ? "now" : "graph" }
        found && /p50/ { gsub(/[^0-9.]/, "", $2); print model, "measured-" kind, $2; if (++n == 2) exit }' "$measured/whatif/whatif.json"
done >found.txt
awk '{ value[$1, $2] = $3; models[$1] = 1 }
    END { for (m in models) for (k = 0; k < 2; k++) {
              kind = k ? "graph" : "now"; error = value[m, kind] / value[m, "measured-" kind] - 1
              sum[kind] += error < 0 ? -error : error; count[kind]++ }
          printf "eager %.1f %%, graph %.1f %%\n", 100 * sum["now"] / count["now"], 100 * sum["graph"] / count["graph"]
          exit !(count["now"] == 6 && sum["now"] / 6 < 0.15 && sum["graph"] / 6 < 0.08) }' found.txt || fail "mean errors"
exit $failures
