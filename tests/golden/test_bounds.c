/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * No change saves more than what it removes from the critical path, and several together no more than their parts:
 * random programs, as the importer makes them, and the traces of the tree. The least time is bounded by the path
 * because whatever a change leaves on it must still be done in that order: saved <= what it takes away.
 */
#include <stdlib.h>

#include "tests/test.h"
#include "traces/import/importers.h"
#include "ask/edits/changes.h"
#include "ask/whatif/moments.h"

#define PROGRAMS 500
#define SLACK    0.02 /* of the time: kernels that run beside others take longer, and who comes first is up to chance */
#define SLACK_US 12.0 /* the ends of an iteration */

static const char *const changes[] = {"graph", "nosync", "launch=2x", "fuse",
                                      "pdl",   "pinned", "link=2x",   "kernel:alpha=2x"};
enum { CHANGES = sizeof changes / sizeof changes[0] };

/* --- what a change can take away --- */
/* Of the path, in microseconds: what the host does, what the GPU does. */
struct path {
    double causes[GSIM_CAUSE_COUNT], host, gpu, copies, kernels, alpha, in_launch, staging;
};

static bool is_host(enum gsim_cause cause)
{
    return cause == GSIM_CAUSE_LAUNCH_CALLS || cause == GSIM_CAUSE_FRAMEWORK || cause == GSIM_CAUSE_HOST_WORK ||
           cause == GSIM_CAUSE_NAMED || cause == GSIM_CAUSE_OTHER_CALLS;
}

static struct path path_of(const struct gsim_explanation *x)
{
    struct path p = {.host = 0};
    const struct gsim_program *program = x->moments->timeline->program;
    for (size_t i = 0; i < x->part_count; i++) {
        const struct gsim_path_part *part = &x->parts[i];
        double us = gsim_time_us(part->time);
        if (part->kind == GSIM_PART_CAUSE) {
            p.causes[part->index] += us;
            p.host += is_host((enum gsim_cause)part->index) ? us : 0;
            if (part->what && strncmp(part->what, GSIM_HOST_IN_LAUNCH, strlen(GSIM_HOST_IN_LAUNCH)) == 0)
                p.in_launch += us;
            if (part->what && strstr(part->what, "emcpy")) p.staging += us;
        } else {
            p.gpu += us;
            p.copies += part->kind == GSIM_PART_COPY ? us : 0;
            p.kernels += part->kind == GSIM_PART_KERNEL ? us : 0;
            if (part->kind == GSIM_PART_KERNEL && strstr(program->kernels[part->index].name, "alpha")) p.alpha += us;
        }
    }
    return p;
}

/* What waits cost: the host's time that could run beside the GPU's, the way there and back. */
static double waits_of(const struct path *p)
{
    double gpu = p->gpu + p->causes[GSIM_CAUSE_GAP] + p->causes[GSIM_CAUSE_UNEXPLAINED];
    return fmin(p->host, gpu) + p->causes[GSIM_CAUSE_RESULT] + p->causes[GSIM_CAUSE_LAUNCH_LATENCY];
}

/* What of the path can go. The gaps that queues and events make are the front end's, which all that issues work
 * otherwise removes. */
