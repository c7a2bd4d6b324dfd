/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli. "gpusim serve" and "gpusim step": servers of language models (serving/). */
#pragma once

#include "serving/library.h"
#include "serving/report.h"

/* Part of GSIM_CLI_OPTION_MAP. */
#define GSIM_CLI_SERVING_OPTION_MAP(X)                                                                                 \
    X(BATCHING, "batching", "A,B,...|all", GSIM_CLI_ON_SERVE,                                                          \
      "batching policies (gpusim list batching) and shared objects, in\nplace of the file's")                          \
    X(BESIDE, "prefill-beside", "A,B,...", GSIM_CLI_ON_SERVE,                                                          \
      "where a prefill runs while requests decode: same, stream,\nurgent, partition, mps; in place of the file's")     \
    X(ARRIVALS, "arrivals", "TEXT", GSIM_CLI_ON_SERVE,                                                                 \
      "poisson:PER_S, gamma:PER_S,cv=CV or a public trace, in place of\nthe file's requests; lengths as the file "     \
      "says")                                                                                                          \
    X(RATE, "rate", "A,B,...|FROM:TO:STEP", GSIM_CLI_ON_SERVE,                                                         \
      "mean requests per second, to which arrivals are drawn or\n"                                                     \
      "stretched; several rates give a table; most: the greatest at\n"                                                 \
      "which 99 % of the requests are within the limits, by search")                                                   \
    X(WITHIN, "within", "ttft=TIME,tpot=TIME", GSIM_CLI_ON_SERVE,                                                      \
      "the limits of goodput, in place of the file's: ttft=200ms")                                                     \
    X(REQUESTS, "requests", "N", GSIM_CLI_ON_SERVE, "the first N requests of the file, or N drawn ones")               \
    X(REPLICAS, "replicas", "N", GSIM_CLI_ON_SERVE,                                                                    \
      "servers, each with its slots, its cache and GPUs of its own, in\nplace of the file's")                          \
    X(ROUTER, "router", "NAME", GSIM_CLI_ON_SERVE,                                                                     \
      "which of them gets a request: round-robin, least-loaded, prefix;\nin place of the file's")                      \
    X(EXACT, "exact", NULL, GSIM_CLI_ON_SERVE, "simulate every step instead of looking it up")                         \
    X(HOST, "host", "NAME|FILE",                                                                                       \
      GSIM_CLI_ON_SERVING | GSIM_CLI_ON_ASK | GSIM_CLI_ON_BOTH | GSIM_CLI_ON_CALIBRATE,                                \
      "what the server's host spends and its noise, in place of the\nfile's: h100-vm, or a file (docs/serving.md)")    \
    X(HOST_SPEED, "host-speed", "X", GSIM_CLI_ON_ASK | GSIM_CLI_ON_BOTH,                                               \
      "a trace's host so many times faster: its calls and the time\nbetween them")                                     \
    X(LISTEN, "listen", NULL, GSIM_CLI_ON_STEP_TIME, "answer questions on standard input, one a line, until its end")

struct gsim_cli_arguments;

/* A spec with the programs of its steps for the device that --device names, else the one that the first trace names. */
struct gsim_cli_server;
enum gsim_status gsim_cli_server_init(const struct gsim_cli_arguments *arguments, const char *path,
                                      struct gsim_cli_server **server, struct gsim_error *error) GSIM_NODISCARD;
struct gsim_serving_spec *gsim_cli_server_spec(struct gsim_cli_server *server);
struct gsim_library *gsim_cli_server_library(struct gsim_cli_server *server);
uint64_t gsim_cli_server_seed(const struct gsim_cli_server *server);
void gsim_cli_server_destroy(struct gsim_cli_server *server); /* accepts NULL */
