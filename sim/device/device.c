/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: models. See sim/device/device.h. Every rule about a number (unit, range, default) is a row of
 * include/gpusim/device.def; this file only applies them. JSON itself: sim/base/json.h; where files lie: sim/device/search.h.
 */
#include "sim/device/device.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/json.h"
#include "sim/device/search.h"
#include "sim/device/occupancy.h"
#include "sim/base/text.h"

#define MOST_BASES 4u /* that inherit one from the other */

struct number_row {
    const char *section, *name, *unit, *help;
    double initial, minimum, maximum; /* initial NAN: the file must give it */
    size_t offset;
};

static const struct number_row rows[GSIM_DEVICE_NUMBER_COUNT] = {
#define X(section_, name_, unit_, initial_, minimum_, maximum_, help_)                                                 \
    {#section_, #name_, unit_, help_, initial_, minimum_, maximum_, offsetof(struct gsim_device_spec, name_)},
#include "gpusim/device.def"
#undef X
};

/* Numbers that count things: a fraction would be a mistake. */
static const bool is_count[GSIM_DEVICE_NUMBER_COUNT] = {
    [GSIM_DEV_sm_count] = true,     [GSIM_DEV_fp32_lanes_per_sm] = true,  [GSIM_DEV_resident_grids] = true,
    [GSIM_DEV_hw_queues] = true,    [GSIM_DEV_launch_queue_depth] = true, [GSIM_DEV_priority_levels] = true,
    [GSIM_DEV_copy_engines] = true, [GSIM_DEV_eager_migration] = true,    [GSIM_DEV_cores] = true,
};

static const char *const kind_names[] = {
    [GSIM_KIND_DATASHEET] = "datasheet", [GSIM_KIND_PUBLISHED] = "published", [GSIM_KIND_MEASURED] = "measured",
    [GSIM_KIND_FITTED] = "fitted",       [GSIM_KIND_DERIVED] = "derived",     [GSIM_KIND_ASSUMED] = "assumed",
};
#define KIND_COUNT (sizeof(kind_names) / sizeof(kind_names[0]))

static double *number_of(struct gsim_device_spec *spec, enum gsim_device_number number)
{
    return (double *)((char *)spec + rows[number].offset);
}

double gsim_device_get(const struct gsim_device_spec *spec, enum gsim_device_number number)
{
    return *(const double *)((const char *)spec + rows[number].offset);
}

const char *gsim_device_number_name(enum gsim_device_number number)
{
    return rows[number].name;
}
bool gsim_device_number_is_count(enum gsim_device_number number)
{
    return is_count[number];
}

const char *gsim_device_number_unit(enum gsim_device_number number)
{
    return rows[number].unit;
}
const char *gsim_device_number_section(enum gsim_device_number number)
{
    return rows[number].section;
}
const char *gsim_device_number_help(enum gsim_device_number number)
{
    return rows[number].help;
}

enum gsim_device_number gsim_device_number_find(const char *name)
{
    int number = 0;
    while (number < GSIM_DEVICE_NUMBER_COUNT && strcmp(rows[number].name, name) != 0) number++;
    return (enum gsim_device_number)number;
}

const char *gsim_number_kind_name(enum gsim_number_kind kind)
{
    GSIM_INVARIANT((unsigned)kind < KIND_COUNT);
    return kind_names[kind];
}

double gsim_device_number_minimum(enum gsim_device_number number)
{
    return rows[number].minimum;
}
double gsim_device_number_maximum(enum gsim_device_number number)
{
    return rows[number].maximum;
}

bool gsim_device_put(struct gsim_device_spec *spec, enum gsim_device_number number, double value,
                     enum gsim_number_kind kind, const char *source)
{
    char *copy = gsim_arena_strdup(&spec->arena, source);
    if (!copy) return false;
    if (is_count[number]) value = floor(value + 0.5);
    *number_of(spec, number) = fmin(fmax(value, rows[number].minimum), rows[number].maximum);
    spec->kind[number] = kind;
    spec->source[number] = copy;
    return true;
}

/* --- checks that the file and the command line share ------------------------------------------------------ */
static bool in_range(enum gsim_device_number number, double value)
{
    const struct number_row *row = &rows[number];
    return value >= row->minimum && value <= row->maximum && (!is_count[number] || value == floor(value));
}

/* "an integer from 1 to 256", "a number from 1 to 100000 GB/s" */
static const char *expectation(enum gsim_device_number number, char *text, size_t size)
{
    const struct number_row *row = &rows[number];
    snprintf(text, size, "%s from %g to %.7g%s%s", is_count[number] ? "an integer" : "a number", row->minimum,
             row->maximum, *row->unit ? " " : "", row->unit);
    return text;
}

/* Edit distance of two short names (Levenshtein), to suggest what a wrong name may have meant. */
static unsigned distance(const char *left, const char *right)
{
    unsigned line[64];
    size_t width = strlen(right);
    if (width >= sizeof(line) / sizeof(line[0]) || strlen(left) > 64) return 64;
    for (unsigned i = 0; i <= width; i++) line[i] = i;
    for (unsigned i = 0; left[i]; i++) {
        unsigned diagonal = line[0];
        line[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            unsigned change = diagonal + (left[i] != right[j]), insert = line[j] + 1, delete = line[j + 1] + 1;
            diagonal = line[j + 1];
            unsigned best = insert < delete ? insert : delete;
            line[j + 1] = change < best ? change : best;
        }
    }
    return line[width];
}

/* The number whose name is nearest to NAME, or GSIM_DEVICE_NUMBER_COUNT when none is near. */
static enum gsim_device_number nearest(const char *name)
{
    unsigned best = 4;
    int found = GSIM_DEVICE_NUMBER_COUNT;
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        unsigned steps = distance(name, rows[i].name);
        if (steps >= best) continue;
        best = steps;
        found = i;
    }
    return (enum gsim_device_number)found;
}

