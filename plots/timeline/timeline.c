/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/timeline/timeline.h. The kernels that take most time have a colour each, the others share
 * one; copies are told apart by why they were made. Of very many, plots/timeline/thin.c makes fewer bars.
 */
#include "plots/timeline/timeline.h"

#include <gsl/gsl_sort.h>
#include <math.h>

#include "plots/names.h"
#include "plots/timeline/thin.h"
#include "gpusim/order.h"
#include "sim/base/text.h"
#include "sim/report/slices.h"

#define COPY_ROWS  (1ULL << 62)
#define TASK_SHIFT 48 /* of a row: the task, then 16 bits of the device, then the stream */
#define COLOURS    7    /* kernels with a colour of their own */
#define LOAD_PARTS 1000 /* as many as a printed page shows */
#define MAX_LETTERS 26 /* of a task's name beside its row; longer ones are cut in the middle */

enum {
    GROUP_EXPLICIT,
    GROUP_PREFETCH,
    GROUP_FAULT,
    GROUP_EVICTION,
    GROUP_MEMSET,
    GROUP_MIXED,
    GROUP_OTHERS,
    GROUP_NAMED
};
static const char *const copy_groups[] = {"copy", "prefetch", "page faults", "eviction", "memset", "several kinds"};

struct name_time {
    const char *name; /* short */
    double us;
    size_t index; /* of the span; after ranking: the group */
};

struct chart {
    const struct gsim_track *track;
    struct gsim_figure *figure;
    double from_us, until_us;
    struct gsim_slices slices;
    uint32_t *group; /* by span */
    struct name_time *names;
    size_t name_count;
    bool used[GROUP_NAMED + COLOURS];
    struct gsim_bars bars;
    size_t rows, longest_label;
    bool several_devices;
    struct gsim_arena arena;
};

static bool is_drawn(const struct chart *chart, const struct gsim_span *span)
{
    return span->end_us > chart->from_us && span->start_us < chart->until_us;
}

static enum gsim_status choose_window(struct chart *chart, const struct gsim_timeline_view *view,
                                      struct gsim_error *error)
{
    const struct gsim_track *track = chart->track;
    chart->until_us = track->end_us;
    size_t iteration = view->iteration;
    if (iteration > 1 && iteration > track->iteration_count)
        return gsim_error_set(error, GSIM_USAGE, "--iteration: expected 1 to %zu or all, found %zu",
                              track->iteration_count ? track->iteration_count : 1, iteration);
    if (iteration && track->iteration_count > 1) {
        /* A trace with a window may have nothing of the first ones. */
        while (view->takes_next && iteration < track->iteration_count &&
               !isfinite(track->iterations[iteration - 1].start_us))
            iteration++;
        if (!isfinite(track->iterations[iteration - 1].start_us))
            return gsim_error_set(error, GSIM_USAGE, "--iteration: the recording has nothing of iteration %zu",
                                  iteration);
        chart->from_us = track->iterations[iteration - 1].start_us;
        chart->until_us = track->iterations[iteration - 1].end_us;
    }
    if (isfinite(view->from_us)) chart->from_us = view->from_us;
    if (isfinite(view->until_us)) chart->until_us = view->until_us;
    for (size_t i = 0; i < track->span_count; i++)
        if (is_drawn(chart, &track->spans[i])) return GSIM_OK;
    char from[GSIM_TEXT_SIZE], until[GSIM_TEXT_SIZE];
    gsim_text_us(from, chart->from_us);
    gsim_text_us(until, chart->until_us);
    if (chart->from_us >= chart->until_us)
        return gsim_error_set(error, GSIM_USAGE, "nothing ran on the device from %s on: what is drawn ends at %s", from,
                              until);
    return gsim_error_set(error, GSIM_USAGE, "nothing ran on the device from %s to %s", from, until);
}

/* --- colours ----------------------------------------------------------------------------------------------------- */
GSIM_ORDER(by_name, struct name_time, GSIM_TEXT(name) GSIM_UP(index))

