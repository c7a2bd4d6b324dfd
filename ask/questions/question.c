/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of questions. */
#include "ask/questions/question.h"

#define KIND      question
#define KIND_LIST "ask/questions/questions.def"
#include "sim/base/registry.def"

enum gsim_status gsim_ask(const char *question, const struct gsim_changeable *scenario, const char *words,
                          struct gsim_answer *answer, struct gsim_error *error)
{
    const struct gsim_question_ops *ops = gsim_question_find(question);
    if (!ops) return gsim_error_set(error, GSIM_USAGE, "unknown question '%.60s'", question);
    if (words && *words && !*ops->words)
        return gsim_error_set(error, GSIM_USAGE, "%s: takes no words, found '%.60s'", ops->name, words);
    enum gsim_status status = ops->answer(scenario, words && *words ? words : NULL, answer, error);
    return !status && answer->arena.failed ? gsim_error_set(error, GSIM_NOMEM, "out of memory") : status;
}
