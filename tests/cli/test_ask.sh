#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Questions x subjects on the command line: each pair is answered, or stands in docs/not-modelled.md and is refused with the reason
# that stands there. A server's times are those of gpusim serve; a CUDA source is a workload. test_ask.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
kernel() { echo "{\"schema\": \"gpusim-program/1\", \"name\": \"$1\", \"kernels\": [{\"name\": \"k\", \"solo_us\": $2, \"solo_device\": \"h100-vm\", \"regs_per_thread\": 32, \"smem_bytes\": 120000}], \"ops\": [{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [256], \"grid\": [132]}]}" >"$1.json"; }
kernel p128 2000 && kernel p512 6000 && kernel d1 200 && kernel d8 300
cat >server.json <<'END_OF_FILE'
{"schema": "gpusim-serving/1", "slots": 8, "batching": "continuous", "prefill_beside": "same", "host": "h100-vm",
 "steps": {"prefill": {"128": "p128.json", "512": "p512.json"}, "decode": {"1": "d1.json", "8": "d8.json"}},
 "arrivals": "poisson:60", "count": 200, "prompt": {"choice": [128, 512]}, "output": {"uniform": [16, 64]}, "device": "h100-vm"}
END_OF_FILE
cat >v.cu <<'END_OF_FILE'
__global__ void add(const float *a, float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] += a[i]; }
int main() { int n = N; float *h = (float *)malloc(4 * n), *a, *b; cudaMalloc(&a, 4 * n); cudaMalloc(&b, 4 * n);
 cudaMemcpy(a, h, 4 * n, cudaMemcpyHostToDevice); cudaMemcpy(b, h, 4 * n, cudaMemcpyHostToDevice);
 add<<<n / 256, 256>>>(a, b, n); add<<<n / 256, 256>>>(b, a, n); cudaMemcpy(h, b, 4 * n, cudaMemcpyDeviceToHost); return 0; }
END_OF_FILE
has_cuda=1
"$gpusim" import cuda v.cu -D N=65536 -o v.json 2>/dev/null || has_cuda=
trace=$source_dir/tests/cli/schedule/trace.json
"$gpusim" ask nothing 2>err && fail "a question that is none was answered"
questions=$(sed 's/.*one of //; s/, found.*//; s/,//g' err)
[ "$(echo "$questions" | wc -w)" -ge 10 ] || fail "expected ten questions, found $questions"

# The words of a subject, and what a question takes of it.
subject() {
    case $1 in
    program) echo vec ;;
    trace) echo "$trace" ;;
    ranks) echo "vec --ranks 2" ;;
    tasks) echo "--task vec,requests=2 --task vec,requests=2 --share mps" ;;
    server) echo server.json ;;
    source) echo "v.cu -D N=65536" ;;
    drawn) echo early-exit ;;
    gpus) echo "vec --gpus 2 --sched heft --memory pinned" ;;
    drawn_tasks) echo "--task early-exit,requests=2" ;;
    esac
}
words() {
    case $1 in
    validate) echo "--words 2ms" ;;
    ablate) echo "--words wave_tails" ;;
    sensitivity) echo "--words launch_us" ;;
    spread) echo "--words 5" ;;
    whatif) echo "--words kernels=2x" ;;
    compare | best) [ "$2" = server ] && echo "--words continuous,static" || echo "--words serial,async" ;;
    esac
}
# What docs/not-modelled.md says of the pair: its reason; nothing: it is answered.
reason() { awk -F ' *[|] *' -v q="$1" -v s="$2" '$2 == "`ask " q "`" || $2 == "`ask`" { n = split($3, of, ", "); for (i = 1; i <= n; i++) if (of[i] == s) print $4 }' "$source_dir/docs/not-modelled.md" | head -n 1; }
pairs=0
for q in $questions; do
    for s in program trace ranks tasks server source gpus drawn drawn_tasks; do
        [ $s != source ] || [ "$has_cuda" ] || continue
        # shellcheck disable=SC2046
        "$gpusim" ask "$q" $(subject $s) $(words "$q" $s) --json r.json >out 2>err
        status=$? expected=$(reason "$q" "$(echo $s | tr _ ' ')") pairs=$((pairs + 1))
        if [ "$expected" ]; then
            [ $status = 2 ] && grep -qF -- "$expected" err || fail "$q of $s: exit $status, '$(cat err)', expected '$expected'"
        else
            [ $status = 0 ] || fail "$q of $s: exit $status, $(cat err): neither answered nor in docs/not-modelled.md"
            grep -q '"rows": \[' r.json && grep -q "\"question\": \"$q\"" r.json || fail "$q of $s: $(head -5 r.json)"
            "$gpusim" report r.json -o page.html 2>err || fail "a page of $q of $s: $(cat err)"
        fi
    done
