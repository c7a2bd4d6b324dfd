/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/replica.h. Requests that wait or run stand in a pool; those that are done are in the result alone. */
#include "serving/replica.h"

#include <math.h>

#define NONE UINT32_MAX

static double now_of(const struct gsim_replica *s) { return s->machine->ops->now_us(s->machine); }

static bool is_fully_computed(const struct gsim_entry *e) { return e->s.computed >= e->s.prompt; }

/* --- pool and queue --- */

static void out_of_memory(struct gsim_replica *s)
{
    s->failed = true;
    gsim_no_memory(s->error);
}

static uint32_t allocate_entry(struct gsim_replica *s)
{
    if (s->unused.count) return gsim_waiting_take(&s->unused);
    if (s->pool_count == s->pool_room &&
        gsim_array_grow(&s->pool, sizeof *s->pool, s->pool_count, &s->pool_room))
        return NONE;
    if (s->pool_count == s->seen_room &&
        gsim_array_grow(&s->seen, sizeof *s->seen, s->pool_count, &s->seen_room))
        return NONE;
    return (uint32_t)s->pool_count++;
}

static void put_waiting(struct gsim_replica *s, uint32_t index, bool in_front)
{
    if (!gsim_waiting_put(&s->waiting, index, in_front)) out_of_memory(s);
}

void gsim_replica_take(struct gsim_replica *s, const struct gsim_served_arrival *arrival, uint64_t number)
{
    uint32_t index = allocate_entry(s);
    if (index == NONE) {
        out_of_memory(s);
        return;
    }
    s->pool[index] = (struct gsim_entry){
        .s = {.arrival_us = arrival->arrival_us, .prompt = arrival->prompt, .output = arrival->output, .slot = NONE},
        .number = number,
        .total = arrival->output,
        .block_count = s->prefix ? arrival->block_count : 0,
        .names = s->prefix ? s->spec->arrivals.blocks + arrival->first_block : NULL};
    s->requests++;
    s->todo += arrival->prompt;
    put_waiting(s, index, false);
}

/* --- the cache --- */

static bool fits(const struct gsim_replica *s, const struct gsim_entry *e, double tokens)
{
    return gsim_blocks_fit(&s->cache, e->blocks, tokens);
}

/* OWNER: whose what is given back stays, of COMPUTED tokens; GSIM_BLOCKS_NOBODY: nobody's. */
static void keep(struct gsim_replica *s, struct gsim_entry *e, double tokens, uint64_t owner, double computed)
{
    if (!gsim_blocks_hold(&s->cache, now_of(s), &e->blocks, tokens, owner, computed)) out_of_memory(s);
}

static void hold(struct gsim_replica *s, struct gsim_entry *e, double tokens)
{
    keep(s, e, tokens, GSIM_BLOCKS_NOBODY, 0);
}

/* Between the GPU and its host, or the other GPU. */
static double move_us(const struct gsim_replica *s, double tokens, double gbps)
{
    return gbps > 0 ? tokens * s->spec->cache.bytes_per_token / (gbps * 1e3) : 0;
}

static void preempt(struct gsim_replica *s, uint32_t index)
{
    struct gsim_entry *e = &s->pool[index];
    s->slots[e->s.slot] = NONE;
    e->s.slot = NONE;
    s->result->preemptions++;
    e->is_swapped = s->spec->cache.swaps;
    if (e->is_swapped) {
        s->machine->ops->work(s->machine, move_us(s, e->s.prompt + e->s.produced, s->given->device->d2h_gbps));
        hold(s, e, 0);
    } else { /* what it has produced is part of what is computed again */
        e->s.prompt += e->s.produced;
        e->s.output -= e->s.produced;
        e->s.produced = e->s.computed = 0;
        s->todo += e->s.prompt;
        keep(s, e, 0, s->spec->cache.forgets ? GSIM_BLOCKS_NOBODY : e->number, e->s.prompt - 1.0);
    }
    put_waiting(s, index, true);
}

