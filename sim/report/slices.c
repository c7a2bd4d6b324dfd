/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. See sim/report/slices.h. Which records become slices, and on which track, is the caller's choice.
 */
#include "sim/report/slices.h"

#include <string.h>

#include "gpusim/order.h"

enum gsim_status gsim_slices_add(struct gsim_slices *list, const struct gsim_slice *slice, struct gsim_error *error)
{
    if (!GSIM_APPEND(list->slices, list->count, list->capacity, *slice))
        return gsim_error_set(error, GSIM_NOMEM, "cannot lay out the timeline: out of memory");
    return GSIM_OK;
}

GSIM_ORDER(compare_slices, struct gsim_slice, GSIM_UP(track) GSIM_UP(start) GSIM_UP(end) GSIM_UP(kind) GSIM_UP(record))

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
