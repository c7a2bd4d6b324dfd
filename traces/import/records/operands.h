/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to traces/import/records/emit.c). The operands of works, by the operators that launched
 * them. */
#pragma once

#include "traces/import/records/records.h"

struct gsim_operands {
    const struct gsim_records *records;
    struct gsim_builder *builder;
    struct gsim_operator *operators; /* sorted by external number */
    uint32_t *buffers;               /* of the program, by buffer of the flow; UINT32_MAX: not made yet */
    struct gsim_arg *args;
};

/* Without a flow in RECORDS nothing is known of any work. */
enum gsim_status gsim_operands_init(struct gsim_operands *operands, const struct gsim_records *records,
                                    struct gsim_builder *builder) GSIM_NODISCARD;
void gsim_operands_release(struct gsim_operands *operands);
/* The arguments of the kernel, valid until the next call; false where they are not known or memory is out. */
bool gsim_operands_of(struct gsim_operands *operands, const struct gsim_activity *work, const struct gsim_arg **args,
                      uint32_t *count);
