/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program itself, run as a user would: exit statuses, one-line messages that name what was found and what
 * was expected, files that appear only on success, help that agrees with the man page.
 */
#include <cjson/cJSON.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sweep/key.h"
#include "tests/sim/result_fixture.h"

struct outcome {
    int status;
    char *out, *err;
};

/* ARGUMENTS as the shell takes them. */
static struct outcome call(const char *arguments)
{
    char out[64], err[64], command[1024];
    struct outcome outcome;
    scratch_path(out, ".stdout");
    scratch_path(err, ".stderr");
    snprintf(command, sizeof(command), "%s %s >%s 2>%s </dev/null", GPUSIM_BINARY, arguments, out, err);
    int status = system(command);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    outcome.out = read_file(out);
    outcome.err = read_file(err);
    remove(out);
    remove(err);
    return outcome;
}

static void outcome_release(struct outcome *outcome)
{
    gsim_free(outcome->out);
    gsim_free(outcome->err);
}

/* Exit 2, nothing on stdout, one line on stderr that begins with "gpusim: " and holds PART. */
static void check_refused(const char *arguments, const char *part)
{
    struct outcome outcome = call(arguments);
    CHECK_MSG(outcome.status == 2, "'%s': exit %d, expected 2: %s", arguments, outcome.status, outcome.err);
    CHECK_HAS(outcome.err, part);
    CHECK_MSG(strncmp(outcome.err, "gpusim: ", 8) == 0, "'%s': %s", arguments, outcome.err);
    const char *newline = strchr(outcome.err, '\n');
    CHECK_MSG(newline && newline[1] == '\0', "'%s' gave not one line: %s", arguments, outcome.err);
    CHECK_STR(outcome.out, "");
    outcome_release(&outcome);
}

