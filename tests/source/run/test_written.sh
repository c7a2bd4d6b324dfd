#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What schedule writes of the examples, of guards.cu and of ../shared/cases/races, where that is there, is run on the CPU: it races in none,
# and the host sees the source's bytes in each order. A part of them; all with GPUSIM_FULL.
# Usage: test_written.sh SOURCE-DIR BUILD-DIR
. "$1/tests/common.sh"
export PATH="$source_dir/tests/source/run/bin:$PATH" GPUSIM_COMPILED="$build/compiled"
clang++ --version >/dev/null 2>&1 || { echo "skipped: clang++ is not in PATH (Debian: clang)"; exit 0; }
"$gpusim" import cuda "$source_dir/examples/cuda/vec.cu" -o a.json 2>&1 | grep -q 'built without libclang' && exit 0
check() { # FILE OPTION...
    "$gpusim" schedule "$@" --always --check >out 2>&1 && grep -q '^checked: .* in 24 orders: no race' out || fail "$*: $(cat out)"
}
number=0
for name in vec bs img ml hits dl 2mm 3mm mvt bicg gemver; do
    number=$((number + 1))
    case $name in ml) size=64 ;; 2mm | 3mm) size=32 ;; dl) size=120 ;; *) size=256 ;; esac
    [ $number = 3 ] || [ "${GPUSIM_FULL:-}" ] || continue
    [ -z "${GPUSIM_FULL:-}" ] || check "$source_dir/examples/cuda/$name.cu" "-DN=$size" -DROUNDS=2 --sched kesco --prefetch off
    check "$source_dir/examples/cuda/$name.cu" "-DN=$size" -DDEVICE_MEMORY --sched grsched --graph
done
for number in 1 2 3 4 5; do
    case $number in 2 | 3 | 5) [ "${GPUSIM_FULL:-}" ] || continue ;; esac
    # in turn as streams and as a graph
    [ $((number % 2)) = 0 ] && [ ! "${GPUSIM_FULL:-}" ] || check "$source_dir/tests/source/run/guards.cu" -DCASE=$number --sched kesco
    [ $((number % 2)) = 1 ] && [ ! "${GPUSIM_FULL:-}" ] || check "$source_dir/tests/source/run/guards.cu" -DCASE=$number --sched kesco --graph
done
for file in "$source_dir"/../shared/cases/races/*.cu; do
    [ "${GPUSIM_FULL:-}" ] && [ -e "$file" ] || continue
    grep -q '^int \*given\|^float \*given' "$file" && continue # it has no memory of its own
    check "$file" --sched kesco --prefetch off
done
[ $failures = 0 ]
