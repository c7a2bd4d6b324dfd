/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpusim trace without a GPU: this program, started by it, is the CUDA program, with a device that is a thread
 * (tests/traces/external/fake_cupti.c). What it did is known, and the recording must say so.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/test.h"
#include "traces/import/importers.h"

#define FAKE     GPUSIM_PLUGIN_DIR "/fake_cupti.so"
#define KERNELS  40
#define STEPS    4
#define LOOPS    9
#define LAUNCHES 24 /* of one kernel: the shortest period that is looked for */

/* --- the program ------------------------------------------------------------------------------------------------- */
static void call(void *library, const char *name)
{
    void (*function)(void);
    *(void **)&function = dlsym(library, name);
    if (!function) _exit(100);
    function();
}

static void rest_ms(long ms) { nanosleep(&(const struct timespec){0, ms * 1000000}, NULL); }

/* As the driver does it. */
__attribute__((constructor)) static void be_program(void)
{
    const char *mode = getenv("FAKE_PROGRAM"), *tracer = getenv("CUDA_INJECTION64_PATH");
    if (!mode || !tracer) return;
    void *fake = dlopen(FAKE, RTLD_NOW), *library = dlopen(tracer, RTLD_NOW);
    if (!fake || !library) _exit(101);
    int (*start)(void);
    *(void **)&start = dlsym(library, "InitializeInjection");
    if (!start || start() != 1) _exit(102);
    call(fake, "fake_allocate");
    if (strcmp(mode, "launches") == 0) { /* it never waits, and takes half the time where it is not recorded */
        for (int step = 0; step < LOOPS; step++) {
            for (int i = 0; i < LAUNCHES; i++) call(fake, "fake_launch");
            rest_ms(getenv("GPUSIM_TRACE_MODE") ? 6 : 12);
        }
        exit(0);
    }
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < KERNELS / STEPS; i++) call(fake, "fake_launch");
        call(fake, "fake_wait");
    }
    call(fake, "fake_rest");
    if (strcmp(mode, "fork") == 0) {
        pid_t pid = fork();
        if (pid == 0) exit(5);
        int status;
        waitpid(pid, &status, 0);
        exit(WEXITSTATUS(status) + 4);
    }
    if (strcmp(mode, "kill") == 0) {
        rest_ms(700); /* three times the period */
        kill(getpid(), SIGKILL);
    }
    exit(strcmp(mode, "steps") == 0 ? 0 : 9);
}

/* --- the recording ----------------------------------------------------------------------------------------------- */
static char path[64], program[4096];

