/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/timeline/thin.h. Narrow bars are gathered up to the width of a point; what was gathered then
 * joins the bar before it where that has the same colour and shade, so that a long run of the same kernel is one bar.
 */
#include "plots/timeline/thin.h"

#include <math.h>
#include <string.h>

#include "gpusim/memory.h"

#define MAX_POINTS   1400 /* across a page at 200 per inch */
#define MIN_POINTS 30

struct row {
    struct gsim_bar gathered, last; /* count 0: none */
    double busy_us;                 /* of what is gathered */
};

void gsim_bars_add(struct gsim_bars *bars, const struct gsim_bar *bar)
{
    (void)GSIM_APPEND(bars->bars, bars->count, bars->capacity, *bar);
}

void gsim_bars_release(struct gsim_bars *bars)
{
    gsim_free(bars->bars);
    *bars = (struct gsim_bars){0};
}

/* What was written last in this row is complete. There is room: each bar that is written stands for one or more read
 * before. */
static void write_last(struct gsim_bars *bars, struct row *row)
{
    if (row->last.count) bars->bars[bars->count++] = row->last;
    if (row->last.count > 1) bars->thinned += row->last.kernels;
    row->last.count = 0;
}

static bool may_join(const struct gsim_bar *one, const struct gsim_bar *next, double point_us)
{
    bool is_like = one->count > 1 && next->count > 1 && one->group == next->group && one->shade == next->shade;
    return is_like && next->start_us - one->end_us < point_us;
}

static void join(struct gsim_bar *one, const struct gsim_bar *next)
{
    one->end_us = next->end_us;
    one->count += next->count;
    one->kernels += next->kernels;
    if (!one->name || !next->name || strcmp(one->name, next->name) != 0) one->name = NULL;
}

/* What is gathered becomes a bar. */
static void close_gathered(struct gsim_bars *bars, struct row *row, double point_us)
{
    struct gsim_bar *bar = &row->gathered;
    if (!bar->count) return;
    double share = row->busy_us / fmax(bar->end_us - bar->start_us, 1e-9);
    if (bar->count > 1)
        bar->shade = gsim_whole_u32(fmin(GSIM_BAR_SHADES, fmax(1, ceil(share * GSIM_BAR_SHADES - 1e-9))));
    if (row->last.count && may_join(&row->last, bar, point_us)) {
        join(&row->last, bar);
    } else {
        write_last(bars, row);
        row->last = *bar;
    }
    bar->count = 0;
}

static void gather(struct gsim_bars *bars, struct row *row, const struct gsim_bar *bar,
                   const struct gsim_thinning *thinning, double point_us)
{
    struct gsim_bar *gathered = &row->gathered;
    if (gathered->count && bar->end_us - gathered->start_us > point_us) close_gathered(bars, row, point_us);
    if (gathered->count) {
        if (gathered->group != bar->group) gathered->group = thinning->mixed;
        join(gathered, bar);
    } else {
        *gathered = *bar;
        row->busy_us = 0;
    }
    row->busy_us += bar->end_us - bar->start_us;
    if (bar->end_us - bar->start_us >= point_us) close_gathered(bars, row, point_us);
}

void gsim_bars_thin(struct gsim_bars *bars, const struct gsim_thinning *thinning)
{
    size_t count = bars->count;
    if (count <= GSIM_BARS_MAX) return;
    double points = fmin(MAX_POINTS, fmax(MIN_POINTS, (double)GSIM_BARS_MAX / (double)thinning->rows));
    struct row *rows = gsim_alloc(sizeof *rows * (thinning->rows + 1));
    bars->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gsim_bar bar = bars->bars[i]; /* its place may be written to */
        gather(bars, &rows[bar.row], &bar, thinning, thinning->span_us / points);
    }
    for (size_t i = 0; i < thinning->rows; i++) {
        close_gathered(bars, &rows[i], thinning->span_us / points);
        write_last(bars, &rows[i]);
    }
    gsim_free(rows);
}
