/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/library.h. */
#include "serving/library.h"
#include "gpusim/scenario.h"

#define SEED_STEP 2654435761u

struct guest {
    const struct gsim_library *library;
    gsim_library_body *body;
    void *context;
};

/* The scheduler of a run: the server's host. */
static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    const struct guest *guest = run->params;
    gsim_iteration_begin(run->driver, 0);
    struct gsim_serving_machine *machine = gsim_serving_driven(run, guest->library, error);
    if (!machine) return error->status;
    guest->body(guest->context, machine);
    gsim_device_synchronize(run->driver);
    gsim_iteration_end(run->driver, 0);
    return gsim_driver_failed(run->driver)
               ? gsim_error_set(error, run->driver->error.status, "%s", run->driver->error.message)
               : GSIM_OK;
}

static const struct gsim_scheduler_ops host = {
    .abi = GSIM_ABI,
    .size = sizeof(struct gsim_scheduler_ops),
    .name = "server",
    .summary = "the host of a server of a language model",
    .source = "serving/",
    .params_size = sizeof(struct guest),
    .execute = execute,
};

enum gsim_status gsim_library_simulate(const struct gsim_library *library, gsim_library_body *body, void *context,
                                       struct gsim_error *error)
{
    const struct guest guest = {library, body, context};
    struct gsim_simulation s = library->simulation;
    struct gsim_timeline timeline;
    s.scheduler = &host;
    s.scheduler_params = &guest;
    s.iterations = 1;
    s.until_steady = s.detailed = false;
    enum gsim_status status = gsim_run(&(struct gsim_scenario){.simulation = s}, &timeline, error);
    gsim_timeline_release(&timeline);
    return status;
}

struct served {
    const struct gsim_server *server;
    struct gsim_serving_result *result;
    struct gsim_error *error;
    enum gsim_status status;
};

static void serve_driven(void *context, struct gsim_serving_machine *machine)
{
    struct served *s = context;
    s->status = gsim_serve(s->server, &machine, 1, s->result, s->error);
}

enum gsim_status gsim_serve_drawn(const struct gsim_server *server, uint64_t seed, const struct gsim_library *library,
                                  struct gsim_serving_table *table, struct gsim_serving_result *result,
                                  struct gsim_error *error)
{
    struct gsim_random numbers[3] = {0};
    struct gsim_server own = *server;
    struct gsim_error failure = {0};
    struct served s = {&own, result, &failure, GSIM_OK};
    own.arrivals = &numbers[0];
    own.numbers = &numbers[1];
    own.noise = &numbers[2];
    enum gsim_status status = gsim_server_check(&own, error);
    for (uint64_t i = 0; i < 3 && !status; i++) status = gsim_random_init(&numbers[i], seed + i * SEED_STEP, error);
    if (!status && table) {
        uint32_t count = own.spec->replicas;
        status = gsim_serve(&own, gsim_serving_table_machines(table, count), count, result, error);
        if (gsim_serving_table_status(table, error)) status = error->status;
    } else if (!status) {
        status = gsim_library_simulate(library, serve_driven, &s, error);
        if (!status && s.status) status = gsim_error_set(error, s.status, "%s", failure.message);
    }
    for (int i = 0; i < 3; i++) gsim_random_release(&numbers[i]);
    return status;
}

/* --- prefill and decode apart --- */

