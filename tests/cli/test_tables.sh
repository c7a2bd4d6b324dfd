#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole tables of the program, each number computed by hand: test_tables.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# shellcheck source=tests/paper.sh
. "$source_dir/tests/paper.sh"

# --- nodes ---
# Two GPUs at a switch whose link to the host has 8 GB/s and half a microsecond, a third one at the host. Each has 10 GB/s from and 20
# to the host and a microsecond; the switch joins the first two, NVLink of 30 and 40 GB/s the second and the third, the host others.
devices='{"name": "gpu", "count": 2, "device": "./paper.json", "at": "switch"}, {"name": "far", "device": "./paper.json"}'
links='{"ends": ["host", "switch"], "gbps": 8, "latency_us": 0.5}, {"ends": ["gpu1", "far"], "kind": "nvlink", "gbps": [30, 40], "latency_us": 3}'
node() { echo "{\"schema\": \"gpusim-node/1\", \"name\": \"$1\", \"comment\": \"$2\", \"source\": \"assumed: on paper\", $3}"; }
node three 'three on paper' "\"devices\": [$devices], \"switches\": [\"switch\"], \"links\": [$links]" >three.node
same 'a node' "$gpusim" list nodes ./three.node <<'EOF'
  three            three on paper
      source: assumed: on paper
      1 host, 3 devices: 3 x paper
      GB/s alone, from row to column:
                  host    gpu0    gpu1    gpu2
          host       -       8       8      10
          gpu0       8     370      10       8
          gpu1       8      10     370      30
          gpu2      20       8      40     370
      latency, us, from row to column:
                  host    gpu0    gpu1    gpu2
          host       -     1.5     1.5       1
          gpu0     1.5       0       2     2.5
          gpu1     1.5       2       0       3
          gpu2       1     2.5       3       0
EOF
# Two of these hosts, of which the first two GPUs are shown and the next host's first: links of 5 GB/s and a microsecond to a crossbar, which
# is never in the way.
node three 'three on paper' "\"devices\": [$devices], \"switches\": [\"switch\"], \"links\": [$links, {\"ends\": [\"switch\", \"network\"], \"kind\": \"network\", \"gbps\": 5, \"latency_us\": 1}]" >box.json
node six 'two hosts' '"nodes": [{"node": "./box.json", "count": 2}], "network": {"topology": "crossbar", "gbps": 4, "latency_us": 7}' >six.node
same 'two hosts' "$gpusim" list nodes ./six.node <<'EOF'
  six              two hosts
      source: assumed: on paper
      2 hosts, 6 devices: 6 x paper
      GB/s alone, from row to column:
                  host    gpu0    gpu1    gpu2    gpu3
          host       -       8       8      10       5
          gpu0       8     370      10       8       5
          gpu1       8      10     370      30       5
          gpu2      20       8      40     370       5
          gpu3       5       5       5       5     370
      latency, us, from row to column:
                  host    gpu0    gpu1    gpu2    gpu3
          host       -     1.5     1.5       1    10.5
          gpu0     1.5       0       2     2.5      11
          gpu1     1.5       2       0       3      11
          gpu2       1     2.5       3       0    11.5
          gpu3    10.5      11      11    11.5       0
EOF

# Two switches between two GPUs: the wider way, unless the file says another: one way 40 GB/s and 3 + 2 us, back 20 and 0.5 + 1.
wire() { echo "{\"name\": \"$1\", \"ends\": [\"$2\", \"$3\"], \"kind\": \"nvlink\", \"gbps\": $4, \"latency_us\": $5}"; }
node ways 'two ways' "\"devices\": [{\"name\": \"gpu\", \"count\": 2, \"device\": \"./paper.json\"}], \"switches\": [\"a\", \"b\"],
    \"links\": [$(wire l0 gpu0 a 50 3), $(wire l1 a gpu1 40 2), $(wire l2 gpu0 b 30 1), $(wire l3 b gpu1 20 0.5)], \"routes\": [{\"from\": \"gpu1\", \"to\": \"gpu0\", \"links\": [\"l3\", \"l2\"]}]" >ways.node
