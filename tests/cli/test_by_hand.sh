#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs, ranks and servers that are small enough to be computed on paper: the calculation stands beside each.
# test_by_hand.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"

# is WHAT FOUND RIGHT [TOLERANCE]: within 2 % unless told.
is() { awk -v found="${2:-nan}" -v right="$3" -v most="${4:-0.02}" 'BEGIN { d = found / right - 1; exit !(d <= most && d >= -most) }' || fail "$1: ${2:-nothing}, expected $3"; }
# field NAME [FILE] [NTH]: a number of a report.
field() { grep -o "\"$1\": [-0-9.e+]*" "${2:-report.json}" | sed -n "${3:-1}s/.*: //p"; }
# value PART FIGURE QUANTILE: a percentile of a server's report.
value() { awk -v part="$1" -v figure="$2" -v quantile="$3" '
    index($0, "\"" part "\": {") { inside = 1 }
    inside && index($0, "\"" figure "\"") { text = $0; sub(".*\"" quantile "\": ", "", text); sub("[,}].*", "", text); print text; exit }' report.json; }
# The NTH request's time to its first token, to its end.
first() { field first_us report.json "$1"; }
ended() { field done_us report.json "$1"; }
# program NAME US OPS: kernels K of 66 blocks, one an SM, that take US.
program() { echo "{\"schema\": \"gpusim-program/1\", \"name\": \"$1\", \"kernels\": [{\"name\": \"k\", \"solo_us\": $2, \"solo_device\": \"h100-vm\", \"regs_per_thread\": 32, \"smem_bytes\": 120000}], \"ops\": [$3]}" >"$1.json"; }
kernel() { echo "{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [256], \"grid\": [$1]${2-}}"; }
run() { "$gpusim" "$@" --report report.json >out 2>err || fail "$*: $(cat err)"; }

# --- ranks: the hosts of a group are those of its ranks ---
# Four ranks on two hosts of two GPUs; 100 MB over the network at 10 GB/s take 10,000 us, over NVLink about 300.
ranks() { # GROUP KIND KIND
    for rank in 0 1 2 3; do
        case "[$1]" in
        "[$rank,"*) program r$rank 1 "{\"op\": \"collective\", \"kind\": \"$2\", \"bytes\": 100000000, \"group\": [$1]}" ;;
        *"$rank]") program r$rank 1 "{\"op\": \"collective\", \"kind\": \"$3\", \"bytes\": 100000000, \"group\": [$1]}" ;;
        *) program r$rank 1 '{"op": "host_compute", "us": 1}' ;;
        esac
    done
    echo '{"schema": "gpusim-ranks/1", "node": "h100-vm-x2", "nodes": 2, "net_gbps": 10, "fold": false, "ranks": [{"program": "r0.json"}, {"program": "r1.json"}, {"program": "r2.json"}, {"program": "r3.json"}]}' >ranks.json
    run --ranks ranks.json --sched async
}
ranks 1,3 send recv
is "a send to the other host" "$(field makespan_us)" 10000
ranks 1,2 all_reduce all_reduce # 2 (n - 1) / n = 1 times the message
is "an all-reduce of two hosts' GPUs" "$(field makespan_us)" 10000
ranks 2,3 send recv
is "a send within the second host" "$(field makespan_us)" 290 0.15

# Three hosts of eight: one channel a peer would not fill the network; 100 MB at 50 GB/s take 2,000 us.
program r0 1 '{"op": "collective", "kind": "send", "bytes": 100000000, "group": [3, 20]}'
program r1 1 '{"op": "collective", "kind": "recv", "bytes": 100000000, "group": [3, 20]}'
program r2 1 '{"op": "host_compute", "us": 1}'
rank() { case $1 in 3) echo '{"program": "r0.json"}' ;; 20) echo '{"program": "r1.json"}' ;; *) echo '{"program": "r2.json"}' ;; esac; }
echo "{\"schema\": \"gpusim-ranks/1\", \"node\": \"dgx-h100\", \"nodes\": 3, \"fold\": false, \"ranks\": [$(for i in $(seq 0 23); do rank "$i"; done | paste -sd ,)]}" >ranks.json
run --ranks ranks.json --sched async
is "a send among 24 ranks" "$(field makespan_us)" 2000 0.04

