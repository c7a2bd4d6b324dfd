/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of kernels' profiles, and which profile is a kernel's. ncu's page: traces/kernels/ncu.c. */
#include "traces/kernels/profiles.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpusim/limits.h"
#include "sim/base/json.h"
#include "sim/base/scratch.h"
#include "sim/base/text.h"
#include "sim/base/gz.h"

#define SCHEMA "gpusim-kernels/1"

/* By how much ncu's duration exceeds the kernel's own, in microseconds: 42 kernels without memory traffic, 2 to 130 us
 * long, on an H100, median 1.86, from the 10th to the 90th percentile 0.42 to 2.24. */
#define NCU_OVERHEAD_US 1.8
#define MIN_US          0.1

struct gsim_kernel *gsim_profiles_add(struct gsim_profiles *profiles)
{
    if (gsim_array_grow(&profiles->kernels, sizeof *profiles->kernels, profiles->count, &profiles->room)) return NULL;
    struct gsim_kernel *kernel = &profiles->kernels[profiles->count++];
    memset(kernel, 0, sizeof *kernel);
    return kernel;
}

void gsim_profiles_release(struct gsim_profiles *profiles)
{
    gsim_free(profiles->kernels);
    gsim_arena_release(&profiles->arena);
    memset(profiles, 0, sizeof *profiles);
}

/* --- files -------------------------------------------------------------------------------------------------------- */
/* A number from 0 to MOST, 0 where there is none. */
static bool read_number(const cJSON *object, const char *key, double most, double *number)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *number = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return !item || (cJSON_IsNumber(item) && *number >= 0 && *number <= most);
}

/* [x, y, z]; absent: as it is. */
static bool read_shape(const cJSON *object, const char *key, double most, struct gsim_dim3 *shape)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
    uint32_t *const sizes[3] = {&shape->x, &shape->y, &shape->z};
    if (!list) return true;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 3) return false;
    for (int i = 0; i < 3; i++) {
        double size = cJSON_GetArrayItem(list, i)->valuedouble;
        if (!(size >= 1 && size <= most) || size != floor(size)) return false;
        *sizes[i] = gsim_whole_u32(size);
    }
    return true;
}

/* docs/schemas/kernels.json has the same. */
static const char *const fields[] = {
    "name",      "grid",  "block",      "cluster",    "regs_per_thread", "smem_bytes", "solo_us", "imbalance",
    "energy_mj", "flops", "dram_bytes", "data_bytes", "memory_wait",     "dram_cost",  "pipes",   "tiles",
    "tile_order", "l1_hit", "waits", NULL};

static const char *unknown_field(const cJSON *object)
{
    const cJSON *member;
    cJSON_ArrayForEach(member, object)
    {
        int at = 0;
        while (fields[at] && strcmp(fields[at], member->string) != 0) at++;
        if (!fields[at]) return member->string;
    }
    return NULL;
}

