/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The allocator's fail-the-nth mode fails exactly the nth allocation; the arena hands out zeroed, aligned,
 * separate memory and remembers a failure; growing arrays keep their content and survive a failure.
 */
#include "tests/test.h"

#include "gpusim/memory.h"

static int all_zero(const unsigned char *memory, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (memory[i]) return 0;
    return 1;
}

static void test_alloc(void)
{
    unsigned char *memory = gsim_alloc(1000);
    CHECK(memory && all_zero(memory, 1000));
    memset(memory, 7, 1000);
    memory = gsim_realloc(memory, 100000);
    CHECK(memory && memory[0] == 7 && memory[999] == 7);
    gsim_free(memory);
    void *empty = gsim_alloc(0);
    CHECK(empty != NULL);
    gsim_free(empty);
    gsim_free(NULL);
}

static void test_fail_nth(void)
{
    for (uint64_t nth = 1; nth <= 4; nth++) {
        gsim_alloc_fail_nth(nth);
        for (uint64_t i = 1; i <= 6; i++) {
            void *memory = i % 2 ? gsim_alloc(8) : gsim_realloc(NULL, 8);
            CHECK_INT(memory == NULL, i == nth);
            gsim_free(memory);
        }
        CHECK_INT(gsim_alloc_fail_nth(0), 6);
    }
    CHECK_INT(gsim_alloc_fail_nth(0), 0);
}

static void test_realloc_keeps_old(void)
{
    char *old = gsim_alloc(4);
    memcpy(old, "abc", 4);
    gsim_alloc_fail_nth(1);
    CHECK(gsim_realloc(old, 1000) == NULL);
    gsim_alloc_fail_nth(0);
    CHECK_STR(old, "abc");
    gsim_free(old);
}

/* Objects of all sizes, each filled with its own pattern; at the end every pattern must be intact. */
static void test_arena(void)
{
    enum { COUNT = 3000 };
    static unsigned char *objects[COUNT];
    static size_t sizes[COUNT];
    struct gsim_arena arena = {0};
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = i % 100 == 99 ? 50000 : i % 37;
        objects[i] = gsim_arena_alloc(&arena, sizes[i]);
        CHECK(objects[i] && (uintptr_t)objects[i] % _Alignof(max_align_t) == 0 && all_zero(objects[i], sizes[i]));
        memset(objects[i], (int)(i % 251) + 1, sizes[i]);
    }
    size_t wrong = 0, wanted = 0;
    for (size_t i = 0; i < COUNT; i++) {
        wanted += sizes[i];
        for (size_t j = 0; j < sizes[i]; j++) wrong += objects[i][j] != i % 251 + 1;
    }
    CHECK_INT(wrong, 0);
    CHECK(arena.used_bytes >= wanted && arena.used_bytes < wanted + COUNT * 16);
    CHECK_INT(arena.failed, 0);
    gsim_arena_release(&arena);
    CHECK(arena.chunks == NULL && arena.used_bytes == 0);
    gsim_arena_release(&arena);
    gsim_arena_release(NULL);
}

static void test_arena_text(void)
{
    struct gsim_arena arena = {0};
    CHECK_STR(gsim_arena_strdup(&arena, "kernel"), "kernel");
    CHECK_STR(gsim_arena_strdup(&arena, ""), "");
    CHECK_STR(gsim_arena_printf(&arena, "%s[%d]", "ops", 3), "ops[3]");
    char *wide = gsim_arena_printf(&arena, "%70000d", 1);
    CHECK(wide && strlen(wide) == 70000);
    gsim_arena_release(&arena);
}

static void test_arena_adopts(void)
{
    struct gsim_arena arena = {0};
    char *list = gsim_realloc(gsim_alloc(16), 4096), *other = gsim_alloc(8);
    CHECK_INT(gsim_arena_adopt(&arena, list, 4096), 0);
    CHECK(arena.used_bytes >= 4096);
    gsim_arena_release(&arena); /* the list too: sanitizers see it if not */
    gsim_alloc_fail_nth(1);
    CHECK(gsim_arena_adopt(&arena, other, 8) != 0);
    gsim_alloc_fail_nth(0);
    gsim_free(other);
    gsim_arena_release(&arena);
}

static void test_arena_failure_stays(void)
{
    struct gsim_arena arena = {0};
    gsim_alloc_fail_nth(1);
    CHECK(gsim_arena_alloc(&arena, 8) == NULL);
    gsim_alloc_fail_nth(0);
    CHECK_INT(arena.failed, 1);
    CHECK(gsim_arena_alloc(&arena, 8) != NULL);
    CHECK_INT(arena.failed, 1);
    CHECK(gsim_arena_alloc(&arena, SIZE_MAX) == NULL);
    CHECK(gsim_arena_alloc(&arena, SIZE_MAX / 2) == NULL);
    gsim_arena_release(&arena);
    CHECK_INT(arena.failed, 0);
}

static void test_array_grow(void)
{
    void *array = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        CHECK_INT(gsim_array_grow(&array, sizeof(int), (size_t)i, &capacity), 0);
        CHECK(capacity > (size_t)i);
        ((int *)array)[i] = i;
    }
    int wrong = 0;
    for (int i = 0; i < 1000; i++) wrong += ((int *)array)[i] != i;
    CHECK_INT(wrong, 0);

    void *before = array;
    const size_t full = capacity;
    gsim_alloc_fail_nth(1);
    CHECK(gsim_array_grow(&array, sizeof(int), full, &capacity) != 0);
    gsim_alloc_fail_nth(0);
    CHECK(array == before && capacity == full);
    CHECK(gsim_array_grow(&array, sizeof(int), SIZE_MAX - 1, &capacity) != 0);
    CHECK(array == before && capacity == full);
    gsim_free(array);
}

static const struct test_case cases[] = {
    {"alloc", test_alloc},
    {"the nth allocation fails, once", test_fail_nth},
    {"a failed realloc keeps the old memory", test_realloc_keeps_old},
    {"arena objects are zeroed, aligned, apart", test_arena},
    {"arena text", test_arena_text},
    {"an arena adopts", test_arena_adopts},
    {"an arena remembers its failure", test_arena_failure_stays},
    {"arrays grow", test_array_grow},
};
TEST_MAIN("sim/memory", cases)
