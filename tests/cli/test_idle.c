/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every number of a device acts: for each there is a run that takes another time when it is changed; those that are
 * listed only say so in their help. And an option that does nothing in a run is told, with the reason.
 */
#include <unistd.h>

#include "cli/cli.h"
#include "sim/device/device.h"
#include "tests/test.h"

#define WORDS 24

struct command {
    char text[300];
    char *words[WORDS];
    int count;
    const char *opts[WORDS], *operands[WORDS];
    struct gsim_cli_arguments arguments;
};

static void read_command(struct command *c, const char *text)
{
    struct gsim_error error = {0};
    c->count = 0;
    snprintf(c->text, sizeof c->text, "%s", text);
    for (char *word = c->text; *word && c->count < WORDS; word += strlen(word) + 1) {
        char *space = strchr(word, ' ');
        if (space) *space = '\0';
        c->words[c->count++] = word;
        if (!space) break;
    }
    c->arguments = (struct gsim_cli_arguments){.command = GSIM_CLI_RUN, .opts = c->opts, .operands = c->operands};
    CHECK_OK(gsim_cli_parse(&c->arguments, c->count, c->words, 0, &error), error);
}

/* The makespan; 0 where the run is refused. */
static gsim_time time_of(const char *text, const char *opt)
{
    struct command c;
    struct gsim_cli_setup setup = {0};
    struct gsim_cli_point point = {0};
    struct gsim_timeline timeline = {0};
    struct gsim_metrics metrics = {0};
    struct gsim_error error = {0};
    read_command(&c, text);
    if (opt) c.opts[c.arguments.opt_count++] = opt;
    enum gsim_status status = gsim_cli_setup_init(&setup, &c.arguments, &error);
    if (status == GSIM_OK)
        status = gsim_cli_point_init(&point, &setup, c.arguments.value[GSIM_CLI_WORKLOAD],
                                     gsim_scheduler_find(c.arguments.value[GSIM_CLI_SCHED]), &error);
    if (status == GSIM_OK) status = gsim_cli_point_run(&point, false, &timeline, &metrics, &error);
    gsim_timeline_release(&timeline);
    gsim_cli_point_release(&point);
    gsim_cli_setup_release(&setup);
    return status == GSIM_OK ? metrics.makespan : 0;
}

/* One program of many parts: copies each way and on the device, pinned and staged, small ones, few and many blocks, a
 * time alone. */
static const char program[] =
    "{\"schema\": \"gpusim-program/1\", \"name\": \"all\","
    " \"buffers\": [{\"name\": \"x\", \"bytes\": 16777216, \"init\": \"host\"}, {\"name\": \"y\", \"bytes\": 16777216, "
    "\"init\": \"host\"}, {\"name\": \"s\", \"bytes\": 1024, \"init\": \"host\"}, {\"name\": \"z\", \"bytes\": "
    "16777216, \"init\": \"none\"}],"
    " \"kernels\": [{\"name\": \"wide\", \"regs_per_thread\": 16, \"flops\": 1e6, \"dram_bytes\": 3e8}, {\"name\": "
    "\"few\", \"regs_per_thread\": 16, \"flops\": 1e5, \"dram_bytes\": 3e5},"
    "  {\"name\": \"measured\", \"solo_us\": 40, \"dram_bytes\": 33554432}],"
    " \"ops\": ["
    "  {\"op\": \"host_write\", \"buffer\": \"s\"}, {\"op\": \"host_write\", \"buffer\": \"x\"},"
    "  {\"op\": \"copy\", \"kind\": \"h2d\", \"buffer\": \"x\", \"stream\": 0},"
    "  {\"op\": \"kernel\", \"kernel\": \"wide\", \"grid\": [4096], \"block\": [512], \"reads\": [\"x\", \"s\"], "
    "\"writes\": [\"z\"], \"stream\": 0},"
    "  {\"op\": \"kernel\", \"kernel\": \"few\", \"grid\": [4], \"block\": [32], \"reads\": [\"s\"], \"writes\": "
    "[\"y\"], \"stream\": 1, \"priority\": -1},"
    "  {\"op\": \"kernel\", \"kernel\": \"measured\", \"grid\": [1024], \"block\": [256], \"reads\": [\"z\", \"y\"], "
    "\"writes\": [\"y\"], \"stream\": 1},"
    "  {\"op\": \"copy\", \"kind\": \"d2d\", \"buffer\": \"y\", \"stream\": 1},"
    "  {\"op\": \"host_read\", \"buffer\": \"y\"}, {\"op\": \"host_read\", \"buffer\": \"z\"}]}";

