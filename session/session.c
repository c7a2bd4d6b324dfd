/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See gpusim/session.h. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/questions/question.h"
#include "ask/subject.h"
#include "gpusim/device.h"
#include "gpusim/limits.h"
#include "gpusim/metrics.h"
#include "gpusim/scenario.h"
#include "gpusim/workload.h"
#include "sim/base/answer/answer.h"
#include "sim/base/text.h"
#include "sim/report/report.h"
#include "sim/sm/demand.h"
#include "gpusim/policy.h"
#include "gpusim/session.h"

#define POLICY_COST_US 2 /* as eager's and dm's: of a StarPU task (assumed) */

struct gsim_session_callbacks {
    struct gsim_policy_params common; /* first, as the runner asks */
    gsim_session_push *push;
    gsim_session_pop *pop;
    gsim_session_done *done;
    void *data;
};

/* --- a policy --- */
/* What the callbacks have been told of, by op; NULL: not pushed, or popped. */
struct told {
    struct gsim_policy_op **ops;
};

static const struct gsim_session_callbacks *calls_of(const struct gsim_policy_run *p) { return p->params; }

static double now_us(const struct gsim_policy_run *p) { return gsim_now_us(p->run->driver); }

static enum gsim_status init(struct gsim_policy_run *p, struct gsim_error *error)
{
    struct told *t = GSIM_ARENA_NEW(p->run->arena, struct told);
    if (t) t->ops = GSIM_ARENA_ARRAY(p->run->arena, struct gsim_policy_op *, (size_t)p->run->program->op_count + 1);
    p->state = t;
    return t && t->ops ? GSIM_OK : gsim_no_memory(error);
}

/* The GPU that holds most of what OP takes; -1: none holds any. */
static int64_t home_of(struct gsim_policy_run *p, const struct gsim_op *op)
{
    int64_t home = -1;
    uint64_t most = 0;
    for (uint32_t d = 0; d < p->device_count; d++) {
        uint64_t bytes = gsim_placing_present(p->placing, op, d);
        if (bytes <= most) continue;
        most = bytes;
        home = d;
    }
    return home;
}

static void push_op(struct gsim_policy_run *p, struct gsim_policy_op *op)
{
    static const char *const kinds[] = {"kernel", "copy", "prefetch", "host_write", "host_read", "host_compute"};
    const struct gsim_op *o = op->op;
    const char *name = o->kind == GSIM_OP_KERNEL ? p->run->program->kernels[o->kernel_index].name : kinds[o->kind];
    ((struct told *)p->state)->ops[op->number] = op;
    calls_of(p)->push(calls_of(p)->data, op->number, name, op->estimate_us, op->ready_us, home_of(p, o));
}

static struct gsim_policy_op *pop_op(struct gsim_policy_run *p, uint32_t device)
{
    struct told *t = p->state;
    int64_t number = calls_of(p)->pop(calls_of(p)->data, device, now_us(p));
    if (number < 0) return NULL;
    struct gsim_policy_op *op = number < p->run->program->op_count ? t->ops[number] : NULL;
    if (op) t->ops[number] = NULL;
    else gsim_error_set(&p->error, GSIM_INPUT, "the policy gives op %lld, which is not ready", (long long)number);
    return op;
}

static void done_op(struct gsim_policy_run *p, struct gsim_policy_op *op)
{
    if (calls_of(p)->done) calls_of(p)->done(calls_of(p)->data, op->number, now_us(p));
}

static const struct gsim_policy_ops policy = {.init = init, .push = push_op, .pop = pop_op, .done = done_op};

static enum gsim_status execute(struct gsim_run *run, struct gsim_error *error)
{
    return gsim_policy_execute(run, &policy, error);
}

/* Its parameters are a struct gsim_session_callbacks. */
static const struct gsim_scheduler_ops policy_scheduler = {
    GSIM_HEAD(scheduler),
    .name = "policy",
    .summary = "a policy of the program that embeds the library",
    .source = "gpusim/session.h",
    .shape = GSIM_SHAPE_CONCURRENT,
    .places = true,
    .params_size = sizeof(struct gsim_session_callbacks),
    .execute = execute,
};

