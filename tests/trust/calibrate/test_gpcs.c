/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SMs of each GPC from the thread block clusters resident at once: those of an H100 whose last GPCs are cut up
 * (traces/h100/ green.json.gz, "clusters"), of a whole chip, of odd GPCs by hand, and facts that no chip gives. */
#include "sim/device/device.h"
#include "trust/calibrate/calibrate.h"

#include "trust/calibrate/parts.h"
#include "tests/test.h"

#define SIZES 4 /* clusters of 2, 4, 8, 16 */

static const struct chip {
    const char *name;
    double sms, resident[4][SIZES]; /* with 1, 2, 4, 8 blocks on an SM */
    double gpcs[16];
    bool is_possible;
} chips[] = {
    {"cut up", 132, {{66, 30, 15, 7}, {132, 62, 30, 14}, {264, 124, 62, 28}, {528, 248, 124, 58}},
     {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2}, true},
    {"whole", 132, {{66, 32, 16, 8}, {132, 66, 32, 16}, {264, 132, 66, 32}, {528, 264, 132, 66}},
     {18, 18, 16, 16, 16, 16, 16, 16}, true},
    {"odd", 8, {{3, 1, 0, 0}, {8, 2, 0, 0}, {16, 5, 0, 0}, {32, 10, 0, 0}}, {5, 3}, true},
    {"impossible", 132, {{66, 30, 15, 70}, {132, 62, 30, 14}, {264, 124, 62, 28}, {528, 248, 124, 58}}, {0}, false},
};

static void add_series(struct gsim_probe *probe, const struct chip *chip)
{
    for (int p = 0; p < 4; p++) {
        char name[16];
        snprintf(name, sizeof name, "clusters_%d", 1 << p);
        struct gsim_probe_series *s = gsim_probe_add(probe, name, "clusters", SIZES);
        CHECK(s != NULL);
        for (int i = 0; s && i < SIZES; i++)
            s->points[s->point_count++] =
                (struct gsim_probe_point){.x = 2 << i, .median = chip->resident[p][i], .count = 1};
    }
}

static void found(void)
{
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct gsim_calibration c = {0};
        struct gsim_device_spec base;
        struct gsim_probe probe;
        struct gsim_error error = {0};
        gsim_probe_init(&probe);
        CHECK_OK(gsim_device_load("h200", &base, &error), error);
        gsim_calibration_init(&c, &base, "mine");
        c.device.sm_count = chips[i].sms;
        add_series(&probe, &chips[i]);
        gsim_calibrate_gpcs(&c, &probe, "probe.json");
        for (int g = 0; g < 16; g++)
            CHECK_MSG(c.device.gpcs[g] == chips[i].gpcs[g], "%s: GPC %d has %g SMs", chips[i].name, g,
                      c.device.gpcs[g]);
        CHECK_INT(c.warning_count, chips[i].is_possible ? 0 : 1);
        gsim_probe_release(&probe);
        gsim_calibration_release(&c);
        gsim_device_release(&base);
    }
}

static const struct test_case cases[] = {{"found", found}};
TEST_MAIN("trust/calibrate/gpcs", cases)
