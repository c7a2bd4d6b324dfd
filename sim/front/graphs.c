/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CUDA graphs: built explicitly or by stream capture, instantiated, launched as one command of a stream. Inside
 * a launch nodes start when their predecessors have ended, one after the other through one dispatcher
 * (H200, measured: 1.1 us per short kernel at best however wide the graph).
 */
#include "gpusim/limits.h"
#include "sim/clock/machine.h"

struct gsim_graph_run {
    struct gsim_command *command;      /* the launch in its stream */
    uint32_t exec, nodes_left;
    uint32_t *predecessors_left;
    struct gsim_graph_run *next_idle;
};

/* A node that follows several branches and whose last predecessor ended while kernels had blocks that were not resident yet: it waits until
 * PLACED kernels are, of all that ever came, and READY. */
struct gsim_held_node {
    struct gsim_graph_run *run;
    uint32_t index;
    uint64_t placed;
    gsim_time ready;
    struct gsim_held_node *next;
};

static struct gsim_machine *machine(struct gsim_driver *driver) { return (struct gsim_machine *)driver; }

static gsim_graph new_graph(struct gsim_machine *m)
{
    if (gsim_array_grow((void **)&m->graphs, sizeof *m->graphs, m->graph_count, &m->graph_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return 0;
    }
    m->graphs[m->graph_count] = (struct gsim_graph_state){0};
    return (gsim_graph)++m->graph_count; /* handles count from 1 */
}

static uint32_t add_node(struct gsim_machine *m, gsim_graph graph, const struct gsim_op *op, uint32_t stream,
                         const uint32_t *after, uint32_t after_count)
{
    struct gsim_graph_state *g = &m->graphs[graph - 1];
    uint32_t *copy = GSIM_ARENA_ARRAY(&m->arena, uint32_t, after_count);
    if (!copy || gsim_array_grow((void **)&g->nodes, sizeof *g->nodes, g->node_count, &g->node_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return 0;
    }
    for (uint32_t i = 0; i < after_count; i++) copy[i] = after[i];
    g->nodes[g->node_count] = (struct gsim_graph_node_state){op, stream, copy, after_count};
    return g->node_count++;
}

static bool is_graph(struct gsim_machine *m, gsim_graph graph)
{
    if (graph >= 1 && graph <= m->graph_count) return true;
    gsim_machine_fail(m, GSIM_SIM, "graph %u does not exist", graph);
    return false;
}

static gsim_graph do_create(struct gsim_driver *driver)
{
    return gsim_driver_failed(driver) ? 0 : new_graph(machine(driver));
}

static gsim_graph_node do_add(struct gsim_driver *driver, gsim_graph graph, const struct gsim_op *op,
                              const gsim_graph_node *after, uint32_t after_count)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver) || !is_graph(m, graph)) return 0;
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->graph_add_node_us + after_count * m->device->graph_add_edge_us);
    uint32_t node = add_node(m, graph, op, 0, after, after_count);
    gsim_api_end(m, GSIM_API_GRAPH_ADD, start, 0, 0, NULL);
    return node;
}

static void do_destroy(struct gsim_driver *driver, gsim_graph graph)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver) || !is_graph(m, graph)) return;
    gsim_free(m->graphs[graph - 1].nodes);
    m->graphs[graph - 1] = (struct gsim_graph_state){0};
}

/* --- capture -------------------------------------------------------------------------------------------- */

static bool set_tail(struct gsim_machine *m, struct gsim_stream_state *s, const uint32_t *nodes, uint32_t count, bool join)
{
    if (!join) s->tail_count = 0;
    if (s->tail_capacity < s->tail_count + count) {
        uint32_t capacity = 2 * (s->tail_count + count);
        uint32_t *grown = gsim_realloc(s->tail, capacity * sizeof *grown);
        if (!grown) {
            gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
            return false;
        }
        s->tail = grown;
        s->tail_capacity = capacity;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = false;
        for (uint32_t j = 0; j < s->tail_count; j++) is_there = is_there || s->tail[j] == nodes[i];
        if (!is_there) s->tail[s->tail_count++] = nodes[i];
    }
    return true;
}

