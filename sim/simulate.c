/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One simulation from its parts: prepares machine, devices and process, runs the scheduler on its first host thread under
 * SimGrid, and leaves a timeline. Everything that a run allocates hangs off it. */
#include "gpusim/simulate.h"

#include "gpusim/limits.h"
#include "sim/host/api.h"
#include "sim/memory/links.h"

/* All parts of a run. */
struct world {
    struct gsim_machine machine;
    struct gsim_process process;
    struct gsim_device devices[GSIM_MAX_GPUS], *list[GSIM_MAX_GPUS];
    struct gsim_front fronts[GSIM_MAX_GPUS];
    uint32_t device_count;
};

static void release_world(struct world *w)
{
    struct gsim_machine *m = &w->machine;
    gsim_process_release(&w->process);
    for (uint32_t i = 0; i < w->device_count; i++) {
        gsim_front_release(&w->fronts[i]);
        gsim_device_close(&w->devices[i]);
    }
    gsim_agenda_release(&m->agenda);
    gsim_free(m->threads);
    gsim_free(m->locks);
    gsim_free(m->queues);
    gsim_random_release(&m->call_noise);
    gsim_arena_release(&m->arena);
}

static enum gsim_status init_machine(struct gsim_machine *m, const struct gsim_simulation *s, struct gsim_timeline *timeline,
                                     struct gsim_error *failure, struct gsim_error *error)
{
    m->simulation = s;
    m->timeline = timeline;
    m->error = failure;
    if (!gsim_agenda_init(&m->agenda, &m->now)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return s->noise ? gsim_random_init(&m->call_noise, (s->seed + 1) * GSIM_SEED_STEP >> 16, error) : GSIM_OK;
}

static enum gsim_status init_works(struct gsim_machine *m, struct gsim_process *process, struct gsim_error *error)
{
    struct gsim_space *space = &process->space;
    const struct gsim_program *p = space->program;
    space->works = GSIM_ARENA_ARRAY(&m->arena, struct gsim_demand, p->kernel_count);
    if (!space->works) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    const struct gsim_demand *works = m->simulation->works;
    if (works && p->kernel_count) memcpy(space->works, works, p->kernel_count * sizeof *works);
    enum gsim_status status = works ? GSIM_OK : gsim_demands_init(space->works, p->kernel_count, process->spec, p->kernels, error);
    if (status) return status;
    double total_us = 0, iterations = m->simulation->until_steady ? GSIM_STEADY_MOST : m->simulation->iterations ? m->simulation->iterations : p->iterations;
    for (uint32_t i = 0; i < p->op_count; i++)
        total_us += p->ops[i].host_us + (p->ops[i].kind == GSIM_OP_KERNEL ? space->works[p->ops[i].kernel_index].solo_ps * 1e-6 : 0);
    if (total_us * iterations > GSIM_LIMIT_TOTAL_US)
        return gsim_error_set(error, GSIM_INPUT, "%s: all durations of %.0f iterations add up to %.3g s, expected at most %g",
                              p->name, iterations, total_us * iterations * 1e-6, GSIM_LIMIT_TOTAL_US * 1e-6);
    return GSIM_OK;
}

/* The process, whose commands all devices execute. */
static enum gsim_status init_process(struct world *w, struct gsim_error *error)
{
    struct gsim_machine *m = &w->machine;
    struct gsim_process *p = &w->process;
    const struct gsim_simulation *s = m->simulation;
    p->machine = m;
    p->devices = w->list;
    p->device_count = w->device_count;
    p->device = w->list[0];
    p->spec = s->device;
    p->space.program = s->program;
    p->space.mode = s->memory;
    for (uint32_t i = 0; i < w->device_count; i++) w->fronts[i].process = p;
    enum gsim_status status = gsim_managed_init(&p->space, m, s->device, error);
    if (!status && !gsim_api_init(p)) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (!status) status = init_works(m, p, error);
    for (uint32_t i = 0; i < w->device_count && !status; i++) status = gsim_device_use(w->list[i], &p->space, error);
    if (!status && !gsim_host_cache_init(&p->space, m, s->device)) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return status;
}

/* What the program and the scheduler ask for is there. */
static enum gsim_status check_gpus(const struct gsim_simulation *s, uint32_t count, struct gsim_error *error)
{
    if (count > GSIM_LIMIT_GPUS)
        return gsim_error_set(error, GSIM_INPUT, "expected at most %d GPUs, found %u", GSIM_LIMIT_GPUS, count);
    if (count > 1 && s->memory == GSIM_MEMORY_MANAGED)
        return gsim_error_set(error, GSIM_INPUT, "managed memory on several GPUs is not simulated: --memory pinned or pageable");
    for (uint32_t i = 0; i < s->program->op_count; i++) {
        const struct gsim_op *op = &s->program->ops[i];
        uint32_t most = op->device > op->to_device ? op->device : op->to_device;
        if (most >= count)
            return gsim_error_set(error, GSIM_INPUT, "%s: ops[%u] is for GPU %u, and there %s %u (--gpus)", s->program->name, i, most,
                                  count == 1 ? "is" : "are", count);
        if (most && !s->scheduler->uses_devices)
            return gsim_error_set(error, GSIM_INPUT, "%s: ops[%u] is for GPU %u, and scheduler '%s' knows one GPU only", s->program->name, i,
                                  most, s->scheduler->name);
    }
    return GSIM_OK;
}

static enum gsim_status init_devices(struct world *w, struct gsim_error *error)
{
    const struct gsim_simulation *s = w->machine.simulation;
    uint32_t count = s->gpu_count ? s->gpu_count : 1;
    enum gsim_status status = check_gpus(s, count, error);
    for (uint32_t i = 0; i < count && !status; i++) {
        w->list[i] = &w->devices[i];
        status = gsim_front_init(&w->fronts[i], &w->devices[i], &w->machine, s->device, i, error);
        w->devices[i].all = w->list;
        w->devices[i].all_count = count;
        w->device_count = i + 1;
    }
    w->machine.timeline->gpu_count = count;
    return status;
}

static enum gsim_status init_world(struct world *w, const struct gsim_simulation *s, struct gsim_timeline *timeline,
                                   struct gsim_error *error)
{
    enum gsim_status status = init_machine(&w->machine, s, timeline, &w->process.driver.error, error);
    char capability[GSIM_CAPABILITY_TEXT];
    if (!status && !gsim_sm_limits(s->device->compute_capability))
        status = gsim_error_set(error, GSIM_INPUT, "device '%s': compute capability %s is not in the occupancy table", s->device->name,
                                gsim_capability_text(s->device->compute_capability, capability));
    if (!status) status = init_devices(w, error);
    if (!status) status = init_process(w, error);
    return status;
}

struct first_thread {
    struct gsim_process *process;
    struct gsim_run run;
    struct gsim_error error;
};

static void first_thread_main(void *argument)
{
    struct first_thread *first = argument;
    struct gsim_machine *m = first->process->machine;
    m->running->actor = gsim_engine_self(m->engine);
    m->simulation->scheduler->execute(&first->run, &first->error);
    if (m->simulation->statistics) m->simulation->statistics->engine_calls = gsim_engine_calls(m->engine);
    gsim_machine_end_thread(m);
}

/* What gsim_estimate_us() tells of kernels. */
static enum gsim_status time_kernels(const struct gsim_process *p, struct gsim_arena *arena, struct gsim_run *run,
                                     struct gsim_error *error)
{
    uint32_t count = p->space.program->kernel_count;
    double *times = GSIM_ARENA_ARRAY(arena, double, count + 1);
    if (!times) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t k = 0; k < count; k++) times[k] = p->space.works[k].solo_ps / (double)GSIM_PS_PER_US;
    run->kernel_us = times;
    return GSIM_OK;
}

