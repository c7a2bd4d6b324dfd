/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/device/match.h. */
#include "sim/device/match.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/device/occupancy.h"
#include "sim/device/search.h"

/* How well a device fits that is of the very GPU; less by architecture alone. */
#define LISTED 5
#define TITLED 4

/* Without regard to case and to what is neither letter nor digit; the vendor's name counts for nothing. */
static void squeeze(char to[128], const char *name)
{
    static const char *const vendors[] = {"nvidia", "amd"};
    size_t used = 0;
    for (; *name && used + 1 < 128; name++)
        if (isalnum((unsigned char)*name)) to[used++] = (char)tolower((unsigned char)*name);
    to[used] = '\0';
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++) {
        size_t length = strlen(vendors[i]);
        if (strncmp(to, vendors[i], length) == 0) memmove(to, to + length, used - length + 1);
    }
}

static bool is_same(const char *left, const char *right)
{
    char a[128], b[128];
    squeeze(a, left);
    squeeze(b, right);
    return a[0] && strcmp(a, b) == 0;
}

static bool is_listed(const struct gsim_device_spec *spec, const char *gpu)
{
    char name[128];
    for (const char *at = spec->gpus; at && *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (is_same(name, gpu)) return true;
        at += length;
    }
    return false;
}

bool gsim_device_is_gpu(const struct gsim_device_spec *spec, const char *gpu)
{
    if (spec->gpus && spec->gpus[0]) return is_listed(spec, gpu);
    return is_same(spec->title, gpu) || gsim_text_is_gpu(gpu, spec->name);
}

/* AMD's numbers say less than its names, and are NVIDIA's as well: gfx90a is 9.0. */
static bool is_amd(const char *gpu)
{
    return strncmp(gpu, "AMD", 3) == 0 || strncmp(gpu, "gfx", 3) == 0 || strstr(gpu, "Instinct") ||
           strstr(gpu, "Radeon");
}

/* SMs of 12.0 hold what those of 8.9 do. */
static bool has_same_limits(const struct gsim_device_spec *left, const struct gsim_device_spec *right)
{
    const struct gsim_sm_limits a = gsim_sm_limits(left), b = gsim_sm_limits(right);
    return a.threads == b.threads && a.blocks == b.blocks && a.smem_bytes == b.smem_bytes;
}

/* How well the device fits, more is better; 0 not at all. KNOWN has the limits of that compute capability, where they
 * are known. */
static double fit_of(const struct gsim_device_spec *spec, const char *gpu, int compute_capability, double sm_count,
                     const struct gsim_device_spec *known)
{
    unsigned major = (unsigned)compute_capability / 10, minor = (unsigned)compute_capability % 10;
    if (is_listed(spec, gpu)) return LISTED;
    if (is_same(spec->title, gpu)) return TITLED;
    if (!compute_capability || is_amd(gpu) != gsim_capability_is_gfx(spec->compute_capability)) return 0;
    bool is_major = gsim_capability_major(spec->compute_capability) == major;
    if (!is_major && !has_same_limits(spec, known)) return 0;
    double off = sm_count > 0 ? fabs(log(spec->sm_count / sm_count)) : 0;
    double near = !is_major ? 0 : gsim_capability_minor(spec->compute_capability) == minor ? 2 : 1;
    return near + 1 / (1 + off) / 2 - (spec->inherits ? 1e-6 : 0);
}

/* "NVIDIA H100 80GB HBM3 MIG 1g.10gb" is a slice of the first: WHOLE is that. NULL: it is none. */
static const char *slice_of(const char *gpu, char whole[128])
{
    const char *mig = strstr(gpu, " MIG ");
    if (mig) snprintf(whole, 128, "%.*s", (int)(mig - gpu < 127 ? mig - gpu : 127), gpu);
    return mig;
}

