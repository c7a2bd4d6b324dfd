/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NCCL's collectives, seen on their way from the program to the library (LD_PRELOAD): kind, size, ranks, root. Their
 * kernels are told by external correlation. A group of several counts as its last one. What a program finds by dlsym()
 * is not seen; NCCL's own NVTX ranges tell that there was one.
 */
#include "traces/tracer/tracer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define SEEN __attribute__((visibility("default")))
#define PATH 4096
#define CUSTOM 5 /* CUpti_ExternalCorrelationKind: of a tool's own */

static _Thread_local uint32_t depth; /* of groups */
static _Thread_local uint64_t last;

static int keep_path(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    if (!strstr(info->dlpi_name, "libnccl")) return 0;
    snprintf(path, PATH, "%s", info->dlpi_name);
    return 1;
}

/* Python loads it where only its own libraries see it: so it is looked for by name, too. */
static void *find(const char *name)
{
    static void *library;
    char path[PATH] = "";
    void *function = dlsym(RTLD_NEXT, name);
    if (!function && !library && dl_iterate_phdr(keep_path, path)) library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    return function || !library ? function : dlsym(library, name);
}

static void *next(const char *name)
{
    void *function = find(name);
    if (!function) fprintf(stderr, "gpusim trace: the program calls %s, which no library has\n", name);
    return function;
}

const char *gtr_collective_of(const struct gtr *t, uint32_t correlation)
{
    for (uint64_t i = 0; i < 1024 && i < t->collective_count; i++) {
        const struct gtr_noted_collective *c = &t->collectives[(t->collective_count - i) % 1024];
        if (c->correlation == correlation) return c->text;
    }
    return NULL;
}

#define COMMUNICATORS 64

/* Its number, in the order in which the process used them: the same in all ranks, unlike its address. */
static unsigned number_of(const void *comm)
{
    static const void *known[COMMUNICATORS];
    unsigned i = 0;
    while (i < COMMUNICATORS && known[i] && known[i] != comm) i++;
    if (i < COMMUNICATORS) known[i] = comm;
    return i + 1;
}

/* FROM, TO: the root, or whom it is sent to or received from; -1: neither. */
static uint64_t note(const char *name, size_t in, size_t out, int type, void *comm, int from, int to)
{
    static const char *const types[] = {"Char", "Byte", "Int", "UInt", "Long", "ULong", "Half", "Float", "Double",
                                        "BFloat16", "Float8_e4m3fn", "Float8_e5m2"};
    struct gtr *t = gtr_active;
    int (*count_of)(void *, int *) = NULL, ranks = 0;
    *(void **)&count_of = find("ncclCommCount");
    if (!t) return 0;
    if (count_of) (void)count_of(comm, &ranks);
    pthread_mutex_lock(&t->mutex);
    uint64_t id = ++t->collective_count;
    struct gtr_noted_collective *c = &t->collectives[id % 1024];
    *c = (struct gtr_noted_collective){.external = id};
    int length = snprintf(c->text, sizeof c->text,
                          "\"Collective name\":\"%s\",\"In msg nelems\":%zu,\"Out msg nelems\":%zu,\"dtype\":\"%s\","
                          "\"Group size\":%d,\"Process Group Name\":\"%u\"",
                          name, in, out, types[type >= 0 && type < 12 ? type : 0], ranks, number_of(comm));
    if (from >= 0 || to >= 0)
        snprintf(c->text + length, sizeof c->text - (size_t)length, ",\"Src Rank\":%d,\"Dst Rank\":%d", from, to);
    pthread_mutex_unlock(&t->mutex);
    return last = id;
}

static void push(uint64_t id)
{
    if (gtr_active && id) (void)gtr_active->cupti.cuptiActivityPushExternalCorrelationId(CUSTOM, id);
}

static void pop(uint64_t id)
{
    if (gtr_active && id) (void)gtr_active->cupti.cuptiActivityPopExternalCorrelationId(CUSTOM, &id);
}

/* X(function, name, parameters, arguments, count in, count out, type, communicator, from, to) */
#define COLLECTIVES(X)                                                                                                 \
    X(ncclAllReduce, "allreduce", (const void *a, void *b, size_t n, int type, int op, void *comm, void *s),           \
      (a, b, n, type, op, comm, s), n, n, -1, -1)                                                                      \
    X(ncclReduce, "reduce", (const void *a, void *b, size_t n, int type, int op, int root, void *comm, void *s),       \
      (a, b, n, type, op, root, comm, s), n, n, -1, root)                                                              \
    X(ncclBroadcast, "broadcast", (const void *a, void *b, size_t n, int type, int root, void *comm, void *s),         \
      (a, b, n, type, root, comm, s), n, n, root, -1)                                                                  \
    X(ncclBcast, "broadcast", (void *a, size_t n, int type, int root, void *comm, void *s),                            \
      (a, n, type, root, comm, s), n, n, root, -1)                                                                     \
    X(ncclReduceScatter, "reduce_scatter",                                                                             \
      (const void *a, void *b, size_t n, int type, int op, void *comm, void *s), (a, b, n, type, op, comm, s),         \
      n * gtr_ranks(comm), n, -1, -1)                                                                                  \
    X(ncclAllGather, "all_gather", (const void *a, void *b, size_t n, int type, void *comm, void *s),                  \
      (a, b, n, type, comm, s), n, n * gtr_ranks(comm), -1, -1)                                                        \
    X(ncclSend, "send", (const void *a, size_t n, int type, int peer, void *comm, void *s),                            \
      (a, n, type, peer, comm, s), n, n, -1, peer)                                                                     \
    X(ncclRecv, "recv", (void *a, size_t n, int type, int peer, void *comm, void *s), (a, n, type, peer, comm, s), n, \
      n, peer, -1)

static size_t gtr_ranks(void *comm)
{
    int (*count_of)(void *, int *) = NULL, ranks = 1;
    *(void **)&count_of = find("ncclCommCount");
    if (count_of) (void)count_of(comm, &ranks);
    return (size_t)ranks;
}

#define WRAP(function, name, parameters, arguments, in, out, from, to)                                                 \
    SEEN int function parameters;                                                                                      \
    int function parameters                                                                                            \
    {                                                                                                                  \
        int(*real) parameters;                                                                                         \
        *(void **)&real = next(#function);                                                                             \
        if (!real) return 3; /* ncclInternalError */                                                                   \
        uint64_t id = gtr_active ? note(name, in, out, type, comm, from, to) : 0;                                      \
        push(id);                                                                                                      \
        int result = real arguments;                                                                                   \
        pop(id);                                                                                                       \
        return result;                                                                                                 \
    }
COLLECTIVES(WRAP)

SEEN int ncclGroupStart(void);
int ncclGroupStart(void)
{
    int (*real)(void);
    *(void **)&real = next("ncclGroupStart");
    if (!depth++) last = 0;
    return real ? real() : 3;
}

SEEN int ncclGroupEnd(void);
int ncclGroupEnd(void)
{
    int (*real)(void);
    *(void **)&real = next("ncclGroupEnd");
    uint64_t id = depth && --depth == 0 ? last : 0; /* here its kernels are launched */
    push(id);
    int result = real ? real() : 3;
    pop(id);
    return result;
}
