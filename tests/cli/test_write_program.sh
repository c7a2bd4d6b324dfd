#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A built-in workload written as a program file runs as the workload does: test_write_program.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# What came out, without the head that names sizes.
shown() { sed -n '/"makespan_us"/,$p' "$1"; }

for workload in m1 m2 vec bs img ml hits dl; do
    for run in 'serial --iterations 2' 'async --memory pinned' 'kesco'; do
        # shellcheck disable=SC2086 # words
        set -- --sched $run
        size=
        case $workload in m1 | m2) ;; img | dl) size='--size 500' ;; *) size='--size 100000' ;; esac
        # shellcheck disable=SC2086
        "$gpusim" --workload $workload $size "$@" --write-program program.json.gz --report built-in.json >/dev/null 2>err ||
            fail "$workload $run: $(cat err)"
        "$gpusim" --workload program.json.gz "$@" --report file.json >/dev/null 2>err || fail "$workload $run: $(cat err)"
        shown built-in.json >expected
        shown file.json >found
        [ -s expected ] && cmp -s expected found || fail "$workload $run: the file runs otherwise"
    done
done
"$gpusim" --workload img --size 500 --sched kesco --write-program - >img.json 2>err || fail "standard output: $(cat err)"
head -c 40 img.json | grep -q '"schema": "gpusim-program/1"' || fail "standard output: $(head -c 100 img.json)"
"$gpusim" --workload img.json --sched kesco --write-program img.json >out 2>err && fail 'over its input: expected a refusal'
grep -qF "'img.json' is both input and output" err || fail "over its input: $(cat err)"
"$gpusim" --workload img --sched kesco --write-program a --csv a >out 2>err && fail 'one file twice: expected a refusal'
# What a source drew: another run than that of its file, which is said; a workload's is the same.
"$gpusim" --workload early-exit --sched async --memory pinned --device h200 --write-program drawn.json >out 2>err || fail "a source: $(cat err)"
grep -q 'note: .*copies go ahead' err || fail "a source: no note: $(cat err)"
"$gpusim" --workload img --size 500 --sched async --write-program img.json >out 2>err
grep -q 'copies go ahead' err && fail "a workload: $(cat err)"
[ $failures = 0 ]
