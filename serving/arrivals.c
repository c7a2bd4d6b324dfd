/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See serving/arrivals.h. Formats of public traces: Azure's and BurstGPT's CSV, Mooncake's JSON lines
 * (docs/serving.md).
 */
#include "serving/arrivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"
#include "sim/base/scan.h"
#include "sim/base/gz.h"

#define COUNT_OF_PROCESS 1000   /* requests, where nobody says how many */
#define COLUMNS 16              /* of a CSV file: more are not looked at */
#define BLOCK_MAX 9007199254740992.0 /* a double tells whole numbers below apart */

/* --- drawing ----------------------------------------------------------------------------------------------------- */

/* Marsaglia and Tsang, ACM TOMS 26 (2000): mean SHAPE, variance SHAPE. */
static double draw_gamma(const struct gsim_random *numbers, double shape)
{
    if (shape < 1) return draw_gamma(numbers, shape + 1) * pow(1 - gsim_random_uniform(numbers), 1 / shape);
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = gsim_random_normal(numbers), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(1 - gsim_random_uniform(numbers)) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
    }
}

static uint32_t draw_length(const struct gsim_lengths *l, const struct gsim_random *numbers, uint32_t traced)
{
    double value = traced;
    switch (l->kind) {
    case GSIM_LENGTHS_TRACE:
        return traced;
    case GSIM_LENGTHS_CONSTANT:
        value = l->a;
        break;
    case GSIM_LENGTHS_UNIFORM:
        value = floor(l->a + gsim_random_uniform(numbers) * (l->b - l->a + 1));
        break;
    case GSIM_LENGTHS_LOGNORMAL:
        value = l->a * exp(l->b * gsim_random_normal(numbers));
        break;
    case GSIM_LENGTHS_CHOICE:
        value = l->choices[gsim_random_integer(numbers, l->choice_count)];
        break;
    }
    return value < 1 ? 1 : value > GSIM_TOKENS_MAX ? gsim_whole_u32(GSIM_TOKENS_MAX) : gsim_whole_u32(value + 0.5);
}

bool gsim_arrivals_next(struct gsim_arrival_walk *walk, struct gsim_served_arrival *arrival)
{
    const struct gsim_arrivals *a = walk->arrivals;
    if (walk->next >= a->count) return false;
    if (a->kind == GSIM_ARRIVALS_LIST) {
        *arrival = a->list[walk->next++];
        arrival->arrival_us /= a->scale;
    } else {
        double shape = 1 / (a->cv * a->cv);
        double gap =
            a->cv == 1 ? -log(1 - gsim_random_uniform(walk->numbers)) : draw_gamma(walk->numbers, shape) / shape;
        walk->now_us += gap * 1e6 / a->rate_per_s;
        walk->next++;
        *arrival = (struct gsim_served_arrival){.arrival_us = walk->now_us};
    }
    arrival->prompt = draw_length(&a->prompt, walk->numbers, arrival->prompt);
    if (a->prompt.kind != GSIM_LENGTHS_TRACE) arrival->block_count = 0;
    arrival->output = draw_length(&a->output, walk->numbers, arrival->output);
    return true;
}

/* --- public traces ------------------------------------------------------------------------------------------------ */

enum { AZURE, BURSTGPT, MOONCAKE, UNKNOWN };

struct file {
    const char *path;
    const char *at;
    uint64_t line;
    int columns[3]; /* time, prompt, output */
    uint64_t *blocks; /* of all prompts */
    size_t block_count, block_room;
};

/* "2023-11-16 18:15:46.6805900" or "2024-05-10T00:00:00Z" in seconds of some epoch; NAN where it is none. */
static double parse_stamp(const char *text)
{
    int year, month, day, hour, minute, used = 0;
    char *end;
    if (sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d:%n", &year, &month, &day, &hour, &minute, &used) != 5 || !used)
        return NAN;
    double seconds = strtod(text + used, &end);
    static const int days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (end == text + used || year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
        day > days_of[month - 1] + (month == 2 && is_leap) || !(seconds >= 0 && seconds < 61))
        return NAN;
    /* Days by the civil calendar, years from March on (Richards, 2013). */
    int y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;
    double days = 365.0 * y + floor(y / 4.0) - floor(y / 100.0) + floor(y / 400.0) + floor((153.0 * m + 2) / 5) + day;
    return ((days * 24 + hour) * 60 + minute) * 60 + seconds;
}

/* The fields of a line of CSV, cut in place; quotes around a field are taken off. */
static int split(char *line, char *fields[COLUMNS])
{
    int count = 0;
    for (char *at = line; count < COLUMNS;) {
        char *end;
        if (*at == '"') {
            fields[count++] = ++at;
            end = strchr(at, '"');
            if (!end) return count;
            *end++ = 0;
            end = strchr(end, ',');
        } else {
            fields[count++] = at;
            end = strchr(at, ',');
        }
        if (!end) return count;
        *end = 0;
        at = end + 1;
    }
    return count;
}

static int find_column(char *const *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i], name) == 0) return i;
    return -1;
}

