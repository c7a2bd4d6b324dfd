/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim. The first iteration drawn in the terminal: one row per stream (more where a stream's slices
 * overlap, as graph nodes do), one per copy direction, one for the SMs in use. Perfetto shows more: --trace.
 *
 *   stream 1   |a#######c####   e###|   a letter where a kernel starts, then how much of each cell is covered
 */
#include "sim/report/report.h"

#include <inttypes.h>
#include <string.h>

#include "gpusim/order.h"
#include "sim/report/slices.h"
#include "sim/base/text.h"

#define LABEL_WIDTH     12
#define MAX_CELLS       100
#define MAX_STREAM_ROWS 48
#define COPY_TRACK      (1ULL << 40)
#define COPY_KINDS      4
#define OTHER           '*'
#define MANY            1000 /* so many kernels without a letter are told */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
#define LETTER_COUNT (sizeof(letters) - 1)

struct legend_name {
    const char *name;
    uint32_t kernel_index;
};

struct chart {
    const struct gsim_timeline *timeline;
    const struct gsim_style *style;
    struct gsim_output *output;
    gsim_time from, until;
    unsigned cells;
    struct gsim_slices slices;
    char *letter;                     /* by kernel index; 0: not seen yet */
    uint32_t *name_index;             /* kernel index -> first kernel of that name */
    const char *legend[LETTER_COUNT]; /* by letter */
    unsigned legend_count;
    bool has_others;
    uint64_t unnamed; /* kernels that begin in a cell with others */
};

/* --- letters for kernel names, in order of their first start ----------------------------------------------- */
GSIM_ORDER(compare_legend, struct legend_name, GSIM_TEXT(name) GSIM_UP(kernel_index))

/* Shapes of one kernel share a letter. */
static bool index_names(struct chart *chart)
{
    const struct gsim_program *program = chart->timeline->program;
    uint32_t count = program->kernel_count;
    struct legend_name *names = gsim_alloc(sizeof(*names) * count);
    chart->letter = gsim_alloc(count);
    chart->name_index = gsim_alloc(sizeof(*chart->name_index) * count);
    bool ok = names && chart->letter && chart->name_index;
    for (uint32_t i = 0; ok && i < count; i++)
        names[i] = (struct legend_name){.name = program->kernels[i].name, .kernel_index = i};
    if (ok && count) qsort(names, count, sizeof(*names), compare_legend);
    for (uint32_t i = 0, first = 0; ok && i < count; i++) {
        if (strcmp(names[first].name, names[i].name) != 0) first = i;
        chart->name_index[names[i].kernel_index] = names[first].kernel_index;
    }
    gsim_free(names);
    return ok;
}

static char letter_of(struct chart *chart, uint32_t kernel_index)
{
    char *letter = &chart->letter[chart->name_index[kernel_index]];
    if (*letter) return *letter;
    if (chart->legend_count < LETTER_COUNT) {
        chart->legend[chart->legend_count] = chart->timeline->program->kernels[kernel_index].name;
        *letter = letters[chart->legend_count++];
    } else {
        *letter = OTHER;
        chart->has_others = true;
    }
    return *letter;
}

/* --- what is drawn ------------------------------------------------------------------------------------------ */
GSIM_ORDER(compare_starts, struct gsim_slice, GSIM_UP(start) GSIM_UP(track) GSIM_UP(record))

static bool in_window(const struct chart *chart, gsim_time start, gsim_time end)
{
    return end > chart->from && start < chart->until;
}

