/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/hardware.h. */
#include "sim/hardware.h"

#include "gpusim/limits.h"
#include "gpusim/model.h"
#include "sim/collective/collective.h"
#include "sim/host/api.h"
#include "sim/memory/links.h"
#include "sim/task/task.h"

#define MIN_STRIDE 8 /* of the numbers of front ends: what is drawn for a process is the same on 1 and on 8 devices */
#define MAX_KINDS    64

/* What devices of one spec have in common. */
struct gsim_kind {
    const struct gsim_device_spec *spec, *given; /* given: of the simulation */
    struct gsim_own_links access;
    struct gsim_device_facts facts;
    struct gsim_works *works; /* NULL until the first of them is opened */
};

/* DEVICE with the model that the simulation asks for. NULL: out of memory. */
static const struct gsim_device_spec *with_model(struct gsim_hardware *h, const struct gsim_device_spec *device)
{
    uint32_t model = (uint32_t)h->machine->simulation->gpu.model;
    if (!model || device->model == model) return device;
    for (uint32_t i = 0; i < h->kind_count; i++)
        if (h->kinds[i].given == device) return h->kinds[i].spec;
    struct gsim_device_spec *copy = GSIM_ARENA_NEW(&h->machine->arena, struct gsim_device_spec);
    if (!copy) return NULL;
    *copy = *device;
    copy->model = model;
    return copy;
}

/* The spec of each device, and what those of one spec have in common. */
static enum gsim_status find_kinds(struct gsim_hardware *h, struct gsim_error *error)
{
    const struct gsim_simulation *s = h->machine->simulation;
    struct gsim_arena *arena = &h->machine->arena;
    h->specs = GSIM_ARENA_ARRAY(arena, const struct gsim_device_spec *, h->device_count);
    h->kinds = GSIM_ARENA_ARRAY(arena, struct gsim_kind, h->device_count < MAX_KINDS ? h->device_count : MAX_KINDS);
    if (!h->specs || !h->kinds) return gsim_no_memory(error);
    for (uint32_t i = 0; i < h->device_count; i++) {
        uint32_t k = 0;
        const struct gsim_device_spec *given = s->devices ? s->devices[i] : s->device;
        if (!(h->specs[i] = with_model(h, given))) return gsim_no_memory(error);
        if (!gsim_model_name(h->specs[i]->model))
            return gsim_error_set(error, GSIM_INPUT, "model: there is none of number %u", h->specs[i]->model);
        while (k < h->kind_count && h->kinds[k].spec != h->specs[i]) k++;
        if (k < h->kind_count) continue;
        if (k == MAX_KINDS)
            return gsim_error_set(error, GSIM_INPUT, "expected at most %d kinds of devices in one run", MAX_KINDS);
        h->kinds[h->kind_count++] = (struct gsim_kind){.spec = h->specs[i],
                                                       .given = given,
                                                       .access = gsim_links_access(h->specs[i]),
                                                       .facts = gsim_device_facts(h->specs[i])};
    }
    return GSIM_OK;
}

/* The node that the simulation gives, or one of its devices alone. */
static enum gsim_status init_platform(struct gsim_hardware *h, struct gsim_error *error)
{
    const struct gsim_simulation *s = h->machine->simulation;
    struct gsim_arena *arena = &h->machine->arena;
    const struct gsim_own_links **access = GSIM_ARENA_ARRAY(arena, const struct gsim_own_links *, h->device_count);
    const struct gsim_device_facts **facts = GSIM_ARENA_ARRAY(arena, const struct gsim_device_facts *, h->device_count);
    double *peer_gbps = GSIM_ARENA_ARRAY(arena, double, h->device_count);
    double *peer_us = GSIM_ARENA_ARRAY(arena, double, h->device_count);
    if (!access || !facts || !peer_gbps || !peer_us) return gsim_no_memory(error);
    for (uint32_t i = 0, k = 0; i < h->device_count; i++) {
        while (h->kinds[k].spec != h->specs[i]) k = (k + 1) % h->kind_count;
        access[i] = &h->kinds[k].access;
        facts[i] = &h->kinds[k].facts;
        peer_gbps[i] = access[i]->peer_gbps;
        peer_us[i] = access[i]->peer_latency_us;
    }
    if (!s->node) h->plain = gsim_node_create_plain(h->device_count, peer_gbps, peer_us);
    if ((!s->node && !h->plain) ||
        !gsim_platform_init(&h->platform, s->node ? s->node : h->plain, h->device_count, access, facts, arena))
        return gsim_no_memory(error);
    h->machine->platform = &h->platform;
    return GSIM_OK;
}

/* Process INDEX has a front end of its own on the device; PART: the SMs that its kernels run on. */
static enum gsim_status open_front(struct gsim_hardware *h, uint32_t index, uint32_t device,
                                   struct gsim_partition *part, struct gsim_error *error)
{
    uint32_t number = index * (h->device_count < MIN_STRIDE ? MIN_STRIDE : h->device_count) + device;
    struct gsim_front *f = GSIM_ARENA_NEW(&h->machine->arena, struct gsim_front);
    if (!f) return gsim_no_memory(error);
    h->fronts[index * h->device_count + device] = f;
    enum gsim_status status = gsim_front_init(f, h->devices[device], part, &h->processes[index], number, error);
    f->context = index;
    part->requests = &h->processes[index].requests;
    return status;
}

static enum gsim_status open_device(struct gsim_hardware *h, uint32_t index, uint32_t part_count,
                                    struct gsim_error *error)
{
    struct gsim_device *d = GSIM_ARENA_NEW(&h->machine->arena, struct gsim_device);
    if (!d) return gsim_no_memory(error);
    h->devices[index] = d;
    enum gsim_status status = gsim_front_open_device(d, h->machine, h->specs[index], index, part_count, error);
    d->all = h->devices;
    d->all_count = h->device_count;
    d->busy = h->busy;
    return status;
}

