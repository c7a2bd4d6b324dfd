/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See ask/edits/changes.h. What changes do to the program is ask/edits/edits.c's; here what they do to the rest
 * of the simulation.
 */
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

static const struct {
    const char *word, *metavar, *source, *text;
    double error;
    enum gsim_error_of of;
    bool is_software;
} kinds[GSIM_CHANGE_COUNT] = {
#define CHANGE_ROW(kind, word_, metavar_, error_, of_, source_, software_, text_)                                      \
    [GSIM_CHANGE_##kind] = {word_, metavar_, source_, text_, error_, GSIM_ERROR_OF_##of_, software_},
    GSIM_CHANGE_MAP(CHANGE_ROW)
#undef CHANGE_ROW
};

const char *gsim_change_word(enum gsim_change_kind kind) { return kinds[kind].word; }
const char *gsim_change_help(enum gsim_change_kind kind) { return kinds[kind].text; }
bool gsim_change_is_software(enum gsim_change_kind kind) { return kinds[kind].is_software; }
double gsim_change_error(enum gsim_change_kind kind) { return kinds[kind].error; }
const char *gsim_change_error_of(enum gsim_change_kind kind)
{
    static const char *const texts[] = {[GSIM_ERROR_OF_TIME] = "of the time",
                                        [GSIM_ERROR_OF_SAVED] = "of what is saved",
                                        [GSIM_ERROR_OF_BUSY] = "of the GPU's time"};
    return texts[kinds[kind].of];
}

double gsim_changes_error_us(const struct gsim_change *changes, size_t count, double time_us, double saved_us,
                             double busy_us, double off_ratio)
{
    double saved = fabs(saved_us), least = GSIM_ERROR_LEAST * saved, squares = least * least;
    for (size_t i = 0; i < count; i++) {
        enum gsim_error_of kind = kinds[changes[i].kind].of;
        /* What a change leaves as it is cannot be wrong by it: a graph that saves little is not far off either. */
        double of = kind == GSIM_ERROR_OF_TIME ? fmin(time_us, saved) : kind == GSIM_ERROR_OF_SAVED ? saved : busy_us;
        bool is_device = changes[i].kind == GSIM_CHANGE_DEVICE;
        squares += pow((is_device ? off_ratio : kinds[changes[i].kind].error) * of, 2);
    }
    return sqrt(squares);
}

const char *gsim_change_source(enum gsim_change_kind kind) { return kinds[kind].source; }

#define MOST_STREAMS 1000
#define MOST_NUMBER  1000000 /* of ranks, MiB and the like */

/* --- reading --- */
static enum gsim_status unknown(const char *text, struct gsim_error *error)
{
    char all[600] = "";
    for (int k = 0; k < GSIM_CHANGE_COUNT; k++) {
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s%s%s", k ? ", " : "", kinds[k].word,
                 kinds[k].metavar ? "=" : "", kinds[k].metavar ? kinds[k].metavar : "");
    }
    return gsim_refuse(error, "unknown change '%.60s': expected %s", text, all);
}

/* "2", "2x", "2.5x". */
static bool read_factor(const char *text, double most, double *factor)
{
    char *end;
    *factor = strtod(text, &end);
    if (*end == 'x') end++;
    return end != text && !*end && *factor > 0 && *factor <= most;
}

static double default_factor(enum gsim_change_kind kind)
{
    if (kind == GSIM_CHANGE_PDL) return 0;
    return kind == GSIM_CHANGE_STREAMS ? 8 : kind == GSIM_CHANGE_HW_QUEUES ? 32 : 2;
}

/* "kernel:NAME" begins with "kernel:"; the others are the whole word. Sets how many bytes of TEXT a name follows. */
static bool is_word(const char *word, const char *text, size_t length, size_t *name)
{
    const char *colon = strchr(word, ':');
    *name = colon ? (size_t)(colon - word) + 1 : length;
    return (colon ? length > *name : strlen(word) == length) && strncmp(word, text, *name) == 0;
}

static bool is_count(enum gsim_change_kind kind)
{
    const char *metavar = kinds[kind].metavar;
    return metavar && (strcmp(metavar, "N") == 0 || strcmp(metavar, "K") == 0);
}

