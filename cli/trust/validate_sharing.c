/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim validate --kind sharing FILE...": recorded pairs of services under each way of
 * sharing. */
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

#include "cli/trust/validate.h"
#include "plots/gnuplot.h"
#include "trust/validate/services/ranges.h"
#include "trust/validate/sharing.h"

#define DEVICE_DEFAULT "h100-vm" /* on which they were recorded so far */

struct errors {
    double *values; /* absolute, of each way */
    size_t count, capacity;
};

struct command {
    const struct gsim_cli_arguments *arguments;
    struct gsim_cli_setup setup;
    struct errors errors[GSIM_SHARING_WAY_COUNT];
    struct gsim_output output; /* the table, or the CSV file */
    bool has_csv;
};

static void add_sample(struct command *c, const char *file, const struct gsim_sharing_sample *s)
{
    struct errors *e = &c->errors[s->way];
    (void)GSIM_APPEND(e->values, e->count, e->capacity, fabs(s->predicted_us / s->measured_us - 1));
    double error = s->predicted_us / s->measured_us - 1;
    if (c->has_csv) {
        gsim_output_csv_string(&c->output, file);
        gsim_output_printf(&c->output, ",%u,%c,%s,%.3f,%.3f,%.3f,%.3f,%.6f\n", s->pair, 'a' + (int)s->service,
                           gsim_sharing_way_title(s->way), s->predicted_us, s->measured_us, s->predicted_p90_us,
                           s->measured_p90_us, error);
    } else if (c->arguments->value[GSIM_CLI_PER_CASE]) {
        gsim_output_printf(&c->output, "  %3u %c  %-24s %12.1f %12.1f %+8.2f %%\n", s->pair, 'a' + (int)s->service,
                           gsim_sharing_way_title(s->way), s->predicted_us, s->measured_us, 100 * error);
    }
}

static enum gsim_status add_file(struct command *c, const char *path, struct gsim_error *error)
{
    const char *slash = strrchr(path, '/');
    struct gsim_sharing_recording *r = gsim_sharing_recording_read(path, error);
    enum gsim_status status = r ? GSIM_OK : gsim_error_prefix(error, "cannot read");
    for (uint32_t pair = 0; r && pair < gsim_sharing_recording_pairs(r); pair++)
        for (int way = 0; way < GSIM_SHARING_WAY_COUNT && status == GSIM_OK; way++) {
            struct gsim_sharing_sample samples[GSIM_SHARING_SERVICES];
            uint32_t count = 0;
            status =
                gsim_sharing_predict(r, pair, (enum gsim_sharing_way)way, &c->setup.device, samples, &count, error);
            for (uint32_t i = 0; i < count && status == GSIM_OK; i++)
                add_sample(c, slash ? slash + 1 : path, &samples[i]);
        }
    gsim_sharing_recording_release(r);
    return status;
}

static void print(struct command *c)
{
    gsim_output_printf(&c->output, "Services that share a GPU: median request, error of the prediction on %s\n",
                       c->setup.device.name);
    gsim_output_printf(&c->output, "  %-24s %8s %8s %8s %8s\n", "way", "services", "mean", "median", "worst");
    for (int way = 0; way < GSIM_SHARING_WAY_COUNT; way++) {
        struct errors *e = &c->errors[way];
        double sum = 0;
        if (!e->count) continue;
        for (size_t i = 0; i < e->count; i++) sum += e->values[i];
        gsl_sort(e->values, 1, e->count);
        gsim_output_printf(&c->output, "  %-24s %8zu %6.2f %% %6.2f %% %6.2f %%\n",
                           gsim_sharing_way_title((enum gsim_sharing_way)way), e->count, 100 * sum / (double)e->count,
                           100 * e->values[e->count / 2], 100 * e->values[e->count - 1]);
    }
}

/* --- services whose host times vary ------------------------------------------------------------------------------ */

#define SLACK 0.03 /* so far off the range a median still counts as in it: what predictions err by themselves */

