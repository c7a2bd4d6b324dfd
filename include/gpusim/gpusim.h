/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All public headers of libgpusim but those for schedulers (gpusim/schedulers/). Load a device and load or build a
 * program, gsim_run(), walk the timeline.
 */
#pragma once

#include "gpusim/device.h"
#include "gpusim/driver.h"
#include "gpusim/frontend.h"
#include "gpusim/generator.h"
#include "gpusim/limits.h"
#include "gpusim/memory.h"
#include "gpusim/metrics.h"
#include "gpusim/params.h"
#include "gpusim/persistent.h"
#include "gpusim/program.h"
#include "gpusim/random.h"
#include "gpusim/scheduler.h"
#include "gpusim/session.h"
#include "gpusim/scenario.h"
#include "gpusim/simulate.h"
#include "gpusim/status.h"
#include "gpusim/task.h"
#include "gpusim/timeline.h"
#include "gpusim/units.h"
#include "gpusim/version.h"
#include "gpusim/workload.h"
