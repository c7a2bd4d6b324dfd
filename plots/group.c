/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/group.h. Rows that agree in all settings are repetitions of one point; a group's mean is that
 * of its points' means, so that a point repeated more often does not weigh more.
 */
#include "plots/group.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "gpusim/order.h"
#include "sim/base/text.h"
#include "sweep/query/match.h"

#define CONFIDENCE 0.975 /* two-sided 95 % */

enum gsim_status gsim_frame_need(const struct gsim_frame *frame, const char *option, const char *name,
                                 const struct gsim_frame_column **column, struct gsim_error *error)
{
    char known[400] = "";
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
                          gsim_nearest_text(&nearest), known);
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

/* --- keys --- */
/* Every setting of a row in one text. */
static const char *row_key(const struct gsim_frame *frame, size_t row, struct gsim_arena *arena)
{
    size_t room = 1, used = 0;
    for (size_t i = 0; i < frame->column_count; i++) room += strlen(gsim_frame_text(&frame->columns[i], row)) + 1;
    char *key = gsim_arena_alloc(arena, room);
    for (size_t i = 0; key && i < frame->column_count; i++)
        if (gsim_frame_is_setting(frame->columns[i].name))
            used += (size_t)snprintf(key + used, room - used, "%s\x1f", gsim_frame_text(&frame->columns[i], row));
    return key;
}

/* --- speed-ups --- */
/* What a speed-up is over: the rows whose column NAME has the text VALUE, a scheduler where only that is said. */
struct base_rule {
    const char *text, *name, *value;
    double number; /* of VALUE; NAN: it is none */
};

static bool is_base_row(const struct gsim_frame *frame, size_t row, const struct base_rule *rule)
{
    const struct gsim_frame_column *column = gsim_frame_find(frame, rule->name);
    if (strcmp(gsim_frame_text(column, row), rule->value) == 0) return true;
    return isfinite(rule->number) && gsim_frame_number(column, row) == rule->number;
}

/* Repetitions of a database have a seed and a number, by which they are compared one by one; measured ones have no
 * seed. */
static bool is_numbered(const struct gsim_frame *frame, size_t row)
{
    return *gsim_frame_text(gsim_frame_find(frame, "repeat"), row) &&
           *gsim_frame_text(gsim_frame_find(frame, "seed"), row);
}

/* All rows, and which of them are bases. SETTINGS has room for every column. */
static enum gsim_status match_rows(const struct gsim_frame *frame, const struct base_rule *rule,
                                   struct gsim_match_setting *settings, struct gsim_matches *matches,
                                   struct gsim_error *error)
{
    const struct gsim_frame_column *time = gsim_frame_find(frame, "iteration_us");
    enum gsim_status status = GSIM_OK;
    for (size_t row = 0; row < frame->row_count && status == GSIM_OK; row++) {
        double us = gsim_frame_number(time, row);
        bool is_base = us > 0 && is_base_row(frame, row, rule), numbered = is_numbered(frame, row);
        size_t count = 0;
        for (size_t i = 0; i < frame->column_count; i++) {
            struct gsim_match_setting setting = {frame->columns[i].name, gsim_frame_text(&frame->columns[i], row)};
            bool tells = strcmp(setting.name, "repeat") == 0 || strcmp(setting.name, "seed") == 0
                             ? numbered
                             : gsim_frame_is_setting(setting.name);
            if (*setting.value && strcmp(setting.name, rule->name) != 0 && tells) settings[count++] = setting;
        }
        gsim_matches_add(matches, settings, count, is_base ? GSIM_MATCH_ROW | GSIM_MATCH_BASE : GSIM_MATCH_ROW, us);
    }
    if (status == GSIM_OK && !matches->base_count)
        status = gsim_error_set(error, GSIM_USAGE, "--base: no rows %s '%.60s' to compare with",
                                strchr(rule->text, '=') ? "have" : "of the scheduler", rule->text);
    if (status == GSIM_OK) gsim_matches_prepare(matches);
    return status;
}

