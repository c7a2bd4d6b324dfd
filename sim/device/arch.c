/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. Numbers of a device from its architecture: from the file models/arch/NAME.json that it names, and
 * the limits of an SM from the file with its compute capability. A file may inherit from another one.
 */
#include <string.h>

#include "sim/device/occupancy.h"
#include "sim/device/reader.h"
#include "sim/device/search.h"

#define MAX_BASES 4u /* that inherit one from the other */

struct files {
    struct gsim_arena arena;
    struct gsim_model_file *list;
    size_t count;
};

static size_t find_file(const struct files *files, const char *name)
{
    size_t i = 0;
    while (i < files->count && strcmp(files->list[i].name, name) != 0) i++;
    return i;
}

/* 0: it says none. */
static int capability_of(const cJSON *json)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "compute_capability");
    return cJSON_IsString(item) ? gsim_capability_parse(item->valuestring) : 0;
}

static enum gsim_status read_file(struct gsim_device_reader *reader, const struct files *files, const char *name,
                                  unsigned depth);

static enum gsim_status read_base(struct gsim_device_reader *reader, const struct files *files, const cJSON *base,
                                  unsigned depth)
{
    if (!cJSON_IsString(base) || find_file(files, base->valuestring) == files->count)
        return gsim_json_fail("inherits", "the name of a file models/arch/NAME.json", base, reader->error);
    if (depth >= MAX_BASES)
        return gsim_error_set(reader->error, GSIM_INPUT, "inherits: expected at most %u files one from the other",
                              MAX_BASES);
    return read_file(reader, files, base->valuestring, depth + 1);
}

/* Limits of an SM of another compute capability than the device's are passed over. DEPTH: how many inherit from the
 * file. */
static enum gsim_status read_file(struct gsim_device_reader *reader, const struct files *files, const char *name,
                                  unsigned depth)
{
    static const char *const keys[] = {"schema",   "name",  "title",   "compute_capability",
                                       "inherits", "gpu",   "link",    "managed",
                                       "host",     "power", "sharing", NULL};
    const char *path = files->list[find_file(files, name)].path;
    cJSON *json = gsim_json_read(path, reader->error);
    enum gsim_status status = reader->error->status;
    if (json)
        status = gsim_reader_head(reader, json, GSIM_ARCH_SCHEMA, keys);
    const cJSON *its_name = cJSON_GetObjectItemCaseSensitive(json, "name"),
                *base = cJSON_GetObjectItemCaseSensitive(json, "inherits");
    const cJSON *capability = cJSON_GetObjectItemCaseSensitive(json, "compute_capability");
    if (status == GSIM_OK && !(cJSON_IsString(its_name) && strcmp(its_name->valuestring, name) == 0))
        status = gsim_json_fail("name", "the file's name without \".json\"", its_name, reader->error);
    if (status == GSIM_OK && capability && !capability_of(json))
        status = gsim_json_fail("compute_capability", "one like \"9.0\" or \"gfx942\"", capability, reader->error);
    if (status == GSIM_OK && !depth && reader->takes == GSIM_TAKE_ALL && capability &&
        capability_of(json) != reader->spec->compute_capability)
        reader->takes = GSIM_TAKE_OTHERS;
    reader->arch = name;
    if (status == GSIM_OK) status = gsim_reader_sections(reader, json);
    reader->arch = NULL;
    if (status == GSIM_OK && base) status = read_base(reader, files, base, depth);
    gsim_json_release(json);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(reader->error, "cannot read '%s'", path);
}

/* Of a file models/arch/NAME.json, and not another one than that of the compute capability where there is one: "9.0" is
 * no "sm_70". */