/* Kernels of every kind that were measured alone, beside each other on six streams: what they are follows from the
 * seed. */
#define MIXED_OPS 70

static void write_mixed(FILE *file, uint32_t seed)
{
    static const char *const kinds[] = {"\"flops\": 2e9",
                                        "\"flops\": 0, \"smem_bytes\": 13312",
                                        "\"dram_bytes\": 2e7",
                                        "\"dram_bytes\": 2e7, \"flops\": 2e8",
                                        "\"flops\": 0",
                                        "\"flops\": 0, \"smem_bytes\": 26624",
                                        "\"dram_bytes\": 2e7, \"flops\": 2e9",
                                        "\"flops\": 4e9",
                                        "\"smem_bytes\": 26624, \"regs_per_thread\": 128",
                                        "\"smem_bytes\": 1024"};
    static const int threads[] = {64, 128, 256, 512, 1024}, blocks[] = {40, 132, 264, 528, 700}, times[] = {10, 20, 40};
    fprintf(file, "{\"schema\": \"gpusim-program/1\", \"name\": \"mixed\", \"buffers\": [");
    for (int i = 0; i < 6; i++)
        fprintf(file, "%s{\"name\": \"b%d\", \"bytes\": 4096, \"init\": \"none\"}", i ? ", " : "", i);
    fprintf(file, "], \"kernels\": [{\"name\": \"k\", \"regs_per_thread\": 16}], \"ops\": [");
    for (int i = 0; i < MIXED_OPS; i++) {
        uint32_t drawn[5];
        static const uint32_t counts[5] = {10, 5, 5, 3, 6};
        for (int n = 0; n < 5; n++) {
            seed = seed * 1103515245u + 12345u;
            drawn[n] = (seed >> 16) % counts[n];
        }
        bool is_large = drawn[0] == 8; /* 128 registers: no blocks of 1,024 threads */
        fprintf(file,
                "{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [%d], \"block\": [%d], \"stream\": %u, \"writes\": "
                "[\"b%u\"], \"solo_us\": %d, %s}, ",
                blocks[drawn[2]], is_large ? 128 : threads[drawn[1]], drawn[4], drawn[4], times[drawn[3]],
                kinds[drawn[0]]);
    }
    for (int i = 0; i < 6; i++) fprintf(file, "%s{\"op\": \"host_read\", \"buffer\": \"b%d\"}", i ? ", " : "", i);
    fprintf(file, "]}");
}

/* Runs in which different parts of the machine matter; PROGRAM stands for the file of the program above. */
static const char *const runs[] = {
    "--device h200 --workload m2 --sched kesco --iterations 2",
    "--device h200 --workload bs --size 1e6 --sched serial --prefetch off",
    "--device h200 --workload bs --size 1e6 --sched async --memory pinned --iterations 2",
    "--device h200 --workload m2 --sched cudagraph --memory pinned --iterations 2",
    "--device h200 --workload img --size 1000 --sched taskflow --memory pinned --iterations 2",
    "--device h200 --workload vec --size 1e6 --sched grsched --memory pageable --iterations 2",
    "--device h200 --workload vec --size 1e6 --sched kesco --noise",
    "--device h200 --workload bs --size 100 --sched async --memory pinned",
    "--device h200 --workload dl --size 500 --sched kesco --memory pinned",
    "--device h200 --workload ml --size 1e5 --sched taskflow --memory pinned",
    "--device h200 --workload hits --size 1e6 --sched kesco",
    "--device gtx960 --workload bs --size 1e6 --sched async",
    "--device gtx960 --workload PROGRAM --sched serial",
    "--device h200 --workload PROGRAM --sched async --memory pinned --iterations 2",
    "--device h200 --workload PROGRAM --sched kesco --memory pageable --iterations 2",
    "--device h200 --workload PROGRAM --sched taskflow --memory pinned --iterations 2",
    "--device h200 --workload llm-decode --opt llm-decode.layers=1 --opt llm-decode.programmatic=on --sched async "
    "--memory pinned",
    "--device h200 --workload llm-decode --opt llm-decode.layers=1 --sched persistent --memory pinned",
    "--device h200 --workload moe-decode --opt moe-decode.layers=1 --sched persistent --opt persistent.mode=claim "
    "--memory pinned",
    "--device h200 --workload llm-decode --opt llm-decode.layers=1 --sched persistent --opt persistent.mode=barrier "
    "--memory pinned",
    "--device h200 --workload moe-decode --opt moe-decode.layers=1 --sched persistent --opt persistent.mode=queue "
    "--memory pinned",
    "--device h200 --workload moe-decode --opt moe-decode.layers=1 --sched persistent --opt "
    "persistent.mode=sched-warps --memory pinned",
    "--device h200 --workload moe-decode --opt moe-decode.layers=1 --sched ccks --memory pinned",
    "--device h200 --workload MIXED1 --sched async --memory pinned --iterations 2",
    "--device h200 --workload MIXED2 --sched async --memory pinned --iterations 2",
    "--device h200 --workload MIXED3 --sched async --memory pinned --iterations 2",
    "--device h200 --workload MIXED4 --sched async --memory pinned --iterations 2",
};
#define RUNS (sizeof runs / sizeof runs[0])
#define MIXED_RUNS 4 /* the last ones: where numbers of the SMs act, as a rule */

