/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: trust/published (internal). A paper while it is reproduced, and queries of its database. */
#pragma once

#include "trust/published/cells.h"
#include "trust/published/paper.h"

struct gsim_paper {
    const cJSON *spec;
    const char *folder;
    struct gsim_arena arena;
    sqlite3 *db;
};

/* NULL: there is none. */
const cJSON *gsim_paper_member(const cJSON *object, const char *name);
/* One query: a text, or a list of lines that make one. */
enum gsim_status gsim_paper_prepare(struct gsim_paper *p, const cJSON *item, sqlite3_stmt **statement,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* The next row; false: there is none, or what is wrong is in the status, which ends the rows from then on. */
bool gsim_paper_step(struct gsim_paper *p, sqlite3_stmt *statement, enum gsim_status *status, struct gsim_error *error);
/* "" for NULL. */
const char *gsim_paper_text(sqlite3_stmt *row, int column);
