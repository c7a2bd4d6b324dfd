/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim schedule FILE.cu": reads the source, simulates it under the scheduler, writes it
 * anew. */
#include "cli/schedule/schedule.h"

#include <inttypes.h>

#include "cli/words/source.h"
#include "sim/base/text.h"
#include "source/write/cuda.h"
#include "traces/import/importers.h"
#include "sim/base/gz.h"
#include "source/run/check.h"
#include "cli/whatif/subject.h"

/* --- --check: both are run on the CPU in many orders --- */
#define ORDERS 24

/* WRITTEN against the source at PATH; NULL: the source alone. GSIM_INPUT: it is wrong, and what is wrong is printed. */
static enum gsim_status check_in_orders(const char *path, const struct gsim_cuda_options *options,
                                        const struct gsim_cli_run *run, const char *written, size_t length,
                                        struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_run_verdict *verdict = GSIM_ARENA_NEW(&arena, struct gsim_run_verdict);
    struct gsim_run_check check = {
        .path = path, .options = options, .orders = ORDERS, .written = written, .written_length = length,
        .words = run->words, .limit_s = run->limit_s};
    char *source = gsim_file_read(path, &check.source_length, error);
    enum gsim_status status = source ? GSIM_OK : error->status;
    check.source = source;
    if (status == GSIM_OK) status = gsim_run_check(&check, verdict, error);
    if (status == GSIM_OK && !verdict->is_right) {
        fputs(verdict->text, stderr);
        status = gsim_error_set(error, GSIM_INPUT, "%s: %s", path,
                                written ? "what was written is not the same program; nothing is written"
                                        : "its streams are not ordered as its data needs");
    }
    if (status == GSIM_OK)
        fprintf(stderr,
                "checked: %" PRIu32 " kernels in %" PRIu32 " orders: no race, all %" PRIu32
                " copies to the host and what it reads itself are the source's\n",
                verdict->kernels, verdict->orders, verdict->seen);
    gsim_free(source);
    gsim_arena_release(&arena);
    return status;
}

/* Less than one in a hundred is none. */
#define MIN_GAIN 1.01

struct source {
    const struct gsim_cli_arguments *arguments;
    const char *path;
    struct gsim_cuda_word *words;
    struct gsim_cuda_log log;
    struct gsim_cuda_options cuda;
    struct gsim_program program;
    struct gsim_import_notes notes;
    const struct gsim_scheduler_ops *scheduler;
    struct gsim_cli_setup setup;
    struct gsim_cli_point point;
    struct gsim_timeline timeline;
    struct gsim_cuda_counts counts;
    struct gsim_cli_run run;
    char command[256];
};

static enum gsim_status check_words(struct source *s, struct gsim_error *error)
{
    const char *const *value = s->arguments->value;
    if (!value[GSIM_CLI_CHECK] && !value[GSIM_CLI_RUN_ARGS] && value[GSIM_CLI_RUN_LIMIT])
        return gsim_refuse(error, "--run-limit: applies where the source is run (--run, --check)");
    if (!value[GSIM_CLI_SCHED])
        return gsim_refuse(error, "no scheduler: expected --sched NAME (see gpusim list schedulers)");
    if (!value[GSIM_CLI_OUTPUT] && !value[GSIM_CLI_DIFF] && !value[GSIM_CLI_PLAN] && !value[GSIM_CLI_CHECK])
        return gsim_refuse(error,
                           "no output: expected -o, --diff or --plan FILE, or --check (see gpusim schedule --help)");
    if (gsim_cli_is_best(value[GSIM_CLI_SCHED]))
        return gsim_refuse(error, "--sched best: expected one scheduler (gpusim compare tells which is best)");
    enum gsim_status status = gsim_cli_scheduler(value[GSIM_CLI_SCHED], &s->scheduler, error);
    if (status == GSIM_OK) status = gsim_cli_check_opts(s->arguments, &s->scheduler, 1, error);
    return status;
}

static void name_command(struct source *s)
{
    snprintf(s->command, sizeof s->command, "gpusim schedule %.100s --sched %.60s%s", gsim_text_file(s->path),
             s->arguments->value[GSIM_CLI_SCHED], s->arguments->value[GSIM_CLI_AS_GRAPH] ? " --graph" : "");
}

