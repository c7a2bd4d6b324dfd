/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work fields of a program file, which kernels and ops share: sim/program/kernel.h lists them. */
#include "sim/program/readops.h"

#include <string.h>

enum gsim_status gsim_reader_count(struct gsim_fields *fields, int field, double maximum, uint32_t *count)
{
    double number = *count;
    enum gsim_status status = gsim_fields_integer(fields, field, 0, maximum, &number);
    *count = gsim_whole_u32(number);
    return status;
}

bool gsim_reader_has_work(const struct gsim_fields *fields, int first)
{
    return fields->given >> first & ((UINT64_C(1) << GSIM_KERNEL_FIELD_COUNT) - 1);
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
        size[i] = gsim_whole_u32(number);
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
    enum gsim_status status = GSIM_OK;
    if (fields->values[first + GSIM_KERNEL_solo_us]) kernel->slice_us = 0; /* that was of another time */
    if (fields->values[first + GSIM_KERNEL_flops] || fields->values[first + GSIM_KERNEL_dram_bytes])
        kernel->demand_given = true;
#define REAL(name, least, most) \
    if (!status) status = gsim_fields_real(fields, first + GSIM_KERNEL_##name, most, &kernel->name);
#define COUNT(name, most) \
    if (!status) status = gsim_reader_count(fields, first + GSIM_KERNEL_##name, most, &kernel->name);
#define FLAG(name) \
    if (!status) status = gsim_fields_bool(fields, first + GSIM_KERNEL_##name, &kernel->name);
    GSIM_KERNEL_FIELDS(REAL, COUNT, FLAG, GSIM_KERNEL_FIELD_NONE)
    if (!status) status = read_pipes(fields, first + GSIM_KERNEL_pipes, kernel);
    int order = kernel->tile_order;
    if (!status && fields->values[first + GSIM_KERNEL_tile_order])
        status = gsim_fields_choice(fields, first + GSIM_KERNEL_tile_order, gsim_tile_order_names, &order);
    kernel->tile_order = (enum gsim_tile_order)order;
    if (!status) status = read_cluster(fields, first + GSIM_KERNEL_cluster, kernel);
    if (fields->values[first + GSIM_KERNEL_trigger] && kernel->trigger < GSIM_MIN_TRIGGER)
        kernel->trigger = GSIM_MIN_TRIGGER; /* 0 means not given */
    bool works = kernel->flops > 0 || kernel->dram_bytes > 0 || kernel->pipes_given;
    if (!status && kernel->waits && works)
        status = gsim_fields_error(fields, "a kernel that waits has no flops, dram_bytes or pipes");
    if (status) return status;
    return gsim_fields_kept_name(fields, first + GSIM_KERNEL_solo_device, &reader->arena, &kernel->solo_device);
}