static enum gsim_status run_scheduler(struct gsim_process *p, const struct gsim_simulation *s, struct gsim_error *error)
{
    struct gsim_machine *m = p->machine;
    struct first_thread first = {.process = p};
    struct gsim_arena arena = {0};
    struct gsim_random numbers = {0};
    void *defaults = NULL;
    const struct gsim_platform platform = gsim_links_platform(s->device);
    first.run = (struct gsim_run){
        .program = s->program,
        .driver = s->attach ? s->attach(s->attach_data, &p->driver) : &p->driver,
        .params = s->scheduler_params,
        .memory = s->memory,
        .prefetch = s->prefetch,
        .compute_capability = s->device->compute_capability,
        .iterations = s->until_steady ? GSIM_STEADY_MOST : s->iterations ? s->iterations : s->program->iterations,
        .rng = &numbers,
        .arena = &arena,
        .device = gsim_device_facts(s->device),
    };
    p->run = &first.run;
    const struct gsim_driver_ops *ops = first.run.driver->ops;
    enum gsim_status status = gsim_abi_check("driver", ops->abi, ops->size, sizeof *ops, error);
    if (!status) status = gsim_random_init(&numbers, s->seed, error);
    if (!status && !first.run.params && s->scheduler->params) {
        defaults = gsim_arena_alloc(&arena, s->scheduler->params_size);
        if (defaults)
            gsim_params_set_defaults(s->scheduler->params, defaults);
        else
            status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
        first.run.params = defaults;
    }
    if (!status) status = time_kernels(p, &arena, &first.run, error);
    if (status) goto done;
    if (s->scheduler->prepare) status = s->scheduler->prepare(&first.run, error);
    if (status) goto done;
    m->running = gsim_machine_add_thread(m, &p->driver);
    if (m->running) status = gsim_engine_run(&platform, first_thread_main, &first, &m->engine, error);
    if (!status && first.error.status) status = gsim_error_set(error, first.error.status, "%s", first.error.message);
    if (!status && gsim_machine_failed(m))
        status = gsim_error_set(error, m->error->status, "%s", m->error->message);
done:
    gsim_random_release(&numbers);
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_simulate(const struct gsim_simulation *simulation, struct gsim_timeline *timeline,
                               struct gsim_error *error)
{
    const struct gsim_scheduler_ops *scheduler = simulation->scheduler;
    gsim_timeline_init(timeline, simulation->program, simulation->detailed);
    if (gsim_abi_check("scheduler", scheduler->abi, scheduler->size, sizeof *scheduler, error)) return GSIM_INPUT;
    struct world *w = gsim_alloc(sizeof *w);
    if (!w) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = init_world(w, simulation, timeline, error);
    if (!status) status = run_scheduler(&w->process, simulation, error);
    if (!status && timeline->failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory for the timeline");
    for (uint32_t i = 0; simulation->statistics && i < w->device_count; i++)
        if (w->devices[i].sm) gsim_gpu_count(w->devices[i].sm, simulation->statistics);
    release_world(w);
    gsim_free(w);
    return status;
}