done
[ $pairs -ge 80 ] || fail "only $pairs pairs"

# A file of tasks is tasks; --share is of them.
echo '{"schema": "gpusim-tasks/1", "tasks": [{"program": "vec", "requests": 2}, {"program": "img", "requests": 2}]}' >tasks.json
"$gpusim" ask explain tasks.json --share mps --csv asked >/dev/null 2>err || fail "a file of tasks: $(cat err)"
"$gpusim" ask explain --task tasks.json --share mps --csv given >/dev/null 2>err || fail "--task: $(cat err)"
[ "$(wc -l <asked)" = 3 ] && cmp -s asked given || fail "a file of tasks: $(cat asked given)"

# A program that is drawn takes under each scheduler what compare says. Of two requests with six classifiers each, none of
# which is sure, ten go on behind a result: each then waits for a launch call of 4 us, or of 2. An edit of ops has no effect.
"$gpusim" ask compare early-exit --words serial,async --csv - 2>err | awk -F, 'NR > 1 { print $1, $2 }' >asked
"$gpusim" compare --workload early-exit --sched serial,async --csv - 2>err | awk -F, 'NR > 1 { print $2, $7 }' >compared
[ -s asked ] && cmp -s asked compared || fail "early-exit: asked $(cat asked), compared $(cat compared)"
# So do programs on the GPUs of a node; where these are unlike, no edit of a machine's numbers is made.
echo '{"schema": "gpusim-node/1", "name": "mixed", "devices": [{"name": "g", "device": "v100"}, {"name": "h", "device": "a100-sxm4-40gb"}]}' >mixed.json
"$gpusim" ask compare img --node ./mixed.json --memory pinned --words heft,dm --csv - 2>err | awk -F, 'NR > 1 { print $1, $2 }' >asked
"$gpusim" compare --workload img --node ./mixed.json --memory pinned --sched heft,dm --csv - 2>err | awk -F, 'NR > 1 { print $2, $7 }' >compared
[ -s asked ] && cmp -s asked compared || fail "a node: asked $(cat asked), compared $(cat compared)"
"$gpusim" ask whatif img --node ./mixed.json --sched dm --memory pinned --words launch=2x | grep -q 'launch=2x: *the GPUs are unlike' ||
    fail "launch=2x of unlike GPUs"
"$gpusim" whatif early-exit --opt early-exit.exits=0 --opt early-exit.requests=2 --change launch=2x,graph --csv - >out 2>err || fail "whatif: $(cat err)"
awk -F, '$1 == "launch=2x" && ($3 - 20) ^ 2 < 1e-6 { n++ } $1 == "graph" && $2 == "" && /drawn while it runs/ { n++ } END { exit n != 2 }' out ||
    fail "whatif of a drawn program: $(cat out)"
"$gpusim" explain early-exit >out 2>err && grep -q ' x classify ' out || fail "explain of a drawn program: $(cat out err)"

