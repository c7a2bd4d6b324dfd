/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What PyTorch's profiler says beside the events: of the GPU, of the rank, of itself
 * (traces/import/pytorch/kineto_header.h). */
#include "traces/import/pytorch/kineto_header.h"

#include <string.h>

#include "gpusim/limits.h"
#include "sim/base/scan.h"
#include "traces/import/values.h"

#define NAME_ROOM 4096

/* deviceProperties[0]: the GPU's name and size. */
static void read_properties(struct gsim_records *records, const char *text)
{
    enum { NAME, MAJOR, MINOR, SMS, MEMORY, CLOCK, GBPS, COUNT };
    static const char *const fields[COUNT] = {"name",           "computeMajor", "computeMinor", "numSms",
                                              "totalGlobalMem", "clockMhz",     "memoryGbps"};
    const char *rest, *values[COUNT];
    double numbers[COUNT];
    const char *first = *text == '[' ? gsim_scan_next(text, NULL, &rest) : NULL;
    gsim_values_find(first, fields, COUNT, values);
    for (int i = MAJOR; i < COUNT; i++) numbers[i] = gsim_value_number(values[i], 0);
    char room[NAME_ROOM];
    const char *gpu = values[NAME] && *values[NAME] == '"' ? gsim_scan_string(values[NAME], room, sizeof room) : NULL;
    if (gpu) snprintf(records->gpu, sizeof records->gpu, "%.*s", (int)sizeof records->gpu - 1, gpu);
    struct gsim_import_notes *notes = records->notes;
    if (numbers[MAJOR] >= 1 && numbers[MAJOR] < 100 && numbers[MINOR] >= 0 && numbers[MINOR] < 10)
        notes->compute_capability = (int)(10 * gsim_whole_u32(numbers[MAJOR]) + gsim_whole_u32(numbers[MINOR]));
    if (numbers[SMS] >= 1 && numbers[SMS] <= GSIM_LIMIT_GRID_X) notes->sm_count = floor(numbers[SMS]);
    if (numbers[MEMORY] >= 1 && numbers[MEMORY] <= (double)GSIM_LIMIT_BYTES) notes->memory_bytes = numbers[MEMORY];
    notes->clock_mhz = numbers[CLOCK]; /* the last two: gpusim trace's alone */
    notes->dram_gbps = numbers[GBPS];
}

static void read_rank(struct gsim_import_notes *notes, const char *text)
{
    double rank = gsim_value_number(gsim_value_member(text, "rank"), 0),
           world = gsim_value_number(gsim_value_member(text, "world_size"), 0);
    if (!(world >= 1 && world <= GSIM_LIMIT_RANKS && rank >= 0 && rank < world)) return;
    notes->rank = gsim_whole_u32(rank);
    notes->world = gsim_whole_u32(world);
}

/* Whose trace it is, besides the properties: times count from baseTimeNanoseconds; "gpusim" stands in our
 * own, with the "tracer" where it was no simulation. */
void gsim_kineto_header(struct gsim_records *records, const char *name, const char *text)
{
    if (strcmp(name, "deviceProperties") == 0) read_properties(records, text);
    if (strcmp(name, "distributedInfo") == 0) read_rank(records->notes, text);
    double number = gsim_value_number(text, 0);
    if (strcmp(name, "baseTimeNanoseconds") == 0 && number > 0 && number < 4e18) records->epoch_ns = gsim_whole(number);
    if (strcmp(name, "gpusim") == 0 && *text == '{') {
        const char *tracer = gsim_value_member(text, "tracer");
        records->notes->is_simulated = !tracer;
        records->notes->is_runner = gsim_value_is_text(tracer, "CUPTI");
        gsim_recorded_costs(records, text);
    }
}