enum gsim_status gsim_change_parse(const char *text, struct gsim_change *change, struct gsim_error *error)
{
    const char *equals = strrchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text), name = 0;
    int kind = 0;
    if (strlen(text) >= GSIM_CHANGE_TEXT)
        return gsim_refuse(error, "--change: expected at most %d characters", GSIM_CHANGE_TEXT - 1);
    while (kind < GSIM_CHANGE_COUNT && !is_word(kinds[kind].word, text, length, &name)) kind++;
    if (kind == GSIM_CHANGE_COUNT || (equals && !kinds[kind].metavar)) return unknown(text, error);
    *change = (struct gsim_change){.kind = (enum gsim_change_kind)kind,
                                   .factor = default_factor((enum gsim_change_kind)kind)};
    snprintf(change->text, sizeof change->text, "%s", text);
    snprintf(change->argument, sizeof change->argument, "%.*s", (int)(length - name), text + name);
    const char *metavar = kinds[kind].metavar;
    if (metavar && strcmp(metavar, "NAME") == 0) {
        if (!equals || !equals[1])
            return gsim_refuse(error, "--change %s: expected %s=NAME", kinds[kind].word, kinds[kind].word);
        snprintf(change->argument, sizeof change->argument, "%s", equals + 1);
        return GSIM_OK;
    }
    if (kind == GSIM_CHANGE_OVERLAP) {
        change->factor = equals && strcmp(equals + 1, "off") == 0 ? -1 : 1;
        if (equals && (change->factor < 0 || strcmp(equals + 1, "on") == 0)) return GSIM_OK;
        return gsim_refuse(error, "--change overlap: expected overlap=on or overlap=off");
    }
    if ((kind >= GSIM_CHANGE_COMM || kind == GSIM_CHANGE_POWER) && metavar && !equals)
        return gsim_refuse(error, "--change %s: expected %s=%s", text, kinds[kind].word, metavar);
    bool is_large = kind == GSIM_CHANGE_BUCKET || kind == GSIM_CHANGE_RATE || kind == GSIM_CHANGE_POWER ||
                    (kind >= GSIM_CHANGE_COMM && is_count((enum gsim_change_kind)kind));
    const char *of = kind == GSIM_CHANGE_RATE       ? "of requests per second"
                     : kind == GSIM_CHANGE_REPLICAS ? "of servers"
                     : kind == GSIM_CHANGE_POWER    ? "of watts"
                                                    : NULL;
    if (equals && (!read_factor(equals + 1, is_large ? MOST_NUMBER : MOST_STREAMS, &change->factor) ||
                   (of && (strchr(equals, 'x') || change->factor < GSIM_RATE_LEAST))))
        return gsim_refuse(error, "--change %s: expected a number %s behind '=', found '%s'", text,
                           of ? of : "such as 2 or 2x", equals + 1);
    bool is_rank =
        change->kind == GSIM_CHANGE_RANKS || change->kind == GSIM_CHANGE_MICRO || change->kind == GSIM_CHANGE_CHANNELS;
    int most = is_rank ? MOST_NUMBER : MOST_STREAMS;
    if (is_count(change->kind) && (change->factor != floor(change->factor) || change->factor > most))
        return gsim_refuse(error, "--change %s: expected a whole number up to %d", change->text, most);
    if (change->kind == GSIM_CHANGE_PDL && change->factor > 0.99)
        return gsim_refuse(error, "--change %s: expected a share of at most 0.99", change->text);
    if (change->kind == GSIM_CHANGE_HW_QUEUES && change->factor > 32)
        return gsim_refuse(error, "--change %s: expected at most 32", change->text);
    if (change->kind == GSIM_CHANGE_RANK && strspn(change->argument, "0123456789") != strlen(change->argument))
        return gsim_refuse(error, "--change %s: expected the number of a rank", change->text);
    return GSIM_OK;
}

/* --- applying --- */
static void note(struct gsim_variant *v, const char *text)
{
    size_t length = strlen(v->note);
    if (strstr(v->note, text)) return; /* of another client */
    snprintf(v->note + length, sizeof v->note - length, "%s%s", length ? "; " : "", text);
}

