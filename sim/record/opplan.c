/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See include/gpusim/opplan.h. */
#include "gpusim/opplan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/limits.h"
#include "gpusim/timeline.h"
#include "sim/base/gz.h"
#include "sim/base/json.h"
#include "gpusim/order.h"
#include "sim/base/output.h"
#include "sim/base/text.h"

#define SCHEMA "gpusim-plan/1"

static enum gsim_status add(struct gsim_op_plan *plan, size_t *room, const struct gsim_op_plan_row *row,
                            struct gsim_error *error)
{
    if (gsim_array_grow(&plan->rows, sizeof *plan->rows, plan->count, room)) return gsim_no_memory(error);
    plan->rows[plan->count++] = *row;
    return GSIM_OK;
}

/* --- of a run --- */

struct issued {
    struct gsim_op_plan_row row;
    gsim_time launch;
    uint32_t correlation;
};

GSIM_ORDER(by_launch, struct issued, GSIM_UP(launch) GSIM_UP(correlation) GSIM_UP(row.op))

static struct issued issued(uint32_t op, uint32_t device, uint32_t stream, gsim_time start, gsim_time launch,
                            uint32_t correlation, gsim_time from)
{
    return (struct issued){{op, device, stream, gsim_time_us(start - from)}, launch, correlation};
}

enum gsim_status gsim_op_plan_make(struct gsim_op_plan *plan, const struct gsim_timeline *t, struct gsim_error *error)
{
    struct issued *list = gsim_alloc(sizeof *list * (t->kernel_count + t->copy_count));
    uint32_t last = t->iteration_count ? (uint32_t)t->iteration_count - 1 : 0;
    gsim_time from = t->iteration_count ? t->iterations[last].start : 0;
    size_t count = 0, room = 0;
    enum gsim_status status = GSIM_OK;
    *plan = (struct gsim_op_plan){0};
    if (!list) return gsim_no_memory(error);
    for (size_t i = 0; i < t->kernel_count; i++) {
        const struct gsim_kernel_record *k = &t->kernels[i];
        if (k->iteration == last)
            list[count++] = issued(k->op, k->device, k->stream, k->start, k->launch, k->correlation, from);
    }
    for (size_t i = 0; i < t->copy_count; i++) { /* others serve an op of another kind */
        const struct gsim_copy_record *c = &t->copies[i];
        bool is_own = c->iteration == last && c->reason == GSIM_REASON_EXPLICIT && c->op < t->program->op_count &&
                      t->program->ops[c->op].kind == GSIM_OP_COPY;
        if (is_own) list[count++] = issued(c->op, c->device, c->stream, c->start, c->launch, c->correlation, from);
    }
    qsort(list, count, sizeof *list, by_launch);
    for (size_t i = 0; i < count && !status; i++) status = add(plan, &room, &list[i].row, error);
    gsim_free(list);
    return status;
}

/* --- files --- */

#define MAX_STREAM ((1u << 24) - 1) /* 1,024 on each of the most GPUs */

/* Adds the row whose numbers are op, device, stream, and start_us unless it is left out (0). */
static enum gsim_status add_numbers(struct gsim_op_plan *plan, size_t *room, const double number[4], const char *path,
                                    const char *what, size_t index, struct gsim_error *error)
{
    const double most[] = {UINT32_MAX - 1, GSIM_LIMIT_GPUS - 1, MAX_STREAM};
    for (int i = 0; i < 3; i++)
        if (!(number[i] >= 0 && number[i] <= most[i]) || number[i] != floor(number[i]))
            return gsim_error_set(error, GSIM_INPUT, "'%s': %s %zu: expected %s from 0 to %.0f, found %g", path, what,
                                  index, (const char *const[]){"an op", "a device", "a stream"}[i], most[i], number[i]);
    if (!(number[3] >= 0 && number[3] <= GSIM_LIMIT_TOTAL_US))
        return gsim_error_set(error, GSIM_INPUT, "'%s': %s %zu: expected start_us from 0 to %g, found %g", path, what,
                              index, GSIM_LIMIT_TOTAL_US, number[3]);
    return add(plan, room,
               &(struct gsim_op_plan_row){gsim_whole_u32(number[0]), gsim_whole_u32(number[1]),
                                          gsim_whole_u32(number[2]), number[3]},
               error);
}

