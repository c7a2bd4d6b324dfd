#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_reproduce_acs.sh SOURCE-DIR BUILD-DIR: what "gpusim reproduce acs" makes of ACS's results. Means of classes are within 10 % of
# the published ones, what is compared only within 20 %; the shape of the sensitivities holds; every source is explained.
set -u
source_dir=${1:?usage: test_reproduce_acs.sh SOURCE-DIR BUILD-DIR} build_dir=${2:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*" >&2; failed=1; }

"$build_dir/gpusim" reproduce acs --csv "$work/acs.csv" --report "$work/acs.json" >"$work/text" || fail "reproduce acs ended with $?"
awk -F, '
    function size(x) { return x < 0 ? -x : x }
    FNR == 1 { next }
    $1 == "acs" {
        rows++
        least = $9 == "fit" || $3 == "all" ? 0.10 : 0.20
        if ($8 == "" || size($8) > least) print $2, $3, $5 ": error " $8
    }
    { at[$1, $3, $4, $5] = $7 }
    END {
        if (rows != 16) print rows " published numbers"
        split("deep-rl dyn-dnn static-dnn", classes, " ")
        for (c = 1; c <= 3; c++) {
            k = classes[c]
            # Slower calls hurt the host window and not the one in the GPU; graphs built for each input lose against it.
            if (!(at["acs-launch-sync", k, 4, "acs-sw"] > at["acs-launch-sync", k, 10, "acs-sw"] + 0.1)) print k ": launch and synchronise 4, 10"
            if (!(at["acs-launch-sync", k, 10, "acs-sw"] > at["acs-launch-sync", k, 20, "acs-sw"] + 0.1)) print k ": launch and synchronise 10, 20"
            if (!(at["acs-launch-sync", k, 20, "acs-hw"] > 0.95 * at["acs-launch-sync", k, 4, "acs-hw"])) print k ": acs-hw and slow calls"
            if (!(at["acs-launch-sync", k, 4, "cudagraph"] < 1)) print k ": a graph for each input is no slowdown"
            if (!(at["acs-window", k, 16, "acs-hw"] > 0.98 * at["acs-window", k, 8, "acs-hw"])) print k ": windows of 8 and 16"
        }
        if (!(at["acs-window", "deep-rl", 16, "acs-hw"] > 1.03 * at["acs-window", "deep-rl", 8, "acs-hw"])) print "deep-rl: a window of 8 is wide enough"
    }' "$work/acs.csv" >"$work/wrong"
[ -s "$work/wrong" ] && fail "$(cat "$work/wrong")"
for source in $(awk -F, 'NR > 1 {print $8}' "$source_dir/trust/published/acs.csv" | sort -u); do
    grep -q "^- \`$source\`: " "$source_dir/trust/published/README.md" || fail "trust/published/README.md does not explain '$source'"
done
grep -q '"paper": "acs"' "$work/acs.json" || fail "no rows in the JSON"
exit $failed