enum gsim_status gsim_device_set_number(struct gsim_device_spec *spec, const char *name, const char *value,
                                 struct gsim_error *error)
{
    enum gsim_device_number number = gsim_device_number_find(name);
    if (number == GSIM_DEVICE_NUMBER_COUNT) {
        enum gsim_device_number other = nearest(name);
        if (other == GSIM_DEVICE_NUMBER_COUNT)
            return gsim_error_set(error, GSIM_USAGE,
                                  "unknown device number '%s': 'gpusim list devices --long' shows them all", name);
        return gsim_error_set(error, GSIM_USAGE, "unknown device number '%s': did you mean '%s'?", name,
                              rows[other].name);
    }
    char *end = NULL, expected[96];
    double parsed = strspn(value, "+-0123456789.eE") == strlen(value) ? strtod(value, &end) : NAN;
    if (!end || end == value || *end || !in_range(number, parsed))
        return gsim_error_set(error, GSIM_USAGE, "device.%s: expected %s, found \"%s\"", name,
                              expectation(number, expected, sizeof(expected)), value);
    *number_of(spec, number) = parsed;
    spec->source[number] = "given on the command line";
    spec->kind[number] = GSIM_KIND_ASSUMED;
    return GSIM_OK;
}

/* --- reading a file ----------------------------------------------------------------------------------------- */
struct reader {
    struct gsim_device_spec *spec;
    struct gsim_error *error;
    bool given[GSIM_DEVICE_NUMBER_COUNT];
};

static enum gsim_status fail_found(struct reader *reader, const char *place, const char *expected, const cJSON *item)
{
    char found[96];
    return gsim_error_set(reader->error, GSIM_INPUT, "%s: expected %s, found %s", place, expected,
                          gsim_json_found(item, found, sizeof(found)));
}

/* A non-empty text, copied to the arena. */
static enum gsim_status read_text(struct reader *reader, const char *place, const char *expected, const cJSON *item,
                                  const char **text)
{
    if (!cJSON_IsString(item) || !item->valuestring[strspn(item->valuestring, " ")])
        return fail_found(reader, place, expected, item);
    *text = gsim_arena_strdup(&reader->spec->arena, item->valuestring);
    return *text ? GSIM_OK : gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
}

static enum gsim_status check_keys(struct reader *reader, const char *place, const cJSON *object,
                                   const char *const *known, const char *expected)
{
    const cJSON *child;
    cJSON_ArrayForEach(child, object)
    {
        int i = 0;
        while (known[i] && strcmp(known[i], child->string) != 0) i++;
        if (!known[i])
            return gsim_error_set(reader->error, GSIM_INPUT, "%s%s%s: unknown field, expected one of %s", place,
                                  *place ? "." : "", child->string, expected);
    }
    const char *repeated = gsim_json_repeated(object);
    if (!repeated) return GSIM_OK;
    return gsim_error_set(reader->error, GSIM_INPUT, "%s%s%s: given twice", place, *place ? "." : "", repeated);
}