# Four ranks on two hosts, 100 MB to all: half of each rank's message crosses, 50 MB at 10 GB/s. Two sends from one GPU share its link.
for rank in 0 1 2 3; do
    program r$rank 1 '{"op": "collective", "kind": "all_to_all", "bytes": 100000000}'
done
echo '{"schema": "gpusim-ranks/1", "node": "h100-vm-x2", "nodes": 2, "net_gbps": 10, "fold": false, "ranks": [{"program": "r0.json"}, {"program": "r1.json"}, {"program": "r2.json"}, {"program": "r3.json"}]}' >ranks.json
run --ranks ranks.json --sched async
is "an all-to-all of two hosts" "$(field makespan_us)" 5000 0.03
send() { echo "{\"op\": \"collective\", \"kind\": \"$1\", \"bytes\": 1000000000, \"group\": [0, $2], \"communicator\": $2, \"stream\": $2, \"after\": []}"; }
sends() {
    program r0 1 "$1"
    echo '{"schema": "gpusim-ranks/1", "node": "dgx-h100", "fold": false, "ranks": [{"program": "r0.json"}, {"program": "r1.json"}, {"program": "r2.json"}]}' >ranks.json
    run --ranks ranks.json --sched async
}
program r1 1 "$(send recv 1)"
program r2 1 '{"op": "host_compute", "us": 1}'
sends "$(send send 1)"
alone=$(field makespan_us)
program r2 1 "$(send recv 2)"
sends "$(send send 1), $(send send 2)"
is "two sends from one GPU" "$(field makespan_us)" "$(awk -v t="$alone" 'BEGIN { print 2 * t }')" 0.03

# Two broadcasts of 800 MB on two streams; the second begins while the first has 1/2 of its way: alone T, then both at half the
# link: the first ends at T / 2 + 2 T / 2, the second at 2 T. At once: both at 2 T. T by one alone.
broadcasts() { # DELAY-OF-THE-SECOND COUNT
    first='{"op": "collective", "kind": "broadcast", "bytes": 800000000, "stream": 0}'
    second="{\"op\": \"host_compute\", \"us\": $1}, {\"op\": \"collective\", \"kind\": \"broadcast\", \"bytes\": 800000000, \"stream\": 1, \"communicator\": 1, \"after\": []}"
    program both 1 "$first, $second"
    [ "$2" = 2 ] || program both 1 "$first"
    run --ranks 2 --workload both.json --node h100-vm-x2 --sched async
}
broadcasts 0 1
alone=$(field makespan_us)
broadcasts 0 2
is "two broadcasts at once" "$(field makespan_us)" "$(awk -v t="$alone" 'BEGIN { print 2 * t }')" 0.03
broadcasts "$(awk -v t="$alone" 'BEGIN { print t / 2 }')" 2
is "the later of two broadcasts" "$(field makespan_us)" "$(awk -v t="$alone" 'BEGIN { print 2 * t }')" 0.03

# --- what is unknown, and streams without buffers ---
# Two halves of a GPU at once: 300 us, one after the other 600; three, of which the middle one is unknown: 900.
k=$(kernel 66) u=$(kernel 66 ', "unknown": true')
program two 300 "$u, $u"
program three 300 "$k, $u, $k"
for sched in kesco grsched heft cudagraph eager acs-hw taskflow dm; do
    run --workload two.json --sched $sched --device h100-vm --memory pinned
    is "$sched: two that are unknown" "$(field makespan_us)" 600 0.12
    run --workload three.json --sched $sched --device h100-vm --memory pinned
    is "$sched: one that is unknown in the middle" "$(field makespan_us)" 900 0.12
