/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). Work models by name: the time of a kernel beside others. "blocks" is the default. The others
 * are simpler: for comparison, or for recordings of an unknown GPU. A device names its model (gsim_device_spec.model);
 * --model changes it. Each is a file in sim/sm/models/ and a line of models.def there.
 */
#pragma once

#include "gpusim/device.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_MODEL_NONE UINT32_MAX
#define GSIM_MODEL_MAX 8 /* most models */

/* Return the name and the one-line summary of model INDEX; 0 is "blocks". NULL: past the end. */
const char *gsim_model_name(uint32_t index);
const char *gsim_model_summary(uint32_t index);
/* Whether kernels are whole in it, without SMs. */
bool gsim_model_is_whole(uint32_t index);
uint32_t gsim_model_find(const char *name); /* GSIM_MODEL_NONE: not found */

GSIM_DECLARATIONS_END
