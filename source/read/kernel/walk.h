/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/read/kernel). How a function of the device is followed: source/read/kernel/access.c.
 */
#pragma once

#include "source/read/source.h"

#define GSIM_CU_SELF       ((uint64_t)1 << GSIM_CU_TOLD)  /* the object of a method, as a parameter */
#define GSIM_CU_HELD(mask) ((mask) << (GSIM_CU_TOLD + 1)) /* what pointers in that memory point to */
#define GSIM_CU_ANY        ((uint64_t)1 << 63)            /* a pointer of unknown origin */

struct gsim_cu_walk {
    struct gsim_cu *s;
    struct gsim_cu_access *a;
    bool changed, is_quiet; /* QUIET: nothing is marked */
    bool returns_place;
};

/* What an expression is: a place in the memory that MEMORY's parameters lead to, or a variable's; and what pointers in
 * its value point to. */
struct gsim_cu_flow {
    uint64_t memory, value;
    bool is_variable;
    CXCursor variable;
};

struct gsim_cu_flow gsim_cu_flow_of(struct gsim_cu_walk *w, CXCursor expression);
struct gsim_cu_flow gsim_cu_flow_call(struct gsim_cu_walk *w, CXCursor call, const struct gsim_cu_kids *kids);
/* As a value; what a pointer's expression points to, ARRAY (NULL allowed) being it where it is no pointer. */
uint64_t gsim_cu_flow_load(struct gsim_cu_walk *w, CXCursor expression);
uint64_t gsim_cu_flow_pointee(struct gsim_cu_walk *w, CXCursor expression, struct gsim_cu_flow *array);
void gsim_cu_flow_store(struct gsim_cu_walk *w, CXCursor at, struct gsim_cu_flow to, uint64_t value);
struct gsim_cu_flow gsim_cu_flow_in(struct gsim_cu_walk *w, CXCursor at, uint64_t memory, CXType type);
void gsim_cu_flow_add(struct gsim_cu_walk *w, CXCursor variable, uint64_t mask);
uint64_t gsim_cu_flow_held(uint64_t memory); /* what pointers in it point to */
void gsim_cu_mark(struct gsim_cu_walk *w, CXCursor at, uint64_t memory, bool reads, bool writes);
void gsim_cu_give_up(struct gsim_cu_walk *w, CXCursor at, const char *why);
bool gsim_cu_is_nameless(struct gsim_cu *s, CXCursor record); /* a closure's class */
bool gsim_cu_is_reference(CXType type);
CXType gsim_cu_type(struct gsim_cu *s, CXCursor expression);    /* canonical */