/* Values that tell where half as much again would not. */
static const struct {
    const char *name;
    double value;
} told[] = {{"memory_gb", 0.1},
            {"sm_dram_gbps", 10},
            {"most_bytes_in_flight_per_thread", 1},
            {"resident_grids", 1},
            {"launch_queue_depth", 1},
            {"priority_levels", 1},
            {"bidirectional_gbps", 20},
            {"sync_idle_us", 20},
            {"cached_h2d_gbps", 5},
            {"host_cache_kib", 10000},
            {"dram_stretch_two", 5},
            {"on_chip_smem_bytes", 20000},
            {"tiled_registers", 200},
            {"memory_crowded_waves", 1},
            {"on_chip_crowded_waves", 1},
            {"on_chip_crowded", 0.9},
            {"memory_crowded", 0.1},
            {"carveout_single_threads", 128},
            {"l2_held_share", 0.05},
            {"wave_tail", 0.1},
            {"block_ends_most", 1},
            {"carveout_plain_kib_0", 200},
            {"tiled_latency_most", 0.05},
            {"scatter_hit_ns", 5000},
            {"scatter_miss_ns", 20000},
            {"scatter_fit", 10},
            {"scatter_miss_all", 50},
            {"stream_cold_l2", 0.001},
            {"fault_batch_groups", 2},
            {"l2_kept_whole", 0.01},
            {"l2_kept_none", 0.02},
            {"pageable_staged_bytes", 1e9}};

