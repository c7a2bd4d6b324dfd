/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program; cli/cli.h includes it). The options of "gpusim sweep" and "gpusim results". */
#pragma once

/* As GSIM_CLI_OPTION_MAP in cli/cli.h. */
#define GSIM_CLI_SWEEP_OPTION_MAP(X)                                                                                   \
    X(VARY, "vary", "NAME=VALUES", GSIM_CLI_ON_SWEEP)                                                                  \
    X(PAIRED, "paired", "'N=VALUES M=VALUES'", GSIM_CLI_ON_SWEEP)                                                      \
    X(CONDITION, "where", "CONDITION", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS | GSIM_CLI_ON_PLOT)                     \
    X(REPEAT, "repeat", "R", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_COMPARE | GSIM_CLI_ON_SERVE)                              \
    X(SAMPLES, "samples", "N", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_SENSITIVITY)                                            \
    X(SAMPLE_SEED, "sample-seed", "S", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_SENSITIVITY)                                    \
    X(OUT, "out", "FILE", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS)                                                     \
    X(RESUME, "resume", NULL, GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS)                                                 \
    X(RETRY, "retry", NULL, GSIM_CLI_ON_SWEEP)                                                                         \
    X(MIX, "allow-mixed", NULL, GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS)                                               \
    X(JOBS, "jobs", "J",                                                                                               \
      GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_COMPARE | GSIM_CLI_ON_REPRODUCE | GSIM_CLI_ON_SENSITIVITY |                      \
          GSIM_CLI_ON_CALIBRATE | GSIM_CLI_ON_VALIDATE | GSIM_CLI_ON_ABLATE | GSIM_CLI_ON_WHATIF)                      \
    X(TIMEOUT, "timeout", "SECONDS", GSIM_CLI_ON_SWEEP)                                                                \
    X(SHARD, "shard", "I/N", GSIM_CLI_ON_SWEEP)                                                                        \
    X(ALLOW_PLUGINS, "allow-plugins", NULL, GSIM_CLI_ON_SWEEP)                                                         \
    X(DRY_RUN, "dry-run", NULL, GSIM_CLI_ON_SWEEP)                                                                     \
    X(COLUMNS, "columns", "A,B,...", GSIM_CLI_ON_RESULTS)                                                              \
    X(PAIRS, "paired", NULL, GSIM_CLI_ON_RESULTS)                                                                      \
    X(GROUP, "group", "A,B,...", GSIM_CLI_ON_RESULTS)                                                                  \
    X(JSON, "json", "FILE|-", GSIM_CLI_ON_RESULTS)                                                                     \
    X(LIMIT, "limit", "N", GSIM_CLI_ON_RESULTS | GSIM_CLI_ON_COMPARE)
