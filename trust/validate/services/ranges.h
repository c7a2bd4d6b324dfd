/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: trust. Recorded pairs of PyTorch services (traces/h100/sharing_pytorch.json.gz). The host's times there vary
 * by half and more from run to run, so a prediction is a range: each service's host times are scaled so that alone it
 * takes as little as its fastest tenth anywhere in the recording, or as much as its slowest tenth alone; the range
 * spans the medians of all four pairs of these.
 */
#pragma once

#include "gpusim/simulate.h"

struct gsim_range_row {
    const char *share, *names[2];    /* as the recording has them */
    double rates[2];                 /* of Poisson arrivals a second; 0: closed loop */
    double measured_us[2], low_us[2], high_us[2]; /* medians */
};
struct gsim_ranges {
    const char *device;              /* that they were recorded on */
    struct gsim_range_row *rows;
    size_t count;
    struct gsim_arena arena;
};

/* Whether the file holds such pairs. */
bool gsim_ranges_holds(const char *path);
/* SERVICES: the folder of ready-made services. DEVICE NULL: that of the recording. Pairs of models that are no services
 * are left out. */
enum gsim_status gsim_ranges_run(const char *path, const char *services, const struct gsim_device_spec *device,
                                 struct gsim_ranges *ranges, struct gsim_error *error) GSIM_NODISCARD;
void gsim_ranges_release(struct gsim_ranges *ranges); /* accepts zeroed */

/* Whether the median is in the range, or within SLACK of its ends. */
static inline bool gsim_range_holds(const struct gsim_range_row *row, int service, double slack)
{
    return row->measured_us[service] >= row->low_us[service] * (1 - slack) &&
           row->measured_us[service] <= row->high_us[service] * (1 + slack);
}