/* --- tokens and ends --- */

/* What ends at US counts until then. */
static void note_late(struct gsim_replica *s, double us, uint64_t requests, double tokens)
{
    bool is_new = us > s->late_us;
    s->late_us = us;
    s->late_requests = requests + (is_new ? 0 : s->late_requests);
    s->late_tokens = tokens + (is_new ? 0 : s->late_tokens);
}

static void finish(struct gsim_replica *s, uint32_t index)
{
    struct gsim_entry *e = &s->pool[index];
    struct gsim_serving_result *r = s->result;
    double ttft = e->first_us - e->s.arrival_us, e2e = e->last_us - e->s.arrival_us;
    gsim_quantiles_add(&r->figures[GSIM_SERVED_TTFT], ttft);
    gsim_quantiles_add(&r->figures[GSIM_SERVED_E2E], e2e);
    double tpot = e->total > 1 ? (e->last_us - e->first_us) / (e->total - 1) : 0;
    if (e->total > 1) gsim_quantiles_add(&r->figures[GSIM_SERVED_TPOT], tpot);
    r->good += (!(s->spec->ttft_limit_us > 0) || ttft <= s->spec->ttft_limit_us) &&
               (!(s->spec->tpot_limit_us > 0) || tpot <= s->spec->tpot_limit_us);
    if (s->given->keeps) {
        r->ends[e->number][0] = ttft;
        r->ends[e->number][1] = e2e;
    }
    r->requests++;
    s->requests--;
    note_late(s, e->last_us, 1, 0);
    r->last_us = fmax(r->last_us, e->last_us);
    hold(s, e, 0);
    if (e->s.slot != NONE) s->slots[e->s.slot] = NONE;
    if (!gsim_waiting_put(&s->unused, index, true)) out_of_memory(s);
    if (s->given->progress) s->given->progress(s->given->progress_context, r->requests, s->spec->arrivals.count);
}

static void bring_tokens(struct gsim_replica *s, uint32_t index, uint32_t tokens, double at_us)
{
    struct gsim_entry *e = &s->pool[index];
    uint32_t left = e->s.output - e->s.produced;
    if (tokens > left) tokens = left;
    if (e->first_us > 0 && tokens) gsim_quantiles_add(&s->result->figures[GSIM_SERVED_ITL], at_us - e->last_us);
    if (!(e->first_us > 0)) e->first_us = at_us;
    e->last_us = at_us;
    e->s.produced += tokens;
    s->result->tokens += tokens;
    if (e->s.produced >= e->s.output) finish(s, index);
}

static void prefilled(struct gsim_replica *s, uint32_t index, uint32_t tokens, double at_us)
{
    struct gsim_entry *e = &s->pool[index];
    e->s.computed += tokens;
    s->todo -= tokens;
    note_late(s, at_us, 0, tokens);
    s->result->prompt_tokens += tokens;
    if (!is_fully_computed(e)) return;
    double room = s->cache.all > 0 ? (s->cache.all - s->cache.used) * s->cache.size : INFINITY;
    if (e->block_count && !gsim_prefix_keep(s->prefix, e->names, e->block_count, room / GSIM_PREFIX_BLOCK))
        out_of_memory(s);
    double link = s->spec->link_gbps > 0 ? s->spec->link_gbps : s->given->device->peer_gbps;
    if (s->given->policy->separate) /* one cache after the other */
        e->ready_us = s->link_free_us = fmax(at_us, s->link_free_us) + move_us(s, e->s.prompt, link);
    bring_tokens(s, index, 1, at_us);
}

/* --- what the policy sees --- */

static bool decodes(const struct gsim_replica *s, uint32_t slot, double now)
{
    uint32_t index = s->slots[slot];
    return index != NONE && index != s->flight && is_fully_computed(&s->pool[index]) && s->pool[index].ready_us <= now;
}

