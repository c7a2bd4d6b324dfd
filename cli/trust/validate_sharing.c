/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). "gpusim validate --kind sharing FILE...": recorded pairs of services under each way of
 * sharing. */
#include "cli/trust/validate.h"
#include "trust/validate/report.h"
#include "trust/validate/services/ranges.h"
#include "trust/validate/sharing.h"
#include "sim/device/search.h"
#include "sim/base/text.h"

#define DEVICE_DEFAULT "h100-vm" /* on which they were recorded so far */

static enum gsim_status add_file(sqlite3 *tables, const char *path, const struct gsim_device_spec *device,
                                 struct gsim_error *error)
{
    struct gsim_sharing_recording *r = gsim_sharing_recording_read(path, error);
    enum gsim_status status = r ? GSIM_OK : gsim_error_prefix(error, "cannot read");
    for (uint32_t pair = 0; r && pair < gsim_sharing_recording_pairs(r); pair++)
        for (int way = 0; way < GSIM_SHARING_WAY_COUNT && status == GSIM_OK; way++) {
            struct gsim_sharing_sample samples[GSIM_SHARING_SERVICES];
            uint32_t count = 0;
            status = gsim_sharing_predict(r, pair, (enum gsim_sharing_way)way, device, samples, &count, error);
            for (uint32_t i = 0; i < count && status == GSIM_OK; i++) {
                const struct gsim_sharing_sample *s = &samples[i];
                gsim_tables_row(tables, "shared", "suuusffff", gsim_text_file(path), s->pair, s->service,
                                (unsigned)way, gsim_sharing_way_title(s->way), s->predicted_us, s->measured_us,
                                s->predicted_p90_us, s->measured_p90_us);
            }
        }
    gsim_sharing_recording_release(r);
    return status;
}

/* --- services whose host times vary ------------------------------------------------------------------------------ */

#define SLACK 0.03 /* so far off the range a median still counts as in it: what predictions err by themselves */

static void print_ranges(const struct gsim_ranges *ranges, bool is_csv, struct gsim_output *output)
{
    sqlite3 *tables = gsim_tables_of_report();
    gsim_tables_row(tables, "service_about", "sfu", ranges->device, SLACK, 0u);
    for (size_t i = 0; i < ranges->count; i++)
        for (int service = 0; service < 2; service++) {
            const struct gsim_range_row *row = &ranges->rows[i];
            gsim_tables_row(tables, "ranged", "sssffffu", row->share, row->names[service], row->names[!service],
                            row->rates[service], row->measured_us[service], row->low_us[service], row->high_us[service],
                            gsim_range_holds(row, service, SLACK));
        }
    gsim_tables_print(tables, is_csv ? "ranged_csv" : "ranged", output);
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
    struct gsim_cli_setup setup;
    struct gsim_output output = {0};
    const char *csv = arguments->value[GSIM_CLI_CSV];
    if (!arguments->operand_count)
        return gsim_refuse(error, "--kind sharing: expected FILE..., such as traces/h100/sharing_exact.json.gz");
    if (gsim_ranges_holds(arguments->operands[0])) return validate_ranges(arguments, error);
    if (!words.value[GSIM_CLI_DEVICE]) words.value[GSIM_CLI_DEVICE] = DEVICE_DEFAULT;
    enum gsim_status status = gsim_cli_setup_init(&setup, &words, error);
    if (status != GSIM_OK) return status;
    sqlite3 *tables = gsim_tables_of_report();
    gsim_tables_row(tables, "service_about", "sfu", setup.device.name, SLACK,
                    arguments->value[GSIM_CLI_PER_CASE] != NULL);
    status = gsim_output_open(&output, csv ? csv : "-", error);
    for (size_t i = 0; i < arguments->operand_count && status == GSIM_OK; i++)
        status = add_file(tables, arguments->operands[i], &setup.device, error);
    gsim_tables_print(tables, status != GSIM_OK ? NULL : csv ? "shared_csv" : "shared", &output);
    if (status == GSIM_OK) status = gsim_output_commit(&output, error);
    gsim_output_release(&output);
    gsim_cli_setup_release(&setup);
    return status;
}
