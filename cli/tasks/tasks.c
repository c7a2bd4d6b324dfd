/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). From --task and --share to a simulation (cli/tasks/tasks.h). */
#include "cli/tasks/tasks.h"

#include <math.h>
#include <string.h>

#include "ask/subject.h"
#include "cli/place/node.h"
#include "ask/scenarios/task_words.h"
#include "sim/base/text.h"
#include "sim/program/guess.h"
#include "sim/device/other.h"

#define OTHER_GAP_US   0.1     /* between kernels, off by less is alike */
#define MAX_DETAILED   200000  /* kernels whose calls and occupancy are kept */
#define MAX_KERNELS    1000000 /* kernels that are kept at all */

bool gsim_cli_has_tasks(const struct gsim_cli_arguments *arguments)
{
    for (size_t i = 0; i < arguments->repeated_count; i++)
        if (arguments->repeated[i].key == GSIM_CLI_TASK) return true;
    return false;
}

bool gsim_cli_tasks_vary(const struct gsim_cli_arguments *arguments)
{
    for (size_t i = 0; i < arguments->repeated_count; i++) {
        const char *at = arguments->repeated[i].text, *copies = strstr(at, ",copies=");
        if (arguments->repeated[i].key != GSIM_CLI_TASK || !copies) continue;
        if (memchr(copies + 8, ':', strcspn(copies + 8, ","))) return true;
    }
    return false;
}

/* --- tasks ------------------------------------------------------------------------------------------------------ */

/* TEXT as often as its copies= says. */
static enum gsim_status add_copies(struct gsim_cli_tasks *t, const char *text, const char **texts, uint32_t *count,
                                   struct gsim_error *error)
{
    uint32_t from, to;
    enum gsim_status status = gsim_task_words_copies(text, &t->arena, &from, &to, error);
    if (status != GSIM_OK) return gsim_error_prefix(error, "--task %.60s", text);
    if (to > from && t->copies_to > t->copies_from)
        return gsim_refuse(error, "--task: expected one range of copies, found two");
    uint32_t copies = to > from && t->copies ? t->copies : from;
    if (to > from) {
        t->copies_from = from;
        t->copies_to = to;
        t->varied_first = *count;
        t->varied_count = copies;
    }
    if (*count + copies > GSIM_LIMIT_TASKS)
        return gsim_refuse(error, "--task: expected at most %d tasks, found more", GSIM_LIMIT_TASKS);
    for (uint32_t n = 0; n < copies; n++) texts[(*count)++] = text;
    return GSIM_OK;
}

/* The words of all tasks, files of tasks among them. */
static enum gsim_status collect(struct gsim_cli_tasks *t, const char **texts, uint32_t *count, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = t->setup->arguments;
    *count = 0;
    for (size_t i = 0; i < arguments->repeated_count; i++) {
        if (arguments->repeated[i].key != GSIM_CLI_TASK) continue;
        const char **list = NULL, *one[] = {arguments->repeated[i].text};
        uint32_t length;
        enum gsim_status status = gsim_task_words_file(one[0], &t->arena, &list, &length, error);
        if (status != GSIM_OK) return gsim_error_prefix(error, "--task");
        if (!list) list = one, length = 1;
        if (*count + length > GSIM_LIMIT_TASKS)
            return gsim_refuse(error, "--task: expected at most %d tasks, found more", GSIM_LIMIT_TASKS);
        for (uint32_t n = 0; n < length && status == GSIM_OK; n++) status = add_copies(t, list[n], texts, count, error);
        if (status != GSIM_OK) return status;
    }
    if (t->copies_to > t->copies_from && !t->copies)
        return gsim_refuse(error, "--task: copies=%u:%u: a range is for gpusim compare", t->copies_from, t->copies_to);
    return GSIM_OK;
}

