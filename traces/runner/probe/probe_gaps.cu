// SPDX-License-Identifier: GPL-3.0-or-later
// Latencies on the device between kernels that depend on each other, from stamps of their blocks; and how streams share
// hardware queues. Work is queued behind a gate, so that the host's calls are out of the way.
#include "traces/runner/probe/probe.h"

#include <atomic>
#include <memory>
#include <thread>

namespace gsim_probe {

static const int CHAIN = 24;
static const double KERNEL_US = 6; // longer than a launch call

// Mean time from the end of each kernel to the start of the next, of those from FIRST on, each STEP-th.
static double mean_gap_us(const std::vector<Stamp> &stamps, size_t first, size_t step)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = first; i < stamps.size(); i += step, count++)
        sum += (double)(long long)(stamps[i].start - stamps[i - 1].end) * 1e-3;
    return sum / (double)count;
}

// Before kernels of one of two streams and before those of the other: which of the two is looked at first follows from
// an id of the driver's, not always from which was created first.
struct Gaps {
    Point faster, slower;
};

// A chain of kernels on one stream (both gaps are the same), or zigzag over two with events; BUSY: while two other
// streams run a kernel each, with another behind it, so that the front end has queues to look at.
static Gaps time_chain(const Probe &probe, bool zigzag, bool busy)
{
    Stamps stamps(CHAIN);
    cudaStream_t streams[4];
    cudaEvent_t events[CHAIN];
    std::vector<double> gaps[2];
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (cudaEvent_t &e : events) PROBE_CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    {
        Gate gate(probe);
        for (int r = 0; r < probe.repetitions(100); r++) {
            gate.close(streams[0]);
            for (int i = 2; busy && i < 4; i++) {
                spin_kernel<<<1, 32, 0, streams[i]>>>(NULL, cycles_of(probe, 800 + CHAIN * (KERNEL_US + 8)));
                spin_kernel<<<1, 32, 0, streams[i]>>>(NULL, 0);
            }
            for (int i = 0; i < CHAIN; i++) {
                cudaStream_t stream = streams[zigzag ? i % 2 : 0];
                if (zigzag && i) PROBE_CHECK(cudaStreamWaitEvent(stream, events[i - 1], 0));
                spin_kernel<<<1, 32, 0, stream>>>(stamps.device + i, cycles_of(probe, KERNEL_US));
                if (zigzag) PROBE_CHECK(cudaEventRecord(events[i], stream));
            }
            PROBE_CHECK(cudaGetLastError());
            gate.open();
            PROBE_CHECK(cudaDeviceSynchronize());
            const std::vector<Stamp> &chain = stamps.read(CHAIN);
            for (size_t k = 0; k < 2 && r > 2; k++)
                gaps[k].push_back(zigzag ? mean_gap_us(chain, 2 + k, 2) : mean_gap_us(chain, 1, 1));
        }
    }
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamDestroy(s));
    for (cudaEvent_t &e : events) PROBE_CHECK(cudaEventDestroy(e));
    Gaps both = {summarize(0, gaps[0]), summarize(0, gaps[1])};
    if (both.slower.median < both.faster.median) std::swap(both.faster, both.slower);
    return both;
}

void probe_gaps(Probe &probe)
{
    Gaps across = time_chain(probe, true, false);
    probe.add("stream_gap", "", "us", "end of a kernel to the start of the next in its stream, idle device")
        .points.push_back(time_chain(probe, false, false).faster);
    probe.add("stream_gap_busy", "", "us", "the same while two other streams have kernels that wait")
        .points.push_back(time_chain(probe, false, true).faster);
    probe.add("event_gap", "", "us", "end of a kernel to the start of one on another stream that waits for its event")
        .points.push_back(across.faster);
    probe.add("acquire_gap", "", "us", "the same where that stream looks at its own kernels after the other's")
        .points.push_back(across.slower);
    probe.add("event_gap_busy", "", "us", "event_gap while two other streams have kernels that wait")
        .points.push_back(time_chain(probe, true, true).faster);
}

// Two kernels on each of k streams, one on the next: where that one waits, there are no more than k queues. Streams
// share a queue only while more of them have work than there are queues.
static void queues(Probe &probe)
{
    const int most = 40;
    const double long_us = 400;
    Series &series =
        probe.add("queue_delay", "streams at work", "us",
                  "start of a kernel on one more stream after the first one's of the stream before, while each "
                  "of k streams has two of 400 us: a delay tells that it shares a hardware queue");
    std::vector<cudaStream_t> streams(most + 1);
    Stamps stamps(3);
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (int k = 1; k <= most; k++) {
        std::vector<double> delays;
        for (int r = 0; r < 5; r++) {
            for (int i = 0; i < 2 * k; i++) /* the last stream's first kernel is the one looked at */
                spin_kernel<<<1, 32, 0, streams[(size_t)i / 2]>>>(stamps.device + (i == 2 * k - 2 ? 0 : 1),
                                                                  cycles_of(probe, long_us));
            spin_kernel<<<1, 32, 0, streams[(size_t)k]>>>(stamps.device + 2, 0);
            PROBE_CHECK(cudaDeviceSynchronize());
            std::vector<Stamp> s = stamps.read(3);
            delays.push_back((double)(long long)(s[2].start - s[0].start) * 1e-3);
        }
        series.points.push_back(summarize(k, delays));
    }
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamDestroy(s));
}

// How many launches a held-back stream takes before the call blocks. The gate is opened by another thread once the
// count has stood still, or the launches are many.
static void queue_depth(Probe &probe)
{
    const int most = 20000;
    cudaStream_t stream;
    std::vector<double> depths;
    PROBE_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int r = 0; r < 3; r++) {
        Gate gate(probe);
        std::atomic<int> launched{0};
        std::atomic<bool> done{false};
        std::atomic<int> stood{0};
        gate.close(stream);
        std::thread opener([&] {
            int before = -1;
            for (int still = 0; !done && still < 20;) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                int count = launched;
                still = count == before ? still + 1 : 0;
                before = count;
            }
            stood = before;
            gate.open();
        });
        for (int i = 0; i < most && !stood; i++) {
            empty_kernel<<<1, 32, 0, stream>>>();
            launched++;
        }
        bool blocked = stood != 0;
        done = true;
        opener.join();
        PROBE_CHECK(cudaDeviceSynchronize());
        if (blocked) depths.push_back((double)stood + 1); // and the gate itself
    }
    probe.add("launch_queue_depth", "", "", "launches that a held-back stream takes before the call blocks")
        .points.push_back(summarize(0, depths));
    PROBE_CHECK(cudaStreamDestroy(stream));
}

void probe_queues(Probe &probe)
{
    queues(probe);
    queue_depth(probe);
}

} // namespace gsim_probe
