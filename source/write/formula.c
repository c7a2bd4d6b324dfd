/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls in a counting loop whose streams take turns: "gpusim_stream[i % 4]" in place of a table. See
 * source/write/weave.h.
 */
#include <ctype.h>
#include <string.h>

#include "source/write/weave.h"

#define NONE        GSIM_WEAVE_NONE
#define MAX_PERIOD 32u

struct words {
    const char *at, *end;
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static void skip_blanks(struct words *w)
{
    while (w->at < w->end && isspace((unsigned char)*w->at)) w->at++;
}

/* The next of them if it is TEXT. */
static bool accept(struct words *w, const char *text)
{
    size_t length = strlen(text);
    skip_blanks(w);
    if ((size_t)(w->end - w->at) < length || memcmp(w->at, text, length) != 0) return false;
    if (is_word(*text) && w->at + length < w->end && is_word(w->at[length])) return false;
    w->at += length;
    return true;
}

static size_t accept_name(struct words *w, const char **name)
{
    skip_blanks(w);
    *name = w->at;
    while (w->at < w->end && is_word(*w->at)) w->at++;
    return (size_t)(w->at - *name);
}

/* for (TYPE NAME = 0; NAME < BOUND; NAME++): its counter is the round. *IS_CONSTANT: BOUND is a number or a macro. */
static size_t counter_of(struct words *w, const char **name, bool *is_constant)
{
    const char *own, *bound;
    bool is_long = true, is_upper = true;
    if (!accept(w, "for") || !accept(w, "(")) return 0;
    size_t length = accept_name(w, name); /* types of more words than one are rare */
    if (!length || !(length = accept_name(w, name)) || length > GSIM_FORMULA_NAME) return 0;
    if (!accept(w, "=") || !accept(w, "0") || !accept(w, ";")) return 0;
    if (accept_name(w, &own) != length || memcmp(own, *name, length) != 0 || !accept(w, "<")) return 0;
    size_t bound_length = accept_name(w, &bound);
    for (size_t i = 0; i < bound_length; i++) {
        is_long &= isdigit((unsigned char)bound[i]) != 0;
        is_upper &= !islower((unsigned char)bound[i]);
    }
    *is_constant = bound_length && (is_long || is_upper);
    if (!bound_length || !accept(w, ";")) return 0;
    bool is_before = accept(w, "++");
    if (accept_name(w, &own) != length || memcmp(own, *name, length) != 0) return 0;
    return (is_before || accept(w, "++")) && accept(w, ")") ? length : 0;
}

/* Whether the rest of the loop leaves the counter alone and makes each round whole. */
static bool is_plain(struct words w, const char *name, size_t length)
{
    const char *own, *begin = w.at;
    while (w.at < w.end) {
        size_t count = accept_name(&w, &own);
        if (!count) {
            w.at += w.at < w.end;
            continue;
        }
        if ((count == 8 && !memcmp(own, "continue", 8)) || (count == 4 && !memcmp(own, "goto", 4))) return false;
        if (count != length || memcmp(own, name, length) != 0) continue;
        struct words next = w;
        bool is_changed = accept(&next, "++") || accept(&next, "--") || (accept(&next, "=") && !accept(&next, "="));
        if (!is_changed && next.at + 1 < next.end && strchr("+-*/%&|^", *next.at)) is_changed = next.at[1] == '=';
        bool has_sign = own > begin + 1 && (own[-1] == '&' || (strchr("+-", own[-1]) && own[-2] == own[-1]));
        if (is_changed || has_sign) return false;
    }
    return true;
}

/* The loop around a call that is made once in each of its rounds; NONE: there is none. */
static uint32_t loop_of(const struct gsim_cuda_log *log, uint32_t node)
{
    uint32_t around = log->nodes[node].parent;
    if (around != GSIM_CUDA_NONE && log->nodes[around].is_block) around = log->nodes[around].parent;
    return around != GSIM_CUDA_NONE && log->nodes[around].is_loop && log->nodes[around].from != GSIM_CUDA_NONE ? around
                                                                                                              : NONE;
}

/* Whether the stream of each round is the first one's and the round modulo PERIOD. */
static bool fits(const struct gsim_weave *w, const struct gsim_weave_site *site, uint32_t period, bool is_constant)
{
    const struct gsim_weave_item *first = &w->items[site->items.at[0]];
    uint32_t round = 0, loop = NONE;
    const uint32_t least = is_constant ? period : 2 * period;
    for (size_t i = 0; i < site->items.count; i++) {
        const struct gsim_weave_item *item = &w->items[site->items.at[i]];
        uint32_t own = loop_of(w->log, item->node);
        if (own != loop && loop != NONE && round < least) return false;
        round = own == loop ? round : 0;
        loop = own;
        if (item->stream != first->stream + round % period) return false;
        round++;
    }
    return round >= least;
}

/* All wait for what one of them waits for, if none of that is made in the loop. */
static bool join_waits(struct gsim_weave *w, const struct gsim_weave_site *site, uint32_t from, uint32_t to)
{
    struct gsim_choice_list all = {0};
    bool is_outside = true;
    for (size_t i = 0; i < site->items.count; i++) {
        const struct gsim_choice_list *waits = &w->items[site->items.at[i]].waits;
        for (size_t k = 0; k < waits->count; k++) {
            uint32_t begin = w->log->sites[w->items[waits->at[k]].site].begin;
            is_outside &= begin < from || begin >= to;
            gsim_choice_push(&all, waits->at[k], &w->failed);
        }
    }
    for (size_t i = 0; i < site->items.count && is_outside; i++)
        for (size_t k = 0; k < all.count; k++)
            gsim_choice_push(&w->items[site->items.at[i]].waits, all.at[k], &w->failed);
    gsim_free(all.at);
    return is_outside;
}

void gsim_formula_find(struct gsim_weave *w)
{
    const struct gsim_cuda_log *log = w->log;
    for (size_t s = 0; s < log->site_count; s++) {
        struct gsim_weave_site *site = &w->sites[s];
        uint32_t loop = site->has_table && !site->keep_reason ? loop_of(log, w->items[site->items.at[0]].node) : NONE;
        if (loop == NONE) continue;
        struct words text = {log->text + log->nodes[loop].from, log->text + log->nodes[loop].to};
        const char *name;
        bool is_constant = false, is_one = true;
        size_t length = counter_of(&text, &name, &is_constant);
        for (size_t i = 0; i < site->items.count; i++) {
            uint32_t own = loop_of(log, w->items[site->items.at[i]].node);
            is_one &= own != NONE && log->nodes[own].from == log->nodes[loop].from;
        }
        if (!length || !is_one || !is_plain(text, name, length)) continue;
        uint32_t period = 2;
        while (period <= MAX_PERIOD && !fits(w, site, period, is_constant)) period++;
        if (period > MAX_PERIOD || !join_waits(w, site, log->nodes[loop].from, log->nodes[loop].to)) continue;
        site->period = period;
        site->has_table = false;
        memcpy(site->counter, name, length);
        site->counter[length] = '\0';
    }
}
