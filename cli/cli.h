/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). The command line: cli/words/parse.c parses, cli/cli.c dispatches, cli/help.c has the help,
 * cli/setup.c makes a simulation from arguments; each command is cli/COMMAND.c. cli/runner/main.h includes this header,
 * too. Messages go to stderr as one line, results to stdout.
 */
#pragma once

#include "cli/serving/serve.h"
#include "sim/report/report.h"
#include "gpusim/generator.h"
#include "gpusim/opplan.h"
#include "gpusim/placement.h"
#include "gpusim/source.h"
#include "gpusim/simulate.h"
#include "gpusim/workload.h"
#include "workloads/services/services.h"

/* X(KEY, name, FUNCTION: gsim_cli_FUNCTION()). PAGE, STEP_TIME: "report" and "step" are options, too. */
#define GSIM_CLI_COMMAND_MAP(X)                                                                                        \
    X(RUN, "run", run) X(COMPARE, "compare", compare) X(LIST, "list", list) X(VALIDATE, "validate", validate)          \
    X(IMPORT, "import", import) X(PLOT, "plot", plot) X(SWEEP, "sweep", sweep) X(PAGE, "report", page)                 \
    X(REPRODUCE, "reproduce", reproduce) X(CALIBRATE, "calibrate", calibrate)                                          \
    X(SENSITIVITY, "sensitivity", sensitivity) X(RESULTS, "results", results)                                          \
    X(COMPLETION, "completion", completion) X(ABLATE, "ablate", ablate) X(EXPLAIN, "explain", explain)                 \
    X(WHATIF, "whatif", whatif) X(SERVE, "serve", serve) X(STEP_TIME, "step", step)                                    \
    X(SCHEDULE, "schedule", schedule) X(RECORD, "trace", record) X(QUESTION, "ask", ask)

#define GSIM_CLI_COMMAND_KEY(key, name, function) GSIM_CLI_##key,
enum gsim_cli_command { GSIM_CLI_COMMAND_MAP(GSIM_CLI_COMMAND_KEY) GSIM_CLI_COMMAND_COUNT };

/* Bits of gsim_cli_option.commands: GSIM_CLI_ON_RUN, ... */
#define GSIM_CLI_COMMAND_BIT(key, name, function) GSIM_CLI_ON_##key = 1u << GSIM_CLI_##key,
enum { GSIM_CLI_COMMAND_MAP(GSIM_CLI_COMMAND_BIT) GSIM_CLI_ON_ALL = (1u << GSIM_CLI_COMMAND_COUNT) - 1 };
#define GSIM_CLI_ON_SERVING  (GSIM_CLI_ON_SERVE | GSIM_CLI_ON_STEP_TIME)
#define GSIM_CLI_ON_ASK      (GSIM_CLI_ON_EXPLAIN | GSIM_CLI_ON_WHATIF | GSIM_CLI_ON_QUESTION)
/* Of a trace or a program: cli/whatif/subject.h. */
#define GSIM_CLI_ON_SUBJECT  (GSIM_CLI_ON_ASK | GSIM_CLI_ON_SCHEDULE)
/* That read a CUDA source as they are told; a sweep reads it as it stands. */
#define GSIM_CLI_ON_SOURCE   (GSIM_CLI_ON_SUBJECT | GSIM_CLI_ON_IMPORT | GSIM_CLI_ON_BOTH | GSIM_CLI_ON_SENSITIVITY)
#define GSIM_CLI_ON_BOTH     (GSIM_CLI_ON_RUN | GSIM_CLI_ON_COMPARE)
#define GSIM_CLI_ON_MODEL    (GSIM_CLI_ON_BOTH | GSIM_CLI_ON_VALIDATE)
#define GSIM_CLI_ON_POINT    (GSIM_CLI_ON_BOTH | GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_SENSITIVITY)

/* cli/options.def has X(KEY, name, metavar or NULL for a switch, commands) of each option, made of cli/help.txt. */
enum gsim_cli_key {
#define X(key, name, metavar, commands) GSIM_CLI_##key,
#include "cli/options.def"
#undef X
    GSIM_CLI_KEY_COUNT
};

struct gsim_cli_option {
    const char *name, *metavar;
    unsigned commands;
    const char *help; /* of gsim_cli_option_of() alone */
};
const struct gsim_cli_option *gsim_cli_option_at(enum gsim_cli_key key);

struct gsim_cli_repeated {
    enum gsim_cli_key key;
    const char *text;
};

