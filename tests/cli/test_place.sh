#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --place best, --sched best and nodes of one's own: what "best" says is worked out from a run of each; a node's rates and devices
# by hand: test_place.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
makespan() { "$gpusim" run "$@" --report report.json >out 2>err && sed -n 's/.*"makespan_us": \([0-9.]*\).*/\1/p' report.json | head -n 1; }

# check WHAT OPTIONS: the note in err, of lines "NAME US" in runs. Both makespans are 2.6 % off on average, normally.
check() {
    python3 - "$1" <<'END' >right || fail "$1: $(cat right)"
import math, sys
runs = [line.rsplit(" ", 1) for line in open("runs").read().splitlines()]
runs = sorted(((float(us), name) for name, us in runs))
best, second, mean = runs[0], runs[1], sum(r[0] for r in runs) / len(runs)
gain = second[0] / best[0] - 1
sure = 0.5 * (1 + math.erf(gain / (0.026 * math.sqrt(math.pi / 2)) / 2))
print("gpusim: note: %s best is %s, %.1f %% before %s, %.1f %% before the mean of %d; %.0f %% sure that it beats %s" %
      (sys.argv[1], best[1], 100 * gain, second[1], 100 * (mean / best[0] - 1), len(runs), 100 * sure, second[1]))
END
    # of two that end together either may be named
    sed 's/ is [^,]*,/ is,/; s/ before [a-z][^,]*, / before, /; s/beats .*/beats/' right >a
    grep ' best is ' err | sed 's/ is [^,]*,/ is,/; s/ before [a-z][^,]*, / before, /; s/beats .*/beats/' | cmp -s - a || fail "$1: $(grep ' best is ' err), by hand: $(cat right)"
}

# A chain and two kernels beside it, 40 MB each.
cat >graph.json <<'END'
{"schema": "gpusim-program/1", "name": "graph", "buffers": [{"name": "a", "bytes": 40000000, "init": "host"}, {"name": "b", "bytes": 40000000, "init": "host"}, {"name": "c", "bytes": 40000000, "init": "host"}],
 "kernels": [{"name": "k", "solo_us": 700, "solo_device": "h100-vm", "regs_per_thread": 32}, {"name": "l", "solo_us": 1900, "solo_device": "h100-vm", "regs_per_thread": 32}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [528], "block": [256], "reads": ["a"], "writes": ["b"]},
         {"op": "kernel", "kernel": "l", "grid": [528], "block": [256], "reads": ["c"], "writes": ["c"]},
         {"op": "kernel", "kernel": "k", "grid": [528], "block": [256], "reads": ["b"], "writes": ["a"]},
         {"op": "kernel", "kernel": "k", "grid": [528], "block": [256], "reads": ["a", "c"], "writes": ["a"]}]}
