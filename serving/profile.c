/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/profile.h. */
#include "serving/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/collective.h"
#include "gpusim/order.h"
#include "sim/base/gz.h"

#define COLUMNS 16

/* --- reading --- */

struct row {
    const char *name; /* of the part; NULL: the table has none */
    double values[GSIM_PROFILE_AXES + 1];
};

struct table {
    char *text;
    struct row *rows;
    size_t count, room;
};

static int split(char *line, char *fields[COLUMNS])
{
    int count = 0;
    for (char *at = line; at && count < COLUMNS; at = strchr(at, ',')) {
        if (count) *at++ = 0;
        fields[count++] = at;
    }
    return count;
}

/* A line's fields at COLUMNS, the first of them a name where NAMED. */
static enum gsim_status read_row(char *line, const int *columns, const char *const *names, bool is_named,
                                 struct row *row, struct gsim_error *error)
{
    char *fields[COLUMNS], *end;
    int count = split(line, fields);
    for (int c = 0; names[c]; c++) {
        if (columns[c] >= count) return gsim_error_set(error, GSIM_INPUT, "%s: found nothing", names[c]);
        const char *field = fields[columns[c]];
        if (is_named && !c) {
            row->name = field;
            continue;
        }
        double value = strtod(field, &end);
        if (end == field || *end || !(value >= 0 && value <= 1e12))
            return gsim_error_set(error, GSIM_INPUT, "%s: expected a number of 0 or more, found '%.40s'", names[c],
                                  field);
        row->values[c - is_named] = value;
    }
    return GSIM_OK;
}

static enum gsim_status read_head(char *line, const char *const *names, int *columns, struct gsim_error *error)
{
    char *fields[COLUMNS];
    int count = split(line, fields);
    for (int c = 0; names[c]; c++) {
        columns[c] = 0;
        while (columns[c] < count && strcmp(fields[columns[c]], names[c]) != 0) columns[c]++;
        if (columns[c] == count)
            return gsim_error_set(error, GSIM_INPUT, "expected a column '%s', found none", names[c]);
    }
    return GSIM_OK;
}

static enum gsim_status read_lines(struct table *t, const char *const *names, bool is_named, unsigned *number,
                                   struct gsim_error *error)
{
    int columns[COLUMNS] = {0};
    enum gsim_status status = GSIM_OK;
    for (char *line = t->text, *next; *line && !status; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        line[length] = 0;
        if (length && line[length - 1] == '\r') line[--length] = 0;
        if (!(*number)++) {
            status = read_head(line, names, columns, error);
            continue;
        }
        if (!length) continue;
        if (t->count == t->room && gsim_array_grow(&t->rows, sizeof *t->rows, t->count, &t->room))
            return gsim_no_memory(error);
        t->rows[t->count] = (struct row){0};
        status = read_row(line, columns, names, is_named, &t->rows[t->count++], error);
    }
    return status;
}

/* CSV with a head that has NAMES, which end with NULL. */
static enum gsim_status read_table(const char *path, const char *const *names, bool is_named, struct table *t,
                                   struct gsim_error *error)
{
    size_t length;
    unsigned number = 0;
    t->text = gsim_file_read(path, &length, error);
    if (!t->text) return gsim_error_prefix(error, "cannot read '%.200s'", path);
    enum gsim_status status = read_lines(t, names, is_named, &number, error);
    if (!status && !t->count) status = gsim_error_set(error, GSIM_INPUT, "expected rows, found none");
    return status ? gsim_error_prefix(error, "cannot read '%.200s': line %u", path, number) : GSIM_OK;
}

static void close_table(struct table *t)
{
    gsim_free(t->text);
    gsim_free(t->rows);
}

GSIM_ORDER(compare_rows, struct row, GSIM_TEXT(name) GSIM_UP(values[0]))

static bool has(const char *const *list, const char *name)
{
    while (list && *list && strcmp(*list, name) != 0) list++;
    return list && *list;
}

