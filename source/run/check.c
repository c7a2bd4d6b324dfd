/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/run/check.h. */
#include "source/run/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#define LIMIT_BYTES ((size_t)8 << 30)

struct checker {
    const struct gsim_run_check *check;
    struct gsim_run_verdict *verdict;
    struct gsim_run_program *source, *written;
    struct gsim_run_shared *before, *now;
    double began_s;
};

/* Of the processes that ran the program, and of its compilers: processor time, whatever else the machine does. */
static double spent_s(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void say(struct checker *c, const char *format, ...) GSIM_PRINTF(2, 3);
static void say(struct checker *c, const char *format, ...)
{
    size_t length = strlen(c->verdict->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->verdict->text + length, GSIM_CHECK_TEXT - length, format, arguments);
    va_end(arguments);
    c->verdict->is_right = false;
}

static void name_order(char *text, size_t size, const struct gsim_run_settings *order)
{
    static const char *const names[] = {"each command at its call", "each command as late as it may be",
                                        "stream %" PRIu32 " as late as it may be", "stream %" PRIu32 " alone early",
                                        ("at random, seed %" PRIu32)};
    if (order->order < GSIM_RUN_LAGS) snprintf(text, size, "%s", names[order->order]);
    else if (order->order < GSIM_RUN_RANDOM)
        snprintf(text, size,
                 order->order == GSIM_RUN_LAGS ? "stream %" PRIu32 " as late as it may be"
                                               : "stream %" PRIu32 " alone early",
                 order->seed - 1);
    else snprintf(text, size, "at random, seed %" PRIu32, order->seed);
}

/* Whether the host saw the same. */
static void compare(struct checker *c, const struct gsim_run_settings *order)
{
    const struct gsim_run_shared *a = c->before, *b = c->now;
    char name[80];
    uint32_t i = 0, count = a->seen_count < b->seen_count ? a->seen_count : b->seen_count;
    name_order(name, sizeof name, order);
    while (i < count && (a->seen[i].hash == b->seen[i].hash || !a->seen[i].hash || !b->seen[i].hash)) i++;
    if (i < count)
        say(c,
            "order: %s: copy %" PRIu32 " to the host (line %d, of the source line %d) brings other bytes than the "
            "source's\n",
            name, i + 1, b->seen[i].line, a->seen[i].line);
    else if (a->seen_count != b->seen_count)
        say(c, "order: %s: %" PRIu32 " copies to the host, the source makes %" PRIu32 "\n", name, b->seen_count,
            a->seen_count);
    else if (a->host_sum != b->host_sum)
        say(c, "order: %s: the host reads other values of pinned or managed memory than in the source\n", name);
    else if (a->exit_status != b->exit_status)
        say(c, "order: %s: it exits with %d, the source with %d\n", name, b->exit_status, a->exit_status);
}

/* The subject in ORDER. A run that fails is wrong, as the source's own did not. */
static void try_order(struct checker *c, const struct gsim_run_settings *order)
{
    struct gsim_error error = {0};
    char name[80];
    const struct gsim_run_program *subject = c->written ? c->written : c->source;
    c->verdict->orders++;
    if (gsim_run_execute(subject, order, c->now, &error) == GSIM_OK) {
        compare(c, order);
    } else {
        name_order(name, sizeof name, order);
        say(c, "order: %s: %s\n", name, error.message);
    }
    if (c->now->races) {
        c->verdict->races = c->now->races;
        say(c, "%s", c->now->text);
    }
}

static void try_orders(struct checker *c)
{
    const struct gsim_run_check *check = c->check;
    struct gsim_run_settings order = {.words = check->words,
                                      .limit_s = check->limit_s,
                                      .limit_bytes = LIMIT_BYTES,
                                      .is_quiet = true,
                                      .is_recorded = true};
    try_order(c, &order);
    uint32_t streams = c->now->streams;
    c->verdict->streams = streams;
    order.is_recorded = false;
    for (uint32_t i = 1; i < check->orders && c->verdict->is_right; i++) {
        if (spent_s() - c->began_s > 8 * check->limit_s) break;
        order.seed = (i + 1) / 2;
        order.order = i == 1 ? GSIM_RUN_LATE : i % 2 ? GSIM_RUN_LEADS : GSIM_RUN_LAGS;
        if (order.seed >= streams || i > check->orders / 2) order.order = GSIM_RUN_RANDOM;
        if (order.order == GSIM_RUN_RANDOM) order.seed = i;
        try_order(c, &order);
    }
}

enum gsim_status gsim_run_check(const struct gsim_run_check *check, struct gsim_run_verdict *verdict,
                                struct gsim_error *error)
{
    struct checker c = {.check = check, .verdict = verdict, .began_s = spent_s()};
    const struct gsim_run_settings first = {.words = check->words,
                                            .limit_s = check->limit_s,
                                            .limit_bytes = LIMIT_BYTES,
                                            .is_quiet = true,
                                            .is_recorded = true};
    *verdict = (struct gsim_run_verdict){.is_right = true};
    c.before = gsim_run_result();
    c.now = gsim_run_result();
    enum gsim_status status = c.before && c.now ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK)
        status = gsim_run_compile(check->path, check->source, check->source_length, check->options, &c.source, error);
    if (status == GSIM_OK) status = gsim_run_execute(c.source, &first, c.before, error);
    if (status == GSIM_OK) {
        verdict->kernels = c.before->kernels;
        verdict->seen = c.before->seen_count;
        if (check->written && gsim_run_compile(check->path, check->written, check->written_length, check->options,
                                               &c.written, error) != GSIM_OK)
            say(&c, "what was written does not compile: %s\n", error->message);
        else try_orders(&c);
    }
    gsim_run_program_destroy(c.source);
    gsim_run_program_destroy(c.written);
    gsim_run_result_release(c.before);
    gsim_run_result_release(c.now);
    return status;
}
