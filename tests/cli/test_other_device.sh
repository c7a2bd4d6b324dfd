#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Another GPU, another host: test_other_device.sh SOURCE-DIR BUILD-DIR. Recorded kernels of two GPUs are predicted within
# what docs/accuracy.md says, and their intervals hold nine in ten; a hand-made trace's calls are told, and its host goes
# as fast as asked.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
h100=$source_dir/traces/h100 h200=$source_dir/traces/h200

# --- kernels: mean error in %, share that intervals hold, what the rule gains at least ---
# within FILE ROW MEAN: the row's mean is at most that, shipped and left out; both intervals' shares at least 0.9 and 0.85.
within() {
    grep "^$2" "$1" | sed 's/^[a-z'"'"' ]*//' |
        awk -v most="$3" '{ n = $1; ok = $2 <= most && $7 <= most + 1 && $6 >= 0.9 * n && $9 >= 0.85 * n } END { exit !ok }' ||
        fail "$1: $2: more than $3 % off, or intervals that do not hold: $(cat "$1" err)"
}
compare() {
    "$gpusim" validate "$h100/$1.json.gz" --device h100-vm --again "$h200/$1.json.gz" --other-device h200-vm \
        ${2:+--kernels "$2"} >text 2>err || fail "$1: $(cat err)"
}
for set in made library; do
    compare unlike/$set "$h100/unlike/${set}_ncu.csv.gz"
    within text 'ncu' 5
    grep "^ncu" text | grep -q '\[+' || fail "$set: the rule's gain may be nothing: $(cat text)"
done
within text 'times alone' 5.5
# sums of traces that launch the same: within 5 %, and in the interval
for trace in eager compiled compiled_graphs threads; do
    compare steps/$trace
    sed -n 's/^  all of the trace: \([0-9.]*\) us there, \([0-9.]*\) predicted, \([0-9.]*\) to \([0-9.]*\) .*/\1 \2 \3 \4/p' text |
        awk '{ off = $2 / $1 - 1; ok = off < 0.05 && off > -0.05 && $1 >= $3 && $1 <= $4 } END { exit !ok }' ||
        fail "$trace: $(cat text)"
done
refuses() { want=$1; shift; "$gpusim" "$@" >text 2>&1 && fail "$*: not refused"; grep -q -- "$want" text || fail "$*: $(cat text)"; }
refuses 'expected one FILE, and --again' validate "$h100/unlike/made.json.gz" --device h100-vm --other-device h200
refuses 'eager.json.gz. was recorded on h200, not on l40s' validate "$h100/steps/eager.json.gz" --device h100-vm \
    --again "$h200/steps/eager.json.gz" --other-device l40s
refuses '--half: has no effect' validate "$h100/unlike/made.json.gz" --again "$h200/unlike/made.json.gz" --device h100-vm \
    --other-device h200 --half odd

# --- a host, by hand: 12 launch calls of 5, 6 and 7 us, 20 us apart; an idle synchronise of 3 us ---
awk 'BEGIN {
    printf "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", "
    printf "\"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132}], \"traceEvents\": ["
    for (i = 0; i < 12; i++) {
        printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, "
        printf "\"ts\": %d, \"dur\": %d, \"args\": {\"correlation\": %d}},\n", 1000 + 20 * i, 5 + i % 3, i + 1
        printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 2, \"args\": ", 1008 + 20 * i
        printf "{\"correlation\": %d, \"device\": 0, \"stream\": 7, \"grid\": [8, 1, 1], \"block\": [128, 1, 1], ", i + 1
        printf "\"registers per thread\": 32, \"shared memory\": 0}},\n"
    }
    printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaDeviceSynchronize\", \"pid\": 1, \"tid\": 1, "
    printf "\"ts\": 1240, \"dur\": 3, \"args\": {\"correlation\": 99}}]}\n"
}' >hand.json
"$gpusim" calibrate --host hand.json -o host.json 2>err || fail "calibrate --host: $(cat err)"
grep -q '"launch_us": 6.0*, "sync_idle_us": 3.0*}' host.json || fail "calls of 6 and 3 us: $(cat host.json)"
grep -q '"profiled": true' host.json || fail "a profiler's trace: $(cat host.json)"
refuses 'and of a server nothing: expected launch_us' serve "$h100/serving/same_60.json.gz" --host host.json
sed 's/"profiled"/"between_us": 9, "profiled"/' host.json >both.json
"$gpusim" serve "$h100/serving/same_60.json.gz" --requests 3 --host both.json >out 2>err || fail "a host of both: $(cat err)"
# The 12 launches and 11 times between them fill the step: host-bound, so it goes as the host.
step() { "$gpusim" explain hand.json --profiler-overhead keep "$@" 2>err | sed -n 's/^a step now: \([0-9.]*\) us.*/\1/p'; }
as_is=$(step)
ratio() { awk -v a="$2" -v b="$as_is" -v want="$1" 'BEGIN { r = a / b; exit !(r > want - 0.04 * want && r < want + 0.04 * want) }' ||
    fail "$3: $2 us of $as_is, $1 times expected: $(cat err)"; }
ratio 0.5 "$(step --host-speed 2)" 'twice as fast'
ratio 1 "$(step --host host.json)" 'its own host'
sed 's/"launch_us": 6.0*/"launch_us": 12/' host.json >slow.json
ratio 2 "$(step --host slow.json)" 'launch calls of 12 us'
grep -q 'take 2 times as long' err || fail "nothing is said of the host: $(cat err)"
"$gpusim" --task hand.json --host-speed 0.5 2>err >slow || fail "task: $(cat err)"
"$gpusim" --task hand.json 2>err >plain || fail "task: $(cat err)"
span() { sed -n 's/^  Makespan *\([0-9.]*\) us.*/\1/p' "$1"; }
as_is=$(span plain)
ratio 2 "$(span slow)" 'a task on half the speed'
refuses '--host-speed: expected without --host' explain hand.json --host h200 --host-speed 2
refuses '--host-speed: expected a number' explain hand.json --host-speed 0
refuses 'no task is one' --task vec --host h200
refuses 'applies to profilers' explain vec --host h200

# --- every way to another GPU says what was scaled, whose host it is, and what nobody measured ---
says() { "$gpusim" "$@" >text 2>&1 || fail "$*: $(cat text)"; tr -s ' \n' ' ' <text | grep -q "$want" || fail "$*: no '$want': $(cat text)"; }
want='on l40s, [0-9.]* to [0-9.]*; the host is h100-vm.s; its memory.s rate is assumed'
says explain hand.json --device l40s
want="timed on h100-vm: .* on l40s, [0-9.]* to [0-9.]*; its memory.s rate is assumed"
says --task hand.json --device l40s
want="its memory.s rate is assumed"
says whatif hand.json --change device=l40s
says serve "$h100/serving/same_60.json.gz" --requests 3 --device l40s --report serve.json
grep -q '"steps_were": "recorded on h100-vm: ' serve.json || fail "serve's report does not say what was scaled"
grep -q '^  Steps were   recorded on h100-vm: ' text || fail "serve's table does not say what was scaled: $(cat text)"
want='of rank 0, as of each: recorded on h100-vm: .* on h200-vm, [0-9.]* to [0-9.]*'
says explain "$h100/several/kineto_tp_r0.json.gz" "$h100/several/kineto_tp_r1.json.gz" --device h200-vm
# the task's host is the trace's: as long on an H200 beside it, but for the kernels
"$gpusim" --task hand.json --device h200-vm >other 2>err || fail "task: $(cat err)"
ratio 1 "$(span other)" 'a task beside its own host'
[ "$failures" = 0 ]
