/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each question of each kind of scenario: a program, ranks, tasks, a server. Calls take no time: all is kernels. */
#include "ask/questions/question.h"
#include "ask/whatif/rows.h"

#include <math.h>
#include <string.h>

#include "tests/sim/task_fixture.h"

/* A scenario of two programs: a kernel "a" and a kernel "b", each on all SMs. */
struct scenario {
    struct task_fixture f;
    struct gsim_simulation simulation;
    struct gsim_client clients[2];
    struct gsim_serving_spec spec; /* of a server: "a" is its prefill, "b" its decode step */
    struct gsim_served_arrival requests[2];
    struct gsim_library library;
    struct gsim_server server;
    struct gsim_changeable base;
};

enum kind { PROGRAM, RANKS, TASKS, SERVER, KINDS };

static enum gsim_status read_step(void *context, const char *path, struct gsim_program *program, bool *is_graph,
                                  struct gsim_error *error)
{
    struct scenario *s = context;
    uint32_t step = path[0] == 'b';
    (void)error;
    *is_graph = false;
    *program = s->f.programs[step];
    s->f.programs[step] = (struct gsim_program){0};
    return GSIM_OK;
}

/* Two slots; two requests, a millisecond after each other, of a prefill and two steps each. */
static void make_server(struct scenario *s)
{
    for (int i = 0; i < 2; i++)
        s->requests[i] = (struct gsim_served_arrival){.arrival_us = 1000 * i, .prompt = 4, .output = 3};
    s->spec = (struct gsim_serving_spec){.name = "server", .slots = 2, .replicas = 1, .batching = "continuous",
                                         .step_count = 2};
    s->spec.arrivals = (struct gsim_arrivals){.kind = GSIM_ARRIVALS_LIST, .list = s->requests, .count = 2, .scale = 1};
    s->spec.steps[0] = (struct gsim_serving_step){GSIM_STEP_PREFILL, 4, "a"};
    s->spec.steps[1] = (struct gsim_serving_step){GSIM_STEP_DECODE, 2, "b"};
    CHECK_OK(gsim_library_init(&s->library, &s->spec, &s->simulation, read_step, s, &s->f.error), s->f.error);
    s->server = (struct gsim_server){
        .spec = &s->spec, .device = &s->f.device, .policy = gsim_batching_find("continuous")};
    s->base = (struct gsim_changeable){
        .simulation = &s->library.simulation, .server = &s->server, .library = &s->library, .has_data = true};
}

static void make(struct scenario *s, enum kind kind, double a_us, double b_us)
{
    *s = (struct scenario){.f = task_fixture()};
    s->f.device = free_device();
    add_kernel_task(&s->f, "a", 4, a_us);
    add_kernel_task(&s->f, "b", 4, b_us);
    CHECK_OK(gsim_task_set_init(&s->f.set, "two", s->f.tasks, 2, &s->f.error), s->f.error);
    s->simulation = (struct gsim_simulation){.program = kind == PROGRAM ? &s->f.programs[0] : &s->f.set.all,
                                             .device = &s->f.device,
                                             .scheduler = gsim_scheduler_find("async"),
                                             .sharing = kind == TASKS ? gsim_sharing_find("exclusive") : NULL,
                                             .memory = GSIM_MEMORY_PINNED,
                                             .seed = 1};
    gsim_params_set_defaults(gsim_gpu_params, &s->simulation.gpu);
    for (uint32_t i = 0; i < 2; i++)
        s->clients[i] = (struct gsim_client){.program = &s->f.programs[i],
                                             .scheduler = s->simulation.scheduler,
                                             .task = kind == TASKS ? &s->f.tasks[i] : NULL,
                                             .rank = i,
                                             .copies = 1,
                                             .device = i};
    s->base = (struct gsim_changeable){.simulation = &s->simulation,
                                       .clients = kind == PROGRAM ? NULL : s->clients,
                                       .client_count = kind == PROGRAM ? 0 : 2};
    if (kind == SERVER) make_server(s);
}

static void release(struct scenario *s)
{
    gsim_task_set_release(&s->f.set);
    if (s->library.spec) gsim_library_release(&s->library);
    for (uint32_t i = 0; i < s->f.count; i++) gsim_program_release(&s->f.programs[i]);
}

