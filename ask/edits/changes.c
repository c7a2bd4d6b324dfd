/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/edits/changes.h. What changes do to the program is ask/edits/edits.c's; here what they do to the rest of the
 * simulation. */
#include "ask/edits/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/energy.h"
#include "gpusim/timeline.h"
#include "sim/device/other.h"
#include "sim/program/check.h"
#include "sim/sm/demand.h"
#include "ask/edits/edit.h"
#include "ask/edits/ranks.h"

/* --- the edits: each says how much it does; UINT32_MAX when memory is out or ERROR is set --- */
struct editing {
    struct gsim_variant *v;
    struct gsim_edit *e; /* of the client's program; of one that is drawn, of none */
    const struct gsim_change *c;
    const struct gsim_changeable *base;
    uint32_t client;
    struct gsim_error *error;
};

static void note(struct gsim_variant *v, const char *text)
{
    size_t length = strlen(v->note);
    if (strstr(v->note, text)) return; /* of another client */
    snprintf(v->note + length, sizeof v->note - length, "%s%s", length ? "; " : "", text);
}

static bool is_drawn(const struct gsim_changeable *base, uint32_t client)
{
    return base->clients ? base->clients[client].task && base->clients[client].task->source
                         : base->simulation->source != NULL;
}

static uint32_t count_programs(const struct gsim_changeable *base)
{
    return base->library ? base->library->set.count : base->clients ? base->client_count : 1;
}

/* What was edited, TOUCHED, is issued by a scheduler. */
static uint32_t issue_by(struct editing *x, const char *name, uint32_t touched)
{
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(name);
    if (!touched || touched == UINT32_MAX) return touched;
    void *params = gsim_arena_alloc(&x->v->arena, ops->params_size + 1);
    if (!params) return UINT32_MAX;
    gsim_params_set_defaults(ops->params, params);
    x->v->simulation.scheduler = ops;
    x->v->simulation.scheduler_params = params;
    return touched;
}

static uint32_t edit_device(struct editing *x)
{
    struct gsim_variant *v = x->v;
    struct gsim_device_spec from = v->device;
    struct gsim_other_law law;
    enum gsim_status status = gsim_other_law_load(&law, x->error);
    if (!status && !v->has_other) status = gsim_device_load(x->c->argument, &v->other, x->error);
    if (status) (void)gsim_error_prefix(x->error, "--change device=%.60s", x->c->argument);
    if (status) return UINT32_MAX;
    if (!v->has_other) gsim_other_replace(&v->other, &from);
    v->has_other = v->has_effect = true;
    v->simulation.devices = NULL; /* all are this one */
    v->device = v->other;
    v->device.arena = (struct gsim_arena){0};
    uint32_t count = gsim_edit_move(x->e, &law, &from, &v->device, &v->moved);
    if (count == UINT32_MAX || x->client + 1 < count_programs(x->base)) return count == UINT32_MAX ? count : 1;
    v->moved.off_us = hypot(v->moved.off_us, law.off_common * v->moved.after_us);
    const struct gsim_edit_moved *m = &v->moved;
    char text[160];
    v->off_ratio = gsim_change_error(GSIM_CHANGE_DEVICE);
    if (m->before_us > 0) v->off_ratio = m->off_us / m->after_us;
    snprintf(text, sizeof text,
             "kernels of %.1f us take %.1f there, +- %.1f by shares of DRAM and units; host as it is", m->before_us,
             m->after_us, m->off_us);
    note(v, m->before_us > 0 ? text : "kernels by what they demand; copies by the link there; host as it is");
    if (gsim_other_is_assumed(&v->other)) note(v, GSIM_OTHER_ASSUMED);
    if (m->cut) {
        snprintf(text, sizeof text, "%u kernels cut to the shared memory there", m->cut);
        note(v, text);
    }
    return 1;
}

