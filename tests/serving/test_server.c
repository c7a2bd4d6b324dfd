/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A server's loop on a machine of round numbers: a prefill of a bucket of 2 tokens takes 60 us, of 4 tokens 100, a
 * decode step 10; on a stream of its own a prefill's launch takes 20 of the host's. Expected times are added up by
 * hand.
 */
#include "serving/prefix.h"
#include "serving/server.h"
#include "tests/test.h"

struct fake {
    struct gsim_serving_machine machine;
    const struct gsim_serving_spec *spec;
    double now, ends;
};

static double prefill_us[2] = {60, 100};

static struct fake *self(struct gsim_serving_machine *m) { return (struct fake *)m; }
static double time_of(const struct fake *f, struct gsim_serving_launch l)
{
    const struct gsim_serving_step *s = &f->spec->steps[l.index];
    if (l.us > 0) return l.us;
    return s->kind != GSIM_STEP_PREFILL ? 10 : prefill_us[s->bucket / 4];
}
static double now_us(struct gsim_serving_machine *m) { return self(m)->now; }
static void idle_until(struct gsim_serving_machine *m, double us) { self(m)->now = us; }
static void work(struct gsim_serving_machine *m, double us) { self(m)->now += us; }
static void begin(struct gsim_serving_machine *m, struct gsim_serving_launch l)
{
    self(m)->ends = self(m)->now + time_of(self(m), l);
    self(m)->now += 20;
}
static bool has_ended(struct gsim_serving_machine *m) { return self(m)->now >= self(m)->ends; }
static void wait(struct gsim_serving_machine *m)
{
    if (!has_ended(m)) self(m)->now = self(m)->ends;
}
static void run(struct gsim_serving_machine *m, const struct gsim_serving_launch *launches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) self(m)->now += time_of(self(m), launches[i]);
}
static bool has_failed(const struct gsim_serving_machine *m)
{
    (void)m;
    return false;
}
static double weight_us(struct gsim_serving_machine *m, uint32_t step)
{
    return time_of(self(m), (struct gsim_serving_launch){.index = step});
}
static const struct gsim_serving_machine_ops ops = {now_us, idle_until, work,      begin,     has_ended,
                                                    wait,   run,        weight_us, has_failed};

static struct gsim_served_arrival three[] = {{.arrival_us = 0, .prompt = 4, .output = 3},
                                             {.arrival_us = 5, .prompt = 4, .output = 2},
                                             {.arrival_us = 6, .prompt = 4, .output = 2}};

static struct gsim_serving_spec spec_of(struct gsim_served_arrival *list, uint32_t count)
{
    struct gsim_serving_spec spec = {
        .slots = 2, .step_count = 4, .cache = {.block = 1}, .arrivals = {.list = list, .count = count, .scale = 1}};
    spec.steps[0] = (struct gsim_serving_step){GSIM_STEP_PREFILL, 2, ""};
    spec.steps[1] = (struct gsim_serving_step){GSIM_STEP_PREFILL, 4, ""};
    spec.steps[2] = (struct gsim_serving_step){GSIM_STEP_DECODE, 1, ""};
    spec.steps[3] = (struct gsim_serving_step){GSIM_STEP_DECODE, 2, ""};
    return spec;
}

