/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels with missing pages (sim/memory/managed.h). At each change: the kernels' progress gives the pages that have
 * arrived, their stretches give the rates (sim/memory/fault_rate.h), the rates give the paces and the time of the next
 * change. Between changes all is linear, so cost grows with changes and not with bytes.
 */
#include "sim/memory/device.h"

#include <string.h>

/* A kernel's position is exact up to rounding. */
#define SLACK_BYTES 64.0
/* Paces that differ by less are one: rounding must not re-rate SMs. */
#define SAME_PACE 1e-7

static double gbps_to_bytes_per_ps(double gbps) { return gbps * 1e-3; }

static void update_at(struct gsim_device *d, gsim_time time)
{
    gsim_agenda_set(&d->machine->agenda, &d->faults.source, time);
}

static void update_beside(struct gsim_device *d);

/* --- kernels --------------------------------------------------------------------------------------------------- */

static struct gsim_faulter *new_faulter(struct gsim_device *d, uint32_t arg_count)
{
    struct gsim_faults *faults = &d->faults;
    struct gsim_faulter *k = faults->free;
    if (k)
        faults->free = k->next_free;
    else if (!(k = GSIM_ARENA_NEW(&d->machine->arena, struct gsim_faulter)))
        return NULL;
    if (k->arg_capacity < arg_count) {
        k->args = GSIM_ARENA_ARRAY(&d->machine->arena, struct gsim_fault_arg, arg_count);
        k->arg_capacity = k->args ? arg_count : 0;
    }
    if (!k->args ||
        gsim_array_grow(&faults->active, sizeof *faults->active, faults->count, &faults->capacity)) {
        k->next_free = faults->free;
        faults->free = k;
        return NULL;
    }
    *k = (struct gsim_faulter){.args = k->args, .arg_count = arg_count, .arg_capacity = k->arg_capacity, .pace = 1};
    faults->active[faults->count++] = k;
    return k;
}

void gsim_faults_add(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_faulter *k = new_faulter(d, command->op->arg_count);
    if (!k) {
        gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
        return;
    }
    gsim_agenda_follow_if(&d->machine->agenda, &d->faults.source, true);
    k->command = command;
    for (uint32_t i = 0; i < k->arg_count; i++)
        k->args[i] = (struct gsim_fault_arg){
            .buffer_index = command->op->args[i].buffer_index, .writes = command->op->args[i].writes, .first = -1};
    command->faulter = k;
}

void gsim_faults_hold(struct gsim_device *d, struct gsim_command *command)
{
    if (command->part->is_stopped) return; /* it does nothing until its SMs' turn comes */
    command->faulter->pace = 0;
    gsim_gpu_set_pace(command->part->sm, d->machine->now, command->run, 0);
    gsim_partition_changed(command->part);
}

void gsim_faults_kernel_started(struct gsim_device *d, struct gsim_command *command)
{
    if (!command->faulter) return;
    command->faulter->is_running = true;
    update_at(d, d->machine->now);
    if (d->faults.count == 1) update_beside(d);
}

/* --- arrivals -------------------------------------------------------------------------------------------------- */

static void arrive(struct gsim_device *d, struct gsim_faulter *k, struct gsim_fault_arg *a, uint64_t end)
{
    struct gsim_moved moved = {0};
    if (end <= a->cursor) return;
    gsim_residency_arrive(&d->space->residency, d->index, a->buffer_index, a->cursor, end, a->writes, &moved);
    a->cursor = end;
    a->bytes += moved.from_host;
    a->from_devices += moved.from_devices;
    if (moved.from_host || moved.from_devices) a->last = d->machine->now;
    if (moved.evicted && !k->evicted) {
        k->evicted_first = a->first;
        k->evicted_buffer = a->buffer_index;
    }
    k->evicted += moved.evicted;
}