static double most_of(const struct path *p, const char *change, double gaps)
{
    double launches = p->causes[GSIM_CAUSE_LAUNCH_CALLS] - p->in_launch,
           front =
               p->causes[GSIM_CAUSE_GAP] + p->causes[GSIM_CAUSE_HW_QUEUE] + p->causes[GSIM_CAUSE_LAUNCH_QUEUE] + gaps;
    switch (change[0]) {
    case 'g':
        return p->causes[GSIM_CAUSE_LAUNCH_CALLS] + p->causes[GSIM_CAUSE_FRAMEWORK] +
               p->causes[GSIM_CAUSE_OTHER_CALLS] + p->causes[GSIM_CAUSE_LAUNCH_LATENCY] + front;
    case 'n': return waits_of(p);
    case 'f':
        return launches + p->causes[GSIM_CAUSE_FRAMEWORK] + p->causes[GSIM_CAUSE_LAUNCH_LATENCY] + front +
               p->causes[GSIM_CAUSE_ROOM_ORDER];
    case 'p':
        if (strcmp(change, "pdl") == 0) return p->causes[GSIM_CAUSE_GAP] + p->causes[GSIM_CAUSE_LAUNCH_LATENCY];
        return p->copies + p->staging + p->causes[GSIM_CAUSE_COPY_ENGINE] + waits_of(p);
    case 'k': return p->alpha / 2;
    default: break;
    }
    return change[1] == 'a' ? p->causes[GSIM_CAUSE_LAUNCH_CALLS] / 2
                            : p->copies / 2 + p->staging + p->causes[GSIM_CAUSE_COPY_ENGINE] / 2; /* launch, link */
}

/* --- the runs --- */
struct setting {
    struct gsim_device_spec device;
    struct gsim_simulation simulation;
    struct gsim_program program;
    double now_us;
    struct path path;
    char label[80];
};

/* An iteration with these changes; -1: they have no effect, or are refused, as graphs that would put kernels of several
 * streams in a row. */
static double time_with(struct setting *s, const struct gsim_change *list, size_t count)
{
    struct gsim_variant variant;
    struct gsim_timeline timeline = {0};
    struct gsim_error error = {0};
    double us = -1;
    const struct gsim_changeable base = {.simulation = &s->simulation};
    enum gsim_status status = gsim_variant_of(&variant, &base, list, count, &error);
    if (status && strstr(error.message, "put them in a row")) return -1;
    CHECK_OK(status, error);
    if (variant.has_effect || !count) {
        variant.simulation.detailed = true;
        CHECK_OK(gsim_simulate(&variant.simulation, &timeline, &error), error);
        const struct gsim_iteration_record *last =
            timeline.iteration_count ? &timeline.iterations[timeline.iteration_count - 1] : NULL;
        us = last ? gsim_time_us(last->end - last->start) : -1;
        if (!count && last) {
            struct gsim_explanation x;
            gsim_time sum = 0;
            CHECK_OK(gsim_explain(&variant.simulation, &timeline, timeline.iteration_count - 1, &x, &error), error);
            for (size_t i = 0; i < x.part_count; i++) sum += x.parts[i].time;
            CHECK_MSG(sum == x.makespan, "%s: the path is %.3f of %.3f us", s->label, gsim_time_us(sum),
                      gsim_time_us(x.makespan));
            s->path = path_of(&x);
            gsim_explanation_release(&x);
        }
        gsim_timeline_release(&timeline);
    }
    gsim_variant_release(&variant);
    return us;
}

/* How often a change saved something at all. */
static uint32_t helped[CHANGES], tried;

static void check(struct setting *s)
{
    struct gsim_change all[CHANGES];
    struct gsim_error error = {0};
    size_t together = 0;
    double sum = 0, slack;
    s->simulation.program = &s->program;
    s->simulation.device = &s->device;
    s->simulation.scheduler = gsim_scheduler_find("async");
    s->simulation.memory = GSIM_MEMORY_PINNED;
    s->simulation.seed = 1;
    s->simulation.iterations = 3;
    gsim_params_set_defaults(gsim_gpu_params, &s->simulation.gpu);
    s->now_us = time_with(s, NULL, 0);
    slack = SLACK * s->now_us + SLACK_US;
    for (int i = 0; i < CHANGES; i++) {
        struct gsim_change change;
        CHECK_OK(gsim_change_parse(changes[i], &change, &error), error);
        double us = time_with(s, &change, 1), most = most_of(&s->path, changes[i], 0);
        if (us < 0) continue;
        CHECK_MSG(s->now_us - us <= most + slack, "%s: %s saves %.1f of %.1f us, of the path it takes at most %.1f",
                  s->label, changes[i], s->now_us - us, s->now_us, most);
        helped[i] += us < s->now_us - 0.01;
        if (!gsim_change_is_software(change.kind) || us >= s->now_us * 0.998) continue;
        all[together++] = change;
        sum += most;
    }
    tried++;
    if (together < 2) return;
    double us = time_with(s, all, together);
    if (us < 0) return;
    CHECK_MSG(s->now_us - us <= fmin(sum, s->now_us) + slack,
              "%s: together saves %.1f of %.1f us, the parts take at most %.1f", s->label, s->now_us - us, s->now_us,
              sum);
}

