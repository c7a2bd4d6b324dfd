#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim schedule" on traces: a step of five kernels of 100 us whose best time is known by hand, the same by the graph's edges, what is
# written and applied, what is refused, and recorded models: test_schedule_trace.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
source=$(cd "$1" && pwd)
here=$source/tests/cli/schedule
refuses() { # refuses MESSAGE ARGUMENTS...
    message=$1
    shift
    "$gpusim" schedule "$@" >out 2>err
    status=$?
    [ $status = 2 ] && grep -qF -- "$message" err || fail "$*: exit $status, '$(tail -n 1 err)', expected 2, '$message'"
}
refuses 'expected gpusim schedule FILE.cu [FILE...]|TRACE|PROGRAM|WORKLOAD'
refuses "cannot read 'none.json': No such file" none.json
refuses 'expected --execution-trace FILE with it, or --cuda-graph FILE' "$here/trace.json"
refuses '--streams: expected an integer from 1 to 64' "$here/trace.json" --streams 65
refuses "--define: applies to CUDA sources, not to a profiler's trace" "$here/trace.json" -DN=1
refuses '--streams: applies to traces and programs, not to a CUDA source' some.cu --streams 2
refuses '--cuda-graph and --execution-trace' "$here/trace.json" --execution-trace "$here/et.json" --cuda-graph "$here/graph.dot"
refuses "unknown scheduler 'kesko'" "$here/trace.json" --execution-trace "$here/et.json" --sched kesko
refuses 'launched by no operator' "$here/trace.json" --cuda-graph "$here/graph.dot" --python plan.py
[ ! -f plan.py ] || fail 'a refused --python leaves a file'

# By hand: the two kernels of a, then b beside c, then d, one behind the other 5 x 100 us, side by side 4 x 100; gaps are a few us.
by_hand() { # by_hand ARGUMENTS...
    "$gpusim" schedule "$here/trace.json" "$@" -o plan.json >table.txt 2>err || fail "$*: $(tail -n 1 err)"
    awk '/^one stream/ { one = $4 } /^streams are worth/ { worth = $4; low = $6; high = $8 }
         END { exit !(one > 500 && one < 515 && worth > 19 && worth < 21 && low + 0 < worth && high + 0 > worth) }' table.txt ||
        fail "$*: $(tail -n 8 table.txt)"
    nodes=$(sed -n 's/.*"node": \([0-9]*\),.*"stream": \([0-9]*\), "waits": \(.*\)}.*/\1 \2 \3/p' plan.json | tr '\n' ';')
    # b stays behind a, c goes to the other stream and waits for a's last kernel, d stands behind one and waits for the other.
    [ "$nodes" = '0 0 [];1 0 [];2 0 [];3 1 [1];4 1 [2];' ] || [ "$nodes" = '0 0 [];1 0 [];2 0 [];3 1 [1];4 0 [3];' ] || fail "$*: nodes are $nodes"
}
by_hand --execution-trace "$here/et.json"
by_hand --cuda-graph "$here/graph.dot"
for policy in list kesco heft; do
    by_hand --execution-trace "$here/et.json" --sched $policy
    [ "$(sed -n '/^one stream /,/^$/s/ .*//p' table.txt | tr '\n' ' ')" = "one $policy " ] || [ $policy = list ] || fail "--sched $policy: $(cat table.txt)"
done
"$gpusim" schedule "$here/trace.json" --execution-trace "$here/et.json" --streams 1 >table.txt 2>err || fail "--streams 1: $(tail -n 1 err)"
grep -q 'streams are worth nothing: all stays on one' table.txt || fail "--streams 1: $(tail -n 2 table.txt)"
"$gpusim" schedule "$here/trace.json" --execution-trace "$here/et.json" -o again.json >/dev/null 2>&1
"$gpusim" schedule "$here/trace.json" --execution-trace "$here/et.json" -o plan.json >/dev/null 2>&1
cmp -s again.json plan.json || fail 'the same question has two answers'

# The edges' circle, a kernel that the trace does not have, a file that is no graph.
sed 's/"graph_1_node_4" -> "graph_1_node_5"/"graph_1_node_5" -> "graph_1_node_0"/' "$here/graph.dot" >circle.dot
refuses 'its edges run in a circle' "$here/trace.json" --cuda-graph circle.dot
sed 's/_Z8kernel_4Pf/_Z8kernel_9Pf/' "$here/graph.dot" >other.dot
refuses 'is no kernel of the trace' "$here/trace.json" --cuda-graph other.dot
sed '/graph_1_node_5/d' "$here/graph.dot" >fewer.dot
refuses 'it has 4 kernels, copies and memsets, and the trace 5' "$here/trace.json" --cuda-graph fewer.dot
refuses 'found no node' "$here/trace.json" --cuda-graph "$here/et.json"

# What is written runs: on a PyTorch that only notes what it is asked.
"$gpusim" schedule "$here/trace.json" --execution-trace "$here/et.json" --python plan.py >/dev/null 2>err || fail "--python: $(tail -n 1 err)"
if command -v python3 >/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 python3 "$here/apply.py" plan.py >applied.txt 2>&1 || fail "the plan in Python: $(cat applied.txt)"
    grep -q '^placed 4 unplaced 2$' applied.txt && grep -q '^aten::sigmoid 1$' applied.txt && grep -q '^aten::relu 0$' applied.txt ||
        fail "the plan in Python: $(cat applied.txt)"
fi

# Programs and workloads, too.
"$gpusim" schedule hits --device h200 --streams 2 >hits.txt 2>err && grep -q '^streams are worth' hits.txt || fail "hits: $(tail -n 1 err)"

# As measured on an H100 with the plan applied (docs/schedule.md): kernels that fill the GPU and the L2 gain little, 6.1 %; hrnet 51.3 %.
measured() { # measured FOLDER MODEL WORTH MOST-ERROR
    "$gpusim" schedule "$source/traces/h100/$1/kineto_$2.json.gz" --execution-trace "$source/traces/h100/$1/et_$2.json.gz" --device h100-vm \
        --spread 5 >net.txt 2>err || fail "$2: $(tail -n 1 err)"
    awk -v worth="$3" -v most="$4" '/^streams are worth/ { off = $4 - worth; exit !(off < most && off > -most) }' net.txt ||
        fail "$2: measured $3 %, $(grep '^streams are' net.txt)"
}
measured whatif branchy_b16 6.1 6
measured branches hrnet_b1 51.3 4
measured branches experts_t64 47.9 4
# googlenet 41.6 %.
"$gpusim" schedule "$source/traces/h100/whatif/kineto_googlenet_b1.json.gz" --execution-trace "$source/traces/h100/whatif/et_googlenet_b1.json.gz" \
    >net.txt 2>err || fail "googlenet: $(tail -n 1 err)"
awk '/^streams are worth/ { exit !($6 + 0 < 37 && $8 + 0 > 41.7 && $4 > 34) }' net.txt || fail "googlenet: $(tail -n 1 net.txt)"
"$gpusim" schedule "$source/traces/h100/whatif/kineto_googlenet_b1.json.gz" --execution-trace "$source/traces/h100/whatif/et_googlenet_b1.json.gz" \
    --python - 2>/dev/null | grep -c '^    ("aten::' >rows.txt
awk '{ exit !($1 > 500) }' rows.txt || fail "googlenet has $(cat rows.txt) rows of operators"

echo "$failures failures"
[ $failures = 0 ]
