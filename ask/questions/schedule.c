/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stream each kernel and copy goes to, and what it then waits for, as one CUDA graph. */
#include <math.h>

#include "ask/questions/question.h"
#include "ask/schedule/assign.h"
#include "sim/base/text.h"
#include "sim/sm/demand.h"

#define STREAMS 4

static const char *waits_of(const struct gsim_units *units, const struct gsim_assignment *plan, uint32_t unit,
                            struct gsim_arena *arena)
{
    const char *text = "";
    for (uint32_t w = plan->wait_start[unit]; w < plan->wait_start[unit + 1] && text; w++)
        text = gsim_arena_printf(arena, "%s%s%u", text, *text ? " " : "", units->units[plan->waits[w]].first);
    return text ? text : "";
}

static void fill(struct gsim_answer *a, const struct gsim_units *units, const struct gsim_assignment *plan,
                 double one_us)
{
    const struct gsim_program *p = units->source;
    struct gsim_arena arena = {0};
    for (uint32_t i = 0; i < units->count; i++) { /* each kernel and copy is a unit by itself */
        const struct gsim_op *op = &p->ops[units->nodes[units->units[i].first]];
        gsim_answer_add(a, (uint64_t)i, op->kind == GSIM_OP_KERNEL ? p->kernels[op->kernel_index].name : "copy",
                        (uint64_t)plan->stream_of[i], waits_of(units, plan, i, &arena), plan->policy, plan->us,
                        one_us / plan->us);
    }
    if (arena.failed) a->arena.failed = 1;
    gsim_arena_release(&arena);
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_COUNT_OF("node"), GSIM_COLUMN_TEXT("name"), GSIM_COLUMN_COUNT_OF("stream"),
        GSIM_COLUMN_TEXT("waits"), {"policy", "", GSIM_VALUE_TEXT, true}, {"graph_us", "us", GSIM_VALUE_REAL, true},
        {"speedup", "", GSIM_VALUE_REAL, true}, {0}};
    const struct gsim_scheduler_ops *policies[] = {NULL, gsim_scheduler_find("kesco"), gsim_scheduler_find("heft")};
    struct gsim_units units = {0};
    struct gsim_assignment one = {0}, best = {0};
    double streams = STREAMS;
    bool is_number = !words || gsim_text_quantity(words, &streams);
    if (!is_number || !(streams >= 1 && streams <= GSIM_ASSIGN_STREAMS && streams == floor(streams)))
        return gsim_refuse(error, "schedule: expected 1 to %d streams, found '%.60s'", GSIM_ASSIGN_STREAMS, words);
    gsim_answer_begin(a, columns);
    struct gsim_simulation own = *scenario->simulation;
    const struct gsim_program *p = own.program;
    struct gsim_demand *demands = own.demands ? NULL : gsim_alloc(sizeof *demands * ((size_t)p->kernel_count + 1));
    enum gsim_status status = own.demands || demands ? GSIM_OK : gsim_no_memory(error);
    if (demands) status = gsim_demands_init(demands, p->kernel_count, own.device, p->kernels, error);
    if (demands) own.demands = demands;
    if (!status) status = gsim_units_init(&units, &own, NULL, error);
    if (!status) status = gsim_assign_list(&one, &units, &own, 1, error);
    if (!status) status = gsim_assignment_time(&one, &units, &own, error);
    for (size_t i = 0; i < sizeof policies / sizeof policies[0] && !status; i++)
        status = gsim_assign_best(&best, &units, &own, gsim_whole_u32(streams), policies[i], NULL, error);
    if (!status) fill(a, &units, best.us < one.us ? &best : &one, one.us);
    gsim_assignment_release(&one);
    gsim_assignment_release(&best);
    gsim_units_release(&units);
    gsim_free(demands);
    return status;
}

const struct gsim_question_ops gsim_question_schedule = {
    GSIM_HEAD(question),
    .name = "schedule",
    .summary = "which stream each kernel and copy goes to as a CUDA graph, and what it waits for",
    .words = "how many streams at most (4)",
    .answer = answer,
};