static void serve(const struct gsim_serving_spec *spec, const char *policy, const char *option, const char *value,
                  struct gsim_serving_result *result)
{
    struct gsim_error error = {0};
    struct fake fakes[2] = {{.machine.ops = &ops, .spec = spec}, {.machine.ops = &ops, .spec = spec}};
    struct gsim_serving_machine *machines[] = {&fakes[0].machine, &fakes[1].machine};
    const struct gsim_device_spec device = {.h2d_gbps = 25, .d2h_gbps = 50};
    const struct gsim_batching_ops *found = gsim_batching_find(policy);
    double params[16] = {0};
    struct gsim_random numbers;
    CHECK(found != NULL);
    if (!found) return;
    CHECK_OK(gsim_random_init(&numbers, 1, &error), error);
    gsim_params_set_defaults(found->params, params);
    if (option) CHECK_OK(gsim_params_set(found->params, params, option, value, &error), error);
    const struct gsim_server server = {.spec = spec,
                                       .device = &device,
                                       .policy = found,
                                       .params = params,
                                       .arrivals = &numbers,
                                       .numbers = &numbers,
                                       .noise = &numbers,
                                       .keeps = true};
    CHECK_OK(gsim_server_check(&server, &error), error);
    CHECK_OK(gsim_serve(&server, machines, spec->replicas ? spec->replicas : 1, result, &error), error);
    gsim_random_release(&numbers);
}

static void check_ends(const char *policy, const char *option, const char *value, enum gsim_beside beside,
                       const double expected[3][2])
{
    struct gsim_serving_spec spec = spec_of(three, 3);
    struct gsim_serving_result r;
    spec.beside = beside;
    serve(&spec, policy, option, value, &r);
    CHECK_INT(r.requests, 3);
    CHECK_INT(r.tokens, 7);
    for (int i = 0; i < 3 && r.ends; i++) { /* absolute times */
        CHECK_NEAR(r.ends[i][0] + three[i].arrival_us, expected[i][0], 1e-9);
        CHECK_NEAR(r.ends[i][1] + three[i].arrival_us, expected[i][1], 1e-9);
    }
    gsim_serving_result_release(&r);
}

static void test_policies(void)
{
    static const double continuous[3][2] = {{100, 320}, {200, 210}, {310, 320}};
    static const double fixed[3][2] = {{100, 220}, {200, 210}, {320, 330}};
    static const double decode_first[3][2] = {{100, 120}, {220, 230}, {330, 340}};
    static const double chunked[3][2] = {{120, 260}, {260, 330}, {390, 400}};
    static const double stream[3][2] = {{100, 140}, {200, 230}, {300, 310}};
    check_ends("continuous", NULL, NULL, GSIM_BESIDE_SAME, continuous);
    check_ends("static", NULL, NULL, GSIM_BESIDE_SAME, fixed);
    check_ends("decode-first", "every", "2", GSIM_BESIDE_SAME, decode_first);
    check_ends("chunked", "chunk", "2", GSIM_BESIDE_SAME, chunked);
    check_ends("continuous", NULL, NULL, GSIM_BESIDE_STREAM, stream);
}

/* 8 tokens of cache. Both requests hold 4 when prefilled; the next token of the first takes the younger one's place,
 * which is computed again, its first token with it, when the first has ended; or is moved to the host and back, in
 * no time, or at 1 us a token to the host and 2 back. Tokens held: the first 4 for 200 us, then 5, 6 and 7 for 10 each,
 * the second 4 for 100 and, when it is back, a prefill's 5 for 100, 6 and 7, or 5, 6 and 7 for 10 each. */
static void test_cache(void)
{
    static const double ends[][2] = {{230, 350}, {230, 260}, {234, 272}};
    struct gsim_served_arrival two[] = {{.prompt = 3, .output = 4}, {.prompt = 3, .output = 4}};
    for (int way = 0; way < 3; way++) {
        struct gsim_serving_spec spec = spec_of(two, 2);
        struct gsim_serving_result r;
        spec.cache.tokens = 8;
        spec.cache.swaps = way > 0;
        spec.cache.bytes_per_token = way == 2 ? 50000 : 0;
        serve(&spec, "continuous", NULL, NULL, &r);
        CHECK_INT(r.requests, 2);
        CHECK_INT(r.tokens, 8);
        CHECK_INT(r.preemptions, 1);
        CHECK_NEAR(r.cache_most, 8, 1e-9);
        CHECK_NEAR(r.ends[0][1], ends[way][0], 1e-9);
        CHECK_NEAR(r.ends[1][1], ends[way][1], 1e-9);
        if (way < 2) CHECK_NEAR(r.cache_time, 980 + 400 + (way ? 180 : 630), 1e-9);
        gsim_serving_result_release(&r);
    }
}

