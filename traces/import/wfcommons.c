/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workflows of WfCommons (WfFormat 1.5; wfcommons.org): graphs of tasks that ran on clusters and clouds, as programs. A
 * task becomes a kernel of as many blocks as it had cores, a second of it a millisecond of the kernel; files become
 * buffers, which tasks read and write whole; who has parents comes after them. Tasks are put behind their parents, else
 * in the order of the file.
 */

#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/names.h"
#include "sim/base/scan.h"
#include "sim/base/gz.h"
#include "traces/import/importers.h"
#include "traces/import/sniff.h"
#include "traces/import/values.h"

#define THREADS 256 /* of a block */
#define NONE    UINT32_MAX
#define US_PER_S 1000.0

struct file {
    const char *id;
    uint64_t bytes;
    uint32_t last_task, arg; /* that named it, plus 1; which of its arguments it is */
};

/* Lists stand in the text; GSIM_NAME_NONE: no place yet. */
struct task {
    const char *id, *name, *parents, *children, *inputs, *outputs;
    double seconds, cores;
    uint32_t waits, place;   /* for how many that have no place; in the program */
    uint32_t first_edge;     /* to those that come after it */
};

struct edge {
    uint32_t from, to, next;
};

struct reader {
    const struct gsim_import_options *options;
    struct gsim_error *error;
    struct gsim_arena arena;
    struct gsim_names file_names, task_names;
    struct file *files;
    struct task *tasks;
    struct edge *edges;
    size_t file_count, file_room, task_count, task_room, edge_count, edge_room;
    const char *list; /* being read, and which of it */
    size_t index;
};

/* --- values ------------------------------------------------------------------------------------------------------- */
static enum gsim_status expected(const struct reader *r, const char *what, const char *value)
{
    char found[64];
    return gsim_error_set(r->error, GSIM_INPUT, "%s[%zu]: expected %s, found %s", r->list, r->index, what,
                          value ? gsim_scan_found(value, found, sizeof found) : "nothing");
}

static bool is_number(const char *value) { return value && (*value == '-' || (*value >= '0' && *value <= '9')); }

/* From 0 to MOST; INITIAL where it is missing. */
static enum gsim_status read_number(const struct reader *r, const char *object, const char *name, double initial,
                                    double most, double *number)
{
    char what[80];
    const char *value = gsim_value_member(object, name);
    *number = is_number(value) ? gsim_scan_number(value) : initial;
    if ((!value || is_number(value)) && *number >= 0 && *number <= most) return GSIM_OK;
    snprintf(what, sizeof what, "%s from 0 to %g", name, most);
    return expected(r, what, value);
}

/* Text of 1 to GSIM_LIMIT_NAME bytes. */
static enum gsim_status read_text(struct reader *r, const char *object, const char *name, const char **text)
{
    char room[GSIM_LIMIT_NAME + 1], what[80];
    const char *value = gsim_value_member(object, name);
    if (!value || *value != '"' || !gsim_scan_string(value, room, sizeof room)) {
        snprintf(what, sizeof what, "%s of 1 to %u bytes", name, GSIM_LIMIT_NAME);
        return expected(r, what, value);
    }
    *text = gsim_arena_strdup(&r->arena, room);
    return *text ? GSIM_OK : gsim_no_memory(r->error);
}

static enum gsim_status each(struct reader *r, const char *list, const char *name,
                             enum gsim_status (*read)(struct reader *, const char *))
{
    enum gsim_status status = GSIM_OK;
    r->list = name;
    r->index = 0;
    if (!list) return GSIM_OK;
    if (*list != '[') return gsim_error_set(r->error, GSIM_INPUT, "%s: expected a list", name);
    GSIM_SCAN_WHILE(v, list, NULL, status == GSIM_OK) {
        status = read(r, v);
        r->index++;
    }
    return status;
}

/* --- the file's lists --- */
static enum gsim_status read_file(struct reader *r, const char *value)
{
    struct file file = {0};
    double bytes = 0;
    enum gsim_status status = read_text(r, value, "id", &file.id);
    if (status == GSIM_OK) status = read_number(r, value, "sizeInBytes", 0, (double)GSIM_LIMIT_BYTES, &bytes);
    if (status != GSIM_OK) return status;
    file.bytes = bytes >= 1 ? gsim_whole_u64(bytes) : 1; /* an empty file still is one */
    if (gsim_names_find(&r->file_names, file.id) != GSIM_NAME_NONE)
        return expected(r, "an id that no other file has", gsim_value_member(value, "id"));
    if (gsim_array_grow(&r->files, sizeof file, r->file_count, &r->file_room)) return gsim_no_memory(r->error);
    r->files[r->file_count] = file;
    return gsim_names_add(&r->file_names, file.id, (uint32_t)r->file_count++, r->error);
}