/* The arguments; texts point into argv. */
struct gsim_cli_arguments {
    enum gsim_cli_command command;
    const char *value[GSIM_CLI_KEY_COUNT]; /* NULL: not given; "" for a switch */
    const char **opts;                     /* each --opt, "NAME=VALUE" */
    size_t opt_count;
    const char **operands; /* list: which list, which of its entries; validate: the files; import: format and file */
    size_t operand_count;
    int argc; /* the whole command line, for figures that say how they were made */
    char **argv;
    const struct gsim_device_spec *device; /* sweeps: loaded before, in place of the one that is named; else NULL */
    struct gsim_cli_repeated *repeated; /* options other than --opt that may be given several times, in order */
    size_t repeated_count;
    bool is_quiet; /* its notes have been told */
};

const char *gsim_cli_command_name(int command);
/* Parses argv[at] and later words into ARGUMENTS, whose command, opts and operands (room for argc each) the caller has
 * set. */
enum gsim_status gsim_cli_parse(struct gsim_cli_arguments *arguments, int argc, char **argv, int at,
                                struct gsim_error *error) GSIM_NODISCARD;
/* Returns the exit status of the program. */
int gsim_cli_main(int argc, char **argv);
void gsim_cli_help_program(struct gsim_output *output);
void gsim_cli_help_command(enum gsim_cli_command command, struct gsim_output *output);
const char *gsim_cli_usage(enum gsim_cli_command command);
const char *gsim_cli_summary(enum gsim_cli_command command);
bool gsim_cli_is_repeatable(enum gsim_cli_key key); /* may be given several times */
/* Returns an option as COMMAND has it, perhaps with its own metavar and help. */
struct gsim_cli_option gsim_cli_option_of(enum gsim_cli_key key, enum gsim_cli_command command);

/* Each runs a command. 0: done; a status: ERROR is to be told; else ERROR is empty, and that is the exit status. */
#define GSIM_CLI_COMMAND_FUNCTION(key, name, function)                                                                 \
    int gsim_cli_##function(const struct gsim_cli_arguments *arguments, struct gsim_error *error);
GSIM_CLI_COMMAND_MAP(GSIM_CLI_COMMAND_FUNCTION)

/* --- cli/uses.c: what a run is about, and so which options it has a use for ------------------------------ */
/* X(KEY, its name in messages) */
#define GSIM_CLI_OF_MAP(X)                                                                                             \
    X(BENCHMARK, "a built-in workload") X(FILE, "a program file") X(GENERATOR, "a generator") X(SOURCE, "a source")    \
    X(SERVICE, "a service") X(TRACE, "a profiler's trace") X(RANK_TRACES, "traces of several ranks")                   \
    X(CUDA, "a CUDA source") X(PROGRAM, "one program") X(TASKS, "tasks (--task)") X(COPIES, "copies of a task")        \
    X(RANKS, "ranks (--ranks)") X(SERVER, "a server") X(ONE_GPU, "one GPU")                                            \
    X(UNMANAGED, "pinned or pageable memory")                                                                          \
    X(OWN_SIZE, "tasks with size=") X(OWN_SCHED, "tasks with sched=")                                                  \
    X(OTHER_PROFILER, "a trace of another one") X(NO_SPEEDUP, "other columns")                                         \
    X(CASES, "recorded cases") X(RUNS, "recorded runs") X(ROWS, "rows that are printed") X(MERGE, "merge")             \
    X(ONE_RUN, "a file of one run") X(SPEEDUP, "speedup") X(LINES, "lines") X(HEATMAP, "heatmap")                      \
    X(SCATTER, "scatter") X(BOX, "box") X(TIMELINE, "timeline") X(SHARES, "jct and clients") X(LOAD, "load")
enum {
#define GSIM_CLI_OF_BIT(key, text) GSIM_CLI_OF_NUMBER_##key,
    GSIM_CLI_OF_MAP(GSIM_CLI_OF_BIT)
#undef GSIM_CLI_OF_BIT
#define GSIM_CLI_OF_BIT(key, text) GSIM_CLI_OF_##key = UINT64_C(1) << GSIM_CLI_OF_NUMBER_##key,
    GSIM_CLI_OF_MAP(GSIM_CLI_OF_BIT)
#undef GSIM_CLI_OF_BIT
};
/* Fails on an option that none of SUBJECTS, bits GSIM_CLI_OF_..., has a use for. */
enum gsim_status gsim_cli_check_used(const struct gsim_cli_arguments *arguments, uint64_t subjects,
                                     struct gsim_error *error) GSIM_NODISCARD;
