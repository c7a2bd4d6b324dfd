// SPDX-License-Identifier: GPL-3.0-or-later
// What the calls cost on the host: launches, synchronising, events, streams, threads and locks. Calls are timed in
// batches, on an idle device, far from a full launch queue; a point is the median over batches of the mean per call.
#include "traces/runner/probe/probe.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace gsim_probe {

static const int BATCH = 20;

// Mean time of CALLS calls of BODY, over batches; BEFORE and AFTER are not timed.
static Point time_calls(const Probe &probe, int calls, const std::function<void(int)> &body,
                        const std::function<void()> &before = [] {}, const std::function<void()> &after = [] {})
{
    std::vector<double> means;
    for (int r = 0; r < probe.repetitions(200); r++) {
        before();
        PROBE_CHECK(cudaDeviceSynchronize());
        double from = now_us();
        for (int i = 0; i < calls; i++) body(i);
        double us = (now_us() - from) / calls;
        after();
        PROBE_CHECK(cudaDeviceSynchronize());
        if (r > 2) means.push_back(us);
    }
    return summarize(0, means);
}

static void launches(Probe &probe, cudaStream_t stream)
{
    probe.add("launch", "", "us", "host time of a launch of an empty kernel, 20 in a row")
        .points.push_back(time_calls(probe, BATCH, [&](int) { empty_kernel<<<1, 32, 0, stream>>>(); }));
    PROBE_CHECK(cudaGetLastError());
    probe.add("sync_idle", "", "us", "stream synchronise that finds nothing to wait for")
        .points.push_back(time_calls(probe, BATCH, [&](int) { cudaStreamSynchronize(stream); }));
    probe.add("device_sync_idle", "", "us", "device synchronise that finds nothing to wait for")
        .points.push_back(time_calls(probe, BATCH, [&](int) { cudaDeviceSynchronize(); }));
}

// A launch with its splits: call, call's return to the first block, last block to the return of the synchronise. The
// two clocks are compared before each batch, since they drift.
static void round_trips(Probe &probe, cudaStream_t stream)
{
    Stamps stamps(1);
    std::vector<double> total, to_start, kernel, to_return, doubt;
    for (int batch = 0; batch < probe.repetitions(50); batch++) {
        ClockOffset offset = clock_offset(probe);
        for (int r = 0; r < 10; r++) {
            PROBE_CHECK(cudaDeviceSynchronize());
            double from = now_us();
            spin_kernel<<<1, 32, 0, stream>>>(stamps.device, 0);
            double called = now_us();
            PROBE_CHECK(cudaStreamSynchronize(stream));
            double returned = now_us();
            Stamp s = stamps.read(1)[0];
            if (r < 2) continue;
            total.push_back(returned - from);
            to_start.push_back((double)s.start * 1e-3 - offset.us - called);
            kernel.push_back((double)(s.end - s.start) * 1e-3);
            to_return.push_back(returned - ((double)s.end * 1e-3 - offset.us));
            doubt.push_back(offset.uncertainty_us);
        }
    }
    probe.add("launch_sync", "", "us", "launch of a kernel of one block and stream synchronise")
        .points.push_back(summarize(0, total));
    probe.add("launch_to_start", "", "us", "return of the launch call to the first block, clocks compared")
        .points.push_back(summarize(0, to_start));
    probe.add("end_to_return", "", "us", "end of the block to the return of the synchronise, clocks compared")
        .points.push_back(summarize(0, to_return));
    probe.add("least_kernel", "", "us", "duration of that kernel by its own stamps")
        .points.push_back(summarize(0, kernel));
    probe.add("clock_doubt", "", "us", "how far the comparison of the clocks may be off")
        .points.push_back(summarize(0, doubt));
}

