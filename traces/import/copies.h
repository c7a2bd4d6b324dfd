/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to the importers). What a profiler's words say of a copy or of a kind of memory. */
#pragma once

#include "gpusim/program.h"

struct gsim_copy_words {
    enum gsim_copy_kind kind; /* within a GPU unless the words say otherwise */
    bool is_said;             /* not "unknown" or "invalid" */
    bool is_host, is_peer;    /* within host memory; between GPUs */
    bool is_managed, is_pageable, is_pinned; /* the memory that is named */
};

/* "Memcpy HtoD (Pageable -> Device)", "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device", "D2H": by letters and
 * digits alone, in whichever case. */
struct gsim_copy_words gsim_copy_words(const char *text);