static enum gsim_status read_source(struct source *s, struct gsim_error *error)
{
    struct gsim_import_options options = {.cuda = &s->cuda, .name = "source"};
    s->words = gsim_alloc(sizeof *s->words * (s->arguments->repeated_count + s->arguments->operand_count));
    enum gsim_status status = gsim_cli_setup_init(&s->setup, s->arguments, error);
    if (status == GSIM_OK) status = gsim_cli_source(s->arguments, s->words, &s->cuda, error);
    s->cuda.device = &s->setup.device;
    s->cuda.log = &s->log;
    s->cuda.written[0] = s->arguments->value[GSIM_CLI_OUTPUT];
    s->cuda.written[1] = s->arguments->value[GSIM_CLI_DIFF];
    if (status == GSIM_OK) status = gsim_cli_source_run(s->arguments, s->path, true, &s->cuda, &s->run, error);
    if (status == GSIM_OK) status = gsim_import_cuda(s->path, &options, &s->program, &s->notes, error);
    if (status == GSIM_OK && s->log.stream_line)
        status = gsim_error_set(error, GSIM_INPUT,
                                "%s:%" PRIu32
                                ": the source makes a stream of its own: expected a serial program, which launches "
                                "in the default stream",
                                s->path, s->log.stream_line);
    return status;
}

/* Calls whose count or whether is not known, so that no time is. */
static uint32_t count_unknown(const struct gsim_cuda_log *log)
{
    uint32_t count = 0;
    for (size_t i = 0; i < log->step_count; i++)
        count += log->steps[i].op != GSIM_CUDA_NONE && !gsim_cuda_is_sure(log, log->steps[i].node);
    return count;
}

static double gain_of(const struct source *s, size_t i)
{
    return gsim_time_us(s->counts.gain.before[i]) / gsim_time_us(s->counts.gain.now[i]);
}

/* What the file is worth, against the source as it stands; whether it is to be written. */
static bool judge(const struct source *s)
{
    const struct gsim_cuda_counts *c = &s->counts;
    char text[2][GSIM_TEXT_SIZE];
    uint32_t unknown = s->run.told.facts ? 0 : count_unknown(&s->log);
    double least = gain_of(s, 0), most = least;
    bool pays = c->calls > c->left_calls;
    for (size_t i = 1; i < GSIM_GAIN_TIMES; i++) {
        if (gain_of(s, i) < least) least = gain_of(s, i);
        if (gain_of(s, i) > most) most = gain_of(s, i);
    }
    if (unknown || s->log.guesses) {
        fprintf(stderr,
                "no time is predicted: of %" PRIu32 " calls it is not known how often they are executed, and %" PRIu32
                " sizes or rounds are assumed (--arg NAME=VALUE)\n",
                unknown, s->log.guesses);
    } else {
        fprintf(stderr,
                "predicted on %s: as it stands %s, as written %s: %.2fx, %.2f to %.2f; kernels are %s\n",
                s->point.simulation.device->name, gsim_text_time(text[0], c->gain.before[0]),
                gsim_text_time(text[1], c->gain.now[0]), gain_of(s, 0), least, most,
                s->arguments->value[GSIM_CLI_KERNELS] ? "profiled where --kernels names them" : "estimates");
        pays &= gain_of(s, 0) >= MIN_GAIN && least > 1;
    }
    if (pays || s->arguments->value[GSIM_CLI_ALWAYS]) return true;
    fprintf(stderr, "no gain: left as it is, nothing is written (--always writes it)\n");
    return false;
}

static void tell(const struct source *s)
{
    const struct gsim_cuda_counts *c = &s->counts;
    if (c->pageable_copies)
        fprintf(stderr,
                "gpusim: note: %" PRIu32 " copies are from or to memory that is not pinned: they have streams, and "
                                         "their call returns when the data has "
                "left (cudaMallocHost makes it pinned)\n",
                c->pageable_copies);
    if (c->lost_prefetches)
        fprintf(
            stderr,
            "gpusim: note: %" PRIu32
            " prefetches of the schedule are left out: their call is made more than once, or its arguments do not name "
            "the buffer\n",
            c->lost_prefetches);
    gsim_cli_print_launches(&s->notes);
    fprintf(stderr,
            "scheduled: %" PRIu32 " of %" PRIu32 " calls, %" PRIu32 " streams, %" PRIu32 " events, %" PRIu32
            " waits, %" PRIu32 " prefetches, %" PRIu32 " graphs; synchronisations: %" PRIu32 " removed, %" PRIu32
            " added\n",
            c->calls - c->left_calls, c->calls, c->streams, c->events, c->waits, c->prefetches, c->graphs,
            c->removed_syncs, c->added_syncs);
}