done
# Three kernels in stream 0, one in stream 1; "after": [] takes one out of its stream's order.
s0=$(kernel 66 ', "stream": 0') s1=$(kernel 66 ', "stream": 1') free=$(kernel 66 ', "stream": 0, "after": []')
program streams 300 "$s0, $s0, $s1, $s0"
program unordered 300 "$s0, $free"
for sched in kesco cudagraph async; do
    run --workload streams.json --sched $sched --device h100-vm --memory pinned
    is "$sched: streams without buffers" "$(field makespan_us)" 900 0.06
done
run --workload unordered.json --sched cudagraph --device h100-vm --memory pinned
is "no order where the list is empty" "$(field makespan_us)" 300 0.1
"$gpusim" run --workload unordered.json --sched cudagraph --device h100-vm --memory pinned --write-program again.json >out 2>err
run --workload again.json --sched cudagraph --device h100-vm --memory pinned
is "no order, written and read back" "$(field makespan_us)" 300 0.1

# --- servers: a prefill of 2,000 us, a decode step of 300, the host costs nothing, a step is seen 7 us after its end ---
program prefill 2000 "$(kernel 132)"
program decode 300 "$(kernel 132)"
quiet='"host": {"jitter": 0, "stalls_per_s": 0, "launch_us": 0, "node_us": 0, "between_us": 0, "request_us": 0}, "steps": {"prefill": {"128": "prefill.json"}, "decode": {"4": "decode.json"}}'
serve() { # FIELDS OPTION...
    echo "{\"schema\": \"gpusim-serving/1\", \"slots\": 4, $quiet, $1}" >server.json
    shift
    run serve server.json --device h100-vm "$@"
}
# 128 MB each over 20 GB/s, 6,400 us: the first is there at 2,007 + 6,400, the second at 14,807, the third at 21,207, its two further
# tokens 614 us later.
serve '"batching": "disaggregated", "prefill_beside": "same", "link_gbps": 20, "cache": {"tokens": 9000, "block": 16, "bytes_per_token": 1000000},
    "requests": [{"arrival_us": 0, "prompt": 128, "output": 3}, {"arrival_us": 0, "prompt": 128, "output": 3}, {"arrival_us": 0, "prompt": 128, "output": 3}]'
is "three caches over one link" "$(ended 3)" 21821
# A request at 2,500 beside one that decodes: the step runs until 2,628, the prefill beside the next: 2,628 + 7 + 2,000 + 300.
beside='"batching": "continuous", "prefill_beside": "stream", "requests": [{"arrival_us": 0, "prompt": 128, "output": 20}, {"arrival_us": 2500, "prompt": 128, "output": 2}]'
serve "$beside"
looked_up=$(first 2)
serve "$beside" --exact
is "a prefill that ends within a round: exact" "$looked_up" "$(first 2)"
is "a prefill that ends within a round" "$looked_up" 2435

# Three chunks of 128, two of them beside decode: shares of the server's time.
serve '"batching": "chunked", "options": {"chunk": 128}, "requests": [{"arrival_us": 0, "prompt": 128, "output": 11}, {"arrival_us": 2500, "prompt": 256, "output": 2}]'
is "chunks of prefill" "$(grep -o '"prefill": [0-9.]*' report.json | tail -1 | sed 's/.*: //')" 6021
# 40 % of 132 SMs are 52.8, whole parts of 8 are 48, decode has 84: its 80 blocks are one wave.
program narrow 300 "$(kernel 80)"
echo "{\"schema\": \"gpusim-serving/1\", \"slots\": 4, \"prefill_beside\": \"partition\", \"prefill_percentage\": 40, $quiet, \"requests\": []}" |
    sed 's/decode.json/narrow.json/; s/"requests": \[\]/"requests": [{"arrival_us": 0, "prompt": 128, "output": 2}]/' >server.json