static int record(const char *mode, const char *options, const char *more)
{
    char command[9000];
    unlink(path);
    snprintf(command, sizeof command,
             "ASAN_OPTIONS=verify_asan_link_order=0 " /* the tracer comes before the sanitizer's library, if any */
             "FAKE_PROGRAM=%s GPUSIM_CUPTI=%s GPUSIM_CUDA_DRIVER=%s %s %s trace -o %s %s -- %s 2>%s.err", mode, FAKE,
             FAKE, more, GPUSIM_BINARY, path, options, program, path);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Between waits of the program; STEPS may be NULL. */
static bool read_data(struct gsim_program *p, struct gsim_import_notes *notes, struct gsim_trace_steps *steps,
                      bool wants_data)
{
    const struct gsim_import_options options = {
        .name = "fake", .gaps = true, .last = UINT32_MAX, .steps = steps, .wants_data = wants_data};
    struct gsim_error error = {0};
    struct gsim_trace_origin origin;
    const struct gsim_importer *importer = gsim_importer_of(path, &origin, &error);
    CHECK_MSG(importer != NULL, "%s", error.message);
    if (!importer) return false;
    CHECK_STR(importer->name, "kineto");
    CHECK_STR(origin.gpu, "NVIDIA H100 80GB HBM3");
    enum gsim_status status = importer->read(path, &options, p, notes, &error);
    CHECK_MSG(status == GSIM_OK, "%s", error.message);
    return status == GSIM_OK;
}

static bool read_back(struct gsim_program *p, struct gsim_import_notes *notes, struct gsim_trace_steps *steps)
{
    return read_data(p, notes, steps, false);
}

static uint32_t lines_with(const char *word)
{
    char line[4096];
    uint32_t count = 0;
    gzFile file = gzopen(path, "rb");
    while (file && gzgets(file, line, sizeof line)) count += strstr(line, word) != NULL;
    if (file) gzclose(file);
    return count;
}

static void whole_recording(void)
{
    struct gsim_program p = {0};
    struct gsim_import_notes notes;
    CHECK_INT(record("plain", "", ""), 9);
    if (!read_back(&p, &notes, NULL)) return;
    CHECK_INT((long)notes.kernels, KERNELS);
    CHECK_INT((long)notes.lost_calls + (long)notes.damaged + (long)notes.unknown_waits, 0);
    CHECK_INT(notes.compute_capability, 90);
    const struct gsim_kernel *k = p.kernels, *end = k + p.kernel_count;
    while (k < end && strcmp(k->name, "sums(float*, int)") != 0) k++;
    CHECK(k < end);
    if (k == end) return;
    CHECK_INT((long)k->grid.x, 12);
    CHECK_INT((long)k->grid.y, 2);
    CHECK_INT((long)k->block.x, 128);
    CHECK_INT((long)k->regs_per_thread, 24);
    CHECK_INT((long)k->smem_bytes, 1024);
    CHECK_INT((long)k->cluster.x, 2);
    gsim_program_release(&p);
    CHECK_INT((long)lines_with("\"cat\":\"cuda_runtime\""), KERNELS + STEPS);
    CHECK_INT((long)lines_with("\"cat\":\"cuda_driver\""), 0); /* the run time made them */
    CHECK_INT((long)lines_with("\"inner\":1"), KERNELS);
    CHECK_INT((long)lines_with("\"wait_on_stream\":7,\"wait_on_cuda_event_record_corr_id\":45"), 1);
    CHECK_INT((long)lines_with("\"name\":\"load \\u0022a\\u005cb\\u0022\""), 1);
    CHECK_INT((long)lines_with("\"stream\":8,\"priority\":-5"), 1);
    CHECK_INT((long)lines_with("\"address\":21474836480,\"bytes\":65536"), 1);
    CHECK_INT((long)lines_with("\"name\":\"cudaLaunchKernel\""), KERNELS); /* without _v7000 */
    CHECK_INT((long)lines_with("\"kernels\":40,\"copies\":0,\"memsets\":0,\"calls\":44,\"dropped\":0"), 1);
}

static void killed_program(void)
{
    struct gsim_program p = {0};
    struct gsim_import_notes notes;
    CHECK_INT(record("kill", "", ""), 128 + SIGKILL);
    CHECK_INT((long)lines_with("\"name\":\"end\""), 0);
    if (!read_back(&p, &notes, NULL)) return;
    CHECK_INT((long)notes.kernels, KERNELS);
    CHECK_INT((long)notes.damaged, 0);
    gsim_program_release(&p);
}

static void forked_program(void)
{
    CHECK_INT(record("fork", "", ""), 9);
    CHECK_INT((long)lines_with("\"cat\":\"kernel\""), KERNELS);
    CHECK_INT((long)lines_with("\"name\":\"end\""), 1);
}

static void refused_recording(void)
{
    CHECK_INT(record("plain", "", "FAKE_BUSY=1"), 9);
    CHECK_INT((long)lines_with("kernel"), 0);
    CHECK_INT(record("plain", "--range profiler", ""), 9); /* which it never starts */
    CHECK_INT((long)lines_with("\"cat\":\"kernel\""), 0);
    CHECK_INT(record("plain", "--range 1", ""), 2);
}

/* The run without recording waits as often, so its time is known: each step is ten kernels of 20 us and more. */
static void timed_steps(void)
{
    struct gsim_program p = {0};
    struct gsim_import_notes notes;
    struct gsim_trace_steps steps = {0};
    CHECK_INT(record("steps", "--steps", ""), 0);
    CHECK_INT((long)lines_with("\"name\":\"traced\""), STEPS);
    CHECK_INT((long)lines_with("\"name\":\"untraced\""), STEPS);
    if (read_back(&p, &notes, &steps)) CHECK_INT((long)notes.unlike_runs, 0);
    CHECK_INT((long)steps.count, STEPS);
    CHECK_MSG(steps.untraced_us > 200, "%g us", steps.untraced_us);
    gsim_trace_steps_release(&steps);
    gsim_program_release(&p);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the first launch of a loop to that of the next in the run without recording, as its records have them, however
 * busy the machine was: the median of all loops but the first and the last. */
static double launches_apart(void)
{
    char line[4096];
    double at[LOOPS], apart[LOOPS - 2], us;
    uint32_t count = 0;
    gzFile file = gzopen(path, "rb");
    while (file && gzgets(file, line, sizeof line)) {
        const char *time = strstr(line, "\"cat\":\"launched\"") ? strstr(line, "\"ts\":") : NULL;
        if (!time || sscanf(time + 5, "%lf", &us) != 1) continue;
        if (count % LAUNCHES == 0 && count / LAUNCHES < LOOPS) at[count / LAUNCHES] = us;
        count++;
    }
    if (file) gzclose(file);
    if (count != LOOPS * LAUNCHES) return 0;
    for (int i = 0; i < LOOPS - 2; i++) apart[i] = at[i + 2] - at[i + 1];
    qsort(apart, LOOPS - 2, sizeof *apart, compare);
    return apart[(LOOPS - 2) / 2];
}

/* The two runs launch alike, so 24 launches of the one are 24 of the other: of 6 ms and more, not of 12. */
static void timed_launches(void)
{
    struct gsim_program p = {0};
    struct gsim_import_notes notes;
    struct gsim_trace_steps steps = {0};
    CHECK_INT(record("launches", "--steps", ""), 0);
    CHECK_INT((long)lines_with("\"cat\":\"launched\""), LOOPS * LAUNCHES);
    if (read_back(&p, &notes, &steps)) CHECK_INT((long)notes.unlike_runs, 0);
    CHECK_INT((long)steps.count, LOOPS);
    CHECK_MSG(steps.untraced_us >= 6000, "%g us", steps.untraced_us);
    CHECK_NEAR(steps.untraced_us, launches_apart(), 0.01);
    CHECK_MSG(steps.median_us >= 12000, "%g us", steps.median_us);
    gsim_trace_steps_release(&steps);
    gsim_program_release(&p);
}

/* sums(float*, int) may read and write what its pointer points into; 5 is no pointer. */
static void given_pointers(void)
{
    struct gsim_program p = {0};
    struct gsim_import_notes notes;
    uint32_t kernels = 0;
    CHECK_INT(record("plain", "--arguments", ""), 9);
    CHECK_INT((long)lines_with("\"pointers\":[[0,21474836736]]"), KERNELS);
    if (!read_data(&p, &notes, NULL, true)) return;
    CHECK_INT((long)notes.pointed_works, KERNELS);
    CHECK_INT((long)p.buffer_count, 1);
    CHECK_INT((long)p.buffers[0].bytes, 65536);
    for (uint32_t i = 0; i < p.op_count; i++) {
        if (p.ops[i].kind != GSIM_OP_KERNEL) continue;
        kernels += p.ops[i].arg_count == 1 && p.ops[i].args[0].reads && p.ops[i].args[0].writes;
    }
    CHECK_INT((long)kernels, KERNELS);
    gsim_program_release(&p);
}

static void set_up(void)
{
    static const char name[] = "/tmp/gpusim-test-tracer.XXXXXX";
    char room[sizeof name];
    memcpy(room, name, sizeof name);
    int file = mkstemp(room);
    if (file >= 0) close(file);
    unlink(room);
    snprintf(path, sizeof path, "%s.json.gz", room);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
}

static void recordings_are_whole(void)
{
    set_up();
    whole_recording();
    killed_program();
    forked_program();
    refused_recording();
    timed_steps();
    timed_launches();
    given_pointers();
    char errors[80];
    snprintf(errors, sizeof errors, "%s.err", path);
    unlink(errors);
    unlink(path);
}

static const struct test_case cases[] = {{"recordings", recordings_are_whole}};
TEST_MAIN("traces/tracer/inject", cases)
