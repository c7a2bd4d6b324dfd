/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source/read/expand.h by hand: what a preprocessor makes of function-like macros, and where each character is from. */
#include "source/read/expand.h"

#include "gpusim/memory.h"
#include "tests/test.h"

#define TWICE "#define T(x) (2*x)\n"

static void test_tokens(void)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {{"a", 1},          {"ab_9+", 4},     {"+ab", 1},        {"/ab", 1},        {"// a\nb", 4},
                {"// a", 4},       {"/**/x", 4},     {"/* * / */x", 9}, {"/*/ */x", 6},    {"/* a", 4},
                {"\"a b\"c", 5},   {"\"a\\\"b\"c", 6}, {"'\\''x", 4},     {"\"ab\nc\"", 4}, {"\"ab", 3},
                {"12ab(", 4},      {"\"\\", 2},      {"/", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t found = gsim_cu_token(rows[i].text, strlen(rows[i].text));
        CHECK_MSG(found == rows[i].length, "%s: %zu, expected %zu", rows[i].text, found, rows[i].length);
    }
}

static void test_texts(void)
{
    static const char *const rows[][2] = {
        {"T(1);", "T(1);"},
        {TWICE "T(1);", TWICE " (2*1);"},
        {TWICE "a=T(b+1)+T( 3 );", TWICE "a= (2*b+1)+ (2* 3 );"},
        {TWICE "T (1) T\n(2) T 3;", TWICE " (2*1)  (2*2) T 3;"},
        {TWICE "T(f(1,2)[3,4]{5,6});", TWICE " (2*f(1,2)[3,4]{5,6});"},
        {TWICE "T(1,2) T( AT(1) T1(2) _T(3)", TWICE "T(1,2) T( AT(1) T1(2) _T(3)"},
        {TWICE "\"T(1)\" 'T(1)' // T(1)\n/* T(1) */ T(\")\")",
         TWICE "\"T(1)\" 'T(1)' // T(1)\n/* T(1) */  (2*\")\")"},
        {TWICE "#define U(a,b) T(a)-T(b)\nU(x,T(y))", TWICE "#define U(a,b) T(a)-T(b)\n  (2*x)- (2* (2*y))"},
        {"#define A(x, y) x; \\\n  y /* no */ z // end\nA(1, 2) w",
         "#define A(x, y) x; \\\n  y /* no */ z // end\n 1;      2  z  w"},
        {"#define S(x) f(#x, # x)\nS(a)", "#define S(x) f(#x, # x)\n f(\"\", \"\")"},
        {"#define N 4\n#define C(a) a##1\n#define V(...) 1\n#define E() 2\nN C(1) V(1) E()",
         "#define N 4\n#define C(a) a##1\n#define V(...) 1\n#define E() 2\nN C(1) V(1) E()"},
        {TWICE "#define T(y) y\nT(1)", TWICE "#define T(y) y\nT(1)"},
        {"  # define Q(x)x\n #if Q(1)\nQ(2) # define R(x) x\nR(3)",
         "  # define Q(x)x\n #if Q(1)\n2 # define R(x) x\nR(3)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_cu_span *spans;
        size_t length = 0;
        char *found = gsim_cu_expand(rows[i][0], strlen(rows[i][0]), &length, &spans);
        CHECK_MSG(found && length == strlen(rows[i][1]) && strcmp(found, rows[i][1]) == 0, "row %zu: \"%s\"", i,
                  found ? found : "(null)");
        gsim_free(found);
        gsim_free(spans);
    }
}

/* "a T(bc) d": a macro's own characters are the call's, an argument's its own. */
static void test_spans(void)
{
    static const char source[] = "#define T(x) x-1\na T(bc) d";
    enum { AT = sizeof "#define T(x) x-1\n" - 1 };
    static const uint32_t right[][2] = {{0, 1}, {1, 2}, {2, 7}, {4, 5}, {5, 6}, {2, 7}, {2, 7}, {7, 8}, {8, 9}};
    struct gsim_cu_span *spans;
    size_t length = 0;
    char *found = gsim_cu_expand(source, strlen(source), &length, &spans);
    CHECK(found != NULL);
    if (!found) return;
    CHECK_STR(found + AT, "a  bc-1 d");
    for (size_t i = 0; i < AT; i++) CHECK(spans[i].begin == i && spans[i].end == i + 1);
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        CHECK_MSG(spans[AT + i].begin == AT + right[i][0] && spans[AT + i].end == AT + right[i][1], "%zu: %u to %u", i,
                  spans[AT + i].begin - AT, spans[AT + i].end - AT);
    gsim_free(found);
    gsim_free(spans);
    CHECK(gsim_cu_expand("", 0, &length, &spans) == NULL);
}

static const struct test_case cases[] = {
    {"tokens", test_tokens}, {"what macros expand to", test_texts}, {"where it is from", test_spans}};
TEST_MAIN("source/read/expand", cases)
