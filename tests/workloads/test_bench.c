/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The prefetch calls of the built-in workloads: which buffers in which order, where in the program, on which stream.
 * What schedulers make of them: tests/schedulers/shared/test_moves.c, tests/golden/plans/test_kesco_workloads.c.
 */
#include "gpusim/workload.h"
#include "tests/test.h"

static struct gsim_program build(const char *name, struct gsim_workload_options options)
{
    struct gsim_program p = {0};
    struct gsim_error error = {0};
    const struct gsim_workload_ops *workload = gsim_workload_find(name);
    CHECK_MSG(workload, "no workload '%s'", name);
    if (workload) CHECK_OK(workload->build(&options, &p, &error), error);
    return p;
}

/* The prefetches behind the resets and before all else, by buffer; each of all of it, on the stream of the first
 * kernel that uses it. */
static void check_prefetches(const char *name, enum gsim_suite suite, const char *expected)
{
    struct gsim_program p = build(name, (struct gsim_workload_options){.suite = suite});
    char found[512] = "";
    for (uint32_t i = 0; i < p.op_count; i++) {
        const struct gsim_op *op = &p.ops[i], *first = NULL;
        if (op->kind != GSIM_OP_PREFETCH) continue;
        const struct gsim_buffer *buffer = &p.buffers[op->args[0].buffer_index];
        size_t used = strlen(found);
        snprintf(found + used, sizeof(found) - used, "%s%s", used ? " " : "", buffer->name);
        CHECK(i > 0 && (p.ops[i - 1].untimed || p.ops[i - 1].kind == GSIM_OP_PREFETCH));
        CHECK_INT(op->bytes, buffer->bytes);
        for (uint32_t k = i + 1; k < p.op_count && !first; k++)
            for (uint32_t a = 0; p.ops[k].kind == GSIM_OP_KERNEL && a < p.ops[k].arg_count; a++)
                if (p.ops[k].args[a].buffer_index == op->args[0].buffer_index) first = &p.ops[k];
        CHECK_MSG(first && first->stream == op->stream, "%s: prefetch of %s on stream %d", name, buffer->name,
                  op->stream);
    }
    CHECK_STR(found, expected);
    gsim_program_release(&p);
}

/* KeSCo's benchmark repository, the sources named in tests/golden/plans/test_kesco.c. */
static void test_prefetches(void)
{
    check_prefetches("vec", GSIM_SUITE_KESCO, "x x1 y y1 res");
    check_prefetches("bs", GSIM_SUITE_KESCO, "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7 y7 x8 y8 x9 y9");
    check_prefetches("ml", GSIM_SUITE_KESCO, "x z r1 r2 r nb_feat_log_prob ridge_coeff nb_amax nb_l ridge_intercept");
    check_prefetches("hits", GSIM_SUITE_KESCO, "auth1 auth2 hub1 hub2 auth_norm hub_norm idx idx2 val val2 ptr ptr2");
    check_prefetches("img", GSIM_SUITE_KESCO, "blurred_small image kernel_small blurred_large kernel_large "
                     "blurred_unsharpen kernel_unsharpen mask_small mask_large image_unsharpen image3 image2");
    check_prefetches("dl", GSIM_SUITE_KESCO,
                     "kernel_1 kernel_2 kernel_3 kernel_4 dense_weights x y x1 x2 y1 y2 z x11 y11");
    check_prefetches("m1", GSIM_SUITE_KESCO, "");
    check_prefetches("m2", GSIM_SUITE_KESCO, "");
    const struct gsim_workload_ops *w;
    for (uint32_t i = 0; (w = gsim_workload_at(i)) != NULL; i++) check_prefetches(w->name, GSIM_SUITE_GRCUDA, "");
}

static const struct test_case cases[] = {{"prefetches of the kesco suite", test_prefetches}};
TEST_MAIN("workloads/bench", cases)
