/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/device. See sim/device/device.h. Unit, range and default of a number are a row of
 * include/gpusim/device.def (sim/device/numbers.h). JSON: sim/base/json.h; search path: sim/device/search.h.
 */
#include "sim/device/device.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "sim/device/occupancy.h"
#include "sim/device/reader.h"
#include "sim/device/rules.h"
#include "sim/device/search.h"
#include "sim/base/text.h"

#define MAX_BASES 4u /* that inherit one from the other */

static const char *const sections[] = {"gpu", "link", "managed", "host", "power", "sharing"};
#define SECTION_COUNT (sizeof sections / sizeof sections[0])

/* --- reading a file ----------------------------------------------------------------------------------------- */
/* A non-empty text, copied to the arena. */
static enum gsim_status read_text(struct gsim_device_reader *reader, const char *place, const char *expected,
                                  const cJSON *item, const char **text)
{
    if (!cJSON_IsString(item) || !item->valuestring[strspn(item->valuestring, " ")])
        return gsim_json_fail(place, expected, item, reader->error);
    *text = gsim_arena_strdup(&reader->spec->arena, item->valuestring);
    return *text ? GSIM_OK : gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
}

/* One number, or as many as the curve has points. */
static enum gsim_status read_values(struct gsim_device_reader *reader, const struct gsim_number_row *row,
                                    const char *place, const cJSON *value, double values[GSIM_CURVE_MAX])
{
    char expected[96], of_point[160];
    if (!row->points) {
        if (!cJSON_IsNumber(value) || !gsim_device_number_holds(row->first, value->valuedouble))
            return gsim_json_fail(place, gsim_device_number_expected(row->first, expected, sizeof(expected)),
                                    value, reader->error);
        values[0] = value->valuedouble;
        return GSIM_OK;
    }
    bool is_list = row->first == GSIM_DEV_carveout_kib || row->first == GSIM_DEV_gpcs;
    int least = is_list ? 1 : row->points;
    snprintf(expected, sizeof(expected), least < row->points ? "a list of %d to %d numbers" : "a list of %d numbers",
             least, row->points);
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) < least || cJSON_GetArraySize(value) > row->points)
        return gsim_json_fail(place, expected, value, reader->error);
    const cJSON *item;
    int point = 0;
    cJSON_ArrayForEach(item, value)
    {
        snprintf(of_point, sizeof(of_point), "%s[%d]", place, point);
        if (!cJSON_IsNumber(item) || !gsim_device_number_holds(row->first + point, item->valuedouble))
            return gsim_json_fail(of_point, gsim_device_number_expected(row->first, expected, sizeof(expected)), item,
                                  reader->error);
        values[point++] = item->valuedouble;
    }
    for (; point < row->points; point++) values[point] = row->first == GSIM_DEV_gpcs ? 0 : values[point - 1];
    return GSIM_OK;
}

static enum gsim_status read_kind(struct gsim_device_reader *reader, const struct gsim_number_row *row,
                                  const cJSON *kind, enum gsim_number_kind *found)
{
    char place[128];
    for (int k = GSIM_KIND_DATASHEET; k <= GSIM_KIND_ASSUMED; k++)
        if (cJSON_IsString(kind) && strcmp(kind->valuestring, gsim_number_kind_name((enum gsim_number_kind)k)) == 0) {
            *found = (enum gsim_number_kind)k;
            return GSIM_OK;
        }
    snprintf(place, sizeof(place), "%s.%s.kind", row->section, row->name);
    return gsim_json_fail(place, "one of datasheet, published, measured, fitted, derived, assumed", kind,
                          reader->error);
}

/* What the file says, unless the device's own has said it. */
static enum gsim_status keep(struct gsim_device_reader *reader, const struct gsim_number_row *row, const double *values,
                             const char *source, enum gsim_number_kind kind)
{
    struct gsim_device_spec *spec = reader->spec;
    if (reader->given[row->first] ||
        reader->takes == (gsim_device_number_is_limit(row->first) ? GSIM_TAKE_OTHERS : GSIM_TAKE_LIMITS))
        return GSIM_OK;
    if (reader->arch) source = gsim_arena_printf(&spec->arena, "%s: %s", reader->arch, source);
    if (!source) return gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
    for (int i = 0; i < gsim_number_row_size(row); i++) {
        *gsim_device_number(spec, row->first + i) = values[i];
        spec->source[row->first + i] = source;
        spec->kind[row->first + i] = kind;
        reader->given[row->first + i] = true;
    }
    return GSIM_OK;
}

