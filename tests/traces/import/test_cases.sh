#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces of the kinds that real profilers write (tests/traces/import/cases), each with what is right for it:
# test_cases.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
cases=$source_dir/tests/traces/import/cases
failures=0 checks=0
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }

# imports FORMAT FILE PART...: exit 0, and every PART is said; a PART that begins with "!" is not.
imports() {
    format=$1 file=$2
    shift 2
    rm -f program.json
    timeout 60 "$gpusim" import "$format" "$cases/$file" -o program.json >out 2>&1 || fail "$file: exit $?: $(head -c 300 out)"
    for part; do
        checks=$((checks + 1))
        case $part in
        !*) ! grep -qF -- "${part#!}" out || fail "$file: says '${part#!}': $(cat out)" ;;
        *) grep -qF -- "$part" out || fail "$file: nothing says '$part': $(cat out)" ;;
        esac
    done
}

# replays LEAST MOST [DEVICE]: the program imported last takes so many microseconds.
replays() {
    checks=$((checks + 1))
    "$gpusim" --workload program.json --sched async --device "${3:-h200}" --memory pinned --report report.json >/dev/null 2>&1
    us=$(sed -n 's/.*"makespan_us": \([0-9.]*\).*/\1/p' report.json | head -n 1)
    awk -v us="${us:-0}" -v least="$1" -v most="$2" 'BEGIN { exit !(us >= least && us <= most) }' ||
        fail "$file: replayed in ${us:-nothing} us, expected $1 to $2"
}

imports nsys 01_nsys_pageable_copies.sqlite '5 copies of pageable memory' '1 kernels, 5 copies'
imports nsys 01_nsys_pinned_copies.sqlite '!pageable' '1 kernels, 5 copies'
imports nsys 07_nsys_only_whole_graphs.sqlite '10 graphs recorded as a whole' '--cuda-graph-trace=node'
replays 10700 11200
imports nsys 07_nsys_whole_graphs_and_kernels.sqlite '20 kernels' '10 graphs recorded as a whole'
replays 10400 11200
imports nsys 10_nsys_managed_memory_moves.sqlite '1 kernels, 0 copies' '25 moves of managed memory'
replays 2950 3100
imports nsys 20_nsys_plain.sqlite '20 kernels'
replays 770 810
imports nsys 23_nsys_call_before_time_zero.sqlite '10 kernels'
replays 380 400

# As the trace 00_reference.json, from which they differ in one thing.
for file in 00_reference 03_old_categories 11_control_character 11_nan_in_unused_field 11_not_utf8 11_unescaped_backslashes \
    11_unescaped_quotes 12_array_trailing_comma 12_array_without_closing_bracket 21_ts_as_strings 24_byte_order_mark \
    28_begin_end_pairs; do
    case $file in
    11_*) imports kineto $file.json '40 kernels' '1 events that are not quite JSON' ;;
    *) imports kineto $file.json '40 kernels' '!not quite JSON' ;;
    esac
    replays 860 900
done
imports kineto 04_rocm_graph_kernels_without_shape.json '60 kernels' '60 without grid and block' '60 launched by CUDA graphs'
grep -q '"solo_us": 8' program.json || fail "$file: no kernel of 8 us"
imports kineto 04_rocm_kernels_shape_on_launch_only.json '20 kernels' '!without grid'
grep -qE '"grid": \[ *128' program.json || fail "$file: no grid of 128"
grep -qE '"block": \[ *256' program.json || fail "$file: no block of 256"
imports kineto 04_rocm_copy_size_on_call_only.json '10 kernels, 1 copies'
grep -q '"bytes": 262144' program.json || fail "$file: no copy of 262144 bytes"
imports kineto 05_hip_graph_and_sync_names.json '120 kernels' '120 launched by CUDA graphs' '!correlation id'
replays 1380 1420 mi300x
imports kineto 05_cuda_twin.json '120 kernels'
replays 1380 1420
imports kineto 13_context_sync_renames_streams.json '20 kernels' 'on 2 streams'
grep -q '"stream": 7' program.json && grep -q '"stream": 20' program.json || fail "$file: not the streams 7 and 20"
imports kineto 14_stream_ids_64bit.json '20 kernels' 'on 2 streams'
imports kineto 15_epoch_times_short_trace.json '9.000 us from the first launch'
imports kineto 16_one_duration_overflows.json '40 kernels' '1 that last beyond the next in their stream'
replays 860 900
imports kineto 16_two_streams_recorded_as_one.json 'the profiler put several streams on one'
imports kineto 17_two_gpus_second_works_longer.json '30 kernels' '30 on other GPUs'
grep -q '"stream": 7' program.json || fail "$file: not stream 7"
replays 1780 1900
imports kineto 17_merged_ranks_same_device_number.json '30 kernels' '30 on other GPUs'
replays 690 740
imports kineto 22_some_kernels_without_times.json '40 kernels'
replays 860 900
imports kineto 26_xpu.json '20 kernels' '20 without grid and block'

