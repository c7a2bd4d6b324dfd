/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. What a profiler of single kernels (ncu) found of each: shape, time with empty caches, share of each
 * pipe's peak. Read from ncu's raw page or from a file of schema gpusim-kernels/1, given to a program's kernels.
 */
#pragma once

#include "gpusim/memory.h"
#include "gpusim/program.h"
#include "sim/base/output.h"

struct gsim_profiles {
    struct gsim_kernel *kernels; /* in the order of the file; solo_us is the profiler's time */
    uint32_t count;
    size_t room;
    struct gsim_arena arena;
    uint64_t asked, matched; /* kernels so far */
};

/* Adds what PATH holds: a CSV (ncu --csv --page raw), an .ncu-rep (by ncu itself, which must be there) or a file of
 * schema gpusim-kernels/1. Errors name the path. */
enum gsim_status gsim_profiles_read(struct gsim_profiles *profiles, const char *path,
                                    struct gsim_error *error) GSIM_NODISCARD;
void gsim_profiles_release(struct gsim_profiles *profiles); /* accepts a zeroed one */

/* Writes them with schema gpusim-kernels/1. */
void gsim_profiles_write(const struct gsim_profiles *profiles, struct gsim_output *output);

/* Gives KERNEL what the profile of its name, grid and block says, of several the one of its shared memory and the
 * nearest time. Its own time, registers and shared memory stay where they are known; shares become those of its own
 * time. Returns whether one matched. */
bool gsim_profiles_apply(struct gsim_profiles *profiles, struct gsim_kernel *kernel);
/* The same by the profile's place in the file, where that has the kernel's grid and block; else by name. */
bool gsim_profiles_apply_row(struct gsim_profiles *profiles, uint32_t row, struct gsim_kernel *kernel);
/* The same of a program's kernels. */
void gsim_profiles_apply_all(struct gsim_profiles *profiles, struct gsim_program *program);
/* KERNEL, but for its name, shape, registers and shared memory, becomes the profile that matches, for a file of
 * profiles. */
bool gsim_profiles_copy(struct gsim_profiles *profiles, struct gsim_kernel *kernel);

/* --- within traces/kernels --- */
/* A new profile, zeroed; NULL: out of memory. */
struct gsim_kernel *gsim_profiles_add(struct gsim_profiles *profiles);
enum gsim_status gsim_profiles_read_csv(struct gsim_profiles *profiles, char *text,
                                        struct gsim_error *error) GSIM_NODISCARD;
enum gsim_status gsim_profiles_read_json(struct gsim_profiles *profiles, const char *text, size_t length,
                                         struct gsim_error *error) GSIM_NODISCARD;
