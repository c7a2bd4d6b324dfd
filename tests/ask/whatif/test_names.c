/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels' names as profilers write them: the function, where its arguments begin, and the words that tell it from
 * others. */
#include "tests/test.h"
#include "ask/whatif/names.h"

static const struct {
    const char *name, *function, *next; /* NEXT: the first word of its template arguments; NULL: none */
    const char *arguments; /* behind the name */
} names[] = {
    {"add(int, float *, float *)",
     "add", NULL, "(int, float *, float *)"},
    {"scale(float *, float)",
     "scale", NULL, "(float *, float)"},
    {"ampere_sgemm_128x64_nn",
     "ampere_sgemm_128x64_nn", NULL, ""},
    {"void ns::axpy<float>(int, float)",
     "axpy", NULL, "(int, float)"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, 3>(int, float*)",
     "vectorized_elementwise_kernel", "CUDAFunctor_add", "(int, float*)"},
    {"void cutlass::Kernel2<cutlass_80_wmma_s161616gemm>(Params)",
     "Kernel2", "cutlass_80_wmma_s161616gemm", "(Params)"},
    {"(anonymous namespace)::relax(int*)",
     "relax", NULL, "(int*)"},
    {"void (anonymous namespace)::softmax_warp<float, 10>(float*, int)",
     "softmax_warp", NULL, "(float*, int)"},
    {"run(int)::{lambda(int)#1}::operator()(int) const",
     "run", NULL, "(int)::{lambda(int)#1}::operator()(int) const"},
    {"bool less<int>::operator()(int, int) const",
     "operator", NULL, "(int, int) const"},
    {"std::enable_if<!(false), void>::type gemv_tensor_strided<float, ..ac3040b0",
     "gemv_tensor_strided", NULL, ""},
};

static void functions_have_names(void)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char word[64] = "";
        CHECK_STR(names[i].name + gsim_name_length(names[i].name), names[i].arguments);
        CHECK_MSG(gsim_name_word(names[i].name, 0, word, sizeof word) && strcmp(word, names[i].function) == 0,
                  "%s: '%s', expected '%s'", names[i].name, word, names[i].function);
        bool found = gsim_name_word(names[i].name, 1, word, sizeof word);
        CHECK_MSG(found == (names[i].next != NULL), "%s: %s", names[i].name, word);
        if (found && names[i].next) CHECK_STR(word, names[i].next);
    }
}

static void arguments_do_not_count(void)
{
    static const struct {
        const char *name, *word;
        bool holds, is_whole;
    } rows[] = {{"add(int, float *)", "float", false, false}, {"add(int, float *)", "add", true, true},
                {"add_bias(int)", "add", true, false},        {"void k<float>(int)", "float", true, true},
                {"void my_add(add *)", "add", true, false},   {"agent_7", "agent", true, false},
                {"scale(add)", "add", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_MSG(gsim_name_holds(rows[i].name, rows[i].word, false) == rows[i].holds, "%s holds %s", rows[i].name,
                  rows[i].word);
        CHECK_MSG(gsim_name_holds(rows[i].name, rows[i].word, true) == rows[i].is_whole, "%s is %s", rows[i].name,
                  rows[i].word);
    }
}

static const struct test_case cases[] = {{"functions have names", functions_have_names},
                                         {"arguments do not count", arguments_do_not_count}};
TEST_MAIN("ask/whatif/names", cases)
