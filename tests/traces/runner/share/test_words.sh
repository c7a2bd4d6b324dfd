#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What gpusim-runner --task refuses before it looks for a GPU: one line, exit status 2. Run as "test_words.sh SOURCE-DIR BUILD-DIR".
set -u
runner=$2/gpusim-runner
[ -x "$runner" ] || { echo "skipped: no gpusim-runner in $2, which -DGPUSIM_CUDA=ON builds"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# refused WORDS-OF-THE-MESSAGE ARGUMENT...
refused() {
    wanted=$1
    shift
    "$runner" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq 2 ] && [ "$(wc -l <"$work/err")" -eq 1 ] && [ ! -s "$work/out" ] && grep -qF -e "$wanted" "$work/err" && return
    echo "expected status 2 and one line with '$wanted', found $status for: $*"
    cat "$work/out" "$work/err"
    bad=1
}

cat >"$work/service.json" <<'E2'
{"schema": "gpusim-program/1", "name": "service", "kernels": [{"name": "k", "solo_us": 20}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [8], "block": [128], "stream": 0}, {"op": "synchronize", "us": 30}]}
E2
cat >"$work/empty.json" <<'E2'
{"schema": "gpusim-program/1", "name": "empty", "kernels": [{"name": "idle", "thread_cycles": 5}],
 "ops": [{"op": "kernel", "kernel": "idle", "grid": [8], "block": [128]}]}
E2
cat >"$work/copies.json" <<'E2'
{"schema": "gpusim-program/1", "name": "copies", "buffers": [{"name": "x", "bytes": 64, "init": "host"}], "kernels": [{"name": "k", "solo_us": 20}],
 "ops": [{"op": "copy", "kind": "h2d", "buffer": "x"}, {"op": "kernel", "kernel": "k", "grid": [8], "block": [128]}]}
E2
a=$work/service.json,priority=0 b=$work/service.json,priority=5,requests=0

refused "unknown way of sharing 'nope'" --task "$a" --share nope
refused "the runner gives no task SMs of its own" --task "$a" --task "$b" --share partition
refused "stops kernels that run" --task "$a" --task "$b" --share reef
refused "stops kernels that run" --task "$a" --task "$b" --share streams,tally
refused "xsched.level=1" --task "$a" --task "$b" --share xsched
refused "needs a profile" --task "$a" --task "$b" --share fikit
refused "needs a profile" --task "$a" --task "$b" --share orion
refused "they are in 2" --task "$a" --task "$b,process=1" --share streams
refused "expected one that ends" --task "$b" --share streams
refused "managed" --task "$a" --share streams --memory managed
refused "unknown option 'foo'" --task "$a" --share streams --opt streams.foo=1
refused "not used here" --task "$a" --share streams --opt fikit.margin=1
refused "unknown key 'prio'" --task "$work/service.json,prio=1" --share streams
refused "does not go with --task" --task "$a" --share streams --iterations 3
refused "expected one way of sharing" --task "$a" --share streams,timeslice --report "$work/r.json"
refused "expected one of them" --task "$a" --share fikit --profile measure --measure "$work/p.json"
refused "--measure without --share" --task "$a" --task "$b" --measure "$work/p.json" --recording "$work/r.json"
refused "none.json" --task "$a" --share fikit --profile "$work/none.json"
refused "nothing says what stands in for it" --task "$work/empty.json" --share streams
refused "expected two tasks, found 1" --task "$a" --share streams --recording "$work/r.json"
refused "expected the more urgent task first" --task "$b" --task "$a" --share streams --recording "$work/r.json"
refused "each with one host time behind it" --task "$a" --task "$work/copies.json" --share streams --recording "$work/r.json"
refused "expected a program file with closed arrivals" --task img --task "$a" --share streams --recording "$work/r.json"
refused "expected a program file with closed arrivals" --task "$a,arrival=periodic:50" --task "$b" --share streams --recording "$work/r.json"
exit $bad
