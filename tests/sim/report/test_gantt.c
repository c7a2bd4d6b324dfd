/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The terminal timeline of a run made by hand (52 us; see result_fixture.h): one row per stream, a second one
 * where slices overlap, rows for copies and SMs, in any width, in UTF-8 and in ASCII.
 */
#include "tests/sim/result_fixture.h"

static char *draw(struct fixture *f, unsigned columns, bool utf8)
{
    char path[64];
    struct gsim_output output;
    struct gsim_error error = {0};
    struct gsim_style style = {.columns = columns, .utf8 = utf8};
    scratch_path(path, ".gantt");
    CHECK_OK(gsim_output_open(&output, path, &error), error);
    CHECK_OK(gsim_gantt_print(&f->result, &style, &output, &error), error);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    char *text = read_file(path);
    remove(path);
    return text;
}

/* The line that begins with LABEL, copied to ROW. */
static const char *row_of(const char *text, const char *label, char row[256])
{
    char start[64];
    snprintf(start, sizeof(start), "\n%s", label);
    const char *found = strstr(text, start);
    CHECK_MSG(found, "no row '%s' in:\n%s", label, text);
    row[0] = '\0';
    if (found) snprintf(row, 256, "%.*s", (int)strcspn(found + 1, "\n"), found + 1);
    return row;
}

/* 66 columns: 52 cells of one microsecond each. */
static void cells_are_exact(void)
{
    struct fixture f;
    char row[256];
    fixture_init(&f);
    f.kernels[1].name = "beta";
    char *text = draw(&f, 66, false);
    CHECK_STR(row_of(text, "stream 1 ", row), "stream 1    |          a###################                      |");
    CHECK_STR(row_of(text, "            |", row), "            |                    b###################            |");
    CHECK_STR(row_of(text, "stream 2 ", row), "stream 2    |                              b##############       |");
    CHECK_STR(row_of(text, "h2d ", row), "h2d         | ####.                                              |");
    CHECK_STR(row_of(text, "d2h ", row), "d2h         |                                             #####  |");
    CHECK_STR(row_of(text, "SMs in use", row), "SMs in use  |          55555555555555555555555555555555555       |");
    CHECK_HAS(text, "a alpha  b beta\n");
    CHECK(strncmp(text, "            |0 us", 17) == 0);
    CHECK_HAS(text, "|20.00 us");
    gsim_free(text);
    fixture_release(&f);
}

static unsigned columns_of(const char *line, size_t length)
{
    unsigned columns = 0;
    for (size_t i = 0; i < length; i++) columns += ((unsigned char)line[i] & 0xc0) != 0x80;
    return columns;
}

static void fits_every_width(void)
{
    struct fixture f;
    fixture_init(&f);
    f.kernels[1].name = "beta";
    for (unsigned width = 40; width <= 130; width += 7) {
        char *text = draw(&f, width, width % 2);
        for (const char *line = text; line && *line;) {
            size_t length = strcspn(line, "\n");
            unsigned columns = columns_of(line, length), limit = width > 100 ? 100 : width;
            CHECK_MSG(columns <= limit, "%u columns of %u: %.*s", columns, limit, (int)length, line);
            line += length + (line[length] ? 1 : 0);
        }
        gsim_free(text);
    }
    fixture_release(&f);
}

/* 200 streams of 300 kernel names: the rows and letters that do not fit are summed up, not lost silently. */
static void many_streams_and_names(void)
{
    struct fixture f;
    char names[300][8];
    struct gsim_kernel kernels[300];
    fixture_init(&f);
    for (uint32_t i = 0; i < 300; i++) {
        snprintf(names[i], sizeof(names[i]), "k%03u", i);
        kernels[i] = (struct gsim_kernel){.name = names[i]};
    }
    f.program.kernels = kernels;
    f.program.kernel_count = 300;
    f.timeline.kernel_count = 0;
    for (uint32_t i = 0; i < 300; i++)
        gsim_timeline_add_kernel(
            &f.timeline, &(struct gsim_kernel_record){
                             .stream = i % 200, .kernel_index = i, .start = (i / 8) * US, .end = (i / 8 + 1) * US});
    char *text = draw(&f, 100, false);
    CHECK_HAS(text, "stream 47 ");
    CHECK(!strstr(text, "stream 48 "));
    CHECK_HAS(text, "(152 more stream rows)");
    CHECK_HAS(text, "* other kernels");
    CHECK_HAS(text, "Z k051");
    gsim_free(text);
    fixture_release(&f);
}

