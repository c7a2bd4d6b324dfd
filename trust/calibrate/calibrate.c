/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See trust/calibrate/calibrate.h: what the parts share.
 */
#include "trust/calibrate/calibrate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/device/device.h"

void gsim_calibration_init(struct gsim_calibration *c, const struct gsim_device_spec *base, const char *name)
{
    memset(c, 0, sizeof *c);
    c->device = *base;
    c->device.arena = (struct gsim_arena){0};
    c->device.name = gsim_arena_strdup(&c->device.arena, name);
    if (base->arch) c->device.arch = gsim_arena_strdup(&c->device.arena, base->arch);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        c->numbers[i] = (struct gsim_calibrated){
            .base = gsim_device_get(base, (enum gsim_device_number)i), .low = NAN, .high = NAN};
    gsim_calibration_name(c, base, base->title, false);
}

void gsim_calibration_name(struct gsim_calibration *c, const struct gsim_device_spec *base, const char *title,
                           bool same_gpu)
{
    struct gsim_arena *arena = &c->device.arena;
    c->device.title = gsim_arena_strdup(arena, title);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        const char *kind = gsim_number_kind_name(base->kind[i]);
        c->device.kind[i] = same_gpu ? base->kind[i] : GSIM_KIND_ASSUMED;
        c->device.source[i] =
            same_gpu ? gsim_arena_printf(arena, "from the base %s: %s", base->name, base->source[i])
                     : gsim_arena_printf(arena, "from the base %s (%s there): %s", base->name, kind, base->source[i]);
    }
}

void gsim_calibration_release(struct gsim_calibration *c)
{
    for (size_t i = 0; i < c->program_count; i++) {
        gsim_program_release(c->programs[i]);
        gsim_free(c->programs[i]);
    }
    gsim_kept_works_release(&c->works);
    gsim_free(c->programs);
    gsim_free(c->keys);
    gsim_free(c->runs);
    gsim_free(c->residuals);
    gsim_free(c->pairs);
    gsim_free(c->warnings);
    gsim_arena_release(&c->arena);
    gsim_device_release(&c->device);
    memset(c, 0, sizeof *c);
}

double gsim_calibration_scale(enum gsim_device_number number, double value)
{
    /* Times near 0 are not told apart in shares of themselves: fifty nanoseconds are what reading the host's clock
     * twice takes. */
    double least = strncmp(gsim_device_number_unit(number), "us", 2) == 0 ? 0.05 : 1e-6;
    return fmax(fabs(value), least);
}

void gsim_calibration_put(struct gsim_calibration *c, enum gsim_device_number number, double value, double low,
                          double high, enum gsim_number_kind kind, const char *source)
{
    struct gsim_calibrated *n = &c->numbers[number];
    if (!isfinite(value)) GSIM_BUG("%s became %g", gsim_device_number_name(number), value);
    (void)gsim_device_put(&c->device, number, value, kind, source);
    n->is_touched = true;
    n->is_undetermined = n->is_prior = false;
    n->is_at_bound =
        gsim_device_get(&c->device, number) != value && fabs(gsim_device_get(&c->device, number) - value) > 0.5;
    n->low = low;
    n->high = high;
}

void gsim_calibration_warn(struct gsim_calibration *c, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gsim_array_grow(&c->warnings, sizeof *c->warnings, c->warning_count, &c->warning_capacity);
    c->warnings[c->warning_count] = gsim_arena_strdup(&c->arena, text);
    c->warning_count++;
}

void gsim_calibration_pair_up(struct gsim_calibration *c, enum gsim_device_number a, enum gsim_device_number b,
                              double correlation)
{
    (void)GSIM_APPEND(c->pairs, c->pair_count, c->pair_capacity, (struct gsim_calibration_pair){a, b, correlation});
}
