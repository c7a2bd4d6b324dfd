/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/run). A compiled program: a folder with a shared object. */
#pragma once

#include "gpusim/memory.h"
#include "source/run/run.h"

struct gsim_run_program {
    struct gsim_arena arena;
    const char *folder, *object, *name;
};

struct gsim_run_text {
    const char *at;
    size_t length;
};