static enum gsim_status take_scheduler(struct gsim_variant *v, const char *name, struct gsim_error *error)
{
    const struct gsim_scheduler_ops *ops = gsim_scheduler_find(name);
    void *params = gsim_arena_alloc(&v->arena, ops->params_size + 1);
    if (!params) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_params_set_defaults(ops->params, params);
    v->simulation.scheduler = ops;
    v->simulation.scheduler_params = params;
    return GSIM_OK;
}

static enum gsim_status take_device(struct gsim_variant *v, struct gsim_edit *edit, const char *name, bool is_last,
                                    struct gsim_error *error)
{
    struct gsim_device_spec from = v->device;
    struct gsim_other_law law;
    enum gsim_status status = gsim_other_law_load(&law, error);
    if (!status && !v->has_other) status = gsim_device_load(name, &v->other, error);
    if (status != GSIM_OK) return gsim_error_prefix(error, "--change device=%.60s", name);
    if (!v->has_other) gsim_other_replace(&v->other, &from);
    v->has_other = v->has_effect = true;
    v->device = v->other;
    v->device.arena = (struct gsim_arena){0};
    uint32_t count = gsim_edit_move(edit, &law, &from, &v->device, &v->moved);
    if (count == UINT32_MAX) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!is_last) return GSIM_OK;
    v->moved.off_us = hypot(v->moved.off_us, law.off_common * v->moved.after_us);
    const struct gsim_edit_moved *m = &v->moved;
    char text[160];
    v->off_ratio = kinds[GSIM_CHANGE_DEVICE].error;
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
    return GSIM_OK;
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

static uint32_t count_streams(const struct gsim_edit *e)
{
    uint32_t count = 0;
    bool seen[1024] = {false};
    for (uint32_t i = 0; i < e->source->op_count; i++) {
        int32_t stream = e->ops[i].stream;
        if (stream < 0 || stream >= 1024 || seen[stream]) continue;
        seen[stream] = true;
        count++;
    }
    return count;
}

/* Kernels on managed memory do not go ahead; a traced program, which moves its data itself, has none. */
static bool may_launch_ahead(struct gsim_variant *v, const struct gsim_edit *e)
{
    if (v->simulation.memory == GSIM_MEMORY_MANAGED && !moves_data(e->source, true))
        v->simulation.memory = GSIM_MEMORY_PINNED;
    return v->device.compute_capability >= 90 && v->simulation.memory != GSIM_MEMORY_MANAGED;
}

#define GRAPH_LEAVES_US 100 /* torch.compile(mode="reduce-overhead") on three hosts: 80, 107, 161 */

static uint32_t launch_ahead(struct gsim_variant *v, struct gsim_edit *e, double prologue)
{
    char text[96] = "assumed: kernels trigger at their ends, which saves the gap only";
    if (!may_launch_ahead(v, e)) return 0;
    uint32_t touched = gsim_edit_launch_ahead(e, prologue);
    if (prologue > 0)
        snprintf(text, sizeof text, "assumed: %g %% of each kernel before its wait, trigger half-way", 100 * prologue);
    if (touched && touched != UINT32_MAX) note(v, text);
    return touched;
}

/* Before a step's launches Python stays: what a trace has there, at least PyTorch's guard, wrapper and copies of inputs
 * around a graph, though no more than the host takes now. Without PyTorch, whose time between calls has no owner, there
 * is none. */
static void leave_host(struct gsim_variant *v, struct gsim_edit *e)
{
    double left_us = 0, now_us = 0;
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
        left_us += e->ops[i].overhead ? 0 : e->ops[i].host_us;
    double least_us = fmin(GRAPH_LEAVES_US, now_us);
    if (left_us >= least_us) return;
    first->host_us += least_us - left_us;
    note(v, "PyTorch's guard, wrapper and copies of inputs stay: 100 us of each step (70 to 160 in 3 traces)");
}

