/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/program/draw.h. */
#include "sim/program/draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/names.h"
#include "sim/program/check.h"

#define NONE UINT32_MAX

/* OP first: who has the op has it. */
struct gsim_drawn_op {
    struct gsim_op op;
    struct gsim_arg *args;
    struct gsim_segment *segments;
    uint32_t *after;
    size_t arg_room, segment_room, after_room; /* of lists that are its own */
    bool is_move;
    struct gsim_drawn_op *next, *next_made;
};

struct gsim_draw_kernel_state {
    uint32_t uses;               /* ops that have not ended */
    uint32_t next_of_hash;       /* index + 1 */
    uint32_t before, behind;     /* idle ones, by their last use */
    bool is_idle;
};

struct gsim_draw_buffer_state {
    const struct gsim_draw *owner;
    uint32_t uses, generation;
    uint32_t next_free;
    uint32_t last_user;          /* the owner's last op that named it, plus 1 */
    bool is_there, is_given_back;
};

static bool has_failed(const struct gsim_draw *d) { return d->error.status != GSIM_OK; }

static uint32_t out_of_memory(struct gsim_draw *d)
{
    gsim_draw_fail(d, GSIM_NOMEM, "out of memory");
    return NONE;
}

void gsim_draw_fail(struct gsim_draw *d, enum gsim_status status, const char *format, ...)
{
    char text[sizeof d->error.message];
    va_list arguments;
    if (has_failed(d)) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gsim_error_set(&d->error, status, "%s", text);
}

static double now_us(const struct gsim_draw_tables *t) { return t->hooks ? t->hooks->now_us(t->hooks->data) : 0; }

double gsim_draw_now_us(const struct gsim_draw *d) { return now_us(d->tables); }

uint32_t gsim_draw_generation(const struct gsim_draw *d, uint32_t buffer)
{
    return d->tables->buffers[buffer].generation;
}

bool gsim_draw_owns(const struct gsim_draw *d, uint32_t buffer) { return d->tables->buffers[buffer].owner == d; }

/* A name of its own, which the place's next owner replaces; where all is kept records name it, and it goes with the
 * program. */
