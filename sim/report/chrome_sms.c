/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/report/chrome_sms.h. Thread id: 1000 times the SM and the lane, as slices on one track may not overlap:
 * kernels that share an SM, and with gpu.exact=1 the blocks of one, take lanes.
 */
#include "sim/report/chrome_sms.h"

#include "sim/report/block_log.h"
#include "sim/report/slices.h"

#define LANES 1000u

static void put_metadata(struct gsim_output *output, const char *what, uint64_t tid)
{
    gsim_output_printf(output, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%llu,\"name\":\"%s\",\"ts\":0,\"args\":{",
                       GSIM_TRACE_SMS_PID, (unsigned long long)tid, what);
}

static void name_lane(struct gsim_output *output, uint32_t sm, uint32_t lane)
{
    uint64_t tid = (uint64_t)sm * LANES + lane;
    put_metadata(output, "thread_name", tid);
    gsim_output_printf(output, "\"name\":\"SM %u", sm);
    if (lane) gsim_output_printf(output, ", lane %u", lane + 1);
    gsim_output_text(output, "\"}}");
    put_metadata(output, "thread_sort_index", tid);
    gsim_output_printf(output, "\"sort_index\":%llu}}", (unsigned long long)tid);
}

static void put_stay(const struct gsim_result *result, const struct gsim_stay *stay, uint32_t sm, uint32_t lane,
                     struct gsim_output *output)
{
    const struct gsim_block_record *record = &result->blocks->records[stay->record];
    gsim_output_put(output, ",\n{'ph':'X','cat':'sm_blocks','pid':%u,'tid':%z,'name':%q,'ts':%t,'dur':%t,"
                            "'args':{'sm':%u,'blocks':%z,'stream':%u,'correlation':%u,'op':%u,'iteration':%u}}",
                    GSIM_TRACE_SMS_PID, (unsigned long long)sm * LANES + lane,
                    result->timeline->program->kernels[record->kernel_index].name, stay->start, stay->end - stay->start,
                    sm, (unsigned long long)stay->blocks, record->stream, record->correlation, record->op,
                    record->iteration);
}

static enum gsim_status add_slices(struct gsim_slices *slices, const struct gsim_stay *stays, size_t count,
                                   struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < count && status == GSIM_OK; i++) {
        const struct gsim_slice slice = {
            .start = stays[i].start, .end = stays[i].end, .record = (uint32_t)i, .kind = GSIM_SLICE_KERNEL};
        status = gsim_slices_add(slices, &slice, error);
    }
    return status == GSIM_OK ? gsim_slices_arrange(slices, error) : status;
}

static enum gsim_status put_sm(const struct gsim_result *result, uint32_t sm, struct gsim_output *output,
                               struct gsim_error *error)
{
    struct gsim_slices slices = {0};
    struct gsim_stay *stays = NULL;
    size_t count = 0;
    uint32_t lanes = 0;
    enum gsim_status status =
        gsim_block_log_stays(result->blocks, sm, !result->simulation->gpu.exact, &stays, &count, error);
    if (status == GSIM_OK) status = add_slices(&slices, stays, count, error);
    if (status == GSIM_OK) name_lane(output, sm, lanes++); /* also of an SM that had nothing to do */
    for (size_t i = 0; i < slices.count && status == GSIM_OK; i++) {
        const struct gsim_slice *slice = &slices.slices[i];
        if (!gsim_result_shows(result, slice->start, slice->end)) continue;
        for (; lanes <= slice->lane; lanes++) name_lane(output, sm, lanes);
        put_stay(result, &stays[slice->record], sm, slice->lane, output);
    }
    gsim_slices_release(&slices);
    gsim_free(stays);
    return status;
}

enum gsim_status gsim_chrome_write_sms(const struct gsim_result *result, struct gsim_output *output,
                                       struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (!result->blocks) return GSIM_OK;
    put_metadata(output, "process_name", 0);
    gsim_output_text(output, "\"name\":\"GPU 0: SMs\"}}");
    put_metadata(output, "process_sort_index", 0);
    gsim_output_text(output, "\"sort_index\":2}}");
    for (uint32_t sm = 0; sm < result->blocks->sm_count && status == GSIM_OK; sm++)
        status = put_sm(result, sm, output, error);
    return status;
}
