/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim. A run's energy in its reports. */
#pragma once

#include "gpusim/energy.h"
#include "sim/base/output.h"

/* The member "energy" of a report. */
void gsim_energy_json(const struct gsim_energy *energy, struct gsim_output *output);
/* A line without its label. */
void gsim_energy_print(const struct gsim_energy *energy, struct gsim_output *output);
