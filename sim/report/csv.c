/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. Kernels and copies as CSV (RFC 4180, with a header line and "\n" line ends): one table, so that
 * a spreadsheet or gnuplot reads it as it is. Fields that a record does not have are empty.
 */
#include "sim/report/report.h"

static void put_ids(struct gsim_output *output, uint32_t op, uint32_t iteration, uint32_t task)
{
    gsim_output_printf(output, ",%u,%u,%u,", op, iteration, task);
}

static void put_times(struct gsim_output *output, gsim_time start, gsim_time end)
{
    gsim_output_put(output, "%t,%t,%t\n", start, end, end - start);
}

void gsim_csv_write(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *timeline = result->timeline;
    gsim_output_text(output, "type,op,iteration,task,name,stream,device,bytes,reason,grid,block,"
                             "launch_us,ready_us,start_us,end_us,duration_us\n");
    for (size_t i = 0; i < timeline->kernel_count; i++) {
        const struct gsim_kernel_record *record = &timeline->kernels[i];
        const struct gsim_kernel *kernel = &timeline->program->kernels[record->kernel_index];
        gsim_output_text(output, "kernel");
        put_ids(output, record->op, record->iteration, record->task);
        gsim_output_put(output, "%c,%u,%u,,,%u %u %u,%u %u %u,%t,%t,", kernel->name, record->stream, record->device,
                        kernel->grid.x, kernel->grid.y, kernel->grid.z, kernel->block.x, kernel->block.y,
                        kernel->block.z, record->launch, record->ready);
        put_times(output, record->start, record->end);
    }
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *record = &timeline->copies[i];
        gsim_output_text(output, gsim_copy_kind_name(record->kind));
        put_ids(output, record->op, record->iteration, record->task);
        if (record->buffer_index < timeline->program->buffer_count)
            gsim_output_csv_string(output, timeline->program->buffers[record->buffer_index].name);
        gsim_output_put(output, ",%u,%u,%z,%s,,,%t,,", record->stream, record->device,
                        (unsigned long long)record->bytes, gsim_copy_reason_name(record->reason), record->launch);
        put_times(output, record->start, record->end);
    }
}
