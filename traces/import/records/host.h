/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to the importers). Whose the host's time between and within calls is
 * (traces/import/records/host.c). */
#pragma once

#include "traces/import/records/records.h"

/* Drops the spans within which their thread launches or waits, and those within others. Calls have been added. */
enum gsim_status gsim_records_find_owners(struct gsim_records *records) GSIM_NODISCARD;

/* The first span of THREAD within FROM_NS to TO_NS, cut to these; false: there is none. */
bool gsim_records_next_owner(const struct gsim_records *records, uint64_t thread, int64_t from_ns, int64_t to_ns,
                             struct gsim_host_span *owner);

/* Whether the host read a result then (gsim_records_add_read). */
bool gsim_records_reads_within(const struct gsim_records *records, int64_t from_ns, int64_t to_ns);

/* As reports name it (GSIM_HOST_... in timeline.h). */
#define GSIM_OWNER_TEXT 256
void gsim_owner_text(const struct gsim_records *records, const struct gsim_host_span *owner,
                     char text[GSIM_OWNER_TEXT]);

/* Whether a captured graph does without this time. */
bool gsim_owner_is_saved(const struct gsim_records *records, const struct gsim_host_span *owner);
