/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See ask/scenarios/rank_file.h. */
#include "ask/scenarios/rank_file.h"

#include <string.h>
#include <unistd.h>

#include "ask/subject.h"
#include "sim/base/json.h"

/* Beside the file of ranks where it is there, else as it stands: a name, or a path from here. */
static const char *find_program(struct gsim_arena *arena, const char *path, const char *program)
{
    const char *slash = strrchr(path, '/');
    if (!slash || program[0] == '/') return gsim_arena_strdup(arena, program);
    const char *beside = gsim_arena_printf(arena, "%.*s/%s", (int)(slash - path), path, program);
    return beside && access(beside, F_OK) == 0 ? beside : gsim_arena_strdup(arena, program);
}

static enum gsim_status read_entry(struct gsim_rank_file *file, const char *path, const cJSON *item,
                                   struct gsim_error *error)
{
    static const char *const keys[] = {"program", "device", "count", NULL};
    struct gsim_rank_entry *entry = &file->entries[file->count];
    char place[40];
    snprintf(place, sizeof place, "ranks[%u]", file->count);
    enum gsim_status status = gsim_json_check_keys(item, place, keys, error);
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(item, "program");
    *entry = (struct gsim_rank_entry){.count = 1};
    for (uint32_t i = 0; i < file->count; i++) entry->device += file->entries[i].count;
    if (!status && !cJSON_IsString(program)) {
        snprintf(place, sizeof place, "ranks[%u].program", file->count);
        return gsim_json_fail(place, "the path of a program file", program, error);
    }
    if (!status)
        status =
            gsim_json_read_count(item, place, "device", 0, GSIM_LIMIT_RANKS - 1, entry->device, &entry->device, error);
    if (!status)
        status = gsim_json_read_count(item, place, "count", 1, GSIM_LIMIT_RANKS, entry->count, &entry->count, error);
    if (status) return status;
    entry->program = find_program(&file->arena, path, program->valuestring);
    file->count++;
    return entry->program ? GSIM_OK : gsim_no_memory(error);
}

static enum gsim_status read_json(struct gsim_rank_file *file, const char *path, const cJSON *json,
                                  struct gsim_error *error)
{
    static const char *const keys[] = {"schema", "node", "nodes", "net_gbps", "fold", "ranks", NULL};
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(json, "node");
    const cJSON *net = cJSON_GetObjectItemCaseSensitive(json, "net_gbps"),
                *fold = cJSON_GetObjectItemCaseSensitive(json, "fold");
    const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(json, "ranks"), *item;
    enum gsim_status status = gsim_json_check_schema(json, "gpusim-ranks/1", error);
    if (!status) status = gsim_json_check_keys(json, "", keys, error);
    if (!status && node && !cJSON_IsString(node)) status = gsim_json_fail("node", "the name of a node", node, error);
    if (!status && net && !(cJSON_IsNumber(net) && net->valuedouble > 0))
        status = gsim_json_fail("net_gbps", "a positive number", net, error);
    if (!status && fold && !cJSON_IsBool(fold)) status = gsim_json_fail("fold", "true or false", fold, error);
    if (!status && (!cJSON_IsArray(ranks) || !cJSON_GetArraySize(ranks)))
        status = gsim_json_fail("ranks", "a list of ranks", ranks, error);
    if (!status)
        status = gsim_json_read_count(json, "", "nodes", 1, GSIM_LIMIT_RANKS, file->nodes, &file->nodes, error);
    if (status) return status;
    file->node = node ? gsim_arena_strdup(&file->arena, node->valuestring) : NULL;
    file->net_gbps = net ? net->valuedouble : 0;
    file->folds = !cJSON_IsFalse(fold);
    file->entries = GSIM_ARENA_ARRAY(&file->arena, struct gsim_rank_entry, cJSON_GetArraySize(ranks));
    if (file->arena.failed) return gsim_no_memory(error);
    cJSON_ArrayForEach(item, ranks)
    {
        if (!status) status = read_entry(file, path, item, error);
    }
    return status;
}

