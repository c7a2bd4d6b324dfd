/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/frame.h: a report of a run is one row (its options and metrics are columns), the JSON of
 * compare one row per run, recordings of gpusim-runner one row per measured iteration.
 */

#include <gsl/gsl_sort.h>

#include "plots/frame.h"
#include "sim/base/scan.h"

/* A scalar's text as it stands, strings decoded; NULL for lists, objects and null. From ARENA. */
static const char *scalar(struct gsim_frame *frame, const char *value)
{
    if (*value == '{' || *value == '[' || *value == 'n') return NULL;
    if (*value == '"') return gsim_scan_copy(value, &frame->arena);
    size_t length = (size_t)(gsim_scan_skip(value) - value);
    return gsim_arena_printf(&frame->arena, "%.*s", (int)length, value);
}

/* Every scalar member becomes a cell. */
static void set_members(struct gsim_frame *frame, const char *object)
{
    struct gsim_scan_text key;
    GSIM_SCAN_EACH(value, object, &key) {
        char name[96];
        gsim_scan_key(&key, name, sizeof name);
        if (!gsim_scan_is(&key, "schema")) gsim_frame_set(frame, name, scalar(frame, value));
    }
}

/* "iteration_us": [...] as its median, smallest and largest. */
static void set_iterations(struct gsim_frame *frame, const char *list)
{
    double *times = NULL;
    size_t count = 0, capacity = 0;
    GSIM_SCAN_EACH(value, list, NULL) {
        (void)GSIM_APPEND(times, count, capacity, strtod(value, NULL));
    }
    if (count) {
        gsl_sort(times, 1, count);
        gsim_frame_set_number(frame, "iteration_us",
                              count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2);
        gsim_frame_set_number(frame, "iteration_min_us", times[0]);
        gsim_frame_set_number(frame, "iteration_max_us", times[count - 1]);
    }
    gsim_free(times);
}

static void read_report(struct gsim_frame *frame, const char *object)
{
    struct gsim_scan_text key;
    gsim_frame_begin_row(frame);
    set_members(frame, object);
    GSIM_SCAN_EACH(value, object, &key) {
        if (gsim_scan_is(&key, "options") && *value == '{') set_members(frame, value);
        if (gsim_scan_is(&key, "iteration_us") && *value == '[') set_iterations(frame, value);
        if (!gsim_scan_is(&key, "metrics") || *value != '{') continue;
        struct gsim_scan_text inner;
        set_members(frame, value);
        GSIM_SCAN_EACH(metric, value, &inner)
            if ((gsim_scan_is(&inner, "overlap") || gsim_scan_is(&inner, "bottlenecks")) && *metric == '{')
                set_members(frame, metric);
    }
}

/* The head's device and seed hold for all runs; runs that failed have no figures. */
static void read_comparison(struct gsim_frame *frame, const char *object, const char *runs)
{
    struct gsim_scan_text key;
    GSIM_SCAN_EACH(run, runs, NULL) {
        if (*run != '{') continue;
        gsim_frame_begin_row(frame);
        set_members(frame, run);
        GSIM_SCAN_EACH(value, object, &key)
            if (gsim_scan_is(&key, "device") || gsim_scan_is(&key, "seed") || gsim_scan_is(&key, "version"))
                gsim_frame_set(frame,
                               gsim_scan_is(&key, "device") ? "device"
                               : gsim_scan_is(&key, "seed") ? "seed"
                                                      : "version",
                               scalar(frame, value));
    }
}

/* Every iteration is a repetition; "run" is the place in the list. */
static void read_recordings(struct gsim_frame *frame, const char *device, const char *runs)
{
    struct gsim_scan_text key;
    const char *inner, *deeper;
    size_t index = 0;
    GSIM_SCAN_EACH(run, runs, NULL) {
        size_t repeat = 0;
        const char *times = NULL;
        for (const char *value = *run == '{' ? gsim_scan_next(run, &key, &inner) : NULL; value;
             value = gsim_scan_next(gsim_scan_skip(value), &key, &inner))
            if (gsim_scan_is(&key, "iteration_us") && *value == '[') times = value;
        for (const char *time = times ? gsim_scan_next(times, NULL, &deeper) : NULL; time;
             time = gsim_scan_next(gsim_scan_skip(time), NULL, &deeper)) {
            gsim_frame_begin_row(frame);
            set_members(frame, run);
            gsim_frame_set(frame, "device", device);
            gsim_frame_set_number(frame, "run", (double)index);
            gsim_frame_set_number(frame, "repeat", (double)repeat++);
            gsim_frame_set_number(frame, "iteration_us", gsim_scan_number(time));
        }
        index++;
    }
}

enum gsim_status gsim_frame_read_json(struct gsim_frame *frame, const char *text, struct gsim_error *error)
{
    struct gsim_scan_text key;
    const char *object = gsim_scan_start(text), *runs = NULL;
    bool is_report = false, is_comparison = false, is_recording = false, is_shares = false;
    const char *device = NULL;
    GSIM_SCAN_EACH(value, object, &key) {
        if (gsim_scan_is(&key, "schema")) {
            is_report = strncmp(value, "\"gpusim-report/", 15) == 0;
            is_comparison = strncmp(value, "\"gpusim-compare/", 16) == 0;
            is_shares = strncmp(value, "\"gpusim-share-comparison/", 25) == 0;
            is_recording = strncmp(value, "\"gpusim-runs/", 13) == 0;
        }
        if (gsim_scan_is(&key, "device")) device = scalar(frame, value);
        if (gsim_scan_is(&key, "runs") && *value == '[') runs = value;
    }
    if (is_report)
        read_report(frame, object);
    else if (is_comparison && runs)
        read_comparison(frame, object, runs);
    else if (is_recording && runs)
        read_recordings(frame, device, runs);
    else if (is_shares)
        return gsim_error_set(
            error, GSIM_INPUT,
            "found ways of sharing, as compare --task reports them: gpusim plot jct and gpusim report show these");
    else
        return gsim_error_set(error, GSIM_INPUT,
                              "expected the report of a run or of compare, or recorded runs, found other JSON");
    return GSIM_OK;
}
