#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calls of a loop whose streams take turns are written with the loop's counter, not with a table; not where the loop changes its counter or
# leaves a round out. No line of what is written is longer than 120 columns, and none is left of a wait alone. Parts of one buffer of the host do not wait for one another.
# Usage: test_turns.sh SOURCE-DIR BUILD-DIR
. "$1/tests/common.sh"
turns=$source_dir/tests/source/write/cuda/turns.cu
"$gpusim" import cuda "$turns" -o a.json 2>&1 | grep -q 'built without libclang' && exit 0
write() { "$gpusim" schedule "$turns" "$@" --sched kesco --prefetch off --device h100 -o out.cu 2>notes || fail "$*: $(cat notes)"; }
write
[ "$(grep -c 'gpusim_stream\[i % 4\]' out.cu)" = 3 ] || fail "three calls take turns: $(grep -n 'gpusim_stream' out.cu)"
grep -q 'gpusim_call\|gpusim_event\[' out.cu && fail 'a table or an event for parts that need none'
grep -q '^scheduled: 3 of 3 calls, 4 streams, 0 events, 0 waits' notes || fail "$(cat notes)"
write -DPARTS=6
[ "$(grep -c 'gpusim_stream\[i % 6\]' out.cu)" = 3 ] || fail 'six streams'
for step in 'if(i==2)continue;' 'i+=0;' 'i++;i--;' 'if(&i==0)break;'; do
    sed "s/^        STEP\$/        $(printf %s "$step" | sed 's/[&\\]/\\&/g')/" "$turns" >changed.cu
    "$gpusim" schedule changed.cu --sched kesco --always -o out.cu 2>notes || fail "$step: $(cat notes)"
    grep -q 'gpusim_stream\[i %' out.cu && fail "$step: its counter names the stream"
done
sed 's/work<<</if (i % 2) work<<</' "$turns" >changed.cu
"$gpusim" schedule changed.cu --sched kesco --always -o out.cu 2>notes || fail "condition: $(cat notes)"
grep -q 'work<<<.*gpusim_stream\[i %' out.cu && fail 'a call in a condition is not made in each round'
for file in "$turns" "$source_dir/tests/source/write/cuda/loops.cu" "$source_dir"/examples/cuda/img.cu "$source_dir"/examples/cuda/vec.cu; do
    for graph in "" --graph; do
        "$gpusim" schedule "$file" --sched kesco --prefetch off --always $graph -o out.cu 2>notes || fail "$file: $(cat notes)"
        awk -v f="$file" 'length > 120 || /^ +$/ { print f ": " $0; bad = 1 } END { exit bad }' out.cu || fail 'a line of more than 120 columns, or of blanks'
    done
done
[ $failures = 0 ]
