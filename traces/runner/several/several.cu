/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What N GPUs of one host do at once: peer copies between all pairs and from one to all, host copies on all, NCCL's
 * collectives alone and beside a kernel of one or four waves. One line of JSON a case, times in us. Part of record.sh;
 * NCCL is looked for while it runs. Build and run: nvcc -O2 -arch=sm_90 -o several several.cu -lpthread && ./several
 * peer host && NCCL_MAX_CTAS=4 ./several alone
 */
#include <cstring>
#include <thread>

#include <dlfcn.h>
#include <pthread.h>

#include "../micro/micro.h"

#define MAX_GPUS 16
#define GIB       ((size_t)1 << 30)

static int gpus;

static void put(const char *kind, size_t bytes, const char *more, std::vector<double> us)
{
    std::sort(us.begin(), us.end());
    printf("{\"case\": \"%s\", \"gpus\": %d, \"bytes\": %zu%s, \"us\": %.3f, \"least\": %.3f, \"most\": %.3f, \"n\": "
           "%zu}\n",
           kind, gpus, bytes, more, us[us.size() / 2], us.front(), us.back(), us.size());
    fflush(stdout);
}

/* --- copies: from the host's first call to the end of all --- */

#define COPIES 10
static const size_t copy_bytes[] = {64 << 10, 1 << 20, 16 << 20, 256 << 20};

struct copy {
    int from, to; /* GPU; -1: the host */
};

static void run_copies(const char *name, const std::vector<struct copy> &list, char *const *memory, char *const *host)
{
    std::vector<cudaStream_t> streams(list.size());
    for (size_t i = 0; i < list.size(); i++) {
        CHECK(cudaSetDevice(list[i].from >= 0 ? list[i].from : list[i].to));
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    for (size_t bytes : copy_bytes) {
        std::vector<double> us;
        for (int run = 0; run < 9; run++) {
            double begin = now_us();
            for (int n = 0; n < COPIES; n++)
                for (size_t i = 0; i < list.size(); i++) {
                    const struct copy &c = list[i];
                    CHECK(cudaSetDevice(c.from >= 0 ? c.from : c.to));
                    if (c.from < 0)
                        CHECK(cudaMemcpyAsync(memory[c.to], host[c.to], bytes, cudaMemcpyHostToDevice, streams[i]));
                    else if (c.to < 0)
                        CHECK(cudaMemcpyAsync(host[c.from] + (256 << 20), memory[c.from] + (256 << 20), bytes,
                                              cudaMemcpyDeviceToHost, streams[i]));
                    else
                        CHECK(cudaMemcpyPeerAsync(memory[c.to] + (256 << 20), c.to, memory[c.from], c.from, bytes,
                                                  streams[i]));
                }
            for (int d = 0; d < gpus; d++) {
                CHECK(cudaSetDevice(d));
                CHECK(cudaDeviceSynchronize());
            }
            if (run > 1) us.push_back(now_us() - begin);
        }
        put(name, bytes, "", us);
    }
    for (cudaStream_t s : streams) CHECK(cudaStreamDestroy(s));
}

static void copies(bool peers)
{
    char *memory[MAX_GPUS], *host[MAX_GPUS] = {};
    std::vector<struct copy> pairs, fan, up, down, both;
    for (int d = 0; d < gpus; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc((void **)&memory[d], (size_t)512 << 20));
        if (!peers) CHECK(cudaHostAlloc((void **)&host[d], (size_t)512 << 20, cudaHostAllocDefault));
        for (int other = 0; other < gpus; other++) {
            if (other == d) continue;
            pairs.push_back({d, other});
            if (!d) fan.push_back({d, other});
            if (peers && cudaDeviceEnablePeerAccess(other, 0) != cudaSuccess)
                fprintf(stderr, "no peer access from %d to %d\n", d, other);
        }
        up.push_back({-1, d});
        down.push_back({d, -1});
    }
    both = up;
    both.insert(both.end(), down.begin(), down.end());
    if (peers && gpus > 1) {
        run_copies("peer_all_pairs", pairs, memory, host);
        run_copies("peer_one_to_all", fan, memory, host);
    }
    if (!peers) {
        run_copies("host_to_all", up, memory, host);
        run_copies("all_to_host", down, memory, host);
        run_copies("host_both_ways", both, memory, host);
    }
    for (int d = 0; d < gpus; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaFree(memory[d]));
        CHECK(cudaFreeHost(host[d]));
    }
}

/* --- NCCL --- */

