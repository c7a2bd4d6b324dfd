/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/subject.h. */
#include "ask/subject.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ask/scenarios/rank_file.h"
#include "ask/scenarios/task_words.h"
#include "gpusim/generator.h"
#include "gpusim/placement.h"
#include "gpusim/source.h"
#include "sim/device/search.h"
#include "sim/base/gz.h"
#include "sim/device/match.h"
#include "sim/base/text.h"
#include "sim/program/guess.h"
#include "traces/import/importers.h"
#include "workloads/services/services.h"

#define HEAD_BYTES 8192

static const struct {
    const char *mark, *text;
} kinds[] = {
#define X(kind, mark, text) {mark, text},
    GSIM_SUBJECT_MAP(X)
#undef X
};

/* Results of a sweep, by their first page: SQLite itself would leave files beside a database that another process may
 * write. */
static bool is_results(const char *path)
{
    char page[HEAD_BYTES + 1];
    size_t length = gsim_gz_head(path, page, sizeof page);
    if (strcmp(page, "SQLite format 3") != 0) return false;
    for (size_t i = 0; i < length; i++)
        if (!page[i]) page[i] = ' ';
    return strstr(page, "CREATE TABLE sweeps") != NULL;
}

/* What its member "schema" says: another text may name one, too. */
static enum gsim_subject_kind kind_of_schema(const char *at)
{
    while ((at = strstr(at, "\"schema\""))) {
        at += strlen("\"schema\"");
        at += strspn(at, " \t\r\n");
        if (*at == ':') at += 1 + strspn(at + 1, " \t\r\n");
        for (int k = 0; k < GSIM_SUBJECT_KIND_COUNT && *at == '"'; k++)
            if (kinds[k].mark && strncmp(at + 1, kinds[k].mark, strlen(kinds[k].mark)) == 0)
                return (enum gsim_subject_kind)k;
    }
    return GSIM_SUBJECT_UNKNOWN;
}

enum gsim_subject_kind gsim_subject_kind_of(const char *name)
{
    char head[HEAD_BYTES];
    struct gsim_error none = {0};
    bool is_path = strchr(name, '/') || strcmp(name, "-") == 0 || gsim_text_ends_with(name, ".json") ||
                   gsim_text_ends_with(name, ".json.gz");
    if (!is_path && gsim_workload_find(name)) return GSIM_SUBJECT_WORKLOAD;
    if (!is_path && gsim_generator_find(name)) return GSIM_SUBJECT_GENERATOR;
    if (!is_path && gsim_source_find(name)) return GSIM_SUBJECT_DRAWN;
    if (!is_path && gsim_service_find(name)) return GSIM_SUBJECT_SERVICE;
    if (strlen(name) > 3 && gsim_text_ends_with(name, ".so")) return GSIM_SUBJECT_PLUGIN;
    if (gsim_text_ends_with(name, ".cu") || gsim_text_ends_with(name, ".cuh")) return GSIM_SUBJECT_CUDA;
    bool is_read = gsim_gz_head(name, head, sizeof head);
    enum gsim_subject_kind kind = is_read ? kind_of_schema(head) : GSIM_SUBJECT_UNKNOWN;
    if (kind != GSIM_SUBJECT_UNKNOWN) return kind;
    if (is_read && is_results(name)) return GSIM_SUBJECT_RESULTS;
    return is_read && gsim_importer_of(name, NULL, &none) ? GSIM_SUBJECT_TRACE : GSIM_SUBJECT_UNKNOWN;
}

enum gsim_status gsim_subject_expect(const char *path, uint32_t wanted, const char *expected, struct gsim_error *error)
{
    char what[GSIM_IMPORTER_TEXT];
    bool is_trace;
    enum gsim_subject_kind kind = gsim_subject_kind_of(path);
    const char *text = kinds[kind].text;
    if (!text || (wanted >> kind & 1)) return GSIM_OK;
    int file = strcmp(path, "-") != 0 ? gsim_input_open(path, error) : INT_MAX;
    if (file < 0) return gsim_error_prefix(error, "cannot read '%s'", path);
    if (file != INT_MAX) close(file);
    bool is_named = kind == GSIM_SUBJECT_TRACE && gsim_importer_what(path, what, &is_trace)[0]; /* whose it is */
    return gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected %s, found %s%s", path, expected,
                          is_named ? what : text, is_named ? strchr(text, ':') : "");
}

