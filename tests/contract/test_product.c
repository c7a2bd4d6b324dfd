/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Features compose: every scheduler x {known, drawn} x {1 GPU, 2, 2 unlike} x {pinned, managed} x {alone, a task}.
 * Every kernel ends once and no dependence is broken. Nothing is refused, bytes and times add up.
 */
#include "gpusim/metrics.h"
#include "gpusim/placement.h"
#include "gpusim/simulate.h"
#include "sim/program/verify.h"
#include "tests/contract/laws.h"
#include "tests/schedulers/programs.h"
#include "tests/sim/known_program.h"
#include "tests/test.h"

enum gpus { ONE, TWO, UNLIKE, GPUS_END, FOUR };

struct point {
    const struct gsim_scheduler_ops *scheduler;
    bool is_drawn, is_managed, is_task;
    enum gpus gpus;
    const struct gsim_placement_ops *placement; /* NULL: the first that does */
};

static struct gsim_program program;
static struct gsim_device_spec devices[2];

/* Two chains that meet, beside a third one; the host looks at it and goes on. Op k8 overwrites what k2 and k5 have
 * read. */
static void begin(void)
{
    static const char *const lines[] = {"!a",          "!b",        "k1: a > c", "k2: b > d", "k3: c > c",
                                        "k4: d c > e", "k5: b > f", "?e",        "!a",        "k6: a e > g",
                                        "k7: f g > h", "k8: f > b", "?h",        NULL};
    struct gsim_error error = {0};
    program_write(lines, GSIM_INIT_NONE, &program);
    CHECK_OK(gsim_device_load("h100-vm", &devices[0], &error), error);
    CHECK_OK(gsim_device_load("a100-sxm4-40gb", &devices[1], &error), error);
}

static void describe(const struct point *p, char text[160])
{
    static const char *const names[] = {"1 GPU", "2 GPUs", "2 unlike GPUs", "", "4 GPUs"};
    snprintf(text, 160, "%s, %s, %s, %s, %s", p->scheduler->name, p->is_drawn ? "drawn" : "known", names[p->gpus],
             p->is_managed ? "managed" : "pinned", p->is_task ? "a task" : "alone");
}

/* A placement where the scheduler takes one for such a program. */
static const struct gsim_placement_ops *placement_of(const struct point *p)
{
    return p->gpus == ONE || !gsim_scheduler_can_place(p->scheduler) ? NULL
           : p->placement                                            ? p->placement
                                                                     : gsim_placement_find("round-robin");
}

/* How many of T's kernels (copies) are under way between AT and just behind it. */
static uint32_t kernels_at(const struct gsim_timeline *t, gsim_time at)
{
    uint32_t count = 0;
    for (size_t i = 0; i < t->kernel_count; i++) count += t->kernels[i].start <= at && at < t->kernels[i].end;
    return count;
}
static uint32_t copies_at(const struct gsim_timeline *t, gsim_time at)
{
    uint32_t count = 0;
    for (size_t i = 0; i < t->copy_count; i++) count += t->copies[i].start <= at && at < t->copies[i].end;
    return count;
}

static int by_time(const void *a, const void *b)
{
    gsim_time x = *(const gsim_time *)a, y = *(const gsim_time *)b;
    return x < y ? -1 : x > y;
}

/* Times in which something is under way, counted from one start or end to the next. */
struct busy {
    gsim_time kernels, copies, any, of_kernels, of_copies;
    uint64_t bytes[GSIM_COPY_KIND_COUNT];
};
static struct busy busy_of(const struct gsim_timeline *t)
{
    gsim_time times[200];
    size_t count = 0;
    struct busy b = {0};
    for (size_t i = 0; i < t->kernel_count; i++) {
        b.of_kernels += t->kernels[i].end - t->kernels[i].start;
        times[count++] = t->kernels[i].start, times[count++] = t->kernels[i].end;
    }
    for (size_t i = 0; i < t->copy_count && count < 198; i++) {
        b.of_copies += t->copies[i].end - t->copies[i].start;
        b.bytes[t->copies[i].kind] += t->copies[i].bytes;
        times[count++] = t->copies[i].start, times[count++] = t->copies[i].end;
    }
    qsort(times, count, sizeof *times, by_time);
    for (size_t i = 0; i + 1 < count; i++) {
        bool has_kernels = kernels_at(t, times[i]), has_copies = copies_at(t, times[i]);
        b.kernels += has_kernels ? times[i + 1] - times[i] : 0;
        b.copies += has_copies ? times[i + 1] - times[i] : 0;
        b.any += has_kernels || has_copies ? times[i + 1] - times[i] : 0;
    }
    return b;
}

