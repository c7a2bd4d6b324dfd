/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/prelude.h. Each part is written where something in the source needs it. */
#include "source/write/prelude.h"

#define NONE GSIM_WEAVE_NONE

static const char tables[] =
    "// A call that is made in one stream and then in another: what it does each time.\n"
    "struct gpusim_call {\n"
    "    int at, count, width;\n"
    "    const int *stream, *event, *waits; // events, WIDTH of each time; -1: none\n"
    "};\n"
    "static void gpusim_enter(struct gpusim_call *call)\n"
    "{\n"
    "    if (call->at == call->count) { // more often than was scheduled\n"
    "        cudaDeviceSynchronize();\n"
    "        call->at = 0;\n"
    "    }\n"
    "    for (int i = 0; i < call->width; i++) {\n"
    "        int event = call->waits[call->at * call->width + i];\n"
    "        if (event >= 0) cudaStreamWaitEvent(gpusim_stream[call->stream[call->at]], gpusim_event[event], 0);\n"
    "    }\n"
    "}\n"
    "static cudaStream_t gpusim_stream_of(const struct gpusim_call *call)\n"
    "{\n"
    "    return gpusim_stream[call->stream[call->at]];\n"
    "}\n"
    "static void gpusim_leave(struct gpusim_call *call)\n"
    "{\n"
    "    int event = call->event[call->at];\n"
    "    if (event >= 0) cudaEventRecord(gpusim_event[event], gpusim_stream[call->stream[call->at]]);\n"
    "    call->at++;\n"
    "}\n";

static const char prefetch[] =
    "static void gpusim_prefetch(const void *data, size_t bytes, cudaStream_t stream)\n"
    "{\n"
    "    int device = 0;\n"
    "    cudaGetDevice(&device);\n"
    "#if CUDART_VERSION >= 13000\n"
    "    cudaMemLocation location = {cudaMemLocationTypeDevice, device};\n"
    "    cudaMemPrefetchAsync(data, bytes, location, 0, stream);\n"
    "#else\n"
    "    cudaMemPrefetchAsync(data, bytes, device, stream);\n"
    "#endif\n"
    "}\n";

static const char graphs[] =
    "// What follows is captured, in the first stream of its graph, which the others join before and behind.\n"
    "// False: it was before.\n"
    "static bool gpusim_begin_graph(int graph)\n"
    "{\n"
    "    const int *streams = gpusim_graph_streams[graph];\n"
    "    for (int i = 0; i < GPUSIM_STREAMS; i++) {\n"
    "        if (i == streams[0]) continue;\n"
    "        cudaEventRecord(gpusim_join[i], gpusim_stream[i]);\n"
    "        cudaStreamWaitEvent(gpusim_stream[streams[0]], gpusim_join[i], 0);\n"
    "    }\n"
    "    if (gpusim_graph_once[graph] && gpusim_graph[graph]) return false;\n"
    "    cudaStreamBeginCapture(gpusim_stream[streams[0]], cudaStreamCaptureModeThreadLocal);\n"
    "    cudaEventRecord(gpusim_join[0], gpusim_stream[streams[0]]);\n"
    "    for (int i = 1; i < gpusim_graph_width[graph]; i++)\n"
    "        cudaStreamWaitEvent(gpusim_stream[streams[i]], gpusim_join[0], 0);\n"
    "    gpusim_capturing = 1;\n"
    "    return true;\n"
    "}\n"
    "static void gpusim_end_capture(int graph)\n"
    "{\n"
    "    const int *streams = gpusim_graph_streams[graph];\n"
    "    cudaGraph_t made;\n"
    "    for (int i = 1; i < gpusim_graph_width[graph]; i++) {\n"
    "        cudaEventRecord(gpusim_join[i], gpusim_stream[streams[i]]);\n"
    "        cudaStreamWaitEvent(gpusim_stream[streams[0]], gpusim_join[i], 0);\n"
    "    }\n"
    "    cudaStreamEndCapture(gpusim_stream[streams[0]], &made);\n"
    "    gpusim_capturing = 0;\n"
    "    if (gpusim_graph[graph]) {\n"
    "#if CUDART_VERSION >= 12000\n"
    "        cudaGraphExecUpdateResultInfo result;\n"
    "        bool is_updated = cudaGraphExecUpdate(gpusim_graph[graph], made, &result) == cudaSuccess;\n"
    "#else\n"
    "        cudaGraphExecUpdateResult result;\n"
    "        cudaGraphNode_t node;\n"
    "        bool is_updated = cudaGraphExecUpdate(gpusim_graph[graph], made, &node, &result) == cudaSuccess;\n"
    "#endif\n"
    "        if (!is_updated) {\n"
    "            cudaGetLastError();\n"
    "            cudaGraphExecDestroy(gpusim_graph[graph]);\n"
    "            gpusim_graph[graph] = 0;\n"
    "        }\n"
    "    }\n"
    "#if CUDART_VERSION >= 12000\n"
    "    if (!gpusim_graph[graph]) cudaGraphInstantiate(&gpusim_graph[graph], made, 0);\n"
    "#else\n"
    "    if (!gpusim_graph[graph]) cudaGraphInstantiate(&gpusim_graph[graph], made, 0, 0, 0);\n"
    "#endif\n"
    "    cudaGraphDestroy(made);\n"
    "}\n"
    "static void gpusim_end_graph(int graph)\n"
    "{\n"
    "    cudaStream_t first = gpusim_stream[gpusim_graph_streams[graph][0]];\n"
    "    if (gpusim_capturing) gpusim_end_capture(graph);\n"
    "    cudaGraphLaunch(gpusim_graph[graph], first);\n"
    "    cudaEventRecord(gpusim_join[0], first);\n"
    "    for (int i = 0; i < GPUSIM_STREAMS; i++)\n"
    "        if (gpusim_stream[i] != first) cudaStreamWaitEvent(gpusim_stream[i], gpusim_join[0], 0);\n"
    "}\n";

