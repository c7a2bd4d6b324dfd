#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Notes of runs, as text and as JSON: a framework's time that a plan leaves out, and tgs in a run shorter than its messages.
# Run as "test_report_notes.sh SOURCE-DIR BUILD-DIR".
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"

# Two calls with 300 us between them.
cat >framework.json <<'E2'
{"schema": "gpusim-program/1", "name": "framework", "kernels": [{"name": "k", "solo_us": 10, "solo_device": "h200"}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [8], "block": [128]}, {"op": "host_compute", "us": 300, "overhead": true},
         {"op": "kernel", "kernel": "k", "grid": [8], "block": [128]}]}
E2
for sched in kesco cudagraph async serial; do
    "$gpusim" --workload framework.json --sched $sched --device h200 --report report.json >out 2>err || fail "$sched: $(cat err)"
    note="$sched captures or compiles the program once: a framework's time between calls, 300.0 us an iteration, is left out"
    case $sched in
    kesco | cudagraph)
        grep -qxF "  Note         $note" out || fail "$sched: $(cat out)"
        grep -qF "\"notes\": [\"$note\"]" report.json || fail "$sched: not in the report"
        ;;
    *)
        grep -q 'is left out' out report.json && fail "$sched: $(cat out)"
        ;;
    esac
done

# Messages each 5 s, a run of some ms; each 10 us.
pair='--task framework.json,name=a,requests=20 --task framework.json,name=b,priority=5,requests=20 --device h200'
note='tgs: 0 messages'
# shellcheck disable=SC2086 # words
"$gpusim" compare $pair --share tgs,mps >out 2>err || fail "compare: $(cat err)"
[ "$(grep -c '^  Note: ' out)" = 2 ] && grep -q "^  Note: $note" out && grep -q '^  Note: p99 of fewer than 100 requests' out || fail "compare: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" compare $pair --share tgs,mps --report - >out 2>err || fail "compare: $(cat err)"
[ "$(grep -c '"notes"' out)" = 1 ] && python3 -m json.tool out >/dev/null || fail "compare, JSON: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" $pair --share tgs --report report.json >out 2>err || fail "run: $(cat err)"
grep -q "^  Note  *$note" out && grep -q "\"notes\": .\"$note" report.json || fail "run: $(cat out)"
# shellcheck disable=SC2086
"$gpusim" $pair --share tgs --opt tgs.message_us=100 >out 2>err || fail "quick messages: $(cat err)"
grep -q '^  Note' out && fail "quick messages: $(cat out)"
# A grid that is packed on the SMs which others left: DL without prefetch, not with it, where inputs arrive one after the other.
"$gpusim" --workload dl --size 14k --sched kesco --prefetch off --iterations 2 >out 2>err || fail "packed: $(cat err)"
grep -q '^  Note  *conv2d stands on [0-9]* of 108 SMs for .*: others held the rest when it started' out || fail "packed: $(cat out)"
"$gpusim" --workload dl --size 14k --sched serial --prefetch off --iterations 2 >out 2>err || fail "packed: $(cat err)"
grep -q 'stands on' out && fail "one after the other: $(cat out)"

# A wait that the program tells as no work of the host's is no call of 0 us: one row of 7 us.
cat >waits.json <<'E2'
{"schema": "gpusim-program/1", "name": "waits", "kernels": [{"name": "k", "solo_us": 10, "solo_device": "h200"}], "guesses": ["the grid is taken as 8"],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [8], "block": [128], "stream": 0, "after": []}, {"op": "host_compute", "us": 0, "after": [0]},
         {"op": "kernel", "kernel": "k", "grid": [8], "block": [128], "stream": 0, "after": []}, {"op": "host_compute", "us": 7, "overhead": true, "what": "own"}]}
E2
"$gpusim" --workload waits.json --sched async --device h200 >out 2>err || fail "waits: $(cat err)"
grep -q '^  host work  *1   7.000 us' out || fail "waits: $(cat out)"
# A framework's time that has a name is no less in the run.
! grep -q 'left out' out || fail "a named time: $(cat out)"

