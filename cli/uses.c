/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Options that a run has no use for are errors: which these are, by what the run is about, stands
 * here and nowhere else. tests/cli/test_uses.sh holds the table to what the program does.
 */
#include "cli/cli.h"

#define KEYS(...) (const enum gsim_cli_key[]) { __VA_ARGS__, GSIM_CLI_KEY_COUNT }

#define OF_PROGRAMS  (GSIM_CLI_OF_FILE | GSIM_CLI_OF_GENERATOR | GSIM_CLI_OF_SOURCE | GSIM_CLI_OF_SERVICE)
#define OF_TRACES    (GSIM_CLI_OF_TRACE | GSIM_CLI_OF_RANK_TRACES)
#define OF_MANY      (GSIM_CLI_OF_TASKS | GSIM_CLI_OF_COPIES)
#define OF_FRAMES                                                                                                      \
    (GSIM_CLI_OF_SPEEDUP | GSIM_CLI_OF_LINES | GSIM_CLI_OF_HEATMAP | GSIM_CLI_OF_SCATTER | GSIM_CLI_OF_BOX)
#define OF_RECORDED  (GSIM_CLI_OF_CASES | GSIM_CLI_OF_RUNS)
#define ON_SUBJECT   (GSIM_CLI_ON_SUBJECT | GSIM_CLI_ON_IMPORT)
#define ON_CLIENTS   (GSIM_CLI_ON_BOTH | GSIM_CLI_ON_ASK)
#define TRACE_WORDS                                                                                                    \
    GSIM_CLI_GAPS, GSIM_CLI_COPIES, GSIM_CLI_EXECUTION_TRACE, GSIM_CLI_DEPENDS, GSIM_CLI_PROFILER_OVERHEAD,            \
        GSIM_CLI_UNEXPLAINED, GSIM_CLI_ALONE, GSIM_CLI_GPU, GSIM_CLI_RANK, GSIM_CLI_STEP, GSIM_CLI_STEPS,              \
        GSIM_CLI_WHOLE, GSIM_CLI_STEP_TAKES, GSIM_CLI_BETWEEN, GSIM_CLI_TIME, GSIM_CLI_RANGE

