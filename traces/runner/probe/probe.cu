// SPDX-License-Identifier: GPL-3.0-or-later
// gpusim-runner probe: measures what a device file needs and writes it as JSON (schema gpusim-probe/1, described in
// traces/runner/PROBE.md). The measurements themselves are in probe_*.cu. Plain cudaMalloc and pinned host memory;
// managed memory only with --managed, at most 256 MiB of it and never more than a quarter of what is free.
#include "traces/runner/probe/probe.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <thread>
#include <unistd.h>

namespace gsim_probe {

Series &Probe::add(const char *name, const char *x, const char *unit, const char *what)
{
    fprintf(stderr, "gpusim-runner probe: %s\n", name);
    series.push_back(Series{name, x, unit, what, {}});
    return series.back();
}

void fail(cudaError_t error, const char *call, const char *file, int line)
{
    const char *slash = strrchr(file, '/');
    fprintf(stderr, "gpusim-runner: probe: %s (%s:%d: %s)\n", cudaGetErrorString(error), slash ? slash + 1 : file, line,
            call);
    exit(1);
}

static double quantile(const std::vector<double> &sorted, double q)
{
    double at = q * (double)(sorted.size() - 1);
    size_t below = (size_t)at, above = below + 1 < sorted.size() ? below + 1 : below;
    return sorted[below] + (sorted[above] - sorted[below]) * (at - (double)below);
}

Point summarize(double x, std::vector<double> &values)
{
    std::sort(values.begin(), values.end());
    if (values.empty()) return Point{x, NAN, NAN, NAN, 0};
    return Point{x, quantile(values, 0.5), quantile(values, 0.05), quantile(values, 0.95), values.size()};
}

// --- kernels and helpers of all parts -------------------------------------------------------------------------------
__global__ void empty_kernel() {}

__global__ void spin_kernel(Stamp *stamps, long long cycles)
{
    unsigned long long start = device_ns();
    long long from = clock64();
    while (clock64() - from < cycles) {}
    if (threadIdx.x == 0 && stamps) {
        Stamp stamp = {start, device_ns(), sm_index(), 0};
        stamps[blockIdx.x] = stamp;
    }
}

__global__ void gate_kernel(volatile int *flag, long long most_cycles)
{
    long long from = clock64();
    while (!*flag && clock64() - from < most_cycles) {}
}

// One thread answers the host's numbers with the GPU's clock.
__global__ void answer_kernel(volatile unsigned *question, volatile unsigned long long *answers, unsigned count,
                              long long most_cycles)
{
    long long from = clock64();
    for (unsigned i = 0; i < count; i++) {
        while (*question != i + 1 && clock64() - from < most_cycles) {}
        answers[i] = device_ns();
        __threadfence_system();
    }
}

long long cycles_of(const Probe &probe, double us)
{
    return (long long)(us * probe.clock_khz * 1e-3);
}

Gate::Gate(const Probe &probe) : most_cycles(cycles_of(probe, 5e6))
{
    PROBE_CHECK(cudaHostAlloc((void **)&host, sizeof(int), cudaHostAllocMapped));
    PROBE_CHECK(cudaHostGetDevicePointer((void **)&device, (void *)host, 0));
}

Gate::~Gate()
{
    cudaFreeHost((void *)host);
}

void Gate::close(cudaStream_t stream)
{
    *host = 0;
    gate_kernel<<<1, 1, 0, stream>>>(device, most_cycles);
    PROBE_CHECK(cudaGetLastError());
}

Stamps::Stamps(size_t room)
{
    PROBE_CHECK(cudaMalloc((void **)&device, room * sizeof(Stamp)));
    PROBE_CHECK(cudaMemset(device, 0, room * sizeof(Stamp)));
}

Stamps::~Stamps()
{
    cudaFree(device);
}

std::vector<Stamp> Stamps::read(size_t count) const
{
    std::vector<Stamp> stamps(count);
    PROBE_CHECK(cudaMemcpy(stamps.data(), device, count * sizeof(Stamp), cudaMemcpyDeviceToHost));
    return stamps;
}

ClockOffset clock_offset(const Probe &probe)
{
    const unsigned rounds = 32;
    unsigned *question;
    unsigned long long *answers;
    unsigned *device_question;
    unsigned long long *device_answers;
    ClockOffset best = {0, 1e9};
    PROBE_CHECK(cudaHostAlloc((void **)&question, sizeof *question, cudaHostAllocMapped));
    PROBE_CHECK(cudaHostAlloc((void **)&answers, rounds * sizeof *answers, cudaHostAllocMapped));
    PROBE_CHECK(cudaHostGetDevicePointer((void **)&device_question, question, 0));
    PROBE_CHECK(cudaHostGetDevicePointer((void **)&device_answers, answers, 0));
    *question = 0;
    memset(answers, 0, rounds * sizeof *answers);
    answer_kernel<<<1, 1>>>(device_question, device_answers, rounds, cycles_of(probe, 1e6));
    PROBE_CHECK(cudaGetLastError());
    for (unsigned i = 0; i < rounds; i++) {
        double before = now_us();
        *(volatile unsigned *)question = i + 1;
        while (!((volatile unsigned long long *)answers)[i] && now_us() - before < 1e6) {}
        double after = now_us();
        // The first round waits for the kernel to start.
        if (i && (after - before) / 2 < best.uncertainty_us)
            best = ClockOffset{(double)answers[i] * 1e-3 - (before + after) / 2, (after - before) / 2};
    }
    PROBE_CHECK(cudaDeviceSynchronize());
    cudaFreeHost(question);
    cudaFreeHost(answers);
    return best;
}

// --- the file --------------------------------------------------------------------------------------------------------
static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text >= 0x20)
            fputc(*text, file);
    fputc('"', file);
}