GSIM_ORDER(by_time, struct name_time, GSIM_DOWN(us) GSIM_TEXT(name))

static uint32_t copy_group(const struct gsim_span *span)
{
    if (span->kind == GSIM_SPAN_MEMSET) return GROUP_MEMSET;
    if (strcmp(span->name, "prefetch") == 0) return GROUP_PREFETCH;
    if (strcmp(span->name, "fault") == 0) return GROUP_FAULT;
    return strcmp(span->name, "eviction") == 0 ? GROUP_EVICTION : GROUP_EXPLICIT;
}

/* Merges equal names and ranks them by their time; each span's group follows. */
static void choose_groups(struct chart *chart)
{
    const struct gsim_track *track = chart->track;
    struct name_time *all = gsim_arena_alloc(&chart->arena, sizeof *all * (track->span_count + 1));
    chart->names = gsim_arena_alloc(&chart->arena, sizeof *all * (track->span_count + 1));
    chart->group = gsim_arena_alloc(&chart->arena, sizeof *chart->group * (track->span_count + 1));
    size_t count = 0;
    for (size_t i = 0; i < track->span_count; i++) {
        const struct gsim_span *span = &track->spans[i];
        chart->group[i] = copy_group(span);
        if (span->kind != GSIM_SPAN_KERNEL || !is_drawn(chart, span)) continue;
        const char *name = gsim_kernel_short_name(&chart->arena, span->name);
        all[count++] = (struct name_time){.name = name, .us = span->end_us - span->start_us, .index = i};
    }
    if (count) qsort(all, count, sizeof *all, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(all[i].name, all[i - 1].name) != 0)
            chart->names[chart->name_count++] = (struct name_time){.name = all[i].name};
        chart->names[chart->name_count - 1].us += all[i].us;
    }
    if (chart->name_count) qsort(chart->names, chart->name_count, sizeof *all, by_time);
    /* One too many for the colours: the last colour is not given to "others" of one. */
    size_t named = chart->name_count <= COLOURS ? chart->name_count : COLOURS;
    for (size_t i = 0; i < count; i++) {
        size_t rank = 0;
        while (rank < named && strcmp(chart->names[rank].name, all[i].name) != 0) rank++;
        chart->group[all[i].index] = rank < named ? GROUP_NAMED + (uint32_t)rank : GROUP_OTHERS;
    }
}

/* --- rows --- */
static enum gsim_status arrange(struct chart *chart, struct gsim_error *error)
{
    const struct gsim_track *track = chart->track;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < track->span_count && status == GSIM_OK; i++) {
        const struct gsim_span *span = &track->spans[i];
        if (!is_drawn(chart, span)) continue;
        bool on_stream = span->kind == GSIM_SPAN_KERNEL || span->kind == GSIM_SPAN_MEMSET;
        uint64_t task = (uint64_t)(track->task_count ? span->task : 0) << TASK_SHIFT;
        uint64_t row = on_stream ? task | (uint64_t)(span->device & 0xffff) << 32 | span->stream
                                 : COPY_ROWS | (uint64_t)span->device << 32 | (uint64_t)span->kind;
        chart->several_devices |= span->device != track->spans[0].device;
        status = gsim_slices_add(&chart->slices,
                                 &(struct gsim_slice){.track = row,
                                                      .start = gsim_time_from_us(span->start_us),
                                                      .end = gsim_time_from_us(span->end_us),
                                                      .record = (uint32_t)i},
                                 error);
    }
    return status == GSIM_OK ? gsim_slices_arrange(&chart->slices, error) : status;
}

/* The task of ROW has another stream on its device. Tasks' rows lie side by side. */
static bool has_streams(const struct chart *chart, uint64_t row)
{
    for (size_t i = 0; i < chart->slices.count; i++) {
        uint64_t other = chart->slices.slices[i].track;
        if (other != row && other >> 32 == row >> 32) return true;
    }
    return false;
}