/* What holds in every run: nothing runs before it was called or beyond the iteration, one copy at a time goes one way
 * on a GPU's link, each byte that the host wrote comes once to where it is read and what it reads comes once; and the
 * report says what is there. */
static void laws(const struct point *p, const struct gsim_timeline *t, const char *text)
{
    struct busy b = busy_of(t);
    struct gsim_metrics m;
    struct gsim_error error = {0};
    gsim_time end = t->iterations[0].end, sum = 0;
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        CHECK_MSG(k->launch <= k->ready && k->ready <= k->start && k->start < k->end && k->end <= end, "%s: kernel %zu",
                  text, i);
        CHECK_MSG(p->gpus != ONE || k->end - k->start >= 5 * GSIM_PS_PER_US - 1000,
                  "%s: kernel %zu is faster than alone", text, i);
    }
    for (size_t i = 0; i < t->copy_count; i++) {
        const struct gsim_copy_record *c = &t->copies[i];
        CHECK_MSG(c->launch <= c->start && c->start < c->end && c->end <= end, "%s: copy %zu", text, i);
        for (size_t o = 0; o < i && !p->is_managed; o++) {
            const struct gsim_copy_record *other = &t->copies[o];
            CHECK_MSG(other->kind != c->kind || other->device != c->device || other->end <= c->start ||
                          c->end <= other->start,
                      "%s: copies %zu and %zu at once", text, o, i);
        }
    }
    if (p->gpus == ONE && !p->is_managed) {
        CHECK_MSG(b.bytes[GSIM_COPY_H2D] == 3 * 4096 && b.bytes[GSIM_COPY_D2H] == 2 * 4096,
                  "%s: %" PRIu64 " and %" PRIu64 " bytes", text, b.bytes[GSIM_COPY_H2D], b.bytes[GSIM_COPY_D2H]);
    }
    CHECK_OK(gsim_metrics_compute(t, &devices[0], NULL, &m, &error), error);
    CHECK_MSG(m.kernel_time == b.of_kernels && m.transfer_time == b.of_copies && m.device_busy == b.any, "%s: sums",
              text);
    CHECK_MSG(m.h2d_bytes == b.bytes[GSIM_COPY_H2D] && m.d2h_bytes == b.bytes[GSIM_COPY_D2H], "%s: bytes", text);
    CHECK_NEAR(m.overlap.compute_compute * (double)b.of_kernels, b.of_kernels - b.kernels, 2);
    CHECK_NEAR(m.overlap.total * (double)(b.of_kernels + b.of_copies), b.of_kernels + b.of_copies - b.any, 2);
    CHECK(m.iteration_min == m.iteration_max && m.iteration_total == end - t->iterations[0].start && m.makespan >= end);
    for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++) sum += m.bottleneck_time[i];
    laws_of_energy(t, &devices[0], text);
    CHECK_MSG(!m.has_bottlenecks || llabs(sum - m.makespan) < 1000, "%s: bottlenecks of %.3f us", text,
              gsim_time_us(sum));
}

