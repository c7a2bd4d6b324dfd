/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of a run of tasks does not grow with the number of requests: 100 and 10,000 of 110 kernels, under time slices
 * and a policy. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

#define KERNELS  110
#define MORE_KIB 8192 /* what the records of 10,000 requests and another layout may add */

static void put_program(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs("{\"schema\": \"gpusim-program/1\", \"name\": \"service\", \"kernels\": [{\"name\": \"k\", "
          "\"regs_per_thread\": 32, \"solo_us\": 5}], \"ops\": [",
          file);
    for (int i = 0; i < KERNELS; i++) {
        fprintf(
            file,
            "%s{\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [264, 1, 1], \"block\": [256, 1, 1], \"stream\": 0}",
            i ? ", " : "");
        if (i % 20 == 19) fputs(", {\"op\": \"synchronize\"}", file);
    }
    fputs("]}\n", file);
    fclose(file);
}

/* Largest resident set of this process' children so far, in KiB, after a run of so many requests. */
static long run(const char *program, const char *share, unsigned requests)
{
    char task[128], other[128];
    struct rusage usage;
    int status = -1;
    snprintf(task, sizeof task, "%s,requests=%u", program, requests);
    snprintf(other, sizeof other, "%s,requests=%u,priority=5", program, requests / 10);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stdout)) _exit(3);
        execl(GPUSIM_BINARY, "gpusim", "--task", task, "--task", other, "--share", share, "--device", "h200",
              (char *)NULL);
        _exit(3);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s, %u requests: status %d", share, requests, status);
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;
}

static void flat(void)
{
    static const char *const shares[] = {"timeslice", "xsched"};
    char program[64];
    snprintf(program, sizeof program, "/tmp/gpusim-test-%ld-service.json", (long)getpid());
    put_program(program);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        long few = run(program, shares[i], 100), many = run(program, shares[i], 10000);
#ifdef __SANITIZE_ADDRESS__
        few = many; /* the sanitizer keeps what was freed */
#endif
        CHECK_MSG(many < few + MORE_KIB, "%s: %ld KiB with 100 requests, %ld KiB with 10,000", shares[i], few, many);
    }
    remove(program);
}

static const struct test_case cases[] = {{"flat", flat}};
TEST_MAIN("contract/memory", cases)