static const char *copy_text(struct gsim_draw_tables *t, const char *text)
{
    if (t->keeps) return gsim_arena_strdup(&t->program.arena, text);
    size_t size = strlen(text) + 1;
    char *copy = gsim_alloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void free_text(const struct gsim_draw_tables *t, const char *text)
{
    if (!t->keeps) gsim_free((char *)(uintptr_t)text);
}

/* --- buffers ------------------------------------------------------------------------------------------------ */

uint32_t gsim_draw_buffer(struct gsim_draw *d, const char *name, uint64_t bytes, enum gsim_buffer_init init)
{
    struct gsim_draw_tables *t = d->tables;
    struct gsim_program *p = &t->program;
    if (has_failed(d)) return NONE;
    uint32_t index = t->free_buffer != NONE ? t->free_buffer : p->buffer_count;
    if (index == t->buffer_room) {
        gsim_draw_fail(d, GSIM_INPUT, "more than %u buffers at once%s", t->buffer_room,
                       t->keeps ? ", of which all are kept for the outputs asked for" : "");
        return NONE;
    }
    struct gsim_buffer *buffer = &p->buffers[index];
    free_text(t, buffer->name);
    *buffer = (struct gsim_buffer){.name = name ? copy_text(t, name) : NULL, .bytes = bytes, .init = init};
    if (name && !buffer->name) return out_of_memory(d);
    if (gsim_program_check_buffer(p, index, &d->error)) return NONE;
    if (t->bytes + bytes > GSIM_LIMIT_BYTES) {
        gsim_draw_fail(d, GSIM_INPUT, "buffers: all together exceed %llu bytes", GSIM_LIMIT_BYTES);
        return NONE;
    }
    struct gsim_draw_buffer_state *state = &t->buffers[index];
    if (index == t->free_buffer) t->free_buffer = state->next_free;
    else p->buffer_count++;
    t->bytes += bytes;
    *state = (struct gsim_draw_buffer_state){.owner = d, .generation = state->generation + 1, .is_there = true};
    if (t->hooks && t->hooks->add_buffer(t->hooks->data, index, &d->error)) return NONE;
    return index;
}

static void drop_buffer(struct gsim_draw_tables *t, uint32_t index)
{
    struct gsim_draw_buffer_state *state = &t->buffers[index];
    if (t->hooks) t->hooks->drop_buffer(t->hooks->data, index);
    t->bytes -= t->program.buffers[index].bytes;
    state->is_there = false;
    if (t->keeps) return; /* records name it */
    state->next_free = t->free_buffer;
    t->free_buffer = index;
}

void gsim_draw_free(struct gsim_draw *d, uint32_t index)
{
    struct gsim_draw_tables *t = d->tables;
    if (has_failed(d)) return;
    if (index >= t->program.buffer_count || t->buffers[index].owner != d || !t->buffers[index].is_there ||
        t->buffers[index].is_given_back) {
        gsim_draw_fail(d, GSIM_INPUT, "buffer %u is given back, and there is none", index);
        return;
    }
    t->buffers[index].is_given_back = true;
    if (!t->buffers[index].uses) drop_buffer(t, index);
}

/* --- kernels ------------------------------------------------------------------------------------------------ */

static void make_idle(struct gsim_draw_tables *t, uint32_t index)
{
    struct gsim_draw_kernel_state *state = &t->kernels[index];
    state->is_idle = true;
    state->before = t->newest;
    state->behind = NONE;
    *(t->newest == NONE ? &t->oldest : &t->kernels[t->newest].behind) = index;
    t->newest = index;
}

static void make_busy(struct gsim_draw_tables *t, uint32_t index)
{
    struct gsim_draw_kernel_state *state = &t->kernels[index];
    if (!state->is_idle) return;
    *(state->before == NONE ? &t->oldest : &t->kernels[state->before].behind) = state->behind;
    *(state->behind == NONE ? &t->newest : &t->kernels[state->behind].before) = state->before;
    state->is_idle = false;
}

static uint32_t *slot_of(struct gsim_draw_tables *t, const struct gsim_kernel *kernel)
{
    return &t->slots[gsim_kernel_hash(kernel) & (t->slot_count - 1)];
}

static void free_names(const struct gsim_draw_tables *t, struct gsim_kernel *kernel)
{
    free_text(t, kernel->name);
    free_text(t, kernel->solo_device);
    *kernel = (struct gsim_kernel){0};
}

/* A place for another kernel: a new one, or that of the one that has been idle longest. */
static uint32_t find_place(struct gsim_draw *d)
{
    struct gsim_draw_tables *t = d->tables;
    struct gsim_program *p = &t->program;
    if (p->kernel_count < t->kernel_room) return p->kernel_count++;
    if (t->keeps || t->oldest == NONE) {
        gsim_draw_fail(d, GSIM_INPUT, "more than %u different kernels%s", t->kernel_room,
                       t->keeps ? ", of which all are kept for the outputs asked for" : " at once");
        return NONE;
    }
    uint32_t index = t->oldest, *slot = slot_of(t, &p->kernels[index]);
    make_busy(t, index);
    if (t->hooks) t->hooks->drop_kernel(t->hooks->data, index);
    while (*slot != index + 1) slot = &t->kernels[*slot - 1].next_of_hash;
    *slot = t->kernels[index].next_of_hash;
    free_names(t, &p->kernels[index]);
    return index;
}

uint32_t gsim_draw_kernel(struct gsim_draw *d, const struct gsim_kernel *kernel)
{
    struct gsim_draw_tables *t = d->tables;
    struct gsim_program *p = &t->program;
    if (has_failed(d)) return NONE;
    if (!kernel->name) {
        gsim_draw_fail(d, GSIM_INPUT, "a kernel has no name");
        return NONE;
    }
    for (uint32_t at = *slot_of(t, kernel); at; at = t->kernels[at - 1].next_of_hash) {
        if (!gsim_kernel_is_same(&p->kernels[at - 1], kernel)) continue;
        if (t->kernels[at - 1].is_idle) { /* for the next op */
            make_busy(t, at - 1);
            make_idle(t, at - 1);
        }
        return at - 1;
    }
    uint32_t index = find_place(d);
    if (index == NONE) return NONE;
    struct gsim_kernel *own = &p->kernels[index];
    *own = *kernel;
    own->name = copy_text(t, kernel->name);
    own->solo_device = kernel->solo_device ? copy_text(t, kernel->solo_device) : NULL;
    uint32_t *slot = slot_of(t, kernel);
    t->kernels[index] = (struct gsim_draw_kernel_state){.next_of_hash = *slot};
    *slot = index + 1;
    make_idle(t, index);
    if (!own->name || (kernel->solo_device && !own->solo_device)) return out_of_memory(d);
    if (gsim_program_check_kernel(p, index, &d->error)) return NONE;
    if (t->hooks && t->hooks->add_kernel(t->hooks->data, index, &d->error)) return NONE;
    return index;
}

/* --- ops ---------------------------------------------------------------------------------------------------- */

static void use(struct gsim_draw_tables *t, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) t->buffers[op->args[a].buffer_index].uses++;
    if (op->kind != GSIM_OP_KERNEL) return;
    make_busy(t, op->kernel_index);
    t->kernels[op->kernel_index].uses++;
}