/* All of the task's ops are for one GPU. */
static enum gsim_status pin(struct gsim_cli_tasks *t, struct gsim_cli_point *point, uint32_t gpu,
                            struct gsim_error *error)
{
    uint32_t count = gsim_cli_gpu_count(t->setup);
    t->gpus[t->count] = gpu;
    if (gpu == UINT32_MAX) return GSIM_OK;
    if (gpu >= count)
        return gsim_refuse(error, "gpu=%u: there %s %u (--gpus, --node)", gpu, count == 1 ? "is" : "are", count);
    if (t->setup->placement) return gsim_refuse(error, "gpu=%u: --place says which GPU a kernel is for", gpu);
    if (point->source)
        return gsim_refuse(error, "gpu=%u needs the whole program beforehand, and '%s' is drawn while it runs", gpu,
                           point->source->name);
    for (uint32_t i = 0; i < point->program.op_count; i++)
        if (!gsim_op_is_host(&point->program.ops[i])) point->program.ops[i].device = (uint16_t)gpu;
    t->is_pinned = true;
    return GSIM_OK;
}

/* "" where no task is a trace, or its GPU is not known. */
enum gsim_status gsim_cli_tasks_device(const struct gsim_cli_arguments *arguments, char device[GSIM_CLI_DEVICE_NAME],
                                       struct gsim_error *error)
{
    device[0] = '\0';
    for (size_t i = 0; i < arguments->repeated_count && !device[0]; i++) {
        const char *text = arguments->repeated[i].text;
        char path[4096];
        struct gsim_trace_origin origin = {0};
        struct gsim_error no_trace = {0};
        if (arguments->repeated[i].key != GSIM_CLI_TASK) continue;
        snprintf(path, sizeof path, "%.*s", (int)strcspn(text, ","), text);
        if (gsim_subject_kind_of(path) != GSIM_SUBJECT_TRACE) continue;
        if (gsim_importer_of(path, &origin, &no_trace) && gsim_cli_trace_device(&origin, device, error))
            return error->status;
    }
    return GSIM_OK;
}

/* A task that is a profiler's trace: its program, which is one graph where the trace's kernels were, unless a scheduler
 * is named. Copies of it are told of once. */
static enum gsim_status read_trace(struct gsim_cli_tasks *t, const struct gsim_task_words *words,
                                   struct gsim_program *program, const char **scheduler, struct gsim_error *error)
{
    struct gsim_cli_arguments arguments = *t->setup->arguments;
    struct gsim_import_notes notes = {0};
    struct gsim_trace_steps steps = {0};
    struct gsim_device_spec device = {0};
    char note[GSIM_CLI_GPU_NOTE];
    bool is_told = t->count && strcmp(t->programs[t->count - 1], words->program) == 0;
    arguments.value[GSIM_CLI_STEP] = words->step;
    arguments.value[GSIM_CLI_DEVICE] = t->setup->device.name;
    arguments.value[GSIM_CLI_SCHED] = words->scheduler;
    enum gsim_status status = gsim_cli_import_trace(&arguments, words->program, program, &notes, &steps, NULL, &device,
                                                    is_told ? NULL : note, error);
    if (status == GSIM_OK && !notes.gpu[0] && !notes.is_source && !t->setup->arguments->value[GSIM_CLI_DEVICE]) {
        note[0] = '\0';
        gsim_cli_note_guess(device.name, note, sizeof note);
        if (!is_told) fprintf(stderr, "gpusim: note: %s\n", note);
        if (!gsim_program_guess(program, note)) status = gsim_no_memory(error);
    }
    if (status == GSIM_OK && !*scheduler && gsim_import_is_graph(&notes)) *scheduler = "cudagraph";
    if (status == GSIM_OK) gsim_other_host(&t->setups[t->count].device, &device); /* the trace's, or --host's */
    if (status == GSIM_OK) gsim_import_fit_gap(&notes, false, &t->setups[t->count].device);
    if (status == GSIM_OK && gsim_import_untrace_gap(&notes, &t->setups[t->count].device) && !is_told)
        fprintf(stderr,
                "gpusim: note: kernels of its CUDA graphs follow each other by %.2f us, as in a process that a "
                "profiler watches: taken as %.2f, as without one (rule.task_graphs)\n",
                notes.kernel_gap_us, t->setup->device.untraced_gap_us);
    if (status == GSIM_OK) status = gsim_cli_setup_machine(&t->setups[t->count], error);
    t->traces++;
    gsim_trace_steps_release(&steps);
    gsim_device_release(&device);
    return status;
}

