/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: serving. All step programs of a server, concatenated, and how they run on a simulated GPU. Each step is a
 * range of ops.
 */
#pragma once

#include "gpusim/simulate.h"
#include "serving/server.h"

struct gsim_library {
    const struct gsim_serving_spec *spec;
    const struct gsim_device_spec *device;
    struct gsim_simulation simulation; /* its program is set.all */
    struct gsim_program *programs;     /* of the steps */
    struct gsim_task *parts;
    bool *is_graph;                    /* a step is one CUDA graph; else its kernels are launched one by one */
    struct gsim_task_set set;
    bool is_separate;                  /* prefill has a GPU and a host of its own */
};

/* Reads the program of a step from PATH; IS_GRAPH: a trace whose kernels all came from graph launches, or no trace. */
typedef enum gsim_status gsim_library_reader(void *context, const char *path, struct gsim_program *program,
                                             bool *is_graph, struct gsim_error *error);

/* SIMULATION: device and options; program and scheduler are set here. */
enum gsim_status gsim_library_init(struct gsim_library *library, const struct gsim_serving_spec *spec,
                                   const struct gsim_simulation *simulation, gsim_library_reader *read, void *context,
                                   struct gsim_error *error) GSIM_NODISCARD;
void gsim_library_release(struct gsim_library *library);

/* Runs BODY as the host of a simulated GPU, on a machine that drives it. */
typedef void gsim_library_body(void *context, struct gsim_serving_machine *machine);
enum gsim_status gsim_library_simulate(const struct gsim_library *library, gsim_library_body *body, void *context,
                                       struct gsim_error *error) GSIM_NODISCARD;

/* SERVER with its numbers drawn from SEED: its steps looked up in TABLE, or without one each simulated. */
enum gsim_status gsim_serve_drawn(const struct gsim_server *server, uint64_t seed, const struct gsim_library *library,
                                  struct gsim_serving_table *table, struct gsim_serving_result *result,
                                  struct gsim_error *error) GSIM_NODISCARD;

/* A prefill on the first share of the SMs beside rounds of decoding on the rest (partition, MPS), in processes of their
 * own: the time of the prefill and of the rounds that end while it runs, at most ROOM. */
enum gsim_status gsim_library_apart(const struct gsim_library *library, uint32_t prefill, uint32_t decode,
                                    double *prefill_us, double *rounds_us, uint32_t room, uint32_t *count,
                                    struct gsim_error *error) GSIM_NODISCARD;
