/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The report that people read: one line per finding, then tables of kernels, transfers and host
 * calls. At most 100 columns; long lists end in a line that sums up the rest. JSON: sim/report/json.c.
 */
#include "sim/report/report.h"
#include "sim/report/energy/write.h"

#include <string.h>

#include "gpusim/order.h"
#include "sim/base/text.h"
#include "sim/program/guess.h"

#define MAX_ROWS   20
#define NAME_WIDTH 36

/* Adds OTHER, but for its bytes. */
static void merge(struct gsim_sum *into, const struct gsim_sum *other)
{
    if (!other->count) return;
    if (!into->count || other->shortest < into->shortest) into->shortest = other->shortest;
    if (!into->count || other->longest > into->longest) into->longest = other->longest;
    into->total += other->total;
    into->count += other->count;
}

GSIM_ORDER(compare_names, struct gsim_sum, GSIM_TEXT(name))

GSIM_ORDER(compare_totals, struct gsim_sum, GSIM_DOWN(total) GSIM_TEXT(name))

/* --- the tables ---------------------------------------------------------------------------------------- */
struct page {
    struct gsim_output *output;
    const char *bold, *dim, *plain; /* terminal codes, or "" */
};

static void put_table_head(const struct page *page, const char *title)
{
    gsim_output_printf(page->output, "\n  %s%-*s %9s %10s %10s %10s %10s %7s%s\n", page->bold, NAME_WIDTH, title,
                       "count", "total", "mean", "min", "max", "share", page->plain);
}

static void put_table_row(const struct page *page, const struct gsim_sum *sum, double whole)
{
    char name[NAME_WIDTH + 1], count[GSIM_TEXT_SIZE], total[GSIM_TEXT_SIZE], mean[GSIM_TEXT_SIZE];
    char shortest[GSIM_TEXT_SIZE], longest[GSIM_TEXT_SIZE], share[GSIM_TEXT_SIZE];
    gsim_output_printf(page->output, "  %-*s %9s %10s %10s %10s %10s %7s\n", NAME_WIDTH,
                       gsim_text_fit(name, sizeof(name), sum->name, NAME_WIDTH), gsim_text_count(count, sum->count),
                       gsim_text_time(total, sum->total),
                       gsim_text_time(mean, sum->total / (gsim_time)(sum->count ? sum->count : 1)),
                       gsim_text_time(shortest, sum->shortest), gsim_text_time(longest, sum->longest),
                       gsim_text_percent(share, whole > 0 ? (double)sum->total / whole : NAN));
}

/* The longest first; what does not fit on the page in one row. */
static void put_table(const struct page *page, struct gsim_sum *rows, size_t count, double whole)
{
    struct gsim_sum rest = {0};
    char title[64];
    qsort(rows, count, sizeof(*rows), compare_totals);
    for (size_t i = 0; i < count; i++) {
        if (i < MAX_ROWS || count == MAX_ROWS + 1) put_table_row(page, &rows[i], whole);
        else merge(&rest, &rows[i]);
    }
    if (!rest.count) return;
    snprintf(title, sizeof(title), "(%zu others)", count - MAX_ROWS);
    rest.name = title;
    put_table_row(page, &rest, whole);
}

/* Where records were not kept. */
static enum gsim_status put_kernel_sums(const struct page *page, const struct gsim_result *result,
                                        struct gsim_error *error)
{
    const struct gsim_sums *sums = result->timeline->sums;
    struct gsim_sum *rows = gsim_alloc(sizeof(*rows) * (GSIM_SUMS_NAMES + 1));
    size_t count = 0;
    if (!rows) return gsim_error_set(error, GSIM_NOMEM, "cannot write the report: out of memory");
    for (size_t i = 0; i <= GSIM_SUMS_NAMES; i++) {
        if (!sums->kernels[i].count) continue;
        rows[count] = sums->kernels[i];
        if (!rows[count].name) rows[count].name = "(others)";
        count++;
    }
    if (count) put_table_head(page, "Kernel");
    put_table(page, rows, count, (double)result->metrics->kernel_time);
    gsim_free(rows);
    return GSIM_OK;
}