struct gsim_session {
    struct gsim_device_spec device;
    struct gsim_subject subject; /* its program is what runs */
    struct gsim_simulation simulation;
    struct gsim_session_callbacks calls;
    const struct gsim_scheduler_ops *scheduler; /* what runs but for a policy, and its parameters */
    void *params;
    struct gsim_timeline timeline;
    struct gsim_metrics metrics;
    double size; /* of the next workload; 0: default */
    bool has_device, has_program, has_run, has_scheduler, has_memory;
    atomic_bool is_busy, is_doomed; /* a run goes on; gsim_session_destroy() came while it did */
    char *report, *answer; /* of open_memstream() */
    struct gsim_error error;
};

/* Each call begins without a failure. */
static struct gsim_error *fresh(struct gsim_session *s)
{
    s->error = (struct gsim_error){0};
    return &s->error;
}

/* Every function that changes a session begins with it, and has nothing to do while a run goes on. */
#define RETURN_IF_BUSY(s) \
    if (atomic_load(&(s)->is_busy)) return gsim_status_exit(GSIM_USAGE)

struct gsim_session *gsim_session_create(void)
{
    struct gsim_session *s = gsim_alloc(sizeof *s);
    if (!s) return NULL;
    s->scheduler = gsim_scheduler_find("async");
    s->simulation = (struct gsim_simulation){
        .scheduler = s->scheduler, .memory = GSIM_MEMORY_MANAGED, .prefetch = true, .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s->simulation.gpu);
    return s;
}

static void drop_run(struct gsim_session *s)
{
    if (s->has_run) gsim_timeline_release(&s->timeline);
    s->has_run = false;
    free(s->report);
    free(s->answer);
    s->report = s->answer = NULL;
}

void gsim_session_destroy(struct gsim_session *s)
{
    if (!s) return;
    if (atomic_load(&s->is_busy)) {
        atomic_store(&s->is_doomed, true);
        return;
    }
    drop_run(s);
    gsim_subject_release(&s->subject);
    if (s->has_device) gsim_device_release(&s->device);
    gsim_free(s->params);
    gsim_free(s);
}

const char *gsim_session_error(const struct gsim_session *s)
{
    return atomic_load(&s->is_busy) ? "the session runs: nothing but its policy is called until it ends"
                                    : s->error.message;
}

static enum gsim_status set_device(struct gsim_session *s, const char *name)
{
    struct gsim_device_spec device = {0};
    if (gsim_device_load(name, &device, &s->error)) return s->error.status;
    if (s->has_device) gsim_device_release(&s->device);
    s->device = device;
    s->has_device = true;
    return GSIM_OK;
}

static void use_scheduler(struct gsim_session *s)
{
    s->simulation.scheduler = s->scheduler;
    s->simulation.scheduler_params = s->params;
}

static enum gsim_status set_scheduler(struct gsim_session *s, const char *name)
{
    const struct gsim_scheduler_ops *scheduler = NULL;
    if (gsim_scheduler_load(name, &scheduler, &s->error)) return s->error.status;
    void *params = scheduler->params ? gsim_alloc(scheduler->params_size) : NULL;
    if (scheduler->params && !params) return gsim_no_memory(&s->error);
    if (params) gsim_params_set_defaults(scheduler->params, params);
    gsim_free(s->params);
    s->scheduler = scheduler;
    s->params = params;
    use_scheduler(s);
    return GSIM_OK;
}

int gsim_session_policy(struct gsim_session *s, int64_t depth, gsim_session_push *push, gsim_session_pop *pop,
                        gsim_session_done *done, void *data)
{
    RETURN_IF_BUSY(s);
    struct gsim_error *error = fresh(s);
    drop_run(s);
    use_scheduler(s); /* what is refused leaves no policy, least of all the one before */
    if (!push) return 0;
    if (!pop) return gsim_status_exit(gsim_refuse(error, "a policy: expected push and pop, found no pop"));
    if (depth < 1 || depth > 64)
        return gsim_status_exit(
            gsim_refuse(error, "a policy: expected a depth of 1 to 64, found %lld", (long long)depth));
    s->calls = (struct gsim_session_callbacks){{depth, POLICY_COST_US}, push, pop, done, data};
    s->simulation.scheduler = &policy_scheduler;
    s->simulation.scheduler_params = &s->calls;
    return 0;
}