/* {"value": 132, "unit": "", "source": "...", "kind": "datasheet"} */
static enum gsim_status read_number(struct gsim_device_reader *reader, const struct gsim_number_row *row,
                                    const cJSON *item)
{
    static const char *const keys[] = {"value", "unit", "source", "kind", NULL};
    char place[128], expected[96];
    double values[GSIM_CURVE_MAX];
    const char *source = NULL;
    enum gsim_number_kind kind = GSIM_KIND_ASSUMED;
    snprintf(place, sizeof(place), "%s.%s", row->section, row->name);
    enum gsim_status status = gsim_json_check_keys(item, place, keys, reader->error);
    if (status != GSIM_OK) return status;

    snprintf(place, sizeof(place), "%s.%s.value", row->section, row->name);
    status = read_values(reader, row, place, cJSON_GetObjectItemCaseSensitive(item, "value"), values);
    if (status != GSIM_OK) return status;

    const cJSON *unit = cJSON_GetObjectItemCaseSensitive(item, "unit");
    snprintf(place, sizeof(place), "%s.%s.unit", row->section, row->name);
    snprintf(expected, sizeof(expected), "\"%s\"", row->unit);
    if (!cJSON_IsString(unit) || strcmp(unit->valuestring, row->unit) != 0)
        return gsim_json_fail(place, expected, unit, reader->error);

    snprintf(place, sizeof(place), "%s.%s.source", row->section, row->name);
    status = read_text(reader, place, "where the number comes from, in words",
                       cJSON_GetObjectItemCaseSensitive(item, "source"), &source);
    if (status == GSIM_OK) status = read_kind(reader, row, cJSON_GetObjectItemCaseSensitive(item, "kind"), &kind);
    return status == GSIM_OK ? keep(reader, row, values, source, kind) : status;
}

/* Numbers of rules that the model has no more: files written before are read without them. */
static bool is_gone(const char *name)
{
    static const char *const gone[] = {
        "arithmetic_most_slowed", "behind_issue_arithmetic", "behind_issue_plain",    "behind_issue_scattered",
        "behind_issue_width",     "behind_older_memory",     "behind_on_chip",        "beside_issue_arithmetic",
        "beside_issue_plain",     "beside_issue_scattered",  "graph_held_us",         "l1_full_most",
        "l1_full_slope",          "older_memory_leaves",     "on_chip_behind_issue",  "on_chip_behind_memory",
        "on_chip_beside_issue",   "on_chip_beside_least",    "on_chip_beside_memory", "on_chip_beside_most",
        "on_chip_beside_own",     "one_warp_arithmetic"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        if (strcmp(name, gone[i]) == 0) return true;
    return false;
}

static enum gsim_status read_section(struct gsim_device_reader *reader, const char *section, const cJSON *object)
{
    if (!cJSON_IsObject(object)) return gsim_json_fail(section, "an object of numbers", object, reader->error);
    const char *repeated = gsim_json_repeated(object);
    if (repeated) return gsim_error_set(reader->error, GSIM_INPUT, "%s.%s: given twice", section, repeated);
    const cJSON *child;
    cJSON_ArrayForEach(child, object)
    {
        const struct gsim_number_row *row = gsim_number_row_find(child->string);
        if (!row && is_gone(child->string)) continue;
        if (!row || strcmp(row->section, section) != 0) {
            const struct gsim_number_row *other = gsim_number_row_nearest(child->string);
            if (!other)
                return gsim_error_set(reader->error, GSIM_INPUT,
                                      "%s.%s: unknown number, gpusim list devices --long lists the known ones", section,
                                      child->string);
            return gsim_error_set(reader->error, GSIM_INPUT, "%s.%s: unknown number, did you mean %s.%s?", section,
                                  child->string, other->section, other->name);
        }
        enum gsim_status status = read_number(reader, row, child);
        if (status != GSIM_OK) return status;
    }
    return GSIM_OK;
}

enum gsim_status gsim_reader_sections(struct gsim_device_reader *reader, const cJSON *json)
{
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; status == GSIM_OK && i < SECTION_COUNT; i++) {
        const cJSON *section = cJSON_GetObjectItemCaseSensitive(json, sections[i]);
        if (section) status = read_section(reader, sections[i], section);
    }
    return status;
}

/* "9.0" to 90, "gfx942" to AMD's. */
static enum gsim_status read_compute_capability(struct gsim_device_reader *reader, const cJSON *item)
{
    reader->spec->compute_capability = cJSON_IsString(item) ? gsim_capability_parse(item->valuestring) : 0;
    return reader->spec->compute_capability ? GSIM_OK : gsim_arch_fail_capability(reader, item);
}