static double value_of(const struct gsim_answer *a, size_t row, const char *column)
{
    for (uint32_t i = 0; i < a->column_count; i++) {
        union gsim_value v = a->values[row * a->column_count + i];
        if (strcmp(a->columns[i].name, column) != 0) continue;
        return a->columns[i].type == GSIM_VALUE_TIME ? gsim_time_us(v.time)
               : a->columns[i].type == GSIM_VALUE_REAL ? v.real
               : a->columns[i].type == GSIM_VALUE_BOOL ? v.truth
                                                       : (double)v.count;
    }
    return NAN;
}

/* The sum over all rows, or the value of the row whose first column is NAME. */
static double ask(enum kind kind, double a_us, double b_us, const char *question, const char *words, const char *name,
                  const char *column)
{
    struct scenario s;
    struct gsim_answer answer = {0};
    struct gsim_error error = {0};
    double sum = 0;
    make(&s, kind, a_us, b_us);
    CHECK_OK(gsim_ask(question, &s.base, words, &answer, &error), error);
    for (size_t row = 0; row < answer.row_count; row++) {
        bool is_text = answer.columns[0].type == GSIM_VALUE_TEXT;
        const char *first = is_text ? answer.values[row * answer.column_count].text : "";
        if (!name || strcmp(first, name) == 0) sum += value_of(&answer, row, column);
    }
    gsim_answer_release(&answer);
    release(&s);
    return sum;
}

/* What an iteration of 100 us is made of adds up; ranks of 100 and 300 us have a GPU each; of tasks the second one's
 * request of 50 us waits for the first one's 100, and only its own part counts as computing. */
static void test_explain(void)
{
    CHECK_NEAR(ask(PROGRAM, 100, 1, "explain", NULL, NULL, "time_us"), 100, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "explain", "kernel:a=4x", NULL, "time_us"), 25, 1e-6);
    CHECK_NEAR(ask(RANKS, 100, 300, "explain", NULL, NULL, "computing_us"), 400, 1e-6);
    CHECK_NEAR(ask(RANKS, 100, 300, "explain", "rank:1=2x", NULL, "computing_us"), 250, 1e-6);
    CHECK_NEAR(ask(TASKS, 100, 50, "explain", NULL, NULL, "computing_us"), 150, 1e-6);
    CHECK_NEAR(ask(TASKS, 100, 50, "explain", NULL, NULL, "step_us"), 100 + 150, 1e-6);
}

/* Tasks: the mean of 100 and 100 + 50 us; with "a" twice as fast of 50 and 100. Ranks: the slowest one's step. */
static void test_whatif(void)
{
    CHECK_NEAR(ask(PROGRAM, 100, 1, "whatif", "kernel:a=2x", "kernel:a=2x", "time_us"), 50, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "whatif", "kernel:a=2x", "now", "time_us"), 100, 1e-6);
    CHECK_NEAR(ask(RANKS, 100, 300, "whatif", "rank:1=2x", "rank:1=2x", "time_us"), 150, 1e-6);
    CHECK_NEAR(ask(RANKS, 100, 300, "whatif", "kernel:a=2x", "kernel:a=2x", "saved_us"), 0, 1e-6);
    CHECK_NEAR(ask(TASKS, 100, 50, "whatif", "kernel:a=2x", "now", "time_us"), 125, 1e-6);
    CHECK_NEAR(ask(TASKS, 100, 50, "whatif", "kernel:a=2x", "kernel:a=2x", "time_us"), 75, 1e-6);
    /* Blocks of both fit on each SM, and ask for nothing: under MPS each takes its own time. */
    CHECK_NEAR(ask(TASKS, 100, 60, "whatif", "share=mps", "share=mps", "time_us"), 80, 1e-6);
    CHECK_NEAR(ask(TASKS, 100, 60, "whatif", "share=exclusive", "share=exclusive", "has_effect"), 0, 0);
}

static void test_others(void)
{
    CHECK_NEAR(ask(PROGRAM, 100, 1, "compare", "async,heft", "async", "iteration_us"), 100, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "compare", "async", "async", "speedup"), 1, 1e-6);
    CHECK_NEAR(ask(TASKS, 100, 50, "compare", "async", "async", "iteration_us"), 125, 1e-6);
    CHECK_NEAR(ask(RANKS, 100, 300, "compare", "async", "async", "iteration_us"), 300, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "spread", "7", NULL, "copies"), 7, 0);
}

/* A program of one kernel of 100 us, ranks of 100 and 300: what takes half as long, and by how much. Schedulers that
 * order one kernel are as good; half of 200 us is 50 % off. Without calls no number of the host matters. */
