/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A server's GPU by the calls of a driver (serving/machine.h): steps that are graphs are instantiated before the
 * first, the kernels of others are launched one by one. The host spends what the spec says on each launch.
 */
#include <math.h>

#include "gpusim/schedulers/dag.h"
#include "serving/library.h"

#define PS_PER_US   1e6
#define ROUNDING_PS 1e-3

/* Of a step that is a graph: kernels and copies between two ops of the host are a graph of their own, copies alone are
 * called one by one. */
struct part {
    uint32_t begin, end;  /* in the lowered list */
    gsim_graph_exec exec; /* 0: no graph */
    bool waits;           /* an op of the host, for what the step did before */
};

struct prepared {
    uint32_t begin, end; /* in the lowered list */
    uint32_t first_part, part_count, last_graph;
    double weight_us;
};

struct driven {
    struct gsim_serving_machine machine;
    const struct gsim_library *library;
    struct gsim_driver *driver;
    const struct gsim_oplist *list;
    struct gsim_dag dag;
    struct prepared *steps;
    struct part *parts;
    uint32_t part_count;
    gsim_graph_node *nodes;   /* scratch: what one depends on */
    gsim_graph_node *numbers; /* by place in the list: its node in its graph */
    gsim_stream main, side;
    gsim_event ended;
    double origin_us; /* it is ready: its times count from then, as arrivals do */
};

static bool is_host(const struct driven *d, uint32_t i) { return gsim_op_is_host(d->list->ops[i]); }

static void build(struct driven *d, const struct prepared *step, struct part *part)
{
    bool has_kernels = false;
    for (uint32_t i = part->begin; i < part->end; i++) has_kernels |= d->list->ops[i]->kind == GSIM_OP_KERNEL;
    gsim_graph graph = has_kernels ? gsim_graph_create(d->driver) : 0;
    for (uint32_t i = part->begin; i < part->end; i++) {
        uint32_t count = 0;
        for (uint32_t e = d->dag.pred_start[i]; e < d->dag.pred_start[i + 1]; e++) {
            uint32_t pred = d->dag.preds[e];
            if (pred >= part->begin) d->nodes[count++] = d->numbers[pred];
            part->waits |= is_host(d, i) && pred >= step->begin && !is_host(d, pred);
        }
        if (graph) d->numbers[i] = gsim_graph_add(d->driver, graph, d->list->ops[i], d->nodes, count);
    }
    if (!graph) return;
    part->exec = gsim_graph_instantiate(d->driver, graph);
    gsim_graph_destroy(d->driver, graph);
}

/* The host's own work behind the last graph is done while that runs, unless it names what it comes after. */
static void launch_parts(struct driven *d, const struct prepared *step, gsim_stream stream)
{
    const struct gsim_serving_host *host = &d->library->spec->host;
    for (uint32_t p = 0; p < step->part_count; p++) {
        const struct part *part = &d->parts[step->first_part + p];
        const struct gsim_op *first = d->list->ops[part->begin];
        bool is_behind = p > step->last_graph, is_access = first->kind < GSIM_OP_HOST_COMPUTE;
        if (part->exec) gsim_graph_launch(d->driver, part->exec, stream);
        if (part->waits && (!is_behind || first->host_us > 0)) gsim_stream_synchronize(d->driver, stream);
        for (uint32_t i = part->begin; i < part->end && !part->exec; i++)
            if (!is_behind || !is_host(d, i) || !is_access) gsim_op_issue(d->driver, d->list->ops[i], stream);
        if (p != step->last_graph) continue;
        double rest = host->node_us * (step->end - step->begin) - host->launch_us;
        if (rest > 0) gsim_host_work(d->driver, rest, "launch");
    }
}

static void launch(struct driven *d, uint32_t index, gsim_stream stream)
{
    const struct prepared *step = &d->steps[index];
    gsim_host_work(d->driver, d->library->spec->host.launch_us, "launch");
    if (d->library->is_graph[index]) launch_parts(d, step, stream);
    else
        for (uint32_t i = step->begin; i < step->end; i++) gsim_op_issue(d->driver, d->list->ops[i], stream);
}

static struct driven *self(struct gsim_serving_machine *machine) { return (struct driven *)machine; }