/* {"value": 132, "unit": "", "source": "...", "kind": "datasheet"} */
static enum gsim_status read_number(struct reader *reader, enum gsim_device_number number, const cJSON *item)
{
    static const char *const keys[] = {"value", "unit", "source", "kind", NULL};
    const struct number_row *row = &rows[number];
    char place[128], expected[96];
    snprintf(place, sizeof(place), "%s.%s", row->section, row->name);
    if (!cJSON_IsObject(item)) return fail_found(reader, place, "an object with value, unit, source, kind", item);
    enum gsim_status status = check_keys(reader, place, item, keys, "value, unit, source, kind");
    if (status != GSIM_OK) return status;

    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, "value");
    snprintf(place, sizeof(place), "%s.%s.value", row->section, row->name);
    if (!cJSON_IsNumber(value) || !in_range(number, value->valuedouble))
        return fail_found(reader, place, expectation(number, expected, sizeof(expected)), value);
    *number_of(reader->spec, number) = value->valuedouble;

    const cJSON *unit = cJSON_GetObjectItemCaseSensitive(item, "unit");
    snprintf(place, sizeof(place), "%s.%s.unit", row->section, row->name);
    snprintf(expected, sizeof(expected), "\"%s\"", row->unit);
    if (!cJSON_IsString(unit) || strcmp(unit->valuestring, row->unit) != 0)
        return fail_found(reader, place, expected, unit);

    snprintf(place, sizeof(place), "%s.%s.source", row->section, row->name);
    status = read_text(reader, place, "where the number comes from, in words",
                       cJSON_GetObjectItemCaseSensitive(item, "source"), &reader->spec->source[number]);
    if (status != GSIM_OK) return status;

    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(item, "kind");
    size_t k = 0;
    while (k < KIND_COUNT && !(cJSON_IsString(kind) && strcmp(kind->valuestring, kind_names[k]) == 0)) k++;
    snprintf(place, sizeof(place), "%s.%s.kind", row->section, row->name);
    if (k == KIND_COUNT)
        return fail_found(reader, place, "one of datasheet, published, measured, fitted, derived, assumed", kind);
    reader->spec->kind[number] = (enum gsim_number_kind)k;
    reader->given[number] = true;
    return GSIM_OK;
}

static enum gsim_status read_section(struct reader *reader, const char *section, const cJSON *object)
{
    if (!cJSON_IsObject(object)) return fail_found(reader, section, "an object of numbers", object);
    const char *repeated = gsim_json_repeated(object);
    if (repeated) return gsim_error_set(reader->error, GSIM_INPUT, "%s.%s: given twice", section, repeated);
    const cJSON *child;
    cJSON_ArrayForEach(child, object)
    {
        enum gsim_device_number number = gsim_device_number_find(child->string);
        if (number == GSIM_DEVICE_NUMBER_COUNT || strcmp(rows[number].section, section) != 0) {
            enum gsim_device_number other = nearest(child->string);
            if (other == GSIM_DEVICE_NUMBER_COUNT)
                return gsim_error_set(reader->error, GSIM_INPUT,
                                      "%s.%s: unknown number, gpusim list devices --long lists the known ones", section,
                                      child->string);
            return gsim_error_set(reader->error, GSIM_INPUT, "%s.%s: unknown number, did you mean %s.%s?", section,
                                  child->string, rows[other].section, rows[other].name);
        }
        enum gsim_status status = read_number(reader, number, child);
        if (status != GSIM_OK) return status;
    }
    return GSIM_OK;
}

/* "9.0" to 90, "gfx942" to AMD's; the occupancy table must know it. */
static enum gsim_status read_compute_capability(struct reader *reader, const cJSON *item)
{
    char expected[256] = "one of", text[GSIM_CAPABILITY_TEXT];
    int known = 0;
    while (cJSON_IsString(item) && (known = gsim_capability_next(known)) != 0)
        if (strcmp(gsim_capability_text(known, text), item->valuestring) == 0) {
            reader->spec->compute_capability = known;
            return GSIM_OK;
        }
    for (known = 0; (known = gsim_capability_next(known)) != 0;) {
        size_t length = strlen(expected);
        snprintf(expected + length, sizeof(expected) - length, " \"%s\"", gsim_capability_text(known, text));
    }
    return fail_found(reader, "compute_capability", expected, item);
}