static enum gsim_status put_kernels(const struct page *page, const struct gsim_result *result, struct gsim_error *error)
{
    const struct gsim_timeline *timeline = result->timeline;
    const struct gsim_program *program = timeline->program;
    if (timeline->sums) return put_kernel_sums(page, result, error);
    if (!timeline->kernel_count) return GSIM_OK;
    struct gsim_sum *rows = gsim_alloc(sizeof(*rows) * program->kernel_count);
    if (!rows) return gsim_error_set(error, GSIM_NOMEM, "cannot write the report: out of memory");
    for (uint32_t i = 0; i < program->kernel_count; i++) rows[i].name = program->kernels[i].name;
    for (size_t i = 0; i < timeline->kernel_count; i++)
        gsim_sum_add(&rows[timeline->kernels[i].kernel_index],
                     timeline->kernels[i].end - timeline->kernels[i].start, 0);
    /* One row per name: the shapes of a kernel are put together. */
    qsort(rows, program->kernel_count, sizeof(*rows), compare_names);
    size_t count = 0;
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        if (!rows[i].count) continue;
        if (count && strcmp(rows[count - 1].name, rows[i].name) == 0)
            merge(&rows[count - 1], &rows[i]);
        else
            rows[count++] = rows[i];
    }
    put_table_head(page, "Kernel");
    put_table(page, rows, count, (double)result->metrics->kernel_time);
    gsim_free(rows);
    return GSIM_OK;
}

#define COPY_KINDS   GSIM_COPY_KIND_COUNT
#define COPY_REASONS 4

static void put_transfers(const struct page *page, const struct gsim_timeline *timeline)
{
    struct gsim_sum sums[COPY_KINDS][COPY_REASONS] = {{{0}}};
    if (!timeline->copy_count && (!timeline->sums || !timeline->sums->copy_count)) return;
    if (timeline->sums) memcpy(sums, timeline->sums->copies, sizeof sums);
    for (size_t i = 0; i < timeline->copy_count; i++) {
        const struct gsim_copy_record *copy = &timeline->copies[i];
        gsim_sum_add(&sums[copy->kind][copy->reason], copy->end - copy->start, copy->bytes);
    }
    gsim_output_printf(page->output, "\n  %s%-*s %9s %10s %10s %10s %12s%s\n", page->bold, NAME_WIDTH, "Transfer",
                       "count", "bytes", "total", "mean", "rate", page->plain);
    for (int kind = 0; kind < COPY_KINDS; kind++) {
        for (int reason = 0; reason < COPY_REASONS; reason++) {
            const struct gsim_sum *sum = &sums[kind][reason];
            char name[64], count[GSIM_TEXT_SIZE], size[GSIM_TEXT_SIZE], total[GSIM_TEXT_SIZE], mean[GSIM_TEXT_SIZE];
            if (!sum->count) continue;
            snprintf(name, sizeof(name), "%s %s", gsim_copy_kind_name((enum gsim_copy_kind)kind),
                     gsim_copy_reason_name((enum gsim_copy_reason)reason));
            gsim_output_printf(page->output, "  %-*s %9s %10s %10s %10s", NAME_WIDTH, name,
                               gsim_text_count(count, sum->count), gsim_text_bytes(size, (double)sum->bytes),
                               gsim_text_time(total, sum->total),
                               gsim_text_time(mean, sum->total / (gsim_time)sum->count));
            if (sum->total > 0)
                gsim_output_printf(page->output, " %7.2f GB/s",
                                   (double)sum->bytes / gsim_time_us(sum->total) * 1e-3);
            gsim_output_text(page->output, "\n");
        }
    }
}

static uint64_t call_count(const struct gsim_timeline *timeline)
{
    return timeline->sums ? timeline->sums->call_count : timeline->api_count;
}

static void put_calls(const struct page *page, const struct gsim_timeline *timeline)
{
    struct gsim_sum rows[GSIM_API_COUNT] = {{0}};
    double whole = 0;
    size_t count = 0;
    if (!call_count(timeline)) return;
    for (int i = 0; i < GSIM_API_COUNT; i++) {
        if (timeline->sums) rows[i] = timeline->sums->calls[i];
        rows[i].name = gsim_api_name((enum gsim_api)i);
        whole += (double)rows[i].total;
    }
    for (size_t i = 0; i < timeline->api_count; i++) {
        gsim_sum_add(&rows[timeline->apis[i].api], timeline->apis[i].end - timeline->apis[i].start, 0);
        whole += (double)(timeline->apis[i].end - timeline->apis[i].start);
    }
    for (int i = 0; i < GSIM_API_COUNT; i++)
        if (rows[i].count) rows[count++] = rows[i];
    put_table_head(page, "Host call (time includes blocking)");
    put_table(page, rows, count, whole);
}

