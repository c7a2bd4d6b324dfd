/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixed steps from tables of round numbers; each time is added up by hand. */
#include <stdlib.h>
#include <unistd.h>

#include "serving/profile.h"
#include "gpusim/ranks.h"
#include "tests/test.h"

static const char dense[] = "layer,tokens,time_us\nmlp,1,10\nmlp,4,16\nmlp,8,32\nembed,1,3\n"
                            "embed,8,10\nnorm,1,1\nnorm,8,1\n";
static const char per_sequence[] = "layer,sequences,time_us\nhead,1,5\nhead,3,9\n";
/* A chunk of 4 or 8 behind 0 or 8; 1 to 3 that decode at 8 or 16. What is not there continues a line: (4, 0, 3, 8) is
 * 5 at one, 7 at two, and so 9. */
static const char attention[] =
    "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n4,0,0,0,4\n4,8,0,0,8\n8,0,0,0,12\n8,8,0,0,20\n"
    "0,0,1,8,2\n0,0,1,16,3\n0,0,2,8,4\n0,0,2,16,6\n0,0,3,8,6\n0,0,3,16,9\n"
    "4,0,1,8,5\n4,0,1,16,6\n4,0,2,8,7\n4,0,2,16,9\n4,8,1,8,9\n4,8,1,16,10\n4,8,2,8,11\n4,8,2,16,13\n"
    "8,8,1,8,21\n8,8,1,16,22\n8,8,2,8,23\n8,8,2,16,25\n";

static enum gsim_status read_profile(const char *const texts[3], const char *const *once, struct gsim_arena *arena,
                                     struct gsim_step_profile *profile, struct gsim_error *error)
{
    static const char *const twice[] = {"norm", NULL};
    char paths[3][32];
    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "/tmp/profile%d.XXXXXX", i);
        int file = mkstemp(paths[i]);
        CHECK(file >= 0 && write(file, texts[i], strlen(texts[i])) == (ssize_t)strlen(texts[i]));
        close(file);
    }
    const struct gsim_profile_files files = {paths[0], paths[1], paths[2], once, twice};
    *profile = (struct gsim_step_profile){.layers = 2};
    enum gsim_status status = gsim_profile_read(&files, arena, profile, error);
    for (int i = 0; i < 3; i++) unlink(paths[i]);
    return status;
}

static const char *const embed[] = {"embed", NULL};

static const struct {
    struct gsim_chunk chunks[2];
    uint32_t chunk_count;
    double decodes, context, us;
} steps[] = {
    /* mlp 2 x 12, norm 4 x 1, embed 4, head of two 7, attention 2 x 5 */
    {{{0}}, 0, 2, 12, 49},
    /* 7 tokens: 2 x 28, 4, 9, head of four 11, attention 2 x 9 */
    {{{4, 0}}, 1, 3, 8, 98},
    /* 2 x 24, 4, 8, 5; attention between (4, 4) at 6 and (8, 4) at 16: 2 x 11 */
    {{{6, 4}}, 1, 0, 0, 87},
    /* 40 pairs of one and 8 of the other are those of 8 tokens behind 2: 64, 4, 10, 7, 2 x 14 */
    {{{4, 8}, {4, 0}}, 2, 0, 0, 113},
    /* two beginnings: fewer pairs than 8 tokens of one: 64, 4, 10, 7, 2 x (4 + 4) */
    {{{4, 0}, {4, 0}}, 2, 0, 0, 101},
    /* below the least chunk, towards the least of the table: 24, 4, 4, 5, 2 x 3 */
    {{{2, 0}}, 1, 0, 0, 43},
};

static void test_steps(void)
{
    static const char *const texts[] = {dense, attention, per_sequence};
    struct gsim_error error = {0};
    struct gsim_arena arena = {0};
    struct gsim_step_profile p;
    CHECK_OK(read_profile(texts, embed, &arena, &p, &error), error);
    CHECK_INT(gsim_profile_most(&p), 8);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct gsim_step_shape shape = {steps[i].chunks, steps[i].chunk_count, steps[i].decodes,
                                              steps[i].context};
        CHECK_NEAR(gsim_profile_us(&p, &shape), steps[i].us, 1e-4);
    }
    gsim_arena_release(&arena);
}

