/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See source/run/engine.h: the blocks of a grid one after the other, the threads of a block likewise. A thread that
 * comes to a barrier is left there on its own stack (a fiber), and another one goes on.
 */
#undef _FORTIFY_SOURCE /* it takes a jump between stacks for a fault */
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "source/run/engine.h"

#define STACK_BYTES  ((size_t)256 << 10)
#define MAX_THREADS 1024

enum state { RUNS, AT_BARRIER, AT_LANES, HAS_ENDED };

struct thread {
    enum state state;
    unsigned fiber, mask, result, parity;
};

static struct {
    struct gpusim_run *run;
    const struct gpusim_run_work *work;
    struct thread threads[MAX_THREADS];
    uint64_t values[MAX_THREADS / 32][2][32];
    struct {
        jmp_buf at;
        ucontext_t first;
        bool is_made;
    } fibers[MAX_THREADS];
    unsigned idle[MAX_THREADS], idle_count; /* fibers */
    char *stacks;
    jmp_buf home;
    unsigned count, begun, current, running;
    unsigned sum, at_barrier; /* of a barrier: how many gave a value that is not 0 */
} block;                      /* the process has one GPU */

static void set_index(unsigned thread)
{
    const unsigned *dim = block.work->block;
    block.current = thread;
    block.run->thread[0] = thread % dim[0];
    block.run->thread[1] = thread / dim[0] % dim[1];
    block.run->thread[2] = thread / dim[0] / dim[1];
}

static void go_home(unsigned fiber)
{
    if (!_setjmp(block.fibers[fiber].at)) _longjmp(block.home, 1);
}

static void fiber_body(void)
{
    const unsigned own = block.running;
    for (;;) {
        while (block.begun < block.count) {
            unsigned thread = block.begun++;
            block.threads[thread] = (struct thread){.fiber = own};
            set_index(thread);
            block.work->call(block.work->closure);
            block.threads[thread].state = HAS_ENDED;
        }
        block.idle[block.idle_count++] = own;
        go_home(own);
    }
}

static void go_to(unsigned fiber)
{
    block.running = fiber;
    if (_setjmp(block.home)) return;
    if (block.fibers[fiber].is_made) _longjmp(block.fibers[fiber].at, 1);
    ucontext_t *first = &block.fibers[fiber].first;
    block.fibers[fiber].is_made = getcontext(first) == 0;
    first->uc_stack.ss_sp = block.stacks + fiber * STACK_BYTES;
    first->uc_stack.ss_size = STACK_BYTES;
    makecontext(first, fiber_body, 0);
    setcontext(first);
}

int gsim_run_barrier(int kind, int value)
{
    struct thread *t = &block.threads[block.current];
    t->state = AT_BARRIER;
    block.sum += value != 0;
    block.at_barrier++;
    go_home(t->fiber);
    switch ((enum gpusim_run_barrier)kind) {
    case GPUSIM_BARRIER:
        break;
    case GPUSIM_BARRIER_COUNT:
        return (int)(t->result & 0xffff);
    case GPUSIM_BARRIER_AND:
        return (t->result & 0xffff) == t->result >> 16;
    case GPUSIM_BARRIER_OR:
        return (t->result & 0xffff) != 0;
    }
    return 0;
}

const uint64_t *gsim_run_lanes(unsigned mask, uint64_t value, unsigned *active)
{
    struct thread *t = &block.threads[block.current];
    uint64_t *values = block.values[block.current / 32][t->parity];
    t->parity ^= 1;
    t->state = AT_LANES;
    t->mask = mask;
    values[block.current % 32] = value;
    go_home(t->fiber);
    *active = t->result;
    return values;
}

/* Lets lanes of one warp go on whose group is there; FORCED: all that wait, though others of their mask do not come. */
static bool release_lanes(unsigned first, bool is_forced)
{
    unsigned behind = first + 32 < block.count ? first + 32 : block.count, waiting = 0, alive = 0;
    bool any = false;
    for (unsigned i = first; i < behind; i++) {
        waiting |= (unsigned)(block.threads[i].state == AT_LANES) << (i - first);
        alive |= (unsigned)(block.threads[i].state != HAS_ENDED) << (i - first);
    }
    for (unsigned i = first; i < behind; i++) {
        struct thread *t = &block.threads[i];
        if (t->state != AT_LANES) continue;
        unsigned group = 0;
        for (unsigned k = first; k < behind; k++)
            group |= (unsigned)((waiting >> (k - first) & 1) && block.threads[k].mask == t->mask) << (k - first);
        if (!is_forced && (t->mask & alive & ~group)) continue;
        t->result = group & t->mask;
        t->state = RUNS;
        any = true;
    }
    return any;
}

static bool release_barrier(void)
{
    unsigned alive = 0;
    for (unsigned i = 0; i < block.count; i++) alive += block.threads[i].state != HAS_ENDED;
    if (!alive || block.at_barrier != alive) return false;
    for (unsigned i = 0; i < block.count; i++) {
        struct thread *t = &block.threads[i];
        if (t->state != AT_BARRIER) continue;
        t->state = RUNS;
        t->result = alive << 16 | block.sum;
    }
    block.sum = block.at_barrier = 0;
    return true;
}

static bool release(bool is_forced)
{
    bool any = !is_forced && release_barrier();
    for (unsigned first = 0; first < block.count; first += 32) any |= release_lanes(first, is_forced);
    return any;
}

static void run_block(void)
{
    block.begun = 0;
    while (block.begun < block.count) go_to(block.idle[--block.idle_count]);
    while (block.idle_count < MAX_THREADS) {
        if (!release(false) && !release(true)) gsim_run_fail("a barrier that not all threads of a block come to");
        for (unsigned i = 0; i < block.count; i++) {
            if (block.threads[i].state != RUNS) continue;
            set_index(i);
            go_to(block.threads[i].fiber);
        }
    }
}

void gsim_run_grid(struct gpusim_run *run, const struct gpusim_run_work *work)
{
    if (!block.stacks) {
        block.stacks = mmap(NULL, STACK_BYTES * MAX_THREADS, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (block.stacks == MAP_FAILED) gsim_run_fail("no memory for the stacks of threads");
        while (block.idle_count < MAX_THREADS) {
            block.idle[block.idle_count] = MAX_THREADS - 1 - block.idle_count;
            block.idle_count++;
        }
    }
    block.run = run;
    block.work = work;
    block.count = work->block[0] * work->block[1] * work->block[2];
    memcpy(run->block_dim, work->block, sizeof work->block);
    memcpy(run->grid_dim, work->grid, sizeof work->grid);
    for (unsigned z = 0; z < work->grid[2]; z++)
        for (unsigned y = 0; y < work->grid[1]; y++)
            for (unsigned x = 0; x < work->grid[0]; x++) {
                run->block[0] = x;
                run->block[1] = y;
                run->block[2] = z;
                run_block();
            }
}
