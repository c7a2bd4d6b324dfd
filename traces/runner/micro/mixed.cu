// SPDX-License-Identifier: GPL-3.0-or-later
// Two kernels on one SM, all others held by sleeping blocks: the first one's blocks, and 20 us later the second one's.
// Both kernels are of the kinds of dagrun.cu (fma, stream with some FMAs a component, smem, chase), and take about 100
// us alone. One line a case: of each kernel its kind, FMAs, shared bytes, threads, blocks, loops (steps of each
// thread), its time alone on that SM, when its blocks start and when they end, in order, medians of the repetitions in
// nanoseconds from the first start. Where the second one needs shared memory the first one is told to leave it room
// (carveout, in KiB; 0: its own). nvcc -std=c++17 -O2 -arch=native mixed.cu -o mixed && ./mixed >mixed.txt && ./mixed
// other >mixed_other.txt
#include "micro.h"

#define REPEATS 9
#define UNCOUNTED 2
#define MOST_BLOCKS 64
#define BUFFER_BYTES (1l << 30)
#define CHASE (1u << 24) /* words of the table of dependent loads */
#define ALONE_NS 100000.0
#define LATER_US 20

static __device__ void stamp_end(unsigned long long *stamps, unsigned long long start)
{
    __syncthreads();
    if (threadIdx.x == 0) stamps[2 * blockIdx.x] = start, stamps[2 * blockIdx.x + 1] = now_ns();
}

__global__ void fma_loop(float *out, int loops, unsigned long long *stamps)
{
    unsigned long long start = now_ns();
    fma_chains(out, loops);
    stamp_end(stamps, start);
}

__global__ void smem_loop(float *out, int loops, int words, unsigned long long *stamps)
{
    extern __shared__ unsigned sh[];
    unsigned long long start = now_ns();
    shared_chain(sh, out, loops, words);
    stamp_end(stamps, start);
}

__global__ void stream_loop(const float4 *from, float4 *to, long n, int fmas, unsigned long long *stamps)
{
    unsigned long long start = now_ns();
    stream_through(from, to, n, fmas);
    stamp_end(stamps, start);
}

__global__ void chase_loop(const unsigned *table, float *out, int loops, unsigned long long *stamps)
{
    unsigned long long start = now_ns();
    chase(table, out, loops, CHASE);
    stamp_end(stamps, start);
}

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
static unsigned long long *stamps[2];

static void launch(const Shape &s, int which)
{
    static long at; /* what was touched a while ago has left L2 */
    long bytes = 16l * s.loops * s.blocks * s.threads;
    if (s.kind == FMA)
        fma_loop<<<s.blocks, s.threads, 0, streams[which]>>>(out, s.loops, stamps[which]);
    else if (s.kind == SMEM)
        smem_loop<<<s.blocks, s.threads, s.shared, streams[which]>>>(out, s.loops, s.shared / 4, stamps[which]);
    else if (s.kind == CHASE_LOADS)
        chase_loop<<<s.blocks, s.threads, 0, streams[which]>>>(table, out, s.loops, stamps[which]);
    else {
        if (at + bytes > BUFFER_BYTES) at = 0;
        stream_loop<<<s.blocks, s.threads, 0, streams[which]>>>(from + at / 16, to + at / 16, bytes / 16, s.fmas,
                                                                stamps[which]);
        at += bytes;
    }
}

struct Times {
    std::vector<std::vector<double>> starts, ends; /* of each block in order, of each repetition */
};

static void fetch(const Shape &s, int which, unsigned long long *host)
{
    CHECK(cudaMemcpyAsync(host, stamps[which], 16u * (unsigned)s.blocks, cudaMemcpyDeviceToHost, streams[which]));
    CHECK(cudaStreamSynchronize(streams[which]));
}

static unsigned long long first_start(const Shape &s, const unsigned long long *host)
{
    unsigned long long start = ~0ull;
    for (int i = 0; i < s.blocks; i++) start = std::min(start, host[2 * i]);
    return start;
}