/* --- random programs --- */
static uint64_t state = 20261126;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

struct made {
    struct gsim_builder *builder;
    uint32_t last[3], buffer;
};

static void add_kernel(struct made *m, uint32_t stream)
{
    static const char *const names[] = {"alpha", "beta", "gamma_elementwise", "delta_elementwise"};
    static const double lengths[] = {2, 4, 8, 15, 40, 120};
    uint32_t name = draw(4);
    const struct gsim_kernel kernel = {.name = names[name],
                                       .grid = {1 + draw(draw(2) ? 40 : 600), 1, 1},
                                       .block = {128, 1, 1},
                                       .regs_per_thread = 32,
                                       .solo_us = name > 1 ? 1 + draw(6) : lengths[draw(6)],
                                       .solo_cold = true,
                                       .solo_profiled = true};
    uint32_t after[2], count = 0, other = draw(3);
    if (m->last[stream] != UINT32_MAX) after[count++] = m->last[stream];
    if (!draw(6) && other != stream && m->last[other] != UINT32_MAX) after[count++] = m->last[other];
    if (count == 2 && after[1] < after[0]) after[1] = after[0], after[0] = m->last[other];
    m->last[stream] =
        gsim_builder_op(m->builder, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                                      .kernel_index = gsim_builder_kernel(m->builder, &kernel),
                                                      .stream = (int32_t)stream,
                                                      .after = after,
                                                      .after_count = count});
}

static void add_copy(struct made *m, uint32_t stream)
{
    bool is_back = draw(2), is_pageable = draw(2);
    const struct gsim_arg arg = {.buffer_index = m->buffer, .reads = is_back, .writes = !is_back};
    m->last[stream] = gsim_builder_op(
        m->builder, &(struct gsim_op){.kind = GSIM_OP_COPY,
                                      .copy_kind = is_back ? GSIM_COPY_D2H : GSIM_COPY_H2D,
                                      .copy_memory = is_pageable ? GSIM_COPY_MEMORY_PAGEABLE : GSIM_COPY_MEMORY_PINNED,
                                      .args = &arg,
                                      .arg_count = 1,
                                      .bytes = 1000 + draw(2) * draw(2000000),
                                      .copy_us = draw(3) ? 0 : 1 + draw(30),
                                      .stream = (int32_t)stream,
                                      .after = &m->last[stream],
                                      .after_count = m->last[stream] != UINT32_MAX});
    if (is_pageable) /* the call returns behind it */
        gsim_builder_op(m->builder, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                                      .what = GSIM_HOST_OWN,
                                                      .stream = -1,
                                                      .after = &m->last[stream],
                                                      .after_count = 1});
}

static void add_host(struct made *m, uint32_t streams)
{
    static const char *const owners[] = {NULL,
                                         GSIM_HOST_OWN,
                                         GSIM_HOST_IN_LAUNCH "cudaLaunchKernel",
                                         GSIM_HOST_IN_CALL "cudaMalloc",
                                         GSIM_HOST_NAMED "load",
                                         GSIM_HOST_IN_WAIT "cudaStreamSynchronize"};
    static const double lengths[] = {0, 1, 3, 8, 30, 100, 400};
    uint32_t after[3], count = 0;
    bool waits = !draw(3);
    for (uint32_t s = 0; s < streams && waits; s++)
        if (m->last[s] != UINT32_MAX && draw(3)) after[count++] = m->last[s];
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && after[k] < after[k - 1]; k--) {
            uint32_t swap = after[k];
            after[k] = after[k - 1];
            after[k - 1] = swap;
        }
    uint32_t owner = draw(waits ? 6 : 5), length = draw(7);
    bool is_loop =
        owner == 1 && lengths[length] < 10; /* around launches: the program's own, but a graph has no launches */
    gsim_builder_op(m->builder, &(struct gsim_op){.kind = GSIM_OP_HOST_COMPUTE,
                                                  .host_us = lengths[length],
                                                  .what = owners[owner],
                                                  .needed = count && !draw(6),
                                                  .overhead = !count && (is_loop || (!owner && draw(2))),
                                                  .stream = -1,
                                                  .after = after,
                                                  .after_count = count});
}

