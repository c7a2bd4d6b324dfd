/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by all tests: CUnit with checks that print both values. A test file lists its cases in
 * "static const struct test_case cases[]" and ends with TEST_MAIN("folder/module", cases).
 */
#pragma once

#include <CUnit/Basic.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
    const char *name;
    void (*run)(void);
};

#define CHECK_MSG(ok, ...)                                                  \
    do {                                                                    \
        int ok_ = (ok) ? 1 : 0;                                             \
        if (!ok_) {                                                         \
            fprintf(stderr, "\n%s:%d: %s: ", __FILE__, __LINE__, #ok);      \
            fprintf(stderr, __VA_ARGS__);                                   \
        }                                                                   \
        CU_assertImplementation(ok_ ? CU_TRUE : CU_FALSE, (unsigned)__LINE__, #ok, __FILE__, "", CU_FALSE); \
    } while (0)
#define CHECK(ok) CHECK_MSG(ok, "failed")
#define CHECK_INT(found, expected)                                                                    \
    do {                                                                                              \
        long long f_ = (long long)(found), e_ = (long long)(expected);                                \
        CHECK_MSG(f_ == e_, "%s = %lld, expected %lld", #found, f_, e_);                              \
    } while (0)
#define CHECK_NEAR(found, expected, tolerance)                                                                         \
    do {                                                                                                               \
        double f_ = (double)(found), e_ = (double)(expected);                                                          \
        CHECK_MSG(fabs(f_ - e_) <= (tolerance), "%s = %.9g, expected %.9g +- %.3g", #found, f_, e_,                    \
                  (double)(tolerance));                                                                                \
    } while (0)
#define CHECK_STR(found, expected)                                                                    \
    do {                                                                                              \
        const char *f_ = (found), *e_ = (expected);                                                   \
        CHECK_MSG(f_ && strcmp(f_, e_) == 0, "%s = \"%s\", expected \"%s\"", #found, f_ ? f_ : "(null)", e_); \
    } while (0)
#define CHECK_HAS(text, part)                                                                         \
    do {                                                                                              \
        const char *f_ = (text), *e_ = (part);                                                        \
        CHECK_MSG(f_ && strstr(f_, e_), "%s = \"%s\", expected it to contain \"%s\"", #text, f_ ? f_ : "(null)", e_); \
    } while (0)
/* For calls returning gsim_status with a struct gsim_error named ERROR. */
#define CHECK_OK(call, error)                                                                         \
    do {                                                                                              \
        int s_ = (int)(call);                                                                         \
        CHECK_MSG(s_ == 0, "status %d: %s", s_, (error).message);                                     \
    } while (0)

/* Whether this run is one of ./gpusim check --full, which takes its time. */
static inline bool test_is_full(void) { return getenv("GPUSIM_FULL") != NULL; }

static inline int test_main(const char *suite_name, const struct test_case *cases, size_t count)
{
    if (CU_initialize_registry() != CUE_SUCCESS) return 1;
    CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
    for (size_t i = 0; suite && i < count; i++)
        if (!CU_add_test(suite, cases[i].name, cases[i].run)) return 1;
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures(), ran = CU_get_number_of_tests_run();
    CU_cleanup_registry();
    return failures || ran != count ? 1 : 0;
}

#define TEST_MAIN(suite_name, cases)                                                     \
    int main(void) { return test_main(suite_name, cases, sizeof(cases) / sizeof((cases)[0])); }
