/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of work models (models.def). */
#include "sim/sm/models/model.h"

#include <string.h>

static const struct gsim_work_model *const models[] = {
#define X(name) &gsim_model_##name,
#include "sim/sm/models/models.def"
#undef X
};

#define COUNT (sizeof models / sizeof models[0])
_Static_assert(COUNT <= GSIM_MODEL_MAX, "as gpusim/model.h says");

const struct gsim_work_model *gsim_model_at(uint32_t index) { return index < COUNT ? models[index] : NULL; }
const char *gsim_model_name(uint32_t index) { return index < COUNT ? models[index]->name : NULL; }
const char *gsim_model_summary(uint32_t index) { return index < COUNT ? models[index]->summary : NULL; }

bool gsim_model_is_whole(uint32_t index) { return index < COUNT && models[index]->is_whole; }

uint32_t gsim_model_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT; i++)
        if (strcmp(models[i]->name, name) == 0) return i;
    return GSIM_MODEL_NONE;
}
