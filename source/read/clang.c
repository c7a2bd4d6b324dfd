/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See source/read/clang.h. */
#include "source/read/clang.h"

#include <dlfcn.h>
#include <string.h>

enum gsim_status gsim_clang_load(struct gsim_clang *clang, struct gsim_error *error)
{
    static const char *const files[] = {GPUSIM_LIBCLANG_NAME, GPUSIM_LIBCLANG_FILE, "libclang.so.1", "libclang.so"};
    static const char *const names[] = {
#define NAME(name) "clang_" #name,
        GSIM_CLANG_MAP(NAME)
#undef NAME
    };
    void *library = NULL;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && !library; i++)
        library = dlopen(files[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return gsim_error_set(error, GSIM_INPUT,
                              "CUDA sources are read by libclang, which is not installed (Debian: libclang-dev)");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = dlsym(library, names[i]);
        if (!function)
            return gsim_error_set(error, GSIM_INPUT, "libclang has no %s: expected version 14 or later", names[i]);
        memcpy((char *)clang + i * sizeof function, &function, sizeof function);
    }
    return GSIM_OK;
}