static enum gsim_status set_workload(struct gsim_session *s, const char *name)
{
    struct gsim_error *error = &s->error;
    struct gsim_subject subject = {0};
    enum gsim_subject_kind kind = gsim_subject_kind_of(name);
    bool is_of_device = kind == GSIM_SUBJECT_CUDA || kind == GSIM_SUBJECT_SERVICE;
    if (is_of_device && !s->has_device && set_device(s, GSIM_DEVICE_DEFAULT)) return error->status;
    const struct gsim_subject_terms terms = {.device = s->has_device ? &s->device : NULL,
                                             .replays = !s->has_scheduler,
                                             .workload = {.size = s->size, .shape = s->scheduler->shape}};
    if (kind == GSIM_SUBJECT_UNKNOWN && access(name, F_OK) != 0) {
        struct gsim_nearest nearest;
        gsim_nearest_init(&nearest, name);
        for (uint32_t i = 0; gsim_workload_at(i); i++) gsim_nearest_offer(&nearest, gsim_workload_at(i)->name);
        return gsim_refuse(error, "'%.100s': no workload and no file%s", name, gsim_nearest_text(&nearest));
    }
    enum gsim_status status = gsim_subject_read(&subject, name, &terms, error);
    if (!status && subject.device[0] && !s->has_device) status = set_device(s, subject.device);
    if (status != GSIM_OK) {
        gsim_subject_release(&subject);
        return status;
    }
    gsim_subject_release(&s->subject);
    s->subject = subject;
    s->has_program = true;
    if (!subject.is_trace) return GSIM_OK;
    gsim_import_fit_gap(&subject.notes, false, &s->device);
    return !s->has_scheduler && gsim_import_is_graph(&subject.notes) ? set_scheduler(s, "cudagraph") : GSIM_OK;
}

/* --- options --- */

static enum gsim_status set_choice(struct gsim_session *s, const char *name, const char *value, const char *choices,
                                   int *index)
{
    *index = 0;
    for (const char *at = choices; *at; (*index)++) {
        size_t length = strcspn(at, "|");
        if (strlen(value) == length && strncmp(at, value, length) == 0) return GSIM_OK;
        at += length + (at[length] == '|');
    }
    return gsim_refuse(&s->error, "%s: expected %s, found '%.60s'", name, choices, value);
}

static enum gsim_status set_count(struct gsim_session *s, const char *name, const char *value, double least,
                                  double most, double *count)
{
    if (gsim_text_quantity(value, count) && *count >= least && *count <= most && *count == floor(*count))
        return GSIM_OK;
    return gsim_refuse(&s->error, "%s: expected an integer from %.0f to %.0f, found '%.60s'", name, least, most, value);
}

static enum gsim_status set_number(struct gsim_session *s, const char *name, const char *value)
{
    const struct gsim_scheduler_ops *scheduler = s->scheduler;
    size_t length = strlen(scheduler->name);
    const char *own = strncmp(name, scheduler->name, length) == 0 && name[length] == '.' ? name + length + 1 : name;
    if (!s->params || !gsim_params_find(scheduler->params, own))
        return gsim_refuse(&s->error, "'%.60s' is no option of a session, and none of scheduler '%s'", name,
                           scheduler->name);
    return gsim_params_set(scheduler->params, s->params, own, value, &s->error);
}