/* ["NVIDIA H200"] to lines; may be left out. */
static enum gsim_status read_gpus(struct reader *reader, const cJSON *list)
{
    const cJSON *item;
    reader->spec->gpus = NULL;
    if (!list) return GSIM_OK;
    if (!cJSON_IsArray(list)) return fail_found(reader, "gpus", "a list of names", list);
    cJSON_ArrayForEach(item, list)
    {
        const char *name = NULL;
        enum gsim_status status = read_text(reader, "gpus", "a name", item, &name);
        if (status != GSIM_OK) return status;
        const char *before = reader->spec->gpus;
        reader->spec->gpus = gsim_arena_printf(&reader->spec->arena, "%s%s%s", before ? before : "", before ? "\n" : "", name);
        if (!reader->spec->gpus) return gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
    }
    return GSIM_OK;
}

static enum gsim_status read_head(struct reader *reader, const cJSON *json)
{
    static const char *const keys[] = {"schema", "name", "title",   "compute_capability", "gpus", "inherits",
                                       "gpu",    "link", "managed", "host", "sharing",    NULL};
    if (!cJSON_IsObject(json)) return fail_found(reader, "top level", "an object", json);
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(json, "schema");
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, GSIM_DEVICE_SCHEMA) != 0)
        return fail_found(reader, "schema", "\"" GSIM_DEVICE_SCHEMA "\"", schema);
    enum gsim_status status =
        check_keys(reader, "", json, keys, "schema, name, title, compute_capability, gpus, inherits, gpu, link, managed, host");
    if (status == GSIM_OK)
        status =
            read_text(reader, "name", "a name", cJSON_GetObjectItemCaseSensitive(json, "name"), &reader->spec->name);
    if (status == GSIM_OK)
        status = read_text(reader, "title", "a title", cJSON_GetObjectItemCaseSensitive(json, "title"),
                           &reader->spec->title);
    if (status == GSIM_OK)
        status = read_compute_capability(reader, cJSON_GetObjectItemCaseSensitive(json, "compute_capability"));
    if (status == GSIM_OK) status = read_gpus(reader, cJSON_GetObjectItemCaseSensitive(json, "gpus"));
    return status;
}

/* Numbers that the file leaves out: the default of device.def, or an error. */
static enum gsim_status complete(struct reader *reader)
{
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT; i++) {
        if (reader->given[i]) continue;
        char expected[96];
        if (isnan(rows[i].initial))
            return gsim_error_set(reader->error, GSIM_INPUT, "%s.%s: missing: expected %s (%s)", rows[i].section,
                                  rows[i].name, expectation((enum gsim_device_number)i, expected, sizeof(expected)),
                                  rows[i].help);
        *number_of(reader->spec, (enum gsim_device_number)i) = rows[i].initial;
        reader->spec->source[i] = "default of include/gpusim/device.def";
        reader->spec->kind[i] = GSIM_KIND_ASSUMED;
    }
    return GSIM_OK;
}

static enum gsim_status load_file(const char *path, const char *name, unsigned depth, struct gsim_device_spec *spec,
                                  struct gsim_error *error);
static enum gsim_status load_named(const char *name, unsigned depth, struct gsim_device_spec *spec, struct gsim_error *error);

/* Numbers that the file leaves out are those of the device that it inherits from, from there on assumed. */
static enum gsim_status inherit(struct reader *reader, const cJSON *item, unsigned depth)
{
    struct gsim_device_spec base = {0};
    if (!item) return GSIM_OK;
    if (!cJSON_IsString(item) || !item->valuestring[0]) return fail_found(reader, "inherits", "the name of a device", item);
    if (depth >= MOST_BASES)
        return gsim_error_set(reader->error, GSIM_INPUT, "inherits: expected at most %u devices one from the other", MOST_BASES);
    enum gsim_status status = load_named(item->valuestring, depth + 1, &base, reader->error);
    if (status != GSIM_OK) return gsim_error_prefix(reader->error, "inherits");
    for (int i = 0; i < GSIM_DEVICE_NUMBER_COUNT && status == GSIM_OK; i++) {
        if (reader->given[i]) continue;
        const char *source = gsim_arena_printf(&reader->spec->arena, "as the %s (%s there): %s", base.name,
                                               kind_names[base.kind[i]], base.source[i]);
        if (!source) status = gsim_error_set(reader->error, GSIM_NOMEM, "%s", gsim_status_text(GSIM_NOMEM));
        *number_of(reader->spec, (enum gsim_device_number)i) = gsim_device_get(&base, (enum gsim_device_number)i);
        reader->spec->source[i] = source;
        reader->spec->kind[i] = GSIM_KIND_ASSUMED;
        reader->given[i] = true;
    }
    gsim_device_release(&base);
    return status;
}