/* Makes the groups resident that the kernel has passed. */
static void advance(struct gsim_device *d, struct gsim_faulter *k)
{
    if (!k->is_running) return;
    if (k->stall_until && k->stall_until <= d->machine->now) {
        k->stall_until = 0;
        for (uint32_t i = 0; i < k->arg_count; i++)
            if (k->args[i].is_short) arrive(d, k, &k->args[i], k->args[i].stretch_end);
    }
    if (k->command->part->is_stopped) return;
    k->progress = gsim_gpu_progress(k->command->part->sm, k->command->run, d->machine->now);
    k->done = fmin(fmax(k->progress.done, 0), 1);
    for (uint32_t i = 0; i < k->arg_count; i++) {
        struct gsim_fault_arg *a = &k->args[i];
        const struct gsim_pages *p = &d->space->residency.pages[a->buffer_index];
        uint64_t group = gsim_whole_u64((k->done * (double)p->bytes + SLACK_BYTES) / GSIM_GROUP_BYTES);
        arrive(d, k, a, group < p->group_count ? group : p->group_count);
    }
}

static void record(struct gsim_device *d, const struct gsim_command *command, const struct gsim_copy_record *partial)
{
    struct gsim_copy_record record = *partial;
    if (!record.bytes) return;
    if (record.end <= record.start) record.end = record.start + 1;
    record.op = gsim_command_op(command);
    record.task = command->client->task;
    record.iteration = command->iteration;
    record.stream = command->stream;
    record.device = d->index;
    record.correlation = command->correlation;
    gsim_copies_record(d->machine, &record);
}

/* Records what the kernel has brought; it brings no more. */
static void leave(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_faults *faults = &d->faults;
    struct gsim_faulter *k = command->faulter;
    for (uint32_t i = 0; i < k->arg_count; i++) {
        const struct gsim_fault_arg *a = &k->args[i];
        record(d, command, &(struct gsim_copy_record){.buffer_index = a->buffer_index, .kind = GSIM_COPY_H2D,
                                                   .reason = GSIM_REASON_FAULT, .bytes = a->bytes, .launch = a->first,
                                                   .start = a->first, .end = a->last});
        record(d, command,
               &(struct gsim_copy_record){.buffer_index = a->buffer_index,
                                          .kind = GSIM_COPY_P2P,
                                          .reason = GSIM_REASON_FAULT,
                                          .bytes = a->from_devices,
                                          .launch = a->first,
                                          .start = a->first,
                                          .end = a->last});
    }
    record(d, command,
           &(struct gsim_copy_record){.buffer_index = k->evicted_buffer,
                                      .kind = GSIM_COPY_D2H,
                                      .reason = GSIM_REASON_EVICTION,
                                      .bytes = k->evicted,
                                      .launch = k->evicted_first,
                                      .start = k->evicted_first,
                                      .end = d->machine->now});
    size_t i = 0;
    while (faults->active[i] != k) i++;
    faults->count--;
    memmove(&faults->active[i], &faults->active[i + 1], (faults->count - i) * sizeof *faults->active);
    k->next_free = faults->free;
    faults->free = k;
    command->faulter = NULL;
    gsim_agenda_follow_if(&d->machine->agenda, &faults->source, faults->count > 0);
    update_at(d, d->machine->now);
    if (!faults->count) update_beside(d);
    gsim_managed_check(d);
}

void gsim_faults_kernel_ended(struct gsim_device *d, struct gsim_command *command)
{
    struct gsim_faulter *k = command->faulter;
    if (!k) return;
    for (uint32_t i = 0; i < k->arg_count; i++)
        arrive(d, k, &k->args[i], d->space->residency.pages[k->args[i].buffer_index].group_count);
    leave(d, command);
}

void gsim_faults_kernel_killed(struct gsim_device *d, struct gsim_command *command)
{
    if (!command->faulter) return;
    advance(d, command->faulter);
    leave(d, command);
}

/* --- rates ------------------------------------------------------------------------------------------------------ */

/* Bytes of the buffer that the resident threads of the kernel ask for at once: what a thread has in flight is spread
 * over its buffers by their sizes. A two-dimensional grid works on as many rows as it has threads down, each in a page
 * group of its own. */
