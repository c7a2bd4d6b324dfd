/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runner's kernels, executed on the CPU, against their references: right in the program's order at many shapes and
 * sizes, and found wrong when any kernel is left out, any two dependent ops change places, or a result is changed.
 */
#include "tests/traces/runner/cpu.h"
#include "traces/runner/kernels/common.h"

static const char *const suites[] = {"kesco", "grcuda"};

static const struct gsim_workload_options smallest[] = {
    {.suite = GSIM_SUITE_KESCO, .blocks = 5, .block1d = 64},
    {.suite = GSIM_SUITE_GRCUDA, .blocks = 5, .block1d = 64},
};

/* Small enough for a kernel on the CPU to take milliseconds. */
static const struct small {
    const char *workload;
    double size;
} small[] = {{"vec", 1000}, {"bs", 50}, {"ml", 150}, {"hits", 60}, {"img", 17}, {"dl", 64}, {"m1", 3}, {"m2", 5}};
#define SMALL_COUNT (sizeof(small) / sizeof(small[0]))

static struct gsim_workload_options small_options(size_t index, int suite)
{
    struct gsim_workload_options options = smallest[suite];
    options.size = small[index].size;
    return options;
}

static void test_registry(void)
{
    uint32_t count = 0;
    while (gsim_bench_at(count)) count++;
    for (uint32_t i = 0; gsim_workload_at(i); i++) {
        const struct gsim_bench_ops *ops = gsim_bench_find(gsim_workload_at(i)->name);
        CHECK_MSG(ops, "no kernels of '%s'", gsim_workload_at(i)->name);
        if (ops) CHECK_STR(ops->name, gsim_workload_at(i)->name);
    }
    CHECK_INT(count, SMALL_COUNT);
    CHECK(gsim_bench_find("none") == NULL);
}

/* Any grid and block: one of each, warps that are not full, more threads than work; sizes that divide nothing. */
static void test_shapes(void)
{
    static const struct {
        const char *workload;
        double size;
        uint32_t blocks, block1d;
    } cases[] = {
        {"vec", 1, 1, 1},    {"vec", 999, 3, 33}, {"vec", 4000, 7, 1024}, {"bs", 1, 1, 1},    {"bs", 301, 3, 50},
        {"ml", 1, 1, 1},     {"ml", 33, 2, 33},   {"ml", 70, 3, 1024},    {"hits", 1, 1, 1},  {"hits", 2, 2, 2},
        {"hits", 97, 3, 33}, {"hits", 500, 2, 7}, {"hits", 1000, 4, 256}, {"img", 8, 1, 1},   {"img", 33, 4, 33},
        {"img", 40, 9, 512}, {"dl", 60, 1, 1},    {"dl", 79, 4, 33},      {"dl", 101, 8, 64}, {"m1", 1, 1, 256},
        {"m1", 9, 2, 100},   {"m1", 11, 3, 1000}, {"m2", 1, 1, 256},      {"m2", 70, 2, 100},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int suite = 0; suite < 2; suite++) {
            struct gsim_workload_options options = {
                .suite = suite, .size = cases[i].size, .blocks = cases[i].blocks, .block1d = cases[i].block1d};
            struct gsim_error error = {0};
            struct cpu cpu;
            cpu_open(&cpu, cases[i].workload, &options, i);
            cpu_start(&cpu);
            for (int iteration = 0; iteration < 2; iteration++) {
                cpu_iteration(&cpu);
                int status = cpu.ops->check(cpu.bench, cpu.memory, &error);
                CHECK_MSG(status == 0, "%s, %s suite, N = %g, %u x %u, iteration %d: %s", cases[i].workload,
                          suites[suite], cases[i].size, cases[i].blocks, cases[i].block1d, iteration, error.message);
                cpu_restart(&cpu);
            }
            cpu_close(&cpu);
        }
}

/* The program's own launch shapes. */
static void test_default_shapes(void)
{
    static const char *const workloads[] = {"vec", "bs", "ml", "hits", "img"};
    for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
        struct gsim_workload_options options = {.suite = GSIM_SUITE_KESCO, .size = 100};
        struct gsim_error error = {0};
        struct cpu cpu;
        cpu_open(&cpu, workloads[i], &options, 7);
        cpu_start(&cpu);
        cpu_iteration(&cpu);
        CHECK_OK(cpu.ops->check(cpu.bench, cpu.memory, &error), error);
        cpu_close(&cpu);
    }
}

