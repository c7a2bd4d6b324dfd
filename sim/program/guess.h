/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim/program (helper). What a program's reader assumed, which every output says. */
#pragma once

#include "gpusim/limits.h"
#include "gpusim/program.h"

/* Adds the lines of TEXT, NULL allowed, that are not there yet. False: memory is out. */
bool gsim_program_guess(struct gsim_program *program, const char *text);
/* The next line from *AT on, which is program->guesses at first. False: no further. */
bool gsim_guess_next(const char **at, char line[GSIM_LIMIT_NAME + 1]);
