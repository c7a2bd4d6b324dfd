/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/links.h. */
#include "sim/memory/links.h"

#include <math.h>

#include "sim/memory/fault_rate.h"

struct gsim_own_links gsim_links_access(const struct gsim_device_spec *d)
{
    return (struct gsim_own_links){
        .gbps = {
            [GSIM_MOVE_PINNED] = {d->h2d_gbps, d->d2h_gbps},
            [GSIM_MOVE_PAGEABLE] = {d->pageable_h2d_gbps, d->pageable_d2h_gbps},
            [GSIM_MOVE_BULK] = {d->prefetch_gbps, 0},
            [GSIM_MOVE_FAULT] = {0, fmin(gsim_fault_scan_gbps(d), d->d2h_gbps)},
        },
        .latency_us = {
            [GSIM_MOVE_PINNED] = {d->h2d_latency_us, d->d2h_latency_us},
            [GSIM_MOVE_PAGEABLE] = {d->pageable_latency_us, d->pageable_latency_us},
            [GSIM_MOVE_BULK] = {d->h2d_latency_us, 0},
            [GSIM_MOVE_FAULT] = {0, d->fault_latency_us},
        },
        .both_gbps = d->bidirectional_gbps,
        .local_gbps = d->d2d_gbps / 2, /* every byte is read and written */
        .beside_faults_least = d->beside_faults_least,
        .peer_gbps = d->peer_gbps,
        .peer_latency_us = d->peer_latency_us,
    };
}

double gsim_links_leg_gbps(const struct gsim_platform *p, const struct gsim_leg *leg,
                           const struct gsim_device_spec *device)
{
    bool from_host = gsim_platform_is_host(p, leg->from), to_host = gsim_platform_is_host(p, leg->to);
    struct gsim_route route;
    if (!from_host && !to_host) return gsim_platform_route(p, leg, &route) ? gsim_route_gbps(p, &route) : 0;
    if (leg->move == GSIM_MOVE_FAULT) return gsim_fault_scan_gbps(device);
    uint32_t index = gsim_platform_device_of(p, from_host ? leg->to : leg->from);
    return p->access[index]->gbps[leg->move][from_host ? GSIM_TO_DEVICE : GSIM_TO_HOST];
}