imports kineto 02_one_small_pageable_copy.json '1 copies of pageable memory'
grep -q '"memory": "pageable"' program.json || fail "$file: no copy is pageable"
replays 5000 5250
imports kineto 08_gpu_idle_though_launched.json '1 that start later than the trace explains'
replays 60500 61200
timeout 60 "$gpusim" import kineto "$cases/$file" -o program.json --unexplained drop >out 2>&1
replays 860 900
imports kineto 10_peer_copies.json '10 copies between GPUs: at their recorded times'
replays 5000 5200
imports kineto 18_waits_without_sync_records.json '19 cudaStreamWaitEvent calls' 'inferred from times'
replays 2000 2200
imports kineto 19_copies_at_10_gbps.json '5 copies at their recorded times'
replays 19900 20400
timeout 60 "$gpusim" import kineto "$cases/$file" -o program.json --copies modelled >out 2>&1
replays 3500 4000
imports kineto 09_long_kernel_beside_short_ones.json '61 kernels'
replays 1250 1350

# parts FILE OPTIONS KERNELS SPAN: what the options leave of the trace.
parts() {
    file=$1 options=$2 checks=$((checks + 1))
    # shellcheck disable=SC2086 # several words
    timeout 60 "$gpusim" import $options "$cases/$file" -o program.json >out 2>&1
    grep -qF "$3 kernels" out && grep -qF "$4 from the first" out || fail "$file $options: expected $3 kernels in $4: $(cat out)"
}
parts 17_two_gpus_second_works_longer.json '--gpu 0' 30 '664.0 us'
parts 17_two_gpus_second_works_longer.json '--gpu 1' 30 '1.864 ms'
parts 17_merged_ranks_same_device_number.json '--rank 0' 30 '664.0 us'
parts 17_merged_ranks_same_device_number.json '--rank [TP01]' 30 '724.0 us'
parts 17_merged_ranks_same_device_number.json '--rank 1 --gpu 0 --range 0:0' 1 '28.00 us'
parts 00_reference.json '--time 0:80' 10 '224.0 us'
parts 00_reference.json '--time 80:' 30 '804.0 us'
step='{"ph":"X","cat":"user_annotation","pid":100,"tid":101,"name":"ProfilerStep#'
sed "s/\"traceEvents\":\\[/&${step}4\",\"ts\":1000,\"dur\":24},${step}5\",\"ts\":1024,\"dur\":80},${step}6\",\"ts\":90000,\"dur\":1},/" \
    "$cases/00_reference.json" >"$place/steps.json"
kept=$cases cases=$place
parts steps.json '--step 4' 3 '70.00 us'
parts steps.json '--step 5' 10 '266.0 us'
parts steps.json '--between ProfilerStep#4' 3 '70.00 us'
parts steps.json '' 40 '884.0 us'
cases=$kept

# says FILE OPTIONS PART: exit 2, with a message that helps on.
says() {
    checks=$((checks + 1))
    # shellcheck disable=SC2086
    timeout 60 "$gpusim" import $2 "$1" -o program.json >out 2>&1
    code=$?
    [ "$code" = 2 ] && grep -qF -- "$3" out || fail "$1 $2: exit $code, nothing says '$3': $(cat out)"
}
says "$cases/17_two_gpus_second_works_longer.json" '--gpu 5' "expected one of the trace's GPUs (GPU 0, GPU 1), found GPU 5"
says "$cases/17_merged_ranks_same_device_number.json" '--rank 7' '(GPU 0 of rank [TP00], GPU 0 of rank [TP01]), found rank 7'
says "$place/steps.json" '--step 3' 'expected steps from 4 to 5 (by ProfilerStep), found 3'
says "$place/steps.json" '--step 6' 'expected steps from 4 to 5 (by ProfilerStep), found 6'
says "$cases/00_reference.json" '--step 3' 'expected steps (ProfilerStep or other annotations, waits or launches that repeat), found none in the trace'
says "$cases/00_reference.json" '--time 9:1' '--time: expected FROM:TO'
says "$cases/00_reference.json" '--time 90000:' 'found none'
says "$cases/00_reference.json" '--step 1 --range 1:2' 'expected one of --range, --time, --step, --steps, --between and --whole, found 2'