int gsim_session_set(struct gsim_session *s, const char *name, const char *value)
{
    RETURN_IF_BUSY(s);
    struct gsim_simulation *run = &s->simulation;
    enum gsim_status status;
    double count = 0;
    int index;
    (void)fresh(s);
    drop_run(s);
    if (strcmp(name, "device") == 0) {
        status = set_device(s, value);
    } else if (strcmp(name, "scheduler") == 0) {
        status = set_scheduler(s, value);
        s->has_scheduler |= status == GSIM_OK;
    } else if (strcmp(name, "workload") == 0) {
        status = set_workload(s, value);
    } else if (strcmp(name, "share") == 0) {
        status = gsim_sharing_load(value, &run->sharing, &s->error);
    } else if (strcmp(name, "size") == 0) {
        status = gsim_text_quantity(value, &count) && count >= 0 && isfinite(count)
                     ? GSIM_OK
                     : gsim_refuse(&s->error, "size: expected a number, found '%.60s'", value);
        if (status == GSIM_OK) s->size = count;
    } else if (strcmp(name, "memory") == 0) {
        status = set_choice(s, name, value, "managed|pinned|pageable", &index);
        if (status == GSIM_OK) run->memory = (enum gsim_memory_mode)index, s->has_memory = true;
    } else if (strcmp(name, "prefetch") == 0 || strcmp(name, "noise") == 0) {
        status = set_choice(s, name, value, "on|off", &index);
        if (status == GSIM_OK) *(*name == 'p' ? &run->prefetch : &run->noise) = index == 0;
    } else if (strcmp(name, "iterations") == 0) {
        bool steady = strcmp(value, "steady") == 0;
        status = steady ? GSIM_OK : set_count(s, name, value, 1, GSIM_LIMIT_ITERATIONS, &count);
        if (status == GSIM_OK) run->until_steady = steady, run->iterations = gsim_whole_u32(count);
    } else if (strcmp(name, "seed") == 0) {
        status = set_count(s, name, value, 0, 9007199254740992.0, &count);
        if (status == GSIM_OK) run->seed = gsim_whole_u64(count);
    } else if (strcmp(name, "gpus") == 0) {
        status = set_count(s, name, value, 1, GSIM_LIMIT_GPUS, &count);
        if (status == GSIM_OK) run->gpu_count = gsim_whole_u32(count);
    } else if (strncmp(name, "gpu.", 4) == 0) {
        status = gsim_params_set(gsim_gpu_params, &run->gpu, name + 4, value, &s->error);
    } else if (strncmp(name, "device.", 7) == 0) {
        status = s->has_device ? gsim_device_set_number(&s->device, name + 7, value, &s->error)
                               : gsim_refuse(&s->error, "%s: expected a device before it", name);
    } else {
        status = set_number(s, name, value);
    }
    return gsim_status_exit(status);
}

/* --- a run --- */

static enum gsim_status simulate(struct gsim_session *s, struct gsim_error *error)
{
    s->simulation.detailed = true;
    const struct gsim_scenario scenario = {.simulation = s->simulation, .is_checked = true};
    enum gsim_status status = gsim_run(&scenario, &s->timeline, error);
    s->has_run = true; /* the timeline is to be released in any case */
    struct gsim_kernel_alone *alone = gsim_alloc(sizeof *alone * ((size_t)s->subject.program.kernel_count + 1));
    if (status == GSIM_OK && !alone) status = gsim_no_memory(error);
    for (uint32_t i = 0; i < s->subject.program.kernel_count && status == GSIM_OK; i++)
        status = gsim_kernel_alone(&s->device, &s->subject.program.kernels[i], &alone[i], error);
    if (status == GSIM_OK) status = gsim_metrics_compute(&s->timeline, &s->device, alone, &s->metrics, error);
    gsim_free(alone);
    return status;
}

static enum gsim_status ask(struct gsim_session *s, const char *question, const char *words, struct gsim_error *error)
{
    struct gsim_changeable base;
    struct gsim_answer answer = {0};
    struct gsim_output output;
    size_t length = 0;
    struct gsim_simulation own = s->simulation;
    if (s->subject.clients && !s->subject.tasks && !s->has_memory)
        own.memory = GSIM_MEMORY_PINNED; /* as NCCL's buffers are on the device */
    enum gsim_status status = gsim_subject_scenario(&s->subject, &own, &base, error);
    if (!status) status = gsim_ask(question, &base, words, &answer, error);
    if (!status) status = gsim_output_open_memory(&output, &s->answer, &length, error);
    if (!status) {
        gsim_answer_json(&answer, &output);
        status = gsim_output_commit(&output, error);
    }
    gsim_answer_release(&answer);
    return status;
}

