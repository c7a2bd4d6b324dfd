#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Timelines of very many kernels stay small and say what was thinned, as pictures, on the page of a run and in the terminal;
# those of few draw every kernel. Traces with a window are drawn from what they have.
# test_timeline.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"

# 40,000 kernels of three kinds in five chains; the first chain has one kind.
awk 'BEGIN {
    printf "{\"schema\": \"gpusim-program/1\", \"name\": \"many\", \"buffers\": ["
    for (i = 0; i < 5; i++) printf "%s{\"name\": \"b%d\", \"bytes\": 4096, \"init\": \"none\"}", i ? ", " : "", i
    printf "], \"kernels\": ["
    for (i = 0; i < 3; i++) printf "%s{\"name\": \"kind%d\", \"regs_per_thread\": 32, \"solo_us\": %d}", i ? ", " : "", i, 3 + i
    printf "], \"ops\": ["
    for (i = 0; i < 40000; i++)
        printf "%s{\"op\": \"kernel\", \"kernel\": \"kind%d\", \"grid\": [4], \"block\": [64], \"reads\": [\"b%d\"], \"writes\": [\"b%d\"]}\n",
            i ? ", " : "", i % 5 ? int(i / 5) % 3 : 0, i % 5, i % 5
    print "]}" }' >many.json
"$gpusim" run --workload many.json --sched kesco --report run.json --gantt >gantt || fail 'no run'
grep -q '[0-9],[0-9]* kernels without a letter: several begin in one cell' gantt || fail "gantt: $(tail -n 3 gantt)"
"$gpusim" plot timeline run.json --keep kept -o many.svg || fail 'no picture'
size=$(wc -c <many.svg)
[ "$size" -lt 2000000 ] || fail "many.svg: $size bytes"
grep -q 'kernels thinned' many.svg || fail 'many.svg does not say that kernels are thinned'
# The bars stand for all kernels and copies of the run.
awk -F '\t' '/^# start_us/ { on = 1; next } on && NF { bars++; count += $6 } END { print (count >= 40000 && bars < 20000) }' kept/timeline.dat >told
[ "$(cat told)" = 1 ] || fail 'timeline.dat: kernels are lost, or not thinned'
grep -q 'thinned_text = "[34][0-9],[0-9]* kernels thinned' kept/timeline.gp || fail "$(grep thinned_text kept/timeline.gp)"
"$gpusim" report run.json -o run.html || fail 'no page'
grep -q 'kernels thinned' run.html || fail 'run.html does not say that kernels are thinned'
[ "$(wc -c <run.html)" -lt 3000000 ] || fail "run.html: $(wc -c <run.html) bytes"
"$gpusim" plot timeline run.json --window 1ms:2ms -o part.svg --keep part || fail 'no picture of a part'
grep -q 'thinned_text' part/timeline.gp && grep -q '^thinned = 0$' part/timeline.gp || fail 'a part of few kernels is thinned'
grep -q 'kernels thinned' part.svg && fail 'a picture of few kernels says that some are thinned'

"$gpusim" run --workload img --sched kesco --iterations 3 --trace cut.json --trace-window 80ms: >/dev/null || fail 'no trace'
"$gpusim" plot timeline cut.json -o cut.svg || fail 'no picture of a trace with a window'
"$gpusim" plot timeline cut.json --iteration 1 -o cut1.svg 2>err && fail 'draws an iteration of which there is nothing'
"$gpusim" plot timeline cut.json --window 90s: -o late.svg 2>late && fail 'draws what begins behind the end'
grep -q 'nothing ran on the device from 90.00 s on: what is drawn ends at [0-9.]* ms$' late || fail "--window 90s: $(cat late)"
grep -q 'the recording has nothing of iteration 1' err || fail "$(cat err)"

# Of several tasks each has rows of its own, named after it; kernels of another are in none of them.
"$gpusim" --task vec,requests=2 --task img,requests=2,name=blur --share mps --device h200 --report tasks.json >/dev/null || fail 'no run of tasks'
"$gpusim" plot timeline tasks.json --keep tasks -o tasks.svg || fail 'no picture of tasks'
awk -F '\t' '/^# row/ { on = 1; next } /^#/ { on = 0 } on && NF { print $2 }' tasks/timeline.dat >rows
grep -q '^vec' rows && grep -q '^blur' rows || fail "rows: $(cat rows)"
grep -q '^stream' rows && fail "a row of no task: $(cat rows)"
awk -F '\t' '/^# row/ { on = 1; next } /^# start_us/ { on = 2; next } /^#/ { on = 0 } on == 1 && NF { label[$1] = $2 } on == 2 && NF {
    if ((label[$3] ~ /^vec/) != ($7 ~ /square|reduce/) && label[$3] !~ /^copy/) print label[$3], $7 }' tasks/timeline.dat >mixed
[ ! -s mixed ] || fail "kernels in rows of another task: $(sort -u mixed)"
sed 's/"task": 1/"task": 7/' tasks.json >odd.json
"$gpusim" plot timeline odd.json -o odd.svg 2>err && fail 'draws kernels of a task that is not there'
grep -q 'expected a task below 2, found 7' err || fail "$(cat err)"

[ "$failures" = 0 ] || exit 1
echo 'timelines of many kernels are thinned'
