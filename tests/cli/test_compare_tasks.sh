#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_compare_tasks.sh SOURCE-DIR BUILD-DIR: "gpusim compare --task" under ways that the tasks rule out: each is a row with its reason.
set -u
gpusim=$(cd "$2" && pwd)/gpusim
GPUSIM_DATA=$(cd "$1" && pwd)
export GPUSIM_DATA
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
failures=0
fail() { printf '%s\n' "$*" && failures=$((failures + 1)); }
tasks='--task img,size=1000,process=1,requests=2 --task vec,size=1e5,priority=3,process=2,requests=0 --device h100-vm'

# shellcheck disable=SC2086 # words
"$gpusim" compare $tasks --report all.json >out 2>err || fail "all: ended with $?: $(cat err)"
grep -q '^  mps  *img ' out || fail "all: no row of mps: $(cat out)"
grep -q '^  streams  *failed: .*they are in 2$' out || fail "all: expected why not streams: $(cat out)"
grep -q '^  timeslice  *failed: .*managed memory is not simulated there' out || fail "all: expected why not timeslice: $(cat out)"
[ "$(grep -c '^  [a-z]' out)" -ge 13 ] || fail "all: expected a row of each way: $(cat out)"
grep -q '"share": "kesco", "error": ' all.json || fail "all: expected why not kesco in the report"
# shellcheck disable=SC2086
"$gpusim" compare $tasks --share streams,mps >out 2>err
[ $? = 2 ] || fail 'streams by name: expected exit 2'
grep -q '^  mps  *img ' out || fail "streams by name: no row of mps: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" compare $tasks --share streams >out 2>err
[ $? = 2 ] || fail 'streams alone: expected exit 2'
[ $failures = 0 ]
