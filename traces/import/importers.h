/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. Which importer reads a file, by what the file shows of itself; what a file is that none reads.
 * The list: traces/import/importers.def.
 */
#pragma once

#include "traces/import/import.h"

/* PATH: "-" is standard input where the format is text, plain or gzip; a database is only read. PROGRAM is written on
 * success only; NOTES also tell what was seen until a failure. Errors name the file and the place in it. */
typedef enum gsim_status gsim_import_reader(const char *path, const struct gsim_import_options *options,
                                            struct gsim_program *program, struct gsim_import_notes *notes,
                                            struct gsim_error *error);

/* The readers, and whether a file is theirs, by its beginning (traces/import/sniff.h). */
struct gsim_sniff;
#define gsim_import_chrome gsim_import_kineto /* other tools' events are Kineto's or are named in its refusal */
#define X(name, what)                                    \
    gsim_import_reader gsim_import_##name GSIM_NODISCARD; \
    bool gsim_sniff_##name(const struct gsim_sniff *sniff);
#include "traces/import/importers.def"
#undef X

struct gsim_importer {
    const char *name, *what; /* "nsys", "an SQLite export of Nsight Systems" */
    gsim_import_reader *read;
};

/* What a trace says of where it was made, as far as its beginning tells; "" and 0 where it does not. */
struct gsim_trace_origin {
    char device[64]; /* of gpusim's own traces: the simulated device's name */
    char gpu[64];
    int compute_capability;
    double sm_count, dram_gbps, clock_mhz;
};

const struct gsim_importer *gsim_importer_at(size_t index); /* NULL behind the last */
const struct gsim_importer *gsim_importer_find(const char *name);

/* The importer for the file at PATH; "-" counts as kineto's. NULL: none, and ERROR (NULL allowed) says what the file is
 * and what to do, or that it cannot be read. ORIGIN: NULL allowed. */
const struct gsim_importer *gsim_importer_of(const char *path, struct gsim_trace_origin *origin,
                                             struct gsim_error *error);

/* What the file at PATH is that a command took for JSON of gpusim's own: a trace, or a file of another kind. "" where
 * it is JSON or cannot be read. IS_TRACE: which of the two. Returns TEXT. */
#define GSIM_IMPORTER_TEXT 192
const char *gsim_importer_what(const char *path, char text[GSIM_IMPORTER_TEXT], bool *is_trace);
