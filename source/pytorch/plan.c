/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/pytorch/plan.h. What applies the plan is source/pytorch/apply.py, part of the program. */
#include "source/pytorch/plan.h"

#include <string.h>

#include "gpusim/memory.h"

static const char apply[] = {
#include "source/pytorch/apply.inc"
    0};

struct span {
    uint32_t first, end;
};

/* The operators from the step's first one that launches to its last, inner ones with them. */
static struct span find_span(const struct gsim_pytorch_plan *p)
{
    struct span span = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < p->unit_count; i++) {
        uint32_t root = p->roots[i];
        if (root == GSIM_NO_OPERATOR) continue;
        if (root < span.first) span.first = root;
        if (root + 1 + p->operators->items[root].inner > span.end)
            span.end = root + 1 + p->operators->items[root].inner;
    }
    return span;
}

enum gsim_status gsim_pytorch_plan_put(struct gsim_output *out, const struct gsim_pytorch_plan *p, const char *command,
                                       struct gsim_error *error)
{
    const struct span span = find_span(p);
    uint32_t nameless = 0;
    int64_t *stream_of = gsim_alloc(sizeof *stream_of * ((size_t)p->operators->count + 1));
    if (!stream_of) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    for (uint32_t i = 0; i < p->operators->count; i++) stream_of[i] = -1;
    for (uint32_t i = 0; i < p->unit_count; i++) {
        uint32_t root = p->roots[i];
        nameless += root == GSIM_NO_OPERATOR;
        for (uint32_t r = root; root != GSIM_NO_OPERATOR && r <= root + p->operators->items[root].inner; r++)
            stream_of[r] = p->stream_of[i];
    }
    if (span.first < span.end && !nameless) {
        gsim_output_text(out, "\"\"\"The streams of a plan by gpusim schedule, and what applies "
                              "them.\"\"\"\n\nCOMMAND = ");
        gsim_output_quoted(out, GSIM_OUTPUT_STRING, command);
        gsim_output_printf(out,
                           "\nSTREAMS = %u\n# Operators in the order of their calls: name, how many of the next rows "
                           "stand in it, stream "
                           "(-1: it launched nothing).\nOPERATORS = [\n",
                           p->stream_count);
        for (uint32_t i = span.first; i < span.end; i++) {
            gsim_output_text(out, "    (");
            gsim_output_json_string(out, p->operators->items[i].name);
            gsim_output_printf(out, ", %u, %d),\n", p->operators->items[i].inner, (int)stream_of[i]);
        }
        gsim_output_text(out, "]\n\n");
        gsim_output_text(out, strchr(apply, '\n') +
                                  1); /* without the line on gpusim's licence: what is written is its user's */
    }
    gsim_free(stream_of);
    if (span.first < span.end && !nameless) return GSIM_OK;
    return gsim_error_set(
        error, GSIM_USAGE,
        "--python: %u of %u units were launched by no operator of the trace, so that none can be placed by name "
        "(compiled code and CUDA graphs have none: record the model as it runs eagerly)",
        nameless, p->unit_count);
}