#define LONG   "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHI"
#define FITTED "abcdefghijklmnopqr..123456789ABCDEFGHI"

static void add(struct fixture *f, uint32_t stream, uint32_t device, uint32_t kernel, double from_us, double to_us)
{
    gsim_timeline_add_kernel(&f->timeline, &(struct gsim_kernel_record){.stream = stream,
                                                                        .device = device,
                                                                        .kernel_index = kernel,
                                                                        .start = gsim_time_from_us(from_us),
                                                                        .end = gsim_time_from_us(to_us)});
}

static void add_copy(struct fixture *f, uint32_t device, enum gsim_copy_kind kind, double from_us, double to_us)
{
    gsim_timeline_add_copy(&f->timeline, &(struct gsim_copy_record){.device = device,
                                                                    .kind = kind,
                                                                    .start = gsim_time_from_us(from_us),
                                                                    .end = gsim_time_from_us(to_us)});
}

/* Two GPUs of ten SMs, the first of two iterations from 100 to 140 us, 40 cells of one microsecond: every row by hand.
 * Stream 1 began before, stream 2 overlaps itself and goes on, streams 3 and 4 only touch the window, stream 5 has
 * cells of two kernels (0.14, 0.5, 0.75, 0.49 and 0.74 of them), and one of one. */
static void draw_window(struct fixture *f)
{
    static const struct gsim_kernel kernels[] = {
        {.name = "alpha"}, {.name = "beta"}, {.name = "alpha"}, {.name = LONG}};
    static const struct gsim_occupancy_record busy[] = {
        {.time = 95 * US, .busy_sms = 20}, {.time = 101 * US, .busy_sms = 5},  {.time = 110 * US, .busy_sms = 1},
        {.time = 120 * US + US / 2},       {.time = 130 * US, .busy_sms = 15}, {.time = 139 * US}};
    static const double pairs[][4] = {{105, 105.1, 105.2, 105.24},
                                      {107, 107.25, 107.5, 107.75},
                                      {108, 108.5, 108.5, 108.75},
                                      {109, 109.25, 109.3, 109.54},
                                      {110, 110.5, 110.5, 110.74}};
    fixture_init(f);
    f->program.kernels = (struct gsim_kernel *)(uintptr_t)kernels, f->program.kernel_count = 4;
    f->timeline.kernel_count = f->timeline.copy_count = f->timeline.occupancy_count = f->timeline.iteration_count = 0;
    f->timeline.gpu_count = 2;
    gsim_timeline_add_iteration(&f->timeline, &(struct gsim_iteration_record){.start = 100 * US, .end = 140 * US});
    gsim_timeline_add_iteration(&f->timeline, &(struct gsim_iteration_record){.start = 140 * US, .end = 190 * US});
    add(f, 1, 0, 1, 90, 102), add(f, 1, 0, 0, 103, 110.25), add(f, 1, 0, 2, 112.5, 113.25);
    add(f, 2, 1, 1, 120, 130), add(f, 2, 1, 3, 125, 150), add(f, 3, 0, 0, 95, 100), add(f, 4, 0, 0, 140, 141);
    for (int i = 0; i < 5; i++) add(f, 5, 1, 0, pairs[i][0], pairs[i][1]), add(f, 5, 1, 0, pairs[i][2], pairs[i][3]);
    add(f, 5, 1, 2, 106, 106.5);
    add_copy(f, 1, GSIM_COPY_H2D, 101, 101.5), add_copy(f, 0, GSIM_COPY_D2H, 139.75, 145);
    add_copy(f, 1, GSIM_COPY_D2H, 90, 100);
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) gsim_timeline_add_occupancy(&f->timeline, &busy[i]);
}