/* What is typed, and what the message must hold. */
static const char *const refusals[][2] = {
    {"", "nothing to do: expected --workload NAME"},
    {"--workload img", "no scheduler: expected --sched NAME"},
    {"--sched kesco", "no program: expected --workload NAME|FILE"},
    {"compair", "unknown command 'compair', did you mean 'compare'?"},
    {"--wrkload img", "unknown option '--wrkload', did you mean '--workload'?"},
    {"--workload", "--workload: expected NAME|FILE, found nothing"},
    {"--workload --sched kesco", "--workload: expected NAME|FILE, found the option --sched"},
    {"--workload img --workload ml", "--workload: given twice, 'img' and 'ml'"},
    {"--workload img --sched kesco --gantt=yes", "--gantt: takes no value, found 'yes'"},
    {"--workload img --sched kesco extra", "unexpected argument 'extra'"},
    {"--workload imgg --sched kesco", "unknown workload 'imgg': expected a name of gpusim list workloads or a "
                                      "program file, did you mean 'img'?"},
    {"--workload nowhere/p.json --sched kesco", "cannot read 'nowhere/p.json'"},
    {"--workload img --sched kseco", "unknown scheduler 'kseco', did you mean 'kesco'?"},
    {"--workload img --sched ./none.so", "./none.so"},
    {"--workload img --sched kesco --device z9", "z9"},
    {"--workload img --sched kesco --suite grcida",
     "--suite: expected kesco or grcuda, found 'grcida', did you mean 'grcuda'?"},
    {"--workload img --sched kesco --memory paged", "--memory: expected managed, pinned or pageable, found 'paged'"},
    {"--workload img --sched kesco --prefetch maybe", "--prefetch: expected on or off, found 'maybe'"},
    {"--workload img --sched kesco --size big",
     "--size: expected a number such as 1e6 or 4k, or a preset of img, found 'big'"},
    {"--workload img --sched kesco --size 0", "--size: expected at least 1"},
    {"--workload img --sched kesco --size -5", "--size: expected a number"},
    {"--workload img --sched kesco --size 1e400", "--size: expected a number"},
    {"--workload img --sched kesco --size 0x10", "--size: expected a number"},
    {"--workload img --sched kesco --size nan", "--size: expected a number"},
    {"--workload img --sched kesco --iterations 0", "--iterations: expected an integer from 1 to 1000000, found '0'"},
    {"--workload img --sched kesco --iterations 1000001",
     "--iterations: expected an integer from 1 to 1000000, found '1000001'"},
    {"--workload img --sched kesco --iterations 1.5", "--iterations: expected an integer"},
    {"--workload img --sched kesco --block1d 2048", "--block1d: expected an integer from 1 to 1024, found '2048'"},
    {"--workload img --sched kesco --blocks 65536", "--blocks: expected an integer from 1 to 65535, found '65536'"},
    {"--workload img --sched kesco --seed -1",
     "--seed: expected an integer from 0 to 18446744073709551615, found '-1'"},
    {"--workload img --sched kesco --opt streams", "--opt: expected NAME=VALUE, found 'streams'"},
    {"--workload img --sched kesco --opt stream=4", "--opt stream: not a parameter of kesco, did you mean 'streams'?"},
    {"--workload img --sched kesco --opt streams=lots", "lots"},
    {"--workload img --sched serial --opt kesco.streams=4",
     "--opt kesco.streams: the scheduler kesco is not used here"},
    {"--workload img --sched kesco --opt kseco.streams=4", "before the dot, found 'kseco', did you mean 'kesco'?"},
    {"--workload img --sched kesco --opt hw_queues=4", "did you mean 'gpu.hw_queues'?"},
    {"--workload img --sched kesco --opt gpu.hw_queue=4",
     "unknown number 'gpu.hw_queue', did you mean 'gpu.hw_queues'?"},
    {"--workload img --sched kesco --opt gpu.hw_queues=99", "99"},
    {"--workload img --sched kesco --report nowhere/r.json",
     "--report: cannot write 'nowhere/r.json': folder 'nowhere'"},
    {"--workload img --sched kesco --csv /tmp", "--csv: cannot write '/tmp': is a folder"},
    {"--workload img --sched kesco --csv x --report x", "--report and --csv: expected two files, found 'x' twice"},
    {"--workload img --sched kesco --base serial", "--base is not an option of gpusim run"},
    {"--workload img --sched kesco --json", "--json is not an option of gpusim run: --report FILE writes JSON"},
    {"--workload img --sched kesco --gantt --report -", "--gantt: its chart goes to standard output"},
    {"compare --size kesco-99", "or a preset of m1, found 'kesco-99'"},
    {"sweep", "no workload: expected --workload NAME"},
    {"sweep --workload vec", "no sched: expected --sched NAME"},
    {"sweep --workload vec --sched all --vary device.h2d_gbp=1",
     "unknown number 'device.h2d_gbp', did you mean 'device.h2d_gbps'?"},
    {"sweep --workload vec --sched all --vary hw_queues=1", "did you mean 'device.hw_queues'?"},
    {"sweep --workload vec --sched all --vary siez=1:3", "--vary: unknown name 'siez', did you mean 'size'?"},
    {"sweep --workload vec --sched serial --vary kesco.streams=1:3", "the scheduler kesco is not used here"},
    {"sweep --workload vec --sched serial --vary seed=1:3 --where 'sede > 1'", "'sede' is no name"},
    {"sweep --workload vec --sched serial --vary size=1:9:random", "expected --samples N"},
    {"sweep --workload vec --sched serial --samples 9", "no axis is sampled"},
    {"sweep --workload vec --sched serial --paired 'size=1,2 blocks=1,2,3'", "size has 2 values, blocks has 3"},
    {"sweep --workload vec --sched serial --shard 5/4", "--shard: expected I/N with I from 1 to N, found '5/4'"},
    {"sweep --workload vec --sched serial --jobs 0", "--jobs: expected an integer from 1 to 512, found '0'"},
    {"sweep --workload vec --sched serial --jobs 513", "--jobs: expected an integer from 1 to 512, found '513'"},
    {"reproduce --jobs 513", "--jobs: expected an integer from 1 to 512, found '513'"},
    {"reproduce --jobs -1", "--jobs: expected an integer from 1 to 512, found '-1'"},
    {"sensitivity --workload vec --sched serial --jobs 1.5", "--jobs: expected an integer from 1 to 512, found '1.5'"},
    {"sweep --workload vec --sched serial --retry", "--retry: expected --resume with it"},
    {"sweep --workload vec --sched serial --vary seed=1:9000,1:9000 --vary size=1:90000",
     "expected at most 1000000000"},
    {"ablate", "ablate: expected [DEVICE=]FILE..., found nothing"},
    {"ablate --rules tail x", "--rules: unknown rule 'tail'"},
    {"ablate nowhere.json --rules wave_tails", "cannot read 'nowhere.json'"},
    {"validate --opt rule.wave_tail=off", "unknown rule 'wave_tail', did you mean 'wave_tails'?"},
    {"--workload img --sched kesco --opt rule.wave_tails=no", "rule.wave_tails: expected on or off, found \"no\""},
    {"list rules wave_tail", "unknown rule 'wave_tail', did you mean 'wave_tails'?"},
    {"results", "no results file: expected gpusim results FILE"},
    {"results nowhere.db", "cannot read 'nowhere.db': no such file"},
    {"results merge -o x.db", "nothing to merge"},
    {"results merge nowhere.db", "no output: expected gpusim results merge -o FILE"},
    {"--share mps", "--share: expected --task PROGRAM with it"},
    {"compare --share mps", "--share: expected --task PROGRAM with it"},
    {"--task vec --share mpz", "--share: unknown way of sharing 'mpz': expected one of exclusive, streams,"},
    {"--task vecc --share mps", "--task vecc: unknown workload 'vecc'"},
    {"--task vec,priorty=1 --share mps", "unknown key 'priorty', did you mean 'priority'?"},
    {"--task vec,priority=10 --share mps", "priority: expected an integer from 0 to 9, found '10'"},
    {"--task vec,requests --share mps", "expected KEY=VALUE behind a comma, found 'requests'"},
    {"--task vec,arrival=periodic:0 --share mps", "arrival=periodic:0: expected a number above 0 behind the colon"},
    {"--task vec,arrival=nowhere.txt --share mps", "expected closed, periodic:US, poisson:PER_S or a file of times"},
    {"--task vec,requests=0 --share mps", "no task says how many requests it has"},
    {"--task vec --share fikit", "--share fikit needs a profile: --profile FILE"},
    {"--task vec --share fikit --profile nowhere.json", "nowhere.json"},
    {"--task vec,process=1 --task vec,process=2 --share streams",
     "its tasks are threads of one process, and they are in 2"},
    {"--task vec --task vec --share mps --opt device.mps_clients=1", "2 processes, and MPS takes 1 clients"},
    {"--task vec --share mps --opt fikit.margin=1", "--opt fikit.margin: sharing by fikit is not used here"},
    {"list presets frontier", "'frontier' has no size presets"},
    {"list gpu sampel", "unknown option gpu.sampel, did you mean 'sample'? (see gpusim list gpu)"},
    {"--workload img --sched kesco --opt gpu.sample=0",
     "--opt gpu.sample=0: option 'sample': expected an integer from 1 to 64"},
    {"--workload frontier --sched kesco --gpus 2 --place heft",
     "--place heft needs the whole program beforehand, and 'frontier' is drawn while it runs"},
    {"--workload frontier --sched async --iterations 2",
     "--iterations: applies to programs that are known beforehand, not to a source"},
    {"--workload frontier --sched async --size 5",
     "--size: applies to built-in workloads, not to a source"},
    {"--workload frontier --sched async --spread 3", "--spread needs the whole program beforehand"},
    {"--workload fronter --sched async", "unknown workload 'fronter': expected a name of gpusim list workloads or a "
                                         "program file, did you mean 'frontier'?"},
    {"--workload frontier --sched async --opt frontier.vertex=5",
     "--opt frontier.vertex: not a number of frontier, did you mean 'vertices'?"},
    {"--workload nowhere.so --sched async", "a shared object is loaded by a path with a slash: './nowhere.so'"},
    {"--task frontier --gpus 2 --place heft", "task 'frontier': --place heft needs the whole program beforehand"},
    {"--task build/countdown.so --share mps", "a source from a shared object is for --workload, not for a task"},
    {"--task vec,gpu=2 --share mps --gpus 2", "gpu=2: there are 2 (--gpus, --node)"},
    {"--task vec,gpu=1 --gpus 2 --place dmda", "gpu=1: --place says which GPU a kernel is for"},
    {"--task vec --share xsched --gpus 2", "--share xsched decides on the kernels of one GPU, and there are 2"},
    {"--task vec --workload img", "--workload: applies to one program, not to tasks (--task)"},
    {"list workload", "cannot list 'workload': expected workloads, schedulers, placements, sharing, devices, nodes, "
                      "presets, rules or gpu, did you mean 'workloads'?"},
    {"--workload img --sched kesco --trace-sms all", "--trace-sms: expected --trace FILE with it"},
    {"--workload img --sched kesco --trace x --trace-sms 0",
     "--trace-sms: expected all or an integer from 1 to 320, found '0'"},
    {"--workload img --sched kesco --trace-window 1ms:2ms", "--trace-window: expected --trace FILE with it"},
    {"--workload img --sched kesco --trace x --trace-window 2ms:1ms",
     "--trace-window: expected FROM:TO, two times such as 250us"},
    {"--task img --trace x --trace-window 5", "--trace-window: expected FROM:TO"},
    {"compare --trace-sms all", "--trace-sms is not an option of gpusim compare"},
    {"list devices h2000", "unknown device 'h2000': expected a path or one of"},
    {"list devices h2000", "did you mean 'h200'?"},
    {"list schedulers kseco", "unknown scheduler 'kseco', did you mean 'kesco'?"},
    {"list workloads imgg", "unknown workload 'imgg', did you mean 'img'?"},
    {"list presets hitz", "unknown workload 'hitz', did you mean 'hits'?"},
    {"list devices h200 v100", "unexpected argument 'v100'"},
    {"--workload img --sched kesco --out x", "--out is not an option of gpusim run"},
    {"import kineto x.json --out y --output z", "--output: given twice, 'y' and 'z'"},
    {"results merge nowhere.db --out x.db --output y.db", "--out: given twice, 'x.db' and 'y.db'"},
    {"compare --workload img,,ml", "--workload: expected names separated by commas"},
    {"compare --workload img --sched serial,kseco", "unknown scheduler 'kseco'"},
    {"compare --workload img --sched serial --opt nothing=1", "--opt nothing: not a parameter of"},
    {"compare --base fastest", "unknown scheduler 'fastest'"},
    {"import", "expected FILE, found nothing"},
    {"import kineto", "expected FILE behind kineto, found nothing"},
    {"import kinto x.json -o y", "unknown format 'kinto': expected cuda, xla, kineto, rocprof, nvprof, nsys, "
                                 "wfcommons, chrome or ncu, did you mean 'kineto'?"},
    {"import kineto x.json", "no output: expected -o FILE"},
    {"import kineto nowhere.json -o /dev/null", "cannot read 'nowhere.json'"},
    {"import nsys nowhere.db -o /dev/null", "cannot read 'nowhere.db'"},
    {"import nsys x -o /dev/null --gaps some", "--gaps: expected on or off, found 'some'"},
    {"import nsys x -o /dev/null --range 5:4", "--range: expected FIRST:LAST"},
    {"import nsys x -o /dev/null --range 5", "--range: expected FIRST:LAST"},
    {"import nsys x -o /dev/null --alone so", "--alone: expected inferred or recorded, found 'so'"},
    {"import nsys x -o /dev/null --workload img", "--workload is not an option of gpusim import"},
};