/* Fails on an option that does nothing without another one. For every command. */
enum gsim_status gsim_cli_check_needs(const struct gsim_cli_arguments *arguments,
                                      struct gsim_error *error) GSIM_NODISCARD;

/* Ends a command with an exit status of its own. */
static inline int gsim_cli_exit(struct gsim_error *error, int exit_status)
{
    *error = (struct gsim_error){0};
    return exit_status;
}
/* Calls a command: prints "gpusim: MESSAGE" where it fails. Returns the exit status. */
int gsim_cli_call(const struct gsim_cli_arguments *arguments);

/* Writes TEXT in lines of at most GSIM_CLI_LINE_MAX; those behind the first begin with INDENT spaces. AT: columns that
 * the first line has already. */
#define GSIM_CLI_LINE_MAX 100
void gsim_cli_wrap(struct gsim_output *out, const char *text, int at, int indent);
/* The lines of a program's GUESSES that are not in TOLD, behind a text; with TOLD as a member "notes" of JSON. */
void gsim_cli_put_guesses(struct gsim_output *out, const char *guesses, const char *told);
void gsim_cli_put_guesses_json(struct gsim_output *out, const char *guesses, const char *told);

/* Fails if an output file cannot be written or is another file of the command. For every command. cli/outputs.c */
enum gsim_status gsim_cli_check_outputs(const struct gsim_cli_arguments *arguments,
                                        struct gsim_error *error) GSIM_NODISCARD;
/* What a command found, as CSV and JSON where a file is named, and as text on standard output unless one of these takes
 * it. */
struct gsim_cli_forms {
    gsim_output_form *csv, *json, *text;
};
enum gsim_status gsim_cli_write(const char *csv, const char *json, const struct gsim_cli_forms *forms, const void *what,
                                struct gsim_error *error) GSIM_NODISCARD;

/* --- cli/deliver.c: the end of a run ------------------------------------------------------------------- */
/* Writes the files of the options, and the report to the terminal unless one of them went there. */
enum gsim_status gsim_cli_deliver(const struct gsim_cli_arguments *arguments, const struct gsim_result *result,
                                  struct gsim_error *error) GSIM_NODISCARD;
