/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work fields of a program file, which kernels and ops share: sim/program/readops.h lists them. */
#include "sim/program/readops.h"

#include <string.h>

enum gsim_status gsim_reader_count(struct gsim_fields *fields, int field, double maximum, uint32_t *count)
{
    double number = *count;
    enum gsim_status status = gsim_fields_integer(fields, field, 0, maximum, &number);
    *count = (uint32_t)number;
    return status;
}

bool gsim_reader_has_work(const struct gsim_fields *fields, int first)
{
    return fields->given >> first & ((UINT64_C(1) << GSIM_DEMAND_FIELD_COUNT) - 1);
}

enum gsim_status gsim_reader_shape(struct gsim_fields *fields, int field, const double maximum[3],
                                   struct gsim_dim3 *shape)
{
    enum gsim_status status = gsim_fields_require(fields, field);
    if (status != GSIM_OK) return status;
    uint32_t size[3] = {1, 1, 1};
    const char *at = NULL;
    for (int i = 0;; i++) {
        status = gsim_fields_element(fields, field, &at);
        if (status != GSIM_OK) return status;
        if (!at && i > 0) break;
        if (!at || i == 3) {
            fields->place.has_element = false;
            return gsim_fields_error(fields, "expected 1 to 3 integers, found %s", at ? "more" : "none");
        }
        double number = 1;
        status = gsim_fields_integer_at(fields, at, 1, maximum[i], &number);
        if (status != GSIM_OK) return status;
        size[i] = (uint32_t)number;
        at = gsim_scan_skip(at);
    }
    *shape = (struct gsim_dim3){size[0], size[1], size[2]};
    return GSIM_OK;
}

/* "pipes": shares by name; those that are not named are 0. */
static enum gsim_status read_pipes(struct gsim_fields *fields, int field, struct gsim_kernel *kernel)
{
    const char *values[GSIM_PIPE_COUNT];
    if (!fields->values[field]) return GSIM_OK;
    enum gsim_status status = gsim_fields_require(fields, field);
    struct gsim_fields own = {
        .place = fields->place, .names = gsim_pipe_names, .values = values, .error = fields->error};
    if (status == GSIM_OK) status = gsim_fields_read(&own, fields->values[field], NULL);
    memset(kernel->pipes, 0, sizeof kernel->pipes);
    kernel->pipes_given = true;
    for (int i = 0; i < GSIM_PIPE_COUNT && status == GSIM_OK; i++)
        status = gsim_fields_real(&own, i, GSIM_LIMIT_PIPE, &kernel->pipes[i]);
    return status;
}

/* Thread block clusters divide the grid, which is checked when that is known. */
static enum gsim_status read_cluster(struct gsim_fields *fields, int field, struct gsim_kernel *kernel)
{
    static const double maximum[] = {GSIM_LIMIT_CLUSTER, GSIM_LIMIT_CLUSTER, GSIM_LIMIT_CLUSTER};
    if (!fields->values[field]) return GSIM_OK;
    return gsim_reader_shape(fields, field, maximum, &kernel->cluster);
}

enum gsim_status gsim_reader_work(struct gsim_reader *reader, struct gsim_fields *fields, int first,
                                  struct gsim_kernel *kernel)
{
    if (!gsim_reader_has_work(fields, first)) return GSIM_OK;
    enum gsim_status status = gsim_reader_count(fields, first + WORK_REGS, GSIM_LIMIT_REGS, &kernel->regs_per_thread);
    if (status == GSIM_OK)
        status = gsim_reader_count(fields, first + WORK_SMEM, GSIM_LIMIT_SMEM_BYTES, &kernel->smem_bytes);
    if (status == GSIM_OK)
        status = gsim_reader_count(fields, first + WORK_SLICE_SMS, GSIM_LIMIT_SMS, &kernel->slice_sms);
    if (status == GSIM_OK) status = gsim_fields_bool(fields, first + WORK_FP64, &kernel->fp64);
    if (status == GSIM_OK) status = gsim_fields_bool(fields, first + WORK_COLD, &kernel->solo_cold);
    if (status == GSIM_OK) status = gsim_fields_bool(fields, first + WORK_PROFILED, &kernel->solo_profiled);
    if (fields->values[first + WORK_SOLO]) kernel->slice_us = 0; /* that was of another time */
    if (fields->values[first + WORK_FLOPS] || fields->values[first + WORK_DRAM]) kernel->demand_given = true;
    struct {
        int field;
        double maximum, *number;
    } const numbers[] = {
        {WORK_FLOPS, GSIM_LIMIT_WORK, &kernel->flops},
        {WORK_DRAM, GSIM_LIMIT_WORK, &kernel->dram_bytes},
        {WORK_THREAD, GSIM_LIMIT_WORK, &kernel->thread_cycles},
        {WORK_SM, GSIM_LIMIT_WORK, &kernel->sm_cycles},
        {WORK_SOLO, GSIM_LIMIT_US, &kernel->solo_us},
        {WORK_ROWS, GSIM_LIMIT_WORK, &kernel->rows},
        {WORK_SLICE, GSIM_LIMIT_US, &kernel->slice_us},
        {WORK_LOOP_X, GSIM_LIMIT_WORK, &kernel->loop_x},
        {WORK_LOOP_Y, GSIM_LIMIT_WORK, &kernel->loop_y},
        {WORK_LOOP_Z, GSIM_LIMIT_WORK, &kernel->loop_z},
        {WORK_ENERGY, GSIM_LIMIT_WORK, &kernel->energy_mj},
        {WORK_DATA_BYTES, GSIM_LIMIT_WORK, &kernel->data_bytes},
        {WORK_MEMORY_WAIT, 1, &kernel->memory_wait},
        {WORK_DRAM_COST, GSIM_LIMIT_DRAM_COST, &kernel->dram_cost},
        {WORK_COLD_US, GSIM_LIMIT_US, &kernel->cold_us},
        {WORK_IMBALANCE, GSIM_LIMIT_IMBALANCE, &kernel->imbalance},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && status == GSIM_OK; i++)
        status = gsim_fields_real(fields, first + numbers[i].field, numbers[i].maximum, numbers[i].number);
    if (status == GSIM_OK)
        status = gsim_fields_real(fields, first + WORK_PROLOGUE, GSIM_LIMIT_PROLOGUE, &kernel->prologue);
    if (status == GSIM_OK) status = gsim_fields_real(fields, first + WORK_TRIGGER, 1, &kernel->trigger);
    if (status == GSIM_OK) status = read_pipes(fields, first + WORK_PIPES, kernel);
    if (status == GSIM_OK) status = read_cluster(fields, first + WORK_CLUSTER, kernel);
    if (fields->values[first + WORK_TRIGGER] && kernel->trigger < GSIM_LEAST_TRIGGER)
        kernel->trigger = GSIM_LEAST_TRIGGER; /* 0 means not given */
    if (status != GSIM_OK) return status;
    return gsim_fields_kept_name(fields, first + WORK_DEVICE, &reader->arena, &kernel->solo_device);
}