void gsim_edit_hasten_link(struct gsim_device_spec *d, double factor)
{
    double *const rates[] = {&d->h2d_gbps,          &d->cached_h2d_gbps,   &d->d2h_gbps,      &d->bidirectional_gbps,
                             &d->pageable_h2d_gbps, &d->pageable_d2h_gbps, &d->prefetch_gbps, &d->fault_total_gbps};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) *rates[i] *= factor;
}

/* Over the link: by copies, or MANAGED, by faults and prefetches. Buffers are the runs' memory, managed or not: a
 * trace's program has none that the host fills or reads. */
static bool moves_data(const struct gsim_program *p, bool managed)
{
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_op *op = &p->ops[i];
        if (op->kind == GSIM_OP_HOST_READ || op->kind == GSIM_OP_HOST_WRITE ||
            (managed ? op->kind == GSIM_OP_PREFETCH : op->kind == GSIM_OP_COPY && op->copy_kind != GSIM_COPY_D2D))
            return true;
    }
    for (uint32_t i = 0; i < p->buffer_count; i++)
        if (p->buffers[i].init == GSIM_INIT_HOST) return true;
    return false;
}

static uint32_t edit_link(struct editing *x)
{
    uint32_t touched = gsim_edit_hasten_copies(x->e, &x->v->device, x->c->factor);
    gsim_edit_hasten_link(&x->v->device, x->c->factor);
    return touched ? touched : is_drawn(x->base, x->client) || moves_data(x->e->source, false);
}

static uint32_t edit_pinned(struct editing *x)
{
    struct gsim_simulation *s = &x->v->simulation;
    uint32_t touched = gsim_edit_pin(x->e);
    if (!touched && s->memory != GSIM_MEMORY_PINNED && x->base->has_data) touched = moves_data(x->e->source, false);
    if (!touched || touched == UINT32_MAX) return touched;
    s->memory = GSIM_MEMORY_PINNED;
    s->prefetch = true;
    return touched;
}

static uint32_t edit_hw_queues(struct editing *x)
{
    double *queues = &x->v->device.hw_queues, before = *queues;
    uint32_t count = is_drawn(x->base, x->client) ? UINT32_MAX : 0;
    bool seen[1024] = {false};
    for (uint32_t i = 0; i < x->e->source->op_count; i++) {
        int32_t stream = x->e->ops[i].stream;
        if (stream < 0 || stream >= 1024 || seen[stream]) continue;
        seen[stream] = true;
        count++;
    }
    *queues = x->c->factor;
    return count > fmin(before, x->c->factor) && before != x->c->factor;
}

static uint32_t edit_power(struct editing *x)
{
    struct gsim_device_spec *d = &x->v->device;
    if (!gsim_power_is_limited(d) || x->c->factor <= d->base_w || x->c->factor == d->limit_w) return 0;
    d->limit_w = x->c->factor;
    if (!(d->recorded_w > 0)) note(x->v, "from rest: the limit acts after device.clock_window_us");
    return 1;
}

/* Kernels on managed memory do not go ahead; a traced program, which moves its data itself, has none. */
static uint32_t edit_pdl(struct editing *x)
{
    struct gsim_variant *v = x->v;
    double prologue = x->c->factor;
    char text[96] = "assumed: kernels trigger at their ends, which saves the gap only";
    if (v->simulation.memory == GSIM_MEMORY_MANAGED && !moves_data(x->e->source, true))
        v->simulation.memory = GSIM_MEMORY_PINNED;
    if (v->device.compute_capability < 90 || v->simulation.memory == GSIM_MEMORY_MANAGED) return 0;
    uint32_t touched = gsim_edit_launch_ahead(x->e, prologue);
    if (prologue > 0)
        snprintf(text, sizeof text, "assumed: %g %% of each kernel before its wait, trigger half-way", 100 * prologue);
    if (touched && touched != UINT32_MAX) note(v, text);
    return touched;
}