static enum gsim_status read_curves(const char *path, const char *size, struct gsim_arena *arena,
                                    struct gsim_profile_curve *curves, uint32_t *count, struct gsim_error *error)
{
    const char *const names[] = {"layer", size, "time_us", NULL};
    struct table t = {0};
    struct gsim_profile_curve *c = NULL;
    enum gsim_status status = read_table(path, names, true, &t, error);
    if (!status) qsort(t.rows, t.count, sizeof *t.rows, compare_rows);
    for (size_t i = 0; i < t.count && !status; i++) {
        const struct row *row = &t.rows[i];
        if (!c || strcmp(c->name, row->name) != 0) {
            if (*count == GSIM_PROFILE_PARTS)
                status = gsim_error_set(error, GSIM_INPUT, "'%.200s': over %d parts", path, GSIM_PROFILE_PARTS);
            if (status) break;
            c = &curves[(*count)++];
            *c = (struct gsim_profile_curve){.name = gsim_arena_strdup(arena, row->name),
                                             .sizes = GSIM_ARENA_ARRAY(arena, double, t.count),
                                             .us = GSIM_ARENA_ARRAY(arena, double, t.count)};
            if (!c->name || !c->sizes || !c->us) status = gsim_no_memory(error);
            if (status) break;
        }
        if (c->count && !(row->values[0] > c->sizes[c->count - 1]))
            status = gsim_error_set(error, GSIM_INPUT, "'%.200s': %s of %g %s stands there twice", path, c->name,
                                    row->values[0], size);
        c->sizes[c->count] = row->values[0];
        c->us[c->count++] = row->values[1];
    }
    close_table(&t);
    return status;
}

/* --- attention --- */

static uint32_t place(const double *axis, uint32_t count, double value)
{
    uint32_t i = 0;
    while (i < count && axis[i] < value) i++;
    return i;
}

static bool add_value(struct gsim_step_profile *p, int axis, double value)
{
    uint32_t count = p->axis_counts[axis], at = place(p->axes[axis], count, value);
    double *values = p->axes[axis];
    if (at < count && values[at] <= value) return true;
    if (count == GSIM_PROFILE_MAX) return false;
    memmove(values + at + 1, values + at, sizeof *values * (count - at));
    values[at] = value;
    p->axis_counts[axis]++;
    return true;
}

static size_t stride_of(const struct gsim_step_profile *p, int axis)
{
    size_t stride = 1;
    for (int a = GSIM_PROFILE_AXES - 1; a > axis; a--) stride *= p->axis_counts[a];
    return stride;
}

/* Whether a step can ask for entry I: where there is a context there is something behind it. */
static bool is_asked(const struct gsim_step_profile *p, size_t i)
{
    size_t at[GSIM_PROFILE_AXES];
    for (int a = GSIM_PROFILE_AXES - 1; a >= 0; i /= p->axis_counts[a--]) at[a] = i % p->axis_counts[a];
    bool has_chunk = p->axes[0][at[0]] > 0, has_decodes = p->axes[2][at[2]] > 0;
    bool is_skipped = has_decodes && !at[3] && !(p->axes[3][0] > 0) && p->axis_counts[3] > 2;
    return (has_chunk || !at[1]) && (has_decodes || !at[3]) && !is_skipped;
}

static enum gsim_status check_attention(const struct gsim_step_profile *p, size_t count, struct gsim_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(p->attention[i]) && is_asked(p, i))
            return gsim_error_set(error, GSIM_INPUT,
                                  "expected each prefill_chunk with each n_decode, or entries to continue a line from");
    return GSIM_OK;
}