static void do_capture_begin(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream)) return;
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->graph_add_node_us);
    m->streams[stream].capture = new_graph(m);
    m->streams[stream].tail_count = 0;
    gsim_api_end(m, GSIM_API_GRAPH_CAPTURE, start, 0, stream, "begin");
}

static gsim_graph do_capture_end(struct gsim_driver *driver, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream)) return 0;
    gsim_graph graph = m->streams[stream].capture;
    if (!graph) {
        gsim_machine_fail(m, GSIM_SIM, "stream %u ends a capture that it did not begin", stream);
        return 0;
    }
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->graph_add_node_us);
    for (size_t i = 0; i < m->stream_count; i++)
        if (m->streams[i].capture == graph) m->streams[i].capture = 0;
    for (size_t i = 0; i < m->event_count; i++)
        if (m->events[i].capture == graph) m->events[i].capture = 0;
    gsim_api_end(m, GSIM_API_GRAPH_CAPTURE, start, 0, stream, "end");
    return graph;
}

bool gsim_graphs_capture_op(struct gsim_machine *m, uint32_t stream, const struct gsim_op *op)
{
    struct gsim_stream_state *s = &m->streams[stream];
    if (!s->capture) return false;
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->graph_add_node_us);
    uint32_t node = add_node(m, s->capture, op, stream, s->tail, s->tail_count);
    set_tail(m, s, &node, 1, false);
    gsim_api_use_stream(m, stream);
    gsim_api_end(m, GSIM_API_GRAPH_ADD, start, 0, stream, NULL);
    return true;
}

bool gsim_graphs_capture_record(struct gsim_machine *m, uint32_t event, uint32_t stream)
{
    struct gsim_stream_state *s = &m->streams[stream];
    struct gsim_event_state *e = &m->events[event];
    e->capture = 0; /* what an earlier record captured is over */
    if (!s->capture) return false;
    e->capture = s->capture;
    e->nodes = GSIM_ARENA_ARRAY(&m->arena, uint32_t, s->tail_count);
    e->node_count = e->nodes ? s->tail_count : 0;
    for (uint32_t i = 0; i < e->node_count; i++) e->nodes[i] = s->tail[i];
    return true;
}

bool gsim_graphs_capture_wait(struct gsim_machine *m, uint32_t stream, uint32_t event)
{
    struct gsim_stream_state *s = &m->streams[stream];
    const struct gsim_event_state *e = &m->events[event];
    if (!e->capture || (s->capture && s->capture != e->capture)) return false;
    if (!s->capture) s->tail_count = 0;
    s->capture = e->capture;
    set_tail(m, s, e->nodes, e->node_count, true);
    return true;
}

/* --- instantiation ---------------------------------------------------------------------------------------- */

static bool follows_copy(const struct gsim_graph_state *g, uint32_t node)
{
    for (uint32_t i = 0; i < g->nodes[node].after_count; i++)
        if (g->nodes[g->nodes[node].after[i]].op->kind == GSIM_OP_COPY) return true;
    return false;
}

/* A root opens a branch, and so does what follows a copy; any other node is in the last opened one of those that it follows. A node that
 * follows another branch as well waits for that to be signalled (H200, 320 recordings of DAGs as captured graphs,
 * traces/runner/micro/graphs.py: 2,887 nodes behind their own branch start after 1.12 us, 740 behind several after 2.78, none of these
 * sooner than 2; H100 alike). Built node by node the same is assumed. */