static void events(Probe &probe, cudaStream_t stream, cudaStream_t other)
{
    cudaEvent_t timed[BATCH], untimed[BATCH], fresh[BATCH];
    auto destroy = [&] { for (cudaEvent_t &e : fresh) cudaEventDestroy(e); };
    auto create = [&] { for (cudaEvent_t &e : fresh) cudaEventCreate(&e); };
    for (cudaEvent_t &e : timed) PROBE_CHECK(cudaEventCreate(&e));
    for (cudaEvent_t &e : untimed) PROBE_CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    probe.add("event_create", "", "us", "cudaEventCreate")
        .points.push_back(time_calls(probe, BATCH, [&](int i) { cudaEventCreate(&fresh[i]); }, [] {}, destroy));
    probe.add("event_destroy", "", "us", "cudaEventDestroy")
        .points.push_back(time_calls(probe, BATCH, [&](int i) { cudaEventDestroy(fresh[i]); }, create));
    probe.add("event_record_alone", "", "us", "cudaEventRecord, 20 in a row on an idle stream")
        .points.push_back(time_calls(probe, BATCH, [&](int i) { cudaEventRecord(untimed[i], stream); }));
    probe.add("query", "", "us", "cudaEventQuery of a complete event")
        .points.push_back(time_calls(probe, BATCH, [&](int i) { cudaEventQuery(untimed[i]); }));
    probe.add("stream_query", "", "us", "cudaStreamQuery of an idle stream")
        .points.push_back(time_calls(probe, BATCH, [&](int) { cudaStreamQuery(stream); }));
    // Among launches, as schedulers make them: the difference to the launches alone.
    auto launch = [&] { empty_kernel<<<1, 32, 0, stream>>>(); };
    probe.add("launch_record", "", "us", "a launch and cudaEventRecord (timing disabled), 20 such pairs in a row")
        .points.push_back(time_calls(probe, BATCH, [&](int i) { launch(); cudaEventRecord(untimed[i], stream); }));
    probe.add("launch_record_timed", "", "us", "the same with an event with timing")
        .points.push_back(time_calls(probe, BATCH, [&](int i) { launch(); cudaEventRecord(timed[i], stream); }));
    probe
        .add("launch_record_wait", "", "us",
             "a launch, cudaEventRecord (timing disabled), and cudaStreamWaitEvent on another stream")
        .points.push_back(time_calls(probe, BATCH, [&](int i) {
            launch();
            cudaEventRecord(untimed[i], stream);
            cudaStreamWaitEvent(other, untimed[i], 0);
        }));
    PROBE_CHECK(cudaGetLastError());
    for (cudaEvent_t &e : timed) PROBE_CHECK(cudaEventDestroy(e));
    for (cudaEvent_t &e : untimed) PROBE_CHECK(cudaEventDestroy(e));
}

static void streams(Probe &probe)
{
    cudaStream_t made[BATCH];
    auto create = [&](int i) { cudaStreamCreateWithPriority(&made[i], cudaStreamNonBlocking, 0); };
    auto create_all = [&] { for (int i = 0; i < BATCH; i++) create(i); };
    auto destroy_all = [&] { for (cudaStream_t &s : made) cudaStreamDestroy(s); };
    probe.add("stream_create", "", "us", "cudaStreamCreateWithPriority, non-blocking")
        .points.push_back(time_calls(probe, BATCH, create, [] {}, destroy_all));
    probe.add("stream_destroy", "", "us", "cudaStreamDestroy of an idle stream")
        .points.push_back(time_calls(probe, BATCH, [&](int i) { cudaStreamDestroy(made[i]); }, create_all));
    PROBE_CHECK(cudaGetLastError());
}

static void threads(Probe &probe)
{
    std::vector<double> starts;
    for (int r = 0; r < probe.repetitions(200); r++) {
        std::atomic<double> began{0};
        double from = now_us();
        std::thread thread([&] { began = now_us(); });
        thread.join();
        starts.push_back(began - from);
    }
    probe.add("thread_create", "", "us", "start of a host thread to its first instruction")
        .points.push_back(summarize(0, starts));
    std::mutex mutex;
    probe.add("lock", "", "us", "locking and unlocking of a free mutex, per operation")
        .points.push_back([&] {
            std::vector<double> means;
            for (int r = 0; r < probe.repetitions(100); r++) {
                double from = now_us();
                for (int i = 0; i < 1000; i++) {
                    mutex.lock();
                    mutex.unlock();
                }
                means.push_back((now_us() - from) / 2000);
            }
            return summarize(0, means);
        }());
}

void probe_host(Probe &probe)
{
    cudaStream_t stream, other;
    PROBE_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    PROBE_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    launches(probe, stream);
    round_trips(probe, stream);
    events(probe, stream, other);
    streams(probe);
    threads(probe);
    PROBE_CHECK(cudaStreamDestroy(stream));
    PROBE_CHECK(cudaStreamDestroy(other));
}

} // namespace gsim_probe
