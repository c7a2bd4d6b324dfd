/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program, as a user meets it, on a results file of another model: results do not mix unnoticed. */
#include <sys/wait.h>

#include "sweep/key.h"
#include "tests/sweep/rows.h"

/* Exit status; TEXT is what it said. */
static int call(const char *arguments, char *text, size_t size)
{
    char command[600];
    snprintf(command, sizeof(command), "%s %s 2>&1", GPUSIM_BINARY, arguments);
    FILE *pipe = popen(command, "r");
    CHECK(pipe != NULL);
    if (!pipe) return -1;
    size_t got = fread(text, 1, size - 1, pipe);
    text[got] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void models_do_not_mix(void)
{
    static const struct row_text old[] = {{"a", "{}", "vec", "serial", "ok", 1}};
    char path[64], arguments[300], text[2000];
    rows_write(rows_path(path, ".db"), "an older model", old, 1);
    snprintf(arguments, sizeof(arguments), "sweep --workload vec --sched serial --size 1000 --resume --out %s", path);
    CHECK_INT(call(arguments, text, sizeof(text)), 2);
    CHECK_HAS(text, "holds results of another model");
    CHECK_HAS(text, gsim_model_hash());
    snprintf(arguments, sizeof(arguments),
             "sweep --workload vec --sched serial --size 1000 --resume --allow-mixed --out %s", path);
    CHECK_INT(call(arguments, text, sizeof(text)), 0);
    CHECK_HAS(text, "1 point in");
    snprintf(arguments, sizeof(arguments), "results %s", path);
    CHECK_INT(call(arguments, text, sizeof(text)), 0);
    CHECK_HAS(text, "mixes results of 2 versions or models");
    unlink(path);
}

/* Three kernels in three streams, the third behind the first two: two events, two waits, in each iteration. */
static void calls_of_an_iteration(void)
{
    static const char program[] =
        "{\"schema\": \"gpusim-program/1\", \"name\": \"p\", \"kernels\": [{\"name\": \"k\", \"solo_us\": 5}], "
        "\"ops\": ["
        "{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [32], \"grid\": [1], \"stream\": 0, \"after\": []},"
        "{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [32], \"grid\": [1], \"stream\": 1, \"after\": []},"
        "{\"op\": \"kernel\", \"kernel\": \"k\", \"block\": [32], \"grid\": [1], \"stream\": 2, \"after\": [0, 1]}]}";
    char path[64], file[80], arguments[400], text[2000];
    snprintf(file, sizeof file, "%s.json", rows_path(path, ".db"));
    FILE *out = fopen(file, "w");
    CHECK(out && fputs(program, out) >= 0 && fclose(out) == 0);
    snprintf(arguments, sizeof arguments, "sweep --workload %s --sched async --memory pinned --iterations 1 --out %s",
             file, path);
    CHECK_INT(call(arguments, text, sizeof text), 0);
    snprintf(arguments, sizeof arguments,
             "results %s --columns streams_used,events_recorded,stream_waits --value kernels --csv -", path);
    CHECK_INT(call(arguments, text, sizeof text), 0);
    CHECK_STR(text, "streams_used,events_recorded,stream_waits,kernels\n3,2,2,3\n");
    unlink(path);
    unlink(file);
}

static const struct test_case cases[] = {{"models do not mix", models_do_not_mix},
                                         {"calls of an iteration", calls_of_an_iteration}};
TEST_MAIN("sim/cli_sweep", cases)
