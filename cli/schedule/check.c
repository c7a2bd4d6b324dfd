/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim schedule --check": the source and what was written are run on the CPU in many
 * orders. */
#include <inttypes.h>

#include "cli/schedule/schedule.h"
#include "cli/words/source.h"
#include "sim/program/file.h"
#include "source/run/check.h"

#define ORDERS 24

enum gsim_status gsim_cli_schedule_check(const char *path, const struct gsim_cuda_options *options,
                                         const struct gsim_cli_run *run, const char *written, size_t length,
                                         struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_run_verdict *verdict = GSIM_ARENA_NEW(&arena, struct gsim_run_verdict);
    struct gsim_run_check check = {
        .path = path, .options = options, .orders = ORDERS, .written = written, .written_length = length,
        .words = run->words, .limit_s = run->limit_s};
    char *source = gsim_file_read(path, &check.source_length, error);
    enum gsim_status status = source ? GSIM_OK : error->status;
    check.source = source;
    if (status == GSIM_OK && !verdict) status = gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK) status = gsim_run_check(&check, verdict, error);
    if (status == GSIM_OK && !verdict->is_right) {
        fputs(verdict->text, stderr);
        status = gsim_error_set(error, GSIM_INPUT, "%s: %s", path,
                                written ? "what was written is not the same program; nothing is written"
                                        : "its streams are not ordered as its data needs");
    }
    if (status == GSIM_OK)
        fprintf(stderr,
                "checked: %" PRIu32 " kernels in %" PRIu32 " orders: no race, all %" PRIu32
                " copies to the host and what it reads itself are the source's\n",
                verdict->kernels, verdict->orders, verdict->seen);
    gsim_free(source);
    gsim_arena_release(&arena);
    return status;
}
