/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See serving/spec.h. */
#include "serving/spec.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/json.h"
#include "gpusim/order.h"

#define SCHEMA "gpusim-serving/1"

static const char *const kinds[] = {
#define X(key, text) text,
    GSIM_STEP_KIND_MAP(X)
#undef X
};
static const char *const besides[] = {
#define X(key, text) text,
    GSIM_BESIDE_MAP(X)
#undef X
};

const char *gsim_step_kind_text(enum gsim_batch_kind kind) { return kinds[kind]; }
const char *gsim_beside_text(enum gsim_beside beside) { return besides[beside]; }

static const char *const routers[] = {
#define X(key, text) text,
    GSIM_ROUTER_MAP(X)
#undef X
};

const char *gsim_router_text(enum gsim_router router) { return routers[router]; }

enum gsim_status gsim_router_parse(const char *text, enum gsim_router *router, struct gsim_error *error)
{
    for (int i = 0; i < GSIM_ROUTER_COUNT; i++)
        if (strcmp(text, routers[i]) == 0) {
            *router = (enum gsim_router)i;
            return GSIM_OK;
        }
    return gsim_error_set(error, GSIM_USAGE, "expected round-robin, least-loaded or prefix, found '%.60s'", text);
}

enum gsim_status gsim_beside_parse(const char *text, enum gsim_beside *beside, struct gsim_error *error)
{
    for (int i = 0; i < GSIM_BESIDE_COUNT; i++)
        if (strcmp(text, besides[i]) == 0) {
            *beside = (enum gsim_beside)i;
            return GSIM_OK;
        }
    return gsim_error_set(error, GSIM_USAGE, "expected same, stream, urgent, partition or mps, found '%.60s'", text);
}

uint32_t gsim_serving_steps_of(const struct gsim_serving_spec *spec, enum gsim_batch_kind kind, uint32_t *first)
{
    uint32_t count = 0;
    *first = 0;
    for (uint32_t i = 0; i < spec->step_count; i++) {
        if (spec->steps[i].kind != kind) continue;
        if (!count++) *first = i;
    }
    return count;
}

/* --- reading --- */

static enum gsim_status read_choice(struct gsim_serving_spec *spec, const cJSON *list, const char *field,
                                    struct gsim_lengths *l, struct gsim_error *error)
{
    uint32_t count = (uint32_t)cJSON_GetArraySize(list), i = 0;
    double *choices = GSIM_ARENA_ARRAY(&spec->arena, double, count + 1);
    if (!choices) return gsim_no_memory(error);
    for (const cJSON *item = list ? list->child : NULL; item; item = item->next) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1 && item->valuedouble <= GSIM_TOKENS_MAX))
            return gsim_json_fail(field, "numbers of tokens", item, error);
        choices[i++] = item->valuedouble;
    }
    if (!i) return gsim_json_fail(field, "a list of numbers", list, error);
    l->choices = choices;
    l->choice_count = i;
    return GSIM_OK;
}

/* 512, {"uniform": [64, 256]}, {"lognormal": [512, 0.8]}, {"choice": [128, 1024]} or "trace". */
static enum gsim_status read_lengths(struct gsim_serving_spec *spec, const cJSON *object, const char *field,
                                     struct gsim_lengths *l, struct gsim_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field);
    if (!item || (cJSON_IsString(item) && strcmp(item->valuestring, "trace") == 0)) return GSIM_OK;
    if (cJSON_IsNumber(item)) {
        l->kind = GSIM_LENGTHS_CONSTANT;
        return gsim_json_read_number(object, "", field, 1, GSIM_TOKENS_MAX, l->a, &l->a, error);
    }
    const cJSON *way = cJSON_IsObject(item) && cJSON_GetArraySize(item) == 1 ? item->child : NULL;
    const char *name = way ? way->string : "";
    l->kind = strcmp(name, "uniform") == 0     ? GSIM_LENGTHS_UNIFORM
              : strcmp(name, "lognormal") == 0 ? GSIM_LENGTHS_LOGNORMAL
                                               : GSIM_LENGTHS_CHOICE;
    if (l->kind != GSIM_LENGTHS_CHOICE) {
        const cJSON *a = cJSON_GetArrayItem(way, 0), *b = cJSON_GetArrayItem(way, 1);
        bool is_log = l->kind == GSIM_LENGTHS_LOGNORMAL;
        if (cJSON_GetArraySize(way) != 2 || !cJSON_IsNumber(a) || !cJSON_IsNumber(b) ||
            !(a->valuedouble >= 1 && a->valuedouble <= GSIM_TOKENS_MAX) ||
            !(b->valuedouble >= (is_log ? 0 : a->valuedouble) && b->valuedouble <= (is_log ? 10 : GSIM_TOKENS_MAX)))
            return gsim_json_fail(field, is_log ? "[median, sigma of the logarithm]" : "[least, most]", way, error);
        l->a = a->valuedouble;
        l->b = b->valuedouble;
        return GSIM_OK;
    }
    if (strcmp(name, "choice") != 0)
        return gsim_json_fail(field, "a number, {\"uniform\"}, {\"lognormal\"}, {\"choice\"} or \"trace\"", item,
                              error);
    return read_choice(spec, way, field, l, error);
}

