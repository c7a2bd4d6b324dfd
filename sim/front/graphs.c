/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Running CUDA graphs. A launch is one command of a stream. A node starts when its predecessors have ended. One
 * dispatcher starts the nodes one after another (H200: at best 1.1 us for a short kernel, however wide the graph). The
 * calls that build and launch graphs: sim/host/graphs.c.
 */
#include <math.h>

#include "gpusim/limits.h"
#include "sim/device/rules.h"
#include "sim/front/front.h"

struct gsim_graph_run {
    struct gsim_command *command;      /* the launch in its stream */
    uint32_t exec, nodes_left;
    uint32_t *predecessors_left;
    struct gsim_command *
        *early; /* of each node: launched programmatically, what it follows has not ended; NULL: no node is */
    struct gsim_graph_run *next_idle;
};

/* A node of several branches whose last predecessor ended while kernels had blocks that were not resident. It waits
 * until PLACED kernels of all so far are resident, and until READY. */
/* --- instantiation ---------------------------------------------------------------------------------------- */

static bool follows_copy(const struct gsim_graph_state *g, uint32_t node)
{
    for (uint32_t i = 0; i < g->nodes[node].after_count; i++)
        if (g->nodes[g->nodes[node].after[i]].op->kind == GSIM_OP_COPY) return true;
    return false;
}

/* A root opens a branch, and so does what follows a copy; any other node is in the last opened one of those that it
 * follows. A node that follows another branch as well waits for that to be signalled (H200, 320 recordings of DAGs as
 * captured graphs, traces/runner/micro/graphs.py: 2,887 nodes behind their own branch start after 1.12 us, 740 behind
 * several after 2.78, none of these sooner than 2; H100 alike). Built node by node the same is assumed. */
static bool find_branches(struct gsim_process *p, const struct gsim_graph_state *g, struct gsim_exec_state *x)
{
    uint32_t opened = 0, *branches = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, g->node_count);
    uint32_t *followers = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t,
                                           g->node_count); /* of each node, those that follow its branch only */
    x->crosses = GSIM_ARENA_ARRAY(&p->machine->arena, bool, g->node_count);
    x->signals = GSIM_ARENA_ARRAY(&p->machine->arena, bool, g->node_count);
    x->cross_edges = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, g->node_count);
    if (!x->cross_edges || !branches || !followers || !x->crosses || !x->signals) return false;
    for (uint32_t n = 0; n < g->node_count; n++) {
        const struct gsim_graph_node_state *node = &g->nodes[n];
        for (uint32_t i = 0; i < node->after_count; i++)
            if (branches[node->after[i]] > branches[n]) branches[n] = branches[node->after[i]];
        if (!node->after_count || follows_copy(g, n)) branches[n] = opened++;
        for (uint32_t i = 0; i < node->after_count && node->after_count > 1; i++)
            x->cross_edges[n] += branches[node->after[i]] != branches[n];
        x->crosses[n] = x->cross_edges[n] > 0;
        for (uint32_t i = 0; i < node->after_count; i++) {
            if (x->crosses[n]) x->signals[node->after[i]] = true;
            else followers[node->after[i]]++;
        }
    }
    for (uint32_t n = 0; n < g->node_count; n++) x->signals[n] &= followers[n] == 1; /* else not seen */
    return true;
}

/* Adds NODE to the successors of its predecessors. Shifts their starts into place, one entry lower. */
static void add_successor(const struct gsim_graph_state *g, struct gsim_exec_state *x, uint32_t node)
{
    for (uint32_t i = 0; i < g->nodes[node].after_count; i++)
        x->successors[x->first_successor[g->nodes[node].after[i] + 1]++] = node;
}

/* Returns the front end of a node: of its stream's GPU if captured, else of its op's. Both GPUs of a peer copy
 * exist. */
static struct gsim_front *front_of(struct gsim_process *p, const struct gsim_graph_node_state *node)
{
    struct gsim_machine *m = p->machine;
    const struct gsim_op *op = node->op;
    if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P) m->open_device(m, p->first_device + op->to_device);
    if (node->stream) return p->streams[node->stream].front;
    uint32_t device = p->first_device + (op->device < p->device_count ? op->device : 0);
    return m->open_device(m, device) ? p->fronts[device] : p->streams[0].front;
}

