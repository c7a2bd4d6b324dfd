/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs whose communication is another: each op of what is made of them, written down by hand. A program here is a
 * row of letters: "k" a kernel in stream 0, "r" an all-reduce in stream 1, "g" an all-gather in stream 1, "w" the host,
 * which waits; each follows the one before it but where "," stands between them. */
#include <string.h>

#include "ask/edits/changes.h"
#include "tests/test.h"

static struct gsim_program program_of(const char *text, const uint64_t *bytes)
{
    struct gsim_builder *b = gsim_builder_create("edited");
    struct gsim_program program = {0};
    struct gsim_error error = {0};
    uint32_t last = UINT32_MAX;
    size_t reduces = 0;
    for (const char *c = text; *c; c++) {
        if (*c == ',') {
            last = UINT32_MAX;
            continue;
        }
        struct gsim_op op = {.kind = *c == 'w' ? GSIM_OP_HOST_COMPUTE : GSIM_OP_KERNEL,
                             .stream = *c == 'w' ? -1 : *c != 'k',
                             .after = &last,
                             .after_count = last != UINT32_MAX};
        if (*c == 'k')
            op.kernel_index = gsim_builder_kernel(
                b, &(struct gsim_kernel){.name = "k", .grid = {8, 1, 1}, .block = {32, 1, 1}, .solo_us = 10});
        if (*c == 'r' || *c == 'g')
            op.kernel_index =
                gsim_builder_collective(b, &(struct gsim_collective){.kind = *c == 'r' ? GSIM_COLLECTIVE_ALL_REDUCE
                                                                                       : GSIM_COLLECTIVE_ALL_GATHER,
                                                                     .bytes = bytes[reduces++],
                                                                     .channels = 5});
        last = gsim_builder_op(b, &op);
    }
    CHECK_OK(gsim_builder_finish(b, 1, &program, &error), error);
    return program;
}

/* "r1000@1<0,2" is an all-reduce of 1000 bytes in stream 1 behind ops 0 and 2; "*6" behind it its channels, where they
 * are not five, "!" urgent, "e" by engines, "c" by an engine's own. */
static void tell(const struct gsim_program *p, char text[600])
{
    size_t used = 0;
    for (uint32_t i = 0; i < p->op_count; i++) {
        const struct gsim_op *op = &p->ops[i];
        const struct gsim_collective *c = op->kind == GSIM_OP_KERNEL ? p->kernels[op->kernel_index].collective : NULL;
        used += (size_t)snprintf(text + used, 600 - used, "%s%c", i ? " " : "",
                                 op->kind != GSIM_OP_KERNEL              ? 'w'
                                 : !c                                    ? 'k'
                                 : c->kind == GSIM_COLLECTIVE_ALL_REDUCE ? 'r'
                                                                         : 'g');
        if (c) {
            used += (size_t)snprintf(text + used, 600 - used, "%llu", (unsigned long long)c->bytes);
            if (c->channels != 5) used += (size_t)snprintf(text + used, 600 - used, "*%u", c->channels);
            if (c->algorithm == GSIM_ALGORITHM_COPY_ENGINE) used += (size_t)snprintf(text + used, 600 - used, "e");
            if (c->algorithm == GSIM_ALGORITHM_CUSTOM) used += (size_t)snprintf(text + used, 600 - used, "c");
            if (op->priority == -1) used += (size_t)snprintf(text + used, 600 - used, "!");
        }
        if (op->kind == GSIM_OP_KERNEL) used += (size_t)snprintf(text + used, 600 - used, "@%d", op->stream);
        for (uint32_t a = 0; a < op->after_count; a++)
            used += (size_t)snprintf(text + used, 600 - used, "%c%u", a ? ',' : '<', op->after[a]);
    }
}

static void check(int line, const char *text, const uint64_t *bytes, struct gsim_collective_edit edit,
                  const char *expected, bool changes)
{
    struct gsim_program from = program_of(text, bytes), to = {0};
    struct gsim_error error = {0};
    bool has_effect = false;
    char found[600] = "";
    CHECK_OK(gsim_collective_edit(&from, &edit, &to, &has_effect, &error), error);
    tell(&to, found);
    CHECK_MSG(strcmp(found, expected) == 0, "line %d: %s: found %s, expected %s", line, text, found, expected);
    CHECK_MSG(has_effect == changes, "line %d: %s: has effect: %d", line, text, has_effect);
    gsim_program_release(&from);
    gsim_program_release(&to);
}
#define EDIT(...)  ((struct gsim_collective_edit){__VA_ARGS__})
#define BYTES(...) ((const uint64_t[]){__VA_ARGS__})

