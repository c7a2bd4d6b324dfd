/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/ranks/traces.h. Ranks are the traces' own; clocks are told from the ends of
 * collectives. */
#include "cli/ranks/traces.h"
#include "ask/subject.h"
#include "sim/device/match.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/trust/host.h"
#include "cli/traces.h"
#include "sim/base/gz.h"
#include "gpusim/order.h"
#include "sim/base/text.h"
#include "sim/device/other.h"
#include "traces/import/importers.h"
#include "trust/validate/alone.h"
#include "trust/validate/traces.h"
#include <stdio.h>
#include "sim/base/output.h"

#define HEAD_BYTES 65536

/* --- which files -------------------------------------------------------------------------------------------------- */

/* The number behind "KEY": in the trace's head, which stands before its events. */
static bool find_number(const char *head, const char *key, uint32_t *number)
{
    const char *at = strstr(head, key);
    char *end;
    if (!at) return false;
    at += strlen(key);
    at += strspn(at, "\": \t");
    unsigned long value = strtoul(at, &end, 10);
    *number = (uint32_t)value;
    return end != at && value <= GSIM_LIMIT_RANKS;
}

static bool find_rank(const char *path, uint32_t *rank, uint32_t *world)
{
    char *head = gsim_alloc(HEAD_BYTES);
    bool is_read = head && gsim_gz_head(path, head, HEAD_BYTES);
    const char *info = is_read ? strstr(head, "\"distributedInfo\"") : NULL;
    bool is_rank = info && find_number(info, "\"rank\"", rank) && find_number(info, "\"world_size\"", world) &&
                   *world > 1 && *rank < *world;
    gsim_free(head);
    return is_rank;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool gsim_cli_are_ranks(const struct gsim_cli_arguments *arguments)
{
    uint32_t ranks[2] = {0}, worlds[2] = {0};
    bool asks = GSIM_CLI_ON_ASK >> arguments->command & 1;
    if (asks && arguments->value[GSIM_CLI_RANKS]) return true;
    if (arguments->operand_count == 1)
        return (is_folder(arguments->operands[0]) && arguments->command != GSIM_CLI_VALIDATE) ||
               (asks && gsim_subject_kind_of(arguments->operands[0]) == GSIM_SUBJECT_RANKS);
    if (arguments->operand_count < 2 || access(arguments->operands[0], F_OK) != 0)
        return false; /* no file: a format's name, written wrong */
    if (arguments->command != GSIM_CLI_VALIDATE) return true;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        uint32_t at = i ? 1 : 0;
        if (!find_rank(arguments->operands[i], &ranks[at], &worlds[at])) return false;
        if (i && (worlds[1] != worlds[0] || ranks[1] == ranks[0])) return false;
    }
    return true;
}

static enum gsim_status add_path(struct gsim_cli_rank_traces *t, const char *path, size_t *room,
                                 struct gsim_error *error)
{
    struct gsim_cli_rank_trace trace = {.path = path};
    if (!find_rank(path, &trace.rank, &trace.world))
        return gsim_error_set(error, GSIM_INPUT,
                              "cannot read '%s': expected a trace that says its rank (distributedInfo), of 2 or more",
                              path);
    for (uint32_t i = 0; i < t->count; i++) {
        if (t->traces[i].rank == trace.rank)
            return gsim_error_set(error, GSIM_INPUT, "'%s' is of rank %u, and so is '%s'", path, trace.rank,
                                  t->traces[i].path);
        if (t->traces[i].world != trace.world)
            return gsim_error_set(error, GSIM_INPUT, "'%s' is one of %u ranks, '%s' of %u", path, trace.world,
                                  t->traces[i].path, t->traces[i].world);
    }
    gsim_array_grow(&t->traces, sizeof *t->traces, t->count, room);
    uint32_t at = t->count++;
    for (; at && t->traces[at - 1].rank > trace.rank; at--) t->traces[at] = t->traces[at - 1];
    t->traces[at] = trace;
    return GSIM_OK;
}

