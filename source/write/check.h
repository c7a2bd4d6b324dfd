/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/write). How the source checks its calls of CUDA, for calls that are added. */
#pragma once

#include "sim/base/output.h"
#include "source/read/log.h"

#define GSIM_CHECK_NAME 63

struct gsim_check {
    char name[GSIM_CHECK_NAME + 1]; /* of the macro or function around most calls; "": there is none */
    size_t from;                    /* where the text names it first */
};

void gsim_check_find(struct gsim_check *check, const struct gsim_cuda_log *log);
/* TEXT, to stand at AT, of which statements that are calls of CUDA are checked where CHECK's name is known there. */
void gsim_check_write(const struct gsim_check *check, size_t at, const char *text, struct gsim_output *out);