enum gsim_status gsim_device_match(const char *gpu, int compute_capability, double sm_count,
                                   struct gsim_device_match *match, struct gsim_error *error)
{
    char whole[128];
    if (slice_of(gpu, whole)) gpu = whole, sm_count = 0;
    struct gsim_arena arena = {0};
    struct gsim_model_file *files = NULL;
    struct gsim_device_spec known = {0};
    size_t count = 0;
    double best = 0;
    *match = (struct gsim_device_match){0};
    enum gsim_status status = gsim_model_files(GSIM_MODELS_DEVICES, &arena, &files, &count, error);
    if (!status && compute_capability && gsim_device_set_capability(&known, compute_capability, error)) {
        known.warps_per_sm = 0; /* of an architecture without a file */
        status = error->status == GSIM_NOMEM ? GSIM_NOMEM : GSIM_OK;
    }
    for (size_t i = 0; !status && i < count && best < LISTED; i++) {
        struct gsim_device_spec spec = {0};
        status = gsim_device_load(files[i].name, &spec, error);
        double fit = status ? 0 : fit_of(&spec, gpu, compute_capability, sm_count, &known);
        if (fit > best) {
            best = fit;
            snprintf(match->name, sizeof match->name, "%s", spec.name);
        }
        gsim_device_release(&spec);
    }
    match->is_nearest = best > 0 && best < TITLED;
    if (status == GSIM_INPUT || status == GSIM_USAGE)
        gsim_error_prefix(error, "cannot tell whether it is the device of '%.60s' (--device says so)", gpu);
    gsim_device_release(&known);
    gsim_arena_release(&arena);
    return status;
}

/* Of a slice the memory's share of all: "1g.10gb". 1 where its name does not say. */
static double memory_share(const struct gsim_device_spec *spec, const char *slice)
{
    unsigned compute = 0, memory = 0;
    bool is_said =
        slice && sscanf(slice, " MIG %ug.%ugb", &compute, &memory) == 2 && memory && spec->memory_gb > memory;
    return is_said ? fmax(1, round(8 * memory / spec->memory_gb)) / 8 : 1;
}

bool gsim_device_take(struct gsim_device_spec *spec, const struct gsim_recorded_gpu *facts, char *note, size_t size)
{
    static const char source[] = "the trace says so";
    char whole[128];
    const char *slice = slice_of(facts->gpu, whole);
    bool is_described = gsim_device_is_gpu(spec, slice ? whole : facts->gpu), ok = true;
    bool is_part = facts->sm_count > 0 && facts->sm_count < spec->sm_count;
    bool has_sms = facts->sm_count > 0 && facts->sm_count != spec->sm_count && (!is_described || is_part);
    double share = memory_share(spec, slice),
           reached = spec->dram_peak_gbps > 0 ? spec->dram_gbps / spec->dram_peak_gbps : 1;
    if (size) *note = '\0';
    if (is_described && !has_sms && share >= 1) return false;
    if (has_sms) ok = gsim_device_put(spec, GSIM_DEV_sm_count, facts->sm_count, GSIM_KIND_MEASURED, source);
    if (share < 1)
        ok = ok && gsim_device_put(spec, GSIM_DEV_dram_gbps, spec->dram_gbps * share, GSIM_KIND_ASSUMED, source);
    if (!is_described && facts->dram_gbps > 0)
        ok = ok && gsim_device_put(spec, GSIM_DEV_dram_gbps, facts->dram_gbps * reached, GSIM_KIND_MEASURED, source);
    if (!is_described && facts->clock_mhz > 0)
        ok = ok && gsim_device_put(spec, GSIM_DEV_clock_mhz, facts->clock_mhz, GSIM_KIND_MEASURED, source);
    if (is_described)
        snprintf(note, size, "'%.60s' is a slice of a GPU: %s with %g SMs and %.0f GB/s", facts->gpu, spec->name,
                 spec->sm_count, spec->dram_gbps);
    else
        snprintf(note, size,
                 "no device is '%.60s': %s is the nearest by architecture, here with %g SMs, %.0f MHz and %.0f GB/s%s",
                 facts->gpu, spec->name, spec->sm_count, spec->clock_mhz, spec->dram_gbps,
                 has_sms || facts->dram_gbps > 0 || facts->clock_mhz > 0 ? " as far as the trace says" : "");
    return ok;
}