END
two='--workload graph.json --node h100-vm-x2 --memory pinned --sched heft'
: >runs
for place in $("$gpusim" list placements | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    # shellcheck disable=SC2086 # words
    us=$(makespan $two --place "$place") && [ "$us" ] && echo "$place $us" >>runs
done
[ "$(wc -l <runs)" -gt 5 ] || fail "placements: $(cat runs)"
# shellcheck disable=SC2086
us=$(makespan $two) && echo "the program's own $us" >own
# shellcheck disable=SC2086
best=$(makespan $two --place best)
grep -q 'mean of '"$(($(wc -l <runs) + 1))" err && cat own >>runs
grep -v '^program ' runs >some
grep -q 'mean of '"$(wc -l <some)" err && mv some runs
check --place
[ "$(sort -k2 -g runs | awk 'NR == 1 { print $NF }')" = "$best" ] || fail "--place best takes $best: $(sort -k2 -g runs | head -n 2)"

# eager takes no placement: said beside others, refused alone. Sweeps and explain place as well as the best one does.
for command in 'run --workload' 'compare --workload' explain; do # shellcheck disable=SC2086
    "$gpusim" $command graph.json --node h100-vm-x2 --memory pinned --sched eager --place least-loaded >out 2>err && fail "eager $command is taken"
    grep -q -- '--place: eager takes none' err || fail "eager $command: $(cat err)"
done
"$gpusim" compare --workload graph.json --node h100-vm-x2 --memory pinned --sched eager,heft --place least-loaded >out 2>err
[ "$(grep -c 'note: --place has no effect on eager' err)" = 1 ] || fail "eager beside heft: $(cat err)"
"$gpusim" sweep --workload graph.json --node h100-vm-x2 --memory pinned --sched heft,eager --vary place=round-robin,least-loaded,dmdas,best --out places.db 2>err
"$gpusim" results places.db --columns sched,place,iteration_us,status --csv places.csv >out
awk -F, '$1 == "heft" && $2 != "best" && (!least || $3 < least) { least = $3 } $1 == "heft" && $2 == "best" { best = $3 } $1 == "eager" && /ok/ { exit 1 }
    END { exit !(best > 0 && best <= least) }' places.csv || fail "places of a sweep: $(cat places.csv)"

: >runs
for sched in $("$gpusim" list schedulers | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    us=$(makespan --workload graph.json --device h100-vm --memory pinned --sched "$sched") && [ "$us" ] && echo "$sched $us" >>runs
done
best=$(makespan --workload graph.json --device h100-vm --memory pinned --sched best)
check --sched
[ "$(sort -k2 -g runs | awk 'NR == 1 { print $NF }')" = "$best" ] || fail "--sched best takes $best: $(sort -k2 -g runs | head -n 2)"

# An H100 and two GPUs that the file leaves open behind a switch of 10 GB/s, a V100 behind one of 3; 33 GB/s between the first
# two. Pairs behind one switch have what both have to it, in this direction (55.04 up and 55.22 down of the H100, 24.3 and 25.6 of
# the A100), others 5 by way of the host.
cat >node.json <<'END'
{"schema": "gpusim-node/1", "name": "mine", "comment": "made up", "source": "nobody",
 "devices": [{"name": "a", "count": 1, "device": "h100-vm", "at": "s"}, {"name": "b", "count": 2, "at": "s"}, {"name": "c", "count": 1, "device": "v100-sxm2-16gb", "at": "t"}],
 "switches": ["s", "t"], "through_host": {"gbps": 5, "latency_us": 17},
 "links": [{"ends": ["host", "s"], "gbps": 10}, {"ends": ["host", "t"], "gbps": 7, "latency_us": 0.5}, {"ends": ["a0", "b1"], "kind": "nvlink", "gbps": 33, "latency_us": 1.5}]}
END
"$gpusim" list nodes ./node.json | sed 's/  */ /g' >out 2>err || fail "node: $(cat err)"

cat >right <<'END'
 mine made up
 source: nobody
 1 host, 4 devices: 1 x h100-vm 2 x a100-sxm4-40gb 1 x v100-sxm2-16gb
END
head -n 3 out | cmp -s - right || fail "node: $(head -n 3 out)"
row() { awk -v title="$1" -v name="$2" '/, from row to column/ { on = index($0, title) } on && $1 == name && $2 ~ /^[-0-9]/ { $1 = ""; print substr($0, 2) }' out; }
is() { [ "$2" = "$3" ] || fail "$1: found '$2', expected '$3'"; }
is "from the host" "$(row GB host)" "- 10 10 10 7"
is "from the H100" "$(row GB gpu0 | cut -d' ' -f 1,3-)" "10 33 25.6 5"
is "from an A100" "$(row GB gpu1 | cut -d' ' -f 1,2,4-)" "10 33 24.3 5"
is "from the other" "$(row GB gpu2 | cut -d' ' -f 1-3,5)" "10 24.3 24.3 5"
is "from the V100" "$(row GB gpu3 | cut -d' ' -f 1-4)" "7 5 5 5"
is "latency from the H100" "$(row latency gpu0)" "1.673 0 1.5 3.673 17.5"
is "latency from an A100" "$(row latency gpu2)" "2 4.575 4 0 17.5"
# --device is of those that are open.
refused() { "$gpusim" run --workload graph.json --memory pinned --sched heft "$@" >out 2>err; [ $? = 2 ] || fail "$*: taken"; }
refused --node h100-vm-x2 --device h200
grep -q "applies to devices that a node does not name, and 'h100-vm-x2' names all of them" err || fail "a node that names all: $(cat err)"
makespan --workload graph.json --memory pinned --sched heft --place round-robin --node ./node.json --device h200 >us || fail "a node that leaves some open: $(cat err)"
makespan --workload graph.json --memory pinned --sched heft --place round-robin --node ./node.json --device v100-sxm2-16gb >other
! cmp -s us other || fail "--device has no effect: $(cat us)"
[ $failures = 0 ]