static enum gsim_status add_task(struct gsim_cli_tasks *t, const char *text, struct gsim_error *error)
{
    const struct gsim_cli_arguments *arguments = t->setup->arguments;
    uint32_t i = t->count;
    const struct gsim_scheduler_ops *scheduler;
    struct gsim_task_words words;
    enum gsim_status status = gsim_task_words_read(text, &t->arena, &words, error);
    char told[GSIM_TASK_NOTE];
    if (status != GSIM_OK) return status;
    for (unsigned which = 0; which < 2; which++) {
        const char *note = gsim_task_words_note(&words, which, told);
        if (note) fprintf(stderr, "gpusim: note: --task %.60s: %s\n", words.program, note);
    }
    enum gsim_subject_kind kind = gsim_subject_kind_of(words.program);
    if (kind == GSIM_SUBJECT_PLUGIN) /* not loaded only to be refused: a file may have named it */
        return gsim_refuse(error, "'%.200s': a source from a shared object is for --workload, not for a task",
                           words.program);
    const char *name = words.scheduler ? words.scheduler : arguments->value[GSIM_CLI_SCHED];
    struct gsim_program program = {0};
    bool is_trace = kind == GSIM_SUBJECT_TRACE || kind == GSIM_SUBJECT_CUDA;
    if (words.step && !is_trace)
        return gsim_refuse(error, "step=%.40s: of a profiler's trace, and '%.200s' is none", words.step, words.program);
    t->words[i] = *arguments;
    t->words[i].value[GSIM_CLI_WORKLOAD] = words.program;
    if (kind == GSIM_SUBJECT_CUDA) t->has_source = true;
    else t->words[i].repeated_count = 0; /* -D and such are the sources' */
    t->sizes += words.size != NULL;
    t->schedulers += words.scheduler != NULL;
    if (words.size) t->words[i].value[GSIM_CLI_SIZE] = words.size;
    t->setups[i] = *t->setup;
    t->setups[i].arguments = &t->words[i];
    if (is_trace) status = read_trace(t, &words, &program, &name, error);
    if (is_trace) t->setups[i].program = &program;
    if (status == GSIM_OK) status = gsim_cli_scheduler(name ? name : "async", &scheduler, error);
    if (status == GSIM_OK) status = gsim_cli_point_init(&t->points[i], &t->setups[i], words.program, scheduler, error);
    gsim_program_release(&program); /* moved, unless something failed */
    if (status != GSIM_OK) return status;
    status = pin(t, &t->points[i], words.gpu, error);
    if (status != GSIM_OK) {
        gsim_cli_point_release(&t->points[i]);
        return status;
    }
    t->tasks[i] = words.task;
    t->tasks[i].program = &t->points[i].program;
    t->tasks[i].source = t->points[i].source;
    t->tasks[i].source_params = t->points[i].numbers;
    t->tasks[i].scheduler = scheduler;
    t->tasks[i].scheduler_params = t->points[i].params;
    t->programs[i] = words.program;
    t->tasks[i].name = gsim_task_name(t->tasks, i, words.task.name, t->tasks[i].source ? t->tasks[i].source->name
                                                                                      : t->points[i].program.name,
                                      &t->arena);
    t->count++;
    return GSIM_OK;
}

/* One device has the gaps between all tasks' kernels, the first one's: says whose are others. */
static void note_gaps(const struct gsim_cli_tasks *t)
{
    const struct gsim_device_spec *first = &t->setups[0].device, *d;
    for (uint32_t i = 1; i < t->count && !t->copies; i++) {
        d = &t->setups[i].device;
        bool is_graph = strcmp(t->tasks[i].scheduler->name, "cudagraph") == 0;
        double own = is_graph ? d->graph_node_gap_us : d->stream_gap_us,
               used = is_graph ? first->graph_node_gap_us : first->stream_gap_us;
        if (fabs(own - used) < OTHER_GAP_US) continue;
        fprintf(stderr,
                "gpusim: note: kernels of %s follow each other %s by %.2f us, as the first task's would: alone it is "
                "%.2f\n",
                t->tasks[i].name, is_graph ? "in a graph" : "in a stream", used, own);
    }
}

