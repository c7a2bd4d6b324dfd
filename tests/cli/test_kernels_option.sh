#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --kernels FILE: every command that takes it gives a program's kernels what the file says, by name, grid and block; a CUDA
# source's too, which has never run. An .ncu-rep is read by ncu itself. test_kernels_option.sh SOURCE-DIR BUILD-DIR
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# takes MATCHED WORD...: the command succeeds and says so ("-": it says nothing); its output is in out.
takes() {
    matched=$1
    shift
    "$gpusim" "$@" >out 2>err || { fail "$*: $(cat err)"; return; }
    if [ "$matched" = - ]; then
        grep -q 'kernels matched' err && fail "$*: $(cat err)"
    else
        grep -qF "$matched kernels matched one of its" err || fail "$*: expected '$matched kernels matched', found '$(cat err)'"
    fi
}
# refuses TEXT WORD...: with exit status 2. What it runs is found in $programs.
programs=$PATH
refuses() {
    text=$1
    shift
    PATH=$programs "$gpusim" "$@" >out 2>err
    status=$?
    [ $status = 2 ] || fail "$*: exit $status, expected 2"
    grep -qF -- "$text" err || fail "$*: expected '$text', found '$(cat err)'"
}

# A kernel that has never run, once as a profiler writes its name; 101.8 us with empty caches by ncu are 100.
cat >page.csv <<'END'
==PROF== Connected to process 505
"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"
"","","","","us","%"
"0","void slow<float>(T1 *, int)","(256, 1, 1)","(64, 1, 1)","101.80","50"
"1","step_3(float *)","(256, 1, 1)","(64, 1, 1)","51.80","10"
END
takes - import ncu page.csv -o kernels.json
grep -q "^gpusim: 'page.csv': 2 kernels, 2 with shares of pipes$" err || fail "import ncu: $(cat err)"
takes - import ncu page.csv page.csv -o twice.json
[ "$(grep -c '"name"' twice.json)" = 4 ] || fail "import ncu of two files: $(cat twice.json)"
cat >program.json <<'END'
{"schema": "gpusim-program/1", "name": "p", "buffers": [{"name": "a", "bytes": 4096, "init": "device"}],
 "kernels": [{"name": "void slow<float>(float*, int)", "flops": 1e6, "dram_bytes": 0}, {"name": "other", "flops": 1e6, "dram_bytes": 0}],
 "ops": [{"op": "kernel", "kernel": "void slow<float>(float*, int)", "grid": [64], "block": [256], "writes": ["a"]},
         {"op": "kernel", "kernel": "other", "grid": [64], "block": [256], "writes": ["a"]}]}
END
for file in page.csv kernels.json; do
    takes '1 of 2' --workload program.json --sched serial --device h200 --memory pinned --kernels $file --report report.json
    awk 'match($0, /"makespan_us": [0-9.]+/) { us = substr($0, RSTART + 15, RLENGTH - 15) + 0 } END { exit !(us > 100 && us < 125) }' report.json ||
        fail "$file: a kernel of 100 us is not in $(grep -o '"makespan_us": [0-9.]*' report.json)"
done
takes '1 of 2' compare --workload program.json --sched serial,async --device h200 --memory pinned --kernels kernels.json
"$gpusim" sweep --workload program.json --sched serial --kernels kernels.json -o results.db 2>err &&
    fail 'sweep: took --kernels, which no point would use'
takes '1 of 2' explain program.json --sched async --device h200 --memory pinned --kernels kernels.json
grep -qF 'limiting pipe: fp64, 51 % of its peak' out || fail "explain: $(cat out)" # 50 % of 101.8 us are 50.9 % of 100
takes '1 of 2' explain program.json --sched async --device h200 --memory pinned --kernels kernels.json --json -
grep -qF '"limiting_pipe": "fp64", "pipe_share": 0.509' out || fail "explain: $(cat out)"
cp out explained.json
takes - report explained.json -o page.html
grep -qF '"limiting_pipe":"fp64","pipe_share":0.509' page.html || fail "report: no limiting pipe"
takes '1 of 2' whatif program.json --sched async --device h200 --memory pinned --kernels kernels.json