bool gsim_graphs_build(struct gsim_process *p, const struct gsim_graph_state *g, struct gsim_exec_state *x)
{
    uint32_t edge_count = 0;
    for (uint32_t n = 0; n < g->node_count; n++) edge_count += g->nodes[n].after_count;
    x->node_count = g->node_count;
    x->ops = GSIM_ARENA_ARRAY(&p->machine->arena, const struct gsim_op *, g->node_count);
    x->fronts = GSIM_ARENA_ARRAY(&p->machine->arena, struct gsim_front *, g->node_count);
    x->streams = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, g->node_count);
    x->predecessor_count = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, g->node_count);
    x->first_successor = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, g->node_count + 2);
    x->successors = GSIM_ARENA_ARRAY(&p->machine->arena, uint32_t, edge_count);
    if (!x->ops || !x->fronts || !x->streams || !x->predecessor_count || !x->first_successor || !x->successors)
        return false;
    for (uint32_t n = 0; n < g->node_count; n++) {
        x->ops[n] = g->nodes[n].op;
        x->streams[n] = g->nodes[n].stream;
        x->fronts[n] = front_of(p, &g->nodes[n]);
        x->has_programmatic |= g->nodes[n].op->programmatic;
        x->copy_count += g->nodes[n].op->kind == GSIM_OP_COPY;
        x->predecessor_count[n] = g->nodes[n].after_count;
        for (uint32_t i = 0; i < g->nodes[n].after_count; i++) x->first_successor[g->nodes[n].after[i] + 2]++;
    }
    if (!find_branches(p, g, x)) return false;
    for (uint32_t n = 2; n < g->node_count + 2; n++) x->first_successor[n] += x->first_successor[n - 1];
    /* Of what one node releases, those of its branch start first, then those that open one behind copies, both in their
     * order, then the others in the opposite order (the same recordings: own branch first in 168 of 169 pairs, in their
     * order 331 of 335, in the opposite one 69 of 69; behind copies 2 of 4). */
    for (uint32_t n = 0; n < g->node_count; n++)
        if (!x->crosses[n]) add_successor(g, x, n);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (x->crosses[n] && follows_copy(g, n)) add_successor(g, x, n);
    for (uint32_t n = g->node_count; n-- > 0;)
        if (x->crosses[n] && !follows_copy(g, n)) add_successor(g, x, n);
    return true;
}

/* --- launch ------------------------------------------------------------------------------------------------- */

/* A block that fills an SM for graph_signal_us. */
static void make_signal(struct gsim_front *f)
{
    const struct gsim_device_spec *d = f->device->spec;
    uint32_t threads = gsim_whole_u32(fmin(d->warps_per_sm * d->warp_threads, GSIM_LIMIT_BLOCK_THREADS));
    const struct gsim_kernel kernel = {
        .name = "signal of a graph node",
        .grid = {1, 1, 1},
        .block = {threads, 1, 1},
        .regs_per_thread = gsim_whole_u32(fmin(floor(d->registers_per_sm / threads), d->registers_per_thread)),
        .thread_cycles = d->graph_signal_us * d->clock_mhz,
    };
    struct gsim_error error;
    if (gsim_demand_init(&f->signal, f->device->spec, &kernel, &error))
        gsim_machine_fail(f->machine, GSIM_SIM, "%s", error.message);
}

/* The signal of a node's end to nodes of several branches comes before the next node of its own branch. It has an SM to
 * itself, the first empty one; the next node's blocks go to the others, and later blocks find that SM empty (H200:
 * traces/runner/micro/signals.py, traces/h200/vm/signals.txt). Not seen where no SM is empty. */