/* Where those act that no run above has a place for. */
static const struct {
    const char *name, *where;
} elsewhere[] = {
    {"dram_peak_gbps", "listed for comparison, as its help says"},
    {"fault_beside", "managed memory on several GPUs"},
    {"fault_group", "managed memory on several GPUs"},
    {"l2_knee", "kernels with pipes, as ncu measures them: rule.known_pipes"},
    {"shared_part", "parts of a GPU whose others idle: sim-task-tasks"},
    {"tiled_part", "parts of a GPU whose others idle: sim-task-tasks"},
    {"tensor_w", "kernels whose names tell matrix instructions: sim-report-energy-energy"},
    {"mma_w", "kernels whose names tell matrix instructions: sim-report-energy-energy"},
    {"rise_us", "kernels that a profiler timed: sim-report-energy-energy"},
    {"clock_loss", "runs above the power limit: sim-memory-clock"},
    {"clock_window_us", "runs above the power limit: sim-memory-clock"},
    {"recorded_w", "runs above the power limit: sim-memory-clock"},
    {"recorded_limit_w", "runs above the power limit: sim-memory-clock"},
    {"client_node_us", "graphs under MPS: sim-task-tasks"},
    {"untraced_gap_us", "tasks that are traces of graphs: cli-trace_tasks"},
    {"client_switch_us", "several processes under MPS: sim-task-tasks"},
    {"l1_lost_times", "kernels with l1_hit, as ncu measures it: rule.l1_kept"},
    {"tensor_flops_per_clock", "kernels timed on another device: sim-device-other"},
    {"l2_gbps", "listed, not yet a limit, as its help says"},
    {"copy_engines", "listed, as its help says"},
    {"l1_kib", "shared memory beside a large carve-out"},
    {"least_l1_kib", "devices whose carve-out takes all of L1"},
    {"mps_sms", "several tasks: --share mps"},
    {"registers_per_block", "blocks that ask for more, which are refused"},
    {"registers_per_thread", "blocks that ask for more, which are refused"},
    {"smem_per_block_kib", "blocks that ask for more, which are refused"},
    {"scatter_cold", "rule.cold_loads=off"},
    {"l2_line_bytes", "scattered loads of about as much as L2 holds"},
    {"beside_faults_least", "copies beside faults that take most of the link"},
    {"host_page_bytes", "reads of less than a page before Pascal"},
    {"fault_prefetch_share", "kernels that walk rows in managed memory"},
    {"fault_rows_per_visit", "kernels that walk rows in managed memory"},
    {"l2_kept_whole", "measured kernels whose data others displace"},
    {"l2_kept_none", "measured kernels whose data others displace"},
    {"idle_block_us", "grids of unequal blocks, some of which have no work"},
    {"l2_miss_ns", "measured kernels whose data others displace"},
    {"l2_far_share", "measured kernels that follow others on other SMs"},
    {"graph_beside_us", "graphs of kernels that a profiler timed"},
    {"graph_signal_us", "graph branches that wait for one another on a full chip"},
    {"graph_launch_copy_us", "graphs of copies launched while the device is busy"},
    {"inline_copy_bytes", "small copies where inline_copy_us differs from a copy's time"},
    {"spread_calls", "copies of a run with other gaps and calls: --spread"},
    {"spread_gaps", "copies of a run with other gaps and calls: --spread"},
    {"spread_least", "copies of a run with other gaps and calls: --spread"},
    {"spread_width", "copies of a run with other gaps and calls: --spread"},
    {"cores", "schedulers with more host threads than cores"},
    {"lock_us", "schedulers with host threads"},
    {"driver_lock_us", "schedulers with host threads"},
    {"driver_sync_lock_us", "schedulers with host threads"},
    {"driver_event_lock_us", "schedulers with host threads"},
    {"driver_switch_us", "schedulers with host threads"},
    {"peer_gbps", "several GPUs"},
    {"peer_latency_us", "several GPUs"},
    {"peer_event_us", "several GPUs"},
    {"peer_call_us", "several GPUs"},
    {"gpus_call_us", "several GPUs"},
    {"thread_create_us", "schedulers with host threads"},
    {"spread_gaps", "--spread"},
    {"spread_least", "--spread"},
    {"spread_width", "--spread"},
    {"spread_calls", "--spread"},
    {"query_us", "schedulers that poll"},
    {"stream_destroy_us", "schedulers that destroy streams"},
    {"slice_us", "several tasks: --share timeslice"},
    {"slice_switch_us", "several tasks: --share timeslice"},
    {"slice_idle_switch_us", "several tasks: --share timeslice"},
    {"slice_hold_us", "several tasks: --share timeslice"},
    {"mps_clients", "several tasks: --share mps"},
    {"part_sms", "several tasks: --share partition"},
    {"mig_1g_sms", "several tasks: --share mig"},
    {"mig_2g_sms", "several tasks: --share mig"},
    {"mig_3g_sms", "several tasks: --share mig"},
    {"mig_4g_sms", "several tasks: --share mig"},
    {"mig_7g_sms", "several tasks: --share mig"},
    {"tracer_start_us", "replays of recorded traces"},
    {"tracer_gap_us", "replays of recorded traces"},
    {"profiled_us", "validation against profilers"},
    {"slice_us", "several processes"},
    {"slice_switch_us", "several processes"},
    {"slice_idle_switch_us", "several processes"},
    {"slice_hold_us", "several processes"},
    {"mps_clients", "how many processes MPS takes"},
    {"part_sms", "SMs of a process's own"},
    {"mig_1g_sms", "SMs of a MIG instance"},
    {"mig_2g_sms", "SMs of a MIG instance"},
    {"mig_3g_sms", "SMs of a MIG instance"},
    {"mig_4g_sms", "SMs of a MIG instance"},
    {"mig_7g_sms", "SMs of a MIG instance"},
};