// The driver's own version, where the kernel module tells it; else the CUDA version that it supports.
static std::string driver_version()
{
    char line[256] = "", version[32] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file) {
        for (char *at; fgets(line, sizeof line, file) && !version[0];)
            for (at = line; *at && !version[0]; at++)
                if (*at == ' ' && at[1] >= '0' && at[1] <= '9' && strchr(at + 1, '.'))
                    sscanf(at + 1, "%31[0-9.]", version);
        fclose(file);
    }
    if (version[0]) return version;
    int number = 0;
    cudaDriverGetVersion(&number);
    snprintf(version, sizeof version, "CUDA %d.%d", number / 1000, number % 1000 / 10);
    return version;
}

static void put_attributes(FILE *file, const Probe &probe)
{
    const cudaDeviceProp &d = probe.device;
    int reserved = 0;
    cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, probe.device_index);
    fprintf(
        file,
        " \"attributes\": {\"sm_count\": %d, \"clock_mhz\": %.6g, \"memory_clock_mhz\": %.6g, \"memory_bytes\": %zu, "
        "\"l2_bytes\": %d, \"copy_engines\": %d, \"priority_levels\": %d,\n",
        d.multiProcessorCount, probe.clock_khz * 1e-3, probe.memory_clock_khz * 1e-3, d.totalGlobalMem, d.l2CacheSize,
        d.asyncEngineCount, probe.priority_least - probe.priority_greatest + 1);
    fprintf(file,
            "  \"threads_per_sm\": %d, \"blocks_per_sm\": %d, \"registers_per_sm\": %d, \"smem_per_sm_bytes\": %zu, "
            "\"smem_per_block_bytes\": %zu, \"smem_reserved_bytes\": %d,\n",
            d.maxThreadsPerMultiProcessor, d.maxBlocksPerMultiProcessor, d.regsPerMultiprocessor,
            d.sharedMemPerMultiprocessor, d.sharedMemPerBlockOptin, reserved);
    fprintf(file, "  \"memory_bus_bits\": %d, \"cores\": %u},\n", d.memoryBusWidth,
            std::thread::hardware_concurrency());
}

static void put_series(FILE *file, const Series &s, bool is_last)
{
    fprintf(file, "  {\"name\": \"%s\", \"x\": \"%s\", \"unit\": \"%s\", \"what\": ", s.name.c_str(), s.x.c_str(),
            s.unit.c_str());
    put_text(file, s.what.c_str());
    fprintf(file, ",\n   \"points\": [");
    bool is_first = true;
    for (const Point &p : s.points) {
        if (!std::isfinite(p.median)) continue;
        fprintf(file, "%s[%.10g, %.10g, %.10g, %.10g, %zu]", is_first ? "" : ", ", p.x, p.median, p.low, p.high,
                p.count);
        is_first = false;
    }
    fprintf(file, "]}%s\n", is_last ? "" : ",");
}