/* --- the findings -------------------------------------------------------------------------------------- */
static void put_label(const struct page *page, const char *label)
{
    gsim_output_printf(page->output, "  %s%-13s%s", page->bold, label, page->plain);
}

static void put_title(const struct page *page, const struct gsim_result *result)
{
    const struct gsim_simulation *run = result->simulation;
    const char *name = run->program->name;
    if (run->ranks) {
        gsim_output_printf(page->output, "%s%.60s%s with %s%.30s%s on %s%.40s%s, seed %llu\n\n", page->bold, name,
                           page->plain, page->bold, run->scheduler->name, page->plain, page->bold, run->device->name,
                           page->plain, (unsigned long long)run->seed);
        return;
    }
    if (run->tasks) {
        gsim_output_printf(page->output, "%s%.60s%s shared by %s%.30s%s on %s%.40s%s", page->bold, name, page->plain,
                           page->bold, run->sharing->name, page->plain, page->bold, run->device->name, page->plain);
        gsim_output_printf(page->output, "%s, seed %llu%s\n\n", page->dim, (unsigned long long)run->seed, page->plain);
        return;
    }
    gsim_output_printf(page->output, "%s%.40s%s with %s%.30s%s on %s%.20s%s", page->bold, name, page->plain, page->bold,
                       run->scheduler->name, page->plain, page->bold, run->device->name, page->plain);
    gsim_output_printf(page->output, "%s, seed %llu%s\n\n", page->dim, (unsigned long long)run->seed, page->plain);
}

static void put_spread(const struct page *page, const struct gsim_spread *spread)
{
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE];
    if (!spread) return;
    put_label(page, "Spread");
    gsim_output_printf(page->output, "%s%s to %s expected, median %s (%u perturbed copies)\n",
                       spread->unstable ? "unstable: " : "", gsim_text_us(a, spread->low_us),
                       gsim_text_us(b, spread->high_us),
                       gsim_text_us(c, spread->median_us), spread->runs);
}

static void put_times(const struct page *page, const struct gsim_result *result)
{
    const struct gsim_metrics *metrics = result->metrics;
    size_t count = result->timeline->iteration_count;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE];
    put_label(page, "Makespan");
    gsim_output_printf(page->output, "%s\n", gsim_text_time(a, metrics->makespan));
    put_spread(page, result->spread);
    if (count > 1) {
        put_label(page, "Iterations");
        gsim_output_printf(page->output, "%zu: median %s, fastest %s, slowest %s\n", count,
                           gsim_text_time(a, metrics->iteration_median), gsim_text_time(b, metrics->iteration_min),
                           gsim_text_time(c, metrics->iteration_max));
    }
    if (!metrics->lower_bound_reason || metrics->makespan <= 0 || metrics->critical_path <= 0)
        return; /* of links alone it says little */
    put_label(page, "Lower bound");
    gsim_output_printf(page->output, "%s, %s of the makespan: %s", gsim_text_time(a, metrics->lower_bound),
                       gsim_text_percent(b, (double)metrics->lower_bound / (double)metrics->makespan),
                       metrics->lower_bound_reason);
    if (metrics->critical_path > 0 && metrics->critical_path != metrics->lower_bound)
        gsim_output_printf(page->output, " (critical path %s)", gsim_text_time(a, metrics->critical_path));
    gsim_output_text(page->output, "\n");
    if (metrics->lower_bound <= metrics->makespan) return;
    put_label(page, "");
    if (result->simulation->noise)
        gsim_output_text(page->output, "above the makespan: it is what holds without noise\n");
    else if (metrics->critical_path == metrics->lower_bound)
        gsim_output_text(page->output,
                         "above the makespan, so no bound here: it takes every kernel at its time alone,\n"
                         "               and beside others some ran faster than that\n");
    else
        gsim_output_text(page->output,
                         "above the makespan, which it must not be: please report this as a fault of gpusim\n");
}

