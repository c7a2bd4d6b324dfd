/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each rule of the model does to the time. Whether it is right, recordings tell: gpusim ablate. */
#include <string.h>

#include "ask/questions/question.h"
#include "sim/device/rules.h"

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {{"rule", "", GSIM_VALUE_TEXT, false},
                                                        {"time_us", "us", GSIM_VALUE_REAL, false},
                                                        {"change_percent", "%", GSIM_VALUE_REAL, false},
                                                        {0}};
    double now_us, us;
    uint64_t rules = 0;
    for (const char *at = words; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        enum gsim_rule rule = gsim_rule_find(name);
        if (rule == GSIM_RULE_COUNT)
            return gsim_error_set(error, GSIM_USAGE, "ablate: unknown rule '%s' (see gpusim list rules)", name);
        rules |= UINT64_C(1) << rule;
    }
    gsim_answer_begin(a, columns);
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
