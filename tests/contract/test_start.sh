#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# SimGrid's libraries are loaded by runs in which transfers meet or a second host thread is made, and by nothing else:
# test_start.sh SOURCE BUILD. Both ways come out the same: tests/sim/platform/test_engine.c.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }

loads() { # loads yes|no COMMAND...
    expected=$1
    shift
    LD_DEBUG=files LD_DEBUG_OUTPUT="$place/loader" "$@" >out 2>messages || fail "exit $?: $* ($(head -c 300 messages))"
    got=no
    cat loader.* >loaded && rm -f loader.*
    grep -q libz loaded || fail "the loader says nothing: $*"
    ! grep -q libsimgrid loaded || got=yes
    [ "$got" = "$expected" ] || fail "SimGrid loaded: $got, expected $expected: $*"
}

loads no "$gpusim" --version
loads no "$gpusim" --help
loads no "$gpusim" list workloads
loads no "$gpusim" list devices h200
for sched in serial async grsched taskflow cudagraph kesco; do loads no "$gpusim" --workload img --sched $sched; done
loads no "$gpusim" --workload vec --size 1e5 --sched serial --memory pinned --report report.json --trace trace.json.gz
loads no "$gpusim" import kineto trace.json.gz -o program.json
# A result is copied back while the second kernel's data is under way; two host threads.
cat >both.json <<'END'
{"schema": "gpusim-program/1", "name": "both",
 "buffers": [{"name": "x", "bytes": 1048576, "init": "host"}, {"name": "y", "bytes": 1048576, "init": "none"},
             {"name": "z", "bytes": 268435456, "init": "host"}],
 "kernels": [{"name": "first", "regs_per_thread": 16, "solo_us": 12.5}, {"name": "second", "regs_per_thread": 16, "solo_us": 12.5}],
 "ops": [{"op": "kernel", "kernel": "first", "grid": [64], "block": [256], "reads": ["x"], "writes": ["y"]},
         {"op": "kernel", "kernel": "second", "grid": [64], "block": [256], "reads": ["z"], "writes": ["z"]},
         {"op": "host_read", "buffer": "y"}]}
END
loads no "$gpusim" --workload both.json --sched serial --memory pinned
loads yes "$gpusim" --workload both.json --sched kesco --memory pinned
loads yes "$gpusim" --task vec,size=1e5 --task img,size=100 --share mps --memory pinned

printf 'start: %d failures\n' "$failures"
[ "$failures" = 0 ]