static enum gsim_status write(struct source *s, struct gsim_error *error)
{
    struct gsim_output source = {0}, difference = {0};
    const char *to = s->arguments->value[GSIM_CLI_OUTPUT], *diff = s->arguments->value[GSIM_CLI_DIFF];
    char *text = NULL;
    size_t length = 0;
    const struct gsim_cuda_export export = {.path = s->path,
                                            .scheduler = s->scheduler->name,
                                            .command = s->command,
                                            .log = &s->log,
                                            .simulation = &s->point.simulation,
                                            .as_graph = s->arguments->value[GSIM_CLI_AS_GRAPH],
                                            .factor = s->arguments->value[GSIM_CLI_KERNELS] ? 1.1 : 2,
                                            .note = s->cuda.note};
    enum gsim_status status = gsim_output_open_memory(&source, &text, &length, error);
    if (status == GSIM_OK && diff) status = gsim_output_open(&difference, diff, error);
    if (status == GSIM_OK)
        status = gsim_cuda_export(&export, to && strcmp(to, "-") != 0 ? to : "scheduled.cu", &source,
                                  diff ? &difference : NULL, &s->timeline, &s->counts, error);
    if (status == GSIM_OK) status = gsim_output_commit(&source, error);
    if (status == GSIM_OK) tell(s);
    if (status == GSIM_OK) {
        bool is_wanted = judge(s);
        to = is_wanted ? to : NULL;
        diff = is_wanted ? diff : NULL;
    }
    if (status == GSIM_OK && s->arguments->value[GSIM_CLI_CHECK])
        status = check_in_orders(s->path, &s->cuda, &s->run, text, length, error);
    if (status == GSIM_OK) status = gsim_cli_write_plan(s->arguments, &s->timeline, error);
    if (status == GSIM_OK && to) {
        struct gsim_output output = {0};
        status = gsim_output_open(&output, to, error);
        if (status == GSIM_OK) gsim_output_bytes(&output, text, length);
        if (status == GSIM_OK) status = gsim_output_commit(&output, error);
        gsim_output_release(&output);
    }
    if (status == GSIM_OK && diff) status = gsim_output_commit(&difference, error);
    gsim_output_release(&source);
    gsim_output_release(&difference);
    free(text);
    return status;
}

enum gsim_status gsim_cli_schedule_source(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct source s = {.arguments = arguments, .path = arguments->operands[0]};
    const char *const *value = arguments->value;
    if (value[GSIM_CLI_CHECK] && !value[GSIM_CLI_SCHED] && !value[GSIM_CLI_OUTPUT] && !value[GSIM_CLI_DIFF]) {
        /* The source as it stands: its own streams. */
        s.words = gsim_alloc(sizeof *s.words * (s.arguments->repeated_count + s.arguments->operand_count));
        enum gsim_status status = gsim_cli_source(s.arguments, s.words, &s.cuda, error);
        if (status == GSIM_OK) status = gsim_cli_source_run(s.arguments, s.path, false, &s.cuda, &s.run, error);
        if (status == GSIM_OK) status = check_in_orders(s.path, &s.cuda, &s.run, NULL, 0, error);
        gsim_cli_run_release(&s.run);
        gsim_free(s.words);
        return status;
    }
    enum gsim_status status = check_words(&s, error);
    if (status == GSIM_OK) name_command(&s);
    if (status == GSIM_OK) status = read_source(&s, error);
    if (status == GSIM_OK) status = gsim_cli_source_used(&s.cuda, error);
    if (status == GSIM_OK) {
        /* A source is of managed memory where it allocates any; a graph holds no prefetches. */
        if (!s.arguments->value[GSIM_CLI_MEMORY])
            s.setup.memory = s.log.has_managed ? GSIM_MEMORY_MANAGED : GSIM_MEMORY_PINNED;
        if (s.arguments->value[GSIM_CLI_AS_GRAPH]) s.setup.prefetch = false;
        s.setup.program = &s.program;
        status = gsim_cli_point_init(&s.point, &s.setup, s.path, s.scheduler, error);
    }
    if (status == GSIM_OK) status = write(&s, error);
    gsim_timeline_release(&s.timeline);
    gsim_cli_point_release(&s.point);
    gsim_cli_setup_release(&s.setup);
    gsim_program_release(&s.program);
    gsim_cuda_log_release(&s.log);
    gsim_cli_run_release(&s.run);
    gsim_free(s.words);
    return status;
}

/* --- the command: a CUDA source is told by its name's end --- */
int gsim_cli_schedule(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    const char *path = arguments->operand_count ? arguments->operands[0] : "", *end = strrchr(path, '.');
    bool is_source = end && (strcmp(end, ".cu") == 0 || strcmp(end, ".cuh") == 0);
    if (!is_source && arguments->operand_count != 1)
        return gsim_refuse(error,
                           "nothing to schedule: expected gpusim schedule FILE.cu [FILE...]|TRACE|PROGRAM|WORKLOAD");
    if (is_source) {
        enum gsim_status status = gsim_cli_check_used(arguments, GSIM_CLI_OF_CUDA, error);
        return status == GSIM_OK ? gsim_cli_schedule_source(arguments, error) : status;
    }
    return gsim_cli_schedule_trace(arguments, error);
}
