/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of public traces, as their files have them, and of random processes. */
#include <unistd.h>

#include "serving/arrivals.h"
#include "tests/test.h"

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

static const struct {
    const char *name, *text;
    uint32_t count;
    struct gsim_served_arrival last;
} files[] = {
    {"Azure 2023",
     "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:59.5000000,374,44\n2023-11-17 "
     "00:00:00.7500000,396,109\n",
     2,
     {.arrival_us = 1250000, .prompt = 396, .output = 109}},
    {"Azure 2024",
     "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2024-02-28 23:59:59.250+00:00,2162,5\r\n2024-02-29 "
     "00:00:01.250+00:00,2399,6\r\n",
     2,
     {.arrival_us = 2000000, .prompt = 2399, .output = 6}},
    {"BurstGPT",
     "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n"
     "45,ChatGPT,1087,0,1087,Conversation log\n118,GPT-4,417,276,693,API log\n",
     2,
     {.arrival_us = 113000000, .prompt = 417, .output = 276}},
    {"Mooncake",
     "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, 47]}\n"
     "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": [46]}\n",
     2,
     {.arrival_us = 3053000, .prompt = 6472, .output = 26}},
};

static void test_files(void)
{
    char path[] = "/tmp/gpusim-arrivals-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct gsim_error error = {0};
        struct gsim_arena arena = {0};
        struct gsim_arrivals a = {.scale = 1};
        write_file(path, files[i].text);
        CHECK_OK(gsim_arrivals_parse(path, 0, &arena, &a, &error), error);
        CHECK_MSG(a.count == files[i].count, "%s: %u requests", files[i].name, a.count);
        if (a.count) {
            const struct gsim_served_arrival *last = &a.list[a.count - 1];
            CHECK_NEAR(a.list[0].arrival_us, 0, 1e-9);
            CHECK_NEAR(last->arrival_us, files[i].last.arrival_us, 0.5);
            CHECK_INT(last->prompt, files[i].last.prompt);
            CHECK_INT(last->output, files[i].last.output);
        }
        gsim_arena_release(&arena);
    }
    close(file);
    unlink(path);
}

/* Dates that no calendar has, and what has no token of output is counted. */
static void test_left_out(void)
{
    static const char *const no_dates[] = {"2023-99-99 99:99:99", "2023-02-29 00:00:00", "2023-02-31 00:00:00",
                                           "1900-02-29 00:00:00", "2023-04-31 00:00:00", "2023-00-01 00:00:00",
                                           "2023-01-01 24:00:00", "2023-01-01 00:60:00", "2023-01-01 00:00:61"};
    char path[] = "/tmp/gpusim-arrivals-XXXXXX";
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    int file = mkstemp(path);
    CHECK(file >= 0);
    for (size_t i = 0; i < sizeof no_dates / sizeof no_dates[0]; i++) {
        struct gsim_arrivals a = {.scale = 1};
        char text[128];
        snprintf(text, sizeof text, "TIMESTAMP,ContextTokens,GeneratedTokens\n%s,374,44\n", no_dates[i]);
        write_file(path, text);
        CHECK_INT(gsim_arrivals_parse(path, 0, &arena, &a, &error), GSIM_INPUT);
        CHECK_HAS(error.message, "line 2: expected a time");
    }
    struct gsim_arrivals a = {.scale = 1};
    write_file(path, files[2].text); /* its second of three has 0 tokens of output */
    CHECK_OK(gsim_arrivals_parse(path, 0, &arena, &a, &error), error);
    CHECK_INT(a.left_out, 1);
    CHECK_INT(gsim_arrivals_parse("poisson:1e-300", 0, &arena, &a, &error), GSIM_USAGE);
    gsim_arena_release(&arena);
    close(file);
    unlink(path);
}

static void check_refused(const char *path, const char *text, const char *message)
{
    struct gsim_error error = {0};
    struct gsim_arena arena = {0};
    struct gsim_arrivals a = {.scale = 1};
    write_file(path, text);
    CHECK_INT(gsim_arrivals_parse(path, 0, &arena, &a, &error), GSIM_INPUT);
    CHECK_HAS(error.message, message);
    gsim_arena_release(&arena);
}

static void test_refused(void)
{
    struct gsim_error error = {0};
    struct gsim_arena arena = {0};
    struct gsim_arrivals a = {.scale = 1};
    char path[] = "/tmp/gpusim-arrivals-XXXXXX";
    int file = mkstemp(path);
    check_refused(path, "time,tokens\n1,2\n", "line 1: expected the header");
    check_refused(path, "TIMESTAMP,ContextTokens,GeneratedTokens\nyesterday,1,2\n", "line 2: expected a time");
    check_refused(path, "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,1,\n",
                  "line 2: expected a number of tokens");
    check_refused(path, "{\"timestamp\": 1, \"input_length\": 2}\n", "line 1: expected numbers");
    check_refused(path, "", "expected requests, found none");
    CHECK_INT(gsim_arrivals_parse("poisson:fast", 0, &arena, &a, &error), GSIM_USAGE);
    CHECK_INT(gsim_arrivals_parse("gamma:10,cv=0", 0, &arena, &a, &error), GSIM_USAGE);
    CHECK_INT(gsim_arrivals_parse("nowhere.csv", 0, &arena, &a, &error), GSIM_INPUT);
    CHECK_HAS(error.message, "nowhere.csv");
    close(file);
    unlink(path);
}

/* 40,000 gaps: mean 1/rate within 2 %, coefficient of variation within 3 %. */
static void test_processes(void)
{
    static const struct {
        const char *text;
        double mean_us, cv;
    } processes[] = {{"poisson:50", 20000, 1}, {"gamma:50,cv=2", 20000, 2}, {"gamma:200,cv=0.5", 5000, 0.5}};
    for (size_t p = 0; p < sizeof processes / sizeof processes[0]; p++) {
        struct gsim_error error = {0};
        struct gsim_arena arena = {0};
        struct gsim_arrivals a = {.scale = 1,
                                  .prompt = {.kind = GSIM_LENGTHS_CONSTANT, .a = 7},
                                  .output = {.kind = GSIM_LENGTHS_UNIFORM, .a = 2, .b = 4}};
        struct gsim_random numbers;
        struct gsim_served_arrival arrival;
        double last = 0, sum = 0, squares = 0, tokens = 0;
        CHECK_OK(gsim_random_init(&numbers, 3, &error), error);
        CHECK_OK(gsim_arrivals_parse(processes[p].text, 40000, &arena, &a, &error), error);
        struct gsim_arrival_walk walk = {.arrivals = &a, .numbers = &numbers};
        while (gsim_arrivals_next(&walk, &arrival)) {
            double gap = arrival.arrival_us - last;
            sum += gap;
            squares += gap * gap;
            last = arrival.arrival_us;
            tokens += arrival.output;
            CHECK(arrival.prompt == 7 && arrival.output >= 2 && arrival.output <= 4);
        }
        double mean = sum / 40000, cv = sqrt(squares / 40000 - mean * mean) / mean;
        CHECK_NEAR(mean, processes[p].mean_us, 0.02 * processes[p].mean_us);
        CHECK_NEAR(cv, processes[p].cv, 0.03 * processes[p].cv);
        CHECK_NEAR(tokens / 40000, 3, 0.02);
        gsim_random_release(&numbers);
    }
}

static const struct test_case cases[] = {
    {"files", test_files}, {"left out", test_left_out}, {"refused", test_refused}, {"processes", test_processes}};

TEST_MAIN("serving/arrivals", cases)
