#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim report" of several tasks on one GPU: the page of one run, and that of all ways of sharing: test_task_pages.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# The page, and with node what its script makes of it: NAME.html and NAME.drawn.
page() {
    "$gpusim" report "$1" -o "$2" >out 2>err && [ ! -s err ] || fail "report $1: $(cat err)"
    command -v node >/dev/null 2>&1 || return
    node "$source_dir/tests/plots/draw_page.js" "$2" >"${2%.html}.drawn" 2>err || fail "the script of $2: $(cat err)"
}
has() { grep -qF -- "$2" "$1" || fail "$1: expected '$2'"; }
lacks() { grep -qF -- "$2" "$1" && fail "$1: found '$2'"; }
# What a reader sees, where node can tell.
shows() { ! [ -f "$1.drawn" ] || has "$1.drawn" "$2"; }
hides() { ! [ -f "$1.drawn" ] || lacks "$1.drawn" "$2"; }
count() { grep -oF -- "$2" "$1" | wc -l; }

# One run.
"$gpusim" --task alexnet,requests=3 --task squeezenet,priority=2,requests=2 --share mps --device h200 --report run.json >told 2>err || fail "run: $(cat err)"
page run.json run.html
has run.html '"workload": "alexnet and squeezenet", "scheduler": "async", "share": "mps", "device": "h200"'
[ "$(count run.html '{"name":"')" = 2 ] || fail 'run.html: expected two tasks'
shows run '<h1>alexnet and squeezenet shared by mps on h200</h1>'
shows run '<h2>Requests of the tasks</h2>'
shows run '>Fairness'
# The same times as the command tells.
for task in alexnet squeezenet; do
    awk -v task=$task 'NR > 1 && $1 == task { printf "<td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">0</td><td class=\"n\">%s %s</td>", $1, $2, $3, $4, $5 }' told >expected
    [ -s expected ] || fail "no row of $task in $(cat told)"
    shows run "$(cat expected)"
done
# No rows of what a run of tasks does not have, and no command that would not run.
for text in 'Critical path' 'Lower bound' 'Streams used' 'Iteration, median' 'Waits on events' 'gpusim run --workload' '<td>fairness</td>'; do hides run "$text"; done
# A run of one program keeps its rows.
"$gpusim" --workload vec --sched kesco --device h200 --report one.json >/dev/null 2>err || fail "run: $(cat err)"
page one.json one.html
for text in 'vec with kesco on h200' 'Critical path' 'Streams used' 'gpusim run --workload vec --sched kesco'; do shows one "$text"; done
hides one 'Requests of the tasks'
lacks one.html '"tasks":'

# All ways.
"$gpusim" compare --task alexnet,requests=3 --task squeezenet,requests=2 --device h200 --share mps,timeslice --report ways.json >told 2>err || fail "compare: $(cat err)"
page ways.json ways.html
[ "$(count ways.html '"name":"alexnet"')" = 2 ] || fail 'ways.html: expected alexnet under two ways'
shows ways '<h1>alexnet and squeezenet on h200: ways of sharing</h1>'
shows ways '<tr><td>timeslice</td><td>squeezenet</td>'
shows ways 'gpusim plot jct ways.json --series squeezenet'
[ ! -f ways.drawn ] || [ "$(count ways.drawn '<svg')" = 2 ] || fail "ways: $(count ways.drawn '<svg') pictures, expected one for each task"
# A way that failed is told with its message; without times there is no figure; no markup comes from names.
printf '{"schema": "gpusim-share-comparison/1", "device": "d", "ways": [{"share": "mps", "error": "too <many>"},
 {"share": "streams", "tasks": [{"name": "<b>", "priority": 1, "p99_us": 5}]}]}' >hand.json
page hand.json hand.html
lacks hand.html '<b>'
shows hand '2 ways of sharing one GPU, of which 1 failed'
shows hand '<td>mps</td><td>too &#60;many&#62;</td>'
hides hand '<svg'
hides hand '<b>'
# A run that ends the element of its JSON by a name: it does not.
printf '{"schema": "gpusim-share-comparison/1", "ways": [{"share": "</script><i>", "error": "no"}]}' >odd.json
page odd.json odd.html
[ "$(count odd.html '</script>')" = 2 ] || fail "odd.html: $(count odd.html '</script>') ends of scripts, expected 2"
# What else reads results says where to go.
"$gpusim" plot speedup ways.json -o x.svg >out 2>err && fail 'plot speedup of ways of sharing: expected a refusal'
has err 'gpusim plot jct'
[ "$failures" = 0 ] || exit 1
echo 'pages of tasks are sound'