static void bad_usage_is_refused(void)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) check_refused(refusals[i][0], refusals[i][1]);
}

static void version_and_help(void)
{
    static const char *const calls[] = {"--help",
                                        "-h",
                                        "run --help",
                                        "compare --help",
                                        "list --help",
                                        "import --help",
                                        "sweep --help",
                                        "results --help",
                                        "plot --help",
                                        "report --help",
                                        "calibrate --help",
                                        "sensitivity --help",
                                        "validate --help",
                                        "reproduce --help",
                                        "ablate --help",
                                        "explain --help",
                                        "whatif --help",
                                        "schedule --help",
                                        "--workload img --help"};
    static const char *const commands[] = {"run",    "compare",   "import",      "plot",   "sweep",
                                           "report", "calibrate", "sensitivity", "results"};
    struct outcome outcome = call("--version");
    CHECK_INT(outcome.status, 0);
    CHECK(strncmp(outcome.out, "gpusim " GPUSIM_VERSION " (", strlen("gpusim " GPUSIM_VERSION " (")) == 0);
    CHECK_HAS(outcome.out, gsim_model_hash());
    outcome_release(&outcome);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        outcome = call(calls[i]);
        CHECK_INT(outcome.status, 0);
        CHECK_HAS(outcome.out, "Usage:");
        CHECK_HAS(outcome.out, "Examples:");
        CHECK_STR(outcome.err, "");
        for (const char *line = outcome.out; *line;) {
            size_t length = strcspn(line, "\n");
            CHECK_MSG(length <= 110, "%zu columns: %.*s", length, (int)length, line);
            line += length + (line[length] ? 1 : 0);
        }
        /* A command's help speaks of its own options only: no "compare: ..." among those of a run. */
        for (size_t j = 0; j < sizeof(commands) / sizeof(commands[0]); j++) {
            char part[32];
            snprintf(part, sizeof(part), " %s: ", commands[j]);
            const char *own = strstr(outcome.out, "\nOptions:"), *other = own ? strstr(own, part) : NULL;
            CHECK_MSG(!other || other > strstr(own, "\n\n"), "%s speaks of%s", calls[i], part);
        }
        outcome_release(&outcome);
    }
}