/* ["NVIDIA H200"] to lines; may be left out. */
static enum gsim_status read_gpus(struct gsim_device_reader *reader, const cJSON *list)
{
    const cJSON *item;
    reader->spec->gpus = NULL;
    if (!list) return GSIM_OK;
    if (!cJSON_IsArray(list)) return gsim_json_fail("gpus", "a list of names", list, reader->error);
    cJSON_ArrayForEach(item, list)
    {
        const char *name = NULL;
        enum gsim_status status = read_text(reader, "gpus", "a name", item, &name);
        if (status != GSIM_OK) return status;
        const char *before = reader->spec->gpus;
        reader->spec->gpus =
            gsim_arena_printf(&reader->spec->arena, "%s%s%s", before ? before : "", before ? "\n" : "", name);
        if (!reader->spec->gpus) return gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
    }
    return GSIM_OK;
}

enum gsim_status gsim_reader_head(struct gsim_device_reader *reader, const cJSON *json, const char *wanted,
                                  const char *const *keys)
{
    enum gsim_status status = gsim_json_check_schema(json, wanted, reader->error);
    return status ? status : gsim_json_check_keys(json, "", keys, reader->error);
}

static enum gsim_status read_head(struct gsim_device_reader *reader, const cJSON *json)
{
    static const char *const keys[] = {"schema", "name", "title", "compute_capability", "gpus",    "arch", "inherits",
                                       "gpu",    "link", "managed", "host", "power",    "sharing", NULL};
    enum gsim_status status = gsim_reader_head(reader, json, GSIM_DEVICE_SCHEMA, keys);
    const cJSON *arch = status == GSIM_OK ? cJSON_GetObjectItemCaseSensitive(json, "arch") : NULL;
    if (status == GSIM_OK)
        status = read_text(reader, "name", "a name", cJSON_GetObjectItemCaseSensitive(json, "name"),
                                  &reader->spec->name);
    if (status == GSIM_OK)
        status = read_text(reader, "title", "a title", cJSON_GetObjectItemCaseSensitive(json, "title"),
                           &reader->spec->title);
    if (status == GSIM_OK)
        status = read_compute_capability(reader, cJSON_GetObjectItemCaseSensitive(json, "compute_capability"));
    if (status == GSIM_OK) status = read_gpus(reader, cJSON_GetObjectItemCaseSensitive(json, "gpus"));
    if (status == GSIM_OK && arch)
        status = read_text(reader, "arch", "the name of an architecture", arch, &reader->spec->arch);
    return status;
}

/* --- what the file leaves out ----------------------------------------------------------------------------- */
/* The default of device.def, or an error. */
static enum gsim_status complete(struct gsim_device_reader *reader)
{
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        enum gsim_device_number number = (enum gsim_device_number)i;
        if (reader->given[i]) continue;
        char expected[96];
        if (isnan(gsim_device_number_initial(number)))
            return gsim_error_set(reader->error, GSIM_INPUT, "%s.%s: missing: expected %s (%s)",
                                  gsim_device_number_section(number), gsim_device_number_name(number),
                                  gsim_device_number_expected(number, expected, sizeof(expected)),
                                  gsim_device_number_help(number));
        *gsim_device_number(reader->spec, number) = gsim_device_number_initial(number);
        reader->spec->source[i] = "default of include/gpusim/device.def";
        reader->spec->kind[i] = GSIM_KIND_ASSUMED;
    }
    return GSIM_OK;
}

static enum gsim_status load_file(const char *path, const char *name, unsigned depth, struct gsim_device_spec *spec,
                                  struct gsim_error *error);
/* GPUs by the name that their users say: those with most measurements behind them. */
static const char *const short_names[][2] = {{"h100", "h100-vm"}, {"a100", "a100-sxm4-40gb"}};

/* The file that NAME means, in any case; COUNT: none. */
static size_t find_model(const struct gsim_model_file *files, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(files[i].name, name) == 0) return i;
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
        if (strcasecmp(short_names[i][0], name) == 0) return find_model(files, count, short_names[i][1]);
    return count;
}

static enum gsim_status load_named(const char *name, unsigned depth, struct gsim_device_spec *spec,
                                   struct gsim_error *error);

