/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Profiles of single kernels: "gpusim import ncu FILE", and --kernels FILE, which gives them to
 * the kernels of whatever program is asked about.
 */
#include <inttypes.h>

#include "cli/cli.h"
#include "sim/base/output.h"
#include "sim/program/check.h"
#include "traces/kernels/profiles.h"

void gsim_cli_note_kernels(const char *path, const struct gsim_profiles *profiles)
{
    fprintf(stderr, "gpusim: '%s': %" PRIu64 " of %" PRIu64 " kernels matched one of its %u by name, grid and block\n",
            path, profiles->matched, profiles->asked, profiles->count);
}

enum gsim_status gsim_cli_apply_kernels(const struct gsim_cli_arguments *arguments, struct gsim_program *program,
                                        struct gsim_error *error)
{
    const char *path = arguments->value[GSIM_CLI_KERNELS];
    struct gsim_profiles profiles = {0};
    if (!path) return GSIM_OK;
    enum gsim_status status = gsim_profiles_read(&profiles, path, error);
    uint32_t i = 0;
    if (status == GSIM_OK) gsim_profiles_apply_all(&profiles, program);
    for (; status == GSIM_OK && i < program->kernel_count; i++) status = gsim_program_check_kernel(program, i, error);
    if (status != GSIM_OK) gsim_error_prefix(error, "--kernels");
    if (status == GSIM_OK && arguments->command != GSIM_CLI_SWEEP) gsim_cli_note_kernels(path, &profiles);
    gsim_profiles_release(&profiles);
    return status;
}

int gsim_cli_import_ncu(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_profiles profiles = {0};
    struct gsim_output output = {0};
    const char *to = arguments->value[GSIM_CLI_OUTPUT];
    uint32_t with_pipes = 0;
    enum gsim_status status =
        to ? GSIM_OK : gsim_refuse(error, "expected --output FILE for the kernels (see gpusim import --help)");
    for (size_t i = 1; i < arguments->operand_count && status == GSIM_OK; i++) {
        uint32_t before = profiles.count;
        status = gsim_profiles_read(&profiles, arguments->operands[i], error);
        if (status == GSIM_OK && profiles.count == before)
            status = gsim_error_set(error, GSIM_INPUT, "cannot read '%s': it holds no kernel", arguments->operands[i]);
    }
    if (status == GSIM_OK) status = gsim_output_open(&output, to, error);
    if (status == GSIM_OK) {
        gsim_profiles_write(&profiles, &output);
        status = gsim_output_commit(&output, error);
    }
    for (uint32_t i = 0; i < profiles.count; i++) with_pipes += profiles.kernels[i].pipes_given;
    if (status == GSIM_OK)
        fprintf(stderr, "gpusim: '%s': %u kernels, %u with shares of pipes\n", arguments->operands[1], profiles.count,
                with_pipes);
    gsim_output_release(&output);
    gsim_profiles_release(&profiles);
    return status;
}
