/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). "gpusim ask": any question of anything that gpusim simulates, and its table as text, CSV and
 * JSON. Of a server "gpusim explain" and "gpusim whatif" are this, too.
 */
#include <string.h>

#include "cli/whatif/asked.h"
#include "sim/base/answer/answer.h"
#include "sim/base/jobs/progress.h"
#include "sim/base/text.h"

struct asking {
    struct gsim_cli_asked asked;
    const char *question;
    struct gsim_answer answer;
};

static void put_json(const void *what, struct gsim_output *out)
{
    const struct asking *q = what;
    gsim_output_put(out, "{\n  'schema': 'gpusim-answer/1',\n  'question': %q,\n", q->question);
    gsim_cli_asked_put_json(out, &q->asked, q->asked.base.simulation);
    gsim_output_text(out, ",\n  ");
    gsim_answer_members(&q->answer, out);
    gsim_output_text(out, "\n}\n");
}

static void put_csv(const void *what, struct gsim_output *out)
{
    gsim_answer_csv(&((const struct asking *)what)->answer, out);
}

/* A column of which each row says nothing, or what is told below the table, is not shown in it. */
static bool is_shown(const struct gsim_answer *a, uint32_t column)
{
    const struct gsim_answer_column *c = &a->columns[column];
    bool says = c->type != GSIM_VALUE_TEXT;
    for (size_t r = 0; r < a->row_count; r++) {
        const union gsim_value *v = &a->values[r * a->column_count + column];
        says |= c->type == GSIM_VALUE_TEXT && v->text && *v->text;
    }
    return says && !c->is_detail && strcmp(c->name, "note") != 0 && strcmp(c->name, "command") != 0;
}

static void put_text(const void *what, struct gsim_output *out)
{
    const struct asking *q = what;
    const struct gsim_answer *a = &q->answer;
    struct gsim_look look[GSIM_CLI_ANSWER_COLUMNS + 1] = {0};
    char heads[GSIM_CLI_ANSWER_COLUMNS][48]; /* without the unit, which a time has in its cell */
    uint32_t shown = 0, note = UINT32_MAX;
    gsim_output_printf(out, "%s: ", q->question);
    gsim_cli_asked_put_title(out, &q->asked, q->asked.base.simulation);
    gsim_output_text(out, "\n\n");
    for (uint32_t i = 0; i < a->column_count && shown < GSIM_CLI_ANSWER_COLUMNS; i++) {
        const struct gsim_answer_column *c = &a->columns[i];
        if (strcmp(c->name, "note") == 0) note = i;
        if (!is_shown(a, i)) continue;
        const char *format = strcmp(c->unit, "us") == 0 ? "us" : strcmp(c->unit, "%") == 0 ? "%.2f"
                             : c->type == GSIM_VALUE_REAL       ? "%.4g"
                                                                : NULL;
        bool is_time = format && strcmp(format, "us") == 0 && gsim_text_ends_with(c->name, "_us");
        snprintf(heads[shown], sizeof heads[0], "%.*s", (int)strlen(c->name) - (is_time ? 3 : 0), c->name);
        look[shown] = (struct gsim_look){c->name, heads[shown], format};
        shown++;
    }
    gsim_answer_look(a, look, a->row_count, out);
    for (size_t r = 0; r < a->row_count && note < a->column_count; r++) {
        const union gsim_value *row = &a->values[r * a->column_count];
        if (!row[note].text || !*row[note].text) continue;
        gsim_output_printf(out, "%s%s: ", r ? "" : "\n", row[0].text);
        gsim_cli_wrap(out, row[note].text, (int)strlen(row[0].text) + 2, 2);
    }
    gsim_cli_asked_put_notes(out, &q->asked, false);
}

enum gsim_status gsim_cli_answer(const struct gsim_cli_arguments *arguments, const char *question, const char *words,
                                 struct gsim_error *error)
{
    struct asking *q = gsim_alloc(sizeof *q);
    const struct gsim_cli_forms forms = {put_csv, put_json, put_text};
    enum gsim_status status = gsim_cli_asked_init(&q->asked, arguments, error);
    if (!status) {
        struct gsim_progress progress;
        q->question = question;
        gsim_progress_start(&progress, 0, stderr); /* how many it will be, the question knows */
        progress.unit = "runs";
        q->asked.base.progress = &progress;
        status = gsim_ask(question, &q->asked.base, words, &q->answer, error);
        gsim_progress_clear(&progress);
        if (status && words && words == arguments->value[GSIM_CLI_WORDS] && !strncmp(error->message, "--change", 8)) {
            struct gsim_error own = *error; /* the option that has them here */
            (void)gsim_error_set(error, own.status, "--words%s", own.message + 8);
        }
    }
    if (!status)
        status = gsim_cli_write(arguments->value[GSIM_CLI_CSV], arguments->value[GSIM_CLI_REPORT], &forms, q, error);
    if (q) {
        gsim_answer_release(&q->answer);
        gsim_cli_asked_release(&q->asked);
    }
    gsim_free(q);
    return status;
}

int gsim_cli_ask(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_cli_arguments subject = *arguments;
    const struct gsim_question_ops *ops =
        arguments->operand_count ? gsim_question_find(arguments->operands[0]) : NULL;
    if (!ops) {
        char all[200] = "";
        for (uint32_t i = 0; gsim_question_at(i); i++) {
            size_t at = strlen(all);
            snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", gsim_question_at(i)->name);
        }
        return gsim_refuse(error, "expected gpusim ask QUESTION ..., one of %s, found %.60s", all,
                           arguments->operand_count ? arguments->operands[0] : "nothing");
    }
    subject.operands++;
    subject.operand_count--;
    return gsim_cli_answer(&subject, ops->name, arguments->value[GSIM_CLI_WORDS], error);
}
