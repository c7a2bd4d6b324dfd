/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape of FIKIT's figures on a few kernels. */
#include <math.h>
#include <unistd.h>

#include "sim/device/device.h"
#include "tests/test.h"
#include "trust/published/sharing.h"

/* The urgent model is faster than under time slices by more the shorter its gaps are beside one that saturates the GPU.
 */
static void fikit(void)
{
    struct gsim_device_spec device;
    struct gsim_error error = {0};
    struct gsim_fikit_table table;
    char path[64];
    snprintf(path, sizeof path, "/tmp/gpusim-test-%ld-kernels.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs("# comment\nmodel,sm,ns\n", file);
    for (int i = 0; i < 32; i++) fprintf(file, "a,%d,%d\n", 10 + i, 20000 + 1000 * i);
    for (int i = 0; i < 64; i++) fprintf(file, "b,80,%d\n", 15000 + 500 * i);
    fclose(file);
    CHECK_OK(gsim_device_load("v100", &device, &error), error);
    CHECK_OK(gsim_reproduce_fikit(&device, path, &table, &error), error);
    remove(path);
    CHECK_INT(table.count, 16);
    for (size_t i = 0; i < table.count; i++) {
        const struct gsim_fikit_row *r = &table.rows[i];
        CHECK_MSG(r->speed_up > 1.2, "gap %.0f us: %.2f times", r->gap_us, r->speed_up);
        CHECK_MSG(r->over_exclusive > 0.99 && r->over_exclusive < 1.1, "gap %.0f us: %.3f of alone", r->gap_us,
                  r->over_exclusive);
        if (i >= 4 && !r->has_other_gaps)
            CHECK(r->speed_up < table.rows[i - 4].speed_up); /* the same kind, a longer gap */
    }
    gsim_fikit_table_release(&table);
    CHECK_INT(gsim_reproduce_fikit(&device, "nowhere.csv", &table, &error), GSIM_IO);
    gsim_fikit_table_release(&table);
    gsim_device_release(&device);
}

static const struct test_case cases[] = {{"FIKIT", fikit}};
TEST_MAIN("trust/published/sharing", cases)
