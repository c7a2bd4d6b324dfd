/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim (interface). Work models by name: how long a kernel takes beside others. "blocks" is the default; the
 * others are simpler, for comparison, or for recordings of a GPU that nobody knows. A device names its model
 * (gsim_device_spec.model); on the command line it is --model. Each is a file of sim/sm/models/ and a line of
 * models.def there.
 */
#pragma once

#include "gpusim/device.h"

GSIM_DECLARATIONS_BEGIN

#define GSIM_MODEL_NONE UINT32_MAX
#define GSIM_MODEL_MOST 8 /* there are not more */

/* By index, 0 is "blocks"; NULL at the end. */
const char *gsim_model_name(uint32_t index);
const char *gsim_model_summary(uint32_t index);
/* Kernels are wholes in it, on no SM in particular. */
bool gsim_model_is_whole(uint32_t index);
uint32_t gsim_model_find(const char *name); /* GSIM_MODEL_NONE: there is none of that name */

GSIM_DECLARATIONS_END