#define GRAPH_LEAVES_US 100 /* torch.compile(mode="reduce-overhead") on three hosts: 80, 107, 161 */

/* Before a step's launches Python stays: what a trace has there, at least PyTorch's guard, wrapper and copies of inputs
 * around a graph, though no more than the host takes now. Without PyTorch, whose time between calls has no owner, there
 * is none. */
static void leave_host(struct gsim_variant *v, struct gsim_edit *e)
{
    double before_us = 0, now_us = 0;
    struct gsim_op *first = e->source->op_count ? &e->ops[0] : NULL;
    bool is_step = first && first->kind == GSIM_OP_HOST_COMPUTE && !first->overhead && !first->after_count,
         has_framework = false;
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        const struct gsim_op *op = &e->ops[i];
        bool is_host = op->kind == GSIM_OP_HOST_COMPUTE;
        has_framework |= is_host && op->overhead && !op->what;
        now_us += is_host ? op->host_us : v->device.launch_us;
    }
    if (!is_step || !has_framework || !e->kernel_count || !e->kernels[0].solo_profiled) return;
    for (uint32_t i = 0; i < e->source->op_count && e->ops[i].kind == GSIM_OP_HOST_COMPUTE; i++)
        before_us += e->ops[i].overhead ? 0 : e->ops[i].host_us;
    double stays_us = fmin(GRAPH_LEAVES_US, now_us);
    if (before_us >= stays_us) return;
    first->host_us += stays_us - before_us;
    note(v, "PyTorch's guard, wrapper and copies of inputs stay: 100 us of each step (70 to 160 in 3 traces)");
}

/* Of clients all of a step, on all of its streams (ask/edits/collectives.c). */
static uint32_t edit_graph(struct editing *x)
{
    const struct gsim_changeable *base = x->base;
    const char *scheduler =
        base->clients ? base->clients[x->client].scheduler->name : x->v->simulation.scheduler->name;
    bool is_serial = strcmp(scheduler, "serial") == 0, is_graph = strcmp(scheduler, "cudagraph") == 0;
    if (base->library ? x->v->graphs[x->client] : is_graph) return 0;
    if (base->clients) return issue_by(x, "cudagraph", 1);
    uint32_t touched = gsim_edit_count_rows(x->e);
    if (touched && touched != UINT32_MAX)
        (void)gsim_error_set(x->error, GSIM_INPUT,
                             "%u kernels run beside another stream's: graphs in one stream, parted by the host, put "
                             "them in a row", touched);
    if (touched) return UINT32_MAX;
    if (is_serial || strcmp(scheduler, "async") == 0) touched = gsim_edit_order_streams(x->e, is_serial);
    if (touched == UINT32_MAX) return touched;
    leave_host(x->v, x->e);
    gsim_edit_gather_host(x->e);
    if (!base->library) return issue_by(x, "cudagraph", x->e->source->op_count);
    x->v->graphs[x->client] = true;
    return x->e->source->op_count;
}

static uint32_t edit_dag(struct editing *x) { return issue_by(x, "cudagraph", x->base->has_data); }

static uint32_t edit_streams(struct editing *x)
{
    return x->base->has_data ? issue_by(x, "async", gsim_edit_spread(x->e, gsim_whole_u32(x->c->factor))) : 0;
}

/* What launch calls take, and what they take longer than the model's where a graph would save it. */
static uint32_t edit_launch(struct editing *x)
{
    struct gsim_device_spec *d = &x->v->device;
    d->launch_us /= x->c->factor;
    d->graph_launch_us /= x->c->factor;
    d->graph_launch_node_us /= x->c->factor;
    for (uint32_t i = 0; i < x->e->source->op_count; i++) {
        struct gsim_op *op = &x->e->ops[i];
        if (op->kind == GSIM_OP_HOST_COMPUTE && op->overhead && op->what &&
            strncmp(op->what, GSIM_HOST_IN_LAUNCH, strlen(GSIM_HOST_IN_LAUNCH)) == 0)
            op->host_us /= x->c->factor;
    }
    return 1;
}