static enum gsim_status add_folder(struct gsim_cli_rank_traces *t, const char *folder, size_t *room,
                                   struct gsim_error *error)
{
    DIR *directory = opendir(folder);
    enum gsim_status status = directory ? GSIM_OK : gsim_error_set(error, GSIM_IO, "cannot read '%s'", folder);
    for (struct dirent *entry; directory && !status && (entry = readdir(directory));) {
        uint32_t rank, world;
        if (!gsim_text_ends_with(entry->d_name, ".json") && !gsim_text_ends_with(entry->d_name, ".json.gz")) continue;
        const char *path = gsim_arena_printf(&t->arena, "%s/%s", folder, entry->d_name);
        if (find_rank(path, &rank, &world)) status = add_path(t, path, room, error);
    }
    if (directory) closedir(directory);
    if (!status && !t->count)
        status = gsim_error_set(error, GSIM_INPUT, "'%s' holds no trace that says its rank", folder);
    return status;
}

/* --- reading --- */

static enum gsim_status read_trace(struct gsim_cli_rank_traces *t, struct gsim_cli_rank_trace *trace, bool removes,
                                   struct gsim_error *error)
{
    const struct gsim_importer *importer = gsim_importer_of(trace->path, NULL, error);
    struct gsim_import_options options = {.name = gsim_arena_printf(&t->arena, "rank %u", trace->rank),
                                          .gaps = true,
                                          .last = UINT32_MAX,
                                          .is_rank = true,
                                          .removes_overhead = removes,
                                          .times = &trace->times};
    enum gsim_status status =
        importer && options.name ? gsim_cli_part(t->setup.arguments, &options, error) : error->status;
    gsim_import_charge(&options, t->is_other ? &t->recorded : &t->setup.device);
    if (!status)
        status =
            importer ? importer->read(trace->path, &options, &trace->program, &trace->notes, error) : error->status;
    return status ? gsim_error_prefix(error, "cannot read '%s'", trace->path) : GSIM_OK;
}

/* The device of the first trace, unless one is named. */
static enum gsim_status open_setup(struct gsim_cli_rank_traces *t, const struct gsim_cli_arguments *arguments,
                                   struct gsim_error *error)
{
    struct gsim_trace_origin origin = {0};
    char name[GSIM_CLI_DEVICE_NAME];
    t->words = *arguments;
    if (!gsim_importer_of(t->traces[0].path, &origin, error)) return error->status;
    if (!arguments->value[GSIM_CLI_DEVICE]) {
        if (gsim_cli_trace_device(&origin, name, error)) return error->status;
        snprintf(t->device, sizeof t->device, "%s", name);
        if (name[0]) t->words.value[GSIM_CLI_DEVICE] = t->device;
    }
    enum gsim_status status = gsim_cli_setup_init(&t->setup, &t->words, error);
    if (!arguments->value[GSIM_CLI_MEMORY]) t->setup.memory = GSIM_MEMORY_PINNED;
    if (!status && arguments->value[GSIM_CLI_DEVICE])
        status = gsim_cli_trace_other(&origin, &t->setup.device, &t->recorded, &t->is_other, error);
    if (t->is_other) gsim_other_replace(&t->setup.device, &t->recorded);
    return status;
}

/* --- clocks --- */

static bool is_collective(const struct gsim_cli_rank_trace *trace, const struct gsim_recorded_op *r)
{
    const struct gsim_op *op = &trace->program.ops[r->op];
    return op->kind == GSIM_OP_KERNEL && trace->program.kernels[op->kernel_index].collective && r->end_us == r->end_us;
}

GSIM_ORDER_OF(compare_doubles, double)

/* How much later than the first rank's a rank's first launch call was: what the median collective, which ends on both
 * at once, tells. */
