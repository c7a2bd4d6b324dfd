/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/schedule/result.h: the plan as JSON, a node for each kernel and copy. */
#include "ask/schedule/result.h"

#include "gpusim/version.h"

const struct gsim_assignment *gsim_schedule_plan(const struct gsim_schedule *s)
{
    return s->tried_count && s->tried[s->best].us < s->one->us ? &s->tried[s->best] : s->one;
}

static void put_tried(struct gsim_output *out, const struct gsim_assignment *a, bool is_last)
{
    gsim_output_printf(out, "    {\"policy\": \"%s\", \"streams\": %u", a->policy, a->stream_count);
    gsim_output_json_real(out, "us", a->us);
    gsim_output_printf(out, "}%s\n", is_last ? "" : ",");
}

static void put_node(struct gsim_output *out, const struct gsim_schedule *s, const struct gsim_assignment *plan,
                     uint32_t unit, uint32_t node)
{
    const struct gsim_units *u = s->units;
    const struct gsim_op *op = &u->source->ops[u->nodes[node]];
    const char *separator = "";
    gsim_output_printf(out, "    {\"node\": %u, \"op\": %u, \"name\": ", node, u->nodes[node]);
    gsim_output_json_string(out, op->kind == GSIM_OP_KERNEL ? u->source->kernels[op->kernel_index].name : "copy");
    if (s->roots[unit] != GSIM_NO_OPERATOR) {
        gsim_output_text(out, ", \"operator\": ");
        gsim_output_json_string(out, s->operators->items[s->roots[unit]].name);
    }
    gsim_output_printf(out, ", \"unit\": %u, \"stream\": %u, \"waits\": [", unit, plan->stream_of[unit]);
    for (uint32_t w = plan->wait_start[unit]; node == u->units[unit].first && w < plan->wait_start[unit + 1];
         w++, separator = ", ") {
        const struct gsim_unit *before = &u->units[plan->waits[w]];
        gsim_output_printf(out, "%s%u", separator, before->first + before->count - 1);
    }
    gsim_output_printf(out, "]}%s\n", node + 1 == u->node_count ? "" : ",");
}

void gsim_schedule_put_json(struct gsim_output *out, const struct gsim_schedule *s)
{
    const struct gsim_assignment *plan = gsim_schedule_plan(s);
    gsim_output_text(out, "{\n  \"schema\": \"gpusim-schedule/1\",\n  \"version\": \"" GPUSIM_VERSION
                          "\",\n  \"program\": ");
    gsim_output_json_string(out, s->subject);
    gsim_output_text(out, ",\n  \"device\": ");
    gsim_output_json_string(out, s->device);
    gsim_output_printf(out, ",\n  \"most_streams\": %u,\n  \"policy\": \"%s\",\n  \"streams\": %u", s->asked,
                       plan->policy, plan->stream_count);
    gsim_output_json_real(out, "one_stream_us", s->one->us);
    gsim_output_json_real(out, "planned_us", plan->us);
    gsim_output_text(out, ",\n  \"worth\": {\"percent\": ");
    gsim_output_real(out, s->worth.percent);
    gsim_output_json_real(out, "low", s->worth.low);
    gsim_output_json_real(out, "high", s->worth.high);
    gsim_output_json_real(out, "plain", s->worth.plain);
    gsim_output_text(out, "},\n  \"tried\": [\n");
    for (uint32_t i = 0; i < s->tried_count; i++) put_tried(out, &s->tried[i], i + 1 == s->tried_count);
    gsim_output_text(out, "  ],\n  \"nodes\": [\n");
    for (uint32_t i = 0; i < s->units->count; i++)
        for (uint32_t n = 0; n < s->units->units[i].count; n++) put_node(out, s, plan, i, s->units->units[i].first + n);
    gsim_output_text(out, "  ]\n}\n");
}