static bool find_branches(struct gsim_machine *m, const struct gsim_graph_state *g, struct gsim_exec_state *x)
{
    uint32_t opened = 0, *branches = GSIM_ARENA_ARRAY(&m->arena, uint32_t, g->node_count);
    uint32_t *followers = GSIM_ARENA_ARRAY(&m->arena, uint32_t, g->node_count); /* of each node, those that follow its branch only */
    x->crosses = GSIM_ARENA_ARRAY(&m->arena, bool, g->node_count);
    x->signals = GSIM_ARENA_ARRAY(&m->arena, bool, g->node_count);
    if (!branches || !followers || !x->crosses || !x->signals) return false;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const struct gsim_graph_node_state *node = &g->nodes[n];
        for (uint32_t i = 0; i < node->after_count; i++)
            if (branches[node->after[i]] > branches[n]) branches[n] = branches[node->after[i]];
        if (!node->after_count || follows_copy(g, n)) branches[n] = opened++;
        for (uint32_t i = 0; i < node->after_count && node->after_count > 1; i++) x->crosses[n] |= branches[node->after[i]] != branches[n];
        for (uint32_t i = 0; i < node->after_count; i++) {
            if (x->crosses[n])
                x->signals[node->after[i]] = true;
            else
                followers[node->after[i]]++;
        }
    }
    for (uint32_t n = 0; n < g->node_count; n++) x->signals[n] &= followers[n] == 1; /* else not seen */
    return true;
}

/* Behind those of its predecessors that are there already. Shifts the starts into place, one entry lower. */
static void add_successor(const struct gsim_graph_state *g, struct gsim_exec_state *x, uint32_t node)
{
    for (uint32_t i = 0; i < g->nodes[node].after_count; i++) x->successors[x->first_successor[g->nodes[node].after[i] + 1]++] = node;
}

static bool build_exec(struct gsim_machine *m, const struct gsim_graph_state *g, struct gsim_exec_state *x)
{
    uint32_t edge_count = 0;
    for (uint32_t n = 0; n < g->node_count; n++) edge_count += g->nodes[n].after_count;
    x->node_count = g->node_count;
    x->ops = GSIM_ARENA_ARRAY(&m->arena, const struct gsim_op *, g->node_count);
    x->streams = GSIM_ARENA_ARRAY(&m->arena, uint32_t, g->node_count);
    x->predecessor_count = GSIM_ARENA_ARRAY(&m->arena, uint32_t, g->node_count);
    x->first_successor = GSIM_ARENA_ARRAY(&m->arena, uint32_t, g->node_count + 2);
    x->successors = GSIM_ARENA_ARRAY(&m->arena, uint32_t, edge_count);
    if (!x->ops || !x->streams || !x->predecessor_count || !x->first_successor || !x->successors) return false;
    for (uint32_t n = 0; n < g->node_count; n++) {
        x->ops[n] = g->nodes[n].op;
        x->streams[n] = g->nodes[n].stream;
        x->copy_count += g->nodes[n].op->kind == GSIM_OP_COPY;
        x->predecessor_count[n] = g->nodes[n].after_count;
        for (uint32_t i = 0; i < g->nodes[n].after_count; i++) x->first_successor[g->nodes[n].after[i] + 2]++;
    }
    if (!find_branches(m, g, x)) return false;
    for (uint32_t n = 2; n < g->node_count + 2; n++) x->first_successor[n] += x->first_successor[n - 1];
    /* Of what one node releases, those of its branch start first, then those that open one behind copies, both in their order, then the others
     * in the opposite order (the same recordings: own branch first in 168 of 169 pairs, in their order 331 of 335, in the opposite one
     * 69 of 69; behind copies 2 of 4). */
    for (uint32_t n = 0; n < g->node_count; n++)
        if (!x->crosses[n]) add_successor(g, x, n);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (x->crosses[n] && follows_copy(g, n)) add_successor(g, x, n);
    for (uint32_t n = g->node_count; n-- > 0;)
        if (x->crosses[n] && !follows_copy(g, n)) add_successor(g, x, n);
    return true;
}