struct id {
    char bytes[128];
};
typedef void *comm;
static struct {
    int (*id)(struct id *), (*init)(comm *, int, struct id, int), (*version)(int *), (*start)(), (*end)();
    int (*all_reduce)(const void *, void *, size_t, int, int, comm, cudaStream_t);
    int (*all_gather)(const void *, void *, size_t, int, comm, cudaStream_t);
    int (*reduce_scatter)(const void *, void *, size_t, int, int, comm, cudaStream_t);
    int (*send)(const void *, size_t, int, int, comm, cudaStream_t);
    int (*recv)(void *, size_t, int, int, comm, cudaStream_t);
} nccl;

static bool load_nccl()
{
    const char *path = getenv("NCCL_LIBRARY");
    void *library = dlopen(path && *path ? path : "libnccl.so.2", RTLD_NOW);
    const char *const names[] = {"ncclGetUniqueId", "ncclCommInitRank", "ncclGetVersion", "ncclGroupStart",
                                 "ncclGroupEnd",    "ncclAllReduce",    "ncclAllGather",  "ncclReduceScatter",
                                 "ncclSend",        "ncclRecv"};
    void **slots = (void **)&nccl;
    for (int i = 0; library && i < 10; i++)
        if (!(slots[i] = dlsym(library, names[i]))) return false;
    return library != NULL;
}

static void nccl_checked(int result, const char *what)
{
    if (!result) return;
    fprintf(stderr, "NCCL: %s failed with %d\n", what, result);
    exit(1);
}

enum { FLOAT32 = 7, SUM = 0 };
static const char *const kinds[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv"};

struct rank {
    int number;
    comm c;
    cudaStream_t stream, beside;
    char *in, *out;
    cudaEvent_t events[4];
};

static struct id unique;
static pthread_barrier_t meet;
static double times[2][MAX_GPUS];

/* BYTES as NCCL counts them in gpusim's op: of the whole for all_gather and reduce_scatter. */
static void collective(const struct rank *r, int kind, size_t bytes)
{
    size_t count = bytes / 4, part = count / (size_t)gpus;
    if (kind == 0) nccl_checked(nccl.all_reduce(r->in, r->out, count, FLOAT32, SUM, r->c, r->stream), "all_reduce");
    if (kind == 1) nccl_checked(nccl.all_gather(r->in, r->out, part, FLOAT32, r->c, r->stream), "all_gather");
    if (kind == 2)
        nccl_checked(nccl.reduce_scatter(r->in, r->out, part, FLOAT32, SUM, r->c, r->stream), "reduce_scatter");
    if (kind < 3) return;
    nccl_checked(nccl.start(), "group");
    for (int p = 0; kind == 3 && p < gpus; p++) {
        nccl_checked(nccl.send(r->in + 4 * part * (size_t)p, part, FLOAT32, p, r->c, r->stream), "send");
        nccl_checked(nccl.recv(r->out + 4 * part * (size_t)p, part, FLOAT32, p, r->c, r->stream), "recv");
    }
    if (kind == 4 && r->number == 0) nccl_checked(nccl.send(r->in, count, FLOAT32, 1, r->c, r->stream), "send");
    if (kind == 4 && r->number == 1) nccl_checked(nccl.recv(r->out, count, FLOAT32, 0, r->c, r->stream), "recv");
    nccl_checked(nccl.end(), "group");
}

/* Of all ranks the shortest: the others waited for the last one to start. */
static double shortest(const double *list, int count) { return *std::min_element(list, list + count); }

/* COUNT of them in one CUDA graph, so that no host is waited for. */
static void alone(struct rank *r, int kind, size_t bytes, std::vector<double> *us)
{
    int count = bytes <= 16 << 20 ? 10 : bytes <= 64 << 20 ? 4 : 2, taking = kind == 4 ? 2 : gpus;
    bool takes_part = r->number < taking;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    if (takes_part) collective(r, kind, bytes);
    CHECK(cudaStreamSynchronize(r->stream));
    pthread_barrier_wait(&meet);
    CHECK(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < count && takes_part; i++) collective(r, kind, bytes);
    CHECK(cudaStreamEndCapture(r->stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int run = 0; run < 9; run++) {
        pthread_barrier_wait(&meet);
        CHECK(cudaEventRecord(r->events[0], r->stream));
        CHECK(cudaGraphLaunch(exec, r->stream));
        CHECK(cudaEventRecord(r->events[1], r->stream));
        CHECK(cudaStreamSynchronize(r->stream));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, r->events[0], r->events[1]));
        times[0][r->number] = ms * 1e3 / count;
        pthread_barrier_wait(&meet);
        if (!r->number && run > 1) us->push_back(shortest(times[0], taking));
        pthread_barrier_wait(&meet);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

#define WAVE_NS 500000
#define GEMM_SMEM 200000

/* In place of a GEMM: a block has its SM to itself, for 500 us. */
static __global__ void __launch_bounds__(384) gemm()
{
    extern __shared__ char room[];
    const unsigned long long first = now_ns();
    while (now_ns() - first < WAVE_NS) continue;
    if (first == 0) room[0] = 1;
}

static void beside(struct rank *r, size_t bytes, int waves, bool gemm_first, std::vector<double> *gemm_us,
                   std::vector<double> *collective_us)
{
    int sms;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, r->number));
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, GEMM_SMEM));
    for (int run = 0; run < 9; run++) {
        pthread_barrier_wait(&meet);
        for (int part = 0; part < 2; part++) {
            if ((part == 0) == gemm_first) {
                CHECK(cudaEventRecord(r->events[0], r->beside));
                gemm<<<(unsigned)(sms * waves), 384, GEMM_SMEM, r->beside>>>();
                CHECK(cudaEventRecord(r->events[1], r->beside));
            } else {
                CHECK(cudaEventRecord(r->events[2], r->stream));
                collective(r, 0, bytes);
                CHECK(cudaEventRecord(r->events[3], r->stream));
            }
        }
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 2; i++) {
            float ms;
            CHECK(cudaEventElapsedTime(&ms, r->events[2 * i], r->events[2 * i + 1]));
            times[i][r->number] = ms * 1e3;
        }
        pthread_barrier_wait(&meet);
        if (!r->number && run > 1) {
            gemm_us->push_back(shortest(times[0], gpus));
            collective_us->push_back(shortest(times[1], gpus));
        }
        pthread_barrier_wait(&meet);
    }
}