# One server, asked and served: the same mean; no line is over 100 columns.
"$gpusim" serve server.json --report serve.json >out 2>err || fail "serve: $(cat err)"
mean=$(sed -n 's/.*"e2e_us": {"mean": \([0-9.]*\).*/\1/p' serve.json | head -n 1)
asked=$("$gpusim" whatif server.json --change launch=2x --csv - | awk -F, '$1 == "now" { print $2 }')
awk -v a="$mean" -v b="$asked" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-4) }' || fail "served $mean us, asked $asked"
"$gpusim" whatif server.json >out 2>err || fail "whatif: $(cat err)"
awk 'length > 100' out | grep . && fail "a line over 100 columns"
"$gpusim" explain server.json >out 2>err || fail "explain: $(cat err)"
grep -q '^server .*no request' out || fail "explain: $(cat out)"
"$gpusim" whatif server.json --change streams=2,replicas=1,power=400 >out 2>err || fail "whatif: $(cat err)"
grep -q "streams=2:.*launched as they are" out && grep -q "replicas=1:.*has that already" out &&
    grep -q "power=400:.*simulated from rest" out || fail "notes: $(cat out)"
for wrong in "--sched async" "--iterations 2" "--memory pinned" "-D N=1"; do
    # shellcheck disable=SC2086
    "$gpusim" ask spread server.json $wrong >out 2>err && fail "$wrong has no effect, and was taken"
done

# A sweep of it has the times of the question, the figures of serve, and computes again what a changed step is part of.
"$gpusim" sweep server.json --rate 20,40 --vary replicas=1,2 --out s.db >out 2>err || fail "sweep: $(cat err)"
"$gpusim" results s.db --columns rate,replicas --csv - | awk -F, 'NR > 1 { printf "rate=%s+replicas=%s %.2f\n", $1, $2, $3 }' | sort >swept
"$gpusim" ask sweep server.json --words "rate=20|40,replicas=1|2" --csv - | awk -F, 'NR > 1 { printf "%s %.2f\n", $1, $2 }' | sort >asked
[ "$(wc -l <swept)" = 4 ] && cmp -s swept asked || fail "sweep of a server: $(cat swept), asked $(cat asked)"
served=$("$gpusim" serve server.json --rate 40 --replicas 2 --csv - | awk -F, '{ print $10 }' | tail -n 1)
"$gpusim" results s.db --where 'rate == 40 && replicas == 2' --columns requests.ttft_p90_us --csv - | awk -F, -v s="$served" 'NR == 2 && ($1 - s) ^ 2 < 1e-6 { n++ } END { exit !n }' ||
    fail "sweep: TTFT's p90 is not $served"
"$gpusim" sweep server.json --rate 20,40 --vary replicas=1,2 --out s.db --resume 2>&1 | grep -q 'nothing is left' || fail "--resume of a server"
kernel d1 210
"$gpusim" sweep server.json --rate 20,40 --vary replicas=1,2 --out s.db --resume 2>&1 | grep -q '^gpusim: 4 points' || fail "--resume: a step has changed"
kernel d1 200
for wrong in "server.json --sched async" "--workload vec --sched async --rate 20" "--workload vec,server.json" "server.json --vary chunked.no=1"; do
    # shellcheck disable=SC2086
    "$gpusim" sweep $wrong --out wrong.db >out 2>err && fail "sweep $wrong was taken"
done

"$gpusim" explain server.json --change graph+replicas=1 >out 2>err && fail "explain: changes of nothing were taken"
grep -q 'changes nothing: .*the server has that already' err || fail "explain of nothing: $(cat err)"
"$gpusim" ask whatif server.json --words replicas=2x >out 2>err && fail "replicas=2x: of what?"
grep -q '^gpusim: --words replicas=2x' err || fail "an option of another command: $(cat err)"
"$gpusim" ask compare server.json --words disaggregated | grep -q ': *2 GPUs' ||
    fail "two GPUs, and it is not said"

# What a file is says its schema, whatever its other texts name: the answers are the same.
for name in 'as gpusim-serving/1 says' gpusim-program/1; do
    sed "s|{\"schema\"|{\"name\": \"$name\", \"schema\"|" server.json >named.json
    for words in 'explain' 'ask best'; do
        # shellcheck disable=SC2086 # a list of words
        "$gpusim" $words server.json 2>err | tail -n +3 >right && "$gpusim" $words named.json 2>err | tail -n +3 >out
        [ -s out ] && cmp -s right out || fail "$words of a server named $name: $(cat out err)"
    done
