/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask (internal to ask). A program as it would be after a change: ops can be dropped, given other
 * kernels and other predecessors. What followed a dropped op follows what that followed.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/program.h"
#include "gpusim/schedulers/moves.h"

struct gsim_edit {
    const struct gsim_program *source;
    struct gsim_op *ops;         /* of the source, to be changed; args and after are the source's or the arena's */
    bool *dropped;               /* by op */
    struct gsim_kernel *kernels; /* the source's, to be changed, and those added */
    uint32_t kernel_count;       /* at most the source's kernels and ops together */
    struct gsim_arena arena;
};

/* False when memory is out, here and below. */
bool gsim_edit_begin(struct gsim_edit *edit, const struct gsim_program *source) GSIM_NODISCARD;
bool gsim_edit_set_after(struct gsim_edit *edit, uint32_t op, const uint32_t *after, uint32_t count) GSIM_NODISCARD;
bool gsim_edit_add_after(struct gsim_edit *edit, uint32_t op, uint32_t other) GSIM_NODISCARD;
/* The new program; in any case the edit is over. */
enum gsim_status gsim_edit_finish(struct gsim_edit *edit, struct gsim_program *program,
                                  struct gsim_error *error) GSIM_NODISCARD;
void gsim_edit_release(struct gsim_edit *edit);

void gsim_edit_hasten_link(struct gsim_device_spec *device, double factor);
