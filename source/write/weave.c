/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/write/weave.h. Clocks: of each stream, how far every other one is known to be before its next op. */
#include "source/write/weave.h"

#include <string.h>

#include "gpusim/schedulers/dag.h"

#define NONE        GSIM_WEAVE_NONE
#define MAX_CLOCKS 50000000u /* numbers: of each item one a stream */

/* --- items --- */
static struct gsim_weave_item *add_item(struct gsim_weave *w, uint32_t op, uint32_t step)
{
    const struct gsim_cuda_step *s = &w->log->steps[step];
    if (gsim_array_grow(&w->items, sizeof *w->items, w->item_count, &w->item_room)) {
        w->failed = true;
        return NULL;
    }
    struct gsim_weave_item *item = &w->items[w->item_count++];
    *item = (struct gsim_weave_item){
        .op = op, .step = step, .site = s->site, .node = s->node,
        .stream = NONE, .chosen = NONE, .pointer = NONE, .event = NONE};
    return item;
}

static uint32_t pointer_to(const struct gsim_weave *w, uint32_t step, uint32_t buffer)
{
    for (size_t i = 0; i < w->log->pointer_count; i++)
        if (w->log->pointers[i].step == step && w->log->pointers[i].buffer == buffer) return (uint32_t)i;
    return NONE;
}

/* Prefetches stand before the op that they serve, in the policy's order. */
static void add_prefetches(struct gsim_weave *w, const struct gsim_choice *choice, uint32_t step,
                           uint32_t *item_of_choice)
{
    uint32_t op = w->log->steps[step].op;
    for (size_t c = 0; c < choice->op_count && !w->failed; c++) {
        if (choice->ops[c].op != op || choice->ops[c].buffer == GSIM_CHOICE_NONE) continue;
        uint32_t pointer = pointer_to(w, step, choice->ops[c].buffer);
        w->lost_prefetches += pointer == NONE;
        struct gsim_weave_item *item = pointer == NONE ? NULL : add_item(w, op, step);
        if (!item) continue;
        item->pointer = pointer;
        item->bytes = choice->ops[c].bytes;
        item->stream = item->chosen = choice->ops[c].stream;
        item_of_choice[c] = (uint32_t)w->item_count - 1;
    }
}

static bool is_device_step(const struct gsim_cuda_log *log, const struct gsim_cuda_step *step)
{
    enum gsim_cuda_step_kind kind = log->sites[step->site].kind;
    return (kind == GSIM_CUDA_LAUNCH || kind == GSIM_CUDA_CALL) && step->op != GSIM_CUDA_NONE;
}

static void add_items(struct gsim_weave *w, const struct gsim_choice *choice, uint32_t *item_of_choice,
                      uint32_t *choice_of_op)
{
    bool has_prefetches = false;
    for (size_t c = 0; c < choice->op_count; c++) {
        has_prefetches |= choice->ops[c].buffer != GSIM_CHOICE_NONE;
        if (choice->ops[c].buffer == GSIM_CHOICE_NONE) choice_of_op[choice->ops[c].op] = (uint32_t)c;
    }
    for (uint32_t s = 0; s < w->log->step_count && !w->failed; s++) {
        const struct gsim_cuda_step *step = &w->log->steps[s];
        w->first_item[s] = (uint32_t)w->item_count;
        if (!is_device_step(w->log, step)) continue;
        if (has_prefetches) add_prefetches(w, choice, s, item_of_choice);
        struct gsim_weave_item *item = add_item(w, step->op, s);
        if (!item) return;
        uint32_t c = choice_of_op[step->op];
        w->item_of[step->op] = (uint32_t)w->item_count - 1;
        if (c != NONE) item->stream = item->chosen = choice->ops[c].stream;
        if (c != NONE) item_of_choice[c] = (uint32_t)w->item_count - 1;
        w->sites[step->site].is_op = true;
        gsim_choice_push(&w->sites[step->site].items, (uint32_t)w->item_count - 1, &w->failed);
    }
    w->first_item[w->log->step_count] = (uint32_t)w->item_count;
}