struct gsim_cli_point;
/* The same of a run by its timeline, with metrics and the window of --trace-window. STATS: of tasks, or NULL. */
enum gsim_status gsim_cli_deliver_all(const struct gsim_cli_arguments *arguments,
                                      const struct gsim_simulation *simulation, const struct gsim_timeline *timeline,
                                      const struct gsim_cli_point *point, const struct gsim_task_stats *stats,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* Warns on stderr if --trace-window begins after the run's end. */
void gsim_cli_note_window(const struct gsim_result *result);

/* --- cli/setup.c: from arguments to simulations -------------------------------------------------------- */
/* Common to all runs of a call. */
struct gsim_cli_platform;

struct gsim_cli_setup {
    const struct gsim_cli_arguments *arguments;
    struct gsim_device_spec device;
    struct gsim_cli_platform *node;           /* of which DEVICE is the first; NULL: there is none */
    struct gsim_gpu_options gpu;
    enum gsim_suite suite;
    enum gsim_memory_mode memory;
    bool prefetch, noise;
    uint64_t seed;
    uint32_t iterations, block1d, blocks, gpus; /* 0: not given */
    bool until_steady;                    /* without iterations: as many as it takes, for who compares */
    const struct gsim_placement_ops *placement; /* NULL: the program says, or PLACES_BEST */
    bool is_quiet;                        /* what a CUDA source leaves open was told already */
    bool places_best;                     /* each one is simulated (cli/place/best.c) */
    struct gsim_program *program;         /* in place of the one that is named; moved to the point. NULL: none */
};

enum gsim_status gsim_cli_setup_init(struct gsim_cli_setup *setup, const struct gsim_cli_arguments *arguments,
                                     struct gsim_error *error) GSIM_NODISCARD;

/* A CUDA source, as "gpusim import cuda" makes a program of it. */
enum gsim_status gsim_cli_read_cuda(const struct gsim_cli_arguments *arguments, const char *path, bool is_quiet,
                                    struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;

/* Sets the device numbers and rules that --opt names, again where a trace's or a host's replaced them. */
enum gsim_status gsim_cli_setup_machine(struct gsim_cli_setup *setup, struct gsim_error *error) GSIM_NODISCARD;
void gsim_cli_setup_release(struct gsim_cli_setup *setup);

#define GSIM_CLI_MACHINE 256
/* The GPUs of a run as a title has them. cli/place/links.c */
const char *gsim_cli_machine(const struct gsim_cli_setup *setup, char text[GSIM_CLI_MACHINE]);

/* Returns the parameters of a plugin as --opt sets them, from ARENA. */
enum gsim_status gsim_cli_params(const struct gsim_cli_arguments *arguments, const struct gsim_scheduler_ops *scheduler,
                                 struct gsim_arena *arena, void **params, struct gsim_error *error) GSIM_NODISCARD;

#define GSIM_CLI_PLAN_SCHED "plan=" /* --sched plan=FILE */

/* --- cli/place/place.c: --place -------------------------------------------------------------------------------- */
/* Without --place *OPS is NULL. */
enum gsim_status gsim_cli_placement(const struct gsim_cli_arguments *arguments, const struct gsim_placement_ops **ops,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* What --opt sees of it: a name and parameters. */
struct gsim_scheduler_ops gsim_cli_placement_view(const struct gsim_placement_ops *ops);
bool gsim_cli_ignores_place(const struct gsim_scheduler_ops *scheduler);
struct gsim_cli_point;
/* Also the plan that --sched plan=FILE names. */
enum gsim_status gsim_cli_place_point(struct gsim_cli_point *point, const struct gsim_cli_setup *setup,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* Writes --plan, if given. */
enum gsim_status gsim_cli_write_plan(const struct gsim_cli_arguments *arguments, const struct gsim_timeline *timeline,
                                     struct gsim_error *error) GSIM_NODISCARD;

/* --- cli/place/best.c: --place best, --sched best ------------------------------------------------------------- */
bool gsim_cli_is_best(const char *text);
/* Sets the point's placement to that of the least makespan. TELLS: prints the gain on stderr. */
enum gsim_status gsim_cli_best_place(struct gsim_cli_point *point, bool tells, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_best_scheduler(const struct gsim_cli_setup *setup, const char *workload,
                                         const struct gsim_scheduler_ops **best,
                                         struct gsim_error *error) GSIM_NODISCARD;

/* --- cli/kernels/kernels.c --------------------------------------------------------------------------------------- */
/* Sets the data of --kernels on the program's kernels and prints their number on stderr. */
enum gsim_status gsim_cli_apply_kernels(const struct gsim_cli_arguments *arguments, struct gsim_program *program,
                                        struct gsim_error *error) GSIM_NODISCARD;
struct gsim_profiles;
/* Says on stderr how many kernels were given what the file at PATH says. */
void gsim_cli_note_kernels(const char *path, const struct gsim_profiles *profiles);
int gsim_cli_import_ncu(const struct gsim_cli_arguments *arguments, struct gsim_error *error);

/* --- cli/idle.c: options that do nothing ---------------------------------------------------------------- */
/* A finished run. */
struct gsim_cli_case {
    const char *workload;
    const struct gsim_scheduler_ops *scheduler;
    gsim_time makespan, iteration_total;
    size_t kernels;
};
/* Warns on stderr of each --opt that changes no run, found by running them without it (not if they are large), and of
 * each that cannot change the kernels' times alone. */
void gsim_cli_note_idle_opts(const struct gsim_cli_setup *setup, const struct gsim_cli_case *cells, size_t count);
/* Whether NUMBER says how fast kernels run, and TEXT: how many kernels do not ask for it; false: none. */
bool gsim_cli_is_of_kernels(enum gsim_device_number number);
bool gsim_cli_time_alone_text(const struct gsim_program *program, const struct gsim_device_spec *device,
                              char text[160]);

/* One program under one scheduler. */
struct gsim_cli_point {
    struct gsim_program program;
    struct gsim_simulation simulation;
    const struct gsim_generator_ops *generator; /* that drew the program; NULL: none did */
    struct gsim_op_plan plan;              /* of --sched plan=FILE */
    const struct gsim_source_ops
        *source; /* that the program is drawn from while it runs: PROGRAM is what was drawn; NULL: it is known */
    void *numbers;                         /* of either */
    struct gsim_workload_options workload; /* of a built-in one, as build() took it */
    void *params;
    struct gsim_option_text *options; /* every resolved option */
    size_t option_count;
    struct gsim_metrics iteration;    /* of the last run: of its iteration of median length */
    size_t iteration_kernels;
    struct gsim_arena arena;
};

/* Reads --jobs, from 1 to GSIM_JOBS_MAX; INITIAL without it (0: the machine's cores). */
enum gsim_status gsim_cli_jobs(const struct gsim_cli_arguments *arguments, uint32_t initial, uint32_t *jobs,
                               struct gsim_error *error) GSIM_NODISCARD;
/* An integer from LEAST to MOST, which the option may give instead of the value. */
enum gsim_status gsim_cli_integer(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key, double least,
                                  double most, double *value, struct gsim_error *error) GSIM_NODISCARD;
/* An integer from LEAST to MOST; INITIAL where the option is not given. */
enum gsim_status gsim_cli_count(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key, double least,
                                double most, uint32_t initial, uint32_t *value,
                                struct gsim_error *error) GSIM_NODISCARD;
/* Returns the index of the option's value in its metavar "a|b|c". */
enum gsim_status gsim_cli_choice(const struct gsim_cli_arguments *arguments, enum gsim_cli_key key, int initial,
                                 int *value, struct gsim_error *error) GSIM_NODISCARD;
/* Reads --spread N, the number of copies; 0 without it. */
enum gsim_status gsim_cli_spread_runs(const struct gsim_cli_arguments *arguments, uint32_t *runs,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* Reads FROM:TO with units, in microseconds; left out: 0 and INFINITY. cli/part.c */
enum gsim_status gsim_cli_window(enum gsim_cli_key key, const char *text, double *from_us, double *to_us,
                                 struct gsim_error *error) GSIM_NODISCARD;
/* Reads --trace-window; both 0 without it. */
enum gsim_status gsim_cli_trace_window(const struct gsim_cli_arguments *arguments, gsim_time *from, gsim_time *until,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* Reads --trace-sms, the number of SMs; 0 without it. */
enum gsim_status gsim_cli_trace_sms(const struct gsim_cli_arguments *arguments, uint32_t *sm_count,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* Fails without --workload or --sched. */
enum gsim_status gsim_cli_need_program(const struct gsim_cli_arguments *arguments,
                                       struct gsim_error *error) GSIM_NODISCARD;
/* Finds a number of devices that the option names. The message on an unknown one has the nearest known one. */
enum gsim_status gsim_cli_device_number(enum gsim_cli_key key, const char *name, enum gsim_device_number *number,
                                        struct gsim_error *error) GSIM_NODISCARD;
/* Finds a scheduler by name or path. The message on an unknown name has the nearest known one. */
enum gsim_status gsim_cli_scheduler(const char *text, const struct gsim_scheduler_ops **ops,
                                    struct gsim_error *error) GSIM_NODISCARD;
/* Fails if an --opt is of none of the COUNT schedulers. */
enum gsim_status gsim_cli_check_opts(const struct gsim_cli_arguments *arguments,
                                     const struct gsim_scheduler_ops *const *schedulers, size_t count,
                                     struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_size(const struct gsim_cli_setup *setup, const struct gsim_workload_ops *workload,
                               struct gsim_workload_options *options,
                               struct gsim_error *error) GSIM_NODISCARD; /* --size */
enum gsim_status gsim_cli_unknown_workload(const char *text, struct gsim_error *error);
/* Fails if NAME is gpu.X or device.X and there is no such number. */
enum gsim_status gsim_cli_check_machine(const char *name, struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_cli_point_init(struct gsim_cli_point *point, const struct gsim_cli_setup *setup,
                                     const char *workload, const struct gsim_scheduler_ops *scheduler,
                                     struct gsim_error *error) GSIM_NODISCARD;
void gsim_cli_point_release(struct gsim_cli_point *point);
/* Whether the text is the path of one, by its end. */
bool gsim_cli_is_shared_object(const char *text);

/* Fails if the program is a source and WHAT needs to know it beforehand. */
enum gsim_status gsim_cli_point_known(const struct gsim_cli_point *point, const char *what,
                                      struct gsim_error *error) GSIM_NODISCARD;

/* Says on stderr which kernels were measured on a device that is none of DEVICES (names of those simulated) and none of
 * the search path, but nearly has the name of one. cli/notes.c */
void gsim_cli_note_devices(const struct gsim_program *program, const char *const *devices, size_t device_count);

/* Simulates and computes metrics. The caller releases TIMELINE in any case. */
enum gsim_status gsim_cli_point_run(struct gsim_cli_point *point, bool detailed, struct gsim_timeline *timeline,
                                    struct gsim_metrics *metrics, struct gsim_error *error) GSIM_NODISCARD;
