/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several ways of sharing in one table, as gpusim compare --task prints them. */
#include <math.h>

#include "cli/runner/share.h"
#include "sim/base/text.h"

static const char *time_text(char text[GSIM_TEXT_SIZE], double us)
{
    return us > 0 ? gsim_text_us(text, us) : "-";
}

static void print_way(const struct gsim_share_command *c, const struct gsim_share_way *way, struct gsim_output *output)
{
    char texts[4][GSIM_TEXT_SIZE], slow[16], name[64];
    if (!way->stats) {
        gsim_output_printf(output, "  %-12s failed: %s\n", way->word, way->error.message);
        return;
    }
    double fairness = gsim_tasks_fairness(way->stats, c->tasks.count);
    for (uint32_t i = 0; i < c->tasks.count; i++) {
        const struct gsim_task_stats *s = &way->stats[i];
        snprintf(slow, sizeof slow, s->slow_down > 0 ? "%.2fx" : "-", s->slow_down);
        gsim_output_printf(output, "  %-12s %-18s %4d %8u %10s %10s %10s %8s %9.4g", i ? "" : way->word,
                           gsim_text_fit(name, sizeof name, c->tasks.tasks[i].name, 18), c->tasks.tasks[i].priority,
                           s->requests, time_text(texts[0], s->mean_us), time_text(texts[1], s->p50_us),
                           time_text(texts[2], s->p99_us), slow, s->per_second);
        if (!i && !isnan(fairness)) gsim_output_printf(output, " %8.3f", fairness);
        gsim_output_text(output, "\n");
    }
}

enum gsim_status gsim_share_print(const struct gsim_share_command *c, struct gsim_error *error)
{
    struct gsim_output output;
    char text[GSIM_TEXT_SIZE];
    enum gsim_status status = gsim_output_open(&output, "-", error);
    if (status != GSIM_OK) return status;
    gsim_output_printf(&output, "%s on %s, driver %s: requests under each way of sharing\n\n", c->tasks.set.all.name,
                       c->gpu->name, c->gpu->driver);
    gsim_output_printf(&output, "  %-12s %-18s %4s %8s %10s %10s %10s %8s %9s %8s\n", "share", "task", "prio",
                       "requests", "mean", "p50", "p99", "slower", "per s", "fairness");
    for (uint32_t i = 0; i < c->tasks.count; i++) {
        const struct gsim_task_stats *s = &c->tasks.alone[i];
        gsim_output_printf(&output, "  %-12s %-18s %4d %8s %10s\n", i ? "" : "alone", c->tasks.tasks[i].name,
                           c->tasks.tasks[i].priority, "", time_text(text, s->alone_us));
    }
    for (size_t w = 0; w < c->way_count; w++) print_way(c, &c->ways[w], &output);
    for (size_t w = 0, told = 0; w < c->way_count; w++) {
        char note[GSIM_REPORT_NOTE];
        if (c->ways[w].stats &&
            gsim_sharing_note(c->ways[w].ops, c->ways[w].params, c->ways[w].stats, c->tasks.count, note))
            gsim_output_printf(&output, "%s  Note: %s\n", told++ ? "" : "\n", note);
    }
    return gsim_output_commit(&output, error);
}