static struct gsim_batch_view make_view(struct gsim_replica *s)
{
    double now = now_of(s);
    struct gsim_batch_view v = {.now_us = now,
                                .slots = s->spec->slots,
                                .requests = s->seen,
                                .waiting = NONE,
                                .filling = NONE,
                                .waiting_count = (uint32_t)s->waiting.count,
                                .prefill_running = s->flight != NONE,
                                .is_mixed = s->spec->profile != NULL,
                                .decodes_since = s->decodes_since};
    for (uint32_t i = 0; i < s->spec->slots; i++) {
        uint32_t index = s->slots[i];
        if (index == NONE) v.free_slots++;
        else if (decodes(s, i, now)) v.decoding_count++, v.highest = i + 1;
        else if (index != s->flight && !is_fully_computed(&s->pool[index]) && v.filling == NONE) v.filling = index;
        if (index != NONE) s->seen[index] = s->pool[index].s;
    }
    if (s->waiting.count) {
        uint32_t first = *gsim_waiting_at(&s->waiting, 0);
        const struct gsim_entry *e = &s->pool[first];
        if (fits(s, e, e->s.prompt + e->s.produced + 1.0)) v.waiting = first;
        s->seen[first] = s->pool[first].s;
    }
    return v;
}

/* --- steps --- */

static void note_step(struct gsim_replica *s, enum gsim_batch_kind kind, uint32_t bucket, double start, double end)
{
    struct gsim_serving_result *r = s->result;
    r->steps[kind]++;
    if (!s->given->keeps) return;
    if (r->log_count == r->log_room && gsim_array_grow(&r->log, sizeof *r->log, r->log_count, &r->log_room)) {
        out_of_memory(s);
        return;
    }
    r->log[r->log_count++] = (struct gsim_serving_log){kind, bucket, start, end};
}

/* A step of the prompts' pieces and of DECODES requests that decode. */
static struct gsim_serving_launch mixed_of(const struct gsim_replica *s, uint32_t decodes_count)
{
    double context = 0, now = now_of(s);
    for (uint32_t i = 0; i < s->piece_count; i++)
        s->chunks[i] = (struct gsim_chunk){s->pieces[i].tokens, s->pool[s->pieces[i].index].s.computed};
    for (uint32_t i = 0; i < s->spec->slots && decodes_count; i++)
        if (decodes(s, i, now)) context += (double)s->pool[s->slots[i]].s.prompt + s->pool[s->slots[i]].s.produced;
    const struct gsim_step_shape shape = {.chunks = s->chunks,
                                          .chunk_count = s->piece_count,
                                          .decodes = decodes_count,
                                          .context = decodes_count ? context / decodes_count : 0};
    return (struct gsim_serving_launch){.us = gsim_profile_us(s->spec->profile, &shape)};
}

static uint32_t bucket_size(const struct gsim_replica *s, struct gsim_serving_launch l)
{
    uint32_t tokens = 0;
    for (uint32_t i = 0; i < s->piece_count; i++) tokens += s->pieces[i].tokens;
    if (s->spec->profile) return tokens;
    return s->spec->steps[l.weight > 0 ? l.upper : l.index].bucket;
}

