#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim serve" and "gpusim step" on a server of one kernel a step: what a report holds, looked-up against exact steps, tables,
# refusals. With GPUSIM_FULL the recorded server, too: errors of the prediction. test_serve_command.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
runs=$source_dir/traces/h100/serving
serve() { "$gpusim" serve "$@" >out 2>err || fail "serve $*: $(cat err)"; }
refuses() {
    message=$1
    shift
    "$gpusim" "$@" >out 2>err
    status=$?
    [ $status = 2 ] || fail "$*: exit $status, expected 2"
    grep -qF -- "$message" err || fail "$*: found '$(cat err)', expected '$message'"
}
# A percentile of a report: value PART FIGURE QUANTILE.
value() { awk -v part="$1" -v figure="$2" -v quantile="$3" '
    index($0, "\"" part "\": {") { inside = 1 }
    inside && index($0, "\"" figure "\"") { text = $0; sub(".*\"" quantile "\": ", "", text); sub("[,}].*", "", text); print text; exit }' report.json; }
near() { awk -v a="$1" -v b="$2" -v limit="$3" 'BEGIN { d = a / b - 1; exit !(d <= limit && d >= -limit) }'; }

# A prefill of 128 tokens takes 2,000 us, of 512 6,000; a decode step of one 200, of eight 300.
kernel() { echo "{\"schema\": \"gpusim-program/1\", \"name\": \"$1\", \"kernels\": [{\"name\": \"k\", \"solo_us\": $2, \"solo_device\": \"h100-vm\", \"regs_per_thread\": 32, \"smem_bytes\": 120000}], \"ops\": [{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [256], \"grid\": [132]}]}" >"$1.json"; }
kernel p128 2000 && kernel p512 6000 && kernel d1 200 && kernel d8 300
steps='"steps": {"prefill": {"128": "p128.json", "512": "p512.json"}, "decode": {"1": "d1.json", "8": "d8.json"}}, "arrivals": "poisson:60", "count": 1000, "prompt": {"choice": [128, 512]}, "output": {"uniform": [16, 64]}, "device": "h100-vm"'
spec() { echo "{\"schema\": \"gpusim-serving/1\", \"slots\": 8, \"batching\": \"continuous\", \"prefill_beside\": \"same\", $1 $steps}"; }
spec '"host": "h100-vm",' >server.json
spec '' >hostless.json
spec '"host": {"like": "h100-vm", "jitter": 0, "stalls_per_s": 0},' | sed 's/"same"/"stream"/' >quiet.json
server=server.json

# agree LIMIT LIMIT OPTION...: every step simulated, and looked up.
agree() {
    ttft=$1 tpot=$2
    shift 2
    serve "$@" --report report.json
    set -- "$(value percentiles ttft_us mean)" "$(value percentiles tpot_us p50)" "$@"
    mean=$1 p50=$2
    shift 2
    serve "$@" --exact --report report.json
    near "$mean" "$(value percentiles ttft_us mean)" "$ttft" || fail "$*: exact TTFT $(value percentiles ttft_us mean), looked up $mean"
    near "$p50" "$(value percentiles tpot_us p50)" "$tpot" || fail "$*: exact TPOT $(value percentiles tpot_us p50), looked up $p50"
}
agree 0.005 0.005 quiet.json --requests 60
# Requests that arrive at once: what the server does before it is ready, such as instantiating its graphs, delays none of them.
agree 0.005 0.005 quiet.json --rate 2000 --requests 20

# The recorded server: medians of requests with the host's noise drawn (cli-serving_table has all runs), and without noise.
if [ "${GPUSIM_FULL-}" ]; then
    serve "$runs/same_60.json.gz" --report report.json
    for figure in ttft_us tpot_us; do
        near "$(value percentiles $figure p50)" "$(value measured $figure p50)" 0.06 ||
            fail "$figure: $(value percentiles $figure p50), measured $(value measured $figure p50)"
    done
    [ "$(grep -c '"first_us"' report.json)" = 250 ] || fail "expected 250 requests"
    gunzip -c "$runs/stream_60.json.gz" | sed 's/"host": "h100-vm"/"host": {"like": "h100-vm", "jitter": 0, "stalls_per_s": 0}/; s|: "\([a-z]*_[0-9]*\.json\.gz\)"|: "'"$runs"'/\1"|g' >recorded.json
    agree 0.02 0.005 recorded.json --requests 60
    agree 0.005 0.005 recorded.json --rate 2000 --requests 20
fi

# The same seed gives the same bytes, another one does not.
serve $server --requests 100 --report a.json && serve $server --requests 100 --report b.json && cmp -s a.json b.json || fail "the same seed differs"
[ "$(grep -c '"first_us"' a.json)" = 100 ] || fail "expected 100 requests"
serve $server --requests 100 --seed 2 --report b.json && ! cmp -s a.json b.json || fail "another seed gives the same"

# A table and its figure.
serve $server --requests 50 --rate 40:80:40 --prefill-beside same,stream --csv load.csv
[ "$(wc -l <load.csv)" = 5 ] || fail "expected 4 rows: $(cat load.csv)"
"$gpusim" plot load load.csv -o load.svg 2>err && grep -q 'continuous, stream' load.svg || fail "plot load: $(cat err)"
serve $server --requests 100 --batching disaggregated

# One step, and a conversation.
"$gpusim" step $server decode 8 >out 2>err && grep -q '^[0-9.]* us$' out || fail "step: $(cat out err)"
printf 'decode 8\nprefill 500 + decode 8\nnonsense\ndecode 8 beside prefill 512\n' | "$gpusim" step $server --listen >out 2>err || fail "listen: $(cat err)"
[ "$(grep -c '^[0-9.]*$' out)" = 3 ] && [ "$(grep -c '^error ' out)" = 1 ] || fail "listen: $(cat out)"

parts() { yes 'decode 8 +' | head -n "$1" | tr '\n' ' '; }
# shellcheck disable=SC2046 # words
"$gpusim" step $server $(parts 71) decode 8 >out 2>err && grep -q '^[0-9.]* us$' out || fail "72 steps: $(cat out err)"
no_step() { text=$1 && shift && ! "$gpusim" step $server "$@" >out 2>err && grep -qF -- "$text" err || fail "step $*: $(cat out err)"; }
# shellcheck disable=SC2046
no_step 'expected at most 72 steps, found more' $(parts 72) decode 8
no_step nonsense decode 8 + nonsense
no_step 'beside: expected a prefill' decode 8 beside decode 8

# Without a host there is no noise, and the report says so; the recorded machine's is named.
serve hostless.json --requests 50 --seed 3 && grep -q 'Host  *none named (--host)' out || fail "no host: $(cat out)"
serve hostless.json --requests 50 --seed 3 --host h100-vm && grep -q 'Host  *h100-vm$' out || fail "host: $(cat out)"

# A server of a language model as measured: mixed steps from the engine's own tables (a kept copy of a public run).
tables=$source_dir/../shared/data/public/vllm/RTX4090/Llama-3.1-8B
if [ -d "$tables" ]; then
    gunzip -c "$tables/requests.jsonl.gz" | sed 's/[",:{}]/ /g' | awk -v tables="$tables" '
        { for (i = 1; i < NF; i++) v[$i] = $(i + 1); queued[NR] = v["queued_ts"]
          if (NR == 1) start = queued[1]
          text = text sprintf("%s{\"arrival_us\": %.0f, \"prompt\": %d, \"output\": %d, \"first_us\": %.0f, \"done_us\": %.0f}", NR > 1 ? ",\n" : "",
              (queued[NR] - start) * 1e6, v["input_toks"], v["output_toks"], (v["first_token_ts"] - queued[NR]) * 1e6, (v["last_token_ts"] - queued[NR]) * 1e6)
          if (v["last_token_ts"] > last) last = v["last_token_ts"] }
        END { printf "{\"schema\": \"gpusim-serving/1\", \"device\": \"rtx4090\", \"slots\": 256, \"batching\": \"chunked\", \"options\": {\"budget\": 2048},\n \"cache\": {\"tokens\": 41408, \"block\": 16},\n \"steps\": {\"profile\": {\"layers\": 32, \"once\": [\"embedding\", \"final_layernorm\"], \"twice\": [\"layernorm\"],\n  \"dense\": \"%s/dense.csv.gz\", \"attention\": \"%s/attention.csv.gz\", \"per_sequence\": \"%s/per_sequence.csv.gz\"}},\n \"requests\": [%s]}\n", tables, tables, tables, text
              printf "%.3f\n", last - start >"end" }' >vllm.json
    serve vllm.json --report report.json
    near "$(value percentiles ttft_us mean)" "$(value measured ttft_us mean)" 0.06 || fail "vLLM: TTFT: $(grep ttft report.json)"
    near "$(value percentiles tpot_us mean)" "$(value measured tpot_us mean)" 0.05 || fail "vLLM: TPOT: $(grep tpot report.json)"
    near "$(awk '/Requests/ { print $4 }' out)" "$(cat end)" 0.04 || fail "vLLM: end: $(cat out) for $(cat end)"
    printf 'decode 8@100\nprefill 512 + decode 8@100\nprefill 512\ndecode 8\n' | "$gpusim" step vllm.json --listen >out || fail "listen: $(cat out)"
    awk 'NR <= 3 { v[NR] = $1 } NR == 4 { exit !(/^error/ && v[2] > v[3] && v[2] < v[1] + v[3] - 10000) }' out || fail "a mixed step: $(cat out)"
    refuses "no program to simulate" serve vllm.json --exact
    refuses "found a step on one GPU" serve vllm.json --node dgx-h100
    refuses "expected same, found stream" serve vllm.json --prefill-beside stream
fi

# The greatest rate within limits: the table holds at it and does not at one and a half times as many.
serve hostless.json --requests 60 --rate most --within ttft=60ms,tpot=5ms --csv most.csv
grep -q 'the greatest rate at which 99 % of 60 requests are within TTFT 60.00 ms, TPOT 5.000 ms' out || fail "--rate most: $(cat out)"
most=$(awk -F, 'NR == 2 { print $5 }' most.csv)
good() { serve hostless.json --requests 60 --rate "$1" --within ttft=60ms,tpot=5ms && awk '/Goodput/ { exit !($(NF - 3) >= 99) }' out; }
good "$(awk -v r="$most" 'BEGIN { print r * 0.8 }')" || fail "at 0.8 of $most per s: $(cat out)"
! good "$(awk -v r="$most" 'BEGIN { print r * 1.5 }')" || fail "at 1.5 of $most per s: $(cat out)"
# Means of three draws are those of three runs, with Student's t of two degrees, 4.3027; of a list without noise nothing is drawn.
for seed in 7 8 9; do serve hostless.json --requests 60 --rate 40 --seed $seed --csv one.csv && tail -n 1 one.csv; done >draws
serve hostless.json --requests 60 --rate 40 --seed 7 --repeat 3 --csv repeat.csv
awk -F, 'FNR == NR { n++; sum += $11; squares += $11 * $11; next }
    FNR == 2 { mean = sum / n; half = 4.3027 * sqrt((squares - n * mean * mean) / (n - 1) / n)
        exit !($11 > mean - 0.01 && $11 < mean + 0.01 && $24 > 0.999 * half && $24 < 1.001 * half && half > 10) }' draws repeat.csv ||
    fail "--repeat: $(cat draws repeat.csv)"
grep -q '^ *+- ' out || fail "--repeat: no intervals: $(cat out)"
sed 's/"arrivals.*"output": {[^}]*}/"requests": [{"arrival_us": 0, "prompt": 128, "output": 4}]/' hostless.json >listed.json
refuses 'nothing is drawn here' serve listed.json --repeat 2
refuses "expected limits: --within" serve "$runs/same_60.json.gz" --rate most
refuses "--within: expected ttft=TIME" serve hostless.json --within e2e=3

# 80 requests per s of some 13 ms each are one at a time on average: of four servers one is free for 98 of 100 (Erlang's
# loss formula), where no prefill delays a token: a step's 200 us and its calls. One server is at its limit.
serve hostless.json --requests 240 --rate 80 --report report.json && one=$(value percentiles tpot_us mean)
serve hostless.json --requests 240 --rate 80 --replicas 4 --router least-loaded --report report.json
grep -q '"gpus": 4' report.json || fail "GPUs of four servers: $(head -3 report.json)"
near "$(value percentiles tpot_us mean)" 208 0.04 || fail "four servers: $(grep tpot report.json)"
near "$one" 208 0.5 && fail "one server for 80 per s: $one us a token"
refuses "each step that is looked up begins at rest" serve hostless.json --requests 5 --opt device.limit_w=400
# The clock is no limit of power: a step of 400,000 cycles takes 400 us at 1,000 MHz, 200 at 2,000.
sed 's/"solo_us": [0-9]*, "solo_device": "h100-vm"/"thread_cycles": 400000/' d1.json >cycles.json
sed 's/"d[18].json"/"cycles.json"/g' quiet.json >clocked.json
serve clocked.json --requests 20 --rate 1 --opt device.clock_mhz=1000 --report report.json && slow=$(value percentiles tpot_us p50)
serve clocked.json --requests 20 --rate 1 --opt device.clock_mhz=2000 --report report.json && fast=$(value percentiles tpot_us p50)
grep -q 'changes nothing' err && fail "the clock of steps by cycles: $(cat err)"
serve clocked.json --requests 20 --opt device.d2h_gbps=5 --opt device.clock_mhz=1500 && [ "$(cat err)" = 'gpusim: note: --opt device.d2h_gbps=5 changes nothing here' ] ||
    fail "steps without copies: $(cat err)"
near "$(awk "BEGIN { print $slow - $fast }")" 200 0.005 || fail "400,000 cycles: $slow us at 1,000 MHz, $fast at 2,000"
# Steps of a profile's tables are on no simulated GPU: its numbers are refused, but the links of several that reduce.
printf '%s\n' layer,tokens,time_us mlp,1,10 mlp,8,10 >dense.csv
printf '%s\n' layer,sequences,time_us head,1,5 head,8,5 >sequence.csv
{
    echo prefill_chunk,kv_prefill,n_decode,kv_decode,time_us
    for tokens in 0,0 4,0 4,8 8,0 8,8; do
        for decode in 0,0 1,8 1,16 2,8 2,16; do echo "$tokens,$decode,4"; done
    done
} | grep -v ^0,0,0 >attention.csv
tables='"steps": {"profile": {"layers": 2, "dense": "dense.csv", "attention": "attention.csv", "per_sequence": "sequence.csv"}}'
sed "s/\"steps\": {.*}}, \"arrivals\"/$tables, \"arrivals\"/" hostless.json >tables.json
sed 's/"layers": 2/&, "tensor_parallel": 2, "bytes_per_token": 8192/' tables.json >two.json
serve tables.json --requests 5
for words in '--opt device.clock_mhz=500' '--opt gpu.exact=on' '--opt rule.tile_queue=off' '--opt device.peer_gbps=10' '--kernels none.csv'; do
    # shellcheck disable=SC2086 # a list of words
    refuses "the steps' times are those of steps.profile" serve tables.json --requests 5 $words
done
refuses "the steps' times are those of steps.profile" serve two.json --requests 5 --opt device.clock_mhz=500
serve two.json --requests 5 --opt device.peer_gbps=10 --report report.json && slow=$(value percentiles tpot_us mean)
serve two.json --requests 5 --report report.json
near "$slow" "$(value percentiles tpot_us mean)" 0.01 && fail "links of 10 GB/s take no longer"
refuses "one host drives one GPU; several servers" serve hostless.json --requests 5 --replicas 2 --exact
refuses "expected --replicas, found one server" serve hostless.json --router least-loaded
refuses "router prefix: expected requests whose blocks" serve hostless.json --replicas 2 --router prefix
refuses "expected round-robin, least-loaded or prefix" serve hostless.json --replicas 2 --router nearest

# What has no effect is refused: a rate of what arrives at once, a way beside decode of a prefill with a GPU of its own.
sed 's/"arrivals.*"output": {[^}]*}/"requests": [{"arrival_us": 0, "prompt": 128, "output": 4}, {"arrival_us": 0, "prompt": 128, "output": 4}]/' hostless.json >once.json
refuses "rate: of requests over time: all 2 arrive at once" serve once.json --rate 5
"$gpusim" whatif once.json --change rate=5 2>&1 | grep -q 'rate=5: .*rate: of requests over time: all 2 arrive at once' || fail "whatif rate="
sed 's/"batching": "[a-z-]*"/"batching": "disaggregated"/' hostless.json >apart.json
grep -q disaggregated apart.json || sed 's/{/{"batching": "disaggregated", /' hostless.json >apart.json
refuses "under disaggregated a prefill has a GPU of its own" serve apart.json --prefill-beside stream
"$gpusim" whatif apart.json --change prefill_beside=stream 2>&1 | grep -q 'stream: .*under disaggregated a prefill has a GPU of its own' ||
    fail "whatif prefill_beside="
for way in mps stream; do
    sed "s/\"prefill_beside\": \"same\"/\"prefill_beside\": \"$way\"/" apart.json >beside.json
    refuses "prefill_beside: under disaggregated a prefill has a GPU of its own" serve beside.json
    "$gpusim" explain beside.json 2>&1 | grep -q 'prefill_beside: under disaggregated a prefill has a GPU' || fail "explain $way"
done
serve hostless.json --requests 5 --batching disaggregated,continuous --prefill-beside same,stream
[ "$(grep -c '^ *file ' out)" = 3 ] || fail "a disaggregated server, two ways: $(cat out)"
refuses "nothing to serve" serve
refuses "unknown host 'nowhere'; known: h100-vm" serve $server --host nowhere
refuses "unknown batching policy 'eager'" serve $server --batching eager
refuses "kind draft" serve $server --batching speculative
refuses "--rate: expected" serve $server --rate fast
refuses "every rate up to" serve $server --rate most --within ttft=1000s --requests 5
refuses "2 draws at least" serve $server --rate most --within ttft=1s --repeat 1
refuses "no bucket is large enough" step $server decode 99
printf '{"schema": "gpusim-serving/1", "slot": 3}' >bad.json
refuses 'slot: unknown field' serve bad.json
printf '{"schema": "gpusim-serving/1", "steps": {"decode": {"1": "nowhere.json.gz"}, "prefill": {"8": "nowhere.json.gz"}}, "arrivals": "poisson:5", "prompt": 8, "output": 2, "slots": 1}' >bad.json
refuses "nowhere.json.gz" serve bad.json
printf '{"schema": "gpusim-serving/1", "steps": {"decode": {"1": "a"}, "decode": {"2": "a"}}, "arrivals": "poisson:5", "prompt": 8, "output": 2, "slots": 1}' >bad.json
refuses '"decode" stands there twice' serve bad.json
printf 'Timestamp,Request tokens,Response tokens\n,8,2\n' >bad.csv
refuses "line 2: expected a time, found none" serve $server --arrivals bad.csv
[ $failures = 0 ]