/* The manual page, which man/make.sh makes, has every option of every command's help, and the sections by hand. */
static void man_page_has_the_help(void)
{
    static const char *const calls[] = {"run --help",    "compare --help",  "list --help",      "validate --help",
                                        "import --help", "plot --help",     "report --help",    "sensitivity --help",
                                        "sweep --help",  "results --help",  "ablate --help",    "explain --help",
                                        "whatif --help", "schedule --help", "reproduce --help", "calibrate --help",
                                        "serve --help",  "step --help"};
    char *page = read_file(GPUSIM_BINARY ".1");
    int found = 0;
    CHECK_MSG(page && strstr(page, "\n.SH NAME\n") && strstr(page, "\n.SH REPORT\n") &&
                  strstr(page, "\n.SH STANDARDS\n"),
              "no man page");
    for (size_t i = 0; page && i < sizeof(calls) / sizeof(calls[0]); i++) {
        struct outcome outcome = call(calls[i]);
        char head[64], *section;
        snprintf(head, sizeof head, "\nUsage: gpusim %s%.*s", i ? "" : "[", (int)strcspn(calls[i], " "), calls[i]);
        section = strstr(page, head);
        CHECK_MSG(section, "no section of %s", calls[i]);
        for (const char *at = outcome.out; section && (at = strstr(at, "\n  --"));) {
            char name[64];
            at += 5;
            size_t length = (size_t)snprintf(name, sizeof(name), "\n  \\-\\-");
            for (const char *c = at; *c != ' ' && *c != '\n' && length < sizeof(name) - 3; c++)
                length += (size_t)snprintf(name + length, sizeof(name) - length, *c == '-' ? "\\-" : "%c", *c);
            section = strstr(section, name); /* in the help's order */
            CHECK_MSG(section, "%s: the man page lacks %s", calls[i], name);
            found++;
        }
        outcome_release(&outcome);
    }
    CHECK_MSG(found > 25, "only %d options in the help texts", found);
    gsim_free(page);
}

