/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces (private to the importers). Values of JSON as profilers write it: numbers also as texts, times exact to
 * the nanosecond. All take pointers into checked JSON (sim/base/scan.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/slots.h"

/* The members of OBJECT whose names are in NAMES; of repeated ones the last. NULL: it has none such, or is NULL or none
 * itself. */
void gsim_values_find(const char *object, const char *const *names, size_t count, const char **values);
const char *gsim_value_member(const char *object, const char *name);

/* NULL allowed. */
bool gsim_value_is_text(const char *value, const char *text);

/* Missing, or null. */
bool gsim_value_is_missing(const char *value);

/* Where the digits of a number stand, which some profilers write as a text; NULL where VALUE is none. */
const char *gsim_value_digits(const char *value);
/* The number there; OTHERWISE where VALUE is none. */
double gsim_value_number(const char *value, double otherwise);
/* The number there from 1 to 2^53; 0: VALUE is none. */
uint64_t gsim_value_id(const char *value);

/* Whole nanoseconds of the microseconds at DIGITS, exact where a double is not. Beyond 64 bits: the most. */
int64_t gsim_value_ns(const char *digits);

/* The three sizes of a launch: a list, or a text that holds three numbers. Returns how many there are, of which three
 * are kept. *WRONG is the first that is no whole number from 1 to MOST, NULL where all are. */
int gsim_value_sizes(const char *value, double most, double sizes[3], const char **wrong);

/* A stream's number, in 64 bits (HIP's are addresses); false for none: -1, in 32 bits or 64. A text without a number at
 * its end ("queue A") gets one from its letters. */
bool gsim_value_stream(const char *value, uint64_t *number);

/* HASH (sim/base/slots.h) with the value's bytes. NULL allowed. */
uint64_t gsim_hash_value(uint64_t hash, const char *value);