static double window_bytes(const struct gsim_device *d, const struct gsim_faulter *k, uint32_t buffer_index,
                           double threads)
{
    const struct gsim_kernel *kernel = &d->space->program->kernels[k->command->op->kernel_index];
    double all = 0, own = (double)d->space->residency.pages[buffer_index].bytes;
    double in_flight = (kernel->fp64 ? 2 : 1) * d->spec->fault_bytes_per_thread;
    for (uint32_t i = 0; i < k->arg_count; i++) all += (double)d->space->residency.pages[k->args[i].buffer_index].bytes;
    double in_line = threads * in_flight * own / all, rows = (double)kernel->grid.y * kernel->block.y;
    return kernel->grid.y > 1 ? fmax(in_line, fmin(rows * GSIM_GROUP_BYTES, own)) : in_line;
}

/* Rows that the threads of the kernel walk, each its own: as it says, or where that can be told: one line of blocks
 * writes a vector of which each element, 4 bytes (8 in double precision), stands for 64 KB or more of this buffer, and
 * there are more elements than blocks (else blocks reduce what they scan together). 0: the buffer is scanned. */
static double row_count(const struct gsim_device *d, const struct gsim_faulter *k, uint32_t buffer_index)
{
    const struct gsim_op *op = k->command->op;
    const struct gsim_kernel *kernel = &d->space->program->kernels[op->kernel_index];
    double own = (double)d->space->residency.pages[buffer_index].bytes, rows = 0;
    if (kernel->rows > 0) return kernel->rows > 1 && own >= kernel->rows * GSIM_GROUP_BYTES ? kernel->rows : 0;
    if (kernel->grid.y > 1 || kernel->grid.z > 1) return 0;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        double elements = (double)d->space->residency.pages[op->args[i].buffer_index].bytes / (kernel->fp64 ? 8 : 4);
        if (op->args[i].writes && elements > rows) rows = elements;
    }
    return rows > kernel->grid.x && own >= rows * GSIM_GROUP_BYTES ? rows : 0;
}

/* The time of a byte over the links from the other device; through the host's memory it is moved twice. */
static double peer_ps_per_byte(const struct gsim_device *d, gsim_places places)
{
    const struct gsim_platform *p = d->machine->platform;
    const struct gsim_leg leg =
        gsim_copies_peer_leg(d, (uint32_t)__builtin_ctzll(places & GSIM_HELD_BY_DEVICES) - 1, d->index);
    struct gsim_route route;
    bool is_direct = leg.move == GSIM_MOVE_DIRECT;
    return gsim_platform_route(p, &leg, &route) ? (is_direct ? 1 : 2) / gbps_to_bytes_per_ps(gsim_route_gbps(p, &route))
                                                : 0;
}

/* Counts other GPUs of the group with faults now. */
static uint32_t faulting_beside(const struct gsim_device *d)
{
    uint32_t group = gsim_whole_u32(d->spec->fault_group), first = d->index / group * group, count = 0;
    for (uint32_t i = first; i < first + group && i < d->all_count; i++)
        count += i != d->index && d->all[i] && d->all[i]->faults.count > 0;
    return count;
}

/* Updates the other GPUs of the group, whose fault service depends on this one. */
static void update_beside(struct gsim_device *d)
{
    if (!(d->spec->fault_beside > 0)) return;
    uint32_t group = gsim_whole_u32(d->spec->fault_group), first = d->index / group * group;
    for (uint32_t i = first; i < first + group && i < d->all_count; i++)
        if (i != d->index && d->all[i] && d->all[i]->faults.count > 0) update_at(d->all[i], d->machine->now);
}

/* Returns the driver's time for a byte of pages that PLACES hold. */
static double service_ps_per_byte(const struct gsim_device *d, gsim_places places, bool is_full)
{
    const struct gsim_device_spec *spec = d->spec;
    double link = 1 / gbps_to_bytes_per_ps(spec->h2d_gbps), s = 1 / gbps_to_bytes_per_ps(spec->fault_total_gbps);
    if (!places)
        s = s > link ? s - link : 0; /* filled with zeros on the device */
    else if (!(places & GSIM_HELD_BY_HOST))
        s = (s > link ? s - link : 0) + peer_ps_per_byte(d, places);
    else if (d->engines[GSIM_COPY_H2D].current)
        s += link; /* every second turn on the link is the copy engine's */
    if (places & GSIM_HELD_BY_HOST && spec->fault_beside > 0) s *= 1 + spec->fault_beside * faulting_beside(d);
    if (is_full) s += 1 / gbps_to_bytes_per_ps(spec->d2h_gbps);
    return s;
}