static void test_new(void)
{
    CHECK_NEAR(ask(PROGRAM, 100, 1, "sweep", "kernels=1x|2x|4x", "kernels=4x", "time_us"), 25, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "sweep", "kernels=1x|2x|4x", "kernels=1x", "speedup"), 1, 1e-6);
    CHECK_NEAR(ask(RANKS, 100, 300, "sweep", "kernels=2x|3x,rank:1=2x|5x", "kernels=3x+rank:1=5x", "time_us"),
               100. / 3, 1e-3);
    CHECK_NEAR(ask(TASKS, 100, 50, "sweep", "kernels=2x", "kernels=2x", "speedup"), 2, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "validate", "200us", NULL, "error_percent"), -50, 1e-6);
    CHECK_NEAR(ask(RANKS, 100, 300, "validate", "0.2ms", NULL, "error_percent"), 50, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "best", "async,heft", "async", "gain_percent"), 0, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "best", "async,heft", "async", "sure_percent"), 50, 1e-6);
    CHECK_NEAR(ask(PROGRAM, 100, 1, "sensitivity", "graph_launch_us", NULL, "higher_percent"), 0, 1e-6);
    CHECK_NEAR(ask(TASKS, 100, 50, "ablate", "wave_tails", NULL, "time_us"), 125, 1e-6);
}

/* A request takes 100 us and twice 50. Ten thousand a second are the second one's arrival with the first one's token:
 * its prefill goes first, so that both end at 300, after 300 us and 200; two servers have one each. */
static void test_server(void)
{
    const char *points = "rate=1000|10000,replicas=1|2";
    CHECK_NEAR(ask(SERVER, 100, 50, "whatif", "kernels=2x", "now", "time_us"), 200, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "whatif", "kernels=2x", "kernels=2x", "time_us"), 100, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "whatif", "kernel:b=2x", "kernel:b=2x", "saved_us"), 50, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "sweep", points, "rate=10000+replicas=1", "time_us"), 250, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "sweep", points, "rate=10000+replicas=2", "time_us"), 200, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "sweep", points, "rate=1000+replicas=1", "speedup"), 1, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "explain", NULL, "request", "time_us"), 200, 1e-6);
    /* 800 us between the requests. */
    CHECK_NEAR(ask(SERVER, 100, 50, "explain", NULL, "server", "time_us"), 1200, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "explain", "kernels=2x", "server", "time_us"), 1100, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "compare", "continuous", "continuous", "iteration_us"), 200, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "validate", "400us", NULL, "error_percent"), -50, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "spread", "9", NULL, "median_us"), 200, 1e-6);
    CHECK_NEAR(ask(SERVER, 100, 50, "whatif", "streams=2", "streams=2", "has_effect"), 0, 0);
    CHECK_NEAR(ask(PROGRAM, 100, 50, "whatif", "replicas=2", "replicas=2", "has_effect"), 0, 0);
}

static const char *words_for(const char *question)
{
    return strcmp(question, "validate") == 0 ? "100us" : strcmp(question, "ablate") == 0 ? "wave_tails" : NULL;
}

/* Asked of one program whose kernels' data is not known, or of several programs, a schedule would race. */
static void test_refusals(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int is_known = 0; is_known < 2; is_known++) {
            struct scenario s;
            struct gsim_answer answer = {0};
            struct gsim_error error = {0};
            make(&s, (enum kind)kind, 100, 50);
            s.base.has_data = is_known;
            bool is_answered = gsim_ask("schedule", &s.base, NULL, &answer, &error) == GSIM_OK;
            CHECK_MSG(is_answered == (kind == PROGRAM && is_known), "schedule of kind %d: %s", kind, error.message);
            gsim_answer_release(&answer);
            release(&s);
        }
}

/* What a way of sharing learnt of tasks does not hold once they are changed. */
static void test_profiles(void)
{
    struct scenario s;
    struct gsim_answer answer = {0};
    make(&s, TASKS, 100, 50);
    s.simulation.sharing = gsim_sharing_find("fikit");
    for (uint32_t q = 0; gsim_question_at(q); q++) {
        struct gsim_error error = {0};
        CHECK(gsim_ask(gsim_question_at(q)->name, &s.base, NULL, &answer, &error) == GSIM_USAGE);
        CHECK_HAS(error.message, "needs a profile");
    }
    release(&s);
}