/* KEYS are of USERS; none of SUBJECTS has a use for them. */
static const struct rule {
    const char *users;
    unsigned commands;
    uint64_t subjects;
    const enum gsim_cli_key *keys;
} rules[] = {
    {"built-in workloads", GSIM_CLI_ON_ALL, OF_PROGRAMS | OF_TRACES | GSIM_CLI_OF_CUDA,
     KEYS(GSIM_CLI_SUITE, GSIM_CLI_SIZE, GSIM_CLI_BLOCK1D, GSIM_CLI_BLOCKS)},
    {"programs that are known beforehand", GSIM_CLI_ON_ALL, GSIM_CLI_OF_SOURCE, KEYS(GSIM_CLI_ITERATIONS)},
    {"programs", GSIM_CLI_ON_SCHEDULE, GSIM_CLI_OF_CUDA, KEYS(GSIM_CLI_ITERATIONS)},
    {"programs, whose data moves as they say", GSIM_CLI_ON_SUBJECT, OF_TRACES,
     KEYS(GSIM_CLI_MEMORY, GSIM_CLI_PREFETCH)},
    {"runs: a schedule is for kernels alone", GSIM_CLI_ON_SCHEDULE, OF_PROGRAMS | GSIM_CLI_OF_BENCHMARK,
     KEYS(GSIM_CLI_MEMORY, GSIM_CLI_PREFETCH)},
    {"managed memory", GSIM_CLI_ON_BOTH | GSIM_CLI_ON_SUBJECT, GSIM_CLI_OF_UNMANAGED, KEYS(GSIM_CLI_PREFETCH)},
    {"several GPUs (--gpus, --node)", ON_CLIENTS, GSIM_CLI_OF_ONE_GPU,
     KEYS(GSIM_CLI_PLACE)},
    {"one program", GSIM_CLI_ON_ASK, OF_TRACES | OF_MANY | GSIM_CLI_OF_RANKS,
     KEYS(GSIM_CLI_NODE, GSIM_CLI_GPUS, GSIM_CLI_PLACE)},
    {"one program", GSIM_CLI_ON_POINT, OF_MANY | GSIM_CLI_OF_RANKS,
     KEYS(GSIM_CLI_WRITE_PROGRAM, GSIM_CLI_TRACE_SMS, GSIM_CLI_GANTT, GSIM_CLI_PLAN)},
    {"one program", ON_CLIENTS, OF_MANY,
     KEYS(GSIM_CLI_WORKLOAD, GSIM_CLI_ITERATIONS, GSIM_CLI_BASE)},
    {"one program", GSIM_CLI_ON_EXPLAIN, OF_MANY, KEYS(GSIM_CLI_TRACE, GSIM_CLI_TRACE_WINDOW, GSIM_CLI_JOBS)},
    {"one program, and each rank has a GPU", GSIM_CLI_ON_BOTH, GSIM_CLI_OF_RANKS, KEYS(GSIM_CLI_GPUS, GSIM_CLI_PLACE)},
    {"ranks (--ranks)", GSIM_CLI_ON_BOTH, GSIM_CLI_OF_BENCHMARK | OF_PROGRAMS | OF_TRACES | OF_MANY | GSIM_CLI_OF_CUDA,
     KEYS(GSIM_CLI_COLLECTIVE_LIBRARY)},
    {"tasks", ON_CLIENTS, GSIM_CLI_OF_RANKS | GSIM_CLI_OF_RANK_TRACES,
     KEYS(GSIM_CLI_TASK, GSIM_CLI_SHARE, GSIM_CLI_PROFILE, GSIM_CLI_MEASURE)},
    {"tasks that name none of their own", ON_CLIENTS, GSIM_CLI_OF_OWN_SIZE, KEYS(GSIM_CLI_SIZE)},
    {"tasks that name none of their own", ON_CLIENTS, GSIM_CLI_OF_OWN_SCHED, KEYS(GSIM_CLI_SCHED)},
    {"tasks whose number is given", GSIM_CLI_ON_COMPARE, GSIM_CLI_OF_COPIES, KEYS(GSIM_CLI_PROFILE)},
    {"a task with a range of copies (copies=FROM:TO)", GSIM_CLI_ON_COMPARE, GSIM_CLI_OF_PROGRAM, KEYS(GSIM_CLI_LIMIT)},
    {"profilers' traces", ON_SUBJECT, GSIM_CLI_OF_BENCHMARK | OF_PROGRAMS | GSIM_CLI_OF_CUDA | GSIM_CLI_OF_TASKS,
     KEYS(TRACE_WORDS)},
    {"profilers' traces", GSIM_CLI_ON_ASK, GSIM_CLI_OF_BENCHMARK | OF_PROGRAMS | GSIM_CLI_OF_CUDA,
     KEYS(GSIM_CLI_HOST, GSIM_CLI_HOST_SPEED)},
    {"traces of PyTorch's profiler", ON_SUBJECT, GSIM_CLI_OF_OTHER_PROFILER, KEYS(GSIM_CLI_EXECUTION_TRACE)},
    {"profilers' traces, and programs when they run", GSIM_CLI_ON_IMPORT, GSIM_CLI_OF_CUDA, KEYS(GSIM_CLI_DEVICE)},
    {"profilers' traces", GSIM_CLI_ON_VALIDATE, OF_RECORDED, KEYS(TRACE_WORDS)},
    {"one trace or program", ON_SUBJECT, GSIM_CLI_OF_RANK_TRACES,
     KEYS(GSIM_CLI_SCHED, GSIM_CLI_ITERATIONS, GSIM_CLI_KERNELS, GSIM_CLI_TRACE, GSIM_CLI_TRACE_WINDOW, GSIM_CLI_GAPS,
          GSIM_CLI_COPIES, GSIM_CLI_EXECUTION_TRACE, GSIM_CLI_DEPENDS, GSIM_CLI_UNEXPLAINED, GSIM_CLI_STEP_TAKES,
          GSIM_CLI_GPU, GSIM_CLI_RANK, GSIM_CLI_SEED, GSIM_CLI_NAME)},
    {"one trace or program", GSIM_CLI_ON_EXPLAIN | GSIM_CLI_ON_IMPORT | GSIM_CLI_ON_SCHEDULE, GSIM_CLI_OF_RANK_TRACES,
     KEYS(GSIM_CLI_JOBS)},
    {"explain and whatif: a schedule is for kernels alone", GSIM_CLI_ON_SCHEDULE, GSIM_CLI_OF_TRACE,
     KEYS(GSIM_CLI_GAPS, GSIM_CLI_STEP_TAKES, GSIM_CLI_UNEXPLAINED)},
    {"CUDA sources", GSIM_CLI_ON_SCHEDULE, OF_TRACES | OF_PROGRAMS | GSIM_CLI_OF_BENCHMARK,
     KEYS(GSIM_CLI_AS_GRAPH, GSIM_CLI_DIFF, GSIM_CLI_PLAN, GSIM_CLI_CHECK, GSIM_CLI_ALWAYS)},
    {"CUDA sources", GSIM_CLI_ON_SOURCE,
     OF_TRACES | OF_PROGRAMS | GSIM_CLI_OF_RANKS | GSIM_CLI_OF_SERVER | GSIM_CLI_OF_BENCHMARK,
     KEYS(GSIM_CLI_DEFINE, GSIM_CLI_ARG, GSIM_CLI_INCLUDE, GSIM_CLI_ENTRY, GSIM_CLI_RUN_ARGS, GSIM_CLI_RUN_LIMIT)},
    {"programs, traces, ranks and tasks", GSIM_CLI_ON_ASK, GSIM_CLI_OF_SERVER,
     KEYS(GSIM_CLI_SCHED, GSIM_CLI_TASK, GSIM_CLI_SHARE, GSIM_CLI_RANKS, GSIM_CLI_SUITE, GSIM_CLI_SIZE,
          GSIM_CLI_ITERATIONS, GSIM_CLI_BLOCK1D, GSIM_CLI_BLOCKS, GSIM_CLI_MEMORY, GSIM_CLI_PREFETCH, TRACE_WORDS,
          GSIM_CLI_HOST_SPEED, GSIM_CLI_TRACE, GSIM_CLI_TRACE_WINDOW, GSIM_CLI_GPUS, GSIM_CLI_PLACE, GSIM_CLI_JOBS,
          GSIM_CLI_OUTPUT)},
    {"traces and programs", GSIM_CLI_ON_SCHEDULE, GSIM_CLI_OF_CUDA,
     KEYS(GSIM_CLI_STREAMS, GSIM_CLI_CUDA_GRAPH, GSIM_CLI_PYTHON, GSIM_CLI_SPREAD_RUNS)},
    {"recorded cases", GSIM_CLI_ON_VALIDATE, OF_TRACES | GSIM_CLI_OF_RUNS, KEYS(GSIM_CLI_HALF, GSIM_CLI_SPREAD_RUNS)},
    {"recorded runs", GSIM_CLI_ON_VALIDATE, OF_TRACES | GSIM_CLI_OF_CASES, KEYS(GSIM_CLI_SPLIT)},
    {"recorded cases and runs", GSIM_CLI_ON_VALIDATE, OF_TRACES, KEYS(GSIM_CLI_AGAIN)},
    {"results merge", GSIM_CLI_ON_RESULTS, GSIM_CLI_OF_ROWS, KEYS(GSIM_CLI_OUT, GSIM_CLI_RESUME, GSIM_CLI_MIX)},
    {"rows that are printed", GSIM_CLI_ON_RESULTS, GSIM_CLI_OF_MERGE,
     KEYS(GSIM_CLI_CONDITION, GSIM_CLI_VALUE, GSIM_CLI_COLUMNS, GSIM_CLI_GROUP, GSIM_CLI_PAIRS, GSIM_CLI_BASE,
          GSIM_CLI_CSV, GSIM_CLI_JSON, GSIM_CLI_LIMIT)},
    {"timelines", GSIM_CLI_ON_PLOT, OF_FRAMES | GSIM_CLI_OF_SHARES | GSIM_CLI_OF_LOAD,
     KEYS(GSIM_CLI_ITERATION, GSIM_CLI_WINDOW)},
    {"heatmaps", GSIM_CLI_ON_PLOT,
     (OF_FRAMES & ~GSIM_CLI_OF_HEATMAP) | GSIM_CLI_OF_SHARES | GSIM_CLI_OF_LOAD | GSIM_CLI_OF_TIMELINE,
     KEYS(GSIM_CLI_VALUE)},
    {"figures of a sweep's results", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_TIMELINE | GSIM_CLI_OF_SHARES,
     KEYS(GSIM_CLI_AXIS_X, GSIM_CLI_AXIS_Y, GSIM_CLI_XLABEL, GSIM_CLI_YLABEL, GSIM_CLI_BASE)},
    {"figures of a sweep's results", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_TIMELINE, KEYS(GSIM_CLI_SERIES)},
    {"figures of a sweep's results", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_LOAD,
     KEYS(GSIM_CLI_AXIS_X, GSIM_CLI_SERIES, GSIM_CLI_XLABEL, GSIM_CLI_YLABEL, GSIM_CLI_BASE)},
    {"figures with a label below", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_BOX, KEYS(GSIM_CLI_XLABEL)},
    {"figures of lines, bars or points", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_HEATMAP, KEYS(GSIM_CLI_SERIES, GSIM_CLI_LOG)},
    {"speed-ups", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_NO_SPEEDUP, KEYS(GSIM_CLI_BASE)},
    {"files of several runs", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_SHARES | GSIM_CLI_OF_LOAD | GSIM_CLI_OF_ONE_RUN,
     KEYS(GSIM_CLI_CONDITION)},
    {"figures with axes of numbers", GSIM_CLI_ON_PLOT, GSIM_CLI_OF_TIMELINE, KEYS(GSIM_CLI_LOG)},
};

