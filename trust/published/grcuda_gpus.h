/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. "gpusim reproduce grcuda-gpus": GrCUDA's programs on 1 to 8 GPUs (grcuda_gpus.csv), by hand and under
 * its device policies.
 */
#pragma once

#include "sim/base/output.h"
#include "sim/base/jobs/progress.h"

struct gsim_grcuda_cell {
    char gpu[12], runtime[12], program[12], mode[12], parent[24], placement[32];
    double size;
    uint32_t gpus;
    double published_s, predicted_s;         /* NAN: not copied; the run failed */
    double published_times, predicted_times; /* over the same on one GPU */
};

struct gsim_grcuda_gpus {
    struct gsim_grcuda_cell *cells;
    size_t count;
    char failure[160]; /* of the first run that failed; "": none */
};

enum gsim_status gsim_grcuda_gpus_run(struct gsim_grcuda_gpus *g, const char *path, uint32_t jobs,
                                      struct gsim_progress *progress, struct gsim_error *error) GSIM_NODISCARD;
void gsim_grcuda_gpus_release(struct gsim_grcuda_gpus *g);
void gsim_grcuda_gpus_print(const struct gsim_grcuda_gpus *g, struct gsim_output *output);
void gsim_grcuda_gpus_csv(const struct gsim_grcuda_gpus *g, struct gsim_output *output);
