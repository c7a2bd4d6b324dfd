#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim ablate" as a user runs it: its errors are those of gpusim validate with the rule on and off, whatever the number of
# jobs; a file's own device counts: test_ablate.sh SOURCE-DIR BUILD-DIR. With GPUSIM_FULL on whole recordings.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
cases=$GPUSIM_DATA/traces/h200/vm/aten.json.gz

for jobs in 1 3; do
    "$gpusim" ablate "$cases" --rules dispatch_interval --jobs $jobs --csv all.csv >table 2>err || fail "ablate: $(cat err)"
    cut -d, -f 1-8 all.csv >$jobs.csv # the time differs
    grep -q '^dispatch_interval *live ' table || fail "table: $(cat table)"
done
cmp -s 1.csv 3.csv || fail "another result with 3 jobs"

# errors ARGUMENTS...: the mean absolute error of live makespans, in per cent.
errors() { "$gpusim" validate "$cases" --csv - "$@" 2>/dev/null | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["quantity"] == "live" { e = $at["error"]; sum += e < 0 ? -e : e; n++ }
    END { printf "%.6g\n", 100 * sum / n }'; }
same() { awk "BEGIN { exit !($1 > 0 && ($1 - $2)^2 < 1e-8 * $1^2) }" || fail "$3: found '$2', expected '$1'"; }
row=$(grep '^dispatch_interval,live,' 1.csv)
same "$(errors)" "$(echo "$row" | cut -d, -f 4)" "all rules"
same "$(errors --opt rule.dispatch_interval=off)" "$(echo "$row" | cut -d, -f 5)" "dispatch_interval off"

[ -z "${GPUSIM_FULL-}" ] || "$gpusim" ablate "h100-vm=$cases" --rules dispatch_interval --csv - >other.csv 2>err || fail "h100-vm: $(cat err)"
[ -z "${GPUSIM_FULL-}" ] || same "$(errors --device h100-vm)" "$(grep '^dispatch_interval,live,' other.csv | cut -d, -f 4)" "another device"

# Recorded runs: their makespans are one more quantity, on the device that the file names. Of a recording those of img, or all.
gzip -dc "$GPUSIM_DATA/traces/h200/runs-1g.json.gz" >all.json
runs=$place/runs.json
if [ -n "${GPUSIM_FULL-}" ]; then mv all.json "$runs"; else
    awk '/^ "runs"/ { profiles = 0; print; next }
        /^ "profiles"/ { profiles = 1; print; next }
        /^ \{"workload"/ { keep = index($0, "\"img\"") }
        NR < 3 || profiles { print; next }
        !keep { next }
        { if (held != "") print held; held = $0 }
        END { sub(/,$/, "", held); if (held !~ /\]\}$/) held = held "]}"; print held }' all.json >"$runs"
fi
"$gpusim" ablate "$runs" --rules engine_poll --csv - >runs.csv 2>err || fail "runs: $(cat err)"
of_runs() { "$gpusim" validate "$runs" --split fit --csv - "$@" 2>/dev/null | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["quantity"] == "makespan" { e = $at["error"]; sum += e < 0 ? -e : e; n++ } END { printf "%.6g\n", 100 * sum / n }'; }
row=$(grep '^engine_poll,run,' runs.csv)
same "$(of_runs)" "$(echo "$row" | cut -d, -f 4)" "runs, all rules"
same "$(of_runs --opt rule.engine_poll=off)" "$(echo "$row" | cut -d, -f 5)" "runs, engine_poll off"

# Test halves decide nothing, and sets that are kept aside neither, whatever their file is called.
sed 's/"split":"fit"/"split":"test"/' "$runs" >test.json
"$gpusim" ablate test.json --rules engine_poll >out 2>err && fail 'a test half is taken'
grep -q 'are a test half, which decides nothing' err || fail "test half: $(cat err)"
cp "$GPUSIM_DATA/traces/h100/kept.json.gz" other.json.gz
"$gpusim" ablate other.json.gz --rules dispatch_interval >out 2>err && fail 'the set kept aside is taken'
grep -q 'kept 0: this set is kept aside' err || fail "kept: $(cat err)"

[ -n "${GPUSIM_FULL-}" ] || exit $((failures > 0))
# Graphs of repeated kernels that share buffers: what L2 holds is worth points whichever way they run.
"$gpusim" ablate h100-vm="$GPUSIM_DATA/traces/h100/irregular.json.gz" --rules known_l2 --csv - >shared.csv 2>err || fail "irregular: $(cat err)"
awk -F, '$1 == "known_l2" && $3 == 15 && $4 < 6 && $7 > 1 { n++ } END { exit n != 4 }' shared.csv || fail "irregular: $(cat shared.csv)"
exit $((failures > 0))
