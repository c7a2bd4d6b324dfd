#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# gpusim --ranks: the report's contract, what hangs, what is refused.
set -eu
gpusim=$2/gpusim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$1" >&2
    exit 1
}
has() { grep -q -- "$2" "$1" || { cat "$1" >&2; fail "expected $2 in $1"; }; }

cat >r.json <<'END'
{"schema": "gpusim-ranks/1", "node": "h100-vm-x2", "ranks": [{"program": "a.json", "device": 0}, {"program": "b.json", "device": 1}]}
END
program() { # NAME, ops
    echo "{\"schema\": \"gpusim-program/1\", \"name\": \"$1\", \"kernels\": [{\"name\": \"k\", \"solo_us\": 100}], \"ops\": [$2]}" >"$1.json"
}
kernel='{"op": "kernel", "kernel": "k", "grid": [132], "block": [128], "stream": 1}'
reduce='{"op": "collective", "kind": "all_reduce", "bytes": 16777216, "stream": 1, "group": [0, 1], "channels": 0, "after": []}'

# Rank 0 is there first and waits for rank 1, which has 200 us more to do; both end together.
program a "$kernel, $reduce"
program b "$kernel, $kernel, $kernel, $reduce"
"$gpusim" --ranks r.json --sched async --report report.json >/dev/null
python3 - <<'END' || fail "the report"
import json
r = json.load(open("report.json"))
a, b = sorted(r["collectives"], key=lambda c: c["rank"])
assert r["schema"] == "gpusim-report/1" and [x["rank"] for x in r["ranks"]] == [0, 1] and [x["device"] for x in r["ranks"]] == [0, 1]
assert a["kind"] == "all_reduce" and a["bytes"] == 16777216 and a["channels"] == 24 and (a["op"], b["op"]) == (1, 3)
assert abs(a["end_us"] - b["end_us"]) < 0.01 and b["waiting_us"] < 1 and 195 < a["waiting_us"] < 210, (a, b)
assert abs(a["transfer_us"] - b["transfer_us"]) < 0.01
assert {k["rank"] for k in r["kernels"]} == {0, 1} and len(r["ranks"][0]["iteration_us"]) == 1
END

# compare: the same run in one iteration; in each of more, rank 1 has 200 us and the transfer to do.
"$gpusim" compare --ranks r.json --sched async,serial --iterations 1 --csv c.csv >/dev/null 2>err || fail "compare: $(cat err)"
"$gpusim" compare --ranks 2 --workload ddp --sched async --base async >out 2>err || fail "compare of a workload: $(cat err)"
"$gpusim" compare --ranks r.json --workload ddp >out 2>err && fail "compare of a file and a workload"
python3 - <<'END' || fail "compare: $(cat c.csv)"
import csv, json
rows, r = {x["scheduler"]: x for x in csv.DictReader(open("c.csv"))}, json.load(open("report.json"))
assert set(rows) == {"async", "serial"} and rows["async"]["gpus_used"] == "2" and rows["async"]["critical_path_us"] == ""
assert abs(float(rows["async"]["makespan_us"]) - r["makespan_us"]) < 20, rows
assert max(max(x["iteration_us"]) for x in r["ranks"]) - 0.01 <= float(rows["async"]["iteration_us"]) < 500, rows
END
# A sweep's rows are what compare prints; a node brings its device.
"$gpusim" sweep --workload ddp --sched async --vary ranks=2,4 --device h200 -o ranks.db >out 2>err || fail "sweep: $(cat err)"
"$gpusim" results ranks.db --columns ranks,iteration_us --csv swept.csv >/dev/null 2>err || fail "results: $(cat err)"
for n in 2 4; do
    "$gpusim" compare --ranks $n --workload ddp --sched async --base async --device h200 --csv c.csv >/dev/null 2>err || fail "compare: $(cat err)"
    swept=$(awk -F, -v n=$n '$1 == n { print $2 }' swept.csv) compared=$(awk -F, 'NR == 2 { print $7 }' c.csv)
    awk "BEGIN { exit !(${swept:-0} > 1000 && (${swept:-0} - $compared)^2 < 1e-6) }" || fail "$n ranks: the sweep's iteration is '$swept' us, compare's '$compared'"
done
[ "$(awk -F, 'NR > 1 { print $2 }' swept.csv | sort -u | wc -l)" = 2 ] || fail "two and four ranks take the same"
"$gpusim" sweep --workload ddp --sched async --vary ranks=2,4 --gpus 2 -o no.db >out 2>err && fail "a sweep of ranks with --gpus"

# Two communicators in opposite order, in one stream.
first='{"op": "collective", "kind": "all_reduce", "bytes": 1024, "stream": 1}'
second='{"op": "collective", "kind": "broadcast", "bytes": 2048, "stream": 1, "communicator": 1}'
program a "$first, $second"
program b "$second, $first"
status=0
"$gpusim" --ranks r.json --sched async >out 2>err || status=$?
[ $status -eq 1 ] || fail "exit status $status, expected 1"
has err 'deadlock: \|deadlock at'
has err "rank 0's all_reduce 1024 waits for rank 1's, which comes behind its broadcast 2048 #1"
has err 'a cycle'

# What the others never do.
program b "$kernel"
status=0
"$gpusim" --ranks r.json --sched async >out 2>err || status=$?
[ $status -eq 1 ] || fail "exit status $status, expected 1"
has err 'rank 1, which never comes to it'

# What meets must be the same.
program a "$first"
program b '{"op": "collective", "kind": "all_gather", "bytes": 1024, "stream": 1}'
"$gpusim" --ranks r.json --sched async >out 2>err && fail "different collectives met"
has err "meets another rank's"

# A collective needs its ranks.
"$gpusim" --workload r.json --sched async >out 2>err && fail "a file of ranks is no program"
program a '{"op": "collective", "kind": "all_reduce", "bytes": 1024, "group": [0, 1]}'
"$gpusim" --workload a.json --sched async >out 2>err && fail "one rank of two"
has err 'gpusim --ranks'

# A thousand ranks of one program are simulated as one, and take longer than eight.
program a "$kernel, {\"op\": \"collective\", \"kind\": \"all_reduce\", \"bytes\": 16777216, \"stream\": 1}"
echo '{"schema": "gpusim-ranks/1", "node": "h100-vm-x8", "nodes": 125, "net_gbps": 50, "ranks": [{"program": "a.json", "count": 1000}]}' >r.json
"$gpusim" --ranks r.json --sched async --report many.json >/dev/null
"$gpusim" --ranks 8 --workload a.json --device h100-vm --sched async --report few.json >/dev/null
python3 - <<'END' || fail "a thousand ranks"
import json
many, few = json.load(open("many.json")), json.load(open("few.json"))
assert len(many["ranks"]) == 1000 and many["ranks"][999]["rank"] == 999 and len(few["ranks"]) == 8
assert many["ranks"][0]["makespan_us"] > few["ranks"][0]["makespan_us"] > 100
END
