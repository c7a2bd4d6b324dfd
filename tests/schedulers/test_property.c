/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every registered scheduler and the skeleton, over options, memory modes, prefetching and random programs:
 * the judge of check.h finds nothing. Also: a failing driver and failing allocations end cleanly.
 */
#include "tests/schedulers/check.h"
#include "tests/schedulers/programs.h"

extern const struct gsim_scheduler_ops gsim_scheduler_skeleton;

struct variant {
    const char *name, *options;
};

/* Beside the defaults of every registered scheduler. */
static const struct variant variants[] = {
    {"async", "prune=none"},
    {"async", "prune=clock"},
    {"grsched", "new_streams=reuse"},
    {"grsched", "parent_stream=same-as-parent new_streams=reuse"},
    {"grsched", "dependences=no-const"},
    {"grsched", "filter=off attach=never"},
    {"grsched", "filter=off new_streams=reuse cost_spread=0.62"},
    {"taskflow", "streams=1"},
    {"taskflow", "streams=3 prefetch_nodes=on"},
    {"cudagraph", "prefetch_nodes=on"},
    {"kesco", "streams=3"},
    {"kesco", "streams=1"},
    {"kesco", "prune=2"},
    {"kesco", "streams=4 prune=2 ties=random placement=random"},
    {"kesco", "issue=level placement=index"},
    {"persistent", "order=level"},
    {"persistent", "order=list mode=queue"},
    {"ccks", "speculate=off"},
    {"heft", "streams=1"},
    {"heft", "streams=3 cross_us=0"},
    {"heft", "streams=2 cross_us=20 insertion=off"},
};

static bool judge(const struct trial *t, unsigned long seed)
{
    enum gsim_status status;
    struct gsim_error error;
    struct recorder *r = trial_run(t, &status, &error);
    struct verdict v = check_record(t, r);
    CHECK_MSG(status == GSIM_OK, "%s: %s", t->ops->name, error.message);
    CHECK_MSG(!v.text[0], "%s (%s), memory %d, prefetch %d, program %lu: %s", t->ops->name,
              t->options ? t->options : "defaults", (int)t->memory, t->prefetch, seed, v.text);
    bool good = status == GSIM_OK && !v.text[0];
    rec_destroy(r);
    return good;
}

static void judge_all_modes(const struct gsim_scheduler_ops *ops, const char *options, unsigned long programs)
{
    for (unsigned long seed = 0; seed < programs; seed++) {
        struct gsim_program program = {0};
        program_random(seed, &program);
        for (int mode = 0; mode < 6; mode++) {
            struct trial t = {.ops = ops,
                              .program = &program,
                              .memory = (enum gsim_memory_mode)(mode / 2),
                              .prefetch = mode % 2,
                              .iterations = 3,
                              .seed = seed,
                              .options = options};
            if (!judge(&t, seed)) {
                gsim_program_release(&program);
                return; /* one failure tells enough */
            }
        }
        gsim_program_release(&program);
    }
}

static void test_defaults(void)
{
    uint32_t count = 0;
    for (; gsim_scheduler_at(count);
         count++) /* the recorder has neither threads nor a front end: who needs them has a test of its own */
        if (!gsim_scheduler_at(count)->has_threads && !gsim_scheduler_at(count)->has_frontend)
            judge_all_modes(gsim_scheduler_at(count), NULL, 60);
    CHECK(count >= 6);
    judge_all_modes(&gsim_scheduler_skeleton, NULL, 60);
}

static void test_variants(void)
{
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        const struct gsim_scheduler_ops *ops = gsim_scheduler_find(variants[i].name);
        CHECK(ops != NULL);
        if (ops) judge_all_modes(ops, variants[i].options, 40);
    }
}

/* The judge must be able to convict: take the waits and synchronisations out of a correct record. */
static void test_judge_convicts(void)
{
    static const char *const lines[] = {"a: x > y", "b: y > z", "?z", NULL};
    struct gsim_program program = {0};
    enum gsim_status status;
    struct gsim_error error;
    program_write(lines, GSIM_INIT_HOST, &program);
    struct trial t = {.ops = gsim_scheduler_find("serial"), .program = &program};
    struct recorder *r = trial_run(&t, &status, &error);
    CHECK_STR(check_record(&t, r).text, "");
    memset(&r->items[1].before, 0, sizeof(r->items[1].before));
    CHECK_HAS(check_record(&t, r).text, "op 1 may start before op 0 ends");
    rec_add(&r->items[1].before, 0);
    r->items[1].op = r->items[0].op;
    CHECK_HAS(check_record(&t, r).text, "twice");
    rec_destroy(r);
    t.memory = GSIM_MEMORY_PINNED;
    r = trial_run(&t, &status, &error);
    CHECK_STR(check_record(&t, r).text, "");
    CHECK_INT(r->item_count, 5); /* copy of x, a, b, copy of z, host read */
    for (uint32_t n = 1; n < r->item_count; n++) r->items[n - 1] = r->items[n];
    r->item_count--;
    CHECK(check_record(&t, r).text[0]);
    rec_destroy(r);
    gsim_program_release(&program);
}

static void test_driver_failure(void)
{
    struct gsim_program program = {0};
    program_random(7, &program);
    for (uint32_t i = 0; gsim_scheduler_at(i); i++)
        for (uint32_t call = 1; call < 200 && !gsim_scheduler_at(i)->has_threads && !gsim_scheduler_at(i)->has_frontend;
             call += 3) {
            enum gsim_status status;
            struct gsim_error error;
            struct trial t = {.ops = gsim_scheduler_at(i), .program = &program, .iterations = 2, .fail_after = call};
            struct recorder *r = trial_run(&t, &status, &error);
            if (gsim_driver_failed(&r->driver)) {
                CHECK_INT(status, GSIM_SIM);
                CHECK_STR(error.message, "the recorder was told to fail");
            }
            rec_destroy(r);
        }
    gsim_program_release(&program);
}

static void test_out_of_memory(void)
{
    struct gsim_program program = {0};
    program_random(11, &program);
    for (uint32_t i = 0; gsim_scheduler_at(i); i++)
        for (int mode = 0; mode < 2 && !gsim_scheduler_at(i)->has_threads && !gsim_scheduler_at(i)->has_frontend;
             mode++) {
            bool reached_end = false;
            for (uint64_t nth = 1; nth < 2000 && !reached_end; nth++) {
                enum gsim_status status;
                struct gsim_error error;
                struct trial t = {.ops = gsim_scheduler_at(i), .program = &program, .iterations = 2, .prefetch = true,
                                  .memory = mode ? GSIM_MEMORY_PINNED : GSIM_MEMORY_MANAGED};
                gsim_alloc_fail_nth(nth);
                struct recorder *r = trial_run(&t, &status, &error);
                reached_end = gsim_alloc_fail_nth(0) < nth;
                CHECK_MSG(status == (reached_end ? GSIM_OK : GSIM_NOMEM), "%s: allocation %d: status %d", t.ops->name,
                          (int)nth, (int)status);
                if (status == GSIM_NOMEM) CHECK_HAS(error.message, "out of memory");
                rec_destroy(r);
            }
            CHECK(reached_end);
        }
    gsim_program_release(&program);
}

static const struct test_case cases[] = {
    {"every scheduler on random programs", test_defaults},
    {"every option on random programs", test_variants},
    {"the judge convicts", test_judge_convicts},
    {"a failing driver ends the run with its error", test_driver_failure},
    {"every allocation may fail", test_out_of_memory},
};

TEST_MAIN("schedulers/property", cases)
