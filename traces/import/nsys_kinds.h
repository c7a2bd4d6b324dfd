/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importer of nsys exports). What the numbers in copyKind, srcKind and dstKind mean: each
 * file's own tables ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND say; where it has none, Nsight Systems' numbering
 * (Export Schema Reference). It is not CUPTI's.
 */
#pragma once

#include <sqlite3.h>

#include "gpusim/program.h"

#define GSIM_NSYS_KINDS 32

struct gsim_nsys_kinds {
    struct gsim_nsys_copy {
        enum gsim_copy_kind kind;
        bool is_said; /* the kind */
        bool is_managed, is_host, is_peer; /* moves of managed memory; within host memory; between GPUs */
    } copies[GSIM_NSYS_KINDS];
    enum gsim_nsys_memory {
        GSIM_NSYS_OTHER,
        GSIM_NSYS_PAGEABLE,
        GSIM_NSYS_PINNED,
        GSIM_NSYS_MANAGED
    } memory[GSIM_NSYS_KINDS];
};

void gsim_nsys_kinds_read(sqlite3 *database, struct gsim_nsys_kinds *kinds);
