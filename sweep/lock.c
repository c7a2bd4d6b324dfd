/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See sweep/lock.h. A lock of the open file (Linux): of the file, not of a name, and not dropped when SQLite unlocks.
 * It lies behind all bytes that SQLite locks, and is as long as the holder's process id. Worker processes inherit it,
 * and end with it.
 */
#include "sweep/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpusim/memory.h"
#include "sim/base/part.h"

#define LOCK_AT  (INT64_MAX / 2)
#define TRIES    1000 /* while a dead writer's workers end */
#define PAUSE_NS 10000000

static struct flock lock_of(pid_t process)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_AT, .l_len = process};
}

/* Takes the lock of the open file; GSIM_IO where another process has it. */
static enum gsim_status acquire(const struct gsim_sweep_lock *lock, const char *path, struct gsim_error *error)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (int i = 0;; i++) {
        struct flock whole = lock_of(getpid());
        if (fcntl(lock->descriptor, F_OFD_SETLK, &whole) == 0) return GSIM_OK;
        if (errno != EACCES && errno != EAGAIN)
            return gsim_error_set(error, GSIM_IO, "cannot lock '%s': %s", path, strerror(errno));
        /* 0: nobody any more. */
        struct flock held = lock_of(1);
        pid_t holder =
            fcntl(lock->descriptor, F_OFD_GETLK, &held) == 0 && held.l_type != F_UNLCK ? (pid_t)held.l_len : 0;
        bool is_dead = !holder || (kill(holder, 0) != 0 && errno == ESRCH);
        if (!is_dead || i == TRIES)
            return gsim_error_set(
                error, GSIM_IO,
                "'%s' is being written by another gpusim (process %ld): wait for it, or use another file", path,
                (long)holder);
        nanosleep(&pause, NULL);
    }
}

/* Whether the file that is locked is still the one of that name: another may have removed it meanwhile. */
static bool is_current(const struct gsim_sweep_lock *lock, struct stat *held)
{
    struct stat named;
    return fstat(lock->descriptor, held) == 0 && stat(lock->path, &named) == 0 && held->st_ino == named.st_ino &&
           held->st_dev == named.st_dev;
}

/* Opened; made where there is none. */
static enum gsim_status open_file(struct gsim_sweep_lock *lock, struct gsim_error *error)
{
    if (gsim_part_is_foreign(lock->path))
        return gsim_error_set(error, GSIM_IO, "cannot write '%s': it is a link that another user made", lock->path);
    lock->is_new = true;
    lock->descriptor = open(lock->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (lock->descriptor < 0 && errno == EEXIST) {
        lock->is_new = false;
        lock->descriptor = open(lock->path, O_RDWR | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
    }
    if (lock->descriptor >= 0) return GSIM_OK;
    return gsim_error_set(error, GSIM_IO, "cannot write '%s': %s", lock->path, strerror(errno));
}

enum gsim_status gsim_sweep_lock_take(struct gsim_sweep_lock *lock, const char *path, struct gsim_error *error)
{
    enum gsim_status status;
    lock->path = gsim_alloc(strlen(path) + 1);
    memcpy(lock->path, path, strlen(path) + 1);
    while ((status = open_file(lock, error)) == GSIM_OK) {
        struct stat about;
        status = acquire(lock, path, error);
        if (status != GSIM_OK) {
            close(lock->descriptor);
            break;
        }
        if (is_current(lock, &about)) {
            if (about.st_nlink > 1)
                fprintf(stderr,
                        "gpusim: note: '%s' has %lu names; use one of them alone: SQLite keeps its log by the name\n",
                        path, (unsigned long)about.st_nlink);
            return GSIM_OK;
        }
        close(lock->descriptor);
    }
    gsim_free(lock->path);
    lock->path = NULL;
    return status;
}

void gsim_sweep_lock_release(struct gsim_sweep_lock *lock)
{
    struct stat about;
    if (!lock->path) return;
    if (lock->is_new && is_current(lock, &about) && about.st_size == 0) unlink(lock->path); /* nothing came of it */
    close(lock->descriptor);
    gsim_free(lock->path);
    lock->path = NULL;
}
