/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Host threads, locks and bounded queues of the CUDA backend: POSIX threads. Locks are FIFO, as the interface says: a
 * plain mutex would let the thread that runs take the lock again and again.
 */
#include "traces/runner/cuda.h"

struct thread {
    pthread_t thread;
    struct gsim_driver *driver;
    void (*body)(struct gsim_driver *, void *);
    void *argument;
    uint32_t index;
};

struct lock {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint64_t next_ticket, serving;
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    void **items;
    uint32_t capacity, first, count;
};

struct gsim_cuda_threads {
    struct thread **threads;
    struct lock **locks;
    struct queue **queues;
    size_t thread_count, thread_capacity, lock_count, lock_capacity, queue_count, queue_capacity;
};

static _Thread_local uint32_t own_index;

uint32_t gsim_cuda_thread_index(void) { return own_index; }

/* Puts a new zeroed object of SIZE into the table. Handles count from 1. */
static void *add(struct gsim_cuda *cuda, void ***table, size_t *count, size_t *capacity, size_t size)
{
    void *object = gsim_alloc(size);
    gsim_cuda_lock(cuda);
    gsim_array_grow((void **)table, sizeof **table, *count, capacity);
    (*table)[(*count)++] = object;
    gsim_cuda_unlock(cuda);
    return object;
}

static void *at(struct gsim_cuda *cuda, void **table, size_t count, uint32_t handle, const char *what)
{
    if (handle >= 1 && handle <= count) return table[handle - 1];
    gsim_cuda_lock(cuda);
    if (!gsim_driver_failed(&cuda->driver))
        gsim_error_set(&cuda->driver.error, GSIM_SIM, "%s %u does not exist", what, handle);
    gsim_cuda_unlock(cuda);
    return NULL;
}

static void *thread_main(void *argument)
{
    struct thread *thread = argument;
    own_index = thread->index;
    thread->body(thread->driver, thread->argument);
    return NULL;
}

gsim_thread gsim_cuda_thread_create(struct gsim_driver *driver, gsim_body body, void *argument)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct gsim_cuda_threads *t = cuda->threads;
    if (gsim_driver_failed(driver)) return 0;
    cuda->is_threaded = true; /* and stays so: nobody else runs yet */
    struct thread *thread = add(cuda, (void ***)&t->threads, &t->thread_count, &t->thread_capacity, sizeof *thread);
    if (!thread) return 0;
    *thread = (struct thread){.driver = driver, .body = body, .argument = argument, .index = (uint32_t)t->thread_count};
    int64_t start = gsim_runner_now_ns();
    if (pthread_create(&thread->thread, NULL, thread_main, thread) != 0) {
        thread->body = NULL; /* nothing to join */
        gsim_error_set(&driver->error, GSIM_SIM, "cannot start a host thread");
    }
    gsim_cuda_end(cuda, GSIM_API_THREAD, cudaSuccess, start, false, 0, "create");
    return (gsim_thread)thread->index;
}

void gsim_cuda_thread_join(struct gsim_driver *driver, gsim_thread handle)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct thread *thread = at(cuda, (void **)cuda->threads->threads, cuda->threads->thread_count, handle, "thread");
    int64_t start = gsim_runner_now_ns();
    if (!thread || !thread->body) return;
    pthread_join(thread->thread, NULL);
    thread->body = NULL;
    gsim_cuda_end(cuda, GSIM_API_THREAD, cudaSuccess, start, true, 0, "join");
}

gsim_lock gsim_cuda_lock_create(struct gsim_driver *driver)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct gsim_cuda_threads *t = cuda->threads;
    struct lock *lock = add(cuda, (void ***)&t->locks, &t->lock_count, &t->lock_capacity, sizeof *lock);
    if (!lock) return 0;
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_cond_init(&lock->changed, NULL);
    return (gsim_lock)t->lock_count;
}

void gsim_cuda_lock_acquire(struct gsim_driver *driver, gsim_lock handle)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct lock *lock = at(cuda, (void **)cuda->threads->locks, cuda->threads->lock_count, handle, "lock");
    int64_t start = gsim_runner_now_ns();
    if (!lock) return;
    pthread_mutex_lock(&lock->mutex);
    uint64_t ticket = lock->next_ticket++;
    while (lock->serving != ticket) pthread_cond_wait(&lock->changed, &lock->mutex);
    pthread_mutex_unlock(&lock->mutex);
    gsim_cuda_end(cuda, GSIM_API_LOCK, cudaSuccess, start, true, 0, NULL);
}