/* Gives the request a slot where it has none. */
static void admit(struct gsim_replica *s, uint32_t index)
{
    struct gsim_entry *e = &s->pool[index];
    uint32_t slot = 0;
    if (e->s.slot != NONE) return;
    GSIM_INVARIANT(s->waiting.count && *gsim_waiting_at(&s->waiting, 0) == index);
    gsim_waiting_take(&s->waiting);
    while (s->slots[slot] != NONE) slot++;
    s->slots[slot] = index;
    e->s.slot = slot;
    if (e->has_begun && !e->is_swapped) {
        /* What was computed before its preemption, and is still there, is not computed again, but for its last token.
         */
        double kept = gsim_blocks_back(&s->cache, now_of(s), &e->blocks, e->number);
        e->s.computed = gsim_whole_u32(fmin(kept, floor((e->s.prompt - 1) / s->cache.size) * s->cache.size));
        s->todo -= e->s.computed;
    }
    hold(s, e, e->s.prompt + e->s.produced + 1.0);
    /* What its prompt has in common with earlier ones need not be computed, but for its last token. */
    if (e->block_count && !e->s.computed) {
        uint64_t kept = (uint64_t)gsim_prefix_find(s->prefix, e->names, e->block_count, true) * GSIM_PREFIX_BLOCK;
        e->s.computed = kept < e->s.prompt ? (uint32_t)kept : e->s.prompt - 1;
        s->todo -= e->s.computed;
        s->result->named_tokens += e->s.prompt;
        s->result->kept_tokens += e->s.computed;
    }
    if (!e->has_begun) gsim_quantiles_add(&s->result->figures[GSIM_SERVED_QUEUE], now_of(s) - e->s.arrival_us);
    e->has_begun = true;
}

/* The launch of a prefill, of at most the largest bucket: what is left of a longer prompt follows. */
static struct gsim_serving_launch add_prefill(struct gsim_replica *s, uint32_t index, uint32_t asked)
{
    const struct gsim_entry *e = &s->pool[index];
    uint32_t left = e->s.prompt - e->s.computed, most = gsim_serving_largest(s->spec, GSIM_STEP_PREFILL);
    if (asked && asked < most) most = asked;
    if (left > most) left = most;
    s->pieces[s->piece_count++] = (struct piece){index, left};
    return s->spec->profile ? mixed_of(s, 0) : gsim_serving_bucket(s->spec, GSIM_STEP_PREFILL, left);
}

static void end_flight(struct gsim_replica *s)
{
    double now = now_of(s);
    uint32_t index = s->flight;
    s->flight = NONE;
    note_step(s, GSIM_STEP_PREFILL, s->flight_bucket, s->flight_start, now);
    prefilled(s, index, s->flight_tokens, now);
}

/* The round's one piece of a prompt. */
static void begin_flight(struct gsim_replica *s, uint32_t index, struct gsim_serving_launch l)
{
    s->flight = index;
    s->flight_start = now_of(s);
    s->flight_bucket = bucket_size(s, l);
    s->flight_tokens = s->pieces[--s->piece_count].tokens;
    s->decodes_since = 0;
    s->machine->ops->work(s->machine, s->spec->host.request_us);
    s->machine->ops->begin(s->machine, l);
}

/* Room in the cache for the next tokens of all that decode: the youngest give way. */
static void make_room(struct gsim_replica *s)
{
    for (uint32_t i = 0; i < s->spec->slots && s->spec->cache.tokens > 0; i++) {
        while (decodes(s, i, now_of(s))) {
            struct gsim_entry *e = &s->pool[s->slots[i]];
            double wanted = e->s.prompt + e->s.produced + 1.0;
            uint32_t youngest = s->slots[i];
            if (fits(s, e, wanted)) {
                hold(s, e, wanted);
                break;
            }
            for (uint32_t k = 0; k < s->spec->slots; k++)
                if (decodes(s, k, now_of(s)) && s->pool[s->slots[k]].number > s->pool[youngest].number)
                    youngest = s->slots[k];
            preempt(s, youngest);
        }
    }
}

struct round {
    struct gsim_serving_launch launches[GSIM_LAUNCH_MAX];
    uint32_t count;
    uint32_t decoding;
};

