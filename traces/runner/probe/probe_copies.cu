// SPDX-License-Identifier: GPL-3.0-or-later
// Copies against size: pinned and pageable, in each direction and both at once, and inside the device; with --managed
// prefetches and faults. Times are from the call to the return of a synchronise, as a program sees them.
#include "traces/runner/probe/probe.h"

#include <cstring>

namespace gsim_probe {

static const size_t SIZES[] = {4096, 65536, 1u << 20, 4u << 20, 16u << 20, 64u << 20, 256u << 20};

struct Buffers {
    size_t bytes;
    char *pinned[2], *pageable, *device[2];

    explicit Buffers(size_t size) : bytes(size)
    {
        for (char *&p : pinned) PROBE_CHECK(cudaHostAlloc((void **)&p, bytes, cudaHostAllocDefault));
        for (char *&d : device) PROBE_CHECK(cudaMalloc((void **)&d, bytes));
        pageable = (char *)malloc(bytes);
        if (!pageable) {
            fprintf(stderr, "gpusim-runner: probe: out of memory for %zu bytes\n", bytes);
            exit(1);
        }
        memset(pageable, 1, bytes); // touched: no page faults in the first copy
        memset(pinned[0], 1, bytes);
        memset(pinned[1], 1, bytes);
    }
    ~Buffers()
    {
        for (char *p : pinned) cudaFreeHost(p);
        for (char *d : device) cudaFree(d);
        free(pageable);
    }
};

static int repetitions_of(const Probe &probe, size_t bytes)
{
    return probe.repetitions(bytes <= (1u << 20) ? 100 : bytes <= (16u << 20) ? 40 : 12) + 2;
}

// CALL: host time of the call alone.
static void time_copies(Probe &probe, cudaStream_t stream, Buffers &b, const char *name, const char *what, char *to,
                        const char *from, cudaMemcpyKind kind, const char *call_name)
{
    Series total = {name, "bytes", "us", what, {}},
           call = {call_name ? call_name : "", "bytes", "us", "the host time of its call alone", {}};
    fprintf(stderr, "gpusim-runner probe: %s\n", name);
    for (size_t bytes : SIZES) {
        std::vector<double> totals, calls;
        for (int r = 0; r < repetitions_of(probe, bytes); r++) {
            double start = now_us();
            PROBE_CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
            double called = now_us();
            PROBE_CHECK(cudaStreamSynchronize(stream));
            if (r < 2) continue;
            totals.push_back(now_us() - start);
            calls.push_back(called - start);
        }
        total.points.push_back(summarize((double)bytes, totals));
        call.points.push_back(summarize((double)bytes, calls));
    }
    (void)b;
    probe.series.push_back(total);
    if (call_name) probe.series.push_back(call);
}

// Several copies in a row, long enough for the calls to be ahead of the engine: what one more takes.
static void chains(Probe &probe, Buffers &b)
{
    const size_t bytes = 131072;
    const int counts[] = {2, 4, 6, 8, 10}, most = 10;
    const struct {
        const char *name, *what;
        bool to_host, recorded, across;
    } rows[] = {
        {"h2d_chain", "that many copies of 128 KiB from pinned memory to the device in a stream and device synchronise",
         false, false, false},
        {"d2h_chain", "the same to the host", true, false, false},
        {"h2d_record_chain", "to the device, an event with timing recorded behind each", false, true, false},
        {"h2d_across", "to the device, each in a stream of its own", false, false, true},
    };
    cudaStream_t streams[most];
    cudaEvent_t events[most];
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (cudaEvent_t &e : events) PROBE_CHECK(cudaEventCreate(&e));
    for (const auto &row : rows) {
        Series series = {row.name, "copies", "us", row.what, {}};
        fprintf(stderr, "gpusim-runner probe: %s\n", row.name);
        for (int count : counts) {
            std::vector<double> times;
            for (int r = 0; r < probe.repetitions(100) + 2; r++) {
                double start = now_us();
                for (int i = 0; i < count; i++) {
                    cudaStream_t on = streams[row.across ? i : 0];
                    char *device = b.device[0] + i * bytes, *pinned = b.pinned[0] + i * bytes;
                    PROBE_CHECK(row.to_host ? cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, on)
                                            : cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, on));
                    if (row.recorded) PROBE_CHECK(cudaEventRecord(events[i], on));
                }
                PROBE_CHECK(cudaDeviceSynchronize());
                if (r > 1) times.push_back(now_us() - start);
            }
            series.points.push_back(summarize(count, times));
        }
        probe.series.push_back(series);
    }
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamDestroy(s));
    for (cudaEvent_t &e : events) PROBE_CHECK(cudaEventDestroy(e));
}