/* The same where the first ends at 210: of the second's 4 tokens, 3 are still in the cache then. One is computed, in 60
 * us; without them all four, in 100. Two more tokens follow. */
static void test_preempted(void)
{
    struct gsim_served_arrival two[] = {{.prompt = 3, .output = 2}, {.prompt = 3, .output = 4}};
    for (int forgets = 0; forgets < 2; forgets++) {
        struct gsim_serving_spec spec = spec_of(two, 2);
        struct gsim_serving_result r;
        spec.cache.tokens = 8;
        spec.cache.forgets = forgets;
        serve(&spec, "continuous", NULL, NULL, &r);
        CHECK_INT(r.preemptions, 1);
        CHECK_NEAR(r.ends[0][1], 210, 1e-9);
        CHECK_NEAR(r.ends[1][1], forgets ? 330 : 290, 1e-9);
        gsim_serving_result_release(&r);
    }
}

/* A layer of 10 us and 1 a token, heads of 2 us a request, attention of 1 us for each token of a prompt or request. */
static void test_mixed(void)
{
    double sizes[] = {1, 101}, dense[] = {11, 111}, heads[] = {2, 202};
    float attention[] = {0, 0, 100, 100, 100, 100, 200, 200};
    struct gsim_step_profile profile = {.layers = 1,
                                        .dense = {{"dense", sizes, dense, 2, 1}},
                                        .per_sequence = {{"head", sizes, heads, 2, 1}},
                                        .dense_count = 1,
                                        .per_sequence_count = 1,
                                        .axes = {{0, 100}, {0}, {0, 100}, {0, 100}},
                                        .axis_counts = {2, 1, 2, 2},
                                        .attention = attention};
    struct gsim_served_arrival two[] = {{.prompt = 4, .output = 3}, {.prompt = 8, .output = 1}};
    struct gsim_serving_spec spec = spec_of(two, 2);
    struct gsim_serving_result r;
    spec.profile = &profile;
    serve(&spec, "chunked", "budget", "6", &r);
    /* All of the first and 2 tokens of the second: 16 + 4 + 6. Then one that decodes and 5 tokens: as much. Then one
     * and the last: 12 + 4 + 2. */
    CHECK_NEAR(r.ends[0][0], 26, 1e-4);
    CHECK_NEAR(r.ends[0][1], 70, 1e-4);
    CHECK_NEAR(r.ends[1][1], 70, 1e-4);
    CHECK_INT(r.steps[GSIM_STEP_MIXED], 2);
    CHECK_NEAR(r.step_us[GSIM_STEP_PREFILL], 26, 1e-4);
    gsim_serving_result_release(&r);
    /* At most 3 of each: 3 and 3 in 26; 1 and 3 in 14 + 4 + 4 = 22; one that decodes and the second's last 2 in
     * 13 + 4 + 3 = 20; the first alone in 11 + 2 + 1. */
    serve(&spec, "chunked", "chunk", "3", &r);
    CHECK_NEAR(r.ends[0][0], 48, 1e-4);
    CHECK_NEAR(r.ends[1][1], 68, 1e-4);
    CHECK_NEAR(r.ends[0][1], 82, 1e-4);
    gsim_serving_result_release(&r);
}

/* Two servers. A to F are prefills of 100 us (4 tokens) or 60 (2, or what a kept block leaves).
 * In turn: A, C, E on the first, B, D, F on the second, each behind the other.
 * The fewest requests: B is done when C comes; D finds one on each and takes the first; E and F find 2 and 1, 1 and 2.
 * The least to compute: C's block is where B was, 1 token for 8; D finds 5 and 3; E 8 and 7; F's block is where A was.
 */
