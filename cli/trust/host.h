/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). A trace on another GPU, and beside another host (--host, --host-speed); what calls took in a
 * trace ("gpusim calibrate --host").
 */
#pragma once

#include "cli/cli.h"
#include "cli/traces.h"
#include "traces/import/import.h"

/* X(number of the device, quantity of a trace's samples) */
#define GSIM_CLI_CALL_MAP(X)                                                                                           \
    X(launch_us, LAUNCH) X(memcpy_us, MEMCPY) X(event_record_us, EVENT_RECORD) X(stream_wait_us, STREAM_WAIT)         \
    X(sync_return_us, SYNC_RETURN) X(sync_idle_us, SYNC_IDLE)
#define GSIM_CLI_CALL_COUNT(number, quantity) +1
#define GSIM_CLI_CALLS (0 GSIM_CLI_CALL_MAP(GSIM_CLI_CALL_COUNT))

/* Medians of what calls took, where nothing held them up; NAN: there is none. */
struct gsim_cli_calls {
    double us[GSIM_CLI_CALLS];
    size_t count[GSIM_CLI_CALLS];
    bool is_profiled; /* they hold what a profiler adds */
};

/* Loads RECORDED, the device that ORIGIN is of, where that is known and another than DEVICE. */
enum gsim_status gsim_cli_trace_other(const struct gsim_trace_origin *origin, const struct gsim_device_spec *device,
                                      struct gsim_device_spec *recorded, bool *is_other,
                                      struct gsim_error *error) GSIM_NODISCARD;
/* Makes PROGRAM, recorded on another device, one of DEVICE, whose host is the trace's: copies by its links. NOTE: what
 * was scaled, and the interval; "": nothing. */
void gsim_cli_trace_move(struct gsim_program *program, const struct gsim_device_spec *device,
                         char note[GSIM_CLI_GPU_NOTE]);
/* Gives DEVICE, which the trace at PATH ran beside, the host that was asked for, and PROGRAM its pace. NOTE (of SIZE
 * bytes) gets what was done, behind what it has. */
enum gsim_status gsim_cli_host_take(const struct gsim_cli_arguments *arguments, const char *path,
                                    struct gsim_device_spec *device, struct gsim_program *program, char *note,
                                    size_t size, struct gsim_error *error) GSIM_NODISCARD;

enum gsim_status gsim_cli_calibrate_host(const struct gsim_cli_arguments *arguments,
                                         struct gsim_error *error) GSIM_NODISCARD;
