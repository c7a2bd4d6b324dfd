#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_reproduce_fikit.sh SOURCE-DIR BUILD-DIR: the shape of "gpusim reproduce fikit" on one urgent model: it is faster than under time
# slices, by more the shorter its gaps are beside one that saturates the GPU, and nearly as fast as alone.
set -u
gpusim=${2:?usage: test_reproduce_fikit.sh SOURCE-DIR BUILD-DIR}/gpusim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; failed=1; }
failed=0

"$gpusim" reproduce fikit --only mobilenetv2 --per-case --csv "$work/csv" >"$work/text" || fail "ended with $?"
awk -F, '
    NR > 1 {
        if ($6 <= 1.2) print "gap " $3 ": " $6 " times"
        if ($8 < 0.99 || $8 > 1.1) print "gap " $3 ": " $8 " of alone"
        if ($4 == 0 && ($5 in before) && $6 >= before[$5]) print "gap " $3 ": not slower than with a shorter one"
        if ($4 == 0) before[$5] = $6
    }
    END { if (NR != 17) print NR - 1 " rows" }' "$work/csv" >"$work/wrong"
[ -s "$work/wrong" ] && fail "$(cat "$work/wrong")"
[ "$(grep -c ' us  [01] [01] ' "$work/text")" = 16 ] || fail "no line for each pair"
"$gpusim" reproduce fikit --only resnet51 2>"$work/error" && fail "another model was taken"
grep -q "did you mean 'resnet50'" "$work/error" || fail "a slip: $(cat "$work/error")"
exit $failed