static enum gsim_status run(const struct point *p, struct gsim_error *error)
{
    struct gsim_source_of_program_params source = {&program};
    struct gsim_program drawn = {0}, empty = {.name = "drawn", .iterations = 1};
    struct gsim_timeline timeline = {0};
    const struct gsim_device_spec *const list[] = {&devices[0], &devices[p->gpus == UNLIKE]};
    struct gsim_simulation s = {.program = p->is_drawn ? &drawn : &program,
                                .drawn = &drawn,
                                .device = &devices[0],
                                .devices = p->gpus == UNLIKE ? list : NULL,
                                .scheduler = p->scheduler,
                                .gpu_count = p->gpus == ONE    ? 1
                                             : p->gpus == FOUR ? 4
                                                               : 2,
                                .memory = p->is_managed ? GSIM_MEMORY_MANAGED : GSIM_MEMORY_PINNED,
                                .seed = 1,
                                .detailed = true,
                                .placement = placement_of(p),
                                .source = p->is_drawn ? &gsim_source_of_program : NULL,
                                .source_params = &source};
    struct gsim_task task = {.name = "task",
                             .program = p->is_drawn ? &empty : &program,
                             .source = s.source,
                             .source_params = &source,
                             .scheduler = p->scheduler,
                             .process = GSIM_OWN_PROCESS,
                             .requests = 1};
    struct gsim_task_set set = {0};
    enum gsim_status status = GSIM_OK;
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    s.gpu.check = true;
    if (p->is_task) {
        status = gsim_task_set_init(&set, "task", &task, 1, error);
        s.program = &set.all;
        s.source = NULL;
        s.tasks = &set;
        s.sharing = gsim_sharing_find("exclusive");
    }
    if (!status) status = gsim_simulate(&s, &timeline, error);
    if (!status && !p->is_task)
        status = gsim_verify_timeline(&timeline, &program, 1, p->gpus != ONE && !p->is_managed, error);
    char text[160];
    describe(p, text);
    if (!status && !p->is_task) laws(p, &timeline, text);
    CHECK(status || timeline.kernel_count == 8);
    CHECK(status || !p->is_task || (timeline.request_count == 1 && timeline.requests[0].request == 0));
    gsim_timeline_release(&timeline);
    gsim_program_release(&drawn);
    gsim_task_set_release(&set);
    return status;
}

static void product(void)
{
    uint32_t ran = 0;
    begin();
    for (uint32_t i = 0; gsim_scheduler_at(i); i++)
        for (int choice = 0; choice < 8 * GPUS_END; choice++) {
            const struct point p = {gsim_scheduler_at(i),    choice & 1, choice & 2, choice & 4,
                                    (enum gpus)(choice / 8), NULL};
            struct gsim_error error = {0};
            char text[160];
            describe(&p, text);
            enum gsim_status status = run(&p, &error);
            CHECK_MSG(status == GSIM_OK, "%s: %s", text, error.message);
            ran++;
        }
    printf(" (%u ran) ", ran);
    gsim_program_release(&program);
    for (int d = 0; d < 2; d++) gsim_device_release(&devices[d]);
}

/* Every placement under every scheduler that takes one. */
static void placements(void)
{
    static const enum gpus gpus[] = {TWO, UNLIKE, FOUR};
    uint32_t ran = 0;
    begin();
    for (uint32_t i = 0; gsim_scheduler_at(i); i++)
        for (uint32_t l = 0; gsim_placement_at(l); l++)
            for (int choice = 0; choice < 6; choice++) {
                const struct point p = {gsim_scheduler_at(i), false, choice & 1, false, gpus[choice / 2],
                                        gsim_placement_at(l)};
                struct gsim_error error = {0};
                char text[160];
                if (!gsim_scheduler_can_place(p.scheduler) || (p.scheduler->places && !p.placement->choose)) continue;
                describe(&p, text);
                enum gsim_status status = run(&p, &error);
                bool is_refused = p.gpus != ONE && p.placement->follows_program &&
                                  strcmp(p.scheduler->name, "eager") == 0; /* whichever GPU has room takes a kernel */
                CHECK_MSG(status == (is_refused ? GSIM_INPUT : GSIM_OK), "%s, %s: %s", text, p.placement->name,
                          error.message);
                ran++;
            }
    printf(" (%u ran) ", ran);
    gsim_program_release(&program);
    for (int d = 0; d < 2; d++) gsim_device_release(&devices[d]);
}

/* Numbers of GPUs beyond a byte: kernel i of 300 is on GPU i. */
static void hundreds(void)
{
    struct gsim_builder *b = gsim_builder_create("hundreds");
    struct gsim_error error = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_kernel kernel = {.name = "k", .grid = {8, 1, 1}, .block = {128, 1, 1}, .solo_us = 5};
    uint32_t index = gsim_builder_kernel(b, &kernel);
    for (uint32_t i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        struct gsim_arg arg = {gsim_builder_buffer(b, name, 4096, GSIM_INIT_HOST), true, true, false};
        gsim_builder_op(b,
                        &(struct gsim_op){
                            .kind = GSIM_OP_KERNEL, .kernel_index = index, .args = &arg, .arg_count = 1, .stream = -1});
    }
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    CHECK_OK(gsim_device_load("h100-vm", &devices[0], &error), error);
    struct gsim_simulation s = {.program = &program,
                                .device = &devices[0],
                                .scheduler = gsim_scheduler_find("kesco"),
                                .gpu_count = 300,
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = 1,
                                .placement = gsim_placement_find("round-robin")};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
    CHECK_INT(timeline.kernel_count, 300);
    for (size_t k = 0; k < timeline.kernel_count; k++) CHECK_INT(timeline.kernels[k].device, timeline.kernels[k].op);
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    gsim_device_release(&devices[0]);
}

