// SPDX-License-Identifier: GPL-3.0-or-later
// What lies between two dependent kernels: RECORDS event records behind the first, WAITS waits before the second (the
// last recorded event's alone, or other events that are long complete), on one stream or two, with timing events
// or without, blocking streams or not, an idle or a busy device; and copies between. All work is queued while a
// gate kernel holds the device. One line a case: settings, then median and quartiles of the gap in nanoseconds.
// nvcc -O2 -arch=native events.cu -o events && ./events >events.txt
#include "micro.h"

static volatile int *flag;
static unsigned long long *stamps;
static char *device_data, *host_data;

struct Case {
    bool cross, timing, blocking, busy, wait_last;
    int records, waits;
    long copy_bytes; /* between the two, on the second's stream; -1: none */
};

static void run(const Case &c)
{
    cudaStream_t s[12];
    cudaEvent_t before[8], after[8];
    std::vector<double> gaps;
    for (cudaStream_t &x : s)
        CHECK(cudaStreamCreateWithFlags(&x, c.blocking ? cudaStreamDefault : cudaStreamNonBlocking));
    for (int i = 0; i < 8; i++) {
        CHECK(cudaEventCreateWithFlags(&before[i], c.timing ? cudaEventDefault : cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&after[i], c.timing ? cudaEventDefault : cudaEventDisableTiming));
    }
    for (int r = 0; r < 15; r++) {
        *flag = 0;
        gate<<<1, 1, 0, s[0]>>>(flag);
        cudaStream_t first = s[0], second = c.cross ? s[1] : s[0];
        if (c.busy) spin<<<1, 32, 0, s[2]>>>(NULL, 400000);
        for (int i = 0; i < 8; i++) CHECK(cudaEventRecord(before[i], s[3]));
        spin<<<1, 32, 0, first>>>(stamps, 60000);
        for (int i = 0; i < c.records; i++) CHECK(cudaEventRecord(after[i], first));
        int real = c.cross ? 1 : 0;
        for (int i = 0; i < c.waits - real; i++) CHECK(cudaStreamWaitEvent(second, before[i], 0));
        if (real) CHECK(cudaStreamWaitEvent(second, after[c.wait_last ? c.records - 1 : 0], 0));
        if (c.copy_bytes >= 0)
            CHECK(cudaMemcpyAsync(device_data, host_data, (size_t)c.copy_bytes, cudaMemcpyHostToDevice, second));
        spin<<<1, 32, 0, second>>>(stamps + 2, 2000);
        *flag = 1;
        CHECK(cudaDeviceSynchronize());
        if (r >= 4) gaps.push_back((double)(long long)(stamps[2] - stamps[1]));
    }
    char text[200];
    snprintf(text, sizeof text, "%s %s %s %s records %d waits %d on %s copy %ld", c.cross ? "cross" : "same",
             c.timing ? "timing" : "no-timing", c.blocking ? "blocking" : "non-blocking", c.busy ? "busy" : "idle",
             c.records, c.waits, c.wait_last ? "last" : "first", c.copy_bytes);
    print(text, gaps);
    for (cudaStream_t &x : s) CHECK(cudaStreamDestroy(x));
    for (int i = 0; i < 8; i++) {
        CHECK(cudaEventDestroy(before[i]));
        CHECK(cudaEventDestroy(after[i]));
    }
}

/* N streams, all created and used before: does it matter on which of them the second kernel waits? */
static void pairs_of_streams(void)
{
    cudaStream_t s[12];
    cudaEvent_t event;
    for (cudaStream_t &x : s) CHECK(cudaStreamCreateWithFlags(&x, cudaStreamDefault));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int to = 1; to < 12; to++) {
        std::vector<double> gaps;
        for (int r = 0; r < 12; r++) {
            *flag = 0;
            gate<<<1, 1, 0, s[0]>>>(flag);
            spin<<<1, 32, 0, s[0]>>>(stamps, 60000);
            CHECK(cudaEventRecord(event, s[0]));
            CHECK(cudaStreamWaitEvent(s[to], event, 0));
            spin<<<1, 32, 0, s[to]>>>(stamps + 2, 2000);
            *flag = 1;
            CHECK(cudaDeviceSynchronize());
            if (r >= 2) gaps.push_back((double)(long long)(stamps[2] - stamps[1]));
        }
        char text[60];
        snprintf(text, sizeof text, "stream 0 to stream %d", to);
        print(text, gaps);
    }
    for (cudaStream_t &x : s) CHECK(cudaStreamDestroy(x));
    CHECK(cudaEventDestroy(event));
}

