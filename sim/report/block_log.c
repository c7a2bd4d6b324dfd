/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/report/block_log.h. */
#include "sim/report/block_log.h"

#include <stdlib.h>

#include "gpusim/memory.h"
#include "gpusim/order.h"

static bool holds(const struct gsim_block_record *record, uint32_t sm) { return record->sms[sm / 64] >> sm % 64 & 1; }

/* Of SMs that nobody asked for nothing is kept. */
static void on_blocks(void *data, const struct gsim_block_record *record)
{
    struct gsim_block_log *log = data;
    bool is_wanted = false;
    for (uint32_t sm = 0; sm < log->sm_count && !is_wanted; sm++) is_wanted = holds(record, sm);
    if (!is_wanted || log->failed) return;
    log->failed = gsim_array_grow(&log->records, sizeof *log->records, log->count, &log->capacity);
    if (log->failed) return;
    log->records[log->count++] = *record;
}

void gsim_block_log_init(struct gsim_block_log *log, uint32_t sm_count)
{
    *log = (struct gsim_block_log){.sm_count = sm_count < GSIM_BLOCK_SMS ? sm_count : GSIM_BLOCK_SMS,
                                   .observer = {.data = log, .on_blocks = on_blocks}};
}

void gsim_block_log_release(struct gsim_block_log *log)
{
    gsim_free(log->records);
    *log = (struct gsim_block_log){0};
}

GSIM_ORDER(by_start, struct gsim_stay, GSIM_UP(start) GSIM_UP(record))

static bool is_same_kernel(const struct gsim_block_record *a, const struct gsim_block_record *b)
{
    return a->op == b->op && a->iteration == b->iteration && a->correlation == b->correlation;
}

/* STAYS are sorted by start, and stay so; returns how many are left. An SM holds few kernels at once, so that the stay
 * to be continued is among the last ones. */
static size_t merge(const struct gsim_block_log *log, struct gsim_stay *stays, size_t count)
{
    enum { KERNELS = 128 }; /* more than can be resident on an SM */
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gsim_block_record *record = &log->records[stays[i].record];
        size_t back = 0;
        while (back < kept && back < KERNELS &&
               !(is_same_kernel(&log->records[stays[kept - 1 - back].record], record) &&
                 stays[kept - 1 - back].end >= stays[i].start))
            back++;
        if (back == kept || back == KERNELS) {
            stays[kept++] = stays[i];
            continue;
        }
        struct gsim_stay *stay = &stays[kept - 1 - back];
        if (stays[i].end > stay->end) stay->end = stays[i].end;
        stay->blocks += stays[i].blocks;
    }
    return kept;
}

enum gsim_status gsim_block_log_stays(const struct gsim_block_log *log, uint32_t sm, bool is_merged,
                                      struct gsim_stay **stays, size_t *count, struct gsim_error *error)
{
    *count = 0;
    *stays = gsim_alloc((log->count + 1) * sizeof **stays);
    if (!*stays) return gsim_no_memory(error);
    for (size_t i = 0; i < log->count; i++) {
        const struct gsim_block_record *record = &log->records[i];
        if (holds(record, sm))
            (*stays)[(*count)++] = (struct gsim_stay){record->start, record->end, record->blocks, (uint32_t)i};
    }
    qsort(*stays, *count, sizeof **stays, by_start);
    if (is_merged) *count = merge(log, *stays, *count);
    return GSIM_OK;
}
