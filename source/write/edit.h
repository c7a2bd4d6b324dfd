/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/write). Changes of a text, made at once; the rest of it stays as it is. */
#pragma once

#include "sim/base/output.h"

struct gsim_text_edit {
    uint32_t from, to; /* what is replaced; equal: TEXT is put before FROM */
    uint32_t rank;     /* at one place the lower one comes first */
    size_t number;     /* then the one that was added first */
    char *text;
};

struct gsim_text_edits {
    const char *text;
    size_t length;
    struct gsim_text_edit *at;
    size_t count, room;
    bool failed;
};

void gsim_text_edits_add(struct gsim_text_edits *edits, uint32_t from, uint32_t to, uint32_t rank, const char *format,
                         ...) GSIM_PRINTF(5, 6);
/* In order, for what follows. */
void gsim_text_edits_sort(struct gsim_text_edits *edits);
void gsim_text_edits_write(const struct gsim_text_edits *edits, struct gsim_output *output);
/* As "diff -u" does, with three lines around. */
void gsim_text_edits_diff(const struct gsim_text_edits *edits, const char *from_name, const char *to_name,
                          struct gsim_output *output);
void gsim_text_edits_release(struct gsim_text_edits *edits);
