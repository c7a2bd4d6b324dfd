/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: workloads. Ready-made services: programs whose one iteration is a request, by name. Passes of PyTorch models
 * are program files made by "gpusim import"; Orion's models are lists of kernels, to which build adds launch shapes,
 * what bounds them and host times.
 */
#pragma once

#include "gpusim/program.h"

struct gsim_service {
    const char *name, *file, *model, *summary; /* FILE: below the folder workloads/services */
};

const struct gsim_service *gsim_service_at(uint32_t index); /* NULL at the end */
const struct gsim_service *gsim_service_find(const char *name);

/* PATH: where the service's file is. On a DEVICE other than that of its times each kernel asks for what would have
 * taken as long there. */
enum gsim_status gsim_service_build(const struct gsim_service *service, const char *path, const char *device,
                                    struct gsim_program *program, struct gsim_error *error) GSIM_NODISCARD;
