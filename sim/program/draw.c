/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/program/draw.h. */
#include "sim/program/draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpusim/limits.h"
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
    uint32_t uses, generation;
    uint32_t next_free;
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

double gsim_draw_now_us(const struct gsim_draw *d) { return d->hooks ? d->hooks->now_us(d->hooks->data) : 0; }

uint32_t gsim_draw_generation(const struct gsim_draw *d, uint32_t buffer) { return d->buffers[buffer].generation; }

/* A name of its own, which the place's next owner replaces; where all is kept records name it, and it goes with the program. */
static const char *copy_text(struct gsim_draw *d, const char *text)
{
    if (d->keeps) return gsim_arena_strdup(&d->program.arena, text);
    size_t size = strlen(text) + 1;
    char *copy = gsim_alloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void free_text(const struct gsim_draw *d, const char *text)
{
    if (!d->keeps) gsim_free((char *)(uintptr_t)text);
}

/* --- buffers ------------------------------------------------------------------------------------------------ */

uint32_t gsim_draw_buffer(struct gsim_draw *d, const char *name, uint64_t bytes, enum gsim_buffer_init init)
{
    struct gsim_program *p = &d->program;
    if (has_failed(d)) return NONE;
    uint32_t index = d->free_buffer != NONE ? d->free_buffer : p->buffer_count;
    if (index == d->buffer_room) {
        gsim_draw_fail(d, GSIM_INPUT, "more than %u buffers at once%s", d->buffer_room, d->keeps ? ", of which all are kept for the outputs asked for" : "");
        return NONE;
    }
    struct gsim_buffer *buffer = &p->buffers[index];
    free_text(d, buffer->name);
    *buffer = (struct gsim_buffer){.name = name ? copy_text(d, name) : NULL, .bytes = bytes, .init = init};
    if (name && !buffer->name) return out_of_memory(d);
    if (gsim_program_check_buffer(p, index, &d->error)) return NONE;
    if (d->bytes + bytes > GSIM_LIMIT_BYTES) {
        gsim_draw_fail(d, GSIM_INPUT, "buffers: all together exceed %llu bytes", GSIM_LIMIT_BYTES);
        return NONE;
    }
    struct gsim_draw_buffer_state *state = &d->buffers[index];
    if (index == d->free_buffer) d->free_buffer = state->next_free;
    else p->buffer_count++;
    d->bytes += bytes;
    *state = (struct gsim_draw_buffer_state){.generation = state->generation + 1, .is_there = true};
    if (d->hooks && d->hooks->add_buffer(d->hooks->data, index, &d->error)) return NONE;
    return index;
}

static void drop_buffer(struct gsim_draw *d, uint32_t index)
{
    struct gsim_draw_buffer_state *state = &d->buffers[index];
    if (d->hooks) d->hooks->drop_buffer(d->hooks->data, index);
    d->bytes -= d->program.buffers[index].bytes;
    state->is_there = false;
    if (d->keeps) return; /* records name it */
    state->next_free = d->free_buffer;
    d->free_buffer = index;
}

void gsim_draw_free(struct gsim_draw *d, uint32_t index)
{
    if (has_failed(d)) return;
    if (index >= d->program.buffer_count || !d->buffers[index].is_there || d->buffers[index].is_given_back) {
        gsim_draw_fail(d, GSIM_INPUT, "buffer %u is given back, and there is none", index);
        return;
    }
    d->buffers[index].is_given_back = true;
    if (!d->buffers[index].uses) drop_buffer(d, index);
}

/* --- kernels ------------------------------------------------------------------------------------------------ */

static void make_idle(struct gsim_draw *d, uint32_t index)
{
    struct gsim_draw_kernel_state *state = &d->kernels[index];
    state->is_idle = true;
    state->before = d->newest;
    state->behind = NONE;
    *(d->newest == NONE ? &d->oldest : &d->kernels[d->newest].behind) = index;
    d->newest = index;
}

static void make_busy(struct gsim_draw *d, uint32_t index)
{
    struct gsim_draw_kernel_state *state = &d->kernels[index];
    if (!state->is_idle) return;
    *(state->before == NONE ? &d->oldest : &d->kernels[state->before].behind) = state->behind;
    *(state->behind == NONE ? &d->newest : &d->kernels[state->behind].before) = state->before;
    state->is_idle = false;
}

static uint32_t *slot_of(struct gsim_draw *d, const struct gsim_kernel *kernel) { return &d->slots[gsim_kernel_hash(kernel) & (d->slot_count - 1)]; }

static void free_names(const struct gsim_draw *d, struct gsim_kernel *kernel)
{
    free_text(d, kernel->name);
    free_text(d, kernel->solo_device);
    *kernel = (struct gsim_kernel){0};
}

/* A place for another kernel: a new one, or that of the one that has been idle longest. */
static uint32_t find_place(struct gsim_draw *d)
{
    struct gsim_program *p = &d->program;
    if (p->kernel_count < d->kernel_room) return p->kernel_count++;
    if (d->keeps || d->oldest == NONE) {
        gsim_draw_fail(d, GSIM_INPUT, "more than %u different kernels%s", d->kernel_room,
                       d->keeps ? ", of which all are kept for the outputs asked for" : " at once");
        return NONE;
    }
    uint32_t index = d->oldest, *slot = slot_of(d, &p->kernels[index]);
    make_busy(d, index);
    if (d->hooks) d->hooks->drop_kernel(d->hooks->data, index);
    while (*slot != index + 1) slot = &d->kernels[*slot - 1].next_of_hash;
    *slot = d->kernels[index].next_of_hash;
    free_names(d, &p->kernels[index]);
    return index;
}

uint32_t gsim_draw_kernel(struct gsim_draw *d, const struct gsim_kernel *kernel)
{
    struct gsim_program *p = &d->program;
    if (has_failed(d)) return NONE;
    if (!kernel->name) {
        gsim_draw_fail(d, GSIM_INPUT, "a kernel has no name");
        return NONE;
    }
    for (uint32_t at = *slot_of(d, kernel); at; at = d->kernels[at - 1].next_of_hash) {
        if (!gsim_kernel_is_same(&p->kernels[at - 1], kernel)) continue;
        if (d->kernels[at - 1].is_idle) { /* for the next op */
            make_busy(d, at - 1);
            make_idle(d, at - 1);
        }
        return at - 1;
    }
    uint32_t index = find_place(d);
    if (index == NONE) return NONE;
    struct gsim_kernel *own = &p->kernels[index];
    *own = *kernel;
    own->name = copy_text(d, kernel->name);
    own->solo_device = kernel->solo_device ? copy_text(d, kernel->solo_device) : NULL;
    uint32_t *slot = slot_of(d, kernel);
    d->kernels[index] = (struct gsim_draw_kernel_state){.next_of_hash = *slot};
    *slot = index + 1;
    make_idle(d, index);
    if (!own->name || (kernel->solo_device && !own->solo_device)) return out_of_memory(d);
    if (gsim_program_check_kernel(p, index, &d->error)) return NONE;
    if (d->hooks && d->hooks->add_kernel(d->hooks->data, index, &d->error)) return NONE;
    return index;
}

/* --- ops ---------------------------------------------------------------------------------------------------- */

static void use(struct gsim_draw *d, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) d->buffers[op->args[a].buffer_index].uses++;
    if (op->kind != GSIM_OP_KERNEL) return;
    make_busy(d, op->kernel_index);
    d->kernels[op->kernel_index].uses++;
}

