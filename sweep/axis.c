/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists, ranges and samples. See sweep/axis.h. Numbers keep ten digits, so that a value and its text agree. */
#include "sweep/axis.h"

#include <ctype.h>
#include <math.h>

#include <gsl/gsl_qrng.h>
#include <gsl/gsl_rng.h>

#include "sim/base/text.h"

struct builder {
    struct gsim_axis *axis;
    struct gsim_arena *arena;
    struct gsim_axis_value *values; /* gsim_realloc-ed */
    size_t capacity;
    struct gsim_error *error;
};

static void add_value(struct builder *builder, struct gsim_axis_value value)
{
    (void)GSIM_APPEND(builder->values, builder->axis->count, builder->capacity, value);
}

static struct gsim_axis_value make_number(struct gsim_arena *arena, bool is_integer, double number)
{
    char text[40];
    struct gsim_axis_value value = {.is_number = true};
    snprintf(text, sizeof(text), is_integer ? "%.0f" : "%.10g", number);
    value.number = strtod(text, NULL);
    value.text = gsim_arena_strdup(arena, text);
    return value;
}

static struct gsim_axis_value make_text(struct gsim_arena *arena, const char *text)
{
    struct gsim_axis_value value = {.text = gsim_arena_strdup(arena, text)};
    value.is_number = gsim_text_quantity(text, &value.number);
    return value;
}

/* --- ranges ----------------------------------------------------------------------------------------------------- */
struct range {
    double low, high;
    const char *step; /* NULL: none given */
};

static enum gsim_status fail_range(struct builder *builder, const char *item, const char *problem)
{
    return gsim_error_set(builder->error, GSIM_USAGE, "%s: range '%.80s': %s", builder->axis->name, item, problem);
}

static enum gsim_status fail_count(struct builder *builder, const char *item, double count)
{
    return gsim_error_set(builder->error, GSIM_USAGE, "%s: range '%.80s': %.0f values or more, expected at most %d",
                          builder->axis->name, item, count, GSIM_AXIS_VALUES_MAX);
}

static enum gsim_status add_number(struct builder *builder, const char *item, double number)
{
    size_t count = builder->axis->count;
    if (count >= GSIM_AXIS_VALUES_MAX) return fail_count(builder, item, (double)count + 1);
    struct gsim_axis_value value = make_number(builder->arena, builder->axis->is_integer, number);
    /* Rounded to whole numbers, neighbours may coincide. */
    if (count && builder->values[count - 1].is_number && builder->values[count - 1].number == value.number)
        return GSIM_OK;
    add_value(builder, value);
    return GSIM_OK;
}

/* LOW + i STEP, or LOW STEP^i: from the index, so that errors do not add up. The end counts with a little slack. */
static enum gsim_status add_steps(struct builder *builder, const char *item, const struct range *range, double step,
                                  bool is_factor)
{
    enum gsim_status status = GSIM_OK;
    double end = range->high + 1e-9 * (is_factor ? range->high : step);
    /* Of steps, not of values: neighbours that round to the same one do not count, but take their time. */
    double steps = is_factor ? (log(range->high) - log(range->low)) / log(step) : (range->high - range->low) / step;
    if (floor(steps) + 1 > GSIM_AXIS_VALUES_MAX) return fail_count(builder, item, floor(steps) + 1);
    for (double i = 0; status == GSIM_OK; i++) {
        double value = is_factor ? range->low * pow(step, i) : range->low + i * step;
        if (value > end) break;
        status = add_number(builder, item, value);
    }
    return status;
}

static enum gsim_status add_spaced(struct builder *builder, const char *item, const struct range *range, double count,
                                   bool is_log)
{
    enum gsim_status status = GSIM_OK;
    if (count > GSIM_AXIS_VALUES_MAX) return fail_count(builder, item, count);
    if (count < 2 || count != floor(count))
        return fail_range(builder, item, "expected a whole number from 2 on behind lin or log");
    for (double i = 0; i < count && status == GSIM_OK; i++) {
        double share = i / (count - 1);
        status = add_number(builder, item,
                            is_log ? range->low * pow(range->high / range->low, share)
                                   : range->low + share * (range->high - range->low));
    }
    return status;
}

