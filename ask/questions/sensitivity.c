/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/questions/sensitivity.h. The time with each number of the device lower and higher. */
#include "ask/questions/sensitivity.h"

#include <math.h>

#include "ask/questions/question.h"
#include "sim/base/text.h"
#include "sim/device/numbers.h"

#define SPREAD 10.0 /* per cent */

/* How far a number may be off, by where it comes from: our judgement, in per cent. */
static double spread_of_kind(enum gsim_number_kind kind)
{
    switch (kind) {
    case GSIM_KIND_DATASHEET: return 2;
    case GSIM_KIND_PUBLISHED:
    case GSIM_KIND_MEASURED: return 5;
    case GSIM_KIND_FITTED:
    case GSIM_KIND_DERIVED: return 10;
    case GSIM_KIND_ASSUMED: return 50;
    }
    GSIM_BUG("kind %d", (int)kind);
}

bool gsim_input_of(struct gsim_input *input, const struct gsim_device_spec *device, enum gsim_device_number number,
                   double spread)
{
    double value = gsim_device_get(device, number), least = gsim_device_number_minimum(number),
           most = gsim_device_number_maximum(number);
    bool is_count = gsim_device_number_is_count(number);
    if (value == 0 || (is_count && most <= 1)) return false;
    *input = (struct gsim_input){.number = number, .value = value, .is_count = is_count};
    input->spread = spread > 0 ? spread : spread_of_kind(device->kind[number]);
    input->low = fmax(least, value * (1 - input->spread / 100));
    input->high = fmin(most, value * (1 + input->spread / 100));
    if (is_count) { /* at least one step either way */
        input->low = fmax(least, fmin(round(input->low), value - 1));
        input->high = fmin(most, fmax(round(input->high), value + 1));
    }
    return true;
}

bool gsim_number_is_certain(enum gsim_device_number number)
{
    static const bool is_certain[GSIM_DEVICE_NUMBER_COUNT] = {
        [GSIM_DEV_warp_threads] = true,        [GSIM_DEV_warps_per_sm] = true,         [GSIM_DEV_mig_1g_sms] = true,
        [GSIM_DEV_subpartitions] = true,       [GSIM_DEV_registers_per_sm] = true,     [GSIM_DEV_mig_2g_sms] = true,
        [GSIM_DEV_register_unit] = true,       [GSIM_DEV_registers_per_thread] = true, [GSIM_DEV_mig_3g_sms] = true,
        [GSIM_DEV_smem_reserved_bytes] = true, [GSIM_DEV_registers_per_block] = true,  [GSIM_DEV_mig_4g_sms] = true,
        [GSIM_DEV_smem_unit_bytes] = true,     [GSIM_DEV_blocks_per_sm] = true,        [GSIM_DEV_mig_7g_sms] = true,
    };
    return is_certain[number];
}

/* Its change of the time in percent at one end of its range. */
static enum gsim_status effect(const struct gsim_changeable *scenario, enum gsim_device_number number, double value,
                               double now_us, double *percent, struct gsim_error *error)
{
    struct gsim_device_spec device = *scenario->simulation->device;
    double us;
    *gsim_device_number(&device, number) = value;
    enum gsim_status status = gsim_question_time(scenario, &device, &us, error);
    *percent = 100 * (us / now_us - 1);
    return status;
}

static enum gsim_status answer(const struct gsim_changeable *scenario, const char *words, struct gsim_answer *a,
                               struct gsim_error *error)
{
    static const struct gsim_answer_column columns[] = {
        GSIM_COLUMN_TEXT("number"), GSIM_COLUMN_REAL("value", ""), GSIM_COLUMN_TEXT("unit"),
        GSIM_COLUMN_REAL("varied_percent", "%"), GSIM_COLUMN_REAL("lower_percent", "%"),
        GSIM_COLUMN_REAL("higher_percent", "%"), {0}};
    bool wanted[GSIM_DEVICE_NUMBER_COUNT] = {false};
    double now_us, low, high;
    uint64_t count = 0;
    char name[64];
    for (const char *at = words; gsim_text_item(&at, name, sizeof name);) {
        enum gsim_device_number number = gsim_device_number_find(name);
        if (number == GSIM_DEVICE_NUMBER_COUNT)
            return gsim_refuse(error, "sensitivity: unknown number '%s' (see gpusim list devices "
                                                     "--long)", name);
        wanted[number] = true;
    }
    for (int n = 0; n < GSIM_DEVICE_NUMBER_COUNT; n++) {
        struct gsim_input input;
        if (!words) wanted[n] = !gsim_number_is_certain((enum gsim_device_number)n);
        count += wanted[n] &&
                 gsim_input_of(&input, scenario->simulation->device, (enum gsim_device_number)n, SPREAD);
    }
    gsim_question_times(scenario, 1 + 2 * count);
    gsim_answer_begin(a, columns);
    enum gsim_status status = gsim_question_time(scenario, NULL, &now_us, error);
    for (int n = 0; n < GSIM_DEVICE_NUMBER_COUNT && !status; n++) {
        enum gsim_device_number number = (enum gsim_device_number)n;
        struct gsim_input input;
        if (!wanted[n]) continue;
        if (!gsim_input_of(&input, scenario->simulation->device, number, SPREAD)) {
            if (words)
                status = gsim_refuse(error, "sensitivity: %s is %g, which has no 10 %% less or more",
                                        gsim_device_number_name(number), gsim_device_get(scenario->simulation->device,
                                                                                         number));
            continue;
        }
        status = effect(scenario, number, input.low, now_us, &low, error);
        if (!status) status = effect(scenario, number, input.high, now_us, &high, error);
        if (!status && (words || low != 0 || high != 0))
            gsim_answer_add(a, gsim_device_number_name(number), input.value, gsim_device_number_unit(number),
                            input.spread, low, high);
    }
    return status;
}

const struct gsim_question_ops gsim_question_sensitivity = {
    GSIM_HEAD(question),
    .name = "sensitivity",
    .summary = "what each number of the device does to the time, 10 % lower and higher",
    .words = "numbers, separated by commas; without them all that have an effect",
    .answer = answer,
};