static void leave(struct gsim_draw_tables *t, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        struct gsim_draw_buffer_state *state = &t->buffers[op->args[a].buffer_index];
        if (!--state->uses && state->is_given_back) drop_buffer(t, op->args[a].buffer_index);
    }
    if (op->kind == GSIM_OP_KERNEL && !--t->kernels[op->kernel_index].uses) make_idle(t, op->kernel_index);
}

/* Room for COUNT elements of what is written anew. */
static bool make_room(void **list, size_t element, size_t count, size_t *room)
{
    if (count <= *room) return true;
    void *wider = gsim_alloc(element * (count + count / 2 + 2));
    if (!wider) return false;
    gsim_free(*list);
    *list = wider;
    *room = count + count / 2 + 2;
    return true;
}

static struct gsim_drawn_op *place_for(struct gsim_draw *d)
{
    struct gsim_drawn_op *drawn = d->idle;
    if (drawn) {
        d->idle = drawn->next;
        return drawn;
    }
    drawn = gsim_alloc(sizeof *drawn);
    if (!drawn) return NULL;
    drawn->next_made = d->all;
    d->all = drawn;
    d->made++;
    return drawn;
}

/* A copy of OP that lives until it has ended. */
static struct gsim_drawn_op *copy_op(struct gsim_draw *d, const struct gsim_op *op, bool is_move)
{
    struct gsim_drawn_op *drawn = place_for(d);
    if (!drawn) return NULL;
    drawn->is_move = is_move;
    bool has_room =
        make_room((void **)&drawn->args, sizeof *drawn->args, op->arg_count, &drawn->arg_room) &&
        make_room((void **)&drawn->segments, sizeof *drawn->segments, op->segment_count, &drawn->segment_room) &&
        make_room((void **)&drawn->after, sizeof *drawn->after, op->after_count, &drawn->after_room);
    if (!has_room) {
        drawn->next = d->idle;
        d->idle = drawn;
        return NULL;
    }
    drawn->op = *op;
    if (op->arg_count) memcpy(drawn->args, op->args, sizeof *op->args * op->arg_count);
    if (op->segment_count) memcpy(drawn->segments, op->segments, sizeof *op->segments * op->segment_count);
    if (op->after_count) memcpy(drawn->after, op->after, sizeof *op->after * op->after_count);
    drawn->op.args = drawn->args;
    if (op->kind == GSIM_OP_KERNEL) drawn->op.segments = drawn->segments;
    drawn->op.after = drawn->after;
    d->live++;
    use(d->tables, &drawn->op);
    return drawn;
}

void gsim_draw_place(const struct gsim_op *op, uint32_t device)
{
    ((struct gsim_drawn_op *)(uintptr_t)op)->op.device = (uint8_t)device;
}

bool gsim_draw_is_move(const struct gsim_op *op) { return ((const struct gsim_drawn_op *)op)->is_move; }

static bool keep(struct gsim_draw *d, const struct gsim_op *op)
{
    struct gsim_arena *arena = &d->tables->program.arena;
    if (gsim_array_grow(&d->ops, sizeof *d->ops, op->index, &d->op_room)) return false;
    struct gsim_op *kept = &d->ops[op->index];
    struct gsim_arg *args = op->arg_count ? GSIM_ARENA_ARRAY(arena, struct gsim_arg, op->arg_count) : NULL;
    struct gsim_segment *segments =
        op->segment_count ? GSIM_ARENA_ARRAY(arena, struct gsim_segment, op->segment_count) : NULL;
    uint32_t *after = op->after_count ? GSIM_ARENA_ARRAY(arena, uint32_t, op->after_count) : NULL;
    if (arena->failed) return false;
    if (args) memcpy(args, op->args, sizeof *args * op->arg_count);
    if (segments) memcpy(segments, op->segments, sizeof *segments * op->segment_count);
    if (after) memcpy(after, op->after, sizeof *after * op->after_count);
    *kept = *op;
    kept->args = args;
    kept->segments = segments;
    kept->after = after;
    return true;
}