static enum gsim_status read_request(const cJSON *item, struct gsim_served_arrival *r, struct gsim_error *error)
{
    static const char *const names[] = {"arrival_us", "prompt", "output", "first_us", "done_us", NULL};
    double numbers[5] = {-1, -1, -1, 0, 0};
    enum gsim_status status = gsim_json_check_keys(item, "request", names, error);
    if (!status) status = gsim_json_read_number(item, "", names[0], 0, 1e15, numbers[0], &numbers[0], error);
    for (int i = 1; i < 3 && !status; i++)
        status = gsim_json_read_number(item, "", names[i], 1, GSIM_TOKENS_MAX, numbers[i], &numbers[i], error);
    for (int i = 3; i < 5 && !status; i++)
        status = gsim_json_read_number(item, "", names[i], 0, 1e15, numbers[i], &numbers[i], error);
    for (int i = 0; i < 3 && !status; i++)
        if (numbers[i] < 0)
            status = gsim_error_set(error, GSIM_INPUT, "%s: expected a number, found nothing", names[i]);
    *r = (struct gsim_served_arrival){.arrival_us = numbers[0],
                                      .prompt = gsim_whole_u32(numbers[1]),
                                      .output = gsim_whole_u32(numbers[2]),
                                      .first_us = numbers[3],
                                      .done_us = numbers[4]};
    return status;
}

static enum gsim_status read_requests(struct gsim_serving_spec *spec, const cJSON *list, struct gsim_error *error)
{
    if (!cJSON_IsArray(list)) return gsim_json_fail("requests", "a list", list, error);
    struct gsim_arrivals *a = &spec->arrivals;
    a->list = GSIM_ARENA_ARRAY(&spec->arena, struct gsim_served_arrival, (size_t)cJSON_GetArraySize(list) + 1);
    if (!a->list) return gsim_no_memory(error);
    for (const cJSON *item = list->child; item; item = item->next) {
        if (read_request(item, &a->list[a->count], error)) return gsim_error_prefix(error, "requests[%u]", a->count);
        if (a->count && a->list[a->count].arrival_us < a->list[a->count - 1].arrival_us)
            return gsim_error_set(error, GSIM_INPUT, "requests[%u]: arrival_us: expected %g or later, found %g",
                                  a->count, a->list[a->count - 1].arrival_us, a->list[a->count].arrival_us);
        a->count++;
    }
    return a->count ? GSIM_OK : gsim_json_fail("requests", "at least one", list, error);
}

/* PATH as it stands in the file SPEC->path. */
static const char *beside_spec(struct gsim_serving_spec *spec, const char *path)
{
    const char *slash = strrchr(spec->path, '/');
    bool is_file = strchr(path, '.') || strchr(path, '/');
    if (path[0] == '/' || !slash || !is_file) return gsim_arena_strdup(&spec->arena, path);
    return gsim_arena_printf(&spec->arena, "%.*s/%s", (int)(slash - spec->path), spec->path, path);
}

GSIM_ORDER(compare_steps, struct gsim_serving_step, GSIM_UP(kind) GSIM_UP(bucket))