same 'a way' "$gpusim" list nodes ./ways.node <<'EOF'
  ways             two ways
      source: assumed: on paper
      1 host, 2 devices: 2 x paper
      GB/s alone, from row to column:
                  host    gpu0    gpu1
          host       -      10      10
          gpu0      20     370      40
          gpu1      20      20     370
      latency, us, from row to column:
                  host    gpu0    gpu1
          host       -       1       1
          gpu0       1       0       5
          gpu1       1     1.5       0
EOF

# --- comparisons ---
kernel() { echo "{\"op\": \"kernel\", \"kernel\": \"$1\", \"grid\": [${2:-40}], \"block\": [256]${3-}}"; }
program() { echo "{\"schema\": \"gpusim-program/1\", \"name\": \"$1\", \"buffers\": [$2], \"kernels\": [$(k a 100), $(k b 40)], \"ops\": [$3]${4-}}" >"$1.json"; }
buffer() { echo "{\"name\": \"$1\", \"bytes\": $2, \"init\": \"$3\"}"; }
program one '' "$(kernel a 80)"
# A writes 2 MB, A reads them on the other GPU, 1 MB goes back.
program both "$(buffer x 2000000 none), $(buffer y 1000000 none)" "$(kernel a 40 ', "writes": ["x"]'), $(kernel a 40 ', "reads": ["x"], "writes": ["y"]'), {\"op\": \"host_read\", \"buffer\": \"y\", \"bytes\": 1000000}"
# On one GPU: A 5-105 and 107-207, copy 209-260, known at 266, the other GPU is idle: 2. On two: 310 (test_on_paper.sh); one kernel alone
# 4 + 1 + 100 + 6 + 2. 268 / 310 and the root of that.
# shellcheck disable=SC2086
same 'two placements' "$gpusim" compare --workload both.json,one.json --sched kesco --gpus 2 --place min-transfer-size,round-robin $on --opt device.peer_gbps=50 --opt device.peer_latency_us=1 --csv places.csv <<'EOF'
Median time of an iteration on 2 GPUs, paper and speed-up over min-transfer-size, seed 1

         min-tr..r-size    round-robin
