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

/* --- sums in place of records -------------------------------------------------------------------------------- */

bool gsim_timeline_fold(struct gsim_timeline *timeline)
{
    timeline->sums = gsim_alloc(sizeof *timeline->sums);
    timeline->failed |= !timeline->sums;
    return timeline->sums != NULL;
}

void gsim_sum_add(struct gsim_sum *sum, gsim_time duration, uint64_t bytes)
{
    if (!sum->count || duration < sum->shortest) sum->shortest = duration;
    if (!sum->count || duration > sum->longest) sum->longest = duration;
    sum->total += duration;
    sum->bytes += bytes;
    sum->count++;
}

/* The place of the kernel's name, counted from 1; 0: out of memory. */
static uint32_t find_name(struct gsim_timeline *timeline, uint32_t kernel)
{
    struct gsim_sums *sums = timeline->sums;
    const char *name = timeline->program->kernels[kernel].name;
    size_t i = 0;
    while (i < sums->kernel_names && strcmp(sums->kernels[i].name, name) != 0) i++;
    if (i < sums->kernel_names || i == GSIM_SUMS_NAMES) return (uint32_t)i + 1;
    size_t size = strlen(name) + 1;
    char *copy = gsim_alloc(size);
    if (!copy) return 0;
    sums->kernels[i].name = memcpy(copy, name, size);
    sums->kernel_names++;
    return (uint32_t)i + 1;
}

static void fold_kernel(struct gsim_timeline *timeline, const struct gsim_kernel_record *record)
{
    struct gsim_sums *sums = timeline->sums;
    uint32_t kernel = record->kernel_index;
    while (kernel >= sums->name_of_room) {
        size_t before = sums->name_of_room;
        if (gsim_array_grow(&sums->name_of, sizeof *sums->name_of, before, &sums->name_of_room)) {
            timeline->failed = true;
            return;
        }
        memset(sums->name_of + before, 0, sizeof *sums->name_of * (sums->name_of_room - before));
    }
    if (!sums->name_of[kernel]) sums->name_of[kernel] = find_name(timeline, kernel);
    timeline->failed |= !sums->name_of[kernel];
    if (!sums->name_of[kernel]) return;
    gsim_sum_add(&sums->kernels[sums->name_of[kernel] - 1], record->end - record->start, 0);
    sums->kernel_count++;
    if (record->end > sums->end) sums->end = record->end;
}

void gsim_timeline_forget_kernel(struct gsim_timeline *timeline, uint32_t index)
{
    if (timeline->sums && index < timeline->sums->name_of_room) timeline->sums->name_of[index] = 0;
}

/* --- records ------------------------------------------------------------------------------------------------- */

void gsim_timeline_release(struct gsim_timeline *timeline)
{
    if (!timeline) return;
    struct gsim_sums *sums = timeline->sums;
    for (size_t i = 0; sums && i < sums->kernel_names; i++) gsim_free((char *)sums->kernels[i].name);
    if (sums) gsim_free(sums->name_of);
    gsim_free(sums);
    gsim_free(timeline->kernels);
    gsim_free(timeline->copies);
    gsim_free(timeline->apis);
    gsim_free(timeline->waits);
    gsim_free(timeline->occupancy);
    gsim_free(timeline->iterations);
    gsim_free(timeline->residents);
    gsim_free(timeline->collectives);
    gsim_free(timeline->figures);
    gsim_free(timeline->requests);
    memset(timeline, 0, sizeof(*timeline));
}

/* Room for one more in FIELD; without memory the record is lost and the timeline says so. */
#define APPEND(timeline, field, count, capacity, record)                                                               \
    do {                                                                                                               \
        if ((timeline)->count == (timeline)->capacity &&                                                               \
            gsim_array_grow(&(timeline)->field, sizeof(*(record)), (timeline)->count, &(timeline)->capacity)) {        \
            (timeline)->failed = true;                                                                                 \
            break;                                                                                                     \
        }                                                                                                              \
        (timeline)->field[(timeline)->count++] = *(record);                                                            \
    } while (0)

void gsim_timeline_add_kernel(struct gsim_timeline *timeline, const struct gsim_kernel_record *record)
{
    if (timeline->sums) fold_kernel(timeline, record);
    else APPEND(timeline, kernels, kernel_count, kernel_capacity, record);
}

void gsim_timeline_add_copy(struct gsim_timeline *timeline, const struct gsim_copy_record *record)
{
    if (timeline->sums) {
        struct gsim_sums *sums = timeline->sums;
        gsim_sum_add(&sums->copies[record->kind][record->reason], record->end - record->start, record->bytes);
        sums->copy_count++;
        if (record->end > sums->end) sums->end = record->end;
    } else APPEND(timeline, copies, copy_count, copy_capacity, record);
}

void gsim_timeline_add_iteration(struct gsim_timeline *timeline, const struct gsim_iteration_record *record)
{
    APPEND(timeline, iterations, iteration_count, iteration_capacity, record);
}

void gsim_timeline_add_resident(struct gsim_timeline *timeline, const struct gsim_resident_record *record)
{
    APPEND(timeline, residents, resident_count, resident_capacity, record);
}

void gsim_timeline_add_collective(struct gsim_timeline *timeline, const struct gsim_collective_record *record)
{
    APPEND(timeline, collectives, collective_count, collective_capacity, record);
}

void gsim_timeline_add_request(struct gsim_timeline *timeline, const struct gsim_request_record *record)
{
    APPEND(timeline, requests, request_count, request_capacity, record);
}

void gsim_timeline_add_api(struct gsim_timeline *timeline, const struct gsim_api_record *record)
{
    if (timeline->sums) {
        struct gsim_sums *sums = timeline->sums;
        gsim_sum_add(&sums->calls[record->api], record->end - record->start, 0);
        sums->waited += record->waited;
        sums->call_count++;
        if (record->end > sums->end) sums->end = record->end;
    } else if (timeline->detailed) APPEND(timeline, apis, api_count, api_capacity, record);
}

void gsim_timeline_add_wait(struct gsim_timeline *timeline, const struct gsim_wait_record *record)
{
    if (timeline->detailed && !timeline->sums) APPEND(timeline, waits, wait_count, wait_capacity, record);
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
    if (timeline->sums) {
        struct gsim_sums *sums = timeline->sums;
        double passed = (double)(record->time - sums->occupancy.time);
        sums->busy_sm_ps += sums->occupancy.busy_sms * passed;
        sums->warp_ps += sums->occupancy.warps * passed;
        sums->occupancy = *record;
        return;
    }
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