static enum gsim_status make_sampled(struct builder *builder, const char *item, const struct range *range,
                                     bool *matches)
{
    const char *kind = strncmp(range->step, "log", 3) == 0 ? range->step + 3 : range->step;
    struct gsim_axis *axis = builder->axis;
    axis->sampling = strcmp(kind, "random") == 0  ? GSIM_SAMPLED_RANDOM
                     : strcmp(kind, "sobol") == 0 ? GSIM_SAMPLED_SOBOL
                                                  : GSIM_SAMPLED_NOT;
    *matches = axis->sampling != GSIM_SAMPLED_NOT;
    if (!*matches) return GSIM_OK;
    axis->low = range->low;
    axis->high = range->high;
    axis->is_log = kind != range->step;
    if (axis->is_log && range->low <= 0) return fail_range(builder, item, "a logarithm needs a start above 0");
    return GSIM_OK;
}

static enum gsim_status add_range(struct builder *builder, const char *item, const struct range *range)
{
    bool is_sampled = false;
    double step;
    if (range->high < range->low) return fail_range(builder, item, "ends below its start");
    if (!range->step) {
        if (range->low != floor(range->low) || range->high != floor(range->high))
            return fail_range(builder, item, "without a third part, expected two whole numbers");
        return add_steps(builder, item, range, 1, false);
    }
    enum gsim_status status = make_sampled(builder, item, range, &is_sampled);
    if (status != GSIM_OK || is_sampled) return status;
    bool is_log = strncmp(range->step, "log", 3) == 0;
    if (is_log || strncmp(range->step, "lin", 3) == 0) {
        if (is_log && range->low <= 0) return fail_range(builder, item, "a logarithm needs a start above 0");
        if (!gsim_text_quantity(range->step + 3, &step)) step = 0;
        return add_spaced(builder, item, range, step, is_log);
    }
    bool is_factor = *range->step == 'x';
    if ((is_factor || *range->step == '+') && gsim_text_quantity(range->step + 1, &step) &&
        step > (is_factor ? 1 : 0) && (!is_factor || range->low > 0))
        return add_steps(builder, item, range, step, is_factor);
    return fail_range(builder, item,
                      "expected +STEP, xFACTOR (above 1, from a start above 0), linN, logN, [log]random or "
                      "[log]sobol as the third part");
}

/* Whether ITEM (changed: its colons become ends) is NUMBER:NUMBER[:STEP]; other texts may hold colons. */
static bool split_range(char *item, struct range *range)
{
    char *second = strchr(item, ':');
    if (!second) return false;
    char *third = strchr(second + 1, ':');
    *second = '\0';
    if (third) *third = '\0';
    bool is_range = gsim_text_quantity(item, &range->low) && gsim_text_quantity(second + 1, &range->high);
    *second = ':';
    if (third) *third = ':';
    range->step = third ? third + 1 : NULL;
    return is_range;
}

/* --- axes --------------------------------------------------------------------------------------------------------- */
static enum gsim_status add_item(struct builder *builder, char *item)
{
    struct range range;
    if (!*item)
        return gsim_error_set(builder->error, GSIM_USAGE, "%s: expected values separated by commas, found an empty one",
                              builder->axis->name);
    if (split_range(item, &range)) return add_range(builder, item, &range);
    add_value(builder, make_text(builder->arena, item));
    return GSIM_OK;
}