# Traces.
trace=$source_dir/tests/traces/import/cases/00_reference.json
count=$(grep -o '"cat":"kernel"' "$trace" | wc -l)
"$gpusim" import kineto "$trace" -o plain.json 2>err || fail "import: $(cat err)"
takes "1 of $(grep -c '"name": "step_' plain.json)" import kineto "$trace" -o traced.json --kernels kernels.json
grep -q '"pipes"' traced.json || fail "import: no pipes"
takes "1 of $(grep -c '"name": "step_' plain.json)" validate "$trace" --kernels page.csv
[ "$count" -gt 1 ] || fail "the trace has $count kernels"
# The first cases of a recording with ncu's figures: first COUNT NAME.
first() {
    gunzip -c "$source_dir/traces/h100/unlike/$2.json.gz" | sed 's/{"kind"/\n{"kind"/g' | awk -v most="$1" '
        /^[{]"kind"/ && ++cases > most { next }
        cases == most { sub(/,[ ]*$/, "") }
        { print }
        END { if (cases > most) print "]}" }' | awk '$0 == "" || ($0 == "]}" && ended) { next } { ended = $0 == "]}"; print }' >"$2.json"
}
first 8 made
takes '98 of 98' validate made.json --device h100-vm \
    --kernels "$source_dir/traces/h100/unlike/made_ncu.csv.gz" --report report.json
grep -q '"times_alone_rows"' report.json || fail "validate: no times alone"
grep -q '"without_pipes_rows"' report.json || fail "validate: nothing without pipes"
grep -qF 'The same cases, from times alone' out || fail "validate: $(cat out)"

if [ "${GPUSIM_FULL-}" ]; then
    first 8 library
    takes '287 of 287' ablate h100-vm=library.json --rules cold_time \
        --kernels "$source_dir/traces/h100/unlike/library_ncu.csv.gz" --csv rules.csv
    awk -F, '$1 == "cold_time" && $2 == "graph" { found = $6 > 0 } END { exit !found }' rules.csv || fail "ablate: $(cat rules.csv)"
fi

# A server, whose decoding is the program.
cat >server.json <<'END'
{"schema": "gpusim-serving/1", "name": "s", "slots": 1, "batching": "continuous", "prefill_beside": "same",
 "steps": {"prefill": {"128": "./program.json"}, "decode": {"1": "./program.json"}}, "arrivals": "poisson:60", "count": 5,
 "prompt": {"choice": [128]}, "output": {"uniform": [4, 4]}, "limits": {"ttft_us": 3000, "tpot_us": 1300}}
END
takes '1 of 2' serve server.json --device h200 --kernels kernels.json
takes '1 of 2' step server.json decode 1 --device h200 --kernels kernels.json

# A CUDA source.
cat >source.cu <<'END'
template <typename T> __global__ void slow(T *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += 1; }
int main() { float *a; cudaMalloc(&a, 16384 * 4); slow<float><<<64, 256>>>(a, 16384); cudaDeviceSynchronize(); }
END
if ! "$gpusim" import cuda source.cu -o source.json 2>&1 | grep -q 'built without libclang'; then
    takes '1 of 1' import cuda source.cu --kernels kernels.json -o source.json
    grep -q '"solo_us": 100[,}]' source.json || fail "import cuda: $(cat source.json)"
    "$gpusim" import cuda source.cu -o source.json 2>/dev/null
    takes '1 of 1' --workload source.json --sched async --device h200 --memory pinned --kernels page.csv
fi

# What ncu alone can read: by a stand-in that notes its words.
: >report.ncu-rep
mkdir bin
printf '#!/bin/sh\nprintf "%%s\\n" "$*" >words\ncat page.csv\n' >bin/ncu
chmod +x bin/ncu
path=$PATH
PATH=$place/bin:$path takes '1 of 2' --workload program.json --sched serial --device h200 --memory pinned --kernels report.ncu-rep
[ "$(cat words)" = '--import report.ncu-rep --csv --page raw' ] || fail "ncu was asked '$(cat words)'"
PATH=$place/bin:$path takes - import ncu report.ncu-rep -o again.json
cmp -s again.json kernels.json || fail 'an .ncu-rep is read as its page'
printf '#!/bin/sh\nexit 3\n' >bin/ncu
programs=$place/bin:$path
refuses 'ncu --import ended with status 3' import ncu report.ncu-rep -o again.json
rm bin/ncu
mkdir empty
programs=$place/empty
refuses "cannot read 'report.ncu-rep': a report of ncu, which alone can read it and is not in PATH" \
    import ncu report.ncu-rep -o again.json
programs=$path

# What is refused.
refuses "kernels[0]: unknown field 'solo'" --workload program.json --sched serial --kernels "$(
    printf '{"schema": "gpusim-kernels/1", "kernels": [{"name": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "solo": 1}]}' >wrong.json
    echo wrong.json)"
refuses '--kernels: cannot read' validate "$trace" --kernels nowhere.json
refuses "expected --output FILE" import ncu page.csv

[ $failures = 0 ]
