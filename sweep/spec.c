/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collecting a spec and counting out its points. See sweep/spec.h; the file format: sweep/spec_read.c. */
#include "sweep/spec.h"

#include <ctype.h>

#define NO_GROUP SIZE_MAX

void gsim_spec_init(struct gsim_spec *spec, const struct gsim_spec_host *host)
{
    *spec = (struct gsim_spec){.host = host, .sample_seed = 1};
}

void gsim_spec_release(struct gsim_spec *spec)
{
    gsim_free(spec->fixed);
    gsim_free(spec->axes);
    gsim_free(spec->groups);
    gsim_free(spec->conditions);
    gsim_arena_release(&spec->arena);
    *spec = (struct gsim_spec){0};
}

/* --- settings and axes --------------------------------------------------------------------------------------- */
static size_t find_fixed(const struct gsim_spec *spec, const char *name)
{
    size_t i = 0;
    while (i < spec->fixed_count && strcmp(spec->fixed[i].name, name) != 0) i++;
    return i;
}

static size_t find_axis(const struct gsim_spec *spec, const char *name)
{
    size_t i = 0;
    while (i < spec->axis_count && strcmp(spec->axes[i].name, name) != 0) i++;
    return i;
}

enum gsim_status gsim_spec_fix(struct gsim_spec *spec, const char *name, const char *text, struct gsim_error *error)
{
    const char *canonical;
    bool is_integer;
    struct gsim_axis axis;
    enum gsim_status status = spec->host->resolve(spec->host->data, name, &canonical, &is_integer, error);
    if (status != GSIM_OK) return status;
    canonical = gsim_arena_strdup(&spec->arena, canonical);
    if (find_axis(spec, canonical) < spec->axis_count)
        return gsim_error_set(error, GSIM_USAGE, "%s: given as one value, '%s', and as an axis", canonical, text);
    status = gsim_axis_list(&axis, canonical, &text, 1, &spec->arena, error);
    if (status != GSIM_OK) return status;
    size_t index = find_fixed(spec, canonical);
    if (index == spec->fixed_count) {
        gsim_array_grow(&spec->fixed, sizeof(*spec->fixed), spec->fixed_count, &spec->fixed_capacity);
        spec->fixed_count++;
    }
    spec->fixed[index] = (struct gsim_setting){canonical, axis.values[0], spec->is_reading};
    return GSIM_OK;
}

/* GROUP: which one it joins, or NO_GROUP for one of its own. */
static enum gsim_status put_axis(struct gsim_spec *spec, struct gsim_axis axis, size_t group, struct gsim_error *error)
{
    size_t index = find_axis(spec, axis.name), fixed = find_fixed(spec, axis.name);
    axis.is_from_file = spec->is_reading;
    if (fixed < spec->fixed_count) spec->fixed[fixed] = spec->fixed[--spec->fixed_count]; /* an axis takes its place */
    if (index < spec->axis_count) {
        size_t shared = 0;
        for (size_t i = 0; i < spec->axis_count; i++) shared += spec->axes[i].group == spec->axes[index].group;
        if (shared > 1 || group != NO_GROUP)
            return gsim_error_set(error, GSIM_USAGE, "%s: given twice, and once paired with others", axis.name);
        axis.group = spec->axes[index].group;
        spec->axes[index] = axis;
        return GSIM_OK;
    }
    gsim_array_grow(&spec->axes, sizeof(*spec->axes), spec->axis_count, &spec->axis_capacity);
    axis.group = group;
    if (group == NO_GROUP) {
        gsim_array_grow(&spec->groups, sizeof(*spec->groups), spec->group_count, &spec->group_capacity);
        spec->groups[spec->group_count] = (struct gsim_spec_group){0};
        axis.group = spec->group_count++;
    }
    spec->axes[spec->axis_count++] = axis;
    return GSIM_OK;
}

static enum gsim_status count_values(struct gsim_spec *spec, size_t count, struct gsim_error *error)
{
    spec->value_count += count;
    if (spec->value_count <= GSIM_AXIS_VALUES_MAX) return GSIM_OK;
    return gsim_error_set(error, GSIM_USAGE, "all axes together have %zu values or more: expected at most %d",
                          spec->value_count, GSIM_AXIS_VALUES_MAX);
}

