/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In place of the rest of this folder where gpusim is built without libclang's header. */
#include "source/read/log.h"
#include "source/read/told.h"
#include "traces/import/importers.h"

static enum gsim_status fail(const char *path, struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_INPUT,
                          "cannot read '%s': this gpusim was built without libclang (Debian: libclang-dev)", path);
}

enum gsim_status gsim_import_cuda(const char *path, const struct gsim_import_options *options,
                                  struct gsim_program *program, struct gsim_import_notes *notes,
                                  struct gsim_error *error)
{
    (void)options;
    (void)program;
    *notes = (struct gsim_import_notes){0};
    return fail(path, error);
}

enum gsim_status gsim_cuda_probes(const char *path, const struct gsim_cuda_options *options,
                                  struct gsim_cuda_told *told, struct gsim_error *error)
{
    (void)options;
    (void)told;
    return fail(path, error);
}

void gsim_cuda_told_release(struct gsim_cuda_told *told) { (void)told; }
uint32_t gsim_cuda_outermost(const struct gsim_cuda_log *log, uint32_t node)
{
    (void)log;
    return node;
}

void gsim_cuda_log_release(struct gsim_cuda_log *log) { (void)log; }