static void keep(std::vector<std::vector<double>> &times, const Shape &s, const unsigned long long *host, int which,
                 unsigned long long zero)
{
    std::vector<double> one;
    for (int i = 0; i < s.blocks; i++) one.push_back((double)(long long)(host[2 * i + which] - zero));
    std::sort(one.begin(), one.end());
    times.resize((size_t)s.blocks);
    for (size_t i = 0; i < one.size(); i++) times[i].push_back(one[i]);
}

static double alone(const Shape &s)
{
    std::vector<double> times;
    unsigned long long host[2 * MOST_BLOCKS];
    for (int r = 0; r < REPEATS; r++) {
        launch(s, 0);
        CHECK(cudaStreamSynchronize(streams[0]));
        fetch(s, 0, host);
        unsigned long long end = 0;
        for (int i = 0; i < s.blocks; i++) end = std::max(end, host[2 * i + 1]);
        if (r >= UNCOUNTED) times.push_back((double)(end - first_start(s, host)));
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
    const void *const kernels[] = {(const void *)fma_loop, (const void *)stream_loop, (const void *)smem_loop,
                                   (const void *)chase_loop};
    CHECK(cudaFuncSetAttribute(kernels[kind], cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

static void print(const Shape &s, Times &times)
{
    printf("%s fmas %d shared %d threads %d blocks %d loops %d alone %.0f starts", kind_names[s.kind], s.fmas, s.shared,
           s.threads, s.blocks, s.loops, s.alone_ns);
    for (std::vector<double> &v : times.starts) printf(" %.0f", quartiles(v).median);
    printf(" ends");
    for (std::vector<double> &v : times.ends) printf(" %.0f", quartiles(v).median);
}

static void run(const Shape &a, const Shape &b, int carveout_kib)
{
    Times times[2];
    const Shape *shapes[2] = {&a, &b};
    unsigned long long host[2][2 * MOST_BLOCKS];
    if (a.kind != SMEM) prefer(a.kind, carveout_kib ? (carveout_kib * 100 + 227) / 228 : -1);
    for (int r = 0; r < REPEATS; r++) {
        launch(a, 0);
        for (double begin = now_us(); now_us() - begin < LATER_US;) continue;
        launch(b, 1);
        for (cudaStream_t s : streams) CHECK(cudaStreamSynchronize(s));
        for (int k = 0; k < 2; k++) fetch(*shapes[k], k, host[k]);
        unsigned long long zero = first_start(a, host[0]);
        for (int k = 0; k < 2 && r >= UNCOUNTED; k++) {
            keep(times[k].starts, *shapes[k], host[k], 0, zero);
            keep(times[k].ends, *shapes[k], host[k], 1, zero);
        }
    }
    if (a.kind != SMEM) prefer(a.kind, -1);
    printf("carveout %d ", carveout_kib);
    print(a, times[0]);
    printf(" then ");
    print(b, times[1]);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **)
{
    int smem;
    CHECK(cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    for (cudaStream_t *s : {&streams[0], &streams[1]}) CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&from, BUFFER_BYTES));
    CHECK(cudaMalloc(&to, BUFFER_BYTES));
    CHECK(cudaMemset(from, 0, BUFFER_BYTES));
    CHECK(cudaMalloc(&out, 4));
    for (unsigned long long *&s : stamps) CHECK(cudaMalloc(&s, 16 * MOST_BLOCKS));
    std::vector<unsigned> order(CHASE);
    for (unsigned i = 0; i < CHASE; i++) order[i] = i;
    unsigned long long random = 7;
    for (unsigned i = CHASE - 1; i > 0; i--) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[i], order[(random >> 33) % i]);
    }
    CHECK(cudaMalloc(&table, 4l * CHASE));
    CHECK(cudaMemcpy(table, order.data(), 4l * CHASE, cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(smem_loop, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
    const bool is_other = argc > 1; /* shapes that nothing was fitted to */
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
    for (Shape &s : shapes) fit(s);
    for (const Shape &a : shapes)
        for (const Shape &b : shapes) {
            if (a.threads * a.blocks + b.threads * b.blocks > 2048) continue;
            if (a.shared * a.blocks + b.shared * b.blocks > 220 * 1024) continue;
            run(a, b, b.kind == SMEM ? 228 : 0);
        }
    let_go(held, streams[0]);
    return 0;
}
