#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings of gpusim trace hold what an independent counter saw, and explain's step is the one that the program timed
# itself, without recording, within 5 % (traces/h200/recorded/README.md): test_record.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
recorded=$source_dir/traces/h200/recorded

counts() { # FILE KERNELS COPIES MEMSETS
    "$gpusim" import "$1" -o program.json 2>err || fail "$1: $(cat err)"
    grep -q ": $2 kernels, $3 copies, $4 memsets " err || fail "$1: expected $2, $3, $4, found: $(head -1 err)"
}
counts "$recorded/torch_infer.json.gz" 1441 48 320
counts "$recorded/torch_graphs.json.gz" 1551 88 344
counts "$recorded/nccl_r0.json.gz" 184 146 98
counts "$recorded/nccl_r1.json.gz" 184 146 98
counts "$recorded/rodinia_gaussian.json.gz" 1022 6 0
counts "$recorded/sample_streams.json.gz" 501 502 2
counts "$source_dir/traces/h100/recorded/sample_graphs.json.gz" 24 24 24

now() { # FILE US
    "$gpusim" explain "$recorded/$1.json.gz" >found 2>err || fail "$1: $(cat err)"
    awk -v us="$2" '/^a step now:/ { ok = /measured by a run without recording/ && $4 > us * 0.95 && $4 < us * 1.05 }
        END { exit !ok }' found || fail "$1: expected $2 us within 5 %, found: $(grep 'a step now' found)"
}
now torch_infer 966
now torch_graphs 1034
"$gpusim" whatif "$recorded/torch_infer.json.gz" >found 2>err || fail "$(cat err)"

"$gpusim" explain "$recorded/nccl_r0.json.gz" "$recorded/nccl_r1.json.gz" >found 2>err || fail "$(cat err)"
grep -q '182 collectives meet' err || fail "ranks: $(cat err)"
awk '/^a step now:/ { ok = $4 > 2178 * 0.95 && $4 < 2178 * 1.05 } END { exit !ok }' found ||
    fail "ranks: expected two steps of 1089 us, found: $(grep 'a step now' found)"

# Two kernels of other allocations need not follow each other, though they are of one stream; their sum needs both.
"$gpusim" import "$recorded/arguments.json.gz" --depends data -o program.json 2>err || fail "$(cat err)"
grep -q '25 follow the allocations of their pointers' err || fail "pointers: $(cat err)"
"$gpusim" import "$recorded/rodinia_gaussian.json.gz" --depends data -o program.json 2>err && fail "data without pointers"
grep -q 'a recording of gpusim trace --arguments' err || fail "data: $(cat err)"
"$gpusim" import "$recorded/arguments.json.gz" --depends data -o program.json 2>err
grep '"twice(float const\*, float\*, int)", "grid"' program.json | head -2 >found
grep -q '"reads": \["tensor 2", "tensor 1"\], "writes": \["tensor 2"\]' found || fail "operands: $(cat found)"
grep -q '"reads": \["tensor 4", "tensor 3"\], "writes": \["tensor 4"\]' found || fail "operands: $(cat found)"

# Files of other processes are those of the recording's name (without .json, .gz), a dot and a number. Empty ones go;
# the next recording of that name begins without any.
beside() { # NAME STEM
    rm -rf beside
    mkdir beside
    "$gpusim" trace -o "beside/$1" -- sh -c "cd beside && head -c 1550 /dev/zero >'$2.12-0.x' && : >'$2.13' && echo >'$2s.1' && echo >'$2.x1'" 2>err
    grep -q "recorded '.*/beside/$2.12-0.x', 1.6 KB$" err && [ "$(grep -c recorded err)" = 1 ] && [ ! -e "beside/$2.13" ] ||
        fail "beside $1: $(cat err)"
    "$gpusim" trace -o "beside/$1" -- true 2>err
    grep -q 'no recording' err && [ "$(echo beside/*.* beside/.[gj]*)" = "$3" ] || fail "after $1: $(ls -a beside)"
}
beside run.json.gz run 'beside/run.x1 beside/runs.1 beside/.[gj]*'
beside a.gz a 'beside/a.x1 beside/as.1 beside/.[gj]*'
beside a.json a 'beside/a.x1 beside/as.1 beside/.[gj]*'
beside .gz .gz 'beside/*.* beside/.gz.x1 beside/.gzs.1'
beside .json .json 'beside/*.* beside/.json.x1 beside/.jsons.1'

# The program's exit status, and words that are wrong.
"$gpusim" trace -o run.json.gz -- sh -c 'exit 7' 2>err && fail "expected status 7"
[ $? = 7 ] || fail "the exit status is not the program's"
expect_usage() { # PATTERN ARGUMENTS
    pattern=$1
    shift
    "$gpusim" trace "$@" 2>err
    [ $? = 2 ] && grep -q -- "$pattern" err || fail "$*: $(cat err)"
}
expect_usage 'expected -- PROGRAM' -o run.json.gz
expect_usage '--range: expected FROM:TO' --range 1 -- true
expect_usage '--range: expected FROM:TO' --range 3:2 -- true
expect_usage 'found standard output' -o - -- true
[ -x /usr/bin/ncu ] || PATH=/usr/bin:/bin expect_usage '--profile: cannot find ncu' --profile -- true
[ $failures = 0 ]