enum gsim_status gsim_cli_tasks_init(struct gsim_cli_tasks *t, const struct gsim_cli_setup *setup,
                                     struct gsim_error *error)
{
    const char *texts[GSIM_LIMIT_TASKS];
    uint32_t count;
    *t = (struct gsim_cli_tasks){.setup = setup, .copies = t->copies};
    if (gsim_cli_check_used(setup->arguments, t->copies ? GSIM_CLI_OF_COPIES : GSIM_CLI_OF_TASKS, error))
        return error->status;
    if (setup->places_best) return gsim_refuse(error, "--place best: does not go with --task");
    enum gsim_status status = collect(t, texts, &count, error);
    if (status != GSIM_OK) return status;
    t->words = GSIM_ARENA_ARRAY(&t->arena, struct gsim_cli_arguments, count);
    t->setups = GSIM_ARENA_ARRAY(&t->arena, struct gsim_cli_setup, count);
    t->points = GSIM_ARENA_ARRAY(&t->arena, struct gsim_cli_point, count);
    t->tasks = GSIM_ARENA_ARRAY(&t->arena, struct gsim_task, count);
    t->programs = GSIM_ARENA_ARRAY(&t->arena, const char *, count);
    t->gpus = GSIM_ARENA_ARRAY(&t->arena, uint32_t, count);
    t->drawn = GSIM_ARENA_NEW(&t->arena, struct gsim_program);
    t->alone = GSIM_ARENA_ARRAY(&t->arena, struct gsim_task_stats, count);
    for (uint32_t i = 0; i < count && status == GSIM_OK; i++) {
        status = add_task(t, texts[i], error);
        if (status != GSIM_OK) return gsim_error_prefix(error, "--task %.60s", texts[i]);
    }
    for (size_t i = 0; i < setup->arguments->repeated_count && !t->has_source; i++)
        if (setup->arguments->repeated[i].key >= GSIM_CLI_DEFINE && setup->arguments->repeated[i].key <= GSIM_CLI_ENTRY)
            return gsim_refuse(error, "-D, --arg, -I, --entry: for CUDA sources, and no task is one");
    const char *word = setup->arguments->value[GSIM_CLI_HOST] ? "host" : "host-speed";
    if (!t->traces && (setup->arguments->value[GSIM_CLI_HOST] || setup->arguments->value[GSIM_CLI_HOST_SPEED]))
        return gsim_refuse(error, "--%s: applies to profilers' traces, and no task is one", word);
    if (status == GSIM_OK && t->traces) note_gaps(t);
    if (status == GSIM_OK && !t->copies && count > setup->device.cores)
        fprintf(stderr,
                "gpusim: note: %u tasks on a host of %.0f cores (device.cores): calls take %.3g times as long\n",
                count, setup->device.cores, count / setup->device.cores);
    if (status == GSIM_OK && t->sizes == count)
        status = gsim_cli_check_used(setup->arguments, GSIM_CLI_OF_OWN_SIZE, error);
    if (status == GSIM_OK && t->schedulers == count)
        status = gsim_cli_check_used(setup->arguments, GSIM_CLI_OF_OWN_SCHED, error);
    return status ? status : gsim_task_set_of(&t->set, t->tasks, t->count, error);
}

void gsim_cli_tasks_release(struct gsim_cli_tasks *t)
{
    gsim_task_set_release(&t->set);
    gsim_task_profiles_release(&t->profiles);
    if (t->drawn) gsim_program_release(t->drawn);
    for (uint32_t i = 0; i < t->count; i++) gsim_cli_point_release(&t->points[i]);
    gsim_arena_release(&t->arena);
    memset(t, 0, sizeof *t);
}

/* --- ways of sharing ---------------------------------------------------------------------------------------------- */

enum gsim_status gsim_cli_share(const char *text, const struct gsim_sharing_ops **ops, struct gsim_error *error)
{
    enum gsim_status status = gsim_sharing_load(text, ops, error);
    return status == GSIM_OK ? status : gsim_error_prefix(error, "--share");
}