static void list_knows_the_registries(void)
{
    struct outcome outcome = call("list");
    CHECK_INT(outcome.status, 0);
    CHECK_HAS(outcome.out, "\n  img ");
    CHECK_HAS(outcome.out, "\n  kesco ");
    CHECK_HAS(outcome.out, "\n  h200 ");
    outcome_release(&outcome);
    outcome = call("list schedulers --long");
    CHECK_INT(outcome.status, 0);
    CHECK_HAS(outcome.out, "--opt kesco.NAME=VALUE");
    CHECK(!strstr(outcome.out, "Workloads"));
    outcome_release(&outcome);
    outcome = call("list devices --long");
    CHECK_INT(outcome.status, 0);
    CHECK_HAS(outcome.out, "hw_queues");
    outcome_release(&outcome);
}

/* One entry in full, and no other. */
static void list_shows_one_entry(void)
{
    static const struct {
        const char *arguments, *part, *absent;
    } rows[] = {
        {"list devices h200", "\n    sm_count                           132 ", "v100"},
        {"list devices " GPUSIM_SOURCE_DIR "/models/v100.json", "v100: ", "h200: "},
        {"list schedulers kesco", "--opt kesco.NAME=VALUE", "\n  serial "},
        {"list workloads img", "--size: pixels per side; default 4800", "\n  vec "},
        {"list schedulers kesco", "in papers: KeSCo\n", "GrCUDA\n"},
        {"list workloads bs", "in papers: B&S\n", "IMG"},
        {"list presets dl", "kesco-5", "\n  img "},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct outcome outcome = call(rows[i].arguments);
        CHECK_MSG(outcome.status == 0, "%s: exit %d: %s", rows[i].arguments, outcome.status, outcome.err);
        CHECK_HAS(outcome.out, rows[i].part);
        CHECK_MSG(!strstr(outcome.out, rows[i].absent), "%s shows %s", rows[i].arguments, rows[i].absent);
        outcome_release(&outcome);
    }
}

