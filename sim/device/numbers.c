/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. See sim/device/numbers.h and gpusim/device.h: names, units, ranges and defaults of a device's
 * numbers, and setting one. Files: sim/device/device.c.
 */
#include "sim/device/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"

static const struct gsim_number_row rows[] = {
#define X(section_, name_, unit_, initial_, minimum_, maximum_, help_)                                                 \
    {#section_, #name_, unit_, help_, minimum_, maximum_, GSIM_DEV_##name_, 0,                                         \
     offsetof(struct gsim_device_spec, name_), {initial_}, {#name_}},
#define CURVE(section_, name_, unit_, minimum_, maximum_, help_, points_, ...)                                         \
    {#section_,                                                                                                        \
     #name_,                                                                                                           \
     unit_,                                                                                                            \
     help_,                                                                                                            \
     minimum_,                                                                                                         \
     maximum_,                                                                                                         \
     GSIM_DEV_##name_,                                                                                                 \
     points_,                                                                                                          \
     offsetof(struct gsim_device_spec, name_),                                                                         \
     {__VA_ARGS__},                                                                                                    \
     {#name_ "_0", #name_ "_1", #name_ "_2", #name_ "_3", #name_ "_4", #name_ "_5", #name_ "_6", #name_ "_7",          \
      #name_ "_8", #name_ "_9", #name_ "_10", #name_ "_11", #name_ "_12", #name_ "_13", #name_ "_14", #name_ "_15"}},
#include "gpusim/device.def"
#undef X
#undef CURVE
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* Numbers that count things: a fraction would be a mistake. */
static const bool is_count[GSIM_DEVICE_NUMBER_COUNT] = {
    [GSIM_DEV_sm_count] = true,     [GSIM_DEV_fp32_lanes_per_sm] = true,  [GSIM_DEV_resident_grids] = true,
    [GSIM_DEV_hw_queues] = true,    [GSIM_DEV_launch_queue_depth] = true, [GSIM_DEV_priority_levels] = true,
    [GSIM_DEV_copy_engines] = true, [GSIM_DEV_eager_migration] = true,    [GSIM_DEV_cores] = true,
    [GSIM_DEV_mig_1g_sms] = true,   [GSIM_DEV_mig_2g_sms] = true,         [GSIM_DEV_mig_3g_sms] = true,
    [GSIM_DEV_mig_4g_sms] = true,   [GSIM_DEV_mig_7g_sms] = true,
    [GSIM_DEV_mps_sms] = true,      [GSIM_DEV_warp_threads] = true,       [GSIM_DEV_warps_per_sm] = true,
    [GSIM_DEV_blocks_per_sm] = true, [GSIM_DEV_registers_per_sm] = true,  [GSIM_DEV_registers_per_block] = true,
    [GSIM_DEV_registers_per_thread] = true, [GSIM_DEV_register_unit] = true, [GSIM_DEV_subpartitions] = true,
    [GSIM_DEV_smem_unit_bytes] = true, [GSIM_DEV_smem_reserved_bytes] = true,
};

static const char *const kind_names[] = {
    [GSIM_KIND_DATASHEET] = "datasheet", [GSIM_KIND_PUBLISHED] = "published", [GSIM_KIND_MEASURED] = "measured",
    [GSIM_KIND_FITTED] = "fitted",       [GSIM_KIND_DERIVED] = "derived",     [GSIM_KIND_ASSUMED] = "assumed",
};
#define KIND_COUNT (sizeof kind_names / sizeof kind_names[0])

const struct gsim_number_row *gsim_number_rows(size_t *count)
{
    *count = ROW_COUNT;
    return rows;
}

const struct gsim_number_row *gsim_number_row_find(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

/* The row that holds the number: rows are in the order of their first ones. */
static const struct gsim_number_row *row_of(enum gsim_device_number number)
{
    size_t low = 0, high = ROW_COUNT;
    GSIM_INVARIANT((unsigned)number < GSIM_DEVICE_NUMBER_COUNT);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(rows[middle].first <= (int)number ? &low : &high) = middle;
    }
    return &rows[low];
}

static int point_of(enum gsim_device_number number) { return (int)number - row_of(number)->first; }

double *gsim_device_number(struct gsim_device_spec *spec, enum gsim_device_number number)
{
    return (double *)((char *)spec + row_of(number)->offset) + point_of(number);
}

double gsim_device_get(const struct gsim_device_spec *spec, enum gsim_device_number number)
{
    return ((const double *)((const char *)spec + row_of(number)->offset))[point_of(number)];
}

const char *gsim_device_number_name(enum gsim_device_number number) { return row_of(number)->names[point_of(number)]; }
bool gsim_device_number_is_count(enum gsim_device_number number) { return is_count[number]; }
const char *gsim_device_number_unit(enum gsim_device_number number) { return row_of(number)->unit; }
const char *gsim_device_number_section(enum gsim_device_number number) { return row_of(number)->section; }
const char *gsim_device_number_help(enum gsim_device_number number) { return row_of(number)->help; }
double gsim_device_number_minimum(enum gsim_device_number number) { return row_of(number)->minimum; }
double gsim_device_number_maximum(enum gsim_device_number number) { return row_of(number)->maximum; }
double gsim_device_number_initial(enum gsim_device_number number) { return row_of(number)->initial[point_of(number)]; }

enum gsim_device_number gsim_device_number_find(const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        for (int point = 0; point < gsim_number_row_size(&rows[i]); point++)
            if (strcmp(rows[i].names[point], name) == 0) return (enum gsim_device_number)(rows[i].first + point);
    return GSIM_DEVICE_NUMBER_COUNT;
}

const char *gsim_number_kind_name(enum gsim_number_kind kind)
{
    GSIM_INVARIANT((unsigned)kind < KIND_COUNT);
    return kind_names[kind];
}

bool gsim_device_put(struct gsim_device_spec *spec, enum gsim_device_number number, double value,
                     enum gsim_number_kind kind, const char *source)
{
    char *copy = gsim_arena_strdup(&spec->arena, source);
    if (!copy) return false;
    if (is_count[number]) value = floor(value + 0.5);
    *gsim_device_number(spec, number) = fmin(fmax(value, row_of(number)->minimum), row_of(number)->maximum);
    spec->kind[number] = kind;
    spec->source[number] = copy;
    return true;
}

/* --- checks that the file and the command line share ------------------------------------------------------ */
bool gsim_device_number_holds(enum gsim_device_number number, double value)
{
    const struct gsim_number_row *row = row_of(number);
    return value >= row->minimum && value <= row->maximum && (!is_count[number] || value == floor(value));
}

const char *gsim_device_number_expected(enum gsim_device_number number, char *text, size_t size)
{
    const struct gsim_number_row *row = row_of(number);
    snprintf(text, size, "%s from %g to %.7g%s%s", is_count[number] ? "an integer" : "a number", row->minimum,
             row->maximum, *row->unit ? " " : "", row->unit);
    return text;
}

const struct gsim_number_row *gsim_number_row_nearest(const char *name)
{
    unsigned best = 4;
    const struct gsim_number_row *found = NULL;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        unsigned steps = gsim_text_distance(name, rows[i].name);
        if (steps >= best) continue;
        best = steps;
        found = &rows[i];
    }
    return found;
}

static enum gsim_status fail_unknown(const char *name, struct gsim_error *error)
{
    const struct gsim_number_row *row = gsim_number_row_find(name),
                                 *nearest = row ? NULL : gsim_number_row_nearest(name);
    if (row)
        return gsim_error_set(error, GSIM_USAGE, "device number '%s' is a curve: expected one of its points, %s to %s",
                              name, row->names[0], row->names[row->points - 1]);
    if (nearest)
        return gsim_error_set(error, GSIM_USAGE, "unknown device number '%s': did you mean '%s'?", name, nearest->name);
    return gsim_error_set(error, GSIM_USAGE, "unknown device number '%s': 'gpusim list devices --long' shows them all",
                          name);
}

enum gsim_status gsim_device_set_number(struct gsim_device_spec *spec, const char *name, const char *value,
                                        struct gsim_error *error)
{
    enum gsim_device_number number = gsim_device_number_find(name);
    if (number == GSIM_DEVICE_NUMBER_COUNT) return fail_unknown(name, error);
    char *end = NULL, expected[96];
    double parsed = strspn(value, "+-0123456789.eE") == strlen(value) ? strtod(value, &end) : NAN;
    if (!end || end == value || *end || !gsim_device_number_holds(number, parsed))
        return gsim_error_set(error, GSIM_USAGE, "device.%s: expected %s, found \"%s\"", name,
                              gsim_device_number_expected(number, expected, sizeof(expected)), value);
    *gsim_device_number(spec, number) = parsed;
    spec->source[number] = "given on the command line";
    spec->kind[number] = GSIM_KIND_ASSUMED;
    return GSIM_OK;
}
