/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For LD_PRELOAD: allocation number $FAIL_NTH of the process fails, once, whichever library makes it. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long made, fails_at = -1;

__attribute__((constructor)) static void begin(void)
{
    const char *nth = getenv("FAIL_NTH");
    atomic_store(&made, 0);
    atomic_store(&fails_at, nth ? atol(nth) : 0);
}

static int must_fail(void)
{
    if (atomic_fetch_add(&made, 1) + 1 != atomic_load(&fails_at)) return 0;
    errno = ENOMEM;
    return 1;
}

__attribute__((visibility("default"))) void *malloc(size_t size) { return must_fail() ? NULL : __libc_malloc(size); }
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : __libc_calloc(count, size);
}
__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    return must_fail() ? NULL : __libc_realloc(old, size);
}