static void find_offset(const struct gsim_cli_rank_trace *first, struct gsim_cli_rank_trace *trace)
{
    double *differences = gsim_alloc(sizeof *differences * ((size_t)trace->times.count + 1));
    size_t count = 0;
    for (uint32_t i = 0, j = 0; i < first->times.count && j < trace->times.count; i++, j++) {
        while (i < first->times.count && !is_collective(first, &first->times.ops[i])) i++;
        while (j < trace->times.count && !is_collective(trace, &trace->times.ops[j])) j++;
        if (i < first->times.count && j < trace->times.count)
            differences[count++] = first->times.ops[i].end_us - trace->times.ops[j].end_us;
    }
    if (count) qsort(differences, count, sizeof *differences, compare_doubles);
    trace->offset_us = count ? differences[count / 2] : 0;
    gsim_free(differences);
}

void gsim_cli_rank_note(struct gsim_cli_rank_traces *t, const char *format, ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "gpusim: note: %s\n", text);
    const char *kept = gsim_arena_strdup(&t->arena, text);
    if (kept && t->note_count < GSIM_CLI_RANK_NOTES) t->notes[t->note_count++] = kept;
}

static void tell(struct gsim_cli_rank_traces *t)
{
    uint64_t collectives = 0, least = UINT64_MAX, most = 0;
    const struct gsim_device_spec *d = &t->setup.device;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t own = t->traces[i].notes.collectives;
        collectives += own;
        least = own < least ? own : least;
        most = own > most ? own : most;
    }
    gsim_cli_rank_note(t, "%u of %u ranks on %s, replayed together: their %llu collectives meet each other, and take "
                       "what models/nccl says", t->count, t->traces[0].world, d->name,
                       (unsigned long long)collectives);
    if (least < most)
        gsim_cli_rank_note(t, "the traces have %llu to %llu collectives: but for sends and receives one was cut",
                           (unsigned long long)least, (unsigned long long)most);
    if (!t->is_other && t->traces[0].notes.gpu[0] && !gsim_device_is_gpu(d, t->traces[0].notes.gpu))
        gsim_cli_rank_note(t, "recorded on '%s', but its durations now count as those of %s (see --device)",
                           t->traces[0].notes.gpu, d->name);
    if (!(d->peer_gbps > 0))
        gsim_cli_rank_note(t, "no link between GPUs is known of %s (link.peer_gbps): through the host", d->name);
}

/* On another GPU beside the same host, and on another host. */
static enum gsim_status move(struct gsim_cli_rank_traces *t, struct gsim_error *error)
{
    char note[GSIM_CLI_GPU_NOTE];
    struct gsim_device_spec device = t->setup.device;
    for (uint32_t i = 0; i < t->count; i++) {
        struct gsim_device_spec of_rank = device;
        note[0] = '\0';
        if (t->is_other) gsim_cli_trace_move(&t->traces[i].program, &device, note);
        if (gsim_cli_host_take(&t->words, t->traces[i].path, &of_rank, &t->traces[i].program, note, sizeof note, error))
            return error->status;
        if (!i) t->setup.device = of_rank;
        if (!i && note[0]) gsim_cli_rank_note(t, "%s%s", t->count > 1 ? "of rank 0, as of each: " : "", note);
    }
    return GSIM_OK;
}

/* --- as clients --- */

/* Which op each gradient came behind, by the host's clock, and how many bytes it has: those that the all-reduces have
 * in all. */
static void find_gradients(const struct gsim_cli_rank_trace *t, struct gsim_bucket_gradient *list)
{
    double elements = 0, bytes = 0;
    for (uint32_t i = 0; i < t->times.gradient_count; i++) elements += (double)t->times.gradients[i].elements;
    for (uint32_t i = 0; i < t->program.op_count; i++) {
        const struct gsim_op *op = &t->program.ops[i];
        const struct gsim_collective *c =
            op->kind == GSIM_OP_KERNEL ? t->program.kernels[op->kernel_index].collective : NULL;
        if (c && c->kind == GSIM_COLLECTIVE_ALL_REDUCE) bytes += (double)c->bytes;
    }
    for (uint32_t i = 0, at = 0; i < t->times.gradient_count; i++) {
        while (at + 1 < t->times.count && t->times.ops[at + 1].launch_us <= t->times.gradients[i].ready_us) at++;
        list[i] = (struct gsim_bucket_gradient){
            t->times.ops[at].op, gsim_whole_u64(ceil((double)t->times.gradients[i].elements * bytes / elements))};
    }
}