static gsim_graph_exec do_instantiate(struct gsim_driver *driver, gsim_graph graph)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver) || !is_graph(m, graph)) return 0;
    const struct gsim_graph_state *g = &m->graphs[graph - 1];
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->graph_instantiate_us + g->node_count * m->device->graph_instantiate_node_us);
    struct gsim_exec_state exec = {0};
    if (!build_exec(m, g, &exec) ||
        gsim_array_grow((void **)&m->execs, sizeof *m->execs, m->exec_count, &m->exec_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return 0;
    }
    m->execs[m->exec_count++] = exec;
    gsim_api_end(m, GSIM_API_GRAPH_INSTANTIATE, start, 0, 0, NULL);
    return (gsim_graph_exec)m->exec_count; /* handles count from 1 */
}

static void do_exec_destroy(struct gsim_driver *driver, gsim_graph_exec exec)
{
    (void)driver; /* its memory belongs to the run's arena */
    (void)exec;
}

/* --- launch ------------------------------------------------------------------------------------------------- */

/* What a graph does is read from device memory where other data has displaced it from L2 since its last launch (H200, measured:
 * traces/h200/vm/cold.txt, micro/cold.cu). Counted are kernels that have started when the host launches; what copies displace and
 * what is still queued is not. */
static double start_latency(struct gsim_machine *m, struct gsim_exec_state *x)
{
    bool is_cold = gsim_machine_displaced_l2(m, x->launched_at_bytes);
    x->launched_at_bytes = m->touched_bytes;
    return m->device->graph_start_us + (is_cold ? m->device->graph_cold_us : 0);
}

static void do_launch(struct gsim_driver *driver, gsim_graph_exec exec, gsim_stream stream)
{
    struct gsim_machine *m = machine(driver);
    if (!gsim_api_is_stream(m, stream)) return;
    if (!exec || exec > m->exec_count) {
        gsim_machine_fail(m, GSIM_SIM, "executable graph %u does not exist", exec);
        return;
    }
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m), waited = gsim_api_wait_queue(m, stream), before = m->running->local;
    gsim_managed_launch(m, m->execs[exec - 1].ops, m->execs[exec - 1].node_count, stream);
    waited += m->running->local - before;
    gsim_api_spend(m, m->device->graph_launch_us + m->execs[exec - 1].node_count * m->device->graph_launch_node_us);
    gsim_api_issue(m, GSIM_COMMAND_GRAPH, NULL, exec - 1, stream, start, start_latency(m, &m->execs[exec - 1]));
    gsim_api_spend(m, m->execs[exec - 1].copy_count * m->device->graph_launch_copy_us);
    gsim_api_end(m, GSIM_API_GRAPH_LAUNCH, start, waited, stream, NULL);
}

/* A block that fills an SM for graph_signal_us. */
static void make_signal(struct gsim_machine *m)
{
    const struct gsim_sm_limits *limits = gsim_sm_limits(m->device->compute_capability);
    const struct gsim_kernel kernel = {
        .name = "signal of a graph node",
        .grid = {1, 1, 1},
        .block = {GSIM_LIMIT_BLOCK_THREADS, 1, 1},
        .regs_per_thread = limits->registers / GSIM_LIMIT_BLOCK_THREADS,
        .thread_cycles = m->device->graph_signal_us * m->device->clock_mhz,
    };
    struct gsim_error error;
    if (gsim_work_init(&m->signal, m->device, &kernel, &error)) gsim_machine_fail(m, GSIM_SIM, "%s", error.message);
}

/* What tells nodes that follow several branches that one of theirs has ended comes before the next node of its own branch, and has an SM to
 * itself, the first of the empty ones: that node's blocks stand on all others, and who comes after them finds it empty (H200:
 * traces/runner/micro/signals.py, traces/h200/vm/signals.txt). Not seen where no SM is empty. */
static void start_signal(struct gsim_machine *m, void *argument)
{
    (void)argument;
    if (gsim_gpu_queued(m->gpu) || !gsim_gpu_has_empty_sm(m->gpu)) return;
    if (!m->signal.blocks) make_signal(m);
    if (!gsim_driver_failed(&m->driver) && !gsim_gpu_submit(m->gpu, m->now, &m->signal, 0, NULL)) gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
}

