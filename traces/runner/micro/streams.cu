// SPDX-License-Identifier: GPL-3.0-or-later
// What kernels, copies, records and waits cost in the patterns in which schedulers use them. A case is a list of calls
// on streams; it is timed by the host without any tracer, from the first call to the return of the synchronise, or,
// queued behind a gate kernel, by the kernels' own stamps.
//   chains  launch-bound programs, in streams and captured as graphs (g...): medians in microseconds of the whole and
//           of the calls before the synchronise, quartiles of the whole
//   polls   how long the SMs wait behind a copy and a copy engine behind a kernel: lengths of the first are swept
//           finely, since an engine that waits for another looks for it only now and then; 5, 25, 75 and 95 % quantiles
//   events  what lies between two dependent kernels: RECORDS behind the first, WAITS before the second, a copy between,
//           streams that wait for one event; nanoseconds
//   front   how long the front end takes to go on with a stream while others have nothing, run a kernel, run one with a
//           second behind it, or wait for an event that comes later; nanoseconds, from the (last) end to the start
//   queues  which streams hold each other back: one waits for the event of a kernel of 150 us, another gets a kernel,
//           0, 3 or 6 more are at work; how many pairs there are, and in how many the second kernel starts behind the
//           event
// One line a case. nvcc -std=c++17 -O2 -arch=native streams.cu -o streams && ./streams chains >chains.txt
#include "micro.h"

#include <cstring>
#include <string>

#define STREAMS 20
#define LATE    (STREAMS - 1) /* an event, and a stream that runs what others wait for */
#define PIECE   4000000       /* bytes of a copy, at most */
#define PIECES  10

enum Kind { KERNEL, H2D, D2H, RECORD, WAIT, SYNC, SYNC_DEVICE };
struct Call {
    Kind kind;
    int stream, which; /* WHICH: a kernel's stamp (-1: none), an event, the piece that is copied */
    double length;     /* nanoseconds, or bytes */
};
typedef std::vector<Call> Calls;

static cudaStream_t s[STREAMS];
static cudaEvent_t events[2][STREAMS], ends[STREAMS]; /* without and with timing; of captures */
static char *device_data, *host_data;
static volatile int *flag;
static unsigned long long *stamps; /* start and end of kernel i at 2 i */
static double clock_ghz;

static void make(const Calls &calls, bool timing)
{
    for (const Call &c : calls) {
        cudaStream_t on = s[c.stream];
        char *device = device_data + (long)c.which * PIECE, *host = host_data + (long)c.which * PIECE;
        switch (c.kind) {
        case KERNEL:
            if (c.which < 0) spin_cycles<<<1, 32, 0, on>>>((long long)(c.length * clock_ghz));
            else spin<<<1, 32, 0, on>>>(stamps + 2 * c.which, (long long)c.length);
            break;
        case H2D:
            CHECK(cudaMemcpyAsync(device, host, (size_t)c.length, cudaMemcpyHostToDevice, on));
            break;
        case D2H:
            CHECK(cudaMemcpyAsync(host, device, (size_t)c.length, cudaMemcpyDeviceToHost, on));
            break;
        case RECORD:
            CHECK(cudaEventRecord(events[timing][c.which], on));
            break;
        case WAIT:
            CHECK(cudaStreamWaitEvent(on, events[timing][c.which], 0));
            break;
        case SYNC:
            CHECK(cudaStreamSynchronize(on));
            break;
        case SYNC_DEVICE:
            CHECK(cudaDeviceSynchronize());
            break;
        }
    }
}

