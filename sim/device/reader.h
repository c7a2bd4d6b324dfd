/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/device (internal to sim/device). Reading the files of a device: its own (sim/device/device.c), its
 * architecture's (sim/device/arch.c). */
#pragma once

#include "sim/base/json.h"
#include "sim/device/numbers.h"

struct gsim_device_reader {
    struct gsim_device_spec *spec;
    struct gsim_error *error;
    const char
        *arch; /* the file is that of this architecture: the device's own numbers stay; NULL: it is the device's */
    enum {
        GSIM_TAKE_ALL,
        GSIM_TAKE_LIMITS,
        GSIM_TAKE_OTHERS
    } takes; /* limits of an SM, which go by compute capability, or the others */
    bool given[GSIM_DEVICE_NUMBER_COUNT];
};

static inline bool gsim_device_number_is_limit(int number)
{
    return number >= GSIM_DEV_warp_threads && number <= GSIM_DEV_carveout_kib_last;
}

/* An object with these fields alone, its schema that one. */
enum gsim_status gsim_reader_head(struct gsim_device_reader *reader, const cJSON *json, const char *schema,
                                  const char *const *keys);
/* The numbers of all sections that it has. */
enum gsim_status gsim_reader_sections(struct gsim_device_reader *reader, const cJSON *json);

/* Those that the file of the device's architecture has and its own has not; none where it names no architecture. */
enum gsim_status gsim_arch_use(struct gsim_device_reader *reader);
/* Of the limits of an SM those that no file has given, from that which has the compute capability. */
enum gsim_status gsim_arch_limits(struct gsim_device_reader *reader);
/* "expected one of" those that files of architectures have. */
enum gsim_status gsim_arch_fail_capability(struct gsim_device_reader *reader, const cJSON *found);
