/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/part.h. An early end removes the temporary file: sim/base/ends.h. */
#include "sim/base/part.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpusim/memory.h"
#include "sim/base/ends.h"

#define BASE_MAX 200 /* of the name that is kept in the neighbour's, which has 255 bytes */
#define TRIES    8

static char *copy_text(const char *text)
{
    char *copy = gsim_alloc(strlen(text) + 1);
    if (copy) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

/* The descriptor of ours that PATH stands for, -1: none. What a shell has opened is written, never replaced. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) != 0 || !isdigit((unsigned char)path[length])) continue;
        char *end;
        long number = strtol(path + length, &end, 10);
        return *end || number > INT_MAX ? -1 : (int)number;
    }
    return -1;
}

bool gsim_part_is_foreign(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && info.st_uid != 0 && info.st_uid != geteuid();
}

/* PATH with its links followed, where it is a regular file or none yet; else PATH, and *IN_PLACE. */
static char *resolve(const char *path, bool *in_place, struct stat *info)
{
    *in_place = false;
    if (lstat(path, info) != 0) {
        info->st_mode = 0;
        return copy_text(path);
    }
    bool is_link = S_ISLNK(info->st_mode), is_there = !is_link || stat(path, info) == 0;
    *in_place = !is_there || !S_ISREG(info->st_mode);
    if (!is_link || *in_place) return copy_text(path);
    char *real = realpath(path, NULL), *copy = copy_text(real ? real : path);
    *in_place = !real; /* and so refused by the system, with its reason */
    free(real);
    return copy;
}

static char *neighbour(const char *path)
{
    uint64_t random_bits;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t size = strlen(path) + 32;
    if (getrandom(&random_bits, sizeof(random_bits), 0) != (ssize_t)sizeof(random_bits)) return NULL;
    char *name = gsim_alloc(size);
    errno = ENOMEM;
    if (name)
        snprintf(name, size, "%.*s%.*s.%016" PRIx64 ".part", (int)(base - path), path, BASE_MAX, base, random_bits);
    return name;
}

/* A file that no folder lists, and which is gone when the process is, however it ends. */
static void make_nameless(struct gsim_part *part)
{
    char *slash = strrchr(part->name, '/'), *end = slash ? slash + 1 : part->name, was = *end;
    *end = '\0';
    part->descriptor = open(slash ? part->name : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *end = was;
    if (part->descriptor < 0) return;
    snprintf(part->held, sizeof part->held, "/proc/%ld/fd/%d", (long)getpid(), part->descriptor);
    if (access(part->held, W_OK) == 0) return;
    close(part->descriptor);
    *part->held = '\0', part->descriptor = -1;
}

/* Signals are held back meanwhile: the file and its place in the list of what an early end removes come together. */
static void make_neighbour(struct gsim_part *part, mode_t mode)
{
    sigset_t old;
    for (int i = 0; i < TRIES && part->descriptor < 0; i++) {
        gsim_free(part->name);
        part->name = neighbour(part->path);
        if (!part->name) return;
        make_nameless(part);
        if (part->descriptor >= 0) break;
        gsim_ends_hold(&old);
        part->descriptor = open(part->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        int reason = errno;
        if (part->descriptor >= 0) (void)gsim_ends_add(part->name);
        gsim_ends_restore(&old);
        errno = reason;
        if (part->descriptor < 0 && reason != EEXIST) return;
    }
    if (part->descriptor >= 0 && S_ISREG(mode) && fchmod(part->descriptor, mode & 0777) != 0)
        return; /* as made, then */
}

enum gsim_status gsim_part_open(struct gsim_part *part, const char *path, struct gsim_error *error)
{
    struct stat info;
    bool in_place = false;
    int ours = descriptor_of(path);
    if (gsim_part_is_foreign(path)) {
        *part = (struct gsim_part){.descriptor = -1};
        return gsim_error_set(error, GSIM_IO, "cannot write '%s': it is a link that another user made", path);
    }
    *part = (struct gsim_part){.descriptor = -1};
    part->path = ours >= 0 ? copy_text(path) : resolve(path, &in_place, &info);
    errno = ENOMEM;
    if (!part->path)
        part->descriptor = -1;
    else if (ours >= 0)
        part->descriptor = fcntl(ours, F_DUPFD_CLOEXEC, 3);
    else if (in_place)
        part->descriptor = open(part->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    else
        make_neighbour(part, info.st_mode);
    if (part->descriptor >= 0) return GSIM_OK;
    int reason = errno;
    gsim_free(part->name); /* it was not made */
    part->name = NULL;
    gsim_part_release(part);
    return gsim_error_set(error, reason == ENOMEM ? GSIM_NOMEM : GSIM_IO, "cannot write '%s': %s", path,
                          reason == ENOMEM ? "out of memory" : strerror(reason));
}

int gsim_part_commit(struct gsim_part *part)
{
    sigset_t old;
    int reason = 0;
    gsim_ends_hold(&old);
    if (part->name && ((*part->held && linkat(AT_FDCWD, part->held, AT_FDCWD, part->name, AT_SYMLINK_FOLLOW) != 0) ||
                       (*part->held = '\0', rename(part->name, part->path)) != 0)) {
        reason = errno;
    } else if (part->name) {
        gsim_ends_forget(part->name);
        gsim_ends_keep(part->path);
        gsim_free(part->name);
        part->name = NULL;
    }
    gsim_ends_restore(&old);
    gsim_part_release(part);
    errno = reason;
    return reason == 0;
}

void gsim_part_release(struct gsim_part *part)
{
    if (part->path && part->descriptor >= 0) close(part->descriptor);
    if (part->name && !*part->held) {
        (void)unlink(part->name);
        gsim_ends_forget(part->name);
    }
    gsim_free(part->name);
    gsim_free(part->path);
    *part = (struct gsim_part){.descriptor = -1};
}
