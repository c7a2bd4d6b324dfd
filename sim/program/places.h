/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. A value for every address of some buffers: who wrote there last, who has read it since. A buffer that is
 * only accessed whole has one value; others fall into pieces of equal history, which a write to all of them joins
 * again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one place that fell into pieces: piece i is from begins[i] to before begins[i + 1], the last one to the end. */
struct gsim_pieces {
    uint64_t *begins;
    unsigned char *values;
    uint32_t count; /* 0: it is whole */
    size_t begin_room, value_room;
};

struct gsim_places {
    unsigned char *wholes; /* values of those that are whole */
    struct gsim_pieces *pieces; /* NULL while all are */
    uint32_t count;
    size_t value_size;
};

/* Values of neighbouring pieces, one behind the other; valid until the next call for the same place. */
struct gsim_places_found {
    void *values;
    uint32_t count, first;
};

/* COUNT places, each with VALUE. False: out of memory. */
bool gsim_places_init(struct gsim_places *places, uint32_t count, size_t value_size, const void *value);
void gsim_places_release(struct gsim_places *places); /* accepts zeroed */
/* The pieces that BEGIN to before END of a place consists of; END UINT64_MAX with BEGIN 0 is all of it. Count 0: out of
 * memory. */
struct gsim_places_found gsim_places_find(struct gsim_places *places, uint32_t place, uint64_t begin, uint64_t end);
/* The place ever fell into pieces. */
static inline bool gsim_places_was_cut(const struct gsim_places *places, uint32_t place)
{
    return places->pieces && places->pieces[place].begins;
}
/* What was found becomes one piece, with the first one's value. */
void gsim_places_join(struct gsim_places *places, uint32_t place, const struct gsim_places_found *found);