bool gsim_program_has_data(const struct gsim_program *p)
{
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == GSIM_OP_KERNEL && (p->ops[i].arg_count || p->ops[i].after_count)) return true;
    return false;
}

static enum gsim_status read_trace(struct gsim_subject *s, const char *path, const struct gsim_device_spec *device,
                                   bool replays, struct gsim_error *error)
{
    struct gsim_import_options options = {.name = "trace", .gaps = true, .removes_overhead = true,
                                          .splits_waits = true, .replays_graphs = replays, .last = UINT32_MAX};
    struct gsim_trace_origin origin = {0};
    const struct gsim_importer *importer = gsim_importer_of(path, &origin, error);
    if (!importer) return error->status;
    if (!device) return gsim_refuse(error, "'%.100s': expected a device before it", path);
    gsim_import_charge(&options, device);
    enum gsim_status status = importer->read(path, &options, &s->program, &s->notes, error);
    const char *gpu = origin.gpu[0] ? origin.gpu : s->notes.gpu;
    s->is_trace = strcmp(importer->name, "cuda") != 0;
    if (!s->is_trace) s->has_data = !status && gsim_program_has_data(&s->program);
    if (status || !s->is_trace) return status;
    bool is_other = origin.device[0] ? strcmp(origin.device, device->name) != 0
                                     : gpu[0] && !gsim_device_is_gpu(device, gpu);
    if (is_other)
        return gsim_error_set(error, GSIM_INPUT, "'%.100s': expected the device that it was recorded on, %s, found %s",
                              path, origin.device[0] ? origin.device : gpu, device->name);
    if (s->notes.shared)
        return gsim_error_set(error, GSIM_INPUT, "'%.100s': kernels ran beside others: expected a program with their "
                              "times alone (gpusim import FILE -o PROGRAM)", path);
    s->has_data = s->notes.data_works > 0;
    return GSIM_OK;
}

/* With the numbers that it has by default. */
static enum gsim_status draw(const struct gsim_generator_ops *generator, struct gsim_program *program,
                             struct gsim_error *error)
{
    void *numbers = gsim_alloc(generator->params_size + 1);
    if (!numbers) return gsim_no_memory(error);
    gsim_params_set_defaults(generator->params, numbers);
    enum gsim_status status = generator->build(numbers, 1, program, error);
    gsim_free(numbers);
    return status;
}

const char *gsim_subject_service_path(const char *name, struct gsim_arena *arena, struct gsim_error *error)
{
    const char *file = gsim_arena_printf(arena, "workloads/services/%s", gsim_service_find(name)->file),
               *path = file ? gsim_data_path(arena, file) : NULL;
    if (!path) (void)gsim_error_set(error, GSIM_IO, "cannot find '%s'", file ? file : name);
    return path;
}

static enum gsim_status build_service(struct gsim_subject *s, const char *name, const struct gsim_device_spec *device,
                                      struct gsim_error *error)
{
    if (!device) return gsim_refuse(error, "'%.100s': expected a device before it", name);
    const char *path = gsim_subject_service_path(name, &s->arena, error);
    return path ? gsim_service_build(gsim_service_find(name), path, device->name, &s->program, error) : error->status;
}

/* --- ranks and tasks --- */
#define OF_PARTS (GSIM_SUBJECT_BIT(PROGRAM) | GSIM_SUBJECT_BIT(CUDA))

static enum gsim_status read_part(struct gsim_subject *s, const char *path, const struct gsim_subject_terms *terms,
                                  uint32_t allowed, struct gsim_error *error)
{
    struct gsim_subject *part = &s->parts[s->part_count++];
    enum gsim_status status = gsim_subject_expect(path, allowed, "a program", error);
    if (!status) status = gsim_subject_read(part, path, terms, error);
    if (!status && part->source && !(allowed >> GSIM_SUBJECT_DRAWN & 1))
        status = gsim_refuse(error, "a rank needs the whole program beforehand, and '%s' is drawn while it runs",
                             part->source->name);
    return status;
}

