/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Host threads, FIFO locks and bounded queues of the simulated driver, for runtimes with several host threads
 * (include/gpusim/driver.h). Order of the threads: sim/platform/machine.c. */
#include "sim/host/api.h"

static void thread_main(void *argument)
{
    struct gsim_process *p = argument;
    struct gsim_host_thread *self = p->machine->running;
    self->body(self->driver, self->argument);
    gsim_machine_end_thread(p->machine);
}

gsim_thread gsim_api_thread_create(struct gsim_driver *driver, gsim_body body, void *argument)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return 0;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    struct gsim_host_thread *thread = gsim_machine_add_thread(p->machine, driver);
    if (!thread) return 0;
    thread->body = body;
    thread->argument = argument;
    thread->actor = gsim_engine_spawn(p->machine->engine, thread_main, p);
    gsim_api_spend(p, p->spec->thread_create_us);
    thread->is_blocked = true;
    thread->wake = thread->local = p->machine->running->local;
    gsim_api_end(p, GSIM_API_THREAD, start, 0, 0, "create");
    return thread->index; /* the first thread has index 0 and nobody joins it */
}

void gsim_api_thread_join(struct gsim_driver *driver, gsim_thread index)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_driver_failed(driver)) return;
    if (!index || index >= p->machine->thread_count) {
        gsim_machine_fail(p->machine, GSIM_SIM, "thread %u does not exist", index);
        return;
    }
    gsim_machine_meet(p->machine);
    gsim_time start = gsim_api_begin(p);
    if (p->machine->threads[index]->is_alive) gsim_machine_wait_on(p->machine, &p->machine->threads[index]->joiners);
    gsim_api_end(p, GSIM_API_THREAD, start, p->machine->running->local - start, 0, "join");
}

gsim_lock gsim_api_lock_create(struct gsim_driver *driver)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (gsim_array_grow(&p->machine->locks, sizeof *p->machine->locks, p->machine->lock_count,
                        &p->machine->lock_capacity)) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return 0;
    }
    p->machine->locks[p->machine->lock_count] = (struct gsim_lock_state){0};
    return (gsim_lock)++p->machine->lock_count;
}

static bool is_there(struct gsim_process *p, const char *what, uint32_t handle, size_t count)
{
    if (gsim_driver_failed(&p->driver)) return false;
    if (handle && handle <= count) return true;
    gsim_machine_fail(p->machine, GSIM_SIM, "%s %u does not exist", what, handle);
    return false;
}

void gsim_api_lock_acquire(struct gsim_driver *driver, gsim_lock lock)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!is_there(p, "lock", lock, p->machine->lock_count)) return;
    gsim_machine_order(p->machine);
    gsim_time start = gsim_api_begin(p);
    gsim_api_spend(p, p->spec->lock_us);
    struct gsim_lock_state *l = &p->machine->locks[lock - 1];
    gsim_time waited = 0;
    if (!l->owner) {
        l->owner = p->machine->running;
    } else {
        gsim_time before = p->machine->running->local;
        gsim_machine_wait_on(p->machine, &l->waiting); /* the releaser hands it over */
        waited = p->machine->running->local - before;
    }
    gsim_api_end(p, GSIM_API_LOCK, start, waited, 0, "acquire");
}

void gsim_api_lock_release(struct gsim_driver *driver, gsim_lock lock)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!is_there(p, "lock", lock, p->machine->lock_count)) return;
    gsim_machine_order(p->machine);
    struct gsim_lock_state *l = &p->machine->locks[lock - 1];
    if (l->owner != p->machine->running) {
        gsim_machine_fail(p->machine, GSIM_SIM, "thread %u releases lock %u, which it does not hold",
                          p->machine->running->index, lock);
        return;
    }
    l->owner = l->waiting;
    if (!l->waiting) return;
    l->waiting = l->owner->next_waiting;
    gsim_machine_wake(p->machine, l->owner, p->machine->running->local);
}

gsim_queue gsim_api_queue_create(struct gsim_driver *driver, uint32_t capacity)
{
    struct gsim_process *p = gsim_api_process(driver);
    struct gsim_queue_state queue = {.items = GSIM_ARENA_ARRAY(&p->machine->arena, void *, capacity ? capacity : 1),
                                     .capacity = capacity ? capacity : 1};
    if (!queue.items || gsim_array_grow(&p->machine->queues, sizeof *p->machine->queues,
                                        p->machine->queue_count, &p->machine->queue_capacity)) {
        gsim_machine_fail(p->machine, GSIM_NOMEM, "out of memory");
        return 0;
    }
    p->machine->queues[p->machine->queue_count] = queue;
    return (gsim_queue)++p->machine->queue_count;
}

static void wake_first(struct gsim_process *p, struct gsim_host_thread **list)
{
    struct gsim_host_thread *thread = *list;
    if (!thread) return;
    *list = thread->next_waiting;
    gsim_machine_wake(p->machine, thread, p->machine->running->local);
}

void gsim_api_queue_push(struct gsim_driver *driver, gsim_queue queue, void *item)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!is_there(p, "queue", queue, p->machine->queue_count)) return;
    gsim_machine_order(p->machine);
    gsim_api_spend(p, p->spec->lock_us);
    while (p->machine->queues[queue - 1].count == p->machine->queues[queue - 1].capacity && !gsim_driver_failed(driver))
        gsim_machine_wait_on(p->machine, &p->machine->queues[queue - 1].pushing);
    if (gsim_driver_failed(driver)) return;
    struct gsim_queue_state *q = &p->machine->queues[queue - 1];
    if (!q->count) q->filled = p->machine->running->local;
    q->items[(q->first + q->count++) % q->capacity] = item;
    wake_first(p, &q->popping);
    gsim_machine_fulfil(p->machine);
}

bool gsim_api_is_queue(struct gsim_process *p, gsim_queue queue)
{
    return is_there(p, "queue", queue, p->machine->queue_count);
}

gsim_time gsim_api_queue_filled(const struct gsim_process *p, gsim_queue queue)
{
    const struct gsim_queue_state *q = &p->machine->queues[queue - 1];
    return !q->count ? GSIM_TIME_NEVER : q->filled > p->machine->now ? q->filled : p->machine->now;
}

static void *dequeue(struct gsim_process *p, struct gsim_queue_state *q)
{
    void *item = q->items[q->first];
    q->first = (q->first + 1) % q->capacity;
    q->count--;
    wake_first(p, &q->pushing);
    return item;
}

bool gsim_api_queue_try_pop(struct gsim_driver *driver, gsim_queue queue, void **item)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!gsim_api_is_queue(p, queue)) return false;
    gsim_machine_order(p->machine);
    gsim_api_spend(p, p->spec->lock_us);
    if (!p->machine->queues[queue - 1].count) return false;
    *item = dequeue(p, &p->machine->queues[queue - 1]);
    return true;
}

void *gsim_api_queue_pop(struct gsim_driver *driver, gsim_queue queue)
{
    struct gsim_process *p = gsim_api_process(driver);
    if (!is_there(p, "queue", queue, p->machine->queue_count)) return NULL;
    gsim_machine_order(p->machine);
    gsim_api_spend(p, p->spec->lock_us);
    while (!p->machine->queues[queue - 1].count && !gsim_driver_failed(driver))
        gsim_machine_wait_on(p->machine, &p->machine->queues[queue - 1].popping);
    if (gsim_driver_failed(driver)) return NULL;
    return dequeue(p, &p->machine->queues[queue - 1]);
}