static void test_routers(void)
{
    static const double ends[GSIM_ROUTER_COUNT][6] = {
        {100, 61, 200, 130, 300, 230}, {100, 61, 162, 160, 262, 260}, {100, 61, 122, 182, 282, 165}};
    uint64_t blocks[] = {1, 2, 2, 1, 3, 1};
    const double arrivals[] = {0, 1, 62, 70, 71, 105};
    const uint32_t prompts[] = {4, 2, 4, 2, 4, 4};
    struct gsim_served_arrival six[6];
    for (uint32_t i = 0; i < 6; i++)
        six[i] = (struct gsim_served_arrival){
            .arrival_us = arrivals[i], .prompt = prompts[i], .output = 1, .first_block = i, .block_count = 1};
    for (int router = 0; router < GSIM_ROUTER_COUNT; router++) {
        struct gsim_serving_spec spec = spec_of(six, 6);
        struct gsim_serving_result r;
        spec.replicas = 2;
        spec.router = (enum gsim_router)router;
        if (router == GSIM_ROUTER_PREFIX) spec.arrivals.blocks = blocks;
        serve(&spec, "continuous", NULL, NULL, &r);
        CHECK_INT(r.requests, 6);
        for (int i = 0; i < 6 && r.ends; i++) CHECK_NEAR(r.ends[i][1] + arrivals[i], ends[router][i], 1e-9);
        gsim_serving_result_release(&r);
    }
}

static void test_buckets(void)
{
    struct gsim_serving_spec spec = spec_of(three, 3);
    CHECK_INT(gsim_serving_bucket(&spec, GSIM_STEP_PREFILL, 1).index, 0);
    CHECK_INT(gsim_serving_bucket(&spec, GSIM_STEP_PREFILL, 3).index, 1);
    CHECK_INT(gsim_serving_bucket(&spec, GSIM_STEP_PREFILL, 5).index, UINT32_MAX);
    spec.interpolates = true;
    struct gsim_serving_launch between = gsim_serving_bucket(&spec, GSIM_STEP_PREFILL, 3);
    CHECK_INT(between.index, 0);
    CHECK_INT(between.upper, 1);
    CHECK_NEAR(between.weight, 0.5, 1e-6);
    spec.steps[1].bucket = 8; /* 3 is a sixth of the way from 2 to 8, not five */
    CHECK_NEAR(gsim_serving_bucket(&spec, GSIM_STEP_PREFILL, 3).weight, 1 / 6.0, 1e-6);
}

/* Continuous, as above: tokens at 100 and 320 of three, 200 and 210, 310 and 320 of two: (220 / 2 + 10 + 10) / 3 us. */
static void test_between_tokens(void)
{
    struct gsim_serving_spec spec = spec_of(three, 3);
    struct gsim_serving_result r;
    serve(&spec, "continuous", NULL, NULL, &r);
    CHECK_NEAR(gsim_quantiles_mean(&r.figures[GSIM_SERVED_TPOT]), 130 / 3.0, 1e-9);
    gsim_serving_result_release(&r);
}

/* The same by its sums. Prefills 0-100, 100-200, 210-310, decode steps 200-210, 310-320. Queued 0, 95 and 204 us; first
 * tokens at 100, 195 and 304; in all 320, 205 and 314; between tokens 110, 110, 10, 10. Tokens held: a prompt's 4 and
 * the first from its prefill on, one more from each decode step on, until the request ends: 5 for 200 us, 6 for 110, 7
 * for 10; 5 for 100, 6 for 10, and again. At most 7 and 6 at once. */
