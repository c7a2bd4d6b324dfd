/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One simulation from its parts: prepares machine, devices and process, runs a scheduler for each task, on a host
 * thread each, under SimGrid, and leaves a timeline. Everything that a run allocates hangs off it. */
#include "gpusim/simulate.h"

#include "gpusim/limits.h"
#include "sim/collective/collective.h"
#include "gpusim/placement.h"
#include "sim/drawn.h"
#include "sim/hardware.h"
#include "sim/host/api.h"
#include "sim/task/task.h"

/* All parts of a run. One program alone is one task in one process. */
struct world {
    struct gsim_machine machine;
    struct gsim_space space;
    struct gsim_hardware hardware;
    struct gsim_tasks tasks;
    struct gsim_task alone;      /* the program, where there are no others */
    struct gsim_drawn drawn;
    struct gsim_drawn_source *sources;
    uint32_t source_count;
};

/* What is known before the run; NULL: nothing is. */
static const struct gsim_program *known_program(const struct gsim_simulation *s)
{
    return s->source ? NULL : s->program;
}

static void release_world(struct world *w)
{
    struct gsim_machine *m = &w->machine;
    for (uint32_t i = 0; w->tasks.states && i < w->tasks.count; i++) gsim_task_close(&w->tasks.states[i]);
    gsim_policy_close(w->tasks.policy);
    gsim_drawn_release(&w->drawn);
    gsim_residency_release(&w->space.residency);
    gsim_hardware_release(&w->hardware);
    gsim_collectives_close(m);
    gsim_agenda_release(&m->agenda);
    gsim_free(m->threads);
    gsim_free(m->locks);
    gsim_free(m->queues);
    gsim_random_release(&m->call_noise);
    gsim_arena_release(&m->arena);
}

static enum gsim_status init_machine(struct gsim_machine *m, const struct gsim_simulation *s,
                                     struct gsim_timeline *timeline, struct gsim_error *failure,
                                     struct gsim_error *error)
{
    m->simulation = s;
    m->timeline = timeline;
    m->error = failure;
    if (!gsim_agenda_init(&m->agenda, &m->now)) return gsim_no_memory(error);
    return s->noise ? gsim_random_init(&m->call_noise, (s->seed + 1) * GSIM_SEED_STEP >> 16, error) : GSIM_OK;
}

static enum gsim_status check_total(const struct gsim_simulation *s, const struct gsim_demand *demands,
                                    struct gsim_error *error)
{
    const struct gsim_program *p = known_program(s);
    if (!p) return GSIM_OK;
    double total_us = 0, iterations = s->until_steady ? GSIM_STEADY_MAX
                                      : s->iterations ? s->iterations
                                                      : p->iterations;
    for (uint32_t i = 0; i < p->op_count; i++)
        total_us +=
            p->ops[i].host_us + (p->ops[i].kind == GSIM_OP_KERNEL ? demands[p->ops[i].kernel_index].solo_ps * 1e-6 : 0);
    if (total_us * iterations > GSIM_LIMIT_TOTAL_US)
        return gsim_error_set(error, GSIM_INPUT,
                              "%s: all durations of %.0f iterations add up to %.3g s, expected at most %g", p->name,
                              iterations, total_us * iterations * 1e-6, GSIM_LIMIT_TOTAL_US * 1e-6);
    return GSIM_OK;
}

static enum gsim_status init_space(struct world *w, struct gsim_error *error)
{
    struct gsim_machine *m = &w->machine;
    const struct gsim_simulation *s = m->simulation;
    enum gsim_status status = GSIM_OK;
    w->space.mode = s->memory;
    if (w->source_count) {
        status = gsim_drawn_init(&w->drawn, m, &w->space, w->sources, w->source_count, known_program(s), error);
    } else {
        w->space.program = s->program;
        w->space.kernel_room = s->program->kernel_count;
        w->space.buffer_room = s->program->buffer_count;
    }
    if (!status) status = gsim_managed_init(&w->space, m, w->hardware.specs, w->hardware.device_count, error);
    if (!status && known_program(s)) status = gsim_collectives_open(m, w->hardware.device_count, error);
    if (!status) status = gsim_hardware_use(&w->hardware, error);
    if (!status) status = check_total(s, w->space.works->demands, error);
    if (!status && !gsim_host_cache_init(&w->space, m, s->device)) status = gsim_no_memory(error);
    return status;
}