static uint32_t kind_of(const struct gsim_hardware *h, uint32_t device)
{
    uint32_t k = 0;
    while (h->kinds[k].spec != h->specs[device]) k++;
    return k;
}

/* What the program's kernels are on it. */
static enum gsim_status use_device(struct gsim_hardware *h, uint32_t index, struct gsim_error *error)
{
    struct gsim_kind *kind = &h->kinds[kind_of(h, index)];
    const struct gsim_demand *given =
        kind->spec == h->machine->simulation->device ? h->machine->simulation->demands : NULL;
    bool is_new = !kind->works;
    enum gsim_status status =
        is_new ? gsim_works_create(&kind->works, h->machine, h->space, kind->spec, given, error) : GSIM_OK;
    if (!status && is_new && h->machine->collectives)
        gsim_collectives_time(h->machine->collectives, kind->works->demands);
    return status ? status : gsim_device_use(h->devices[index], h->space, kind->works, error);
}

/* A device that is used for the first time while the run goes on; NULL, and the run fails, when it cannot be. */
static struct gsim_device *open_later(struct gsim_machine *m, uint32_t index)
{
    struct gsim_hardware *h = m->hardware;
    struct gsim_error error = {0};
    struct gsim_partition **parts = NULL;
    struct gsim_arbiter *arbiter = NULL;
    if (h->devices[index]) return h->devices[index];
    enum gsim_status status = open_device(h, index, h->tasks ? h->tasks->layout.part_count : 1, &error);
    if (!status && h->tasks) status = gsim_tasks_add_device(h->tasks, h->devices[index], &parts, &arbiter, &error);
    for (uint32_t p = 0; p < h->process_count && !status; p++) {
        status = open_front(h, p, index, parts ? parts[p] : &h->devices[index]->parts[0], &error);
        if (!status) h->fronts[p * h->device_count + index]->arbiter = arbiter;
    }
    bool is_new = !h->kinds[kind_of(h, index)].works;
    if (!status) status = use_device(h, index, &error);
    for (uint32_t k = 0; !status && is_new && m->is_drawn && k < h->space->program->kernel_count; k++)
        gsim_works_meet(h->devices[index]->works, k);
    if (status) gsim_machine_fail(m, status, "%s", error.message);
    return status ? NULL : h->devices[index];
}

enum gsim_status gsim_hardware_open_process(struct gsim_hardware *h, uint32_t index, struct gsim_partition *part,
                                            struct gsim_error *error)
{
    h->processes[index] = (struct gsim_process){.machine = h->machine,
                                                .devices = h->devices,
                                                .device_count = h->device_count,
                                                .spec = h->machine->simulation->device,
                                                .space = h->space,
                                                .fronts = &h->fronts[index * h->device_count]};
    return open_front(h, index, 0, part, error);
}

enum gsim_status gsim_hardware_give(struct gsim_hardware *h, uint32_t index, uint32_t device, struct gsim_error *error)
{
    struct gsim_process *p = &h->processes[index];
    if (!open_later(h->machine, device))
        return gsim_error_set(error, h->machine->error->status, "%s", h->machine->error->message);
    p->first_device = device;
    p->devices = &h->devices[device];
    p->device_count = 1;
    return gsim_api_init(p) ? GSIM_OK : gsim_no_memory(error);
}

bool gsim_hardware_make_processes(struct gsim_hardware *h, uint32_t count)
{
    h->processes = GSIM_ARENA_ARRAY(&h->machine->arena, struct gsim_process, count);
    h->fronts = GSIM_ARENA_ARRAY(&h->machine->arena, struct gsim_front *, (size_t)count * h->device_count);
    if (!h->processes || !h->fronts) return false;
    h->process_count = count;
    return true;
}

enum gsim_status gsim_hardware_use(struct gsim_hardware *h, struct gsim_error *error)
{
    return use_device(h, 0, error);
}

enum gsim_status gsim_hardware_init(struct gsim_hardware *h, struct gsim_machine *m, struct gsim_space *space,
                                    uint32_t part_count, struct gsim_error *error)
{
    const struct gsim_simulation *s = m->simulation;
    uint32_t most = s->node ? gsim_node_device_count(s->node) : GSIM_LIMIT_GPUS, count = s->gpu_count ? s->gpu_count
                                                                                         : s->node    ? most
                                                                                                      : 1;
    if (count > most) return gsim_error_set(error, GSIM_INPUT, "expected at most %u GPUs, found %u", most, count);
    *h = (struct gsim_hardware){.machine = m, .space = space, .device_count = count};
    h->devices = GSIM_ARENA_ARRAY(&m->arena, struct gsim_device *, count);
    h->busy = GSIM_ARENA_ARRAY(&m->arena, uint64_t, count / 64 + 1);
    if (!h->devices || !h->busy) return gsim_no_memory(error);
    m->hardware = h;
    m->open_device = open_later;
    m->timeline->gpu_count = count;
    enum gsim_status status = find_kinds(h, error);
    if (!status) status = init_platform(h, error);
    return status ? status : open_device(h, 0, part_count, error);
}

void gsim_hardware_release(struct gsim_hardware *h)
{
    for (uint32_t i = 0; i < h->process_count; i++) gsim_process_release(&h->processes[i]);
    for (uint32_t i = 0; h->fronts && i < h->process_count * h->device_count; i++)
        if (h->fronts[i]) gsim_front_release(h->fronts[i]);
    for (uint32_t i = 0; h->devices && i < h->device_count; i++)
        if (h->devices[i]) gsim_device_close(h->devices[i]);
    gsim_node_release(h->plain);
}
