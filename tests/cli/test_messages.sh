#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong is refused: exit status 2, one line that says what was expected and found, nothing on the standard output and no
# file. A row each: the arguments, or the change of a right file, and the message. test_messages.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# shellcheck source=tests/paper.sh
. "$source_dir/tests/paper.sh"
on='--device ./paper.json --memory pinned'
echo "{\"schema\": \"gpusim-program/1\", \"name\": \"p\", \"kernels\": [{\"name\": \"k\", \"solo_us\": 9, \"solo_device\": \"paper\", \"regs_per_thread\": 32}], \"ops\": [{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [4], \"block\": [64]}]}" >p.json
echo '{"schema": "gpusim-ranks/1", "node": "h100-vm-x2", "ranks": [{"program": "p.json"}, {"program": "p.json"}]}' >ranks.json
echo '{"schema": "gpusim-node/1", "name": "n", "devices": [{"name": "gpu", "count": 2, "device": "./paper.json", "at": "sw"}], "switches": ["sw"], "links": [{"ends": ["host", "sw"], "gbps": 8, "latency_us": 1}]}' >n.json
echo '{"schema": "gpusim-serving/1", "slots": 4, "host": {"jitter": 0, "stalls_per_s": 0, "launch_us": 0, "node_us": 0, "between_us": 0, "request_us": 0}, "steps": {"prefill": {"128": "p.json"}, "decode": {"4": "p.json"}}, "requests": [{"arrival_us": 0, "prompt": 128, "output": 3}]}' >s.json
echo '{"schema": "gpusim-tasks/1", "tasks": [{"program": "p.json", "name": "p", "requests": 2}]}' >tasks.json
: >empty.txt
printf '5\n4\n' >back.txt
echo '__global__ void k(float *x) { x[0] = 1; } int main() { float *x; cudaMalloc(&x, 4); k<<<1, 32>>>(x); cudaDeviceSynchronize(); }' >s.cu
# shellcheck disable=SC2086
"$gpusim" sweep --workload p.json --sched serial --vary seed=1:2 $on --out r.db >out 2>err || fail "sweep: $(cat err)"
# shellcheck disable=SC2086
"$gpusim" --workload p.json --sched serial $on --trace t.json --report rep.json >out 2>err || fail "run: $(cat err)"
# Ranks of traces: RANK of WORLD.
for rank in 0.1 2.2 1.2 0.2 0.3; do sed "s/^{/{\"distributedInfo\": {\"rank\": ${rank%.*}, \"world_size\": ${rank#*.}},/" t.json >rank$rank.json; done
cp rank1.2.json other1.2.json
rows=0
# refused MESSAGE ARGUMENT...
refused() {
    message=$1
    rows=$((rows + 1))
    shift
    "$gpusim" "$@" >out 2>err
    status=$?
    [ $status = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "gpusim: $message" err ||
        fail "gpusim $*: status $status, expected 2 and \"$message\", found: $(cat out err)"
}
touch before && ls >before

while IFS='|' read -r arguments message; do
    # shellcheck disable=SC2086
    refused "$message" $arguments
done <<'EOF'
check|'check' tests the source tree: run ./gpusim check there
compare --ranks ranks.json --workload p.json --sched serial|--workload: the file of --ranks names the programs
compare --workload p.json --sched serial --place round-robin --device ./paper.json|--place: applies to several GPUs (--gpus, --node), not to one GPU
compare --task p.json,copies=2:3 --task p.json,copies=4:5 --share streams|--task: expected one range of copies, found two
plot lines r.db --where seed=9|no rows are left: see --where
plot timeline rep.json rep.json|timeline: expected one report or trace, found 2 files
plot lines r.db --log z|--log: expected x, y, xy or none, found 'z'
plot clients rep.json --series x|--series: applies to jct, not to clients
plot lines r.db --where seed=1|nothing varies that is a number: expected --x COLUMN
plot heatmap r.db --x seed --where seed=1|only seed varies: expected --y COLUMN
plot speedup r.db --base nothing|--base: no rows of the scheduler 'nothing' to compare with
import kineto t.json --copies some -o o.json|--copies: expected rate, recorded or modelled, found 'some'
import kineto t.json --depends some -o o.json|--depends: expected stream, data or none, found 'some'
import kineto t.json --range 1: -o o.json --device ./paper.json|cannot read 't.json': --range: expected a first work below 1, found 1
import kineto t.json --range 1:0 -o o.json|--range: expected FIRST:LAST, two numbers in ascending order, found '1:0'
import cuda s.cu --run-limit 3 -o o.json|--run-limit: applies where the source is run (--run)
run --workload p.json --sched serial --ranks 0|--ranks: expected 1 to 65536 ranks, found '0'
run --ranks ranks.json --workload p.json --sched serial|--workload: the file of --ranks names the programs
run --ranks 3 --workload p.json --node h100-vm-x2 --sched serial|3 ranks, and 1 node of 2 GPUs: expected a GPU for each rank
schedule s.cu --run-limit 3 --sched kesco|--run-limit: applies where the source is run (--run, --check)
run --task p.json,arrival=back.txt --share streams|--task p.json,arrival=back.txt: arrival=back.txt: time 2: expected microseconds that do not go back, found 4
run --task p.json,arrival=empty.txt --share streams|--task p.json,arrival=empty.txt: arrival=empty.txt: expected times, found none
run --task p.json,arrival=poisson:0 --share streams|--task p.json,arrival=poisson:0: arrival=poisson:0: expected a number above 0 behind the colon
run --task p.json,arrival=periodic:x --share streams|--task p.json,arrival=periodic:x: arrival=periodic:x: expected a number above 0 behind the colon
run --task p.json,name= --share streams|--task p.json,name=: name: expected something behind the =
run --task ,name=x --share streams|--task ,name=x: expected PROGRAM[,KEY=VALUE]..., found ',name=x'
run --task p.json,gpu=1 --share streams|--task p.json,gpu=1: gpu=1: there is 1 (--gpus, --node)
run --task p.json,gpu=2 --share streams --gpus 2|--task p.json,gpu=2: gpu=2: there are 2 (--gpus, --node)
run --task p.json,copies=2:3 --share streams|--task: copies=2:3: a range is for gpusim compare
run --task p.json,requests=1000001 --share streams|--task p.json,requests=1000001: requests: expected an integer from 0 to 1000000, found '1000001'
run --task p.json -DX=1 --share streams|-D, --arg, -I, --entry: for CUDA sources, and no task is one
run --workload vec --size 1,2 --sched serial|--size: expected one size, found '1,2' (several: gpusim sweep --vary size=1,2)
run --workload p.json --sched serial --opt nothing.x=1|--opt nothing.x: expected a scheduler, gpu, device or rule before the dot, found 'nothing'
run --workload p.json --sched serial --opt kesco.streams=1|--opt kesco.streams: the scheduler kesco is not used here
run --workload p.json --sched plan|unknown scheduler 'plan' (see gpusim list schedulers)
run --workload pipeline --opt pipeline.stages=4 --sched serial|pipeline: a collective is of rank 1, and there is 1 (gpusim --ranks FILE)
sweep --workload p.json --sched serial --vary seed=1:3 --sample-seed 3 --out x.db|--sample-seed: expected --samples N with it
sweep --workload p.json --sched serial --vary seed=1:3 --timeout 0 --out x.db|--timeout: expected seconds from 0.001 on, found '0'
sweep --workload p.json --sched serial --vary seed=1:3 --out r.db|'r.db' is there already: --resume adds what it does not have yet, --out FILE names another
sweep --workload p.json --sched serial --vary seed=1:3 --seed 4 --out x.db|--vary: seed: --seed gives it, too
sweep --workload p.json --sched serial --vary device.launch_us=1:3:1 --out x.db|--vary: device.launch_us: range '1:3:1': expected +STEP, xFACTOR (above 1, from a start above 0), linN, logN,
sweep --workload p.json --sched serial --vary device.launch_us= --out x.db|--vary: expected NAME=VALUES, found 'device.launch_us='
sweep --workload p.json --sched serial --vary device.launch_us=1:3:lin --out x.db|--vary: device.launch_us: range '1:3:lin': expected a whole number from 2 on behind lin or log
sweep --workload p.json --sched serial --vary device.launch_us=1:3:lin1 --out x.db|--vary: device.launch_us: range '1:3:lin1': expected a whole number from 2 on behind lin or log
sweep --workload p.json --sched serial --vary device.launch_us=3:1:2 --out x.db|--vary: device.launch_us: range '3:1:2': ends below its start
sweep --workload p.json --sched serial --vary device.launch_us=0:1:log3 --out x.db|--vary: device.launch_us: range '0:1:log3': a logarithm needs a start above 0
sweep --workload p.json --sched serial --vary nothing=1,2 --out x.db|--vary: unknown name 'nothing' (an option of gpusim run, SCHED.PARAMETER, device.NUMBER or gpu.NAME)
sweep --workload p.json --sched serial --vary =3 --out x.db|--vary: expected NAME=VALUES, found '=3'
sweep --workload p.json --sched serial --vary iterations=0,1 --device ./paper.json --out x.db|--iterations: expected an integer from 1 to 1000000, found '0'
sweep --workload p.json --sched serial --vary rule.l2=on,off --out x.db|--vary: unknown rule 'l2', did you mean 'l2_reuse'? (see gpusim list rules)
sweep --workload p.json --sched serial --vary device.nothing=1,2 --out x.db|--vary: unknown number 'device.nothing' (see gpusim list devices --long)
sensitivity --workload p.json --sched serial --device ./paper.json --memory pinned --numbers stream_create_us|--numbers: expected some that are not 0 on this device, found 'stream_create_us'
sensitivity --workload p.json --sched serial --numbers nothing|--numbers: unknown number 'nothing' (see gpusim list devices --long)
serve s.json --device ./paper.json --report o.json --rate 1,2|--report: of one run alone; --csv FILE writes the table
serve s.json --device ./paper.json --rate 0|--rate: expected requests per second (1e-9 to 1e9) or FROM:TO:STEP, found '0'
serve s.json --device ./paper.json --rate most|--rate most: expected limits: --within ttft=200ms,tpot=30ms
serve s.json --device ./paper.json --rate most --within ttft=3|--rate: rate: of requests over time: all 1 arrive at once
serve s.json --device ./paper.json --arrivals poisson:0|--arrivals: arrivals: expected poisson:RATE, gamma:RATE,cv=CV or a file, found 'poisson:0'
serve s.json --device ./paper.json --arrivals gamma:3|"prompt": expected how many tokens drawn requests have, found nothing
serve s.json --device ./paper.json --prefill-beside never|--prefill-beside: expected same, stream, urgent, partition or mps, found 'never'
serve s.json --device ./paper.json --router prefix|--router: of several servers: expected --replicas, found one server
serve s.json --device ./paper.json --within ttft=-1|--within: expected ttft=TIME,tpot=TIME, found 'ttft=-1'
serve s.json --device ./paper.json --within speed=1|--within: expected ttft=TIME,tpot=TIME, found 'speed=1'
step s.json|expected gpusim step SPEC.json KIND SIZE, or gpusim step SPEC.json --listen
step s.json decode --device ./paper.json|expected KIND SIZE, such as decode 8, found "decode "
step s.json decode 0 --device ./paper.json|expected KIND SIZE, such as decode 8, found "decode 0 "
step s.json decode 5 --device ./paper.json|decode 5: no bucket is large enough
step s.json code 4 --device ./paper.json|expected prefill, decode, draft or verify, found "code"
step s.json decode 4@100 --device ./paper.json|decode 4: steps that are programs have no context
step s.json decode 4@ --device ./paper.json|expected the end of the line, found "@ "
step s.json decode 4 beside decode 4 --device ./paper.json|beside: expected a prefill
step s.json decode 4 beside prefill --device ./paper.json|expected KIND SIZE, such as decode 8, found "prefill "
step s.json decode 4 beside prefill 128 beside prefill 128 --device ./paper.json|expected the end of the line, found "beside prefill 128 "
step s.json prefill 129 --device ./paper.json|prefill 129: no bucket is large enough
step s.json decode 4 prefill 128 --device ./paper.json|expected the end of the line, found "prefill 128 "
step s.json decode 4 --node pcie-x4 --device ./paper.json|--node: of tensor parallel steps: expected steps.profile with tensor_parallel, found a step on one GPU
reproduce kesco --only nothing|--only: expected figures (average, average-prefetch, plan, timeline), devices or workloads of what is reproduced, found 'nothing'
reproduce kesco --only plan,plans|--only: expected figures (average, average-prefetch, plan, timeline), devices or workloads of what is reproduced, found 'plans', did you mean 'plan'?
reproduce kesco --scale launch_us|--scale: expected NUMBER=FACTOR with a positive factor, found 'launch_us'
reproduce kesco --scale launch_us=0|--scale: expected NUMBER=FACTOR with a positive factor, found 'launch_us=0'
reproduce kesco --scale launch_us=2000000|--scale: expected NUMBER=FACTOR with a positive factor, found 'launch_us=2000000'
reproduce kesco --scale launch_us=2x|--scale: expected NUMBER=FACTOR with a positive factor, found 'launch_us=2x'
reproduce kesco --scale launch=2|--scale: expected a number of the devices, found 'launch', did you mean 'launch_queue_depth'? (see gpusim list devices --long)
ask what p.json|expected gpusim ask QUESTION ..., one of explain, whatif, compare, spread, best, schedule, sweep, sensitivity, ablate, validate, found what
ask|expected gpusim ask QUESTION ..., one of explain, whatif, compare, spread, best, schedule, sweep, sensitivity, ablate, validate, found nothing
ask ablate p.json --words nothing|ablate: unknown rule 'nothing' (see gpusim list rules)
ask explain p.json --words nothing|unknown change 'nothing': expected graph, dag, nosync,
ask compare p.json --words nothing|unknown scheduler 'nothing': expected one of serial, async,
explain p.json --task p.json|'p.json': --task names what runs
explain rank0.1.json rank1.2.json|cannot read 'rank0.1.json': expected a trace that says its rank (distributedInfo), of 2 or more
explain rank1.2.json rank2.2.json|cannot read 'rank2.2.json': expected a trace that says its rank (distributedInfo), of 2 or more
explain rank1.2.json other1.2.json|'other1.2.json' is of rank 1, and so is 'rank1.2.json'
explain rank1.2.json rank0.3.json|'rank0.3.json' is one of 3 ranks, 'rank1.2.json' of 2
whatif p.json --change overlap=maybe|--change overlap: expected overlap=on or overlap=off
results r.db --columns nothing|no column, axis or option 'nothing' in this file (see gpusim results --help)
results r.db --group nothing|no column, axis or option 'nothing' in this file (see gpusim results --help)
results r.db --base seed=9|--base seed=9: no row of the file has that
results r.db --limit -1|--limit: expected a number of rows, found '-1'
explain t.json --steps 1:0|--steps: expected FROM:TO, two numbers in ascending order, found '1:0'
explain t.json --time 5:4|--time: expected FROM:TO, two times such as 250us, 1.5ms or 2s in ascending order (us without a unit), found '5:4'
explain t.json --between nothing --device ./paper.json|cannot read 't.json': expected the annotation nothing, found none in the trace
explain t.json --rank 3 --device ./paper.json|cannot read 't.json': expected one of the trace's GPUs (GPU 0), found rank 3
explain t.json --step-time 0|--step-time: expected a time such as 250us, 2.25ms or 1s (us without a unit), found '0'
explain t.json --host-speed 0 --device ./paper.json|--host-speed: expected a number from 0.01 to 100, found '0'
validate t.json --other-device v100|--other-device: expected one FILE, and --again FILE of that device
EOF

# changed FILE ARGUMENT...: refused with the file changed by each row of the standard input.
changed() {
    file=$1
    shift
    while IFS='|' read -r change message; do
        sed "$change" "$file" >q.json
        cmp -s "$file" q.json && fail "$change changes nothing"
        refused "$message" "$@"
    done
    rm -f q.json
}
# shellcheck disable=SC2086
changed p.json --workload q.json --sched serial $on <<'EOF'
s/"name": "p"/"name": "p", "iterations": 0/|cannot read 'q.json': iterations: expected a positive integer, found 0
s/"name": "k"/"name": ""/|cannot read 'q.json': kernels[0].name: expected text of 1 to 255 bytes without control characters, found ""
s/"grid": \[4\]/"grid": [0]/|cannot read 'q.json': ops[0].grid[0]: expected a positive integer, found 0
s/"grid": \[4\]/"grid": [4, 1, 65536]/|cannot read 'q.json': ops[0].grid[2]: expected an integer from 1 to 65535, found 65536
s/"block": \[64\]/"block": [1025]/|cannot read 'q.json': ops[0].block[0]: expected an integer from 1 to 1024, found 1025
s/"block": \[64\]/"block": [64], "priority": "high"/|cannot read 'q.json': ops[0].priority
s/"regs_per_thread": 32/"regs_per_thread": 32, "cluster": [3]/|cannot read 'q.json': kernels[0] 'k': cluster: expected to divide the grid of 4 x 1 x 1, found 3 x 1 x 1
s/"block": \[64\]/"block": [64], "device": 1/|p: ops[0] is for GPU 1, and there is 1 (--gpus)
s/"solo_us": 9/"solo_us": 1e13/|cannot read 'q.json': kernels[0].solo_us: expected a number from 0 to 1e+10, found 1e13
s/"kernel": "k"/"kernel": "j"/|cannot read 'q.json': ops[0].kernel: expected the name of a kernel, found "j"
s/"op": "kernel"/"op": "colonel"/|cannot read 'q.json': ops[0].op: expected "kernel", "copy", "prefetch", "host_write", "host_read", "host_compute", "synchronize" or "collective", found "colonel"
s/"block": \[64\]/"block": [64], "reads": ["x"]/|cannot read 'q.json': ops[0].reads[0]: expected the name of a buffer, found "x"
s/"block": \[64\]/"block": [64], "after": [0]/|cannot read 'q.json': ops[0].after[0]: expected nothing, as there is no earlier op, found 0
s/"block": \[64\]/"block": [64], "stream": -1/|cannot read 'q.json': ops[0].stream: expected an integer from 0 to 65535, found -1
s/"ops": \[/"ops": [{"op": "kernel", "kernel": "k", "grid": [1], "block": [1], "after": []}, {"op": "kernel", "kernel": "k", "grid": [1], "block": [1], "after": [1]}, /|cannot read 'q.json': ops[1].after[0]: expected
s/"ops": \[/"buffers": [{"name": "", "bytes": 4}], "ops": [/|cannot read 'q.json': buffers[0].name: expected text of 1 to 255 bytes without control characters, found ""
s/"ops": \[/"buffers": [{"name": "x", "bytes": 0}], "ops": [/|cannot read 'q.json': buffers[0].bytes: expected a positive integer, found 0
s/"ops": \[/"buffers": [{"name": "x", "bytes": 4}, {"name": "x", "bytes": 4}], "ops": [/|cannot read 'q.json': buffers[1].name: the name "x" is given twice
s/"ops": \[/"ops": [{"op": "host_compute", "us": 1e11}, /|cannot read 'q.json': ops[0].us: expected a number from 0 to 1e+10, found 1e11
s/"ops": \[/"ops": [{"op": "copy", "kind": "up", "buffer": "x"}, /|cannot read 'q.json': ops[0].kind: expected "h2d", "d2h", "d2d" or "p2p", found "up"
s/"ops": \[/"ops": [{"op": "collective", "kind": "sum", "bytes": 4}, /|cannot read 'q.json': ops[0].kind: expected "all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all", "send", "recv" or "send_recv", found "sum"
s/"ops": \[/"ops": [{"op": "synchronize", "stream": 3, "unknown": true}, /|cannot read 'q.json': ops[0].unknown: a "synchronize" has no such field
EOF
changed n.json list nodes ./q.json <<'EOF'
s/"gbps": 8/"gbps": 8, "kind": "bus"/|node './q.json': links[0].kind: expected pcie, socket, network, nvlink or peer, found "bus"
s/"gbps": 8/"gbps": 8, "sharing": "never"/|node './q.json': links[0].sharing: expected each-way or both-ways, found "never"
s/"gbps": 8/"gbps": [8]/|node './q.json': links[0].gbps: expected a number above 0, or two: from the first end to the second, and back, found a list
s/"gbps": 8/"gbps": 0/|node './q.json': links[0].gbps: expected a number above 0, or two: from the first end to the second, and back, found 0
s/"gbps": 8,//|node './q.json': links[0].gbps: expected a number above 0, or two: from the first end to the second, and back, found nothing
s/"ends": \["host", "sw"\]/"ends": ["host", "tv"]/|node './q.json': links[0].ends: expected the name of a device, a switch, host or network, found "tv"
s/"ends": \["host", "sw"\]/"ends": ["host"]/|node './q.json': links[0].ends: expected two names, found a list
s/"ends": \["host", "sw"\]/"ends": ["sw", "sw"]/|node './q.json': links[0].ends: expected two different ones, found a list
s/"at": "sw"/"at": "tv"/|node './q.json': devices[0].at: expected the name of a device, a switch, host or network, found "tv"
s/"count": 2/"count": 0/|node './q.json': devices[0].count: expected an integer from 1 to 16384, found 0
s/"switches": \["sw"\]/"switches": ["sw", "sw"]/|node './q.json': switches[1]: another thing is called 'sw'
s/"switches": \["sw"\]/"switches": ["host"]/|node './q.json': switches[0]: another thing is called 'host'
s/"name": "n"/"name": "n", "peer_access": 1/|node './q.json': peer_access: expected true or false, found 1
s/"name": "n"/"name": "n", "through_host": {"gbps": 0}/|node './q.json': through_host.gbps: expected a number from 1e-06 to 1e+06, found 0
s/"links": /"routes": [{"from": "gpu0", "to": "tv", "links": []}], "links": /|node './q.json': routes[0]: expected the name of a device, a switch, host or network, found "tv"
s/"links": /"routes": [{"from": "gpu0", "to": "gpu1", "links": ["x"]}], "links": /|node './q.json': routes[0].links: expected the name of a link, found "x"
s/"devices": .*/"nodes": [{"node": "dgx-h100", "count": 2}], "network": {"topology": "ring", "gbps": 4, "latency_us": 7}}/|node './q.json': network.topology: expected crossbar, fat-tree or dragonfly, found "ring"
s/"devices": .*/"nodes": [{"node": "dgx-h100", "count": 2}], "network": {"topology": "fat-tree", "gbps": 4, "latency_us": 7, "down": [15], "up": [1], "links": [1]}}/|node './q.json': network: 16 links of nodes lead to it, and it has places for 15
s/"devices": .*/"nodes": [{"node": "dgx-h100", "count": 2}]}/|node './q.json': network: expected an object with topology, gbps, latency_us,
s/"devices": .*/"nodes": [{"node": "dgx-h100"}, {"node": ".\/n.json"}], "network": {"topology": "crossbar", "gbps": 4, "latency_us": 7}}/|node './q.json': nodes[1]: node 'n' has no link to the network
EOF
changed s.json serve q.json --device ./paper.json <<'EOF'
s/"slots": 4/"slots": 0/|cannot read 'q.json': slots: expected an integer from 1 to 4096, found 0
s/"slots": 4/"slots": 5/|steps: decode: expected a bucket for 5 slots, the largest is 4
s/"slots": 4/"slots": 4, "batching": "some"/|batching: unknown batching policy 'some': expected one of continuous, decode-first, chunked, static, disaggregated, speculative, or the path of a .so file
s/"slots": 4/"slots": 4, "prefill_beside": "never"/|cannot read 'q.json': prefill_beside: expected same, stream, urgent, partition or mps, found 'never'
s/"slots": 4/"slots": 4, "options": {"chunk": 3}/|options: batching continuous has none, found "chunk"
s/"slots": 4/"slots": 4, "batching": "chunked", "options": {"lump": 3}/|unknown option 'lump': expected one of chunk, budget
s/"slots": 4/"slots": 4, "batching": "chunked", "options": {"chunk": -1}/|option 'chunk': expected an integer from 0 to 1000000 tokens, found "-1"
s/"slots": 4/"slots": 4, "arrivals": "poisson:3"/|cannot read 'q.json': expected either "requests" or "arrivals", found both
s/, "requests": .*/}/|cannot read 'q.json': expected either "requests" or "arrivals", found neither
s/"decode": {/"code": {/|cannot read 'q.json': steps: expected prefill, decode, draft, verify or profile, found "code"
s/"4": "p.json"/"four": "p.json"/|cannot read 'q.json': steps: decode: expected a bucket's size, found "four"
s/, "decode": {"4": "p.json"}//|steps: expected programs of kind decode for batching continuous, found none
s/"4": "p.json"/"4": "nothing.json"/|decode 4: cannot read 'nothing.json': expected a profiler's trace, found no such file
s/"4": "p.json"/"4": 7/|cannot read 'q.json': steps: 4: expected a file or a workload, found 7
s/"128": "p.json"/"64": "p.json", "64": "p.json"/|cannot read 'q.json': steps: prefill: "64" stands there twice
s/"prompt": 128/"prompt": 0/|cannot read 'q.json': requests[0]: prompt: expected a number from 1 to 1e+07, found 0
s/"output": 3/"output": 0/|cannot read 'q.json': requests[0]: output: expected a number from 1 to 1e+07, found 0
s/"arrival_us": 0/"arrival_us": -1/|cannot read 'q.json': requests[0]: arrival_us: expected a number from 0 to 1e+15, found -1
s/"slots": 4/"slots": 4, "cache": {"tokens": 127, "block": 16, "bytes_per_token": 10}/|request 0 can never run: its 128 tokens do not fit the cache of 127
s/"slots": 4/"slots": 4, "cache": {"tokens": 1000, "block": 0, "bytes_per_token": 10}/|cannot read 'q.json': block: expected a number from 1 to 1e+06, found 0
s/"slots": 4/"slots": 4, "replicas": 0/|cannot read 'q.json': replicas: expected an integer from 1 to 1024, found 0
s/"slots": 4/"slots": 4, "replicas": 2, "router": "best"/|cannot read 'q.json': router: expected round-robin, least-loaded or prefix, found 'best'
s/"slots": 4/"slots": 4, "replicas": 2, "router": "prefix"/|router prefix: expected requests whose blocks are named (hash_ids), and kept
EOF
changed ranks.json --ranks q.json --sched serial --device ./paper.json <<'EOF'
s/h100-vm-x2/mixed-x2/|node 'mixed-x2': ranks need GPUs of one kind
s/h100-vm-x2/nothing/|unknown node 'nothing' (see gpusim list nodes; DEVICE-xN: N of a device)
s/"ranks": \[/"nodes": 0, "ranks": [/|cannot read 'q.json': nodes: expected an integer from 1 to 65536, found 0
s/"ranks": \[/"fold": 1, "ranks": [/|cannot read 'q.json': fold: expected true or false, found 1
s/"ranks": \[/"net_gbps": 0, "ranks": [/|cannot read 'q.json': net_gbps: expected a positive number, found 0
s/{"program": "p.json"}, /{"programme": "p.json"}, /|cannot read 'q.json': ranks[0].programme: unknown field, expected one of program, device, count
s/{"program": "p.json"}, /{"program": 3}, /|cannot read 'q.json': ranks[0].program: expected the path of a program file, found 3
s/{"program": "p.json"}, /3, /|cannot read 'q.json': ranks[0]: expected an object with program, device, count, found 3
s/, "ranks": .*/}/|cannot read 'q.json': ranks: expected a list of ranks, found nothing
s/ranks.1/ranks\/2/|cannot read 'q.json': schema: expected "gpusim-ranks/1", found "gpusim-ranks/2"
EOF
changed tasks.json run --task q.json --share streams <<'EOF'
s/\[{.*/[]}/|--task: 'q.json': tasks: expected a list of tasks
s/"requests": 2/"requests": true/|--task: 'q.json': tasks[0].requests: expected a number or a string without a comma, found true
s/"p.json"/7/|--task: 'q.json': tasks[0].program: expected a string, found 7
s/"requests": 2/"requests": 2, "arrival": "a,b"/|--task: 'q.json': tasks[0].arrival: expected a number or a string without a comma, found "a,b"
EOF
# shellcheck disable=SC2086
changed paper.json --workload p.json --sched serial --device ./q.json --memory pinned <<'EOF'
s/"sm_count": {"value": [0-9]*/"sm_count": {"value": 0/|cannot read './q.json': gpu.sm_count.value: expected an integer from 1 to 320, found 0
s/"launch_us": {"value": 4/"launch_us": {"value": -1/|cannot read './q.json': host.launch_us.value: expected a number from 0 to 1000 us, found -1
s/"launch_us": {"value": 4/"launch_us": {"value": "four"/|cannot read './q.json': host.launch_us.value: expected a number from 0 to 1000 us, found "four"
s/"launch_us": {"value": 4, /"launch_us": {/|cannot read './q.json': host.launch_us.value: expected a number from 0 to 1000 us, found nothing
s/"launch_us"/"launch_use"/|cannot read './q.json': host.launch_use: unknown number, did you mean host.launch_us?
s/"schema": "[^"]*"/"schema": "gpusim-device\/0"/|cannot read './q.json': schema: expected "gpusim-device/1", found "gpusim-device/0"
s/"name": "paper"/"name": ""/|cannot read './q.json': name: expected a name, found ""
s/"launch_us": {"value": 4,/"launch_us": {"value": 4, "spread": -1,/|cannot read './q.json': host.launch_us.spread: unknown field, expected one of value, unit, source, kind
s/"compute_capability": "[^"]*"/"compute_capability": "sm_99"/|cannot read './q.json': compute_capability: expected one of "5.2" "6.0" "6.1" "7.0"
s/"kind": "published"/"kind": "guessed"/|cannot read './q.json': gpu.launch_to_start_us.kind: expected one of datasheet, published, measured, fitted, derived, assumed, found "guessed"
s/"unit": "us"/"unit": "ms"/|cannot read './q.json': gpu.launch_to_start_us.unit: expected "us", found "ms"
s/"gpus": \["paper"\]/"gpus": 3/|cannot read './q.json': gpus: expected a list of names, found 3
EOF

# holding FILE ARGUMENT...: refused where the file holds what each row says.
holding() {
    file=$1
    shift
    while IFS='|' read -r text message; do
        printf '%b' "$text" >"$file"
        refused "$message" "$@"
    done
    rm -f "$file"
}
# shellcheck disable=SC2086
holding q.csv --workload p.json --sched plan=q.csv $on <<'EOF'
op,device,stream\n7,0,1\n|plan: row 1: op 7 is no kernel or copy of 'p'
op,device\n0,0\n|--sched: 'q.csv': line 2: expected op,device,stream,start_us
op,device,stream\n0,5,1\n|plan: row 1: op 0 is for GPU 5, and there is 1 (--gpus)
op,device,stream\n0,0,x\n|--sched: 'q.csv': line 2: expected op,device,stream,start_us
op,device,stream\n|plan: op 0 of 'p' is not in it
op,device,stream\n0,0,1\n0,0,1\n|plan: row 2: op 0 was planned before
op,device,stream\n0,0,16777216\n|--sched: 'q.csv': line 2: expected a stream from 0 to 16777215, found 1.67772e+07
EOF
# shellcheck disable=SC2086
holding q.k --workload p.json --sched serial $on --kernels q.k <<'EOF'
{"schema": "gpusim-kernels/1", "kernels": [{"name": "k", "grid": [4], "block": [64], "us": -1}]}|--kernels: cannot read 'q.k': kernels[0]: unknown field 'us'
"ID","Kernel Name","Grid Size"\n|--kernels: cannot read 'q.k': line 2: expected the units of 3 columns: --page raw prints them
a,b\n1,2\n|--kernels: cannot read 'q.k': expected ncu's raw page, found no row of names that begins with "ID": ncu --import FILE --csv --page raw prints it
{"schema": "gpusim-kernels/1", "kernels": 3}|--kernels: cannot read 'q.k': expected ncu's raw page as CSV or a file of schema gpusim-kernels/1
{"kernels": []}|--kernels: cannot read 'q.k': expected ncu's raw page as CSV or a file of schema gpusim-kernels/1
EOF
holding q.jsonl serve s.json --device ./paper.json --arrivals q.jsonl <<'EOF'
{"timestamp": 0, "output_length": 2}\n|--arrivals: cannot read 'q.jsonl': line 1: expected numbers timestamp, input_length and output_length
{"timestamp": "a", "input_length": 5, "output_length": 2}\n|--arrivals: cannot read 'q.jsonl': line 1: expected numbers timestamp, input_length and output_length
TIMESTAMP,ContextTokens\n|--arrivals: cannot read 'q.jsonl': line 1: expected the header of Azure's or BurstGPT's requests, or Mooncake's JSON lines
\n|--arrivals: cannot read 'q.jsonl': expected requests, found none
EOF
holding q.json sweep q.json --out q.db <<'EOF'
{"schema": "gpusim-sweep/1", "options": {"workload": "p.json"}, "vary": {"seed": []}}|cannot read 'q.json': vary: seed: expected values: a list, a string or a number, found a list
{"schema": "gpusim-sweep/1", "options": {"workload": "p.json"}, "vary": {"seed": [1, "a,b"]}}|cannot read 'q.json': vary: seed: expected values without commas, found "a,b"
{"schema": "gpusim-sweep/1", "options": {"workload": "p.json"}, "vary": {"seed": {"from": 1}}}|cannot read 'q.json': vary: seed: expected values: a list, a string or a number, found an object
{"schema": "gpusim-sweep/1", "options": {"workload": "p.json", "seed": 1}, "vary": {"seed": [1, 2]}}|no sched: expected --sched NAME or --vary sched=NAME,...
{"schema": "gpusim-sweep/1", "options": {"workload": "p.json"}, "vary": {"seed": [1, 2]}, "paired": [{"device.launch_us": [1, 2], "device.memcpy_us": [1, 2, 3]}]}|cannot read 'q.json': paired: paired lists differ in length: device.launch_us has 2 values, device.memcpy_us has 3
{"schema": "gpusim-sweep/1", "options": {"workload": "p.json"}, "vary": 3}|cannot read 'q.json': vary: expected an object of names and values, found 3
{"schema": "gpusim-sweep/1", "options": 3}|cannot read 'q.json': options: expected an object, found 3
{"schema": "gpusim-sweep/1", "options": {"workload": "p.json"}, "conditions": ["seed >"]}|cannot read 'q.json': unknown field "conditions" (what varies is a member of "vary", what is fixed of "options")
{"schema": "gpusim-sweep/2"}|cannot read 'q.json': schema: expected "gpusim-sweep/1", found "gpusim-sweep/2"
EOF
holding q.json reproduce ./q.json <<'EOF'
{"schema": "gpusim-paper/1", "name": "m", "title": "t", "tables": {}, "steps": [{"runs": 3}]}|'./q.json': steps: expected runs, programs or a table, by their name
{"schema": "gpusim-paper/1", "name": "m", "title": "t", "steps": [{"table": "cells", "sql": "SELECT nothing"}]}|'./q.json': cells: near "nothing": syntax error
{"schema": "gpusim-paper/1", "name": "m", "title": "t", "steps": [{"table": "cells"}]}|'./q.json': cells: expected sql
{"schema": "gpusim-paper/1", "name": "m", "title": "t", "tables": {"expected": 3}, "steps": []}|'./q.json': tables.expected: expected a file's name
{"schema": "gpusim-paper/1", "name": "m", "title": "t", "steps": [{"what": 3}]}|'./q.json': unknown key "what"
{"schema": "gpusim-paper/1", "name": "m", "title": "t", "steps": [{"runs": "r", "figures": ["nothing"], "rows": "SELECT 1"}]}|'./q.json': r: expected a workload and sched, or task1
EOF
holding q.json import kineto q.json -o o.json --device v100 <<'EOF'
{"traceEvents": []}|cannot read 'q.json': expected kernels, copies or memsets of a GPU, found none
[]|cannot read 'q.json': expected kernels, copies or memsets of a GPU, found none
{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, "args": {}}]}|cannot read 'q.json': traceEvents[0]: args.stream: expected the number of a stream, found nothing (line 1, column 18)
{"traceEvents": 3}|cannot read 'q.json': expected the list traceEvents, found no such member
x|cannot read 'q.json': expected a profiler's trace, found a file of unknown kind
EOF
while IFS='|' read -r condition message; do refused "condition '$condition': $message" results r.db --where "$condition"; done <<'EOF'
seed >|expected a name, a number or a text in quotes, found its end
nothing = 1|'nothing' is no name that is known here
(seed = 1|expected ')', found its end
seed ~ 1|expected a comparison sign, 'and' or 'or', found '~ 1'
seed = 1)|expected a comparison sign, 'and' or 'or', found ')'
sched = 'a|expected a closing quote, found 'a'
|expected a name, a number or a text in quotes, found its end
EOF
# What cannot be changed of ranks is said beside what can.
while IFS='|' read -r change message; do
    "$gpusim" whatif --ranks ranks.json --device ./paper.json --change "$change" >out 2>err || fail "$change: $(cat err)"
    tr -s ' \n' ' ' <out | grep -qF "none: $change: $message" || fail "$change: expected $message, found $(cat out err)"
done <<'EOF'
micro=3|micro=3: p has 0 micro-batches (its sends): expected a multiple of them
ranks=3|ranks=3: there are 2, which need not do the same: expected a multiple
rank:5=2x|rank:5: there are 2 ranks
node=h100-vm-x2+ranks=4|node=h100-vm-x2: 4 ranks, and 2 GPUs: expected a GPU for each
node=nothing|unknown node 'nothing' (see gpusim list nodes; DEVICE-xN: N of a device)
EOF
ls >after
diff before after | grep -v '^[0-9]\|after$' >differs && fail "files were left: $(cat differs)"

echo "$rows rows, $failures failures"
[ $failures = 0 ]
