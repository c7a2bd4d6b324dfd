#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim report" of several tasks on one GPU: the page of one run, and that of all ways of sharing: test_task_pages.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# Without gnuplot the page is written, pictures are missing, and the exit status says so.
page() {
    "$gpusim" report "$1" -o "$2" >out 2>err
    status=$?
    command -v gnuplot >/dev/null 2>&1 || return
    { [ $status = 0 ] && [ ! -s err ]; } || fail "report $1: exit $status, $(cat err)"
}
has() { grep -qF -- "$2" "$1" || fail "$1: expected '$2'"; }
lacks() { grep -qF -- "$2" "$1" && fail "$1: found '$2'"; }
count() { grep -oF -- "$2" "$1" | wc -l; }

# One run.
"$gpusim" --task alexnet,requests=3 --task squeezenet,priority=2,requests=2 --share mps --device h200 --report run.json >told 2>err || fail "run: $(cat err)"
page run.json run.html
has run.html '<h1>alexnet and squeezenet shared by mps on h200</h1>'
has run.html '<h2>Requests of the tasks</h2>'
has run.html '>Fairness'
# The same times as the command tells.
for task in alexnet squeezenet; do
    awk -v task=$task 'NR > 1 && $1 == task { printf "<td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">0</td><td class=\"n\">%s %s</td>", $1, $2, $3, $4, $5 }' told >expected
    [ -s expected ] || fail "no row of $task in $(cat told)"
    has run.html "$(cat expected)"
done
# No rows of what a run of tasks does not have, and no command that would not run.
for text in 'Critical path' 'Lower bound' 'Streams used' 'Iteration, median' 'Waits on events' 'gpusim run --workload' '<td>fairness</td>'; do lacks run.html "$text"; done
# A run of one program keeps its rows.
"$gpusim" --workload vec --sched kesco --device h200 --report one.json >/dev/null 2>err || fail "run: $(cat err)"
page one.json one.html
for text in 'vec with kesco on h200' 'Critical path' 'Streams used' 'gpusim run --workload vec --sched kesco'; do has one.html "$text"; done
lacks one.html 'Requests of the tasks'

# All ways.
"$gpusim" compare --task alexnet,requests=3 --task squeezenet,requests=2 --device h200 --share mps,timeslice --report ways.json >told 2>err || fail "compare: $(cat err)"
page ways.json ways.html
has ways.html '<h1>alexnet and squeezenet on h200: ways of sharing</h1>'
[ "$(count ways.html '<td>alexnet</td>')" = 2 ] || fail 'ways.html: expected alexnet under two ways'
has ways.html '<tr><td>timeslice</td><td>squeezenet</td>'
if command -v gnuplot >/dev/null 2>&1; then
    [ "$(count ways.html '<svg')" = 2 ] || fail "ways.html: $(count ways.html '<svg') pictures, expected one for each task"
fi
has ways.html 'gpusim plot jct ways.json --series squeezenet'
# A way that failed is told with its message; without times there is no figure; no markup comes from names.
printf '{"schema": "gpusim-share-comparison/1", "device": "d", "ways": [{"share": "mps", "error": "too <many>"},
 {"share": "streams", "tasks": [{"name": "<b>", "priority": 1, "p99_us": 5}]}]}' >hand.json
page hand.json hand.html
has hand.html '2 ways of sharing one GPU, of which 1 failed'
has hand.html '<td>mps</td><td>too &lt;many&gt;</td>'
lacks hand.html '<svg'
lacks hand.html '<b>'
# What else reads results says where to go.
"$gpusim" plot speedup ways.json -o x.svg >out 2>err && fail 'plot speedup of ways of sharing: expected a refusal'
has err 'gpusim plot jct'
[ "$failures" = 0 ] || exit 1
echo 'pages of tasks are sound'