/* What a program's own check says of an op, and what holds for ops that are drawn. */
static bool is_fine(struct gsim_draw *d, const struct gsim_op *op)
{
    const struct gsim_program *program = &d->tables->program;
    if (gsim_program_check_op(program, op, &d->error)) return false;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t buffer = op->args[a].buffer_index;
        struct gsim_draw_buffer_state *state = &d->tables->buffers[buffer];
        if (state->owner != d)
            gsim_draw_fail(d, GSIM_INPUT, "ops[%u]: buffer '%s' is another task's", op->index,
                           program->buffers[buffer].name);
        else if (!state->is_there || state->is_given_back)
            gsim_draw_fail(d, GSIM_INPUT, "ops[%u]: buffer '%s' has been given back", op->index,
                           program->buffers[buffer].name);
        else if (state->last_user == op->index + 1)
            gsim_draw_fail(d, GSIM_INPUT, "ops[%u]: buffer '%s' is an argument twice", op->index,
                           program->buffers[buffer].name);
        state->last_user = op->index + 1;
    }
    for (uint32_t a = 0; a < op->after_count; a++)
        if (op->index - op->after[a] > GSIM_SOURCE_AFTER)
            gsim_draw_fail(d, GSIM_INPUT, "ops[%u].after[%u]: expected one of the last %d ops, found %u", op->index, a,
                           GSIM_SOURCE_AFTER, op->after[a]);
    if (op->device >= d->gpu_count || op->to_device >= d->gpu_count)
        gsim_draw_fail(d, GSIM_INPUT, "ops[%u] is for GPU %u, and there %s %u that it may be for", op->index,
                       op->device > op->to_device ? op->device : op->to_device, d->gpu_count == 1 ? "is" : "are",
                       d->gpu_count);
    if (op->untimed)
        gsim_draw_fail(d, GSIM_INPUT, "ops[%u].untimed: a source has no reset between iterations", op->index);
    if (gsim_draw_now_us(d) > GSIM_LIMIT_TOTAL_US)
        gsim_draw_fail(d, GSIM_INPUT, "ops[%u]: drawn after %g us, expected an end before", op->index,
                       GSIM_LIMIT_TOTAL_US);
    return !has_failed(d);
}

/* The source's next op is in *OP; false: there are no more, or the draw has failed. */
static bool ask(struct gsim_draw *d, struct gsim_op *op)
{
    enum gsim_source_answer answer;
    do {
        if (d->requests) d->requests->look(d->requests->data, false);
        *op = (struct gsim_op){.stream = -1};
        answer = d->source->next(d->state, d, op);
    } while (answer == GSIM_SOURCE_WAIT && !has_failed(d) && d->requests && d->requests->look(d->requests->data, true));
    if (answer == GSIM_SOURCE_OP && !has_failed(d)) return true;
    d->has_ended = true;
    return false;
}

const struct gsim_op *gsim_draw_op(struct gsim_draw *d)
{
    struct gsim_op op = {.stream = -1};
    if (has_failed(d) || d->has_ended || !ask(d, &op)) return NULL;
    op.index = d->drawn;
    if (d->drawn == NONE - 1) gsim_draw_fail(d, GSIM_INPUT, "more than %u ops", d->drawn);
    if (has_failed(d) || !is_fine(d, &op)) return NULL;
    struct gsim_drawn_op *drawn = copy_op(d, &op, false);
    if (!drawn || (d->tables->keeps && !keep(d, &op))) {
        out_of_memory(d);
        return NULL;
    }
    d->drawn++;
    return &drawn->op;
}

void gsim_draw_arrive(struct gsim_draw *d, uint32_t request, double at_us)
{
    if (d->source->arrived) d->source->arrived(d->state, d, request, at_us);
}

void gsim_draw_served(struct gsim_draw *d, uint32_t request, double begun_us)
{
    if (d->requests) d->requests->served(d->requests->data, request, begun_us);
}

const struct gsim_op *gsim_draw_move(struct gsim_draw *d, const struct gsim_op *op)
{
    struct gsim_drawn_op *drawn = copy_op(d, op, true);
    if (!drawn) out_of_memory(d);
    return drawn ? &drawn->op : NULL;
}