/* The policy's own waits, as far as the order of the source has them. */
static void add_waits(struct gsim_weave *w, const struct gsim_choice *choice, const uint32_t *item_of_choice)
{
    for (size_t c = 0; c < choice->op_count; c++) {
        const struct gsim_choice_op *op = &choice->ops[c];
        if (item_of_choice[c] == NONE) continue;
        struct gsim_weave_item *item = &w->items[item_of_choice[c]];
        item->waits.count = 0;
        for (uint32_t i = 0; i < op->wait_count; i++) {
            uint32_t other = item_of_choice[choice->waits[op->wait_start + i]];
            if (other == NONE || other >= item_of_choice[c] || w->items[other].stream == item->stream) continue;
            gsim_choice_push(&item->waits, other, &w->failed);
        }
    }
}

/* --- order --- */
struct clocks {
    struct gsim_weave *w;
    const struct gsim_dag *dag;
    uint32_t *of_stream, *snapshot, *scratch; /* SNAPSHOT: by item */
    uint32_t *base, *host, *issued;  /* before all that comes; before what the host does next; positions so far */
    uint32_t streams;
    bool changed, has_left; /* LEFT: what the host did not wait for is in the default stream */
};

static void raise(uint32_t *clock, const uint32_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (to[i] > clock[i]) clock[i] = to[i];
}

static void leave(struct clocks *c, uint32_t site, const char *why)
{
    if (c->w->sites[site].keep_reason) return;
    c->w->sites[site].keep_reason = why;
    c->changed = true;
}

static bool is_text(const struct gsim_cuda_log *log, uint32_t at, const char *word)
{
    return at + strlen(word) <= log->length && strncmp(log->text + at, word, strlen(word)) == 0;
}

/* The event is recorded behind the statement of OTHER: can ITEM be told to wait for it? */
static void check_record(struct clocks *c, const struct gsim_weave_item *item, const struct gsim_weave_item *other)
{
    const struct gsim_cuda_log *log = c->w->log;
    if (other->step == item->step) return; /* a prefetch: it stands before the statement */
    if (gsim_cuda_is_within(log, item->node, other->node))
        leave(c, other->site, "the statement that holds it holds what needs its result, too");
    else if (gsim_cuda_is_within(log, other->node, item->node)) /* the wait would stand before both */
        leave(c, item->site, "the statement that holds it makes what it needs");
    if (is_text(log, log->sites[other->site].from, "return")) leave(c, other->site, "it stands in a return statement");
}

static void wait_for(struct clocks *c, struct gsim_weave_item *item, const struct gsim_weave_item *other)
{
    uint32_t *clock = c->of_stream + (size_t)item->stream * c->streams;
    raise(clock, c->snapshot + (size_t)(other - c->w->items) * c->streams, c->streams);
    if (other->position > clock[other->stream]) clock[other->stream] = other->position;
    check_record(c, item, other);
}

/* Whether all that was given before it ends before it begins, by its stream and its data. */
static bool follows_all(const struct clocks *c, const struct gsim_weave_item *item)
{
    const struct gsim_weave *w = c->w;
    bool is_behind = true;
    memcpy(c->scratch, c->base, sizeof *c->base * c->streams);
    if (item->chosen != NONE) raise(c->scratch, c->of_stream + (size_t)item->chosen * c->streams, c->streams);
    for (uint32_t e = c->dag->pred_start[item->op]; e < c->dag->pred_start[item->op + 1]; e++) {
        uint32_t pred = w->item_of[c->dag->preds[e]];
        if (pred == NONE || w->items[pred].stream == NONE) continue;
        raise(c->scratch, c->snapshot + (size_t)pred * c->streams, c->streams);
    }
    for (uint32_t s = 0; s < c->streams; s++) is_behind &= c->scratch[s] >= c->issued[s];
    return is_behind;
}