static void put_overlap(const struct page *page, const struct gsim_result *result)
{
    const struct gsim_overlap *overlap = &result->metrics->overlap;
    const struct gsim_sums *sums = result->timeline->sums;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE], d[GSIM_TEXT_SIZE];
    if (sums) {
        put_label(page, "Records");
        gsim_output_printf(page->output,
                           "of %s kernels and %s transfers added up; --report, --trace, --csv or --gantt keeps them\n",
                           gsim_text_count(a, sums->kernel_count), gsim_text_count(b, sums->copy_count));
        return;
    }
    if (result->tasks && !result->timeline->kernel_count) return; /* nobody kept them */
    put_label(page, "Overlap");
    gsim_output_printf(page->output, "CT %s, TC %s, CC %s, TOT %s", gsim_text_percent(a, overlap->compute_transfer),
                       gsim_text_percent(b, overlap->transfer_compute), gsim_text_percent(c, overlap->compute_compute),
                       gsim_text_percent(d, overlap->total));
    gsim_output_printf(page->output, "  %s(C computation, T transfer)%s\n", page->dim, page->plain);
}

static void put_host(const struct page *page, const struct gsim_result *result)
{
    const struct gsim_metrics *metrics = result->metrics;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE];
    if (call_count(result->timeline)) {
        put_label(page, "Host");
        gsim_output_printf(page->output, "%s busy in %s calls, %s blocked\n", gsim_text_time(a, metrics->host_busy),
                           gsim_text_count(b, call_count(result->timeline)), gsim_text_time(c, metrics->host_waited));
    }
    if (!metrics->h2d_bytes && !metrics->d2h_bytes) return;
    put_label(page, "Moved");
    gsim_output_printf(page->output, "%s to the device, %s back\n", gsim_text_bytes(a, (double)metrics->h2d_bytes),
                       gsim_text_bytes(b, (double)metrics->d2h_bytes));
}

/* Of resident kernels, all launches together: how workers spent their time, and for how long a scheduler was late. */
static void put_workers(const struct page *page, const struct gsim_timeline *timeline)
{
    double busy = 0, late = 0, limited = 0, late_makespan = 0, makespan = 0;
    uint64_t tasks = 0;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE], d[GSIM_TEXT_SIZE];
    if (!timeline->resident_count) return;
    for (size_t i = 0; i < timeline->resident_count; i++) {
        const struct gsim_resident_record *r = &timeline->residents[i];
        busy += r->busy_us;
        late += r->late_us;
        limited += r->limited_us;
        late_makespan += r->late_makespan_us;
        makespan += gsim_time_us(r->end - r->start);
        tasks += r->tasks;
    }
    double whole = busy + late + limited;
    put_label(page, "Workers");
    gsim_output_printf(
        page->output, "%u, %s tasks: %s in tasks, %s idle with a task ready, %s idle with none\n",
        timeline->residents[0].workers, gsim_text_count(a, tasks), gsim_text_percent(b, whole > 0 ? busy / whole : 0),
        gsim_text_percent(c, whole > 0 ? late / whole : 0), gsim_text_percent(d, whole > 0 ? limited / whole : 0));
    put_label(page, "");
    gsim_output_printf(page->output,
                       "ready but not placed: %s of the kernel's time some worker was idle and some task ready\n",
                       gsim_text_percent(a, makespan > 0 ? late_makespan / makespan : 0));
}

/* What the scheduler says of its run, and with it the occupancy as ACS has it: of all warp slots, all the time. */
static void put_figures(const struct page *page, const struct gsim_result *result)
{
    const struct gsim_timeline *timeline = result->timeline;
    const struct gsim_metrics *metrics = result->metrics;
    char number[GSIM_TEXT_SIZE];
    for (size_t i = 0; i < timeline->figure_count; i++) {
        const struct gsim_figure_record *figure = &timeline->figures[i];
        put_label(page, i ? "" : "Scheduler");
        gsim_output_printf(page->output, "%-28s %9.2f %s\n", figure->name, figure->value, figure->unit);
    }
    if (!timeline->figure_count || isnan(metrics->sm_busy_ratio)) return;
    put_label(page, "");
    gsim_output_printf(page->output, "%-28s %9s of all warp slots\n", "achieved occupancy",
                       gsim_text_percent(number, metrics->sm_busy_ratio * metrics->achieved_occupancy));
}

#define MIN_SHARE 0.05 /* causes of less of the makespan are left out */

