/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: models. What traces of recorded runs tell without a simulation: how long copies take by themselves, as series of
 * a probe that nobody ran (traced_h2d, traced_d2h of models/calibrate_probe.c).
 */
#ifndef GSIM_MODELS_CALIBRATE_TRACES_H
#define GSIM_MODELS_CALIBRATE_TRACES_H

#include "models/probe.h"
#include "sim/recording.h"

struct gsim_traced_copies {
    struct gsim_traced_copy {
        enum gsim_copy_kind kind;
        uint64_t bytes;
        double us;
    } *copies;
    size_t count, capacity;
};

/* Notes the pinned copies of RUN's trace that no other copy overlaps. Fails with GSIM_NOMEM only. */
enum gsim_status gsim_traced_copies_add(struct gsim_traced_copies *traced, const struct gsim_recording *run,
                                        struct gsim_error *error) GSIM_NODISCARD;
/* Adds the series to PROBE: a point per size. */
enum gsim_status gsim_traced_copies_probe(struct gsim_traced_copies *traced, struct gsim_probe *probe,
                                          struct gsim_error *error) GSIM_NODISCARD;
void gsim_traced_copies_release(struct gsim_traced_copies *traced); /* accepts a zeroed one */

#endif
