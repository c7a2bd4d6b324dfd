/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source. What a function of a CUDA source takes to write: its lines and tokens by clang's lexer. */
#pragma once

#include <stdint.h>

#include "gpusim/status.h"

struct gsim_cuda_effort {
    uint32_t lines, tokens; /* lines that hold a token; comments are none. Of the body, without its braces */
};

/* Of the first function called FUNCTION that has a body in the file itself. GSIM_INPUT: there is none, or no
 * libclang. */
enum gsim_status gsim_cuda_effort_of(const char *path, const char *function, struct gsim_cuda_effort *effort,
                                     struct gsim_error *error) GSIM_NODISCARD;
