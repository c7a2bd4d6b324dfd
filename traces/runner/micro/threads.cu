// SPDX-License-Identifier: GPL-3.0-or-later
// What calls cost a host thread beside others that make the same: 1 to 16 threads, each with a stream, in a loop of
//   launch       cudaLaunchKernel of an empty kernel, synchronised every 256
//   launch_sync  launch and cudaStreamSynchronize, kernels of 0, 5, 20 and 100 us
//   record_wait  cudaEventRecord and cudaStreamWaitEvent on two streams of the thread
// nvcc -O2 -arch=sm_90 -o threads threads.cu -lpthread; threads [blocking] prints "what kernel_us threads us_per_turn",
// the median of the threads' medians of 5 rounds.
#include "micro.h"

#include <cstring>
#include <pthread.h>

__global__ void nothing() {}

enum what { LAUNCH, LAUNCH_SYNC, RECORD_WAIT };

struct job {
    what kind;
    long long ns;
    int turns;
    pthread_barrier_t *barrier;
    double us;
};

static void *work(void *argument)
{
    job *j = (job *)argument;
    cudaStream_t stream, other;
    cudaEvent_t event;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    std::vector<double> rounds;
    for (int round = 0; round < 6; round++) {
        pthread_barrier_wait(j->barrier);
        double start = now_us();
        for (int i = 0; i < j->turns; i++) {
            if (j->kind == RECORD_WAIT) {
                CHECK(cudaEventRecord(event, stream));
                CHECK(cudaStreamWaitEvent(other, event, 0));
                if (i % 256 == 255) CHECK(cudaStreamSynchronize(other));
                continue;
            }
            if (j->ns) spin<<<1, 32, 0, stream>>>(NULL, j->ns);
            else nothing<<<1, 32, 0, stream>>>();
            if (j->kind == LAUNCH_SYNC || i % 256 == 255) CHECK(cudaStreamSynchronize(stream));
        }
        double us = (now_us() - start) / j->turns;
        if (round) rounds.push_back(us);
        pthread_barrier_wait(j->barrier);
    }
    j->us = quartiles(rounds).median;
    return nullptr;
}

static void measure(what kind, const char *name, long long ns, int count, const char *wait)
{
    std::vector<job> jobs(count);
    std::vector<pthread_t> threads(count);
    std::vector<double> us;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, count);
    for (int i = 0; i < count; i++) {
        jobs[i] = {kind, ns, ns >= 100000 ? 500 : 2048, &barrier, 0};
        pthread_create(&threads[i], nullptr, work, &jobs[i]);
    }
    for (int i = 0; i < count; i++) pthread_join(threads[i], nullptr), us.push_back(jobs[i].us);
    std::sort(us.begin(), us.end());
    printf("%s %s %.1f %d %.3f %.3f %.3f\n", wait, name, ns / 1e3, count, us[0], us[us.size() / 2], us.back());
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *wait = argc > 1 ? argv[1] : "spin";
    CHECK(cudaSetDeviceFlags(strcmp(wait, "blocking") == 0 ? cudaDeviceScheduleBlockingSync
                             : strcmp(wait, "yield") == 0  ? cudaDeviceScheduleYield
                                                           : cudaDeviceScheduleSpin));
    CHECK(cudaFree(nullptr));
    static const int counts[] = {1, 2, 3, 4, 6, 8, 12, 16};
    static const long long lengths[] = {0, 5000, 20000, 100000};
    for (int count : counts) measure(LAUNCH, "launch", 0, count, wait);
    for (long long ns : lengths)
        for (int count : counts) measure(LAUNCH_SYNC, "launch_sync", ns, count, wait);
    for (int count : counts) measure(RECORD_WAIT, "record_wait", 0, count, wait);
    return 0;
}
