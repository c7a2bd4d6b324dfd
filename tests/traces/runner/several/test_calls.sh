#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A scheduler calls the same, whatever is below: the simulator's driver and the runner's, on a GPU that is a thread
# (../share/external/fake_cuda.c), note the same calls on the same streams in the same order, but for what they create. Run as
# "test_calls.sh SOURCE-DIR BUILD-DIR".
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
runner=$build/gpusim-runner-fake
[ -x "$runner" ] || { echo "skipped: no gpusim-runner-fake in $build, which needs CUDA's compiler"; exit 0; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }
cat >calls.py <<'E2'
import json, sys
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e.get("cat") in ("cuda_runtime", "cuda_sync") and e["pid"] == 1000]
for e in sorted(events, key=lambda e: e["ts"]):
    a = e["args"]
    if not any(w in e["name"] for w in ("reate", "estroy")) and a.get("detail") != "create":
        print(e["name"], a.get("stream"), a.get("iteration"), a.get("detail", ""))
E2
for run in hits:1e5:async hits:1e5:kesco hits:1e5:heft bs:1e4:serial bs:1e4:kesco vec:1e4:async; do
    workload=${run%%:*} sched=${run##*:} size=${run#*:}
    for memory in pinned pageable; do
        set -- --workload "$workload" --size "${size%:*}" --sched "$sched" --memory $memory --device h100-vm --iterations 2
        rm -f right.json found.json
        "$gpusim" "$@" --trace right.json >out 2>err || fail "$run: $(cat err)"
        timeout 60 "$runner" "$@" --check off --tracer off --trace found.json >out 2>err || fail "$run: $(cat err)"
        python3 calls.py right.json >right && python3 calls.py found.json >found || fail "$run: no trace"
        [ "$(wc -l <right)" -ge 18 ] || fail "$run: few calls: $(cat right)"
        diff right found >differs || fail "$run, $memory: simulated (<), run (>): $(cat differs)"
    done
done
[ $failures = 0 ]
