/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). The scenario that a question is asked about, whatever the words name: a program or a trace, the
 * ranks of traces or of a file, tasks, or a server. */
#pragma once

#include "ask/questions/question.h"
#include "cli/ranks/traces.h"
#include "cli/tasks/tasks.h"
#include "cli/whatif/subject.h"

struct gsim_cli_asked {
    struct gsim_cli_subject subject;    /* of clients the arguments and notes alone */
    struct gsim_cli_rank_traces ranks;  /* in place of a subject */
    struct gsim_cli_setup setup;        /* of tasks */
    struct gsim_cli_tasks tasks;        /* likewise */
    struct gsim_simulation simulation;  /* of tasks */
    struct gsim_cli_server *server;     /* in place of a subject */
    struct gsim_server served;
    struct gsim_changeable base;        /* what is asked about */
};
#define GSIM_CLI_ANSWER_COLUMNS 16
/* QUESTION of what the arguments name, answered as text, CSV and JSON. ask.c */
enum gsim_status gsim_cli_answer(const struct gsim_cli_arguments *arguments, const char *question, const char *words,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* The operand is the spec of a server. */
bool gsim_cli_is_server(const struct gsim_cli_arguments *arguments);
/* Released by the caller, also on failure. */
enum gsim_status gsim_cli_asked_init(struct gsim_cli_asked *asked, const struct gsim_cli_arguments *arguments,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_cli_asked_release(struct gsim_cli_asked *asked); /* accepts zeroed */
/* What runs, how many of them under what, on which device: the title of a text. */
void gsim_cli_asked_put_title(struct gsim_output *out, const struct gsim_cli_asked *asked,
                              const struct gsim_simulation *simulation);
/* What is assumed, behind a text; IS_TOLD: what is of the GPU was said before. */
void gsim_cli_asked_put_notes(struct gsim_output *out, const struct gsim_cli_asked *asked, bool is_told);
/* The same as members of JSON, behind its schema. */
void gsim_cli_asked_put_json(struct gsim_output *out, const struct gsim_cli_asked *asked,
                             const struct gsim_simulation *simulation);
