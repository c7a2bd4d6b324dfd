/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust/calibrate. What recorded runs tell without a simulation, as series of a probe that nobody ran: how long
 * copies take by themselves (traced_h2d, traced_d2h) and what calls cost between others (called_launch, ...). What
 * becomes of them: trust/calibrate/probes.c.
 */
#pragma once

#include "trust/calibrate/probe.h"
#include "traces/recording.h"

struct gsim_calibrated_trace {
    struct gsim_traced_sample {
        const char *series;
        double x, us;
        double weight; /* of a call: its share of the iteration, so that costs are taken from where they count */
    } *samples;
    size_t count, capacity;
};

/* Notes the mean cost of each kind of call of RUN, and the pinned copies of its trace that no other copy overlaps.
 * Fails with GSIM_NOMEM only. */
enum gsim_status gsim_traced_add(struct gsim_calibrated_trace *traced, const struct gsim_recording *run,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Adds the series to PROBE, a point per x; COPIES: those of copies too. */
void gsim_traced_probe(struct gsim_calibrated_trace *traced, bool copies, struct gsim_probe *probe);
void gsim_traced_release(struct gsim_calibrated_trace *traced); /* accepts a zeroed one */