/* What launch calls take, and what they take longer than the model's where a graph would save it. */
static void hasten_launches(struct gsim_device_spec *d, struct gsim_edit *e, double factor)
{
    d->launch_us /= factor;
    d->graph_launch_us /= factor;
    d->graph_launch_node_us /= factor;
    for (uint32_t i = 0; i < e->source->op_count; i++)
        if (e->ops[i].kind == GSIM_OP_HOST_COMPUTE && e->ops[i].overhead && e->ops[i].what &&
            strncmp(e->ops[i].what, GSIM_HOST_IN_LAUNCH, strlen(GSIM_HOST_IN_LAUNCH)) == 0)
            e->ops[i].host_us /= factor;
}

static enum gsim_status take_sharing(struct gsim_variant *v, const struct gsim_changeable *base, const char *name,
                                     uint32_t *touched, struct gsim_error *error)
{
    const struct gsim_sharing_ops *ops = base->simulation->sharing;
    if (!base->clients || gsim_changeable_has_ranks(base)) *touched = 0;
    else if (gsim_sharing_load(name, &ops, error)) return gsim_error_prefix(error, "--change share");
    else if (ops->needs_profile)
        return gsim_error_set(error, GSIM_INPUT, "share=%s: needs a profile of the tasks", ops->name);
    else *touched = ops != base->simulation->sharing;
    v->simulation.sharing = ops;
    if (*touched) v->simulation.sharing_params = NULL;
    return GSIM_OK;
}

static uint32_t count_programs(const struct gsim_changeable *base)
{
    return base->library ? base->library->set.count : base->clients ? base->client_count : 1;
}

/* Of clients all of a step, on all of its streams (ask/edits/collectives.c). As apply() returns it. */
static uint32_t as_graph(struct gsim_variant *v, struct gsim_edit *e, const struct gsim_changeable *base,
                         uint32_t client, struct gsim_error *error)
{
    const char *scheduler = base->clients ? base->clients[client].scheduler->name : v->simulation.scheduler->name;
    bool is_serial = strcmp(scheduler, "serial") == 0, is_graph = strcmp(scheduler, "cudagraph") == 0;
    if (base->library ? v->graphs[client] : is_graph) return 0;
    if (base->clients) return take_scheduler(v, "cudagraph", error) ? UINT32_MAX : 1;
    uint32_t touched = gsim_edit_count_rows(e);
    if (touched && touched != UINT32_MAX)
        (void)gsim_error_set(error, GSIM_INPUT,
                             "%u kernels run beside another stream's: graphs in one stream, parted by the host, put "
                             "them in a row", touched);
    if (touched) return UINT32_MAX;
    if (is_serial || strcmp(scheduler, "async") == 0) touched = gsim_edit_order_streams(e, is_serial);
    if (touched == UINT32_MAX) return touched;
    leave_host(v, e);
    gsim_edit_gather_host(e);
    if (base->library) v->graphs[client] = true;
    else if (take_scheduler(v, "cudagraph", error)) return UINT32_MAX;
    return e->source->op_count;
}