void gsim_draw_ended(struct gsim_draw *d, const struct gsim_op *op, double now_us)
{
    struct gsim_drawn_op *drawn = (struct gsim_drawn_op *)(uintptr_t)op;
    bool is_work = op->kind == GSIM_OP_KERNEL || op->kind == GSIM_OP_COPY || op->kind == GSIM_OP_PREFETCH;
    if (!drawn->is_move && is_work && d->source->done) d->source->done(d->state, op, now_us);
    leave(d->tables, op);
    d->live--;
    if (d->tables->keeps) return; /* who is late to tell what it did for the op still names it */
    drawn->next = d->idle;
    d->idle = drawn;
}

/* --- life --------------------------------------------------------------------------------------------------- */

static bool make_tables(struct gsim_draw_tables *t)
{
    for (t->slot_count = 1; t->slot_count < t->kernel_room; t->slot_count *= 2) {}
    t->program.buffers = gsim_alloc(sizeof *t->program.buffers * t->buffer_room);
    t->program.kernels = gsim_alloc(sizeof *t->program.kernels * t->kernel_room);
    t->buffers = gsim_alloc(sizeof *t->buffers * t->buffer_room);
    t->kernels = gsim_alloc(sizeof *t->kernels * t->kernel_room);
    t->slots = gsim_alloc(sizeof *t->slots * t->slot_count);
    return t->program.buffers && t->program.kernels && t->buffers && t->kernels && t->slots;
}

enum gsim_status gsim_draw_tables_init(struct gsim_draw_tables *t, const struct gsim_program *known, const char *name,
                                       bool keeps, struct gsim_error *error)
{
    *t = (struct gsim_draw_tables){.keeps = keeps, .oldest = NONE, .newest = NONE, .free_buffer = NONE};
    if (known) {
        t->known_buffers = known->buffer_count;
        t->known_kernels = known->kernel_count;
    }
    t->buffer_room = t->known_buffers + (keeps ? GSIM_DRAW_BUFFERS_KEPT : GSIM_DRAW_BUFFERS);
    t->kernel_room = t->known_kernels + (keeps ? GSIM_DRAW_KERNELS_KEPT : GSIM_DRAW_KERNELS);
    t->program.name = name;
    t->program.iterations = 1;
    if (!make_tables(t)) return gsim_no_memory(error);
    for (uint32_t i = 0; i < t->known_buffers; i++) {
        t->program.buffers[i] = known->buffers[i];
        t->buffers[i] = (struct gsim_draw_buffer_state){.generation = 1, .is_there = true};
        t->bytes += known->buffers[i].bytes;
    }
    for (uint32_t i = 0; i < t->known_kernels; i++) t->program.kernels[i] = known->kernels[i];
    t->program.buffer_count = t->known_buffers;
    t->program.kernel_count = t->known_kernels;
    return GSIM_OK;
}

void gsim_draw_tables_release(struct gsim_draw_tables *t)
{
    uint32_t buffers = t->program.buffers ? t->buffer_room : 0,
             kernels = t->program.kernels ? t->program.kernel_count : 0;
    for (uint32_t i = t->known_buffers; i < buffers && i <= t->program.buffer_count; i++)
        free_text(t, t->program.buffers[i].name);
    for (uint32_t i = t->known_kernels; i < kernels; i++) free_names(t, &t->program.kernels[i]);
    void *owned[] = {t->program.buffers, t->program.kernels, t->buffers, t->kernels, t->slots};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) gsim_free(owned[i]);
    gsim_arena_release(&t->program.arena);
    *t = (struct gsim_draw_tables){0};
}

enum gsim_status gsim_draw_init(struct gsim_draw *d, struct gsim_draw_tables *tables,
                                const struct gsim_source_ops *source, uint64_t seed, struct gsim_error *error)
{
    *d = (struct gsim_draw){.source = source, .tables = tables, .gpu_count = 1};
    d->state = gsim_alloc(source->state_size);
    if (!d->state) return gsim_no_memory(error);
    return gsim_random_init(&d->numbers, seed, error) ? error->status : GSIM_OK;
}

enum gsim_status gsim_draw_open(struct gsim_draw *d, const void *params, struct gsim_error *error)
{
    d->is_open = true;
    enum gsim_status status = d->source->open(d->state, params, &d->numbers, d, &d->error);
    if (status && !has_failed(d)) gsim_draw_fail(d, status, "the source '%s' cannot begin", d->source->name);
    return has_failed(d) ? gsim_error_set(error, d->error.status, "%s: %s", d->source->name, d->error.message)
                         : GSIM_OK;
}