static void test_sums(void)
{
    static const struct {
        enum gsim_served_figure figure;
        double mean, least, most;
    } figures[] = {{GSIM_SERVED_QUEUE, 299 / 3.0, 0, 204},
                   {GSIM_SERVED_TTFT, 599 / 3.0, 100, 304},
                   {GSIM_SERVED_E2E, 839 / 3.0, 205, 320},
                   {GSIM_SERVED_ITL, 60, 10, 110}};
    struct gsim_serving_spec spec = spec_of(three, 3);
    struct gsim_serving_result r;
    spec.cache.tokens = 100;
    serve(&spec, "continuous", NULL, NULL, &r);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        struct gsim_quantiles *q = &r.figures[figures[i].figure];
        CHECK_NEAR(gsim_quantiles_mean(q), figures[i].mean, 1e-9);
        CHECK_NEAR(gsim_quantile(q, 0), figures[i].least, 1e-9);
        CHECK_NEAR(gsim_quantile(q, 1), figures[i].most, 1e-9);
    }
    CHECK_NEAR(r.step_us[GSIM_STEP_PREFILL], 300, 1e-9);
    CHECK_NEAR(r.step_us[GSIM_STEP_DECODE], 20, 1e-9);
    CHECK_INT(r.steps[GSIM_STEP_PREFILL], 3);
    CHECK_INT(r.steps[GSIM_STEP_DECODE], 2);
    CHECK_INT(r.prompt_tokens, 12);
    CHECK_NEAR(r.waiting_us + r.both_us + r.host_us, 0, 1e-9);
    CHECK_NEAR(r.first_arrival_us, 0, 0);
    CHECK_NEAR(r.last_us, 320, 1e-9);
    CHECK_NEAR(r.cache_time, 2850, 1e-9);
    CHECK_NEAR(r.cache_most, 13, 1e-9);
    gsim_serving_result_release(&r);
}

/* Queueing theory. A request is a prefill of 100 us, one at a time, arrivals are a Poisson process: M/D/1, whose mean
 * wait is r D / (2 (1 - r)) at load r, and whose server is idle for 1 - r of the time; who comes then does not wait. Of
 * 200,000 requests the wait's standard error is 1 % at r = 0.5, 2 % at 0.7: 4 and 8 % are four of them. Half the
 * variance of the gaps (gamma, cv^2 = 1/2) is told from it: a wait a fifth or more below. A load 5 % off gives a wait
 * 10 or 17 % off. */
static void test_queueing(void)
{
    static const double loads[] = {0.5, 0.7};
    enum { REQUESTS = 200000 };
    for (int i = 0; i < 2; i++) {
        double wait[2];
        for (int is_even = 0; is_even < 2; is_even++) {
            struct gsim_serving_spec spec = spec_of(NULL, REQUESTS);
            struct gsim_serving_result r;
            spec.slots = 1;
            spec.arrivals.kind = GSIM_ARRIVALS_GAMMA;
            spec.arrivals.rate_per_s = loads[i] * 1e4;
            spec.arrivals.cv = is_even ? sqrt(0.5) : 1;
            spec.arrivals.prompt = (struct gsim_lengths){.kind = GSIM_LENGTHS_CONSTANT, .a = 4};
            spec.arrivals.output = (struct gsim_lengths){.kind = GSIM_LENGTHS_CONSTANT, .a = 1};
            serve(&spec, "continuous", NULL, NULL, &r);
            CHECK_INT(r.requests, REQUESTS);
            CHECK_NEAR(r.step_us[GSIM_STEP_PREFILL], 100.0 * REQUESTS, 1);
            CHECK_NEAR(r.waiting_us / r.last_us, 1 - loads[i], 0.01);
            wait[is_even] = gsim_quantiles_mean(&r.figures[GSIM_SERVED_QUEUE]);
            CHECK_NEAR(gsim_quantiles_mean(&r.figures[GSIM_SERVED_TTFT]) - wait[is_even], 100, 1e-6);
            if (!is_even) CHECK_NEAR(gsim_quantile(&r.figures[GSIM_SERVED_QUEUE], 1 - loads[i] - 0.02), 0, 0.01);
            if (!is_even) CHECK(gsim_quantile(&r.figures[GSIM_SERVED_QUEUE], 1 - loads[i] + 0.02) > 0.1);
            gsim_serving_result_release(&r);
        }
        double right = loads[i] * 100 / (2 * (1 - loads[i]));
        CHECK_NEAR(wait[0] / right, 1, i ? 0.08 : 0.04);
        CHECK(wait[1] < 0.8 * right);
    }
}