static void name_row(const struct chart *chart, uint64_t row, char *label, size_t size)
{
    static const char *const directions[] = {"", "H2D", "D2H", "D2D", "", "P2P"};
    char device[24] = "";
    if (chart->several_devices) snprintf(device, sizeof device, "GPU %u ", (unsigned)(row >> 32 & 0xffff));
    if (row & COPY_ROWS) {
        snprintf(label, size, "%scopy %s", device, directions[(row & 0xffffffff) % 6]);
        return;
    }
    char task[MAX_LETTERS + 1] = "", stream[24] = "";
    if (chart->track->task_count)
        gsim_text_fit(task, sizeof task, chart->track->tasks[row >> TASK_SHIFT & 0x3fff], MAX_LETTERS);
    if (!*task || has_streams(chart, row))
        snprintf(stream, sizeof stream, "%sstream %u", *task ? " " : "", (unsigned)row);
    snprintf(label, size, "%s%s%s", device, task, stream);
}

/* Lanes beyond a stream's first are numbered. Gives every slice its row; LABELS has room for all. */
static void name_rows(struct chart *chart, const char **labels)
{
    struct gsim_slice *all = chart->slices.slices;
    for (size_t first = 0, next; first < chart->slices.count; first = next) {
        uint32_t lanes = 0;
        uint64_t track = all[first].track;
        for (next = first; next < chart->slices.count && all[next].track == track; next++)
            if (all[next].lane + 1 > lanes) lanes = all[next].lane + 1;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            char label[160] = ""; /* of a GPU, a task, a stream, a lane */
            name_row(chart, track, label, sizeof label);
            if (lane) snprintf(label + strlen(label), sizeof label - strlen(label), " (%u)", lane + 1);
            if (strlen(label) > chart->longest_label) chart->longest_label = strlen(label);
            labels[chart->rows + lane] = gsim_arena_strdup(&chart->arena, label);
        }
        for (size_t i = first; i < next; i++) all[i].lane += (uint32_t)chart->rows;
        chart->rows += lanes;
    }
}

/* --- slices --- */
static const char *group_name(struct chart *chart, uint32_t group)
{
    if (group < GROUP_OTHERS) return copy_groups[group];
    if (group >= GROUP_NAMED) return chart->names[group - GROUP_NAMED].name;
    return gsim_arena_printf(&chart->arena, "%zu other kernels", chart->name_count - COLOURS);
}

/* Colours of the script: those of kernels, that of the others, those of copies. */
static unsigned place_of(uint32_t group)
{
    return group >= GROUP_NAMED    ? group - GROUP_NAMED + 1
           : group == GROUP_OTHERS ? COLOURS + 1
                                   : COLOURS + 2 + group; /* the last: several */
}

/* Bars of the rows, fewer where there are very many. Before the legend: what is drawn as one may need an entry. */
static void make_bars(struct chart *chart)
{
    const struct gsim_thinning thinning = {.rows = chart->rows,
                                           .span_us = chart->until_us - chart->from_us,
                                           .mixed = GROUP_MIXED};
    for (size_t i = 0; i < chart->slices.count; i++) {
        const struct gsim_slice *slice = &chart->slices.slices[i];
        const struct gsim_span *span = &chart->track->spans[slice->record];
        const struct gsim_bar bar = {.start_us = fmax(span->start_us, chart->from_us) - chart->from_us,
                                     .end_us = fmin(span->end_us, chart->until_us) - chart->from_us,
                                     .row = slice->lane,
                                     .group = chart->group[slice->record],
                                     .name = span->name,
                                     .count = 1,
                                     .kernels = span->kind == GSIM_SPAN_KERNEL,
                                     .shade = GSIM_BAR_SHADES};
        gsim_bars_add(&chart->bars, &bar);
    }
    gsim_bars_thin(&chart->bars, &thinning);
    memset(chart->used, 0, sizeof chart->used);
    for (size_t i = 0; i < chart->bars.count; i++) chart->used[chart->bars.bars[i].group] = true;
    gsim_figure_number(chart->figure, "thinned", (double)chart->bars.thinned);
    char text[GSIM_TEXT_SIZE];
    gsim_figure_text(
        chart->figure, "thinned_text",
        gsim_arena_printf(&chart->arena, "%s kernels thinned%s", gsim_text_count(text, chart->bars.thinned),
                          chart->figure->size.width_cm < 12 ? "" : ": neighbours as one bar, paler where it has gaps"));
}