static enum gsim_status check_program(const struct gsim_simulation *s, const struct gsim_program *program,
                                      const struct gsim_scheduler_ops *scheduler, uint32_t count,
                                      struct gsim_error *error)
{
    for (uint32_t i = 0; program && i < program->op_count; i++) {
        const struct gsim_op *op = &program->ops[i];
        uint32_t most = op->device > op->to_device ? op->device : op->to_device;
        if (most >= count)
            return gsim_error_set(error, GSIM_INPUT, "%s: ops[%u] is for GPU %u, and there %s %u (--gpus)",
                                  program->name, i, most, count == 1 ? "is" : "are", count);
        if (most && !scheduler->uses_devices && !s->placement && !s->op_plan)
            return gsim_error_set(error, GSIM_INPUT, "%s: ops[%u] is for GPU %u, and scheduler '%s' %s", program->name,
                                  i, most, scheduler->name,
                                  scheduler->places         ? "chooses GPUs itself (--place)"
                                  : scheduler->takes_placed ? "takes them from a placement (--place)"
                                                            : "knows one GPU only");
    }
    return GSIM_OK;
}

/* What the programs and their schedulers ask for is there. */
static enum gsim_status check_gpus(const struct gsim_simulation *s, uint32_t count, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    if (!s->tasks && s->gpu_count > 1 && !gsim_scheduler_can_place(s->scheduler))
        return gsim_error_set(error, GSIM_INPUT, "scheduler '%s' knows one GPU only", s->scheduler->name);
    if (!s->tasks) return check_program(s, s->program, s->scheduler, count, error);
    for (uint32_t i = 0; i < s->tasks->count && !status; i++)
        status = check_program(s, &s->tasks->programs[i], s->tasks->tasks[i].scheduler, count, error);
    return status;
}

/* The program has the process, and its driver, to itself. */
static enum gsim_status be_alone(struct world *w, struct gsim_error *error)
{
    struct gsim_task_state *t = w->tasks.states = GSIM_ARENA_NEW(&w->machine.arena, struct gsim_task_state);
    if (!t) return gsim_no_memory(error);
    *t = (struct gsim_task_state){
        .all = &w->tasks, .spec = &w->alone, .process = &w->hardware.processes[0], .client = {.run = &t->run}};
    w->tasks.machine = &w->machine;
    return GSIM_OK;
}

static enum gsim_status check_source(const struct gsim_source_ops *source, const struct gsim_scheduler_ops *scheduler,
                                     struct gsim_error *error)
{
    if (gsim_abi_check("source", source->abi, source->size, sizeof *source, error)) return error->status;
    if (!scheduler->takes_source)
        return gsim_error_set(error, GSIM_INPUT,
                              "%s needs the whole program beforehand, and '%s' is drawn while it runs", scheduler->name,
                              source->name);
    return GSIM_OK;
}

/* The tasks, or the program as the only one, and which of them are drawn. */
static enum gsim_status find_sources(struct world *w, const struct gsim_simulation *s, struct gsim_error *error)
{
    const struct gsim_task *tasks = s->tasks ? s->tasks->tasks : &w->alone;
    enum gsim_status status = GSIM_OK;
    w->alone = (struct gsim_task){.program = s->program,
                                  .source = s->source,
                                  .source_params = s->source_params,
                                  .scheduler = s->scheduler,
                                  .scheduler_params = s->scheduler_params};
    w->tasks.count = s->tasks ? s->tasks->count : 1;
    w->sources = GSIM_ARENA_ARRAY(&w->machine.arena, struct gsim_drawn_source, w->tasks.count);
    if (!w->sources) return gsim_no_memory(error);
    for (uint32_t i = 0; i < w->tasks.count && !status; i++) {
        if (!tasks[i].source) continue;
        w->sources[w->source_count++] = (struct gsim_drawn_source){tasks[i].source, tasks[i].source_params, i};
        status = check_source(tasks[i].source, tasks[i].scheduler, error);
        if (status && s->tasks) return gsim_error_prefix(error, "task '%s'", tasks[i].name);
    }
    return status;
}