// Both start together behind a gate; the end of the later one counts, from events on the device.
static void both_ways(Probe &probe, Buffers &b)
{
    cudaStream_t streams[2];
    cudaEvent_t start, ends[2];
    Series series = {
        "bidirectional", "bytes", "us", "that many bytes each way at once, to the end of the later copy", {}};
    fprintf(stderr, "gpusim-runner probe: %s\n", series.name.c_str());
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    PROBE_CHECK(cudaEventCreate(&start));
    for (cudaEvent_t &e : ends) PROBE_CHECK(cudaEventCreate(&e));
    {
        Gate gate(probe);
        for (size_t bytes : SIZES) {
            std::vector<double> times;
            for (int r = 0; bytes >= (4u << 20) && r < repetitions_of(probe, bytes); r++) {
                float us[2];
                gate.close(streams[0]);
                PROBE_CHECK(cudaEventRecord(start, streams[0]));
                PROBE_CHECK(cudaStreamWaitEvent(streams[1], start, 0));
                PROBE_CHECK(cudaMemcpyAsync(b.device[0], b.pinned[0], bytes, cudaMemcpyHostToDevice, streams[0]));
                PROBE_CHECK(cudaMemcpyAsync(b.pinned[1], b.device[1], bytes, cudaMemcpyDeviceToHost, streams[1]));
                for (int i = 0; i < 2; i++) PROBE_CHECK(cudaEventRecord(ends[i], streams[i]));
                gate.open();
                PROBE_CHECK(cudaDeviceSynchronize());
                for (int i = 0; i < 2; i++) PROBE_CHECK(cudaEventElapsedTime(&us[i], start, ends[i]));
                if (r > 1) times.push_back(1e3 * std::max(us[0], us[1]));
            }
            if (!times.empty()) series.points.push_back(summarize((double)bytes, times));
        }
    }
    for (cudaStream_t &s : streams) PROBE_CHECK(cudaStreamDestroy(s));
    PROBE_CHECK(cudaEventDestroy(start));
    for (cudaEvent_t &e : ends) PROBE_CHECK(cudaEventDestroy(e));
    probe.series.push_back(series);
}

// --- managed memory: only on request
// -----------------------------------------------------------------------------------
__global__ void touch_kernel(char *bytes, size_t count)
{
    for (size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 4096; i < count;
         i += (size_t)gridDim.x * blockDim.x * 4096)
        bytes[i]++;
}

static void prefetch(char *bytes, size_t count, int device, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation place = {};
    place.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    place.id = device < 0 ? 0 : device;
    PROBE_CHECK(cudaMemPrefetchAsync(bytes, count, place, 0, stream));
#else
    PROBE_CHECK(cudaMemPrefetchAsync(bytes, count, device < 0 ? cudaCpuDeviceId : device, stream));
#endif
}

static void managed(Probe &probe, cudaStream_t stream)
{
    size_t free_bytes, total_bytes;
    Series call = {
        "prefetch_call", "bytes", "us", "host time of cudaMemPrefetchAsync of pages that are on the host", {}};
    Series whole = {"prefetch", "bytes", "us", "the same and stream synchronise", {}};
    Series faults = {
        "faults", "bytes", "us", "a kernel that touches every page, which is on the host, and stream synchronise", {}};
    PROBE_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    fprintf(stderr, "gpusim-runner probe: managed memory\n");
    for (size_t bytes : SIZES) {
        char *data;
        std::vector<double> calls, wholes, touches;
        if (bytes > free_bytes / 4) {
            fprintf(stderr,
                    "gpusim-runner: probe: --managed: %zu bytes are more than a quarter of the free memory: left out\n",
                    bytes);
            break;
        }
        PROBE_CHECK(cudaMallocManaged((void **)&data, bytes));
        for (int r = 0; r < probe.repetitions(12) + 1; r++) {
            memset(data, r, bytes);
            double from = now_us();
            prefetch(data, bytes, probe.device_index, stream);
            double called = now_us();
            PROBE_CHECK(cudaStreamSynchronize(stream));
            double done = now_us();
            memset(data, r, bytes);
            double touching = now_us();
            touch_kernel<<<probe.device.multiProcessorCount, 256, 0, stream>>>(data, bytes);
            PROBE_CHECK(cudaStreamSynchronize(stream));
            if (!r) continue;
            touches.push_back(now_us() - touching);
            calls.push_back(called - from);
            wholes.push_back(done - from);
        }
        PROBE_CHECK(cudaFree(data));
        call.points.push_back(summarize((double)bytes, calls));
        whole.points.push_back(summarize((double)bytes, wholes));
        faults.points.push_back(summarize((double)bytes, touches));
    }
    probe.series.push_back(call);
    probe.series.push_back(whole);
    probe.series.push_back(faults);
}

void probe_copies(Probe &probe)
{
    Buffers b(256u << 20);
    cudaStream_t stream;
    PROBE_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    time_copies(probe, stream, b, "h2d_pinned", "copy from pinned memory to the device and stream synchronise",
                b.device[0], b.pinned[0], cudaMemcpyHostToDevice, "h2d_pinned_call");
    time_copies(probe, stream, b, "d2h_pinned", "copy from the device to pinned memory and stream synchronise",
                b.pinned[0], b.device[0], cudaMemcpyDeviceToHost, "d2h_pinned_call");
    time_copies(probe, stream, b, "h2d_pageable", "copy from pageable memory to the device and stream synchronise",
                b.device[0], b.pageable, cudaMemcpyHostToDevice, NULL);
    time_copies(probe, stream, b, "d2h_pageable", "copy from the device to pageable memory and stream synchronise",
                b.pageable, b.device[0], cudaMemcpyDeviceToHost, NULL);
    time_copies(probe, stream, b, "d2d", "copy inside the device and stream synchronise", b.device[1], b.device[0],
                cudaMemcpyDeviceToDevice, NULL);
    both_ways(probe, b);
    chains(probe, b);
    if (probe.managed) managed(probe, stream);
    PROBE_CHECK(cudaStreamDestroy(stream));
}

} // namespace gsim_probe
