/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/memory/works.h. */
#include "sim/memory/works.h"

#include <string.h>

#include "gpusim/energy.h"
#include "sim/device/rules.h"
#include "sim/memory/space.h"
#include "sim/platform/machine.h"

/* Where problems are errors. */
static bool is_first(const struct gsim_works *works, const struct gsim_machine *m)
{
    return works->spec == m->simulation->device;
}

static enum gsim_status find_all(struct gsim_works *works, const struct gsim_machine *m, const struct gsim_program *p,
                                 struct gsim_error *error)
{
    const struct gsim_kernel *kernels = m->kernels ? m->kernels : p->kernels;
    if (is_first(works, m)) return gsim_demands_init(works->demands, p->kernel_count, works->spec, kernels, error);
    for (uint32_t k = 0; k < p->kernel_count; k++) {
        struct gsim_error problem = {0};
        enum gsim_status status = gsim_demand_init(&works->demands[k], works->spec, &kernels[k], &problem);
        if (status && status != GSIM_INPUT) return gsim_error_set(error, status, "%s", problem.message);
        works->problems[k] = status != GSIM_OK;
        if (status) works->demands[k] = (struct gsim_demand){0};
    }
    return GSIM_OK;
}

enum gsim_status gsim_works_create(struct gsim_works **created, struct gsim_machine *m, struct gsim_space *space,
                                   const struct gsim_device_spec *spec, const struct gsim_demand *given,
                                   struct gsim_error *error)
{
    const struct gsim_program *p = space->program;
    struct gsim_works *works = GSIM_ARENA_NEW(&m->arena, struct gsim_works);
    if (!works) return gsim_no_memory(error);
    *works = (struct gsim_works){.spec = spec, .space = space, .next = space->works};
    works->demands = GSIM_ARENA_ARRAY(&m->arena, struct gsim_demand, space->kernel_room);
    if (!is_first(works, m)) works->problems = GSIM_ARENA_ARRAY(&m->arena, bool, space->kernel_room + 1);
    bool has_limit = gsim_power_is_limited(spec);
    if (has_limit) works->drawn_mj = GSIM_ARENA_ARRAY(&m->arena, double, space->kernel_room + 1);
    bool has_all = (!has_limit || works->drawn_mj) && (is_first(works, m) || works->problems);
    if (!works->demands || !has_all) return gsim_no_memory(error);
    if (given && p->kernel_count) memcpy(works->demands, given, p->kernel_count * sizeof *given);
    enum gsim_status status = given ? GSIM_OK : find_all(works, m, p, error);
    if (status) return status;
    works->share_l2 = gsim_demands_share_l2(works->demands, p->kernel_count, spec);
    *created = space->works = works;
    return GSIM_OK;
}

void gsim_works_meet(struct gsim_works *works, uint32_t index)
{
    if (gsim_rule_holds(works->spec->rules_off, GSIM_RULE_KNOWN_L2))
        gsim_demand_meet(&works->demands[index], works->spec);
}

enum gsim_status gsim_works_add(struct gsim_works *works, uint32_t index, struct gsim_error *error)
{
    struct gsim_demand *demand = &works->demands[index];
    enum gsim_status status = gsim_demand_init(demand, works->spec, &works->space->program->kernels[index], error);
    if (works->problems) works->problems[index] = status == GSIM_INPUT;
    if (status) return works->problems && status == GSIM_INPUT ? GSIM_OK : status;
    if (works->problems) gsim_works_meet(works, index);
    return GSIM_OK;
}

struct gsim_works *gsim_works_first(struct gsim_works *works)
{
    while (works->problems) works = works->next;
    return works;
}

const struct gsim_demand *gsim_works_fail(const struct gsim_works *works, struct gsim_machine *m, uint32_t index)
{
    struct gsim_demand demand;
    struct gsim_error error = {0};
    if (gsim_demand_init(&demand, works->spec, &works->space->program->kernels[index], &error))
        gsim_machine_fail(m, error.status, "%s", error.message);
    return &gsim_works_first(works->space->works)->demands[index];
}
