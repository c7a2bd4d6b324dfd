/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors are filled, prefixed and cut as include/gpusim/status.h says; exit statuses follow the map; a bug aborts.
 */
#include "tests/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpusim/status.h"

static void test_set(void)
{
    struct gsim_error error = {0};
    CHECK_INT(gsim_error_set(&error, GSIM_INPUT, "ops[%d]: found \"%s\"", 3, "8"), GSIM_INPUT);
    CHECK_INT(error.status, GSIM_INPUT);
    CHECK_STR(error.message, "ops[3]: found \"8\"");
    CHECK_INT(gsim_error_set(NULL, GSIM_IO, "nobody listens"), GSIM_IO);
}

static void test_prefix(void)
{
    struct gsim_error error = {0};
    gsim_error_set(&error, GSIM_IO, "no space");
    CHECK_INT(gsim_error_prefix(&error, "cannot write '%s'", "a.json"), GSIM_IO);
    CHECK_STR(error.message, "cannot write 'a.json': no space");
    CHECK_INT(error.status, GSIM_IO);
}

/* A cut message ends in "..." and stays terminated, wherever the cut falls. */
static void test_long_messages(void)
{
    char text[2000];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    struct gsim_error error;
    const size_t room = sizeof(error.message) - 1;
    for (size_t length = room - 5; length <= room + 5; length++) {
        memset(&error, 0, sizeof(error));
        gsim_error_set(&error, GSIM_INPUT, "%.*s", (int)length, text);
        CHECK_INT(strlen(error.message), length < room ? length : room);
        CHECK_INT(strcmp(error.message + strlen(error.message) - 3, "...") == 0, length > room);

        gsim_error_set(&error, GSIM_INPUT, "%.*s", (int)(length - 10), text);
        gsim_error_prefix(&error, "12345678"); /* and ": " make ten more */
        CHECK_INT(strlen(error.message), length < room ? length : room);
        CHECK_INT(strcmp(error.message + strlen(error.message) - 3, "...") == 0, length > room);
        CHECK_INT(strncmp(error.message, "12345678: xx", 12), 0);
    }
    gsim_error_prefix(&error, "%s", text);
    CHECK_INT(strlen(error.message), room);
    CHECK_STR(error.message + room - 4, "x...");
}

static void test_map(void)
{
    CHECK_INT(GSIM_OK, 0);
    CHECK_INT(gsim_status_exit(GSIM_OK), 0);
    CHECK_INT(gsim_status_exit(GSIM_USAGE), 2);
    CHECK_INT(gsim_status_exit(GSIM_INPUT), 2);
    CHECK_INT(gsim_status_exit(GSIM_IO), 1);
    CHECK_INT(gsim_status_exit(GSIM_NOMEM), 1);
    CHECK_INT(gsim_status_exit(GSIM_SIM), 1);
    CHECK_STR(gsim_status_text(GSIM_NOMEM), "out of memory");
}

static void test_bug(void)
{
    int ends[2], status = 0;
    CHECK_INT(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        GSIM_INVARIANT(1 + 1 == 3);
        _exit(0);
    }
    close(ends[1]);
    CHECK_INT(waitpid(child, &status, 0), child);
    char text[512];
    ssize_t length = read(ends[0], text, sizeof(text) - 1);
    close(ends[0]);
    text[length > 0 ? length : 0] = '\0';
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK_HAS(text, "gpusim: bug at ");
    CHECK_HAS(text, "test_status.c:");
    CHECK_HAS(text, "invariant broken: 1 + 1 == 3");
}

static const struct test_case cases[] = {
    {"set", test_set},
    {"prefix", test_prefix},
    {"long messages are cut with dots", test_long_messages},
    {"exit statuses and texts", test_map},
    {"a bug aborts and says where", test_bug},
};
TEST_MAIN("sim/status", cases)