/* All streams that have work begin behind the first and join it, so that a capture on it ends. */
static cudaGraphExec_t capture(const Calls &calls)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int used = 0;
    for (const Call &c : calls) used = std::max(used, c.stream);
    CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(ends[0], s[0]));
    for (int i = 1; i <= used; i++) CHECK(cudaStreamWaitEvent(s[i], ends[0], 0));
    make(calls, false);
    for (int i = 1; i <= used; i++) {
        CHECK(cudaEventRecord(ends[i], s[i]));
        CHECK(cudaStreamWaitEvent(s[0], ends[i], 0));
    }
    CHECK(cudaStreamEndCapture(s[0], &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

/* By the host, in microseconds: the whole, and the calls alone. REST: a pause before each, so that no phase is
 * preferred. */
static void time_by_host(const Calls &calls, bool timing, bool in_graph, int uncounted, int repeats, bool rest,
                         std::vector<double> &whole, std::vector<double> &issuing)
{
    cudaGraphExec_t exec = in_graph ? capture(calls) : NULL;
    for (int r = -uncounted; r < repeats; r++) {
        for (double until = now_us() + 20 + (r + uncounted) * 0.11; rest && now_us() < until;) continue;
        double start = now_us();
        if (exec) CHECK(cudaGraphLaunch(exec, s[0]));
        else make(calls, timing);
        double issued = now_us();
        CHECK(cudaDeviceSynchronize());
        double end = now_us();
        if (r < 0) continue;
        whole.push_back(end - start);
        issuing.push_back(issued - start);
    }
    if (exec) CHECK(cudaGraphExecDestroy(exec));
}

/* By stamps: SEE is called after each repetition that counts. */
template <typename See> static void time_by_stamps(const Calls &calls, bool timing, int uncounted, int repeats, See see)
{
    for (int r = -uncounted; r < repeats; r++) {
        *flag = 0;
        gate<<<1, 1, 0, s[0]>>>(flag);
        make(calls, timing);
        *flag = 1;
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        if (r >= 0) see();
    }
}

/* From the end of kernel FIRST to the start of SECOND, by stamps. */
static double gap(int first, int second) { return (double)(long long)(stamps[2 * second] - stamps[2 * first + 1]); }

static void print_gaps(const std::string &what, const Calls &calls, bool timing, int uncounted, int repeats)
{
    std::vector<double> gaps;
    time_by_stamps(calls, timing, uncounted, repeats, [&] { gaps.push_back(gap(0, 1)); });
    print(what.c_str(), gaps);
}

static void open_streams(unsigned flags)
{
    for (cudaStream_t &x : s) {
        if (x) CHECK(cudaStreamDestroy(x));
        CHECK(cudaStreamCreateWithFlags(&x, flags));
    }
}

static std::string text(const char *name, long number)
{
    return std::string(" ") + name + " " + std::to_string(number);
}

/* --- chains --- */
/* "1:": one letter an action on the one stream: c copy to the device, d copy back, k kernel, e record, s synchronise.
 */
static Calls chain(const char *pattern, int count, long bytes)
{
    Calls calls;
    const double ns = 2000, size = (double)bytes;
    for (int i = 0; i < count; i++) {
        const int own = i + 1, turn = 1 + i % 2;
        switch (*pattern) {
        case '1':
            for (const char *a = pattern + 2; *a; a++)
                calls.push_back(*a == 'c'   ? Call{H2D, 0, i, size}
                                : *a == 'd' ? Call{D2H, 0, i, size}
                                : *a == 'k' ? Call{KERNEL, 0, -1, ns}
                                : *a == 'e' ? Call{RECORD, 0, i, 0}
                                            : Call{SYNC_DEVICE, 0, 0, 0});
            break;
        case 'a': /* copies ahead on a stream of their own, then kernels on theirs, each waiting for its copy */
            calls.push_back({H2D, 0, i, size});
            calls.push_back({RECORD, 0, i, 0});
            break;
        case 'o': /* each on a stream of its own: copy, kernel */
            if (bytes) calls.push_back({H2D, own, i, size});
            calls.push_back({KERNEL, own, -1, ns});
            break;
        case 'm':
            calls.push_back({H2D, own, i, size});
            break; /* copies alone, each on a stream of its own */
        case 'z':  /* a chain that changes streams: kernel, record, wait, kernel */
            if (i) calls.push_back({WAIT, turn, i - 1, 0});
            calls.push_back({KERNEL, turn, -1, ns});
            calls.push_back({RECORD, turn, i, 0});
            break;
        case 'j': /* join: kernels on streams of their own, then one that waits for all */
            if (i) calls.push_back({KERNEL, i, -1, ns}), calls.push_back({RECORD, i, i, 0});
            break;
        }
    }
    for (int i = 0; i < count && *pattern == 'a'; i++) {
        int on = pattern[1] == 's' ? 1 : i + 1;
        calls.push_back({WAIT, on, i, 0});
        calls.push_back({KERNEL, on, -1, ns});
        if (pattern[1] == 's') calls.push_back({SYNC, on, 0, 0});
    }
    for (int i = 1; i < count && *pattern == 'j'; i++) calls.push_back({WAIT, 0, i, 0});
    if (*pattern == 'j') calls.push_back({KERNEL, 0, -1, ns});
    return calls;
}

static void run_chain(const char *pattern, int count, long bytes, bool timing)
{
    std::vector<double> whole, issuing;
    bool in_graph = *pattern == 'g';
    time_by_host(chain(pattern + in_graph, count, bytes), timing, in_graph, 50, 250, false, whole, issuing);
    Quartiles q = quartiles(whole);
    printf("%-8s count %2d bytes %7ld %-9s median %7.2f calls %7.2f quartiles %7.2f %7.2f\n", pattern, count, bytes,
           timing ? "timing" : "no-timing", q.median, quartiles(issuing).median, q.low, q.high);
}

static void chains()
{
    for (int count : {1, 2, 3, 5, PIECES}) {
        for (const char *pattern : {"1:k", "1:ks", "o", "g1:k", "go", "gz", "gj"}) run_chain(pattern, count, 0, false);
        for (bool timing : {false, true})
            for (const char *pattern : {"1:ke", "1:kes", "z", "j"}) run_chain(pattern, count, 0, timing);
        for (long bytes : {4, 4096, 50000, 250000, 1000000}) {
            for (const char *pattern : {"1:c", "1:cs", "1:d", "1:ds", "1:ck", "1:cks", "1:kd", "1:kds", "1:cckds", "o",
                                        "m", "g1:c", "g1:d", "g1:ck", "g1:kd", "g1:kck", "go", "gm", "ga"})
                run_chain(pattern, count, bytes, false);
            for (bool timing : {false, true})
                for (const char *pattern : {"1:ce", "a", "as"}) run_chain(pattern, count, bytes, timing);
        }
    }
}

/* --- polls --- */
/* k: kernel of NS, t: of 2 us, c: copy to the device, d: back; >: what follows goes on another stream, behind an
 * event. */
static void run_poll(const char *actions, long bytes, double ns, bool in_graph)
{
    Calls calls;
    int on = 0;
    std::vector<double> us, issuing;
    for (const char *a = actions; *a; a++)
        if (*a == '>') {
            calls.push_back({RECORD, on, 0, 0});
            calls.push_back({WAIT, ++on, 0, 0});
        } else {
            calls.push_back(*a == 'c'   ? Call{H2D, on, 0, (double)bytes}
                            : *a == 'd' ? Call{D2H, on, 0, (double)bytes}
                                        : Call{KERNEL, on, -1, *a == 'k' ? ns : 2000});
        }
    time_by_host(calls, false, in_graph, 20, 200, true, us, issuing);
    std::sort(us.begin(), us.end());
    size_t n = us.size();
    printf("%s %-6s bytes %7ld before %6.0f median %7.2f quantiles %7.2f %7.2f %7.2f %7.2f\n",
           in_graph ? "graph" : "calls", actions, bytes, ns, us[n / 2], us[n / 20], us[n / 4], us[3 * n / 4],
           us[19 * n / 20]);
}

static long next_size(long bytes) { return bytes + (bytes < 100000 ? 16000 : bytes < 1000000 ? 50000 : 100000); }

static void polls()
{
    for (int in_graph = 0; in_graph < 2; in_graph++) {
        for (const char *actions : {"c", "d", "ct", "c>t", "cd", "c>d", "cc"})
            for (long bytes = 4000; bytes <= 2600000; bytes = next_size(bytes)) run_poll(actions, bytes, 0, in_graph);
        for (const char *actions : {"k", "kd", "k>d", "kc", "kt", "k>t"})
            for (double ns = 1000; ns <= 60000; ns += ns < 20000 ? 1000 : 2500) run_poll(actions, 4096, ns, in_graph);
        for (const char *actions : {"kct", "k>ct", "kc>t"})
            for (double ns : {2000.0, 9000.0, 30000.0})
                for (long bytes = 4000; bytes <= 1700000; bytes = next_size(bytes))
                    run_poll(actions, bytes, ns, in_graph);
    }
}

/* --- events --- */
enum { LONG_NS = 60000, SHORT_NS = 2000, BEFORE = 8 }; /* BEFORE: events that are long complete, from there on */

/* CROSS: on two streams. BYTES of a copy between, on the second's stream; -1: none. */
static void run_event(bool cross, bool timing, bool blocking, bool busy, bool wait_last, int records, int waits,
                      long bytes)
{
    Calls calls;
    const int second = cross;
    if (busy) calls.push_back({KERNEL, 2, -1, 400000});
    for (int i = 0; i < 8; i++) calls.push_back({RECORD, 3, BEFORE + i, 0});
    calls.push_back({KERNEL, 0, 0, LONG_NS});
    for (int i = 0; i < records; i++) calls.push_back({RECORD, 0, i, 0});
    for (int i = 0; i < waits - cross; i++) calls.push_back({WAIT, second, BEFORE + i, 0});
    if (cross) calls.push_back({WAIT, second, wait_last ? records - 1 : 0, 0});
    if (bytes >= 0) calls.push_back({H2D, second, 0, (double)bytes});
    calls.push_back({KERNEL, second, 1, SHORT_NS});
    print_gaps(std::string(cross ? "cross " : "same ") + (timing ? "timing " : "no-timing ") +
                   (blocking ? "blocking " : "non-blocking ") + (busy ? "busy" : "idle") + text("records", records) +
                   text("waits", waits) + (wait_last ? " on last" : " on first") + text("copy", bytes),
               calls, timing, 4, 11);
}

/* How many streams wait at once for one event: the first and the last to start. */
static void fan_out(int width, bool timing, bool own_events)
{
    Calls calls = {{KERNEL, 0, 0, LONG_NS}};
    std::vector<double> first, last;
    for (int i = 0; i < (own_events ? width : 1); i++) calls.push_back({RECORD, 0, i, 0});
    for (int i = 0; i < width; i++) {
        calls.push_back({WAIT, 1 + i, own_events ? i : 0, 0});
        calls.push_back({KERNEL, 1 + i, 1 + i, SHORT_NS});
    }
    time_by_stamps(calls, timing, 4, 11, [&] {
        double least = gap(0, 1), most = least;
        for (int i = 1; i < width; i++) least = std::min(least, gap(0, 1 + i)), most = std::max(most, gap(0, 1 + i));
        first.push_back(least);
        last.push_back(most);
    });
    std::string what = "fan-out " + std::to_string(width) + (timing ? " timing" : " no-timing") +
                       (own_events ? " own-events" : " one-event");
    print((what + " first").c_str(), first);
    print((what + " last").c_str(), last);
}

static void all_events()
{
    for (int blocking = 0; blocking < 2; blocking++) {
        open_streams(blocking ? cudaStreamDefault : cudaStreamNonBlocking);
        for (int timing = 0; timing < 2; timing++)
            for (int busy = 0; busy < 2; busy++) {
                for (int records = 0; records < 4; records++) run_event(0, timing, blocking, busy, 1, records, 0, -1);
                for (int waits = 1; waits < 4; waits++) run_event(0, timing, blocking, busy, 1, 0, waits, -1);
                for (int records = 1; records < 4; records++)
                    for (int last = records == 1; last < 2; last++)
                        run_event(1, timing, blocking, busy, last, records, 1, -1);
                for (int waits = 2; waits < 5; waits++) run_event(1, timing, blocking, busy, 1, 1, waits, -1);
            }
    }
    for (long bytes : {4L, 64L, 256L, 1024L, 2048L, 3072L, 4096L, 8192L, 65536L, 1L << 20}) {
        run_event(0, 0, 1, 0, 1, 0, 0, bytes);
        run_event(1, 0, 1, 0, 1, 1, 1, bytes);
    }
    for (int to = 1; to < 12; to++) /* does it matter on which stream the second kernel waits? */
        print_gaps("stream 0 to" + text("stream", to),
                   {{KERNEL, 0, 0, LONG_NS}, {RECORD, 0, 0, 0}, {WAIT, to, 0, 0}, {KERNEL, to, 1, SHORT_NS}}, false, 2,
                   10);
    for (int width : {1, 2, 4, 7, 10})
        for (int timing = 0; timing < 2; timing++) fan_out(width, timing, false), fan_out(width, timing, true);
}

/* --- the front end --- */
enum Other { NOTHING, RUNS, QUEUED, WAITS };
enum Record { NONE, UNTIMED, TIMED };
static const char *const other_names[] = {"nothing", "runs", "queued", "waits"}, *const record_names[] = {
                                                                                     "none", "untimed", "timed"};

/* What the streams from FIRST on do meanwhile. */
static Calls occupy(int other, int count, int first)
{
    Calls calls;
    if (other == WAITS && count) calls = {{KERNEL, LATE, -1, 900000}, {RECORD, LATE, LATE, 0}};
    for (int i = 0; i < count; i++) {
        calls.push_back(other == WAITS ? Call{WAIT, first + i, LATE, 0} : Call{KERNEL, first + i, -1, 900000});
        if (other != RUNS) calls.push_back({KERNEL, first + i, -1, 1000});
    }
    return calls;
}

static std::string meanwhile(const char *what, int record)
{
    return std::string(what) + " record " + record_names[record];
}

/* Two kernels, on one stream or behind an event on another. */
static void two(bool cross, int record, int other, int count)
{
    Calls calls = occupy(other, count, 2);
    calls.push_back({KERNEL, 0, 0, LONG_NS});
    if (record != NONE) calls.push_back({RECORD, 0, 0, 0});
    if (cross) calls.push_back({WAIT, 1, 0, 0});
    calls.push_back({KERNEL, cross, 1, SHORT_NS});
    print_gaps(meanwhile(cross ? "cross" : "chain", record) + text("others", count) + " " + other_names[other], calls,
               record == TIMED, 5, 20);
}

/* WIDTH streams wait for the event of one kernel, which its own stream goes on behind: the k-th start. */
static void fan(int record, int width, int other, int count)
{
    Calls calls = occupy(other, count, 1 + width);
    std::vector<std::vector<double>> gaps((size_t)width);
    std::vector<double> own;
    calls.push_back({KERNEL, 0, 0, LONG_NS});
    calls.push_back({RECORD, 0, 0, 0});
    calls.push_back({KERNEL, 0, 1, 30000});
    for (int i = 0; i < width; i++) {
        calls.push_back({WAIT, 1 + i, 0, 0});
        calls.push_back({KERNEL, 1 + i, 2 + i, 30000});
    }
    time_by_stamps(calls, record == TIMED, 5, 20, [&] {
        std::vector<double> starts;
        for (int i = 0; i < width; i++) starts.push_back(gap(0, 2 + i));
        std::sort(starts.begin(), starts.end());
        for (int i = 0; i < width; i++) gaps[(size_t)i].push_back(starts[(size_t)i]);
        own.push_back(gap(0, 1));
    });
    std::string what =
        meanwhile("fan", record) + text("width", width) + text("others", count) + " " + other_names[other];
    print((what + " own").c_str(), own);
    for (int i = 0; i < width; i++) print((what + text("start", i + 1)).c_str(), gaps[(size_t)i]);
}

/* WIDTH streams' kernels end STEP ns apart; one stream waits for them all, in that order. */
static void join(int record, int width, int step)
{
    Calls calls = {{RECORD, 0, LATE, 0}};
    std::vector<double> gaps;
    for (int i = 0; i < width; i++) {
        calls.push_back({WAIT, 1 + i, LATE, 0});
        calls.push_back({KERNEL, 1 + i, -1, 20000});
        calls.push_back({KERNEL, 1 + i, 1 + i, 40000.0 + i * step});
        calls.push_back({RECORD, 1 + i, i, 0});
    }
    for (int i = 0; i < width; i++) calls.push_back({WAIT, 0, i, 0});
    calls.push_back({KERNEL, 0, 0, SHORT_NS});
    time_by_stamps(calls, record == TIMED, 5, 20, [&] {
        double last = gap(1, 0);
        for (int i = 1; i < width; i++) last = std::min(last, gap(1 + i, 0));
        gaps.push_back(last);
    });
    print((meanwhile("join", record) + text("width", width) + text("step", step)).c_str(), gaps);
}

static void front()
{
    open_streams(cudaStreamNonBlocking);
    for (int cross = 0; cross < 2; cross++)
        for (int record = cross ? UNTIMED : NONE; record <= TIMED; record++) {
            two(cross, record, NOTHING, 0);
            for (int other = RUNS; other <= WAITS; other++)
                for (int count : {1, 2, 3, 5, 6, 10}) two(cross, record, other, count);
        }
    for (int record = UNTIMED; record <= TIMED; record++)
        for (int width = 1; width <= 7; width++) {
            fan(record, width, NOTHING, 0);
            if (width < 4) fan(record, width, QUEUED, 2);
        }
    for (int record = UNTIMED; record <= TIMED; record++)
        for (int width : {1, 2, 3, 5, 7})
            for (int step : {0, 1000, 3000, 8000}) join(record, width, step);
}

/* --- queues --- */
static void queues()
{
    const int most = 16; /* streams behind the gate's */
    open_streams(cudaStreamNonBlocking);
    for (int busy = 0; busy <= 6; busy += 3) {
        int pairs = 0, blocked = 0;
        for (int x = 1; x <= most; x++)
            for (int y = 1; y <= most; y++) {
                Calls calls = {{KERNEL, LATE, 0, 150000}, {RECORD, LATE, LATE, 0}};
                if (x == y) continue;
                for (int z = most, left = busy; z > 0 && left; z--)
                    if (z != x && z != y) calls.push_back({KERNEL, z, -1, 40000}), left--;
                for (const Call &c : {Call{WAIT, x, LATE, 0}, Call{KERNEL, x, 1, 1000}, Call{KERNEL, y, 2, 1000}})
                    calls.push_back(c);
                time_by_stamps(calls, false, 0, 2, [&] { pairs++, blocked += gap(0, 2) >= 0; });
            }
        printf("queues busy %d pairs %d blocked %d\n", busy, pairs, blocked);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } modes[] = {{"chains", chains}, {"polls", polls}, {"events", all_events}, {"front", front}, {"queues", queues}};
    int *host_flag, khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaHostAlloc(&host_flag, sizeof *host_flag, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&stamps, 4096, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&host_data, PIECES * PIECE, cudaHostAllocDefault));
    CHECK(cudaMalloc(&device_data, PIECES * PIECE));
    clock_ghz = khz * 1e-6;
    flag = host_flag;
    open_streams(cudaStreamDefault);
    for (int timed = 0; timed < 2; timed++)
        for (cudaEvent_t &e : events[timed])
            CHECK(cudaEventCreateWithFlags(&e, timed ? cudaEventDefault : cudaEventDisableTiming));
    for (cudaEvent_t &e : ends) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    for (int i = 0; i < 200; i++) make({{KERNEL, 0, -1, 100000}}, false); /* the clocks rise */
    CHECK(cudaDeviceSynchronize());
    for (const auto &mode : modes)
        if (argc > 1 && strcmp(argv[1], mode.name) == 0) return mode.run(), 0;
    fprintf(stderr, "usage: streams chains|polls|events|front|queues\n");
    return 2;
}
