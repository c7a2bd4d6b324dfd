/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). Reading files of ranks (cli/ranks/file.h). Programs are looked for beside the file. */
#include "cli/ranks/file.h"

#include <string.h>
#include <unistd.h>

#include "sim/base/json.h"

/* Beside the file of ranks where it is there, else as it stands: a name, or a path from here. */
static const char *find_program(struct gsim_arena *arena, const char *path, const char *program)
{
    const char *slash = strrchr(path, '/');
    if (!slash || program[0] == '/') return gsim_arena_strdup(arena, program);
    const char *beside = gsim_arena_printf(arena, "%.*s/%s", (int)(slash - path), path, program);
    return beside && access(beside, F_OK) == 0 ? beside : gsim_arena_strdup(arena, program);
}

static enum gsim_status read_entry(struct gsim_cli_rank_file *file, const char *path, const cJSON *item,
                                   struct gsim_error *error)
{
    static const char *const keys[] = {"program", "device", "count", NULL};
    struct gsim_cli_rank_entry *entry = &file->entries[file->count];
    char place[40];
    snprintf(place, sizeof place, "ranks[%u]", file->count);
    enum gsim_status status = gsim_json_check_keys(item, place, keys, error);
    const cJSON *program = cJSON_GetObjectItemCaseSensitive(item, "program");
    *entry = (struct gsim_cli_rank_entry){.count = 1};
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
    return entry->program ? GSIM_OK : gsim_error_set(error, GSIM_NOMEM, "out of memory");
}

static enum gsim_status read_json(struct gsim_cli_rank_file *file, const char *path, const cJSON *json,
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
    file->entries = GSIM_ARENA_ARRAY(&file->arena, struct gsim_cli_rank_entry, cJSON_GetArraySize(ranks));
    if (file->arena.failed) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
    cJSON_ArrayForEach(item, ranks)
    {
        if (!status) status = read_entry(file, path, item, error);
    }
    return status;
}

enum gsim_status gsim_cli_rank_file_read(const char *path, struct gsim_cli_rank_file *file, struct gsim_error *error)
{
    *file = (struct gsim_cli_rank_file){.nodes = 1};
    cJSON *json = gsim_json_read(path, error);
    enum gsim_status status = json ? read_json(file, path, json, error) : error->status;
    gsim_json_release(json);
    return status ? gsim_error_prefix(error, "cannot read '%s'", path) : GSIM_OK;
}

void gsim_cli_rank_file_release(struct gsim_cli_rank_file *file)
{
    gsim_arena_release(&file->arena);
    *file = (struct gsim_cli_rank_file){0};
}