static void leave(struct gsim_draw *d, const struct gsim_op *op)
{
    for (uint32_t a = 0; a < op->arg_count; a++) {
        struct gsim_draw_buffer_state *state = &d->buffers[op->args[a].buffer_index];
        if (!--state->uses && state->is_given_back) drop_buffer(d, op->args[a].buffer_index);
    }
    if (op->kind == GSIM_OP_KERNEL && !--d->kernels[op->kernel_index].uses) make_idle(d, op->kernel_index);
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
    bool has_room = make_room((void **)&drawn->args, sizeof *drawn->args, op->arg_count, &drawn->arg_room) &&
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
    drawn->op.segments = drawn->segments;
    drawn->op.after = drawn->after;
    d->live++;
    use(d, &drawn->op);
    return drawn;
}

bool gsim_draw_is_move(const struct gsim_op *op) { return ((const struct gsim_drawn_op *)op)->is_move; }

static bool keep(struct gsim_draw *d, const struct gsim_op *op)
{
    struct gsim_arena *arena = &d->program.arena;
    if (gsim_array_grow((void **)&d->ops, sizeof *d->ops, op->index, &d->op_room)) return false;
    struct gsim_op *kept = &d->ops[op->index];
    struct gsim_arg *args = op->arg_count ? GSIM_ARENA_ARRAY(arena, struct gsim_arg, op->arg_count) : NULL;
    struct gsim_segment *segments = op->segment_count ? GSIM_ARENA_ARRAY(arena, struct gsim_segment, op->segment_count) : NULL;
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
    if (gsim_program_check_op(&d->program, op, &d->error)) return false;
    for (uint32_t a = 0; a < op->arg_count; a++) {
        uint32_t buffer = op->args[a].buffer_index;
        const struct gsim_draw_buffer_state *state = &d->buffers[buffer];
        if (!state->is_there || state->is_given_back)
            gsim_draw_fail(d, GSIM_INPUT, "ops[%u]: buffer '%s' has been given back", op->index, d->program.buffers[buffer].name);
        if (d->last_user[buffer] == op->index + 1)
            gsim_draw_fail(d, GSIM_INPUT, "ops[%u]: buffer '%s' is an argument twice", op->index, d->program.buffers[buffer].name);
        d->last_user[buffer] = op->index + 1;
    }
    for (uint32_t a = 0; a < op->after_count; a++)
        if (op->index - op->after[a] > GSIM_SOURCE_AFTER)
            gsim_draw_fail(d, GSIM_INPUT, "ops[%u].after[%u]: expected one of the last %d ops, found %u", op->index, a, GSIM_SOURCE_AFTER, op->after[a]);
    if (op->device >= d->gpu_count || op->to_device >= d->gpu_count)
        gsim_draw_fail(d, GSIM_INPUT, "ops[%u] is for GPU %u, and there %s %u that it may be for", op->index,
                       op->device > op->to_device ? op->device : op->to_device, d->gpu_count == 1 ? "is" : "are", d->gpu_count);
    if (op->untimed) gsim_draw_fail(d, GSIM_INPUT, "ops[%u].untimed: a source has no reset between iterations", op->index);
    if (gsim_draw_now_us(d) > GSIM_LIMIT_TOTAL_US) gsim_draw_fail(d, GSIM_INPUT, "ops[%u]: drawn after %g us, expected an end before", op->index, GSIM_LIMIT_TOTAL_US);
    return !has_failed(d);
}