/* --- load --- */
/* Where a recording has no counters: how many kernels are under way, as loads. */
static void count_running(struct chart *chart, struct gsim_load **loads, size_t *load_count)
{
    size_t count = 0, ended = 0;
    double *starts = gsim_arena_alloc(&chart->arena, sizeof *starts * (chart->slices.count + 1));
    double *ends = gsim_arena_alloc(&chart->arena, sizeof *ends * (chart->slices.count + 1));
    *loads = gsim_arena_alloc(&chart->arena, sizeof **loads * (2 * chart->slices.count + 1));
    *load_count = 0;
    for (size_t i = 0; i < chart->slices.count; i++) {
        const struct gsim_span *span = &chart->track->spans[chart->slices.slices[i].record];
        if (span->kind != GSIM_SPAN_KERNEL) continue;
        starts[count] = span->start_us;
        ends[count++] = span->end_us;
    }
    gsl_sort(starts, 1, count);
    gsl_sort(ends, 1, count);
    for (size_t started = 0; ended < count;) {
        double now = started < count ? fmin(starts[started], ends[ended]) : ends[ended];
        while (started < count && starts[started] <= now) started++;
        while (ended < count && ends[ended] <= now) ended++;
        (*loads)[(*load_count)++] = (struct gsim_load){.start_us = now, .busy_sms = (double)(started - ended)};
    }
}

/* The load over [START, END), weighted by time; *AT is a cursor over the steps. */
static struct gsim_load mean_load(const struct gsim_load *loads, size_t count, double start, double end, size_t *at)
{
    struct gsim_load sum = {.start_us = start};
    while (*at + 1 < count && loads[*at + 1].start_us <= start) ++*at;
    for (size_t i = *at; i < count && loads[i].start_us < end; i++) {
        double next = i + 1 < count ? loads[i + 1].start_us : INFINITY;
        double part = fmin(next, end) - fmax(loads[i].start_us, start);
        if (part <= 0) continue;
        sum.busy_sms += loads[i].busy_sms * part / (end - start);
        sum.warps += loads[i].warps * part / (end - start);
    }
    return sum;
}

/* Means over as many parts as print shows; a line where they change, one at the end. */
static void put_load(struct chart *chart)
{
    const struct gsim_track *track = chart->track;
    bool is_told = track->load_count > 0 && track->sm_count > 0;
    double scale = is_told ? 100 / track->sm_count : 1;
    double warp_scale = is_told && track->warps_per_sm > 0 ? scale / track->warps_per_sm : NAN;
    struct gsim_load *loads = track->loads, last = {.start_us = NAN};
    size_t count = track->load_count, at = 0;
    if (!is_told) count_running(chart, &loads, &count);
    gsim_output_printf(&chart->figure->data, "\n\n# time_us\t%s\n",
                       is_told ? "SMs_in_use_percent\toccupancy_percent" : "kernels_running\tnone");
    gsim_figure_number(chart->figure, "load_is_share", is_told);
    gsim_figure_number(chart->figure, "has_warps", !isnan(warp_scale));
    for (size_t i = 0; i <= LOAD_PARTS; i++) {
        double step = (chart->until_us - chart->from_us) / LOAD_PARTS, start = chart->from_us + step * (double)i;
        struct gsim_load load = i < LOAD_PARTS ? mean_load(loads, count, start, start + step, &at) : last;
        bool is_same =
            i && i < LOAD_PARTS && fabs(load.busy_sms - last.busy_sms) < 1e-9 && fabs(load.warps - last.warps) < 1e-9;
        last = load;
        if (is_same) continue;
        gsim_output_printf(&chart->figure->data, "%.3f\t%.3f", start - chart->from_us, load.busy_sms * scale);
        if (isnan(warp_scale)) gsim_output_text(&chart->figure->data, "\tNaN\n");
        else gsim_output_printf(&chart->figure->data, "\t%.3f\n", load.warps * warp_scale);
    }
}

