/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See trust/validate/works.h. A hash table with open addressing, at most half full. */
#include "trust/validate/works.h"

#include <string.h>

#include "sim/program/check.h"

#define FIRST_SLOTS 64

void gsim_kept_works_release(struct gsim_kept_works *kept)
{
    gsim_free(kept->kernels);
    gsim_free(kept->demands);
    gsim_free(kept->asked);
    gsim_free(kept->slots);
    gsim_arena_release(&kept->arena);
    *kept = (struct gsim_kept_works){0};
}

/* Where the kernel is, or is to be. */
static uint32_t *slot_of(const struct gsim_kept_works *kept, const struct gsim_kernel *kernel)
{
    size_t at = gsim_kernel_hash(kernel) & (kept->slot_count - 1);
    while (kept->slots[at] && !gsim_kernel_is_same(&kept->kernels[kept->slots[at] - 1], kernel))
        at = (at + 1) & (kept->slot_count - 1);
    return &kept->slots[at];
}

static bool grow_slots(struct gsim_kept_works *kept)
{
    if (2 * kept->count < kept->slot_count) return true;
    size_t count = kept->slot_count ? 2 * kept->slot_count : FIRST_SLOTS;
    uint32_t *slots = gsim_alloc(count * sizeof *slots);
    if (!slots) return false;
    gsim_free(kept->slots);
    kept->slots = slots;
    kept->slot_count = count;
    for (size_t i = 0; i < kept->count; i++) *slot_of(kept, &kept->kernels[i]) = (uint32_t)i + 1;
    return true;
}

static const struct gsim_demand *add(struct gsim_kept_works *kept, const struct gsim_device_spec *device,
                                     const struct gsim_kernel *kernel)
{
    struct gsim_error error = {0};
    struct gsim_kernel own = *kernel;
    own.name = gsim_arena_strdup(&kept->arena, kernel->name);
    if (kernel->solo_device) own.solo_device = gsim_arena_strdup(&kept->arena, kernel->solo_device);
    if (!own.name || (kernel->solo_device && !own.solo_device) || !grow_slots(kept) ||
        gsim_array_grow(&kept->kernels, sizeof *kept->kernels, kept->count, &kept->kernel_room) ||
        gsim_array_grow(&kept->demands, sizeof *kept->demands, kept->count, &kept->demand_room) ||
        gsim_demand_init(&kept->demands[kept->count], device, &own, &error) != GSIM_OK)
        return NULL;
    kept->kernels[kept->count] = own;
    *slot_of(kept, &own) = (uint32_t)kept->count + 1;
    return &kept->demands[kept->count++];
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
        uint32_t place = kept->count ? *slot_of(kept, &program->kernels[i]) : 0;
        const struct gsim_demand *demand = place ? &kept->demands[place - 1] : add(kept, device, &program->kernels[i]);
        if (!demand || gsim_array_grow(&kept->asked, sizeof *kept->asked, i, &kept->asked_room)) return NULL;
        kept->asked[i] = *demand;
    }
    return kept->asked;
}