static enum gsim_status read_buckets(struct gsim_serving_spec *spec, const cJSON *object, enum gsim_batch_kind kind,
                                     struct gsim_error *error)
{
    uint32_t first = spec->step_count;
    if (!cJSON_IsObject(object)) return gsim_json_fail(kinds[kind], "an object of buckets", object, error);
    for (const cJSON *item = object->child; item; item = item->next) {
        char *end;
        unsigned long bucket = strtoul(item->string, &end, 10);
        if (*end || !bucket || bucket > GSIM_TOKENS_MAX || item->string[0] < '1' || item->string[0] > '9')
            return gsim_error_set(error, GSIM_INPUT, "%s: expected a bucket's size, found \"%.60s\"", kinds[kind],
                                  item->string);
        if (spec->step_count - first == GSIM_SERVING_BUCKETS)
            return gsim_error_set(error, GSIM_INPUT, "%s: expected at most %d buckets, found more", kinds[kind],
                                  GSIM_SERVING_BUCKETS);
        if (!cJSON_IsString(item)) return gsim_json_fail(item->string, "a file or a workload", item, error);
        struct gsim_serving_step *step = &spec->steps[spec->step_count++];
        *step = (struct gsim_serving_step){
            .kind = kind, .bucket = (uint32_t)bucket, .path = beside_spec(spec, item->valuestring)};
        if (!step->path) return gsim_no_memory(error);
    }
    return GSIM_OK;
}

/* A list of names; NULL: none. */
static enum gsim_status read_names(struct gsim_serving_spec *spec, const cJSON *object, const char *field,
                                   const char *const **names, struct gsim_error *error)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, field);
    if (!list) return GSIM_OK;
    if (!cJSON_IsArray(list)) return gsim_json_fail(field, "a list of layers", list, error);
    const char **made = GSIM_ARENA_ARRAY(&spec->arena, const char *, cJSON_GetArraySize(list) + 1);
    if (!(*names = made)) return gsim_no_memory(error);
    for (const cJSON *item = list->child; item; item = item->next) {
        if (!cJSON_IsString(item)) return gsim_json_fail(field, "names of layers", item, error);
        if (!(*made++ = gsim_arena_strdup(&spec->arena, item->valuestring))) return gsim_no_memory(error);
    }
    *made = NULL;
    return GSIM_OK;
}

static enum gsim_status read_file(struct gsim_serving_spec *spec, const cJSON *object, const char *field,
                                  const char **path, struct gsim_error *error)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field);
    if (!cJSON_IsString(item)) return gsim_json_fail(field, "a file (CSV)", item, error);
    *path = beside_spec(spec, item->valuestring);
    return *path ? GSIM_OK : gsim_no_memory(error);
}

static enum gsim_status read_profile(struct gsim_serving_spec *spec, const cJSON *object, struct gsim_error *error)
{
    static const char *const names[] = {"layers",          "dense",           "attention",         "per_sequence",
                                        "once",            "twice",           "tensor_parallel",   "bytes_per_token",
                                        "reduces_per_layer", NULL};
    struct gsim_step_profile *p = spec->profile = GSIM_ARENA_NEW(&spec->arena, struct gsim_step_profile);
    struct gsim_profile_files files = {0};
    if (!p) return gsim_no_memory(error);
    *p = (struct gsim_step_profile){.layers = -1, .reduces_per_layer = 2};
    enum gsim_status status = gsim_json_check_keys(object, "profile", names, error);
    if (!status) status = gsim_json_read_number(object, "", "layers", 1, 1e4, p->layers, &p->layers, error);
    if (!status && p->layers < 0) status = gsim_json_fail("layers", "how many the model has", NULL, error);
    if (!status) status = read_file(spec, object, "dense", &files.dense, error);
    if (!status) status = read_file(spec, object, "attention", &files.attention, error);
    if (!status && cJSON_HasObjectItem(object, "per_sequence"))
        status = read_file(spec, object, "per_sequence", &files.per_sequence, error);
    if (!status) status = read_names(spec, object, "once", &files.once, error);
    if (!status) status = read_names(spec, object, "twice", &files.twice, error);
    if (!status) status = gsim_json_read_count(object, "", "tensor_parallel", 1, 1024, 1, &p->gpus, error);
    if (!status) status = gsim_json_read_number(object, "", "bytes_per_token", 1, 1e9, 0, &p->bytes_per_token, error);
    if (!status)
        status = gsim_json_read_number(object, "", "reduces_per_layer", 0, 100, p->reduces_per_layer,
                                       &p->reduces_per_layer, error);
    if (!status && p->gpus > 1 && !(p->bytes_per_token > 0))
        status = gsim_json_fail("bytes_per_token", "of an all-reduce, as tensor_parallel is there", NULL, error);
    if (!status && p->gpus == 1 && p->bytes_per_token > 0)
        status = gsim_error_set(error, GSIM_INPUT, "bytes_per_token: of all-reduces, which tensor_parallel has");
    return status ? status : gsim_profile_read(&files, &spec->arena, p, error);
}

