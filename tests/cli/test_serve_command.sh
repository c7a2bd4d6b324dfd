#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim serve" and "gpusim step" on the recorded server: what a report holds, looked-up against exact steps, errors of the
# prediction, tables, refusals. test_serve_command.sh SOURCE-DIR BUILD-DIR.
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

# The recorded runs: percentiles of their requests, with the host's noise drawn.
while read -r run ttft tpot; do
    serve "$runs/$run.json.gz" --report report.json
    for figure in ttft_us tpot_us; do
        limit=$ttft
        [ $figure = ttft_us ] || limit=$tpot
        near "$(value percentiles $figure p50)" "$(value measured $figure p50)" "$limit" ||
            fail "$run: $figure: $(value percentiles $figure p50), measured $(value measured $figure p50)"
    done
    [ "$(grep -c '"first_us"' report.json)" = 250 ] || fail "$run: expected 250 requests"
done <<END_OF_RUNS
same_60 0.08 0.06
same_120 0.10 0.06
stream_60 0.08 0.06
stream_120 0.30 0.08
urgent_90 0.08 0.06
END_OF_RUNS

# Without noise: every step simulated, and looked up.
gunzip -c "$runs/stream_60.json.gz" | sed 's/"slots"/"host": {"jitter": 0, "stalls_per_s": 0}, "slots"/; s|: "\([a-z]*_[0-9]*\.json\.gz\)"|: "'"$runs"'/\1"|g' >quiet.json
serve quiet.json --requests 60 --report report.json
looked_up="$(value percentiles ttft_us mean) $(value percentiles tpot_us p50)"
serve quiet.json --requests 60 --exact --report report.json
set -- $looked_up
near "$1" "$(value percentiles ttft_us mean)" 0.02 || fail "exact TTFT $(value percentiles ttft_us mean), looked up $1"
near "$2" "$(value percentiles tpot_us p50)" 0.005 || fail "exact TPOT $(value percentiles tpot_us p50), looked up $2"

# Requests that arrive at once: what the server does before it is ready, such as instantiating its graphs, delays none of them.
serve quiet.json --rate 2000 --requests 20 --report report.json
looked_up="$(value percentiles ttft_us p50) $(value percentiles ttft_us p99)"
serve quiet.json --rate 2000 --requests 20 --exact --report report.json
set -- $looked_up
near "$1" "$(value percentiles ttft_us p50)" 0.005 || fail "at once: exact TTFT $(value percentiles ttft_us p50), looked up $1"
near "$2" "$(value percentiles ttft_us p99)" 0.005 || fail "at once: exact TTFT at worst $(value percentiles ttft_us p99), looked up $2"

# The same seed gives the same bytes, another one does not.
serve "$runs/server.json" --requests 100 --report a.json && serve "$runs/server.json" --requests 100 --report b.json && cmp -s a.json b.json || fail "the same seed differs"
serve "$runs/server.json" --requests 100 --seed 2 --report b.json && ! cmp -s a.json b.json || fail "another seed gives the same"

# A table and its figure.
serve "$runs/server.json" --requests 50 --rate 40:80:40 --batching continuous,chunked --prefill-beside same,stream --csv load.csv
[ "$(wc -l <load.csv)" = 9 ] || fail "expected 8 rows: $(cat load.csv)"
"$gpusim" plot load load.csv -o load.svg 2>err && grep -q 'continuous, stream' load.svg || fail "plot load: $(cat err)"
serve "$runs/server.json" --requests 100 --batching disaggregated

# One step, and a conversation.
"$gpusim" step "$runs/server.json" decode 8 >out 2>err && grep -q '^[0-9.]* us$' out || fail "step: $(cat out err)"
printf 'decode 8\nprefill 600 + decode 8\nnonsense\ndecode 8 beside prefill 512\n' | "$gpusim" step "$runs/server.json" --listen >out 2>err || fail "listen: $(cat err)"
[ "$(grep -c '^[0-9.]*$' out)" = 3 ] && [ "$(grep -c '^error ' out)" = 1 ] || fail "listen: $(cat out)"

refuses "nothing to serve" serve
refuses "unknown batching policy 'eager'" serve "$runs/server.json" --batching eager
refuses "kind draft" serve "$runs/server.json" --batching speculative
refuses "--rate: expected" serve "$runs/server.json" --rate fast
refuses "no bucket is large enough" step "$runs/server.json" decode 99
printf '{"schema": "gpusim-serving/1", "slot": 3}' >bad.json
refuses 'slot: unknown field' serve bad.json
printf '{"schema": "gpusim-serving/1", "steps": {"decode": {"1": "nowhere.json.gz"}, "prefill": {"8": "nowhere.json.gz"}}, "arrivals": "poisson:5", "prompt": 8, "output": 2, "slots": 1}' >bad.json
refuses "nowhere.json.gz" serve bad.json
printf '{"schema": "gpusim-serving/1", "steps": {"decode": {"1": "a"}, "decode": {"2": "a"}}, "arrivals": "poisson:5", "prompt": 8, "output": 2, "slots": 1}' >bad.json
refuses '"decode" stands there twice' serve bad.json
printf 'Timestamp,Request tokens,Response tokens\n,8,2\n' >bad.csv
refuses "line 2: expected a time, found none" serve "$runs/server.json" --arrivals bad.csv
[ $failures = 0 ]
