/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See traces/recording.h. What is read into these: traces/runs.c.
 */
#include "traces/recording.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <string.h>

void gsim_recordings_release(struct gsim_recordings *recordings)
{
    gsim_free(recordings->profiles);
    gsim_arena_release(&recordings->arena);
    memset(recordings, 0, sizeof *recordings);
}

enum gsim_status gsim_recording_time(const struct gsim_recording *run, double *median_us, double *spread_ratio,
                                     struct gsim_error *error)
{
    size_t count = run->iteration_count;
    double *sorted = gsim_alloc(count * sizeof *sorted);
    if (!sorted) return gsim_no_memory(error);
    memcpy(sorted, run->iteration_us, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    *median_us = gsl_stats_median_from_sorted_data(sorted, 1, count);
    *spread_ratio = (gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.95) -
                     gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.05)) / 2 / *median_us;
    gsim_free(sorted);
    return GSIM_OK;
}

bool gsim_recording_key_equal(const struct gsim_recording_key *a, const struct gsim_recording_key *b)
{
    return strcmp(a->workload, b->workload) == 0 && a->suite == b->suite && a->shape == b->shape &&
           a->size == b->size && a->block1d == b->block1d && a->blocks == b->blocks;
}

const struct gsim_profile *gsim_recordings_profile(const struct gsim_recordings *recordings,
                                                   const struct gsim_recording_key *key)
{
    for (size_t i = 0; i < recordings->profile_count; i++)
        if (gsim_recording_key_equal(&recordings->profiles[i].key, key)) return &recordings->profiles[i];
    return NULL;
}
