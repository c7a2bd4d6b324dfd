// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels on one SM, all others held by sleeping blocks: the first one's blocks, and 20 us later the second one's, of
// the kinds of dagrun.cu (fma, stream with some FMAs a component, smem, chase). Times are medians of the repetitions in
// nanoseconds from the first start, of the blocks in order.
//   mixed   two that take about 100 us each alone ("other": shapes that nothing was fitted to): of each its kind, FMAs,
//           shared bytes, threads, blocks, loops (steps of each thread), its time alone on that SM, when its blocks
//           start and when they end. Where the second one needs shared memory the first one is told to leave it room
//           (carveout, in KiB; 0: its own)
//   packed  many blocks that walk through memory with FMAS steps of four chains behind each load (form copy), compute,
//           or walk through shared memory, and LATER blocks that only compute: their ends
// One line a case. nvcc -std=c++17 -O2 -arch=native mixed.cu -o mixed && ./mixed >mixed.txt && ./mixed packed
// >packed.txt
#include "micro.h"

#include <cstring>

#define REPEATS      9
#define UNCOUNTED    2
#define MAX_BLOCKS   64
#define BUFFER_BYTES (1l << 30)
#define CHASE        (1u << 24) /* words of the table of dependent loads */
#define ALONE_NS     100000.0
#define LATER_US     20

enum Kind { FMA, STREAM, SMEM, CHASE_LOADS };
static const char *const kind_names[] = {"fma", "stream", "smem", "chase"};

struct Shape {
    Kind kind;
    int fmas, shared, threads, blocks;
    int loops;
    double alone_ns;
};

static float4 *from, *to;
static float *out;
static unsigned *table;
static cudaStream_t streams[2];
static Stamp *stamps[2];

static void launch(const Shape &s, int which)
{
    static long at; /* what was touched a while ago has left L2 */
    long bytes = 16l * s.loops * s.blocks * s.threads;
    if (s.kind == FMA) fma_kernel<<<s.blocks, s.threads, 0, streams[which]>>>(stamps[which], out, s.loops);
    else if (s.kind == SMEM)
        smem_kernel<<<s.blocks, s.threads, s.shared, streams[which]>>>(stamps[which], out, s.loops, s.shared / 4);
    else if (s.kind == CHASE_LOADS)
        chase_kernel<<<s.blocks, s.threads, 0, streams[which]>>>(stamps[which], table, out, s.loops, CHASE);
    else {
        if (at + bytes > BUFFER_BYTES) at = 0;
        stream_kernel<<<s.blocks, s.threads, 0, streams[which]>>>(stamps[which], from + at / 16, to + at / 16,
                                                                  bytes / 16, s.fmas);
        at += bytes;
    }
}

struct Times {
    std::vector<std::vector<double>> starts, ends; /* of each block in order, of each repetition */
};

static std::vector<Stamp> fetch(const Shape &s, int which)
{
    return read_stamps(stamps[which], (size_t)s.blocks, streams[which]);
}

static void keep(std::vector<std::vector<double>> &times, std::vector<double> one)
{
    std::sort(one.begin(), one.end());
    times.resize(one.size());
    for (size_t i = 0; i < one.size(); i++) times[i].push_back(one[i]);
}

static double alone(const Shape &s)
{
    std::vector<double> times;
    for (int r = 0; r < REPEATS; r++) {
        launch(s, 0);
        Stamp all = span(fetch(s, 0));
        if (r >= UNCOUNTED) times.push_back((double)(all.end - all.start));
    }
    return quartiles(times).median;
}

/* As many loops as take ALONE_NS. */
static void fit(Shape &s)
{
    for (int pass = 0; pass < 3; pass++) {
        s.alone_ns = alone(s);
        if (pass < 2) s.loops = std::max(4, (int)(s.loops * ALONE_NS / s.alone_ns));
    }
}

