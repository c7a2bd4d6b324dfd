/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to traces/import). The beginning of a file, and what kind of file it is by it. */
#pragma once

#include "traces/import/importers.h"

#define GSIM_SNIFF_BYTES  (1u << 20) /* in which a trace shows itself */
#define GSIM_SNIFF_TABLES 16384u

struct gsim_sniff {
    const char *path, *head; /* head: what gzip holds, where it is gzip; past a byte order mark and white space */
    size_t length;
    bool is_there, is_folder, is_gzip, is_database;
    bool no_memory; /* what it says is not all, then */
    char tables[GSIM_SNIFF_TABLES]; /* of a database: "\nNAME\nNAME\n" */
    char *room;
};

enum gsim_status gsim_sniff_open(struct gsim_sniff *sniff, const char *path, struct gsim_error *error) GSIM_NODISCARD;
void gsim_sniff_close(struct gsim_sniff *sniff);
bool gsim_sniff_has_table(const struct gsim_sniff *sniff, const char *name);

/* What the file is that is no trace, and what to do: "an Nsight Systems report: export it with ...". */
const char *gsim_sniff_name(const struct gsim_sniff *sniff);
/* What it says of where it was made. */
void gsim_sniff_origin(struct gsim_sniff *sniff, struct gsim_trace_origin *origin);