const struct gsim_op *gsim_draw_op(struct gsim_draw *d)
{
    struct gsim_op op = {.stream = -1};
    if (has_failed(d) || d->has_ended) return NULL;
    if (d->source->next(d->state, d, &op) == GSIM_SOURCE_END || has_failed(d)) {
        d->has_ended = true;
        return NULL;
    }
    op.index = d->drawn;
    if (d->drawn == NONE - 1) gsim_draw_fail(d, GSIM_INPUT, "more than %u ops", d->drawn);
    if (has_failed(d) || !is_fine(d, &op)) return NULL;
    struct gsim_drawn_op *drawn = copy_op(d, &op, false);
    if (!drawn || (d->keeps && !keep(d, &op))) {
        out_of_memory(d);
        return NULL;
    }
    d->drawn++;
    return &drawn->op;
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
    leave(d, op);
    d->live--;
    if (d->keeps) return; /* who is late to tell what it did for the op still names it */
    drawn->next = d->idle;
    d->idle = drawn;
}

/* --- life --------------------------------------------------------------------------------------------------- */

static bool make_tables(struct gsim_draw *d)
{
    for (d->slot_count = 1; d->slot_count < d->kernel_room; d->slot_count *= 2) {}
    d->program.buffers = gsim_alloc(sizeof *d->program.buffers * d->buffer_room);
    d->program.kernels = gsim_alloc(sizeof *d->program.kernels * d->kernel_room);
    d->buffers = gsim_alloc(sizeof *d->buffers * d->buffer_room);
    d->kernels = gsim_alloc(sizeof *d->kernels * d->kernel_room);
    d->last_user = gsim_alloc(sizeof *d->last_user * d->buffer_room);
    d->slots = gsim_alloc(sizeof *d->slots * d->slot_count);
    d->state = gsim_alloc(d->source->state_size);
    return d->program.buffers && d->program.kernels && d->buffers && d->kernels && d->last_user && d->slots && d->state;
}

