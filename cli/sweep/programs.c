/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/sweep/request.h. The files of programs and servers, read once before the points are. */
#include "ask/subject.h"
#include "cli/sweep/request.h"
#include "gpusim/program.h"
#include "sim/base/scratch.h"
#include "sim/base/text.h"
#include "sim/program/guess.h"

/* Of what a source and all that it includes say. */
static enum gsim_status hash_program(struct gsim_named *named, const struct gsim_program *program,
                                     struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const char *path;
    enum gsim_status status = gsim_scratch_file(&arena, &path, error);
    if (status == GSIM_OK) status = gsim_program_write(program, path, error);
    if (status == GSIM_OK) status = gsim_key_file(named->hash, path, error);
    if (status == GSIM_OK) gsim_scratch_remove(path);
    gsim_arena_release(&arena);
    return status;
}

/* Of the spec, and of the programs of its steps; the tables of a profile count by their names. */
static enum gsim_status hash_server(struct gsim_named *named, struct gsim_error *error)
{
    struct gsim_serving_spec spec = {0};
    struct gsim_bytes text = {0};
    char hash[GSIM_KEY_SIZE];
    gsim_bytes_add(&text, named->hash, strlen(named->hash));
    enum gsim_status status = gsim_serving_spec_read(named->text, &spec, error);
    for (uint32_t i = 0; i < spec.step_count && !status; i++) {
        if (gsim_subject_is_name(gsim_subject_kind_of(spec.steps[i].path))) continue;
        status = gsim_key_file(hash, spec.steps[i].path, error);
        if (!status) gsim_bytes_add(&text, hash, strlen(hash));
    }
    gsim_bytes_add(&text, "", 1);
    if (!status) gsim_key_text(named->hash, text.data);
    gsim_bytes_release(&text);
    gsim_serving_spec_release(&spec);
    return status;
}

enum gsim_status gsim_requests_check_programs(const struct gsim_requests *requests, bool is_told,
                                              struct gsim_error *error)
{
    const char **devices = gsim_alloc(sizeof(*devices) * (requests->named_count + 1));
    const struct gsim_cli_arguments arguments = {.command = GSIM_CLI_SWEEP};
    size_t device_count = 0;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; devices && i < requests->named_count; i++)
        if (requests->named[i].device.name) devices[device_count++] = requests->named[i].device.name;
    for (size_t i = 0; i < requests->named_count && status == GSIM_OK; i++) {
        struct gsim_named *named = &requests->named[i];
        struct gsim_program program = {0};
        if (!named->hash[0] || named->scheduler || named->device.name || gsim_cli_is_shared_object(named->text) ||
            gsim_service_find(named->text))
            continue;
        if (requests->has_servers) {
            status = hash_server(named, error);
            continue;
        }
        bool is_source = gsim_text_ends_with(named->text, ".cu");
        status = is_source
                     ? gsim_cli_read_cuda(&arguments, named->text, !is_told, &program, error)
                     : gsim_subject_expect(named->text, GSIM_SUBJECT_BIT(PROGRAM), "a program", error);
        if (!status && !is_source) status = gsim_program_read(named->text, &program, error);
        if (status == GSIM_OK && is_source) status = hash_program(named, &program, error);
        if (status == GSIM_OK && is_told) gsim_cli_note_devices(&program, devices, device_count);
        char line[GSIM_LIMIT_NAME + 1];
        for (const char *at = is_told ? program.guesses : NULL; gsim_guess_next(&at, line);)
            fprintf(stderr, "gpusim: note: '%s': %s\n", named->text, line);
        gsim_program_release(&program);
    }
    gsim_free(devices);
    return status;
}