static enum gsim_status init_world(struct world *w, const struct gsim_simulation *s, struct gsim_timeline *timeline,
                                   struct gsim_error *failure, struct gsim_error *error)
{
    struct gsim_hardware *h = &w->hardware;
    enum gsim_status status = init_machine(&w->machine, s, timeline, failure, error);
    if (!status) status = find_sources(w, s, error);
    struct gsim_layout layout = {.process_count = 1, .part_count = 1};
    if (!status && s->tasks) status = gsim_tasks_lay_out(&w->tasks, &w->machine, &layout, error);
    if (!status) status = gsim_hardware_init(h, &w->machine, &w->space, layout.part_count, error);
    if (!status && s->tasks) h->tasks = &w->tasks;
    if (!status) status = check_gpus(s, h->device_count, error);
    if (!status && !gsim_hardware_make_processes(h, layout.process_count)) status = gsim_no_memory(error);
    if (!status) w->machine.error = &h->processes[0].driver.error;
    if (!status && s->tasks) status = gsim_tasks_add_parts(&layout, h->devices[0], error);
    for (uint32_t i = 0; i < layout.process_count && !status; i++) {
        status = gsim_hardware_open_process(h, i, s->tasks ? layout.parts[i] : &h->devices[0]->parts[0], error);
        if (!status && !s->ranks && !gsim_api_init(&h->processes[i])) status = gsim_no_memory(error);
    }
    if (!status) status = init_space(w, error);
    for (uint32_t i = 0; s->ranks && i < layout.process_count && !status; i++)
        status = gsim_hardware_give(h, i, s->ranks->device_of[i], error);
    if (!status && w->source_count) status = gsim_drawn_open(&w->drawn, h->devices, h->device_count, error);
    if (!status && s->tasks) status = gsim_tasks_open(&w->tasks, &layout, h->processes, error);
    if (!status && !s->tasks) status = be_alone(w, error);
    return status;
}

/* --- the run -------------------------------------------------------------------------------------------------- */

static void task_main(void *argument)
{
    struct gsim_task_state *t = argument;
    struct gsim_machine *m = t->all->machine;
    if (!m->running->actor) m->running->actor = gsim_engine_self(m->engine);
    t->spec->scheduler->execute(&t->run, &t->error);
    if (m->simulation->statistics) m->simulation->statistics->engine_calls = gsim_engine_calls(m->engine);
    gsim_machine_end_thread(m);
}

/* The first task's thread starts those of the others. */
static void first_task_main(void *argument)
{
    struct gsim_tasks *tasks = argument;
    struct gsim_machine *m = tasks->machine;
    m->running->actor = gsim_engine_self(m->engine);
    for (uint32_t i = 1; i < tasks->count; i++) {
        struct gsim_host_thread *thread = m->threads[i];
        thread->actor = gsim_engine_spawn(m->engine, task_main, &tasks->states[i]);
        if (!thread->actor) gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        thread->is_blocked = true;
        thread->wake = 0;
    }
    task_main(&tasks->states[0]);
}

/* What gsim_estimate_us() tells of kernels. */
static enum gsim_status time_kernels(const struct gsim_space *space, struct gsim_arena *arena, struct gsim_run *run,
                                     struct gsim_error *error)
{
    uint32_t count = space->program->kernel_count;
    if (run->kernel_us) return GSIM_OK;
    double *times = GSIM_ARENA_ARRAY(arena, double, count + 1);
    if (!times) return gsim_no_memory(error);
    for (uint32_t k = 0; k < count; k++) times[k] = space->works->demands[k].solo_ps / (double)GSIM_PS_PER_US;
    run->kernel_us = times;
    return GSIM_OK;
}

