/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. device.pcie_gbps: the link to the host as one number, for sweeps over PCIe and NVLink generations.
 * It scales all transfers of the link by one factor, and the host's time for a MB of a prefetch call, which follows the
 * link where measured (V100). Latencies are unchanged.
 */
#include "sim/device/device.h"

#include <string.h>

#include "sim/base/text.h"

static const char *const carried[] = {"h2d_gbps",          "d2h_gbps",      "bidirectional_gbps", "pageable_h2d_gbps",
                                      "pageable_d2h_gbps", "prefetch_gbps", "fault_total_gbps"};

#define PACED "prefetch_call_us_per_mb" /* goes down as the link goes up */

bool gsim_device_is_pcie(const char *number)
{
    if (strcmp(number, PACED) == 0) return true;
    for (size_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++)
        if (strcmp(carried[i], number) == 0) return true;
    return false;
}

enum gsim_status gsim_device_set_pcie(struct gsim_device_spec *spec, const char *value, struct gsim_error *error)
{
    double gbps;
    if (!gsim_text_quantity(value, &gbps) || gbps < 0.1 || gbps > 10000)
        return gsim_error_set(error, GSIM_USAGE,
                              "device." GSIM_DEVICE_PCIE ": expected 0.1 to 10000 GB/s, found \"%s\"", value);
    double factor = gbps / spec->h2d_gbps;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < sizeof(carried) / sizeof(carried[0]) && status == GSIM_OK; i++) {
        char text[40];
        snprintf(text, sizeof(text), "%.12g", gsim_device_get(spec, gsim_device_number_find(carried[i])) * factor);
        status = gsim_device_set_number(spec, carried[i], text, error);
    }
    if (status == GSIM_OK) {
        char text[40];
        snprintf(text, sizeof(text), "%.12g", spec->prefetch_call_us_per_mb / factor);
        status = gsim_device_set_number(spec, PACED, text, error);
    }
    return status == GSIM_OK ? status : gsim_error_prefix(error, "device." GSIM_DEVICE_PCIE);
}