enum gsim_status gsim_frame_speedup(struct gsim_frame *frame, const char *base, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_matches matches;
    const struct gsim_frame_column *time;
    size_t matched = 0, rows = frame->row_count;
    struct base_rule rule = {0};
    if (!base && gsim_frame_distinct(frame, gsim_frame_find(frame, "speedup"))) return GSIM_OK;
    if (!base) base = "serial";
    gsim_matches_init(&matches, &arena);
    enum gsim_status status = gsim_frame_need(frame, "--y speedup", "scheduler", &time, error);
    if (status == GSIM_OK) status = gsim_frame_need(frame, "--y speedup", "iteration_us", &time, error);
    if (status == GSIM_OK) {
        /* NAME=VALUE, or a scheduler. */
        const struct gsim_frame_column *column;
        const char *equals = strchr(base, '=');
        char *end;
        rule = (struct base_rule){.text = base, .name = "scheduler", .value = equals ? equals + 1 : base};
        if (equals) rule.name = gsim_arena_printf(&arena, "%.*s", (int)(equals - base), base);
        if (strcmp(rule.name, "sched") == 0) rule.name = "scheduler";
        rule.number = strtod(rule.value, &end);
        if (end == rule.value || *end) rule.number = NAN;
        status = gsim_frame_need(frame, "--base", rule.name, &column, error);
    }
    struct gsim_match_setting *settings = gsim_arena_alloc(&arena, sizeof *settings * (frame->column_count + 1));
    struct gsim_match *found = gsim_arena_alloc(&arena, sizeof *found * (rows + 1));
    if (status == GSIM_OK) status = match_rows(frame, &rule, settings, &matches, error);
    for (size_t row = 0; row < rows && status == GSIM_OK; row++) {
        found[row] = gsim_matches_find(&matches, row);
        matched += isfinite(found[row].mean);
        found[row].mean /= gsim_frame_number(time, row);
        if (isfinite(found[row].mean) && is_base_row(frame, row, &rule))
            found[row] = (struct gsim_match){1, 0}; /* its own noise is no speed-up */
    }
    /* gsim_frame_set writes to the last row: the rows grow again, one by one. */
    for (size_t row = 0; row < rows && status == GSIM_OK; row++) {
        frame->row_count = row + 1;
        gsim_frame_set_number(frame, "speedup", found[row].mean);
        gsim_frame_set_number(frame, "speedup_spread", found[row].variance);
    }
    frame->row_count = rows;
    if (status == GSIM_OK && !matched)
        status = gsim_error_set(error, GSIM_USAGE, "--base %s: it ran in no setting of the others", base);
    gsim_matches_release(&matches);
    gsim_arena_release(&arena);
    return status;
}

/* --- joined columns --- */
/* Numbers say of what. */
static const char *add_part(struct gsim_arena *arena, const char *text, const struct gsim_frame_column *column,
                            size_t row)
{
    const char *part = gsim_frame_text(column, row), *dot = strrchr(column->name, '.');
    if (!*part || !text) return text;
    bool is_number = isfinite(gsim_frame_number(column, row));
    return gsim_arena_printf(arena, "%s%s%s%s%s", text, *text ? ", " : "",
                             is_number ? (dot ? dot + 1 : column->name) : "", is_number ? "=" : "", part);
}

enum gsim_status gsim_frame_join(struct gsim_frame *frame, const char *option, const char *names, const char **name,
                                 struct gsim_error *error)
{
    char one[256];
    const struct gsim_frame_column *whole = gsim_frame_find(frame, names);
    size_t filled = 0;
    for (size_t row = 0; row < frame->row_count; row++) filled += *gsim_frame_text(whole, row) != 0;
    *name = names;
    if (strchr(names, ',') ? whole != NULL : !filled || filled == frame->row_count) return GSIM_OK;
    const char **texts = gsim_arena_alloc(&frame->arena, sizeof *texts * (frame->row_count + 1));
    for (size_t row = 0; texts && row < frame->row_count; row++) texts[row] = "";
    for (const char *at = names; texts && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const struct gsim_frame_column *column;
        snprintf(one, sizeof one, "%.*s", (int)strcspn(at, ","), at);
        enum gsim_status status = gsim_frame_need(frame, option, one, &column, error);
        if (status != GSIM_OK) return status;
        for (size_t row = 0; row < frame->row_count; row++)
            texts[row] = add_part(&frame->arena, texts[row], column, row);
    }
    *name = whole ? gsim_arena_printf(&frame->arena, "%s,", names)
                  : gsim_arena_strdup(&frame->arena, names); /* no setting of its own */
    for (size_t row = 0; row < frame->row_count && whole; row++)
        if (texts[row] && !*texts[row]) texts[row] = gsim_arena_printf(&frame->arena, "without %s", names);
    size_t rows = frame->row_count;
    for (size_t row = 0; row < rows; row++) { /* gsim_frame_set writes to the last row */
        frame->row_count = row + 1;
        gsim_frame_set(frame, *name, texts[row]);
    }
    frame->row_count = rows;
    return GSIM_OK;
}

/* --- groups ------------------------------------------------------------------------------------------------------ */
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

GSIM_ORDER(by_group, struct member, GSIM_UP(group) GSIM_TEXT(key) GSIM_UP(value))

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