static enum gsim_status read_ranks(struct gsim_subject *s, const char *path, const struct gsim_subject_terms *terms,
                                   struct gsim_error *error)
{
    struct gsim_rank_file file;
    struct gsim_rank_node node = {0};
    enum gsim_status status = gsim_rank_file_read(path, &file, error);
    if (!status) status = gsim_rank_file_place(&file, terms->device ? terms->device->name : NULL, &node, error);
    memcpy(s->device, node.device, sizeof node.device);
    s->links = node.links;
    s->parts = GSIM_ARENA_ARRAY(&s->arena, struct gsim_subject, file.count + 1);
    struct gsim_client *each = GSIM_ARENA_ARRAY(&s->arena, struct gsim_client, file.count + 1);
    for (uint32_t i = 0; i < file.count && !s->arena.failed && !status; i++) {
        status = read_part(s, file.entries[i].program, terms, OF_PARTS, error);
        each[i].program = &s->parts[i].program;
    }
    if (!status && !s->arena.failed) s->clients = gsim_rank_file_clients(&file, each, &s->arena, &s->client_count);
    gsim_rank_file_release(&file);
    return status || !s->arena.failed ? status : gsim_no_memory(error);
}

/* A task of WORDS, often enough; its program is the last part. */
static enum gsim_status add_tasks(struct gsim_subject *s, const struct gsim_task_words *words,
                                  struct gsim_error *error)
{
    struct gsim_subject *part = &s->parts[s->part_count - 1];
    const struct gsim_scheduler_ops *scheduler = NULL;
    if (words->scheduler && gsim_scheduler_load(words->scheduler, &scheduler, error)) return error->status;
    if (words->step)
        return gsim_refuse(error, "step=%.40s: here a trace is taken whole: gpusim import --step makes a program",
                           words->step);
    if (words->copies_to > words->copies_from) return gsim_refuse(error, "copies: a range is for gpusim compare");
    if (words->gpu != UINT32_MAX && part->source)
        return gsim_refuse(error, "gpu=%u: the program is drawn while it runs", words->gpu);
    s->is_pinned |= words->gpu != UINT32_MAX;
    for (uint32_t i = 0; i < part->program.op_count && words->gpu != UINT32_MAX; i++)
        if (!gsim_op_is_host(&part->program.ops[i])) part->program.ops[i].device = (uint16_t)words->gpu;
    for (uint32_t n = 0; n < words->copies_from; n++, s->client_count++) {
        struct gsim_task *task = &s->tasks[s->client_count];
        if (s->client_count == GSIM_LIMIT_TASKS)
            return gsim_refuse(error, "expected at most %d tasks, found more", GSIM_LIMIT_TASKS);
        *task = words->task;
        task->program = &part->program;
        task->source = part->source;
        task->scheduler = scheduler;
        task->name = gsim_task_name(s->tasks, s->client_count, words->task.name,
                                    part->source ? part->source->name : part->program.name, &s->arena);
        if (!task->name) return gsim_no_memory(error);
        s->clients[s->client_count] =
            (struct gsim_client){.program = task->program, .task = task, .rank = s->client_count, .copies = 1};
    }
    s->has_data |= part->has_data;
    return GSIM_OK;
}

static enum gsim_status read_tasks(struct gsim_subject *s, const char *path, const struct gsim_subject_terms *terms,
                                   struct gsim_error *error)
{
    const char **list;
    uint32_t count;
    enum gsim_status status = gsim_task_words_file(path, &s->arena, &list, &count, error);
    s->parts = GSIM_ARENA_ARRAY(&s->arena, struct gsim_subject, count + 1);
    s->tasks = GSIM_ARENA_ARRAY(&s->arena, struct gsim_task, GSIM_LIMIT_TASKS);
    s->clients = GSIM_ARENA_ARRAY(&s->arena, struct gsim_client, GSIM_LIMIT_TASKS);
    if (!status && s->arena.failed) status = gsim_no_memory(error);
    for (uint32_t i = 0; i < count && !status; i++) {
        struct gsim_task_words words;
        struct gsim_subject_terms own = *terms;
        status = gsim_task_words_read(list[i], &s->arena, &words, error);
        if (!status && words.size && !gsim_text_quantity(words.size, &own.workload.size))
            status = gsim_refuse(error, "size: expected a number, found '%.60s'", words.size);
        if (!status)
            status = read_part(s, words.program, &own,
                               OF_PARTS | GSIM_SUBJECT_BIT(TRACE) | GSIM_SUBJECT_BIT(DRAWN), error);
        if (!status) status = add_tasks(s, &words, error);
        if (status) return gsim_error_prefix(error, "task %.60s", list[i]);
    }
    return status;
}

