/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces/runner. A policy among tasks (schedulers/sharing/, the simulator's own source) on real launches: what
 * happens is read from the ledger (ledger.h), what it lets go is opened there. It can hold a launch whose turn in its
 * stream has come, and no more: what was launched runs to its end.
 */
#pragma once

#include "traces/runner/share/ledger.h"

struct gsim_ledger_policy;

struct gsim_ledger_policy_setup {
    struct gsim_ledger *ledger;
    const struct gsim_sharing_ops *ops;
    const void *params;
    const struct gsim_task_set *set;            /* of the ledger's tasks */
    const struct gsim_task_profiles *profile;   /* NULL: none */
    struct gsim_device_facts device;
    double (*now_us)(void *clock);              /* from the common beginning */
    void *clock;
};

/* GSIM_USAGE where the way asks for what no driver does: to stop what runs. Before anything runs. */
enum gsim_status gsim_ledger_policy_check(const struct gsim_sharing_ops *ops, const void *params,
                                          const struct gsim_share_settings *settings,
                                          struct gsim_error *error) GSIM_NODISCARD;

enum gsim_status gsim_ledger_policy_open(const struct gsim_ledger_policy_setup *setup,
                                         struct gsim_ledger_policy **policy, struct gsim_error *error) GSIM_NODISCARD;
/* Looks once at everything. False after the policy has asked for what cannot be done: ERROR says it. */
bool gsim_ledger_policy_look(struct gsim_ledger_policy *policy, struct gsim_error *error);
uint64_t gsim_ledger_policy_decisions(const struct gsim_ledger_policy *policy);
void gsim_ledger_policy_close(struct gsim_ledger_policy *policy); /* accepts NULL */