/* A track per SM where they are asked for; the run and the rest of the trace are what they are without. */
static void trace_of_the_sms(void)
{
    char trace[64], arguments[256];
    static const struct {
        const char *option;
        int sms;
    } rows[] = {{"", 0}, {"--trace-sms 3", 3}, {"--trace-sms all --opt gpu.exact=1", 132}, {"--opt gpu.exact=1", 0}};
    char *reports[4];
    for (int i = 0; i < 4; i++) {
        snprintf(arguments, sizeof(arguments),
                 "--workload bs --size 1e5 --sched kesco --device h200 --report - --trace %s %s",
                 scratch_path(trace, ".json"), rows[i].option);
        struct outcome outcome = call(arguments);
        char *text = read_file(trace);
        cJSON *root = cJSON_Parse(text);
        const cJSON *event, *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
        int named = 0, sorted = 0, slices = 0;
        CHECK_MSG(outcome.status == 0 && events, "%s: exit %d, %s", arguments, outcome.status, outcome.err);
        cJSON_ArrayForEach(event, events)
        {
            const cJSON *name = cJSON_GetObjectItemCaseSensitive(event, "name"),
                        *pid = cJSON_GetObjectItemCaseSensitive(event, "pid");
            const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args"),
                        *category = cJSON_GetObjectItemCaseSensitive(event, "cat");
            const cJSON *track = cJSON_GetObjectItemCaseSensitive(args, "name");
            if (!pid || pid->valueint != 2000) continue;
            bool is_first_lane =
                track && !strchr(track->valuestring, ',') && strncmp(track->valuestring, "SM ", 3) == 0;
            named += strcmp(name->valuestring, "thread_name") == 0 && is_first_lane;
            sorted += strcmp(name->valuestring, "thread_sort_index") == 0;
            slices += category && strcmp(category->valuestring, "sm_blocks") == 0;
        }
        CHECK_INT(named, rows[i].sms);
        CHECK(sorted >= named && (slices > 0) == (rows[i].sms > 0));
        reports[i] = outcome.out;
        outcome.out = NULL;
        outcome_release(&outcome);
        cJSON_Delete(root);
        gsim_free(text);
        remove(trace);
    }
    CHECK_STR(reports[1], reports[0]);
    CHECK_STR(reports[2], reports[3]);
    for (int i = 0; i < 4; i++) gsim_free(reports[i]);
}

/* Every command whose help has one of --out and --output takes the other word as well, as an option with a value. */
static void out_is_output(void)
{
    static const char *const commands[] = {"import", "plot", "report", "sweep", "calibrate", "sensitivity", "results"};
    static const char *const words[] = {"--out", "--output", "-o"};
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        for (size_t j = 0; j < sizeof(words) / sizeof(words[0]); j++) {
            char arguments[128];
            snprintf(arguments, sizeof(arguments), "%s %s nowhere/x.svg", commands[i], words[j]);
            check_refused(arguments, ": cannot write 'nowhere/x.svg': folder 'nowhere'");
        }
}

static void report_to_stdout_is_json_alone(void)
{
    struct outcome one = call("--workload vec --sched serial --report -");
    struct outcome two = call("run --workload=vec --sched=serial --seed 1 --report -");
    CHECK_MSG(one.status == 0, "exit %d: %s", one.status, one.err);
    cJSON *report = cJSON_Parse(one.out);
    CHECK_MSG(report, "not JSON: %.200s", one.out);
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(report, "options");
    const cJSON *makespan = cJSON_GetObjectItemCaseSensitive(report, "makespan_us");
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(report, "metrics");
    const cJSON *bound = cJSON_GetObjectItemCaseSensitive(metrics, "lower_bound_us");
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(options, "memory");
    CHECK_STR(memory ? memory->valuestring : NULL, "managed");
    CHECK(makespan && bound && makespan->valuedouble > 0 && bound->valuedouble > 0);
    CHECK_MSG(makespan && bound && makespan->valuedouble >= bound->valuedouble, "makespan below the lower bound");
    CHECK_STR(one.out, two.out); /* same options, same seed, same bytes */
    cJSON_Delete(report);
    outcome_release(&one);
    outcome_release(&two);
}

