#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of the kinds that real profilers write (tests/traces/import/cases), each with what is right for it:
# test_cases.sh SOURCE-DIR BUILD-DIR.
set -u
source_dir=$(cd "$1" && pwd)
gpusim=$(cd "$2" && pwd)/gpusim
cases=$source_dir/tests/traces/import/cases
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
failures=0 checks=0
export GPUSIM_DATA="$source_dir"
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }

# imports FORMAT FILE PART...: exit 0, and every PART is said; a PART that begins with "!" is not.
imports() {
    format=$1 file=$2
    shift 2
    rm -f program.json
    timeout 60 "$gpusim" import "$format" "$cases/$file" -o program.json >out 2>&1 || fail "$file: exit $?: $(head -c 300 out)"
    for part; do
        checks=$((checks + 1))
        case $part in
        !*) ! grep -qF -- "${part#!}" out || fail "$file: says '${part#!}': $(cat out)" ;;
        *) grep -qF -- "$part" out || fail "$file: nothing says '$part': $(cat out)" ;;
        esac
    done
}

# replays LEAST MOST: the program imported last takes so many microseconds.
replays() {
    checks=$((checks + 1))
    "$gpusim" --workload program.json --sched async --device h200 --memory pinned --report report.json >/dev/null 2>&1
    us=$(sed -n 's/.*"makespan_us": \([0-9.]*\).*/\1/p' report.json | head -n 1)
    awk -v us="${us:-0}" -v least="$1" -v most="$2" 'BEGIN { exit !(us >= least && us <= most) }' ||
        fail "$file: replayed in ${us:-nothing} us, expected $1 to $2"
}

imports nsys 01_nsys_pageable_copies.sqlite '5 copies of pageable memory' '1 kernels, 5 copies'
imports nsys 01_nsys_pinned_copies.sqlite '!pageable' '1 kernels, 5 copies'
imports nsys 07_nsys_only_whole_graphs.sqlite '10 graphs recorded as a whole' '--cuda-graph-trace=node'
replays 10700 11200
imports nsys 07_nsys_whole_graphs_and_kernels.sqlite '20 kernels' '10 graphs recorded as a whole'
replays 10400 11200
imports nsys 10_nsys_managed_memory_moves.sqlite '1 kernels, 0 copies' '25 moves of managed memory'
replays 2950 3100
imports nsys 20_nsys_plain.sqlite '20 kernels'
replays 770 810
imports nsys 23_nsys_call_before_time_zero.sqlite '10 kernels'
replays 380 400

printf 'import cases: %d checks, %d failures\n' "$checks" "$failures"
[ "$failures" = 0 ]