static void start_signal(void *front)
{
    struct gsim_front *f = front;
    if (f->part->is_stopped || gsim_gpu_queued(f->part->sm) || !gsim_gpu_has_empty_sm(f->part->sm)) return;
    if (!f->signal.blocks) make_signal(f);
    if (gsim_machine_failed(f->machine)) return;
    if (!gsim_gpu_submit(f->part->sm, f->machine->now, &f->signal, 0, NULL))
        gsim_machine_fail(f->machine, GSIM_NOMEM, "out of memory");
    gsim_partition_changed(f->part);
}

static bool is_queued(const struct gsim_front *f) { return f->device->spec->graph_edge_us > 0; }

static void start_node(void *argument)
{
    struct gsim_command *node = argument;
    struct gsim_front *f = node->front;
    node->ready = node->start = f->machine->now;
    f->graph_kernels += node->op->kind == GSIM_OP_KERNEL;
    node->class->start(node);
}

static void node_ended(struct gsim_command *node);

/* A profiler's record holds a part of the gap before it. */
static bool is_profiled(const struct gsim_front *f, const struct gsim_op *op)
{
    return op->kind == GSIM_OP_KERNEL && f->process->space->program->kernels[op->kernel_index].solo_profiled;
}

static double beside_us(const struct gsim_front *f)
{
    return gsim_rule_holds(f->device->spec->rules_off, GSIM_RULE_GRAPH_BESIDE) ? f->device->spec->graph_beside_us : 0;
}

/* Passes a ready node to the dispatcher, which starts nodes in order of readiness and takes this time for each (H100:
 * graphs of 880 to 3,094 nodes, traces/h100/mega.json.gz: chains and joins go at one node in 0.165 us, layers and
 * random graphs at one in 0.28). */
static void dispatch_node(void *argument)
{
    struct gsim_command *node = argument;
    struct gsim_front *f = node->front;
    uint32_t edges = f->process->execs[node->graph_run->exec].cross_edges[node->node];
    gsim_time start = f->graph_dispatch_free > f->machine->now ? f->graph_dispatch_free : f->machine->now;
    f->graph_dispatch_free =
        start + gsim_time_from_us(f->device->spec->graph_dispatch_us + edges * f->device->spec->graph_edge_us);
    gsim_machine_at(f->machine, start, start_node, node);
}

/* WAITS: the node waits until READY for something else than the dispatcher, which starts others meanwhile. NULL: out of
 * memory. */
static struct gsim_command *node_ready(struct gsim_front *f, struct gsim_graph_run *run, uint32_t index,
                                       gsim_time ready, bool waits)
{
    const struct gsim_exec_state *x = &f->process->execs[run->exec];
    uint32_t stream = x->streams[index] ? x->streams[index] : run->command->stream;
    struct gsim_command *node =
        gsim_command_new(f->machine, GSIM_COMMAND_OP, f->device, stream, run->command->iteration);
    if (!node) return NULL;
    node->class = &gsim_front_op;
    node->ended = node_ended;
    node->front = f;
    node->part = f->part;
    node->client = run->command->client;
    node->priority = run->command->priority; /* unless cudaGraphInstantiateFlagUseNodePriority */
    node->op = x->ops[index];
    node->graph_run = run;
    node->node = index;
    node->launch = run->command->launch;
    node->correlation = run->command->correlation;
    /* Where others beside it are known to make it later, what the dispatcher takes is in that (found with roots
     * first). */
    bool is_beside = is_queued(f) && is_profiled(f, node->op) && beside_us(f) > 0;
    if (is_queued(f) && !is_beside) {
        gsim_machine_at(f->machine, ready, dispatch_node, node);
        return node;
    }
    gsim_time start = ready > f->graph_dispatch_free ? ready : f->graph_dispatch_free;
    if (!waits)
        f->graph_dispatch_free = start + (is_beside ? 0 : gsim_time_from_us(f->device->spec->graph_dispatch_us));
    gsim_machine_at(f->machine, start, start_node, node);
    return node;
}

