/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/group.h. Rows that agree in all settings are repetitions of one point; a group's mean is that
 * of its points' means, so that a point repeated more often does not weigh more.
 */
#include "plots/group.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "sim/base/text.h"

#define CONFIDENCE 0.975 /* two-sided 95 % */

static enum gsim_status no_memory(struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

enum gsim_status gsim_frame_need(const struct gsim_frame *frame, const char *option, const char *name,
                                 const struct gsim_frame_column **column, struct gsim_error *error)
{
    char hint[96], known[400] = "";
    struct gsim_nearest nearest;
    size_t used = 0;
    *column = gsim_frame_find(frame, name);
    if (*column) return GSIM_OK;
    gsim_nearest_init(&nearest, name);
    for (size_t i = 0; i < frame->column_count; i++) {
        gsim_nearest_offer(&nearest, frame->columns[i].name);
        if (used < sizeof known - 1)
            used +=
                (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", frame->columns[i].name);
    }
    return gsim_error_set(error, GSIM_USAGE, "%s: no column '%.60s'%s; there are %s", option, name,
                          gsim_nearest_text(&nearest, hint, sizeof hint), known);
}

void gsim_frame_select(struct gsim_frame *frame, const bool *keep)
{
    size_t kept = 0;
    for (size_t c = 0; c < frame->column_count; c++) {
        struct gsim_frame_column *column = &frame->columns[c];
        size_t at = 0;
        for (size_t row = 0; row < column->length; row++) {
            if (!keep[row]) continue;
            column->texts[at] = column->texts[row];
            column->numbers[at++] = column->numbers[row];
        }
        column->length = at;
    }
    for (size_t row = 0; row < frame->row_count; row++) kept += keep[row];
    frame->row_count = kept;
}

/* --- keys ------------------------------------------------------------------------------------------------------------
 */
static bool is_scheduler_parameter(const char *name)
{
    return strchr(name, '.') && strncmp(name, "device.", 7) != 0 && strncmp(name, "gpu.", 4) != 0;
}

/* What a speed-up is over: the rows whose column NAME has the text VALUE, a scheduler where only that is said. */
struct base_rule {
    const char *text, *name, *value;
    double number;       /* of VALUE; NAN: it is none */
    const bool *counts;  /* per column: base rows have something there, so that rows must agree in it */
};

static bool is_base_row(const struct gsim_frame *frame, size_t row, const struct base_rule *rule)
{
    const struct gsim_frame_column *column = gsim_frame_find(frame, rule->name);
    if (strcmp(gsim_frame_text(column, row), rule->value) == 0) return true;
    return isfinite(rule->number) && gsim_frame_number(column, row) == rule->number;
}

/* RULE NULL: every setting of a row in one text. With RULE: what rows have in common that differ from its base rows in the
 * name it gives; where that is the scheduler, its parameters do not count either. */
static const char *row_key(const struct gsim_frame *frame, size_t row, const struct base_rule *rule, struct gsim_arena *arena)
{
    bool by_scheduler = rule && strcmp(rule->name, "scheduler") == 0;
    size_t room = 1, used = 0;
    for (size_t i = 0; i < frame->column_count; i++) room += strlen(gsim_frame_text(&frame->columns[i], row)) + 1;
    char *key = gsim_arena_alloc(arena, room);
    for (size_t i = 0; key && i < frame->column_count; i++) {
        const char *name = frame->columns[i].name;
        if (!gsim_frame_is_setting(name)) continue;
        if (rule && (strcmp(name, rule->name) == 0 || !rule->counts[i])) continue;
        if (by_scheduler && is_scheduler_parameter(name)) continue;
        used += (size_t)snprintf(key + used, room - used, "%s\x1f", gsim_frame_text(&frame->columns[i], row));
    }
    return key;
}

/* NAME=VALUE, or a scheduler; a column that no base row has a text in (a parameter of other schedulers) does not count. */
static enum gsim_status make_rule(const struct gsim_frame *frame, const char *base, struct base_rule *rule,
                                  struct gsim_arena *arena, struct gsim_error *error)
{
    const struct gsim_frame_column *column;
    const char *equals = strchr(base, '=');
    char *end;
    bool *counts = gsim_arena_alloc(arena, sizeof *counts * (frame->column_count + 1));
    *rule = (struct base_rule){.text = base, .name = "scheduler", .value = equals ? equals + 1 : base, .counts = counts};
    if (equals) rule->name = gsim_arena_printf(arena, "%.*s", (int)(equals - base), base);
    if (!counts || !rule->name) return no_memory(error);
    if (strcmp(rule->name, "sched") == 0) rule->name = "scheduler";
    rule->number = strtod(rule->value, &end);
    if (end == rule->value || *end) rule->number = NAN;
    enum gsim_status status = gsim_frame_need(frame, "--base", rule->name, &column, error);
    for (size_t i = 0; i < frame->column_count && status == GSIM_OK; i++)
        for (size_t row = 0; row < frame->row_count && !counts[i]; row++)
            counts[i] = *gsim_frame_text(&frame->columns[i], row) && is_base_row(frame, row, rule);
    return status;
}

/* --- speed-ups
 * -------------------------------------------------------------------------------------------------------- */
struct base {
    const char *key;
    double sum, squares;
    size_t count;
};

static int by_key(const void *left, const void *right)
{
    return strcmp(((const struct base *)left)->key, ((const struct base *)right)->key);
}

/* The base's rows by setting, equal ones summed up. */
static enum gsim_status collect_bases(const struct gsim_frame *frame, const struct base_rule *rule, struct base *bases,
                                      size_t *count, struct gsim_arena *arena, struct gsim_error *error)
{
    const struct gsim_frame_column *time = gsim_frame_find(frame, "iteration_us");
    size_t found = 0;
    for (size_t row = 0; row < frame->row_count; row++) {
        double us = gsim_frame_number(time, row);
        if (!is_base_row(frame, row, rule) || !(us > 0)) continue;
        bases[found] =
            (struct base){.key = row_key(frame, row, rule, arena), .sum = us, .squares = us * us, .count = 1};
        if (!bases[found++].key) return no_memory(error);
    }
    if (!found)
        return gsim_error_set(error, GSIM_USAGE, "--base: no rows %s '%.60s' to compare with",
                              strchr(rule->text, '=') ? "have" : "of the scheduler", rule->text);
    qsort(bases, found, sizeof *bases, by_key);
    *count = 0;
    for (size_t i = 0; i < found; i++) {
        if (*count && strcmp(bases[*count - 1].key, bases[i].key) == 0) {
            bases[*count - 1].sum += bases[i].sum;
            bases[*count - 1].squares += bases[i].squares;
            bases[*count - 1].count++;
        } else {
            bases[(*count)++] = bases[i];
        }
    }
    return GSIM_OK;
}

/* Variance of the mean, relative to the squared mean: it enters the speed-up's error. */
static double relative_variance(const struct base *base)
{
    double n = (double)base->count, mean = base->sum / n;
    return n > 1 ? fmax(0, (base->squares - n * mean * mean) / (n - 1)) / n / (mean * mean) : 0;
}

enum gsim_status gsim_frame_speedup(struct gsim_frame *frame, const char *base, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    const struct gsim_frame_column *time;
    size_t count = 0, matched = 0, rows = frame->row_count;
    struct base_rule rule = {0};
    if (!base && gsim_frame_distinct(frame, gsim_frame_find(frame, "speedup"))) return GSIM_OK;
    if (!base) base = "serial";
    enum gsim_status status = gsim_frame_need(frame, "--y speedup", "scheduler", &time, error);
    if (status == GSIM_OK) status = gsim_frame_need(frame, "--y speedup", "iteration_us", &time, error);
    struct base *bases = status == GSIM_OK ? gsim_arena_alloc(&arena, sizeof *bases * (rows + 1)) : NULL;
    double *values = status == GSIM_OK ? gsim_arena_alloc(&arena, sizeof *values * 2 * (rows + 1)) : NULL;
    if (status == GSIM_OK && (!bases || !values)) status = no_memory(error);
    if (status == GSIM_OK) status = make_rule(frame, base, &rule, &arena, error);
    if (status == GSIM_OK) status = collect_bases(frame, &rule, bases, &count, &arena, error);
    for (size_t row = 0; row < rows && status == GSIM_OK; row++) {
        struct base wanted = {.key = row_key(frame, row, &rule, &arena)};
        if (!wanted.key) status = no_memory(error);
        const struct base *found = wanted.key ? bsearch(&wanted, bases, count, sizeof *bases, by_key) : NULL;
        if (found && is_base_row(frame, row, &rule)) {
            values[2 * row] = 1; /* its own noise is no speed-up */
            values[2 * row + 1] = 0;
            matched++;
            continue;
        }
        values[2 * row] = found ? found->sum / (double)found->count / gsim_frame_number(time, row) : NAN;
        values[2 * row + 1] = found ? relative_variance(found) : NAN;
        matched += found != NULL;
    }
    /* gsim_frame_set writes to the last row: the rows grow again, one by one. */
    for (size_t row = 0; row < rows && status == GSIM_OK; row++) {
        frame->row_count = row + 1;
        gsim_frame_set_number(frame, "speedup", values[2 * row]);
        gsim_frame_set_number(frame, "speedup_spread", values[2 * row + 1]);
    }
    frame->row_count = rows;
    if (status == GSIM_OK && frame->failed) status = no_memory(error);
    if (status == GSIM_OK && !matched)
        status = gsim_error_set(error, GSIM_USAGE, "--base %s: it ran in no setting of the others", base);
    gsim_arena_release(&arena);
    return status;
}

/* --- joined columns ------------------------------------------------------------------------------------------------ */
/* Numbers say of what. */
static const char *add_part(struct gsim_arena *arena, const char *text, const struct gsim_frame_column *column, size_t row)
{
    const char *part = gsim_frame_text(column, row), *dot = strrchr(column->name, '.');
    if (!*part || !text) return text;
    bool is_number = isfinite(gsim_frame_number(column, row));
    return gsim_arena_printf(arena, "%s%s%s%s%s", text, *text ? ", " : "", is_number ? (dot ? dot + 1 : column->name) : "",
                             is_number ? "=" : "", part);
}

enum gsim_status gsim_frame_join(struct gsim_frame *frame, const char *option, const char *names, const char **name,
                                 struct gsim_error *error)
{
    char one[256];
    *name = names;
    if (!strchr(names, ',') || gsim_frame_find(frame, names)) return GSIM_OK;
    const char **texts = gsim_arena_alloc(&frame->arena, sizeof *texts * (frame->row_count + 1));
    for (size_t row = 0; texts && row < frame->row_count; row++) texts[row] = "";
    for (const char *at = names; texts && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const struct gsim_frame_column *column;
        snprintf(one, sizeof one, "%.*s", (int)strcspn(at, ","), at);
        enum gsim_status status = gsim_frame_need(frame, option, one, &column, error);
        if (status != GSIM_OK) return status;
        for (size_t row = 0; row < frame->row_count; row++) texts[row] = add_part(&frame->arena, texts[row], column, row);
    }
    *name = gsim_arena_strdup(&frame->arena, names);
    if (!texts || !*name) return no_memory(error);
    size_t rows = frame->row_count;
    for (size_t row = 0; row < rows; row++) { /* gsim_frame_set writes to the last row */
        frame->row_count = row + 1;
        gsim_frame_set(frame, *name, texts[row]);
    }
    frame->row_count = rows;
    return frame->failed || frame->arena.failed ? no_memory(error) : GSIM_OK;
}

/* --- groups
 * ------------------------------------------------------------------------------------------------------------ */
static int by_number_text(const void *left, const void *right)
{
    double a = strtod(*(const char *const *)left, NULL), b = strtod(*(const char *const *)right, NULL);
    return (a > b) - (a < b);
}

/* The different texts of a column; INDEX: of each row's, SIZE_MAX for what is left out. Numbers in ascending order. */
static const char **distinct(const struct gsim_frame *frame, const struct gsim_frame_column *column, bool skip_empty,
                             size_t *index, size_t *count, bool *is_number, struct gsim_arena *arena)
{
    const char **texts = gsim_arena_alloc(arena, sizeof *texts * (frame->row_count + 1));
    *count = 0;
    *is_number = true;
    for (size_t row = 0; texts && row < frame->row_count; row++) {
        const char *text = column ? gsim_frame_text(column, row) : "";
        size_t i = 0;
        if (skip_empty && !*text) continue;
        while (i < *count && strcmp(texts[i], text) != 0) i++;
        if (i == *count) texts[(*count)++] = text;
        *is_number &= isfinite(gsim_frame_number(column, row));
    }
    if (texts && *is_number && *count) qsort(texts, *count, sizeof *texts, by_number_text);
    for (size_t row = 0; texts && row < frame->row_count; row++) {
        const char *text = column ? gsim_frame_text(column, row) : "";
        index[row] = SIZE_MAX;
        for (size_t i = 0; i < *count && index[row] == SIZE_MAX; i++)
            if (strcmp(texts[i], text) == 0) index[row] = i;
    }
    return texts;
}

struct member {
    size_t group;
    const char *key; /* of the setting: equal ones are repetitions */
    double value, base_variance;
};

static int by_group(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    int order = strcmp(a->key, b->key);
    if (order) return order;
    return (a->value > b->value) - (a->value < b->value);
}

/* The mean over points of the means over repetitions; in logarithms for geometric means. */
static void summarise(const struct member *members, size_t count, bool geometric, struct gsim_point *point)
{
    double sum = 0, variance = 0, points = 0, freedom = 0;
    for (size_t first = 0, next; first < count; first = next, points++) {
        double mean = 0, squares = 0, repeats;
        for (next = first; next < count && strcmp(members[next].key, members[first].key) == 0; next++)
            mean += geometric ? log(members[next].value) : members[next].value;
        mean /= repeats = (double)(next - first);
        for (size_t i = first; i < next; i++)
            squares += pow((geometric ? log(members[i].value) : members[i].value) - mean, 2);
        sum += mean;
        if (repeats > 1) variance += squares / (repeats - 1) / repeats + (geometric ? members[first].base_variance : 0);
        freedom += repeats - 1;
    }
    double mean = sum / points, half = 0;
    point->count = count;
    /* Without noise, repetitions agree, to the last bits of a sum. */
    point->is_repeated = sqrt(variance) > 1e-9 * points * (geometric ? 1 : fabs(mean));
    point->error = point->is_repeated ? sqrt(variance) / points : 0;
    if (point->is_repeated) half = gsl_cdf_tdist_Pinv(CONFIDENCE, freedom) * point->error;
    point->mean = geometric ? exp(mean) : mean;
    point->low = geometric ? exp(mean - half) : mean - half;
    point->high = geometric ? exp(mean + half) : mean + half;
}

/* Which settings differ inside some group: those the caller should know of. */
static enum gsim_status find_averaged(const struct gsim_frame *frame, const size_t *group, size_t group_count,
                                      struct gsim_groups *groups, struct gsim_error *error)
{
    const char **seen = gsim_arena_alloc(&groups->arena, sizeof *seen * (group_count + 1));
    const char *list = "";
    for (size_t c = 0; seen && c < frame->column_count; c++) {
        const struct gsim_frame_column *column = &frame->columns[c];
        bool differs = false;
        if (!gsim_frame_is_setting(column->name)) continue;
        memset(seen, 0, sizeof *seen * group_count);
        for (size_t row = 0; row < frame->row_count && !differs; row++) {
            const char *text = gsim_frame_text(column, row);
            if (group[row] == SIZE_MAX) continue;
            differs = seen[group[row]] && strcmp(seen[group[row]], text) != 0;
            seen[group[row]] = text;
        }
        if (differs) list = gsim_arena_printf(&groups->arena, "%s%s%s", list, *list ? ", " : "", column->name);
        if (!list) break;
    }
    groups->averaged = list;
    return groups->arena.failed ? no_memory(error) : GSIM_OK;
}

static enum gsim_status fill_points(const struct gsim_frame *frame, const struct gsim_frame_column *y, bool geometric,
                                    size_t *group, struct gsim_groups *groups, struct gsim_error *error)
{
    size_t count = 0, group_count = groups->x_count * groups->series_count;
    const struct gsim_frame_column *spread = gsim_frame_find(frame, "speedup_spread");
    bool is_speedup = strcmp(y->name, "speedup") == 0;
    struct member *members = gsim_arena_alloc(&groups->arena, sizeof *members * (frame->row_count + 1));
    groups->points = gsim_arena_alloc(&groups->arena, sizeof *groups->points * (group_count + 1));
    if (groups->arena.failed) return no_memory(error);
    for (size_t row = 0; row < frame->row_count; row++) {
        double value = gsim_frame_number(y, row), variance = gsim_frame_number(spread, row);
        if (group[row] == SIZE_MAX || !isfinite(value) || (geometric && value <= 0)) {
            group[row] = SIZE_MAX;
            continue;
        }
        members[count] =
            (struct member){.group = group[row], .key = row_key(frame, row, NULL, &groups->arena), .value = value};
        if (is_speedup && isfinite(variance)) members[count].base_variance = variance;
        if (!members[count++].key) return no_memory(error);
    }
    if (!count) return gsim_error_set(error, GSIM_USAGE, "no row has a number in the column '%s'", y->name);
    qsort(members, count, sizeof *members, by_group);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && members[next].group == members[first].group;) next++;
        summarise(members + first, next - first, geometric, &groups->points[members[first].group]);
        groups->is_repeated |= groups->points[members[first].group].is_repeated;
    }
    return find_averaged(frame, group, group_count, groups, error);
}

