#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim reproduce kesco-effort": tokens and lines as counted by hand: test_reproduce_effort.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
"$gpusim" reproduce kesco-effort --csv counted.csv 2>err || fail "$(cat err)"
row() { awk -F, -v s="$1" -v p="$2" '$1 == s && $2 == p { print $5, $6 }' counted.csv; }
# VEC: square<<<BLOCKS, THREADS>>>(x, xx, N); is 14 tokens, reduce's 16, cudaDeviceSynchronize(); 4: 2 x 18 + 20, on 6 lines.
[ "$(row serial vec)" = '6 56' ] || fail "serial VEC: $(row serial vec), by hand 6 lines and 56 tokens"
# KeSCo: a number and a comma for each of the launches.
for program in vec:3 bs:1 img:11 ml:10 hits:7 dl:8; do
    serial=$(row serial ${program%:*}) kesco=$(row kesco ${program%:*})
    [ $((${serial#* } + 2 * ${program#*:})) = "${kesco#* }" ] || fail "$program: serial $serial, kesco $kesco"
done
[ "$(wc -l <counted.csv)" = 31 ] || fail "$(wc -l <counted.csv) rows"
"$gpusim" reproduce kesco-effort >table.txt 2>err || fail "$(cat err)"
grep -q '^serial  *86  *378  *381 ' table.txt && grep -q '^kesco  *88  *401 ' table.txt || fail "the published numbers: $(sed -n 5,9p table.txt)"
"$gpusim" reproduce kesco-effort --only average 2>err && fail '--only was accepted'

echo "$failures failures"
[ $failures = 0 ]
