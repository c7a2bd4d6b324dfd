/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli/runner. What "gpusim-runner profile" is made of: ncu run on this very program (ncu.c), kernels' own
 * blocks (stamps.c), and the GPU's energy counter (energy.c). profile.c is the command. Times are microseconds.
 */
#pragma once

#include "gpusim/program.h"
#include "traces/kernels/profiles.h"
#include "traces/runner/blocks.h"

/* Runs WORDS, which end with NULL, under ncu and adds what it measured of the first LAUNCHES kernels. GSIM_INPUT: there
 * is no ncu in $PATH; GSIM_SIM: it failed, and the message holds what it said. */
enum gsim_status gsim_ncu_run(char *const words[], uint32_t launches, struct gsim_profiles *profiles,
                              struct gsim_error *error) GSIM_NODISCARD;

/* By op, zeroed before: the times of its blocks, each seen once. */
struct gsim_stamps_sum {
    double us, longest_us;
    uint64_t blocks;
};
gsim_blocks_see gsim_stamps_see;
/* Gives each kernel (by index) its imbalance: the longest block's time over the mean one's, of its op where that is
 * most. Less than a tenth is how blocks beside others scatter, and not told. */
void gsim_stamps_imbalance(const struct gsim_program *program, const struct gsim_stamps_sum *sums,
                           struct gsim_kernel *kernels);

/* The energy that a GPU has drawn so far, by NVML, which is loaded when it is asked for. */
struct gsim_energy_meter;
enum gsim_status gsim_energy_open(struct gsim_energy_meter **meter, const char *pci_bus_id,
                                  struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_energy_read(struct gsim_energy_meter *meter, double *mj, struct gsim_error *error) GSIM_NODISCARD;
void gsim_energy_close(struct gsim_energy_meter *meter); /* accepts NULL */

struct gsim_runner_words;
enum gsim_status gsim_runner_profile(struct gsim_runner_words *words, struct gsim_error *error) GSIM_NODISCARD;
