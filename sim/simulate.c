/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One simulation from its parts: prepares the machine, runs the scheduler on its first host thread under
 * SimGrid, and leaves a timeline. Everything that a run allocates hangs off its machine. */
#include "gpusim/simulate.h"

#include "gpusim/limits.h"
#include "sim/clock/machine.h"

static void release_machine(struct gsim_machine *m)
{
    for (size_t i = 0; i < m->stream_count; i++) gsim_free(m->streams[i].tail);
    for (size_t i = 0; i < m->graph_count; i++) gsim_free(m->graphs[i].nodes);
    void *arrays[] = {m->threads, m->timers, m->streams, m->events, m->free_events,
                      m->graphs,  m->execs,  m->locks,   m->queues};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) gsim_free(arrays[i]);
    gsim_managed_release(m);
    gsim_random_release(&m->kernel_noise);
    gsim_random_release(&m->call_noise);
    gsim_random_release(&m->turns);
    gsim_arena_release(&m->arena);
}

/* Streams of their own, so that what a scheduler draws stays the same with and without noise. */
static enum gsim_status init_randoms(struct gsim_machine *m, struct gsim_error *error)
{
    const uint64_t odd = 0x9e3779b97f4a7c15; /* 2^64 over the golden ratio: far apart for neighbouring seeds */
    enum gsim_status status = gsim_random_init(&m->turns, (m->simulation->seed + 2) * odd >> 24, error);
    gsim_gpu_set_scatter(m->gpu, (m->simulation->seed - 1) * odd);
    if (status || !m->simulation->noise) return status;
    status = gsim_random_init(&m->kernel_noise, m->simulation->seed * odd >> 32, error);
    if (!status) status = gsim_random_init(&m->call_noise, (m->simulation->seed + 1) * odd >> 16, error);
    gsim_gpu_set_noise(m->gpu, &m->kernel_noise);
    return status;
}

static enum gsim_status init_works(struct gsim_machine *m, struct gsim_error *error)
{
    const struct gsim_program *p = m->program;
    m->works = GSIM_ARENA_ARRAY(&m->arena, struct gsim_demand, p->kernel_count);
    if (!m->works) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    const struct gsim_demand *works = m->simulation->works;
    if (works && p->kernel_count) memcpy(m->works, works, p->kernel_count * sizeof *works);
    enum gsim_status status = works ? GSIM_OK : gsim_demands_init(m->works, p->kernel_count, m->device, p->kernels, error);
    if (status) return status;
    double total_us = 0, iterations = m->simulation->until_steady ? GSIM_STEADY_MOST : m->simulation->iterations ? m->simulation->iterations : p->iterations;
    for (uint32_t i = 0; i < p->op_count; i++)
        total_us += p->ops[i].host_us + (p->ops[i].kind == GSIM_OP_KERNEL ? m->works[p->ops[i].kernel_index].solo_ps * 1e-6 : 0);
    if (total_us * iterations > GSIM_LIMIT_TOTAL_US)
        return gsim_error_set(error, GSIM_INPUT, "%s: all durations of %.0f iterations add up to %.3g s, expected at most %g",
                              p->name, iterations, total_us * iterations * 1e-6, GSIM_LIMIT_TOTAL_US * 1e-6);
    m->overwrites_l2 = gsim_demands_share_l2(m->works, p->kernel_count, m->device);
    if (!gsim_reuse_init(m) || !gsim_host_cache_init(m)) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    return GSIM_OK;
}

