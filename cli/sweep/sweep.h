/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program; cli/cli.h includes it). The options of "gpusim sweep" and "gpusim results". */
#pragma once

/* As GSIM_CLI_OPTION_MAP in cli/cli.h. */
#define GSIM_CLI_SWEEP_OPTION_MAP(X)                                                                                   \
    X(VARY, "vary", "NAME=VALUES", GSIM_CLI_ON_SWEEP,                                                                  \
      "what varies: a list A,B,C, a range LOW:HIGH:+STEP, :xFACTOR,\n"                                                 \
      ":linN or :logN, or samples LOW:HIGH:[log]random or\n"                                                           \
      ":[log]sobol; may be repeated: the points are the product")                                                      \
    X(PAIRED, "paired", "'N=VALUES M=VALUES'", GSIM_CLI_ON_SWEEP, "lists that advance together; may be repeated")      \
    X(CONDITION, "where", "CONDITION", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS | GSIM_CLI_ON_PLOT,                     \
      "only what meets it: 'size >= 1e6 && sched != serial'; may be\n"                                                \
      "repeated")                                                                                                      \
    X(REPEAT, "repeat", "R", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_COMPARE,                                                  \
      "repetitions of each point, the seed one higher each time\n"                                                     \
      "(default 1)")                                                                                                   \
    X(SAMPLES, "samples", "N", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_SENSITIVITY,                                            \
      "number of points drawn from random and sobol ranges")                                                           \
    X(SAMPLE_SEED, "sample-seed", "S", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_SENSITIVITY, "seed of those draws (default 1)") \
    X(OUT, "out", "FILE", GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS,                                                     \
      "the results file to write (default results.db); also --output,\n-o")                                            \
    X(RESUME, "resume", NULL, GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS, "add the points that the results file lacks")   \
    X(RETRY, "retry", NULL, GSIM_CLI_ON_SWEEP, "with --resume: also points that failed, crashed or timed out")         \
    X(MIX, "allow-mixed", NULL, GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_RESULTS,                                               \
      "also into a file with results of another version or model")                                                     \
    X(JOBS, "jobs", "J",                                                                                               \
      GSIM_CLI_ON_SWEEP | GSIM_CLI_ON_COMPARE | GSIM_CLI_ON_REPRODUCE | GSIM_CLI_ON_SENSITIVITY |                      \
          GSIM_CLI_ON_CALIBRATE | GSIM_CLI_ON_VALIDATE | GSIM_CLI_ON_ABLATE | GSIM_CLI_ON_WHATIF,                      \
      "worker processes, up to 512 (default: as many as there are\ncores)")                                            \
    X(TIMEOUT, "timeout", "SECONDS", GSIM_CLI_ON_SWEEP,                                                                \
      "stop a point that takes longer, and record that (default: no\n"                                                 \
      "limit)")                                                                                                        \
    X(SHARD, "shard", "I/N", GSIM_CLI_ON_SWEEP, "only every N-th point, from the I-th on: for N jobs of a cluster")    \
    X(ALLOW_PLUGINS, "allow-plugins", NULL, GSIM_CLI_ON_SWEEP,                                                         \
      "load the shared objects (schedulers) that the spec file\nnames: their code runs")                               \
    X(DRY_RUN, "dry-run", NULL, GSIM_CLI_ON_SWEEP, "count the points and show the first ones")                         \
    X(COLUMNS, "columns", "A,B,...", GSIM_CLI_ON_RESULTS,                                                              \
      "columns beside the value (default: what varied); all: every\n"                                                  \
      "column, axis and option")                                                                                       \
    X(PAIRS, "paired", NULL, GSIM_CLI_ON_RESULTS,                                                                      \
      "against --base cell by cell: differences, wins, ties and\nlosses, a sign test, the ratio and its interval; "    \
      "--group: for\neach group apart")                                                                                \
    X(GROUP, "group", "A,B,...", GSIM_CLI_ON_RESULTS,                                                                  \
      "one line per group: mean with 95 % confidence interval of\n"                                                    \
      "repetitions, or spread over cells; geometric mean, extremes")                                                   \
    X(JSON, "json", "FILE|-", GSIM_CLI_ON_RESULTS, "write the answer as JSON")                                         \
    X(LIMIT, "limit", "N", GSIM_CLI_ON_RESULTS | GSIM_CLI_ON_COMPARE,                                                  \
      "rows to print (default: 60 on a terminal, else all); files have\n"                                              \
      "all")
