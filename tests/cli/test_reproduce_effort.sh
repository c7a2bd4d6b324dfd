#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim reproduce kesco-effort": tokens and lines as counted by hand: test_reproduce_effort.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
source=$(cd "$1" && pwd)
if ! "$gpusim" reproduce kesco-effort --csv counted.csv 2>err; then
    # Without libclang: one message, as import cuda has it.
    "$gpusim" import cuda "$source/examples/cuda/vec.cu" -o /dev/null 2>other
    [ "$(wc -l <err)" = 1 ] && grep -q libclang err && grep -q libclang other || fail "$(cat err)"
    echo "$failures failures, without libclang"
    [ $failures = 0 ]
    exit
fi
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

# Comments and what stands outside the body do not count; a text is one token, whatever it holds.
mkdir -p copy/examples copy/trust/published
cp -R "$source/examples/cuda" copy/examples && cp -R "$source/trust/published/effort" "$source"/trust/published/kesco?effort.* copy/trust/published
cat >copy/examples/cuda/vec.cu <<'CU'
void other() { run(1, 2); }
void run() // run( {
{ // a comment with tokens f(x);
    a = "x } y"; /* and { one
    more */ f(1,

      2);
}
int main() { return 0; }
CU
GPUSIM_DATA=$place/copy "$gpusim" reproduce kesco-effort --csv counted.csv 2>err || fail "$(cat err)"
[ "$(row serial vec)" = '3 11' ] || fail "made source: $(row serial vec), by hand 3 lines and 11 tokens"
sed -i 's/^void run()/void ran()/' copy/examples/cuda/vec.cu
GPUSIM_DATA=$place/copy "$gpusim" reproduce kesco-effort 2>err >/dev/null
[ $? = 2 ] && grep -q 'vec.cu. has no function run' err || fail "a file without run(): $(cat err)"

echo "$failures failures"
[ $failures = 0 ]