static enum gsim_status collect(struct chart *chart, struct gsim_error *error)
{
    const struct gsim_timeline *timeline = chart->timeline;
    enum gsim_status status = GSIM_OK;
    for (size_t i = 0; i < timeline->kernel_count && status == GSIM_OK; i++) {
        const struct gsim_kernel_record *kernel = &timeline->kernels[i];
        if (!in_window(chart, kernel->start, kernel->end)) continue;
        status = gsim_slices_add(&chart->slices,
                                 &(struct gsim_slice){.track = kernel->stream,
                                                      .start = kernel->start,
                                                      .end = kernel->end,
                                                      .record = (uint32_t)i,
                                                      .kind = GSIM_SLICE_KERNEL},
                                 error);
    }
    /* The array holds nothing but kernels yet: name them in the order of their starts. */
    if (status == GSIM_OK && chart->slices.count)
        qsort(chart->slices.slices, chart->slices.count, sizeof(*chart->slices.slices), compare_starts);
    for (size_t i = 0; i < chart->slices.count; i++)
        (void)letter_of(chart, timeline->kernels[chart->slices.slices[i].record].kernel_index);
    for (size_t i = 0; i < timeline->copy_count && status == GSIM_OK; i++) {
        const struct gsim_copy_record *copy = &timeline->copies[i];
        if (!in_window(chart, copy->start, copy->end)) continue;
        status = gsim_slices_add(&chart->slices,
                                 &(struct gsim_slice){.track = COPY_TRACK + copy->device * COPY_KINDS + copy->kind,
                                                      .start = copy->start,
                                                      .end = copy->end,
                                                      .record = (uint32_t)i,
                                                      .kind = GSIM_SLICE_COPY},
                                 error);
    }
    return status == GSIM_OK ? gsim_slices_arrange(&chart->slices, error) : status;
}

/* --- cells -------------------------------------------------------------------------------------------------- */
struct cell {
    double covered; /* share of the cell, 0 to 1 */
    unsigned starts;
    char letter; /* of the last start */
};

static double cell_at(const struct chart *chart, gsim_time time)
{
    double at = (double)(time - chart->from) * chart->cells / (double)(chart->until - chart->from);
    return fmin(fmax(at, 0), chart->cells);
}

static void cover(const struct chart *chart, struct cell *cells, gsim_time start, gsim_time end, double weight)
{
    double first = cell_at(chart, start), last = cell_at(chart, end);
    for (unsigned i = gsim_whole_u32(first); i < chart->cells && i < last; i++)
        cells[i].covered += weight * (fmin(last, i + 1.0) - fmax(first, i));
}

static void put_fill(const struct chart *chart, double covered)
{
    static const char *const utf8[] = {" ", "\xe2\x96\x91", "\xe2\x96\x92", "\xe2\x96\x93", "\xe2\x96\x88"};
    static const char *const ascii[] = {" ", ".", "-", "=", "#"};
    int level = covered <= 0 ? 0 : covered < 0.25 ? 1 : covered < 0.5 ? 2 : covered < 0.75 ? 3 : 4;
    gsim_output_text(chart->output, chart->style->utf8 ? utf8[level] : ascii[level]);
}

static void put_label(const struct chart *chart, const char *label)
{
    gsim_output_printf(chart->output, "%-*.*s%s", LABEL_WIDTH, LABEL_WIDTH, label,
                       chart->style->utf8 ? "\xe2\x94\x82" : "|");
}

static void put_end(const struct chart *chart)
{
    gsim_output_text(chart->output, chart->style->utf8 ? "\xe2\x94\x82\n" : "|\n");
}

static void put_row(const struct chart *chart, const char *label, const struct cell *cells)
{
    put_label(chart, label);
    for (unsigned i = 0; i < chart->cells; i++) {
        if (cells[i].starts == 1 && cells[i].letter) gsim_output_bytes(chart->output, &cells[i].letter, 1);
        else put_fill(chart, cells[i].covered);
    }
    put_end(chart);
}