/* --- the figure --- */
/* Centimetres of the parts, so that rows look alike in every figure: the script adds them up to margins. */
static void set_sizes(struct chart *chart, double key_cm)
{
    struct gsim_figure *figure = chart->figure;
    double line_cm = gsim_figure_line_cm(figure);
    double label_cm = gsim_figure_letter_cm(figure) * (double)(chart->longest_label > 8 ? chart->longest_label : 8);
    double fixed_cm = key_cm + (figure->heading ? 10.5 : 9.3) * line_cm;
    double row_cm = fmin(1.35 * line_cm, fmax(0.5 * line_cm, (22 - fixed_cm) / (double)chart->rows));
    if (figure->size.height_cm <= 0) figure->size.height_cm = fixed_cm + row_cm * (double)chart->rows;
    gsim_figure_number(figure, "left_cm", label_cm + 1.3 * line_cm);
}

enum gsim_status gsim_timeline_plot(const struct gsim_track *track, const struct gsim_timeline_view *view,
                                    struct gsim_figure *figure, struct gsim_error *error)
{
    struct chart chart = {.track = track, .figure = figure};
    double key_cm = 0;
    enum gsim_status status = choose_window(&chart, view, error);
    if (status == GSIM_OK) choose_groups(&chart);
    if (status == GSIM_OK) status = arrange(&chart, error);
    const char **labels = gsim_arena_alloc(&chart.arena, sizeof *labels * (chart.slices.count + 1));
    if (status == GSIM_OK) {
        name_rows(&chart, labels);
        make_bars(&chart);
    }
    if (status == GSIM_OK) {
        const char *names[GROUP_NAMED + COLOURS];
        unsigned places[GROUP_NAMED + COLOURS];
        size_t count = 0;
        for (unsigned place = 1; place <= GROUP_NAMED + COLOURS; place++)
            for (uint32_t group = 0; group < GROUP_NAMED + COLOURS; group++) {
                if (place_of(group) != place || !chart.used[group]) continue;
                names[count] = group_name(&chart, group);
                places[count++] = place;
            }
        key_cm = gsim_figure_legend(chart.figure, names, places, count);
    }
    if (status == GSIM_OK) {
        gsim_output_text(&chart.figure->data, "\n\n# row\tlabel\n");
        for (size_t i = 0; i < chart.rows; i++) gsim_output_printf(&chart.figure->data, "%zu\t%s\n", i, labels[i]);
        put_load(&chart);
    }
    if (status == GSIM_OK) {
        gsim_output_text(&chart.figure->data, "\n\n# start_us\tend_us\trow\tcolour\tshade\tcount\tname\n");
        for (size_t i = 0; i < chart.bars.count; i++) {
            const struct gsim_bar *bar = &chart.bars.bars[i];
            gsim_output_printf(&chart.figure->data, "%.3f\t%.3f\t%u\t%u\t%u\t%llu\t", bar->start_us, bar->end_us,
                               bar->row, place_of(bar->group), bar->shade, (unsigned long long)bar->count);
            gsim_figure_field(chart.figure, bar->name ? bar->name : "several");
            gsim_output_text(&chart.figure->data, "\n");
        }
        double span = chart.until_us - chart.from_us;
        double unit = span >= 2e6 ? 1e6 : span >= 2e3 ? 1e3 : 1;
        gsim_figure_number(chart.figure, "span_us", span);
        gsim_figure_number(chart.figure, "unit_us", unit);
        gsim_figure_text(chart.figure, "unit", unit > 1e3 ? "s" : unit > 1 ? "ms" : "us");
        gsim_figure_number(chart.figure, "rows", (double)chart.rows);
        set_sizes(&chart, key_cm);
    }
    gsim_slices_release(&chart.slices);
    gsim_bars_release(&chart.bars);
    gsim_arena_release(&chart.arena);
    return status;
}