static uint32_t edit_nosync(struct editing *x) { return gsim_edit_drop_syncs(x->e); }
static uint32_t edit_priorities(struct editing *x) { return gsim_edit_rank_streams(x->e, &x->v->device, x->error); }
static uint32_t edit_fuse(struct editing *x) { return gsim_edit_fuse(x->e); }
static uint32_t edit_kernel(struct editing *x) { return gsim_edit_hasten(x->e, x->c->argument, x->c->factor); }
static uint32_t edit_kernels(struct editing *x) { return gsim_edit_hasten(x->e, NULL, x->c->factor); }
static uint32_t edit_ranks(struct editing *x) { return gsim_changeable_has_ranks(x->base); }

static uint32_t edit_rank(struct editing *x)
{
    bool is_it = gsim_changeable_has_ranks(x->base) &&
                 strtoul(x->c->argument, NULL, 10) == x->base->clients[x->client].rank;
    return is_it ? edit_kernels(x) : 0;
}

static uint32_t edit_share(struct editing *x)
{
    const struct gsim_sharing_ops *now = x->base->simulation->sharing, *ops;
    if (!x->base->clients || gsim_changeable_has_ranks(x->base)) return 0;
    if (gsim_sharing_load(x->c->argument, &ops, x->error)) (void)gsim_error_prefix(x->error, "--change share");
    else if (ops->needs_profile)
        (void)gsim_error_set(x->error, GSIM_INPUT, "share=%s: needs a profile of the tasks", ops->name);
    if (x->error->status) return UINT32_MAX;
    x->v->simulation.sharing = ops;
    if (ops != now) x->v->simulation.sharing_params = NULL;
    return ops != now;
}

static const char needs_ranks[] = "needs ranks", needs_server[] = "needs a server",
                  needs_data[] = "needs what each op reads and writes: in the program, of a trace --execution-trace";
/* What makes the change of a client, and why it would change nothing; without a function it is one of collectives or of
 * servers. Another device comes first, schedulers last: they take the streams as edited. Edits of the machine work on a
 * program that is drawn while it runs. */
static const struct {
    uint32_t (*edit)(struct editing *x);
    const char *why_not;
    int step; /* FIRST to LAST */
    bool is_of_machine;
} edits[GSIM_CHANGE_COUNT] = {
#define FIRST (-1)
#define LAST  1
    [GSIM_CHANGE_GRAPH] = {.edit = edit_graph, .why_not = "it is a CUDA graph already", .step = LAST},
    [GSIM_CHANGE_DAG] = {.edit = edit_dag, .why_not = needs_data, .step = LAST},
    [GSIM_CHANGE_STREAMS] = {.edit = edit_streams, .why_not = needs_data, .step = LAST},
    [GSIM_CHANGE_NOSYNC] = {.edit = edit_nosync, .why_not = "no synchronisation that nothing needs"},
    [GSIM_CHANGE_PRIORITIES] = {.edit = edit_priorities, .why_not = "one stream only"},
    [GSIM_CHANGE_PDL] = {.edit = edit_pdl, .why_not = "needs compute capability 9.0, memory that is not managed, and a "
                                                      "kernel behind another in a stream"},
    [GSIM_CHANGE_FUSE] = {.edit = edit_fuse, .why_not = "no chain of small elementwise kernels"},
    [GSIM_CHANGE_PINNED] = {.edit = edit_pinned, .why_not = "no copies of pageable or managed memory"},
    [GSIM_CHANGE_KERNEL] = {.edit = edit_kernel, .why_not = "no kernel has that name"},
    [GSIM_CHANGE_KERNELS] = {.edit = edit_kernels},
    [GSIM_CHANGE_DEVICE] = {edit_device, NULL, FIRST, true},
    [GSIM_CHANGE_LAUNCH] = {edit_launch, NULL, 0, true},
    [GSIM_CHANGE_HW_QUEUES] = {edit_hw_queues, "each stream has a queue of its own, or there are as many", 0, true},
    [GSIM_CHANGE_POWER] = {edit_power, "it has that limit, its idle power is above, or its power is not known", 0,
                           true},
    [GSIM_CHANGE_LINK] = {edit_link, "nothing goes over the link", 0, true},
    [GSIM_CHANGE_SHARE] = {edit_share, "needs tasks that share otherwise", 0, true},
    [GSIM_CHANGE_COMM] = {edit_ranks, needs_ranks, 0, true},
    [GSIM_CHANGE_RANK] = {edit_rank, needs_ranks, 0, true},
    [GSIM_CHANGE_RANKS] = {edit_ranks, needs_ranks, 0, true},
    [GSIM_CHANGE_NODE] = {edit_ranks, needs_ranks, 0, true},
    [GSIM_CHANGE_BATCHING] = {.why_not = needs_server},
    [GSIM_CHANGE_BESIDE] = {.why_not = needs_server},
    [GSIM_CHANGE_REPLICAS] = {.why_not = needs_server},
    [GSIM_CHANGE_RATE] = {.why_not = needs_server},
};