/* Returns how much the change does; UINT32_MAX when memory is out or ERROR is set. */
static uint32_t apply(struct gsim_variant *v, struct gsim_edit *e, const struct gsim_change *c,
                      const struct gsim_changeable *base, uint32_t client, struct gsim_error *error)
{
    bool has_data = base->has_data;
    struct gsim_device_spec *d = &v->device;
    enum gsim_status status = GSIM_OK;
    uint32_t touched = 1;
    switch (c->kind) {
    case GSIM_CHANGE_GRAPH: return as_graph(v, e, base, client, error);
    case GSIM_CHANGE_DAG:
        if (has_data) status = take_scheduler(v, "cudagraph", error);
        touched = has_data;
        break;
    case GSIM_CHANGE_STREAMS:
        touched = has_data ? gsim_edit_spread(e, gsim_whole_u32(c->factor)) : 0;
        if (touched && touched != UINT32_MAX) status = take_scheduler(v, "async", error);
        break;
    case GSIM_CHANGE_NOSYNC: touched = gsim_edit_drop_syncs(e); break;
    case GSIM_CHANGE_PRIORITIES: touched = gsim_edit_rank_streams(e, d, error); break;
    case GSIM_CHANGE_LAUNCH: hasten_launches(d, e, c->factor); break;
    case GSIM_CHANGE_PDL: touched = launch_ahead(v, e, c->factor); break;
    case GSIM_CHANGE_FUSE: touched = gsim_edit_fuse(e); break;
    case GSIM_CHANGE_PINNED:
        touched = gsim_edit_pin(e);
        if (!touched && v->simulation.memory != GSIM_MEMORY_PINNED && has_data)
            touched = moves_data(e->source, false);
        if (touched && touched != UINT32_MAX) {
            v->simulation.memory = GSIM_MEMORY_PINNED;
            v->simulation.prefetch = true;
        }
        break;
    case GSIM_CHANGE_HW_QUEUES:
        touched = count_streams(e) > fmin(d->hw_queues, c->factor) && d->hw_queues != c->factor;
        d->hw_queues = c->factor;
        break;
    case GSIM_CHANGE_POWER:
        touched = gsim_power_is_limited(d) && c->factor > d->base_w && c->factor != d->limit_w;
        if (touched) d->limit_w = c->factor;
        if (touched && !(d->recorded_w > 0)) note(v, "from rest: the limit acts after device.clock_window_us");
        break;
    case GSIM_CHANGE_KERNEL: touched = gsim_edit_hasten(e, c->argument, c->factor); break;
    case GSIM_CHANGE_LINK:
        touched = gsim_edit_hasten_copies(e, d, c->factor);
        if (!touched) touched = moves_data(e->source, false);
        gsim_edit_hasten_link(d, c->factor);
        break;
    case GSIM_CHANGE_DEVICE:
        status = take_device(v, e, c->argument, client + 1 == count_programs(base), error);
        break;
    case GSIM_CHANGE_SHARE: status = take_sharing(v, base, c->argument, &touched, error); break;
    case GSIM_CHANGE_KERNELS: touched = gsim_edit_hasten(e, NULL, c->factor); break;
    case GSIM_CHANGE_RANK:
        touched = gsim_changeable_has_ranks(base) && strtoul(c->argument, NULL, 10) == base->clients[client].rank
                      ? gsim_edit_hasten(e, NULL, c->factor)
                      : 0;
        break;
    case GSIM_CHANGE_COMM:
    case GSIM_CHANGE_RANKS:
    case GSIM_CHANGE_NODE: touched = gsim_changeable_has_ranks(base); break;
    default: touched = 0; break; /* of collectives, or none */
    }
    return status == GSIM_OK ? touched : UINT32_MAX;
}

static const char *why_not(enum gsim_change_kind kind, bool has_data)
{
    static const char ranks[] = "needs ranks", server[] = "needs a server",
                      streams[] = "needs what each op reads and writes: in the program, of a trace --execution-trace";
    static const char *const whys[GSIM_CHANGE_COUNT] = {
        [GSIM_CHANGE_COMM] = ranks, [GSIM_CHANGE_RANK] = ranks, [GSIM_CHANGE_RANKS] = ranks,
        [GSIM_CHANGE_NODE] = ranks, [GSIM_CHANGE_BATCHING] = server, [GSIM_CHANGE_BESIDE] = server,
        [GSIM_CHANGE_REPLICAS] = server, [GSIM_CHANGE_RATE] = server, [GSIM_CHANGE_DAG] = streams,
        [GSIM_CHANGE_STREAMS] = streams, [GSIM_CHANGE_SHARE] = "needs tasks that share otherwise",
        [GSIM_CHANGE_NOSYNC] = "no synchronisation that nothing needs", [GSIM_CHANGE_PRIORITIES] = "one stream only",
        [GSIM_CHANGE_PDL] = "needs compute capability 9.0, memory that is not managed, and a kernel behind another in "
                            "a stream",
        [GSIM_CHANGE_FUSE] = "no chain of small elementwise kernels",
        [GSIM_CHANGE_PINNED] = "no copies of pageable or managed memory",
        [GSIM_CHANGE_HW_QUEUES] = "each stream has a queue of its own, or there are as many",
        [GSIM_CHANGE_POWER] = "it has that limit, its idle power is above, or its power is not known",
        [GSIM_CHANGE_KERNEL] = "no kernel has that name", [GSIM_CHANGE_LINK] = "nothing goes over the link",
        [GSIM_CHANGE_GRAPH] = "it is a CUDA graph already"};
    if (gsim_change_is_collective(kind)) return "no collective that it changes";
    if (whys[kind] == streams && has_data) return "each op is in that stream already";
    return whys[kind] ? whys[kind] : "nothing to change";
}