/* NULL, or the field that is not as it should be. */
static const char *read_fields(const cJSON *object, struct gsim_kernel *k)
{
    double regs, smem, tiles;
    const cJSON *pipes = cJSON_GetObjectItemCaseSensitive(object, "pipes"), *pipe;
    if (!read_shape(object, "grid", GSIM_LIMIT_GRID_X, &k->grid) || !k->grid.x) return "grid";
    if (!read_shape(object, "block", GSIM_LIMIT_BLOCK_THREADS, &k->block) || !k->block.x) return "block";
    if (!read_shape(object, "cluster", GSIM_LIMIT_CLUSTER, &k->cluster)) return "cluster";
    if (!read_number(object, "regs_per_thread", GSIM_LIMIT_REGS, &regs)) return "regs_per_thread";
    if (!read_number(object, "smem_bytes", GSIM_LIMIT_SMEM_BYTES, &smem)) return "smem_bytes";
    if (!read_number(object, "solo_us", GSIM_LIMIT_US, &k->solo_us)) return "solo_us";
    if (!read_number(object, "imbalance", GSIM_LIMIT_IMBALANCE, &k->imbalance)) return "imbalance";
    if (!read_number(object, "energy_mj", GSIM_LIMIT_WORK, &k->energy_mj)) return "energy_mj";
    if (!read_number(object, "memory_wait", 1, &k->memory_wait)) return "memory_wait";
    if (!read_number(object, "l1_hit", 1, &k->l1_hit)) return "l1_hit";
    if (!read_number(object, "dram_cost", GSIM_LIMIT_DRAM_COST, &k->dram_cost)) return "dram_cost";
    if (!read_number(object, "data_bytes", GSIM_LIMIT_WORK, &k->data_bytes)) return "data_bytes";
    if (!read_number(object, "flops", GSIM_LIMIT_WORK, &k->flops)) return "flops";
    if (!read_number(object, "dram_bytes", GSIM_LIMIT_WORK, &k->dram_bytes)) return "dram_bytes";
    if (!read_number(object, "tiles", GSIM_LIMIT_TILES, &tiles)) return "tiles";
    const char *order = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "tile_order"));
    while (order && k->tile_order < GSIM_TILES_COUNT && strcmp(gsim_tile_order_names[k->tile_order], order) != 0)
        k->tile_order++;
    if (k->tile_order == GSIM_TILES_COUNT || (!order && cJSON_HasObjectItem(object, "tile_order"))) return "tile_order";
    k->tiles = gsim_whole_u32(tiles);
    k->regs_per_thread = gsim_whole_u32(regs);
    k->smem_bytes = gsim_whole_u32(smem);
    k->demand_given = cJSON_HasObjectItem(object, "flops") && cJSON_HasObjectItem(object, "dram_bytes");
    if (pipes && !cJSON_IsObject(pipes)) return "pipes";
    const cJSON *waits = cJSON_GetObjectItemCaseSensitive(object, "waits");
    if (waits && !cJSON_IsBool(waits)) return "waits";
    k->waits = cJSON_IsTrue(waits);
    k->pipes_given = pipes != NULL;
    if (k->waits && (k->pipes_given || k->flops > 0 || k->dram_bytes > 0)) return "waits";
    cJSON_ArrayForEach(pipe, pipes)
    {
        int at = 0;
        while (at < GSIM_PIPE_COUNT && strcmp(gsim_pipe_names[at], pipe->string) != 0) at++;
        if (at == GSIM_PIPE_COUNT || !read_number(pipes, pipe->string, GSIM_LIMIT_PIPE, &k->pipes[at])) return "pipes";
    }
    return NULL;
}

enum gsim_status gsim_profiles_read_json(struct gsim_profiles *profiles, const char *text, size_t length,
                                         struct gsim_error *error)
{
    enum gsim_status status = GSIM_OK;
    uint32_t index = 0;
    cJSON *root = cJSON_ParseWithLengthOpts(text, length + 1, NULL, 1);
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema"), *object;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "kernels");
    if (!cJSON_IsString(schema) || strcmp(schema->valuestring, SCHEMA) != 0 || !cJSON_IsArray(list))
        status = gsim_error_set(error, GSIM_INPUT, "expected ncu's raw page as CSV or a file of schema " SCHEMA);
    cJSON_ArrayForEach(object, list)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "name");
        struct gsim_kernel kernel = {0};
        const char *wrong = cJSON_IsString(name) && name->valuestring[0] ? read_fields(object, &kernel) : "name";
        const char *unknown = unknown_field(object);
        if (unknown) status = gsim_error_set(error, GSIM_INPUT, "kernels[%u]: unknown field '%.60s'", index, unknown);
        if (wrong && status == GSIM_OK)
            status = gsim_error_set(error, GSIM_INPUT, "kernels[%u].%s: missing or out of range", index, wrong);
        if (status != GSIM_OK) break;
        kernel.name = gsim_arena_printf(&profiles->arena, "%.*s", GSIM_LIMIT_NAME, name->valuestring);
        struct gsim_kernel *k = gsim_profiles_add(profiles);
        if (!k || !kernel.name) status = gsim_no_memory(error);
        else *k = kernel;
        index++;
    }
    cJSON_Delete(root);
    return status;
}

