/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVML's counter of the energy that a GPU has drawn since its driver was loaded. The library belongs to the driver. */
#include <dlfcn.h>
#include <string.h>

#include "cli/runner/profile.h"

#define LIBRARY "libnvidia-ml.so.1"

struct gsim_energy_meter {
    void *library, *device;
    int (*read)(void *device, unsigned long long *mj);
    int (*shutdown)(void);
};

/* The function NAME into *FUNCTION. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    if (symbol) memcpy(function, &symbol, size);
    return symbol != NULL;
}

enum gsim_status gsim_energy_open(struct gsim_energy_meter **made, const char *pci_bus_id, struct gsim_error *error)
{
    int (*init)(void) = NULL, (*find_device)(const char *, void **) = NULL;
    struct gsim_energy_meter *m = gsim_alloc(sizeof *m);
    *made = m;
    memset(m, 0, sizeof *m);
    m->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!m->library)
        return gsim_error_set(error, GSIM_INPUT, "energy: " LIBRARY " cannot be loaded: it belongs to NVIDIA's driver");
    bool complete = find(m->library, "nvmlInit_v2", &init, sizeof init) &&
                    find(m->library, "nvmlDeviceGetHandleByPciBusId_v2", &find_device, sizeof find_device) &&
                    find(m->library, "nvmlDeviceGetTotalEnergyConsumption", &m->read, sizeof m->read) &&
                    find(m->library, "nvmlShutdown", &m->shutdown, sizeof m->shutdown);
    if (!complete) return gsim_error_set(error, GSIM_INPUT, "energy: " LIBRARY " has no total energy");
    int result = init();
    if (result) {
        m->shutdown = NULL;
        return gsim_error_set(error, GSIM_SIM, "energy: nvmlInit: error %d", result);
    }
    result = find_device(pci_bus_id, &m->device);
    return result ? gsim_error_set(error, GSIM_SIM, "energy: no GPU at %.40s: NVML's error %d", pci_bus_id, result)
                  : GSIM_OK;
}

enum gsim_status gsim_energy_read(struct gsim_energy_meter *meter, double *mj, struct gsim_error *error)
{
    unsigned long long total = 0;
    int result = meter->read(meter->device, &total);
    *mj = (double)total;
    return result ? gsim_error_set(error, GSIM_SIM, "energy: this GPU counts none: NVML's error %d", result) : GSIM_OK;
}

void gsim_energy_close(struct gsim_energy_meter *meter)
{
    if (!meter) return;
    if (meter->shutdown) meter->shutdown();
    if (meter->library) dlclose(meter->library);
    gsim_free(meter);
}