static void prefer(Kind kind, int percent)
{
    const void *const kernels[] = {(const void *)fma_kernel, (const void *)stream_kernel, (const void *)smem_kernel,
                                   (const void *)chase_kernel};
    CHECK(cudaFuncSetAttribute(kernels[kind], cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

static void print(const char *what, std::vector<std::vector<double>> &times)
{
    printf(" %s", what);
    for (std::vector<double> &v : times) printf(" %.0f", quartiles(v).median);
}

static void print(const Shape &s, Times &times)
{
    printf("%s fmas %d shared %d threads %d blocks %d loops %d alone %.0f", kind_names[s.kind], s.fmas, s.shared,
           s.threads, s.blocks, s.loops, s.alone_ns);
    print("starts", times.starts);
    print("ends", times.ends);
}

/* A, and LATER_US later B where it has blocks. */
static void time_both(const Shape &a, const Shape &b, Times times[2])
{
    const Shape *shapes[2] = {&a, &b};
    const int count = b.blocks ? 2 : 1;
    for (int r = 0; r < REPEATS; r++) {
        std::vector<Stamp> found[2];
        launch(a, 0);
        for (double begin = now_us(); now_us() - begin < LATER_US;) continue;
        if (b.blocks) launch(b, 1);
        for (cudaStream_t s : streams) CHECK(cudaStreamSynchronize(s));
        for (int k = 0; k < count; k++) found[k] = fetch(*shapes[k], k);
        unsigned long long zero = span(found[0]).start;
        for (int k = 0; k < count && r >= UNCOUNTED; k++) {
            std::vector<double> starts, ends;
            for (const Stamp &s : found[k])
                starts.push_back((double)(long long)(s.start - zero)),
                    ends.push_back((double)(long long)(s.end - zero));
            keep(times[k].starts, starts);
            keep(times[k].ends, ends);
        }
    }
}

static void run(const Shape &a, const Shape &b, int carveout_kib)
{
    Times times[2];
    if (a.kind != SMEM) prefer(a.kind, carveout_kib ? (carveout_kib * 100 + 227) / 228 : -1);
    time_both(a, b, times);
    if (a.kind != SMEM) prefer(a.kind, -1);
    printf("carveout %d ", carveout_kib);
    print(a, times[0]);
    printf(" then ");
    print(b, times[1]);
    printf("\n");
    fflush(stdout);
}

static void pack(const char *form, const Shape &a, int later)
{
    Times times[2];
    const Shape b = {FMA, 0, 0, 512, later, 20000, 0};
    const int steps = a.kind == FMA ? a.loops / a.fmas : a.loops;
    time_both(a, b, times);
    printf("form %s fmas %d loops %d blocks %d threads %d", form, a.fmas, steps, a.blocks, a.threads);
    print("ends", times[0].ends);
    if (later) {
        printf(" later %d threads %d loops %d start %.0f", later, b.threads, b.loops,
               quartiles(times[1].starts[0]).median);
        print("ends", times[1].ends);
    }
    printf("\n");
    fflush(stdout);
}

static void packed()
{
    const int counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 24, 32}, sizes[] = {64, 128, 256, 512, 1024};
    for (int fmas : {0, 8, 16, 24, 32, 44, 56})
        for (int threads : sizes)
            for (int blocks : counts)
                if (blocks * threads <= 2048) pack("copy", {STREAM, fmas, 0, threads, blocks, 200, 0}, 0);
    for (int threads : sizes)
        for (int blocks : counts)
            if (blocks * threads <= 2048 && blocks <= 8) pack("compute", {FMA, 32, 0, threads, blocks, 200 * 32, 0}, 0);
    for (int fmas : {0, 16, 32, 56})
        for (int threads : {128, 256})
            for (int blocks : {1, 2, 4, 8})
                for (int later : {1, 2, 3})
                    if (blocks * threads + later * 512 <= 2048)
                        pack("copy", {STREAM, fmas, 0, threads, blocks, 200, 0}, later);
    for (int threads : sizes)
        for (int blocks : counts)
            if (blocks * threads <= 2048) pack("shared", {SMEM, 0, 4096, threads, blocks, 1000, 0}, 0);
    for (int threads : {128, 256})
        for (int blocks : {1, 2, 4})
            for (int later : {1, 2, 3}) pack("shared", {SMEM, 0, 4096, threads, blocks, 1000, 0}, later);
}

int main(int argc, char **argv)
{
    int smem;
    CHECK(cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    for (cudaStream_t *s : {&streams[0], &streams[1]}) CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&from, BUFFER_BYTES));
    CHECK(cudaMalloc(&to, BUFFER_BYTES));
    CHECK(cudaMemset(from, 0, BUFFER_BYTES));
    CHECK(cudaMalloc(&out, 4));
    for (Stamp *&s : stamps) CHECK(cudaMalloc(&s, MAX_BLOCKS * sizeof *s));
    table = chase_table(CHASE);
    CHECK(cudaFuncSetAttribute(smem_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    const bool is_other = argc > 1 && strcmp(argv[1], "other") == 0, is_packed = argc > 1 && !is_other;
    std::vector<Shape> shapes;
    for (auto [threads, blocks] :
         is_other
             ? std::vector<std::pair<int, int>>{{64, 1}, {128, 1}, {128, 2}, {256, 3}, {512, 3}, {1024, 2}}
             : std::vector<std::pair<int, int>>{{64, 3}, {128, 3}, {256, 1}, {256, 2}, {512, 1}, {512, 2}, {1024, 1}})
        shapes.push_back({FMA, 0, 0, threads, blocks, 4000, 0});
    for (int fmas : {0, 13, 22, 36, 56})
        for (auto [threads, blocks] :
             is_other ? std::vector<std::pair<int, int>>{{64, 1}, {64, 6}, {512, 1}, {512, 2}, {512, 3}}
                      : std::vector<std::pair<int, int>>{{128, 2}, {256, 1}, {256, 4}, {1024, 1}})
            shapes.push_back({STREAM, fmas, 0, threads, blocks, 50, 0});
    for (int kib : is_other ? std::vector<int>{47, 101} : std::vector<int>{26, 88})
        for (auto [threads, blocks] : is_other
                                          ? std::vector<std::pair<int, int>>{{128, 1}, {128, 2}, {256, 3}, {512, 1}}
                                          : std::vector<std::pair<int, int>>{{128, 4}, {256, 1}, {256, 4}, {512, 2}})
            if (kib * blocks < 220) shapes.push_back({SMEM, 0, kib * 1024, threads, blocks, 1000, 0});
    for (auto [threads, blocks] : is_other ? std::vector<std::pair<int, int>>{{64, 1}, {128, 2}, {64, 6}}
                                           : std::vector<std::pair<int, int>>{{64, 2}, {128, 1}, {128, 3}, {128, 8}})
        shapes.push_back({CHASE_LOADS, 0, 0, threads, blocks, 200, 0});
    for (Shape &s : shapes) { /* loads the kernels, which would wait for those that hold */
        launch(s, 0);
        CHECK(cudaDeviceSynchronize());
    }
    unsigned *held = hold_all_but_one(streams[0]);
    if (is_packed) packed();
    for (Shape &s : shapes)
        if (!is_packed) fit(s);
    for (const Shape &a : shapes)
        for (const Shape &b : shapes) {
            if (is_packed || a.threads * a.blocks + b.threads * b.blocks > 2048) continue;
            if (a.shared * a.blocks + b.shared * b.blocks > 220 * 1024) continue;
            run(a, b, b.kind == SMEM ? 228 : 0);
        }
    let_go(held, streams[0]);
    return 0;
}
