/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/case.h. */
#include "traces/case.h"

#include <string.h>

#include "gpusim/memory.h"

struct gsim_case *gsim_case_add(struct gsim_case_set *set)
{
    if (gsim_array_grow(&set->cases, sizeof *set->cases, set->count, &set->capacity)) return NULL;
    struct gsim_case *c = &set->cases[set->count++];
    memset(c, 0, sizeof *c);
    return c;
}

void gsim_case_set_release(struct gsim_case_set *set)
{
    gsim_free(set->cases);
    gsim_arena_release(&set->arena);
    memset(set, 0, sizeof *set);
}