enum gsim_status gsim_library_apart(const struct gsim_library *library, uint32_t prefill, uint32_t decode,
                                    double *prefill_us, double *rounds_us, uint32_t room, uint32_t *count,
                                    struct gsim_error *error)
{
    const struct gsim_serving_spec *spec = library->spec;
    const struct gsim_scheduler_ops *graph = gsim_scheduler_find("cudagraph"), *async = gsim_scheduler_find("async");
    const uint32_t steps[] = {prefill, decode};
    struct gsim_task tasks[2];
    struct gsim_task_set set;
    struct gsim_timeline timeline = {0};
    for (int i = 0; i < 2; i++)
        tasks[i] = (struct gsim_task){.name = i ? "decode" : "prefill",
                                      .program = &library->programs[steps[i]],
                                      .scheduler = library->is_graph[steps[i]] ? graph : async,
                                      .process = GSIM_OWN_PROCESS,
                                      .requests = i ? 0 : 2, /* the first one instantiates the graph */
                                      .percentage = i ? 100 - spec->prefill_percentage : spec->prefill_percentage};
    uint32_t part = gsim_whole_u32(library->device->part_sms);
    if (spec->beside == GSIM_BESIDE_PARTITION) { /* whole parts for the prefill, decode has all others */
        tasks[0].sms = gsim_whole_u32(spec->prefill_percentage / 100 * library->device->sm_count) / part * part;
        tasks[1].sms = gsim_whole_u32(library->device->sm_count) - tasks[0].sms;
    }
    enum gsim_status status = gsim_task_set_init(&set, "prefill beside decode", tasks, 2, error);
    if (status) return status;
    struct gsim_simulation s = library->simulation;
    s.program = &set.all;
    s.scheduler = graph;
    s.tasks = &set;
    s.sharing = gsim_sharing_find(spec->beside == GSIM_BESIDE_MPS ? "mps" : "partition");
    s.detailed = false;
    status = gsim_run(&(struct gsim_scenario){.simulation = s}, &timeline, error);
    gsim_time from = 0, until = 0;
    *count = 0;
    for (size_t i = 0; !status && i < timeline.request_count; i++) {
        const struct gsim_request_record *r = &timeline.requests[i];
        if (r->task) continue;
        from = r->start;
        until = r->end;
    }
    for (size_t i = 0; !status && i < timeline.request_count && *count < room; i++) {
        const struct gsim_request_record *r = &timeline.requests[i];
        if (r->task && r->end > from && r->start < until)
            rounds_us[(*count)++] = gsim_time_us(r->end - r->start) + spec->host.launch_us;
    }
    *prefill_us = gsim_time_us(until - from) + spec->host.launch_us;
    gsim_timeline_release(&timeline);
    gsim_task_set_release(&set);
    return status;
}

/* --- making it --- */

static enum gsim_status read_all(struct gsim_library *library, gsim_library_reader *read, void *context,
                                 struct gsim_error *error)
{
    const struct gsim_serving_spec *spec = library->spec;
    for (uint32_t i = 0; i < spec->step_count; i++) {
        enum gsim_status status =
            read(context, spec->steps[i].path, &library->programs[i], &library->is_graph[i], error);
        if (status)
            return gsim_error_prefix(error, "%s %u", gsim_step_kind_text(spec->steps[i].kind), spec->steps[i].bucket);
        library->parts[i] = (struct gsim_task){.name = "step", .program = &library->programs[i]};
    }
    return gsim_task_set_init(&library->set, spec->name, library->parts, spec->step_count, error);
}

enum gsim_status gsim_library_init(struct gsim_library *library, const struct gsim_serving_spec *spec,
                                   const struct gsim_simulation *simulation, gsim_library_reader *read, void *context,
                                   struct gsim_error *error)
{
    size_t count = (size_t)spec->step_count + 1;
    *library = (struct gsim_library){.spec = spec, .device = simulation->device, .simulation = *simulation};
    library->programs = gsim_alloc(sizeof *library->programs * count);
    library->parts = gsim_alloc(sizeof *library->parts * count);
    library->is_graph = gsim_alloc(sizeof *library->is_graph * count);
    if (!library->programs || !library->parts || !library->is_graph) return gsim_no_memory(error);
    library->simulation.program = &library->set.all;
    library->simulation.scheduler = gsim_scheduler_find("async"); /* of steps that are no graphs */
    return read_all(library, read, context, error);
}

void gsim_library_release(struct gsim_library *library)
{
    gsim_task_set_release(&library->set);
    for (uint32_t i = 0; library->programs && i < library->spec->step_count; i++)
        gsim_program_release(&library->programs[i]);
    gsim_free(library->programs);
    gsim_free(library->parts);
    gsim_free(library->is_graph);
    *library = (struct gsim_library){0};
}