/* What stays in the default stream waits for all, and all for it: where that is one for each thread it does not. */
static const char legacy[] = "#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM\n"
                             "#error some calls need the legacy default stream: nvcc without --default-stream\n"
                             "#endif\n";

static bool has_default(const struct gsim_prelude *p)
{
    for (size_t i = 0; i < p->weave->item_count; i++)
        if (p->weave->items[i].stream == NONE) return true;
    return false;
}

static bool has_priorities(const struct gsim_prelude *p)
{
    for (uint32_t i = 0; i < p->weave->stream_count; i++)
        if (p->weave->priorities[i]) return true;
    return false;
}

static void write_creation(const struct gsim_prelude *p, struct gsim_output *out)
{
    bool has_events = p->counts->events, has_graphs = p->regions->count;
    gsim_output_text(out, "static void gpusim_destroy(void)\n{\n");
    if (has_graphs)
        gsim_output_printf(
            out,
            "    for (int i = 0; i < %zu; i++)\n        if (gpusim_graph[i]) cudaGraphExecDestroy(gpusim_graph[i]);\n"
            "    for (int i = 0; i < GPUSIM_STREAMS; i++) cudaEventDestroy(gpusim_join[i]);\n",
            p->regions->count);
    if (has_events)
        gsim_output_printf(out, "    for (int i = 0; i < %u; i++) cudaEventDestroy(gpusim_event[i]);\n",
                           p->counts->events);
    gsim_output_text(out, "    for (int i = 0; i < GPUSIM_STREAMS; i++) cudaStreamDestroy(gpusim_stream[i]);\n}\n"
                          "static void gpusim_create(void)\n{\n    static int is_made = 0;\n    if (is_made) return;\n "
                          "   is_made = 1;\n");
    if (has_priorities(p)) {
        gsim_output_text(out, "    static const int priorities[] = {");
        for (uint32_t i = 0; i < p->weave->stream_count; i++)
            gsim_output_printf(out, "%s%d", i ? ", " : "", (int)p->weave->priorities[i]);
        gsim_output_text(out, "};\n    for (int i = 0; i < GPUSIM_STREAMS; i++)\n"
                              "        cudaStreamCreateWithPriority(&gpusim_stream[i], cudaStreamDefault, "
                              "priorities[i]);\n");
    } else {
        gsim_output_text(out, "    for (int i = 0; i < GPUSIM_STREAMS; i++) cudaStreamCreate(&gpusim_stream[i]);\n");
    }
    if (has_events)
        gsim_output_printf(
            out,
            "    for (int i = 0; i < %u; i++)\n"
            "        cudaEventCreateWithFlags(&gpusim_event[i], cudaEventDisableTiming);\n",
            p->counts->events);
    if (has_graphs)
        gsim_output_text(out, "    for (int i = 0; i < GPUSIM_STREAMS; i++)\n"
                              "        cudaEventCreateWithFlags(&gpusim_join[i], cudaEventDisableTiming);\n");
    gsim_output_text(out, "    atexit(gpusim_destroy);\n}\n");
}

