/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many SMs each GPC has, from how many thread block clusters are resident at once: all blocks of one stand in one
 * GPC, each on an SM of its own. With P blocks on an SM a GPC of S SMs holds S * P / B clusters of B blocks, rounded
 * down, and none where S < B. Series clusters_P of the probe.
 */
#include <math.h>
#include <stdio.h>

#include "sim/device/device.h"
#include "trust/calibrate/parts.h"

#define MAX_STEPS 2000000 /* of a search; facts that contradict each other end it sooner */
enum { MAX_FACTS = 32, MAX_GPCS = sizeof((struct gsim_device_spec *)0)->gpcs / sizeof(double), MAX_SMS_OF_GPC = 32 };

struct search {
    uint32_t facts, cluster[MAX_FACTS], per_sm[MAX_FACTS];
    int64_t resident[MAX_FACTS]; /* what GPCs that are chosen do not explain */
    uint32_t step, count, sizes[MAX_GPCS], steps;
};

/* Adds the GPC, or takes it away again: SIGN 1 or -1. Returns whether all facts still allow it. */
static bool add(struct search *s, uint32_t size, int sign)
{
    bool fits = true;
    for (uint32_t i = 0; i < s->facts; i++) {
        if (size >= s->cluster[i]) s->resident[i] -= sign * (int64_t)(size * s->per_sm[i] / s->cluster[i]);
        fits &= s->resident[i] >= 0;
    }
    return fits;
}

/* Fills LEFT SMs with GPCs of at most SIZE SMs, the larger ones first. */
static bool fill(struct search *s, uint32_t left, uint32_t size)
{
    for (; size > 0; size -= size < s->step ? size : s->step) {
        for (uint32_t i = 0; i < s->facts; i++) /* no smaller GPC holds such a cluster */
            if (size < s->cluster[i] && s->resident[i]) return false;
        if (++s->steps > MAX_STEPS) return false;
        if (size > left || s->count == MAX_GPCS) continue;
        s->sizes[s->count++] = size;
        if (add(s, size, 1) && fill(s, left - size, size)) return true;
        s->count--;
        add(s, size, -1);
    }
    for (uint32_t i = 0; i < s->facts; i++)
        if (s->resident[i]) return false;
    return left == 0;
}

void gsim_calibrate_gpcs(struct gsim_calibration *c, const struct gsim_probe *probe, const char *file)
{
    struct search s = {0};
    bool found = false;
    char origin[160], source[400];
    for (size_t i = 0; i < probe->series_count; i++) {
        const struct gsim_probe_series *series = &probe->series[i];
        uint32_t per_sm;
        if (sscanf(series->name, "clusters_%2u", &per_sm) != 1 || !per_sm) continue;
        for (size_t j = 0; j < series->point_count && s.facts < MAX_FACTS; j++) {
            const struct gsim_probe_point *p = &series->points[j];
            if (p->x < 2 || p->x > MAX_SMS_OF_GPC) continue;
            s.cluster[s.facts] = gsim_whole_u32(p->x);
            s.per_sm[s.facts] = per_sm;
            s.resident[s.facts++] = gsim_whole(p->median);
        }
    }
    if (!s.facts) return;
    /* SMs come in pairs; the smallest GPCs that explain all: one of 32 SMs holds as many clusters as two of 16. */
    for (s.step = 2; s.step > 0 && !found; s.step--)
        for (uint32_t most = 2; most <= MAX_SMS_OF_GPC && !found; most += s.step) {
            s.count = s.steps = 0;
            found = fill(&s, gsim_whole_u32(c->device.sm_count), most);
        }
    if (!found) {
        gsim_calibration_warn(c, "gpcs: no GPCs of %.0f SMs hold as many clusters as the probe found resident",
                              c->device.sm_count);
        return;
    }
    snprintf(source, sizeof source, "%s: clusters_1 and others, clusters of 2 to 16 blocks resident at once%s", file,
             gsim_calibration_origin(probe, origin, sizeof origin));
    for (uint32_t i = 0; i < MAX_GPCS; i++)
        gsim_calibration_put(c, (enum gsim_device_number)(GSIM_DEV_gpcs + i), i < s.count ? s.sizes[i] : 0, NAN, NAN,
                             GSIM_KIND_DERIVED, source);
}