static void order_item(struct clocks *c, uint32_t index)
{
    struct gsim_weave *w = c->w;
    struct gsim_weave_item *item = &w->items[index];
    if (item->stream == NONE) {
        const char **reason = &w->sites[item->site].keep_reason;
        if (*reason && !**reason && !follows_all(c, item)) {
            *reason = NULL;
            c->changed = true;
        }
        c->has_left = true;
        if (!gsim_cuda_is_sure(w->log, item->node)) return;
        raise(c->base, c->issued, c->streams);
        if (!w->log->steps[item->step].is_blocking) return;
        raise(c->host, c->issued, c->streams);
        c->has_left = false;
        return;
    }
    uint32_t *clock = c->of_stream + (size_t)item->stream * c->streams;
    raise(clock, c->base, c->streams);
    size_t kept = 0;
    for (size_t i = 0; i < item->waits.count; i++) { /* what the host waited for needs no event */
        const struct gsim_weave_item *other = &w->items[item->waits.at[i]];
        if (other->stream == NONE || other->position <= c->base[other->stream]) continue;
        item->waits.at[kept++] = item->waits.at[i];
        wait_for(c, item, other);
    }
    item->waits.count = kept;
    for (uint32_t e = c->dag->pred_start[item->op]; item->pointer == NONE && e < c->dag->pred_start[item->op + 1];
         e++) {
        uint32_t pred = w->item_of[c->dag->preds[e]];
        if (pred == NONE || w->items[pred].stream == NONE || w->items[pred].stream == item->stream) continue;
        if (w->items[pred].position <= clock[w->items[pred].stream]) continue;
        gsim_choice_push(&item->waits, pred, &w->failed);
        w->added_waits++;
        wait_for(c, item, &w->items[pred]);
    }
    item->position = ++c->issued[item->stream];
    clock[item->stream] = item->position;
    memcpy(c->snapshot + (size_t)index * c->streams, clock, sizeof *clock * c->streams);
}

static void sync_all(struct clocks *c)
{
    raise(c->host, c->issued, c->streams);
    raise(c->base, c->issued, c->streams);
    c->has_left = false;
}

/* The host waits before the statement (USE) or behind it (END): for the streams of what its op follows. */
static void order_host(struct clocks *c, const struct gsim_cuda_step *step)
{
    struct gsim_weave *w = c->w;
    struct gsim_weave_site *site = &w->sites[step->site];
    bool is_use = w->log->sites[step->site].kind == GSIM_CUDA_USE;
    bool sure = gsim_cuda_is_sure(w->log, step->node);
    for (uint32_t s = 0; step->op == GSIM_CUDA_NONE && s < c->streams; s++)
        site->waits_for_all |= c->has_left || c->issued[s] > c->host[s];
    for (uint32_t e = step->op == GSIM_CUDA_NONE ? 0 : c->dag->pred_start[step->op];
         step->op != GSIM_CUDA_NONE && e < c->dag->pred_start[step->op + 1]; e++) {
        uint32_t pred = w->item_of[c->dag->preds[e]];
        if (pred == NONE) continue;
        const struct gsim_weave_item *item = &w->items[pred];
        if (is_use && gsim_cuda_is_within(w->log, item->node, step->node))
            leave(c, item->site, "the statement that holds it uses its result");
        if (item->stream == NONE) site->waits_for_all |= !w->log->steps[item->step].is_blocking;
        else if (!sure) site->waits_for_all |= item->position > c->host[item->stream];
        else if (item->position > c->host[item->stream]) {
            gsim_choice_push(&site->streams, item->stream, &w->failed);
            raise(c->host, c->of_stream + (size_t)item->stream * c->streams, c->streams);
            raise(c->base, c->host, c->streams);
        }
    }
    if (site->waits_for_all && sure) sync_all(c);
}

static void order_once(struct clocks *c)
{
    const struct gsim_cuda_log *log = c->w->log;
    c->has_left = false;
    for (uint32_t s = 0; s < log->step_count && !c->w->failed; s++) {
        const struct gsim_cuda_step *step = &log->steps[s];
        enum gsim_cuda_step_kind kind = log->sites[step->site].kind;
        for (uint32_t i = c->w->first_item[s]; i < c->w->first_item[s + 1]; i++) order_item(c, i);
        bool is_of_all = strcmp(log->sites[step->site].name, "cudaStreamSynchronize") != 0; /* it is the default's */
        bool waits = kind == GSIM_CUDA_SYNC && is_of_all && c->w->sites[step->site].is_kept;
        if (waits && gsim_cuda_is_sure(log, step->node)) sync_all(c);
        if (kind == GSIM_CUDA_USE || kind == GSIM_CUDA_END) order_host(c, step);
    }
}