static void files_on_success_only(void)
{
    char report[64], trace[64], csv[64], arguments[512];
    struct stat info;
    scratch_path(report, ".r.json");
    scratch_path(trace, ".t.json.gz");
    scratch_path(csv, ".c.csv");
    snprintf(arguments, sizeof(arguments), "--workload vec --sched serial --block1d 2000 --report %s --trace %s",
             report, trace);
    struct outcome outcome = call(arguments);
    CHECK_INT(outcome.status, 2);
    CHECK(stat(report, &info) != 0);
    CHECK(stat(trace, &info) != 0);
    outcome_release(&outcome);
    snprintf(arguments, sizeof(arguments), "--workload vec --sched serial --report %s --trace %s --csv %s --gantt",
             report, trace, csv);
    outcome = call(arguments);
    CHECK_MSG(outcome.status == 0, "exit %d: %s", outcome.status, outcome.err);
    CHECK_HAS(outcome.out, "Makespan");
    CHECK_HAS(outcome.out, "SMs in use");
    CHECK_STR(outcome.err, "");
    CHECK_INT(stat(report, &info), 0);
    CHECK_INT(stat(trace, &info), 0);
    CHECK_INT(stat(csv, &info), 0);
    remove(report);
    remove(trace);
    remove(csv);
    outcome_release(&outcome);
}

/* Speed-up 1 of the base over itself; the same cells in the table, the CSV and the JSON. */
static void compare_has_all_cells(void)
{
    struct outcome table = call("compare --workload vec,bs --sched serial,kesco");
    CHECK_MSG(table.status == 0, "exit %d: %s", table.status, table.err);
    CHECK_HAS(table.out, "\nvec ");
    CHECK_HAS(table.out, "\nbs ");
    CHECK_HAS(table.out, "\ngeomean ");
    CHECK_HAS(table.out, " 1.00 ");
    outcome_release(&table);
    struct outcome json = call("compare --workload vec,bs --sched kesco --report -");
    cJSON *comparison = cJSON_Parse(json.out);
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(comparison, "runs"), *run;
    CHECK_INT(cJSON_GetArraySize(runs), 2);
    double product = 1;
    cJSON_ArrayForEach(run, runs) product *= cJSON_GetObjectItemCaseSensitive(run, "speedup")->valuedouble;
    const cJSON *means = cJSON_GetObjectItemCaseSensitive(comparison, "geometric_mean");
    CHECK_NEAR(cJSON_GetObjectItemCaseSensitive(means, "kesco")->valuedouble, sqrt(product), 1e-5);
    cJSON_Delete(comparison);
    outcome_release(&json);
    struct outcome csv = call("compare --workload vec --sched serial,kesco --csv -");
    CHECK_HAS(csv.out, "workload,scheduler,device,seed,iterations,kernels,iteration_us,makespan_us,speedup,");
    CHECK_HAS(csv.out, "\nvec,serial,");
    CHECK_HAS(csv.out, "\nvec,kesco,");
    outcome_release(&csv);
}

static void options_reach_the_run(void)
{
    struct outcome outcome =
        call("--workload vec --sched kesco --size 4k --iterations 3 --memory managed --prefetch off "
             "--opt kesco.streams=3 --opt gpu.hw_queues=2 --opt device.launch_us=9.5 --seed 7 --report -");
    CHECK_MSG(outcome.status == 0, "exit %d: %s", outcome.status, outcome.err);
    CHECK_HAS(outcome.out, "\"seed\": 7,");
    CHECK_HAS(outcome.out, "\"size\": \"4000\"");
    CHECK_HAS(outcome.out, "\"iterations\": \"3\"");
    CHECK_HAS(outcome.out, "\"memory\": \"managed\"");
    CHECK_HAS(outcome.out, "\"prefetch\": \"off\"");
    CHECK_HAS(outcome.out, "\"kesco.streams\": \"3\"");
    CHECK_HAS(outcome.out, "\"device.hw_queues\": \"2\"");
    CHECK_HAS(outcome.out, "\"device.launch_us\": \"9.5\"");
    cJSON *report = cJSON_Parse(outcome.out);
    CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(report, "iteration_us")), 3);
    cJSON_Delete(report);
    outcome_release(&outcome);
}