# refuses FILE PART...: exit 2, one line that holds every PART.
refuses() {
    file=$1
    shift
    timeout 60 "$gpusim" import kineto "$cases/$file" -o program.json >out 2>&1 && fail "$file: imported"
    for part; do
        checks=$((checks + 1))
        grep -qF -- "$part" out || fail "$file: nothing says '$part': $(cat out)"
    done
}
# Told apart by the file itself.
found() {
    checks=$((checks + 1))
    timeout 60 "$gpusim" import "$cases/$1" -o program.json >out 2>&1 || fail "$1: exit $?: $(cat out)"
    grep -qF -- "$2" out || fail "$1: nothing says '$2': $(cat out)"
}
found 00_reference.json '40 kernels'
found 20_nsys_plain.sqlite '20 kernels'
found 06_nvprof.nvvp '12 kernels, 2 copies'
grep -q '"solo_us": 200' program.json || fail '06_nvprof.nvvp: no kernel of 200 us'
grep -q '"name": "scale(float\*, int)"' program.json || fail '06_nvprof.nvvp: no kernel scale(float*, int)'
imports nsys 06_nvprof.nvvp '12 kernels, 2 copies' 'read as that, not as nsys'
sed 's/NVIDIA H200/NVIDIA H100 80GB HBM3/' "$cases/13_context_sync_renames_streams.json" >h100.json
"$gpusim" import h100.json -o program.json >out 2>&1
grep -q '"solo_device": "h100-vm"' program.json || fail 'a trace of an H100 is taken for another'
# of GPU NAME DEVICE [NOTE]: a trace of the GPU becomes a program for DEVICE.
of_gpu() {
    checks=$((checks + 1))
    sed "s|NVIDIA H200|$1|; s|\"computeMajor\": *[0-9]*|\"computeMajor\": ${4:-9}|; s|\"computeMinor\": *[0-9]*|\"computeMinor\": ${5:-0}|" \
        "$cases/13_context_sync_renames_streams.json" >gpu.json
    "$gpusim" import gpu.json -o program.json >out 2>&1 || fail "$1: $(cat out)"
    grep -q "\"solo_device\": \"$2\"" program.json || fail "$1: not for $2: $(grep -o '"solo_device": "[^"]*"' program.json | head -n 1)"
    grep -qF -- "$3" out || fail "$1: nothing says '$3': $(cat out)"
}
of_gpu 'NVIDIA H200' h200 '20 kernels'
of_gpu 'NVIDIA H100 PCIe' h100-pcie '20 kernels'
of_gpu 'NVIDIA H100 NVL' h100-vm 'nearest by architecture'
of_gpu 'NVIDIA A100-SXM4-80GB' a100-sxm4-80gb '20 kernels' 8 0
of_gpu 'Tesla T4' t4 '20 kernels' 7 5
of_gpu 'NVIDIA L4' l4 '20 kernels' 8 9
of_gpu 'NVIDIA L40' rtx4090 'no device is '"'NVIDIA L40'" 8 9
of_gpu 'NVIDIA GeForce RTX 3090' rtx3090 '20 kernels' 8 6
of_gpu 'NVIDIA B200' b200 '20 kernels' 10 0
of_gpu 'AMD Instinct MI300X' mi300x '20 kernels' 9 4
of_gpu 'AMD Instinct MI325X' mi300x 'nearest by architecture' 9 4
for file in 20_nsys_plain.sqlite 06_nvprof.nvvp; do
    checks=$((checks + 1))
    "$gpusim" validate "$cases/$file" >out 2>&1 || fail "validate $file: $(cat out)"
    grep -q "^$file" out || fail "validate $file: no line of it: $(cat out)"
done
: >a.nsys-rep
echo '<!DOCTYPE html>' >page.json
for pair in 'a.nsys-rep:nsys export --type sqlite' 'program.json:--workload' 'page.json:a web page'; do
    checks=$((checks + 1))
    "$gpusim" import "${pair%%:*}" -o x.json >out 2>&1 && fail "${pair%%:*} was imported"
    grep -qF -- "${pair#*:}" out || fail "${pair%%:*}: nothing says '${pair#*:}': $(cat out)"
done

refuses 27_only_unknown_categories.json '20 events' 'mtia_ccp_events'
found 27_jax_like.json '20 kernels'

# The reference changed by a sed script, as further profilers and versions write it: it stays the same run.
varies() {
    what=$1 script=$2
    shift 2
    sed "$script" "$cases/00_reference.json" >"$place/$what.json"
    cmp -s "$cases/00_reference.json" "$place/$what.json" && fail "$what: nothing changed"
    kept=$cases cases=$place
    imports kineto "$what.json" '40 kernels' "$@"
    replays 860 900
    cases=$kept
}
mended='1 events that are not quite JSON'
varies nan_in_header 's/"numSms":132/"numSms":NaN/' "$mended"
varies backslash_in_header 's/}$/,"traceName":"C:\\Users\\me"}/' "$mended"
varies tab_in_header "s/^{/{\"traceName\":\"a$(printf '\t')b\",/" "$mended"
varies forgotten_comma 's/"traceEvents":\[/&{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":1} /' "$mended"
varies bare_word 's/"traceEvents":\[/&{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":1,"args":{"x":None}},/' "$mended"
varies trailing_comma 's/\]}$/,]}/' '!not quite JSON'
varies cut_within_an_event 's/.*"traceEvents":\(.*\)\]}$/\1,{"ph":"X","cat":"cpu_op","na/' "$mended"
varies comma_at_the_end 's/.*"traceEvents":\(.*\)\]}$/\1,/' '!not quite JSON'
varies exponents 's/"ts":\([0-9]\{4\}\)\.\([0-9]\)/"ts":1.76353000000\1\2e15/g' '884.0 us from the first'
varies rounded_by_a_double 's/"dur":20.0/"dur":19.999999999/g; s/"dur":4.0/"dur":3.9999999/g' '884.0 us from the first'
varies unknown_as_minus_one 's/"registers per thread":32,"shared memory":0/"registers per thread":-1,"shared memory":-1/g'
varies shape_as_text 's/\[64,1,1\]/"(64, 1, 1)"/g; s/\[256,1,1\]/"256x1x1"/g' '!without grid'
varies shape_of_zeros 's/\[64,1,1\]/[0,0,0]/g' '40 without grid and block'
varies stream_as_name 's/"tid":7,/"tid":"stream 7",/g; s/"stream":7,//g'
varies stream_in_hex 's/"stream":7,/"stream":"0x55550010",/g'
varies overflow_of_64_bits 's/"dur":20.0/"dur":18446744073709551.615/11' '1 that last beyond the next'
varies overflow_twice 's/"dur":20.0/"dur":1000000.0/6; s/"dur":20.0/"dur":1000000.0/6' '2 that last beyond the next'
varies overflow_before_the_last 's/"dur":20.0/"dur":1000000.0/39' '1 that last beyond the next'
varies no_duration 's/"dur":20.0,//6' '1 without a duration'
varies null_duration 's/"dur":20.0/"dur":null/6' '1 without a duration'
varies kernel_without_a_start 's/"tid":7,"ts":[0-9.]*,/"tid":7,/6' '1 without a start'
varies call_without_a_start 's/"traceEvents":\[/&{"ph":"X","cat":"cuda_runtime","name":"cudaMalloc","pid":1,"tid":1,"args":{}},/'

# A trace that names its GPU behind its events is read for that GPU.
sed 's/"deviceProperties":\[[^]]*\],//; s/}$/,"deviceProperties":[{"id":0,"name":"NVIDIA H200","totalGlobalMem":150000000000,"computeMajor":9,"computeMinor":0,"numSms":132}]}/' "$cases/00_reference.json" >end.json
"$gpusim" import kineto end.json -o end.program >out 2>&1 || fail "its GPU at the end: $(cat out)"
[ "$(grep -c '"solo_device": "h200"' end.program)" = 5 ] || fail "its GPU at the end: $(grep solo_device end.program)"
# The programs are what the traces' own JSON says.
! command -v python3 >/dev/null || python3 "$source_dir/tests/traces/import/told.py" "$gpusim" "$cases" >out 2>&1 || fail "told otherwise: $(cat out)"

printf 'import cases: %d checks, %d failures\n' "$checks" "$failures"
[ "$failures" = 0 ]
