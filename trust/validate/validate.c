/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cases, samples and what is summed up from them. How cases are simulated: trust/validate/cases.c and
 * trust/validate/dags.c.
 */
#include "trust/validate/validate.h"

#include <math.h>
#include <stdio.h>

#include "trust/validate/run.h"

const char *gsim_case_kind_word(enum gsim_case_kind kind)
{
    static const char *const words[GSIM_CASE_KIND_COUNT] = {
#define KIND_WORD(key, word) [GSIM_CASE_##key] = word,
        GSIM_CASE_KIND_MAP(KIND_WORD)
#undef KIND_WORD
    };
    return words[kind];
}

static const char *const quantity_texts[GSIM_QUANTITY_COUNT][2] = {
#define QUANTITY_TEXTS(key, word, help) [GSIM_QUANTITY_##key] = {word, help},
    GSIM_QUANTITY_MAP(QUANTITY_TEXTS)
#undef QUANTITY_TEXTS
};

const char *gsim_quantity_word(enum gsim_quantity quantity) { return quantity_texts[quantity][0]; }

const char *gsim_quantity_help(enum gsim_quantity quantity) { return quantity_texts[quantity][1]; }

enum gsim_quantity gsim_quantity_of_schedule(enum gsim_schedule schedule)
{
    static const enum gsim_quantity quantities[GSIM_SCHEDULE_COUNT] = {
        [GSIM_SCHEDULE_LIVE] = GSIM_QUANTITY_LIVE,   [GSIM_SCHEDULE_SERIAL] = GSIM_QUANTITY_SERIAL,
        [GSIM_SCHEDULE_SYNC] = GSIM_QUANTITY_SYNC,   [GSIM_SCHEDULE_GRAPH] = GSIM_QUANTITY_GRAPH,
        [GSIM_SCHEDULE_CHAIN] = GSIM_QUANTITY_CHAIN,
    };
    return quantities[schedule];
}

void gsim_validation_release(struct gsim_validation *validation)
{
    gsim_free(validation->samples);
    validation->samples = NULL;
    validation->count = validation->capacity = 0;
}

struct gsim_sample *gsim_validation_add(struct gsim_validation *v, const struct gsim_case *subject,
                                        enum gsim_quantity quantity, double predicted, double measured)
{
    gsim_array_grow(&v->samples, sizeof *v->samples, v->count, &v->capacity);
    struct gsim_sample *s = &v->samples[v->count++];
    *s = (struct gsim_sample){
        .subject = subject,
        .quantity = quantity,
        .predicted = predicted,
        .measured = measured,
        .error = predicted / measured - 1,
        .spread_ratio = NAN,
    };
    for (int i = 0; i < GSIM_MODEL_MAX; i++) s->model_us[i] = NAN;
    return s;
}

static enum gsim_status simulate(struct gsim_validation *v, const struct gsim_case *subject, struct gsim_error *error)
{
    return subject->nodes ? gsim_validation_run_dag(v, subject, error) : gsim_validation_run_two(v, subject, error);
}

static bool is_time(enum gsim_quantity quantity)
{
    return quantity != GSIM_QUANTITY_PLACEMENT && quantity != GSIM_QUANTITY_KERNELS &&
           quantity != GSIM_QUANTITY_START && quantity != GSIM_QUANTITY_END;
}

/* The samples from FIRST on under the work model MODEL. */
static enum gsim_status compare_model(struct gsim_validation *v, size_t first, uint32_t model,
                                      const struct gsim_case *subject, struct gsim_error *error)
{
    struct gsim_device_spec device = *v->device;
    struct gsim_validation other = {.device = &device, .gpu = v->gpu};
    device.model = model;
    enum gsim_status status = simulate(&other, subject, error);
    for (size_t i = first; i < v->count && !status; i++)
        for (size_t n = 0; n < other.count; n++) {
            struct gsim_sample *s = &v->samples[i];
            if (is_time(s->quantity) && other.samples[n].quantity == s->quantity && other.samples[n].part == s->part)
                s->model_us[model] = other.samples[n].predicted;
        }
    gsim_validation_release(&other);
    return status;
}

enum gsim_status gsim_validation_run(struct gsim_validation *validation, const struct gsim_case *subject,
                                     struct gsim_error *error)
{
    struct gsim_error local = {0};
    size_t before = validation->count;
    enum gsim_status status = simulate(validation, subject, &local);
    for (uint32_t m = 0; validation->compares_models && gsim_model_name(m) && !status; m++)
        if (m != validation->device->model) status = compare_model(validation, before, m, subject, &local);
    if (status == GSIM_OK) return GSIM_OK;
    validation->count = before;
    if (status != GSIM_INPUT) {
        gsim_error_set(error, status, "%s", local.message);
        return gsim_error_prefix(error, "%s: %s", subject->file, subject->name);
    }
    if (!validation->unfit++)
        snprintf(validation->unfit_reason, sizeof validation->unfit_reason, "%.60s: %.135s", subject->name,
                 local.message);
    return GSIM_OK;
}

static void add_both(struct gsim_validation *v, const struct gsim_case *subject, enum gsim_quantity quantity,
                     double again, double measured)
{
    if (again > 0 && measured > 0) gsim_validation_add(v, subject, quantity, again, measured);
}

void gsim_validation_add_again(struct gsim_validation *validation, const struct gsim_case *subject,
                               const struct gsim_case *again)
{
    add_both(validation, subject, GSIM_QUANTITY_SPAN, again->span_us, subject->span_us);
    for (int schedule = 0; schedule < GSIM_SCHEDULE_COUNT; schedule++)
        add_both(validation, subject, gsim_quantity_of_schedule((enum gsim_schedule)schedule),
                 again->makespan_us[schedule], subject->makespan_us[schedule]);
}