static enum gsim_status read_steps(struct gsim_serving_spec *spec, const cJSON *object, struct gsim_error *error)
{
    if (!cJSON_IsObject(object)) return gsim_json_fail("steps", "an object of kinds", object, error);
    const char *twice = gsim_json_repeated(object);
    if (twice) return gsim_error_set(error, GSIM_INPUT, "steps: \"%.60s\" stands there twice", twice);
    const cJSON *profile = cJSON_GetObjectItemCaseSensitive(object, "profile");
    if (profile && object->child->next)
        return gsim_error_set(error, GSIM_INPUT, "steps: expected a profile alone, found programs beside it");
    if (profile) return read_profile(spec, profile, error) ? gsim_error_prefix(error, "steps: profile") : GSIM_OK;
    for (const cJSON *item = object->child; item; item = item->next) {
        int kind = 0;
        while (kind < GSIM_STEP_MIXED && strcmp(kinds[kind], item->string) != 0) kind++;
        if (kind == GSIM_STEP_MIXED)
            return gsim_error_set(error, GSIM_INPUT,
                                  "steps: expected prefill, decode, draft, verify or profile, found \"%.60s\"",
                                  item->string);
        if (read_buckets(spec, item, (enum gsim_batch_kind)kind, error)) return gsim_error_prefix(error, "steps");
    }
    qsort(spec->steps, spec->step_count, sizeof *spec->steps, compare_steps);
    for (uint32_t i = 1; i < spec->step_count; i++)
        if (!compare_steps(&spec->steps[i - 1], &spec->steps[i]))
            return gsim_error_set(error, GSIM_INPUT, "steps: %s: \"%u\" stands there twice", kinds[spec->steps[i].kind],
                                  spec->steps[i].bucket);
    return GSIM_OK;
}

static enum gsim_status read_options(struct gsim_serving_spec *spec, const cJSON *object, struct gsim_error *error)
{
    if (!object) return GSIM_OK;
    if (!cJSON_IsObject(object)) return gsim_json_fail("options", "an object", object, error);
    for (const cJSON *item = object->child; item; item = item->next) {
        if (spec->option_count == sizeof spec->options / sizeof spec->options[0])
            return gsim_error_set(error, GSIM_INPUT, "options: too many");
        char text[32];
        if (cJSON_IsNumber(item)) snprintf(text, sizeof text, "%.15g", item->valuedouble);
        const char **option = spec->options[spec->option_count++];
        if (!cJSON_IsNumber(item) && !cJSON_IsString(item))
            return gsim_json_fail(item->string, "a number or a text", item, error);
        option[0] = gsim_arena_strdup(&spec->arena, item->string);
        option[1] = gsim_arena_strdup(&spec->arena, cJSON_IsNumber(item) ? text : item->valuestring);
        if (!option[0] || !option[1]) return gsim_no_memory(error);
    }
    return GSIM_OK;
}

static enum gsim_status read_cache(struct gsim_serving_spec *spec, const cJSON *object, struct gsim_error *error)
{
    static const char *const names[] = {"tokens", "block", "bytes_per_token", "preempt", "prefix", NULL};
    struct gsim_serving_cache *c = &spec->cache;
    if (!object) return GSIM_OK;
    enum gsim_status status = gsim_json_check_keys(object, "cache", names, error);
    if (!status) status = gsim_json_read_number(object, "", names[0], 1, 1e12, c->tokens, &c->tokens, error);
    if (!status) status = gsim_json_read_number(object, "", names[1], 1, 1e6, c->block, &c->block, error);
    if (!status)
        status = gsim_json_read_number(object, "", names[2], 0, 1e9, c->bytes_per_token, &c->bytes_per_token, error);
    const cJSON *preempt = cJSON_GetObjectItemCaseSensitive(object, names[3]),
                *prefix = cJSON_GetObjectItemCaseSensitive(object, names[4]);
    if (!status && prefix && !cJSON_IsBool(prefix)) status = gsim_json_fail("prefix", "true or false", prefix, error);
    c->forgets = cJSON_IsFalse(prefix);
    if (status || !preempt) return status;
    c->swaps = cJSON_IsString(preempt) && strcmp(preempt->valuestring, "swap") == 0;
    if (!c->swaps && !(cJSON_IsString(preempt) && strcmp(preempt->valuestring, "recompute") == 0))
        return gsim_json_fail("preempt", "recompute or swap", preempt, error);
    return GSIM_OK;
}

