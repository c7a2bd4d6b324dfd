/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is not gpusim reads CUDA sources: what ends libclang is an error there, and the program goes on. */
#include <stdio.h>
#include <unistd.h>

#include "gpusim/program.h"
#include "tests/test.h"
#include "traces/import/importers.h"

static enum gsim_status read_source(const char *before, const char *text, unsigned times, struct gsim_error *error)
{
    struct gsim_program program = {0};
    struct gsim_import_notes notes;
    struct gsim_import_options options = {.name = "t", .last = UINT32_MAX};
    char path[64];
    snprintf(path, sizeof path, "/tmp/gpusim-guard-%ld.cu", (long)getpid());
    FILE *file = fopen(path, "w");
    fputs("__global__ void k(float *a) { a[threadIdx.x] = 1; }\n", file);
    fputs("int main()\n{\n    float *a;\n    cudaMalloc(&a, 128);\n", file);
    fputs(before, file);
    for (unsigned i = 0; i < times; i++) fputs(text, file);
    fputs("1;\n    k<<<1, 32>>>(a);\n}\n", file);
    fclose(file);
    *error = (struct gsim_error){0};
    enum gsim_status status = gsim_importer_find("cuda")->read(path, &options, &program, &notes, error);
    if (status == GSIM_OK) CHECK_INT(program.kernel_count, 1);
    gsim_program_release(&program);
    unlink(path);
    return status;
}

static void goes_on(void)
{
    struct gsim_error error;
    enum gsim_status status = read_source("    int x = ", "", 0, &error);
    if (status == GSIM_INPUT && strstr(error.message, "libclang")) return; /* built without it */
    CHECK_OK(status, error);
    CHECK_INT(read_source("    int x = ", "- ", 400000, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "it nests too deep");
    CHECK_INT(read_source("    int x = y + ", "", 0, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "undeclared identifier 'y'");
    CHECK_OK(read_source("    int x = ", "", 0, &error), error);
}

static const struct test_case cases[] = {{"libclang's end is an error", goes_on}};
TEST_MAIN("source/read/guard", cases)