/* The product: each question answers each scenario, and refuses what is none of its words. */
static void test_product(void)
{
    for (uint32_t q = 0; gsim_question_at(q); q++)
        for (int kind = 0; kind < KINDS; kind++) {
            struct scenario s;
            struct gsim_answer answer = {0};
            struct gsim_error error = {0};
            const char *name = gsim_question_at(q)->name;
            if (strcmp(name, "schedule") == 0) continue; /* of one program alone: above */
            make(&s, (enum kind)kind, 100, 50);
            CHECK_OK(gsim_ask(name, &s.base, words_for(name), &answer, &error), error);
            CHECK_MSG(answer.row_count > 0, "%s of kind %d: no rows", name, kind);
            gsim_answer_release(&answer);
            CHECK_MSG(gsim_ask(name, &s.base, "no such word", &answer, &error) != GSIM_OK, "%s took any word", name);
            gsim_answer_release(&answer);
            release(&s);
        }
    CHECK(gsim_ask("nothing", NULL, NULL, NULL, &(struct gsim_error){0}) == GSIM_USAGE);
    static const struct {
        enum kind kind;
        const char *question, *words, *says;
    } wrong[] = {{PROGRAM, "schedule", "2.5", ""},
                 {PROGRAM, "sensitivity", "first_wave_us", ""}, /* it is 0 */
                 {RANKS, "explain", "rank:2=2x", "there are 2 ranks"},
                 {SERVER, "compare", "async", "batching"},
                 {SERVER, "whatif", "rate=2x", "requests per second"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct scenario s;
        struct gsim_answer answer = {0};
        struct gsim_error error = {0};
        make(&s, wrong[i].kind, 100, 50);
        s.base.has_data = true;
        CHECK(gsim_ask(wrong[i].question, &s.base, wrong[i].words, &answer, &error) != GSIM_OK);
        CHECK_HAS(error.message, wrong[i].says);
        gsim_answer_release(&answer);
        release(&s);
    }
}

/* A host whose time is known within a fifth. Five kernels of 10 us, 100 us of a framework behind each: 500 us. As a
 * graph 50: 450 saved, of 400 and 600 us 350 and 550: within 100. A faster kernel saves nothing, whatever the host
 * takes. Without the fifth the graph's own error counts, which is less. */
static void test_host_spread(void)
{
    for (int known = 0; known < 2; known++) {
        struct scenario s;
        struct gsim_error error = {0};
        struct gsim_whatif *w = gsim_alloc(sizeof *w);
        struct gsim_program program = {0};
        struct gsim_builder *b = gsim_builder_create("hosted");
        make(&s, PROGRAM, 100, 50);
        struct gsim_kernel kernel = s.f.programs[0].kernels[0];
        kernel.solo_us = 10;
        uint32_t k = gsim_builder_kernel(b, &kernel);
        for (int i = 0; i < 5; i++) {
            gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = k, .stream = -1});
            gsim_builder_op(b, &(struct gsim_op){
                                   .kind = GSIM_OP_HOST_COMPUTE, .host_us = 100, .overhead = true, .stream = -1});
        }
        CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
        s.simulation.program = &program;
        s.simulation.iterations = 2;
        s.base.has_data = true;
        w->base = s.base;
        w->host_factors[0] = known ? 1 : 0.8;
        w->host_factors[1] = known ? 1 : 1.2;
        CHECK_OK(gsim_whatif_run(w, "graph,kernel:a=2x", &error), error);
        CHECK_NEAR(w->rows[0].time_us, 500, 1e-3);
        CHECK_NEAR(w->rows[1].time_us, 60, 10); /* and the graph's own launch */
        if (known) CHECK(w->rows[1].error_us < 50);
        else CHECK_NEAR(w->rows[1].error_us, 100, 1e-3);
        CHECK_NEAR(w->rows[2].time_us, 500, 1e-3);
        CHECK_NEAR(w->rows[2].error_us, 0, 1e-3);
        gsim_program_release(&program);
        release(&s);
        gsim_free(w);
    }
}

static const struct test_case cases[] = {
    {"explain", test_explain},
    {"what if", test_whatif},
    {"what if: a host that is not quite known", test_host_spread},
    {"compare and spread", test_others},
    {"sweep, best, validate, sensitivity, ablate", test_new},
    {"a server", test_server},
    {"what is refused", test_refusals},
    {"profiles are of the tasks as they are", test_profiles},
    {"questions by scenarios", test_product},
};

TEST_MAIN("ask/questions/questions", cases)