is "decode on what a partition leaves" "$("$gpusim" step server.json decode 4 beside prefill 128 --device h100-vm | sed 's/ us//')" 307
# A step whose host works 1,000 us before its kernels, and 500 between them; and one that does so behind them.
program prefill 2000 "{\"op\": \"host_compute\", \"us\": 1000}, $(kernel 132 ', "after": [0]'), {\"op\": \"host_compute\", \"us\": 500, \"after\": [1]}, $(kernel 132 ', "after": [2]')"
program decode 300 "$(kernel 132), {\"op\": \"host_compute\", \"us\": 200}"
for exact in "" --exact; do
    # shellcheck disable=SC2086
    serve '"requests": [{"arrival_us": 0, "prompt": 128, "output": 3}, {"arrival_us": 77777.123456, "prompt": 128, "output": 3}]' $exact
    is "a step that begins on the host$exact" "$(first 1)" 5507
    is "host work behind a step's kernels$exact" "$(ended 1)" 6121
    is "after an idle time$exact" "$(ended 2)" 6121
done
# 200 us that come after the kernel (6 us of launch, 300, 1 until the host knows) are behind it: two steps more of 507 than the prefill's 5,507.
program decode 300 "$(kernel 132), {\"op\": \"host_compute\", \"us\": 200, \"after\": [0]}"
serve '"requests": [{"arrival_us": 0, "prompt": 128, "output": 3}]'
is "host work that waits for a step's kernels" "$(ended 1)" 6521

# A round of three drafts of 100 us and one verify of 400, 707 and a gap between any two: the prefill's token and one a round where none
# is accepted, four where all are: 9 tokens after 8 rounds or 2, 10 after 3.
program prefill 2000 "$(kernel 132)"
program draft 100 "$(kernel 132)"
program verify 400 "$(kernel 132)"
while read -r acceptance tokens rounds; do
    echo "{\"schema\": \"gpusim-serving/1\", \"slots\": 4, \"batching\": \"speculative\", \"options\": {\"length\": 3, \"acceptance\": $acceptance}, $quiet, \"requests\": [{\"arrival_us\": 0, \"prompt\": 128, \"output\": $tokens}]}" |
        sed 's/"decode": {"4": "decode.json"}/"draft": {"4": "draft.json"}, "verify": {"4": "verify.json"}/' >server.json
    run serve server.json --device h100-vm
    is "$tokens tokens, $acceptance accepted" "$(ended 1)" "$((2007 + 712 * rounds))" 0.01
    [ "$(awk '$1 == "draft" || $1 == "verify" { print $2 }' out | paste -sd ' ')" = "$((3 * rounds)) $rounds" ] || fail "speculative: $(cat out)"
done <<EOF
0 9 8
1 9 2
1 10 3
EOF

# Prompts of three blocks of 512; a decode server with room for all. The second prompt has the first's first two blocks: 512 tokens
# are left, one prefill of 1,007 us. The third has none of them, the fourth begins as the third but for its last token.
program block 1000 "$(kernel 132)"
program decode 300 "$(kernel 132)"
cat >lines.jsonl <<'END_OF_LINES'
{"timestamp": 0, "input_length": 1536, "output_length": 2, "hash_ids": [1, 2, 3]}
{"timestamp": 50, "input_length": 1536, "output_length": 2, "hash_ids": [1, 2, 4]}
{"timestamp": 100, "input_length": 1536, "output_length": 2, "hash_ids": [5, 6, 7]}
{"timestamp": 150, "input_length": 1536, "output_length": 2, "hash_ids": [5, 6, 7]}
{"timestamp": 200, "input_length": 1536, "output_length": 2, "hash_ids": [1, 2, 3]}
END_OF_LINES
prefixes() {
    echo "{\"schema\": \"gpusim-serving/1\", \"slots\": 4, $quiet, $1 \"requests\": [{\"arrival_us\": 0, \"prompt\": 1, \"output\": 1}]}" |
        sed 's/"128": "prefill.json"/"512": "block.json"/' >server.json
    run serve server.json --device h100-vm --arrivals lines.jsonl
}
prefixes ""
is "a prompt that is new" "$(first 1)" 3021
is "a prompt with one new block" "$(first 2)" 1007
is "another that is new" "$(first 3)" 3021
is "a prompt that was there" "$(first 4)" 1007 # its last token
is "the first one again" "$(first 5)" 1007
grep -q "53.3 % of the prompts' tokens" out || fail "prefixes: $(grep Prefixes out)" # 1,024 + 2 x 1,535 of 7,680
# Room for four blocks beside what a request holds: the first's are gone when it comes again.
prefixes '"cache": {"tokens": 3650, "block": 16, "bytes_per_token": 1},'
is "a prompt whose blocks gave way" "$(first 5)" 3021
prefixes '"cache": {"tokens": 100000, "block": 16, "bytes_per_token": 1, "prefix": false},'
is "no prefixes kept" "$(first 5)" 3021
grep -q "hash_ids are not used" out || fail "prefixes: $(grep Prefixes out)"

