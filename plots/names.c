/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: plots. See plots/names.h.
 */
#include "plots/names.h"

#include <math.h>

#include "sim/base/text.h"

#define NAME_WIDTH 34

const char *gsim_kernel_short_name(struct gsim_arena *arena, const char *name)
{
    char text[NAME_WIDTH + 1];
    static const char anonymous[] = "(anonymous namespace)::";
    if (strncmp(name, "void ", 5) == 0) name += 5;
    /* The last part before the first template or argument list. */
    for (;;) {
        if (strncmp(name, anonymous, sizeof anonymous - 1) == 0) {
            name += sizeof anonymous - 1;
            continue;
        }
        const char *colons = strstr(name, "::");
        if (!colons || (size_t)(colons - name) >= strcspn(name, "<(") || !colons[2]) break;
        name = colons + 2;
    }
    size_t length = strcspn(name, "<(");
    if (!length) length = strlen(name);
    char *whole = gsim_arena_printf(arena, "%.*s", (int)length, name);
    if (!whole) return NULL;
    return gsim_arena_strdup(arena, gsim_text_fit(text, sizeof text, whole, NAME_WIDTH));
}

/* --- columns ----------------------------------------------------------------------------------------------------- */
static const char *const labels[][2] = {
    {"iteration_us", "time per iteration"},
    {"iteration_min_us", "shortest iteration"},
    {"iteration_max_us", "longest iteration"},
    {"makespan_us", "makespan"},
    {"kernel_time_us", "sum of kernel times"},
    {"transfer_time_us", "sum of transfer times"},
    {"device_busy_us", "device busy"},
    {"host_busy_us", "host busy"},
    {"host_waited_us", "host blocked"},
    {"critical_path_us", "critical path"},
    {"lower_bound_us", "lower bound"},
    {"size", "problem size"},
    {"sm_busy_ratio", "SMs in use"},
    {"achieved_occupancy", "occupancy of SMs in use"},
    {"overlap_ct", "computation under transfers"},
    {"overlap_tc", "transfers under computation"},
    {"overlap_cc", "computation under computation"},
    {"overlap_total", "total overlap"},
    {"h2d_bytes", "moved to the device"},
    {"d2h_bytes", "moved back"},
    {"d2d_bytes", "copied on the device"},
    {"block1d", "threads per block"},
    {"streams_used", "streams used"},
    {"events_recorded", "events recorded"},
    {"stream_waits", "waits on events"},
};

/* The numbers of devices: name, unit, help. */
static const char *const numbers[][3] = {
#define X(section, name, unit, initial, minimum, maximum, help) {#name, unit, help},
#include "gpusim/device.def"
#undef X
};

/* Names that are not in the list: "_" is a space, the unit at the end is not shown twice. */
static const char *plain_label(struct gsim_arena *arena, const char *column)
{
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        if (strcmp(labels[i][0], column) == 0) return labels[i][1];
    char *text = gsim_arena_strdup(arena, column);
    if (!text) return NULL;
    if (gsim_text_ends_with(text, "_us") || gsim_text_ends_with(text, "_bytes") || gsim_text_ends_with(text, "_ratio"))
        *strrchr(text, '_') = '\0';
    if (strchr(text, '.')) return text; /* parameters are quoted as the command line has them */
    for (char *letter = text; *letter; letter++)
        if (*letter == '_') *letter = ' ';
    return text;
}

const char *gsim_column_label(struct gsim_arena *arena, const char *column, double largest, const char *base,
                              double *divisor)
{
    static const char *const shares[] = {"sm_busy_ratio", "achieved_occupancy", "overlap_ct",
                                         "overlap_tc",    "overlap_cc",         "overlap_total"};
    *divisor = 1;
    if (strcmp(column, "speedup") == 0) return gsim_arena_printf(arena, "speed-up over %s", base ? base : "serial");
    if (strcmp(column, "device.pcie_gbps") == 0)
        return gsim_arena_strdup(arena, "bandwidth of the link to the host (GB/s)");
    if (strncmp(column, "device.", 7) == 0) {
        const char *name = column + 7;
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            const char *unit = numbers[i][1], *help = numbers[i][2];
            if (strcmp(numbers[i][0], name) != 0) continue;
            int length = (int)strcspn(help, "(:,;");
            while (length && help[length - 1] == ' ') length--;
            if (length > 40)
                return gsim_arena_printf(arena, "device.%s%s%s%s", name, *unit ? " (" : "", unit, *unit ? ")" : "");
            return gsim_arena_printf(arena, "%.*s%s%s%s", length, help, *unit ? " (" : "", unit, *unit ? ")" : "");
        }
        return gsim_arena_printf(arena, "device.%s", name);
    }
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        if (strcmp(column, shares[i]) != 0) continue;
        *divisor = 0.01;
        return gsim_arena_printf(arena, "%s (%%)", plain_label(arena, column));
    }
    const char *label = plain_label(arena, column);
    if (label && gsim_text_ends_with(column, "_us") && !strchr(column, '.')) {
        *divisor = largest >= 2e6 ? 1e6 : largest >= 2e3 ? 1e3 : 1;
        return gsim_arena_printf(arena, "%s (%s)", label, *divisor > 1e3 ? "s" : *divisor > 1 ? "ms" : "us");
    }
    if (label && gsim_text_ends_with(column, "_bytes") && !strchr(column, '.')) {
        *divisor = largest >= 2e9 ? 1e9 : largest >= 2e6 ? 1e6 : 1;
        return gsim_arena_printf(arena, "%s (%s)", label, *divisor > 1e6 ? "GB" : *divisor > 1 ? "MB" : "B");
    }
    return label;
}

const char *gsim_file_label(const char *text, int *length)
{
    const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text, *dot = strstr(name, ".json");
    bool is_file = dot && dot != name && (strcmp(dot, ".json") == 0 || strcmp(dot, ".json.gz") == 0);
    *length = (int)(is_file ? dot - name : (long)strlen(text));
    return is_file ? name : text;
}

const char *gsim_value_label(struct gsim_arena *arena, const char *text)
{
    static const struct {
        double factor;
        const char *suffix;
    } suffixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    int length;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end) {
        const char *label = gsim_file_label(text, &length);
        return gsim_arena_printf(arena, "%.*s", length, label);
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (fabs(value) >= 0.9995 * suffixes[i].factor && (i < 2 || fabs(value) >= 1e4))
            return gsim_arena_printf(arena, "%.3g%s", value / suffixes[i].factor, suffixes[i].suffix);
    return gsim_arena_printf(arena, "%.4g", value);
}