static void make_clients(struct gsim_cli_rank_traces *t)
{
    const struct gsim_cli_setup *setup = &t->setup;
    const struct gsim_scheduler_ops *async = gsim_scheduler_find("async");
    struct gsim_client *clients = GSIM_ARENA_ARRAY(&t->arena, struct gsim_client, t->count);
    struct gsim_gradients *gradients = GSIM_ARENA_ARRAY(&t->arena, struct gsim_gradients, t->count);
    double *offsets_us = GSIM_ARENA_ARRAY(&t->arena, double, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t count = t->traces[i].times.gradient_count;
        struct gsim_bucket_gradient *list = GSIM_ARENA_ARRAY(&t->arena, struct gsim_bucket_gradient, count + 1);
        find_gradients(&t->traces[i], list);
        gradients[i] = (struct gsim_gradients){list, count};
        offsets_us[i] = t->traces[i].offset_us;
        clients[i] = (struct gsim_client){
            .program = &t->traces[i].program, .scheduler = async, .rank = t->traces[i].rank, .copies = 1, .device = i};
    }
    t->simulation = (struct gsim_simulation){.device = &setup->device,
                                             .scheduler = async,
                                             .gpu = setup->gpu,
                                             .memory = setup->memory,
                                             .prefetch = setup->prefetch,
                                             .seed = setup->seed,
                                             .noise = setup->noise,
                                             .detailed = true};
    t->base = (struct gsim_changeable){.simulation = &t->simulation,
                                       .clients = clients,
                                       .client_count = t->count,
                                       .gradients = gradients,
                                       .offsets_us = offsets_us};
}

/* A file of ranks, or --ranks N of the operand. */
static enum gsim_status read_file(struct gsim_cli_rank_traces *t, const struct gsim_cli_arguments *arguments,
                                  struct gsim_error *error)
{
    const char *asked = arguments->value[GSIM_CLI_RANKS],
               *operand = arguments->operand_count ? arguments->operands[0] : NULL;
    enum gsim_status status =
        gsim_cli_ranks_init(&t->file, arguments, asked ? asked : operand, asked ? operand : NULL, error);
    if (status) return status;
    t->count = t->file.count;
    t->traces = gsim_alloc(sizeof *t->traces * t->count);
    for (uint32_t i = 0; i < t->count; i++)
        t->traces[i] = (struct gsim_cli_rank_trace){.path = t->file.ranks[i].program->name,
                                                    .rank = t->file.ranks[i].rank};
    t->simulation = t->file.points[0].simulation;
    t->simulation.detailed = true;
    t->base = (struct gsim_changeable){.simulation = &t->simulation, .clients = t->file.ranks,
                                       .client_count = t->count, .links = t->file.node.links};
    return GSIM_OK;
}

