/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (data). Appending records to a timeline. What they mean is decided where they are made
 * (sim/simulate.c); what follows from them, where they are read (reports, traces).
 */
#include "gpusim/timeline.h"

#include <string.h>

void gsim_timeline_init(struct gsim_timeline *timeline, const struct gsim_program *program, bool detailed)
{
    memset(timeline, 0, sizeof(*timeline));
    timeline->program = program;
    timeline->gpu_count = 1;
    timeline->detailed = detailed;
}

void gsim_timeline_release(struct gsim_timeline *timeline)
{
    if (!timeline) return;
    gsim_free(timeline->kernels);
    gsim_free(timeline->copies);
    gsim_free(timeline->apis);
    gsim_free(timeline->waits);
    gsim_free(timeline->occupancy);
    gsim_free(timeline->iterations);
    gsim_free(timeline->residents);
    gsim_free(timeline->figures);
    gsim_free(timeline->requests);
    memset(timeline, 0, sizeof(*timeline));
}

/* Room for one more in FIELD; without memory the record is lost and the timeline says so. */
#define APPEND(timeline, field, count, capacity, record)                                                               \
    do {                                                                                                               \
        void *array_ = (timeline)->field;                                                                              \
        if (gsim_array_grow(&array_, sizeof(*(record)), (timeline)->count, &(timeline)->capacity)) {                   \
            (timeline)->failed = true;                                                                                 \
            break;                                                                                                     \
        }                                                                                                              \
        (timeline)->field = array_;                                                                                    \
        (timeline)->field[(timeline)->count++] = *(record);                                                            \
    } while (0)

void gsim_timeline_add_kernel(struct gsim_timeline *timeline, const struct gsim_kernel_record *record)
{
    APPEND(timeline, kernels, kernel_count, kernel_capacity, record);
}

void gsim_timeline_add_copy(struct gsim_timeline *timeline, const struct gsim_copy_record *record)
{
    APPEND(timeline, copies, copy_count, copy_capacity, record);
}

void gsim_timeline_add_iteration(struct gsim_timeline *timeline, const struct gsim_iteration_record *record)
{
    APPEND(timeline, iterations, iteration_count, iteration_capacity, record);
}

void gsim_timeline_add_resident(struct gsim_timeline *timeline, const struct gsim_resident_record *record)
{
    APPEND(timeline, residents, resident_count, resident_capacity, record);
}

void gsim_timeline_add_request(struct gsim_timeline *timeline, const struct gsim_request_record *record)
{
    APPEND(timeline, requests, request_count, request_capacity, record);
}

void gsim_timeline_add_api(struct gsim_timeline *timeline, const struct gsim_api_record *record)
{
    if (timeline->detailed) APPEND(timeline, apis, api_count, api_capacity, record);
}

void gsim_timeline_add_wait(struct gsim_timeline *timeline, const struct gsim_wait_record *record)
{
    if (timeline->detailed) APPEND(timeline, waits, wait_count, wait_capacity, record);
}

void gsim_timeline_set_figure(struct gsim_timeline *timeline, const struct gsim_figure_record *record)
{
    for (size_t i = 0; i < timeline->figure_count; i++)
        if (strcmp(timeline->figures[i].name, record->name) == 0) {
            timeline->figures[i] = *record;
            return;
        }
    APPEND(timeline, figures, figure_count, figure_capacity, record);
}

/* Steps at the same time replace each other: only the last is ever seen. */
void gsim_timeline_add_occupancy(struct gsim_timeline *timeline, const struct gsim_occupancy_record *record)
{
    if (!timeline->detailed) return;
    size_t count = timeline->occupancy_count;
    if (count && timeline->occupancy[count - 1].time == record->time) {
        timeline->occupancy[count - 1] = *record;
        return;
    }
    APPEND(timeline, occupancy, occupancy_count, occupancy_capacity, record);
}

const char *gsim_api_name(enum gsim_api api)
{
    static const char *const names[GSIM_API_COUNT] = {
#define API_NAME(name, text) [GSIM_API_##name] = text,
        GSIM_API_MAP(API_NAME)
#undef API_NAME
    };
    GSIM_INVARIANT((unsigned)api < GSIM_API_COUNT);
    return names[api];
}
