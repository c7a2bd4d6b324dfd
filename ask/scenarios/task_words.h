/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask. The words of a task, and files of tasks, schema gpusim-tasks/1. */
#pragma once

#include "gpusim/task.h"

#define GSIM_TASK_NOTE 160

struct gsim_task_words {
    const char *program, *size, *scheduler, *step; /* STEP: of a trace. NULL: not given */
    struct gsim_task task;                  /* without program and scheduler */
    uint32_t gpu;                           /* of all its ops; UINT32_MAX: not given */
    uint32_t copies_from, copies_to;        /* of the task; differ where a command looks for how many */
};

/* "PROGRAM[,KEY=VALUE]...". What it names comes from ARENA. */
enum gsim_status gsim_task_words_read(const char *text, struct gsim_arena *arena, struct gsim_task_words *words,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* What its arrivals leave without effect: WHICH 0 requests, 1 gaps; NULL: that has one. */
const char *gsim_task_words_note(const struct gsim_task_words *words, unsigned which, char text[GSIM_TASK_NOTE]);
/* The range of copies of such words alone. */
enum gsim_status gsim_task_words_copies(const char *text, struct gsim_arena *arena, uint32_t *from, uint32_t *to,
                                        struct gsim_error *error) GSIM_NODISCARD;
/* TEXT is the name of a file of tasks (schema gpusim-tasks/1): its tasks as such words, from ARENA; NULL in *LIST where
 * it is none. */
enum gsim_status gsim_task_words_file(const char *text, struct gsim_arena *arena, const char ***list, uint32_t *count,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* GIVEN or PROGRAM, from ARENA, or where one of the COUNT tasks is called that, "a-2"; NULL: memory is out. */
const char *gsim_task_name(const struct gsim_task *tasks, uint32_t count, const char *given, const char *program,
                           struct gsim_arena *arena);
/* The tasks as a set with the name of what they are. */
enum gsim_status gsim_task_set_of(struct gsim_task_set *set, const struct gsim_task *tasks, uint32_t count,
                                  struct gsim_error *error) GSIM_NODISCARD;