enum gsim_status gsim_subject_read(struct gsim_subject *s, const char *path, const struct gsim_subject_terms *terms,
                                   struct gsim_error *error)
{
    static const uint32_t taken = OF_PARTS | GSIM_SUBJECT_BIT(TRACE) | GSIM_SUBJECT_BIT(SERVER) |
                                  GSIM_SUBJECT_BIT(RANKS) | GSIM_SUBJECT_BIT(TASKS) | GSIM_SUBJECT_BIT(PLUGIN);
    enum gsim_subject_kind kind = gsim_subject_kind_of(path);
    enum gsim_status status = gsim_subject_expect(path, taken, "a program, a trace, ranks, tasks or a server", error);
    *s = (struct gsim_subject){.is_server = kind == GSIM_SUBJECT_SERVER};
    if (status) return status;
    switch (kind) {
    case GSIM_SUBJECT_SERVER: return gsim_serving_spec_read(path, &s->spec, error);
    case GSIM_SUBJECT_TRACE: case GSIM_SUBJECT_CUDA:
        return read_trace(s, path, terms->device, terms->replays, error);
    case GSIM_SUBJECT_RANKS: return read_ranks(s, path, terms, error);
    case GSIM_SUBJECT_TASKS: return read_tasks(s, path, terms, error);
    case GSIM_SUBJECT_PLUGIN: return gsim_source_load(path, &s->source, error);
    case GSIM_SUBJECT_DRAWN: s->source = gsim_source_find(path); return GSIM_OK;
    case GSIM_SUBJECT_WORKLOAD:
        status = gsim_workload_find(path)->build(&terms->workload, &s->program, error);
        break;
    case GSIM_SUBJECT_GENERATOR: status = draw(gsim_generator_find(path), &s->program, error); break;
    case GSIM_SUBJECT_SERVICE: status = build_service(s, path, terms->device, error); break;
    default:
        s->is_file = true;
        status = gsim_program_read(path, &s->program, error);
        break;
    }
    s->has_data = !status && gsim_program_has_data(&s->program);
    return status;
}

/* --- scenarios --- */
/* Writes what the host has at first, but for what P writes itself, ahead of the ops. Returns how many there are. */
static uint32_t write_inputs(const struct gsim_program *p, struct gsim_builder *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        const struct gsim_arg arg = {.buffer_index = i, .writes = true};
        bool is_input = p->buffers[i].init == GSIM_INIT_HOST;
        for (uint32_t o = 0; o < p->op_count && is_input; o++)
            is_input = p->ops[o].kind != GSIM_OP_HOST_WRITE || p->ops[o].args[0].buffer_index != i;
        if (!is_input) continue;
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_HOST_WRITE, .args = &arg, .arg_count = 1, .stream = -1,
                                             .bytes = p->buffers[i].bytes, .untimed = true});
        count++;
    }
    return count;
}

enum gsim_status gsim_program_renew(const struct gsim_program *p, struct gsim_program *again, struct gsim_error *error)
{
    struct gsim_builder *b = gsim_builder_create(p->name);
    uint32_t room = 1;
    if (!b) return gsim_no_memory(error);
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        gsim_builder_buffer(b, p->buffers[i].name, p->buffers[i].bytes, p->buffers[i].init);
        if (p->buffers[i].is_read_mostly) gsim_builder_read_mostly(b, i);
    }
    uint32_t count = write_inputs(p, b);
    for (uint32_t i = 0; i < p->op_count; i++) room = p->ops[i].after_count > room ? p->ops[i].after_count : room;
    uint32_t *after = gsim_alloc(sizeof *after * room);
    for (uint32_t i = 0; count && after && i < p->op_count; i++) {
        struct gsim_op op = p->ops[i];
        const struct gsim_kernel *k = op.kind == GSIM_OP_KERNEL ? &p->kernels[op.kernel_index] : NULL;
        if (k) op.kernel_index = k->collective ? gsim_builder_collective(b, k->collective) : gsim_builder_kernel(b, k);
        for (uint32_t a = 0; a < op.after_count; a++) after[a] = op.after[a] + count;
        op.after = after;
        gsim_builder_op(b, &op);
    }
    gsim_free(after);
    enum gsim_status status = after ? GSIM_OK : gsim_no_memory(error);
    if (!status && count) status = gsim_builder_finish(b, p->iterations, again, error);
    else gsim_builder_destroy(b);
    if (!status && count && !gsim_program_guess(again, p->guesses)) status = gsim_no_memory(error);
    return status;
}

