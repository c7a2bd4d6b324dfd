#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "Now" of traces whose steps were timed without a profiler, too (traces/h100/steps/times.json): a step's time and interval, which steps are
# found, --step, --steps, --whole, --step-time, what a graph leaves. A table with "table": test_steps.sh SOURCE-DIR BUILD-DIR [table].
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
source=$(cd "$1" && pwd)
table=${3-}
traces=$source/traces/h100/steps
field() { sed -n "s/.*\"$1\": \[*\([0-9.]*\).*/\1/p" "$2" | head -n 1; }

[ -z "$table" ] || printf '%-20s %5s %10s %10s %21s %8s\n' trace steps measured now interval off
sed -n 's/^  "\([^"]*\)": {"step_us": \([0-9.]*\).*/\1 \2/p' "$traces/times.json" >times
while read -r name measured; do
    "$gpusim" explain "$traces/$name.json.gz" --device h100-vm --json out >/dev/null 2>err || fail "$name: $(cat err)"
    grep '"step": {"count"' out >line
    steps=$(sed 's/.*"count": \([0-9]*\).*/\1/' line) now=$(sed 's/.*"us": \([0-9.]*\), "interval.*/\1/' line)
    low=$(sed 's/.*"interval_us": \[\([0-9.]*\).*/\1/' line) high=$(sed 's/.*"interval_us": \[[0-9.]*, \([0-9.]*\).*/\1/' line)
    echo "$name $steps $measured $now $low $high" >>results
    [ -z "$table" ] || awk -v n="$name" -v s="$steps" -v m="$measured" -v t="$now" -v l="$low" -v h="$high" \
        'BEGIN { printf "%-20s %5d %10.1f %10.1f %10.1f %10.1f %+7.1f %%\n", n, s, m, t, l, h, 100 * (t / m - 1) }'
done <times
awk '{ off = $4 / $3 - 1; print off < 0 ? -off : off; }' results | sort -g >offs
awk -v median="$(sed -n "$((($(wc -l <offs) + 1) / 2))p" offs)" '
    { all++; inside += $5 <= $3 && $3 <= $6; if ($6 > 1.3 * $4 || $5 < 0.7 * $4) wide = wide " " $1; if ($3 > 1.5 * $4 || $4 > 1.5 * $3) far = far " " $1 }
    END { printf "%d traces, %d in their intervals, median error %.1f %%\n", all, inside, 100 * median;
          exit !(inside >= 0.85 * all && median <= 0.12 && wide far == "") }' results >summary || fail "$(cat summary)"
cat summary
for pair in eager:3 compiled_graphs:3 train:4 threads:1 jax:4 ann_seq:8 sched_seq:4 et_seq:1 jax_mlp:4 jax_mlp_perfetto:4; do
    grep -q "^${pair%:*} ${pair#*:} " results || fail "${pair%:*}: expected ${pair#*:} steps: $(grep "^${pair%:*} " results)"
done
[ "$(grep -c '^jax_mlp[a-z_]* 4 131.8 \([0-9.]* \)\{2\}' results)" = 2 ] || fail "Perfetto's file of JAX is another trace: $(grep jax_mlp results)"

explains() { # explains NAME TEXT ARGUMENTS...
    name=$1 text=$2
    shift 2
    "$gpusim" explain "$traces/$name.json.gz" "$@" >out 2>err && grep -q -- "$text" out err || fail "explain $name $*: nothing says '$text': $(head -n 6 out) $(cat err)"
}
refuses() { # refuses MESSAGE ARGUMENTS...
    message=$1
    shift
    "$gpusim" "$@" >out 2>err
    status=$?
    [ $status = 2 ] && grep -qF -- "$message" err || fail "$*: exit $status, '$(cat err)', expected 2, '$message'"
}
explains train '16807.0 of them in enumerate(DataLoader)'
explains eager 'a step now: 2252.0 us without the profiler, as told' --step-time 2.252ms
explains eager 'a step now: [0-9.]* us without the profiler, [0-9.]* to [0-9.]* (--step-time says it exactly)'
explains eager '^all  *225[12]\.' --step-time 2.252ms
explains eager "'.*': 60 kernels" --step 1
explains eager "'.*': 120 kernels" --steps 1:
explains eager "'.*': 180 kernels" --whole
"$gpusim" explain "$traces/eager.json.gz" --steps 1: --json two >/dev/null 2>&1
awk '/"makespan_us"/ { all = $2 + 0 } /"step"/ { sub(/.*"us": /, ""); us = $0 + 0 } END { exit !(us > 0.49 * all && us < 0.51 * all) }' two ||
    fail "a step of two: $(grep -h makespan_us two) $(grep -h '"step"' two)"