static void fill_row(struct chart *chart, const struct gsim_slice *slices, size_t count, uint32_t lane,
                     struct cell *cells)
{
    memset(cells, 0, sizeof(*cells) * MAX_CELLS);
    for (size_t i = 0; i < count; i++) {
        const struct gsim_slice *slice = &slices[i];
        if (slice->lane != lane) continue;
        cover(chart, cells, slice->start, slice->end, 1);
        if (slice->kind != GSIM_SLICE_KERNEL || slice->start < chart->from) continue;
        unsigned at = gsim_whole_u32(cell_at(chart, slice->start));
        if (at >= chart->cells) continue;
        cells[at].starts++;
        cells[at].letter = letter_of(chart, chart->timeline->kernels[slice->record].kernel_index);
    }
}

/* With the GPU, where there are several. */
static void name_track(const struct chart *chart, const struct gsim_slice *slice, char *label, size_t size)
{
    const struct gsim_timeline *timeline = chart->timeline;
    bool is_several = timeline->gpu_count > 1, is_copy = slice->track >= COPY_TRACK;
    uint32_t gpu = is_copy ? timeline->copies[slice->record].device : timeline->kernels[slice->record].device;
    int at = is_several ? snprintf(label, size, "GPU %" PRIu32 " ", gpu) : 0;
    if (is_copy)
        snprintf(label + at, size - (size_t)at, "%s",
                 gsim_copy_kind_name(timeline->copies[slice->record].kind));
    else
        snprintf(label + at, size - (size_t)at, "%s %u", is_several ? "str" : "stream", (unsigned)slice->track);
}

static void put_tracks(struct chart *chart)
{
    struct cell cells[MAX_CELLS];
    unsigned rows = 0, hidden = 0;
    const struct gsim_slice *all = chart->slices.slices;
    for (size_t first = 0, next; first < chart->slices.count; first = next) {
        uint32_t lanes = 0;
        bool is_stream = all[first].track < COPY_TRACK;
        for (next = first; next < chart->slices.count && all[next].track == all[first].track; next++)
            if (all[next].lane + 1 > lanes) lanes = all[next].lane + 1;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            char label[32] = "";
            if (is_stream && rows >= MAX_STREAM_ROWS) {
                hidden++;
                continue;
            }
            if (!lane) name_track(chart, &all[first], label, sizeof label);
            fill_row(chart, all + first, next - first, lane, cells);
            for (unsigned i = 0; i < chart->cells; i++) chart->unnamed += cells[i].starts > 1 ? cells[i].starts : 0;
            put_row(chart, label, cells);
            rows++;
        }
    }
    if (hidden) gsim_output_printf(chart->output, "%-*s(%u more stream rows)\n", LABEL_WIDTH, "", hidden);
}

/* Share of SMs that hold a block, by the height of the bar (UTF-8) or in tenths (ASCII). */
static void put_sms(const struct chart *chart, double sm_count)
{
    static const char *const bars[] = {" ",
                                       "\xe2\x96\x81",
                                       "\xe2\x96\x82",
                                       "\xe2\x96\x83",
                                       "\xe2\x96\x84",
                                       "\xe2\x96\x85",
                                       "\xe2\x96\x86",
                                       "\xe2\x96\x87",
                                       "\xe2\x96\x88"};
    static const char *const tenths[] = {" ", "1", "2", "3", "4", "5", "6", "7", "8", "9", "9"};
    const struct gsim_timeline *timeline = chart->timeline;
    struct cell cells[MAX_CELLS] = {{0}};
    if (!timeline->occupancy_count) return;
    for (size_t i = 0; i < timeline->occupancy_count; i++) {
        gsim_time start = timeline->occupancy[i].time;
        gsim_time end = i + 1 < timeline->occupancy_count ? timeline->occupancy[i + 1].time : start;
        if (!in_window(chart, start, end)) continue;
        cover(chart, cells, start, end, timeline->occupancy[i].busy_sms / (sm_count * timeline->gpu_count));
    }
    put_label(chart, "SMs in use");
    for (unsigned i = 0; i < chart->cells; i++) {
        double share = fmin(cells[i].covered, 1);
        if (chart->style->utf8) gsim_output_text(chart->output, bars[gsim_whole_int(ceil(share * 8 - 1e-9))]);
        else gsim_output_text(chart->output, tenths[gsim_whole_int(ceil(share * 10 - 1e-9))]);
    }
    put_end(chart);
}