/* NAME and VALUES of "NAME=VALUES"; both in the arena. */
static enum gsim_status make_axis(struct gsim_spec *spec, const char *text, struct gsim_axis *axis,
                                  struct gsim_error *error)
{
    const char *equals = strchr(text, '='), *canonical, *const *items = NULL;
    size_t count = 0;
    bool is_integer;
    if (!equals || equals == text || !equals[1])
        return gsim_error_set(error, GSIM_USAGE, "expected NAME=VALUES, found '%.100s'", text);
    char *name = gsim_arena_printf(&spec->arena, "%.*s", (int)(equals - text), text);
    enum gsim_status status = spec->host->resolve(spec->host->data, name, &canonical, &is_integer, error);
    if (status != GSIM_OK) return status;
    canonical = gsim_arena_strdup(&spec->arena, canonical);
    status = spec->host->expand(spec->host->data, canonical, equals + 1, &spec->arena, &items, &count, error);
    if (status != GSIM_OK) return status;
    status = count ? gsim_axis_list(axis, canonical, items, count, &spec->arena, error)
                   : gsim_axis_parse(axis, canonical, is_integer, equals + 1, &spec->arena, error);
    return status == GSIM_OK ? count_values(spec, axis->count, error) : status;
}

enum gsim_status gsim_spec_vary(struct gsim_spec *spec, const char *text, struct gsim_error *error)
{
    struct gsim_axis axis;
    size_t group = NO_GROUP;
    enum gsim_status status = make_axis(spec, text, &axis, error);
    if (status != GSIM_OK) return status;
    if (axis.sampling != GSIM_SAMPLED_NOT && find_axis(spec, axis.name) == spec->axis_count)
        for (size_t i = 0; i < spec->axis_count; i++)
            if (spec->axes[i].sampling != GSIM_SAMPLED_NOT) group = spec->axes[i].group;
    return put_axis(spec, axis, group, error);
}

enum gsim_status gsim_spec_pair(struct gsim_spec *spec, const char *text, struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    size_t group = NO_GROUP, count = 0;
    const char *first = NULL;
    while (status == GSIM_OK) {
        while (isspace((unsigned char)*text)) text++;
        size_t length = 0;
        while (text[length] && !isspace((unsigned char)text[length])) length++;
        if (!length) break;
        struct gsim_axis axis;
        char *item = gsim_arena_printf(&spec->arena, "%.*s", (int)length, text);
        text += length;
        status = make_axis(spec, item, &axis, error);
        if (status != GSIM_OK) break;
        if (axis.sampling != GSIM_SAMPLED_NOT)
            return gsim_error_set(error, GSIM_USAGE, "%s: sampled axes are together anyway: use vary", axis.name);
        if (first && axis.count != count)
            return gsim_error_set(error, GSIM_USAGE, "paired lists differ in length: %s has %zu values, %s has %zu",
                                  first, count, axis.name, axis.count);
        status = put_axis(spec, axis, group, error);
        group = spec->group_count - 1;
        first = axis.name;
        count = axis.count;
    }
    return status == GSIM_OK && !first
               ? gsim_error_set(error, GSIM_USAGE, "expected NAME=VALUES NAME=VALUES, found nothing")
               : status;
}

enum gsim_status gsim_spec_add_where(struct gsim_spec *spec, const char *text, struct gsim_error *error)
{
    (void)error; /* as the others that add to a spec */
    const char *copy = gsim_arena_strdup(&spec->arena, text);
    (void)GSIM_APPEND(spec->conditions, spec->condition_count, spec->condition_capacity, copy);
    return GSIM_OK;
}

/* --- finishing ------------------------------------------------------------------------------------------------- */
struct place {
    const struct gsim_spec *spec;
    const struct gsim_setting *settings; /* NULL while conditions are compiled */
    uint32_t repeat;
};

static struct gsim_cell cell_of(const struct gsim_axis_value *value)
{
    return value->is_number ? gsim_cell_real(value->number) : gsim_cell_text(value->text);
}