enum gsim_status gsim_draw_init(struct gsim_draw *d, const struct gsim_source_ops *source, uint64_t seed, bool keeps,
                                struct gsim_error *error)
{
    *d = (struct gsim_draw){.source = source, .keeps = keeps, .gpu_count = 1, .oldest = NONE, .newest = NONE, .free_buffer = NONE};
    d->buffer_room = keeps ? GSIM_DRAW_BUFFERS_KEPT : GSIM_DRAW_BUFFERS;
    d->kernel_room = keeps ? GSIM_DRAW_KERNELS_KEPT : GSIM_DRAW_KERNELS;
    d->program.name = source->name;
    d->program.iterations = 1;
    if (!make_tables(d)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return gsim_random_init(&d->numbers, seed, error) ? error->status : GSIM_OK;
}

enum gsim_status gsim_draw_open(struct gsim_draw *d, const void *params, const struct gsim_draw_hooks *hooks, struct gsim_error *error)
{
    d->hooks = hooks;
    d->is_open = true;
    enum gsim_status status = d->source->open(d->state, params, &d->numbers, d, &d->error);
    if (status && !has_failed(d)) gsim_draw_fail(d, status, "the source '%s' cannot begin", d->source->name);
    return has_failed(d) ? gsim_error_set(error, d->error.status, "%s: %s", d->source->name, d->error.message) : GSIM_OK;
}

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

struct names { /* buffers by name: index + 1 */
    uint32_t *slots, size; /* a power of two */
};

static uint32_t *slot_of_name(const struct names *names, const struct gsim_buffer *buffers, const char *name)
{
    uint32_t at = hash_name(name) & (names->size - 1);
    while (names->slots[at] && strcmp(buffers[names->slots[at] - 1].name, name) != 0) at = (at + 1) & (names->size - 1);
    return &names->slots[at];
}

/* The buffers' names, each once: a later one of the same name has its number behind it, and where that is taken, too, another one. */
static bool name_buffers(struct gsim_buffer *buffers, uint32_t count, struct gsim_arena *arena)
{
    struct names names = {.size = 1};
    while (names.size < 2 * count) names.size *= 2;
    names.slots = gsim_alloc(sizeof *names.slots * names.size);
    if (!names.slots) return false;
    for (uint32_t i = 0; i < count && !arena->failed; i++) {
        char text[GSIM_LIMIT_NAME + 1];
        const char *name = buffers[i].name;
        uint32_t *slot = slot_of_name(&names, buffers, name);
        for (uint32_t tried = 0; *slot; slot = slot_of_name(&names, buffers, text)) {
            if (!tried++) snprintf(text, sizeof text, "%.*s.%u", (int)GSIM_LIMIT_NAME - 12, name, i);
            else snprintf(text, sizeof text, "%.*s.%u.%u", (int)GSIM_LIMIT_NAME - 24, name, i, tried);
            buffers[i].name = text;
        }
        if (buffers[i].name == text) buffers[i].name = gsim_arena_strdup(arena, text);
        *slot = i + 1;
    }
    gsim_free(names.slots);
    return !arena->failed;
}

enum gsim_status gsim_draw_to_program(struct gsim_draw *d, struct gsim_program *program, struct gsim_error *error)
{
    struct gsim_program *own = &d->program, made = {.iterations = 1};
    struct gsim_arena *arena = &own->arena;
    uint32_t buffers = d->keeps ? own->buffer_count : 0, kernels = d->keeps ? own->kernel_count : 0, ops = d->keeps ? d->drawn : 0;
    made.name = gsim_arena_strdup(arena, own->name);
    made.buffers = GSIM_ARENA_ARRAY(arena, struct gsim_buffer, buffers + 1);
    made.kernels = GSIM_ARENA_ARRAY(arena, struct gsim_kernel, kernels + 1);
    made.ops = GSIM_ARENA_ARRAY(arena, struct gsim_op, (size_t)ops + 1);
    for (uint32_t i = 0; i < buffers && !arena->failed; i++) made.buffers[i] = own->buffers[i];
    if (!arena->failed && !name_buffers(made.buffers, buffers, arena)) arena->failed = 1;
    for (uint32_t i = 0; i < kernels && !arena->failed; i++) made.kernels[i] = own->kernels[i];
    if (arena->failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (ops) memcpy(made.ops, d->ops, sizeof *made.ops * ops);
    made.buffer_count = buffers;
    made.kernel_count = kernels;
    made.op_count = ops;
    made.arena = *arena;
    *arena = (struct gsim_arena){0};
    *program = made;
    return GSIM_OK;
}

void gsim_draw_release(struct gsim_draw *d)
{
    if (!d->source) return;
    if (d->is_open && d->source->close) d->source->close(d->state);
    for (uint32_t i = 0; d->program.buffers && i < d->buffer_room && i <= d->program.buffer_count; i++) free_text(d, d->program.buffers[i].name);
    for (uint32_t i = 0; d->program.kernels && i < d->program.kernel_count; i++) free_names(d, &d->program.kernels[i]);
    while (d->all) {
        struct gsim_drawn_op *drawn = d->all;
        d->all = drawn->next_made;
        gsim_free(drawn->args);
        gsim_free(drawn->segments);
        gsim_free(drawn->after);
        gsim_free(drawn);
    }
    void *owned[] = {d->program.buffers, d->program.kernels, d->buffers, d->kernels, d->last_user, d->slots, d->state, d->ops};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) gsim_free(owned[i]);
    gsim_random_release(&d->numbers);
    gsim_arena_release(&d->program.arena);
    *d = (struct gsim_draw){0};
}