static enum gsim_status set_default_params(const struct gsim_scheduler_ops *scheduler, struct gsim_run *run,
                                           struct gsim_error *error)
{
    if (run->params || !scheduler->params) return GSIM_OK;
    void *defaults = gsim_arena_alloc(run->arena, scheduler->params_size);
    if (!defaults) return gsim_no_memory(error);
    gsim_params_set_defaults(scheduler->params, defaults);
    run->params = defaults;
    return GSIM_OK;
}

static uint32_t iterations_of(const struct gsim_simulation *s, const struct gsim_task *task)
{
    if (s->tasks) return gsim_task_iterations(task);
    return s->source ? 1 : s->until_steady ? GSIM_STEADY_MAX : s->iterations ? s->iterations : s->program->iterations;
}

/* Who does not ask the placement gets a program that has been placed. */
static enum gsim_status place(struct gsim_run *run, const struct gsim_scheduler_ops *scheduler,
                              struct gsim_error *error)
{
    const struct gsim_placement_ops *placement = run->placement;
    if (run->device_count == 1) return GSIM_OK; /* there is no choice */
    if (!run->placement_params && placement->params) {
        void *defaults = gsim_arena_alloc(run->arena, placement->params_size);
        if (!defaults) return gsim_no_memory(error);
        gsim_params_set_defaults(placement->params, defaults);
        run->placement_params = defaults;
    }
    if (run->draw && !placement->choose)
        return gsim_error_set(error, GSIM_INPUT,
                              "--place %s needs the whole program beforehand, and '%s' is drawn while it runs",
                              placement->name, run->program->name);
    if (scheduler->places && !placement->choose)
        return gsim_error_set(error, GSIM_INPUT, "%s places one op after another, and '%s' needs the whole program",
                              scheduler->name, placement->name);
    if (!gsim_scheduler_can_place(scheduler))
        return gsim_error_set(error, GSIM_INPUT, "scheduler '%s' knows one GPU only", scheduler->name);
    if (scheduler->places || run->draw) return GSIM_OK;
    if (placement->place) return placement->place(run, error);
    return gsim_error_set(error, GSIM_INPUT, "--place %s cannot place a whole program", placement->name);
}

static enum gsim_status prepare_task(struct world *w, struct gsim_task_state *t, uint32_t index,
                                     struct gsim_error *error)
{
    const struct gsim_simulation *s = w->machine.simulation;
    const struct gsim_scheduler_ops *scheduler = t->spec->scheduler;
    struct gsim_draw *draw = gsim_drawn_of(&w->drawn, index);
    struct gsim_driver *driver = s->tasks ? &t->forward.driver : &t->process->driver;
    t->run = (struct gsim_run){
        .program = draw ? w->space.program : s->tasks ? &s->tasks->programs[index] : s->program,
        .kernel_us = w->drawn.kernel_us,
        .driver = s->attach ? s->attach(s->attach_data, driver) : driver,
        .params = t->spec->scheduler_params,
        .memory = s->memory,
        .prefetch = s->prefetch,
        .compute_capability = s->device->compute_capability,
        .iterations = iterations_of(s, t->spec),
        .rng = &t->numbers,
        .arena = &t->arena,
        .device = gsim_device_facts(s->device),
        .platform = &w->hardware.platform,
        .device_count = gsim_device_count(driver), /* a rank has one */
        .placement = s->placement,
        .placement_params = s->placement_params,
        .op_plan = s->op_plan,
    };
    gsim_task_draw(t, draw);
    const struct gsim_driver_ops *ops = t->run.driver->ops;
    enum gsim_status status = gsim_abi_check("driver", ops->abi, ops->size, sizeof *ops, error);
    if (!status) status = gsim_random_init(&t->numbers, s->seed + index, error);
    if (!status) status = gsim_random_init(&t->arrivals, (s->seed + 3) * GSIM_SEED_STEP + index, error);
    if (!status) status = set_default_params(scheduler, &t->run, error);
    if (!status) status = time_kernels(&w->space, &t->arena, &t->run, error);
    if (!status && s->placement) status = place(&t->run, scheduler, error);
    if (!status && scheduler->prepare) status = scheduler->prepare(&t->run, error);
    return status && s->tasks ? gsim_error_prefix(error, "task '%s'", t->spec->name) : status;
}