static enum gsim_status load_base(struct gsim_device_reader *reader, const cJSON *item, unsigned depth,
                                  struct gsim_device_spec *base)
{
    if (!cJSON_IsString(item) || !item->valuestring[0])
        return gsim_json_fail("inherits", "the name of a device", item, reader->error);
    if (strchr(item->valuestring, '/') || gsim_text_ends_with(item->valuestring, ".json"))
        return gsim_error_set(
            reader->error, GSIM_INPUT,
            "inherits: expected the name of a device (gpusim list devices; of one's own, FOLDER/models/NAME.json "
            "with GPUSIM_DATA=FOLDER), no path, found \"%.60s\"",
            item->valuestring);
    if (depth >= MAX_BASES)
        return gsim_error_set(reader->error, GSIM_INPUT, "inherits: expected at most %u devices one from the other",
                              MAX_BASES);
    enum gsim_status status = load_named(item->valuestring, depth + 1, base, reader->error);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(reader->error, "inherits");
}

/* Those of the device that it inherits from, from there on assumed; those of its architecture come before a device's of
 * another one. */
static enum gsim_status inherit(struct gsim_device_reader *reader, const cJSON *item, unsigned depth)
{
    struct gsim_device_spec base = {0};
    struct gsim_arena *arena = &reader->spec->arena;
    if (!item) return gsim_arch_use(reader);
    enum gsim_status status = load_base(reader, item, depth, &base);
    bool is_other = reader->spec->arch && !(base.arch && strcmp(reader->spec->arch, base.arch) == 0);
    if (status == GSIM_OK && is_other) status = gsim_arch_use(reader);
    if (status == GSIM_OK && !reader->spec->arch && base.arch) reader->spec->arch = gsim_arena_strdup(arena, base.arch);
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT && status == GSIM_OK; i++) {
        if (reader->given[i] ||
            (gsim_device_number_is_limit(i) && base.compute_capability != reader->spec->compute_capability))
            continue;
        const char *source = gsim_arena_printf(arena, "as the %s (%s there): %s", base.name,
                                               gsim_number_kind_name(base.kind[i]), base.source[i]);
        if (!source) status = gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
        *gsim_device_number(reader->spec, (enum gsim_device_number)i) =
            gsim_device_get(&base, (enum gsim_device_number)i);
        reader->spec->source[i] = source;
        reader->spec->kind[i] = GSIM_KIND_ASSUMED;
        reader->given[i] = true;
    }
    if (status == GSIM_OK && arena->failed)
        status = gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
    gsim_device_release(&base);
    return status;
}

/* NAME: what the file must say its name is, NULL for any. DEPTH: how many inherit from it already. */
static enum gsim_status load_file(const char *path, const char *name, unsigned depth, struct gsim_device_spec *spec,
                                  struct gsim_error *error)
{
    struct gsim_error local = {0};
    struct gsim_device_spec result = {0};
    struct gsim_device_reader reader = {.spec = &result, .error = &local};
    cJSON *json = gsim_json_read(path, &local);
    enum gsim_status status = json ? read_head(&reader, json) : local.status;
    if (status == GSIM_OK && name && strcmp(result.name, name) != 0)
        status = gsim_error_set(&local, GSIM_INPUT, "name: expected \"%s\", as the file is called, found \"%.60s\"",
                                name, result.name);
    const cJSON *base = status == GSIM_OK ? cJSON_GetObjectItemCaseSensitive(json, "inherits") : NULL;
    for (size_t i = 0; status == GSIM_OK && i < SECTION_COUNT; i++) {
        const cJSON *section = cJSON_GetObjectItemCaseSensitive(json, sections[i]);
        bool may_lack = base || result.arch || strcmp(sections[i], "sharing") == 0 ||
                        strcmp(sections[i], "power") == 0; /* its numbers have defaults */
        if (section || !may_lack) status = read_section(&reader, sections[i], section);
    }
    result.inherits = base != NULL;
    if (status == GSIM_OK) status = inherit(&reader, base, depth);
    if (status == GSIM_OK) status = gsim_arch_limits(&reader);
    if (status == GSIM_OK) status = complete(&reader);
    gsim_json_release(json);
    if (status == GSIM_OK) {
        *spec = result;
        return GSIM_OK;
    }
    gsim_device_release(&result);
    gsim_error_set(error, status, "%s", local.message);
    gsim_error_prefix(error, "cannot read '%s'", path);
    return status;
}

