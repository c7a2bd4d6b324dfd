/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/base/plugin.h. */
#include "sim/base/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/gz.h"
#include "sim/base/text.h"

#if UINTPTR_MAX > 0xffffffffu
typedef Elf64_Ehdr file_head;
typedef Elf64_Phdr segment_head;
#else
typedef Elf32_Ehdr file_head;
typedef Elf32_Phdr segment_head;
#endif

/* Whether all that its heads point to lies in the SIZE bytes of FILE. What is no ELF file at all is dlopen()'s to
 * refuse. */
static bool is_whole(FILE *file, uint64_t size)
{
    file_head head;
    segment_head segment;
    if (fread(&head, 1, sizeof head, file) != sizeof head) return false;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ehsize != sizeof head) return true;
    if (head.e_shoff > size || (uint64_t)head.e_shnum * head.e_shentsize > size - head.e_shoff) return false;
    if (head.e_phentsize != sizeof segment || head.e_phoff > size || fseek(file, (long)head.e_phoff, SEEK_SET) != 0)
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++)
        if (fread(&segment, 1, sizeof segment, file) != sizeof segment || segment.p_offset > size ||
            segment.p_filesz > size - segment.p_offset)
            return false;
    return true;
}

static enum gsim_status check(const char *path, struct gsim_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0) return GSIM_OK; /* dlopen() says why */
    FILE *file = gsim_input_stream(path, error);
    if (!file) return error->status;
    bool whole = is_whole(file, (uint64_t)info.st_size);
    fclose(file);
    return whole ? GSIM_OK
                 : gsim_error_set(error, GSIM_INPUT,
                                  "expected a shared object, found one that is cut short: it has %lld bytes",
                                  (long long)info.st_size);
}

/* A file that is cut short is refused, which dlopen() maps and then dies of, and so is a pipe, for which it waits. */
static enum gsim_status open_object(const char *path, void **object, struct gsim_error *error)
{
    enum gsim_status status = check(path, error);
    if (status != GSIM_OK) return status;
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*object) return GSIM_OK;
    const char *reason = dlerror();
    return gsim_error_set(error, GSIM_INPUT, "%s", reason ? reason : "no reason given");
}

static enum gsim_status check_ops(const struct gsim_plugin_kind *kind, const void *ops, struct gsim_error *error)
{
    const struct gsim_plugin_head *head = ops;
    if (!ops) return gsim_error_set(error, GSIM_INPUT, "expected a symbol \"%s\", found none", kind->symbol);
    if (gsim_abi_check(kind->symbol, head->abi, head->size, kind->size, error)) return GSIM_INPUT;
    if (!head->name || !head->name[0])
        return gsim_error_set(error, GSIM_INPUT, "%s.name: expected a name, found none", kind->symbol);
    const char *lacks = kind->lacks(ops);
    if (lacks) return gsim_error_set(error, GSIM_INPUT, "%s.%s: expected a function, found NULL", kind->symbol, lacks);
    const struct gsim_param *params;
    size_t size;
    memcpy(&params, (const char *)ops + kind->params, sizeof params);
    memcpy(&size, (const char *)ops + kind->params_size, sizeof size);
    if (!params || size) return GSIM_OK;
    return gsim_error_set(error, GSIM_INPUT, "%s.params_size: expected the size of the parameter struct, found 0",
                          kind->symbol);
}

static enum gsim_status load_shared(const struct gsim_plugin_kind *kind, const char *path, const void **ops,
                                    struct gsim_error *error)
{
    void *object;
    struct gsim_error other = {0};
    /* Code runs only where somebody wrote down where it lies: a name could be a file that came with a trace, and
     * dlopen() would search the library path for it. */
    if (!strchr(path, '/'))
        return gsim_error_set(error, GSIM_USAGE,
                              "cannot load %s '%s': a shared object is loaded by a path with a slash: './%s'",
                              kind->what, path, path);
    if (open_object(path, &object, error)) return gsim_error_prefix(error, "cannot load %s '%s'", kind->what, path);
    const void *found = dlsym(object, kind->symbol);
    if (check_ops(kind, found, &other)) {
        dlclose(object);
        return gsim_error_set(error, GSIM_INPUT, "cannot load %s '%s': %s", kind->what, path, other.message);
    }
    *ops = found;
    return GSIM_OK;
}

const void *gsim_plugin_find(const struct gsim_plugin_kind *kind, const char *name)
{
    for (uint32_t i = 0; i < kind->count; i++)
        if (strcmp(((const struct gsim_plugin_head *)kind->table[i])->name, name) == 0) return kind->table[i];
    return NULL;
}

const void *gsim_plugin_at(const struct gsim_plugin_kind *kind, uint32_t index)
{
    return index < kind->count ? kind->table[index] : NULL;
}

enum gsim_status gsim_plugin_load(const struct gsim_plugin_kind *kind, const char *name_or_path, const void **ops,
                                  struct gsim_error *error)
{
    char names[256] = "";
    struct gsim_nearest nearest;
    size_t used = 0;
    if (strchr(name_or_path, '/') || gsim_text_ends_with(name_or_path, ".so"))
        return load_shared(kind, name_or_path, ops, error);
    const void *found = gsim_plugin_find(kind, name_or_path);
    if (found) {
        *ops = found;
        return GSIM_OK;
    }
    gsim_nearest_init(&nearest, name_or_path);
    for (uint32_t i = 0; i < kind->count && used < sizeof names; i++) {
        const struct gsim_plugin_head *head = kind->table[i];
        gsim_nearest_offer(&nearest, head->name);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", head->name);
    }
    return gsim_error_set(error, GSIM_USAGE, "unknown %s '%.100s': expected one of %s, or the path of a .so file%s",
                          kind->what, name_or_path, names, gsim_nearest_text(&nearest));
}
