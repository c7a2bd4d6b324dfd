/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What callers of any importer need around it: see traces/import/import.h.
 */
#include <math.h>

#include "sim/device/rules.h"
#include "traces/import/import.h"

void gsim_import_charge(struct gsim_import_options *options, const struct gsim_device_spec *device)
{
    options->solo_device = device->name;
    options->device = device;
    options->launch_us = device->launch_us;
    options->memcpy_us = device->memcpy_us;
    options->event_record_us = device->event_record_us;
    options->stream_wait_us = device->stream_wait_us;
    options->launch_to_start_us = device->launch_to_start_us;
    options->sync_return_us = device->sync_return_us;
    options->sync_idle_us = device->sync_idle_us;
    options->stream_gap_us = device->stream_gap_us;
    options->kernel_to_copy_us = device->kernel_to_copy_us;
    options->copy_to_kernel_us = device->copy_to_kernel_us;
    options->graph_node_gap_us = device->graph_node_gap_us;
    options->graph_start_us = device->graph_start_us;
    options->graph_launch_us = device->graph_launch_us;
    options->graph_launch_node_us = device->graph_launch_node_us;
    options->copy_gbps[0][0] = device->h2d_gbps;
    options->copy_gbps[0][1] = device->d2h_gbps;
    options->copy_gbps[1][0] = device->pageable_h2d_gbps;
    options->copy_gbps[1][1] = device->pageable_d2h_gbps;
}

void gsim_import_times_release(struct gsim_import_times *times)
{
    gsim_free(times->ops);
    gsim_free(times->calls);
    gsim_free(times->gradients);
    *times = (struct gsim_import_times){0};
}

uint64_t gsim_import_next_note(const struct gsim_import_notes *notes, uint32_t *at, const char **text)
{
    const struct {
        uint64_t count;
        const char *text;
    } all[] = {
#define NOTE_ROW(field, text) {notes->field, text},
        GSIM_IMPORT_NOTE_MAP(NOTE_ROW)
#undef NOTE_ROW
    };
    while (*at < sizeof all / sizeof all[0]) {
        uint32_t i = (*at)++;
        *text = all[i].text;
        if (all[i].count) return all[i].count;
    }
    return 0;
}

uint64_t gsim_import_repairs(const struct gsim_import_notes *n)
{
    return n->lost_calls + n->repeated_calls + n->lost_works + n->early_starts + n->late_starts + n->zero_times +
           n->dropped + n->empty + n->overlaps + n->unfinished;
}

#define MOSTLY 0.9 /* of the works: the few others, such as copies of a graph's input, are launched beside it */

bool gsim_import_is_graph(const struct gsim_import_notes *n)
{
    return n->graph_works && (double)n->graph_works >= MOSTLY * (double)(n->kernels + n->copies + n->memsets);
}

#define MIN_GAPS     10
#define LONGER       1.5 /* times untraced_gap_us: graphs are recorded at 0.8 to 1.2 or at 4 to 5 times that */
#define OTHER_GAP_US 0.2 /* off by less a stream's gap is the device's own */

void gsim_import_fit_gap(const struct gsim_import_notes *n, bool is_watched, struct gsim_device_spec *device)
{
    double node_us = is_watched ? n->node_gap_us : n->kernel_gap_us;
    device->call_gap_us = 0; /* when calls were made, the trace tells */
    if (n->span_us > 0) device->recorded_w = n->drawn_mj / n->span_us * 1e3;
    device->recorded_limit_w = device->limit_w - device->base_w;
    if (n->node_gaps >= MIN_GAPS) device->graph_node_gap_us = fmax(node_us + device->profiled_us, 0.01);
    if (n->stream_gap_us > 0 && fabs(n->stream_gap_us - device->stream_gap_us) > OTHER_GAP_US)
        device->stream_gap_us = n->stream_gap_us;
}

bool gsim_import_untrace_gap(const struct gsim_import_notes *n, struct gsim_device_spec *device)
{
    double us = device->untraced_gap_us;
    bool is_longer = us > 0 && n->node_gaps >= MIN_GAPS && n->kernel_gap_us > LONGER * us &&
                     gsim_rule_holds(device->rules_off, GSIM_RULE_TASK_GRAPHS);
    if (is_longer) device->graph_node_gap_us = us + device->profiled_us;
    return is_longer;
}