/* Sizes at which only a sample is compared: the last element is in it, and what is no number is found anywhere. */
static void test_samples(void)
{
    static const struct {
        const char *workload, *buffer;
        double size;
    } large[] = {{"bs", "y9", 100100}, {"ml", "r2", 20100}, {"img", "image3", 230},
                 {"dl", "z", 880},     {"m1", "y", 32},     {"m2", "y", 70}};
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        struct gsim_workload_options options = {.size = large[i].size, .blocks = 8, .block1d = 128};
        struct gsim_error error = {0};
        struct cpu cpu;
        cpu_open(&cpu, large[i].workload, &options, 3);
        cpu_start(&cpu);
        cpu_iteration(&cpu);
        CHECK_OK(cpu.ops->check(cpu.bench, cpu.memory, &error), error);
        for (uint32_t b = 0; b < cpu.program.buffer_count; b++) {
            if (strcmp(cpu.program.buffers[b].name, large[i].buffer) != 0) continue;
            unsigned char *bytes = cpu.memory[b], *last = bytes + cpu.program.buffers[b].bytes - 1;
            unsigned char *inside = bytes + cpu.program.buffers[b].bytes / 16 * 8, saved[8];
            memcpy(saved, inside, 8);
            memset(inside, GSIM_BENCH_POISON, 8);
            CHECK_INT(cpu.ops->check(cpu.bench, cpu.memory, &error), GSIM_SIM);
            CHECK_HAS(error.message, "expected a number");
            memcpy(inside, saved, 8);
            *last ^= 0x80; /* the sign */
            CHECK_INT(cpu.ops->check(cpu.bench, cpu.memory, &error), GSIM_SIM);
            CHECK_HAS(error.message, large[i].buffer);
        }
        cpu_close(&cpu);
    }
}

/* --- mutations --------------------------------------------------------------------------------------------- */

/* All buffers, one after another. */
static unsigned char *snapshot(const struct cpu *cpu)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < cpu->program.buffer_count; i++) bytes += cpu->program.buffers[i].bytes;
    unsigned char *copy = gsim_alloc(bytes), *at = copy;
    for (uint32_t i = 0; i < cpu->program.buffer_count; at += cpu->program.buffers[i++].bytes)
        memcpy(at, cpu->memory[i], cpu->program.buffers[i].bytes);
    return copy;
}

static void restore(struct cpu *cpu, const unsigned char *copy)
{
    for (uint32_t i = 0; i < cpu->program.buffer_count; copy += cpu->program.buffers[i++].bytes)
        memcpy(cpu->memory[i], copy, cpu->program.buffers[i].bytes);
}

static bool depends(const struct gsim_op *earlier, const struct gsim_op *later)
{
    for (uint32_t i = 0; i < earlier->arg_count; i++)
        for (uint32_t j = 0; j < later->arg_count; j++) {
            const struct gsim_arg *x = &earlier->args[i], *y = &later->args[j];
            if (x->buffer_index == y->buffer_index && (x->writes || y->writes)) return true;
        }
    return false;
}

static const char *op_name(const struct cpu *cpu, uint32_t op_index)
{
    const struct gsim_op *op = &cpu->program.ops[op_index];
    return op->kind == GSIM_OP_KERNEL ? cpu->program.kernels[op->kernel_index].name : "host write";
}

/* IMG's two resets of nothing, and HITS' host writes at the end of an iteration whose next one is not looked at:
 * without effect by the program's definition. */
static bool has_effect(const struct cpu *cpu, uint32_t op_index)
{
    if (strncmp(op_name(cpu, op_index), "reset", 5) == 0) return strcmp(cpu->ops->name, "img") != 0;
    if (cpu->program.ops[op_index].kind != GSIM_OP_HOST_WRITE) return true;
    for (uint32_t i = op_index + 1; i < cpu->program.op_count; i++)
        if (cpu->program.ops[i].kind == GSIM_OP_KERNEL) return true;
    return false;
}

/* Twelve heads are alike: three of them are enough. */
static bool is_repetition(const struct cpu *cpu, uint32_t op_index)
{
    const struct gsim_op *op = &cpu->program.ops[op_index];
    if (strcmp(cpu->ops->name, "m2") != 0) return false;
    return op->stream != 0 && op->stream != 5 && op->stream != 11;
}

/* From the state BEFORE on: op MOVED (or none: UINT32_MAX) first, then the others from FIRST on but without
 * LEFT_OUT. */
static enum gsim_status finish(struct cpu *cpu, const unsigned char *before, uint32_t first, uint32_t moved,
                               uint32_t left_out)
{
    struct gsim_error error = {0};
    restore(cpu, before);
    if (moved != UINT32_MAX) cpu_execute(cpu, moved);
    for (uint32_t i = first; i < cpu->program.op_count; i++)
        if (i != moved && i != left_out) cpu_execute(cpu, i);
    return cpu->ops->check(cpu->bench, cpu->memory, &error);
}

