#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh SECONDS [BUILD-DIR] [TARGET...]: fuzzes every target of targets.def, or those named, for SECONDS each. Starts from
# tests/fuzz/corpus and the files of the tree; what it learns stays in BUILD-DIR/fuzz. A crash, a leak, an input of over
# ten seconds or of over a gigabyte fails: the input lies in BUILD-DIR/fuzz/found, and belongs into the corpus once mended.
# Build: cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DGPUSIM_FUZZ=ON && ninja -C build-fuzz fuzz
set -u
seconds=${1:?usage: run.sh SECONDS [BUILD-DIR] [TARGET...]}
here=$(cd "$(dirname "$0")" && pwd)
build=${2:-$here/../../build-fuzz}
shift
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- $(sed -n 's/^X(\([a-z]*\))$/\1/p' "$here/targets.def")
# One target: a line, and a fault's log.
one() {
    name=$1
    learnt=$build/fuzz/$name found=$build/fuzz/found/$name-
    mkdir -p "$learnt" "$build/fuzz/found"
    case $name in
    device) more=$here/../../models ;;
    probe) more=$build/fuzz/probe-seed; mkdir -p "$more"; cp "$here/../../traces/h200/probe.json" "$more" ;;
    node) more=$here/../../models/nodes ;;
    *) more= ;;
    esac
    # shellcheck disable=SC2086 # MORE is a folder or nothing
    if "$build/fuzz-$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=16384 -print_final_stats=1 \
        -dict="$here/words.dict" -artifact_prefix="$found" "$learnt" "$here/corpus/$name" $more >"$build/fuzz/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$name.log")
        printf '%-10s %8s inputs, %6s a second, no fault\n' "$name" "$runs" "$((runs / seconds))"
    else
        printf '%-10s FAULT: %s\n' "$name" "$build/fuzz/$name.log"
        grep -E 'ERROR|SUMMARY|runtime error|Test unit written|ALARM' "$build/fuzz/$name.log" | head -n 6
    fi
}
# As many at a time as there are processors.
most=$(nproc 2>/dev/null || echo 1) running=0
rm -f "$build/fuzz/told"
mkdir -p "$build/fuzz"
for name; do
    one "$name" >>"$build/fuzz/told" &
    running=$((running + 1))
    [ $running -lt "$most" ] || { wait && running=0; }
done
wait
cat "$build/fuzz/told"
! grep -q FAULT "$build/fuzz/told"
