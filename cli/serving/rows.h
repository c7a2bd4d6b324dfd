/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. A row of the table of "gpusim serve": a rate, a policy and a way, with figures over draws. */
#pragma once

#include "cli/serving/serve.h"
#include "sweep/stats.h"

struct gsim_serve_cell {
    double rate;      /* 0: as the file says */
    const struct gsim_batching_ops *policy;
    void *params;
    enum gsim_beside beside;
};

double gsim_serve_value(struct gsim_serving_result *result, size_t column);
void gsim_serve_put_heads(struct gsim_output *table, struct gsim_output *csv, struct gsim_cli_server *server,
                          uint32_t draws);
/* With a second line for the intervals, of several draws. */
void gsim_serve_put_row(struct gsim_output *out, const struct gsim_serve_cell *cell, uint32_t gpus,
                        const struct gsim_stats stats[GSIM_SERVE_COLUMNS]);
void gsim_serve_put_csv_row(struct gsim_output *out, const struct gsim_serving_spec *spec,
                            const struct gsim_serve_cell *cell, uint64_t requests,
                            const struct gsim_stats stats[GSIM_SERVE_COLUMNS], uint32_t draws);
