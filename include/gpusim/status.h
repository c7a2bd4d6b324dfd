/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base (used by every folder). Status codes, the error object that functions fill, and the assertion for broken
 * invariants. Bad input gives a status; only bugs of gpusim abort.
 */
#pragma once

#include "gpusim/version.h"

GSIM_DECLARATIONS_BEGIN

/* X(code, exit status of the program, text) */
#define GSIM_STATUS_MAP(X)                                       \
    X(OK, 0, "done")                                             \
    X(USAGE, 2, "bad usage")                                     \
    X(INPUT, 2, "bad input")                                     \
    X(IO, 1, "input or output failed")                           \
    X(NOMEM, 1, "out of memory")                                 \
    X(SIM, 1, "the simulation failed")

enum gsim_status {
#define GSIM_STATUS_ENUM(code, exit_status, text) GSIM_##code,
    GSIM_STATUS_MAP(GSIM_STATUS_ENUM)
#undef GSIM_STATUS_ENUM
};

#define GSIM_NODISCARD __attribute__((warn_unused_result))
#define GSIM_PRINTF(string, first) __attribute__((format(printf, string, first)))

/* Owned by the caller; zeroed: no error. */
struct gsim_error {
    enum gsim_status status;
    char message[640];
};

/* Fills ERROR (may be NULL) and returns STATUS. */
enum gsim_status gsim_error_set(struct gsim_error *error, enum gsim_status status, const char *format, ...)
    GSIM_PRINTF(3, 4);

/* What was asked for is wrong. */
#define gsim_refuse(error, ...) gsim_error_set((error), GSIM_USAGE, __VA_ARGS__)

/* Puts the formatted text and ": " before ERROR's message. Returns its status. */
enum gsim_status gsim_error_prefix(struct gsim_error *error, const char *format, ...) GSIM_PRINTF(2, 3);

/* Checks a table of functions from outside: ABI and SIZE are those that it was compiled with, EXPECTED_SIZE is the
 * library's. GSIM_INPUT: one differs; the message says what was found and what was expected. */
enum gsim_status gsim_abi_check(const char *table, uint32_t abi, size_t size, size_t expected_size,
                                struct gsim_error *error) GSIM_NODISCARD;

int gsim_status_exit(enum gsim_status status);
const char *gsim_status_text(enum gsim_status status);

void gsim_bug(const char *file, int line, const char *format, ...) GSIM_PRINTF(3, 4)
    __attribute__((noreturn));

/* Aborts: a broken invariant of gpusim, never a user's mistake. */
#define GSIM_BUG(...) gsim_bug(__FILE__, __LINE__, __VA_ARGS__)
#define GSIM_INVARIANT(condition)                                     \
    do {                                                              \
        if (!(condition)) GSIM_BUG("invariant broken: %s", #condition); \
    } while (0)

GSIM_DECLARATIONS_END