static void add_decodes(struct gsim_replica *s, const struct gsim_batch_step *step, const struct gsim_batch_view *view,
                        struct round *r)
{
    r->decoding = view->decoding_count;
    if (s->spec->profile) {
        r->count = 1;
        r->launches[0] = mixed_of(s, r->decoding);
        return;
    }
    uint32_t groups = step->launch_count < 1                     ? 1
                      : step->launch_count < GSIM_BATCH_LAUNCHES ? step->launch_count
                                                                 : GSIM_BATCH_LAUNCHES;
    for (uint32_t g = 0; g < groups; g++) {
        enum gsim_batch_kind kind = step->launch_count ? step->launches[g].kind : GSIM_STEP_DECODE;
        uint32_t times = step->launch_count ? step->launches[g].count : 1;
        struct gsim_serving_launch l = gsim_serving_bucket(s->spec, kind, view->highest);
        for (uint32_t i = 0; i < times && r->count < GSIM_LAUNCH_MAX; i++) r->launches[r->count++] = l;
    }
}

static enum gsim_batch_kind kind_of(const struct gsim_replica *s, const struct round *r, uint32_t launch)
{
    if (!s->spec->profile) return s->spec->steps[r->launches[launch].index].kind;
    return !r->decoding ? GSIM_STEP_PREFILL : s->piece_count ? GSIM_STEP_MIXED : GSIM_STEP_DECODE;
}

static void run_round(struct gsim_replica *s, const struct round *r)
{
    bool is_beside = s->flight != NONE;
    bool was_decoding[GSIM_SERVING_SLOTS];
    for (uint32_t i = 0; i < s->spec->slots; i++) was_decoding[i] = r->decoding && decodes(s, i, now_of(s));
    uint32_t requests = r->decoding + s->piece_count;
    s->machine->ops->work(s->machine, s->spec->host.request_us * requests);
    double start = now_of(s);
    s->machine->ops->run(s->machine, r->launches, r->count);
    s->machine->ops->work(
        s->machine, gsim_serving_host_noise_us(&s->spec->host, &s->stall, s->given->noise, start, now_of(s) - start));
    double end = now_of(s);
    /* A round of several steps counts for each by its time alone. */
    double took = end - start;
    double weights[GSIM_LAUNCH_MAX] = {0}, sum = 0;
    if (is_beside) s->result->both_us += took;
    for (uint32_t i = 0; i < r->count && !is_beside; i++)
        sum += weights[i] = r->count > 1 ? s->machine->ops->weight_us(s->machine, r->launches[i].index) : 1;
    for (uint32_t i = 0; i < r->count && !is_beside; i++) {
        s->result->step_us[kind_of(s, r, i)] += took * (sum > 0 ? weights[i] / sum : 1.0 / r->count);
    }
    for (uint32_t i = 0; i < r->count; i++)
        note_step(s, kind_of(s, r, i), bucket_size(s, r->launches[i]) + (s->spec->profile ? r->decoding : 0), start,
                  end);
    for (uint32_t i = 0; i < s->piece_count; i++) prefilled(s, s->pieces[i].index, s->pieces[i].tokens, end);
    if (!r->decoding) return;
    s->decodes_since++;
    for (uint32_t i = 0; i < s->spec->slots && !s->failed; i++)
        if (was_decoding[i] && s->slots[i] != NONE)
            bring_tokens(
                s, s->slots[i],
                s->given->policy->tokens ? s->given->policy->tokens(s->state, s->given->params, s->given->numbers) : 1,
                end);
}

/* A request whose cache lies in the host's memory comes back. */
static bool swap_in(struct gsim_replica *s, uint32_t index)
{
    struct gsim_entry *e = &s->pool[index];
    if (!e->is_swapped) return false;
    e->is_swapped = false;
    s->machine->ops->work(s->machine, move_us(s, e->s.prompt + e->s.produced, s->given->device->h2d_gbps));
    return true;
}

static void finish_round(struct gsim_replica *s, const struct round *round)
{
    run_round(s, round);
    double before = now_of(s);
    s->machine->ops->work(s->machine, s->spec->host.between_us);
    s->result->host_us += now_of(s) - before;
}

