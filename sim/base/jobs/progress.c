/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/jobs/progress.h. */
#include "sim/base/jobs/progress.h"

#include <string.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/base/jobs/clock.h"

#define BAR_S         0.2  /* a terminal is redrawn this often */
#define LINE_S        10.0 /* a log gets a line this often */
#define RECENT_S      3.0  /* the rate is that of so long */
#define BAR_WIDTH     24
#define DURATION_SIZE 64

/* "42 s", "3 min 20 s", "2 h 5 min". */
static const char *duration(char text[DURATION_SIZE], double seconds)
{
    long whole = gsim_whole(seconds + 0.5);
    if (whole < 60)
        snprintf(text, DURATION_SIZE, "%ld s", whole);
    else if (whole < 3600)
        snprintf(text, DURATION_SIZE, "%ld min %ld s", whole / 60, whole % 60);
    else
        snprintf(text, DURATION_SIZE, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
    return text;
}

static const char *rate_text(char text[GSIM_TEXT_SIZE], double rate)
{
    if (rate < 10) {
        snprintf(text, GSIM_TEXT_SIZE, "%.2g", rate);
        return text;
    }
    return gsim_text_count(text, gsim_whole_u64(rate + 0.5));
}

void gsim_progress_start(struct gsim_progress *progress, uint64_t total, FILE *out)
{
    double now = gsim_clock_now_s();
    const char *terminal = getenv("TERM");
    *progress = (struct gsim_progress){
        .out = out, .unit = "points", .total = total, .started_s = now, .shown_s = now, .recent_s = now};
    progress->is_terminal = out && isatty(fileno(out)) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static void measure(struct gsim_progress *progress, double now)
{
    double recent = now - progress->recent_s, whole = now - progress->started_s;
    if (recent >= RECENT_S || !progress->rate) {
        double span = progress->rate ? recent : whole;
        uint64_t count = progress->rate ? progress->done - progress->recent_done : progress->done;
        if (span > 0 && count) progress->rate = (double)count / span;
        if (recent < RECENT_S) return;
        progress->recent_s = now;
        progress->recent_done = progress->done;
    }
}

/* How much of what there is, and how long the rest takes. */
static void put_share(const struct gsim_progress *progress, const char *done, const char *rate)
{
    char total[GSIM_TEXT_SIZE], left[DURATION_SIZE] = "?", bar[BAR_WIDTH + 1];
    const char *about = progress->is_estimate ? "about " : "";
    double share = (double)progress->done / (double)progress->total;
    gsim_text_count(total, progress->total);
    /* by the whole run so far: the last seconds' rate is that of points which may be long or short */
    double spent_s = progress->shown_s - progress->started_s;
    if (progress->done) duration(left, (double)(progress->total - progress->done) * spent_s / (double)progress->done);
    memset(bar, ' ', BAR_WIDTH);
    memset(bar, '#', gsim_whole_u64(share * BAR_WIDTH));
    bar[BAR_WIDTH] = '\0';
    if (progress->is_terminal)
        fprintf(progress->out, "\r\033[K[%s] %s of %s%s %s, %s/s, %s%s left", bar, done, about, total, progress->unit,
                rate, about, left);
    else
        fprintf(progress->out, "gpusim: %s of %s%s %s (%.0f %%), %s/s, %s%s left", done, about, total, progress->unit,
                100 * share, rate, about, left);
}

void gsim_progress_show(struct gsim_progress *progress)
{
    double now = gsim_clock_now_s();
    char done[GSIM_TEXT_SIZE], rate[GSIM_TEXT_SIZE];
    if (!progress->out || now - progress->shown_s < (progress->is_terminal ? BAR_S : LINE_S)) return;
    progress->shown_s = now;
    measure(progress, now);
    gsim_text_count(done, progress->done);
    rate_text(rate, progress->rate);
    if (progress->total)
        put_share(progress, done, rate);
    else
        fprintf(progress->out, "%s%s %s, %s/s", progress->is_terminal ? "\r\033[K" : "gpusim: ", done, progress->unit,
                rate);
    if (progress->failed) fprintf(progress->out, ", %llu failed", (unsigned long long)progress->failed);
    if (progress->detail[0]) fprintf(progress->out, ", %s", progress->detail);
    if (!progress->is_terminal) fputc('\n', progress->out);
    fflush(progress->out);
}

void gsim_progress_clear(struct gsim_progress *progress)
{
    if (progress->out && progress->is_terminal) fputs("\r\033[K", progress->out);
}

void gsim_progress_end(struct gsim_progress *progress, bool is_stopped)
{
    double elapsed = gsim_clock_now_s() - progress->started_s;
    char done[GSIM_TEXT_SIZE], total[GSIM_TEXT_SIZE], rate[GSIM_TEXT_SIZE], time[DURATION_SIZE];
    if (!progress->out) return;
    gsim_progress_clear(progress);
    if (!progress->total) {
        fputs("gpusim: nothing is left to compute\n", progress->out);
        return;
    }
    fprintf(progress->out, "gpusim: %s%s%s%s point%s in %s (%s/s)", is_stopped ? "stopped: " : "",
            gsim_text_count(done, progress->done), is_stopped ? " of " : "",
            is_stopped ? gsim_text_count(total, progress->total) : "", progress->done == 1 && !is_stopped ? "" : "s",
            elapsed < 10 ? (snprintf(time, sizeof(time), "%.2g s", elapsed), time) : duration(time, elapsed),
            rate_text(rate, elapsed > 0 ? (double)progress->done / elapsed : 0));
    if (progress->failed)
        fprintf(progress->out, ", %llu without figures (see: gpusim results FILE --where 'status != ok')",
                (unsigned long long)progress->failed);
    fputc('\n', progress->out);
    fflush(progress->out);
}