/* Of a program alone its scheduler's own word comes first; of several tasks, what failed in the machine. */
static enum gsim_status find_failure(const struct world *w, struct gsim_error *error)
{
    const struct gsim_machine *m = &w->machine;
    bool has_tasks = m->simulation->tasks != NULL;
    if (has_tasks && gsim_machine_failed(m)) return gsim_error_set(error, m->error->status, "%s", m->error->message);
    for (uint32_t i = 0; i < w->tasks.count; i++) {
        const struct gsim_task_state *t = &w->tasks.states[i];
        if (!t->error.status) continue;
        gsim_error_set(error, t->error.status, "%s", t->error.message);
        return has_tasks ? gsim_error_prefix(error, "task '%s'", t->spec->name) : error->status;
    }
    return gsim_machine_failed(m) ? gsim_error_set(error, m->error->status, "%s", m->error->message) : GSIM_OK;
}

static enum gsim_status run_tasks(struct world *w, struct gsim_error *error)
{
    struct gsim_machine *m = &w->machine;
    struct gsim_tasks *tasks = &w->tasks;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < tasks->count && !status; i++) status = prepare_task(w, &tasks->states[i], i, error);
    for (uint32_t i = 0; i < tasks->count && !status; i++) {
        struct gsim_host_thread *thread = gsim_machine_add_thread(m, &tasks->states[i].process->driver);
        if (!thread) return gsim_no_memory(error);
        thread->client = &tasks->states[i].client;
        if (!i) m->running = thread;
    }
    if (!status) status = gsim_engine_run(m->platform, first_task_main, tasks, &m->engine, error);
    if (!status) status = find_failure(w, error);
    return status ? status : gsim_drawn_check(&w->drawn, error);
}

enum gsim_status gsim_simulate(const struct gsim_simulation *simulation, struct gsim_timeline *timeline,
                               struct gsim_error *error)
{
    const struct gsim_scheduler_ops *scheduler = simulation->scheduler;
    struct gsim_error failure = {0};
    gsim_timeline_init(timeline, simulation->program, simulation->detailed);
    if (simulation->folds) gsim_timeline_fold(timeline);
    if (gsim_abi_check("scheduler", scheduler->abi, scheduler->size, sizeof *scheduler, error)) return GSIM_INPUT;
    if (simulation->tasks && gsim_abi_check("sharing", simulation->sharing->abi, simulation->sharing->size,
                                            sizeof *simulation->sharing, error))
        return GSIM_INPUT;
    struct world *w = gsim_alloc(sizeof *w);
    if (!w) return gsim_no_memory(error);
    enum gsim_status status = init_world(w, simulation, timeline, &failure, error);
    if (!status) status = run_tasks(w, error);
    if (w->source_count) {
        timeline->program = simulation->drawn;
        if (!status) status = gsim_drawn_keep(&w->drawn, known_program(simulation), error);
    }
    if (!status && timeline->failed) status = gsim_error_set(error, GSIM_NOMEM, "out of memory for the timeline");
    for (uint32_t i = 0; simulation->statistics && w->hardware.devices && i < w->hardware.device_count; i++)
        if (w->hardware.devices[i] && w->hardware.devices[i]->sm)
            gsim_gpu_count(w->hardware.devices[i]->sm, simulation->statistics);
    release_world(w);
    gsim_free(w);
    return status;
}