static void put_number(struct gsim_output *out, size_t index, int number)
{
    gsim_output_printf(out, "%s%d", !index ? "" : index % 24 ? ", " : ",\n    ", number);
}

static void write_table(const struct gsim_prelude *p, uint32_t number, struct gsim_output *out)
{
    const struct gsim_weave *w = p->weave;
    const struct gsim_choice_list *items = &w->sites[number].items;
    size_t width = 0;
    for (size_t i = 0; i < items->count; i++)
        if (w->items[items->at[i]].waits.count > width) width = w->items[items->at[i]].waits.count;
    gsim_output_printf(out, "static const int gpusim_streams_%u[] = {", number);
    for (size_t i = 0; i < items->count; i++)
        put_number(out, i, (int)w->items[items->at[i]].stream);
    gsim_output_printf(out, "};\nstatic const int gpusim_events_%u[] = {", number);
    for (size_t i = 0; i < items->count; i++)
        put_number(out, i, w->items[items->at[i]].event == NONE ? -1 : (int)w->items[items->at[i]].event);
    gsim_output_printf(out, "};\nstatic const int gpusim_waits_%u[] = {", number);
    for (size_t i = 0; i < items->count; i++)
        for (size_t k = 0; k < width; k++) {
            const struct gsim_choice_list *waits = &w->items[items->at[i]].waits;
            put_number(out, i * width + k, k < waits->count ? (int)w->items[waits->at[k]].event : -1);
        }
    gsim_output_printf(out,
                       "%s};\nstatic struct gpusim_call gpusim_call_%u = {\n    0, %zu, %zu, gpusim_streams_%u, "
                       "gpusim_events_%u, gpusim_waits_%u};\n",
                       width ? "" : "-1", number, items->count, width, number, number, number);
}

static void write_graphs(const struct gsim_prelude *p, struct gsim_output *out)
{
    size_t count = p->regions->count, width = 1;
    for (size_t i = 0; i < count; i++)
        if (p->regions->at[i].streams.count > width) width = p->regions->at[i].streams.count;
    gsim_output_printf(
        out,
        "static cudaGraphExec_t gpusim_graph[%zu] = {0};\nstatic cudaEvent_t gpusim_join[GPUSIM_STREAMS];\n"
        "static int gpusim_capturing = 0;\nstatic const int gpusim_graph_streams[%zu][%zu] = {",
        count, count, width);
    for (size_t i = 0; i < count; i++) {
        gsim_output_text(out, i ? ", {" : "{");
        for (size_t k = 0; k < p->regions->at[i].streams.count; k++)
            gsim_output_printf(out, "%s%u", k ? ", " : "", p->regions->at[i].streams.at[k]);
        gsim_output_text(out, "}");
    }
    gsim_output_text(out, "};\nstatic const int gpusim_graph_width[] = {");
    for (size_t i = 0; i < count; i++) gsim_output_printf(out, "%s%zu", i ? ", " : "", p->regions->at[i].streams.count);
    gsim_output_text(out, "}, gpusim_graph_once[] = {");
    for (size_t i = 0; i < count; i++) gsim_output_printf(out, "%s%d", i ? ", " : "", p->regions->at[i].is_constant);
    gsim_output_text(out, "};\n");
}

void gsim_prelude_write(const struct gsim_prelude *p, struct gsim_output *out)
{
    bool has_tables = false;
    for (size_t s = 0; s < p->weave->log->site_count; s++)
        has_tables |= p->weave->sites[s].has_table && !p->weave->sites[s].keep_reason;
    gsim_output_text(out, "// Streams and events by: ");
    gsim_output_quoted(out, GSIM_OUTPUT_COMMENT, p->command);
    gsim_output_printf(out, "\n#include <stdlib.h>\n#define GPUSIM_STREAMS %u\n"
                            "static cudaStream_t gpusim_stream[GPUSIM_STREAMS];\n", p->weave->stream_count);
    if (has_default(p)) gsim_output_text(out, legacy);
    if (p->counts->events || has_tables)
        gsim_output_printf(out, "static cudaEvent_t gpusim_event[%u];\n", p->counts->events ? p->counts->events : 1);
    if (p->regions->count) write_graphs(p, out);
    write_creation(p, out);
    if (has_tables) gsim_output_text(out, tables);
    for (uint32_t s = 0; s < p->weave->log->site_count; s++)
        if (p->weave->sites[s].has_table && !p->weave->sites[s].keep_reason) write_table(p, s, out);
    if (p->counts->prefetches) gsim_output_text(out, prefetch);
    if (p->regions->count) gsim_output_text(out, graphs);
    gsim_output_text(out, "\n");
}
