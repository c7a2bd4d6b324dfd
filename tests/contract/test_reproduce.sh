#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_reproduce.sh SOURCE-DIR BUILD-DIR [--write]: "gpusim reproduce" re-derives what the papers say at least as well
# as recorded in tests/contract/reproduce.csv (2 % of the published number may be lost), every number has a source
# that trust/published/README.md explains, and the number of worker processes changes nothing. --write records anew.
set -u
source_dir=${1:?usage: test_reproduce.sh SOURCE-DIR BUILD-DIR} build_dir=${2:?} write=${3:-}
gpusim=$build_dir/gpusim recorded=$source_dir/tests/contract/reproduce.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; failed=1; }
failed=0

"$gpusim" reproduce --only overlap,trace,single-gpu,average,average-prefetch,timeline,plan --csv "$work/now.csv" >"$work/table" ||
    fail "reproduce ended with $?"
if [ "$write" = --write ]; then
    awk -F, -v OFS=, '{print $1, $2, $3, $4, $5, $8}' "$work/now.csv" >"$recorded"
    exit 0
fi
awk -F, -v OFS=, '
    function size(x) { return x < 0 ? -x : x }
    NR == FNR { if (FNR > 1) known[$1, $2, $3, $4, $5] = $6; next }
    FNR > 1 {
        count++
        key = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4 SUBSEP $5
        if (!(key in known)) { print "not recorded: " $0; next }
        if (known[key] != "" && ($8 == "" || size($8) > size(known[key]) + 0.02))
            print $1, $2, $3, $4, $5 ": error " $8 ", recorded " known[key]
    }
    END { if (count < 100) print "only " count " numbers" }' "$recorded" "$work/now.csv" >"$work/worse"
[ -s "$work/worse" ] && fail "further off than recorded: $(cat "$work/worse")"

# The sources that the tables name, against the list in the README.
for source in $(cat "$source_dir"/trust/published/grcuda_*.csv "$source_dir"/trust/published/single_gpu.csv \
    "$source_dir"/trust/published/kesco.csv |
    awk -F, '$7 == "fit" || $7 == "check" {print $8}' | sort -u); do
    grep -q "^- \`$source\`: " "$source_dir/trust/published/README.md" ||
        fail "trust/published/README.md does not explain the source '$source'"
done

for jobs in 1 3; do
    "$gpusim" reproduce kesco --only timeline --jobs $jobs --csv - >"$work/jobs$jobs" || fail "--jobs $jobs"
done
cmp -s "$work/jobs1" "$work/jobs3" || fail "--jobs 1 and --jobs 3 differ"

# What the papers do not show as bars becomes points, a panel per kind of number.
if command -v gnuplot >/dev/null; then
    "$gpusim" reproduce kesco --only timeline,plan --figure "$work/points.svg" >/dev/null 2>"$work/error" || fail "--figure ended with $?"
    [ -s "$work/error" ] && fail "--figure says: $(cat "$work/error")"
    grep -q '>timeline<' "$work/points.svg" && grep -q '>plan<' "$work/points.svg" || fail "no points in the figure"
fi

# Refusals.
"$gpusim" reproduce acs --scale launch_us=2 >"$work/out" 2>&1 && fail "acs --scale was taken"
grep -q -- '--scale: expected --csv, --report and --jobs alone' "$work/out" || fail "acs --scale: $(cat "$work/out")"
for words in "kescoo" "--only nothing" "--only plan,timelien" "--jobs 0" "--figure x.gif" "--scale fault_knee" "--scale launch_uss=2" "--scale launch_us=0"; do
    # shellcheck disable=SC2086 # words are meant to be split
    "$gpusim" reproduce $words >/dev/null 2>"$work/error" && fail "reproduce $words was accepted"
    grep -q expected "$work/error" || fail "reproduce $words: $(cat "$work/error")"
done
"$gpusim" reproduce --only plan,timelien 2>"$work/error"
grep -q "found 'timelien', did you mean 'timeline'?" "$work/error" || fail "a slip in --only: $(cat "$work/error")"
"$gpusim" reproduce --help >"$work/help"
for figure in $(sed 's/.*figures (//;s/).*//;s/,//g' "$work/error"); do
    grep -q "[ (]$figure[,;)]" "$work/help" || fail "the help does not name the figure '$figure'"
done
exit $failed