/* Labels at multiples of 1, 2 or 5 x 10^n, at least 14 columns apart. */
static void put_axis(const struct chart *chart)
{
    double span = gsim_time_us(chart->until - chart->from), step = 1e-6, factor[] = {2, 2.5, 2};
    for (int i = 0; chart->cells * step / span < 14; i = (i + 1) % 3) step *= factor[i];
    unsigned column = 0;
    gsim_output_printf(chart->output, "%*s", LABEL_WIDTH, "");
    for (double us = 0; us <= span; us += step) {
        char text[GSIM_TEXT_SIZE];
        unsigned at = gsim_whole_u32(us / span * chart->cells);
        gsim_text_us(text, us);
        unsigned width = (unsigned)strlen(text) + 1;
        if (at + width > chart->cells + 2) break;
        gsim_output_repeat(chart->output, " ", at > column ? at - column : 0);
        gsim_output_printf(chart->output, "%s%s", chart->style->utf8 ? "\xe2\x94\x8c" : "|", text);
        column = at + width;
    }
    gsim_output_text(chart->output, "\n");
}

static void put_legend(const struct chart *chart)
{
    size_t longest = 0;
    for (unsigned i = 0; i < chart->legend_count; i++)
        if (strlen(chart->legend[i]) > longest) longest = strlen(chart->legend[i]);
    unsigned width = chart->cells + LABEL_WIDTH;
    unsigned name_width = longest > 38 ? 38 : (unsigned)longest, per_line = width / (name_width + 4);
    if (!per_line) per_line = 1;
    for (unsigned i = 0; i < chart->legend_count; i++) {
        char name[40];
        gsim_text_fit(name, sizeof(name), chart->legend[i], name_width);
        bool last = i + 1 == chart->legend_count || (i + 1) % per_line == 0;
        gsim_output_printf(chart->output, "%s%c %-*s%s", i % per_line ? "  " : "", letters[i],
                           last ? 0 : (int)name_width, name, last ? "\n" : "");
    }
    if (chart->has_others) gsim_output_printf(chart->output, "%c other kernels\n", OTHER);
    char text[GSIM_TEXT_SIZE];
    if (chart->unnamed >= MANY)
        gsim_output_printf(chart->output, "%s kernels without a letter: several begin in one cell\n",
                           gsim_text_count(text, chart->unnamed));
}

enum gsim_status gsim_gantt_print(const struct gsim_result *result, const struct gsim_style *style,
                                  struct gsim_output *output, struct gsim_error *error)
{
    const struct gsim_timeline *timeline = result->timeline;
    unsigned columns = style->columns > 100 ? 100 : style->columns;
    struct chart chart = {.timeline = timeline, .style = style, .output = output, .until = result->metrics->makespan};
    chart.cells = columns - LABEL_WIDTH - 2;
    if (timeline->iteration_count) {
        chart.from = timeline->iterations[0].start;
        chart.until = timeline->iterations[0].end;
    }
    enum gsim_status status = GSIM_OK;
    if (!index_names(&chart))
        status = gsim_error_set(error, GSIM_NOMEM, "cannot draw the timeline: out of memory");
    else if (chart.until > chart.from)
        status = collect(&chart, error);
    if (status == GSIM_OK) {
        if (timeline->iteration_count > 1)
            gsim_output_printf(output, "Iteration 1 of %zu\n", timeline->iteration_count);
        if (chart.slices.count) {
            put_axis(&chart);
            put_tracks(&chart);
            put_sms(&chart, result->simulation->device->sm_count);
            put_legend(&chart);
        } else {
            gsim_output_text(output, "Nothing ran on the device.\n");
        }
    }
    gsim_slices_release(&chart.slices);
    gsim_free(chart.letter);
    gsim_free(chart.name_index);
    return status;
}
