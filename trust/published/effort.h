/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. "gpusim reproduce kesco-effort": what a programmer writes for one program in each scheme, in lines and
 * tokens. Published are means alone; ours are counted by clang's lexer in examples/cuda (serial) and
 * trust/published/effort (the others).
 */
#pragma once

#include "gpusim/memory.h"
#include "sim/base/output.h"
#include "traces/import/cuda/tokens.h"

enum { GSIM_EFFORT_SCHEMES = 5, GSIM_EFFORT_PROGRAMS = 6 };

struct gsim_effort {
    struct gsim_cuda_effort counted[GSIM_EFFORT_SCHEMES][GSIM_EFFORT_PROGRAMS];
};

/* FIND: where a file of gpusim's is, from the arena; NULL: nowhere. */
enum gsim_status gsim_effort_run(struct gsim_effort *effort,
                                 const char *(*find)(struct gsim_arena *arena, const char *name),
                                 struct gsim_error *error) GSIM_NODISCARD;
void gsim_effort_print(const struct gsim_effort *effort, struct gsim_output *output);
void gsim_effort_csv(const struct gsim_effort *effort, struct gsim_output *output);
