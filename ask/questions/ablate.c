/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each rule of the model does to the time. Whether it is right, recordings tell: gpusim ablate. */
#include "ask/questions/question.h"
#include "sim/base/text.h"
#include "sim/device/rules.h"

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("rule"), GSIM_COLUMN_REAL("time_us", "us"), GSIM_COLUMN_REAL("change_percent", "%"), {0}};
    double now_us, us;
    uint64_t rules = 0;
    char name[64];
    for (const char *at = words; gsim_text_item(&at, name, sizeof name);) {
        enum gsim_rule rule = gsim_rule_find(name);
        if (rule == GSIM_RULE_COUNT)
            return gsim_refuse(error, "ablate: unknown rule '%s' (see gpusim list rules)", name);
        rules |= UINT64_C(1) << rule;
    }
    gsim_answer_begin(a, columns);
    gsim_question_times(scenario, 1 + (words ? (uint64_t)__builtin_popcountll(rules) : GSIM_RULE_COUNT));
    enum gsim_status status = gsim_question_time(scenario, NULL, &now_us, error);
    for (int rule = 0; rule < GSIM_RULE_COUNT && !status; rule++) {
        struct gsim_device_spec device = *scenario->simulation->device;
        if (words && !(rules >> rule & 1)) continue;
        device.rules_off |= UINT64_C(1) << rule;
        status = gsim_question_time(scenario, &device, &us, error);
        if (!status) gsim_answer_add(a, gsim_rule_name((enum gsim_rule)rule), us, 100 * (us / now_us - 1));
    }
    return status;
}

const struct gsim_question_ops gsim_question_ablate = {
    GSIM_HEAD(question),
    .name = "ablate",
    .summary = "the time without each rule of the model",
    .words = "rules, separated by commas; without them all",
    .answer = answer,
};
