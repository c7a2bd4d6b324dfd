/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading recorded cases: one reader with a sticky error, which knows the place it is at. Lists that it does not
 * know (solo, streams, join) and fields that predictions must not see are passed over.
 */
#include "traces/cases.h"

#include "sim/base/text.h"
#include "traces/cases/reader.h"

#define MAX_SMS 4096

/* --- the file --------------------------------------------------------------------------------------------------- */
/* The cases of the list KEY in OBJECT, where there is one. */
static bool read_list(struct gsim_cases_reader *r, const cJSON *object, const char *prefix, const char *key,
                      enum gsim_case_kind kind, uint32_t sm_count, gsim_cases_read *read)
{
    const cJSON *items = gsim_cases_member(object, key), *item;
    uint32_t index = 0;
    if (!items || r->at.failed) return false;
    r->at.text[0] = '\0';
    if (!cJSON_IsArray(items)) gsim_cases_fail(r, key, "a list", items);
    cJSON_ArrayForEach(item, items)
    {
        const cJSON *tag = gsim_cases_member(item, "tag");
        struct gsim_case *c = gsim_case_add(r->set);
        if (!c) {
            gsim_position_no_memory(&r->at);
            return true;
        }
        r->at.text[0] = '\0';
        gsim_position_enter(&r->at, "%s%s[%u]", prefix, key, index);
        c->kind = kind;
        c->file = r->file;
        c->index = index++;
        c->sm_count = sm_count;
        char *name = cJSON_IsString(tag) ? gsim_arena_printf(&r->set->arena, "%s %.40s", r->at.text, tag->valuestring)
                                         : gsim_arena_strdup(&r->set->arena, r->at.text);
        if (name) c->name = gsim_text_clean(name);
        else gsim_position_no_memory(&r->at);
        if (!cJSON_IsObject(item)) gsim_cases_fail(r, "", "an object", item);
        if (!r->at.failed) read(r, item, c);
        if (r->at.failed) return true;
    }
    r->at.text[0] = '\0';
    return true;
}

/* Looked up by every case: cJSON counts its way to an element. */
static void index_solo(struct gsim_cases_reader *r, const cJSON *kernels)
{
    const cJSON *kernel;
    r->solo = GSIM_ARENA_ARRAY(&r->set->arena, const cJSON *, cJSON_GetArraySize(kernels));
    if (!r->solo) gsim_position_no_memory(&r->at);
    cJSON_ArrayForEach(kernel, kernels) if (r->solo) r->solo[r->solo_count++] = kernel;
}

static void read_file(struct gsim_cases_reader *r, const cJSON *root)
{
    const cJSON *aten = gsim_cases_member(root, "aten"), *host = gsim_cases_member(aten, "host");
    const cJSON *ops = gsim_cases_member(host, "op"), *kernels = gsim_cases_member(root, "kernels");
    uint32_t sms = gsim_cases_count_or(r, root, "sms", MAX_SMS, 0);
    r->profiles = gsim_cases_member(root, "profiles");
    r->host = host;
    bool is_unlike = r->profiles || (kernels && !gsim_cases_member(root, "graphs"));
    index_solo(r, kernels ? kernels : gsim_cases_member(root, "solo"));
    if (host && !cJSON_IsObject(host)) gsim_cases_fail(r, "aten.host", "an object", host);
    if (ops && !cJSON_IsObject(ops)) gsim_cases_fail(r, "aten.host.op", "an object", ops);
    bool any = read_list(r, root, "", "pairs", GSIM_CASE_PAIR, sms, gsim_cases_two);
    any |= read_list(r, root, "", "arrivals", GSIM_CASE_ARRIVAL, sms, gsim_cases_two);
    any |= read_list(r, root, "", "priority", GSIM_CASE_PRIORITY, sms, gsim_cases_two);
    any |= read_list(r, root, "", "dags", GSIM_CASE_DAG, sms, is_unlike ? gsim_cases_unlike : gsim_cases_dag);
    any |= read_list(r, root, "", "micro", GSIM_CASE_MICRO, sms, gsim_cases_two);
    any |= read_list(r, root, "", "graphs", GSIM_CASE_REPEATED, sms, gsim_cases_irregular);
    any |= read_list(r, aten, "aten.", "dags", GSIM_CASE_ATEN, sms, gsim_cases_dag);
    any |= read_list(r, aten, "aten.", "pairs", GSIM_CASE_ATEN, sms, gsim_cases_branches);
    if (any) return;
    gsim_cases_fail(r, "", "an object with lists of cases (pairs, arrivals, priority, dags, micro, graphs, aten)",
                    root);
}

static enum gsim_status parse(struct gsim_case_set *set, const char *file, const char *text, size_t length,
                              bool is_timed, struct gsim_error *error)
{
    const char *end = NULL;
    size_t before = set->count;
    struct gsim_cases_reader r = {.set = set, .at.error = error, .file = gsim_arena_strdup(&set->arena, file)};
    if (!r.file) return gsim_no_memory(error);
    cJSON *root = cJSON_ParseWithLengthOpts(text, length + 1, &end, 1);
    if (!root) {
        size_t line = 1;
        for (const char *c = text; end && c < end && c < text + length; c++) line += *c == '\n';
        return gsim_error_set(error, GSIM_INPUT, "line %zu: not JSON%s", line,
                              end && end >= text + length ? ": the file ends too early" : "");
    }
    if (is_timed) r.profiles = gsim_cases_member(root, "profiles");
    if (is_timed) gsim_cases_timed(&r, root);
    else read_file(&r, root);
    cJSON_Delete(root);
    if (!r.at.failed) return GSIM_OK;
    set->count = before;
    return error->status;
}

enum gsim_status gsim_cases_parse(struct gsim_case_set *set, const char *file, const char *text, size_t length,
                                  struct gsim_error *error)
{
    return parse(set, file, text, length, false, error);
}

enum gsim_status gsim_cases_parse_timed(struct gsim_case_set *set, const char *file, const char *text, size_t length,
                                        struct gsim_error *error)
{
    return parse(set, file, text, length, true, error);
}

void gsim_cases_apply(struct gsim_case_set *set, struct gsim_profiles *profiles)
{
    for (size_t i = 0; i < set->count; i++) {
        struct gsim_case *c = &set->cases[i];
        for (uint32_t j = 0; j < c->node_count; j++) {
            struct gsim_case_node *node = &c->nodes[j];
            if (node->is_copy) continue;
            if (node->has_profile_row) gsim_profiles_apply_row(profiles, node->profile_row, &node->kernel);
            else gsim_profiles_apply(profiles, &node->kernel);
        }
        for (int j = 0; j < 2 && !c->nodes; j++) gsim_profiles_apply(profiles, &c->kernels[j]);
    }
}
