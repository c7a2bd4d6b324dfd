#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_tally.sh SOURCE-DIR BUILD-DIR: Tally's published pairs on an A100: means of P99 and throughput within 25 %, the order of the systems.
# TGS is left out: see "gpusim reproduce tally". What it prints is worked out here once more.
set -u
gpusim=${2:?usage: test_tally.sh SOURCE-DIR BUILD-DIR}/gpusim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; failed=1; }
failed=0

pairs=12
"$gpusim" reproduce tally --csv "$work/csv" >"$work/text" || fail "ended with $?"
awk -F, -v pairs="$pairs" '
    function check(what, off) { if (off > 0.25 || off < -0.25) print what ": " off }
    NR == 1 { next }
    { key = $1 " " $2; if (!(key in seen)) { seen[key]; name[++count] = key } systems[$3]
      published["P99", key, $3] = $4; found["P99", key, $3] = $5; published["throughput", key, $3] = $6; found["throughput", key, $3] = $7 }
    END {
        if (count != pairs) print count " pairs"
        for (s in systems) {
            a = b = c = d = 0
            for (p = 1; p <= count; p++) {
                a += log(found["P99", name[p], s]); b += log(published["P99", name[p], s])
                c += found["throughput", name[p], s]; d += published["throughput", name[p], s]
            }
            if (s != "tgs") { check(s " P99", exp((a - b) / count) - 1); check(s " throughput", c / d - 1) }
            printf "  %-12s P99 %5.2f (%5.2f)\n", s, exp(a / count), exp(b / count) >means
        }
        for (k = split("P99 throughput", by, " "); k; k--) {
            n = right = all = all_right = 0
            for (p = 1; p <= count; p++) for (s in systems) for (t in systems) {
                if (published[by[k], name[p], t] <= 1.05 * published[by[k], name[p], s]) continue
                is = found[by[k], name[p], t] > found[by[k], name[p], s]
                all++; all_right += is
                if (s != "tgs" && t != "tgs") { n++; right += is }
            }
            if (right < (by[k] == "P99" ? 0.85 : 0.8) * n) print by[k] ": " right " of " n " in order"
            printf "  order by %-10s %d of %d comparisons right (without tgs %d of %d)\n", by[k], all_right, all, right, n >means
        }
    }' means="$work/means" "$work/csv" >"$work/wrong"
[ -s "$work/wrong" ] && fail "$(cat "$work/wrong")"
[ "$(wc -l <"$work/means")" = 8 ] || fail "means: $(cat "$work/means")"
while IFS= read -r line; do grep -qF -- "$line" "$work/text" || fail "it does not print '$line'"; done <"$work/means"
awk '/^  at most/ { sub(",", "", $5); mps[$3 + 0] = $5; priority[$3 + 0] = $7 }
    END { if (!(mps[0.5] < mps[2] && priority[0.5] <= mps[0.5] + 0.01)) print "waves do not decide" }' "$work/text" >"$work/wrong"
[ -s "$work/wrong" ] && fail "$(cat "$work/wrong") $(grep 'at most' "$work/text")"
exit $failed
