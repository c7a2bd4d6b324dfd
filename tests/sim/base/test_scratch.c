/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Temporary files and folders: they stand in $TMPDIR, each is another, and a place that is not there is told. */
#include "sim/base/scratch.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

static void made_in_tmpdir(void)
{
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    struct stat info;
    const char *folder = NULL, *first = NULL, *second = NULL;
    CHECK_OK(gsim_scratch_folder(&arena, &folder, &error), error);
    CHECK(folder && stat(folder, &info) == 0 && S_ISDIR(info.st_mode));
    setenv("TMPDIR", folder, 1);
    CHECK_OK(gsim_scratch_file(&arena, &first, &error), error);
    CHECK_OK(gsim_scratch_file(&arena, &second, &error), error);
    CHECK(strncmp(first, folder, strlen(folder)) == 0 && strcmp(first, second) != 0);
    CHECK(stat(first, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0);
    remove(first);
    remove(second);
    CHECK(rmdir(folder) == 0);
    CHECK_INT(gsim_scratch_file(&arena, &first, &error), GSIM_IO);
    CHECK_HAS(error.message, "cannot make a temporary file in '");
    CHECK_INT(gsim_scratch_folder(&arena, &first, &error), GSIM_IO);
    CHECK_HAS(error.message, "cannot make a temporary folder in '");
    setenv("TMPDIR", "", 1);
    CHECK_OK(gsim_scratch_file(&arena, &first, &error), error);
    CHECK(strncmp(first, "/tmp/", 5) == 0);
    remove(first);
    gsim_arena_release(&arena);
}

static const struct test_case cases[] = {
    {"made in $TMPDIR", made_in_tmpdir},
};
TEST_MAIN("sim/scratch", cases)