/* M/M/c: an answer of a geometric number of steps of 10 us, p = 1/50 to be the last, on one slot or two, which a step
 * serves at once. One: the mean wait of such steps is r (500 (2 - p) / 2) / (1 - r) (Pollaczek and Khinchine); a time
 * from arrival to end is exponential, of mean 1 / (1/500 - rate). Two: C 500 / (2 (1 - r)) with Erlang's C, and half a
 * step until the slot is looked at, for those who find the other one busy. Of 100,000 requests the standard error is 1
 * % at r = 0.5, 3 % at 0.7; 8 % are three of them. Constant answers wait half as long, one slot of twice the rate 40 %
 * less at 0.7. */
static void test_queueing_servers(void)
{
    enum { REQUESTS = 50000 };
    static struct gsim_served_arrival list[REQUESTS];
    static const struct {
        uint32_t slots;
        double load;
    } rows[] = {{1, 0.5}, {1, 0.7}, {2, 0.7}};
    struct gsim_random numbers;
    struct gsim_error error;
    prefill_us[0] = 0.001;
    for (int i = 0; i < 3; i++) {
        double c = rows[i].slots, r = rows[i].load, rate = r * c / 500, now = 0, p = 1 / 50.0;
        CHECK_OK(gsim_random_init(&numbers, 7 + (uint64_t)i, &error), error);
        for (int k = 0; k < REQUESTS; k++) {
            now -= log(1 - gsim_random_uniform(&numbers)) / rate;
            double steps = ceil(log(1 - gsim_random_uniform(&numbers)) / log(1 - p));
            list[k] =
                (struct gsim_served_arrival){.arrival_us = now, .prompt = 2, .output = 1 + (uint32_t)fmax(steps, 1)};
        }
        gsim_random_release(&numbers);
        struct gsim_serving_spec spec = spec_of(list, REQUESTS);
        struct gsim_serving_result result;
        spec.slots = rows[i].slots;
        serve(&spec, "continuous", NULL, NULL, &result);
        double a = r * c, erlang = a * a / 2 / (1 - r) / (1 + a + a * a / 2 / (1 - r)), wait;
        if (c < 2) wait = r * 500 * (2 - p) / 2 / (1 - r);
        else wait = erlang * 500 / (c * (1 - r)) + (1 - pow(1 - r, 2)) * 5;
        CHECK_NEAR(gsim_quantiles_mean(&result.figures[GSIM_SERVED_QUEUE]) / wait, 1, 0.08);
        double mean = 1 / (1 / 500.0 - rate);
        for (int q = 1; c < 2 && q < 10; q += 4)
            CHECK_NEAR(gsim_quantile(&result.figures[GSIM_SERVED_E2E], q / 10.0) / (-mean * log(1 - q / 10.0)), 1, 0.1);
        gsim_serving_result_release(&result);
    }
    prefill_us[0] = 60;
}