static enum gsim_status read_arrivals(struct gsim_serving_spec *spec, const cJSON *json, struct gsim_error *error)
{
    const cJSON *requests = cJSON_GetObjectItemCaseSensitive(json, "requests"),
                *text = cJSON_GetObjectItemCaseSensitive(json, "arrivals");
    double count = 0;
    spec->arrivals.scale = 1;
    enum gsim_status status = gsim_json_read_number(json, "", "count", 1, 1e9, count, &count, error);
    if (!status)
        status = gsim_json_read_number(json, "", "rate_scale", 1e-6, 1e6, spec->arrivals.scale, &spec->arrivals.scale,
                                       error);
    if (!status) status = read_lengths(spec, json, "prompt", &spec->arrivals.prompt, error);
    if (!status) status = read_lengths(spec, json, "output", &spec->arrivals.output, error);
    if (status) return status;
    if (!requests == !text)
        return gsim_error_set(error, GSIM_INPUT, "expected either \"requests\" or \"arrivals\", found %s",
                              text ? "both" : "neither");
    if (requests) return read_requests(spec, requests, error);
    if (!cJSON_IsString(text)) return gsim_json_fail("arrivals", "a text", text, error);
    const char *path = strncmp(text->valuestring, "poisson:", 8) == 0 || strncmp(text->valuestring, "gamma:", 6) == 0
                           ? text->valuestring
                           : beside_spec(spec, text->valuestring);
    if (!path) return gsim_no_memory(error);
    return gsim_arrivals_parse(path, gsim_whole_u32(count), &spec->arena, &spec->arrivals, error);
}

static enum gsim_status read_limits(struct gsim_serving_spec *spec, const cJSON *object, struct gsim_error *error)
{
    static const char *const names[] = {"ttft_us", "tpot_us", NULL};
    if (!object) return GSIM_OK;
    enum gsim_status status = gsim_json_check_keys(object, "limits", names, error);
    if (!status)
        status = gsim_json_read_number(object, "", names[0], 0, 1e12, spec->ttft_limit_us, &spec->ttft_limit_us, error);
    return status
               ? status
               : gsim_json_read_number(object, "", names[1], 0, 1e12, spec->tpot_limit_us, &spec->tpot_limit_us, error);
}