static const char *why_not(enum gsim_change_kind kind, bool has_data)
{
    if (gsim_change_is_collective(kind)) return "no collective that it changes";
    if (edits[kind].why_not == needs_data && has_data) return "each op is in that stream already";
    return edits[kind].why_not ? edits[kind].why_not : "nothing to change";
}

void gsim_variant_share_works(struct gsim_variant *v, const struct gsim_simulation *base)
{
    const struct gsim_program *p = base->program;
    uint32_t changed = 0, count = p->kernel_count;
    struct gsim_error ignored = {0};
    if (!base->demands || v->program.kernel_count != count) return;
    for (uint32_t k = 0; k < count; k++) changed += !gsim_kernel_is_same(&v->program.kernels[k], &p->kernels[k]);
    if (!changed) v->simulation.demands = base->demands;
    struct gsim_demand *demands = changed ? GSIM_ARENA_ARRAY(&v->arena, struct gsim_demand, count) : NULL;
    if (!demands) return;
    memcpy(demands, base->demands, sizeof *demands * count);
    for (uint32_t k = 0; k < count; k++) {
        if (gsim_kernel_is_same(&v->program.kernels[k], &p->kernels[k])) continue;
        if (gsim_demands_init(&demands[k], 1, &v->device, &v->program.kernels[k], &ignored) != GSIM_OK)
            return; /* for the run to tell */
    }
    v->simulation.demands = demands;
}

/* What CHANGES do to the program of one client, beside its collectives. PROGRAM stays empty where it is drawn. */
static enum gsim_status edit_program(struct gsim_variant *v, const struct gsim_changeable *base, uint32_t client,
                                     const struct gsim_program *from, const struct gsim_change *changes, size_t count,
                                     struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_edit edit;
    struct editing x = {.v = v, .e = &edit, .base = base, .client = client, .error = error};
    enum gsim_status status = GSIM_OK;
    bool has_memory = gsim_edit_begin(&edit, from), is_known = !is_drawn(base, client);
    v->device = *base->simulation->device; /* each client's changes are made on it again */
    v->device.arena = (struct gsim_arena){0};
    for (uint32_t i = 0; i < from->op_count && has_memory && base->host_factor > 0; i++)
        if (edit.ops[i].kind == GSIM_OP_HOST_COMPUTE) edit.ops[i].host_us *= base->host_factor;
    for (int step = FIRST; step <= LAST; step++)
        for (size_t i = 0; i < count && has_memory && !status; i++) {
            enum gsim_change_kind kind = changes[i].kind;
            bool is_unlike = base->simulation->devices && edits[kind].is_of_machine && edits[kind].step != FIRST;
            bool is_edited = !is_unlike && (is_known || edits[kind].is_of_machine || !edits[kind].edit);
            x.c = &changes[i];
            if (edits[kind].step != step || gsim_change_is_collective(kind)) continue;
            if (base->library && !gsim_change_is_of_steps(kind)) continue;
            uint32_t touched = edits[kind].edit && is_edited ? edits[kind].edit(&x) : 0;
            if (touched == UINT32_MAX) status = error->status;
            has_memory = status || touched != UINT32_MAX;
            v->touched |= (uint64_t)(touched > 0) << i;
            if (!touched && !base->library && !(gsim_changeable_has_ranks(base) && kind == GSIM_CHANGE_RANK))
                note(v, is_edited   ? why_not(kind, base->has_data)
                        : is_unlike ? "the GPUs are unlike, and it would change the first"
                                    : "its program is drawn while it runs");
            v->has_effect |= touched > 0;
        }
    if (has_memory && !status && is_known) return gsim_edit_finish(&edit, program, error);
    gsim_edit_release(&edit);
    if (has_memory) return status;
    return gsim_error_set(error, GSIM_NOMEM, "cannot change the program: out of memory");
}

