/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: session. The scheduler that asks a session's callbacks (gpusim/session.h). */
#pragma once

#include "gpusim/policy.h"
#include "gpusim/session.h"

struct gsim_session_callbacks {
    struct gsim_policy_params common; /* first, as the runner asks */
    gsim_session_push *push;
    gsim_session_pop *pop;
    gsim_session_done *done;
    void *data;
};

/* Its parameters are a struct gsim_session_callbacks. */
extern const struct gsim_scheduler_ops gsim_session_scheduler_ops;