static void start_node(struct gsim_machine *m, void *argument)
{
    struct gsim_command *node = argument;
    node->ready = node->start = m->now;
    gsim_front_start(m, node);
}

/* WAITS: something else than the dispatcher keeps the node until READY; meanwhile it starts others. */
static void node_ready(struct gsim_machine *m, struct gsim_graph_run *run, uint32_t index, gsim_time ready, bool waits)
{
    const struct gsim_exec_state *x = &m->execs[run->exec];
    struct gsim_command *node = gsim_front_command(m, GSIM_COMMAND_OP, x->streams[index] ? x->streams[index] : run->command->stream);
    if (!node) return;
    node->op = x->ops[index];
    node->graph_run = run;
    node->node = index;
    node->launch = run->command->launch;
    node->correlation = run->command->correlation;
    node->iteration = run->command->iteration;
    gsim_time start = ready > m->graph_dispatch_free ? ready : m->graph_dispatch_free;
    if (!waits) m->graph_dispatch_free = start + gsim_time_from_us(m->device->graph_dispatch_us);
    gsim_machine_at(m, start, start_node, node);
}

static struct gsim_graph_run *new_run(struct gsim_machine *m, uint32_t exec)
{
    struct gsim_exec_state *x = &m->execs[exec];
    struct gsim_graph_run *run = x->idle_runs;
    if (run) {
        x->idle_runs = run->next_idle;
    } else {
        run = GSIM_ARENA_NEW(&m->arena, struct gsim_graph_run);
        if (run) run->predecessors_left = GSIM_ARENA_ARRAY(&m->arena, uint32_t, x->node_count);
        if (!run || !run->predecessors_left) {
            gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
            return NULL;
        }
    }
    run->exec = exec;
    run->nodes_left = x->node_count;
    for (uint32_t n = 0; n < x->node_count; n++) run->predecessors_left[n] = x->predecessor_count[n];
    return run;
}

void gsim_graphs_launch(struct gsim_machine *m, struct gsim_command *command)
{
    struct gsim_graph_run *run = new_run(m, command->exec);
    if (!run) return;
    run->command = command;
    if (!run->nodes_left) {
        gsim_front_end(m, command);
        return;
    }
    const struct gsim_exec_state *x = &m->execs[command->exec];
    uint32_t roots = 0;
    for (uint32_t n = 0; n < x->node_count; n++)
        if (!run->predecessors_left[n])
            node_ready(m, run, n, m->now + gsim_time_from_us(roots++ * m->device->graph_branch_us), false);
}

/* And then as long: 1.7 us from block to block where a node of its own branch comes after 0.16, 1.24 at least (H200, H100: DAGs as captured
 * graphs, traces/runner/micro/held.py, traces/h200/vm/held.txt, traces/h100/held.txt). Streams that wait for events are not held so. */
#define HELD_US 1.7

static void hold(struct gsim_machine *m, struct gsim_graph_run *run, uint32_t index, gsim_time ready)
{
    struct gsim_held_node *held = m->idle_held;
    if (held)
        m->idle_held = held->next;
    else
        held = GSIM_ARENA_NEW(&m->arena, struct gsim_held_node);
    if (!held) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return;
    }
    *held = (struct gsim_held_node){run, index, m->placed + gsim_gpu_queued(m->gpu), ready, NULL};
    *(m->held ? &m->last_held->next : &m->held) = held;
    m->last_held = held;
}

void gsim_graphs_kernel_placed(void *machine, void *command, gsim_time now)
{
    struct gsim_machine *m = machine;
    if (!command) return; /* a signal */
    m->placed++;
    for (struct gsim_held_node *held; (held = m->held) != NULL && held->placed <= m->placed;) {
        gsim_time ready = now + gsim_time_from_us(HELD_US);
        m->held = held->next;
        node_ready(m, held->run, held->index, ready > held->ready ? ready : held->ready, true);
        held->next = m->idle_held;
        m->idle_held = held;
    }
}

