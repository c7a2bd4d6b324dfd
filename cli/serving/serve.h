/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. "gpusim serve" and "gpusim step": servers of language models (serving/). */
#pragma once

#include "serving/library.h"
#include "serving/report.h"

struct gsim_cli_arguments;

/* A spec with the programs of its steps for the device that --device names, else the one that the first trace names. */
struct gsim_cli_server;
enum gsim_status gsim_cli_server_init(const struct gsim_cli_arguments *arguments, const char *path,
                                      struct gsim_cli_server **server, struct gsim_error *error) GSIM_NODISCARD;
struct gsim_serving_spec *gsim_cli_server_spec(struct gsim_cli_server *server);
struct gsim_library *gsim_cli_server_library(struct gsim_cli_server *server);
uint64_t gsim_cli_server_seed(const struct gsim_cli_server *server);
/* Tells on stderr how far SERVED is, in each of its runs; NULL: clears what is told. */
void gsim_cli_server_watch(struct gsim_cli_server *server, struct gsim_server *served);
/* Batching policy NAME with parameters: its own of the spec, and those of --opt. serve.c */
enum gsim_status gsim_cli_server_policy(const struct gsim_cli_arguments *arguments, struct gsim_cli_server *server,
                                        const char *name, const struct gsim_batching_ops **policy, void **params,
                                        struct gsim_error *error) GSIM_NODISCARD;
/* What --opt sees of it. */
struct gsim_scheduler_ops gsim_cli_policy_view(const struct gsim_batching_ops *policy);
void gsim_cli_server_destroy(struct gsim_cli_server *server); /* accepts NULL */

#define GSIM_SERVE_COLUMNS 12

/* A point of a sweep: a request's mean time, from the first arrival to the last token, and the figures of
 * gsim_serve_name()s. */
struct gsim_served_point {
    char device[80], policy[80];
    uint64_t seed;
    double mean_us, makespan_us, figures[GSIM_SERVE_COLUMNS];
};
const char *gsim_serve_name(size_t column);
/* One run of the server at PATH, DRAW added to its seed, without a word. serve.c */
enum gsim_status gsim_cli_serve_point(const struct gsim_cli_arguments *arguments, const char *path, uint64_t draw,
                                      struct gsim_served_point *point, struct gsim_error *error) GSIM_NODISCARD;