enum gsim_status gsim_cli_rank_traces_read(struct gsim_cli_rank_traces *t, const struct gsim_cli_arguments *arguments,
                                           bool removes, struct gsim_error *error)
{
    size_t room = 0;
    int alone;
    *t = (struct gsim_cli_rank_traces){0};
    enum gsim_status status = gsim_cli_check_used(arguments, GSIM_CLI_OF_RANK_TRACES, error);
    if (!status) status = gsim_cli_choice(arguments, GSIM_CLI_ALONE, 0, &alone, error);
    bool is_file =
        arguments->value[GSIM_CLI_RANKS] || (arguments->operand_count == 1 && !is_folder(arguments->operands[0]));
    if (!status && is_file) return read_file(t, arguments, error);
    for (size_t i = 0; i < arguments->operand_count && !status; i++)
        status = is_folder(arguments->operands[i]) ? add_folder(t, arguments->operands[i], &room, error)
                                                   : add_path(t, arguments->operands[i], &room, error);
    if (!status && t->count != t->traces[0].world)
        status = gsim_error_set(error, GSIM_INPUT, "%u of %u ranks are there: collectives need all of them", t->count,
                                t->traces[0].world);
    if (!status) status = open_setup(t, arguments, error);
    for (uint32_t i = 0; i < t->count && !status; i++) status = read_trace(t, &t->traces[i], removes, error);
    if (!status) {
        double least = 0;
        for (uint32_t i = 1; i < t->count; i++) {
            find_offset(&t->traces[0], &t->traces[i]);
            if (t->traces[i].offset_us < least) least = t->traces[i].offset_us;
        }
        for (uint32_t i = 0; i < t->count; i++) t->traces[i].offset_us -= least;
    }
    if (!status) tell(t);
    if (!status) status = move(t, error);
    if (!status && !alone) gsim_cli_rank_traces_find_alone(t);
    if (!status) make_clients(t);
    return status;
}

void gsim_cli_rank_traces_release(struct gsim_cli_rank_traces *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        gsim_import_times_release(&t->traces[i].times);
        gsim_program_release(&t->traces[i].program);
    }
    gsim_free(t->traces);
    if (t->setup.arguments) gsim_cli_setup_release(&t->setup);
    if (t->is_other) gsim_device_release(&t->recorded);
    gsim_cli_ranks_release(&t->file);
    gsim_arena_release(&t->arena);
    memset(t, 0, sizeof *t);
}

/* --- replayed together, for "gpusim validate" --- */
static void add(struct gsim_trace_validation *v, const struct gsim_cli_rank_trace *trace,
                const struct gsim_timeline *timeline, const struct gsim_scenario *scenario, uint32_t task)
{
    const char *slash = strrchr(trace->path, '/');
    struct gsim_moment *moments = gsim_alloc(sizeof *moments * ((size_t)trace->program.op_count + 1));
    char note[96];
    snprintf(note, sizeof note, "rank %u of %u, replayed with the others: %llu collectives", trace->rank, trace->world,
             (unsigned long long)trace->notes.collectives);
    /* When each op of task's program started and ended, from the rank's first launch on. */
    uint32_t op_count = trace->program.op_count;
    uint32_t first = scenario->set->first_op[task];
    gsim_time origin = GSIM_TIME_NEVER;
    for (uint32_t i = 0; i < op_count; i++) moments[i] = (struct gsim_moment){NAN, NAN};
    for (size_t i = 0; i < timeline->kernel_count; i++)
        if (timeline->kernels[i].task == task && timeline->kernels[i].launch < origin)
            origin = timeline->kernels[i].launch;
    for (size_t i = 0; i < timeline->copy_count; i++)
        if (timeline->copies[i].task == task && timeline->copies[i].launch < origin)
            origin = timeline->copies[i].launch;
    for (size_t i = 0; i < timeline->kernel_count; i++)
        if (timeline->kernels[i].task == task)
            moments[timeline->kernels[i].op - first] = (struct gsim_moment){
                gsim_time_us(timeline->kernels[i].start - origin), gsim_time_us(timeline->kernels[i].end - origin)};
    for (size_t i = 0; i < timeline->copy_count; i++)
        if (timeline->copies[i].task == task)
            moments[timeline->copies[i].op - first] = (struct gsim_moment){
                gsim_time_us(timeline->copies[i].start - origin), gsim_time_us(timeline->copies[i].end - origin)};
    const struct gsim_validated_trace traced = {.file = slash ? slash + 1 : trace->path,
                                                .gpu = trace->notes.gpu,
                                                .program = &trace->program,
                                                .ops = trace->times.ops,
                                                .op_count = trace->times.count,
                                                .span_us = trace->notes.span_us,
                                                .repairs = gsim_import_repairs(&trace->notes),
                                                .notes = note};
    gsim_trace_validation_add_replayed(v, &traced, moments);
    gsim_free(moments);
}