/* The program of a step: a file's, or a built-in workload. */
static enum gsim_status read_step(void *context, const char *path, struct gsim_program *program, bool *is_graph,
                                  struct gsim_error *error)
{
    const struct gsim_simulation *simulation = context;
    const struct gsim_subject_terms terms = {.device = simulation->device,
                                             .workload.shape = gsim_scheduler_find("cudagraph")->shape};
    struct gsim_subject step = {0};
    enum gsim_status status = gsim_subject_read(&step, path, &terms, error);
    *is_graph = true;
    if (!status && (step.is_server || step.clients || step.source))
        status = gsim_error_set(error, GSIM_INPUT, "'%.100s': expected the program of a step", path);
    if (step.is_trace) *is_graph = step.notes.graph_works * 2 > step.notes.kernels; /* as gpusim serve has it */
    *program = step.program;
    step.program = (struct gsim_program){0};
    gsim_subject_release(&step);
    return status;
}

static enum gsim_status serve(struct gsim_subject *s, const struct gsim_simulation *simulation,
                              struct gsim_error *error)
{
    void *params = NULL;
    struct gsim_simulation own = *simulation;
    own.memory = GSIM_MEMORY_PINNED;
    s->server = (struct gsim_server){.spec = &s->spec, .device = own.device};
    if (s->library.spec) gsim_library_release(&s->library);
    if (s->spec.profile && gsim_profile_connect(s->spec.profile, own.device, NULL, error)) return error->status;
    if (gsim_serving_policy(&s->spec, s->spec.batching, NULL, 0, &s->server.policy, &params, error))
        return error->status;
    s->server.params = params;
    return gsim_library_init(&s->library, &s->spec, &own, read_step, &own, error);
}

static enum gsim_status join(struct gsim_subject *s, const struct gsim_simulation *simulation,
                             struct gsim_error *error)
{
    s->simulation = *simulation;
    for (uint32_t i = 0; i < s->client_count; i++) {
        const struct gsim_scheduler_ops *named = s->tasks ? s->tasks[i].scheduler : NULL;
        s->clients[i].scheduler = named ? named : simulation->scheduler;
        s->clients[i].scheduler_params = named ? NULL : simulation->scheduler_params;
    }
    s->simulation.program = s->clients[0].program;
    s->simulation.detailed |= !s->tasks; /* a step ends with its last call */
    if (!s->tasks) return GSIM_OK;
    gsim_task_set_release(&s->set);
    if (!simulation->sharing) s->simulation.sharing = gsim_sharing_find("exclusive");
    if (s->is_pinned) s->simulation.placement = gsim_placement_find("program");
    s->simulation.tasks = &s->set;
    s->simulation.program = &s->set.all;
    return gsim_task_set_of(&s->set, s->tasks, s->client_count, error);
}

enum gsim_status gsim_subject_scenario(struct gsim_subject *s, const struct gsim_simulation *simulation,
                                       struct gsim_changeable *scenario, struct gsim_error *error)
{
    *scenario = (struct gsim_changeable){.simulation = simulation, .has_data = s->has_data};
    if (s->is_server && serve(s, simulation, error)) return error->status;
    if (s->is_server)
        *scenario = (struct gsim_changeable){.simulation = &s->library.simulation, .server = &s->server,
                                             .library = &s->library, .has_data = true};
    bool is_once = s->is_file && !simulation->iterations && !simulation->until_steady && s->program.iterations == 1;
    gsim_program_release(&s->renewed);
    if (is_once && gsim_program_renew(&s->program, &s->renewed, error)) return error->status;
    s->simulation = *simulation;
    s->simulation.program = &s->renewed;
    if (s->renewed.op_count) scenario->simulation = &s->simulation;
    if (!s->clients) return GSIM_OK;
    *scenario = (struct gsim_changeable){.simulation = &s->simulation, .clients = s->clients,
                                         .client_count = s->client_count, .links = s->links, .has_data = s->has_data};
    return join(s, simulation, error);
}

void gsim_subject_release(struct gsim_subject *s)
{
    if (s->library.spec) gsim_library_release(&s->library);
    if (s->is_server) gsim_serving_spec_release(&s->spec);
    for (uint32_t i = 0; i < s->part_count; i++) gsim_subject_release(&s->parts[i]);
    gsim_task_set_release(&s->set);
    gsim_program_release(&s->renewed);
    gsim_program_release(&s->program);
    gsim_arena_release(&s->arena);
    *s = (struct gsim_subject){0};
}
