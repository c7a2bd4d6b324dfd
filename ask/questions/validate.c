/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the prediction is from what was measured. */
#include <math.h>

#include "ask/questions/question.h"
#include "sim/base/text.h"

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_REAL("predicted_us", "us"), GSIM_COLUMN_REAL("measured_us", "us"),
        GSIM_COLUMN_REAL("error_percent", "%"), {0}};
    char window[64];
    double from_us, measured_us, us;
    snprintf(window, sizeof window, "0:%.50s", words ? words : "");
    if (!words || !gsim_text_window(window, &from_us, &measured_us) || !isfinite(measured_us) || !(measured_us > 0))
        return gsim_refuse(error, "validate: expected the time of an iteration as measured, such as "
                                                 "2.25ms, found '%.60s'", words ? words : "nothing");
    enum gsim_status status = gsim_question_time(scenario, NULL, &us, error);
    gsim_answer_begin(a, columns);
    if (!status) gsim_answer_add(a, us, measured_us, 100 * (us / measured_us - 1));
    return status;
}

const struct gsim_question_ops gsim_question_validate = {
    GSIM_HEAD(question),
    .name = "validate",
    .summary = "how far an iteration's time is from the measured one",
    .words = "the measured time: 2.25ms",
    .answer = answer,
};