/* Finds the kernel's stretch. Resident parts of less than a block do not end it, since kernels that read together are
 * not at exactly the same place. */
static void find_stretch(const struct gsim_device *d, struct gsim_fault_arg *a)
{
    const struct gsim_residency *r = &d->space->residency;
    const gsim_places here = GSIM_HELD_BY(d->index);
    uint64_t groups = r->pages[a->buffer_index].group_count;
    a->places = here;
    a->stretch_end = groups;
    if (a->cursor < groups) {
        a->places = gsim_residency_place(r, a->buffer_index, a->cursor, &a->stretch_end);
        if (a->places & here && a->stretch_end < groups && a->stretch_end - a->cursor < GSIM_BLOCK_GROUPS)
            a->places = gsim_residency_place(r, a->buffer_index, a->stretch_end, &a->stretch_end);
    }
    a->is_missing = !(a->places & here);
}

static bool grow_scratch(struct gsim_faults *f, size_t kernels, size_t flows, size_t users)
{
    return (kernels < f->kernel_capacity ||
            !gsim_array_grow(&f->kernels, sizeof *f->kernels, kernels, &f->kernel_capacity)) &&
           (flows < f->flow_capacity ||
            !gsim_array_grow(&f->flows, sizeof *f->flows, flows, &f->flow_capacity)) &&
           (flows < f->flow_buffer_capacity ||
            !gsim_array_grow(&f->flow_buffers, sizeof *f->flow_buffers, flows, &f->flow_buffer_capacity)) &&
           (users < f->user_capacity ||
            !gsim_array_grow(&f->users, sizeof *f->users, users, &f->user_capacity));
}

/* What one update finds. */
struct survey {
    uint32_t kernel_count, flow_count, user_count;
    bool is_full; /* device memory: what arrives pushes something out */
};

/* Rounds of the buffer's stretch, and what they cost the driver. */
static void find_service(const struct gsim_device *d, const struct survey *s, const struct gsim_faulter *k,
                         struct gsim_fault_arg *a, double threads)
{
    double rows = row_count(d, k, a->buffer_index), bytes = (double)d->space->residency.pages[a->buffer_index].bytes;
    a->ps_per_byte = service_ps_per_byte(d, a->places, s->is_full);
    a->round_bytes = gsim_fault_round_bytes(d->spec, window_bytes(d, k, a->buffer_index, threads));
    if (rows <= 0) return;
    struct gsim_fault_rows walk = gsim_fault_rows(d->spec, fmin(rows, threads), bytes / rows);
    a->round_bytes = walk.round_bytes;
    a->ps_per_byte =
        gsim_fault_visits_ps_per_byte(a->ps_per_byte, 1 / gbps_to_bytes_per_ps(d->spec->h2d_gbps), walk.visits);
}

/* The kernel joins the flow of the buffer, which its other users share. */
static void join_flow(struct gsim_device *d, struct survey *s, const struct gsim_fault_arg *a)
{
    struct gsim_faults *faults = &d->faults;
    uint32_t i = 0;
    while (i < s->flow_count && faults->flow_buffers[i] != a->buffer_index) i++;
    if (i == s->flow_count) {
        s->flow_count++;
        faults->flow_buffers[i] = a->buffer_index;
        faults->flows[i] = (struct gsim_fault_flow){.bytes = (double)d->space->residency.pages[a->buffer_index].bytes,
                                                    .round_bytes = a->round_bytes,
                                                    .ps_per_byte = a->ps_per_byte,
                                                    .is_past_host = a->places && !(a->places & GSIM_HELD_BY_HOST)};
    }
    if (a->round_bytes > faults->flows[i].round_bytes) faults->flows[i].round_bytes = a->round_bytes;
    faults->users[s->user_count++] = i;
    faults->kernels[s->kernel_count].count++;
}

