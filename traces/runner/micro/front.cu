// SPDX-License-Identifier: GPL-3.0-or-later
// The front end that hands streams' work to the SMs: how long it takes to go on with a stream while OTHERS other
// streams have nothing, run a kernel, run one with a second behind it, or wait for an event that comes later.
//   chain   two kernels on a stream, with no, an untimed or a timed record between
//   cross   the second on another stream, behind the event
//   fan     WIDTH streams wait for the event of one kernel, which its own stream goes on behind: the k-th start
//   join    WIDTH streams' kernels end STEP ns apart; one stream waits for them all, in that order
// One line a case: settings, then the median and the quartiles, in nanoseconds, of what passes from the (last) end to
// the start. nvcc -O2 -arch=native front.cu -o front && ./front >front.txt
#include "micro.h"

#define STREAMS 20
#define REPEATS 25

enum Other { NOTHING, RUNS, QUEUED, WAITS };
enum Record { NONE, UNTIMED, TIMED };
static const char *const other_names[] = {"nothing", "runs", "queued", "waits"};
static const char *const record_names[] = {"none", "untimed", "timed"};

static volatile int *flag;
static unsigned long long *stamps; /* start and end of kernel i at 2 i */
static cudaStream_t s[STREAMS];
static cudaEvent_t events[2][STREAMS], late;

/* What the streams from FIRST on do meanwhile; the last stream runs what others wait for. */
static void occupy(Other other, int count, int first)
{
    if (other == WAITS && count) {
        spin<<<1, 32, 0, s[STREAMS - 1]>>>(NULL, 900000);
        CHECK(cudaEventRecord(late, s[STREAMS - 1]));
    }
    for (int i = 0; i < count; i++) {
        cudaStream_t stream = s[first + i];
        if (other == RUNS || other == QUEUED) spin<<<1, 32, 0, stream>>>(NULL, 900000);
        if (other == WAITS) CHECK(cudaStreamWaitEvent(stream, late, 0));
        if (other == QUEUED || other == WAITS) spin<<<1, 32, 0, stream>>>(NULL, 1000);
    }
}

static void finish(void)
{
    *flag = 1;
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static void two(bool cross, Record record, Other other, int count)
{
    std::vector<double> gaps;
    for (int r = 0; r < REPEATS; r++) {
        cudaStream_t second = cross ? s[1] : s[0];
        *flag = 0;
        gate<<<1, 1, 0, s[0]>>>(flag);
        occupy(other, count, 2);
        spin<<<1, 32, 0, s[0]>>>(stamps, 60000);
        if (record != NONE) CHECK(cudaEventRecord(events[record == TIMED][0], s[0]));
        if (cross) CHECK(cudaStreamWaitEvent(second, events[record == TIMED][0], 0));
        spin<<<1, 32, 0, second>>>(stamps + 2, 2000);
        finish();
        if (r > 4) gaps.push_back((double)(long long)(stamps[2] - stamps[1]));
    }
    char text[120];
    snprintf(text, sizeof text, "%s record %s others %d %s", cross ? "cross" : "chain", record_names[record], count,
             other_names[other]);
    print(text, gaps);
}

static void fan(Record record, int width, Other other, int count)
{
    std::vector<std::vector<double>> gaps((size_t)width);
    std::vector<double> own;
    for (int r = 0; r < REPEATS; r++) {
        *flag = 0;
        gate<<<1, 1, 0, s[0]>>>(flag);
        occupy(other, count, 1 + width);
        spin<<<1, 32, 0, s[0]>>>(stamps, 60000);
        CHECK(cudaEventRecord(events[record == TIMED][0], s[0]));
        spin<<<1, 32, 0, s[0]>>>(stamps + 2, 30000);
        for (int i = 0; i < width; i++) {
            CHECK(cudaStreamWaitEvent(s[1 + i], events[record == TIMED][0], 0));
            spin<<<1, 32, 0, s[1 + i]>>>(stamps + 4 + 2 * i, 30000);
        }
        finish();
        if (r <= 4) continue;
        std::vector<double> starts;
        for (int i = 0; i < width; i++) starts.push_back((double)(long long)(stamps[4 + 2 * i] - stamps[1]));
        std::sort(starts.begin(), starts.end());
        for (int i = 0; i < width; i++) gaps[(size_t)i].push_back(starts[(size_t)i]);
        own.push_back((double)(long long)(stamps[2] - stamps[1]));
    }
    char text[120];
    snprintf(text, sizeof text, "fan record %s width %d others %d %s own", record_names[record], width, count,
             other_names[other]);
    print(text, own);
    for (int i = 0; i < width; i++) {
        snprintf(text, sizeof text, "fan record %s width %d others %d %s start %d", record_names[record], width, count,
                 other_names[other], i + 1);
        print(text, gaps[(size_t)i]);
    }
}

static void join(Record record, int width, int step)
{
    std::vector<double> gaps;
    for (int r = 0; r < REPEATS; r++) {
        *flag = 0;
        gate<<<1, 1, 0, s[0]>>>(flag);
        CHECK(cudaEventRecord(events[0][STREAMS - 1], s[0]));
        for (int i = 0; i < width; i++) {
            CHECK(cudaStreamWaitEvent(s[1 + i], events[0][STREAMS - 1], 0));
            spin<<<1, 32, 0, s[1 + i]>>>(NULL, 20000);
            spin<<<1, 32, 0, s[1 + i]>>>(stamps + 2 + 2 * i, 40000 + i * (long long)step);
            CHECK(cudaEventRecord(events[record == TIMED][i], s[1 + i]));
        }
        for (int i = 0; i < width; i++) CHECK(cudaStreamWaitEvent(s[0], events[record == TIMED][i], 0));
        spin<<<1, 32, 0, s[0]>>>(stamps, 2000);
        finish();
        unsigned long long last = 0;
        for (int i = 0; i < width; i++) last = std::max(last, stamps[3 + 2 * i]);
        if (r > 4) gaps.push_back((double)(long long)(stamps[0] - last));
    }
    char text[120];
    snprintf(text, sizeof text, "join record %s width %d step %d", record_names[record], width, step);
    print(text, gaps);
}

int main(void)
{
    int *host_flag;
    CHECK(cudaHostAlloc(&host_flag, sizeof *host_flag, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&stamps, 4096, cudaHostAllocMapped));
    flag = host_flag;
    for (cudaStream_t &x : s) CHECK(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
    for (int timed = 0; timed < 2; timed++)
        for (cudaEvent_t &e : events[timed])
            CHECK(cudaEventCreateWithFlags(&e, timed ? cudaEventDefault : cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&late, cudaEventDisableTiming));
    const int counts[] = {1, 2, 3, 5, 6, 10};
    for (int cross = 0; cross < 2; cross++)
        for (int record = cross ? UNTIMED : NONE; record <= TIMED; record++) {
            two(cross != 0, (Record)record, NOTHING, 0);
            for (int other = RUNS; other <= WAITS; other++)
                for (int count : counts) two(cross != 0, (Record)record, (Other)other, count);
        }
    for (int record = UNTIMED; record <= TIMED; record++)
        for (int width = 1; width <= 7; width++) {
            fan((Record)record, width, NOTHING, 0);
            if (width < 4) fan((Record)record, width, QUEUED, 2);
        }
    for (int record = UNTIMED; record <= TIMED; record++)
        for (int width : {1, 2, 3, 5, 7})
            for (int step : {0, 1000, 3000, 8000}) join((Record)record, width, step);
    return 0;
}
