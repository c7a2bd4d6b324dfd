/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gpusim-runner profile is made of, without a GPU: a stand-in for ncu in PATH, and blocks by hand. */
#include "cli/runner/profile.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

static char folder[64];

/* A program called ncu that runs BODY; its words are in "$@", the file for its page is "$log". */
static void make_ncu(const char *body)
{
    char path[96];
    snprintf(path, sizeof path, "%s/ncu", folder);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fprintf(file,
            "#!/bin/sh\nprintf '%%s\\n' \"$@\" >%s/words\nfor word; do [ \"$last\" = --log-file ] && log=$word; "
            "last=$word; done\n%s\n",
            folder, body);
    fclose(file);
    CHECK_INT(chmod(path, 0755), 0);
}

static bool was_asked(const char *word)
{
    char path[96], line[256];
    bool found = false;
    snprintf(path, sizeof path, "%s/words", folder);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        found |= strcmp(line, word) == 0;
    }
    if (file) fclose(file);
    return found;
}

static void ncu(void)
{
    char program[] = "/a/runner", option[] = "--workload",
         name[] = "vec", *const words[] = {program, option, name, NULL};
    struct gsim_error error = {0};
    struct gsim_profiles profiles = {0};
    snprintf(folder, sizeof folder, "/tmp/gpusim-ncu-%ld", (long)getpid());
    CHECK_INT(mkdir(folder, 0755), 0);
    setenv("PATH", folder, 1);
    CHECK_INT(gsim_ncu_run(words, 3, &profiles, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "ncu (Nsight Compute) is not in PATH");
    setenv("PATH", "/usr/bin:/bin", 1);
    char path[96];
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    setenv("PATH", path, 1);
    make_ncu("printf '==PROF== x\\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\"\\n"
             "\"\",\"\",\"\",\"\",\"us\"\\n\"0\",\"square(square_args)\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"7.5\"\\n' "
             ">\"$log\"");
    error = (struct gsim_error){0};
    CHECK_OK(gsim_ncu_run(words, 3, &profiles, &error), error);
    CHECK_INT(profiles.count, 1);
    if (profiles.count) CHECK_NEAR(profiles.kernels[0].solo_us, 7.5, 1e-9);
    CHECK(was_asked("/a/runner") && was_asked("vec") && was_asked("--csv") && was_asked("raw") && was_asked("3"));
    make_ncu("printf '==ERROR== ERR_NVGPUCTRPERM - no permission\\n' >\"$log\"; exit 1");
    CHECK_INT(gsim_ncu_run(words, 3, &profiles, &error), GSIM_SIM);
    CHECK_HAS(error.message, "ncu ended with status 1");
    CHECK_HAS(error.message, "ERR_NVGPUCTRPERM");
    gsim_profiles_release(&profiles);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}

/* Kernel 0 is ops 0 and 2, kernel 1 op 1: blocks of 10, 10 and 40 us are 40 / 20 = 2; of 10 and 11 equal. */
static void stamps(void)
{
    const struct gsim_op ops[] = {{.kind = GSIM_OP_KERNEL},
                                  {.kind = GSIM_OP_KERNEL, .kernel_index = 1},
                                  {.kind = GSIM_OP_KERNEL},
                                  {.kind = GSIM_OP_COPY}};
    const struct gsim_program program = {.ops = (struct gsim_op *)ops, .op_count = 4};
    const struct gsim_block_run blocks[] = {
        {.op = 0, .start_us = 0, .end_us = 10},           {.op = 0, .index = 1, .start_us = 0, .end_us = 10},
        {.op = 0, .index = 2, .start_us = 10, .end_us = 50}, {.op = 1, .start_us = 50, .end_us = 60},
        {.op = 1, .index = 1, .start_us = 50, .end_us = 61}, {.op = 2, .start_us = 100, .end_us = 110},
        {.op = 2, .index = 1, .start_us = 100, .end_us = 115}};
    struct gsim_stamps_sum sums[4] = {0};
    struct gsim_kernel kernels[2] = {0};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) gsim_stamps_see(sums, &blocks[i]);
    gsim_stamps_imbalance(&program, sums, kernels);
    CHECK_NEAR(kernels[0].imbalance, 2, 1e-9);
    CHECK_NEAR(kernels[1].imbalance, 0, 0);
}

static const struct test_case cases[] = {{"ncu", ncu}, {"stamps", stamps}};
TEST_MAIN("cli/runner/profile", cases)