void gsim_cuda_lock_release(struct gsim_driver *driver, gsim_lock handle)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct lock *lock = at(cuda, (void **)cuda->threads->locks, cuda->threads->lock_count, handle, "lock");
    if (!lock) return;
    pthread_mutex_lock(&lock->mutex);
    lock->serving++;
    pthread_cond_broadcast(&lock->changed);
    pthread_mutex_unlock(&lock->mutex);
}

gsim_queue gsim_cuda_queue_create(struct gsim_driver *driver, uint32_t capacity)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct gsim_cuda_threads *t = cuda->threads;
    struct queue *queue = add(cuda, (void ***)&t->queues, &t->queue_count, &t->queue_capacity, sizeof *queue);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->capacity = capacity ? capacity : 1;
    queue->items = gsim_alloc(sizeof *queue->items * queue->capacity);
    return (gsim_queue)t->queue_count;
}

void gsim_cuda_queue_push(struct gsim_driver *driver, gsim_queue handle, void *item)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct queue *queue = at(cuda, (void **)cuda->threads->queues, cuda->threads->queue_count, handle, "queue");
    if (!queue || !queue->items) return;
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == queue->capacity) pthread_cond_wait(&queue->changed, &queue->mutex);
    queue->items[(queue->first + queue->count++) % queue->capacity] = item;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

/* The first item; the queue is locked and has one. */
static void *dequeue(struct queue *queue)
{
    void *item = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    pthread_cond_broadcast(&queue->changed);
    return item;
}

void *gsim_cuda_queue_pop(struct gsim_driver *driver, gsim_queue handle)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct queue *queue = at(cuda, (void **)cuda->threads->queues, cuda->threads->queue_count, handle, "queue");
    if (!queue || !queue->items) return NULL;
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == 0) pthread_cond_wait(&queue->changed, &queue->mutex);
    void *item = dequeue(queue);
    pthread_mutex_unlock(&queue->mutex);
    return item;
}

bool gsim_cuda_queue_try_pop(struct gsim_driver *driver, gsim_queue handle, void **item)
{
    struct gsim_cuda *cuda = gsim_cuda_of(driver);
    struct queue *queue = at(cuda, (void **)cuda->threads->queues, cuda->threads->queue_count, handle, "queue");
    if (!queue || !queue->items) return false;
    pthread_mutex_lock(&queue->mutex);
    bool has_item = queue->count > 0;
    if (has_item) *item = dequeue(queue);
    pthread_mutex_unlock(&queue->mutex);
    return has_item;
}

bool gsim_cuda_queue_has_item(struct gsim_cuda *cuda, gsim_queue handle)
{
    struct queue *queue = at(cuda, (void **)cuda->threads->queues, cuda->threads->queue_count, handle, "queue");
    if (!queue || !queue->items) return false;
    pthread_mutex_lock(&queue->mutex);
    bool has_item = queue->count > 0;
    pthread_mutex_unlock(&queue->mutex);
    return has_item;
}

void gsim_cuda_threads_init(struct gsim_cuda *cuda) { cuda->threads = gsim_alloc(sizeof *cuda->threads); }

void gsim_cuda_threads_release(struct gsim_cuda *cuda)
{
    struct gsim_cuda_threads *t = cuda->threads;
    if (!t) return;
    for (size_t i = 0; i < t->thread_count; i++) {
        if (t->threads[i]->body) pthread_join(t->threads[i]->thread, NULL);
        gsim_free(t->threads[i]);
    }
    for (size_t i = 0; i < t->lock_count; i++) {
        pthread_mutex_destroy(&t->locks[i]->mutex);
        pthread_cond_destroy(&t->locks[i]->changed);
        gsim_free(t->locks[i]);
    }
    for (size_t i = 0; i < t->queue_count; i++) {
        pthread_mutex_destroy(&t->queues[i]->mutex);
        pthread_cond_destroy(&t->queues[i]->changed);
        gsim_free(t->queues[i]->items);
        gsim_free(t->queues[i]);
    }
    gsim_free(t->threads);
    gsim_free(t->locks);
    gsim_free(t->queues);
    gsim_free(t);
    cuda->threads = NULL;
}
