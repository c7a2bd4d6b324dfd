/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a long command is, away from a terminal: nothing at first, then a line now and then. */
#include "sim/base/jobs/progress.h"

#include <string.h>

#include "tests/test.h"

/* What was written so far. */
static const char *written(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    return text;
}

static void a_line_now_and_then(void)
{
    char text[2000];
    FILE *file = tmpfile();
    struct gsim_progress progress;
    gsim_progress_start(&progress, 40, file);
    progress.done = 4;
    gsim_progress_show(&progress);
    CHECK_STR(written(file, text, sizeof text), "");
    progress.done = 12;
    progress.started_s -= 12; /* twelve seconds pass */
    progress.shown_s -= 12;
    progress.recent_s -= 12;
    gsim_progress_show(&progress);
    gsim_progress_show(&progress);
    CHECK_HAS(written(file, text, sizeof text), "gpusim: 12 of 40 points (30 %), 1/s, 28 s left\n");
    CHECK_MSG(strchr(text, '\n') && !strchr(text, '\n')[1], "more than one line: %s", text);
    fclose(file);
}

static void the_caller_names_what_is_done(void)
{
    char text[2000];
    FILE *file = tmpfile();
    struct gsim_progress progress;
    gsim_progress_start(&progress, 40, file);
    progress.unit = "runs";
    progress.is_estimate = true;
    snprintf(progress.detail, sizeof progress.detail, "img with kesco");
    progress.done = 12;
    progress.started_s -= 12;
    progress.shown_s -= 12;
    progress.recent_s -= 12;
    gsim_progress_show(&progress);
    gsim_progress_clear(&progress); /* nothing stands there that could be cleared */
    CHECK_STR(written(file, text, sizeof text),
              "gpusim: 12 of about 40 runs (30 %), 1/s, about 28 s left, img with kesco\n");
    fclose(file);
}

static void a_total_may_not_be_known(void)
{
    char text[2000];
    FILE *file = tmpfile();
    struct gsim_progress progress;
    gsim_progress_start(&progress, 0, file);
    progress.unit = "runs";
    progress.done = 24;
    progress.started_s -= 12;
    progress.shown_s -= 12;
    progress.recent_s -= 12;
    gsim_progress_show(&progress);
    CHECK_STR(written(file, text, sizeof text), "gpusim: 24 runs, 2/s\n");
    fclose(file);
}

static const struct test_case cases[] = {{"a line now and then", a_line_now_and_then},
                                         {"the caller names what is done", the_caller_names_what_is_done},
                                         {"a total may not be known", a_total_may_not_be_known}};
TEST_MAIN("sweep/progress", cases)
