/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A second simulator, written from docs/model alone. It sees the driver calls that were made, and has to come to
 * the same times as the machine: host calls and waits, streams, hardware queues, events, priorities, blocks of fixed
 * time on four SMs of compute capability 8.0, two copy engines on a shared bus, host threads without a lock of the
 * driver, graphs, built or captured. Front ends it does not have.
 */
#pragma once

#include "gpusim/simulate.h"

enum { BRUTE_TEXT = 300, BRUTE_QUEUES = 8 };

/* For struct gsim_simulation: forgets what it has seen and sees the calls of this run. */
struct gsim_driver *brute_attach(void *data, struct gsim_driver *real);
/* Whether all calls were of the kinds that it has. */
bool brute_sees_all(void);
/* Simulates the calls that it has seen. */
void brute_simulate(const struct gsim_program *of, const struct gsim_device_spec *on);
/* Whether kernels, copies and the end of T are when brute_simulate() has them; TEXT: the first that is not. */
bool brute_agrees(const struct gsim_timeline *t, char text[BRUTE_TEXT]);
/* Whether two things came within 3 ns, which is how exact copies are that share links: either may be first. */
bool brute_is_close(void);