static enum gsim_status read_attention(const char *path, struct gsim_arena *arena, struct gsim_step_profile *p,
                                       struct gsim_error *error)
{
    static const char *const names[] = {"prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us", NULL};
    struct table t = {0};
    size_t count = 1;
    double least = INFINITY;
    bool fits = true;
    enum gsim_status status = read_table(path, names, false, &t, error);
    for (size_t i = 0; i < t.count; i++)
        for (int a = 0; a < GSIM_PROFILE_AXES; a++) fits &= add_value(p, a, t.rows[i].values[a]);
    if (!status && !fits)
        status = gsim_error_set(error, GSIM_INPUT, "'%.200s': over %d values in a column", path, GSIM_PROFILE_MAX);
    for (int a = 0; a < GSIM_PROFILE_AXES; a++) count *= p->axis_counts[a];
    if (!status && !(p->attention = GSIM_ARENA_ARRAY(arena, float, count))) status = gsim_no_memory(error);
    for (size_t i = 0; i < count && !status; i++) p->attention[i] = NAN;
    for (size_t i = 0; i < t.count && !status; i++) {
        size_t at = 0;
        for (int a = 0; a < GSIM_PROFILE_AXES; a++)
            at = at * p->axis_counts[a] + place(p->axes[a], p->axis_counts[a], t.rows[i].values[a]);
        p->attention[at] = (float)t.rows[i].values[GSIM_PROFILE_AXES];
        least = fmin(least, t.rows[i].values[GSIM_PROFILE_AXES]);
    }
    if (!status && isnan(p->attention[0])) p->attention[0] = (float)least; /* of nothing: a launch */
    if (!status) {
        /* An entry that was not measured, such as one that does not fit the memory, continues the line through the two
         * before it: of more requests, of longer contexts, of a longer chunk. */
        static const int order[] = {2, 3, 1, 0};
        for (size_t i = 0; i < count; i++) {
            for (int o = 0; o < GSIM_PROFILE_AXES && isnan(p->attention[i]); o++) {
                int a = order[o];
                size_t stride = stride_of(p, a), at = i / stride % p->axis_counts[a];
                if (at < 2 || isnan(p->attention[i - stride]) || isnan(p->attention[i - 2 * stride])) continue;
                const double *x = &p->axes[a][at];
                double low = (double)p->attention[i - 2 * stride], high = (double)p->attention[i - stride];
                p->attention[i] = (float)fmax(high, high + (high - low) * (x[0] - x[-1]) / (x[-1] - x[-2]));
            }
        }
    }
    if (!status && check_attention(p, count, error)) status = gsim_error_prefix(error, "'%.200s'", path);
    close_table(&t);
    return status;
}

enum gsim_status gsim_profile_read(const struct gsim_profile_files *files, struct gsim_arena *arena,
                                   struct gsim_step_profile *p, struct gsim_error *error)
{
    enum gsim_status status = read_curves(files->dense, "tokens", arena, p->dense, &p->dense_count, error);
    if (!status && files->per_sequence)
        status = read_curves(files->per_sequence, "sequences", arena, p->per_sequence, &p->per_sequence_count, error);
    if (!status) status = read_attention(files->attention, arena, p, error);
    for (uint32_t i = 0; i < p->dense_count; i++)
        p->dense[i].times = has(files->once, p->dense[i].name)    ? 1
                            : has(files->twice, p->dense[i].name) ? 2 * p->layers
                                                                  : p->layers;
    for (uint32_t i = 0; i < p->per_sequence_count; i++) p->per_sequence[i].times = 1;
    const char *const *lists[] = {files->once, files->twice};
    for (int l = 0; l < 2; l++)
        for (const char *const *name = lists[l]; name && *name && !status; name++) {
            uint32_t i = 0;
            while (i < p->dense_count && strcmp(p->dense[i].name, *name) != 0) i++;
            if (i == p->dense_count)
                status = gsim_error_set(error, GSIM_INPUT, "%s: '%.200s' has no layer \"%.60s\"", l ? "twice" : "once",
                                        files->dense, *name);
        }
    return status;
}

enum gsim_status gsim_profile_connect(struct gsim_step_profile *p, const struct gsim_device_spec *device,
                                      const struct gsim_ranks *links, struct gsim_error *error)
{
    if (p->gpus < 2) return GSIM_OK;
    struct gsim_nccl *numbers = gsim_collective_numbers(device);
    if (!numbers) return gsim_error_set(error, GSIM_INPUT, "tensor_parallel: no collective's times for this GPU");
    for (int i = 0; i < 32; i++) {
        const struct gsim_collective reduce = {.kind = GSIM_COLLECTIVE_ALL_REDUCE,
                                               .algorithm = GSIM_ALGORITHM_CUSTOM,
                                               .bytes = gsim_whole_u64(p->bytes_per_token * exp2(i))};
        p->reduce_us[i] = gsim_collective_estimate_us(numbers, device, &reduce, p->gpus, links);
    }
    gsim_free(numbers);
    return GSIM_OK;
}

/* --- times --- */

static double between(double from, double to, double weight) { return from + (to - from) * weight; }

