/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/write). The text of one call. */
#pragma once

#include "source/write/edit.h"
#include "source/read/log.h"

/* Why the call cannot be given a stream; NULL: it can. */
const char *gsim_call_check(const struct gsim_cuda_log *log, const struct gsim_cuda_site *site);
/* Gives it the stream of that expression. */
void gsim_call_set(const struct gsim_cuda_log *log, const struct gsim_cuda_site *site, const char *stream,
                   struct gsim_text_edits *edits);
/* Behind the semicolon of the statement that ends at AT. */
uint32_t gsim_call_statement_end(const struct gsim_cuda_log *log, uint32_t at);
/* White space before the first thing in the line of AT. */
void gsim_call_indent(const struct gsim_cuda_log *log, uint32_t at, char indent[64]);
