/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a trace's copies ran at the rates of the device that replays them. */
#include <math.h>

#include "traces/import/records/records.h"

#define LARGE_COPY 262144 /* bytes from which a copy's time tells the link's rate */
#define OTHER_RATE 0.1    /* of the rate: copies of one kind vary by less */

/* Which copies keep their recorded times: those between GPUs, those without a size, and all of a direction and kind of
 * memory in which the larger ones ran at another rate than the device file has. */
void gsim_records_compare_rates(const struct gsim_records *r, bool keeps[2][2])
{
    double bytes[2][2] = {{0}}, ns[2][2] = {{0}};
    for (uint32_t i = 0; i < r->work_count; i++) {
        const struct gsim_activity *work = &r->works[i];
        if (work->kind != GSIM_ACTIVITY_COPY || work->copy_kind == GSIM_COPY_D2D || work->bytes < LARGE_COPY) continue;
        bytes[work->pageable][work->copy_kind == GSIM_COPY_D2H] += (double)work->bytes;
        ns[work->pageable][work->copy_kind == GSIM_COPY_D2H] += (double)work->solo_ns;
    }
    for (int p = 0; p < 2; p++)
        for (int d = 0; d < 2; d++) {
            double rate = ns[p][d] > 0 ? bytes[p][d] / ns[p][d] : 0, model = r->options->copy_gbps[p][d];
            keeps[p][d] = rate > 0 && model > 0 && fabs(rate / model - 1) > OTHER_RATE;
        }
}
