/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/plan.h. */
#include "sweep/plan.h"

#include "sim/base/slots.h"

/* --- a set of keys ---------------------------------------------------------------------------------------------- */
struct key {
    uint64_t high, low;
    bool is_done; /* from the results file; else met in this plan */
};

struct keys {
    struct key *list;
    size_t room;
    struct gsim_slots slots;
};

static struct key parse_key(const char *text)
{
    char half[17];
    struct key key = {0};
    if (strlen(text) != GSIM_KEY_SIZE - 1) return key;
    memcpy(half, text, 16);
    half[16] = '\0';
    key.high = strtoull(half, NULL, 16);
    key.low = strtoull(text + 16, NULL, 16);
    return key;
}

static bool is_key(const void *list, uint32_t index, const void *wanted)
{
    const struct key *a = (const struct key *)list + index, *b = wanted;
    return a->high == b->high && a->low == b->low;
}

/* The key's entry. *IS_NEW: it was not there. */
static struct key *put_key(struct keys *keys, const char *text, bool *is_new)
{
    struct key key = parse_key(text);
    uint32_t found = gsim_slots_find(&keys->slots, key.low, is_key, keys->list, &key), count = keys->slots.count;
    *is_new = found == GSIM_SLOT_NONE;
    if (!*is_new) return &keys->list[found];
    gsim_array_grow(&keys->list, sizeof key, count, &keys->room);
    (void)gsim_slots_add(&keys->slots, key.low, count);
    keys->list[count] = key;
    return &keys->list[count];
}

/* --- the plan --------------------------------------------------------------------------------------------------- */
struct reading {
    struct keys *keys;
    bool retry;
};

static enum gsim_status note_done(void *data, const char *key, const char *status)
{
    struct reading *reading = data;
    bool is_new;
    if (!key || !status || (reading->retry && strcmp(status, "ok") != 0)) return GSIM_OK;
    put_key(reading->keys, key, &is_new)->is_done = true;
    return GSIM_OK;
}

static void add_item(struct gsim_sweep_plan *plan, uint64_t item)
{
    size_t capacity = (size_t)plan->capacity;
    gsim_array_grow(&plan->items, sizeof(item), (size_t)plan->count, &capacity);
    plan->capacity = capacity;
    plan->items[plan->count++] = item;
}

static void consider(struct gsim_sweep_plan *plan, const struct gsim_plan_config *config, struct keys *keys,
                     uint64_t item, uint64_t *met)
{
    char text[GSIM_KEY_SIZE];
    bool is_new;
    config->key(config->data, item, text);
    struct key *entry = put_key(keys, text, &is_new);
    bool is_done = entry->is_done;
    entry->is_done = false; /* a second time it is a repetition */
    if (!is_new && !is_done) {
        plan->repeated++;
        return;
    }
    /* The share of a shard must not depend on what is done. */
    if (config->shard_count > 1 && (*met)++ % config->shard_count != config->shard_index) {
        plan->other_shards++;
        return;
    }
    if (is_done) plan->done++;
    if (!is_done) add_item(plan, item);
}

enum gsim_status gsim_plan_make(struct gsim_sweep_plan *plan, const struct gsim_plan_config *config,
                                struct gsim_store *store, bool retry, struct gsim_error *error)
{
    const struct gsim_spec *spec = config->spec;
    struct keys keys = {0};
    struct reading reading = {&keys, retry};
    uint32_t repeat;
    uint64_t met = 0;
    *plan = (struct gsim_sweep_plan){0};
    struct gsim_setting *settings = gsim_alloc((spec->axis_count + 1) * sizeof(*settings));
    enum gsim_status status = GSIM_OK;
    if (status == GSIM_OK && store) status = gsim_store_each_key(store, note_done, &reading, error);
    for (uint64_t item = 0; item < spec->total && status == GSIM_OK; item++) {
        gsim_spec_point(spec, item, settings, &repeat);
        if (gsim_spec_holds(spec, settings, repeat)) consider(plan, config, &keys, item, &met);
        else plan->left_out++;
    }
    gsim_free(settings);
    gsim_free(keys.list);
    gsim_slots_release(&keys.slots);
    plan->wanted = plan->count + plan->done;
    if (status != GSIM_OK) gsim_plan_release(plan);
    return status;
}

void gsim_plan_release(struct gsim_sweep_plan *plan)
{
    gsim_free(plan->items);
    *plan = (struct gsim_sweep_plan){0};
}
