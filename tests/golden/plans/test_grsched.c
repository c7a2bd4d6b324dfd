/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GrSched's graphs and streams for the six benchmarks of the GrCUDA suite (GrCUDA, IPDPS 2021), as its rules give
 * them; VEC, B&S, ML and HITS agree with the stream columns of the authors' published traces. And Taskflow's.
 */
#include "gpusim/workload.h"
#include "tests/golden/suite.h"

static struct recorder *run_workload(const char *name, const char *scheduler, const char *options,
                                     struct gsim_program *program)
{
    struct gsim_workload_options workload_options = {.suite = GSIM_SUITE_GRCUDA};
    const struct gsim_workload_ops *workload = gsim_workload_find(name);
    struct gsim_error error = {0};
    if (!workload) abort();
    CHECK_OK(workload->build(&workload_options, program, &error), error);
    return suite_run(scheduler, options, program, 0);
}

static const struct {
    const char *name, *streams, *waits;
    uint32_t syncs; /* streams that host accesses synchronise */
} golden[] = {
    {"vec", "[square reduce] [square]", "square>reduce", 1},
    {"bs", "[bs] [bs] [bs] [bs] [bs] [bs] [bs] [bs] [bs] [bs]", "", 10},
    {"ml", "[rr_1 rr_2 rr_3 softmax] [nb_1 nb_2 nb_3 nb_4 softmax argmax]", "softmax>argmax", 1},
    /* Two streams per step, two waits per step, and the step's two host writes synchronise one stream each. */
    {"hits",
     "[spmv3 sum divide] [spmv3 sum divide] [spmv3 sum divide] [spmv3 sum divide] [spmv3 sum divide] "
     "[spmv3 sum divide] [spmv3 sum divide] [spmv3 sum divide] [spmv3 sum divide] [spmv3 sum divide]",
     "spmv3>divide spmv3>divide spmv3>divide spmv3>divide spmv3>divide "
     "spmv3>divide spmv3>divide spmv3>divide spmv3>divide spmv3>divide",
     10},
    /* unsharpen waits for both other blurs: the image is not const in its signature. The last combine goes
     * to the stream of the empty resets, its first parent whose stream nobody took. */
    {"img",
     "[reset reset_2d combine] [gaussian_blur sobel] [gaussian_blur sobel maximum extend combine] [gaussian_blur "
     "unsharpen] [minimum]",
     "sobel>minimum minimum>extend gaussian_blur>unsharpen gaussian_blur>unsharpen unsharpen>combine sobel>combine "
     "combine>combine",
     1},
    {"dl", "[conv2d mean_pooling conv2d concat dot_product] [conv2d mean_pooling conv2d]", "conv2d>concat", 1},
};

static void test_grsched(void)
{
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        struct gsim_program program = {0};
        char text[1024];
        struct recorder *r = run_workload(golden[i].name, "grsched", NULL, &program);
        uint32_t kernels = 0;
        for (uint32_t k = 0; k < program.op_count; k++) kernels += program.ops[k].kind == GSIM_OP_KERNEL;
        suite_streams(r, &program, 0, text, sizeof(text));
        CHECK_STR(text, golden[i].streams);
        suite_waits(r, &program, 0, text, sizeof(text));
        CHECK_STR(text, golden[i].waits);
        CHECK_INT(r->syncs, golden[i].syncs);
        CHECK_INT(r->device_syncs, 0);
        CHECK_INT(r->event_creates, kernels); /* one event per kernel */
        CHECK_NEAR(r->host_us, 10.0 * kernels, 1e-9);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* Without the empty resets and with the true constness of the image: no false waits, one stream fewer. */
static void test_img_by_hand(void)
{
    struct gsim_program program = {0};
    char text[512];
    program_write(suite_img, GSIM_INIT_HOST, &program);
    struct recorder *r = suite_run("grsched", NULL, &program, 0);
    suite_streams(r, &program, 0, text, sizeof(text));
    CHECK_STR(text, "[blurS sobS comb2] [blurL sobL max ext comb1] [blurU unsh] [min]");
    suite_waits(r, &program, 0, text, sizeof(text));
    CHECK_STR(text, "sobL>min min>ext unsh>comb1 comb1>comb2");
    rec_destroy(r);
    gsim_program_release(&program);
}

/* Freed streams come back with the option: HITS then needs two for all its steps. */
static void test_reuse(void)
{
    struct gsim_program program = {0};
    struct recorder *r = run_workload("hits", "grsched", "new_streams=reuse", &program);
    CHECK_INT(suite_streams_used(r, true), 2);
    rec_destroy(r);
    gsim_program_release(&program);
}

/* cudaFlowCapturer: the i-th node of a level on stream i mod 4; B&S is capped at four streams, an explicit graph
 * not. */
static void test_taskflow(void)
{
    static const struct { const char *const *lines; const char *streams; uint32_t records, waits; } expected[] = {
        /* Records: the fork, three joins, one per node with a successor on another stream (ML: nb1, nb2, rr2,
         * sm2; IMG: blurL, sobL, min, unsh). Waits: three and three, then ML: nb3, rr3, nb4, argmax, one each,
         * of nb1 and nb2 the latter alone; IMG: max, ext one each, comb1 two. */
        {suite_vec, "[sq1 reduce] [sq2]", 5, 7},
        {suite_bs, "[bs0 bs4 bs8] [bs1 bs5 bs9] [bs2 bs6] [bs3 bs7]", 4, 6},
        {suite_ml, "[rr1 rr2 nb3 nb4 sm1 argmax] [nb1 nb2 rr3 sm2]", 8, 10},
        {suite_img, "[blurS sobS max ext comb1 comb2] [blurL sobL min] [blurU unsh]", 8, 10},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        struct gsim_program program = {0};
        char text[512];
        program_write(expected[i].lines, GSIM_INIT_HOST, &program);
        struct recorder *r = suite_run("taskflow", NULL, &program, 0);
        suite_streams(r, &program, 0, text, sizeof(text));
        CHECK_STR(text, expected[i].streams);
        CHECK_INT(r->records, expected[i].records);
        CHECK_INT(r->waits, expected[i].waits);
        CHECK_INT(r->graph_launches, 1);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* Built and instantiated once, launched every iteration; a host write in the middle cuts it in two. */
static void test_graph_reuse(void)
{
    static const char *const lines[] = {"a: x > y", "!x", "b: x y > y", NULL};
    static const char *const names[] = {"taskflow", "cudagraph"};
    struct gsim_program program = {0};
    program_write(lines, GSIM_INIT_DEVICE, &program);
    for (int i = 0; i < 2; i++) {
        enum gsim_status status;
        struct gsim_error error;
        struct trial t = {.ops = gsim_scheduler_find(names[i]), .program = &program, .iterations = 5};
        struct recorder *r = trial_run(&t, &status, &error);
        CHECK_OK(status, error);
        CHECK_STR(check_record(&t, r).text, "");
        CHECK_INT(r->exec_count - 1, 2);
        CHECK_INT(r->graph_launches, 10);
        CHECK_INT(r->syncs, 10); /* before the write, and at the end */
        rec_destroy(r);
    }
    gsim_program_release(&program);
}

static const struct test_case cases[] = {
    {"grsched on the grcuda suite", test_grsched},
    {"IMG with true constness", test_img_by_hand},
    {"reused streams", test_reuse},
    {"taskflow's streams", test_taskflow},
    {"graphs are reused", test_graph_reuse},
};

TEST_MAIN("golden/plans/grsched", cases)
