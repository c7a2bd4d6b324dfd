/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. See sim/report/slices.h. Which records become slices, and on which track, is the caller's choice.
 */
#include "sim/report/slices.h"

#include <string.h>

enum gsim_status gsim_slices_add(struct gsim_slices *list, const struct gsim_slice *slice, struct gsim_error *error)
{
    if (gsim_array_grow(&list->slices, sizeof(*slice), list->count, &list->capacity))
        return gsim_error_set(error, GSIM_NOMEM, "cannot lay out the timeline: out of memory");
    list->slices[list->count++] = *slice;
    return GSIM_OK;
}

static int compare_slices(const void *a, const void *b)
{
    const struct gsim_slice *x = a, *y = b;
    if (x->track != y->track) return x->track < y->track ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return (x->record > y->record) - (x->record < y->record);
}

enum gsim_status gsim_slices_arrange(struct gsim_slices *list, struct gsim_error *error)
{
    gsim_time *free_from = NULL; /* by lane of the current track */
    size_t lanes = 0, capacity = 0;
    if (list->count) qsort(list->slices, list->count, sizeof(*list->slices), compare_slices);
    for (size_t i = 0; i < list->count; i++) {
        struct gsim_slice *slice = &list->slices[i];
        if (i == 0 || slice[-1].track != slice->track) lanes = 0;
        size_t lane = 0;
        while (lane < lanes && free_from[lane] > slice->start) lane++;
        if (lane == lanes) {
            if (gsim_array_grow(&free_from, sizeof(*free_from), lanes, &capacity)) {
                gsim_free(free_from);
                return gsim_error_set(error, GSIM_NOMEM, "cannot lay out the timeline: out of memory");
            }
            lanes++;
        }
        free_from[lane] = slice->end;
        slice->lane = (uint32_t)lane;
    }
    gsim_free(free_from);
    return GSIM_OK;
}

void gsim_slices_release(struct gsim_slices *list)
{
    gsim_free(list->slices);
    memset(list, 0, sizeof(*list));
}