static void set_pace(struct gsim_device *d, struct gsim_faulter *k, double pace)
{
    if (fabs(pace - k->pace) <= SAME_PACE * k->pace) return;
    k->pace = pace;
    d->faults.is_as_found = false;
    gsim_gpu_set_pace(k->command->part->sm, d->machine->now, k->command->run, pace);
    gsim_partition_changed(k->command->part);
}

/* Updates the kernel's stretches. Those that one round brings stall it, once for all together. Returns the driver's
 * time for them; 0: none. */
static double find_stall(struct gsim_device *d, const struct survey *s, struct gsim_faulter *k)
{
    double stall_ps = 0;
    if (!d->faults.is_as_found) k->progress = gsim_gpu_progress(k->command->part->sm, k->command->run, d->machine->now);
    k->full_speed = k->progress.full_speed;
    for (uint32_t i = 0; i < k->arg_count; i++) {
        struct gsim_fault_arg *a = &k->args[i];
        find_stretch(d, a);
        a->is_short = false;
        if (!a->is_missing) {
            a->is_flowing = false;
            continue;
        }
        if (a->first < 0) a->first = d->machine->now;
        double bytes = (double)gsim_residency_span(&d->space->residency, a->buffer_index, a->cursor, a->stretch_end);
        find_service(d, s, k, a, k->progress.resident_threads);
        a->is_short = !a->is_flowing && bytes <= a->round_bytes;
        if (a->is_short) stall_ps += 1 + bytes * a->ps_per_byte;
    }
    return stall_ps;
}

/* Whether the kernel faults or computes now: its SMs run, and it is not stalled. */
static bool is_going(const struct gsim_faulter *k)
{
    return k->is_running && !k->stall_until && !k->command->part->is_stopped;
}

static void survey_kernel(struct gsim_device *d, struct survey *s, struct gsim_faulter *k)
{
    if (!is_going(k)) return;
    double stall_ps = find_stall(d, s, k);
    if (stall_ps > 0) {
        k->stall_until =
            d->machine->now + gsim_time_from_us(d->spec->fault_latency_us) + gsim_whole(fmin(stall_ps, 0x1p61));
        set_pace(d, k, 0);
        return;
    }
    d->faults.kernels[s->kernel_count] =
        (struct gsim_fault_kernel){.full_speed = k->full_speed, .first = s->user_count};
    for (uint32_t i = 0; i < k->arg_count; i++) {
        struct gsim_fault_arg *a = &k->args[i];
        a->is_flowing = a->is_missing;
        if (a->is_missing) join_flow(d, s, a);
    }
    s->kernel_count++;
}

static uint64_t free_bytes(const struct gsim_device *d)
{
    const struct gsim_device_pages *held = &d->space->residency.held[d->index];
    return held->capacity_bytes - held->bytes;
}

static bool survey_all(struct gsim_device *d, struct survey *s)
{
    struct gsim_faults *faults = &d->faults;
    size_t users = 0;
    for (size_t i = 0; i < faults->count; i++) users += faults->active[i]->arg_count;
    /* Of each flow a group may be under way. */
    *s = (struct survey){.is_full = free_bytes(d) <= (users + 1) * GSIM_GROUP_BYTES};
    if (!grow_scratch(faults, faults->count, users, users)) {
        gsim_machine_fail(d->machine, GSIM_NOMEM, "out of memory");
        return false;
    }
    for (size_t i = 0; i < faults->count; i++) survey_kernel(d, s, faults->active[i]);
    gsim_fault_rates(d->spec->fault_latency_us * 1e6, d->spec->fault_knee, faults->kernels, s->kernel_count,
                     faults->flows, s->flow_count, faults->users);
    return true;
}

