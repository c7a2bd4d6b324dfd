#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of ranks: validate, explain, whatif and import of two ranks, of which one computes three times as long.
set -eu
gpusim=$2/gpusim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1" >&2
    exit 1
}

# Five steps of 5 kernels and an all-reduce of 8 MiB, which takes 43 us once both are there; rank 0's kernels take 100 us, rank 1's 300.
python3 - <<'END'
import json
for rank, us in ((0, 100), (1, 300)):
    events, host, gpu, number = [], 1000.0, 1001.5, 0
    def launch(name, dur, more):
        global host, gpu, number
        number += 1
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": host, "dur": 4,
                       "args": {"correlation": number}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": rank, "tid": 7, "ts": gpu, "dur": dur,
                       "args": dict({"device": rank, "context": 1, "stream": 7, "correlation": number, "registers per thread": 32,
                                     "shared memory": 0}, **more)})
        host += 5
        gpu += dur + 1
    for step in range(5):
        for i in range(5):
            launch("mlp_block", us, {"grid": [132, 1, 1], "block": [256, 1, 1]})
        launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 43 + 5 * (300 - us),
               {"grid": [24, 1, 1], "block": [544, 1, 1], "Collective name": "allreduce", "In msg nelems": 4194304, "Group size": 2,
                "dtype": "BFloat16", "Process Group Name": "0", "Process Group Ranks": "[0, 1]"})
    json.dump({"schemaVersion": 1, "deviceProperties": [{"id": rank, "name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0,
                                                         "numSms": 132}],
               "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, "traceEvents": events}, open("r%d.json" % rank, "w"))
END

"$gpusim" validate r0.json r1.json --report v.json >/dev/null 2>err || fail "validate: $(cat err)"
"$gpusim" explain r1.json r0.json --json e.json >explained 2>err || fail "explain: $(cat err)"
"$gpusim" whatif . --change comm=2x,rank:1=2x,channels=1,now --json w.json >asked 2>err || fail "whatif: $(cat err)"
python3 - <<'END' || fail "what came of it: $(cat explained asked)"
import json
v, e, w = (json.load(open(n + ".json")) for n in "vew")
for t in v["traces"]["rows"]:
    assert abs(t["predicted_us"] / t["measured_us"] - 1) < 0.02, t
first, second = e["ranks"]
assert e["late_rank"] == 1 and abs(first["waiting_us"] - 5000) < 60 and second["waiting_us"] < 5, e
assert abs(first["computing_us"] - 2500) < 10 and abs(second["computing_us"] - 7500) < 30 and 150 < first["transferring_us"] < 280
changes = {c["change"]: c for c in w["changes"]}
assert abs(changes["rank:1=2x"]["saved_us"] - 3750) < 60, changes
assert 80 < changes["comm=2x"]["saved_us"] < 140 and changes["channels=1"]["saved_us"] < -500
assert abs(changes["now"]["saved_us"]) < 1
END
grep -q "rank 1 is late" explained || fail "the late rank is not named"

# What changes one program changes each rank; the late one's 25 kernels of 300 us take half. explain shows that run.
"$gpusim" whatif r0.json r1.json --change kernel:mlp_block=2x,kernels=2x --json w.json >asked 2>err || fail "words: $(cat err)"
"$gpusim" explain r0.json r1.json --change rank:1=2x --json e.json >/dev/null 2>err || fail "explain --change: $(cat err)"
python3 - <<'END' || fail "words of one program: $(cat asked)"
import json
e, w = (json.load(open(n + ".json")) for n in "ew")
assert w["schema"] == "gpusim-whatif/1" and w["ranks"] == 2 and w["late_rank"] == 1
for c in w["changes"]: assert c["together"] or abs(c["saved_us"] - 3750) < 60, c
assert abs(e["ranks"][1]["computing_us"] - 3750) < 30 and abs(e["ranks"][0]["waiting_us"] - 1250) < 60, e
END

# All ranks are needed, each once.
"$gpusim" explain r0.json r0.json >out 2>err && fail "a rank twice"
grep -q "is of rank 0, and so is" err || fail "$(cat err)"
sed 's/"rank": 1/"rank": 2/' r1.json >r2.json
"$gpusim" explain r0.json r2.json >out 2>err && fail "rank 2 of two"
grep -q "cannot read 'r2.json': expected a trace that says its rank" err || fail "$(cat err)"
rm r2.json
"$gpusim" whatif r0.json r1.json --change hw_queues=0.5 >out 2>err && fail "half a hardware queue"
"$gpusim" whatif r0.json r1.json --change nonsense >out 2>err && fail "a change that is none"
grep -q "unknown change .nonsense.: expected graph, .*comm=FACTOR" err || fail "$(cat err)"

# One rank alone: what its collectives took longer than they take is a wait for others, a cause of its own.
"$gpusim" explain r0.json --json alone.json >out 2>err || fail "explain of one rank: $(cat err)"
grep -q "estimated to have waited for other ranks" err || fail "$(cat err)"
python3 - <<'END' || fail "one rank alone: $(cat out)"
import json
causes = json.load(open("alone.json"))
text = json.dumps(causes)
def find(value):
    if isinstance(value, dict):
        if value.get("cause") == "other_ranks" and "us" in value: yield value["us"]
        for v in value.values(): yield from find(v)
    if isinstance(value, list):
        for v in value: yield from find(v)
assert "other_ranks" in text
END
grep "waiting for other ranks (estimated)" out | head -1 | awk '{ exit !($6 > 4800 && $6 < 5100) }' || fail "$(cat out)"

# Imported together: a file of ranks that runs.
"$gpusim" import r0.json r1.json -o both.json >out 2>err || fail "import: $(cat err)"
[ -s both_r0.json ] && [ -s both_r1.json ] || fail "import: programs"
"$gpusim" --ranks both.json --sched async >out 2>err || fail "imported ranks: $(cat err)"
grep -q "on 2 ranks" out || fail "imported ranks: $(cat out)"

# The file is what explain and whatif take, too.
"$gpusim" whatif both.json --change rank:1=2x --json w.json >asked 2>err || fail "whatif of a file: $(cat err)"
"$gpusim" whatif --ranks both.json --change node=nonsense >asked 2>err || fail "whatif --ranks: $(cat err)"
grep -q "nonsense" asked || fail "a node that is none: $(cat asked)"
python3 - <<'END' || fail "a file of ranks: $(cat asked)"
import json
c, = json.load(open("w.json"))["changes"]
assert abs(c["saved_us"] - 3750) < 100, c
END

# A workload's ranks, which do the same; of four one cannot be faster, as they are simulated once.
"$gpusim" whatif ddp --ranks 4 --change ranks=8,rank:3=2x,rank:4=2x --csv w.csv >asked 2>err || fail "whatif of a workload: $(cat err)"
grep -q "^4 ranks under async" asked || fail "$(cat asked)"
grep -q "^ranks=8,[0-9]" w.csv && grep -q "4 ranks do the same" w.csv && grep -q "rank:4: there are 4 ranks" w.csv || fail "$(cat w.csv)"
"$gpusim" explain ddp --ranks 4 --change bucket=5 >out 2>err || fail "explain of a workload: $(cat err)"
grep -q "^4 ranks under async" out || fail "$(cat out)"

# Copies of ranks are perturbed together.
"$gpusim" --ranks both.json --sched async --spread 3 --report s.json >/dev/null 2>err || fail "--spread: $(cat err)"
python3 -c 'import json; s = json.load(open("s.json"))["spread"]; assert s["runs"] == 3 and s["low_us"] < s["median_us"] < s["high_us"], s' ||
    fail "--spread"
