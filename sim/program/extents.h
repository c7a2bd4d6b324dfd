/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A value for every address of buffers: last writer, readers since. A buffer that is accessed whole has one
 * value. Others are cut into pieces of equal history; a write to several pieces joins them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer cut into pieces: piece i is from begins[i] to before begins[i + 1], the last to the end. */
struct gsim_pieces {
    uint64_t *begins;
    unsigned char *values;
    uint32_t count; /* 0: whole */
    size_t begin_room, value_room;
};

struct gsim_extents {
    unsigned char *wholes; /* of whole buffers */
    struct gsim_pieces *pieces; /* NULL: all are whole */
    uint32_t count;
    size_t value_size;
};

/* Values of neighbouring pieces in an array, valid until the next call for the buffer. */
struct gsim_extents_found {
    void *values;
    uint32_t count, first;
};

/* Makes those of COUNT buffers with VALUE. False: out of memory. */
bool gsim_extents_init(struct gsim_extents *extents, uint32_t count, size_t value_size, const void *value);
void gsim_extents_release(struct gsim_extents *extents); /* accepts zeroed */
/* Returns the pieces of BEGIN to before END, cutting at both; 0 and UINT64_MAX: the whole buffer. Count 0: out of
 * memory. */
struct gsim_extents_found gsim_extents_find(struct gsim_extents *extents, uint32_t buffer, uint64_t begin,
                                            uint64_t end);
/* Whether the buffer was ever cut. */
static inline bool gsim_extents_was_cut(const struct gsim_extents *extents, uint32_t buffer)
{
    return extents->pieces && extents->pieces[buffer].begins;
}
/* Joins FOUND to one piece with the value of the first. */
void gsim_extents_join(struct gsim_extents *extents, uint32_t buffer, const struct gsim_extents_found *found);