explains threads "us in which one host thread waited for Python's lock while another launched"
explains sched_seq 'by ProfilerStep'
explains ann_seq 'by the annotation step'
explains jax 'by the annotation jit__lambda:XLA GPU module'
explains jax "'.*': 51 kernels, 0 copies"
refuses 'expected steps from 0 to 2 (by waits for the whole GPU), found 7' explain "$traces/eager.json.gz" --step 7
refuses "--steps: expected FROM:TO, two numbers in ascending order, found '2:1'" explain "$traces/eager.json.gz" --steps 2:1
refuses "--step-time: expected a time such as 250us, 2.25ms or 1s" explain "$traces/eager.json.gz" --step-time fast
refuses 'expected one of --range, --time, --step, --steps, --between and --whole, found 2' explain "$traces/eager.json.gz" --whole --step 1
"$gpusim" import "$traces/eager.json.gz" -o all.json >out 2>&1 && grep -q '180 kernels' out || fail "import: $(cat out)"
"$gpusim" import "$traces/jax.json.gz" -o jax.json >out 2>&1 && grep -q '204 kernels, 0 copies, 0 memsets on 1 streams' out || fail "import of JAX: $(cat out)"

# What stays on the host under a graph, beside the same model under torch.compile(mode="reduce-overhead"): 390.2 us.
for name in eager compiled; do
    "$gpusim" explain "$traces/$name.json.gz" --change graph >out 2>/dev/null || fail "$name --change graph fails"
    awk -v name=$name '/^all / { off = $2 / 390.2 - 1; found = 1 }
        END { if (!found || off > 0.15 || off < -0.15) { printf "%s as a graph: %+.1f %% off\n", name, 100 * off; exit 1 } }' out || fail "$name as a graph"
done
"$gpusim" whatif "$traces/compiled_graphs.json.gz" >out 2>/dev/null || fail 'whatif of a graph fails'
grep -q '^none: graph: it is a CUDA graph already' out || fail "a graph of a graph: $(grep '^none: graph' out)"
"$gpusim" whatif "$traces/train.json.gz" >out 2>/dev/null || fail 'whatif of a step fails'
grep -q "^the profiler's share decides which is first: " out || fail "the order of changes is taken for sure: $(head -n 12 out)"

# Replayed as recorded, graphs and JAX's modules with them: some; all with GPUSIM_FULL.
least=3 replayed="$traces/jax.json.gz $traces/compiled_graphs.json.gz $traces/train.json.gz"
[ -z "${GPUSIM_FULL-}" ] || { least=29 && replayed=$(ls "$traces"/*.json.gz); }
# shellcheck disable=SC2086 # files
"$gpusim" validate $replayed --device h100-vm >out 2>/dev/null || fail 'validate fails'
awk -v least=$least '/json.gz / { for (i = 1; i < NF; i++) if ($i ~ /^[+-][0-9.]*$/) { off = $i < 0 ? -$i : $i; break }
         if (off > ($1 ~ /^jax/ ? 2 : 4)) { print "off by " off " %: " $0; bad = 1 } all++ }
     END { exit bad || all < least }' out || fail "validate: $(wc -l <out) lines"
printf '%d failures\n' $failures
[ $failures = 0 ]
