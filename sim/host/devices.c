/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of the simulated driver on several GPUs. Setting a device takes no host time: 200 launches on two H100 in turn
 * take no longer than 200 on one (traces/h100/two_gpus.json.gz). */
#include "sim/host/api.h"

uint32_t gsim_api_device_count(struct gsim_driver *driver) { return gsim_api_process(driver)->device_count; }

static bool is_device(struct gsim_process *p, uint32_t device)
{
    if (gsim_driver_failed(&p->driver)) return false;
    if (device < p->device_count) return true;
    gsim_machine_fail(p->machine, GSIM_SIM, "GPU %u does not exist: there are %u", device, p->device_count);
    return false;
}

void gsim_api_device_set(struct gsim_driver *driver, uint32_t device)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (is_device(p, device)) p->machine->running->device = device;
}

void gsim_api_peer_enable(struct gsim_driver *driver, uint32_t peer)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (is_device(p, peer))
        gsim_machine_open_peers(p->machine, p->first_device + p->machine->running->device, p->first_device + peer);
}
