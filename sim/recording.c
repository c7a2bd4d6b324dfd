/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/recording.h. What is read into these: traces/runs.c.
 */
#include "sim/recording.h"

#include <string.h>

void gsim_recordings_release(struct gsim_recordings *recordings)
{
    gsim_free(recordings->profiles);
    gsim_arena_release(&recordings->arena);
    memset(recordings, 0, sizeof *recordings);
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
