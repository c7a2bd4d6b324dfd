/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See schedulers/shared/whereabouts.h. */
#include "schedulers/shared/whereabouts.h"

#include <string.h>

static uint32_t bit_of(uint32_t place) { return place == GSIM_AT_HOST ? 0 : place + 1; }

bool gsim_whereabouts_has(const uint64_t *holders, uint32_t place)
{
    uint32_t bit = bit_of(place);
    return holders[bit / 64] >> bit % 64 & 1;
}

static void set(uint64_t *holders, uint32_t place) { holders[bit_of(place) / 64] |= UINT64_C(1) << bit_of(place) % 64; }

bool gsim_whereabouts_is_nowhere(const struct gsim_whereabouts *w, const uint64_t *holders)
{
    for (uint32_t i = 0; i < w->words; i++)
        if (holders[i]) return false;
    return true;
}

void gsim_whereabouts_begin(struct gsim_whereabouts *w, uint32_t buffer)
{
    const struct gsim_access whole = {.end = UINT64_MAX, .buffer_index = buffer};
    enum gsim_buffer_init init = w->program->buffers[buffer].init;
    struct gsim_extents_found found = gsim_extents_find(&w->places, buffer, 0, UINT64_MAX);
    if (!found.count) return;
    memset(found.values, 0, sizeof(uint64_t) * w->words);
    gsim_extents_join(&w->places, buffer, &found);
    if (init == GSIM_INIT_HOST || (w->everything_is_somewhere && init == GSIM_INIT_NONE))
        gsim_whereabouts_write(w, &whole, GSIM_AT_HOST);
}

bool gsim_whereabouts_init(struct gsim_whereabouts *w, const struct gsim_program *program, uint32_t room,
                           uint32_t device_count, bool everything_is_somewhere, bool by_declaration)
{
    *w = (struct gsim_whereabouts){.program = program, .device_count = device_count, .by_declaration = by_declaration,
                                   .everything_is_somewhere = everything_is_somewhere};
    w->words = device_count / 64 + 1;
    uint64_t *nowhere = gsim_alloc(sizeof *nowhere * w->words);
    bool ok = nowhere && gsim_extents_init(&w->places, room, sizeof *nowhere * w->words, nowhere);
    gsim_free(nowhere);
    for (uint32_t b = 0; ok && b < program->buffer_count; b++) gsim_whereabouts_begin(w, b);
    return ok;
}

void gsim_whereabouts_release(struct gsim_whereabouts *w) { gsim_extents_release(&w->places); }

bool gsim_whereabouts_next(struct gsim_whereabouts *w, const struct gsim_access *access, uint32_t *at,
                           struct gsim_held_part *part)
{
    uint64_t size = w->program->buffers[access->buffer_index].bytes;
    struct gsim_extents_found found = gsim_extents_find(&w->places, access->buffer_index, access->begin, access->end);
    if (*at >= found.count) return false;
    const struct gsim_pieces *pieces = w->places.pieces ? &w->places.pieces[access->buffer_index] : NULL;
    uint32_t piece = found.first + *at;
    bool is_whole = !pieces || !pieces->count;
    part->begin = is_whole ? 0 : pieces->begins[piece];
    if (part->begin >= size && piece) return false; /* cut off where somebody's part ended with the buffer */
    part->end = is_whole || piece + 1 == pieces->count ? size : pieces->begins[piece + 1];
    if (part->end > size) part->end = size;
    part->holders = (uint64_t *)found.values + (size_t)w->words * *at;
    ++*at;
    return true;
}

void gsim_whereabouts_read(struct gsim_whereabouts *w, const struct gsim_access *access, uint32_t place)
{
    struct gsim_held_part part;
    for (uint32_t at = 0; gsim_whereabouts_next(w, access, &at, &part);) set(part.holders, place);
}

void gsim_whereabouts_write(struct gsim_whereabouts *w, const struct gsim_access *access, uint32_t place)
{
    struct gsim_extents_found found = gsim_extents_find(&w->places, access->buffer_index, access->begin, access->end);
    if (!found.count) return;
    memset(found.values, 0, sizeof(uint64_t) * w->words);
    set(found.values, place);
    gsim_extents_join(&w->places, access->buffer_index, &found);
}

static void note_kernel(struct gsim_whereabouts *w, const struct gsim_op *op, uint32_t device)
{
    struct gsim_access_walk walk = {.op = op};
    for (uint32_t a = 0; w->by_declaration && a < op->arg_count; a++) {
        const struct gsim_access whole = {.end = UINT64_MAX, .buffer_index = op->args[a].buffer_index};
        if (op->args[a].declared_const) gsim_whereabouts_read(w, &whole, device);
        else gsim_whereabouts_write(w, &whole, device);
    }
    if (w->by_declaration) return;
    for (struct gsim_access access; gsim_access_next(&walk, &access);) {
        if (access.writes) gsim_whereabouts_write(w, &access, device);
        else if (access.reads) gsim_whereabouts_read(w, &access, device);
    }
}

void gsim_whereabouts_note(struct gsim_whereabouts *w, const struct gsim_op *op, uint32_t device)
{
    struct gsim_access part = {0};
    if (op->kind == GSIM_OP_KERNEL) {
        note_kernel(w, op, device);
        return;
    }
    for (uint32_t a = 0; a < op->arg_count; a++) {
        part.buffer_index = op->args[a].buffer_index;
        part.end = op->bytes ? op->bytes : UINT64_MAX;
        if (w->by_declaration || part.end >= w->program->buffers[part.buffer_index].bytes) part.end = UINT64_MAX;
        switch (op->kind) {
        case GSIM_OP_COPY:
            if (op->copy_kind == GSIM_COPY_D2H) gsim_whereabouts_read(w, &part, GSIM_AT_HOST);
            else if (op->copy_kind == GSIM_COPY_P2P) gsim_whereabouts_read(w, &part, op->to_device);
            else gsim_whereabouts_read(w, &part, device);
            break;
        case GSIM_OP_PREFETCH: gsim_whereabouts_read(w, &part, device); break;
        case GSIM_OP_HOST_WRITE: gsim_whereabouts_write(w, &part, GSIM_AT_HOST); break;
        case GSIM_OP_HOST_READ: gsim_whereabouts_read(w, &part, GSIM_AT_HOST); break;
        case GSIM_OP_HOST_COMPUTE:
        case GSIM_OP_KERNEL: break;
        }
    }
}