static bool write_file(const Probe &probe, const char *path)
{
    std::string temporary = std::string(path) + ".part";
    bool is_stdout = strcmp(path, "-") == 0;
    FILE *file = is_stdout ? stdout : fopen(temporary.c_str(), "w");
    char date[16];
    time_t seconds = time(NULL);
    int runtime = 0;
    if (!file) {
        fprintf(stderr, "gpusim-runner: probe: cannot write '%s': %s\n", path, strerror(errno));
        return false;
    }
    cudaRuntimeGetVersion(&runtime);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&seconds));
    fprintf(file, "{\"schema\": \"gpusim-probe/1\", \"gpu\": ");
    put_text(file, probe.device.name);
    fprintf(file, ", \"compute_capability\": %d, \"driver\": \"%s\", \"cuda\": \"%d.%d\", \"date\": \"%s\",\n",
            probe.device.major * 10 + probe.device.minor, driver_version().c_str(), runtime / 1000, runtime % 1000 / 10,
            date);
    put_attributes(file, probe);
    fprintf(file, " \"series\": [\n");
    for (size_t i = 0; i < probe.series.size(); i++) put_series(file, probe.series[i], i + 1 == probe.series.size());
    fprintf(file, " ]}\n");
    bool failed = ferror(file) != 0;
    if (is_stdout) return fflush(file) == 0 && !failed;
    failed = fclose(file) != 0 || failed;
    if (!failed && rename(temporary.c_str(), path) == 0) return true;
    fprintf(stderr, "gpusim-runner: probe: cannot write '%s': %s\n", path, strerror(errno));
    remove(temporary.c_str());
    return false;
}

// --- the command -----------------------------------------------------------------------------------------------------
static void open_device(Probe &probe)
{
    PROBE_CHECK(cudaSetDevice(probe.device_index));
    PROBE_CHECK(cudaGetDeviceProperties(&probe.device, probe.device_index));
    PROBE_CHECK(cudaDeviceGetAttribute(&probe.clock_khz, cudaDevAttrClockRate, probe.device_index));
    PROBE_CHECK(cudaDeviceGetAttribute(&probe.memory_clock_khz, cudaDevAttrMemoryClockRate, probe.device_index));
    PROBE_CHECK(cudaDeviceGetStreamPriorityRange(&probe.priority_least, &probe.priority_greatest));
    // The first launches load code and raise the clocks.
    double from = now_us();
    while (now_us() - from < 3e5) {
        spin_kernel<<<probe.device.multiProcessorCount, 64>>>(NULL, cycles_of(probe, 1000));
        PROBE_CHECK(cudaDeviceSynchronize());
    }
}

static int usage(const char *problem, const char *word)
{
    if (problem) {
        fprintf(stderr, "gpusim-runner: probe: %s '%s' (see gpusim-runner probe --help)\n", problem, word);
        return 2;
    }
    printf("Usage: gpusim-runner probe -o FILE [--gpu N] [--quick] [--managed] [--resident]\n\n"
           "Measures what a device file needs (a minute or so; keep the GPU and the host idle) and writes it as JSON.\n"
           "gpusim calibrate makes a device file of it. Numbers of resident kernels are printed as lines of one.\n\n"
           "Options:\n"
           "  -o, --output FILE  the probe file; - is standard output\n"
           "  --gpu N            which GPU (default 0)\n"
           "  --quick            a fifth of the repetitions\n"
           "  --resident         only what tasks of resident kernels cost: ten seconds\n"
           "  --managed          measure managed memory too: prefetches and faults of at most 256 MiB, refused where "
           "that\n"
           "                     is more than a quarter of the free memory\n\n"
           "Example:\n"
           "  gpusim-runner probe -o probe.json\n"
           "  gpusim calibrate probe.json --base h200 --name my-gpu -o my-gpu.json\n");
    return 0;
}

} // namespace gsim_probe

// The words after "probe". Exit status: 0 done, 1 CUDA or output failed, 2 bad usage.
extern "C" int gsim_probe_main(int argc, char **argv)
{
    using namespace gsim_probe;
    Probe probe = {};
    const char *path = NULL;
    for (int i = 0; i < argc; i++) {
        std::string word = argv[i];
        bool has_value = i + 1 < argc;
        if (word == "--help" || word == "-h") return usage(NULL, NULL);
        if (word == "--quick")
            probe.quick = true;
        else if (word == "--resident")
            probe.resident_only = true;
        else if (word == "--managed")
            probe.managed = true;
        else if ((word == "-o" || word == "--output") && has_value)
            path = argv[++i];
        else if (word == "--gpu" && has_value && argv[i + 1][0] >= '0' && argv[i + 1][0] <= '9')
            probe.device_index = atoi(argv[++i]);
        else
            return usage("unexpected word", argv[i]);
    }
    if (!path) return usage("expected -o FILE, found", "nothing");
    open_device(probe);
    if (!probe.resident_only) {
        probe_host(probe);
        probe_gaps(probe);
        probe_queues(probe);
        probe_graphs(probe);
        probe_copies(probe);
        probe_chip(probe);
    }
    probe_resident(probe);
    if (strcmp(path, "-") != 0) print_resident(probe);
    return write_file(probe, path) ? 0 : 1;
}
