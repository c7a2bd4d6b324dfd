/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each program of orders.cu says what CUDA's rules make of it: it races, it is right (then every order gives the same),
 * or it cannot go on.
 */
#include <string.h>

#include "gpusim/memory.h"
#include "sim/base/gz.h"
#include "source/read/options.h"
#include "source/run/check.h"
#include "tests/test.h"

#define SOURCE  "tests/source/run/orders.cu"
#define KERNELS "tests/source/run/kernels.cu"
#define CASES   29

static const struct gsim_cuda_options plain;

static void check_case(const struct gsim_run_program *program, struct gsim_run_shared *shared, int number,
                       const char *what)
{
    char text[8];
    struct gsim_error error = {0};
    const char *const words[] = {"orders", text, NULL};
    struct gsim_run_settings run = {
        .is_recorded = true, .words = words, .limit_s = 20, .limit_bytes = 1 << 30, .is_quiet = true};
    snprintf(text, sizeof text, "%d", number);
    enum gsim_status status = gsim_run_execute(program, &run, shared, &error);
    if (strncmp(what, "right", 5) == 0 || strncmp(what, "race", 4) == 0) {
        CHECK_OK(status, error);
        if ((shared->races > 0) != (what[1] == 'a')) printf("case %d, %s: %s\n", number, what, shared->text);
        CHECK_INT(shared->races > 0, what[1] == 'a');
    } else {
        CHECK_INT(status, GSIM_INPUT);
        if (!strstr(error.message, what)) printf("case %d: expected '%s', found '%s'\n", number, what, error.message);
        CHECK(strstr(error.message, what) != NULL);
    }
    if (what[1] != 'i') return;
    uint64_t hash = shared->seen[0].hash, sum = shared->host_sum;
    run.is_recorded = false;
    for (run.seed = 1; run.seed < 8; run.seed++) {
        run.order = run.seed < 4 ? GSIM_RUN_LATE + (enum gsim_run_order)run.seed - 1 : GSIM_RUN_RANDOM;
        CHECK_OK(gsim_run_execute(program, &run, shared, &error), error);
        CHECK_INT(shared->seen[0].hash, hash);
        CHECK_INT(shared->host_sum, sum);
    }
}

static void cases_are_told(void)
{
    size_t length;
    int count = 0;
    struct gsim_error error = {0};
    struct gsim_run_program *program = NULL;
    struct gsim_run_shared *shared = gsim_run_result();
    char *text = gsim_file_read(SOURCE, &length, &error);
    CHECK(text && shared);
    if (gsim_run_missing()) printf("skipped: %s\n", gsim_run_missing());
    if (!text || !shared || gsim_run_missing()) return;
    CHECK_OK(gsim_run_compile(SOURCE, text, length, &plain, &program, &error), error);
    for (char *at = text; program && (at = strstr(at, "// CASE ")); count++) {
        int number = (int)strtol(at + 8, &at, 10);
        size_t line = strcspn(at += 2, "\n");
        at[line] = '\0';
        check_case(program, shared, number, at);
        at += line + 1;
    }
    CHECK_INT(count, program ? CASES : 0);
    gsim_run_program_destroy(program);
    gsim_run_result_release(shared);
    gsim_free(text);
}

/* kernels.cu computes what it expects itself; its exit status is the number of what is wrong. */
static void kernels_compute(void)
{
    size_t length;
    struct gsim_error error = {0};
    struct gsim_run_program *program = NULL;
    struct gsim_run_shared *shared = gsim_run_result();
    static const char *const words[] = {"kernels", NULL};
    const struct gsim_run_settings run = {.is_recorded = true, .words = words, .limit_s = 20, .limit_bytes = 1 << 30};
    char *text = gsim_file_read(KERNELS, &length, &error);
    CHECK(text && shared);
    if (!text || !shared || gsim_run_missing()) return;
    CHECK_OK(gsim_run_compile(KERNELS, text, length, &plain, &program, &error), error);
    if (program) CHECK_OK(gsim_run_execute(program, &run, shared, &error), error);
    CHECK_INT(shared->exit_status, 0);
    CHECK_INT(shared->kernels, 11);
    CHECK_INT(shared->races, 0);
    gsim_run_program_destroy(program);
    gsim_run_result_release(shared);
    gsim_free(text);
}

static const struct test_case cases[] = {
    {"each case is told", cases_are_told},
    {"kernels compute", kernels_compute},
};
TEST_MAIN("source/run/check", cases)