/* Another device first, schedulers last: they take the streams as edited. */
static int step_of(enum gsim_change_kind kind)
{
    if (kind == GSIM_CHANGE_DEVICE) return 0;
    return kind == GSIM_CHANGE_GRAPH || kind == GSIM_CHANGE_DAG || kind == GSIM_CHANGE_STREAMS ? 2 : 1;
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

/* What CHANGES do to the program of one client, beside its collectives. */
static enum gsim_status edit_program(struct gsim_variant *v, const struct gsim_changeable *base, uint32_t client,
                                     const struct gsim_program *from, const struct gsim_change *changes, size_t count,
                                     struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_edit edit;
    enum gsim_status status = GSIM_OK;
    bool has_memory = gsim_edit_begin(&edit, from);
    v->device = *base->simulation->device; /* each client's changes are made on it again */
    v->device.arena = (struct gsim_arena){0};
    for (uint32_t i = 0; i < from->op_count && has_memory && base->host_factor > 0; i++)
        if (edit.ops[i].kind == GSIM_OP_HOST_COMPUTE) edit.ops[i].host_us *= base->host_factor;
    for (int step = 0; step <= 2; step++)
        for (size_t i = 0; i < count && has_memory && !status; i++) {
            if (step_of(changes[i].kind) != step || gsim_change_is_collective(changes[i].kind)) continue;
            if (base->library && !gsim_change_is_of_steps(changes[i].kind)) continue;
            uint32_t touched = apply(v, &edit, &changes[i], base, client, error);
            if (touched == UINT32_MAX) status = error->status;
            has_memory = status || touched != UINT32_MAX;
            v->touched |= (uint64_t)(touched > 0) << i;
            if (!touched && !base->library && !(gsim_changeable_has_ranks(base) && changes[i].kind == GSIM_CHANGE_RANK))
                note(v, why_not(changes[i].kind, base->has_data));
            v->has_effect |= touched > 0;
        }
    if (has_memory && !status) return gsim_edit_finish(&edit, program, error);
    gsim_edit_release(&edit);
    return status ? status : gsim_error_set(error, GSIM_NOMEM, "cannot change the program: out of memory");
}

static enum gsim_status edit_client(struct gsim_variant *v, const struct gsim_changeable *base, uint32_t client,
                                    struct gsim_rank_changes *r, const struct gsim_change *changes, size_t count,
                                    struct gsim_program *program, struct gsim_error *error)
{
    const struct gsim_program *from = base->library   ? &base->library->programs[client]
                                      : base->clients ? base->clients[client].program
                                                      : base->simulation->program;
    const struct gsim_gradients *gradients = base->gradients ? &base->gradients[client] : NULL;
    struct gsim_program edited = {0};
    bool has_effect = false;
    if (base->library || (!gsim_changeable_has_ranks(base) && !r->edits_collectives))
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
        list[i].program = &v->programs[i];
        status = edit_client(v, base, i, &r, changes, count, &v->programs[i], error);
        v->program_count = i + 1;
    }
    for (size_t i = 0; i < count && !status && !v->has_effect; i++)
        if (gsim_change_is_collective(changes[i].kind)) note(v, why_not(changes[i].kind, base->has_data));
    v->simulation.device = &v->device;
    v->simulation.demands = NULL;
    if (!status && base->library) return join_server(v, base, changes, count, error);
    if (!status && clients) return join(v, base, &r, list, error);
    v->simulation.program = &v->program;
    if (!status && strcmp(v->device.name, base->simulation->device->name) == 0)
        gsim_variant_share_works(v, base->simulation);
    return status;
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