# So is a guess of a server's steps, and of a sweep's programs.
echo '{"schema": "gpusim-serving/1", "slots": 1, "steps": {"prefill": {"9": "waits.json"}, "decode": {"1": "waits.json"}}, "requests": [{"arrival_us": 0, "prompt": 9, "output": 2}]}' >server.json
"$gpusim" serve server.json --device h200 --report served.json >out 2>err || fail "serve: $(cat err)"
grep -q '^  Note  *the grid is taken as 8' out && grep -q '"notes": ."the grid is taken as 8".' served.json || fail "serve: $(cat out)"
"$gpusim" serve server.json --device h200 --batching continuous,chunked >out 2>err && grep -q '^note: the grid is taken as 8' out || fail "serve: $(cat err out)"
"$gpusim" sweep --workload waits.json --sched async --device h200 --out swept.db >out 2>err || fail "sweep: $(cat err)"
[ "$(grep -c "note: 'waits.json': the grid is taken as 8" err)" = 1 ] || fail "sweep: $(cat err)"

# What is guessed stands in every output: as text and as JSON, of a program, tasks, a comparison, a question, in a program file.
awk 'BEGIN { printf "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 1, \"world_size\": 4}, \"traceEvents\": ["
    for (i = 0; i < 12; i++) {
        printf "%s{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 4, \"args\": {\"correlation\": %d}},", i ? "," : "", 30 * i, i + 1
        name = i % 4 == 3 ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "k"
        more = i % 4 == 3 ? "\"Collective name\": \"allreduce\", \"In msg nelems\": 1048576, \"Out msg nelems\": 1048576, \"dtype\": \"Float\", \"Group size\": 4, \"Process Group Name\": \"0\", \"Process Group Ranks\": \"[0, 1, 2, 3]\", " : ""
        printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 20, \"args\": {%s\"correlation\": %d, \"stream\": 7, \"device\": 0, \"grid\": [16, 1, 1], \"block\": [256, 1, 1]}}", name, 30 * i + 6, more, i + 1 }
    print "]}" }' >unnamed.json
cat >sizes.cu <<'E2'
__global__ void f(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = a[i] * 2 + 1; }
int main(int argc, char **argv)
{
    int n = argc * 1000 + argv[1][0];
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    f<<<(n + 255) / 256, 256>>>(a, n);
    cudaDeviceSynchronize();
}
E2
# told TEXT ARGUMENTS...: on standard output, as text and as JSON. JSON: the option that asks for it.
told() {
    text=$1
    shift
    for form in '' "$json -"; do
        # shellcheck disable=SC2086
        "$gpusim" "$@" $form >out 2>err || fail "$* $form: $(cat err)"
        tr -s ' \n' '  ' <out | grep -qF -- "$text" || fail "$* $form: '$text' is not in it"
    done
}
json=--report
told 'the grid is taken as 8' --workload waits.json --sched async --device h200
told 'the grid is taken as 8' --task waits.json --task waits.json,name=b --share mps --device h200
told 'the grid is taken as 8' compare --workload waits.json --sched serial,async --device h200
for text in 'the trace does not name its GPU: a100-sxm4-40gb taken' 'rank 1 of 4 alone: how long it waits for the others is not known'; do
    told "$text" --task unnamed.json --share mps
    told "$text" compare --task unnamed.json --share mps,streams
done
if ! "$gpusim" import cuda sizes.cu -o sizes.json 2>&1 | grep -q 'built without libclang'; then
    told "the size of 'a' is not known" --workload sizes.cu --sched async
    told "the size of 'a' is not known" --workload sizes.json --sched async
    told "the size of 'a' is not known" compare --workload sizes.cu --sched serial,async
    told "the size of 'a' is not known" --task sizes.cu --share mps
    json=--json
    for question in explain whatif 'ask compare' 'ask sweep'; do
        # shellcheck disable=SC2086
        told "the size of 'a' is not known" $question sizes.cu
    done
fi
json=--json
told 'the trace does not name its GPU: h200 taken' explain unnamed.json
told 'the trace does not name its GPU: h200 taken' whatif unnamed.json --change launch=2x
told 'rank 1 of 4 alone' explain unnamed.json
told 'rank 1 of 4 alone' whatif unnamed.json --change launch=2x
told 'rank 1 of 4 alone' ask explain unnamed.json
told 'the grid is taken as 8' explain waits.json --device h200
"$gpusim" import unnamed.json -o kept.json 2>err || fail "import: $(cat err)"
json=--report
told 'the trace does not name its GPU: h200 taken' --workload kept.json --sched async --device h200
# A server's steps, too.
cat >steps.json <<'E2'
{"schema": "gpusim-serving/1", "slots": 4, "batching": "continuous", "steps": {"prefill": {"64": "unnamed.json"}, "decode": {"4": "unnamed.json"}},
 "arrivals": "poisson:50", "count": 5, "prompt": 32, "output": 3}
E2
told 'the trace does not name its GPU' serve steps.json
[ $failures = 0 ]