/* In whole picoseconds, as the driver's clock has them. */
static double now_us(struct gsim_serving_machine *m)
{
    return rint((gsim_now_us(self(m)->driver) - self(m)->origin_us) * PS_PER_US) / PS_PER_US;
}
static void work(struct gsim_serving_machine *m, double us)
{
    if (us > 0) gsim_host_work(self(m)->driver, us, "server");
}
/* Rounded up: a server that wakes before its request would idle for ever. */
static void idle_until(struct gsim_serving_machine *m, double us)
{
    double ps = (us - now_us(m)) * PS_PER_US;
    if (ps > 0) work(m, fmax(ceil(ps - ROUNDING_PS), 1) / PS_PER_US);
}
static void begin(struct gsim_serving_machine *m, struct gsim_serving_launch l)
{
    launch(self(m), l.index, self(m)->side);
    gsim_event_record(self(m)->driver, self(m)->ended, self(m)->side);
}
static bool has_ended(struct gsim_serving_machine *m) { return gsim_event_query(self(m)->driver, self(m)->ended); }
static void wait(struct gsim_serving_machine *m) { gsim_event_synchronize(self(m)->driver, self(m)->ended); }
static void run(struct gsim_serving_machine *m, const struct gsim_serving_launch *launches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) launch(self(m), launches[i].index, self(m)->main);
    gsim_stream_synchronize(self(m)->driver, self(m)->main);
}
static bool has_failed(const struct gsim_serving_machine *m)
{
    return gsim_driver_failed(((const struct driven *)m)->driver);
}

static double weight_us(struct gsim_serving_machine *m, uint32_t step) { return self(m)->steps[step].weight_us; }

static const struct gsim_serving_machine_ops ops = {now_us, idle_until, work, begin, has_ended, wait,
                                                    run,    weight_us,  has_failed};

struct gsim_serving_machine *gsim_serving_driven(struct gsim_run *run, const struct gsim_library *library,
                                                 struct gsim_error *error)
{
    struct gsim_lowering lowering;
    struct driven *d = GSIM_ARENA_NEW(run->arena, struct driven);
    struct gsim_oplist *list = GSIM_ARENA_NEW(run->arena, struct gsim_oplist);
    gsim_no_memory(error); /* unless a call says what else */
    if (!d || !list || gsim_moves_lower(run, gsim_moves_place_default(run), &lowering, error)) return NULL;
    gsim_lowering_drop_overhead(&lowering);
    *list = lowering.first;
    *d = (struct driven){.machine.ops = &ops, .library = library, .driver = run->driver, .list = list};
    d->steps = GSIM_ARENA_ARRAY(run->arena, struct prepared, library->set.count + 1);
    d->nodes = GSIM_ARENA_ARRAY(run->arena, gsim_graph_node, (size_t)list->op_count + 1);
    d->numbers = GSIM_ARENA_ARRAY(run->arena, gsim_graph_node, (size_t)list->op_count + 1);
    d->parts = GSIM_ARENA_ARRAY(run->arena, struct part, (size_t)list->op_count + 1);
    if (!d->steps || !d->parts || !d->nodes || !d->numbers || gsim_dag_build(run, list, &d->dag, error)) return NULL;
    const struct gsim_task_set *set = &d->library->set;
    for (uint32_t s = 0, i = 0; s < set->count; s++) {
        uint32_t last = set->first_op[s] + set->programs[s].op_count;
        d->steps[s].begin = i;
        while (i < d->list->op_count && d->list->ops[i]->index < last) i++;
        d->steps[s].end = i;
        for (uint32_t n = d->steps[s].begin; n < i; n++)
            d->steps[s].weight_us += gsim_estimate_us(run, d->list->ops[n]);
    }
    for (uint32_t s = 0; s < library->set.count; s++)
        if (library->is_graph[s]) {
            struct prepared *step = &d->steps[s];
            step->first_part = d->part_count;
            for (uint32_t i = step->begin; i < step->end;) {
                struct part *part = &d->parts[d->part_count++];
                part->begin = i++;
                while (!is_host(d, part->begin) && i < step->end && !is_host(d, i)) i++;
                part->end = i;
                build(d, step, part);
                if (part->exec) step->last_graph = step->part_count;
                step->part_count++;
            }
        }
    gsim_dag_release(&d->dag);
    d->main = gsim_stream_create(run->driver, library->spec->beside == GSIM_BESIDE_URGENT ? -1 : 0);
    d->side = gsim_stream_create(run->driver, 0);
    d->ended = gsim_event_create(run->driver, GSIM_EVENT_NO_TIMING);
    d->origin_us = gsim_now_us(run->driver);
    *error = (struct gsim_error){0};
    return &d->machine;
}