static void whole_window(void)
{
    static const char *const bars[][2] = {{"\xe2\x94\x82", "|"}, {"\xe2\x94\x8c", "|"}, {"\xe2\x96\x91", "."},
                                          {"\xe2\x96\x92", "-"}, {"\xe2\x96\x93", "="}, {"\xe2\x96\x88", "#"}};
    struct fixture f;
    draw_window(&f);
    char *plain = draw(&f, 54, false), *blocks = draw(&f, 54, true), *to = blocks;
    CHECK_STR(plain, "Iteration 1 of 2\n"
                     "            |0 us               |20.00 us\n"
                     "GPU 0 str 1 |## b######- b-                          |\n"
                     "GPU 1 str 2 |                    a#########          |\n"
                     "            |                         c##############|\n"
                     "GPU 1 str 5 |     .b=#-=                             |\n"
                     "GPU 0 d2h   |                                       -|\n"
                     "GPU 1 h2d   | =                                      |\n"
                     "SMs in use  |933333333311111111111         888888888 |\n"
                     "a beta\nb alpha\nc " FITTED "\n");
    const char *sms = strstr(blocks, "SMs");
    CHECK_HAS(sms, "\xe2\x94\x82\xe2\x96\x88\xe2\x96\x82\xe2\x96\x82");
    CHECK_HAS(sms, "\xe2\x96\x82\xe2\x96\x81\xe2\x96\x81");
    CHECK_HAS(sms, "\xe2\x96\x81         \xe2\x96\x86\xe2\x96\x86");
    /* The rest is the same letter by letter, but for the signs. */
    for (const char *at = blocks; *at && at != sms;) {
        size_t k = 0;
        while (k < 6 && strncmp(at, bars[k][0], 3) != 0) k++;
        *to++ = k < 6 ? *bars[k][1] : *at;
        at += k < 6 ? 3 : 1;
    }
    CHECK(strncmp(plain, blocks, (size_t)(to - blocks)) == 0 && strncmp(plain + (to - blocks), "SMs", 3) == 0);
    for (const char *at = plain; *at; at++) CHECK((unsigned char)*at < 0x80);
    gsim_free(plain), gsim_free(blocks);
    fixture_release(&f);
}

/* Ten in window's cells have no letter: 990 more in one are told, 989 are not. */
static void without_a_letter(void)
{
    struct fixture f;
    draw_window(&f);
    for (int i = 0; i < 989; i++) add(&f, 6, 0, 0, 115 + i / 2e3, 115 + i / 2e3 + 4e-4);
    for (int twice = 0; twice < 2; twice++) {
        char *text = draw(&f, 54, false);
        CHECK_MSG(!strstr(text, "without a letter") == !twice, "%s", text);
        if (twice) CHECK_HAS(text, "\n1,000 kernels without a letter: several begin in one cell\n");
        gsim_free(text);
        add(&f, 6, 0, 0, 115.75, 115.875);
    }
    fixture_release(&f);
}

static void nothing_ran(void)
{
    struct fixture f;
    fixture_init(&f);
    f.timeline.kernel_count = f.timeline.copy_count = 0;
    char *text = draw(&f, 100, false);
    CHECK_STR(text, "Nothing ran on the device.\n");
    gsim_free(text);
    fixture_release(&f);
}

static const struct test_case cases[] = {
    {"cells are exact", cells_are_exact},
    {"fits every width", fits_every_width},
    {"many streams and names", many_streams_and_names},
    {"whole window", whole_window},
    {"without a letter", without_a_letter},
    {"nothing ran", nothing_ran},
};
TEST_MAIN("sim/report/gantt", cases)