static enum gsim_status edit_client(struct gsim_variant *v, const struct gsim_changeable *base, uint32_t client,
                                    struct gsim_rank_changes *r, const struct gsim_change *changes, size_t count,
                                    struct gsim_program *program, struct gsim_error *error)
{
    static const struct gsim_program none;
    const struct gsim_program *from = is_drawn(base, client) ? &none
                                      : base->library        ? &base->library->programs[client]
                                      : base->clients        ? base->clients[client].program
                                                             : base->simulation->program;
    const struct gsim_gradients *gradients = base->gradients ? &base->gradients[client] : NULL;
    struct gsim_program edited = {0};
    bool has_effect = false;
    if (from == &none || base->library || (!gsim_changeable_has_ranks(base) && !r->edits_collectives))
        return edit_program(v, base, client, from, changes, count, program, error);
    r->edit.gradients = gradients ? gradients->list : NULL;
    r->edit.gradient_count = gradients ? gradients->count : 0;
    enum gsim_status status = gsim_collective_edit(from, &r->edit, &edited, &has_effect, error);
    v->has_effect |= has_effect;
    if (!status && r->edit.overlap > 0)
        note(v, "no kernel waits for a collective: the most that overlap can give");
    if (!status && has_effect && r->edit.bucket_bytes && !r->edit.gradient_count)
        note(v, "taken to come evenly between two all-reduces: the trace does not say how gradients come");
    if (!status) status = edit_program(v, base, client, &edited, changes, count, program, error);
    gsim_program_release(&edited);
    return status;
}

static enum gsim_status join(struct gsim_variant *v, const struct gsim_changeable *base, struct gsim_rank_changes *r,
                             struct gsim_client *clients, struct gsim_error *error)
{
    char text[160] = "";
    bool is_rescheduled = v->simulation.scheduler != base->simulation->scheduler;
    enum gsim_status status = GSIM_OK;
    if (gsim_changeable_has_ranks(base))
        status = gsim_rank_changes_join(r, clients, base->client_count, v->device.name, text, sizeof text, error);
    if (status) return status;
    if (text[0]) note(v, text);
    for (uint32_t i = 0; i < base->client_count && is_rescheduled; i++) {
        clients[i].scheduler = v->simulation.scheduler;
        clients[i].scheduler_params = v->simulation.scheduler_params;
    }
    v->scenario.simulation = v->simulation;
    status = gsim_scenario_join(&v->scenario, clients, base->client_count, &r->links, base->iterations, error);
    v->simulation = v->scenario.simulation;
    return status;
}

