/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/device (internal to sim/device). Reads the files of a device: its own (sim/device/device.c) and its
 * architecture's (sim/device/arch.c). */
#pragma once

#include "sim/base/json.h"
#include "sim/device/numbers.h"

struct gsim_device_reader {
    struct gsim_device_spec *spec;
    struct gsim_error *error;
    const char
        *arch; /* reads this architecture's file, which does not replace numbers; NULL: the device's */
    enum {
        GSIM_TAKE_ALL,
        GSIM_TAKE_LIMITS,
        GSIM_TAKE_OTHERS
    } takes; /* LIMITS: of an SM, by compute capability; OTHERS: all but these */
    bool given[GSIM_DEVICE_NUMBER_COUNT];
};

static inline bool gsim_device_number_is_limit(int number)
{
    return number >= GSIM_DEV_warp_threads && number <= GSIM_DEV_carveout_kib_last;
}

/* Checks that JSON is an object of SCHEMA with fields of KEYS only. */
enum gsim_status gsim_reader_head(struct gsim_device_reader *reader, const cJSON *json, const char *schema,
                                  const char *const *keys);
/* Reads the numbers of all sections. */
enum gsim_status gsim_reader_sections(struct gsim_device_reader *reader, const cJSON *json);

/* Takes missing numbers from the file of the device's architecture, if it names one. */
enum gsim_status gsim_arch_use(struct gsim_device_reader *reader);
/* Takes missing limits of an SM from the architecture file that has the compute capability. */
enum gsim_status gsim_arch_limits(struct gsim_device_reader *reader);
/* Fails with "expected one of" the compute capabilities of all architecture files. */
enum gsim_status gsim_arch_fail_capability(struct gsim_device_reader *reader, const cJSON *found);
