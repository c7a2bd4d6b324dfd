// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA graphs: what building, capturing, instantiating and launching them costs against their nodes, and the latencies
// between their nodes on the device.
#include "traces/runner/probe/probe.h"

namespace gsim_probe {

static const double KERNEL_US = 6;

// A graph of kernels under construction; the k-th stamps itself as the k-th.
class Graph {
public:
    Graph() { PROBE_CHECK(cudaGraphCreate(&graph, 0)); }
    ~Graph()
    {
        if (exec) cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
    }
    void add(Stamp *stamp, long long cycles, const std::vector<size_t> &after)
    {
        void *arguments[] = {&stamp, &cycles};
        cudaKernelNodeParams params = {};
        params.func = (void *)spin_kernel;
        params.gridDim = dim3(1);
        params.blockDim = dim3(32);
        params.kernelParams = arguments;
        cudaGraphNode_t dependences[4], node;
        for (size_t i = 0; i < after.size(); i++) dependences[i] = nodes[after[i]];
        PROBE_CHECK(cudaGraphAddKernelNode(&node, graph, dependences, after.size(), &params));
        nodes.push_back(node);
    }
    void instantiate() { PROBE_CHECK(cudaGraphInstantiate(&exec, graph, 0)); }
    void launch(cudaStream_t stream) { PROBE_CHECK(cudaGraphLaunch(exec, stream)); }

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    std::vector<cudaGraphNode_t> nodes;
};

static void add_chain(Graph &graph, size_t nodes, bool edges, Stamp *stamps, long long cycles)
{
    for (size_t i = 0; i < nodes; i++) {
        if (edges && i)
            graph.add(stamps ? stamps + i : nullptr, cycles, {i - 1});
        else
            graph.add(stamps ? stamps + i : nullptr, cycles, {});
    }
}

static double capture_us(cudaStream_t stream, size_t nodes)
{
    cudaGraph_t graph;
    double from = now_us();
    PROBE_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (size_t i = 0; i < nodes; i++) spin_kernel<<<1, 32, 0, stream>>>(nullptr, 0);
    PROBE_CHECK(cudaStreamEndCapture(stream, &graph));
    double us = now_us() - from;
    PROBE_CHECK(cudaGraphDestroy(graph));
    return us;
}

// Host times of building and launching, and the whole of a launch, against the number of nodes.
static void against_nodes(Probe &probe, cudaStream_t stream)
{
    static const size_t sizes[] = {2, 5, 10, 20, 50, 100, 200, 500};
    enum { FREE, CHAIN, CAPTURE, INSTANTIATE, LAUNCH, TOTAL, KINDS };
    static const char *const names[KINDS][2] = {
        {"graph_add", "host time of cudaGraphAddKernelNode for all nodes, no dependences"},
        {"graph_add_chain", "the same, each node but the first with one dependence"},
        {"graph_capture", "host time of capturing that many launches on one stream"},
        {"graph_instantiate", "host time of cudaGraphInstantiate of the chain"},
        {"graph_launch", "host time of cudaGraphLaunch of the chain, not the first"},
        {"graph_chain", "launch of the chain of empty kernels and stream synchronise"},
    };
    std::vector<Series> series;
    for (auto &name : names) series.push_back(Series{name[0], "nodes", "us", name[1], {}});
    fprintf(stderr, "gpusim-runner probe: graphs against nodes\n");
    for (size_t nodes : sizes) {
        std::vector<double> times[KINDS];
        for (int r = 0; r < probe.repetitions(nodes > 100 ? 15 : 30); r++) {
            Graph loose, chain;
            double t0 = now_us();
            add_chain(loose, nodes, false, nullptr, 0);
            double t1 = now_us();
            add_chain(chain, nodes, true, nullptr, 0);
            double t2 = now_us();
            chain.instantiate();
            double t3 = now_us();
            double captured = capture_us(stream, nodes);
            chain.launch(stream); // the first launch uploads
            PROBE_CHECK(cudaStreamSynchronize(stream));
            if (r < 2) continue;
            times[FREE].push_back(t1 - t0);
            times[CHAIN].push_back(t2 - t1);
            times[INSTANTIATE].push_back(t3 - t2);
            times[CAPTURE].push_back(captured);
            for (int i = 0; i < 5; i++) {
                double from = now_us();
                chain.launch(stream);
                double called = now_us();
                PROBE_CHECK(cudaStreamSynchronize(stream));
                times[TOTAL].push_back(now_us() - from);
                times[LAUNCH].push_back(called - from);
            }
        }
        for (int k = 0; k < KINDS; k++) series[(size_t)k].points.push_back(summarize((double)nodes, times[k]));
    }
    for (Series &s : series) probe.series.push_back(s);
}

static Point gap_of(const Probe &probe, cudaStream_t stream, bool cross)
{
    const size_t length = 24;
    Stamps stamps(2 * length);
    Graph graph;
    std::vector<double> gaps;
    long long cycles = cycles_of(probe, KERNEL_US);
    if (!cross) {
        add_chain(graph, length, true, stamps.device, cycles);
    } else {
        // Two chains, whose nodes cross over: the i-th of one follows the one before it in the other, which ends later.
        for (size_t i = 0; i < length; i++) {
            for (size_t side = 0; side < 2; side++) {
                bool is_long = (i + side) % 2 == 0;
                if (i)
                    graph.add(stamps.device + 2 * i + side, is_long ? 2 * cycles : cycles,
                              {2 * i - 2 + side, 2 * i - 1 - side});
                else
                    graph.add(stamps.device + 2 * i + side, is_long ? 2 * cycles : cycles, {});
            }
        }
    }
    graph.instantiate();
    for (int r = 0; r < probe.repetitions(100); r++) {
        graph.launch(stream);
        PROBE_CHECK(cudaStreamSynchronize(stream));
        std::vector<Stamp> s = stamps.read(2 * length);
        double sum = 0;
        size_t count = 0;
        for (size_t i = 1; i < length; i++) {
            // cross: the node whose longer predecessor is on the other side.
            size_t side = cross ? ((i - 1) % 2 == 0 ? 1 : 0) : 0;
            const Stamp &next = cross ? s[2 * i + side] : s[i], &before = cross ? s[2 * i - 1 - side] : s[i - 1];
            sum += (double)(long long)(next.start - before.end) * 1e-3;
            count++;
        }
        if (r > 2) gaps.push_back(sum / (double)count);
    }
    return summarize(0, gaps);
}

// Independent nodes: each is a branch of its own.
static void branches(Probe &probe, cudaStream_t stream)
{
    static const size_t counts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
    Series total = {"graph_branches",
                    "branches",
                    "us",
                    "launch of a graph of independent kernels of 40 us and stream synchronise, less 40 us",
                    {}};
    Series spread = {"graph_spread", "branches", "us", "first to last start of these kernels", {}};
    fprintf(stderr, "gpusim-runner probe: graph branches\n");
    for (size_t count : counts) {
        Stamps stamps(count);
        Graph graph;
        std::vector<double> totals, spreads;
        add_chain(graph, count, false, stamps.device, cycles_of(probe, 40));
        graph.instantiate();
        for (int r = 0; r < probe.repetitions(100); r++) {
            double from = now_us();
            graph.launch(stream);
            PROBE_CHECK(cudaStreamSynchronize(stream));
            double us = now_us() - from;
            std::vector<Stamp> s = stamps.read(count);
            unsigned long long first = s[0].start, last = s[0].start;
            for (const Stamp &stamp : s) {
                first = std::min(first, stamp.start);
                last = std::max(last, stamp.start);
            }
            if (r < 3) continue;
            totals.push_back(us - (double)(s[0].end - s[0].start) * 1e-3);
            spreads.push_back((double)(last - first) * 1e-3);
        }
        total.points.push_back(summarize((double)count, totals));
        spread.points.push_back(summarize((double)count, spreads));
    }
    probe.series.push_back(total);
    probe.series.push_back(spread);
}

static Point start_of(const Probe &probe, cudaStream_t stream)
{
    Stamps stamps(1);
    Graph graph;
    std::vector<double> starts;
    add_chain(graph, 1, false, stamps.device, 0);
    graph.instantiate();
    graph.launch(stream);
    PROBE_CHECK(cudaStreamSynchronize(stream));
    for (int batch = 0; batch < probe.repetitions(30); batch++) {
        ClockOffset offset = clock_offset(probe);
        for (int r = 0; r < 8; r++) {
            graph.launch(stream);
            double called = now_us();
            PROBE_CHECK(cudaStreamSynchronize(stream));
            if (r > 1) starts.push_back((double)stamps.read(1)[0].start * 1e-3 - offset.us - called);
        }
    }
    return summarize(0, starts);
}

void probe_graphs(Probe &probe)
{
    cudaStream_t stream;
    PROBE_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    against_nodes(probe, stream);
    probe.add("graph_start", "", "us", "return of the graph launch call to the start of its only node, clocks compared")
        .points.push_back(start_of(probe, stream));
    probe.add("graph_node_gap", "", "us", "end of a node to the start of the next in a chain")
        .points.push_back(gap_of(probe, stream, false));
    probe.add("graph_cross_gap", "", "us", "the same where the later of two predecessors is on another branch")
        .points.push_back(gap_of(probe, stream, true));
    branches(probe, stream);
    PROBE_CHECK(cudaStreamDestroy(stream));
}

} // namespace gsim_probe
