// SPDX-License-Identifier: GPL-3.0-or-later
// Many blocks on one SM, all others held by sleeping blocks: BLOCKS of THREADS walk through memory, FMAS steps of four
// chains each after every load of 16 bytes, LOOPS times (form: copy), the same without loads and stores (form:
// compute), or chains through shared memory (form: shared), and LATER blocks of LATER_THREADS that only compute,
// launched 20 us after. One line a case: settings, then of each block in the order of their ends the median end,
// counted from the first start, in nanoseconds; after "later" those of the others with their starts.
// nvcc -O2 -arch=native packed.cu -o packed && ./packed >packed.txt
#include "micro.h"

#define REPEATS 7
#define MOST_BLOCKS 64
#define BUFFER_BYTES (1 << 30)

static __device__ void stamp(unsigned long long *stamps, int which)
{
    __syncthreads();
    if (threadIdx.x == 0) stamps[2 * blockIdx.x + which] = now_ns();
}

template <bool LOADS>
__global__ void walk(const float4 *from, float4 *to, int loops, int fmas, unsigned long long *stamps)
{
    stamp(stamps, 0);
    long step = (long)gridDim.x * blockDim.x, i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = from[i];
    for (int n = 0; n < loops; n++, i += step) {
        if (LOADS) v = from[i];
        v = fmas_of(v, fmas);
        if (LOADS || v.x == 12345.678f) to[i] = v;
    }
    if (!LOADS) to[(long)blockIdx.x * blockDim.x + threadIdx.x] = v;
    stamp(stamps, 1);
}

__global__ void compute(float *out, int loops, unsigned long long *stamps)
{
    stamp(stamps, 0);
    fma_chains(out, loops);
    stamp(stamps, 1);
}

/* Chains through shared memory with integer arithmetic, as dagrun.cu's kernel of that kind. */
__global__ void shared(float *out, int loops, int words, unsigned long long *stamps)
{
    extern __shared__ unsigned sh[];
    stamp(stamps, 0);
    shared_chain(sh, out, loops, words);
    stamp(stamps, 1);
}

static float4 *from, *to;
static float *out;
static unsigned long long *stamps, *later_stamps;
static cudaStream_t first, second;

enum Form { COPY, COMPUTE, SHARED };
static const char *const form_names[] = {"copy", "compute", "shared"};

struct Case {
    Form form;
    int threads, blocks, fmas, loops, later, later_threads, later_loops;
};

static void sorted_ends(std::vector<std::vector<double>> &ends, const unsigned long long *host, int blocks,
                        unsigned long long start)
{
    std::vector<double> one;
    for (int i = 0; i < blocks; i++) one.push_back((double)(host[2 * i + 1] - start));
    std::sort(one.begin(), one.end());
    ends.resize((size_t)blocks);
    for (size_t i = 0; i < one.size(); i++) ends[i].push_back(one[i]);
}

static void run(const Case &c)
{
    std::vector<std::vector<double>> ends, later_ends;
    std::vector<double> later_start;
    unsigned long long host[2 * MOST_BLOCKS], later_host[2 * MOST_BLOCKS];
    for (int r = 0; r < REPEATS; r++) {
        static size_t at; /* what was touched a while ago has left L2 */
        size_t bytes = 16u * (size_t)c.loops * (size_t)(c.blocks * c.threads);
        if (at + bytes > BUFFER_BYTES) at = 0;
        if (c.form == COPY)
            walk<true><<<c.blocks, c.threads, 0, first>>>(from + at / 16, to + at / 16, c.loops, c.fmas, stamps);
        else if (c.form == SHARED)
            shared<<<c.blocks, c.threads, 4096, first>>>(out, c.loops, 1024, stamps);
        else
            walk<false><<<c.blocks, c.threads, 0, first>>>(from + at / 16, to + at / 16, c.loops, c.fmas, stamps);
        at += bytes;
        for (double begin = now_us(); now_us() - begin < 20;) continue;
        if (c.later) compute<<<c.later, c.later_threads, 0, second>>>(out, c.later_loops, later_stamps);
        CHECK(cudaStreamSynchronize(first));
        CHECK(cudaStreamSynchronize(second));
        CHECK(cudaMemcpyAsync(host, stamps, 16u * (unsigned)c.blocks, cudaMemcpyDeviceToHost, first));
        if (c.later)
            CHECK(cudaMemcpyAsync(later_host, later_stamps, 16u * (unsigned)c.later, cudaMemcpyDeviceToHost, first));
        CHECK(cudaStreamSynchronize(first));
        if (r < 2) continue;
        unsigned long long start = ~0ull;
        for (int i = 0; i < c.blocks; i++) start = std::min(start, host[2 * i]);
        sorted_ends(ends, host, c.blocks, start);
        if (!c.later) continue;
        unsigned long long begin = ~0ull;
        for (int i = 0; i < c.later; i++) begin = std::min(begin, later_host[2 * i]);
        later_start.push_back((double)(begin - start));
        sorted_ends(later_ends, later_host, c.later, start);
    }
    printf("form %s fmas %d loops %d blocks %d threads %d ends", form_names[c.form], c.fmas, c.loops, c.blocks,
           c.threads);
    for (std::vector<double> &v : ends) printf(" %.0f", quartiles(v).median);
    if (c.later) {
        printf(" later %d threads %d loops %d start %.0f ends", c.later, c.later_threads, c.later_loops,
               quartiles(later_start).median);
        for (std::vector<double> &v : later_ends) printf(" %.0f", quartiles(v).median);
    }
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    for (cudaStream_t *s : {&first, &second}) CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&from, BUFFER_BYTES));
    CHECK(cudaMalloc(&to, BUFFER_BYTES));
    CHECK(cudaMemset(from, 0, BUFFER_BYTES));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMalloc(&stamps, 16 * MOST_BLOCKS));
    CHECK(cudaMalloc(&later_stamps, 16 * MOST_BLOCKS));
    /* Loads the kernels, which would wait for those that hold. */
    walk<true><<<1, 32, 0, first>>>(from, to, 1, 0, stamps);
    walk<false><<<1, 32, 0, first>>>(from, to, 1, 0, stamps);
    compute<<<1, 32, 0, first>>>(out, 1, stamps);
    shared<<<1, 32, 4096, first>>>(out, 1, 1024, stamps);
    CHECK(cudaDeviceSynchronize());
    unsigned *held = hold_all_but_one(first);
    for (Form form : {COPY, COMPUTE})
        for (int fmas : {0, 8, 16, 24, 32, 44, 56})
            for (int threads : {64, 128, 256, 512, 1024})
                for (int blocks : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 24, 32})
                    if (blocks * threads <= 2048 && (form == COPY || (fmas == 32 && blocks <= 8)))
                        run({form, threads, blocks, fmas, 200, 0, 0, 0});
    for (int fmas : {0, 16, 32, 56})
        for (int threads : {128, 256})
            for (int blocks : {1, 2, 4, 8})
                for (int later : {1, 2, 3})
                    if (blocks * threads + later * 512 <= 2048)
                        run({COPY, threads, blocks, fmas, 200, later, 512, 20000});
    for (int threads : {64, 128, 256, 512, 1024})
        for (int blocks : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 24, 32})
            if (blocks * threads <= 2048) run({SHARED, threads, blocks, 0, 1000, 0, 0, 0});
    for (int threads : {128, 256})
        for (int blocks : {1, 2, 4})
            for (int later : {1, 2, 3}) run({SHARED, threads, blocks, 0, 1000, later, 512, 20000});
    let_go(held, first);
    return 0;
}