static double curve_us(const struct gsim_profile_curve *c, double size)
{
    if (size <= 0) return 0;
    uint32_t at = place(c->sizes, c->count, size);
    if (at == c->count) at--;
    if (!at) return c->us[0]; /* of the smallest, too */
    double weight = (size - c->sizes[at - 1]) / (c->sizes[at] - c->sizes[at - 1]);
    return between(c->us[at - 1], c->us[at], weight);
}

/* The attention at the entries from AXIS on, OFFSET in the table. Nothing has no context: the entries of a chunk of 0
 * tokens, or of no request that decodes, are those of context 0. */
static double attention_at(const struct gsim_step_profile *p, int axis, size_t offset, const double *at)
{
    if (axis == GSIM_PROFILE_AXES) return (double)p->attention[offset];
    const double *values = p->axes[axis];
    uint32_t count = p->axis_counts[axis], high = place(values, count, *at);
    double value = *at;
    if (axis % 2) { /* a context */
        size_t before = offset % p->axis_counts[axis - 1];
        if (!(p->axes[axis - 1][before] > 0)) high = 0, value = values[0];
        else if (!(values[0] > 0) && axis == 3 && high < 2 && count > 2) high = 2, value = fmax(value, values[1]);
    }
    if (high == count) high--;
    size_t next = offset * count + high;
    if (!high || !(values[high] > value || values[high] < value))
        return attention_at(p, axis + 1, next, at + 1);
    double weight = (value - values[high - 1]) / (values[high] - values[high - 1]);
    return between(attention_at(p, axis + 1, next - 1, at + 1), attention_at(p, axis + 1, next, at + 1), weight);
}

static double attention_us(const struct gsim_step_profile *p, double tokens, double context, double decodes,
                           double decode_context)
{
    const double at[GSIM_PROFILE_AXES] = {tokens, context, decodes, decode_context};
    return tokens + decodes > 0 ? attention_at(p, 0, 0, at) : 0;
}

/* Several chunks go through the kernel as one of as many tokens and as many pairs of a token and what it attends to,
 * or, where that would have no context left, as one behind the other where this takes less. */
static double all_attention_us(const struct gsim_step_profile *p, const struct gsim_step_shape *s)
{
    double tokens = 0, pairs = 0, each = 0;
    for (uint32_t i = 0; i < s->chunk_count; i++) {
        const struct gsim_chunk *c = &s->chunks[i];
        tokens += c->tokens;
        pairs += c->tokens * (c->context + c->tokens / 2);
        each += attention_us(p, c->tokens, c->context, 0, 0);
    }
    double context = tokens > 0 ? pairs / tokens - tokens / 2 : 0;
    double us = attention_us(p, tokens, fmax(context, 0), s->decodes, s->context);
    return context < 0 ? fmin(us, each + attention_us(p, 0, 0, s->decodes, s->context)) : us;
}

static double reduce_us(const struct gsim_step_profile *p, double tokens)
{
    int i = 0;
    if (p->gpus < 2) return 0;
    while (i < 30 && exp2(i + 1) <= tokens) i++;
    return p->reduces_per_layer * p->layers *
           between(p->reduce_us[i], p->reduce_us[i + 1], fmax(tokens / exp2(i) - 1, 0));
}

uint32_t gsim_profile_most(const struct gsim_step_profile *p)
{
    double most = 1e7;
    for (uint32_t i = 0; i < p->dense_count; i++) most = fmin(most, p->dense[i].sizes[p->dense[i].count - 1]);
    return gsim_whole_u32(fmax(fmin(most, p->axes[0][p->axis_counts[0] - 1]), 1));
}

double gsim_profile_us(const struct gsim_step_profile *p, const struct gsim_step_shape *s)
{
    double tokens = s->decodes, sequences = s->decodes + s->chunk_count, us = 0;
    for (uint32_t i = 0; i < s->chunk_count; i++) tokens += s->chunks[i].tokens;
    for (uint32_t i = 0; i < p->dense_count; i++) us += p->dense[i].times * curve_us(&p->dense[i], tokens);
    for (uint32_t i = 0; i < p->per_sequence_count; i++) us += curve_us(&p->per_sequence[i], sequences);
    return us + p->layers * all_attention_us(p, s) + reduce_us(p, tokens);
}