static void test_one_by_one(void)
{
    check(__LINE__, "krk", BYTES(100), EDIT(0), "k@0 r100@1<0 k@0<1", false);
    check(__LINE__, "krk", BYTES(100), EDIT(.channels = 5), "k@0 r100@1<0 k@0<1", false);
    check(__LINE__, "krkg", BYTES(100, 70), EDIT(.channels = 2), "k@0 r100*2@1<0 k@0<1 g70*2@1<2", true);
    check(__LINE__, "krkg", BYTES(100, 70), EDIT(.by_engines = true), "k@0 r100@1<0 k@0<1 g70e@1<2", true);
    check(__LINE__, "kr", BYTES(100), EDIT(.by_engines = true), "k@0 r100@1<0", false);
    check(__LINE__, "krkg", BYTES(100, 70), EDIT(.is_custom = true), "k@0 r100c@1<0 k@0<1 g70@1<2", true);
    check(__LINE__, "kg", BYTES(100), EDIT(.is_custom = true), "k@0 g100@1<0", false);
    check(__LINE__, "krk", BYTES(100), EDIT(.is_urgent = true), "k@0 r100!@1<0 k@0<1", true);
    check(__LINE__, "kk", BYTES(0), EDIT(.is_urgent = true), "k@0 k@0<0", false);
    check(__LINE__, "kr", BYTES(100), EDIT(.times = 2), "k@0 r100@1<0 k@0 r100@1<2", true);
    /* the host waits at the end of all rounds alone; what it does for nobody is nothing in a graph */
    check(__LINE__, "krw", BYTES(100), EDIT(.times = 2), "k@0 r100@1<0 k@0 r100@1<2 w<3", true);
    check(__LINE__, "w,krw", BYTES(100), EDIT(.is_graph = true), "k@0 r100@1<0 w<1", false);
}

/* Kernels that wait for a collective do not; the host does. Off: all in the stream of the kernels. */
static void test_overlap(void)
{
    check(__LINE__, "krkw", BYTES(100), EDIT(.overlap = 1), "k@0 r100@2<0 k@0 w<2", true);
    check(__LINE__, "kkr,krw", BYTES(100, 9), EDIT(.overlap = 1), "k@0 k@0<0 r100@2<1 k@0 r9@2<3 w<4", true);
    check(__LINE__, "krkw", BYTES(100), EDIT(.overlap = -1), "k@0 r100@0<0 k@0<1 w<2", true);
    check(__LINE__, "kk", BYTES(0), EDIT(.overlap = -1), "k@0 k@0<0", false);
}

/* All-reduces beside the kernels, 100 + 200 + 250 bytes: a bucket is full, and put, where one comes that it has no room
 * for; one alone keeps its channels. */
static void test_buckets(void)
{
    const uint64_t *three = BYTES(100, 200, 250);
    check(__LINE__, "kr,kr,krk", three, EDIT(.bucket_bytes = 299), "k@0 k@0 r100@1<0 k@0 r200@1<1 r250@1<3 k@0<5",
          false);
    check(__LINE__, "kr,kr,krk", three, EDIT(.bucket_bytes = 300), "k@0 k@0 k@0 r300*0@1<0,1 r250@1<2 k@0<4", true);
    check(__LINE__, "kr,kr,krk", three, EDIT(.bucket_bytes = 550), "k@0 k@0 k@0 r550*0@1<0,1,2 k@0<3", true);
    check(__LINE__, "kr,kr,kr", three, EDIT(.bucket_bytes = 1000, .channels = 3), "k@0 k@0 k@0 r550*3@1<0,1,2", true);
    /* a kernel that waits for the first of a bucket closes it */
    check(__LINE__, "krkr,kr", three, EDIT(.bucket_bytes = 1000), "k@0 r100@1<0 k@0<1 k@0 r450*0@1<2,3", true);
    /* twice a bucket is split: 250 bytes are two parts of 125, the first behind the kernels of half of the way */
    check(__LINE__, "kkkkr", BYTES(250), EDIT(.bucket_bytes = 125), "k@0 k@0<0 k@0<1 k@0<2 r125*0@1<2 r125*0@1<3",
          true);
    check(__LINE__, "kkkkr", BYTES(250), EDIT(.bucket_bytes = 126), "k@0 k@0<0 k@0<1 k@0<2 r250@1<3", false);
    check(__LINE__, "kkkkr", BYTES(300), EDIT(.bucket_bytes = 100),
          "k@0 k@0<0 k@0<1 k@0<2 r100*0@1<1 r100*0@1<2 r100*0@1<3", true);
}

/* Gradients of 100 bytes behind the first, of 150 behind the second and of 30 behind the third kernel, all in one
 * all-reduce: buckets of 200 are 250 behind the second, 30 behind the last; of 100 one behind each of the first two. */
static void test_gradients(void)
{
    const struct gsim_bucket_gradient list[] = {{0, 100}, {1, 150}, {2, 30}};
    check(__LINE__, "kkkkrk", BYTES(280), EDIT(.bucket_bytes = 200, .gradients = list, .gradient_count = 3),
          "k@0 k@0<0 r250*0@1<1 k@0<1 r30*0@1<3 k@0<3 k@0<4", true);
    check(__LINE__, "kkkkrk", BYTES(280), EDIT(.bucket_bytes = 100, .gradients = list, .gradient_count = 3),
          "k@0 r100*0@1<0 k@0<0 r150*0@1<2 k@0<2 r30*0@1<4 k@0<4 k@0<5", true);
    check(__LINE__, "kkkkk", BYTES(0), EDIT(.bucket_bytes = 100, .gradients = list, .gradient_count = 3),
          "k@0 k@0<0 k@0<1 k@0<2 k@0<3", false);
}

static const struct test_case cases[] = {{"one by one", test_one_by_one},
                                         {"overlap", test_overlap},
                                         {"buckets", test_buckets},
                                         {"gradients", test_gradients}};
TEST_MAIN("ask/edits/collectives", cases)