/* What ncu prints of its own report; for gsim_free(). */
static char *print_report(struct gsim_profiles *profiles, const char *path, size_t *length, struct gsim_error *error)
{
    extern char **environ;
    const char *const words[] = {"ncu", "--import", path, "--csv", "--page", "raw", NULL};
    const char *printed = NULL;
    char *text = NULL;
    int result = 0;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (gsim_scratch_file(&profiles->arena, &printed, error)) return NULL;
    if (posix_spawn_file_actions_init(&actions)) {
        gsim_scratch_remove(printed);
        gsim_no_memory(error);
        return NULL;
    }
    bool failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, printed, O_WRONLY, 0) != 0 ||
                  posix_spawnp(&pid, "ncu", &actions, NULL, (char *const *)words, environ) != 0 ||
                  waitpid(pid, &result, 0) != pid;
    if (!failed && result == 0)
        text = gsim_file_read(printed, length, error);
    else if (!failed)
        gsim_error_set(error, GSIM_INPUT, "ncu --import ended with status %d",
                       WIFEXITED(result) ? WEXITSTATUS(result) : 128);
    else
        gsim_error_set(error, GSIM_INPUT,
                       "a report of ncu, which alone can read it and is not in PATH: print it where ncu is by "
                       "ncu --import FILE --csv --page raw > FILE.csv, and give that");
    posix_spawn_file_actions_destroy(&actions);
    gsim_scratch_remove(printed);
    return text;
}

enum gsim_status gsim_profiles_read(struct gsim_profiles *profiles, const char *path, struct gsim_error *error)
{
    size_t length = 0;
    char *text = gsim_text_ends_with(path, ".ncu-rep") ? print_report(profiles, path, &length, error)
                                                       : gsim_file_read(path, &length, error);
    enum gsim_status status = text ? GSIM_OK : error->status;
    if (status == GSIM_OK) {
        const char *first = text + strspn(text, " \t\r\n");
        status = *first == '{' ? gsim_profiles_read_json(profiles, text, length, error)
                               : gsim_profiles_read_csv(profiles, text, error);
    }
    gsim_free(text);
    return status == GSIM_OK ? GSIM_OK : gsim_error_prefix(error, "cannot read '%s'", path);
}

static void put_shape(struct gsim_output *output, const char *key, const struct gsim_dim3 *shape)
{
    gsim_output_printf(output, ", \"%s\": [%u, %u, %u]", key, shape->x, shape->y, shape->z);
}