/* Adds what STEP and LEFT tokens allow of a prompt, and takes them from LEFT. */
static void add_piece(struct gsim_replica *s, const struct gsim_batch_step *step, uint32_t index, uint32_t *left)
{
    admit(s, index);
    if (swap_in(s, index)) return;
    uint32_t most = step->tokens && step->tokens < *left ? step->tokens : *left;
    (void)add_prefill(s, index, most);
    *left -= s->pieces[s->piece_count - 1].tokens;
}

/* A mixed step within STEP's budget: who decodes, whose prompts have begun, who waits. False: nothing of these. */
static bool step_mixed(struct gsim_replica *s, const struct gsim_batch_step *step)
{
    struct round round = {0};
    uint64_t preemptions = s->result->preemptions;
    make_room(s);
    struct gsim_batch_view view = make_view(s);
    uint32_t left = view.decoding_count < step->budget ? step->budget - view.decoding_count : 0;
    for (uint32_t i = 0; i < s->spec->slots && left; i++)
        if (s->slots[i] != NONE && !is_fully_computed(&s->pool[s->slots[i]])) add_piece(s, step, s->slots[i], &left);
    while (left && s->result->preemptions == preemptions && view.free_slots && view.waiting != NONE && !s->failed) {
        add_piece(s, step, view.waiting, &left);
        view = make_view(s);
    }
    if (!view.decoding_count && !s->piece_count) return false;
    round.count = 1;
    round.decoding = view.decoding_count;
    round.launches[0] = mixed_of(s, round.decoding);
    finish_round(s, &round);
    return true;
}

/* False: the policy wants nothing. */
static bool step_once(struct gsim_replica *s)
{
    struct gsim_batch_view view = make_view(s);
    struct gsim_batch_step step = {.prefill = NONE};
    struct round round = {0};
    s->piece_count = 0;
    s->given->policy->next(s->state, s->given->params, &view, &step);
    if (step.budget && s->spec->profile) return step_mixed(s, &step);
    if (step.prefill != NONE) {
        bool is_own = s->spec->beside != GSIM_BESIDE_SAME || s->given->policy->separate;
        admit(s, step.prefill);
        if (swap_in(s, step.prefill)) return true;
        struct gsim_serving_launch l = add_prefill(s, step.prefill, step.tokens);
        if (is_own) {
            begin_flight(s, step.prefill, l);
            if (!step.decodes) return true;
        } else {
            s->decodes_since = 0;
            round.launches[round.count++] = l;
        }
    }
    if (step.decodes) {
        make_room(s);
        view = make_view(s);
        if (view.decoding_count) add_decodes(s, &step, &view, &round);
    }
    if (!round.count) return step.prefill != NONE; /* to decode where nothing decodes is to do nothing */
    finish_round(s, &round);
    return true;
}

/* Nothing to run: until the next thing happens. False where nothing will. */
static bool wait_for_more(struct gsim_replica *s)
{
    double now = now_of(s), soonest = INFINITY;
    if (s->flight != NONE) {
        s->machine->ops->wait(s->machine);
        s->result->step_us[GSIM_STEP_PREFILL] += now_of(s) - now;
        end_flight(s);
        return true;
    }
    for (uint32_t i = 0; i < s->spec->slots; i++)
        if (s->slots[i] != NONE && s->pool[s->slots[i]].ready_us > now)
            soonest = fmin(soonest, s->pool[s->slots[i]].ready_us);
    if (s->feed->has_next) soonest = fmin(soonest, s->feed->next.arrival_us);
    if (!isfinite(soonest)) return false;
    s->machine->ops->idle_until(s->machine, soonest);
    s->result->waiting_us += now_of(s) - now;
    return true;
}

void gsim_replica_poll(struct gsim_replica *s)
{
    if (s->flight == NONE || !s->machine->ops->has_ended(s->machine)) return;
    s->machine->ops->wait(s->machine);
    end_flight(s);
}

bool gsim_replica_turn(struct gsim_replica *s) { return step_once(s) || wait_for_more(s); }
