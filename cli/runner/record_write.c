/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a recording: schema gpusim-runs/1, which traces/runner/README.md explains and traces/runs.c reads. */
#include <time.h>

#include "cli/runner/record.h"

static const char *const shapes[] = {"concurrent", "serial"}, *const suites[] = {"kesco", "grcuda"};
static const char *const memories[] = {"managed", "pinned", "pageable"};

/* Nanoseconds are what clocks give; three decimals hold them. */
static void put_key(struct gsim_output *output, const struct gsim_record_case *c)
{
    gsim_output_put(output, "{'workload':'%s','suite':'%s','shape':'%s','size':%.15g,'block1d':%u,'blocks':%u,",
                    c->workload->name, suites[c->options.suite], shapes[c->options.shape], c->options.size,
                    c->options.block1d, c->options.blocks);
}

static void put_profile(struct gsim_output *output, const struct gsim_record *record, const struct gsim_record_case *c)
{
    put_key(output, c);
    if (record->slice_sms) gsim_output_put(output, "'slice_sms':%u,", record->slice_sms);
    gsim_output_put(output, "'ops':[");
    for (uint32_t i = 0; i < c->profile_count; i++) {
        const struct gsim_record_profile_op *op = &c->profile[i];
        gsim_output_put(output, "%s\n  {'op':%u,'kernel':%q,'grid':[%u,%u,%u],'block':[%u,%u,%u],'regs_per_thread':%d,"
                                "'smem_bytes':%d,'solo_us':%.3f,'min_us':%.3f,'max_us':%.3f", i ? "," : "",
                        op->op_index, op->name, op->grid.x, op->grid.y, op->grid.z, op->block.x, op->block.y,
                        op->block.z, op->regs, op->smem_bytes, op->median_us, op->min_us, op->max_us);
        if (op->slice_us > 0) gsim_output_put(output, ",'slice_us':%.3f", op->slice_us);
        gsim_output_text(output, "}");
    }
    gsim_output_text(output, "]}");
}

static void put_run(struct gsim_output *output, const struct gsim_record *record, const struct gsim_record_case *c,
                    const struct gsim_record_run *run)
{
    put_key(output, c);
    gsim_output_printf(
        output,
        "\"scheduler\":\"%s\",\"memory\":\"%s\",\"prefetch\":%s,\"split\":\"%s\",\"checked\":%s,\n  \"iteration_us\":[",
        run->scheduler->name, memories[record->memory], run->prefetch ? "true" : "false", c->is_test ? "test" : "fit",
        record->is_traced ? "true" : "false");
    for (uint32_t i = 0; i < run->iteration_count; i++)
        gsim_output_printf(output, "%s%.3f", i ? "," : "", run->iteration_us[i]);
    gsim_output_text(output, "]");
    /* Means per iteration: some calls are made in some iterations only. */
    bool first = true;
    gsim_output_text(output, ",\n  \"calls\":[");
    for (int api = 0; api < GSIM_API_COUNT; api++) {
        if (run->call_count[api] <= 0) continue;
        gsim_output_printf(output, "%s{\"call\":\"%s\",\"count\":%.6g,\"total_us\":%.3f}", first ? "" : ",",
                           gsim_api_name((enum gsim_api)api), run->call_count[api], run->call_us[api]);
        first = false;
    }
    gsim_output_text(output, "]");
    if (record->is_traced) {
        gsim_output_put(output, ",\n  'traced':{'iteration_us':%.3f,'ops':[", run->traced_us);
        for (uint32_t i = 0; i < run->op_count; i++) {
            const struct gsim_record_op *op = &run->ops[i];
            gsim_output_put(output, "%s\n   {'op':%u,'kind':'%s',", i ? "," : "", op->op_index,
                            op->is_kernel ? "kernel" : gsim_copy_kind_name(op->copy_kind));
            if (op->is_kernel) gsim_output_put(output, "'name':%q", op->name);
            else gsim_output_printf(output, "\"bytes\":%llu", (unsigned long long)op->bytes);
            gsim_output_put(output, ",'stream':%u,'launch_us':%.3f,'start_us':%.3f,'end_us':%.3f}", op->stream,
                            op->launch_us, op->start_us, op->end_us);
        }
        gsim_output_text(output, "]}");
    }
    gsim_output_text(output, "}");
}

enum gsim_status gsim_record_write(const struct gsim_record *record, struct gsim_error *error)
{
    struct gsim_output output;
    enum gsim_status status = gsim_output_open(&output, record->path, error);
    if (status != GSIM_OK) return status;
    time_t now = time(NULL);
    struct tm day;
    char date[16] = "";
    if (gmtime_r(&now, &day)) strftime(date, sizeof date, "%Y-%m-%d", &day);
    gsim_output_put(&output,
                    "{'schema':'gpusim-runs/1','name':%q,'gpu':%q,'device':%q,'host':%q,'driver':%q,"
                    "'cuda':'%s','compute_capability':%d,\n 'sm_clock_mhz':%d,'memory_clock_mhz':%d,"
                    "'date':'%s','tracer':'%s','tracer_excess_us':%.3f,\n",
                    record->name, record->gpu.name, record->device->name, record->gpu.host, record->gpu.driver,
                    record->gpu.cuda, record->gpu.compute_capability, record->gpu.sm_clock_mhz,
                    record->gpu.memory_clock_mhz, date, record->is_traced ? "cupti" : "none", record->tracer_excess_us);
    gsim_output_text(&output, " \"profiles\":[");
    bool first = true;
    for (uint32_t i = 0; i < record->case_count; i++) {
        if (!record->cases[i].profile_count) continue;
        gsim_output_text(&output, first ? "\n " : ",\n ");
        put_profile(&output, record, &record->cases[i]);
        first = false;
    }
    gsim_output_text(&output, "],\n \"runs\":[");
    first = true;
    for (uint32_t i = 0; i < record->case_count; i++)
        for (uint32_t j = 0; j < record->cases[i].run_count; j++) {
            if (!record->cases[i].runs[j].done) continue;
            gsim_output_text(&output, first ? "\n " : ",\n ");
            put_run(&output, record, &record->cases[i], &record->cases[i].runs[j]);
            first = false;
        }
    gsim_output_text(&output, "]}\n");
    return gsim_output_commit(&output, error);
}