void gsim_profiles_write(const struct gsim_profiles *profiles, struct gsim_output *output)
{
    gsim_output_text(output, "{\"schema\": \"" SCHEMA "\",\n \"kernels\": [");
    for (uint32_t i = 0; i < profiles->count; i++) {
        const struct gsim_kernel *k = &profiles->kernels[i];
        const char *separator = "";
        gsim_output_put(output, "%s\n  {'name': %q", i ? "," : "", k->name);
        put_shape(output, "grid", &k->grid);
        put_shape(output, "block", &k->block);
        gsim_output_printf(output, ", \"regs_per_thread\": %u, \"smem_bytes\": %u", k->regs_per_thread, k->smem_bytes);
        if (k->cluster.x) put_shape(output, "cluster", &k->cluster);
        if (k->solo_us > 0) gsim_output_json_real(output, "solo_us", k->solo_us);
        if (k->memory_wait > 0) gsim_output_json_real(output, "memory_wait", k->memory_wait);
        if (k->l1_hit > 0) gsim_output_json_real(output, "l1_hit", k->l1_hit);
        if (k->dram_cost > 0) gsim_output_json_real(output, "dram_cost", k->dram_cost);
        if (k->data_bytes > 0) gsim_output_json_real(output, "data_bytes", k->data_bytes);
        if (k->tiles) gsim_output_put(output, ", 'tiles': %u", k->tiles);
        if (k->tile_order) gsim_output_put(output, ", 'tile_order': '%s'", gsim_tile_order_names[k->tile_order]);
        if (k->waits) gsim_output_text(output, ", \"waits\": true");
        if (k->imbalance > 0) gsim_output_json_real(output, "imbalance", k->imbalance);
        if (k->energy_mj > 0) gsim_output_json_real(output, "energy_mj", k->energy_mj);
        if (k->demand_given) gsim_output_put(output, ", 'flops': %r, 'dram_bytes': %r", k->flops, k->dram_bytes);
        gsim_output_text(output, k->pipes_given ? ",\n   \"pipes\": {" : "");
        for (int p = 0; p < GSIM_PIPE_COUNT && k->pipes_given; p++) {
            gsim_output_printf(output, "%s\"%s\": %.4g", separator, gsim_pipe_names[p], k->pipes[p]);
            separator = ", ";
        }
        gsim_output_text(output, k->pipes_given ? "}}" : "}");
    }
    gsim_output_text(output, "]}\n");
}

/* --- which is a kernel's ------------------------------------------------------------------------------------------ */
struct word {
    const char *text;
    size_t length;
};

