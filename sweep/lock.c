/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/lock.h. POSIX record locks: not inherited by worker processes, gone with the process that took them. */
#include "sweep/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpusim/memory.h"

static enum gsim_status fail_held(const struct gsim_sweep_lock *lock, const char *path, struct gsim_error *error)
{
    char holder[128];
    ssize_t length = pread(lock->descriptor, holder, sizeof(holder) - 1, 0);
    holder[length > 0 ? length : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    return gsim_error_set(error, GSIM_IO,
                          "'%s' is being written by another gpusim (%s): wait for it, or use another file", path,
                          holder[0] ? holder : "process unknown");
}

/* Whether the file that is locked is still the one of that name: its last holder may have removed it meanwhile. */
static bool is_current(const struct gsim_sweep_lock *lock)
{
    struct stat held, named;
    return fstat(lock->descriptor, &held) == 0 && stat(lock->path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

static void sign(const struct gsim_sweep_lock *lock)
{
    char host[64] = "", text[128];
    gethostname(host, sizeof(host) - 1);
    int length = snprintf(text, sizeof(text), "process %ld on %s\n", (long)getpid(), host);
    /* For the message of whoever comes second; the lock holds without it. */
    if (ftruncate(lock->descriptor, 0) == 0 && pwrite(lock->descriptor, text, (size_t)length, 0) < 0) return;
}

enum gsim_status gsim_sweep_lock_take(struct gsim_sweep_lock *lock, const char *path, struct gsim_error *error)
{
    enum gsim_status status;
    size_t size = strlen(path) + sizeof("-writer");
    lock->path = gsim_alloc(size);
    if (!lock->path) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    snprintf(lock->path, size, "%s-writer", path);
    for (;;) {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        lock->descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->descriptor < 0) {
            status = gsim_error_set(error, GSIM_IO, "cannot write '%s', which guards the results file: %s", lock->path,
                                    strerror(errno));
            break;
        }
        if (fcntl(lock->descriptor, F_SETLK, &whole) != 0) {
            status = errno == EACCES || errno == EAGAIN
                         ? fail_held(lock, path, error)
                         : gsim_error_set(error, GSIM_IO, "cannot lock '%s': %s", lock->path, strerror(errno));
            close(lock->descriptor);
            break;
        }
        if (is_current(lock)) {
            sign(lock);
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
    if (!lock->path) return;
    unlink(lock->path);
    close(lock->descriptor);
    gsim_free(lock->path);
    lock->path = NULL;
}