/* KEYS do nothing where NEEDED is not given. */
static const struct need {
    unsigned commands;
    enum gsim_cli_key needed;
    const enum gsim_cli_key *keys;
} needs[] = {
    {GSIM_CLI_ON_WHATIF | GSIM_CLI_ON_SENSITIVITY, GSIM_CLI_OUTPUT,
     KEYS(GSIM_CLI_TITLE, GSIM_CLI_WIDTH, GSIM_CLI_HEIGHT, GSIM_CLI_FONT, GSIM_CLI_KEEP)},
    {GSIM_CLI_ON_RUN | GSIM_CLI_ON_EXPLAIN, GSIM_CLI_TRACE, KEYS(GSIM_CLI_TRACE_WINDOW, GSIM_CLI_TRACE_SMS)},
    {GSIM_CLI_ON_BOTH, GSIM_CLI_TASK, KEYS(GSIM_CLI_HOST, GSIM_CLI_HOST_SPEED)},
    {ON_CLIENTS, GSIM_CLI_TASK, KEYS(GSIM_CLI_SHARE, GSIM_CLI_PROFILE, GSIM_CLI_MEASURE)},
    {GSIM_CLI_ON_SWEEP, GSIM_CLI_RESUME, KEYS(GSIM_CLI_RETRY)},
};