enum gsim_status gsim_group(const struct gsim_frame *frame, const char *x, const char *series, const char *y,
                            bool geometric, struct gsim_groups *groups, struct gsim_error *error)
{
    const struct gsim_frame_column *x_column, *series_column = NULL, *y_column;
    bool is_number;
    memset(groups, 0, sizeof *groups);
    if (!frame->row_count) return gsim_error_set(error, GSIM_USAGE, "no rows are left: see --where");
    enum gsim_status status = gsim_frame_need(frame, "--x", x, &x_column, error);
    if (status == GSIM_OK && series) status = gsim_frame_need(frame, "--series", series, &series_column, error);
    if (status == GSIM_OK) status = gsim_frame_need(frame, "--y", y, &y_column, error);
    if (status != GSIM_OK) return status;
    size_t *at = gsim_arena_alloc(&groups->arena, sizeof *at * 2 * (frame->row_count + 1)),
           *group = at + frame->row_count;
    if (!at) return no_memory(error);
    groups->xs = distinct(frame, x_column, true, at, &groups->x_count, &groups->x_is_number, &groups->arena);
    groups->series = distinct(frame, series_column, false, group, &groups->series_count, &is_number, &groups->arena);
    groups->x_values = gsim_arena_alloc(&groups->arena, sizeof *groups->x_values * (groups->x_count + 1));
    if (groups->arena.failed) return no_memory(error);
    for (size_t i = 0; i < groups->x_count; i++)
        groups->x_values[i] = groups->x_is_number ? strtod(groups->xs[i], NULL) : NAN;
    /* Rows without x, such as those of a scheduler that does not have the parameter, are in no group. */
    for (size_t row = 0; row < frame->row_count; row++)
        group[row] = at[row] == SIZE_MAX ? SIZE_MAX : group[row] + at[row] * groups->series_count;
    return fill_points(frame, y_column, geometric, group, groups, error);
}

void gsim_groups_release(struct gsim_groups *groups)
{
    gsim_arena_release(&groups->arena);
    memset(groups, 0, sizeof *groups);
}

const struct gsim_point *gsim_group_point(const struct gsim_groups *groups, size_t x, size_t series)
{
    return &groups->points[x * groups->series_count + series];
}