static bool value_of(void *data, const char *name, struct gsim_cell *value)
{
    const struct place *place = data;
    const struct gsim_spec *spec = place->spec;
    const char *canonical;
    bool is_integer;
    size_t axis, fixed;
    if (strcmp(name, "repeat") == 0) {
        *value = gsim_cell_integer(place->repeat);
        return true;
    }
    axis = find_axis(spec, name);
    fixed = find_fixed(spec, name);
    /* "scheduler" is as good as "sched". */
    if (axis == spec->axis_count && fixed == spec->fixed_count &&
        spec->host->resolve(spec->host->data, name, &canonical, &is_integer, NULL) == GSIM_OK) {
        axis = find_axis(spec, canonical);
        fixed = find_fixed(spec, canonical);
    }
    value->type = GSIM_CELL_NULL;
    if (axis < spec->axis_count && place->settings) *value = cell_of(&place->settings[axis].value);
    if (fixed < spec->fixed_count) *value = cell_of(&spec->fixed[fixed].value);
    return axis < spec->axis_count || fixed < spec->fixed_count;
}

static enum gsim_status count_points(struct gsim_spec *spec, struct gsim_error *error)
{
    double total = spec->repeat;
    for (size_t i = 0; i < spec->axis_count; i++) spec->groups[spec->axes[i].group].count = spec->axes[i].count;
    spec->total = spec->repeat;
    for (size_t i = spec->group_count; i-- > 0;) {
        spec->groups[i].stride = spec->total;
        total *= (double)spec->groups[i].count;
        if (total > GSIM_SPEC_POINTS_MAX)
            return gsim_error_set(error, GSIM_USAGE, "these axes make %.3g points or more: expected at most %.0f",
                                  total, GSIM_SPEC_POINTS_MAX);
        spec->total *= spec->groups[i].count;
    }
    return GSIM_OK;
}

enum gsim_status gsim_spec_finish(struct gsim_spec *spec, struct gsim_error *error)
{
    struct place place = {.spec = spec};
    struct gsim_where_names names = {value_of, &place};
    size_t sampled_count = 0;
    if (!spec->repeat) spec->repeat = 1;
    for (size_t i = 0; i < spec->axis_count; i++) sampled_count += spec->axes[i].sampling != GSIM_SAMPLED_NOT;
    if (sampled_count && !spec->samples)
        return gsim_error_set(error, GSIM_USAGE, "random and sobol ranges need to know how many: expected --samples N");
    if (!sampled_count && spec->samples)
        return gsim_error_set(error, GSIM_USAGE, "--samples %zu: no axis is sampled (LOW:HIGH:random or :sobol)",
                              spec->samples);
    enum gsim_status status = count_values(spec, sampled_count * spec->samples, error);
    if (status != GSIM_OK) return status;
    status =
        gsim_axes_sample(spec->axes, spec->axis_count, spec->samples, spec->sample_seed, &spec->arena, error);
    if (status == GSIM_OK) status = count_points(spec, error);
    spec->where = GSIM_ARENA_ARRAY(&spec->arena, struct gsim_where *, spec->condition_count);
    for (size_t i = 0; i < spec->condition_count && status == GSIM_OK; i++)
        status = gsim_where_compile(spec->conditions[i], &names, &spec->arena, &spec->where[i], error);
    return status;
}

/* --- points ------------------------------------------------------------------------------------------------------ */
void gsim_spec_point(const struct gsim_spec *spec, uint64_t index, struct gsim_setting *settings, uint32_t *repeat)
{
    *repeat = (uint32_t)(index % spec->repeat);
    for (size_t i = 0; i < spec->axis_count; i++) {
        const struct gsim_axis *axis = &spec->axes[i];
        const struct gsim_spec_group *group = &spec->groups[axis->group];
        settings[i] = (struct gsim_setting){axis->name, axis->values[index / group->stride % group->count],
                                            axis->is_from_file};
    }
}

bool gsim_spec_at(const struct gsim_spec *spec, size_t index, struct gsim_axis *axis)
{
    if (index >= spec->fixed_count + spec->axis_count) return false;
    if (index >= spec->fixed_count) {
        *axis = spec->axes[index - spec->fixed_count];
    } else {
        struct gsim_setting *setting = &spec->fixed[index];
        *axis = (struct gsim_axis){
            .name = setting->name, .values = &setting->value, .count = 1, .is_from_file = setting->is_from_file};
    }
    return true;
}

bool gsim_spec_holds(const struct gsim_spec *spec, const struct gsim_setting *settings, uint32_t repeat)
{
    struct place place = {.spec = spec, .settings = settings, .repeat = repeat};
    struct gsim_where_names names = {value_of, &place};
    for (size_t i = 0; i < spec->condition_count; i++)
        if (!gsim_where_holds(spec->where[i], &names)) return false;
    return true;
}