static enum gsim_status read_task(struct reader *r, const char *value)
{
    struct task task = {.cores = 1, .place = NONE, .first_edge = NONE};
    enum gsim_status status = read_text(r, value, "id", &task.id);
    if (status == GSIM_OK)
        status = gsim_value_member(value, "name") ? read_text(r, value, "name", &task.name) : GSIM_OK;
    if (status != GSIM_OK) return status;
    if (!task.name) task.name = task.id;
    task.parents = gsim_value_member(value, "parents");
    task.children = gsim_value_member(value, "children");
    task.inputs = gsim_value_member(value, "inputFiles");
    task.outputs = gsim_value_member(value, "outputFiles");
    if (gsim_names_find(&r->task_names, task.id) != GSIM_NAME_NONE)
        return expected(r, "an id that no other task has", gsim_value_member(value, "id"));
    if (r->task_count >= UINT32_MAX - 1 || gsim_array_grow(&r->tasks, sizeof task, r->task_count, &r->task_room))
        return gsim_no_memory(r->error);
    r->tasks[r->task_count] = task;
    return gsim_names_add(&r->task_names, task.id, (uint32_t)r->task_count++, r->error);
}

static enum gsim_status read_execution(struct reader *r, const char *value)
{
    const char *id;
    enum gsim_status status = read_text(r, value, "id", &id);
    uint32_t index = status == GSIM_OK ? gsim_names_find(&r->task_names, id) : NONE;
    if (status == GSIM_OK && index == GSIM_NAME_NONE)
        return expected(r, "the id of a task of the specification", gsim_value_member(value, "id"));
    if (status == GSIM_OK)
        status = read_number(r, value, "runtimeInSeconds", 0, GSIM_LIMIT_US / US_PER_S, &r->tasks[index].seconds);
    if (status == GSIM_OK) status = read_number(r, value, "coreCount", 1, 65536, &r->tasks[index].cores);
    return status;
}

/* --- the order --- */
static enum gsim_status add_edge(struct reader *r, uint32_t from, uint32_t to)
{
    for (uint32_t e = r->tasks[from].first_edge; e != NONE; e = r->edges[e].next)
        if (r->edges[e].to == to) return GSIM_OK; /* both say so */
    if (r->edge_count >= NONE || gsim_array_grow(&r->edges, sizeof *r->edges, r->edge_count, &r->edge_room))
        return gsim_no_memory(r->error);
    r->edges[r->edge_count] = (struct edge){from, to, r->tasks[from].first_edge};
    r->tasks[from].first_edge = (uint32_t)r->edge_count++;
    r->tasks[to].waits++;
    return GSIM_OK;
}

/* LIST: of ids. */
static enum gsim_status read_relatives(struct reader *r, uint32_t task, const char *list, bool are_parents)
{
    char id[GSIM_LIMIT_NAME + 1];
    enum gsim_status status = GSIM_OK;
    if (!list) return GSIM_OK;
    r->index = task;
    if (*list != '[') return expected(r, are_parents ? "a list of parents" : "a list of children", list);
    GSIM_SCAN_WHILE(v, list, NULL, status == GSIM_OK) {
        uint32_t other = *v == '"' && gsim_scan_string(v, id, sizeof id) ? gsim_names_find(&r->task_names, id) : NONE;
        if (other == NONE || other == task)
            return expected(r, are_parents ? "ids of other tasks as parents" : "ids of other tasks as children", v);
        status = are_parents ? add_edge(r, other, task) : add_edge(r, task, other);
    }
    return status;
}