static void mutate(struct cpu *cpu, const char *suite, uint32_t op_index)
{
    const struct gsim_program *p = &cpu->program;
    unsigned char *before = snapshot(cpu);
    CHECK_MSG(finish(cpu, before, op_index, UINT32_MAX, op_index) == GSIM_SIM,
              "%s, %s suite: nothing found wrong without op %u (%s)", p->name, suite, op_index, op_name(cpu, op_index));
    for (uint32_t j = op_index + 1; j < p->op_count; j++) {
        if (!cpu_matters(&p->ops[j]) || !depends(&p->ops[op_index], &p->ops[j])) continue;
        if (!has_effect(cpu, j) || is_repetition(cpu, j)) continue;
        CHECK_MSG(finish(cpu, before, op_index, j, UINT32_MAX) == GSIM_SIM,
                  "%s, %s suite: nothing found wrong with op %u (%s) before op %u (%s)", p->name, suite, j,
                  op_name(cpu, j), op_index, op_name(cpu, op_index));
    }
    restore(cpu, before);
    gsim_free(before);
}

static void test_mutations(void)
{
    for (size_t w = 0; w < SMALL_COUNT; w++)
        for (int suite = 0; suite < 2; suite++) {
            struct gsim_workload_options options = small_options(w, suite);
            struct gsim_error error = {0};
            struct cpu cpu;
            cpu_open(&cpu, small[w].workload, &options, 1);
            cpu_start(&cpu);
            for (uint32_t i = 0; i < cpu.program.op_count; i++) {
                if (!cpu_matters(&cpu.program.ops[i])) continue;
                if (has_effect(&cpu, i) && !is_repetition(&cpu, i)) mutate(&cpu, suites[suite], i);
                cpu_execute(&cpu, i);
            }
            CHECK_OK(cpu.ops->check(cpu.bench, cpu.memory, &error), error);
            cpu_close(&cpu);
        }
}

/* --- single results ---------------------------------------------------------------------------------------- */

static bool is_double(const char *workload) { return strcmp(workload, "bs") == 0; }

/* The message names the buffer and the element. */
static void spoil(struct cpu *cpu, uint32_t buffer, uint64_t element, bool is_wide)
{
    unsigned char *at = (unsigned char *)cpu->memory[buffer] + element * (is_wide ? 8 : 4), saved[8];
    struct gsim_error error = {0};
    char place[64];
    memcpy(saved, at, is_wide ? 8 : 4);
    snprintf(place, sizeof(place), "buffer '%s', element %" PRIu64 ":", cpu->program.buffers[buffer].name, element);
    for (int mutation = 0; mutation < 2; mutation++) {
        if (mutation == 0) memset(at, GSIM_BENCH_POISON, is_wide ? 8 : 4);
        if (mutation == 1) at[is_wide ? 6 : 2] ^= 0x40; /* half the unit of a mantissa */
        CHECK_INT(cpu->ops->check(cpu->bench, cpu->memory, &error), GSIM_SIM);
        CHECK_MSG(strstr(error.message, place) || strstr(error.message, "'r'") || strstr(error.message, "'res'"),
                  "%s: \"%s\" does not name %s", cpu->ops->name, error.message, place);
        memcpy(at, saved, is_wide ? 8 : 4);
    }
    CHECK_INT(cpu->ops->check(cpu->bench, cpu->memory, &error), GSIM_OK);
}

static void test_single_results(void)
{
    for (size_t w = 0; w < SMALL_COUNT; w++)
        for (int suite = 0; suite < 2; suite++) {
            struct gsim_workload_options options = small_options(w, suite);
            struct cpu cpu;
            cpu_open(&cpu, small[w].workload, &options, 2);
            cpu_start(&cpu);
            cpu_iteration(&cpu);
            uint32_t results = 0;
            bool is_wide = is_double(small[w].workload);
            for (uint32_t b = 0; b < cpu.program.buffer_count; b++) {
                if (!cpu.ops->is_result(cpu.bench, b)) continue;
                uint64_t count = cpu.program.buffers[b].bytes / (is_wide ? 8 : 4);
                results++;
                spoil(&cpu, b, 0, is_wide);
                spoil(&cpu, b, count / 2, is_wide);
                spoil(&cpu, b, count - 1, is_wide);
            }
            CHECK_MSG(results > 0, "%s has no results", small[w].workload);
            cpu_close(&cpu);
        }
}

/* --- inputs and errors ------------------------------------------------------------------------------------- */