static bool is_elsewhere(const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(elsewhere[i].name, name) == 0) return true;
    enum gsim_device_number number = gsim_device_number_find(name);
    if (strncmp(name, "gpcs_", strlen("gpcs_")) == 0 || strcmp(name, "first_wave_us") == 0)
        return true; /* kernels with clusters */
    if (strcmp(name, "priority_levels") == 0) return true; /* streams with priorities (tests/sim/sm/test_gpu.c) */
    return number >= GSIM_DEV_asleep_w && number <= GSIM_DEV_unknown_warps; /* energies, no times */
}

/* Another value of NUMBER on DEVICE. */
static double other_value(const char *device_name, enum gsim_device_number number)
{
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (strcmp(told[i].name, gsim_device_number_name(number)) == 0) return told[i].value;
    CHECK_OK(gsim_device_load(device_name, &device, &error), error);
    double value = gsim_device_get(&device, number), most = gsim_device_number_maximum(number);
    gsim_device_release(&device);
    double other = value == 0 ? fmin(most / 2, 5) : value * 1.5 <= most ? value * 1.5 : value * 0.5;
    return gsim_device_number_is_count(number) ? ceil(other) : other;
}

/* The file that stands for the word in the run's text, which is left as it is without one. */
static void put_file(char text[300], const char *word, const char *path)
{
    char whole[300];
    const char *place = strstr(text, word);
    if (!place) return;
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(place - text), text, path, place + strlen(word));
    memcpy(text, whole, sizeof whole);
}

static void numbers_act(void)
{
    gsim_time base[RUNS];
    char texts[RUNS][300], path[] = "/tmp/gpusim-idle-XXXXXX", mixed[MIXED_RUNS][40];
    int file = mkstemp(path);
    CHECK(file >= 0 && write(file, program, sizeof program - 1) == (ssize_t)sizeof program - 1);
    for (uint32_t m = 0; m < MIXED_RUNS; m++) {
        snprintf(mixed[m], sizeof mixed[m], "/tmp/gpusim-idle-%ld-%u.json", (long)getpid(), m + 1);
        FILE *out = fopen(mixed[m], "w");
        CHECK(out != NULL);
        write_mixed(out, m + 1);
        CHECK_INT(fclose(out), 0);
    }
    for (size_t r = 0; r < RUNS; r++) {
        snprintf(texts[r], sizeof texts[r], "%s", runs[r]);
        put_file(texts[r], "PROGRAM", path);
        for (uint32_t m = 0; m < MIXED_RUNS; m++) {
            char word[] = {'M', 'I', 'X', 'E', 'D', (char)('1' + m), '\0'};
            put_file(texts[r], word, mixed[m]);
        }
        base[r] = time_of(texts[r], NULL);
        CHECK_MSG(base[r] > 0, "refused: %s", texts[r]);
    }
    /* Every second of them; all with GPUSIM_FULL. */
    for (int n = 0; n < GSIM_DEVICE_NUMBER_COUNT; n += test_is_full() ? 1 : 2) {
        const char *name = gsim_device_number_name((enum gsim_device_number)n);
        bool acts = is_elsewhere(name), is_of_sms = n >= GSIM_DEV_issue_share && n < GSIM_DEV_launch_to_start_us;
        for (size_t i = 0; i < RUNS && !acts; i++) {
            size_t r = is_of_sms ? (i + RUNS - MIXED_RUNS) % RUNS : i;
            char opt[100];
            const char *device = strstr(texts[r], "gtx960") ? "gtx960" : "h200";
            snprintf(opt, sizeof opt, "device.%s=%.12g", name, other_value(device, (enum gsim_device_number)n));
            gsim_time time = time_of(texts[r], opt);
            acts = time && time != base[r];
        }
        CHECK_MSG(acts, "%s changes none of the runs", name);
    }
    close(file);
    unlink(path);
    for (uint32_t m = 0; m < MIXED_RUNS; m++) unlink(mixed[m]);
}

static const struct test_case cases[] = {{"every number of a device acts", numbers_act}};
TEST_MAIN("cli/idle", cases)
