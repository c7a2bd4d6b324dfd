/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries are found by their hash, also where hashes are alike, before and after the table has grown. */
#include "tests/test.h"

#include "sim/base/slots.h"

#define COUNT 1000u

static bool is_number(const void *list, uint32_t index, const void *key)
{
    return ((const uint64_t *)list)[index] == *(const uint64_t *)key;
}

static void find_all(uint64_t (*hash)(uint64_t), bool is_reserved)
{
    struct gsim_slots slots = {0};
    uint64_t list[COUNT] = {0};
    uint32_t size = 0;
    CHECK_INT(gsim_slots_find(&slots, 1, is_number, list, &(uint64_t){1}), GSIM_SLOT_NONE);
    if (is_reserved) CHECK(gsim_slots_reserve(&slots, COUNT));
    size = slots.size;
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = (uint64_t)i << 33 | i * 7u;
        CHECK_INT(gsim_slots_find(&slots, hash(list[i]), is_number, list, &list[i]), GSIM_SLOT_NONE);
        CHECK(gsim_slots_add(&slots, hash(list[i]), i));
        CHECK(slots.count == i + 1 && slots.size >= 2 * slots.count && !(slots.size & (slots.size - 1)));
    }
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK_INT(gsim_slots_find(&slots, hash(list[i]), is_number, list, &list[i]), i);
    if (is_reserved) CHECK_INT(slots.size, size);
    gsim_slots_release(&slots);
    CHECK(!slots.slots && !slots.count && !slots.size);
}

static uint64_t own(uint64_t number) { return number; }
static uint64_t one(uint64_t number) { return number & 1; } /* long runs of the same hash */

static void finds(void)
{
    find_all(own, false);
    find_all(own, true);
    find_all(one, false);
}

static void too_many(void)
{
    struct gsim_slots slots = {0};
    CHECK(!gsim_slots_reserve(&slots, UINT32_MAX));
    CHECK(!slots.slots && !slots.size);
}

static const struct test_case cases[] = {
    {"entries are found", finds},
    {"too many", too_many},
};
TEST_MAIN("sim/slots", cases)
