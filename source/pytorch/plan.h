/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source. A plan of streams as Python that applies it to a PyTorch model, by operator. */
#pragma once

#include "sim/base/output.h"
#include "traces/import/pytorch/operators.h"

struct gsim_pytorch_plan {
    uint32_t stream_count, unit_count;
    const uint32_t *stream_of, *roots; /* by unit: its stream; its operator, GSIM_NO_OPERATOR for none */
    const struct gsim_traced_operators *operators;
};

/* COMMAND: the line that wrote it. GSIM_USAGE where no unit has an operator: nothing can be applied by name. */
enum gsim_status gsim_pytorch_plan_put(struct gsim_output *out, const struct gsim_pytorch_plan *plan,
                                       const char *command, struct gsim_error *error) GSIM_NODISCARD;
