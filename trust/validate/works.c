/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/validate/works.h. */
#include "trust/validate/works.h"

#include <string.h>

#include "sim/program/check.h"

void gsim_kept_works_release(struct gsim_kept_works *kept)
{
    gsim_free(kept->kernels);
    gsim_free(kept->demands);
    gsim_free(kept->asked);
    gsim_slots_release(&kept->slots);
    gsim_arena_release(&kept->arena);
    *kept = (struct gsim_kept_works){0};
}

static bool is_kernel(const void *kernels, uint32_t index, const void *key)
{
    return gsim_kernel_is_same(&((const struct gsim_kernel *)kernels)[index], key);
}

static const struct gsim_demand *add(struct gsim_kept_works *kept, const struct gsim_device_spec *device,
                                     const struct gsim_kernel *kernel)
{
    struct gsim_error error = {0};
    uint32_t count = kept->slots.count;
    struct gsim_kernel own = *kernel;
    own.name = gsim_arena_strdup(&kept->arena, kernel->name);
    if (kernel->solo_device) own.solo_device = gsim_arena_strdup(&kept->arena, kernel->solo_device);
    if (!own.name || (kernel->solo_device && !own.solo_device) ||
        gsim_array_grow(&kept->kernels, sizeof *kept->kernels, count, &kept->kernel_room) ||
        gsim_array_grow(&kept->demands, sizeof *kept->demands, count, &kept->demand_room) ||
        gsim_demand_init(&kept->demands[count], device, &own, &error) != GSIM_OK ||
        !gsim_slots_add(&kept->slots, gsim_kernel_hash(&own), count))
        return NULL;
    kept->kernels[count] = own;
    return &kept->demands[count];
}

/* From there on include/gpusim/device.def has latencies, links, host and power: no demand depends on them. */
#define DEMANDS_END GSIM_DEV_launch_to_start_us

static void serve(struct gsim_kept_works *kept, const struct gsim_device_spec *device)
{
    double numbers[GSIM_DEVICE_NUMBER_COUNT] = {0};
    for (int i = 0; i < DEMANDS_END; i++) numbers[i] = gsim_device_get(device, (enum gsim_device_number)i);
    if (kept->model == device->model && kept->rules_off == device->rules_off &&
        memcmp(numbers, kept->numbers, sizeof numbers) == 0) return;
    gsim_kept_works_release(kept);
    kept->model = device->model;
    kept->rules_off = device->rules_off;
    memcpy(kept->numbers, numbers, sizeof numbers);
}

const struct gsim_demand *gsim_kept_works_of(struct gsim_kept_works *kept, const struct gsim_device_spec *device,
                                             const struct gsim_program *program)
{
    serve(kept, device);
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        const struct gsim_kernel *kernel = &program->kernels[i];
        uint32_t at = gsim_slots_find(&kept->slots, gsim_kernel_hash(kernel), is_kernel, kept->kernels, kernel);
        const struct gsim_demand *demand = at != GSIM_SLOT_NONE ? &kept->demands[at] : add(kept, device, kernel);
        if (!demand) return NULL;
        gsim_array_grow(&kept->asked, sizeof *kept->asked, i, &kept->asked_room);
        kept->asked[i] = *demand;
    }
    return kept->asked;
}