static enum gsim_status init_machine(struct gsim_machine *m, const struct gsim_simulation *s, struct gsim_timeline *timeline,
                                     struct gsim_error *error)
{
    m->simulation = s;
    m->device = s->device;
    m->program = s->program;
    m->timeline = timeline;
    char capability[GSIM_CAPABILITY_TEXT];
    if (!gsim_sm_limits(s->device->compute_capability))
        return gsim_error_set(error, GSIM_INPUT, "device '%s': compute capability %s is not in the occupancy table", s->device->name,
                              gsim_capability_text(s->device->compute_capability, capability));
    const struct gsim_gpu_listener listener = {m, gsim_front_kernel_started, gsim_front_kernel_ended, gsim_graphs_kernel_placed};
    m->gpu = gsim_gpu_create(&m->arena, s->device, &s->gpu, &listener);
    if (!m->gpu) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (s->observer && s->observer->on_blocks)
        gsim_gpu_watch(m->gpu, &(struct gsim_gpu_watcher){m, gsim_front_blocks_stayed});
    enum gsim_status status = gsim_managed_init(m, error);
    if (!status) status = init_randoms(m, error);
    if (status) return status;
    m->hw_queue_count = (uint32_t)s->device->hw_queues;
    m->hw_queue_next = GSIM_TIME_NEVER;
    for (uint32_t c = 0; c < GSIM_MAX_HW_QUEUES; c++) {
        m->hw_queues[c].tail = &m->hw_queues[c].head;
        m->hw_queue_at[c] = GSIM_TIME_NEVER;
    }
    m->stream_gap = gsim_time_from_us(s->device->stream_gap_us);
    m->event_gap = gsim_time_from_us(s->device->event_gap_us);
    m->acquire = gsim_time_from_us(s->device->acquire_us);
    m->acquire_cold = gsim_time_from_us(s->device->acquire_cold_us);
    m->busy_gap = gsim_time_from_us(s->device->busy_gap_us);
    m->call_gap = gsim_time_from_us(s->device->call_gap_us);
    m->timed_record = gsim_time_from_us(s->device->timed_record_us);
    m->copy_gap = gsim_time_from_us(s->device->copy_gap_us);
    m->copy_switch = gsim_time_from_us(s->device->copy_switch_us);
    m->engine_poll = gsim_time_from_us(s->device->engine_poll_us);
    m->kernel_to_copy = gsim_time_from_us(s->device->kernel_to_copy_us);
    m->copy_to_kernel = gsim_time_from_us(s->device->copy_to_kernel_us);
    gsim_copies_init(m);
    gsim_simdriver_init(m);
    if (gsim_driver_failed(&m->driver)) return gsim_error_set(error, m->driver.error.status, "%s", m->driver.error.message);
    return init_works(m, error);
}

struct first_thread {
    struct gsim_machine *machine;
    struct gsim_run run;
    struct gsim_error error;
};

static void first_thread_main(void *argument)
{
    struct first_thread *first = argument;
    struct gsim_machine *m = first->machine;
    m->running->actor = gsim_engine_self(m->engine);
    m->simulation->scheduler->execute(&first->run, &first->error);
    if (m->simulation->statistics) m->simulation->statistics->engine_calls = gsim_engine_calls(m->engine);
    gsim_machine_end_thread(m);
}

static enum gsim_status run_scheduler(struct gsim_machine *m, const struct gsim_simulation *s, struct gsim_error *error)
{
    struct first_thread first = {.machine = m};
    struct gsim_arena arena = {0};
    struct gsim_random numbers = {0};
    void *defaults = NULL;
    first.run = (struct gsim_run){
        .program = s->program,
        .driver = &m->driver,
        .params = s->scheduler_params,
        .memory = s->memory,
        .prefetch = s->prefetch,
        .compute_capability = s->device->compute_capability,
        .iterations = s->until_steady ? GSIM_STEADY_MOST : s->iterations ? s->iterations : s->program->iterations,
        .rng = &numbers,
        .arena = &arena,
    };
    m->run = &first.run;
    enum gsim_status status = gsim_random_init(&numbers, s->seed, error);
    if (!status && !first.run.params && s->scheduler->params) {
        defaults = gsim_arena_alloc(&arena, s->scheduler->params_size);
        if (defaults)
            gsim_params_set_defaults(s->scheduler->params, defaults);
        else
            status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
        first.run.params = defaults;
    }
    if (status) goto done;
    if (s->scheduler->prepare) status = s->scheduler->prepare(&first.run, error);
    if (status) goto done;
    m->running = gsim_machine_add_thread(m);
    if (m->running) status = gsim_engine_run(s->device, first_thread_main, &first, &m->engine, error);
    if (!status && first.error.status) status = gsim_error_set(error, first.error.status, "%s", first.error.message);
    if (!status && gsim_driver_failed(&m->driver))
        status = gsim_error_set(error, m->driver.error.status, "%s", m->driver.error.message);
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
    struct gsim_machine *m = gsim_alloc(sizeof *m);
    if (!m) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    enum gsim_status status = init_machine(m, simulation, timeline, error);
    if (!status) status = run_scheduler(m, simulation, error);
    if (simulation->until_steady && timeline->iteration_count > 1) timeline->warm_up_count = 1;
    if (!status && timeline->failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory for the timeline");
    if (simulation->statistics && m->gpu) gsim_gpu_count(m->gpu, simulation->statistics);
    release_machine(m);
    gsim_free(m);
    return status;
}