static enum gsim_status check_name(struct gsim_device_reader *reader, const char *name, const struct files *files)
{
    char known[200] = "", own[24], capability[GSIM_CAPABILITY_TEXT];
    int number = reader->spec->compute_capability;
    bool is_gfx = gsim_capability_is_gfx(number);
    size_t length = 0;
    for (size_t i = 0; i < files->count && length < sizeof known; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", files->list[i].name);
    if (find_file(files, name) == files->count)
        return gsim_error_set(reader->error, GSIM_INPUT,
                              "expected the name of a file models/arch/NAME.json, found \"%.60s\": there are %s", name,
                              known);
    snprintf(own, sizeof own, "sm_%d", number);
    bool is_sm = strncmp(name, "sm_", 3) == 0, has_own = !is_gfx && find_file(files, own) < files->count;
    bool is_other = is_gfx ? is_sm : strncmp(name, "cdna", 4) == 0 || (is_sm && has_own && strcmp(name, own) != 0);
    if (!is_other) return GSIM_OK;
    return gsim_error_set(reader->error, GSIM_INPUT, "expected %s, as compute_capability is \"%s\", found \"%.60s\"",
                          has_own ? own : "another one", gsim_capability_text(number, capability), name);
}

enum gsim_status gsim_arch_use(struct gsim_device_reader *reader)
{
    struct files files = {0};
    const char *name = reader->spec->arch;
    if (!name) return GSIM_OK;
    enum gsim_status status =
        gsim_model_files(GSIM_MODELS_ARCH, &files.arena, &files.list, &files.count, reader->error);
    if (status == GSIM_OK) status = check_name(reader, name, &files);
    if (status == GSIM_OK) status = read_file(reader, &files, name, 0);
    reader->takes = GSIM_TAKE_ALL;
    gsim_arena_release(&files.arena);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(reader->error, "arch");
}

/* --- by compute capability -------------------------------------------------------------------------------------- */
/* The least compute capability of a file above KNOWN, 0 behind the last; *FOUND: a file that has it. */
static enum gsim_status next_capability(const struct files *files, int known, int *next,
                                        const struct gsim_model_file **found, struct gsim_error *error)
{
    *next = 0;
    for (size_t i = 0; i < files->count; i++) {
        cJSON *json = gsim_json_read(files->list[i].path, error);
        if (!json) return gsim_error_prefix(error, "cannot read '%s'", files->list[i].path);
        int its = capability_of(json);
        gsim_json_release(json);
        if (its <= known || (*next && its >= *next)) continue;
        *next = its;
        *found = &files->list[i];
    }
    return GSIM_OK;
}

enum gsim_status gsim_arch_fail_capability(struct gsim_device_reader *reader, const cJSON *found)
{
    char expected[400] = "one of", text[GSIM_CAPABILITY_TEXT];
    struct files files = {0};
    const struct gsim_model_file *file;
    int known = 0;
    enum gsim_status status =
        gsim_model_files(GSIM_MODELS_ARCH, &files.arena, &files.list, &files.count, reader->error);
    while (status == GSIM_OK && (status = next_capability(&files, known, &known, &file, reader->error)) == GSIM_OK &&
           known) {
        size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, " \"%s\"", gsim_capability_text(known, text));
    }
    gsim_arena_release(&files.arena);
    if (status != GSIM_OK) return status;
    return gsim_json_fail("compute_capability", expected, found, reader->error);
}

static bool has_limits(const struct gsim_device_reader *reader)
{
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++)
        if (gsim_device_number_is_limit(i) && !reader->given[i]) return false;
    return true;
}

enum gsim_status gsim_arch_limits(struct gsim_device_reader *reader)
{
    struct files files = {0};
    const struct gsim_model_file *file = NULL;
    int wanted = reader->spec->compute_capability, found = 0;
    char text[GSIM_CAPABILITY_TEXT];
    if (has_limits(reader)) return GSIM_OK;
    enum gsim_status status =
        gsim_model_files(GSIM_MODELS_ARCH, &files.arena, &files.list, &files.count, reader->error);
    if (status == GSIM_OK) status = next_capability(&files, wanted - 1, &found, &file, reader->error);
    if (status == GSIM_OK && found == wanted) {
        reader->takes = GSIM_TAKE_LIMITS;
        status = read_file(reader, &files, file->name, 0);
        reader->takes = GSIM_TAKE_ALL;
    }
    gsim_arena_release(&files.arena);
    if (status != GSIM_OK || found == wanted) return status;
    cJSON *item = cJSON_CreateString(gsim_capability_text(wanted, text));
    status = item ? gsim_arch_fail_capability(reader, item)
                  : gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
    cJSON_Delete(item);
    return status;
}

enum gsim_status gsim_device_set_capability(struct gsim_device_spec *spec, int compute_capability,
                                            struct gsim_error *error)
{
    struct gsim_error local = {0};
    int before = spec->compute_capability;
    struct gsim_device_reader reader = {.spec = spec, .error = &local};
    spec->compute_capability = compute_capability;
    enum gsim_status status = gsim_arch_limits(&reader);
    if (status == GSIM_OK) return GSIM_OK;
    spec->compute_capability = before;
    return gsim_error_set(error, status, "%s", local.message);
}
