/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options --opt gpu.NAME=VALUE as a table. */
#include "gpusim/simulate.h"

#define X(name) "|" #name
static const char model_names[] =
#include "sim/sm/models/models.def"
    ;
#undef X

const struct gsim_param gsim_gpu_params[] = {
    GSIM_BOOL(struct gsim_gpu_options, exact, 0, "one event per block instead of pooled SMs (slow, for checks)"),
    GSIM_BOOL(struct gsim_gpu_options, check, 0, "verify capacity and conservation after every event"),
    GSIM_REAL(struct gsim_gpu_options, tolerance, 4e-3, 0, 0.1, "",
              "change of the chip's memory load below which SMs keep their speed"),
    GSIM_CHOICE(struct gsim_gpu_options, model, 0, 255, model_names + 1,
                "how long kernels take beside others: --model"),
    GSIM_INT(struct gsim_gpu_options, sample, 1, 1, 64, "",
             "simulate one SM in so many, with as small a part of each grid: an estimate where dozens of kernels run "
             "side by side"),
    {NULL, GSIM_PARAM_BOOL, 0, 0, 0, 0, NULL, NULL, NULL},
};
