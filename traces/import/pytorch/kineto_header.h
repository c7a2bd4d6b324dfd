/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces (private to traces/import/kineto.c). A member of the file beside its events. */
#pragma once

#include "traces/import/records/records.h"

/* NAME's value stands at TEXT. */
void gsim_kineto_header(struct gsim_records *records, const char *name, const char *text);