static void be_rank(int number, bool is_beside)
{
    struct rank r = {number, NULL, NULL, NULL, NULL, NULL, {}};
    const char *ctas = getenv("NCCL_MAX_CTAS");
    char more[160];
    CHECK(cudaSetDevice(number));
    nccl_checked(nccl.init(&r.c, gpus, unique, number), "init");
    CHECK(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&r.beside, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&r.in, GIB));
    CHECK(cudaMalloc((void **)&r.out, GIB));
    CHECK(cudaMemset(r.in, 0, GIB));
    for (cudaEvent_t &event : r.events) CHECK(cudaEventCreate(&event));
    for (int kind = 0; kind < 5 && !is_beside; kind++)
        for (size_t bytes = 1 << 10; bytes <= GIB; bytes *= bytes < 1 << 18 ? 16 : 4) {
            std::vector<double> us;
            alone(&r, kind, bytes, &us);
            snprintf(more, sizeof more, ", \"channels\": %s", ctas ? ctas : "0");
            if (!number) put(kinds[kind], bytes, more, us);
        }
    for (int waves = 1; waves <= 4 && is_beside; waves += 3)
        for (size_t bytes = 1 << 24; bytes <= 1 << 28; bytes *= 4)
            for (int order = 0; order < 2; order++) {
                std::vector<double> gemm_us, collective_us;
                beside(&r, bytes, waves, order, &gemm_us, &collective_us);
                snprintf(more, sizeof more, ", \"waves\": %d, \"gemm_first\": %s", waves, order ? "true" : "false");
                if (number) continue;
                put("gemm_beside", bytes, more, gemm_us);
                put("all_reduce_beside", bytes, more, collective_us);
            }
}

static int ranks(bool is_beside)
{
    std::vector<std::thread> threads;
    int version = 0;
    if (gpus < 2) return 0;
    if (!load_nccl()) {
        printf("{\"missing\": \"NCCL\", \"gpus\": %d}\n", gpus);
        return 0;
    }
    nccl.version(&version);
    printf("{\"nccl\": %d, \"gpus\": %d}\n", version, gpus);
    nccl_checked(nccl.id(&unique), "id");
    pthread_barrier_init(&meet, NULL, (unsigned)gpus);
    for (int d = 0; d < gpus; d++) threads.emplace_back(be_rank, d, is_beside);
    for (std::thread &t : threads) t.join();
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(cudaGetDeviceCount(&gpus));
    if (getenv("GPUS") && atoi(getenv("GPUS")) < gpus) gpus = atoi(getenv("GPUS"));
    if (gpus > MAX_GPUS) gpus = MAX_GPUS;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "peer")) copies(true);
        if (!strcmp(argv[i], "host")) copies(false);
        if (!strcmp(argv[i], "alone")) ranks(false);
        if (!strcmp(argv[i], "beside")) ranks(true);
    }
    return 0;
}
