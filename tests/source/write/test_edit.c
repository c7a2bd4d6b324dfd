/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of a text of 20 lines, the last without an end: what diff -u says of them, and what comes out. */
#include "source/write/edit.h"

#include "tests/test.h"

static const char text[] =
    "l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\nl10\nl11\nl12\nl13\nl14\nl15\nl16\nl17\nl18\nl19\nl20";

static void check(struct gsim_text_edits *e, bool is_diff, const char *expected)
{
    struct gsim_output output;
    struct gsim_error error = {0};
    char *found = NULL;
    size_t length = 0;
    CHECK_OK(gsim_output_open_memory(&output, &found, &length, &error), error);
    if (is_diff) gsim_text_edits_diff(e, "old", "new", &output);
    else gsim_text_edits_write(e, &output);
    CHECK_OK(gsim_output_commit(&output, &error), error);
    CHECK_STR(found, expected);
    free(found);
}

static uint32_t place(const char *line) { return (uint32_t)(strstr(text, line) - text); }

/* Six lines between two changes, and both stand in one hunk; seven, and each has its own. */
static void hunks(void)
{
    struct gsim_text_edits e = {.text = text, .length = sizeof text - 1};
    gsim_text_edits_add(&e, place("l20") + 3, place("l20") + 3, 0, "x");
    gsim_text_edits_add(&e, place("l16"), place("l17"), 0, "%s", "");
    gsim_text_edits_add(&e, place("l9"), place("l9"), 1, "new\n");
    gsim_text_edits_add(&e, place("l2"), place("l2") + 1, 0, "%c", 'L');
    gsim_text_edits_sort(&e);
    check(&e, false, "l1\nL2\nl3\nl4\nl5\nl6\nl7\nl8\nnew\nl9\nl10\nl11\nl12\nl13\nl14\nl15\nl17\nl18\nl19\nl20x");
    check(&e, true,
          "--- old\n+++ new\n@@ -1,11 +1,12 @@\n l1\n-l2\n+L2\n l3\n l4\n l5\n l6\n l7\n l8\n+new\n l9\n l10\n l11\n"
          "@@ -13,8 +14,7 @@\n l13\n l14\n l15\n-l16\n l17\n l18\n l19\n-l20\n\\ No newline at end of file\n+l20x\n"
          "\\ No newline at end of file\n");
    gsim_text_edits_release(&e);
}

/* Lines that an edit writes as they were are none of the change; at one place the lower rank is first, then the one
 * that was added first. */
static void only_what_changes(void)
{
    struct gsim_text_edits e = {.text = text, .length = sizeof text - 1};
    gsim_text_edits_add(&e, place("l5"), place("l9"), 0, "l5\nl6\nseven\nl8\n");
    gsim_text_edits_add(&e, place("l3"), place("l3"), 2, "c\n");
    gsim_text_edits_add(&e, place("l3"), place("l3"), 1, "a\n");
    gsim_text_edits_add(&e, place("l3"), place("l3"), 1, "b\n");
    gsim_text_edits_sort(&e);
    check(&e, true,
          "--- old\n+++ new\n@@ -1,10 +1,13 @@\n l1\n l2\n+a\n+b\n+c\n l3\n l4\n l5\n l6\n"
          "-l7\n+seven\n l8\n l9\n l10\n");
    gsim_text_edits_release(&e);
    gsim_text_edits_add(&e, 0, 0, 0, "x\n");
    check(&e, true, "--- old\n+++ new\n@@ -0,0 +1,1 @@\n+x\n");
    gsim_text_edits_release(&e);
    e = (struct gsim_text_edits){.text = text, .length = sizeof text - 1};
    gsim_text_edits_add(&e, place("l5"), place("l9"), 0, "l5\nl6\nseven\nl8\n");
    check(&e, true, "--- old\n+++ new\n@@ -4,7 +4,7 @@\n l4\n l5\n l6\n-l7\n+seven\n l8\n l9\n l10\n");
    gsim_text_edits_release(&e);
    e = (struct gsim_text_edits){.text = text, .length = sizeof text - 1};
    gsim_text_edits_add(&e, place("l5"), place("l6"), 0, "l5\n");
    check(&e, true, "");
    gsim_text_edits_release(&e);
}

static const struct test_case cases[] = {{"hunks", hunks}, {"only what changes", only_what_changes}};

TEST_MAIN("source/write/edit", cases)