static int tell_format(struct file *f, char *head)
{
    static const char *const names[2][3] = {{"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
                                            {"Timestamp", "Request tokens", "Response tokens"}};
    char *fields[COLUMNS];
    if (*head == '{') return MOONCAKE;
    int count = split(head, fields);
    for (int format = AZURE; format <= BURSTGPT; format++) {
        int found = 0;
        for (int c = 0; c < 3; c++) found += (f->columns[c] = find_column(fields, count, names[format][c])) >= 0;
        if (found == 3) return format;
    }
    return UNKNOWN;
}

static enum gsim_status bad_line(const struct file *f, const char *what, struct gsim_error *error)
{
    return gsim_error_set(error, GSIM_INPUT, "cannot read '%.200s': line %llu: %s", f->path,
                          (unsigned long long)f->line, what);
}

static enum gsim_status read_csv(const struct file *f, char *line, int format, struct gsim_served_arrival *arrival,
                                 struct gsim_error *error)
{
    char *fields[COLUMNS], *end = NULL;
    int count = split(line, fields);
    for (int c = 0; c < 3; c++)
        if (f->columns[c] >= count)
            return bad_line(f, "expected a field for each column of the header, found fewer", error);
    double seconds = format == AZURE ? parse_stamp(fields[f->columns[0]]) : strtod(fields[f->columns[0]], &end);
    if (!isfinite(seconds) || end == fields[f->columns[0]]) return bad_line(f, "expected a time, found none", error);
    double tokens[2];
    for (int c = 0; c < 2; c++) {
        tokens[c] = strtod(fields[f->columns[c + 1]], &end);
        if (end == fields[f->columns[c + 1]] || !(tokens[c] >= 0 && tokens[c] <= GSIM_TOKENS_MAX))
            return bad_line(f, "expected a number of tokens, found none", error);
    }
    *arrival = (struct gsim_served_arrival){
        .arrival_us = seconds * 1e6, .prompt = gsim_whole_u32(tokens[0]), .output = gsim_whole_u32(tokens[1])};
    return GSIM_OK;
}

static enum gsim_status read_json(struct file *f, const char *line, size_t length,
                                  struct gsim_served_arrival *arrival, struct gsim_error *error)
{
    static const char *const names[] = {"timestamp", "input_length", "output_length"};
    struct gsim_error inner = {0};
    struct gsim_scan_text key;
    double values[3] = {NAN, NAN, NAN};
    if (gsim_scan_check(line, length, &inner)) return bad_line(f, inner.message, error);
    const char *at = gsim_scan_start(line), *blocks = NULL;
    if (*at != '{') return bad_line(f, "expected an object", error);
    GSIM_SCAN_EACH(value, at, &key)
    {
        if (gsim_scan_is(&key, "hash_ids")) blocks = value;
        for (int i = 0; i < 3; i++)
            if (gsim_scan_is(&key, names[i]) && (*value == '-' || (*value >= '0' && *value <= '9')))
                values[i] = gsim_scan_number(value);
    }
    for (int i = 0; i < 3; i++)
        if (!(values[i] >= 0)) return bad_line(f, "expected numbers timestamp, input_length and output_length", error);
    if (values[1] > GSIM_TOKENS_MAX || values[2] > GSIM_TOKENS_MAX)
        return bad_line(f, "expected at most ten million tokens", error);
    *arrival = (struct gsim_served_arrival){
        .arrival_us = values[0] * 1000, .prompt = gsim_whole_u32(values[1]), .output = gsim_whole_u32(values[2])};
    /* "hash_ids": [0, 1, 7] */
    arrival->first_block = f->block_count;
    if (!blocks || *blocks != '[') return GSIM_OK;
    GSIM_SCAN_EACH(value, blocks, NULL)
    {
        double number = *value >= '0' && *value <= '9' ? gsim_scan_number(value) : NAN;
        if (!(number >= 0 && number < BLOCK_MAX)) return bad_line(f, "expected whole numbers as hash_ids", error);
        if (!GSIM_APPEND(f->blocks, f->block_count, f->block_room, gsim_whole_u64(number)))
            return gsim_no_memory(error);
    }
    arrival->block_count = (uint32_t)(f->block_count - arrival->first_block);
    return GSIM_OK;
}

GSIM_ORDER(compare_arrivals, struct gsim_served_arrival, GSIM_UP(arrival_us))

static enum gsim_status read_lines(struct file *f, char *text, uint32_t most, struct gsim_arrivals *a,
                                   struct gsim_served_arrival **list, struct gsim_error *error)
{
    uint32_t *count = &a->count;
    size_t capacity = 0;
    int format = UNKNOWN;
    enum gsim_status status = GSIM_OK;
    for (char *line = text, *next; *line && !status && (!most || *count < most); line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        line[length] = 0;
        if (length && line[length - 1] == '\r') line[--length] = 0;
        f->line++;
        if (!length) continue;
        if (format == UNKNOWN) {
            format = tell_format(f, line);
            if (format == UNKNOWN)
                return bad_line(f, "expected the header of Azure's or BurstGPT's requests, or Mooncake's JSON lines",
                                error);
            if (format != MOONCAKE) continue;
        }
        struct gsim_served_arrival arrival;
        status = format == MOONCAKE ? read_json(f, line, length, &arrival, error)
                                    : read_csv(f, line, format, &arrival, error);
        a->left_out += !status && !arrival.output;
        if (status || !arrival.output) continue; /* BurstGPT: no response is a failure */
        if (!arrival.prompt) arrival.prompt = 1;
        if (*count == capacity && gsim_array_grow((void **)list, sizeof **list, *count, &capacity))
            return gsim_no_memory(error);
        (*list)[(*count)++] = arrival;
    }
    return status;
}

static enum gsim_status read_file(const char *path, uint32_t most, struct gsim_arena *arena, struct gsim_arrivals *a,
                                  struct gsim_error *error)
{
    struct file f = {.path = path};
    struct gsim_served_arrival *list = NULL;
    size_t length;
    char *text = gsim_file_read(path, &length, error);
    if (!text) return error->status == GSIM_NOMEM ? GSIM_NOMEM : gsim_error_prefix(error, "cannot read '%.200s'", path);
    a->count = a->left_out = 0;
    enum gsim_status status = read_lines(&f, text, most, a, &list, error);
    gsim_free(text);
    if (!status && !a->count)
        status = gsim_error_set(error, GSIM_INPUT, "cannot read '%.200s': expected requests, found none", path);
    if (!status) qsort(list, a->count, sizeof *list, compare_arrivals);
    for (uint32_t i = a->count; !status && i-- > 0;) list[i].arrival_us -= list[0].arrival_us;
    if (!status && gsim_arena_adopt(arena, list, sizeof *list * a->count)) status = gsim_no_memory(error);
    if (status) gsim_free(list);
    if (!status && f.block_count && gsim_arena_adopt(arena, f.blocks, sizeof *f.blocks * f.block_count))
        status = gsim_no_memory(error);
    a->blocks = !status && f.block_count ? f.blocks : NULL;
    if (!a->blocks) gsim_free(f.blocks);
    if (!status) a->list = list;
    return status;
}

enum gsim_status gsim_arrivals_parse(const char *text, uint32_t count, struct gsim_arena *arena,
                                     struct gsim_arrivals *a, struct gsim_error *error)
{
    bool is_poisson = strncmp(text, "poisson:", 8) == 0, is_gamma = strncmp(text, "gamma:", 6) == 0;
    char *end = NULL;
    a->kind = GSIM_ARRIVALS_LIST;
    a->blocks = NULL;
    if (!is_poisson && !is_gamma) return read_file(text, count, arena, a, error);
    a->kind = GSIM_ARRIVALS_GAMMA;
    a->cv = 1;
    a->count = count ? count : COUNT_OF_PROCESS;
    a->rate_per_s = strtod(strchr(text, ':') + 1, &end);
    if (is_gamma && strncmp(end, ",cv=", 4) == 0) a->cv = strtod(end + 4, &end);
    if (*end || !(a->rate_per_s >= GSIM_RATE_MIN && a->rate_per_s <= 1e9) || !(a->cv > 0.01 && a->cv <= 100))
        return gsim_error_set(error, GSIM_USAGE,
                              "arrivals: expected poisson:RATE, gamma:RATE,cv=CV or a file, found '%.100s'", text);
    return GSIM_OK;
}

enum gsim_status gsim_arrivals_set_rate(struct gsim_arrivals *a, double rate, struct gsim_error *error)
{
    if (a->kind != GSIM_ARRIVALS_LIST) {
        a->rate_per_s = rate;
        return GSIM_OK;
    }
    double span = a->list[a->count - 1].arrival_us - a->list[0].arrival_us;
    a->scale = rate * span / ((a->count - 1.0) * 1e6);
    return span > 0 ? GSIM_OK
                    : gsim_error_set(error, GSIM_USAGE, "rate: of requests over time: all %u arrive at once", a->count);
}
