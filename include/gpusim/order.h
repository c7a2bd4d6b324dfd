/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. Orders for qsort() and bsearch(), as what they are: the members that decide, the first that differs
 * before the next. GSIM_ORDER(by_start, struct span, GSIM_UP(start) GSIM_DOWN(end) GSIM_TEXT(name)) is the comparison
 * by_start() of two spans. GSIM_ORDER_OF(by_size, double) compares numbers themselves.
 */
#pragma once

#include <math.h>
#include <string.h>

#define GSIM_ORDER(name, type, keys)                                                                                   \
    static int name(const void *left, const void *right)                                                               \
    {                                                                                                                  \
        const type *a = left, *b = right;                                                                              \
        keys return 0;                                                                                                 \
    }
/* The same of pointers to them, and of texts. */
#define GSIM_ORDER_AT(name, type, keys)                                                                                \
    static int name(const void *left, const void *right)                                                               \
    {                                                                                                                  \
        const type *a = *(const type *const *)left, *b = *(const type *const *)right;                                  \
        keys return 0;                                                                                                 \
    }
#define GSIM_ORDER_TEXTS(name)                                                                                         \
    static int name(const void *left, const void *right)                                                               \
    {                                                                                                                  \
        return strcmp(*(const char *const *)left, *(const char *const *)right);                                        \
    }
#define GSIM_ORDER_OF(name, type)                                                                                      \
    static int name(const void *left, const void *right)                                                               \
    {                                                                                                                  \
        const type a = *(const type *)left, b = *(const type *)right;                                                  \
        return (a > b) - (a < b);                                                                                      \
    }

/* What is no number (NAN) comes last, both ways. */
#define GSIM_NO_NUMBER(one, other) (isnan((double)(one)) && !isnan((double)(other)))
#define GSIM_UP(member)                                                                                                \
    if (a->member < b->member || GSIM_NO_NUMBER(b->member, a->member)) return -1;                                      \
    if (a->member > b->member || GSIM_NO_NUMBER(a->member, b->member)) return 1;
#define GSIM_DOWN(member)                                                                                              \
    if (a->member > b->member || GSIM_NO_NUMBER(b->member, a->member)) return -1;                                      \
    if (a->member < b->member || GSIM_NO_NUMBER(a->member, b->member)) return 1;
#define GSIM_TEXT(member)                                                                                              \
    if (strcmp(a->member, b->member) != 0) return strcmp(a->member, b->member);
/* Where it lies, of elements of one array. */
#define GSIM_PLACE                                                                                                     \
    if (a != b) return a < b ? -1 : 1;