enum gsim_status gsim_cli_validate_ranks(struct gsim_trace_validation *v, const struct gsim_cli_arguments *arguments,
                                         struct gsim_error *error)
{
    struct gsim_cli_rank_traces t = {0};
    struct gsim_scenario scenario = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_client *clients = NULL;
    const char *overhead = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
    enum gsim_status status =
        gsim_cli_rank_traces_read(&t, arguments, overhead && strcmp(overhead, "remove") == 0, error);
    if (!status) clients = GSIM_ARENA_ARRAY(&t.arena, struct gsim_client, t.count);
    for (uint32_t i = 0; i < t.count && !status; i++) {
        clients[i] = t.base.clients[i];
        clients[i].start_us = t.traces[i].offset_us;
    }
    scenario.simulation = t.simulation;
    if (!status) status = gsim_scenario_join(&scenario, clients, t.count, &t.base.links, 1, error);
    if (!status) status = gsim_run(&scenario, &timeline, error);
    for (uint32_t i = 0; i < t.count && !status; i++) add(v, &t.traces[i], &timeline, &scenario, i);
    gsim_timeline_release(&timeline);
    gsim_scenario_release(&scenario);
    gsim_cli_rank_traces_release(&t);
    return status;
}

/* --- "gpusim import": a file of ranks, and beside it each rank's program --- */
static enum gsim_status write_all(const struct gsim_cli_rank_traces *t, struct gsim_arena *arena, const char *path,
                                  struct gsim_error *error)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int folder = slash ? (int)(slash + 1 - path) : 0,
        stem = (dot && dot > path + folder ? (int)(dot - path) : (int)strlen(path)) - folder;
    struct gsim_output output;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < t->count && !status; i++) {
        const char *program = gsim_arena_printf(arena, "%.*s_r%u.json", folder + stem, path, t->traces[i].rank);
        status = gsim_program_write(&t->traces[i].program, program, error);
    }
    if (!status) status = gsim_output_open(&output, path, error);
    if (status) return status;
    const char *device = t->words.value[GSIM_CLI_DEVICE];
    gsim_output_printf(&output, "{\"schema\": \"gpusim-ranks/1\", ");
    if (device) gsim_output_printf(&output, "\"node\": \"%s-x%u\", ", device, t->count);
    gsim_output_text(&output, "\"ranks\": [");
    for (uint32_t i = 0; i < t->count; i++)
        gsim_output_printf(&output, "%s\n  {\"program\": \"%.*s_r%u.json\", \"device\": %u}", i ? "," : "", stem,
                           path + folder, t->traces[i].rank, i);
    gsim_output_printf(&output, "]}\n");
    status = gsim_output_commit(&output, error);
    gsim_output_release(&output);
    return status;
}

int gsim_cli_import_ranks(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_cli_rank_traces t = {0};
    struct gsim_arena arena = {0};
    const char *path = arguments->value[GSIM_CLI_OUTPUT], *overhead = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
    enum gsim_status status =
        path && strcmp(path, "-") != 0 ? GSIM_OK : gsim_refuse(error, "import of ranks: expected -o FILE");
    if (!status) status = gsim_cli_rank_traces_read(&t, arguments, overhead && strcmp(overhead, "remove") == 0, error);
    if (!status) status = write_all(&t, &arena, path, error);
    if (!status)
        fprintf(stderr, "gpusim: note: %u ranks on %s: run them with --ranks %s\n", t.count, t.setup.device.name, path);
    gsim_cli_rank_traces_release(&t);
    gsim_arena_release(&arena);
    return status;
}
