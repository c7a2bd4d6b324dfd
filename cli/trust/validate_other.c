/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli. "gpusim validate FILE --again FILE --other-device DEVICE": kernels timed on two GPUs, the one's times
 * predicted from the other's (trust/validate/other/other.h).
 */
#include "cli/trust/validate.h"

#include <string.h>

#include "cli/traces.h"
#include "cli/trust/host.h"
#include "traces/kernels/profiles.h"
#include "trust/validate/other/other.h"
#include "sim/base/text.h"
#include "trust/validate/report.h"

struct command {
    struct gsim_cli_arguments arguments;
    const char *path, *again;
    struct gsim_device_spec from, to;
    struct gsim_other_law law;
    struct gsim_profiles profiles;
    struct gsim_timed_set set, there;
    struct gsim_other_row whole; /* of a trace's kernels, matched or not */
};

/* Options that mean nothing of kernels alone. */
static enum gsim_status check_words(const struct gsim_cli_arguments *a, struct gsim_error *error)
{
    static const enum gsim_cli_key used[] = {GSIM_CLI_OTHER_DEVICE, GSIM_CLI_DEVICE, GSIM_CLI_AGAIN, GSIM_CLI_KERNELS,
                                             GSIM_CLI_PER_CASE};
    if (a->operand_count != 1 || !a->value[GSIM_CLI_AGAIN])
        return gsim_refuse(error, "--other-device: expected one FILE, and --again FILE of that device");
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++) {
        bool is_used = false, is_repeated = false;
        for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) is_used |= used[i] == (enum gsim_cli_key)key;
        for (size_t i = 0; i < a->repeated_count; i++) is_repeated |= a->repeated[i].key == (enum gsim_cli_key)key;
        if (!is_used && (a->value[key] || is_repeated))
            return gsim_refuse(error, "--%s: has no effect with --other-device",
                               gsim_cli_option_at((enum gsim_cli_key)key)->name);
    }
    return GSIM_OK;
}

/* Of a program's kernels, those of one name and shape together: their mean time. */
static void add_classes(struct gsim_timed_set *set, const struct gsim_program *program)
{
    char name[512];
    for (uint32_t i = 0; i < program->op_count; i++) {
        if (program->ops[i].kind != GSIM_OP_KERNEL) continue;
        const struct gsim_kernel *k = &program->kernels[program->ops[i].kernel_index];
        struct gsim_timed *t = NULL;
        if (!(k->solo_us > 0) || k->collective) continue;
        snprintf(name, sizeof name, "%ux%ux%u %ux%ux%u %.400s", k->grid.x, k->grid.y, k->grid.z, k->block.x, k->block.y,
                 k->block.z, k->name);
        for (size_t j = 0; j < set->count && !t; j++)
            if (strcmp(set->kernels[j].name, name) == 0) t = &set->kernels[j];
        if (!t) t = gsim_timed_add(set, name, k);
        if (set->kernels[set->count - 1].name == t->name && t->times == 1 && t->there_us == 0) t->there_us = -1;
        else {
            t->kernel.solo_us = (t->kernel.solo_us * t->times + k->solo_us) / (t->times + 1);
            t->times++;
        }
    }
    for (size_t i = 0; i < set->count; i++) set->kernels[i].there_us = 0;
}

static enum gsim_status read_set(struct command *c, const char *path, const char *device, struct gsim_timed_set *set,
                                 struct gsim_error *error)
{
    struct gsim_trace_origin origin;
    struct gsim_error no_trace = {0};
    struct gsim_program program = {0};
    struct gsim_import_notes notes = {0};
    struct gsim_device_spec spec = {0};
    if (!gsim_importer_of(path, &origin, &no_trace)) return gsim_timed_read(set, path, device, error);
    bool is_other = false;
    if (gsim_cli_trace_other(&origin, set == &c->set ? &c->from : &c->to, &spec, &is_other, error))
        return error->status;
    if (is_other) { /* its times would be scaled, and count as measured */
        gsim_error_set(error, GSIM_INPUT, "'%.200s' was recorded on %.60s, not on %.60s", path, spec.name, device);
        gsim_device_release(&spec);
        return error->status;
    }
    c->arguments.value[GSIM_CLI_DEVICE] = device;
    enum gsim_status status =
        gsim_cli_import_trace(&c->arguments, path, &program, &notes, NULL, NULL, &spec, NULL, error);
    if (!status) add_classes(set, &program);
    gsim_device_release(&spec);
    gsim_program_release(&program);
    return status;
}

static void put_sum(sqlite3 *tables, const char *what, const struct gsim_other_row *row)
{
    gsim_tables_row(tables, "law_sum", "sfffff", what, row->sum_there, row->sum, row->sum_low, row->sum_high,
                    row->sum_before);
}

