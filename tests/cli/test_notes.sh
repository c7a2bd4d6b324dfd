#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Options that do nothing in a run are told on standard error, with the reason, and those that act are not:
# test_notes.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
cat >timed.json <<'END'
{"schema": "gpusim-program/1", "name": "timed", "buffers": [{"name": "a", "bytes": 4096, "init": "device"}],
 "kernels": [{"name": "k", "solo_us": 100}, {"name": "l", "flops": 1e9, "dram_bytes": 1e6}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [1000], "block": [256], "writes": ["a"]},
         {"op": "kernel", "kernel": "l", "grid": [1000], "block": [256], "writes": ["a"]}]}
END
sed 's/, {"name": "l"[^}]*}//; s/"kernel": "l"/"kernel": "k"/' timed.json >all.json

# notes EXPECTED ARGUMENTS...: all that is said; "" for nothing.
notes() {
    expected=$1
    shift
    "$gpusim" "$@" >out 2>err || fail "$*: $(cat err)"
    [ "$(cat err)" = "$expected" ] || fail "$*: found '$(cat err)', expected '$expected'"
}
alone='kernels are given by their time alone (solo_us), which stays'
for option in clock_mhz=700 dram_gbps=900; do
    notes "gpusim: note: --opt device.$option changes nothing here: all $alone" \
        run --workload all.json --sched serial --opt device.$option
done
notes "gpusim: note: --opt device.clock_mhz=700 changes only how kernels share the device: 1 of 2 $alone" \
    run --workload timed.json --sched serial --opt device.clock_mhz=700
notes '' run --workload timed.json --sched serial --opt device.launch_us=9
notes '' run --workload img --size 1000 --sched kesco --opt device.clock_mhz=700 --opt kesco.streams=2
moves='managed memory moves by prefetch_gbps and fault_total_gbps; device.pcie_gbps sets all of the link'
notes "gpusim: note: --opt device.h2d_gbps=100 changes nothing here: $moves" \
    run --workload vec --size 1e6 --sched kesco --opt device.h2d_gbps=100
notes '' run --workload vec --size 1e6 --sched kesco --opt device.pcie_gbps=100
notes '' run --workload vec --size 1e6 --sched kesco --memory pinned --opt device.h2d_gbps=100
notes "gpusim: note: --opt device.prefetch_gbps=9 changes nothing here: the run's memory is not managed" \
    run --workload vec --size 1e6 --sched kesco --memory pinned --opt device.prefetch_gbps=9
# Of compare's cells one that changes is enough.
notes '' compare --workload m2 --sched serial,cudagraph --opt device.graph_launch_us=50
notes 'gpusim: note: --opt device.graph_launch_us=50 changes nothing here' \
    compare --workload m2 --sched serial,kesco --opt device.graph_launch_us=50

# Numbers of another source than the one that runs, or of none of explain's program.
refuses() {
    "$gpusim" "$@" --opt early-exit.layers=5 >out 2>err && fail "$*: not refused"
    grep -q '^gpusim: --opt early-exit.layers=5: early-exit, whose number it is, does not run here$' err || fail "$*: $(cat err)"
}
refuses run --workload frontier --sched async
refuses explain vec --size 1e6
notes '' run --workload frontier --sched async --opt frontier.degree=8

# A window behind the run's end, and one within it.
ends='the run ends at [0-9.]* us: the trace is empty'
for command in 'run --workload timed.json --sched serial' 'explain timed.json --sched serial'; do
    # shellcheck disable=SC2086 # words
    "$gpusim" $command --trace t.json --trace-window 10s:20s >out 2>err || fail "$command, 10s: $(cat err)"
    grep -q "^gpusim: note: --trace-window: nothing runs from 10.00 s on, $ends\$" err || fail "$command, 10s: $(cat err)"
    # shellcheck disable=SC2086 # words
    notes '' $command --trace t.json --trace-window 10us:20s
done

# Arrivals: fewer than requests, and a gap that they leave without effect.
printf '100\n200\n300\n' >times.txt
served='as many requests are served, not 5'
notes "gpusim: note: --task vec: its arrivals are 3: $served" \
    run --task vec,size=1e5,requests=5,arrival=times.txt --memory pinned --share mps
notes '' run --task vec,size=1e5,requests=3,arrival=times.txt --memory pinned --share mps
notes '' run --task vec,size=1e5,requests=2,gap_us=9 --memory pinned --share mps
notes 'gpusim: note: --task vec: gap_us changes nothing here: it is of closed arrivals, and arrival= says when requests come' \
    run --task vec,size=1e5,requests=2,gap_us=9,arrival=periodic:500 --memory pinned --share mps

# Profiles that nobody gave.
measured='gpusim: note: some of these ways need a profile: each task is measured alone first (as --profile measure does)'
notes "$measured" compare --task vec,size=1e5,requests=2 --task vec,size=1e6,requests=2 --memory pinned --share fikit
notes '' compare --task vec,size=1e5,requests=2 --task vec,size=1e6,requests=2 --memory pinned --share mps

# One SM in several: an estimate, in the text and in the report.
"$gpusim" run --workload timed.json --sched serial --opt gpu.sample=4 --report sample.json >out 2>err || fail "gpu.sample: $(cat err)"
grep -q 'an estimate: one SM in 4 is simulated (gpu.sample)' out || fail "gpu.sample=4: no note: $(cat out)"
grep -q '"an estimate: one SM in 4 is simulated' sample.json || fail "gpu.sample=4: $(grep notes sample.json)"
"$gpusim" run --workload timed.json --sched serial --report plain.json >out 2>err || fail "no gpu.sample: $(cat err)"
grep -q 'an estimate' out plain.json && fail 'no gpu.sample: expected no word of an estimate'

# A link twice as fast takes half of the time, also where the host's calls keep its pace.
for gbps in 24 96; do
    "$gpusim" run --workload vec --sched kesco --opt device.pcie_gbps=$gbps --report $gbps.json >/dev/null 2>&1
done
slow=$(sed -n 's/.*"makespan_us": \([0-9.]*\).*/\1/p' 24.json) fast=$(sed -n 's/.*"makespan_us": \([0-9.]*\).*/\1/p' 96.json)
awk "BEGIN { exit !($fast > 0 && $slow / $fast > 3) }" || fail "pcie_gbps 24 and 96: $slow and $fast us, expected a third or less"
[ $failures = 0 ]