static enum gsim_status fail_unknown(const char *name, const struct gsim_model_file *files, size_t count,
                                     struct gsim_error *error)
{
    char known[400] = "";
    size_t length = 0;
    struct gsim_nearest nearest;
    gsim_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) gsim_nearest_offer(&nearest, files[i].name);
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
        gsim_nearest_offer(&nearest, short_names[i][0]);
    for (size_t i = 0; i < count && length < sizeof(known); i++)
        length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", i ? ", " : "", files[i].name);
    if (!count)
        return gsim_error_set(error, GSIM_USAGE, "unknown device '%s': no device files found, set GPUSIM_DATA", name);
    if (name[0] && strcmp(name, ".") != 0 && access(name, F_OK) == 0)
        return gsim_error_set(error, GSIM_USAGE, "unknown device '%s': for the file write './%s', else one of %s", name,
                              name, known);
    return gsim_error_set(error, GSIM_USAGE, "unknown device '%s': expected a path or one of %s%s", name, known,
                          gsim_nearest_text(&nearest));
}

static enum gsim_status load_named(const char *name, unsigned depth, struct gsim_device_spec *spec,
                                   struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_model_file *files = NULL;
    size_t count = 0;
    enum gsim_status status = gsim_model_files(GSIM_MODELS_DEVICES, &arena, &files, &count, error);
    if (status == GSIM_OK) {
        size_t i = find_model(files, count, name);
        status = i < count ? load_file(files[i].path, files[i].name, depth, spec, error)
                           : fail_unknown(name, files, count, error);
    }
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_device_load(const char *name_or_path, struct gsim_device_spec *spec, struct gsim_error *error)
{
    if (strchr(name_or_path, '/') || gsim_text_ends_with(name_or_path, ".json"))
        return load_file(name_or_path, NULL, 0, spec, error);
    return load_named(name_or_path, 0, spec, error);
}

void gsim_device_release(struct gsim_device_spec *spec)
{
    if (!spec) return;
    gsim_arena_release(&spec->arena);
    memset(spec, 0, sizeof(*spec));
}

/* --- listing ------------------------------------------------------------------------------------------------ */
enum gsim_status gsim_device_list(struct gsim_device_entries *list, struct gsim_error *error)
{
    struct gsim_device_entries result = {0};
    struct gsim_model_file *files = NULL;
    enum gsim_status status = gsim_model_files(GSIM_MODELS_DEVICES, &result.arena, &files, &result.count, error);
    if (status == GSIM_OK) result.entries = GSIM_ARENA_ARRAY(&result.arena, struct gsim_device_entry, result.count);
    for (size_t i = 0; result.entries && i < result.count; i++) {
        struct gsim_device_entry *entry = &result.entries[i];
        struct gsim_device_spec spec = {0};
        struct gsim_error wrong = {0};
        *entry = (struct gsim_device_entry){.name = files[i].name, .path = files[i].path};
        if (load_file(entry->path, entry->name, 0, &spec, &wrong) == GSIM_OK)
            entry->title = gsim_arena_strdup(&result.arena, spec.title);
        else if (wrong.status == GSIM_NOMEM)
            result.arena.failed = 1;
        else
            entry->error = gsim_arena_strdup(&result.arena, wrong.message);
        gsim_device_release(&spec);
    }
    if (status == GSIM_OK && result.arena.failed)
        status = gsim_error_set(error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
    if (status == GSIM_OK) *list = result;
    else gsim_device_list_release(&result);
    return status;
}

void gsim_device_list_release(struct gsim_device_entries *list)
{
    if (!list) return;
    gsim_arena_release(&list->arena);
    memset(list, 0, sizeof(*list));
}

void gsim_device_print(const struct gsim_device_spec *spec, FILE *out)
{
    char capability[GSIM_CAPABILITY_TEXT];
    fprintf(out, "%s: %s, compute capability %s\n", spec->name, spec->title,
            gsim_capability_text(spec->compute_capability, capability));
    const char *section = "";
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        enum gsim_device_number number = (enum gsim_device_number)i;
        if (strcmp(section, gsim_device_number_section(number)) != 0)
            fprintf(out, "  %s\n", section = gsim_device_number_section(number));
        fprintf(out, "    %-27s %10.7g %-5s  %-9s  %s\n", gsim_device_number_name(number),
                gsim_device_get(spec, number), gsim_device_number_unit(number), gsim_number_kind_name(spec->kind[i]),
                spec->source[i]);
    }
}

bool gsim_device_is_named(const char *name)
{
    struct gsim_device_spec found = {0};
    struct gsim_error ignored = {0};
    bool is_named = gsim_device_load(name, &found, &ignored) == GSIM_OK;
    if (is_named) gsim_device_release(&found);
    return is_named;
}