static bool is_part(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The next identifier from *AT on; *AT becomes what lies behind. */
static bool next_word(const char **at, struct word *word)
{
    while (**at && !is_part(**at)) ++*at;
    word->text = *at;
    while (is_part(**at)) ++*at;
    word->length = (size_t)(*at - word->text);
    return word->length > 0;
}

/* The function itself: the last identifier before its template's or its own arguments. Profilers write the rest each in
 * its own way. */
static struct word function_of(const char *name)
{
    static const char *const unnamed[] = {"(anonymous namespace)", "<unnamed>"};
    struct word word = {name, 0}, last = word;
    for (const char *at = name; *at;) {
        bool skips = false;
        for (int i = 0; i < 2; i++)
            if (strncmp(at, unnamed[i], strlen(unnamed[i])) == 0) {
                at += strlen(unnamed[i]);
                skips = true;
            }
        if (skips) continue;
        if (*at == '<' || *at == '(') break;
        if (!is_part(*at)) {
            at++;
            continue;
        }
        next_word(&at, &word);
        last = word;
    }
    return last;
}

static bool is_same_word(const struct word *a, const struct word *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static bool has_word(const char *name, const struct word *word)
{
    struct word other;
    while (next_word(&name, &other))
        if (is_same_word(&other, word)) return true;
    return false;
}

/* How many of NAME's identifiers the profile has too. The last may be cut off, and counts for nothing then. */
static int words_in_common(const char *name, const char *profile)
{
    struct word word;
    int count = 0;
    while (next_word(&name, &word)) count += word.length >= 4 && has_word(profile, &word);
    return count;
}

static bool is_shape(const struct gsim_dim3 *a, const struct gsim_dim3 *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static bool divides(const struct gsim_dim3 *cluster, const struct gsim_dim3 *grid)
{
    return cluster->x && grid->x % cluster->x == 0 && grid->y % cluster->y == 0 && grid->z % cluster->z == 0;
}

static const struct gsim_kernel *find(const struct gsim_profiles *profiles, const struct gsim_kernel *kernel)
{
    const struct gsim_kernel *best = NULL;
    struct word function = function_of(kernel->name);
    int most = -1;
    bool most_smem = false;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < profiles->count; i++) {
        const struct gsim_kernel *p = &profiles->kernels[i];
        struct word its = function_of(p->name);
        if (!is_shape(&p->grid, &kernel->grid) || !is_shape(&p->block, &kernel->block) ||
            !is_same_word(&its, &function))
            continue;
        int words = words_in_common(kernel->name, p->name);
        double apart = kernel->solo_us > 0 && p->solo_us > 0
                           ? fabs(log(fmax(p->solo_us - NCU_OVERHEAD_US, MIN_US) / kernel->solo_us))
                           : 0;
        bool is_smem = p->smem_bytes == kernel->smem_bytes;
        if (words < most || (words == most && (is_smem < most_smem || (is_smem == most_smem && apart >= nearest))))
            continue;
        most = words;
        most_smem = is_smem;
        nearest = apart;
        best = p;
    }
    return best;
}

static void give(const struct gsim_kernel *p, struct gsim_kernel *kernel)
{
    double cold_us = p->solo_us > 0 ? fmax(p->solo_us - NCU_OVERHEAD_US, MIN_US) : 0;
    if (!kernel->regs_per_thread) kernel->regs_per_thread = p->regs_per_thread;
    if (!kernel->smem_bytes) kernel->smem_bytes = p->smem_bytes;
    if (divides(&p->cluster, &kernel->grid)) kernel->cluster = p->cluster; /* also where its name said another */
    if (p->tile_order && !kernel->tile_order) {
        kernel->tile_order = p->tile_order;
        kernel->tiles = p->tiles;
    }
    if (p->imbalance > 0 && kernel->imbalance == 0) kernel->imbalance = p->imbalance;
    if (!(kernel->energy_mj > 0)) kernel->energy_mj = p->energy_mj;
    if (!(kernel->solo_us > 0)) kernel->solo_us = cold_us;
    if (!kernel->solo_cold && kernel->cold_us == 0) kernel->cold_us = cold_us;
    if (kernel->memory_wait == 0) kernel->memory_wait = p->memory_wait;
    if (kernel->dram_cost == 0) kernel->dram_cost = p->dram_cost;
    if (kernel->l1_hit == 0) kernel->l1_hit = p->l1_hit;
    if (kernel->data_bytes == 0) kernel->data_bytes = p->data_bytes;
    if (p->pipes_given || p->waits) kernel->waits = p->waits; /* whatever its name says */
    if (!p->pipes_given || kernel->pipes_given || !(kernel->solo_us > 0)) return;
    kernel->pipes_given = true;
    for (int i = 0; i < GSIM_PIPE_COUNT; i++)
        kernel->pipes[i] = fmin(p->pipes[i] * p->solo_us / kernel->solo_us, fmax(p->pipes[i], 1));
}

bool gsim_profiles_apply(struct gsim_profiles *profiles, struct gsim_kernel *kernel)
{
    const struct gsim_kernel *p = find(profiles, kernel);
    profiles->asked++;
    profiles->matched += p != NULL;
    if (p) give(p, kernel);
    return p != NULL;
}

bool gsim_profiles_apply_row(struct gsim_profiles *profiles, uint32_t row, struct gsim_kernel *kernel)
{
    const struct gsim_kernel *p = row < profiles->count ? &profiles->kernels[row] : NULL;
    if (!p || !is_shape(&p->grid, &kernel->grid) || !is_shape(&p->block, &kernel->block))
        return gsim_profiles_apply(profiles, kernel);
    profiles->asked++;
    profiles->matched++;
    give(p, kernel);
    return true;
}

void gsim_profiles_apply_all(struct gsim_profiles *profiles, struct gsim_program *program)
{
    for (uint32_t i = 0; i < program->kernel_count; i++)
        gsim_profiles_apply(profiles, (struct gsim_kernel *)&program->kernels[i]);
}

bool gsim_profiles_copy(struct gsim_profiles *profiles, struct gsim_kernel *kernel)
{
    const struct gsim_kernel *p = find(profiles, kernel), own = *kernel;
    profiles->asked++;
    profiles->matched += p != NULL;
    if (!p) return false;
    *kernel = *p;
    kernel->name = own.name;
    kernel->regs_per_thread = own.regs_per_thread;
    kernel->smem_bytes = own.smem_bytes;
    return true;
}