static bool is_given(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key)
{
    for (size_t i = 0; i < arguments->repeated_count; i++)
        if (arguments->repeated[i].key == key) return true;
    return arguments->value[key] != NULL;
}

static const char *subject_text(uint64_t subject)
{
#define SUBJECT_TEXT(key, text)                                                                                        \
    if (subject & GSIM_CLI_OF_##key) return text;
    GSIM_CLI_OF_MAP(SUBJECT_TEXT)
#undef SUBJECT_TEXT
    return "this";
}

enum gsim_status gsim_cli_check_used(const struct gsim_cli_arguments *arguments, uint64_t subjects,
                                     struct gsim_error *error)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *rule = &rules[i];
        if (!(rule->commands >> arguments->command & 1) || subjects & ~rule->subjects) continue;
        for (const enum gsim_cli_key *key = rule->keys; *key != GSIM_CLI_KEY_COUNT; key++)
            if (is_given(arguments, *key))
                return gsim_refuse(error, "--%s: applies to %s, not to %s", gsim_cli_option_at(*key)->name, rule->users,
                                   subject_text(subjects));
    }
    return GSIM_OK;
}

enum gsim_status gsim_cli_check_needs(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const struct need *need = &needs[i];
        if (!(need->commands >> arguments->command & 1) || is_given(arguments, need->needed)) continue;
        const struct gsim_cli_option *needed = gsim_cli_option_at(need->needed);
        int length = needed->metavar ? (int)strcspn(needed->metavar, "[|") : 0;
        for (const enum gsim_cli_key *key = need->keys; *key != GSIM_CLI_KEY_COUNT; key++)
            if (is_given(arguments, *key))
                return gsim_refuse(error, "--%s: expected --%s%s%.*s with it", gsim_cli_option_at(*key)->name,
                                   needed->name, length ? " " : "", length, needed->metavar ? needed->metavar : "");
    }
    return GSIM_OK;
}