done

# A billion requests, hours: a terminal sees how many are done of each run, and a signal ends it.
sed 's/"count": 200/"count": 1000000000/' server.json >long.json
echo 'echo $$ >pid; exec "$1" whatif long.json --change launch=2x' >long.sh
script -qfc "sh long.sh '$gpusim'" log >/dev/null 2>&1 &
left=1200
until grep -q 'of 1,000,000,000 requests' log 2>/dev/null || [ $left = 0 ]; do sleep 0.05 && left=$((left - 1)); done
[ $left != 0 ] || fail "whatif of a billion requests says nothing in a minute: $(cat log)"
kill -TERM "$(cat pid)" && wait
grep -q 'stopped by SIGTERM' log || fail "whatif of a billion requests does not end by a signal: $(cat log)"

# A source is the program that import makes of it, whatever it is asked.
[ "$has_cuda" ] || exit $((failures > 0))
run() { "$gpusim" run --workload "$1" ${2-} --sched async --memory pinned --csv - 2>/dev/null | cut -d, -f1-6; }
# shellcheck disable=SC2015
[ "$(run v.json)" = "$(run v.cu "-D N=65536")" ] || fail "v.cu is not the program v.json"
"$gpusim" compare --workload v.cu -D N=65536 --sched serial,kesco >out 2>err || fail "compare: $(cat err)"
"$gpusim" explain v.cu -D N=65536 --sched async 2>err | grep -q 'on a100-sxm4-40gb' || fail "another GPU than run's: $(cat err)"
"$gpusim" run --task v.cu,requests=1 --task vec,size=1k,requests=1 --share mps -D N=65536 >out 2>err || fail "a task: $(cat err)"
"$gpusim" run --task vec,size=1k,requests=1 -D N=65536 >out 2>err && fail "-D: no task is a source, and it was taken"
"$gpusim" explain v.cu -D N=65536 2>err | grep -q profiler && fail "a source has no step that a profiler recorded"
[ "$("$gpusim" run --workload v.cu -D N=65536 --sched async --opt device.launch_us=9 2>&1 >/dev/null | grep -c 'estimated from')" = 1 ] ||
    fail "what is estimated is not said once"
"$gpusim" sweep --workload v.cu -D N=1 --sched async --out o.db >out 2>err && fail "sweep: -D was taken"
grep -q "unknown option '-D'" err || fail "sweep -D: $(cat err)"
sed 's/int n = N/int n = LENGTH/; 1i #include "w.h"' v.cu >w.cu
echo '#define LENGTH 65536' >w.h
"$gpusim" sweep --workload w.cu --sched async --vary device.launch_us=4,5 --out w.db >out 2>err || fail "sweep: $(cat err)"
# Two launches, of which the second may hide behind the first kernel: 1 or 2 us more.
"$gpusim" results w.db --csv - --columns device.launch_us,iteration_us >w.csv 2>err || fail "results: $(cat err)"
awk -F, 'NR > 1 { us[$1] = $2 } END { d = us[5] - us[4]; exit !(d > 0.999 && d < 2.001) }' w.csv || fail "sweep of a source: $(cat w.csv)"
# What it includes is a part of it.
"$gpusim" sweep --workload w.cu --sched async --out h.db 2>&1 | grep -q '^gpusim: 1 point' || fail "sweep: the first"
"$gpusim" sweep --workload w.cu --sched async --out h.db --resume 2>&1 | grep -q 'nothing is left' || fail "--resume: again"
echo '#define LENGTH 32768' >w.h
"$gpusim" sweep --workload w.cu --sched async --out h.db --resume 2>&1 | grep -q '^gpusim: 1 point' || fail "--resume: another"
"$gpusim" run --workload vec -D N=2 --sched async >out 2>err && fail "-D has no effect on vec, and was taken"
exit $((failures > 0))
