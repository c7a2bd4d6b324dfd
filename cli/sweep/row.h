/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program; internal to cli/sweep/request.c and cli/sweep/row.c). A point with its settings sorted out. */
#pragma once

#include "cli/sweep/request.h"

struct gsim_point_setting {
    const char *name;
    struct gsim_axis_value value;
    bool is_axis;
};

struct gsim_request {
    const struct gsim_requests *requests;
    struct gsim_point_setting *settings; /* those that apply, in the order of the spec */
    size_t setting_count;
    const struct gsim_named *workload, *scheduler, *device; /* no workload: several tasks */
    uint32_t repeat;
};

void gsim_request_make(const struct gsim_requests *requests, uint64_t item, struct gsim_arena *arena,
                       struct gsim_request *request);
void gsim_request_key_of(const struct gsim_request *request, struct gsim_arena *arena, char key[GSIM_KEY_SIZE]);
/* GSIM_CLI_KEY_COUNT: it is an --opt. */
enum gsim_cli_key gsim_request_option(const char *name);