/* A call has one text: its executions are all in the default stream or none is. */
static void leave_sites(struct clocks *c)
{
    struct gsim_weave *w = c->w;
    for (size_t i = 0; i < w->item_count; i++) {
        struct gsim_weave_item *item = &w->items[i];
        item->stream = w->sites[item->site].keep_reason ? NONE : item->chosen;
        if (!w->sites[item->site].keep_reason && item->stream == NONE)
            leave(c, item->site, "the policy has no stream for it");
    }
    for (size_t s = 0; s < w->log->site_count; s++) {
        struct gsim_weave_site *site = &w->sites[s];
        site->has_table = false;
        for (size_t i = 1; i < site->items.count; i++) {
            const struct gsim_weave_item *a = &w->items[site->items.at[i - 1]], *b = &w->items[site->items.at[i]];
            site->has_table |= a->stream != b->stream;
        }
        for (size_t i = 1; site->has_table && i < site->items.count; i++)
            if (w->items[site->items.at[i - 1]].node == w->items[site->items.at[i]].node)
                leave(c, (uint32_t)s, "one statement executes it more than once, in different streams");
    }
}

static enum gsim_status order(struct gsim_weave *w, const struct gsim_choice *choice, const uint32_t *item_of_choice,
                              const struct gsim_dag *dag, struct gsim_error *error)
{
    size_t n = w->stream_count ? w->stream_count : 1;
    size_t count = n * (w->item_count + n + 4);
    if (count > MAX_CLOCKS)
        return gsim_error_set(error, GSIM_INPUT, "the program is too long to be scheduled here: %zu ops in %zu streams",
                              w->item_count, n);
    uint32_t *numbers = gsim_alloc(sizeof *numbers * count);
    if (!numbers) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    struct clocks c = {.w = w,
                       .dag = dag,
                       .streams = (uint32_t)n,
                       .of_stream = numbers,
                       .base = numbers + n * n,
                       .host = numbers + n * (n + 1),
                       .issued = numbers + n * (n + 2),
                       .scratch = numbers + n * (n + 3),
                       .snapshot = numbers + n * (n + 4)};
    do { /* each round leaves one more call in the default stream or takes a plain one from it, or is the last */
        c.changed = false;
        memset(numbers, 0, sizeof *numbers * count);
        w->added_waits = 0;
        for (size_t s = 0; s < w->log->site_count; s++) {
            w->sites[s].streams.count = 0;
            w->sites[s].waits_for_all = false;
        }
        leave_sites(&c);
        add_waits(w, choice, item_of_choice);
        if (!c.changed) order_once(&c);
    } while (c.changed && !w->failed);
    gsim_free(numbers);
    return GSIM_OK;
}

/* --- sites and events --- */
static void choose_sites(struct gsim_weave *w, const char *const *keep_reasons)
{
    const struct gsim_cuda_log *log = w->log;
    for (size_t s = 0; s < log->site_count; s++) {
        w->sites[s].keep_reason = keep_reasons[s];
        w->sites[s].is_kept = keep_reasons[s] != NULL;
    }
    for (size_t s = 0; s < log->step_count; s++) {
        struct gsim_weave_site *site = &w->sites[log->steps[s].site];
        bool is_sure = gsim_cuda_is_sure(log, log->steps[s].node);
        if (!is_sure && (!site->keep_reason || !*site->keep_reason))
            site->keep_reason = "how often it is executed is not known";
        site->is_kept |= !is_sure || log->steps[s].is_needed;
    }
}

/* Those that are used, in the order of use. */
static void number_streams(struct gsim_weave *w)
{
    uint32_t *now = gsim_alloc(sizeof *now * ((size_t)w->stream_count + 1)), count = 0;
    int32_t *priorities = gsim_alloc(sizeof *priorities * ((size_t)w->stream_count + 1));
    w->failed |= !now || !priorities;
    for (uint32_t s = 0; !w->failed && s < w->stream_count; s++) now[s] = NONE;
    for (size_t i = 0; !w->failed && i < w->item_count; i++) {
        uint32_t *stream = &w->items[i].stream;
        if (*stream == NONE) continue;
        if (now[*stream] == NONE) {
            priorities[count] = w->priorities[*stream];
            now[*stream] = count++;
        }
        *stream = now[*stream];
    }
    for (size_t s = 0; !w->failed && s < w->log->site_count; s++)
        for (size_t i = 0; i < w->sites[s].streams.count; i++)
            w->sites[s].streams.at[i] = now[w->sites[s].streams.at[i]];
    gsim_free(now);
    gsim_free(w->priorities);
    w->priorities = priorities;
    w->stream_count = count;
}

