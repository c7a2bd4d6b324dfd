/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/copies.h. */
#include "traces/import/copies.h"

#include <ctype.h>

/* TEXT without regard to case and to what is neither letter nor digit. */
static bool holds(const char *text, const char *word)
{
    for (; *text; text++) {
        const char *at = text, *wanted = word;
        while (*wanted && *at) {
            if (!isalnum((unsigned char)*at)) {
                at++;
                continue;
            }
            if (toupper((unsigned char)*at) != *wanted) break;
            at++;
            wanted++;
        }
        if (!*wanted) return true;
    }
    return false;
}

static bool holds_any(const char *text, const char *const *words)
{
    while (*words && !holds(text, *words)) words++;
    return *words != NULL;
}

struct gsim_copy_words gsim_copy_words(const char *text)
{
    static const char *const from_host[] = {"HTOD", "HTOA", "H2D", "HOSTTODEVICE", "HOSTTOARRAY", NULL},
                      *const to_host[] = {"DTOH", "ATOH", "D2H", "DEVICETOHOST", "ARRAYTOHOST", NULL},
                      *const host[] = {"HTOH", "HOSTTOHOST", NULL}, *const peer[] = {"PTOP", "P2P", "PEER", NULL},
                      *const managed[] = {"UVM", "UNIFIED", "MANAGED", NULL},
                      *const unknown[] = {"UNKNOWN", "INVALID", NULL};
    bool is_pageable = holds(text, "PAGEABLE");
    return (struct gsim_copy_words){
        .kind = holds_any(text, from_host) ? GSIM_COPY_H2D : holds_any(text, to_host) ? GSIM_COPY_D2H : GSIM_COPY_D2D,
        .is_said = !holds_any(text, unknown),
        .is_host = holds_any(text, host),
        .is_peer = holds_any(text, peer),
        .is_managed = holds_any(text, managed),
        .is_pageable = is_pageable,
        .is_pinned = !is_pageable && holds(text, "PINNED"),
    };
}
