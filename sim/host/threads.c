/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Host threads, FIFO locks and bounded queues of the simulated driver: the calls of include/gpusim/driver.h behind which
 * runtimes with several host threads stand. Who runs when is machine.c's business. */
#include "sim/clock/machine.h"

static struct gsim_machine *machine(struct gsim_driver *driver) { return (struct gsim_machine *)driver; }

static void thread_main(void *argument)
{
    struct gsim_machine *m = argument;
    struct gsim_host_thread *self = m->running;
    self->body(&m->driver, self->argument);
    gsim_machine_end_thread(m);
}

static gsim_thread do_create(struct gsim_driver *driver, void (*body)(struct gsim_driver *, void *), void *argument)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return 0;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m);
    struct gsim_host_thread *thread = gsim_machine_add_thread(m);
    if (!thread) return 0;
    thread->body = body;
    thread->argument = argument;
    thread->actor = gsim_engine_spawn(m->engine, thread_main, m);
    gsim_api_spend(m, m->device->thread_create_us);
    thread->is_blocked = true;
    thread->wake = thread->local = m->running->local;
    gsim_api_end(m, GSIM_API_THREAD, start, 0, 0, "create");
    return thread->index; /* the first thread has index 0 and nobody joins it */
}

static void do_join(struct gsim_driver *driver, gsim_thread index)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_driver_failed(driver)) return;
    if (!index || index >= m->thread_count) {
        gsim_machine_fail(m, GSIM_SIM, "thread %u does not exist", index);
        return;
    }
    gsim_machine_meet(m);
    gsim_time start = gsim_api_begin(m);
    if (m->threads[index]->is_alive) gsim_machine_wait_on(m, &m->threads[index]->joiners);
    gsim_api_end(m, GSIM_API_THREAD, start, m->running->local - start, 0, "join");
}

static gsim_lock do_lock_create(struct gsim_driver *driver)
{
    struct gsim_machine *m = machine(driver);
    if (gsim_array_grow((void **)&m->locks, sizeof *m->locks, m->lock_count, &m->lock_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return 0;
    }
    m->locks[m->lock_count] = (struct gsim_lock_state){0};
    return (gsim_lock)++m->lock_count;
}

static bool is_there(struct gsim_machine *m, const char *what, uint32_t handle, size_t count)
{
    if (gsim_driver_failed(&m->driver)) return false;
    if (handle && handle <= count) return true;
    gsim_machine_fail(m, GSIM_SIM, "%s %u does not exist", what, handle);
    return false;
}

static void do_lock_acquire(struct gsim_driver *driver, gsim_lock lock)
{
    struct gsim_machine *m = machine(driver);
    if (!is_there(m, "lock", lock, m->lock_count)) return;
    gsim_machine_order(m);
    gsim_time start = gsim_api_begin(m);
    gsim_api_spend(m, m->device->lock_us);
    struct gsim_lock_state *l = &m->locks[lock - 1];
    gsim_time waited = 0;
    if (!l->owner) {
        l->owner = m->running;
    } else {
        gsim_time before = m->running->local;
        gsim_machine_wait_on(m, &l->waiting); /* the releaser hands it over */
        waited = m->running->local - before;
    }
    gsim_api_end(m, GSIM_API_LOCK, start, waited, 0, "acquire");
}

static void do_lock_release(struct gsim_driver *driver, gsim_lock lock)
{
    struct gsim_machine *m = machine(driver);
    if (!is_there(m, "lock", lock, m->lock_count)) return;
    gsim_machine_order(m);
    struct gsim_lock_state *l = &m->locks[lock - 1];
    if (l->owner != m->running) {
        gsim_machine_fail(m, GSIM_SIM, "thread %u releases lock %u, which it does not hold", m->running->index, lock);
        return;
    }
    l->owner = l->waiting;
    if (!l->waiting) return;
    l->waiting = l->owner->next_waiting;
    gsim_machine_wake(m, l->owner, m->running->local);
}

static gsim_queue do_queue_create(struct gsim_driver *driver, uint32_t capacity)
{
    struct gsim_machine *m = machine(driver);
    struct gsim_queue_state queue = {.items = GSIM_ARENA_ARRAY(&m->arena, void *, capacity ? capacity : 1),
                                     .capacity = capacity ? capacity : 1};
    if (!queue.items || gsim_array_grow((void **)&m->queues, sizeof *m->queues, m->queue_count, &m->queue_capacity)) {
        gsim_machine_fail(m, GSIM_NOMEM, "out of memory");
        return 0;
    }
    m->queues[m->queue_count] = queue;
    return (gsim_queue)++m->queue_count;
}

static void wake_first(struct gsim_machine *m, struct gsim_host_thread **list)
{
    struct gsim_host_thread *thread = *list;
    if (!thread) return;
    *list = thread->next_waiting;
    gsim_machine_wake(m, thread, m->running->local);
}

static void do_push(struct gsim_driver *driver, gsim_queue queue, void *item)
{
    struct gsim_machine *m = machine(driver);
    if (!is_there(m, "queue", queue, m->queue_count)) return;
    gsim_machine_order(m);
    gsim_api_spend(m, m->device->lock_us);
    while (m->queues[queue - 1].count == m->queues[queue - 1].capacity && !gsim_driver_failed(driver))
        gsim_machine_wait_on(m, &m->queues[queue - 1].pushing);
    if (gsim_driver_failed(driver)) return;
    struct gsim_queue_state *q = &m->queues[queue - 1];
    q->items[(q->first + q->count++) % q->capacity] = item;
    wake_first(m, &q->popping);
}

static void *do_pop(struct gsim_driver *driver, gsim_queue queue)
{
    struct gsim_machine *m = machine(driver);
    if (!is_there(m, "queue", queue, m->queue_count)) return NULL;
    gsim_machine_order(m);
    gsim_api_spend(m, m->device->lock_us);
    while (!m->queues[queue - 1].count && !gsim_driver_failed(driver))
        gsim_machine_wait_on(m, &m->queues[queue - 1].popping);
    if (gsim_driver_failed(driver)) return NULL;
    struct gsim_queue_state *q = &m->queues[queue - 1];
    void *item = q->items[q->first];
    q->first = (q->first + 1) % q->capacity;
    q->count--;
    wake_first(m, &q->pushing);
    return item;
}

void gsim_threads_set_ops(struct gsim_driver_ops *ops)
{
    ops->thread_create = do_create;
    ops->thread_join = do_join;
    ops->lock_create = do_lock_create;
    ops->lock_acquire = do_lock_acquire;
    ops->lock_release = do_lock_release;
    ops->queue_create = do_queue_create;
    ops->queue_push = do_push;
    ops->queue_pop = do_pop;
}