/* Means over workloads are of those that each group has, where there are any: another set is no other value of x. */
static void keep_common(const struct gsim_frame *frame, size_t *group, size_t group_count, struct gsim_groups *groups)
{
    const struct gsim_frame_column *column = gsim_frame_find(frame, "workload");
    size_t rows = frame->row_count, count, filled = 0, kept = 0;
    size_t *index = gsim_arena_alloc(&groups->arena, sizeof *index * (rows + 1));
    bool is_number, *has = gsim_arena_alloc(&groups->arena, group_count + 1);
    groups->left_out = "";
    if (!column) return;
    const char **names = distinct(frame, column, false, index, &count, &is_number, &groups->arena), *left = "";
    bool *is_common = gsim_arena_alloc(&groups->arena, count + 1);
    for (size_t row = 0; row < rows; row++)
        if (group[row] != SIZE_MAX && !has[group[row]]) has[group[row]] = true, filled++;
    for (size_t w = 0; w < count; w++) {
        size_t in = 0;
        memset(has, 0, group_count);
        for (size_t row = 0; row < rows; row++)
            if (group[row] != SIZE_MAX && index[row] == w && !has[group[row]]) has[group[row]] = true, in++;
        is_common[w] = in == filled;
        kept += is_common[w];
        if (in && in < filled && left)
            left = gsim_arena_printf(&groups->arena, "%s%s%s", left, *left ? ", " : "", names[w]);
    }
    for (size_t row = 0; row < rows && kept; row++)
        if (!is_common[index[row]]) group[row] = SIZE_MAX;
    groups->left_out = kept ? left : "";
}

static enum gsim_status fill_points(const struct gsim_frame *frame, const struct gsim_frame_column *y, bool geometric,
                                    size_t *group, struct gsim_groups *groups, struct gsim_error *error)
{
    size_t count = 0, group_count = groups->x_count * groups->series_count;
    const struct gsim_frame_column *spread = gsim_frame_find(frame, "speedup_spread");
    bool is_speedup = strcmp(y->name, "speedup") == 0;
    struct member *members = gsim_arena_alloc(&groups->arena, sizeof *members * (frame->row_count + 1));
    groups->points = gsim_arena_alloc(&groups->arena, sizeof *groups->points * (group_count + 1));
    for (size_t row = 0; row < frame->row_count; row++) {
        double value = gsim_frame_number(y, row);
        if (!isfinite(value) || (geometric && value <= 0)) group[row] = SIZE_MAX;
    }
    keep_common(frame, group, group_count, groups);
    for (size_t row = 0; row < frame->row_count; row++) {
        double value = gsim_frame_number(y, row), variance = gsim_frame_number(spread, row);
        if (group[row] == SIZE_MAX) continue;
        members[count] =
            (struct member){.group = group[row], .key = row_key(frame, row, &groups->arena), .value = value};
        if (is_speedup && isfinite(variance)) members[count].base_variance = variance;
        count++;
    }
    if (!count) return gsim_error_set(error, GSIM_USAGE, "no row has a number in the column '%s'", y->name);
    qsort(members, count, sizeof *members, by_group);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first; next < count && members[next].group == members[first].group;) next++;
        summarise(members + first, next - first, geometric, &groups->points[members[first].group]);
        groups->is_repeated |= groups->points[members[first].group].is_repeated;
    }
    /* Which settings differ inside some group: those the caller should know of. */
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
    const char *left = groups->left_out;
    if (list && (*list || *left))
        list = gsim_arena_printf(&groups->arena, "%s%s%s%s%s",
                                 *list ? "points are means over different values of " : "", list,
                                 *list && *left ? "; " : "", left, *left ? ": left out, as some points lack it" : "");
    groups->averaged = list;
    return GSIM_OK;
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
    size_t *at = gsim_arena_alloc(&groups->arena, sizeof *at * 2 * (frame->row_count + 1));
    size_t *group = at + frame->row_count;
    groups->xs = distinct(frame, x_column, true, at, &groups->x_count, &groups->x_is_number, &groups->arena);
    groups->series = distinct(frame, series_column, false, group, &groups->series_count, &is_number, &groups->arena);
    groups->x_values = gsim_arena_alloc(&groups->arena, sizeof *groups->x_values * (groups->x_count + 1));
    for (size_t i = 0; i < groups->x_count; i++)
        groups->x_values[i] = groups->x_is_number ? strtod(groups->xs[i], NULL) : NAN;
    /* Rows without x, such as those of a scheduler that does not have the parameter, are in no group. */
    for (size_t row = 0; row < frame->row_count; row++)
        group[row] = at[row] == SIZE_MAX ? SIZE_MAX : group[row] + at[row] * groups->series_count;
    status = fill_points(frame, y_column, geometric, group, groups, error);
    if (status == GSIM_OK) {
        /* Series without a point leave. */
        size_t kept = 0, count = groups->series_count;
        for (size_t j = 0; j < count; j++) {
            bool has_points = false;
            for (size_t i = 0; i < groups->x_count; i++) has_points |= groups->points[i * count + j].count > 0;
            if (!has_points) continue;
            for (size_t i = 0; i < groups->x_count; i++)
                groups->points[i * count + kept] = groups->points[i * count + j];
            groups->series[kept++] = groups->series[j];
        }
        for (size_t i = 0; i < groups->x_count; i++)
            memmove(&groups->points[i * kept], &groups->points[i * count], kept * sizeof *groups->points);
        groups->series_count = kept;
    }
    return status;
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