/* Two tasks on two GPUs, under every way of sharing that does not decide on single kernels. */
static void tasks(void)
{
    uint32_t ran = 0;
    begin();
    for (uint32_t way = 0; gsim_sharing_at(way); way++)
        for (int choice = 0; choice < 8; choice++) {
            const struct gsim_sharing_ops *sharing = gsim_sharing_at(way);
            const struct gsim_device_spec *const list[] = {&devices[0], &devices[choice & 1]};
            struct gsim_task two[] = {{.name = "a",
                                       .program = &program,
                                       .scheduler = gsim_scheduler_find("async"),
                                       .process = GSIM_OWN_PROCESS,
                                       .requests = 2},
                                      {.name = "b",
                                       .program = &program,
                                       .scheduler = gsim_scheduler_find("kesco"),
                                       .process = GSIM_OWN_PROCESS,
                                       .requests = 2}};
            struct gsim_task_set set = {0};
            struct gsim_timeline timeline = {0};
            struct gsim_error error = {0};
            CHECK_OK(gsim_task_set_init(&set, "two", two, 2, &error), error);
            struct gsim_simulation s = {.program = &set.all,
                                        .device = &devices[0],
                                        .devices = list,
                                        .tasks = &set,
                                        .sharing = sharing,
                                        .gpu_count = 2,
                                        .scheduler = two[0].scheduler,
                                        .memory = choice & 2 ? GSIM_MEMORY_MANAGED : GSIM_MEMORY_PINNED,
                                        .seed = 1,
                                        .placement = choice & 4 ? gsim_placement_find("round-robin") : NULL};
            gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
            s.gpu.check = true;
            enum gsim_status status = gsim_simulate(&s, &timeline, &error);
            bool is_refused = status == GSIM_INPUT && strstr(error.message, "decides on the kernels of one GPU");
            bool has_profile = sharing->needs_profile && strstr(error.message, "needs a profile");
            /* The parts of an H100 are more SMs than an A100 has. */
            bool is_large = status == GSIM_USAGE && (choice & 1) && (choice & 4) &&
                            strstr(error.message, "the processes' parts have");
            CHECK_MSG(sharing->ready ? is_refused || has_profile : status == GSIM_OK || is_large, "%s, %d: %s",
                      sharing->name, choice, error.message);
            CHECK(status || timeline.kernel_count == 32);
            for (size_t k = 0; !status && k < timeline.kernel_count; k++)
                CHECK(timeline.kernels[k].device == 0 || choice & 4);
            ran += status == GSIM_OK;
            if (!status)
                laws_of_energy(&timeline, &devices[0], sharing->name), laws_of_tasks(&timeline, &set, sharing->name);
            gsim_timeline_release(&timeline);
            gsim_task_set_release(&set);
        }
    printf(" (%u ran) ", ran);
    CHECK(ran >= 5 * 6);
    gsim_program_release(&program);
    for (int d = 0; d < 2; d++) gsim_device_release(&devices[d]);
}

/* What B builds, on two GPUs, kernel by kernel in turn. */
static void run_on_two(struct gsim_builder *b, const char *scheduler, struct gsim_timeline *timeline)
{
    struct gsim_error error = {0};
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    CHECK_OK(gsim_device_load("h100-vm", &devices[0], &error), error);
    struct gsim_simulation s = {.program = &program,
                                .device = &devices[0],
                                .scheduler = gsim_scheduler_find(scheduler),
                                .gpu_count = 2,
                                .memory = GSIM_MEMORY_PINNED,
                                .seed = 1,
                                .placement = gsim_placement_find("round-robin")};
    gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
    CHECK_OK(gsim_simulate(&s, timeline, &error), error);
}