/* Moves the values into the arena. */
static enum gsim_status finish(struct builder *builder, enum gsim_status status)
{
    struct gsim_axis *axis = builder->axis;
    if (status == GSIM_OK && axis->sampling != GSIM_SAMPLED_NOT && axis->count)
        status =
            gsim_error_set(builder->error, GSIM_USAGE, "%s: a sampled range stands alone, not in a list", axis->name);
    if (status == GSIM_OK && axis->count) {
        axis->values = GSIM_ARENA_ARRAY(builder->arena, struct gsim_axis_value, axis->count);
        if (axis->values) memcpy(axis->values, builder->values, axis->count * sizeof(*axis->values));
    }
    gsim_free(builder->values);
    return status;
}

enum gsim_status gsim_axis_parse(struct gsim_axis *axis, const char *name, bool is_integer, const char *text,
                                 struct gsim_arena *arena, struct gsim_error *error)
{
    struct builder builder = {.axis = axis, .arena = arena, .error = error};
    enum gsim_status status = GSIM_OK;
    *axis = (struct gsim_axis){.name = name, .is_integer = is_integer};
    char *at = gsim_arena_strdup(arena, text);
    for (char *comma; status == GSIM_OK && at; at = comma) {
        comma = strchr(at, ',');
        if (comma) *comma++ = '\0';
        while (isspace((unsigned char)*at)) at++;
        status = add_item(&builder, at);
        if (status == GSIM_OK && axis->sampling != GSIM_SAMPLED_NOT && comma)
            status = gsim_error_set(error, GSIM_USAGE, "%s: a sampled range stands alone, not in a list", name);
    }
    return finish(&builder, status);
}

enum gsim_status gsim_axis_list(struct gsim_axis *axis, const char *name, const char *const *items, size_t count,
                                struct gsim_arena *arena, struct gsim_error *error)
{
    struct builder builder = {.axis = axis, .arena = arena, .error = error};
    enum gsim_status status = GSIM_OK;
    *axis = (struct gsim_axis){.name = name};
    for (size_t i = 0; i < count && status == GSIM_OK; i++) add_value(&builder, make_text(arena, items[i]));
    return finish(&builder, status);
}

/* --- samples ----------------------------------------------------------------------------------------------------- */
static struct gsim_axis_value place(const struct gsim_axis *axis, struct gsim_arena *arena, double share)
{
    double number =
        axis->is_log ? axis->low * pow(axis->high / axis->low, share) : axis->low + share * (axis->high - axis->low);
    return make_number(arena, axis->is_integer, number);
}

enum gsim_status gsim_axes_sample(struct gsim_axis *axes, size_t count, size_t samples, uint64_t seed,
                                  struct gsim_arena *arena, struct gsim_error *error)
{
    unsigned sobol_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (axes[i].sampling == GSIM_SAMPLED_NOT) continue;
        sobol_count += axes[i].sampling == GSIM_SAMPLED_SOBOL;
        axes[i].count = samples;
        axes[i].values = GSIM_ARENA_ARRAY(arena, struct gsim_axis_value, samples);
    }
    if (sobol_count > GSIM_SOBOL_AXES_MAX)
        return gsim_error_set(error, GSIM_USAGE, "%u axes ask for sobol: expected at most %d", sobol_count,
                              GSIM_SOBOL_AXES_MAX);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_qrng *sobol = sobol_count ? gsl_qrng_alloc(gsl_qrng_sobol, sobol_count) : NULL;
    gsl_rng_set(rng, (unsigned long)seed);
    for (size_t k = 0; k < samples; k++) {
        double shares[GSIM_SOBOL_AXES_MAX];
        size_t next = 0;
        if (sobol) gsl_qrng_get(sobol, shares);
        for (size_t i = 0; i < count; i++) {
            if (axes[i].sampling == GSIM_SAMPLED_NOT) continue;
            double share = axes[i].sampling == GSIM_SAMPLED_SOBOL ? shares[next++] : gsl_rng_uniform(rng);
            axes[i].values[k] = place(&axes[i], arena, share);
        }
    }
    if (sobol) gsl_qrng_free(sobol);
    gsl_rng_free(rng);
    return GSIM_OK;
}