static void random_programs_keep_bounds(void)
{
    struct gsim_error error = {0};
    struct gsim_device_spec device = {0};
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        struct setting s = {.device = device};
        struct made m = {.builder = gsim_builder_create("random"), .last = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
        uint32_t streams = 1 + draw(3), ops = 6 + draw(30);
        snprintf(s.label, sizeof s.label, "program %u", i);
        m.buffer = gsim_builder_buffer(m.builder, "data", 4000000, GSIM_INIT_DEVICE);
        add_kernel(&m, 0);
        for (uint32_t k = 0; k < ops; k++) {
            uint32_t what = draw(10);
            if (what < 5) add_kernel(&m, draw(streams));
            else if (what < 6) add_copy(&m, draw(streams));
            else add_host(&m, streams);
        }
        CHECK_OK(gsim_builder_finish(m.builder, 1, &s.program, &error), error);
        check(&s);
        gsim_program_release(&s.program);
    }
    gsim_device_release(&device);
    CHECK_INT(tried, PROGRAMS);
    for (int i = 0; i < CHANGES; i++) CHECK_MSG(helped[i] > 10, "%s helped in %u programs", changes[i], helped[i]);
}

/* --- traces --- */
static void traces_keep_bounds(void)
{
    static const struct {
        const char *file, *device;
    } traces[] = {{"traces/h100/whatif/kineto_branchy_b16.json.gz", "h100-vm"},
                  {"traces/h100/whatif/kineto_encoder_b8.json.gz", "h100-vm"},
                  {"traces/h100/whatif/kineto_googlenet_b1.json.gz", "h100-vm"},
                  {"traces/h200/kineto/kineto_resnet18.json.gz", "h200"},
                  {"traces/h200/kineto/kineto_vgg16.json.gz", "h200"},
                  {"traces/h200/kineto/kineto_deeplab50.json.gz", "h200"},
                  {"traces/h200/traced/ml_async.json.gz", "h200-vm"},
                  {"traces/h200/traced/vec_serial.json.gz", "h200-vm"},
                  {"traces/h200/traced/img_grsched.json.gz", "h200-vm"},
                  {"traces/h200/traced/bs_kesco.json.gz", "h200-vm"}};
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) {
        struct setting s = {.now_us = 0};
        struct gsim_error error = {0};
        struct gsim_import_notes notes;
        char path[300];
        struct gsim_import_options options = {
            .name = "trace", .gaps = true, .last = UINT32_MAX, .removes_overhead = true};
        snprintf(path, sizeof path, "%s/%s", GPUSIM_SOURCE_DIR, traces[i].file);
        snprintf(s.label, sizeof s.label, "%s", traces[i].file);
        CHECK_OK(gsim_device_load(traces[i].device, &s.device, &error), error);
        gsim_import_charge(&options, &s.device);
        const struct gsim_importer *importer = gsim_importer_of(path, NULL, &error);
        CHECK(importer != NULL);
        if (importer) CHECK_OK(importer->read(path, &options, &s.program, &notes, &error), error);
        if (importer) check(&s);
        gsim_program_release(&s.program);
        gsim_device_release(&s.device);
    }
}

static const struct test_case cases[] = {{"random programs keep the bounds", random_programs_keep_bounds},
                                         {"traces keep the bounds", traces_keep_bounds}};
TEST_MAIN("golden/bounds", cases)
