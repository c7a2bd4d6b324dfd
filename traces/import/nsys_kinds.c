/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/nsys_kinds.h. */
#include "traces/import/nsys_kinds.h"

#include <ctype.h>
#include <string.h>

/* NAME without regard to case and to what is neither letter nor digit. */
static bool holds(const char *name, const char *word)
{
    for (; *name; name++) {
        const char *at = name, *wanted = word;
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

/* Names as CUDA_MEMCPY_KIND_UVM_HTOD, labels as "Unified Host-to-Device". */
static void set_copy(struct gsim_nsys_kinds *kinds, int64_t id, const char *name)
{
    struct gsim_nsys_copy *copy = &kinds->copies[id];
    bool to_host =
        holds(name, "DTOH") || holds(name, "ATOH") || holds(name, "DEVICETOHOST") || holds(name, "ARRAYTOHOST");
    bool from_host =
        holds(name, "HTOD") || holds(name, "HTOA") || holds(name, "HOSTTODEVICE") || holds(name, "HOSTTOARRAY");
    *copy = (struct gsim_nsys_copy){
        .kind = from_host ? GSIM_COPY_H2D : to_host ? GSIM_COPY_D2H : GSIM_COPY_D2D,
        .is_said = !holds(name, "UNKNOWN") && !holds(name, "INVALID"),
        .is_managed = holds(name, "UVM") || holds(name, "UNIFIED") || holds(name, "MANAGED"),
        .is_peer = holds(name, "PTOP") || holds(name, "PEER"),
        .is_host = holds(name, "HTOH") || holds(name, "HOSTTOHOST"),
    };
}

static void set_memory(struct gsim_nsys_kinds *kinds, int64_t id, const char *name)
{
    kinds->memory[id] = holds(name, "PAGEABLE")  ? GSIM_NSYS_PAGEABLE
                        : holds(name, "PINNED")  ? GSIM_NSYS_PINNED
                        : holds(name, "MANAGED") ? GSIM_NSYS_MANAGED
                                                 : GSIM_NSYS_OTHER;
}

/* Hands each row of a table of names to SET. False when there is none. */
static bool read_names(sqlite3 *database, const char *sql, struct gsim_nsys_kinds *kinds,
                       void (*set)(struct gsim_nsys_kinds *, int64_t, const char *))
{
    sqlite3_stmt *rows = NULL;
    bool any = false;
    if (sqlite3_prepare_v2(database, sql, -1, &rows, NULL) == SQLITE_OK)
        while (sqlite3_step(rows) == SQLITE_ROW) {
            int64_t id = sqlite3_column_int64(rows, 0);
            const char *name = (const char *)sqlite3_column_text(rows, 1);
            if (!name) name = (const char *)sqlite3_column_text(rows, 2);
            if (!name || id < 0 || id >= GSIM_NSYS_KINDS) continue;
            set(kinds, id, name);
            any = true;
        }
    sqlite3_finalize(rows);
    return any;
}

void gsim_nsys_kinds_read(sqlite3 *database, struct gsim_nsys_kinds *kinds)
{
    static const char *const copies[] = {"UNKNOWN", "HTOD", "DTOH", "HTOA", "ATOH", "ATOA",     "ATOD",
                                         "DTOA",    "DTOD", "HTOH", "PTOP", "UVM_HTOD", "UVM_DTOH", "UVM_DTOD"};
    static const char *const memory[] = {"PAGEABLE", "PINNED",        "DEVICE",         "ARRAY",
                                         "MANAGED",  "DEVICE_STATIC", "MANAGED_STATIC", "UNKNOWN"};
    memset(kinds, 0, sizeof *kinds);
    if (!read_names(database, "SELECT id, name, label FROM ENUM_CUDA_MEMCPY_OPER", kinds, set_copy))
        for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) set_copy(kinds, (int64_t)i, copies[i]);
    if (!read_names(database, "SELECT id, name, label FROM ENUM_CUDA_MEM_KIND", kinds, set_memory))
        for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) set_memory(kinds, (int64_t)i, memory[i]);
}
