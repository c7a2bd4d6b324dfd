/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sweep (internal to sweep/remote*.c). The messages between ranks. */
#pragma once

#include "sweep/remote.h"

enum gsim_remote_tag {
    GSIM_REMOTE_START = 1, /* struct gsim_remote_start */
    GSIM_REMOTE_ITEMS,     /* uint64_t each */
    GSIM_REMOTE_END,       /* nothing */
    GSIM_REMOTE_ROWS,      /* struct gsim_remote_row and its outcome, again and again */
    GSIM_REMOTE_BEAT,      /* the host's name */
    GSIM_REMOTE_REFUSE,    /* a message */
};

struct gsim_remote_start {
    int64_t sweep_id;
    char identity[40];
};

struct gsim_remote_row {
    uint64_t item, length;
};

#define GSIM_REMOTE_BEAT_S 1.0 /* a rank without rows says so often that it is there */
