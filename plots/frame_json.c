/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/frame.h: a report of a run is one row (its options and metrics are columns), the JSON of
 * compare one row per run, recordings of gpusim-runner one row per measured iteration.
 */
#include <math.h>

#include "plots/frame.h"
#include "sim/base/scan.h"

/* A scalar's text as it stands, strings decoded; NULL for lists, objects and null. From ARENA. */
static const char *scalar(struct gsim_frame *frame, char *value)
{
    if (*value == '{' || *value == '[' || *value == 'n') return NULL;
    size_t length = (size_t)(gsim_scan_skip(value) - value);
    char *copy = gsim_arena_alloc(&frame->arena, length + 1);
    if (!copy) {
        frame->failed = true;
        return NULL;
    }
    memcpy(copy, value, length);
    return *copy == '"' ? gsim_scan_string(copy, NULL) : copy;
}

static bool is_key(const struct gsim_scan_text *key, const char *name)
{
    return strlen(name) == key->length && memcmp(name, key->text, key->length) == 0;
}

/* Every scalar member becomes a cell. */
static void set_members(struct gsim_frame *frame, char *object)
{
    struct gsim_scan_text key;
    char *rest;
    for (char *value = gsim_scan_next(object, &key, &rest); value;
         value = gsim_scan_next(gsim_scan_skip(value), &key, &rest)) {
        char name[96];
        snprintf(name, sizeof name, "%.*s", (int)(key.length < 90 ? key.length : 90), key.text);
        if (!is_key(&key, "schema")) gsim_frame_set(frame, name, scalar(frame, value));
    }
}

static int by_double(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* "iteration_us": [...] as its median, smallest and largest. */
static void set_iterations(struct gsim_frame *frame, char *list)
{
    double *times = NULL;
    size_t count = 0, capacity = 0;
    char *rest;
    for (char *value = gsim_scan_next(list, NULL, &rest); value;
         value = gsim_scan_next(gsim_scan_skip(value), NULL, &rest)) {
        void *array = times;
        if (gsim_array_grow(&array, sizeof *times, count, &capacity)) {
            frame->failed = true;
            break;
        }
        times = array;
        times[count++] = strtod(value, NULL);
    }
    if (count) {
        qsort(times, count, sizeof *times, by_double);
        gsim_frame_set_number(frame, "iteration_us",
                              count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2);
        gsim_frame_set_number(frame, "iteration_min_us", times[0]);
        gsim_frame_set_number(frame, "iteration_max_us", times[count - 1]);
    }
    gsim_free(times);
}

static void read_report(struct gsim_frame *frame, char *object)
{
    struct gsim_scan_text key;
    char *rest;
    gsim_frame_begin_row(frame);
    set_members(frame, object);
    for (char *value = gsim_scan_next(object, &key, &rest); value;
         value = gsim_scan_next(gsim_scan_skip(value), &key, &rest)) {
        if (is_key(&key, "options") && *value == '{') set_members(frame, value);
        if (is_key(&key, "iteration_us") && *value == '[') set_iterations(frame, value);
        if (!is_key(&key, "metrics") || *value != '{') continue;
        struct gsim_scan_text inner;
        set_members(frame, value);
        for (char *metric = gsim_scan_next(value, &inner, &rest); metric;
             metric = gsim_scan_next(gsim_scan_skip(metric), &inner, &rest))
            if (is_key(&inner, "overlap") && *metric == '{') set_members(frame, metric);
    }
}

/* The head's device and seed hold for all runs; runs that failed have no figures. */
static void read_comparison(struct gsim_frame *frame, char *object, char *runs)
{
    struct gsim_scan_text key;
    char *rest, *inner;
    for (char *run = gsim_scan_next(runs, NULL, &rest); run; run = gsim_scan_next(gsim_scan_skip(run), NULL, &rest)) {
        if (*run != '{') continue;
        gsim_frame_begin_row(frame);
        set_members(frame, run);
        for (char *value = gsim_scan_next(object, &key, &inner); value;
             value = gsim_scan_next(gsim_scan_skip(value), &key, &inner))
            if (is_key(&key, "device") || is_key(&key, "seed") || is_key(&key, "version"))
                gsim_frame_set(frame,
                               is_key(&key, "device") ? "device"
                               : is_key(&key, "seed") ? "seed"
                                                      : "version",
                               scalar(frame, value));
    }
}

/* Every iteration is a repetition; "run" is the place in the list. */
static void read_recordings(struct gsim_frame *frame, const char *device, char *runs)
{
    struct gsim_scan_text key;
    char *rest, *inner, *deeper;
    size_t index = 0;
    for (char *run = gsim_scan_next(runs, NULL, &rest); run; run = gsim_scan_next(gsim_scan_skip(run), NULL, &rest)) {
        size_t repeat = 0;
        char *times = NULL;
        for (char *value = *run == '{' ? gsim_scan_next(run, &key, &inner) : NULL; value;
             value = gsim_scan_next(gsim_scan_skip(value), &key, &inner))
            if (is_key(&key, "iteration_us") && *value == '[') times = value;
        for (char *time = times ? gsim_scan_next(times, NULL, &deeper) : NULL; time && !frame->failed;
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

enum gsim_status gsim_frame_read_json(struct gsim_frame *frame, char *text, struct gsim_error *error)
{
    struct gsim_scan_text key;
    char *rest, *object = gsim_scan_start(text), *runs = NULL;
    bool is_report = false, is_comparison = false, is_recording = false;
    const char *device = NULL;
    for (char *value = gsim_scan_next(object, &key, &rest); value;
         value = gsim_scan_next(gsim_scan_skip(value), &key, &rest)) {
        if (is_key(&key, "schema")) {
            is_report = strncmp(value, "\"gpusim-report/", 15) == 0;
            is_comparison = strncmp(value, "\"gpusim-compare/", 16) == 0;
            is_recording = strncmp(value, "\"gpusim-runs/", 13) == 0;
        }
        if (is_key(&key, "device")) device = scalar(frame, value);
        if (is_key(&key, "runs") && *value == '[') runs = value;
    }
    if (is_report)
        read_report(frame, object);
    else if (is_comparison && runs)
        read_comparison(frame, object, runs);
    else if (is_recording && runs)
        read_recordings(frame, device, runs);
    else
        return gsim_error_set(error, GSIM_INPUT,
                              "expected the report of a run or of compare, or recorded runs, found other JSON");
    return GSIM_OK;
}
