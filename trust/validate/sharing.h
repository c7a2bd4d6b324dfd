/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. Recorded pairs and groups of services that share a GPU, exact ones: steps of one kernel, the host's
 * time behind it, and whether the host synchronises first (traces/h100/sharing_exact.json.gz). Each way of sharing is
 * simulated for as long as it was recorded; compared is the median request of each service.
 */
#pragma once

#include "gpusim/simulate.h"

/* X(KEY, word in the recording, way of sharing, its option, what it is) */
#define GSIM_SHARING_WAY_MAP(X)                                                    \
    X(SOLO, "solo", "exclusive", NULL, "alone")                                    \
    X(STREAMS, "streams", "streams", "priority=off", "streams")                    \
    X(PRIORITY, "priority", "streams", "priority=on", "streams with priorities")   \
    X(MPS, "mps", "mps", NULL, "MPS")                                              \
    X(MPS_50, "mps_50", "mps", "percentage=50", "MPS at 50 %")                     \
    X(TIMESLICE, "timeslice", "timeslice", NULL, "time slices")                    \
    X(FILL, "fill", "fikit", "small_gap_us=0,sched_us=0", "gap filling")           \
    X(PART_64, "split64", "partition", NULL, "64 SMs beside 68")                   \
    X(PART_32, "split32", "partition", NULL, "32 SMs beside 100")                  \
    X(PART_16, "split16", "partition", NULL, "16 SMs beside 116")

enum gsim_sharing_way {
#define GSIM_SHARING_WAY_ENUM(key, word, share, opt, title) GSIM_SHARING_WAY_##key,
    GSIM_SHARING_WAY_MAP(GSIM_SHARING_WAY_ENUM)
#undef GSIM_SHARING_WAY_ENUM
        GSIM_SHARING_WAY_COUNT
};
const char *gsim_sharing_way_title(enum gsim_sharing_way way);

#define GSIM_SHARING_SERVICES 16 /* of a group at most */

/* One service of a pair, or of a group, under one way. */
struct gsim_sharing_sample {
    uint32_t pair, service;             /* 0: the urgent one */
    enum gsim_sharing_way way;
    double measured_us, predicted_us;   /* medians */
    double measured_p90_us, predicted_p90_us;
};

struct gsim_sharing_recording;
struct gsim_sharing_recording *gsim_sharing_recording_read(const char *path, struct gsim_error *error);
void gsim_sharing_recording_release(struct gsim_sharing_recording *recording); /* accepts NULL */
/* Pairs, or groups. */
uint32_t gsim_sharing_recording_pairs(const struct gsim_sharing_recording *recording);
/* SAMPLES: of the services that were recorded under the way; COUNT says how many. */
enum gsim_status gsim_sharing_predict(const struct gsim_sharing_recording *recording, uint32_t pair,
                                      enum gsim_sharing_way way, const struct gsim_device_spec *device,
                                      struct gsim_sharing_sample samples[GSIM_SHARING_SERVICES], uint32_t *count,
                                      struct gsim_error *error) GSIM_NODISCARD;
