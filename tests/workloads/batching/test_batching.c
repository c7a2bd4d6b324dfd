/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each batching policy does next, by hand: policies, what they see, the prefill that begins, whether a round of
 * decoding runs. */
#include "gpusim/batching.h"

#include "tests/test.h"

#define NONE GSIM_NO_REQUEST

struct row {
    const char *policy;
    int64_t params[2];
    uint32_t waiting, filling, free_slots, decoding;
    bool is_running, is_mixed; /* a prefill runs; steps are mixed */
    uint64_t since;
    uint32_t prefill, tokens, budget;
    bool decodes;
};

static struct gsim_batch_step next(const struct gsim_batching_ops *ops, const struct row *r, void *state)
{
    const struct gsim_batch_view view = {.slots = 8, .free_slots = r->free_slots, .waiting = r->waiting,
                                         .filling = r->filling, .decoding_count = r->decoding, .is_mixed = r->is_mixed,
                                         .prefill_running = r->is_running, .decodes_since = r->since};
    struct gsim_batch_step step = {.prefill = NONE};
    ops->next(state, r->params, &view, &step);
    return step;
}

static void test_next(void)
{
    static const struct row rows[] = {
        /* policy, params, waiting, filling, free, decoding, runs, mixed, since; prefill, tokens, budget, decodes */
        {"continuous", {0}, 5, NONE, 1, 2, false, false, 0, 5, 0, 0, false},
        {"continuous", {0}, 5, NONE, 0, 2, false, false, 0, NONE, 0, 0, true},
        {"continuous", {0}, 5, 4, 0, 2, false, false, 0, 4, 0, 0, false},
        {"continuous", {0}, 5, 4, 1, 2, true, false, 0, NONE, 0, 0, true},
        {"continuous", {0}, NONE, NONE, 8, 0, false, false, 0, NONE, 0, 0, false},
        {"disaggregated", {0}, 5, NONE, 1, 2, false, false, 0, 5, 0, 0, false},
        {"disaggregated", {0}, 5, NONE, 1, 2, true, false, 0, NONE, 0, 0, true},
        {"decode-first", {3}, 5, NONE, 1, 2, false, false, 2, NONE, 0, 0, true},
        {"decode-first", {3}, 5, NONE, 1, 2, false, false, 3, 5, 0, 0, false},
        {"decode-first", {3}, 5, NONE, 1, 0, false, false, 0, 5, 0, 0, false},
        {"decode-first", {3}, 5, NONE, 0, 2, false, false, 9, NONE, 0, 0, true},
        {"chunked", {0, 0}, 5, NONE, 1, 2, false, false, 0, 5, 256, 0, true},
        {"chunked", {100, 0}, 5, NONE, 1, 0, false, false, 0, 5, 100, 0, false},
        {"chunked", {100, 60}, 5, NONE, 1, 2, false, false, 0, 5, 58, 0, true},
        {"chunked", {0, 2}, 5, NONE, 1, 2, false, false, 0, NONE, 0, 0, true},
        {"chunked", {0, 3}, 5, NONE, 1, 2, false, false, 0, 5, 1, 0, true},
        {"chunked", {0, 0}, 5, NONE, 1, 2, false, true, 0, NONE, UINT32_MAX, 2048, true},
        {"chunked", {100, 70}, 5, NONE, 1, 0, false, true, 0, NONE, 100, 70, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct gsim_batching_ops *ops = gsim_batching_find(rows[i].policy);
        struct gsim_batch_step step = next(ops, &rows[i], NULL);
        CHECK_MSG(step.prefill == rows[i].prefill && step.tokens == rows[i].tokens && step.budget == rows[i].budget &&
                      step.decodes == rows[i].decodes && !step.launch_count,
                  "row %zu, %s: prefill %u of %u tokens, budget %u, decodes %d", i, rows[i].policy, step.prefill,
                  step.tokens, step.budget, step.decodes);
        CHECK(ops->separate == (strcmp(rows[i].policy, "disaggregated") == 0));
    }
}

/* Once a batch decodes, nobody joins it until all have ended. */
static void test_static(void)
{
    const struct gsim_batching_ops *ops = gsim_batching_find("static");
    static const struct row rows[] = {
        {"", {0}, 5, NONE, 2, 0, false, false, 0, 5, 0, 0, false},
        {"", {0}, 6, NONE, 1, 1, false, false, 0, 6, 0, 0, false},
        {"", {0}, NONE, NONE, 0, 2, true, false, 0, NONE, 0, 0, false},
        {"", {0}, 7, NONE, 0, 2, false, false, 0, NONE, 0, 0, true},
        {"", {0}, 7, NONE, 1, 1, false, false, 0, NONE, 0, 0, true},
        {"", {0}, 7, NONE, 2, 0, false, false, 0, 7, 0, 0, false},
    };
    unsigned char state[16] = {0};
    CHECK(ops->state_size <= sizeof state);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gsim_batch_step step = next(ops, &rows[i], state);
        bool is_right = step.prefill == rows[i].prefill && step.decodes == rows[i].decodes;
        CHECK_MSG(is_right, "step %zu: prefill %u, decodes %d", i, step.prefill, step.decodes);
    }
}

/* Three drafts, then one verify; the same where a prefill begins. */
static void test_speculative(void)
{
    const struct gsim_batching_ops *ops = gsim_batching_find("speculative");
    struct row r = {"", {3}, 5, NONE, 0, 2, false, false, 0, NONE, 0, 0, true};
    for (int i = 0; i < 2; i++, r.free_slots = 1) {
        struct gsim_batch_step step = next(ops, &r, NULL);
        CHECK(step.prefill == (i ? 5 : NONE) && step.decodes == !i && step.launch_count == 2);
        CHECK(step.launches[0].kind == GSIM_STEP_DRAFT && step.launches[0].count == 3);
        CHECK(step.launches[1].kind == GSIM_STEP_VERIFY && step.launches[1].count == 1);
    }
}

static const struct test_case cases[] = {
    {"the next step", test_next}, {"one batch after another", test_static}, {"drafts", test_speculative}};
TEST_MAIN("workloads/batching/batching", cases)