/* NAME: what the file must say its name is, NULL for any. DEPTH: how many inherit from it already. */
static enum gsim_status load_file(const char *path, const char *name, unsigned depth, struct gsim_device_spec *spec,
                                  struct gsim_error *error)
{
    struct gsim_error local = {0};
    struct gsim_device_spec result = {0};
    struct reader reader = {.spec = &result, .error = &local};
    cJSON *json = gsim_json_read(path, &local);
    enum gsim_status status = json ? read_head(&reader, json) : local.status;
    if (status == GSIM_OK && name && strcmp(result.name, name) != 0)
        status = gsim_error_set(&local, GSIM_INPUT, "name: expected \"%s\", as the file is called, found \"%.60s\"",
                                name, result.name);
    const cJSON *base = status == GSIM_OK ? cJSON_GetObjectItemCaseSensitive(json, "inherits") : NULL;
    static const char *const sections[] = {"gpu", "link", "managed", "host", "sharing"};
    for (size_t i = 0; status == GSIM_OK && i < sizeof(sections) / sizeof(sections[0]); i++) {
        const cJSON *section = cJSON_GetObjectItemCaseSensitive(json, sections[i]);
        bool may_lack = strcmp(sections[i], "sharing") == 0; /* its numbers have defaults */
        if (section || (!base && !may_lack)) status = read_section(&reader, sections[i], section);
    }
    result.inherits = base != NULL;
    if (status == GSIM_OK) status = inherit(&reader, base, depth);
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
    char known[400] = "", hint[96];
    size_t length = 0;
    struct gsim_nearest nearest;
    gsim_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) gsim_nearest_offer(&nearest, files[i].name);
    for (size_t i = 0; i < count && length < sizeof(known); i++)
        length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s", i ? ", " : "", files[i].name);
    if (!count)
        return gsim_error_set(error, GSIM_USAGE, "unknown device '%s': no device files found, set GPUSIM_DATA", name);
    if (name[0] && strcmp(name, ".") != 0 && access(name, F_OK) == 0)
        return gsim_error_set(error, GSIM_USAGE, "unknown device '%s': for the file write './%s', else one of %s", name,
                              name, known);
    return gsim_error_set(error, GSIM_USAGE, "unknown device '%s': expected a path or one of %s%s", name, known,
                          gsim_nearest_text(&nearest, hint, sizeof(hint)));
}

static enum gsim_status load_named(const char *name, unsigned depth, struct gsim_device_spec *spec, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_model_file *files = NULL;
    size_t count = 0, i = 0;
    enum gsim_status status = gsim_model_files(&arena, &files, &count, error);
    if (status == GSIM_OK) {
        while (i < count && strcmp(files[i].name, name) != 0) i++;
        status = i < count ? load_file(files[i].path, name, depth, spec, error) : fail_unknown(name, files, count, error);
    }
    gsim_arena_release(&arena);
    return status;
}

enum gsim_status gsim_device_load(const char *name_or_path, struct gsim_device_spec *spec, struct gsim_error *error)
{
    size_t length = strlen(name_or_path);
    if (strchr(name_or_path, '/') || (length > 5 && strcmp(name_or_path + length - 5, ".json") == 0))
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
    enum gsim_status status = gsim_model_files(&result.arena, &files, &result.count, error);
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
    if (status == GSIM_OK)
        *list = result;
    else
        gsim_device_list_release(&result);
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
        if (strcmp(section, rows[i].section) != 0) fprintf(out, "  %s\n", section = rows[i].section);
        fprintf(out, "    %-27s %10.7g %-5s  %-9s  %s\n", rows[i].name,
                gsim_device_get(spec, (enum gsim_device_number)i), rows[i].unit, kind_names[spec->kind[i]],
                spec->source[i]);
    }
}