/* Node NEXT may start behind one that ended now on UNIT. Between units the graph's launch began to look (H200, H100:
 * traces/h200/polls.txt.gz, graphs). */
static void follow(struct gsim_machine *m, struct gsim_graph_run *run, uint32_t next, uint32_t unit)
{
    bool crosses = m->execs[run->exec].crosses[next];
    gsim_time ready = m->now + gsim_time_from_us(crosses ? m->device->graph_cross_gap_us : m->device->graph_node_gap_us);
    const struct gsim_op *op = m->execs[run->exec].ops[next];
    uint32_t own = gsim_copies_unit(m, op);
    if (op->kind == GSIM_OP_KERNEL && m->program->kernels[op->kernel_index].solo_profiled) { /* its record holds a part of the gap */
        gsim_time held = gsim_time_from_us(m->device->profiled_us);
        ready = ready - m->now > held ? ready - held : m->now;
    }
    bool looks = own != unit && m->engine_poll;
    if (looks) {
        ready = gsim_front_seen(m, own, run->command->start, m->now);
    } else if (own != unit) {
        if (own == GSIM_UNIT_SMS) ready += m->copy_to_kernel;
        if (unit == GSIM_UNIT_SMS) ready += m->kernel_to_copy;
    } else if (unit != GSIM_UNIT_SMS && m->engine_poll) { /* known of the same devices only */
        ready = m->now + m->copy_gap; /* also where branches meet: not measured */
        crosses = false;
    }
    if (crosses && own == GSIM_UNIT_SMS && unit == GSIM_UNIT_SMS && gsim_gpu_queued(m->gpu)) {
        hold(m, run, next, ready);
        return;
    }
    node_ready(m, run, next, ready, looks || crosses);
}

bool gsim_graphs_copies_on(const struct gsim_machine *m, const struct gsim_command *copy, uint32_t *next)
{
    const struct gsim_exec_state *x = &m->execs[copy->graph_run->exec];
    for (uint32_t i = x->first_successor[copy->node]; i < x->first_successor[copy->node + 1]; i++) {
        *next = x->successors[i];
        const struct gsim_op *op = x->ops[*next];
        if (op->kind == GSIM_OP_COPY && op->copy_kind == copy->copy_kind && gsim_copies_unit(m, op) != GSIM_UNIT_SMS &&
            copy->graph_run->predecessors_left[*next] == 1)
            return true;
    }
    return false;
}

void gsim_graphs_node_ended(struct gsim_machine *m, struct gsim_command *node)
{
    struct gsim_graph_run *run = node->graph_run;
    struct gsim_exec_state *x = &m->execs[run->exec];
    uint32_t unit = gsim_copies_unit(m, node->op);
    if (x->signals[node->node] && unit == GSIM_UNIT_SMS && m->device->graph_signal_us > 0)
        gsim_machine_at(m, m->now + gsim_time_from_us(m->device->graph_node_gap_us), start_signal, NULL);
    for (uint32_t i = x->first_successor[node->node]; i < x->first_successor[node->node + 1]; i++)
        if (--run->predecessors_left[x->successors[i]] == 0) follow(m, run, x->successors[i], unit);
    gsim_front_free(m, node);
    if (--run->nodes_left) return;
    run->next_idle = x->idle_runs;
    x->idle_runs = run;
    gsim_front_end(m, run->command);
}

void gsim_graphs_set_ops(struct gsim_driver_ops *ops)
{
    ops->graph_create = do_create;
    ops->graph_add = do_add;
    ops->graph_destroy = do_destroy;
    ops->capture_begin = do_capture_begin;
    ops->capture_end = do_capture_end;
    ops->graph_instantiate = do_instantiate;
    ops->graph_launch = do_launch;
    ops->graph_exec_destroy = do_exec_destroy;
}
