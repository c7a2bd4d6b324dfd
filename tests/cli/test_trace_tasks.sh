#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_trace_tasks.sh SOURCE-DIR BUILD-DIR: a trace as a task: the gaps of its graph with and without a profiler and under MPS, and
# --opt of its host. The graph: 12 kernels of 10 us, 0.4 us apart, but for a memset of 1 us amid them with 3 us on each side.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
awk 'BEGIN {
    print "{\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H200\", \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132}], \"traceEvents\": ["
    print "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaGraphLaunch\", \"pid\": 1, \"tid\": 1, \"ts\": 0, \"dur\": 5, \"args\": {\"correlation\": 1}},"
    at = 10
    for (i = 0; i < 13; i++) {
        is_set = i == 6
        printf "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7, \"ts\": %.3f, \"dur\": %d, ", is_set ? "gpu_memset" : "kernel", is_set ? "Memset (Device)" : "k" i, at, is_set ? 1 : 10
        printf "\"args\": {\"correlation\": 1, \"device\": 0, \"context\": 1, \"stream\": 7%s}},\n", is_set ? ", \"bytes\": 64" : ", \"grid\": [132, 1, 1], \"block\": [1024, 1, 1]"
        at += (is_set ? 1 : 10) + (is_set || i == 5 ? 3 : 0.4)
    }
    printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", \"pid\": 1, \"tid\": 1, \"ts\": 6, \"dur\": %.3f, \"args\": {\"correlation\": 2}}]}\n", at
}' >graph.json
# The median request under WAY with OPTIONS.
median() {
    way=$1
    shift
    "$gpusim" --task graph.json,requests=5 --share "$way" --device h200 --report o.json "$@" >/dev/null 2>err ||
        fail "$way $*: ended with $?: $(cat err)"
    tr -d ' \n' <o.json | sed 's/.*"p50_us":\([0-9.e+]*\).*/\1/'
}
# differ WHAT A B BY: A is B and BY us more.
differ() {
    awk -v a="$2" -v b="$3" -v by="$4" 'BEGIN { d = a - b - by; exit !(d < 0.01 && d > -0.01) }' || fail "$1: $2 less $3, expected $4"
}
plain=$(median timeslice)
grep -q 'follow each other by 0.40 us, .* taken as 0.10, .*rule.task_graphs' err || fail "no word of the gaps: $(cat err)"
differ 'as recorded' "$(median timeslice --opt rule.task_graphs=off)" "$plain" 3.6 # 12 gaps of 0.4 in place of 0.1
differ 'under MPS' "$(median mps)" "$plain" 4.2                                    # 12 of 0.35 more
differ 'a call' "$(median timeslice --opt device.graph_launch_us=101.01)" "$plain" 100
differ 'a gap by hand' "$(median timeslice --opt device.graph_node_gap_us=3 --opt device.profiled_us=0)" "$plain" 34.8
# Two tasks have one device, with the gaps of the first.
"$gpusim" --task vec,size=1e4 --task graph.json --share streams --device h200 --memory pinned >out 2>err || fail "two: $(cat err)"
grep -q "kernels of graph follow each other in a graph by 0.95 us, as the first task's would: alone it is 0.60" err || fail "two: $(cat err)"
