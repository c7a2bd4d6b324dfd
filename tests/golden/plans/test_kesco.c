/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * KeSCo's plans against what its compiler pass printed for the six benchmarks (KeSCo, ICCD 2023; the log in the
 * authors' benchmark repository): streams, their kernels, events; and a worked example by hand.
 */
#include "tests/golden/suite.h"

struct golden {
    const char *name;
    const char *const *lines;
    uint32_t streams, events;
    const char *contents, *waits; /* ours, with ties in program order */
};

/* The log prints the same up to the names of streams and, where it met a tie, the other choice: IMG moves max
 * away from sobL's stream and keeps min there, ours the reverse (below: with random ties both occur). */
static const struct golden golden[] = {
    {"vec", suite_vec, 2, 1, "[sq1 reduce] [sq2]", "sq2>reduce"},
    {"bs", suite_bs, 10, 0, "[bs0] [bs1] [bs2] [bs3] [bs4] [bs5] [bs6] [bs7] [bs8] [bs9]", ""},
    {"ml", suite_ml, 2, 1, "[rr1 rr2 rr3 sm2] [nb1 nb2 nb3 nb4 sm1 argmax]", "sm2>argmax"},
    {"hits", suite_hits, 2, 3, "[spmvA sumA divA reset] [spmvB sumB divB]", "spmvB>divA spmvA>divB divB>reset"},
    {"img", suite_img, 4, 4, "[blurS sobS comb2] [blurL sobL max ext comb1] [blurU unsh] [min]",
     "sobL>min min>ext unsh>comb1 comb1>comb2"},
    {"dl", suite_dl, 2, 1, "[cx1 px cx2 concat dot] [cy1 py cy2]", "cy2>concat"},
};