/* Places by number; ORDER: by place. */
static enum gsim_status put_in_order(struct reader *r, uint32_t *order)
{
    uint32_t placed = 0, end = 0;
    enum gsim_status status = GSIM_OK;
    r->list = "workflow.specification.tasks";
    for (uint32_t i = 0; i < r->task_count && status == GSIM_OK; i++) {
        status = read_relatives(r, i, r->tasks[i].parents, true);
        if (status == GSIM_OK) status = read_relatives(r, i, r->tasks[i].children, false);
    }
    for (uint32_t i = 0; i < r->task_count && status == GSIM_OK; i++)
        if (!r->tasks[i].waits) order[end++] = i;
    for (; placed < end; placed++) {
        r->tasks[order[placed]].place = placed;
        for (uint32_t e = r->tasks[order[placed]].first_edge; e != NONE; e = r->edges[e].next)
            if (!--r->tasks[r->edges[e].to].waits) order[end++] = r->edges[e].to;
    }
    if (status != GSIM_OK || end == r->task_count) return status;
    for (r->index = 0; r->tasks[r->index].place != NONE; r->index++) {}
    return gsim_error_set(r->error, GSIM_INPUT,
                          "%s[%zu]: expected no task to come after itself, found a circle of parents", r->list,
                          r->index);
}

/* --- the program --- */
struct lists {
    struct gsim_arg *args;
    uint32_t *after;
    size_t arg_count, arg_room, after_room;
};

static enum gsim_status add_args(struct reader *r, uint32_t task, const char *list, bool writes, struct lists *lists)
{
    char id[GSIM_LIMIT_NAME + 1];
    if (!list) return GSIM_OK;
    if (*list != '[') return expected(r, "a list of files", list);
    GSIM_SCAN_EACH(v, list, NULL) {
        uint32_t index =
            *v == '"' && gsim_scan_string(v, id, sizeof id) ? gsim_names_find(&r->file_names, id) : GSIM_NAME_NONE;
        if (index == GSIM_NAME_NONE) return expected(r, "ids of workflow.specification.files", v);
        struct file *file = &r->files[index];
        if (file->last_task != task + 1) {
            if (lists->arg_count == GSIM_LIMIT_ARGS)
                return gsim_error_set(r->error, GSIM_INPUT, "%s[%u]: expected at most %u files", r->list, task,
                                      GSIM_LIMIT_ARGS);
            if (gsim_array_grow(&lists->args, sizeof *lists->args, lists->arg_count, &lists->arg_room))
                return gsim_no_memory(r->error);
            file->last_task = task + 1;
            file->arg = (uint32_t)lists->arg_count;
            lists->args[lists->arg_count++] = (struct gsim_arg){index, false, false, true};
        }
        struct gsim_arg *arg = &lists->args[file->arg];
        arg->reads |= !writes;
        arg->writes |= writes;
        arg->declared_const = !arg->writes;
    }
    return GSIM_OK;
}

/* AFTER lists what comes before: the edges to each task, put there by its predecessors. */
static enum gsim_status add_task(struct reader *r, struct gsim_builder *builder, uint32_t index,
                                 const uint32_t *first_in, const uint32_t *next_in, struct lists *lists)
{
    const struct task *task = &r->tasks[index];
    const struct gsim_kernel kernel = {.name = task->name,
                                       .grid = {task->cores >= 1 ? gsim_whole_u32(task->cores) : 1, 1, 1},
                                       .block = {THREADS, 1, 1},
                                       .solo_us = fmax(task->seconds * US_PER_S, 1),
                                       .solo_cold = true,
                                       .demand_given = true};
    uint32_t count = 0;
    lists->arg_count = 0;
    r->index = index;
    enum gsim_status status = add_args(r, index, task->inputs, false, lists);
    if (status == GSIM_OK) status = add_args(r, index, task->outputs, true, lists);
    for (uint32_t e = first_in[index]; e != NONE && status == GSIM_OK; e = next_in[e]) {
        if (!GSIM_APPEND(lists->after, count, lists->after_room, r->tasks[r->edges[e].from].place))
            return gsim_no_memory(r->error);
    }
    if (status != GSIM_OK) return status;
    gsim_builder_op(builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                               .kernel_index = gsim_builder_kernel(builder, &kernel),
                                               .args = lists->args,
                                               .arg_count = (uint32_t)lists->arg_count,
                                               .after = lists->after,
                                               .after_count = count,
                                               .stream = -1});
    return GSIM_OK;
}

