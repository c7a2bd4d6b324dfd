/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sim/platform/coroutine.h. Implemented by ucontext, or, for the sanitizers, which do not support other stacks, by
 * a thread with semaphores (as SimGrid's contexts there, sim/platform/simgrid.c).
 */
#include "sim/platform/coroutine.h"

#include <errno.h>
#include <stdint.h>

#include "gpusim/memory.h"

#if defined(__SANITIZE_ADDRESS__) || defined(GPUSIM_THREAD_CONTEXTS)
#define WITH_THREADS 1
#include <pthread.h>
#include <semaphore.h>
#else
#define WITH_THREADS 0
#include <sys/mman.h>
#include <ucontext.h>
#endif

struct gsim_coroutine {
    void (*body)(void *);
    void *argument;
    bool has_ended;
#if WITH_THREADS
    pthread_t thread;
    sem_t inside, outside; /* who may go on */
#else
    ucontext_t inside, outside;
    char *stack;
#endif
};

#if WITH_THREADS
static void await(sem_t *turn)
{
    while (sem_wait(turn) != 0 && errno == EINTR)
        ;
}

static void *begin(void *argument)
{
    struct gsim_coroutine *c = argument;
    await(&c->inside);
    c->body(c->argument);
    c->has_ended = true;
    sem_post(&c->outside);
    return NULL;
}

struct gsim_coroutine *gsim_coroutine_create(void (*body)(void *), void *argument)
{
    struct gsim_coroutine *c = gsim_alloc(sizeof *c);
    if (!c) return NULL;
    c->body = body;
    c->argument = argument;
    sem_init(&c->inside, 0, 0);
    sem_init(&c->outside, 0, 0);
    if (pthread_create(&c->thread, NULL, begin, c) == 0) return c;
    gsim_free(c);
    return NULL;
}

bool gsim_coroutine_enter(struct gsim_coroutine *c)
{
    sem_post(&c->inside);
    await(&c->outside);
    return !c->has_ended;
}

void gsim_coroutine_leave(struct gsim_coroutine *c)
{
    sem_post(&c->outside);
    await(&c->inside);
}

void gsim_coroutine_release(struct gsim_coroutine *c)
{
    if (!c) return;
    if (!c->has_ended) { /* it waits for its turn until the process ends */
        pthread_detach(c->thread);
        return;
    }
    pthread_join(c->thread, NULL);
    sem_destroy(&c->inside);
    sem_destroy(&c->outside);
    gsim_free(c);
}

#else
#define STACK_BYTES (512 << 10) /* as SimGrid's for the other threads */
#define GUARD_BYTES (64 << 10)  /* below it, never there: an overflow is a fault at once */

/* makecontext() passes numbers: the pointer in two halves. */
static void begin(unsigned high, unsigned low)
{
    struct gsim_coroutine *c = (void *)((uintptr_t)high << 16 << 16 | low);
    c->body(c->argument);
    c->has_ended = true; /* goes on at OUTSIDE, the context's link */
}

struct gsim_coroutine *gsim_coroutine_create(void (*body)(void *), void *argument)
{
    struct gsim_coroutine *c = gsim_alloc(sizeof *c);
    if (!c) return NULL;
    void *stack =
        mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) {
        gsim_free(c);
        return NULL;
    }
    mprotect(stack, GUARD_BYTES, PROT_NONE);
    c->stack = stack;
    c->body = body;
    c->argument = argument;
    getcontext(&c->inside);
    c->inside.uc_stack.ss_sp = c->stack + GUARD_BYTES;
    c->inside.uc_stack.ss_size = STACK_BYTES;
    c->inside.uc_link = &c->outside;
    makecontext(&c->inside, (void (*)(void))begin, 2, (unsigned)((uintptr_t)c >> 16 >> 16), (unsigned)(uintptr_t)c);
    return c;
}

bool gsim_coroutine_enter(struct gsim_coroutine *c)
{
    swapcontext(&c->outside, &c->inside);
    return !c->has_ended;
}

void gsim_coroutine_leave(struct gsim_coroutine *c) { swapcontext(&c->inside, &c->outside); }

void gsim_coroutine_release(struct gsim_coroutine *c)
{
    if (!c) return;
    munmap(c->stack, GUARD_BYTES + STACK_BYTES);
    gsim_free(c);
}
#endif