/* One event for a call, or for each stream of its table. */
void gsim_weave_number(struct gsim_weave *w)
{

    for (size_t i = 0; i < w->item_count; i++)
        for (size_t k = 0; k < w->items[i].waits.count; k++) {
            struct gsim_weave_item *item = &w->items[w->items[i].waits.at[k]];
            if (item->event != NONE) continue;
            item->event = w->event_count;
            const struct gsim_weave_site *site = &w->sites[item->site];
            for (size_t o = 0; site->period && o < site->items.count; o++) { /* one behind the other */
                struct gsim_weave_item *other = &w->items[site->items.at[o]];
                other->event = w->event_count + other->stream - w->items[site->items.at[0]].stream;
            }
            if (site->period) {
                w->event_count += site->period;
                continue;
            }
            for (size_t o = 0; item->pointer == NONE && o < site->items.count; o++) {
                struct gsim_weave_item *other = &w->items[site->items.at[o]];
                if (other->stream == item->stream) other->event = w->event_count;
            }
            w->event_count++;
        }
}

enum gsim_status gsim_weave_make(struct gsim_weave *w, const struct gsim_cuda_log *log,
                                 const struct gsim_program *program, const struct gsim_choice *choice,
                                 const char *const *keep_reasons, struct gsim_error *error)
{
    const struct gsim_run run = {.program = program, .memory = GSIM_MEMORY_MANAGED, .device_count = 1};
    struct gsim_dag dag = {0};
    *w = (struct gsim_weave){.log = log, .program = program, .stream_count = choice->stream_count};
    w->sites = gsim_alloc(sizeof *w->sites * (log->site_count + 1));
    w->first_item = gsim_alloc(sizeof *w->first_item * (log->step_count + 1));
    w->item_of = gsim_alloc(sizeof *w->item_of * ((size_t)program->op_count + 1));
    uint32_t *item_of_choice = gsim_alloc(sizeof *item_of_choice * (choice->op_count + 1));
    uint32_t *choice_of_op = gsim_alloc(sizeof *choice_of_op * ((size_t)program->op_count + 1));
    const struct gsim_op **ops = gsim_alloc(sizeof *ops * ((size_t)program->op_count + 1));
    w->failed = !w->sites || !w->first_item || !w->item_of || !item_of_choice || !choice_of_op || !ops;
    enum gsim_status status = w->failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : GSIM_OK;
    w->priorities = gsim_alloc(sizeof *w->priorities * ((size_t)choice->stream_count + 1));
    if (!w->priorities) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; status == GSIM_OK && i < choice->stream_count; i++) w->priorities[i] = choice->priorities[i];
    for (uint32_t i = 0; status == GSIM_OK && i < program->op_count; i++) {
        ops[i] = &program->ops[i];
        w->item_of[i] = choice_of_op[i] = NONE;
    }
    for (size_t i = 0; status == GSIM_OK && i < choice->op_count; i++) item_of_choice[i] = NONE;
    if (status == GSIM_OK) {
        choose_sites(w, keep_reasons);
        add_items(w, choice, item_of_choice, choice_of_op);
        status = gsim_dag_build(&run, &(struct gsim_oplist){.ops = ops, .op_count = program->op_count}, &dag, error);
    }
    if (status == GSIM_OK) status = order(w, choice, item_of_choice, &dag, error);
    if (status == GSIM_OK) number_streams(w);
    if (status == GSIM_OK && w->failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    gsim_dag_release(&dag);
    gsim_free(item_of_choice);
    gsim_free(choice_of_op);
    gsim_free(ops);
    return status;
}

void gsim_weave_release(struct gsim_weave *w)
{
    for (size_t i = 0; i < w->item_count; i++) gsim_free(w->items[i].waits.at);
    for (size_t s = 0; w->sites && s < w->log->site_count; s++) {
        gsim_free(w->sites[s].items.at);
        gsim_free(w->sites[s].streams.at);
    }
    gsim_free(w->items);
    gsim_free(w->sites);
    gsim_free(w->first_item);
    gsim_free(w->item_of);
    gsim_free(w->priorities);
    *w = (struct gsim_weave){0};
}