static enum gsim_status read_spec(struct gsim_serving_spec *spec, const cJSON *json, struct gsim_error *error)
{
    static const char *const names[] = {"schema",      "name",      "device",   "slots",          "replicas",
                                        "router",      "batching",  "options",  "prefill_beside", "prefill_percentage",
                                        "interpolate", "steps",     "requests", "arrivals",       "count",
                                        "rate_scale",  "prompt",    "output",   "host",           "cache",
                                        "limits",      "link_gbps", NULL};
    const cJSON *item;
    enum gsim_status status = gsim_json_check_keys(json, "", names, error);
    if (!status) status = gsim_json_check_schema(json, SCHEMA, error);
    if (!status) status = gsim_json_read_text(json, "", "name", spec->name, &spec->arena, &spec->name, error);
    if (!status) status = gsim_json_read_text(json, "", "device", "", &spec->arena, &spec->device, error);
    if (!status) status = gsim_json_read_count(json, "", "slots", 1, GSIM_SERVING_SLOTS, 16, &spec->slots, error);
    if (!status) {
        const char *router = gsim_router_text(spec->router);
        bool is_said = cJSON_HasObjectItem(json, "router");
        status = gsim_json_read_count(json, "", "replicas", 1, GSIM_SERVING_REPLICAS, 1, &spec->replicas, error);
        if (!status) status = gsim_json_read_text(json, "", "router", router, &spec->arena, &router, error);
        if (!status && gsim_router_parse(router, &spec->router, error))
            gsim_error_prefix(error, "router"), error->status = status = GSIM_INPUT;
        if (!status && is_said && spec->replicas == 1)
            status = gsim_error_set(error, GSIM_INPUT, "router: of several servers: expected \"replicas\", found none");
    }
    if (!status)
        status = gsim_json_read_text(json, "", "batching", spec->batching, &spec->arena, &spec->batching, error);
    if (!status && (item = cJSON_GetObjectItemCaseSensitive(json, "prefill_beside"))) {
        status = cJSON_IsString(item) ? gsim_beside_parse(item->valuestring, &spec->beside, error)
                                      : gsim_json_fail("prefill_beside", "a text", item, error);
        if (status && cJSON_IsString(item))
            gsim_error_prefix(error, "prefill_beside"), error->status = status = GSIM_INPUT;
    }
    if (!status)
        status = gsim_json_read_number(json, "", "prefill_percentage", 1, 100, spec->prefill_percentage,
                                       &spec->prefill_percentage, error);
    if (!status && (item = cJSON_GetObjectItemCaseSensitive(json, "interpolate")) && !cJSON_IsBool(item))
        status = gsim_json_fail("interpolate", "true or false", item, error);
    spec->interpolates = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "interpolate"));
    if (!status) status = read_options(spec, cJSON_GetObjectItemCaseSensitive(json, "options"), error);
    if (!status) status = read_steps(spec, cJSON_GetObjectItemCaseSensitive(json, "steps"), error);
    if (!status) status = read_arrivals(spec, json, error);
    if (!status)
        status =
            gsim_serving_host_read(cJSON_GetObjectItemCaseSensitive(json, "host"), &spec->arena, &spec->host, error);
    if (!status) status = read_cache(spec, cJSON_GetObjectItemCaseSensitive(json, "cache"), error);
    if (!status) status = read_limits(spec, cJSON_GetObjectItemCaseSensitive(json, "limits"), error);
    return status ? status
                  : gsim_json_read_number(json, "", "link_gbps", 0.001, 1e6, spec->link_gbps, &spec->link_gbps, error);
}

enum gsim_status gsim_serving_spec_read(const char *path, struct gsim_serving_spec *spec, struct gsim_error *error)
{
    *spec = (struct gsim_serving_spec){.path = path,
                                       .name = "serving",
                                       .batching = "continuous",
                                       .prefill_percentage = 50,
                                       .cache = {.block = 16}};
    cJSON *json = gsim_json_read(path, error);
    enum gsim_status status = json ? read_spec(spec, json, error) : error->status;
    gsim_json_release(json);
    if (status && status != GSIM_NOMEM) gsim_error_prefix(error, "cannot read '%.200s'", path);
    return status;
}

enum gsim_status gsim_serving_policy(struct gsim_serving_spec *spec, const char *name, const char *const *set,
                                     size_t count, const struct gsim_batching_ops **policy, void **params,
                                     struct gsim_error *error)
{
    if (gsim_batching_load(name, policy, error)) return gsim_error_prefix(error, "batching");
    const struct gsim_batching_ops *ops = *policy;
    bool is_new = !*params;
    if (is_new) *params = gsim_arena_alloc(&spec->arena, ops->params_size + 1);
    if (!*params) return gsim_no_memory(error);
    if (is_new) gsim_params_set_defaults(ops->params, *params);
    enum gsim_status status = GSIM_OK;
    for (uint32_t i = 0; i < spec->option_count && !status && strcmp(spec->batching, name) == 0; i++) {
        char prefix[64];
        bool is_set = false;
        snprintf(prefix, sizeof prefix, "%s.%.40s=", name, spec->options[i][0]);
        for (size_t o = 0; o < count; o++) is_set |= strncmp(set[o], prefix, strlen(prefix)) == 0;
        if (!ops->params)
            status = gsim_error_set(error, GSIM_INPUT, "options: batching %s has none, found \"%.60s\"", name,
                                    spec->options[i][0]);
        else if (!is_set)
            status = gsim_params_set(ops->params, *params, spec->options[i][0], spec->options[i][1], error);
    }
    return status;
}

uint32_t gsim_serving_gpus(const struct gsim_serving_spec *spec, const struct gsim_batching_ops *policy)
{
    return spec->replicas * (policy->separate ? 2 : 1) * (spec->profile ? spec->profile->gpus : 1);
}

void gsim_serving_spec_release(struct gsim_serving_spec *spec)
{
    gsim_arena_release(&spec->arena);
    *spec = (struct gsim_serving_spec){0};
}