/* What a change has no effect on, in no step, is told once. */
static enum gsim_status join_server(struct gsim_variant *v, const struct gsim_changeable *base,
                                    const struct gsim_change *changes, size_t count, struct gsim_error *error)
{
    enum gsim_status status = gsim_variant_join_server(v, base, changes, count, &v->touched, error);
    for (size_t i = 0; i < count && !status; i++)
        if (!(v->touched >> i & 1))
            note(v, changes[i].kind >= GSIM_CHANGE_BATCHING       ? "the server has that already"
                    : changes[i].kind == GSIM_CHANGE_POWER      ? "each of a server's steps is simulated from rest"
                    : !gsim_change_is_of_steps(changes[i].kind) ? "a server's steps are launched as they are"
                    : v->spec.profile                           ? "its steps are a profile's times, not programs"
                                                                : why_not(changes[i].kind, true));
    return status;
}

enum gsim_status gsim_variant_of(struct gsim_variant *v, const struct gsim_changeable *base,
                                 const struct gsim_change *changes, size_t count, struct gsim_error *error)
{
    struct gsim_rank_changes r;
    uint32_t clients = base->library || base->clients ? count_programs(base) : 0;
    *v = (struct gsim_variant){.simulation = *base->simulation, .device = *base->simulation->device};
    v->device.arena = (struct gsim_arena){0};
    enum gsim_status status = gsim_rank_changes(&r, base, changes, count, error);
    struct gsim_client *list = GSIM_ARENA_ARRAY(&v->arena, struct gsim_client, clients + 1);
    v->programs = GSIM_ARENA_ARRAY(&v->arena, struct gsim_program, clients + 1);
    v->graphs = GSIM_ARENA_ARRAY(&v->arena, bool, clients + 1);
    if (v->arena.failed) return gsim_error_set(error, GSIM_NOMEM, "cannot change the program: out of memory");
    for (uint32_t i = 0; i < clients && base->library; i++) v->graphs[i] = base->library->is_graph[i];
    for (size_t i = 0; i < count; i++) r.edit.is_graph |= base->clients && changes[i].kind == GSIM_CHANGE_GRAPH;
    if (!clients && !base->library && !status) status = edit_client(v, base, 0, &r, changes, count, &v->program, error);
    for (uint32_t i = 0; i < clients && !status; i++) {
        if (base->clients) list[i] = base->clients[i];
        if (!is_drawn(base, i)) list[i].program = &v->programs[i];
        status = edit_client(v, base, i, &r, changes, count, &v->programs[i], error);
        v->program_count = i + 1;
    }
    for (size_t i = 0; i < count && !status && !v->has_effect; i++)
        if (gsim_change_is_collective(changes[i].kind)) note(v, why_not(changes[i].kind, base->has_data));
    v->simulation.device = &v->device;
    v->simulation.demands = NULL;
    v->simulation.drawn = &v->program;
    if (!status && base->library) return join_server(v, base, changes, count, error);
    if (!status && clients) return join(v, base, &r, list, error);
    if (v->simulation.source) return status;
    v->simulation.program = &v->program;
    if (!status && strcmp(v->device.name, base->simulation->device->name) == 0)
        gsim_variant_share_works(v, base->simulation);
    return status;
}

enum gsim_status gsim_variant_run(struct gsim_variant *v, struct gsim_timeline *timeline, struct gsim_error *error)
{
    enum gsim_status status = gsim_run(&(struct gsim_scenario){.simulation = v->simulation}, timeline, error);
    if (status || !v->simulation.source) return status;
    v->simulation.source = NULL;
    v->simulation.program = &v->program;
    return GSIM_OK;
}

void gsim_variant_release(struct gsim_variant *v)
{
    gsim_scenario_release(&v->scenario);
    if (v->library.spec) gsim_library_release(&v->library);
    for (uint32_t i = 0; i < v->program_count; i++) gsim_program_release(&v->programs[i]);
    gsim_program_release(&v->program);
    gsim_device_release(&v->other);
    gsim_arena_release(&v->arena);
    *v = (struct gsim_variant){0};
}
