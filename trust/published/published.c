/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reader of published/ (trust/published/published.h). The tables are small: a line at a time, no library needed. */
#include "trust/published/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 8

struct reader {
    struct gsim_published *published;
    const char *path;
    size_t line;
    struct gsim_error *error;
};

static enum gsim_status bad(const struct reader *r, const char *what, const char *expected, const char *found)
{
    return gsim_error_set(r->error, GSIM_INPUT, "cannot read '%s': line %zu: %s: expected %s, found '%.60s'", r->path,
                          r->line, what, expected, found);
}

/* Cuts LINE at its commas; the number of fields, of which FIELDS holds the first. */
static size_t split(char *line, char *fields[FIELDS_MAX])
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at; count++) {
        if (count < FIELDS_MAX) fields[count] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return count;
}

static bool parse_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return *text && !*end && isfinite(*value);
}

/* The positive whole number at *AT, which moves behind it and the spaces that follow; 0 where there is none. */
static unsigned parse_count(char **at)
{
    if (**at < '1' || **at > '9') return 0;
    unsigned long number = strtoul(*at, at, 10);
    *at += strspn(*at, " ");
    return number <= INT32_MAX ? (unsigned)number : 0;
}

static enum gsim_status add_row(struct reader *r, char *fields[FIELDS_MAX])
{
    struct gsim_published *p = r->published;
    if (gsim_array_grow(&p->rows, sizeof *p->rows, p->row_count, &p->row_capacity))
        return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    struct gsim_published_row row = {.is_fit = strcmp(fields[6], "fit") == 0};
    if (!parse_number(fields[3], &row.size) || row.size < 0) return bad(r, "size", "a number from 0", fields[3]);
    if (!parse_number(fields[5], &row.value)) return bad(r, "value", "a number", fields[5]);
    if (!row.is_fit && strcmp(fields[6], "check") != 0) return bad(r, "use", "fit or check", fields[6]);
    row.figure = gsim_arena_strdup(&p->arena, fields[0]);
    row.device = gsim_arena_strdup(&p->arena, fields[1]);
    row.workload = gsim_arena_strdup(&p->arena, fields[2]);
    row.quantity = gsim_arena_strdup(&p->arena, fields[4]);
    row.source = gsim_arena_strdup(&p->arena, fields[7]);
    p->rows[p->row_count++] = row;
    return p->arena.failed ? gsim_error_set(r->error, GSIM_NOMEM, "out of memory") : GSIM_OK;
}

static enum gsim_status add_launch(struct reader *r, char *fields[FIELDS_MAX])
{
    struct gsim_published *p = r->published;
    if (gsim_array_grow(&p->launches, sizeof *p->launches, p->launch_count, &p->launch_capacity))
        return gsim_error_set(r->error, GSIM_NOMEM, "out of memory");
    struct gsim_published_launch launch = {0};
    char *at = fields[4], *behind = fields[3];
    launch.blocks = parse_count(&behind);
    if (!launch.blocks || *behind) return bad(r, "blocks", "a positive integer", fields[3]);
    for (unsigned number; launch.block1d_count < GSIM_LAUNCH_SHAPES && (number = parse_count(&at));)
        launch.block1d[launch.block1d_count++] = number;
    if (!launch.block1d_count || *at) return bad(r, "block1d", "1 to 4 positive integers", fields[4]);
    launch.figure = gsim_arena_strdup(&p->arena, fields[0]);
    launch.device = gsim_arena_strdup(&p->arena, fields[1]);
    launch.workload = gsim_arena_strdup(&p->arena, fields[2]);
    p->launches[p->launch_count++] = launch;
    return p->arena.failed ? gsim_error_set(r->error, GSIM_NOMEM, "out of memory") : GSIM_OK;
}

static enum gsim_status read_lines(struct reader *r, const char *header, size_t field_count,
                                   enum gsim_status (*add)(struct reader *, char *fields[FIELDS_MAX]))
{
    char line[512], *fields[FIELDS_MAX];
    enum gsim_status status = GSIM_OK;
    FILE *file = fopen(r->path, "r");
    if (!file) return gsim_error_set(r->error, GSIM_IO, "cannot read '%s'", r->path);
    while (status == GSIM_OK && fgets(line, sizeof line, file)) {
        r->line++;
        if (r->line == 1) {
            line[strcspn(line, "\r\n")] = '\0';
            if (strcmp(line, header) != 0) status = bad(r, "header", header, line);
            continue;
        }
        if (strlen(line) == sizeof line - 1 && line[sizeof line - 2] != '\n') {
            status = bad(r, "length", "at most 510 bytes", "more");
            break;
        }
        size_t count = split(line, fields);
        char found[24];
        snprintf(found, sizeof found, "%zu", count);
        status = count == field_count ? add(r, fields)
                                      : bad(r, "fields", field_count == 8 ? "8 of them" : "5 of them", found);
    }
    if (status == GSIM_OK && ferror(file)) status = gsim_error_set(r->error, GSIM_IO, "cannot read '%s'", r->path);
    fclose(file);
    return status;
}

enum gsim_status gsim_published_read(struct gsim_published *published, const char *path, struct gsim_error *error)
{
    struct reader r = {published, path, 0, error};
    return read_lines(&r, "figure,device,workload,size,quantity,value,use,source", 8, add_row);
}

enum gsim_status gsim_published_read_launches(struct gsim_published *published, const char *path,
                                              struct gsim_error *error)
{
    struct reader r = {published, path, 0, error};
    return read_lines(&r, "figure,device,workload,blocks,block1d", 5, add_launch);
}

const struct gsim_published_launch *gsim_published_launch_find(const struct gsim_published *published,
                                                               const char *figure, const char *device,
                                                               const char *workload)
{
    for (size_t i = 0; i < published->launch_count; i++) {
        const struct gsim_published_launch *l = &published->launches[i];
        if (strcmp(l->figure, figure) == 0 && strcmp(l->device, device) == 0 && strcmp(l->workload, workload) == 0)
            return l;
    }
    return NULL;
}

void gsim_published_release(struct gsim_published *published)
{
    gsim_free(published->rows);
    gsim_free(published->launches);
    gsim_arena_release(&published->arena);
    memset(published, 0, sizeof *published);
}
