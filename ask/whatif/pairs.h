/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: ask. Pairs of streams that could overlap and do not: of the six usual reasons which holds, for how long, and
 * a simulation without it, whose time says what the reason is worth. Running it and showing it:
 * cli/whatif/explain_pairs.c.
 */
#pragma once

#include "ask/whatif/causes.h"
#include "ask/edits/changes.h"

/* X(NAME, word of reports, text, what the run without it is). */
#define GSIM_REASON_MAP(X)                                                                                             \
    X(HOST, "host_late", "the host launches late", "launches and the host's own time are free")                        \
    X(WAITS, "host_waits", "the host waits for the GPU", "the host waits for nothing")                                 \
    X(DEPENDENCE, "dependence", "one stream waits for the other", "nothing of one stream waits for the other")        \
    X(QUEUE, "hw_queue", "they share a hardware queue", "32 hardware queues")                                          \
    X(ROOM, "no_room", "no room on the SMs", "their kernels need one block each")                                      \
    X(COPIES, "copies", "copies hold one of them up", "copies are pinned and nearly free")

enum gsim_reason {
#define GSIM_REASON_ENUM(name, word, text, without) GSIM_PAIR_##name,
    GSIM_REASON_MAP(GSIM_REASON_ENUM)
#undef GSIM_REASON_ENUM
    GSIM_PAIR_REASON_COUNT
};

const char *gsim_reason_word(enum gsim_reason reason);
const char *gsim_reason_text(enum gsim_reason reason);
const char *gsim_reason_without(enum gsim_reason reason);

struct gsim_pair {
    uint32_t streams[2]; /* of the timeline */
    gsim_time busy[2];   /* with kernels of the stream under way */
    gsim_time overlap;   /* with kernels of both */
    gsim_time apart;     /* what the shorter one could still overlap */
    gsim_time held[GSIM_PAIR_REASON_COUNT]; /* one runs, the other's next kernel is held up by this */
};

#define GSIM_PAIR_STREAMS 32 /* looked at: those with most kernel time */

/* Of an explanation's interval: pairs of which the shorter one could overlap more, the longest such time first. The
 * caller frees *PAIRS. */
enum gsim_status gsim_pairs_find(const struct gsim_explanation *explanation, struct gsim_pair **pairs, size_t *count,
                                 struct gsim_error *error) GSIM_NODISCARD;

/* BASE without REASON, for this pair or, where a reason is not one of pairs (gsim_reason_is_shared), for all streams.
 * MOMENTS are of a run of BASE. The variant stays where it is, and the caller releases it in any case. */
enum gsim_status gsim_pair_without(struct gsim_variant *variant, const struct gsim_simulation *base,
                                   const struct gsim_moments *moments, const struct gsim_pair *pair,
                                   enum gsim_reason reason, struct gsim_error *error) GSIM_NODISCARD;
bool gsim_reason_is_shared(enum gsim_reason reason);
