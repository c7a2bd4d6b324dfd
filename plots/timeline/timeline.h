/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. "gpusim plot timeline": a row per stream and copy engine, the SMs in use below (plots/timeline.gp).
 */
#pragma once

#include "plots/figure.h"
#include "plots/timeline/track.h"

/* Which part is drawn. */
struct gsim_timeline_view {
    size_t iteration;         /* 1, 2, ...; 0: all of the recording */
    bool takes_next;          /* the first that the recording has anything of, from there on */
    double from_us, until_us; /* of the recording; NAN: as the iteration has it */
};

/* The data and the settings of the figure, which is open; its height where that is 0. */
enum gsim_status gsim_timeline_plot(const struct gsim_track *track, const struct gsim_timeline_view *view,
                                    struct gsim_figure *figure, struct gsim_error *error) GSIM_NODISCARD;