/* The buffers' names, each once: a later one of the same name has its number behind it, and where that is taken, too,
 * another one. */
static bool name_buffers(struct gsim_buffer *buffers, uint32_t count, struct gsim_arena *arena)
{
    struct gsim_names names = {0};
    bool failed = false;
    for (uint32_t i = 0; i < count && !failed; i++) {
        char text[GSIM_LIMIT_NAME + 1];
        const char *name = buffers[i].name;
        for (uint32_t tried = 0; gsim_names_find(&names, buffers[i].name) != GSIM_NAME_NONE; buffers[i].name = text)
            if (!tried++) snprintf(text, sizeof text, "%.*s.%u", (int)GSIM_LIMIT_NAME - 12, name, i);
            else snprintf(text, sizeof text, "%.*s.%u.%u", (int)GSIM_LIMIT_NAME - 24, name, i, tried);
        if (buffers[i].name == text) buffers[i].name = gsim_arena_strdup(arena, text);
        failed = !buffers[i].name || gsim_names_add(&names, buffers[i].name, i, NULL);
    }
    gsim_names_release(&names);
    return !failed;
}

/* The ops of a draw, numbered from FIRST on. */
static void add_ops(struct gsim_program *program, struct gsim_draw *d, uint32_t first)
{
    for (uint32_t i = 0; i < d->drawn; i++) {
        struct gsim_op *op = &program->ops[first + i];
        *op = d->ops[i];
        op->index += first;
        for (uint32_t a = 0; first && a < op->after_count; a++)
            ((uint32_t *)(uintptr_t)op->after)[a] += first; /* of the tables' arena */
    }
}

enum gsim_status gsim_draws_to_program(struct gsim_draw_tables *t, struct gsim_draw *draws, uint32_t count,
                                       const struct gsim_program *known, uint32_t *first_op,
                                       struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_program *own = &t->program, made = {.iterations = 1};
    struct gsim_arena *arena = &own->arena;
    uint64_t ops = known ? known->op_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (first_op) first_op[i] = (uint32_t)ops;
        ops += draws[i].drawn;
    }
    if (ops > NONE - 1) return gsim_error_set(error, GSIM_INPUT, "more than %u ops", NONE - 1);
    made.buffer_count = t->keeps ? own->buffer_count : 0;
    made.kernel_count = t->keeps ? own->kernel_count : 0;
    made.op_count = t->keeps ? (uint32_t)ops : 0;
    made.name = gsim_arena_strdup(arena, own->name);
    made.buffers = GSIM_ARENA_ARRAY(arena, struct gsim_buffer, made.buffer_count + 1);
    made.kernels = GSIM_ARENA_ARRAY(arena, struct gsim_kernel, made.kernel_count + 1);
    made.ops = GSIM_ARENA_ARRAY(arena, struct gsim_op, (size_t)made.op_count + 1);
    for (uint32_t i = 0; i < made.buffer_count && !arena->failed; i++) made.buffers[i] = own->buffers[i];
    if (!arena->failed && !name_buffers(made.buffers, made.buffer_count, arena)) arena->failed = 1;
    if (arena->failed) return gsim_no_memory(error);
    for (uint32_t i = 0; i < made.kernel_count; i++) made.kernels[i] = own->kernels[i];
    uint32_t at = made.op_count && known ? known->op_count : 0;
    for (uint32_t i = 0; i < at; i++) made.ops[i] = known->ops[i];
    for (uint32_t i = 0; i < count && made.op_count; at += draws[i++].drawn) add_ops(&made, &draws[i], at);
    made.arena = *arena;
    *arena = (struct gsim_arena){0};
    *program = made;
    return GSIM_OK;
}

void gsim_draw_release(struct gsim_draw *d)
{
    if (!d->source) return;
    if (d->is_open && d->source->close) d->source->close(d->state);
    while (d->all) {
        struct gsim_drawn_op *drawn = d->all;
        d->all = drawn->next_made;
        gsim_free(drawn->args);
        gsim_free(drawn->segments);
        gsim_free(drawn->after);
        gsim_free(drawn);
    }
    gsim_free(d->state);
    gsim_free(d->ops);
    gsim_random_release(&d->numbers);
    *d = (struct gsim_draw){0};
}