static void test_seeds(void)
{
    for (size_t w = 0; w < SMALL_COUNT; w++) {
        struct gsim_workload_options options = small_options(w, 0);
        struct cpu cpus[3];
        uint32_t different = 0;
        for (uint64_t i = 0; i < 3; i++) {
            cpu_open(&cpus[i], small[w].workload, &options, i / 2);
            cpu_start(&cpus[i]);
        }
        for (uint32_t b = 0; b < cpus[0].program.buffer_count; b++) {
            const size_t bytes = cpus[0].program.buffers[b].bytes;
            CHECK_INT(memcmp(cpus[0].memory[b], cpus[1].memory[b], bytes), 0);
            different += memcmp(cpus[0].memory[b], cpus[2].memory[b], bytes) != 0;
        }
        CHECK_MSG(different > 0, "%s: seeds change nothing", small[w].workload);
        for (int i = 0; i < 3; i++) cpu_close(&cpus[i]);
    }
}

/* What an iteration leaves behind and the next makes anew. */
static void test_remade(void)
{
    static const struct {
        const char *workload, *kept;
        enum gsim_suite suite;
    } programs[] = {
        {"vec", "", GSIM_SUITE_KESCO},
        {"hits", "", GSIM_SUITE_GRCUDA},
        {"img", "image kernel_small kernel_large kernel_unsharpen ", GSIM_SUITE_KESCO},
        {"img", "image kernel_small kernel_large kernel_unsharpen ", GSIM_SUITE_GRCUDA},
        {"m2", "w_qkv w_out ", GSIM_SUITE_KESCO},
    };
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        struct gsim_workload_options options = {.suite = programs[i].suite, .size = 64};
        struct gsim_program program = {0};
        struct gsim_error error = {0};
        char kept[128] = "";
        CHECK_OK(gsim_workload_find(programs[i].workload)->build(&options, &program, &error), error);
        for (uint32_t b = 0; b < program.buffer_count; b++) {
            if (gsim_bench_is_remade(&program, b)) continue;
            snprintf(kept + strlen(kept), sizeof(kept) - strlen(kept), "%s ", program.buffers[b].name);
        }
        CHECK_STR(kept, programs[i].kept);
        gsim_program_release(&program);
    }
}

static void test_errors(void)
{
    struct gsim_workload_options options = {.size = 100};
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    struct gsim_runner_bench *bench = NULL;
    CHECK_OK(gsim_workload_find("vec")->build(&options, &program, &error), error);
    CHECK_INT(gsim_bench_find("bs")->create(&program, &options, 1, &bench, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "expected its program, found 'vec'");
    program.ops[program.op_count - 1].arg_count--;
    CHECK_INT(gsim_bench_find("vec")->create(&program, &options, 1, &bench, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "no kernel 'reduce' of 2 buffers");
    gsim_program_release(&program);
    static const struct {
        const char *workload, *message;
        double size;
    } large[] = {{"hits", "expected at most 714827882 vertices", 1e9}, {"m1", "expected at most 65535 pixels", 70000}};
    for (int i = 0; i < 2; i++) {
        options.size = large[i].size;
        CHECK_OK(gsim_workload_find(large[i].workload)->build(&options, &program, &error), error);
        CHECK_INT(gsim_bench_find(large[i].workload)->create(&program, &options, 1, &bench, &error), GSIM_INPUT);
        CHECK_HAS(error.message, large[i].message);
        gsim_program_release(&program);
    }
    CHECK(bench == NULL);
    gsim_bench_find("vec")->destroy(NULL);
}

/* All of few; of many MOST from the first to the last, as far apart as they can be. */
static void test_places(void)
{
    static const int64_t rows[][4] = {{5, 10, 3, 3},     {10, 10, 9, 9},    {100, 11, 0, 0}, {100, 11, 5, 49},
                                      {100, 11, 10, 99}, {1000, 2, 1, 999}, {11, 10, 1, 1},  {11, 10, 8, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_INT(gsim_sample_at(rows[i][0], rows[i][1], rows[i][2]), rows[i][3]);
    CHECK_INT(gsim_sample_count(5, 10), 5);
    CHECK_INT(gsim_sample_count(11, 10), 10);
}

static const struct test_case cases[] = {
    {"every workload has kernels", test_registry},
    {"right at any shape and size, twice", test_shapes},
    {"right at the program's shapes", test_default_shapes},
    {"large results are sampled", test_samples},
    {"which are", test_places},
    {"wrong when ops are left out or change places", test_mutations},
    {"wrong when one element is", test_single_results},
    {"inputs follow the seed", test_seeds},
    {"what an iteration makes anew", test_remade},
    {"errors", test_errors},
};

TEST_MAIN("traces/runner/bench", cases)
