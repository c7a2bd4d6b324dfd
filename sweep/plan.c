/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sweep/plan.h. */
#include "sweep/plan.h"

/* --- a set of keys ---------------------------------------------------------------------------------------------- */
struct key {
    uint64_t high, low; /* both 0: free */
    bool is_done;       /* from the results file; else met in this plan */
};

struct keys {
    struct key *slots;
    size_t count, capacity; /* a power of two */
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

static struct key *find_slot(const struct keys *keys, const struct key *key)
{
    size_t at = (size_t)key->low & (keys->capacity - 1);
    while ((keys->slots[at].high || keys->slots[at].low) &&
           (keys->slots[at].high != key->high || keys->slots[at].low != key->low))
        at = (at + 1) & (keys->capacity - 1);
    return &keys->slots[at];
}

static bool grow(struct keys *keys)
{
    struct keys larger = {.capacity = keys->capacity ? 2 * keys->capacity : 1024, .count = keys->count};
    larger.slots = gsim_alloc(larger.capacity * sizeof(*larger.slots));
    if (!larger.slots) return false;
    for (size_t i = 0; i < keys->capacity; i++)
        if (keys->slots[i].high || keys->slots[i].low) *find_slot(&larger, &keys->slots[i]) = keys->slots[i];
    gsim_free(keys->slots);
    *keys = larger;
    return true;
}

/* The key's slot; NULL when memory is out. *IS_NEW: it was not there. */
static struct key *put_key(struct keys *keys, const char *text, bool *is_new)
{
    struct key key = parse_key(text);
    if (2 * keys->count >= keys->capacity && !grow(keys)) return NULL;
    struct key *slot = find_slot(keys, &key);
    *is_new = !slot->high && !slot->low;
    if (*is_new) {
        *slot = key;
        keys->count++;
    }
    return slot;
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
    struct key *slot = put_key(reading->keys, key, &is_new);
    if (!slot) return GSIM_NOMEM;
    slot->is_done = true;
    return GSIM_OK;
}

static enum gsim_status add_item(struct gsim_sweep_plan *plan, uint64_t item, struct gsim_error *error)
{
    size_t capacity = (size_t)plan->capacity;
    if (gsim_array_grow(&plan->items, sizeof(item), (size_t)plan->count, &capacity))
        return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    plan->capacity = capacity;
    plan->items[plan->count++] = item;
    return GSIM_OK;
}

static enum gsim_status consider(struct gsim_sweep_plan *plan, const struct gsim_plan_config *config, struct keys *keys,
                                 uint64_t item, uint64_t *met, struct gsim_error *error)
{
    char text[GSIM_KEY_SIZE];
    bool is_new;
    enum gsim_status status = config->key(config->data, item, text, error);
    if (status != GSIM_OK) return status;
    struct key *slot = put_key(keys, text, &is_new);
    if (!slot) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    bool is_done = slot->is_done;
    slot->is_done = false; /* a second time it is a repetition */
    if (!is_new && !is_done) {
        plan->repeated++;
        return GSIM_OK;
    }
    /* The share of a shard must not depend on what is done. */
    if (config->shard_count > 1 && (*met)++ % config->shard_count != config->shard_index) {
        plan->other_shards++;
        return GSIM_OK;
    }
    if (is_done) plan->done++;
    return is_done ? GSIM_OK : add_item(plan, item, error);
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
    enum gsim_status status = settings ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status == GSIM_OK && store) status = gsim_store_each_key(store, note_done, &reading, error);
    for (uint64_t item = 0; item < spec->total && status == GSIM_OK; item++) {
        gsim_spec_point(spec, item, settings, &repeat);
        if (gsim_spec_holds(spec, settings, repeat)) status = consider(plan, config, &keys, item, &met, error);
        else plan->left_out++;
    }
    gsim_free(settings);
    gsim_free(keys.slots);
    plan->wanted = plan->count + plan->done;
    if (status == GSIM_NOMEM && error && !error->status) gsim_error_set(error, GSIM_NOMEM, "out of memory");
    if (status != GSIM_OK) gsim_plan_release(plan);
    return status;
}

void gsim_plan_release(struct gsim_sweep_plan *plan)
{
    gsim_free(plan->items);
    *plan = (struct gsim_sweep_plan){0};
}