# --- what is said of power, of another GPU, of data that another GPU has ---
echo '{"schema": "gpusim-program/1", "name": "hot", "kernels": [{"name": "k", "solo_us": 20000, "solo_device": "h100-vm", "regs_per_thread": 32, "energy_mj": 24000}],
    "ops": [{"op": "kernel", "kernel": "k", "grid": [1056], "block": [256]}]}' >hot.json
run --workload hot.json --sched async --device h100-vm --memory pinned # 24 J in 20 ms: 1,200 W beside the base
grep -q "the limit is 700 W" out || fail "power: $(grep -i watt out)"
grep -q "the limit is 700 W" report.json || fail "power: no note in the report"
sed 's/24000/6000/' hot.json >cool.json
run --workload cool.json --sched async --device h100-vm --memory pinned
! grep -q "limit is" out || fail "power: a note at 300 W"
# 584 W over the base of 116, as many as 700 leave: of 408 half, and 2^0.3 times as long.
sed 's/20000/1000/; s/24000/584/' hot.json >limit.json
limited() { "$gpusim" whatif limit.json --sched async --memory pinned --device h100-vm --change power=408 "$@" >out 2>&1; }
limited --opt device.recorded_w=584 --opt device.recorded_limit_w=584
awk '$1 == "now" { now = $2 } $1 == "power=408" { ok = $2 - now > 230.5 && $2 - now < 231.7 } END { exit !ok }' out || fail "power=408: $(cat out)"
limited
grep -q "from rest" out || fail "power=408: no word of rest: $(cat out)"