static struct gsim_graph_run *new_run(struct gsim_front *f, uint32_t exec)
{
    struct gsim_exec_state *x = &f->process->execs[exec];
    struct gsim_graph_run *run = x->idle_runs;
    if (run) {
        x->idle_runs = run->next_idle;
    } else {
        run = GSIM_ARENA_NEW(&f->machine->arena, struct gsim_graph_run);
        if (run) run->predecessors_left = GSIM_ARENA_ARRAY(&f->machine->arena, uint32_t, x->node_count);
        if (run && x->has_programmatic)
            run->early = GSIM_ARENA_ARRAY(&f->machine->arena, struct gsim_command *, x->node_count);
        if (!run || !run->predecessors_left || (x->has_programmatic && !run->early)) {
            gsim_machine_fail(f->machine, GSIM_NOMEM, "out of memory");
            return NULL;
        }
    }
    run->exec = exec;
    run->nodes_left = x->node_count;
    for (uint32_t n = 0; n < x->node_count; n++) run->predecessors_left[n] = x->predecessor_count[n];
    return run;
}

static void launch(struct gsim_command *command)
{
    struct gsim_front *f = command->front;
    struct gsim_graph_run *run = new_run(f, command->exec);
    if (!run) return;
    run->command = command;
    if (!run->nodes_left) {
        command->ended(command);
        return;
    }
    const struct gsim_exec_state *x = &f->process->execs[command->exec];
    uint32_t roots = 0;
    for (uint32_t n = 0; n < x->node_count; n++)
        if (!run->predecessors_left[n])
            node_ready(x->fronts[n], run, n,
                       f->machine->now + gsim_time_from_us(roots++ * f->device->spec->graph_branch_us), false);
}

const struct gsim_command_class gsim_graphs_launch = {.start = launch};

/* Whether NEXT is a programmatic launch behind a kernel, its only predecessor. */
static bool is_programmatic(const struct gsim_exec_state *x, uint32_t next)
{
    return x->ops[next]->programmatic &&
           x->predecessor_count[next] == 1; /* another GPU's node begins behind its end all the same */
}

void gsim_graphs_triggered(struct gsim_command *node, gsim_time now)
{
    struct gsim_front *f = node->front;
    struct gsim_graph_run *run = node->graph_run;
    const struct gsim_exec_state *x = &f->process->execs[run->exec];
    if (!run->early || f->device->space->mode == GSIM_MEMORY_MANAGED || node->is_held)
        return; /* held: when it is let go of */
    for (uint32_t i = x->first_successor[node->node]; i < x->first_successor[node->node + 1]; i++) {
        uint32_t next = x->successors[i];
        if (!is_programmatic(x, next) || run->early[next] || x->fronts[next] != f) continue;
        run->early[next] = node_ready(f, run, next, now + f->device->gaps.programmatic, true);
        if (run->early[next]) run->early[next]->is_held = true;
    }
}

static void let_go(void *argument)
{
    struct gsim_command *node = argument;
    gsim_front_let_go(node);
    if (node->has_triggered) gsim_graphs_triggered(node, node->device->machine->now);
}

/* Node NEXT, of another GPU than F's, may start behind one that ended now there: as far as is known like a stream that
 * waits for an event of another GPU (sim/host/driver.c), which nobody measured of graphs. */
static void follow_across(struct gsim_front *f, struct gsim_graph_run *run, uint32_t next)
{
    struct gsim_front *its = f->process->execs[run->exec].fronts[next];
    node_ready(its, run, next,
               f->machine->now +
                   gsim_time_from_us(its->device->spec->graph_cross_gap_us + its->device->spec->peer_event_us),
               true);
}

/* Returns when node NEXT may start behind a node that ended now on UNIT. Between units polls count from the graph's
 * launch (H200, H100: traces/h200/polls.txt.gz, graphs). */