/* What --opt sees: a name and parameters. */
static struct gsim_scheduler_ops as_scheduler(const struct gsim_sharing_ops *ops)
{
    return (struct gsim_scheduler_ops){.name = ops->name, .params = ops->params, .params_size = ops->params_size};
}

enum gsim_status gsim_cli_ways(struct gsim_arena *arena, const char *text,
                               const struct gsim_sharing_ops *ways[GSIM_CLI_WAYS], size_t *count,
                               struct gsim_error *error)
{
    if (!text || strcmp(text, "all") == 0) {
        while (*count < GSIM_CLI_WAYS && (ways[*count] = gsim_sharing_at((uint32_t)*count)) != NULL) ++*count;
        return GSIM_OK;
    }
    char *list = gsim_arena_strdup(arena, text);
    for (char *at; (at = gsim_text_cut(&list));) {
        if (*count == GSIM_CLI_WAYS)
            return gsim_refuse(error, "--share: expected at most %d ways, found more", GSIM_CLI_WAYS);
        enum gsim_status status = gsim_cli_share(at, &ways[*count], error);
        if (status != GSIM_OK) return status;
        ++*count;
    }
    return GSIM_OK;
}

enum gsim_status gsim_cli_share_params(struct gsim_cli_tasks *t, const struct gsim_sharing_ops *ops, void **params,
                                       struct gsim_error *error)
{
    struct gsim_scheduler_ops view = as_scheduler(ops);
    return gsim_cli_params(t->setup->arguments, &view, &t->arena, params, error);
}

enum gsim_status gsim_cli_check_share_opts(const struct gsim_cli_tasks *t, const struct gsim_sharing_ops *const *ways,
                                           size_t count, struct gsim_error *error)
{
    struct gsim_scheduler_ops views[64];
    const struct gsim_scheduler_ops *all[64 + GSIM_LIMIT_TASKS];
    size_t n = 0;
    for (; n < count && n < 64; n++) {
        views[n] = as_scheduler(ways[n]);
        all[n] = &views[n];
    }
    for (uint32_t i = 0; i < t->count; i++) all[n++] = t->tasks[i].scheduler;
    return gsim_cli_check_opts(t->setup->arguments, all, n, error);
}

enum gsim_status gsim_cli_task_alone_set(const struct gsim_cli_tasks *t, uint32_t index, struct gsim_task *task,
                                         struct gsim_task_set *set, struct gsim_error *error)
{
    *task = t->tasks[index];
    task->arrival = GSIM_ARRIVAL_CLOSED;
    task->start_us = task->duration_us = task->percentage = 0;
    task->process = GSIM_OWN_PROCESS;
    task->requests =
        task->requests && task->requests < GSIM_CLI_ALONE_REQUESTS ? task->requests : GSIM_CLI_ALONE_REQUESTS;
    return gsim_task_set_init(set, task->name, task, 1, error);
}

/* What a simulation of tasks drew before is gone with the next one. */
struct gsim_simulation gsim_cli_tasks_simulation(const struct gsim_cli_tasks *t, const struct gsim_sharing_ops *ops,
                                                 const void *params)
{
    double kernels = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t own = 0;
        for (uint32_t o = 0; o < t->tasks[i].program->op_count; o++)
            own += t->tasks[i].program->ops[o].kind == GSIM_OP_KERNEL;
        kernels += own * (double)(t->tasks[i].requests ? t->tasks[i].requests : t->tasks[i].time_count);
    }
    struct gsim_simulation s = t->points[0].simulation;
    s.program = &t->set.all;
    s.source = NULL;
    s.drawn = t->drawn;
    if (t->is_pinned) s.placement = gsim_placement_find("program");
    s.folds = false;
    s.tasks = &t->set;
    s.sharing = ops;
    s.sharing_params = params;
    s.profile = t->profiles.count ? &t->profiles : NULL;
    s.iterations = 0;
    s.until_steady = false;
    s.detailed = kernels <= MAX_DETAILED;
    s.omits_kernels = kernels > MAX_KERNELS;
    return s;
}