enum gsim_status gsim_rank_file_read(const char *path, struct gsim_rank_file *file, struct gsim_error *error)
{
    *file = (struct gsim_rank_file){.nodes = 1};
    if (gsim_subject_expect(path, GSIM_SUBJECT_BIT(RANKS), "a file of ranks", error)) return error->status;
    cJSON *json = gsim_json_read(path, error);
    enum gsim_status status = json ? read_json(file, path, json, error) : error->status;
    gsim_json_release(json);
    return status ? gsim_error_prefix(error, "cannot read '%s'", path) : GSIM_OK;
}

void gsim_rank_file_release(struct gsim_rank_file *file)
{
    gsim_arena_release(&file->arena);
    *file = (struct gsim_rank_file){0};
}

uint64_t gsim_rank_file_count(const struct gsim_rank_file *file)
{
    uint64_t ranks = 0;
    for (uint32_t i = 0; i < file->count; i++) ranks += file->entries[i].count;
    return ranks;
}

enum gsim_status gsim_rank_file_place(const struct gsim_rank_file *file, const char *device,
                                      struct gsim_rank_node *node, struct gsim_error *error)
{
    uint64_t ranks = gsim_rank_file_count(file);
    *node = (struct gsim_rank_node){.gpus = (uint32_t)ranks, .hosts = 1};
    if (file->node && gsim_rank_node_find(file->node, device, (uint32_t)ranks, node, error)) return error->status;
    uint64_t nodes = (uint64_t)node->hosts * file->nodes, gpus = node->gpus * nodes;
    if (ranks > gpus)
        return gsim_error_set(error, GSIM_INPUT, "%llu ranks, and %llu node%s of %u GPUs: expected a GPU for each rank",
                              (unsigned long long)ranks, (unsigned long long)nodes, nodes == 1 ? "" : "s",
                              node->gpus);
    for (uint32_t i = 0; i < file->count; i++) {
        if (file->entries[i].device + (uint64_t)file->entries[i].count > gpus)
            return gsim_error_set(error, GSIM_INPUT, "ranks[%u].device: expected a GPU from 0 to %llu, found %u", i,
                                  (unsigned long long)gpus - 1, file->entries[i].device);
        for (uint32_t j = 0; j < i; j++) {
            const struct gsim_rank_entry *a = &file->entries[j], *b = &file->entries[i];
            if (a->device < b->device + b->count && b->device < a->device + a->count)
                return gsim_error_set(error, GSIM_INPUT,
                                      "ranks[%u].device: GPU %u is that of ranks[%u]: expected one for each rank", i,
                                      a->device > b->device ? a->device : b->device, j);
        }
    }
    node->links.per_node = nodes > 1 ? node->gpus : 0;
    if (file->net_gbps > 0) node->links.net_gbps = file->net_gbps;
    return GSIM_OK;
}

struct gsim_client *gsim_rank_file_clients(const struct gsim_rank_file *file, const struct gsim_client *each,
                                           struct gsim_arena *arena, uint32_t *count)
{
    uint32_t room = 0, rank = 0;
    *count = 0;
    for (uint32_t i = 0; i < file->count; i++) room += file->folds ? 1 : file->entries[i].count;
    struct gsim_client *clients = GSIM_ARENA_ARRAY(arena, struct gsim_client, room);
    for (uint32_t i = 0; i < file->count && clients; i++) {
        const struct gsim_rank_entry *entry = &file->entries[i];
        uint32_t copies = file->folds ? entry->count : 1;
        for (uint32_t first = 0; first < entry->count; first += copies, rank += copies) {
            struct gsim_client *c = &clients[(*count)++];
            *c = each[i];
            c->rank = rank;
            c->copies = copies;
            c->device = entry->device + first;
        }
    }
    return clients;
}
