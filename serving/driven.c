/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A server's GPU by the calls of a driver (serving/machine.h): steps that are graphs are instantiated before the
 * first, the kernels of others are launched one by one. The host spends what the spec says on each launch.
 */
#include "gpusim/schedulers/dag.h"
#include "serving/library.h"

struct prepared {
    uint32_t begin, end; /* in the lowered list */
    gsim_graph_exec exec;
};

struct driven {
    struct gsim_serving_machine machine;
    const struct gsim_library *library;
    struct gsim_driver *driver;
    const struct gsim_oplist *list;
    struct gsim_dag dag;
    struct prepared *steps;
    gsim_graph_node *nodes;   /* scratch: what one depends on */
    gsim_graph_node *numbers; /* by place in the list: its node in its graph */
    gsim_stream main, side;
    gsim_event ended;
    double origin_us; /* it is ready: its times count from then, as arrivals do */
};

static void build(struct driven *d, struct prepared *step)
{
    gsim_graph graph = gsim_graph_create(d->driver);
    uint32_t added = 0;
    for (uint32_t i = step->begin; i < step->end; i++) {
        uint32_t count = 0;
        if (gsim_op_is_host(d->list->ops[i])) continue;
        for (uint32_t e = d->dag.pred_start[i]; e < d->dag.pred_start[i + 1]; e++)
            if (d->dag.preds[e] >= step->begin && !gsim_op_is_host(d->list->ops[d->dag.preds[e]]))
                d->nodes[count++] = d->numbers[d->dag.preds[e]];
        d->numbers[i] = gsim_graph_add(d->driver, graph, d->list->ops[i], d->nodes, count);
        added++;
    }
    if (added) step->exec = gsim_graph_instantiate(d->driver, graph);
    gsim_graph_destroy(d->driver, graph);
}

/* Host time of the program itself, beside what a framework does between its calls. */
static void work_of(struct driven *d, const struct prepared *step)
{
    for (uint32_t i = step->begin; i < step->end; i++)
        if (d->list->ops[i]->kind == GSIM_OP_HOST_COMPUTE) gsim_host_work(d->driver, d->list->ops[i]->host_us, "step");
}

static void launch(struct driven *d, uint32_t index, gsim_stream stream)
{
    const struct gsim_serving_host *host = &d->library->spec->host;
    struct prepared *step = &d->steps[index];
    gsim_host_work(d->driver, host->launch_us, "launch");
    if (!d->library->is_graph[index]) {
        for (uint32_t i = step->begin; i < step->end; i++) gsim_op_issue(d->driver, d->list->ops[i], stream);
        return;
    }
    if (step->exec) gsim_graph_launch(d->driver, step->exec, stream);
    double rest = host->node_us * (step->end - step->begin) - host->launch_us;
    if (rest > 0) gsim_host_work(d->driver, rest, "launch");
    work_of(d, step);
}

static struct driven *self(struct gsim_serving_machine *machine) { return (struct driven *)machine; }

static double now_us(struct gsim_serving_machine *m) { return gsim_now_us(self(m)->driver) - self(m)->origin_us; }
static void work(struct gsim_serving_machine *m, double us)
{
    if (us > 0) gsim_host_work(self(m)->driver, us, "server");
}
static void idle_until(struct gsim_serving_machine *m, double us) { work(m, us - now_us(m)); }
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

static const struct gsim_serving_machine_ops ops = {now_us, idle_until, work, begin, has_ended, wait, run, has_failed};

static void find_ranges(struct driven *d)
{
    const struct gsim_task_set *set = &d->library->set;
    for (uint32_t s = 0, i = 0; s < set->count; s++) {
        uint32_t last = set->first_op[s] + set->programs[s].op_count;
        d->steps[s].begin = i;
        while (i < d->list->op_count && d->list->ops[i]->index < last) i++;
        d->steps[s].end = i;
    }
}

struct gsim_serving_machine *gsim_serving_driven(struct gsim_run *run, const struct gsim_library *library,
                                                 struct gsim_error *error)
{
    struct gsim_lowering lowering;
    struct driven *d = GSIM_ARENA_NEW(run->arena, struct driven);
    struct gsim_oplist *list = GSIM_ARENA_NEW(run->arena, struct gsim_oplist);
    gsim_error_set(error, GSIM_NOMEM, "out of memory"); /* unless a call says what else */
    if (!d || !list || gsim_moves_lower(run, gsim_moves_place_default(run), &lowering, error)) return NULL;
    gsim_lowering_drop_overhead(&lowering);
    *list = lowering.first;
    *d = (struct driven){.machine.ops = &ops, .library = library, .driver = run->driver, .list = list};
    d->steps = GSIM_ARENA_ARRAY(run->arena, struct prepared, library->set.count + 1);
    d->nodes = GSIM_ARENA_ARRAY(run->arena, gsim_graph_node, (size_t)list->op_count + 1);
    d->numbers = GSIM_ARENA_ARRAY(run->arena, gsim_graph_node, (size_t)list->op_count + 1);
    if (!d->steps || !d->nodes || !d->numbers || gsim_dag_build(run, list, &d->dag, error)) return NULL;
    find_ranges(d);
    for (uint32_t s = 0; s < library->set.count; s++)
        if (library->is_graph[s]) build(d, &d->steps[s]);
    gsim_dag_release(&d->dag);
    d->main = gsim_stream_create(run->driver, library->spec->beside == GSIM_BESIDE_URGENT ? -1 : 0);
    d->side = gsim_stream_create(run->driver, 0);
    d->ended = gsim_event_create(run->driver, GSIM_EVENT_NO_TIMING);
    d->origin_us = gsim_now_us(run->driver);
    *error = (struct gsim_error){0};
    return &d->machine;
}
