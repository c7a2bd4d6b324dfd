/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/object.h. */
#include "sim/base/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#if UINTPTR_MAX > 0xffffffffu
typedef Elf64_Ehdr file_head;
typedef Elf64_Phdr segment_head;
#else
typedef Elf32_Ehdr file_head;
typedef Elf32_Phdr segment_head;
#endif

/* Whether all that its heads point to lies in the SIZE bytes of FILE. What is no ELF file at all is dlopen()'s to refuse. */
static bool is_whole(FILE *file, uint64_t size)
{
    file_head head;
    segment_head segment;
    if (fread(&head, 1, sizeof head, file) != sizeof head) return false;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ehsize != sizeof head) return true;
    if (head.e_shoff > size || (uint64_t)head.e_shnum * head.e_shentsize > size - head.e_shoff) return false;
    if (head.e_phentsize != sizeof segment || head.e_phoff > size || fseek(file, (long)head.e_phoff, SEEK_SET) != 0) return false;
    for (unsigned i = 0; i < head.e_phnum; i++)
        if (fread(&segment, 1, sizeof segment, file) != sizeof segment || segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            return false;
    return true;
}

static enum gsim_status check(const char *path, struct gsim_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0) return GSIM_OK; /* dlopen() says why */
    if (!S_ISREG(info.st_mode)) return gsim_error_set(error, GSIM_INPUT, "expected a shared object, found no regular file");
    FILE *file = fopen(path, "rb");
    if (!file) return gsim_error_set(error, errno == ENOMEM ? GSIM_NOMEM : GSIM_INPUT, "%s", errno == ENOMEM ? "out of memory" : strerror(errno));
    bool whole = is_whole(file, (uint64_t)info.st_size);
    fclose(file);
    return whole ? GSIM_OK : gsim_error_set(error, GSIM_INPUT, "expected a shared object, found one that is cut short: it has %lld bytes", (long long)info.st_size);
}

enum gsim_status gsim_object_open(const char *path, void **object, struct gsim_error *error)
{
    enum gsim_status status = check(path, error);
    if (status != GSIM_OK) return status;
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*object) return GSIM_OK;
    const char *reason = dlerror();
    return gsim_error_set(error, GSIM_INPUT, "%s", reason ? reason : "no reason given");
}