both     268.0 us  1.00 310.0 us  0.86
one      113.0 us  1.00 113.0 us  1.00
geomean            1.00           0.93
GPUs                  1         1 to 2
EOF
cut -d, -f1-7,10-12,15,22,24 places.csv | sed 's/\.00[0-9]*//g' | diff - /dev/fd/3 3<<'EOF' >differs || fail "places.csv: found (<), expected (>): $(cat differs)"
workload,scheduler,device,seed,iterations,kernels,iteration_us,streams_used,events_recorded,stream_waits,lower_bound_us,iterations_run,gpus_used
both.json,min-transfer-size,paper,1,steady,2,268,1,0,0,200,4,1
both.json,round-robin,paper,1,steady,2,310,2,1,1,200,4,2
one.json,min-transfer-size,paper,1,steady,1,113,1,0,0,100,4,1
one.json,round-robin,paper,1,steady,1,113,1,0,0,100,4,1
EOF
# 1 MB comes, A, B beside it, B behind A, 2 MB go back; twice. serial and kesco: test_on_paper.sh. A graph of four nodes: 2.8 us and 1.5 to
# start, 1 between nodes, 1.2 for another branch: 4.3 + 100 + 1 + 40 + 1 + 101 + 6 = 253.3; the copy before the first one ends
# at 106: A 107, 356. heft's streams: A 3 behind the copy, copy 3 behind B, 363 with 2 of an idle stream; 259 without the first copy's
# 101 + 3. grsched: 10 of its own before each of three, copy 15-116, A 117, B 219, copy 261-362, 370; A at 10 + 4 + 1, 268. The root of products.
program two "$(buffer x 1000000 host), $(buffer y 2000000 none)" "$(kernel a 40 ', "reads": ["x"], "writes": ["y"]'), $(kernel b 40 ', "reads": ["x"]'),
    $(kernel b 40 ', "reads": ["y"], "writes": ["y"]'), {\"op\": \"host_read\", \"buffer\": \"y\", \"bytes\": 2000000}" ', "iterations": 2'
# shellcheck disable=SC2086
same 'seven schedulers' "$gpusim" compare --workload two.json,one.json --sched serial,kesco,cudagraph,heft,grsched,taskflow,serial $on <<'EOF'
Median time of an iteration on paper and speed-up over serial, seed 1

                 serial          kesco      cudagraph           heft        grsched       taskflow
two      376.0 us  1.00 307.0 us  1.22 304.6 us  1.23 311.0 us  1.21 319.0 us  1.18 304.6 us  1.23
one      111.0 us  1.00 111.0 us  1.00 109.7 us  1.01 111.0 us  1.00 121.0 us  0.92 109.7 us  1.01
geomean            1.00           1.11           1.12           1.10           1.04           1.12

First iterations that differ by more than 5 %, with the time over the steady one:
  two                  serial           427.0 us  1.14
  two                  kesco            358.0 us  1.17
  two                  cudagraph        356.0 us  1.17
  two                  heft             363.0 us  1.17
  two                  grsched          370.0 us  1.16
  two                  taskflow         356.0 us  1.17
  one                  cudagraph        127.7 us  1.16
  one                  taskflow         139.7 us  1.27
EOF
# When each is launched, begins and ends, in both iterations. grsched: 10 us, then the call, an event of 1 us behind it, a wait of 1 us before
# B. heft: the copy's event and A's and B's waits, B's event and the copy's wait. Graphs: AddNode 4.2 us and 23 of the instance behind the
# copy's call; taskflow's capture 12 more, its nodes without the branch's 0.2.
while read -r sched right; do
    # shellcheck disable=SC2086
    "$gpusim" --workload two.json --sched $sched $on --csv run.csv >found 2>err || fail "$sched: $(cat err)"
    found=$(awk -F, 'NR > 1 { printf "%s%s%s/%d:%.1f>%.1f-%.1f", n++ ? " " : "", $5 != "x" && $5 != "y" ? $5 : $1, $2, $3, $12, $14, $15 }' run.csv | sed 's/\.0\([->:]\)/\1/g; s/\.0 / /g; s/\.0$//')
    [ "$found" = "$right" ] || fail "$sched: found $found, expected $right"
done <<'EOF'
kesco b1/0:7>109-149 a0/0:11>107-207 b2/0:15>209-249 b1/1:362>367-407 a0/1:358>363-463 b2/1:366>465-505 h2d0/0:0>5-106 d2h3/0:19>251-352 d2h3/1:370>507-608
heft b1/0:12>109-149 a0/0:7>109-209 b2/0:16>211-251 b1/1:367>372-412 a0/1:363>368-468 b2/1:371>470-510 h2d0/0:0>5-106 d2h3/0:22>254-355 d2h3/1:377>513-614
grsched b1/0:32>119-159 a0/0:16>117-217 b2/0:47>219-259 b1/1:395>400-440 a0/1:380>385-485 b2/1:410>487-527 h2d0/0:10>15-116 d2h3/0:52>261-362 d2h3/1:415>529-630
cudagraph b1/0:32.2>108.2-148.2 a0/0:32.2>107-207 b2/0:32.2>208-248 b1/1:356>361.5-401.5 a0/1:356>360.3-460.3 b2/1:356>461.3-501.3 h2d0/0:0>5-106 d2h3/0:32.2>249-350 d2h3/1:356>502.3-603.3
taskflow b1/0:44>108.2-148.2 a0/0:44>107-207 b2/0:44>208-248 b1/1:356>361.5-401.5 a0/1:356>360.3-460.3 b2/1:356>461.3-501.3 h2d0/0:0>5-106 d2h3/0:44>249-350 d2h3/1:356>502.3-603.3
EOF
# No noise: the repetitions are equal.
# shellcheck disable=SC2086
same 'repetitions' "$gpusim" compare --workload two.json --sched serial,kesco --repeat 3 $on <<'EOF'
Median time of an iteration on paper and speed-up over serial: mean of 3 repetitions and its 95 % confidence
interval, seeds 1 to 3

                                  serial                           kesco
two      376.0 us +- 0.00 %  1.00 +-0.00 307.0 us +- 0.00 %  1.22 +-0.00
geomean                      1.00                            1.22

First iterations that differ by more than 5 %, with the time over the steady one:
  two                  serial           427.0 us  1.14
  two                  kesco            358.0 us  1.17
EOF

# Two ranks that have nothing to do with each other: as one by itself; a graph 18 us longer at first.
same 'ranks' "$gpusim" compare --ranks 2 --workload one.json --node ./ways.node --sched serial,kesco,cudagraph --memory pinned --iterations 2 --csv ranks.csv <<'EOF'
Median time of an iteration on paper and speed-up over serial, seed 1

                 serial          kesco      cudagraph
one      111.0 us  1.00 111.0 us  1.00 118.7 us  0.94
geomean            1.00           1.00           0.94

First iterations that differ by more than 5 %, with the time over the steady one:
  one                  cudagraph        127.7 us  1.08
EOF
awk -F, 'NR > 1 { printf "%s %d %d %.1f %.1f %d %.1f %d\n", $2, $5, $6, $7, $8, $22, $23, $24 }' ranks.csv >rows
diff rows - >differs <<'EOF' || fail "ranks.csv: found (<), expected (>): $(cat differs)"
serial 2 1 111.0 222.0 2 111.0 2
kesco 2 1 111.0 222.0 2 111.0 2
cudagraph 2 1 118.7 237.4 2 127.7 2
EOF

# Ranks that talk to nobody take as long on any node, and however many there are: 111 us. What each change makes of them is told.
echo '{"schema": "gpusim-ranks/1", "node": "h100-vm-x2", "ranks": [{"program": "one.json"}, {"program": "one.json"}]}' >ranks.json
same 'whatif of ranks' "$gpusim" whatif --ranks ranks.json --device ./paper.json --change ranks=4,ranks=16,node=dgx-h100,ranks=16+node=dgx-h100,ranks=16+node=dgx-h100-x4,ranks=2 <<'EOF'
2 ranks under async on paper

a step now: 111.0 us without the profiler

change                               us     saved us       %    from      to
now                               111.0
ranks=4                           111.0          0.0     0.0     0.0     0.0
ranks=16                          111.0          0.0     0.0     0.0     0.0
node=dgx-h100                     111.0          0.0     0.0     0.0     0.0
ranks=16+node=dgx-h100-x4         111.0          0.0     0.0     0.0     0.0
ranks=2                           111.0          0.0     0.0     0.0     0.0
none: ranks=16+node=dgx-h100: node=dgx-h100: 16 ranks, and 8 GPUs: expected a GPU for each
each by itself: gpusim explain --ranks ranks.json --device ./paper.json --change CHANGE

  ranks        N ranks in all, as many of each that there is (+- 30 % of what is saved: assumed)
  node         links and network of a node; GPUs as recorded (+- 30 % of what is saved: assumed)
  ranks=4: 2 of each rank that there is
  ranks=16: 8 of each rank that there is; nodes of 8 GPUs, 50 GB/s of network each
  node=dgx-h100: links of dgx-h100; GPUs stay as recorded
  ranks=16+node=dgx-h100-x4: 8 of each rank that there is; links of dgx-h100-x4; GPUs stay as
    recorded
EOF

# --- explain: idle stretches of one length before the same kernel are one line, five lines, the longest first ---
# Kernels of 40 us, the host's own work between them: 10 kernels and A, 6 us behind each wait, 5 before each kernel. The first 90 us begin
# at 4 + 1 + 40 + 6, each later one 40 + 11 and the last one's work after it. A's 50 us are a sixth line, the b's behind it are the fifth.
waits() { for us in "$@"; do echo ", {\"op\": \"synchronize\"}, {\"op\": \"host_compute\", \"us\": ${us%?}}, $(kernel "${us##*[0-9]}" 40 ', "stream": 0')"; done; }
program gaps '' "$(kernel b 40 ', "stream": 0') $(waits 90b 80b 80b 70b 60b 50b 50a 40b 30b 50b)"
# shellcheck disable=SC2086
same 'idle stretches' "$gpusim" explain gaps.json --sched async $on <<'EOF'
gaps under async on paper, the first iteration

                                                                     us   share
GPU busy                                                        500.002   40.95
  kernels on some of the SMs                                    500.002   40.95
GPU idle                                                        721.000   59.05
  host: own work                                                600.000   49.14
  host late: waited for a result                                 66.000    5.41
  host late: launch calls                                        44.000    3.60
  launch latency                                                 11.000    0.90
all                                                            1221.003  100.00

of the busy time: why no further kernel ran
  host late: waited for a result                                460.002   37.67
  nothing left to start                                          40.000    3.28

critical path: what the end waited for
  10 x host: own work                                           600.000   49.14
  10 x b                                                        400.002   32.76
  1 x a                                                         100.001    8.19
  11 x host late: waited for a result                            66.000    5.41
  11 x host late: launch calls                                   44.000    3.60
  11 x launch latency                                            11.000    0.90

longest idle stretches
  90.000 us at 51.000 us before b: host: own work
  2 x 80.000 us, the first at 192.000 us before b: host: own work
  70.000 us at 454.001 us before b: host: own work
  60.000 us at 575.001 us before b: host: own work
  2 x 50.000 us, the first at 686.001 us before b: host: own work
EOF

# --- files: the same numbers as in the tables ---
# shellcheck disable=SC2086
{
    "$gpusim" explain gaps.json --sched async $on --json explained.json >found 2>err || fail "explain --json: $(cat err)"
    "$gpusim" compare --workload two.json --sched serial,kesco $on --report compared.json >found 2>err || fail "compare --report: $(cat err)"
    "$gpusim" whatif two.json --sched serial $on --change link=2x,launch=2x --csv whatif.csv --json whatif.json >found 2>err || fail "whatif --json: $(cat err)"
    "$gpusim" sensitivity --workload two.json --sched serial $on --numbers launch_us,h2d_gbps --csv varied.csv >found 2>err || fail "sensitivity --csv: $(cat err)"
}
is() { # is FILE [SED]: the file, but for the program's version, is the standard input
    cat >right
    sed "s/\"version\": \"[^\"]*\"/\"version\": \"\"/; ${2-}" "$1" | diff right - >differs || fail "$1: expected (<), found (>): $(cat differs)"
}
# The stretches of the first kernel and the last.
sed -n '/"critical_path"/,/\]/p' explained.json >path
is explained.json '/"critical_path"/,/^  \]/d; /"before": "[ab]"/{/start_us": [0-9][0-9.]*, "end_us": [0-9]\{1,2\}\./!d;}' <<'EOF'
{
  "schema": "gpusim-explain/1",
  "version": "",
  "program": "gaps",
  "scheduler": "async",
  "device": "paper",
  "notes": [],
  "makespan_us": 1221.002500,
  "time": [
    {"state": "kernels on some of the SMs", "cause": "result", "time_us": 460.002300, "share": 0.376741, "text": "host late: waited for a result"},
    {"state": "kernels on some of the SMs", "cause": "end", "time_us": 40.000200, "share": 0.032760, "text": "nothing left to start"},
    {"state": "nothing", "cause": "launch_calls", "time_us": 44.000000, "share": 0.036036, "text": "host late: launch calls"},
    {"state": "nothing", "cause": "host_work", "time_us": 600.000000, "share": 0.491399, "text": "host: own work"},
    {"state": "nothing", "cause": "result", "time_us": 66.000000, "share": 0.054054, "text": "host late: waited for a result"},
    {"state": "nothing", "cause": "launch_latency", "time_us": 11.000000, "share": 0.009009, "text": "launch latency"}
  ],
  "host": [
  ],
  "pairs": [
  ],
  "stretches": [
    {"start_us": 0.000000, "end_us": 4.000000, "state": "nothing", "cause": "launch_calls", "before": "b"},
    {"start_us": 4.000000, "end_us": 5.000000, "state": "nothing", "cause": "launch_latency", "before": "b"},
    {"start_us": 5.000000, "end_us": 45.000200, "state": "kernels on some of the SMs", "cause": "result", "before": "b"},
    {"start_us": 45.000200, "end_us": 51.000200, "state": "nothing", "cause": "result", "before": "b"},
    {"start_us": 1175.002300, "end_us": 1215.002500, "state": "kernels on some of the SMs", "cause": "end", "before": "the end"},
    {"start_us": 1215.002500, "end_us": 1221.002500, "state": "nothing", "cause": "result", "before": "the end"}
  ]
}
EOF
is path <<'EOF'
  "critical_path": [
    {"kind": "cause", "name": "host_work", "text": "host: own work", "count": 10, "time_us": 600.000000, "share": 0.491399},
    {"kind": "kernel", "name": "b", "text": "b", "count": 10, "time_us": 400.002000, "share": 0.327601},
    {"kind": "kernel", "name": "a", "text": "a", "count": 1, "time_us": 100.000500, "share": 0.081900},
    {"kind": "cause", "name": "result", "text": "host late: waited for a result", "count": 11, "time_us": 66.000000, "share": 0.054054},
    {"kind": "cause", "name": "launch_calls", "text": "host late: launch calls", "count": 11, "time_us": 44.000000, "share": 0.036036},
    {"kind": "cause", "name": "launch_latency", "text": "launch latency", "count": 11, "time_us": 11.000000, "share": 0.009009}
  ],
EOF
is compared.json <<'EOF'
{"schema": "gpusim-compare/1", "version": "", "device": "paper", "seed": 1, "base": "serial",
 "runs": [
  {"workload": "two.json", "scheduler": "serial", "done": true, "iterations_run": 2, "kernels": 3, "gpus_used": 1, "iteration_us": 376.000000, "first_us": 427.000000, "makespan_us": 752.000000, "speedup": 1.000000, "streams_used": 1, "events_recorded": 0, "stream_waits": 0, "critical_path_us": 140.000700, "lower_bound_us": 140.000700, "memory": "pinned", "prefetch": "on"},
  {"workload": "two.json", "scheduler": "kesco", "done": true, "iterations_run": 2, "kernels": 3, "gpus_used": 1, "iteration_us": 307.000000, "first_us": 358.000000, "makespan_us": 614.000000, "speedup": 1.224756, "streams_used": 2, "events_recorded": 1, "stream_waits": 1, "critical_path_us": 140.000700, "lower_bound_us": 140.000700, "memory": "pinned", "prefetch": "on"}],
 "geometric_mean": {"serial": 1.000000, "kesco": 1.224756}}
EOF
# Of an iteration of 325 us: 41 of the host, 101 of the link, 44 idle. Errors: 20 % and 10 % of what is saved, and 1 % of it.
is whatif.csv 's/,gpusim explain.*//' <<'EOF'
change,time_us,saved_us,saved_percent,error_us,note,command
now,325.000000,0.000000,0.000000,0.000000,
link=2x,275.000000,50.000000,15.384615,10.012492,
launch=2x,319.000000,6.000000,1.846154,0.602993,
EOF
is whatif.json <<'EOF'
{
  "schema": "gpusim-whatif/1",
  "version": "",
  "program": "two",
  "scheduler": "serial",
  "device": "paper",
  "notes": [], "time_us": 325.000000, "host_ratio": 0.126154, "link_ratio": 0.310766, "idle_ratio": 0.135385, "idle_cause": "result",
  "changes": [
    {"change": "link=2x", "time_us": 275.000000, "saved_us": 50.000000, "saved_percent": 15.384615, "error_us": 10.012492, "note": "", "command": "gpusim explain two.json --sched serial --device ./paper.json --memory pinned --change link=2x", "together": false, "has_effect": true},
    {"change": "launch=2x", "time_us": 319.000000, "saved_us": 6.000000, "saved_percent": 1.846154, "error_us": 0.602993, "note": "", "command": "gpusim explain two.json --sched serial --device ./paper.json --memory pinned --change launch=2x", "together": false, "has_effect": true}
  ]
}
EOF
# 1 MB at 9 GB/s 111.1 us, at 11 GB/s 90.9: of two iterations the half.
is varied.csv <<'EOF'
number,value,unit,kind,low,high,result,result_low,result_high
launch_us,4,us,published,3.6,4.4,376,375,377
h2d_gbps,10,GB/s,published,9,11,376,381.5555,371.4545
EOF

# --- one run in every form ---
# kesco, as in test_on_paper.sh: the copy 5-106, A 107-207, B 109-149 behind its event, B 209-249, the copy back 251-352, 358. A column of the
# chart is 4.2 us. Of 358 us: copies 202, A without B 60, both 40, B behind A 40; 11 of calls and waits, 5 of launches beside these.
# shellcheck disable=SC2086
LC_ALL=C.UTF-8 "$gpusim" --workload two.json --sched kesco $on --iterations 1 --trace trace.json --report report.json --csv run.csv --gantt >found 2>err || fail "kesco: $(cat err)"
is report.json <"$source_dir/tests/cli/paper/report.json"
is trace.json 's/"version":"[^"]*"/"version":""/' <"$source_dir/tests/cli/paper/trace.json"
sed -n '/┌0 us/,$p' found >chart
is chart <<'EOF'
            ┌0 us                   ┌100.0 us               ┌200.0 us               ┌300.0 us
stream 1    │                         a███████████████████████▓b█████████                          │
stream 2    │                          b█████████                                                  │
h2d         │ ████████████████████████▒                                                            │
d2h         │                                                            ▓███████████████████████▓ │
SMs in use  │                         ▂██████████▄▄▄▄▄▄▄▄▄▄▄▄▄▃▄▄▄▄▄▄▄▄▄▄                          │
a a  b b
EOF
is run.csv <<'EOF'
type,op,iteration,task,name,stream,device,bytes,reason,grid,block,launch_us,ready_us,start_us,end_us,duration_us
kernel,1,0,0,b,2,0,,,40 1 1,256 1 1,7.000000,109.000000,109.000000,149.000200,40.000200
kernel,0,0,0,a,1,0,,,40 1 1,256 1 1,11.000000,107.000000,107.000000,207.000500,100.000500
kernel,2,0,0,b,1,0,,,40 1 1,256 1 1,15.000000,209.000500,209.000500,249.000700,40.000200
h2d,0,0,0,x,1,0,1000000,explicit,,,0.000000,,5.000000,106.000000,101.000000
d2h,3,0,0,y,1,0,2000000,explicit,,,19.000000,,251.000700,352.000000,100.999300
EOF

# p's kernels 5-105 and, launched at 111, behind q's, 205-305; q's 105-205. Processes of their own in the trace, streams 1 and 2.
sed 's/60000/80000/' one.json >full.json
# shellcheck disable=SC2086
"$gpusim" run --task full.json,requests=2,name=p --task full.json,requests=1,name=q $on --share streams --trace tasks.json >found 2>err || fail "tasks: $(cat err)"
grep '"pid":200[01]' tasks.json | sed 's/\.00[01][05]*00/.0/g; s/,$//' >rows
is rows <<'EOF'
{"ph":"M","pid":2000,"tid":0,"name":"process_name","ts":0,"args":{"name":"p"}}
{"ph":"M","pid":2000,"tid":0,"name":"thread_name","ts":0,"args":{"name":"requests"}}
{"ph":"M","pid":2001,"tid":0,"name":"process_name","ts":0,"args":{"name":"q"}}
{"ph":"M","pid":2001,"tid":0,"name":"thread_name","ts":0,"args":{"name":"requests"}}
{"ph":"X","cat":"task","pid":2000,"tid":0,"name":"request 0","ts":0.0,"dur":111.0}
{"ph":"X","cat":"task","pid":2001,"tid":0,"name":"request 0","ts":0.0,"dur":211.0}
{"ph":"X","cat":"task","pid":2000,"tid":0,"name":"request 1","ts":111.0,"dur":200.0}
{"ph":"X","cat":"task","pid":2000,"tid":2,"name":"a","ts":5.0,"dur":100.0}
{"ph":"X","cat":"task","pid":2001,"tid":3,"name":"a","ts":105.0,"dur":100.0}
{"ph":"X","cat":"task","pid":2000,"tid":2,"name":"a","ts":205.0,"dur":100.0}
EOF

[ $failures = 0 ]