static void test_log(void)
{
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        struct gsim_program program = {0};
        char text[512];
        program_write(golden[i].lines, GSIM_INIT_HOST, &program);
        struct recorder *r = suite_run("kesco", NULL, &program, 0);
        CHECK_MSG(suite_streams_used(r, false) == golden[i].streams, "%s: %u streams", golden[i].name,
                  suite_streams_used(r, false));
        CHECK_MSG(r->records == golden[i].events && r->waits == golden[i].events &&
                      r->event_creates == golden[i].events,
                  "%s: %u events", golden[i].name, r->records);
        suite_streams(r, &program, 0, text, sizeof(text));
        CHECK_STR(text, golden[i].contents);
        suite_waits(r, &program, 0, text, sizeof(text));
        CHECK_STR(text, golden[i].waits);
        CHECK_INT(r->stream_count - 1, 10); /* all ten are created, used or not */
        CHECK_INT(r->device_syncs, 1);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

/* The log's own choice for IMG's tie is among those of random ties. */
static void test_img_tie(void)
{
    struct gsim_program program = {0};
    bool found = false;
    program_write(suite_img, GSIM_INIT_HOST, &program);
    for (unsigned long seed = 0; seed < 40; seed++) {
        char text[512], waits[512];
        struct recorder *r = suite_run("kesco", "ties=random", &program, seed);
        suite_streams(r, &program, 0, text, sizeof(text));
        suite_waits(r, &program, 0, waits, sizeof(waits));
        CHECK(r->records == 4 || r->records == 5); /* 5 where the last combine follows the shorter branch */
        found = found || (r->records == 4 && strstr(text, "[blurL sobL min ext comb1]") && strstr(text, "[max]") &&
                          strstr(waits, "max>ext"));
        rec_destroy(r);
    }
    CHECK(found);
    gsim_program_release(&program);
}

/* Worked example: A, B, C roots; F after C; E after A, C; D after A, B, C; H after F; G after B, D, E. */
static void test_worked_example(void)
{
    static const char *const lines[] = {"A: > a", "B: > b", "C: > c", "D: a b c > d", "E: a c > e", "F: c > f",
                                        "G: b d e > g", "H: f > h", NULL};
    struct gsim_program program = {0};
    char text[512], order[64] = "";
    program_write(lines, GSIM_INIT_HOST, &program);
    struct recorder *r = suite_run("kesco", "streams=3", &program, 0);
    suite_streams(r, &program, 0, text, sizeof(text));
    CHECK_STR(text, "[A E] [B D G] [C F H]");
    suite_waits(r, &program, 0, text, sizeof(text));
    CHECK_STR(text, "C>E A>D C>D E>G");
    /* In sweeps over the three streams F leaves with E and D, before G and H. */
    for (uint32_t n = 0, used = 0; n < r->item_count; n++)
        used +=
            (uint32_t)snprintf(order + used, sizeof(order) - used, "%s", suite_kernel_name(&program, r->items[n].op));
    CHECK_STR(order, "ABCEDFGH");
    CHECK_INT(r->records, 4);
    rec_destroy(r);
    r = suite_run("kesco", "streams=3 issue=level", &program, 0);
    order[0] = '\0';
    for (uint32_t n = 0, used = 0; n < r->item_count; n++)
        used +=
            (uint32_t)snprintf(order + used, sizeof(order) - used, "%s", suite_kernel_name(&program, r->items[n].op));
    CHECK_STR(order, "ABCFEDHG"); /* the order in which the rules visit the nodes */
    rec_destroy(r);
    r = suite_run("kesco", "streams=3 prune=2", &program, 0);
    CHECK_INT(r->records, 4); /* nothing is implied by anything else */
    rec_destroy(r);
    gsim_program_release(&program);
}

/* --- with prefetches ------------------------------------------------------------------------------------ */
/* The pass sees the prefetches that the sources contain, so they are part of these programs, in source order. */
struct prefetched {
    const char *name;
    const char *const *lines;
    const char *prefetches;
    const char *options;
    uint32_t events;      /* of the log */
    uint32_t least, most; /* ours over 60 seeds */
};

/* Sources: FUNC*_prefetch in the authors' benchmark repository, VEC at commit f09ed1a, B&S at 2bba740, ML, HITS, IMG
 * and DL at 2d6118f.
 * VEC, ML and IMG give the log's count exactly. B&S draws the stream of five kernels, so the count varies with the
 * seed and 15 is among what comes out.
 * NOT reproduced: HITS and DL. The log has 16 and 10; these sources give 18 and 12; HITS with the six prefetches of
 * commit c404021 gives 15, DL with the two of 2bba740 gives 1. WAR edges to all earlier readers, which the log shows
 * for ML, change neither and would make ML 16. Why is not known; the log may be of sources in between. Other sets
 * of buffers would hit 16 and 10, but nothing says that they were used. So these rows only pin what ours does. */
static const struct prefetched prefetched[] = {
    {"vec", suite_vec, "x x1 y y1 res", "", 4, 4, 4},
    {"bs", suite_bs, "x0 y0 x1 y1 x2 y2 x3 y3 x4 y4 x5 y5 x6 y6 x7 y7 x8 y8 x9 y9", "placement=random", 15, 11, 15},
    {"ml", suite_ml, "x z r1 r2 r flp coeff amax l intercept", "", 13, 13, 13},
    {"hits", suite_hits, "auth1 auth2 hub1 hub2 anorm hnorm idx idx2 val val2 ptr ptr2", "", 16, 18, 18},
    {"hits, six prefetches", suite_hits, "auth1 auth2 hub1 hub2 anorm hnorm", "", 16, 15, 15},
    {"img", suite_img, "bs image ks bl kl bu ku ms ml iu image3 image2", "", 18, 18, 18},
    {"dl", suite_dl, "k1 k2 k3 k4 w x y x1 x2 y1 y2 z x11 y11", "", 10, 12, 12},
    {"dl, two prefetches", suite_dl, "x y", "", 10, 1, 1},
};

static void write_prefetched(const struct prefetched *p, struct gsim_program *program)
{
    struct program_writer w = {.builder = gsim_builder_create(p->name), .init = GSIM_INIT_HOST};
    struct gsim_error error = {0};
    char name[24];
    int used = 0;
    for (const char *at = p->prefetches; sscanf(at, " %23s%n", name, &used) == 1; at += used) {
        struct gsim_arg arg = {.buffer_index = program_buffer(&w, name), .writes = true};
        struct gsim_op op = {.kind = GSIM_OP_PREFETCH, .args = &arg, .arg_count = 1, .bytes = 4096, .stream = -1};
        gsim_builder_op(w.builder, &op);
    }
    for (const char *const *line = p->lines; *line; line++) program_line(&w, *line);
    CHECK_OK(gsim_builder_finish(w.builder, 1, program, &error), error);
}

static void test_prefetch_events(void)
{
    for (size_t i = 0; i < sizeof(prefetched) / sizeof(prefetched[0]); i++) {
        const struct prefetched *p = &prefetched[i];
        struct gsim_program program = {0};
        uint32_t least = UINT32_MAX, most = 0;
        bool eight = false;
        write_prefetched(p, &program);
        for (unsigned long seed = 0; seed < 60; seed++) {
            struct recorder *r = suite_run_with("kesco", p->options, &program, seed, true);
            if (r->records < least) least = r->records;
            if (r->records > most) most = r->records;
            eight = eight || (r->records == p->events && suite_streams_used(r, true) == 8);
            rec_destroy(r);
        }
        CHECK_MSG(least == p->least && most == p->most, "%s: %u to %u events", p->name, least, most);
        bool reproduced = strncmp(p->name, "hits", 4) != 0 && strncmp(p->name, "dl", 2) != 0;
        CHECK_MSG((least <= p->events && p->events <= most) == reproduced, "%s: no longer as the comment says",
                  p->name);
        if (strcmp(p->name, "bs") == 0) CHECK(eight); /* the log: 15 events, kernels on 8 of the 10 streams */
        gsim_program_release(&program);
    }
}

/* Prefetching on asks for every buffer that the host holds: the buffers of VEC's and ML's sources, in another order. */
static void test_prefetch_on(void)
{
    static const struct { const char *const *lines; uint32_t events; } expected[] = {{suite_vec, 4}, {suite_ml, 13}};
    for (size_t i = 0; i < 2; i++) {
        struct gsim_program program = {0};
        enum gsim_status status;
        struct gsim_error error;
        program_write(expected[i].lines, GSIM_INIT_HOST, &program);
        struct trial t = {.ops = gsim_scheduler_find("kesco"), .program = &program, .prefetch = true};
        struct recorder *r = trial_run(&t, &status, &error);
        CHECK_OK(status, error);
        CHECK_INT(r->records, expected[i].events);
        rec_destroy(r);
        gsim_program_release(&program);
    }
}

static const struct test_case cases[] = {
    {"streams and events of the authors' log", test_log},
    {"IMG's tie", test_img_tie},
    {"worked example", test_worked_example},
    {"events with the sources' prefetches", test_prefetch_events},
    {"events with prefetching on", test_prefetch_on},
};

TEST_MAIN("golden/plans/kesco", cases)
