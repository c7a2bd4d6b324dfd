/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/run.h: the source with a call around each probe, run once. */
#include <stdlib.h>
#include <string.h>

#include "gpusim/memory.h"
#include "gpusim/order.h"
#include "sim/base/output.h"
#include "sim/base/gz.h"
#include "source/run/run.h"

#define LIMIT_BYTES ((size_t)8 << 30)

/* From the outside in, as they are opened. */
GSIM_ORDER(by_begin, struct gsim_cuda_probe, GSIM_UP(from) GSIM_DOWN(to))

/* With "gpusim_told(NUMBER, (", of ranges "gpusim_range(", and "))" around each probe; for free(). NULL: memory is
 * out. */
static char *put_probes(const char *text, size_t length, const struct gsim_cuda_told *told, size_t *now_length)
{
    struct gsim_output out = {0};
    struct gsim_error ignored = {0};
    char *now = NULL;
    size_t *open = gsim_alloc(sizeof *open * (told->probe_count + 1)), open_count = 0, next = 0, from = 0;
    if (!open || gsim_output_open_memory(&out, &now, now_length, &ignored) != GSIM_OK) {
        gsim_free(open);
        return NULL;
    }
    for (size_t at = 0; at <= length; at++) {
        bool closes = open_count && told->probes[open[open_count - 1]].to == at;
        bool opens = next < told->probe_count && told->probes[next].from == at;
        if (!closes && !opens && at < length) continue;
        gsim_output_bytes(&out, text + from, at - from);
        from = at;
        for (; open_count && told->probes[open[open_count - 1]].to == at; open_count--) gsim_output_text(&out, "))");
        for (; next < told->probe_count && told->probes[next].from == at; next++) {
            gsim_output_printf(&out, "gpusim_%s(%zu, (", told->probes[next].is_range ? "range" : "told", next);
            open[open_count++] = next;
        }
    }
    gsim_free(open);
    bool is_done = gsim_output_commit(&out, &ignored) == GSIM_OK;
    gsim_output_release(&out);
    return is_done ? now : NULL;
}

GSIM_ORDER(by_place, struct gsim_cuda_fact, GSIM_UP(what) GSIM_UP(line) GSIM_UP(number))

static enum gsim_status copy_facts(const struct gsim_run_shared *shared, struct gsim_cuda_told *told, const char *path,
                                   struct gsim_error *error)
{
    if (shared->fact_count > GSIM_RUN_FACTS)
        return gsim_error_set(error, GSIM_INPUT, "%s, run: it makes more than %d values: lower counts", path,
                              GSIM_RUN_FACTS);
    if (!(told->facts = gsim_alloc(sizeof *told->facts * ((size_t)shared->fact_count + 1))))
        return gsim_no_memory(error);
    told->fact_count = shared->fact_count;
    memcpy(told->facts, shared->facts, sizeof *told->facts * told->fact_count);
    qsort(told->facts, told->fact_count, sizeof *told->facts, by_place);
    return GSIM_OK;
}

enum gsim_status gsim_run_tell(const char *path, const struct gsim_cuda_options *options, const char *const *words,
                               double limit_s, struct gsim_cuda_told *told, int *exit_status, struct gsim_error *error)
{
    const struct gsim_run_settings settings = {
        .words = words, .limit_s = limit_s, .limit_bytes = LIMIT_BYTES, .is_quiet = true, .is_recorded = true};
    struct gsim_run_program *program = NULL;
    struct gsim_run_shared *shared = gsim_run_result();
    size_t length = 0, now_length = 0;
    char *now = NULL, *text = gsim_file_read(path, &length, error);
    enum gsim_status status = text ? gsim_cuda_probes(path, options, told, error) : error->status;
    while (words[told->word_count]) told->word_count++;
    if (status == GSIM_OK && told->probe_count) qsort(told->probes, told->probe_count, sizeof *told->probes, by_begin);
    if (status == GSIM_OK && (!shared || !(now = put_probes(text, length, told, &now_length))))
        status = gsim_no_memory(error);
    if (status == GSIM_OK) status = gsim_run_compile(path, now, now_length, options, &program, error);
    if (status == GSIM_OK) status = gsim_run_execute(program, &settings, shared, error);
    if (status == GSIM_OK) status = copy_facts(shared, told, path, error);
    *exit_status = shared ? shared->exit_status : 0;
    gsim_run_program_destroy(program);
    gsim_run_result_release(shared);
    free(now);
    gsim_free(text);
    return status;
}
