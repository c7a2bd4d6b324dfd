#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An installed gpusim works by itself, wherever its folder was moved to, and a scheduler can be compiled
# against the headers that it ships: test_install.sh SOURCE-DIR BUILD-DIR.
set -u
source_dir=$1 build_dir=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset GPUSIM_DATA
failures=0

expect() { # expect WHAT COMMAND...: the command succeeds
    what=$1
    shift
    "$@" >"$place/out" 2>&1 && return 0
    printf '%s: failed: %s\n' "$what" "$*"
    tail -n 5 "$place/out"
    failures=$((failures + 1))
}
expect_file() { [ -s "$place/moved/$1" ] || { printf 'not installed: %s\n' "$1" && failures=$((failures + 1)); }; }

expect 'installing' cmake --install "$build_dir" --prefix "$place/prefix"
mv "$place/prefix" "$place/moved"
cd "$place" || exit 1
gpusim=$place/moved/bin/gpusim
share=$place/moved/share/gpusim

for file in share/man/man1/gpusim.1 share/doc/gpusim/README.md share/doc/gpusim/LICENSE share/gpusim/models/h200.json; do
    expect_file "$file"
done
for trace in "$source_dir"/traces/h200/*.json.gz; do
    [ ! -e "$trace" ] || expect_file "share/gpusim/traces/h200/${trace##*/}"
done
expect_file share/gpusim/traces/h100/probe.json
expect_file share/gpusim/traces/h100/runs-small.json.gz
expect 'a run' "$gpusim" --workload img --sched kesco --device h200
expect 'a program that is shipped' "$gpusim" --workload "$share/workloads/examples/axpy-chain.json" --sched grsched

expect 'the recordings that are shipped' "$gpusim" validate --kind priority
! command -v gnuplot >/dev/null 2>&1 ||
    expect 'a figure' "$gpusim" validate --kind launch --scatter "$place/figure.svg"

# Its own devices are found, not the checkout's that it was built from.
sed 's/"name": "h200"/"name": "only-here"/' "$share/models/h200.json" >"$share/models/only-here.json"
expect 'a device of the installed folder' "$gpusim" --workload vec --sched serial --device only-here

sed 's/gsim_scheduler_skeleton/gsim_scheduler/; s/"skeleton"/"mine"/' "$share/schedulers/skeleton.c" >mine.c
include=$place/moved/include/gpusim
expect 'compiling a scheduler' "${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -include "$include/banned.h" \
    -I"$include" -I"$include/.." -O2 -shared -fPIC -o mine.so mine.c
expect 'a scheduler of the user' "$gpusim" --workload img --sched ./mine.so
for header in "$include"/*.h "$include"/schedulers/shared/*.h; do
    expect 'a header by itself' "${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -I"$include" -I"$include/.." -fsyntax-only -x c "$header"
done

printf 'install: %d failures\n' "$failures"
[ "$failures" = 0 ]