static enum gsim_status make_program(struct reader *r, struct gsim_program *program)
{
    uint32_t *order = gsim_alloc(sizeof *order * (r->task_count + 1)),
             *first_in = gsim_alloc(sizeof *first_in * (r->task_count + 1)), *next_in = NULL;
    struct gsim_builder *builder = gsim_builder_create(r->options->name);
    struct lists lists = {0};
    enum gsim_status status = order && first_in && builder ? put_in_order(r, order) : gsim_no_memory(r->error);
    if (status == GSIM_OK && !(next_in = gsim_alloc(sizeof *next_in * (r->edge_count + 1))))
        status = gsim_no_memory(r->error);
    for (uint32_t i = 0; i < r->task_count && status == GSIM_OK; i++) first_in[i] = NONE;
    for (size_t e = r->edge_count; e-- > 0 && status == GSIM_OK;) {
        next_in[e] = first_in[r->edges[e].to];
        first_in[r->edges[e].to] = (uint32_t)e;
    }
    for (size_t f = 0; f < r->file_count && status == GSIM_OK; f++)
        gsim_builder_buffer(builder, r->files[f].id, r->files[f].bytes, GSIM_INIT_DEVICE);
    for (uint32_t i = 0; i < r->task_count && status == GSIM_OK; i++)
        status = add_task(r, builder, order[i], first_in, next_in, &lists);
    gsim_free(lists.args);
    gsim_free(lists.after);
    gsim_free(order);
    gsim_free(first_in);
    gsim_free(next_in);
    if (status == GSIM_OK) return gsim_builder_finish(builder, 1, program, r->error);
    gsim_builder_destroy(builder);
    return status;
}

static enum gsim_status read_workflow(struct reader *r, const char *text, size_t length,
                                      struct gsim_import_notes *notes)
{
    char version[16] = "";
    enum gsim_status status = gsim_scan_check(text, length, r->error);
    if (status != GSIM_OK) return status;
    const char *top = gsim_scan_start(text), *value = gsim_value_member(top, "schemaVersion"),
               *workflow = gsim_value_member(top, "workflow");
    if (value && *value == '"') (void)gsim_scan_string(value, version, sizeof version);
    if (strcmp(version, "1.5") != 0 && strcmp(version, "1.6") != 0) /* 1.6 adds summaries only */
        return gsim_error_set(r->error, GSIM_INPUT,
                              "schemaVersion: expected \"1.5\" (WfFormat of WfCommons), found \"%s\"", version);
    const char *specification = gsim_value_member(workflow, "specification"),
               *execution = gsim_value_member(workflow, "execution");
    if (!gsim_value_member(specification, "tasks"))
        return gsim_error_set(r->error, GSIM_INPUT, "expected workflow.specification.tasks, found none");
    status = each(r, gsim_value_member(specification, "files"), "workflow.specification.files", read_file);
    if (status == GSIM_OK)
        status = each(r, gsim_value_member(specification, "tasks"), "workflow.specification.tasks", read_task);
    if (status == GSIM_OK)
        status = each(r, gsim_value_member(execution, "tasks"), "workflow.execution.tasks", read_execution);
    if (status != GSIM_OK) return status;
    notes->kernels = notes->data_works = notes->workflow_tasks = r->task_count;
    for (size_t i = 0; i < r->task_count; i++) notes->span_us += r->tasks[i].seconds * US_PER_S;
    return GSIM_OK;
}

enum gsim_status gsim_import_wfcommons(const char *path, const struct gsim_import_options *options,
                                       struct gsim_program *program, struct gsim_import_notes *notes,
                                       struct gsim_error *error)
{
    struct reader r = {.options = options, .error = error};
    size_t length = 0;
    *notes = (struct gsim_import_notes){.streams = 1, .threads = 1};
    char *text = gsim_file_read(path, &length, error);
    enum gsim_status status = text ? read_workflow(&r, text, length, notes) : error->status;
    if (status == GSIM_OK) status = make_program(&r, program);
    gsim_free(text);
    gsim_free(r.files);
    gsim_free(r.tasks);
    gsim_free(r.edges);
    gsim_names_release(&r.file_names);
    gsim_names_release(&r.task_names);
    gsim_arena_release(&r.arena);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}

bool gsim_sniff_wfcommons(const struct gsim_sniff *sniff)
{
    return *sniff->head == '{' && strstr(sniff->head, "\"schemaVersion\"") && strstr(sniff->head, "\"workflow\"") &&
           !strstr(sniff->head, "\"traceEvents\"");
}
