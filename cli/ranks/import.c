/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim import" of the traces of several ranks: a file of ranks, and beside it each rank's
 * program. */
#include <stdio.h>
#include <string.h>

#include "cli/ranks/traces.h"
#include "sim/base/output.h"

static enum gsim_status write_all(const struct gsim_cli_rank_traces *t, struct gsim_arena *arena, const char *path,
                                  struct gsim_error *error)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int folder = slash ? (int)(slash + 1 - path) : 0,
        stem = (dot && dot > path + folder ? (int)(dot - path) : (int)strlen(path)) - folder;
    struct gsim_output output;
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < t->count && !status; i++) {
        const char *program = gsim_arena_printf(arena, "%.*s_r%u.json", folder + stem, path, t->traces[i].rank);
        status = program ? gsim_program_write(&t->traces[i].program, program, error)
                         : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    }
    if (!status) status = gsim_output_open(&output, path, error);
    if (status) return status;
    const char *device = t->words.value[GSIM_CLI_DEVICE];
    gsim_output_printf(&output, "{\"schema\": \"gpusim-ranks/1\", ");
    if (device) gsim_output_printf(&output, "\"node\": \"%s-x%u\", ", device, t->count);
    gsim_output_text(&output, "\"ranks\": [");
    for (uint32_t i = 0; i < t->count; i++)
        gsim_output_printf(&output, "%s\n  {\"program\": \"%.*s_r%u.json\", \"device\": %u}", i ? "," : "", stem,
                           path + folder, t->traces[i].rank, i);
    gsim_output_printf(&output, "]}\n");
    status = gsim_output_commit(&output, error);
    gsim_output_release(&output);
    return status;
}

int gsim_cli_import_ranks(const struct gsim_cli_arguments *arguments)
{
    struct gsim_error error = {0};
    struct gsim_cli_rank_traces t = {0};
    struct gsim_arena arena = {0};
    const char *path = arguments->value[GSIM_CLI_OUTPUT], *overhead = arguments->value[GSIM_CLI_PROFILER_OVERHEAD];
    enum gsim_status status = path && strcmp(path, "-") != 0
                                  ? GSIM_OK
                                  : gsim_error_set(&error, GSIM_USAGE, "import of ranks: expected -o FILE");
    if (!status) status = gsim_cli_rank_traces_read(&t, arguments, overhead && strcmp(overhead, "remove") == 0, &error);
    if (!status) status = write_all(&t, &arena, path, &error);
    if (!status)
        fprintf(stderr, "gpusim: note: %u ranks on %s: run them with --ranks %s\n", t.count, t.setup.device.name, path);
    gsim_cli_rank_traces_release(&t);
    gsim_arena_release(&arena);
    return status == GSIM_OK ? 0 : gsim_cli_fail(&error);
}
