/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that a paper asks for: figures of tasks by hand, and what is told of runs that failed. */
#include "cli/trust/paper_runs.h"

#include <unistd.h>

#include "tests/sim/result_fixture.h"

static void write_program(const char *path, const char *kernels, const char *ops)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fprintf(file, "{\"schema\": \"gpusim-program/1\", \"name\": \"p\", \"kernels\": [%s], \"ops\": [%s]}", kernels,
            ops);
    fclose(file);
}

/* Task a has 30 and 50 us of kernels twice, b 20 once, one after the other. Of four points two fail for one reason and
 * one for another: each is told once, with how many. */
static void tasks(void)
{
    static const char *figures[] = {"a.work_us", "b.work_us", "a.served", "b.served", "c.served"};
    static const double right[] = {160, 20, 2, 1, NAN};
    char a[64], b[64], said[64], tasks[2][120];
    double values[4][5];
    scratch_path(a, ".a.json"), scratch_path(b, ".b.json"), scratch_path(said, ".said");
    write_program(a, "{\"name\": \"k\", \"solo_us\": 30}, {\"name\": \"l\", \"solo_us\": 50}",
                  "{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [32], \"grid\": [1]}, "
                  "{\"op\": \"kernel\", \"kernel\": \"l\", \"block\": [32], \"grid\": [1]}");
    write_program(b, "{\"name\": \"k\", \"solo_us\": 20}",
                  "{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [32], \"grid\": [1]}");
    snprintf(tasks[0], sizeof tasks[0], "%s,name=a,requests=2", a);
    snprintf(tasks[1], sizeof tasks[1], "%s,name=b,requests=1", b);
    struct gsim_paper_setting settings[4][3] = {{{"task1", tasks[0]}, {"task2", tasks[1]}, {"device", "h100-vm"}},
                                                {{"task1", tasks[0]}, {"task2", "nothing"}, {"device", "h100-vm"}},
                                                {{"task1", tasks[0]}, {"task2", tasks[1]}, {"device", "h1000"}},
                                                {{"task1", tasks[0]}, {"task2", "nothing"}, {"device", "h100-vm"}}};
    struct gsim_paper_point points[4];
    struct gsim_arena arena = {0};
    struct gsim_progress progress = {0};
    struct gsim_error error = {0};
    struct gsim_paper_runs runs = {.progress = &progress, .arena = &arena};
    struct gsim_paper_batch batch = {points, 4, figures, 5, &arena};
    for (int i = 0; i < 4; i++)
        points[i] = (struct gsim_paper_point){.settings = settings[i], .count = 3, .values = values[i]};
    fflush(stderr);
    int own = dup(STDERR_FILENO);
    FILE *file = freopen(said, "w", stderr);
    enum gsim_status status = gsim_cli_paper_runs(&runs, &batch, &error);
    fflush(stderr);
    dup2(own, STDERR_FILENO);
    close(own);
    CHECK(file != NULL);
    CHECK_OK(status, error);
    for (int f = 0; f < 5; f++)
        CHECK_MSG(isnan(right[f]) ? isnan(values[0][f]) : fabs(values[0][f] - right[f]) < 1e-9, "%s: %g, expected %g",
                  figures[f], values[0][f], right[f]);
    CHECK(!points[0].error && points[1].error && points[2].error && points[3].error);
    char *text = read_file(said), expected[1000];
    snprintf(expected, sizeof expected, "gpusim: 2 of 4 runs failed: %s\ngpusim: 1 of 4 runs failed: %s\n",
             points[1].error, points[2].error);
    CHECK_STR(text, expected);
    gsim_free(text);
    gsim_arena_release(&arena);
    unlink(a), unlink(b), unlink(said);
}

static const struct test_case cases[] = {{"tasks", tasks}};
TEST_MAIN("cli/trust/paper_runs", cases)
