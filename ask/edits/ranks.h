/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: ask (internal to ask). What the changes of a row are to ranks. */
#pragma once

#include "ask/edits/changes.h"

struct gsim_rank_changes {
    struct gsim_collective_edit edit;
    bool edits_collectives;  /* EDIT changes something */
    struct gsim_ranks links;
    uint32_t ranks;          /* 0: as many as there are */
    const char *node;        /* NULL: as it is */
};

bool gsim_change_is_collective(enum gsim_change_kind kind); /* of the program, whether it has ranks beside it or not */
enum gsim_status gsim_rank_changes(struct gsim_rank_changes *r, const struct gsim_changeable *base,
                                   const struct gsim_change *changes, size_t count,
                                   struct gsim_error *error) GSIM_NODISCARD;
/* The number of ranks and their node: sets CLIENTS' ranks and copies, and R's links. NOTE, of SIZE bytes and empty, is
 * what is assumed. DEVICE: the clients'. */
enum gsim_status gsim_rank_changes_join(struct gsim_rank_changes *r, struct gsim_client *clients, uint32_t count,
                                        const char *device, char *note, size_t size,
                                        struct gsim_error *error) GSIM_NODISCARD;
