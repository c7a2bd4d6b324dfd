/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/links.h. */
#include "sim/memory/links.h"

#include <math.h>

#include "sim/memory/fault_rate.h"

struct gsim_platform gsim_links_platform(const struct gsim_device_spec *d)
{
    return (struct gsim_platform){
        .beside_faults_least = d->beside_faults_least,
        .link_gbps = {
            [GSIM_LINK_H2D] = d->h2d_gbps,
            [GSIM_LINK_D2H] = d->d2h_gbps,
            [GSIM_LINK_BUS] = d->bidirectional_gbps,
            [GSIM_LINK_STAGE_H2D] = d->pageable_h2d_gbps,
            [GSIM_LINK_STAGE_D2H] = d->pageable_d2h_gbps,
            [GSIM_LINK_BULK_H2D] = d->prefetch_gbps,
            [GSIM_LINK_FAULT_D2H] = fmin(gsim_fault_scan_gbps(d), d->d2h_gbps),
            [GSIM_LINK_PORT_OUT] = d->peer_gbps > 0 ? d->peer_gbps : 1,
            [GSIM_LINK_PORT_IN] = d->peer_gbps > 0 ? d->peer_gbps : 1,
        },
        .latency_us = {
            [GSIM_ROUTE_H2D] = d->h2d_latency_us,
            [GSIM_ROUTE_D2H] = d->d2h_latency_us,
            [GSIM_ROUTE_PAGEABLE_H2D] = d->pageable_latency_us,
            [GSIM_ROUTE_PAGEABLE_D2H] = d->pageable_latency_us,
            [GSIM_ROUTE_PREFETCH] = d->h2d_latency_us,
            [GSIM_ROUTE_FAULT_D2H] = d->fault_latency_us,
            [GSIM_ROUTE_PEER] = d->d2h_latency_us + d->h2d_latency_us,
            [GSIM_ROUTE_PORT] = d->peer_latency_us,
        },
    };
}

double gsim_links_route_gbps(const struct gsim_device_spec *d, enum gsim_route route)
{
    switch (route) {
    case GSIM_ROUTE_H2D: return d->h2d_gbps;
    case GSIM_ROUTE_D2H: return d->d2h_gbps;
    case GSIM_ROUTE_PAGEABLE_H2D: return d->pageable_h2d_gbps;
    case GSIM_ROUTE_PAGEABLE_D2H: return d->pageable_d2h_gbps;
    case GSIM_ROUTE_PREFETCH: return d->prefetch_gbps;
    case GSIM_ROUTE_FAULT_D2H: return gsim_fault_scan_gbps(d);
    case GSIM_ROUTE_PEER: return fmin(d->d2h_gbps, d->h2d_gbps);
    case GSIM_ROUTE_PORT: return d->peer_gbps;
    case GSIM_ROUTE_COUNT: break;
    }
    GSIM_BUG("route %d", (int)route);
}