/* Sets the kernels' paces. True: one changed so much that others' speeds may change. */
static bool apply_paces(struct gsim_device *d)
{
    bool changed = false;
    uint32_t next = 0;
    for (size_t i = 0; i < d->faults.count; i++) {
        struct gsim_faulter *k = d->faults.active[i];
        if (!is_going(k)) continue;
        const struct gsim_fault_kernel *rates = &d->faults.kernels[next++];
        double pace = rates->full_speed > 0 ? rates->speed / rates->full_speed : 1, before = k->pace;
        set_pace(d, k, pace);
        changed |= fabs(pace - before) > 1e-3;
    }
    return changed;
}

/* --- what comes next ------------------------------------------------------------------------------------------- */

static void offer(gsim_time *next, gsim_time now, double ps)
{
    gsim_time at = ps < 4e18 ? now + gsim_whole(ps) + 1 : GSIM_TIME_NEVER;
    if (at < *next) *next = at;
}

/* Returns the next end of a stretch, a stall or free memory. */
static void find_next(struct gsim_device *d, const struct survey *s)
{
    struct gsim_faults *faults = &d->faults;
    uint32_t next = 0;
    double arriving = 0;
    gsim_time now = d->machine->now, at = GSIM_TIME_NEVER;
    for (size_t i = 0; i < faults->count; i++) {
        const struct gsim_faulter *k = faults->active[i];
        if (!k->is_running) continue;
        if (k->stall_until) {
            offer(&at, now, (double)(k->stall_until - now));
            continue;
        }
        if (!is_going(k)) continue;
        double speed = faults->kernels[next++].speed;
        for (uint32_t n = 0; n < k->arg_count; n++) {
            const struct gsim_fault_arg *a = &k->args[n];
            const struct gsim_pages *p = &d->space->residency.pages[a->buffer_index];
            if (a->stretch_end >= p->group_count || speed <= 0) continue;
            double end = (double)(a->stretch_end * GSIM_GROUP_BYTES) / (double)p->bytes;
            offer(&at, now, fmax(end - k->done, 0) / speed);
        }
    }
    for (uint32_t f = 0; f < s->flow_count; f++) arriving += faults->flows[f].bytes_per_ps;
    if (!s->is_full && arriving > 0)
        offer(&at, now, (double)free_bytes(d) / arriving);
    update_at(d, at);
}

/* Sets the flows' share of DRAM and the link. */
static void set_load(struct gsim_device *d, const struct survey *s)
{
    struct gsim_faults *faults = &d->faults;
    double in = 0, from_host = 0;
    for (uint32_t f = 0; f < s->flow_count; f++) {
        in += faults->flows[f].bytes_per_ps * 1e3;
        if (!faults->flows[f].is_past_host) from_host += faults->flows[f].bytes_per_ps * 1e3;
    }
    double out = s->is_full ? in : 0;
    if (fabs(in + out - faults->load_gbps) > 1e-3 * faults->load_gbps) {
        gsim_partitions_add_copy_load(d, in + out - faults->load_gbps);
        faults->load_gbps = in + out;
    }
    gsim_engine_reserve(d->machine->engine, d->index, from_host, out);
}

static void update(void *device)
{
    struct gsim_device *d = device;
    struct gsim_faults *faults = &d->faults;
    struct survey s = {0};
    for (size_t i = 0; i < faults->count; i++) advance(d, faults->active[i]);
    faults->is_as_found = true;
    for (int pass = 0; pass < 4; pass++) {
        if (!survey_all(d, &s)) return;
        if (!apply_paces(d)) break;
    }
    find_next(d, &s);
    set_load(d, &s);
    gsim_managed_check(d);
}

/* --- life ------------------------------------------------------------------------------------------------------ */

bool gsim_faults_init(struct gsim_device *d)
{
    d->faults.source = (struct gsim_agenda_source){
        .class = GSIM_AGENDA_FAULTS, .handle_index = d->index, .handle = update, .owner = d};
    return gsim_agenda_add(&d->machine->agenda, &d->faults.source);
}

void gsim_faults_release(struct gsim_device *d)
{
    gsim_free(d->faults.active);
    gsim_free(d->faults.kernels);
    gsim_free(d->faults.flows);
    gsim_free(d->faults.users);
    gsim_free(d->faults.flow_buffers);
}
