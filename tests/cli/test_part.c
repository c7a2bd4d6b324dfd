/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces of real runs: an arrow for every wait between streams, iterations end to end, and what --trace-window keeps.
 */
#include <cjson/cJSON.h>

#include "tests/sim/result_fixture.h"

#define EPSILON_US 1e-3

static cJSON *trace_of(const char *arguments)
{
    char path[64], command[512];
    snprintf(command, sizeof command, "%s %s --trace %s >/dev/null", GPUSIM_BINARY, arguments,
             scratch_path(path, ".json"));
    int status = system(command);
    FILE *file = fopen(path, "rb");
    CHECK_MSG(status == 0 && file, "%s: status %d", command, status);
    size_t room = 16u << 20;
    char *text = gsim_alloc(room);
    if (file && text) text[fread(text, 1, room - 1, file)] = '\0';
    cJSON *trace = text ? cJSON_Parse(text) : NULL;
    CHECK_MSG(trace, "%s: no JSON", command);
    if (file) fclose(file);
    remove(path);
    gsim_free(text);
    return trace;
}

static const cJSON *events_of(const cJSON *trace) { return cJSON_GetObjectItemCaseSensitive(trace, "traceEvents"); }

static double number(const cJSON *event, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static bool is(const cJSON *event, const char *name, const char *text)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, name);
    return cJSON_IsString(item) && strcmp(item->valuestring, text) == 0;
}

static int count(const cJSON *trace, const char *phase, const char *category)
{
    const cJSON *event;
    int found = 0;
    cJSON_ArrayForEach(event, events_of(trace)) found += is(event, "ph", phase) && is(event, "cat", category);
    return found;
}

/* The kernel or copy on the track of FLOW in which its time lies, or at whose start. */
static const cJSON *slice_at(const cJSON *trace, const cJSON *flow, bool at_start)
{
    const cJSON *event;
    cJSON_ArrayForEach(event, events_of(trace))
    {
        if (!is(event, "cat", "kernel") && !is(event, "cat", "gpu_memcpy")) continue;
        if (number(event, "pid") != number(flow, "pid") || number(event, "tid") != number(flow, "tid")) continue;
        double start = number(event, "ts"), at = number(flow, "ts");
        if (at_start ? fabs(at - start) < 1e-9 : at >= start && at < start + number(event, "dur")) return event;
    }
    return NULL;
}

static void every_wait_has_an_arrow(void)
{
    cJSON *trace = trace_of("--workload m2 --sched async --iterations 2");
    const cJSON *event, *other;
    int waits = 0, arrows = 0;
    cJSON_ArrayForEach(event, events_of(trace))
    {
        const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
        waits += is(event, "name", "Stream Wait Event") && number(args, "stream") != number(args, "wait_on_stream");
        if (!is(event, "cat", "event_wait") || !is(event, "ph", "s")) continue;
        for (other = event->next; other && !(is(other, "ph", "f") && is(other, "cat", "event_wait") &&
                                             number(other, "id") == number(event, "id"));)
            other = other->next;
        CHECK_MSG(other, "an arrow without end");
        if (!other) break;
        const cJSON *from = slice_at(trace, event, false), *to = slice_at(trace, other, true);
        CHECK_MSG(from && to, "an arrow at %g us leads from nowhere or to nothing", number(event, "ts"));
        CHECK(from != to && number(to, "ts") >= number(from, "ts") + number(from, "dur") - 1e-9);
        arrows++;
    }
    CHECK_MSG(waits > 10 && arrows == waits, "%d arrows for %d waits", arrows, waits);
    cJSON_Delete(trace);
}

static void iterations_follow_one_another(void)
{
    cJSON *trace = trace_of("--workload img --sched kesco --iterations 3");
    const cJSON *event;
    double end = 0;
    int found = 0;
    cJSON_ArrayForEach(event, events_of(trace))
    {
        if (!is(event, "cat", "iteration")) continue;
        char name[32];
        snprintf(name, sizeof name, "iteration %d", found++);
        CHECK(is(event, "name", name));
        CHECK(number(event, "ts") >= end - EPSILON_US && number(event, "dur") > 0);
        end = number(event, "ts") + number(event, "dur");
    }
    CHECK_INT(found, 3);
    cJSON_Delete(trace);
}

/* Whatever the whole trace has in the window, and nothing else; with units, and open to one side. */
static void a_window_is_a_part(void)
{
    static const struct {
        const char *option;
        double from, to;
    } rows[] = {{"2ms:20ms", 2e3, 2e4}, {":5000", 0, 5e3}, {"0.02s:", 2e4, 1e12}};
    static const char *const categories[] = {"kernel", "gpu_memcpy", "cuda_runtime", "iteration", "sm_blocks"};
    cJSON *whole = trace_of("--workload img --sched kesco --iterations 2 --trace-sms 2");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments,
                 "--workload img --sched kesco --iterations 2 --trace-sms 2 --trace-window %s", rows[i].option);
        cJSON *part = trace_of(arguments);
        for (size_t j = 0; j < sizeof categories / sizeof categories[0]; j++) {
            const cJSON *event;
            int expected = 0;
            cJSON_ArrayForEach(event, events_of(whole))
            {
                double start = number(event, "ts"), end = start + number(event, "dur");
                expected += is(event, "ph", "X") && is(event, "cat", categories[j]) && start < rows[i].to &&
                            (end > rows[i].from || start >= rows[i].from);
            }
            CHECK_MSG(count(part, "X", categories[j]) == expected, "%s: %d of %s, expected %d", rows[i].option,
                      count(part, "X", categories[j]), categories[j], expected);
        }
        CHECK_INT(count(part, "s", "event_wait"), count(part, "f", "event_wait"));
        CHECK(count(part, "X", "kernel") > 0 && count(part, "X", "kernel") < count(whole, "X", "kernel"));
        cJSON_Delete(part);
    }
    cJSON_Delete(whole);
}

/* The causes that explain tells go by the window too. */
static void of_explain_too(void)
{
    cJSON *part = trace_of("explain img --sched kesco --trace-window :5ms");
    const cJSON *event;
    int found = 0;
    cJSON_ArrayForEach(event, events_of(part))
    {
        if (!is(event, "cat", "explanation") && !is(event, "cat", "kernel")) continue;
        CHECK_MSG(number(event, "ts") < 5000, "one at %g us", number(event, "ts"));
        found += is(event, "cat", "explanation");
    }
    CHECK(found > 0);
    cJSON_Delete(part);
}

static const struct test_case cases[] = {
    {"every wait has an arrow", every_wait_has_an_arrow},
    {"iterations follow one another", iterations_follow_one_another},
    {"a window is a part", a_window_is_a_part},
    {"of explain too", of_explain_too},
};
TEST_MAIN("cli/part", cases)