/* Halves of a buffer, the second up to its end, written on two GPUs and read whole on one: a copy of 2 KiB brings the
 * other half. */
static void halves(void)
{
    struct gsim_builder *b = gsim_builder_create("halves");
    struct gsim_timeline timeline = {0};
    struct gsim_kernel kernel = {.name = "k", .grid = {8, 1, 1}, .block = {128, 1, 1}, .solo_us = 5};
    uint32_t index = gsim_builder_kernel(b, &kernel), x = gsim_builder_buffer(b, "x", 4096, GSIM_INIT_NONE);
    for (uint32_t i = 0; i < 3; i++) {
        struct gsim_arg arg = {x, i == 2, i < 2, false};
        struct gsim_segment half = {2048 * (uint64_t)i, 2048, 0, false, true};
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL,
                                             .kernel_index = index,
                                             .args = &arg,
                                             .arg_count = 1,
                                             .segments = &half,
                                             .segment_count = i < 2,
                                             .stream = -1});
    }
    run_on_two(b, "kesco", &timeline);
    CHECK_INT(timeline.copy_count, 1);
    if (timeline.copy_count == 1) CHECK_INT(timeline.copies[0].bytes, 2048);
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    gsim_device_release(&devices[0]);
}

/* What GPU 1 wrote goes to GPU 0 for a second kernel that only reads it, and the host, which need not follow that
 * kernel, reads 64 MiB of it meanwhile: the copy back follows the copy between the GPUs. */
static void copies(void)
{
    struct gsim_builder *b = gsim_builder_create("copies");
    struct gsim_timeline timeline = {0};
    struct gsim_kernel kernel = {.name = "k", .grid = {8, 1, 1}, .block = {128, 1, 1}, .solo_us = 5};
    uint32_t index = gsim_builder_kernel(b, &kernel), a = gsim_builder_buffer(b, "a", 4096, GSIM_INIT_NONE);
    uint32_t x = gsim_builder_buffer(b, "x", 64 << 20, GSIM_INIT_NONE);
    const struct gsim_arg args[] = {{a, false, true, false}, {x, false, true, false}, {x, true, false, true}};
    for (uint32_t i = 0; i < 5; i++)
        gsim_builder_op(b, &(struct gsim_op){.kind = i < 4 ? GSIM_OP_KERNEL : GSIM_OP_HOST_READ,
                                             .kernel_index = index,
                                             .args = &args[i < 2 ? i : 2],
                                             .arg_count = 1,
                                             .bytes = i < 4 ? 0 : 64 << 20,
                                             .stream = -1});
    run_on_two(b, "grsched", &timeline);
    CHECK_INT(timeline.copy_count, 2);
    if (timeline.copy_count == 2) CHECK(timeline.copies[1].start >= timeline.copies[0].end);
    gsim_timeline_release(&timeline);
    gsim_program_release(&program);
    gsim_device_release(&devices[0]);
}

/* A run until iterations repeat ends long before GSIM_STEADY_MAX under every scheduler. */
static void steady(void)
{
    begin();
    for (uint32_t i = 0; gsim_scheduler_at(i); i++) {
        struct gsim_timeline timeline;
        struct gsim_error error = {0};
        struct gsim_simulation s = {.program = &program,
                                    .device = &devices[0],
                                    .scheduler = gsim_scheduler_at(i),
                                    .memory = GSIM_MEMORY_PINNED,
                                    .seed = 1,
                                    .until_steady = true};
        gsim_params_set_defaults(gsim_gpu_params, &s.gpu);
        CHECK_OK(gsim_simulate(&s, &timeline, &error), error);
        CHECK_MSG(timeline.iteration_count < GSIM_STEADY_MAX / 2, "%s: %zu iterations", s.scheduler->name,
                  timeline.iteration_count);
        gsim_timeline_release(&timeline);
    }
    gsim_program_release(&program);
    for (int d = 0; d < 2; d++) gsim_device_release(&devices[d]);
}

static const struct test_case cases[] = {{"halves of a buffer", halves},
                                         {"iterations that repeat", steady},
                                         {"the product", product},
                                         {"placements", placements},
                                         {"tasks", tasks},
                                         {"copies of one buffer", copies},
                                         {"hundreds of GPUs", hundreds}};
TEST_MAIN("contract/product", cases)