/* A preset brings its suite and the launch shape published with it; what is given on the command line wins. */
static void presets_bring_their_shape(void)
{
    static const struct {
        const char *arguments, *suite, *size, *blocks, *block1d;
    } rows[] = {
        {"--size p100-1", "grcuda", "120000000", "448", "32"},
        {"--size v100-2", "grcuda", "250000000", "640", "32"},
        {"--size p100-1 --suite grcuda --blocks 64", "grcuda", "120000000", "64", "32"},
        {"--size p100-1 --block1d 128", "grcuda", "120000000", "448", "128"},
        {"--size kesco-1", "kesco", "120000000", "default", "default"},
        {"--size 120M", "kesco", "120000000", "default", "default"},
    };
    double makespan[6] = {0};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char arguments[256], part[64];
        snprintf(arguments, sizeof(arguments), "--workload vec --sched serial --memory pinned %s --report -",
                 rows[i].arguments);
        struct outcome outcome = call(arguments);
        CHECK_MSG(outcome.status == 0, "exit %d: %s", outcome.status, outcome.err);
        snprintf(part, sizeof(part), "\"suite\": \"%s\"", rows[i].suite);
        CHECK_HAS(outcome.out, part);
        snprintf(part, sizeof(part), "\"size\": \"%s\"", rows[i].size);
        CHECK_HAS(outcome.out, part);
        snprintf(part, sizeof(part), "\"blocks\": \"%s\"", rows[i].blocks);
        CHECK_HAS(outcome.out, part);
        snprintf(part, sizeof(part), "\"block1d\": \"%s\"", rows[i].block1d);
        CHECK_HAS(outcome.out, part);
        cJSON *report = cJSON_Parse(outcome.out);
        const cJSON *number = cJSON_GetObjectItemCaseSensitive(report, "makespan_us");
        if (number) makespan[i] = number->valuedouble;
        cJSON_Delete(report);
        outcome_release(&outcome);
    }
    CHECK_MSG(makespan[0] < makespan[2], "448 blocks: %g us, 64 blocks: %g us", makespan[0], makespan[2]);
    CHECK_NEAR(makespan[4], makespan[5], 0);
    check_refused("--workload vec --sched serial --size p100-1 --suite kesco", "belongs to the other suite");
}

/* A slip in a device's name is told; the name of a device of one's own, or one that is simulated, is not. */
static void a_device_that_nearly_is_one_is_noted(void)
{
    static const struct {
        const char *solo_device, *command, *note;
    } rows[] = {
        {"h20O", "run --device h200", "kernel 'k': solo_device: 'h20O' is no known device, did you mean 'h200'?"},
        {"h20O", "compare --sched serial,kesco --device h200", "did you mean 'h200'?"},
        {"h20O", "sweep --dry-run --device h200", "did you mean 'h200'?"},
        {"h200", "run --device h200", ""},
        {"v100", "run --device h200", ""},
        {"my-gpu", "run --device h200", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char path[64], arguments[200];
        scratch_path(path, ".json");
        FILE *file = fopen(path, "w");
        if (!file) break;
        fprintf(
            file,
            "{\"schema\": \"gpusim-program/1\", \"name\": \"p\", \"buffers\": [{\"name\": \"x\", \"bytes\": 64}],"
            " \"kernels\": [{\"name\": \"k\", \"solo_us\": 5, \"dram_bytes\": 64, \"solo_device\": \"%s\"}],"
            " \"ops\": [{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [1], \"block\": [32], \"writes\": [\"x\"]}]}",
            rows[i].solo_device);
        fclose(file);
        snprintf(arguments, sizeof(arguments), "%s --workload %s%s", rows[i].command, path,
                 strstr(rows[i].command, "--sched") ? "" : " --sched serial");
        struct outcome outcome = call(arguments);
        CHECK_MSG(outcome.status == 0, "exit %d: %s", outcome.status, outcome.err);
        CHECK_HAS(outcome.err, rows[i].note);
        if (!rows[i].note[0]) CHECK_STR(outcome.err, "");
        if (rows[i].note[0]) {
            const char *newline = strchr(outcome.err, '\n');
            CHECK_MSG(newline && !newline[1], "not told once: %s", outcome.err);
        }
        outcome_release(&outcome);
        remove(path);
    }
}

static const struct test_case cases[] = {
    {"bad usage", bad_usage_is_refused},
    {"version and help", version_and_help},
    {"help agrees with the man page", man_page_has_the_help},
    {"list", list_knows_the_registries},
    {"list of one entry", list_shows_one_entry},
    {"--out is --output", out_is_output},
    {"a trace of the SMs", trace_of_the_sms},
    {"report to stdout", report_to_stdout_is_json_alone},
    {"files on success only", files_on_success_only},
    {"compare", compare_has_all_cells},
    {"device nearly known", a_device_that_nearly_is_one_is_noted},
    {"options reach the run", options_reach_the_run},
    {"presets bring their shape", presets_bring_their_shape},
};
TEST_MAIN("sim/cli", cases)