static void test_missing_steps(void)
{
    struct gsim_error error = {0};
    struct gsim_serving_spec spec = spec_of(three, 3);
    struct gsim_server server = {.spec = &spec, .policy = gsim_batching_find("speculative")};
    CHECK_INT(gsim_server_check(&server, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "kind draft");
    server.policy = gsim_batching_find("continuous");
    spec.slots = 3;
    CHECK_INT(gsim_server_check(&server, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "a bucket for 3 slots, the largest is 2");
    spec.arrivals.kind = GSIM_ARRIVALS_GAMMA;
    spec.arrivals.prompt.kind = GSIM_LENGTHS_CONSTANT;
    spec.arrivals.output.kind = GSIM_LENGTHS_TRACE;
    CHECK_INT(gsim_server_check(&server, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "\"output\": expected how many tokens");
}

static void test_quantiles(void)
{
    struct gsim_quantiles q = {0};
    for (int i = 100; i >= 1; i--) gsim_quantiles_add(&q, i);
    CHECK_NEAR(gsim_quantile(&q, 0.5), 50.5, 1e-9);
    CHECK_NEAR(gsim_quantile(&q, 0.99), 99.01, 1e-9);
    CHECK_NEAR(gsim_quantiles_mean(&q), 50.5, 1e-9);
    for (int i = 0; i < 200000; i++) gsim_quantiles_add(&q, 1 + i % 1000); /* beyond what is kept */
    CHECK_NEAR(gsim_quantile(&q, 0.5), 500, 1.5);
    CHECK_NEAR(gsim_quantile(&q, 0.99), 990, 2.0);
    gsim_quantiles_release(&q);
}

/* --- random loads against a second server, of which every microsecond is looked at --- */

enum { LOAD = 12 };
struct slow_request {
    int arrival, prompt, output, made;
    double first, end;
};

/* POLICY as its paper has it: 'c' prefills whoever waits while there is a slot, then decodes; 's' lets a batch come
 * together, and takes the next when it has ended; 'd' decodes EVERY steps before each prefill. */
static void serve_slowly(struct slow_request *q, int count, int slots, char policy, int every)
{
    int done = 0, busy_until = 0, prefilled = -1, decodes_since = 0;
    bool decodes = false, is_decoding = false;
    for (int now = 0; done < count; now++) {
        if (now < busy_until) continue;
        for (int i = 0; i < count; i++) { /* what ends now */
            bool is_running = q[i].made > 0 && q[i].made < q[i].output;
            if (i != prefilled && !(decodes && is_running)) continue;
            if (!q[i].made++) q[i].first = now;
            if (q[i].made < q[i].output) continue;
            q[i].end = now;
            done++;
        }
        prefilled = -1;
        decodes = false;
        int running = 0, next = -1;
        for (int i = count; i--;) {
            running += q[i].made > 0 && q[i].made < q[i].output;
            if (!q[i].made && q[i].arrival <= now) next = i;
        }
        if (!running) is_decoding = false;
        bool may = next >= 0 && running < slots;
        if (policy == 's') may = may && !is_decoding;
        if (policy == 'd') may = may && (!running || decodes_since >= every);
        if (may) {
            prefilled = next;
            decodes_since = 0;
            busy_until = now + (q[next].prompt <= 2 ? 60 : 100);
        } else if (running) {
            decodes = is_decoding = true;
            decodes_since++;
            busy_until = now + 10;
        }
    }
}

static void test_random(void)
{
    struct gsim_random r;
    struct gsim_error error = {0};
    CHECK_OK(gsim_random_init(&r, 73, &error), error);
    for (int run = 0; run < (test_is_full() ? 5000 : 500); run++) {
        struct gsim_served_arrival list[LOAD];
        struct slow_request slow[LOAD];
        int count = 1 + (int)gsim_random_integer(&r, LOAD), at = 0, slots = 1 + (int)gsim_random_integer(&r, 2);
        int every = 1 + (int)gsim_random_integer(&r, 4);
        const char *policy = (const char *const[]){"continuous", "static", "decode-first"}[run % 3];
        char text[16];
        snprintf(text, sizeof text, "%d", every);
        for (int i = 0; i < count; i++) {
            at += (int)gsim_random_integer(&r, 5) ? (int)gsim_random_integer(&r, 120) : 0;
            int prompt = 1 + (int)gsim_random_integer(&r, 4), output = 1 + (int)gsim_random_integer(&r, 9);
            slow[i] = (struct slow_request){.arrival = at, .prompt = prompt, .output = output};
            list[i] =
                (struct gsim_served_arrival){.arrival_us = at, .prompt = (uint32_t)prompt, .output = (uint32_t)output};
        }
        struct gsim_serving_spec spec = spec_of(list, (uint32_t)count);
        struct gsim_serving_result result;
        spec.slots = (uint32_t)slots;
        serve(&spec, policy, run % 3 == 2 ? "every" : NULL, text, &result);
        serve_slowly(slow, count, slots, policy[0], every);
        CHECK_INT(result.requests, count);
        for (int i = 0; i < count && result.ends; i++)
            CHECK_MSG(fabs(result.ends[i][0] + slow[i].arrival - slow[i].first) < 1e-6 &&
                          fabs(result.ends[i][1] + slow[i].arrival - slow[i].end) < 1e-6,
                      "run %d, %s, %d slots, request %d of %d: %g to %g, slowly %g to %g", run, policy, slots, i, count,
                      result.ends[i][0] + slow[i].arrival, result.ends[i][1] + slow[i].arrival, slow[i].first,
                      slow[i].end);
        gsim_serving_result_release(&result);
    }
    gsim_random_release(&r);
}

static bool keeps(struct gsim_prefix *p, uint64_t block, double most) { return gsim_prefix_keep(p, &block, 1, most); }
static int kept(struct gsim_prefix *p, uint64_t block) { return (int)gsim_prefix_find(p, &block, 1, false); }

/* The block that was used longest ago goes first, and no more go than must. */
static void test_prefix(void)
{
    struct gsim_prefix *p = gsim_prefix_create();
    CHECK(gsim_prefix_keep(p, (const uint64_t[]){1, 2, 3}, 3, 2));
    CHECK_INT(kept(p, 1) * 100 + kept(p, 2) * 10 + kept(p, 3), 11);
    CHECK_INT(gsim_prefix_find(p, (const uint64_t[]){2, 1, 3}, 3, true), 1); /* 3 is kept, behind what is not */
    CHECK(keeps(p, 4, 2));
    CHECK_INT(kept(p, 2) * 100 + kept(p, 3) * 10 + kept(p, 4), 101);
    CHECK_INT(gsim_prefix_find(p, (const uint64_t[]){2, 4}, 2, false), 2); /* which uses none */
    CHECK(keeps(p, 5, 2.5));
    CHECK_INT(kept(p, 2) * 100 + kept(p, 4) * 10 + kept(p, 5), 11);
    CHECK(keeps(p, 2, 3)); /* again */
    CHECK_INT(kept(p, 2) * 100 + kept(p, 4) * 10 + kept(p, 5), 111);
    CHECK_INT(gsim_prefix_find(p, (const uint64_t[]){5}, 1, true), 1); /* 4, 2, 5: it was in the middle */
    CHECK(keeps(p, 6, 2));
    CHECK_INT(kept(p, 2) * 1000 + kept(p, 4) * 100 + kept(p, 5) * 10 + kept(p, 6), 11);
    CHECK(gsim_prefix_keep(p, NULL, 0, 1));
    CHECK_INT(kept(p, 5) * 10 + kept(p, 6), 1);
    CHECK(keeps(p, 7, 0));
    CHECK_INT(kept(p, 6) * 10 + kept(p, 7), 0);
    CHECK(keeps(p, 7, 1));
    CHECK_INT(kept(p, 7), 1);
    gsim_prefix_destroy(p);
}

static const struct test_case cases[] = {
    {"prefix", test_prefix},
    {"random loads", test_random},
    {"policies", test_policies},
    {"cache", test_cache},
    {"preempted", test_preempted},
    {"mixed", test_mixed},
    {"buckets", test_buckets},
    {"between_tokens", test_between_tokens},
    {"sums", test_sums},
    {"queueing", test_queueing},
    {"queueing_servers", test_queueing_servers},
    {"missing_steps", test_missing_steps},
    {"quantiles", test_quantiles},
    {"routers", test_routers},
};

TEST_MAIN("serving/server", cases)
