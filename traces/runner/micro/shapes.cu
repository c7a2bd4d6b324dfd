// SPDX-License-Identifier: GPL-3.0-or-later
/* shapes: graphs of kernels of 0 to 40 us in the shapes of launch-bound programs: chains, forks, joins of one root's
 * descendants and of several roots', built node by node and captured from streams. Rule probed: what forks and joins
 * cost, and whether kernels hide it. (An earlier version had kernels of different code and with buffers of their own:
 * neither made a difference.) Prints a line per case: launch to return of the synchronise, us, of 50. Build: nvcc -O2
 * -arch=native -o shapes shapes.cu. Usage: shapes > shapes.txt */
#include "micro.h"

enum { BLOCKS = 4, THREADS = 32, REPEATS = 50, WARM_UP = 10, CYCLES_PER_US = 1980 };

struct Shape {
    const char *name;
    std::vector<std::vector<int>> after; // of each node, the earlier ones it waits for
};

static cudaStream_t stream;

static cudaGraph_t built(const Shape &shape, long long cycles)
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    std::vector<cudaGraphNode_t> nodes(shape.after.size());
    for (size_t i = 0; i < nodes.size(); i++) {
        std::vector<cudaGraphNode_t> after;
        for (int j : shape.after[i]) after.push_back(nodes[j]);
        void *arguments[] = {&cycles};
        cudaKernelNodeParams k = {};
        k.func = (void *)spin_cycles;
        k.gridDim = dim3(BLOCKS);
        k.blockDim = dim3(THREADS);
        k.kernelParams = arguments;
        CHECK(cudaGraphAddKernelNode(&nodes[i], graph, after.data(), after.size(), &k));
    }
    return graph;
}

static cudaEvent_t recorded(cudaStream_t on)
{
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, on));
    return event;
}

// A node continues the stream of the first predecessor that none continues yet.
static cudaGraph_t captured(const Shape &shape, long long cycles)
{
    size_t count = shape.after.size();
    std::vector<size_t> on(count);
    std::vector<bool> is_continued(count);
    std::vector<cudaStream_t> streams;
    std::vector<cudaEvent_t> events(count);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cudaEvent_t fork = recorded(stream);
    for (size_t i = 0; i < count; i++) {
        const std::vector<int> &after = shape.after[i];
        auto first = std::find_if(after.begin(), after.end(), [&](int j) { return !is_continued[j]; });
        on[i] = first == after.end() ? streams.size() : on[*first];
        if (first == after.end()) {
            streams.emplace_back();
            CHECK(cudaStreamCreateWithFlags(&streams.back(), cudaStreamNonBlocking));
            CHECK(cudaStreamWaitEvent(streams.back(), fork, 0));
        } else {
            is_continued[*first] = true;
        }
        for (int j : after)
            if (on[j] != on[i]) CHECK(cudaStreamWaitEvent(streams[on[i]], events[j], 0));
        spin_cycles<<<BLOCKS, THREADS, 0, streams[on[i]]>>>(cycles);
        events[i] = recorded(streams[on[i]]);
    }
    for (cudaStream_t s : streams) CHECK(cudaStreamWaitEvent(stream, recorded(s), 0));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    for (cudaStream_t s : streams) CHECK(cudaStreamDestroy(s));
    return graph;
}

static void run(const Shape &shape, double us, bool is_captured, int rep)
{
    long long cycles = (long long)(us * CYCLES_PER_US);
    cudaGraph_t graph = is_captured ? captured(shape, cycles) : built(shape, cycles);
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    std::vector<double> times;
    for (int i = 0; i < WARM_UP + REPEATS; i++) {
        CHECK(cudaStreamSynchronize(stream));
        double begin = now_us();
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        if (i >= WARM_UP) times.push_back(now_us() - begin);
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    std::sort(times.begin(), times.end());
    printf("%s %s blocks %d us %.1f rep %d median %.2f least %.2f\n", is_captured ? "captured" : "explicit", shape.name,
           BLOCKS, us, rep, times[REPEATS / 2], times[0]);
}

int main()
{
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const std::vector<Shape> shapes = {
        {"chain1", {{}}},
        {"chain2", {{}, {0}}},
        {"chain4", {{}, {0}, {1}, {2}}},
        {"chain6", {{}, {0}, {1}, {2}, {3}, {4}}},
        {"chain12", {{}, {0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}}},
        {"roots3", {{}, {}, {}}},
        {"roots3_join", {{}, {}, {}, {0, 1, 2}}},
        {"roots3_join_chain", {{}, {}, {}, {0, 1, 2}, {3}, {4}}},
        {"fork2_join", {{}, {0}, {0}, {1, 2}}},
        {"fork2_join_x2", {{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}},
        {"fork4_join", {{}, {0}, {0}, {0}, {0}, {1, 2, 3, 4}}},
        {"skip", {{}, {0}, {1}, {0, 2}}},
        {"skip_all", {{}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}}},
        {"two_chains3", {{}, {}, {0}, {1}, {2}, {3}}},
        {"two_chains3_join", {{}, {}, {0}, {1}, {2}, {3}, {4, 5}}},
        {"three_chains2_join", {{}, {}, {}, {0}, {1}, {2}, {3, 4, 5}}},
        {"late_join", {{}, {}, {1}, {2}, {3}, {0, 4}}},
        // IMG: three blurs, two sobels, maximum and minimum, extend, unsharpen, two combines
        {"img", {{}, {}, {}, {0}, {1}, {4}, {4}, {4, 5, 6}, {2}, {8, 1, 7}, {9, 0, 3}}},
        {"img_no_skip", {{}, {}, {}, {0}, {1}, {4}, {4}, {5, 6}, {2}, {8, 7}, {9, 3}}},
        {"img_one_root", {{}, {0}, {1}, {1}, {2, 3}, {4}, {5}}},
        {"ladder", {{}, {}, {0, 1}, {0, 1}, {2, 3}, {2, 3}, {4, 5}, {4, 5}, {6, 7}, {6, 7}}},
        {"braid", {{}, {}, {0, 1}, {1}, {2, 3}, {3}, {4, 5}, {5}, {6, 7}}},
        {"ladder_one_root", {{}, {0}, {0}, {1, 2}, {1, 2}, {3, 4}, {3, 4}, {5, 6}, {5, 6}}},
        {"hits", {{}, {}, {0}, {1}, {2}, {3}, {1, 4}, {0, 5}, {6}, {7}, {8}, {9}}},
    };
    for (int rep = 0; rep < 4; rep++)
        for (const Shape &shape : shapes)
            for (double us : {0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 15.0, 40.0})
                for (bool is_captured : {false, true}) run(shape, us, is_captured, rep);
    return 0;
}