static void write_report(struct command *c, const char *what, struct gsim_output *output)
{
    struct gsim_other_row row;
    sqlite3 *tables = gsim_tables_of_report();
    gsim_other_row(&c->set, &c->law, &c->from, &c->to, &row);
    for (size_t i = 0; i < c->set.count && c->arguments.value[GSIM_CLI_PER_CASE]; i++) {
        const struct gsim_timed *t = &c->set.kernels[i];
        struct gsim_other_time time = gsim_other_time(&c->law, &t->kernel, &c->from, &c->to);
        gsim_tables_row(tables, "timed", "fffffs", t->kernel.solo_us, time.us, time.low_us, time.high_us, t->there_us,
                        t->name);
    }
    gsim_tables_row(tables, "law", "szffffzffzffff", what, row.shipped.count, row.shipped.mean, row.shipped.median,
                    row.shipped.worst, row.shipped.bias, row.inside, row.left_out.mean, row.left_out.worst,
                    row.inside_left_out, row.change.before, row.change.before - row.change.after, -row.change.high,
                    -row.change.low);
    put_sum(tables, "kernels on both", &row);
    if (c->whole.sum > 0) put_sum(tables, "all of the trace", &c->whole);
    gsim_tables_print(tables, "other", output);
}

static enum gsim_status print(struct command *c, struct gsim_error *error)
{
    struct gsim_output output;
    sqlite3 *tables = gsim_tables_of_report();
    enum gsim_status status = gsim_output_open(&output, "-", error);
    gsim_tables_row(tables, "other_about", "ssszzu", gsim_text_file(c->path), c->from.name, c->to.name,
                    c->set.count, c->set.unmatched, c->arguments.value[GSIM_CLI_PER_CASE] != NULL);
    gsim_tables_print(tables, status ? NULL : "other_head", &output);
    if (status) return status;
    write_report(c, "times alone", &output);
    for (size_t i = 0; i < c->set.count && c->profiles.count; i++) {
        struct gsim_timed *t = &c->set.kernels[i];
        if (t->has_row) gsim_profiles_apply_row(&c->profiles, t->row, &t->kernel);
        else gsim_profiles_apply(&c->profiles, &t->kernel);
    }
    if (c->profiles.count) write_report(c, "ncu's page", &output);
    return gsim_output_commit(&output, error);
}

/* Where both traces launch as many kernels, these are the same work, whatever kernels a library chose there. */
static void sum_traces(struct command *c)
{
    double here = 0, there = 0, us = 0;
    for (size_t i = 0; i < c->set.count; i++) here += c->set.kernels[i].times;
    for (size_t i = 0; i < c->there.count; i++) there += c->there.kernels[i].times;
    for (size_t i = 0; i < c->there.count; i++) us += c->there.kernels[i].times * c->there.kernels[i].kernel.solo_us;
    if (here != there || here == (double)c->set.count) return;
    gsim_other_whole(&c->set, &c->law, &c->from, &c->to, &c->whole);
    c->whole.sum_there = us;
}

enum gsim_status gsim_cli_validate_other(const struct gsim_cli_arguments *arguments, struct gsim_error *error)
{
    struct command c = {.arguments = *arguments, .again = arguments->value[GSIM_CLI_AGAIN]};
    const char *from = arguments->value[GSIM_CLI_DEVICE], *to = arguments->value[GSIM_CLI_OTHER_DEVICE],
               *kernels = arguments->value[GSIM_CLI_KERNELS];
    enum gsim_status status = check_words(arguments, error);
    if (!status && !from) status = gsim_refuse(error, "--other-device: expected --device NAME|FILE, of FILE's times");
    if (!status) c.path = arguments->operands[0];
    if (!status) status = gsim_device_load(from, &c.from, error);
    if (!status) status = gsim_device_load(to, &c.to, error);
    if (!status) status = gsim_other_law_load(&c.law, error);
    if (!status && kernels) status = gsim_profiles_read(&c.profiles, kernels, error);
    if (!status) status = read_set(&c, c.path, from, &c.set, error);
    if (!status) status = read_set(&c, c.again, to, &c.there, error);
    if (!status) sum_traces(&c);
    if (!status) gsim_timed_match(&c.set, &c.there);
    if (!status && !c.set.count)
        status = gsim_error_set(error, GSIM_INPUT, "'%s' has no kernel of '%s'", c.again, c.path);
    if (!status) status = print(&c, error);
    gsim_timed_release(&c.set);
    gsim_timed_release(&c.there);
    gsim_profiles_release(&c.profiles);
    gsim_device_release(&c.from);
    gsim_device_release(&c.to);
    return status;
}