# Bytes alone are a copy's: traces/h100/probe.json has copies of 33, 132 and 4,224 blocks of 512 threads at 1,007, 2,407 and 2,875
# GB/s. Beside arithmetic they are a plain loop's, 8 bytes in flight a thread: 33 x 512 x 8 / 330 ns = 410 GB/s, at this load 5 % less.
stream() { # BLOCKS FLOPS
    echo "{\"schema\": \"gpusim-program/1\", \"name\": \"stream\", \"kernels\": [{\"name\": \"k\", \"dram_bytes\": 5e9, \"flops\": $2, \"regs_per_thread\": 32}],
        \"ops\": [{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [$1], \"block\": [512]}]}" >stream.json
    run --workload stream.json --sched async --device h100-vm --memory pinned
}
for point in 33:1007 132:2407 4224:2875; do
    stream "${point%:*}" 0
    is "a copy by ${point%:*} blocks" "$(field makespan_us)" "$(awk -v gbps="${point#*:}" 'BEGIN { print 5e6 / gbps }')" 0.04
done
stream 33 1
is "plain loads" "$(field makespan_us)" 12820 0.03

# 100 launches of kernels of 1 us: the host's calls bind them, and the host stays.
few=$(for i in $(seq 100); do echo "$(kernel 1 ', "stream": 0'),"; done | tr '\n' ' ' | sed 's/, $//')
program few 1 "$few"
"$gpusim" whatif few.json --device h100-vm --memory pinned --change device=v100,device=h200 --csv few.csv >out 2>err || fail "few: $(cat err)"
awk -F, 'NR > 2 && ($4 > 2 || $4 < -2) { exit 1 }' few.csv || fail "another GPU for a launch-bound program: $(cat few.csv)"

# GPU 1 reads what GPU 0 wrote: copied (100 MB at 398 GB/s: 251 us), by the program or by the scheduler, or refused.
across() { echo "{\"schema\": \"gpusim-program/1\", \"name\": \"across\", \"buffers\": [{\"name\": \"x\", \"bytes\": 100000000, \"init\": \"none\"}], \"kernels\": [{\"name\": \"k\", \"solo_us\": 500, \"solo_device\": \"h100-vm\", \"regs_per_thread\": 32}],
    \"ops\": [{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [256], \"grid\": [132], \"writes\": [\"x\"]}, $1 {\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [256], \"grid\": [132], \"reads\": [\"x\"], \"device\": 1}]}" >across.json; }
across ""
for sched in async serial cudagraph; do
    "$gpusim" run --workload across.json --node h100-vm-x2 --memory pinned --sched $sched >out 2>err && fail "$sched: GPU 1 reads what GPU 0 has"
    grep -q "reads 'x' on GPU 1, and GPU 0 has it" err || fail "$sched: $(cat err)"
done
run --workload across.json --node h100-vm-x2 --memory pinned --sched kesco --place program
is "moved by the scheduler" "$(field makespan_us)" 1260 0.05
across '{"op": "copy", "kind": "p2p", "buffer": "x", "device": 0, "to": 1},'
run --workload across.json --node h100-vm-x2 --memory pinned --sched async
is "copied by the program" "$(field makespan_us)" 1260 0.05

# Reports say which GPU a copy is of, charts name them, and a GPU without a kernel is told.
sed -n '/"copies"/,$p' report.json | grep -q '"kind": "p2p".*"device": [01]}' || fail "a copy without its GPU"
"$gpusim" run --workload across.json --node h100-vm-x2 --memory pinned --sched async --gantt >out 2>err || fail "a chart: $(cat err)"
grep -q '^GPU 1 str' out || fail "a chart without its GPUs: $(cat out)"
run --workload hot.json --sched async --node h100-vm-x2 --memory pinned
grep -q 'kernels run on 1 of 2 GPUs (--place NAME spreads them)' out || fail "a GPU without kernels: $(grep Note out)"
across '{"op": "copy", "kind": "p2p", "buffer": "x", "device": 0, "to": 1},'
# Each GPU by itself: the second one waits for the first one's kernel, 500 us, and the copy, 251; then the first has nothing left.
"$gpusim" explain across.json --node h100-vm-x2 --memory pinned --json explained.json >out 2>err || fail "two GPUs: $(cat err)"
gpu() { sed -n "s/.*\"gpu\": $1, .*\"$2\": \([0-9.]*\).*/\1/p" explained.json; }
is "GPU 0 works" "$(gpu 0 kernels_us)" 500
is "GPU 1 waits for GPU 0" "$(gpu 1 dependence)" 753
is "GPU 0 has nothing left" "$(gpu 0 end)" 515 # 500 and the host's last wait
"$gpusim" explain img --device h100-vm --place round-robin >out 2>err && fail "a placement on one GPU"

# A program that is run once moves its input, 200 MB at 55.2 GB/s: 3,623 of 4,630 us; so do the iterations that whatif compares.
echo '{"schema": "gpusim-program/1", "name": "once", "buffers": [{"name": "x", "bytes": 200000000, "init": "host"}], "kernels": [{"name": "k", "solo_us": 1000, "solo_device": "h100-vm", "regs_per_thread": 32}],
    "ops": [{"op": "kernel", "kernel": "k", "grid": [132], "block": [256], "reads": ["x"]}]}' >once.json
"$gpusim" whatif once.json --device h100-vm --memory pinned --change link=2x --csv once.csv >out 2>err || fail "once: $(cat err)"
is "link=2x of a program that is run once" "$(awk -F, '$1 == "link=2x" { print $4 }' once.csv)" 39 0.06
grep -q "each iteration moves what the host has at first" out || fail "once: $(head -4 out)"

[ $failures = 0 ]