/* Up to four numbers with commas between, and nothing else; how many. */
static int read_numbers(const char *line, double number[4])
{
    for (int count = 0; count < 4;) {
        char *end;
        number[count++] = strtod(line, &end);
        if (end == line) return 0;
        end += strspn(end, " \t\r");
        if (!*end || (*end == '\n' && !end[1])) return count;
        if (*end != ',') return 0;
        line = end + 1;
    }
    return 0;
}

static enum gsim_status read_csv(struct gsim_op_plan *plan, const char *path, struct gsim_error *error)
{
    char line[256];
    size_t room = 0, index = 0;
    FILE *file = gsim_input_stream(path, error);
    enum gsim_status status = GSIM_OK;
    if (!file) return gsim_error_prefix(error, "cannot read '%s'", path);
    while (status == GSIM_OK && fgets(line, sizeof line, file)) {
        double number[4] = {0};
        index++;
        if (line[0] == '#' || strncmp(line, "op,", 3) == 0 || line[0] == '\n') continue;
        if (read_numbers(line, number) < 3)
            status =
                gsim_error_set(error, GSIM_INPUT, "'%s': line %zu: expected op,device,stream,start_us", path, index);
        else status = add_numbers(plan, &room, number, path, "line", index, error);
    }
    if (ferror(file)) status = gsim_error_set(error, GSIM_IO, "cannot read '%s'", path);
    fclose(file);
    return status;
}

static enum gsim_status read_json(struct gsim_op_plan *plan, const char *path, struct gsim_error *error)
{
    static const char *const names[] = {"op", "device", "stream", "start_us"};
    cJSON *json = gsim_json_read(path, error);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "ops"), *item;
    size_t room = 0;
    if (!json) return error->status;
    enum gsim_status status =
        cJSON_IsArray(list) ? GSIM_OK : gsim_error_set(error, GSIM_INPUT, "'%s': ops: expected a list", path);
    cJSON_ArrayForEach(item, list)
    {
        double number[4] = {0};
        if (status != GSIM_OK) break;
        for (int i = 0; i < 4; i++) {
            const cJSON *found = cJSON_GetObjectItemCaseSensitive(item, names[i]);
            if (found || i < 3) number[i] = cJSON_IsNumber(found) ? found->valuedouble : NAN;
        }
        status = add_numbers(plan, &room, number, path, "ops, row", plan->count + 1, error);
    }
    gsim_json_release(json);
    return status;
}

enum gsim_status gsim_op_plan_read(struct gsim_op_plan *plan, const char *path, struct gsim_error *error)
{
    *plan = (struct gsim_op_plan){0};
    bool json = gsim_text_ends_with(path, ".json");
    enum gsim_status status = json ? read_json(plan, path, error) : read_csv(plan, path, error);
    if (status != GSIM_OK) gsim_op_plan_release(plan);
    return status;
}

enum gsim_status gsim_op_plan_write(const struct gsim_op_plan *plan, const char *path, struct gsim_error *error)
{
    struct gsim_output output;
    bool json = gsim_text_ends_with(path, ".json");
    enum gsim_status status = gsim_output_open(&output, path, error);
    if (status != GSIM_OK) return status;
    gsim_output_text(&output, json ? "{\"schema\": \"" SCHEMA "\", \"ops\": [" : "op,device,stream,start_us\n");
    for (size_t i = 0; i < plan->count; i++) {
        const struct gsim_op_plan_row *r = &plan->rows[i];
        if (json)
            gsim_output_printf(&output, "%s\n  {\"op\": %u, \"device\": %u, \"stream\": %u, \"start_us\": %.6f}",
                               i ? "," : "", r->op, r->device, r->stream, r->start_us);
        else gsim_output_printf(&output, "%u,%u,%u,%.6f\n", r->op, r->device, r->stream, r->start_us);
    }
    if (json) gsim_output_text(&output, "\n]}\n");
    return gsim_output_commit(&output, error);
}

void gsim_op_plan_release(struct gsim_op_plan *plan)
{
    gsim_free(plan->rows);
    *plan = (struct gsim_op_plan){0};
}
