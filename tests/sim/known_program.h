/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is known, as a source: its ops, all iterations one after another, without what is reset between
 * these. */
#pragma once

#include "gpusim/source.h"

extern const struct gsim_source_ops gsim_source_of_program;
struct gsim_source_of_program_params {
    const struct gsim_program *program;
};
