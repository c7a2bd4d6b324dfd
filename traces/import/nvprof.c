/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nvprof's tables: CUPTI's activity records as they are, names by number in StringTable, calls by their number
 * (traces/import/cbid.def), and CUPTI's own numbers of memory kinds, which are not those of Nsight Systems.
 */
#include "traces/import/cupti.h"
#include "traces/import/importers.h"
#include "traces/import/sniff.h"

/* Managed memory's: CUpti_ActivityUnifiedMemoryCounterKind. */
static enum gsim_status read_moves(struct gsim_table *t)
{
    enum { KIND, START, BYTES_TO_DEVICE = 1, BYTES_TO_HOST = 2 };
    static const char *const columns[] = {"counterKind", "start", NULL};
    enum gsim_status status = gsim_table_open(t, columns);
    while (status == GSIM_OK && gsim_table_next(t)) {
        uint64_t kind = gsim_table_whole(t, KIND, INT64_MAX);
        int64_t start_ns = gsim_table_time(t, START);
        t->records->notes->managed_moves += kind == BYTES_TO_DEVICE || kind == BYTES_TO_HOST;
        if (!t->failed && kind == BYTES_TO_HOST && start_ns) status = gsim_records_add_read(t->records, start_ns);
    }
    return gsim_table_close(t, status);
}

/* Kernels as they ran beside each other (the usual way), and one at a time. */
static const struct gsim_table_kind kinds[] = {
    {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", gsim_cupti_kernels, true, true},
    {"CUPTI_ACTIVITY_KIND_KERNEL", gsim_cupti_kernels, true, true},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", gsim_cupti_copies, true, true},
    {"CUPTI_ACTIVITY_KIND_MEMCPY2", gsim_cupti_copies, false, true},
    {"CUPTI_ACTIVITY_KIND_MEMSET", gsim_cupti_memsets, true, true},
    {"CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER", read_moves, false, false},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", gsim_cupti_calls, true, false},
    {"CUPTI_ACTIVITY_KIND_DRIVER", gsim_cupti_calls, true, false},
    {"CUPTI_ACTIVITY_KIND_DEVICE", gsim_cupti_gpu, false, false},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", gsim_cupti_events, false, false},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", gsim_cupti_syncs, false, false},
    {0},
};

enum gsim_status gsim_import_nvprof(const char *path, const struct gsim_import_options *options,
                                    struct gsim_program *program, struct gsim_import_notes *notes,
                                    struct gsim_error *error)
{
    struct gsim_tables tables = {.kinds = kinds,
                                 .string_sql = "SELECT value FROM StringTable WHERE _id_ = ?1",
                                 .has_cupti_numbers = true};
    return gsim_tables_import(&tables, path, options, program, notes, error);
}

bool gsim_sniff_nvprof(const struct gsim_sniff *sniff)
{
    return gsim_sniff_has_table(sniff, "StringTable") ||
           gsim_sniff_has_table(sniff, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
}