static void print_ranges(const struct gsim_ranges *ranges, bool is_csv, struct gsim_output *output)
{
    size_t in = 0;
    if (!is_csv)
        gsim_output_printf(
            output,
            "PyTorch services that share a GPU: median request, and the range that their hosts' times give, on %s\n",
            ranges->device);
    gsim_output_printf(output,
                       is_csv ? "way,service,beside,per_s,measured_us,low_us,high_us,in\n"
                              : "  %-18s %-12s %-12s %8s %10s %10s %10s\n",
                       "way", "service", "beside", "per s", "measured", "from us", "to us");
    for (size_t i = 0; i < ranges->count; i++)
        for (int service = 0; service < 2; service++) {
            const struct gsim_range_row *row = &ranges->rows[i];
            const char *is_in = gsim_range_holds(row, service, SLACK) ? "in" : "out";
            gsim_output_printf(output,
                               is_csv ? "%s,%s,%s,%g,%.1f,%.1f,%.1f,%s\n"
                                      : "  %-18s %-12s %-12s %8g %10.0f %10.0f %10.0f  %s\n",
                               row->share, row->names[service], row->names[!service], row->rates[service],
                               row->measured_us[service], row->low_us[service], row->high_us[service], is_in);
            in += gsim_range_holds(&ranges->rows[i], service, SLACK);
        }
    if (!is_csv)
        gsim_output_printf(output, "  in the range: %zu of %zu (within %g %% of its ends)\n", in, 2 * ranges->count,
                           100 * SLACK);
}

static enum gsim_status validate_ranges(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_arena arena = {0};
    struct gsim_cli_setup setup = {0};
    struct gsim_output output = {0};
    const char *csv = arguments->value[GSIM_CLI_CSV], *services = gsim_data_path(&arena, "workloads/services");
    bool has_device = arguments->value[GSIM_CLI_DEVICE] != NULL;
    enum gsim_status status = services ? gsim_cli_setup_init(&setup, arguments, error)
                                       : gsim_error_set(error, GSIM_IO, "cannot find workloads/services");
    if (status == GSIM_OK) status = gsim_output_open(&output, csv ? csv : "-", error);
    for (size_t i = 0; i < arguments->operand_count && status == GSIM_OK; i++) {
        struct gsim_ranges ranges;
        status = gsim_ranges_run(arguments->operands[i], services, has_device ? &setup.device : NULL, &ranges, error);
        if (status == GSIM_OK) print_ranges(&ranges, csv != NULL, &output);
        gsim_ranges_release(&ranges);
    }
    if (status == GSIM_OK) status = gsim_output_commit(&output, error);
    gsim_output_release(&output);
    gsim_cli_setup_release(&setup);
    gsim_arena_release(&arena);
    return status;
}

/* --- the command ------------------------------------------------------------------------------------------------- */

enum gsim_status gsim_cli_validate_sharing(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct gsim_cli_arguments words = *arguments;
    struct command c = {.arguments = arguments};
    const char *csv = arguments->value[GSIM_CLI_CSV];
    if (!arguments->operand_count)
        return gsim_error_set(error, GSIM_USAGE,
                              "--kind sharing: expected FILE..., such as traces/h100/sharing_exact.json.gz");
    if (gsim_ranges_holds(arguments->operands[0])) return validate_ranges(arguments, error);
    if (!words.value[GSIM_CLI_DEVICE]) words.value[GSIM_CLI_DEVICE] = DEVICE_DEFAULT;
    enum gsim_status status = gsim_cli_setup_init(&c.setup, &words, error);
    if (status != GSIM_OK) return status;
    c.has_csv = csv != NULL;
    status = gsim_output_open(&c.output, csv ? csv : "-", error);
    if (status == GSIM_OK && csv)
        gsim_output_text(&c.output,
                         "file,pair,service,way,predicted_us,measured_us,predicted_p90_us,measured_p90_us,error\n");
    for (size_t i = 0; i < arguments->operand_count && status == GSIM_OK; i++)
        status = add_file(&c, arguments->operands[i], error);
    if (status == GSIM_OK && !csv) print(&c);
    if (status == GSIM_OK) status = gsim_output_commit(&c.output, error);
    gsim_output_release(&c.output);
    for (int way = 0; way < GSIM_SHARING_WAY_COUNT; way++) gsim_free(c.errors[way].values);
    gsim_cli_setup_release(&c.setup);
    return status;
}