static void follow(struct gsim_front *f, struct gsim_graph_run *run, uint32_t next, uint32_t unit)
{
    bool crosses = f->process->execs[run->exec].crosses[next];
    gsim_time ready = f->machine->now + gsim_time_from_us(crosses ? f->device->spec->graph_cross_gap_us
                                                                  : f->device->spec->graph_node_gap_us);
    const struct gsim_op *op = f->process->execs[run->exec].ops[next];
    if (is_programmatic(&f->process->execs[run->exec], next) && unit == GSIM_UNIT_SMS)
        ready = f->machine->now + f->device->gaps.programmatic;
    uint32_t own = gsim_copies_unit(f->device, op);
    if (own == GSIM_UNIT_SMS && unit == GSIM_UNIT_SMS) ready += f->device->gaps.client_node;
    if (is_profiled(f, op)) {
        gsim_time held = gsim_time_from_us(f->device->spec->profiled_us);
        ready = ready - f->machine->now > held ? ready - held : f->machine->now;
        /* Kernels of 1 to 4 us take 0.35, 0.7 and 0.9 us longer beside one, two and three others than in a chain (H100,
         * CUDA graphs of four networks with branches). */
        ready += gsim_time_from_us(beside_us(f) * f->graph_kernels);
    }
    /* The host stages a copy to pageable memory once the node before has ended (docs/model/copies.md, engine_poll). */
    bool is_staged = op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_D2H &&
                     gsim_copies_is_pageable(f->device->space, op);
    bool looks = own != unit && f->device->gaps.engine_poll && !is_staged;
    if (looks) {
        ready = gsim_front_seen(f, own, run->command->start, f->machine->now);
    } else if (own != unit) {
        if (own == GSIM_UNIT_SMS) ready += f->device->gaps.copy_to_kernel;
        if (unit == GSIM_UNIT_SMS) ready += f->device->gaps.kernel_to_copy;
    } else if (unit != GSIM_UNIT_SMS && f->device->gaps.engine_poll) { /* known of the same devices only */
        ready = f->machine->now + f->device->gaps.copy; /* also where branches meet: not measured */
        crosses = false;
    }
    node_ready(f, run, next, ready, looks || crosses);
}

bool gsim_graphs_copies_on(const struct gsim_front *f, const struct gsim_command *copy, uint32_t *next)
{
    const struct gsim_exec_state *x = &f->process->execs[copy->graph_run->exec];
    for (uint32_t i = x->first_successor[copy->node]; i < x->first_successor[copy->node + 1]; i++) {
        *next = x->successors[i];
        const struct gsim_op *op = x->ops[*next];
        if (x->fronts[*next] == f && op->kind == GSIM_OP_COPY && op->copy_kind == copy->copy_kind &&
            gsim_copies_unit(f->device, op) != GSIM_UNIT_SMS && copy->graph_run->predecessors_left[*next] == 1)
            return true;
    }
    return false;
}

static bool has_signals(const struct gsim_device_spec *spec)
{
    return spec->graph_signal_us > 0 && gsim_rule_holds(spec->rules_off, GSIM_RULE_GRAPH_SIGNAL);
}

static void node_ended(struct gsim_command *node)
{
    struct gsim_front *f = node->front;
    struct gsim_graph_run *run = node->graph_run;
    struct gsim_exec_state *x = &f->process->execs[run->exec];
    uint32_t unit = gsim_copies_unit(f->device, node->op);
    f->graph_kernels -= node->op->kind == GSIM_OP_KERNEL;
    if (x->signals[node->node] && unit == GSIM_UNIT_SMS && has_signals(f->device->spec))
        gsim_machine_at(f->machine, f->machine->now + gsim_time_from_us(f->device->spec->graph_node_gap_us),
                        start_signal, f);
    for (uint32_t i = x->first_successor[node->node]; i < x->first_successor[node->node + 1]; i++) {
        uint32_t next = x->successors[i];
        if (run->early && run->early[next]) {
            gsim_machine_at(f->machine, f->machine->now + f->device->gaps.programmatic, let_go, run->early[next]);
            run->early[next] = NULL;
        } else if (--run->predecessors_left[next] == 0) {
            if (x->fronts[next] == f) follow(f, run, next, unit);
            else follow_across(f, run, next);
        }
    }
    gsim_machine_op_ended(f->machine, node);
    gsim_command_free(f->machine, node);
    if (--run->nodes_left) return;
    run->next_idle = x->idle_runs;
    x->idle_runs = run;
    run->command->ended(run->command);
}
