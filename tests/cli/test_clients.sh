#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies of a task, parts in SMs, and "compare --limit": how many clients a GPU holds. test_clients.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
refuses() {
    message=$1
    shift
    "$gpusim" "$@" >out 2>err
    status=$?
    [ $status = 2 ] || fail "$*: exit $status, expected 2"
    grep -qF -- "$message" err || fail "$*: found '$(cat err)', expected '$message'"
}
cat >service.json <<'END_OF_FILE'
{"schema": "gpusim-program/1", "name": "service", "buffers": [],
 "kernels": [{"name": "k", "regs_per_thread": 32, "solo_us": 100, "solo_device": "h100-vm", "energy_mj": 20}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [2112], "block": [1024]}, {"op": "synchronize"}], "iterations": 1}
END_OF_FILE
options="--device h100-vm --memory pinned"
# A kernel of 100 us that fills the GPU 8 times over: under exclusive use N closed clients wait for N - 1 others, so that each
# request takes N times one alone, which is 100 us and the host's few.
# shellcheck disable=SC2086
"$gpusim" compare --task service.json,copies=1:8,requests=20 --share exclusive,mps --limit mean=550us $options --csv points.csv --report r.json >out 2>err ||
    fail "compare: $(cat err)"
grep -q '^  exclusive *5 ' out || fail "expected 5 clients under exclusive: $(cat out)"
awk -F, '$1 == "exclusive" && $2 == 5 { found = ($3 == 1 && $4 > 480 && $4 < 550) } END { exit !found }' points.csv || fail "points: $(cat points.csv)"
# Ten clients at random, 500 a second each, on one server of d us: a queue M/D/1 at u = d / 200 of its time, d (1 + u / (2 (1 - u))) on
# average; 30 draws of 200 requests a client are 60,000, within 4 %.
# shellcheck disable=SC2086
"$gpusim" compare --task service.json,copies=9:10,requests=200,arrival=poisson:500 --share exclusive --limit mean=99s $options --repeat 30 --csv drawn.csv >drawn 2>err ||
    fail "drawn: $(cat err)"
alone=$("$gpusim" compare --task service.json,copies=1:2,requests=50 --share exclusive --limit mean=1us $options --csv - 2>/dev/null | awk -F, '$2 == 1 { print $4 }')
awk -F, -v d="$alone" '$2 == 10 { u = d / 200; right = d * (1 + u / (2 * (1 - u))); off = $4 / right - 1; found = off < 0.04 && off > -0.04 && $7 > 0 && $7 < 0.1 * $4 }
    END { exit !found }' drawn.csv || fail "drawn: $(cat drawn.csv), $alone us alone"
grep -q 'requests of 30 draws' drawn || fail "drawn: $(cat drawn)"
"$gpusim" plot clients r.json -o clients.svg 2>err || fail "plot clients: $(cat err)"
# shellcheck disable=SC2086
"$gpusim" --task service.json,copies=3,requests=2 --share mps $options --report run.json >out 2>err || fail "copies: $(cat err)"
[ "$(grep -c '"name": "service' run.json)" = 3 ] || fail "expected three tasks"
# 64 and 68 SMs are all of the 132; 16.0 of 132 is 16 and not 8.
# shellcheck disable=SC2086
"$gpusim" --task service.json,sms=64 --task service.json,sms=68 --share partition $options >out 2>err || fail "parts: $(cat err)"
# shellcheck disable=SC2086
for part in sms=16 percentage=12.1212; do
    "$gpusim" --task "service.json,$part" --task m1,sms=64 --share partition $options --report part.json >out 2>err || fail "$part: $(cat err)"
    grep '"name": "k"' part.json | sed 's/.*"start_us"/"start_us"/' >"$part.txt"
done
cmp -s sms=16.txt percentage=12.1212.txt || fail "16 SMs: $(cat sms=16.txt) and $(cat percentage=12.1212.txt)"
# shellcheck disable=SC2086
refuses "a part has 16 or 24 of the 132" --task service.json,sms=17 --task m1,sms=64 --share partition $options
# shellcheck disable=SC2086
refuses "a range is for gpusim compare" --task service.json,copies=1:4 --share mps $options
# shellcheck disable=SC2086
refuses "expected a task with a range of copies" compare --task service.json --share mps --limit p99=1ms $options
# shellcheck disable=SC2086
refuses "expected mean, p50 or p99=TIME" compare --task service.json,copies=1:4 --share mps --limit p90=1ms $options
# Without a limit each number of copies has a line. A trace is a task; its graphs are graphs.
trace=$source_dir/traces/h100/serving/decode_4.json.gz
"$gpusim" compare --task "$trace,copies=1:2,requests=5" --share mps,timeslice --csv copies.csv >out 2>err || fail "copies: $(cat err)"
[ "$(wc -l <copies.csv)" = 5 ] && [ "$(grep -c '^  mps  *[12] ' out)" = 2 ] && grep -q 'on h100-vm' out || fail "copies: $(cat out)"
refuses "step=1: of a profiler's trace" --task service.json,step=1 --share mps
[ $failures = 0 ]
