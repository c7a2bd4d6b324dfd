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

static const struct test_case cases[] = {{"models do not mix", models_do_not_mix}};
TEST_MAIN("sim/cli_sweep", cases)
