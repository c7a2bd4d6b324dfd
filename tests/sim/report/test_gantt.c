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

static void utf8_only_when_asked(void)
{
    struct fixture f;
    fixture_init(&f);
    f.kernels[1].name = "beta";
    char *plain = draw(&f, 100, false), *blocks = draw(&f, 100, true);
    for (const char *at = plain; at && *at; at++) CHECK((unsigned char)*at < 0x80);
    CHECK_HAS(blocks, "\xe2\x96\x88");
    gsim_free(plain);
    gsim_free(blocks);
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

static void first_iteration_only(void)
{
    struct fixture f;
    fixture_init(&f);
    f.kernels[1].name = "beta";
    gsim_timeline_add_iteration(&f.timeline, &(struct gsim_iteration_record){.start = 52 * US, .end = 100 * US});
    gsim_timeline_add_kernel(&f.timeline, &(struct gsim_kernel_record){.stream = 9, .start = 60 * US, .end = 70 * US});
    char *text = draw(&f, 100, false);
    CHECK_HAS(text, "Iteration 1 of 2\n");
    CHECK(!strstr(text, "stream 9"));
    gsim_free(text);
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
    {"UTF-8 only when asked", utf8_only_when_asked},
    {"many streams and names", many_streams_and_names},
    {"first iteration only", first_iteration_only},
    {"nothing ran", nothing_ran},
};
TEST_MAIN("sim/report/gantt", cases)