static void test_refused(void)
{
    static const char *const nowhere[] = {"head", NULL};
    static const struct {
        const char *texts[3], *const *once, *message;
    } bad[] = {
        {{"layer,tokens\nmlp,1\n", attention, per_sequence}, NULL, "expected a column 'time_us', found none"},
        {{"layer,tokens,time_us\nmlp,1,fast\n", attention, per_sequence}, NULL, "line 2: time_us: expected a number"},
        {{"layer,tokens,time_us\nmlp,1,3s\n", attention, per_sequence}, NULL, "more, found '3s'"},
        {{"layer,tokens,time_us\nmlp,1,0\nmlp,-1,3\n", attention, per_sequence}, NULL, "line 3: tokens: expected"},
        {{"layer,tokens,time_us\nmlp,1,1e12\nmlp,2,1.1e12\n", attention, per_sequence}, NULL, "line 3: time_us"},
        {{"layer,tokens,time_us\nmlp,1\n", attention, per_sequence}, NULL, "line 2: time_us: found nothing"},
        {{"layer,tokens,time_us\n", attention, per_sequence}, NULL, "expected rows, found none"},
        {{"layer,tokens,time_us\nmlp,4,2\nmlp,4,3\n", attention, per_sequence}, NULL,
         "mlp of 4 tokens stands there twice"},
        {{"layer,tokens,time_us\nmlp,5,2\nmlp,4,2\nmlp,5,3\nmlp,4,3\n", attention, per_sequence}, NULL,
         "mlp of 4 tokens stands there twice"}, /* the first that is wrong, in order of size */
        {{dense, attention, per_sequence}, nowhere, "has no layer \"head\""},
        {{dense, "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n4,0,0,0,4\n0,0,1,8,2\n", per_sequence}, NULL,
         "each prefill_chunk with each n_decode"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gsim_error error = {0};
        struct gsim_arena arena = {0};
        struct gsim_step_profile p;
        CHECK_INT(read_profile(bad[i].texts, bad[i].once ? bad[i].once : embed, &arena, &p, &error), GSIM_INPUT);
        CHECK_HAS(error.message, bad[i].message);
        gsim_arena_release(&arena);
    }
}

/* Two requests decode in 49 us, and in two layers of two all-reduces of 128 KiB among four H100 besides. One takes 2.42
 * + 2 x 0.047 us, and 3 x 128 KiB at 0.952 x 0.817 of 398 GB/s: 3.7842. A node's links of 50 GB/s: 12.6254. */
static void test_tensor_parallel(void)
{
    static const char *const texts[] = {dense, attention, per_sequence};
    const struct gsim_ranks links = {.count = 4, .gpu_gbps = 50};
    const struct gsim_step_shape shape = {NULL, 0, 2, 12};
    struct gsim_error error = {0};
    struct gsim_arena arena = {0};
    struct gsim_device_spec device;
    struct gsim_step_profile p;
    CHECK_OK(gsim_device_load("h100-vm", &device, &error), error);
    CHECK_OK(read_profile(texts, embed, &arena, &p, &error), error);
    p.gpus = 4;
    p.bytes_per_token = 65536;
    p.reduces_per_layer = 2;
    CHECK_OK(gsim_profile_connect(&p, &device, NULL, &error), error);
    CHECK_NEAR(gsim_profile_us(&p, &shape), 49 + 4 * 3.78424, 1e-3);
    CHECK_OK(gsim_profile_connect(&p, &device, &links, &error), error);
    CHECK_NEAR(gsim_profile_us(&p, &shape), 49 + 4 * 12.62537, 2e-3);
    gsim_arena_release(&arena);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {
    {"steps", test_steps}, {"refused", test_refused}, {"tensor parallel", test_tensor_parallel}};

TEST_MAIN("serving/profile", cases)
