#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_compare_tasks.sh SOURCE-DIR BUILD-DIR: "gpusim compare --task" under ways that the tasks rule out: each is a row with its reason.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
tasks='--task img,size=1000,process=1,requests=2 --task vec,size=1e5,priority=3,process=2,requests=0 --device h100-vm'

# shellcheck disable=SC2086 # words
"$gpusim" compare $tasks --report all.json >out 2>err || fail "all: ended with $?: $(cat err)"
grep -q '^  mps  *img ' out || fail "all: no row of mps: $(cat out)"
grep -q '^  streams  *failed: .*they are in 2$' out || fail "all: expected why not streams: $(cat out)"
grep -q '^  timeslice  *img ' out || fail "all: no row of timeslice: $(cat out)"
[ "$(grep -c '^  [a-z]' out)" -ge 13 ] || fail "all: expected a row of each way: $(cat out)"
grep -q '"share": "kesco", "error": ' all.json || fail "all: expected why not kesco in the report"
# shellcheck disable=SC2086
"$gpusim" compare $tasks --share streams,mps >out 2>err
[ $? = 2 ] || fail 'streams by name: expected exit 2'
grep -q '^  mps  *img ' out || fail "streams by name: no row of mps: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" compare $tasks --share streams >out 2>err
[ $? = 2 ] || fail 'streams alone: expected exit 2'

# Alone each task is as without the others, whatever else they share with it.
set -- img,size=1000,sched=serial img,size=1000,sched=async img,size=2000,sched=async vec,size=1000,sched=async
"$gpusim" compare --task "$1" --task "$2" --task "$3" --task "$4" --share mps --device h100-vm --csv - 2>/dev/null | cut -d, -f10 >found
{ echo alone_us && for task in "$@"; do "$gpusim" compare --task "$task" --share exclusive --device h100-vm --csv - 2>/dev/null | sed 1d | cut -d, -f6; done; } >expected
cmp -s expected found || fail "alone: expected $(cat expected), found $(cat found)"

# --repeat: means over the seeds one by one; requests and late ones of all; late stands in the table where there is a deadline.
tasks='--task img,size=1000,requests=6,arrival=poisson:2000,deadline_us=100 --task vec,size=1e5,requests=6 --share mps --device h100-vm'
# shellcheck disable=SC2086
"$gpusim" compare $tasks --repeat 3 --csv repeated.csv >out 2>err || fail "repeat: ended with $?: $(cat err)"
for seed in 1 2 3; do
    # shellcheck disable=SC2086
    "$gpusim" compare $tasks --seed $seed --csv - 2>/dev/null
done | awk -F, '$2 == "img" { late += $5; mean += $6; squares += $6 * $6; n++ }
    END { m = mean / n; printf "%d %.3f %.3f\n", late, m, 4.302653 * sqrt((squares - n * m * m) / (n - 1) / n) }' >expected
awk -F, '$2 == "img" { printf "%d %.3f %.3f\n", $5, $6, $15 }' repeated.csv >found
cmp -s expected found || fail "repeat: expected $(cat expected), found $(cat found)"
grep -q 'late' out && grep -q 'means over 3 runs' out || fail "repeat: $(cat out)"
"$gpusim" compare --task img,size=1000 --share mps --repeat 0 >out 2>err && fail '--repeat 0 is taken'

# A sweep of tasks: a row of a point is compare's; keys of tasks, ways and their parameters vary; --resume has nothing left.
set -- --task img,size=1000,requests=4 --task vec,size=1e5,requests=4 --share mps,timeslice --memory pinned \
    --vary task1.arrival=closed,poisson:3000 --vary mps.percentage=50,100 --repeat 2 --device h100-vm
"$gpusim" sweep "$@" --out one.db >/dev/null 2>err || fail "sweep: $(cat err)"
"$gpusim" results one.db --csv all.csv >/dev/null 2>err || fail "results: $(cat err)"
[ "$(wc -l <all.csv)" = 13 ] || fail "sweep: expected (2 + 1) x 2 x 2 points, found $(cat all.csv)"
"$gpusim" results one.db --where 'share = mps && mps.percentage = 50 && task1.arrival = closed && repeat = 1' --columns share --value vec.mean_us \
    --csv - 2>/dev/null | sed 1d | cut -d, -f2 | xargs printf '%.3f\n' >found
"$gpusim" compare --task img,size=1000,requests=4 --task vec,size=1e5,requests=4 --share mps --memory pinned --opt mps.percentage=50 --device h100-vm \
    --seed 2 --csv - 2>/dev/null | awk -F, '$2 == "vec" { printf "%.3f\n", $6 }' >expected
cmp -s expected found || fail "sweep: compare says $(cat expected), the row $(cat found)"
"$gpusim" sweep "$@" --out one.db --resume 2>&1 | grep -q 'nothing is left' || fail 'sweep: --resume computes something again'
"$gpusim" results one.db --base share=timeslice --paired --value img.p99_us >out 2>err || fail "paired: $(cat err)"
grep -q '^mps  *4 ' out || fail "paired: expected four cells of mps: $(cat out)"
for bad in '--task imgg' '--task img --vary task2.requests=2' '--task img --vary task1.request=2' '--task img --workload vec' '--workload img --sched serial --share mps' \
    '--task img --share mpss'; do
    # shellcheck disable=SC2086
    "$gpusim" sweep $bad --out bad.db >/dev/null 2>err && fail "sweep $bad: taken"
    rm -f bad.db
done
[ $failures = 0 ]