/* Causes by their share of the makespan, the greatest first. */
static void put_bottlenecks(const struct page *page, const struct gsim_metrics *metrics)
{
    bool shown[GSIM_BOTTLENECK_COUNT] = {false};
    char share[GSIM_TEXT_SIZE], name[48];
    if (!metrics->has_bottlenecks) return;
    put_label(page, "Limited by");
    for (int count = 0; count < GSIM_BOTTLENECK_COUNT; count++) {
        int next = (int)metrics->bottleneck;
        for (int i = 0; i < GSIM_BOTTLENECK_COUNT; i++)
            if (!shown[i] && (shown[next] || metrics->bottleneck_time[i] > metrics->bottleneck_time[next])) next = i;
        double part = (double)metrics->bottleneck_time[next] / (double)metrics->makespan;
        if (count && part < MIN_SHARE) break;
        shown[next] = true;
        gsim_output_printf(page->output, "%s%s %s", count ? ", " : "", gsim_bottleneck_name((enum gsim_bottleneck)next),
                           gsim_text_percent(share, part));
        if (!count && metrics->bottleneck_detail)
            gsim_output_printf(page->output, " (%s%s)", metrics->bottleneck == GSIM_BOTTLENECK_HOST ? "mostly " : "",
                               gsim_text_fit(name, sizeof name, metrics->bottleneck_detail, 30));
    }
    gsim_output_text(page->output, "\n");
}

static void put_options(const struct page *page, const struct gsim_result *result)
{
    unsigned column = 15;
    put_label(page, "Options");
    for (size_t i = 0; i < result->option_count; i++) {
        char text[96];
        unsigned width =
            (unsigned)snprintf(text, sizeof(text), "%.40s=%.40s", result->options[i].name, result->options[i].value);
        if (column + width + 1 > 98) {
            gsim_output_text(page->output, "\n               ");
            column = 15;
        }
        gsim_output_printf(page->output, "%s%s", column > 15 ? " " : "", text);
        column += width + (column > 15);
    }
    gsim_output_text(page->output, "\n");
}

enum gsim_status gsim_report_print(const struct gsim_result *result, const struct gsim_style *style,
                                   struct gsim_output *output, struct gsim_error *error)
{
    struct page page = {.output = output, .bold = "", .dim = "", .plain = ""};
    if (style->color) page = (struct page){.output = output, .bold = "\033[1m", .dim = "\033[2m", .plain = "\033[0m"};
    put_title(&page, result);
    if (result->tasks) {
        struct gsim_task_gaps gaps;
        enum gsim_status found = gsim_tasks_gaps(result->timeline, result->simulation->tasks, &gaps, error);
        if (found != GSIM_OK) return found;
        gsim_tasks_print(result, &gaps, output);
    }
    if (result->simulation->ranks) gsim_ranks_print(result, output);
    put_times(&page, result);
    put_bottlenecks(&page, result->metrics);
    const struct gsim_metrics *metrics = result->metrics;
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE];
    put_overlap(&page, result);
    if (result->timeline->iteration_count) {
        const struct gsim_iteration_record *first = &result->timeline->iterations[0];
        put_label(&page, "Streams");
        gsim_output_printf(page.output, "%u used, %u event%s recorded, %u stream wait%s%s\n", first->streams_used,
                           first->events_recorded, first->events_recorded == 1 ? "" : "s", first->stream_waits,
                           first->stream_waits == 1 ? "" : "s",
                           result->timeline->iteration_count > 1 ? " in the first iteration" : "");
    }
    if (!isnan(metrics->sm_busy_ratio)) {
        put_label(&page, "SMs");
        gsim_output_printf(page.output, "%s busy on average, occupancy %s while busy\n",
                           gsim_text_percent(a, metrics->sm_busy_ratio),
                           gsim_text_percent(b, metrics->achieved_occupancy));
    }
    put_host(&page, result);
    if (result->energy && result->energy->estimated < result->energy->launches) {
        put_label(&page, "Energy");
        gsim_energy_print(result->energy, page.output);
    }
    put_workers(&page, result->timeline);
    put_figures(&page, result);
    char text[GSIM_REPORT_NOTE];
    for (uint32_t i = 0; i < GSIM_REPORT_NOTES; i++) {
        if (!gsim_report_note(result, i, text)) continue;
        put_label(&page, "Note");
        gsim_output_printf(page.output, "%s\n", text);
    }
    for (const char *at = result->timeline->program->guesses; gsim_guess_next(&at, text);) {
        put_label(&page, "Note");
        gsim_output_printf(page.output, "%s\n", text);
    }
    if (result->option_count) put_options(&page, result);
    enum gsim_status status = put_kernels(&page, result, error);
    if (status != GSIM_OK) return status;
    put_transfers(&page, result->timeline);
    put_calls(&page, result->timeline);
    return GSIM_OK;
}