/* How many streams wait at once for one event: the k-th to start. */
static void fan_out(int width, bool timing, bool own_events)
{
    cudaStream_t s[12];
    cudaEvent_t events[12];
    std::vector<double> first, last;
    for (cudaStream_t &x : s) CHECK(cudaStreamCreateWithFlags(&x, cudaStreamDefault));
    for (cudaEvent_t &e : events)
        CHECK(cudaEventCreateWithFlags(&e, timing ? cudaEventDefault : cudaEventDisableTiming));
    for (int r = 0; r < 15; r++) {
        *flag = 0;
        gate<<<1, 1, 0, s[0]>>>(flag);
        spin<<<1, 32, 0, s[0]>>>(stamps, 60000);
        for (int i = 0; i < (own_events ? width : 1); i++) CHECK(cudaEventRecord(events[i], s[0]));
        for (int i = 0; i < width; i++) {
            CHECK(cudaStreamWaitEvent(s[1 + i], events[own_events ? i : 0], 0));
            spin<<<1, 32, 0, s[1 + i]>>>(stamps + 2 + 2 * i, 2000);
        }
        *flag = 1;
        CHECK(cudaDeviceSynchronize());
        if (r < 4) continue;
        unsigned long long least = ~0ull, most = 0;
        for (int i = 0; i < width; i++)
            least = std::min(least, stamps[2 + 2 * i]), most = std::max(most, stamps[2 + 2 * i]);
        first.push_back((double)(long long)(least - stamps[1]));
        last.push_back((double)(long long)(most - stamps[1]));
    }
    char text[100];
    snprintf(text, sizeof text, "fan-out %d %s %s first", width, timing ? "timing" : "no-timing",
             own_events ? "own-events" : "one-event");
    print(text, first);
    snprintf(text, sizeof text, "fan-out %d %s %s last", width, timing ? "timing" : "no-timing",
             own_events ? "own-events" : "one-event");
    print(text, last);
    for (cudaStream_t &x : s) CHECK(cudaStreamDestroy(x));
    for (cudaEvent_t &e : events) CHECK(cudaEventDestroy(e));
}

int main(void)
{
    int *host_flag;
    CHECK(cudaHostAlloc(&host_flag, sizeof *host_flag, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&stamps, 4096, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&host_data, 1 << 20, cudaHostAllocDefault));
    CHECK(cudaMalloc(&device_data, 1 << 20));
    flag = host_flag;
    for (int timing = 0; timing < 2; timing++)
        for (int blocking = 0; blocking < 2; blocking++)
            for (int busy = 0; busy < 2; busy++) {
                for (int records = 0; records < 4; records++)
                    run({false, timing != 0, blocking != 0, busy != 0, true, records, 0, -1});
                for (int waits = 1; waits < 4; waits++)
                    run({false, timing != 0, blocking != 0, busy != 0, true, 0, waits, -1});
                for (int records = 1; records < 4; records++)
                    for (int last = 0; last < 2; last++)
                        if (last || records > 1)
                            run({true, timing != 0, blocking != 0, busy != 0, last != 0, records, 1, -1});
                for (int waits = 2; waits < 5; waits++)
                    run({true, timing != 0, blocking != 0, busy != 0, true, 1, waits, -1});
            }
    for (long bytes : {4L, 64L, 256L, 1024L, 2048L, 3072L, 4096L, 8192L, 65536L, 1L << 20}) {
        run({false, false, true, false, true, 0, 0, bytes});
        run({true, false, true, false, true, 1, 1, bytes});
    }
    pairs_of_streams();
    for (int width : {1, 2, 4, 7, 10})
        for (int timing = 0; timing < 2; timing++)
            fan_out(width, timing != 0, false), fan_out(width, timing != 0, true);
    return 0;
}
