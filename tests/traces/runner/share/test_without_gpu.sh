#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tasks that share a GPU which is a thread of each process (external/fake_cuda.c): processes, gates, policies, files, the MPS daemon. No
# figure is looked at that a busy machine could change. Run as "test_without_gpu.sh SOURCE-DIR BUILD-DIR".
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
runner=$build/gpusim-runner-fake
[ -x "$runner" ] || { echo "skipped: no gpusim-runner-fake in $build, which needs CUDA's compiler"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GPUSIM_DATA="$source"
cd "$work" || exit 1
bad=0
fail() { echo "$*"; bad=1; }

# service NAME KERNEL-US GAP-US COUNT
service() {
    { printf '{"schema": "gpusim-program/1", "name": "%s", "kernels": [{"name": "k", "solo_us": %s}], "ops": [' "$1" "$2"
      for i in $(seq "$4"); do
          [ "$i" = 1 ] || printf ','
          printf '{"op": "kernel", "kernel": "k", "grid": [8], "block": [128], "stream": 0}'
          [ "$3" = 0 ] || printf ',{"op": "synchronize", "us": %s}' "$3"
      done
      printf ']}'; } >"$1.json"
}
service urgent 300 500 3
service busy 400 0 4
tasks='--task urgent.json,name=a,requests=8 --task busy.json,name=b,priority=5,requests=0'

# Every way ends, with all requests of the one that counts.
# shellcheck disable=SC2086 # words
timeout 120 "$runner" $tasks --share streams,priorities,timeslice,exclusive,fikit,orion,xsched,kesco --opt xsched.level=1 --opt fikit.small_gap_us=0 \
    --profile measure --recording pair.json >table 2>err || fail "table: $(cat err)"
for way in streams priorities timeslice exclusive fikit orion xsched kesco; do
    grep -Eq "^  $way +a +0 +8 " table || fail "$way: $(cat table)"
done
grep -q 'on no GPU at all' table || fail "the GPU's name: $(cat table)"
[ "$(grep -c 'measured' err)" = 2 ] || fail "what measuring cost: $(cat err)"
timeout 120 "$build/gpusim" validate --kind sharing pair.json --device h100-vm >found 2>err || fail "the recording: $(cat err)"
grep -q 'time slices  *2 ' found || fail "the recording: $(cat found)"

# One request at a time: none begins before the one before has ended.
# shellcheck disable=SC2086
timeout 60 "$runner" $tasks --share exclusive --report exclusive.json >text 2>err || fail "exclusive: $(cat err)"
grep -q 'Overlap' text && fail "a figure that nobody measured: $(cat text)"
python3 - exclusive.json <<'E2' || fail 'exclusive: requests overlap'
import json, sys
spans = sorted(s for t in json.load(open(sys.argv[1]))["tasks"] for s in zip(t["start_us"], t["end_us"]))
assert len(spans) >= 9 and all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), spans
E2

# A profile file, and a policy that uses it; arrivals, a deadline, threads of one process, a built-in workload with its own kernels.
# shellcheck disable=SC2086
timeout 60 "$runner" $tasks --measure profile.json >out 2>err || fail "measure: $(cat err)"
grep -q '"kernel_us": ' profile.json || fail "profile: $(cat profile.json)"
# shellcheck disable=SC2086
timeout 60 "$runner" $tasks --share fikit --profile profile.json >out 2>err || fail "profile: $(cat err)"
timeout 60 "$runner" --task urgent.json,name=a,requests=5,arrival=poisson:200,deadline_us=1 --task busy.json,arrival=periodic:3000,requests=4,process=2 \
    --task img,size=200,requests=3,process=2 --share timeslice --report arrivals.json >out 2>err || fail "arrivals: $(cat err)"
python3 - arrivals.json <<'E2' || fail 'arrivals'
import json, sys
tasks = json.load(open(sys.argv[1]))["tasks"]
assert [t["requests"] for t in tasks] == [5, 4, 3] and tasks[0]["late"] == 5, tasks
assert tasks[1]["arrival_us"] == [0, 3000, 6000, 9000], tasks[1]["arrival_us"]
E2

# MPS: a daemon of its own, which ends with the run; none there; the caller's.
mkdir path
cat >path/nvidia-cuda-mps-control <<'E2'
#!/bin/sh
if [ "${1:-}" = -d ]; then touch "$CUDA_MPS_PIPE_DIRECTORY/control"; else cat; fi >>"$MPS_CALLS"
echo "called ${1:-}" >>"$MPS_CALLS"
E2
chmod +x path/nvidia-cuda-mps-control
# shellcheck disable=SC2086
MPS_CALLS=$work/calls PATH=$work/path:$PATH timeout 60 "$runner" $tasks --share mps --opt mps.percentage=50 >out 2>err || fail "mps: $(cat err)"
[ "$(tr '\n' ' ' <calls)" = 'called -d quit called  ' ] || fail "the daemon: $(cat calls)"
# shellcheck disable=SC2086
PATH=/usr/bin:/bin timeout 60 "$runner" $tasks --share mps >out 2>err
[ $? = 2 ] && grep -q 'is not on the path' err || fail "no daemon: $(cat err)"
# shellcheck disable=SC2086
CUDA_MPS_PIPE_DIRECTORY=$work timeout 60 "$runner" $tasks --share mps >out 2>err
[ $? = 2 ] && grep -q 'no daemon has its pipes' err || fail "no daemon of the caller's: $(cat err)"
touch control
# shellcheck disable=SC2086
CUDA_MPS_PIPE_DIRECTORY=$work timeout 60 "$runner" $tasks --share mps >out 2>err || fail "the caller's daemon: $(cat err)"

# A context that is refused once, as while the server starts, is made by a second try; one refused twice is told, with call and error. Clients
# share the server's connections.
four='--task busy.json,requests=2 --task busy.json,requests=2 --task busy.json,requests=2 --task busy.json,requests=2'
# shellcheck disable=SC2086
FAKE_CUDA_REFUSES=1 CUDA_MPS_PIPE_DIRECTORY=$work timeout 60 "$runner" $four --share mps >out 2>err || fail "a second try: $(cat err)"
# shellcheck disable=SC2086
FAKE_CUDA_REFUSES=2 CUDA_MPS_PIPE_DIRECTORY=$work CUDA_DEVICE_MAX_CONNECTIONS=32 timeout 60 "$runner" $four --share mps >out 2>err
[ $? = 1 ] && grep -q 'cudaFree(0), twice: cudaErrorMemoryAllocation: .*one of 4 MPS clients, CUDA_DEVICE_MAX_CONNECTIONS=24' err ||
    fail "a refused context: $(cat err)"

# What fails in a process is said once, and ends all of them.
timeout 60 "$runner" --task img,size=200,sched=cudagraph --task busy.json,requests=0 --share streams >out 2>err
[ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "task 'img'" err || fail "a failing task: $(cat err)"
# shellcheck disable=SC2086
FAKE_THREADS=1 timeout 60 "$runner" $tasks --share streams >out 2>err
[ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "task 'b': cannot start a host thread" err || fail "a task without a thread: $(cat err)"

# A recording is of tasks together.
# shellcheck disable=SC2086
timeout 60 "$runner" $tasks --measure again.json --recording none.json >out 2>err
[ $? = 2 ] && grep -q -e '--measure without --share' err && [ ! -e again.json ] || fail "a recording of nothing: $(cat err)"
exit $bad