/* Options that what is set has no use for are errors. */
static enum gsim_status check(const struct gsim_session *s, bool is_asked, struct gsim_error *error)
{
    const struct gsim_subject *subject = &s->subject;
    const struct gsim_simulation *run = &s->simulation;
    bool is_one = !subject->is_server && !subject->clients;
    if (!s->has_program) return gsim_refuse(error, "nothing to run: expected a workload or a program");
    if (!is_one && !is_asked)
        return gsim_refuse(error, "%s asked questions, not run: gsim_session_ask()",
                           subject->is_server ? "a server is" : subject->tasks ? "tasks are" : "ranks are");
    if (run->sharing && !subject->tasks) return gsim_refuse(error, "share: applies to tasks");
    if ((run->iterations || run->until_steady) && (!is_one || subject->source))
        return gsim_refuse(error, "iterations: applies to one program that is known beforehand");
    if (run->gpu_count && !is_one && !subject->tasks)
        return gsim_refuse(error, "gpus: applies to programs and tasks");
    return GSIM_OK;
}

/* A run, or an answer to QUESTION. */
static int work(struct gsim_session *s, const char *question, const char *words)
{
    RETURN_IF_BUSY(s);
    if (!s->has_device && gsim_session_set(s, "device", GSIM_DEVICE_DEFAULT)) return gsim_status_exit(s->error.status);
    if (atomic_exchange(&s->is_busy, true)) return gsim_status_exit(GSIM_USAGE);
    struct gsim_error *error = fresh(s);
    drop_run(s);
    s->simulation.program = s->simulation.drawn = &s->subject.program;
    s->simulation.source = s->subject.source;
    s->simulation.device = &s->device;
    if (s->subject.source) gsim_program_release(&s->subject.program); /* of a run before */
    enum gsim_status status = check(s, question != NULL, error);
    if (!status) status = question ? ask(s, question, words, error) : simulate(s, error);
    if (atomic_exchange(&s->is_doomed, false) && status == GSIM_OK)
        status = gsim_refuse(error, "the session was destroyed while it ran: it is there until it is "
                                    "destroyed once more");
    if (status != GSIM_OK) drop_run(s);
    atomic_store(&s->is_busy, false);
    return gsim_status_exit(status);
}

int gsim_session_run(struct gsim_session *s) { return work(s, NULL, NULL); }

const char *gsim_session_ask(struct gsim_session *s, const char *question, const char *words)
{
    return work(s, question, words) ? NULL : s->answer;
}

const char *gsim_session_question(int64_t index)
{
    const struct gsim_question_ops *ops = index < 0 ? NULL : gsim_question_at((uint32_t)index);
    return ops ? ops->name : NULL;
}

static bool has_result(const struct gsim_session *s) { return !atomic_load(&s->is_busy) && s->has_run; }

double gsim_session_makespan_us(const struct gsim_session *s)
{
    return has_result(s) ? gsim_time_us(s->metrics.makespan) : NAN;
}
int64_t gsim_session_kernel_count(const struct gsim_session *s)
{
    return has_result(s) ? (int64_t)s->timeline.kernel_count : 0;
}

void gsim_session_kernel_times(const struct gsim_session *s, double *start_us, double *end_us)
{
    for (int64_t i = 0; i < gsim_session_kernel_count(s); i++) {
        start_us[i] = gsim_time_us(s->timeline.kernels[i].start);
        end_us[i] = gsim_time_us(s->timeline.kernels[i].end);
    }
}

const char *gsim_session_report(struct gsim_session *s)
{
    struct gsim_output output;
    size_t length = 0;
    if (!has_result(s)) return NULL;
    if (s->report) return s->report;
    struct gsim_result result = {.simulation = &s->simulation, .timeline = &s->timeline, .metrics = &s->metrics};
    struct gsim_energy energy = {0};
    enum gsim_status status = GSIM_OK;
    if (gsim_energy_is_known(&s->subject.program, &s->device)) {
        status = gsim_energy_compute(&s->timeline, &s->device, s->metrics.makespan, &energy, fresh(s));
        result.energy = &energy;
    }
    if (status == GSIM_OK) status = gsim_output_open_memory(&output, &s->report, &length, fresh(s));
    if (status == GSIM_OK) gsim_report_json(&result, &output);
    gsim_energy_release(&energy);
    if (status != GSIM_OK) return NULL;
    return gsim_output_commit(&output, &s->error) == GSIM_OK ? s->report : NULL;
}
