#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What validate, explain and whatif say of made-up traces, against what is right by hand: one kind of trace each.
# test_answers.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"

# trace NAME STATEMENTS [GPU [SMS]]: a Kineto trace by awk. launch(thread, stream, call, length of it, start, length, kernel) is one kernel, copy() one
# blocking copy of pageable memory, call() a call that makes no work, named() what the trace names. Times: microseconds.
trace() {
    awk -v gpu="${3:-NVIDIA H100 80GB HBM3}" -v sms="${4:-132}" "function put(text) { printf \"%s%s\", (n++ ? \",\\n\" : \"\"), text }
        function event(cat, name, pid, tid, ts, dur, args) {
            put(sprintf(\"{\\\"ph\\\": \\\"X\\\", \\\"cat\\\": \\\"%s\\\", \\\"name\\\": \\\"%s\\\", \\\"pid\\\": %d, \\\"tid\\\": %d, \\\"ts\\\": %.3f, \\\"dur\\\": %.3f, \\\"args\\\": {%s}}\",
                        cat, name, pid, tid, 5000 + ts, dur, args)) }
        function call(name, tid, ts, dur) { event(\"cuda_runtime\", name, 9, tid, ts, dur, \"\\\"correlation\\\": \" ++id) }
        function named(cat, name, tid, ts, dur) { event(cat, name, 9, tid, ts, dur, \"\") }
        function kernel(stream, ts, dur, name, of) {
            event(\"kernel\", name, 0, stream, ts, dur, sprintf(\"\\\"device\\\": 0, \\\"context\\\": 1, \\\"stream\\\": %d, \\\"correlation\\\": %d, \\\"grid\\\": [%d, 1, 1], \\\"block\\\": [256, 1, 1], \\\"registers per thread\\\": 32, \\\"shared memory\\\": 0\", stream, of, blocks ? blocks : 300)) }
        function launch(tid, stream, ts, dur, start, length_us, name) { call(\"cudaLaunchKernel\", tid, ts, dur); kernel(stream, start, length_us, name, id) }
        function copy(way, stream, ts, dur, start, length_us, bytes) {
            call(\"cudaMemcpy\", 1, ts, dur)
            event(\"gpu_memcpy\", way, 0, stream, start, length_us, sprintf(\"\\\"device\\\": 0, \\\"context\\\": 1, \\\"stream\\\": %d, \\\"correlation\\\": %d, \\\"bytes\\\": %d\", stream, id, bytes)) }
        BEGIN { printf \"{\\\"schemaVersion\\\": 1, \\\"deviceProperties\\\": [{\\\"id\\\": 0, \\\"name\\\": \\\"%s\\\", \\\"computeMajor\\\": 9, \\\"computeMinor\\\": 0, \\\"numSms\\\": %d}], \\\"traceEvents\\\": [\", gpu, sms
            $2
            print \"]}\" }" >"$1.json"
}

# is WHAT FOUND LEAST MOST
is() { awk -v found="${2:-nan}" -v least="$3" -v most="$4" 'BEGIN { exit !(found + 0 >= least && found + 0 <= most && found != "nan") }' || fail "$1: ${2:-nothing}, expected $3 to $4"; }

# error NAME LEAST MOST: of the replay's time, in per cent.
error() {
    found=$("$gpusim" validate "$1.json" 2>&1 | awk -v name="$1" 'index($1, substr(name, 1, 8)) == 1 && NF >= 8 { print $6; exit }')
    is "$1: validate" "$found" "$2" "$3"
}

# idle NAME CAUSE LEAST MOST: share of the time that the GPU idles for it, in per cent. "busy": is busy.
idle() {
    "$gpusim" explain "$1.json" --whole --profiler-overhead "${overhead:-remove}" --csv - >csv 2>/dev/null
    found=$(awk -F, -v cause="$2" 'NR > 1 && (cause == "busy" ? $1 != "nothing" : $1 == "nothing" && $2 == cause) { sum += $NF } END { print 100 * sum }' csv)
    is "$1: $2" "$found" "$3" "$4"
}

# saves NAME CHANGE LEAST MOST: per cent. saves NAME CHANGE none: it is not offered.
saves() {
    [ -f "$1.csv" ] || "$gpusim" whatif "$1.json" --whole --profiler-overhead "${overhead:-remove}" --csv "$1.csv" >"$1.txt" 2>&1 || fail "$1: $(cat "$1.txt")"
    case $2 in
    best) found=$(sed -n 's/^best together *[0-9.]* *[-0-9.]* *\([-0-9.]*\) .*/\1/p' "$1.txt") ;;
    *) found=$(awk -F, -v change="$2" '$1 == change { print $4 }' "$1.csv") ;;
    esac
    [ "$3" != none ] || { [ -z "$found" ] || fail "$1: $2 saves $found %, expected none"; }
    [ "$3" = none ] || is "$1: $2" "$found" "$3" "$4"
}

# says NAME COMMAND TEXT
says() { "$gpusim" "$2" "$1.json" 2>&1 | tr -s ' \n' ' ' >said; grep -qF -- "$3" said || fail "$1: $2 does not say '$3'"; }
says_not() { "$gpusim" "$2" "$1.json" >said 2>&1; ! grep -qF -- "$3" said || fail "$1: $2 says '$3'"; }

# An allocator asks for six events before each launch, and goes on: the GPU has 130 us of work for each 40 of the host's, and is
# never idle. Then the host asks every 10 us until all is done, and launches once more: that is a wait.
trace asks 'for (i = 0; i < 60; i++) { t = i * 40; for (q = 0; q < 6; q++) call("cudaEventQuery", 1, t + q * 3, 0.5); launch(1, 7, t + 22, 4, i * 130 + 26, 129, "work") }
    for (t = 2400; t < 7840; t += 10) call("cudaEventQuery", 1, t, 1); launch(1, 7, 7850, 4, 7856, 100, "last")'
error asks -1 1
idle asks busy 98 100
saves asks kernel:work=2x 46 50

# Launch calls of 12 us, one every 15: 80 % of the time is theirs, 2 us of each beside the kernel before; twice as fast they save
# 40 %. So do 150 of 40 us.
overhead=keep
trace calls 'for (i = 0; i < 150; i++) launch(1, 7, 15 * i, 12, 15 * i + 13, 2, "k")'
error calls -1 1
idle calls launch_calls 64 71
saves calls launch=2x 37 43
saves calls device=v100 -2 2
trace longer 'for (i = 0; i < 150; i++) launch(1, 7, 44 * i, 40, 44 * i + 41, 2, "k")'
idle longer launch_calls 86 94
saves longer launch=2x 42 48
# A loop without a framework, 12 steps of 30 kernels of 4 us, launches of 5: a graph saves what lies between them, not 100 us more.
# 30 x 5.5 + wait = 172 us a step; a graph 30 x 4 + 29 x 0.3 to 0.94 + about 5 = 133 to 152.
trace loop 'for (i = 0; i < 12; i++) { t = 172 * i; for (k = 0; k < 30; k++) launch(1, 7, t + 5.5 * k, 5, t + 5.5 * k + 6, 4, "solve"); call("cudaDeviceSynchronize", 1, t + 165, 6) }'
saves loop graph 11 24
# Two threads, each on a stream of its own, half of the GPU each: graphs between their waits would be one chain.
trace pair 'blocks = 60; for (i = 0; i < 30; i++) for (h = 1; h <= 2; h++) { t = 90 * i + 20 * h; launch(h, 6 + h, t, 4, t + 4, 80, "agent"); call("cudaStreamSynchronize", h, t + 5, 81) }'
saves pair graph none
says pair whatif 'kernels run beside'
# Launch calls of 5 us, one every 6, kernels of 4 us right behind, and a copy back of what they computed: a graph leaves the loop's
# 25 us: 25 x 4.46 + 25 + about 10 = 147 of 180.
trace back 'for (i = 0; i < 20; i++) { t = 175 * i; for (k = 0; k < 25; k++) launch(1, 7, t + 6 * k, 5, t + 6 * k + 7, 4, "solve"); copy("Memcpy DtoH (Device -> Pageable)", 7, t + 150, 13, t + 157, 1, 8) }'
saves back graph 14 26
# A step ends where the host waits for its stream, though all kernels are the same; it may be one launch of a graph.
trace equal 'for (i = 0; i < 20; i++) { t = 225 * i; for (k = 0; k < 40; k++) launch(1, 7, t + 5 * k, 4, t + 5 * k + 6, 3, "solve"); call("cudaStreamSynchronize", 1, t + 200, 10) }'
says equal explain 'as recorded 225.0 us'
# Of a program without operators an iteration is a step, however few its launches: the kernels of parts of the same length are
# compared. A loop of one kernel and a wait; one of two kernels, each waited for: 110 and 300 us, not as many as make eight launches.
trace single 'for (i = 0; i < 20; i++) { t = 110 * i; launch(1, 7, t, 4, t + 5, 100, "k"); call("cudaDeviceSynchronize", 1, t + 5, 102) }'
says single explain '20 steps by waits for the whole GPU: as recorded 110.0 us'
# The same where it waits for its only stream, or for an event in it: a step of six launches.
for wait in cudaStreamSynchronize cudaEventSynchronize; do
    trace only "for (i = 0; i < 15; i++) { t = 200 * i; for (k = 0; k < 6; k++) launch(1, 7, t + 5 * k, 4, t + 6 + 31 * k, 30, \"k\"); call(\"$wait\", 1, t + 31, 165) }"
    says only explain '15 steps by waits for the whole GPU: as recorded 200.0 us'
done
trace turns 'for (i = 0; i < 12; i++) { t = 300 * i; launch(1, 7, t, 4, t + 5, 180, "fwd"); call("cudaDeviceSynchronize", 1, t + 5, 182); launch(1, 7, t + 190, 4, t + 195, 95, "bwd")
    call("cudaDeviceSynchronize", 1, t + 195, 97) }'
says turns explain '12 steps by waits for the whole GPU: as recorded 300.0 us'
trace replays 'for (i = 0; i < 20; i++) { t = 400 * i; call("cudaGraphLaunch", 1, t, 6); of = id; for (k = 0; k < 100; k++) kernel(7, t + 8 + 2 * k, 1.7, "n", of); call("cudaStreamSynchronize", 1, t + 7, 205) }'
says replays explain 'as recorded 400.0 us'
# Copies that return early have calls of their own: 9 us each beside launches of 8, every 30.
trace copies 'for (i = 0; i < 100; i++) { t = 30 * i; call("cudaMemcpyAsync", 1, t, 9); event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, 7, t + 10, 2, sprintf("\"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %d, \"bytes\": 4096", id))
    launch(1, 7, t + 10, 8, t + 19, 2, "k") }'
says copies explain 'in call cudaMemcpyAsync'
overhead=remove

# All-reduces of 4 KiB that took 1,000 us each: what the model's are shorter they waited for other ranks. Two of a step twice as long.
reduce='event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 0, 20, t + at, 1000, sprintf("\"device\": 0, \"context\": 1, \"stream\": 20, \"correlation\": %d, \"grid\": [2, 1, 1], \"block\": [512, 1, 1], \"registers per thread\": 96, \"shared memory\": 0, \"Collective name\": \"allreduce\", \"In msg nelems\": 1024, \"Out msg nelems\": 1024, \"dtype\": \"Float\", \"Group size\": 4, \"Process Group Ranks\": \"[0, 1, 2, 3]\"", id))'
for count in 1 2; do
    trace reduces "for (i = 0; i < 4; i++) { t = 3500 * i; launch(1, 7, t, 4, t + 6, 100, \"solve\"); for (c = 0; c < $count; c++) { at = 107 + 1002 * c; call(\"cudaLaunchKernel\", 1, t + 5 + 5 * c, 4); $reduce }
        call(\"cudaDeviceSynchronize\", 1, t + 20, 3100) }"
    "$gpusim" explain reduces.json 2>&1 | sed -n 's/^note: collectives wait \([0-9.]*\) us of a step.*/\1/p' >"waits$count"
done
is "waits of an all-reduce" "$(cat waits1)" 980 995
is "waits of two" "$(awk 'NR == FNR { one = $1; next } { print $1 - 2 * one }' waits1 waits2)" -0.2 0.2

if [ "${GPUSIM_FULL-}" ]; then # seconds each
# One rank alone: no longer than what was recorded with the profiler, and a request for the others.
"$gpusim" explain "$source_dir/traces/h100/several/kineto_ddp_r0.json.gz" >said 2>&1
is "one rank alone" "$(sed -n 's/^a step now: \([0-9.]*\) us.*/\1/p' said)" 12000 15385
# Aligned by the ends of collectives, this rank is in them 3,502 us a step before the other one.
is "its waits" "$(sed -n 's/^note: collectives wait \([0-9.]*\) us of a step.*/\1/p' said)" 2800 4250
grep -q 'give the traces of all ranks' said || fail "one rank alone: $(head -4 said)"
# A replay that is longer than the recording contradicts itself, and says so.
public=$source_dir/../shared/cases/field4/03_queries_that_wait_for_nothing.json.gz
[ ! -f "$public" ] || "$gpusim" explain "$public" 2>&1 | grep -q 'a contradiction: 769[0-9]* us without the profiler, and 73658 with it' ||
    fail "no contradiction is seen"
fi
# Kernels that talk to other GPUs are no row of their own: what they take is the others' as well.
trace talk 'for (i = 0; i < 20; i++) { t = i * 500; launch(1, 7, t, 4, t + 2, 350, "void deep_ep::internode::combine<1, 8>(int4*)"); launch(1, 7, t + 6, 4, t + 354, 140, "expert") }
    call("cudaDeviceSynchronize", 1, 9600, 400)'
says talk whatif 'kernel:expert=2x'
says_not talk whatif 'combine=2x'
says talk whatif '20 kernels of DeepEP'
for talks in cross_device_reduce_1stage a2a_dispatch_send oneShotAllReduceKernel internode_ll::dispatch quickreduce::twoshot userbuffers_fp16_sum iris_All_Gather ep::dispatch_ll_kernel dispatch_ll_kernel; do
    trace $talks "for (i = 0; i < 20; i++) { t = i * 500; launch(1, 7, t, 4, t + 2, 350, \"void $talks<8>(int4*)\"); launch(1, 7, t + 6, 4, t + 354, 140, \"expert\") }"
    says $talks whatif "kernel:expert=2x"
    ! grep -E '^kernel:.*=2x' said | grep -qv 'kernel:expert' || fail "$talks: $(grep ^kernel: said)"
done
# What reduces, gathers or combines on one GPU is an ordinary kernel.
for own in step::gather_kernel dispatch_llama at::native::reduce_kernel flash_fwd_splitkv_combine moe::dispatch_gather triton_red_fused_all_mean layer_norm\<BlockAllReduce\>; do
    trace own_kernel "for (i = 0; i < 20; i++) { t = i * 500; launch(1, 7, t, 4, t + 2, 350, \"void $own(int4*)\"); launch(1, 7, t + 6, 4, t + 354, 140, \"expert\") }"
    "$gpusim" whatif own_kernel.json --whole 2>/dev/null | grep -E '^kernel:.*=2x' | grep -qv 'kernel:expert' || fail "$own: no ordinary kernel"
done
# rocprofv3's CSV, of the GPU alone: 40 kernels of 15 us, 5 us apart; with the calls beside it the host binds: one every 30 us.
awk 'BEGIN { q = "\""
    print q "Kind" q "," q "Agent_Id" q "," q "Queue_Id" q "," q "Kernel_Name" q "," q "Correlation_Id" q "," q "Start_Timestamp" q "," q "End_Timestamp" q "," q "Workgroup_Size_X" q "," q "Workgroup_Size_Y" q "," q "Workgroup_Size_Z" q "," q "Grid_Size_X" q "," q "Grid_Size_Y" q "," q "Grid_Size_Z" q
    for (i = 0; i < 40; i++) printf "\"KERNEL_DISPATCH\",\"Agent 4\",3,\"void f<int, 2>(float*, int)\",%d,%.0f,%.0f,256,1,1,76800,1,1\n", i + 1, 7000000000 + 20000 * i, 7000015000 + 20000 * i }' >gpu_kernel_trace.csv
csv() { "$gpusim" validate "$1" --device h100-vm 2>&1 | awk 'index($1, "kernel_trace") && NF >= 8 { print $4, $5 }'; }
set -- $(csv gpu_kernel_trace.csv)
is "rocprofv3's CSV: recorded" "${1:-}" 795 795
is "rocprofv3's CSV: replayed" "${2:-}" 787 803
awk -F, -v OFS=, 'NR > 1 { i = NR - 2; $(NF - 7) = sprintf("%.0f", 7000009000 + 30000 * i); $(NF - 6) = sprintf("%.0f", 7000024000 + 30000 * i) } { print }' gpu_kernel_trace.csv >calls_kernel_trace.csv
awk 'BEGIN { print "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\""
    for (i = 0; i < 40; i++) printf "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",9,9,%d,%.0f,%.0f\n", i + 1, 7000000000 + 30000 * i, 7000004000 + 30000 * i }' >calls_hip_api_trace.csv
set -- $(csv calls_kernel_trace.csv)
is "rocprofv3's CSV with calls: recorded" "${1:-}" 1194 1194
is "rocprofv3's CSV with calls: replayed" "${2:-}" 1180 1206

# The host's own 300 us behind each wait stay its own, with a graph and without the wait: 25 x (30 + 300 + 10) us.
trace own 'for (i = 0; i < 25; i++) { t = i * 340; launch(1, 7, t, 4, t + 2, 30, "score"); call("cudaDeviceSynchronize", 1, t + 4.5, 28.5) }'
error own -1 1
idle own host_work 85 90
saves own nosync 2 12
saves own best 2 13
says_not own explain 'framework'
# What orders two streams is the wait of the host.
trace order 'blocks = 50; for (i = 0; i < 20; i++) { s = i % 2 ? 21 : 14; t = i * 130; launch(1, s, t, 4, t + 2, 110, "half_" s); call("cudaStreamSynchronize", 1, t + 4, 109) }'
saves order nosync -1 15
saves order best -1 17
# It wakes 60 us after what it waited for.
trace late 'for (i = 0; i < 20; i++) { t = i * 200; launch(1, 7, t, 4, t + 2, 60, "a"); launch(1, 7, t + 5, 4, t + 63, 60, "a"); call("cudaEventSynchronize", 1, t + 10, 173) }'
error late -1 1
idle late busy 58 64
idle late result 25 34
# A blocking copy begins 150 us after its call.
trace staged 'for (i = 0; i < 10; i++) { t = i * 400; copy("Memcpy HtoD (Pageable -> Device)", 7, t, 303, t + 150, 150, 2000000); launch(1, 7, t + 310, 4, t + 312, 60, "embed"); call("cudaDeviceSynchronize", 1, t + 315, 58) }'
error staged -3 3
idle staged other_calls 30 45
# Every second launch call is lost, or all are: what began behind a wait was launched behind it, and what ran within one before it.
for every in 2 1; do
    trace lost$every "for (i = 0; i < 20; i++) { t = 300 * i; if (i % $every) launch(1, 7, t + 5, 4, t + 28, 200, \"work\"); else kernel(7, t + 28, 200, \"work\", 90000 + i)
        call(\"cudaStreamSynchronize\", 1, t + 11, 220) }"
    error lost$every -3.5 3.5
done
# One launch call of 25 ms, then 39 of 4 us.
trace module 'launch(1, 7, 0, 25000, 24999, 30, "stencil"); for (i = 1; i < 40; i++) launch(1, 7, 25000 + 5 * i, 4, 24999 + 31 * i, 30, "stencil"); call("cudaDeviceSynchronize", 1, 25300, 950)'
error module -1 1
idle module launch_calls 90 97
saves module graph -1 1
says module explain 'in launch call cudaLaunchKernel'
# cudaMalloc of 3 ms between launches.
trace malloc 'for (i = 0; i < 6; i++) { t = i * 3300; launch(1, 7, t, 4, t + 2, 200, "fill"); call("cudaMalloc", 1, t + 250, 3000) }'
idle malloc other_calls 85 96
saves malloc graph -1 5
says malloc explain 'in call cudaMalloc'
# 20 ms in the data loader between four batches.
trace loader 'for (i = 0; i < 4; i++) { t = i * 20300; named("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, t, 20000)
    for (k = 0; k < 10; k++) { named("cpu_op", "aten::mm", 1, t + 20000 + 20 * k, 10); launch(1, 7, t + 20002 + 20 * k, 4, t + 20010 + 101 * k, 100, "gemm") } }'
idle loader named 85 97
saves loader graph -1 2
says loader explain 'within enumerate(DataLoader)'
says loader whatif 'host-bound'
# An annotation during which nothing is launched owns the time, one with launches in it does not.
trace ranges 'for (i = 0; i < 8; i++) { t = i * 1000; named("user_annotation", "decode images", 1, t + 100, 800); named("user_annotation", "train", 1, t, 990); named("cpu_op", "aten::add", 1, t, 20); launch(1, 7, t, 4, t + 8, 50, "add") }'
says ranges explain 'within decode images'
says_not ranges explain 'within train'
# The GPU is never idle: the host waits in cudaFree, or asks until an event is over, or HIP's calls do.
for wait in cudaFree hipFree cudaEventQuery hipStreamQuery hipEventSynchronize cudaMalloc; do
    trace "$wait" "wait = \"$wait\"; for (i = 0; i < 15; i++) { t = i * 610; for (k = 0; k < 6; k++) launch(1, 7, t + 5 * k, 4, t + 2 + 101 * k, 100, \"solve\")
        if (wait ~ /Query/) for (q = 30; q < 612; q += 7) call(wait, 1, t + q, 2); else call(wait, 1, t + 31, 578) }"
    error "$wait" -1 1
    saves "$wait" kernel:solve=2x 45 50
    says "$wait" whatif 'GPU-bound'
done
# cudaMalloc that returns while the GPU works is none.
trace early 'for (i = 0; i < 10; i++) { t = i * 500; for (k = 0; k < 4; k++) launch(1, 7, t + 5 * k, 4, t + 2 + 101 * k, 100, "solve"); call("cudaMalloc", 1, t + 30, 100) }'
error early -1 1
# Idle time that nothing explains is no kernel, and no GPU shortens it; kernels are named by their functions.
trace delays 'for (i = 0; i < 8; i++) { t = i * 1500; launch(1, 7, t, 4, t + 2, 200, "fft(int, float *)"); launch(1, 7, t + 5, 4, t + 1202, 200, "fft(int, float *)"); call("cudaDeviceSynchronize", 1, t + 10, 1393) }'
error delays -1 1
idle delays unexplained 62 70
saves delays kernel:fft=2x 12 15
saves delays kernel:unexplained=2x none
saves delays device=v100 -95 0
trace names 'for (i = 0; i < 20; i++) { launch(1, 7, 10 * i, 4, 2 + 202 * i, 120, "axpy(int, double *)"); launch(1, 7, 10 * i + 5, 4, 123 + 202 * i, 80, "dot(double *, double *)") } call("cudaDeviceSynchronize", 1, 201, 3840)'
saves names kernel:axpy=2x 28 31
saves names kernel:double=2x none
# All kernels 50 ms behind their launches; the first one only.
trace behind 'for (i = 0; i < 30; i++) launch(1, 7, 20 * i, 4, 50000 + 70 * i, 60, "late")'
error behind -1 1
trace loads 'for (i = 0; i < 30; i++) launch(1, 7, 20 * i, 4, 9000 + 61 * i, 60, "late")'
error loads -1 1
# Small copies back as they were.
trace small 'for (i = 0; i < 60; i++) { t = i * 50; launch(1, 7, t, 4, t + 2, 20, "level"); copy("Memcpy DtoH (Device -> Pageable)", 7, t + 4, 21, t + 23, 1.4, 8) }' 'Tesla T4' 40
error small -3 3
# A slice of a GPU; a GPU that no file describes.
trace slice 'blocks = 28; for (i = 0; i < 20; i++) launch(1, 7, 5 * i, 4, 2 + 51 * i, 50, "norm")' 'NVIDIA H100 80GB HBM3 MIG 1g.10gb' 14
says slice explain 'is a slice of a GPU'
says slice explain 'with 14 SMs'
trace other 'for (i = 0; i < 20; i++) launch(1, 7, 5 * i, 4, 2 + 51 * i, 50, "norm")' 'NVIDIA H155' 99
says other whatif 'here with 99 SMs'
for command in explain whatif; do
    "$gpusim" $command other.json --json page.json >/dev/null 2>&1 && grep -q '"notes": \["no device is' page.json || fail "other: no note in the JSON of $command"
    "$gpusim" report page.json -o page.html 2>/dev/null && grep -q 'no device is' page.html || fail "other: no note on the page of $command"
done
# Streams keep their numbers; events without a category have none.
trace streams 'blocks = 60; for (i = 0; i < 12; i++) { launch(1, 13, 45 * i, 4, 2 + 150 * i, 140, "left"); launch(1, 29, 45 * i + 20, 4, 22 + 150 * i, 140, "right") }'
says streams explain '13 and 29'
printf '{"traceEvents": [{"ph": "X", "name": "cuLaunchKernel", "pid": 1, "tid": 2, "ts": 0, "dur": 4}]}' >bare.json
says bare explain 'found 1 events without a category (the first: "cuLaunchKernel")'
# A graph whose nodes pause 20 us now and then; it is one for all three.
trace nodes 'for (g = 0; g < 5; g++) { t = 700 * g; call("cudaGraphLaunch", 1, t, 10); of = id; s = t + 16
    for (k = 0; k < 30; k++) { kernel(7, s, 12, "decode_" k % 3, of); s += 13.1 + (k % 6 == 5 ? 20 : 0) } call("cudaStreamSynchronize", 1, t + 11, s - t - 10) }'
error nodes -1.5 1.5
says nodes validate '150 launched by CUDA graphs'
says nodes explain 'under cudagraph'
says nodes whatif 'under cudagraph'
idle nodes unexplained 10 20
# A kernel of 10 J in 10 ms on a GPU of 700 W: 1,000 W and the base of 116 are above it, wherever energy is known.
cat >hot.json <<'EOF'
{"schema": "gpusim-program/1", "name": "hot", "kernels": [{"name": "k", "solo_us": 10000, "solo_device": "h100-vm",
 "energy_mj": 10000, "regs_per_thread": 32}], "ops": [{"op": "kernel", "kernel": "k", "grid": [1056], "block": [256]}]}
EOF
for command in 'run --sched async --workload' 'compare --sched async,kesco --workload' explain whatif; do
    # shellcheck disable=SC2086
    "$gpusim" $command hot.json --device h100-vm --memory pinned 2>&1 | tr -s ' \n' ' ' >said
    grep -qF '1115 W at most, and the limit is 700 W' said || fail "hot: $command does not say the power"
done
# Managed memory: the first iteration and one as it repeats differ, and each answer names its own.
cat >managed.json <<'EOF'
{"schema": "gpusim-program/1", "name": "managed", "kernels": [{"name": "k", "solo_us": 2000, "solo_device": "h100-vm",
 "regs_per_thread": 32}], "buffers": [{"name": "a", "bytes": 300000000, "init": "host"},
 {"name": "b", "bytes": 10000000, "init": "none"}], "ops": [{"op": "kernel", "kernel": "k", "grid": [1056], "block": [256],
 "reads": ["a"], "writes": ["b"]}, {"op": "host_read", "buffer": "b", "bytes": 10000000}]}
EOF
on="--device h100-vm --memory managed"
# shellcheck disable=SC2086
"$gpusim" explain managed.json $on >first && "$gpusim" explain managed.json $on --change now >again &&
    "$gpusim" whatif managed.json $on --change link=2x >table || fail "managed: refused"
grep -q ', the first iteration$' first || fail "managed: $(head -n 1 first)"
grep -q ', an iteration as it repeats$' again || fail "managed: $(head -n 1 again)"
grep -q ', an iteration as it repeats: ' table || fail "managed: $(head -n 1 table)"
awk '$1 == "all" || $1 == "now" { at[n++] = sprintf("%.1f", $2) } END { exit !(n == 2 && at[0] == at[1]) }' again table ||
    fail "managed: explain --change now and whatif differ"
"$gpusim" explain --task resnet50 --ranks 2 >said 2>&1
grep -qF -- '--ranks: applies to one program (gpusim explain PROGRAM --ranks N), not to tasks' said || fail "$(cat said)"
# Bars are shares of what is saved: no row is off by more than it saves.
for name in own order module loader cudaFree; do
    awk -F, -v name=$name 'NR > 2 && $1 !~ /device/ && $5 != "" && $5 > 0.6 * ($3 < 0 ? -$3 : $3) + 0.5 { print name ": " $1 " saves " $3 " +- " $5; bad = 1 } END { exit bad }' $name.csv || failures=$((failures + 1))
done
exit $failures
