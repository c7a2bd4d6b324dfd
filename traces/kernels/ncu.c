/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ncu's raw page as CSV: a row of names, one of units, a row a kernel. Which metrics there are depends on the sections
 * that were measured, so that each figure has several sources, the best one first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpusim/limits.h"
#include "traces/kernels/profiles.h"

/* ncu --set full prints 765 columns of an H100 (traces/h100/unlike); the rest is room for metrics that are asked for
 * beside. */
#define MAX_COLUMNS 16384

struct page {
    struct gsim_profiles *profiles;
    struct gsim_error *error;
    char **names, **units, **cells;
    uint32_t column_count;
    uint64_t line;
};

/* --- text --------------------------------------------------------------------------------------------------------- */
/* The cells of the record at *AT, unquoted in place; *AT becomes what lies behind. Returns how many; above
 * MAX_COLUMNS: too many. */
static uint32_t split(char **at, char **cells)
{
    uint32_t count = 0;
    char *from = *at;
    for (bool more = true; more;) {
        char *to = from, *start = from;
        bool quoted = *from == '"';
        if (quoted) from++;
        for (; *from && (quoted || (*from != ',' && *from != '\n')); from++) {
            if (quoted && *from == '"' && *++from != '"') break;
            *to++ = *from;
        }
        while (*from && *from != ',' && *from != '\n') from++;
        more = *from == ',';
        from += *from != '\0';
        if (to > start && to[-1] == '\r') to--;
        *to = '\0';
        if (count < MAX_COLUMNS) cells[count] = start;
        count++;
    }
    *at = from;
    return count;
}

static const char *cell(const struct page *p, const char *name)
{
    for (uint32_t i = 0; i < p->column_count; i++)
        if (strcmp(p->names[i], name) == 0) return p->cells[i];
    return NULL;
}

/* By the unit that stands above the number: ns and byte are 1, "%" is 0.01. */
static double unit_scale(const char *unit)
{
    static const struct {
        const char *prefix;
        double scale;
    } prefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    static const char *const bare[] = {"s", "second", "sec", "byte", "B", "hz", "Hz", "inst", "cycle"};
    size_t length = strcspn(unit, "/");
    if (strcmp(unit, "%") == 0) return 0.01;
    for (size_t b = 0; b < sizeof bare / sizeof *bare; b++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (length == 1 + strlen(bare[b]) && unit[0] == prefixes[i].prefix[0] &&
                strncmp(unit + 1, bare[b], length - 1) == 0)
                return prefixes[i].scale;
    return 1;
}

/* In seconds, bytes, shares. NAN: there is none, or it was not measured. Thousands are told apart by commas. */
static double value(const struct page *p, const char *name)
{
    for (uint32_t i = 0; i < p->column_count; i++) {
        if (strcmp(p->names[i], name) != 0) continue;
        char digits[64], *end;
        size_t length = 0;
        for (const char *c = p->cells[i]; *c && length + 1 < sizeof digits; c++)
            if (*c != ',') digits[length++] = *c;
        digits[length] = '\0';
        double number = strtod(digits, &end);
        return end == digits || *end || !isfinite(number) ? NAN : number * unit_scale(p->units[i]);
    }
    return NAN;
}

static double first_of(double a, double b) { return isnan(a) ? b : a; }
static double most_of(double a, double b) { return isnan(a) ? b : isnan(b) || a > b ? a : b; }

/* --- figures ------------------------------------------------------------------------------------------------------ */
/* Of the time from first to last, in which SMs work. */
static double active_share(const struct page *p)
{
    double active = value(p, "sm__cycles_active.avg");
    double elapsed = first_of(value(p, "sm__cycles_elapsed.max"), value(p, "gpc__cycles_elapsed.max"));
    return active / elapsed;
}

/* The share of a unit's peak over the kernel's whole time. */
static double share(const struct page *p, const char *unit)
{
    char name[160];
    snprintf(name, sizeof name, "%s.avg.pct_of_peak_sustained_elapsed", unit);
    double elapsed = value(p, name);
    if (!isnan(elapsed)) return elapsed;
    snprintf(name, sizeof name, "%s.avg.pct_of_peak_sustained_active", unit);
    return value(p, name) * active_share(p);
}

/* What each pipe is read from: the first that was measured, or with a "+" before it the most of both. */
static const struct {
    enum gsim_pipe pipe;
    const char *unit;
} sources[] = {
    {GSIM_PIPE_ISSUE, "sm__inst_issued"},
    {GSIM_PIPE_ISSUE, "sm__issue_active"},
    {GSIM_PIPE_ISSUE, "smsp__issue_active"},
    {GSIM_PIPE_ISSUE, "sm__inst_executed"},
    {GSIM_PIPE_FMA, "sm__pipe_fma_cycles_active"},
    {GSIM_PIPE_FMA, "sm__inst_executed_pipe_fma"},
    {GSIM_PIPE_ALU, "sm__pipe_alu_cycles_active"},
    {GSIM_PIPE_ALU, "sm__inst_executed_pipe_alu"},
    {GSIM_PIPE_FP64, "sm__pipe_fp64_cycles_active"},
    {GSIM_PIPE_FP64, "sm__inst_executed_pipe_fp64"},
    {GSIM_PIPE_XU, "sm__inst_executed_pipe_xu"},
    {GSIM_PIPE_TENSOR, "sm__pipe_tensor_cycles_active"},
    {GSIM_PIPE_TENSOR, "sm__pipe_tensor_op_hmma_cycles_active"},
    {GSIM_PIPE_TENSOR, "sm__inst_executed_pipe_tensor"},
    {GSIM_PIPE_LSU, "l1tex__data_pipe_lsu_wavefronts"},
    {GSIM_PIPE_LSU, "+sm__inst_executed_pipe_lsu"},
    {GSIM_PIPE_L1, "l1tex__throughput"},
    {GSIM_PIPE_L2, "lts__throughput"},
    {GSIM_PIPE_L2, "lts__t_sectors"},
    {GSIM_PIPE_DRAM, "gpu__dram_throughput"},
    {GSIM_PIPE_DRAM, "dram__throughput"},
    {GSIM_PIPE_DRAM, "dram__cycles_active"},
};

static void read_pipes(const struct page *p, struct gsim_kernel *k)
{
    double found[GSIM_PIPE_COUNT];
    for (int i = 0; i < GSIM_PIPE_COUNT; i++) found[i] = NAN;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        double *pipe = &found[sources[i].pipe];
        bool adds = sources[i].unit[0] == '+';
        double read = share(p, sources[i].unit + adds);
        *pipe = adds ? most_of(*pipe, read) : first_of(*pipe, read);
    }
    found[GSIM_PIPE_L2_SLICE] =
        first_of(value(p, "lts__throughput.max.pct_of_peak_sustained_elapsed"), found[GSIM_PIPE_L2]);
    if (isnan(found[GSIM_PIPE_ISSUE]))
        found[GSIM_PIPE_ISSUE] = share(p, "sm__throughput"); /* the section SpeedOfLight alone */
    for (int i = 0; i < GSIM_PIPE_COUNT; i++) {
        k->pipes_given |= !isnan(found[i]);
        k->pipes[i] = isnan(found[i]) || found[i] < 0 ? 0 : found[i] > GSIM_LIMIT_PIPE ? GSIM_LIMIT_PIPE : found[i];
    }
}

/* Arithmetic, where it was counted: an FMA is two. */
static double count_flops(const struct page *p, const char *type)
{
    static const char *const ops[] = {"add", "mul", "fma"};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        char name[96];
        snprintf(name, sizeof name, "sm__sass_thread_inst_executed_op_%s%s_pred_on.sum", type, ops[i]);
        double count = value(p, name);
        if (isnan(count)) {
            snprintf(name, sizeof name, "smsp__sass_thread_inst_executed_op_%s%s_pred_on.sum", type, ops[i]);
            count = value(p, name);
        }
        if (isnan(count)) return NAN;
        sum += i == 2 ? 2 * count : count;
    }
    return sum;
}

/* The longest block's time over the mean's, from how long SMs were active. N blocks stand on an SM at once, of which it
 * is the longest that counts. Less than a microsecond or two is how kernels begin and end. */
#define MIN_UNEQUAL_S 2e-6
#define MIN_UNEQUAL     1.1
static double find_imbalance(const struct page *p, double blocks, double seconds)
{
    double most = value(p, "sm__cycles_active.max"), mean = value(p, "sm__cycles_active.avg");
    double elapsed = first_of(value(p, "sm__cycles_elapsed.max"), value(p, "gpc__cycles_elapsed.max"));
    double sms = first_of(value(p, "launch__sm_count"), value(p, "sm__cycles_active.sum") / mean), each = blocks / sms;
    if (!(most > 0) || !(mean > 0) || !(elapsed > 0) || !(sms > 0)) return 0;
    double alike = each < 1 ? 1 / each : ceil(each) / each; /* of equal blocks */
    double ratio = most / mean / alike;
    if (ratio < MIN_UNEQUAL || (most - mean * alike) / elapsed * seconds < MIN_UNEQUAL_S) return 0;
    return 1 + sqrt(fmax(each, 1)) * (ratio - 1);
}

/* What it reads and writes: ncu empties the caches, so that DRAM is asked for what it reads, and L2's compressor sees
 * what it writes, also where L2 holds that yet. 0: not measured. */
#define SECTOR_BYTES 32
#define REREAD_HITS 0.68 /* share of requests that L2 has, where what is read is read by several SMs */
static double find_data(const struct page *p, double dram_bytes)
{
    double written = value(p, "lrc__ilc_input_sectors.sum") * SECTOR_BYTES,
           bytes = dram_bytes + (isnan(written) ? 0 : written);
    if (value(p, "lts__t_sector_hit_rate.pct") >= REREAD_HITS)
        bytes += dram_bytes; /* what SMs of both halves read is in both */
    return isnan(bytes) ? 0 : fmax(bytes, 1);
}

/* The share of warps' time that waits for what is not on their SM. 0: not measured. */
static double find_memory_wait(const struct page *p)
{
    static const char *const waits[] = {"long_scoreboard", "lg_throttle", "drain", "membar", "tex_throttle"};
    double sum = 0, all = value(p, "smsp__average_warp_latency_per_inst_issued.ratio");
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        char name[96];
        snprintf(name, sizeof name, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio", waits[i]);
        double wait = value(p, name);
        if (!isnan(wait)) sum += wait;
    }
    return all > 0 ? fmin(fmax(sum / all, 1e-3), 1) : 0;
}

/* Of single sectors a read costs DRAM more than of whole lines, and a write more than a read. */
#define APART_READ  0.8
#define APART_WRITE 1.7
static double find_dram_cost(const struct page *p, double bytes)
{
    double requests = share(p, "lts__t_tag_requests"), sectors = share(p, "lts__t_sectors");
    double written = value(p, "lrc__ilc_input_sectors.sum") * SECTOR_BYTES;
    if (!(requests > 0) || !(sectors > 0)) return 0;
    double apart = fmax(1 - sectors / requests, 0), writes = bytes > 0 && written > 0 ? fmin(written / bytes, 1) : 0;
    return 1 + apart * (APART_READ + APART_WRITE * writes);
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */
/* "(8, 6, 1)". */
static bool read_dim(const char *text, struct gsim_dim3 *size)
{
    unsigned x = 0, y = 0, z = 0;
    if (!text || sscanf(text, " (%u, %u, %u)", &x, &y, &z) != 3 || !x || !y || !z) return false;
    *size = (struct gsim_dim3){x, y, z};
    return true;
}

static uint32_t count_of(const struct page *p, const char *name, double most)
{
    double number = value(p, name);
    return number > 0 && number <= most ? gsim_whole_u32(number) : 0;
}

/* Of a kernel without clusters ncu says 0; 0, 0, 0 here: it was not measured. */
static struct gsim_dim3 read_cluster(const struct page *p)
{
    static const char *const names[3] = {"launch__cluster_dim_x", "launch__cluster_dim_y", "launch__cluster_dim_z"};
    uint32_t sizes[3];
    for (int i = 0; i < 3; i++) {
        if (isnan(value(p, names[i]))) return (struct gsim_dim3){0};
        sizes[i] = count_of(p, names[i], GSIM_LIMIT_CLUSTER);
        if (!sizes[i]) sizes[i] = 1;
    }
    return (struct gsim_dim3){sizes[0], sizes[1], sizes[2]};
}

static enum gsim_status read_row(struct page *p)
{
    const char *name = cell(p, "Kernel Name");
    struct gsim_kernel kernel = {0};
    bool has_shape = read_dim(cell(p, "Grid Size"), &kernel.grid) && read_dim(cell(p, "Block Size"), &kernel.block);
    if (!has_shape || !name || !*name)
        return gsim_error_set(p->error, GSIM_INPUT, "line %llu: expected Kernel Name, Grid Size and Block Size",
                              (unsigned long long)p->line);
    double seconds = value(p, "gpu__time_duration.sum"), bytes = value(p, "dram__bytes.sum"),
           rate = value(p, "dram__bytes.sum.per_second"), hits = value(p, "l1tex__t_sector_hit_rate.pct");
    double single = count_flops(p, "f"), twofold = count_flops(p, "d");
    struct gsim_kernel *k = gsim_profiles_add(p->profiles);
    char *copy = gsim_arena_printf(&p->profiles->arena, "%.*s", GSIM_LIMIT_NAME, name);
    if (!k || !copy) return gsim_no_memory(p->error);
    *k = kernel;
    k->name = copy;
    k->regs_per_thread = count_of(p, "launch__registers_per_thread", GSIM_LIMIT_REGS);
    k->smem_bytes = count_of(p, "launch__shared_mem_per_block_dynamic", GSIM_LIMIT_SMEM_BYTES) +
                    count_of(p, "launch__shared_mem_per_block_static", GSIM_LIMIT_SMEM_BYTES);
    k->cluster = read_cluster(p);
    if (seconds > 0 && seconds * 1e6 <= GSIM_LIMIT_US) k->solo_us = seconds * 1e6;
    if (isnan(bytes)) bytes = rate * seconds;
    k->data_bytes = find_data(p, bytes);
    k->memory_wait = find_memory_wait(p);
    k->l1_hit = hits > 0 ? fmin(hits, 1) : 0;
    k->dram_cost = find_dram_cost(p, bytes);
    k->demand_given = !isnan(single) && !isnan(bytes);
    k->fp64 = twofold > single;
    k->flops = k->demand_given ? fmax(single, isnan(twofold) ? 0 : twofold) : 0;
    k->dram_bytes = k->demand_given ? bytes : 0;
    k->imbalance = find_imbalance(p, (double)k->grid.x * k->grid.y * k->grid.z, seconds);
    read_pipes(p, k);
    return GSIM_OK;
}

/* The row of names begins with "ID"; what ncu says of itself stands before. */
static char *find_names(char *text, uint64_t *line)
{
    for (char *at = text; *at; at++, ++*line) {
        if (strncmp(at, "\"ID\"", 4) == 0 || strncmp(at, "ID,", 3) == 0) return at;
        at += strcspn(at, "\n");
        if (!*at) break;
    }
    return NULL;
}

enum gsim_status gsim_profiles_read_csv(struct gsim_profiles *profiles, char *text, struct gsim_error *error)
{
    struct page p = {.profiles = profiles, .error = error, .line = 1};
    char *at = find_names(text, &p.line), **room = gsim_alloc(3 * MAX_COLUMNS * sizeof *room);
    enum gsim_status status = room ? GSIM_OK : gsim_no_memory(error);
    if (status == GSIM_OK && !at)
        status = gsim_error_set(error, GSIM_INPUT,
                                "expected ncu's raw page, found no row of names that begins with \"ID\": "
                                "ncu --import FILE --csv --page raw prints it");
    if (status == GSIM_OK) {
        p.names = room;
        p.units = room + MAX_COLUMNS;
        p.cells = room + 2 * MAX_COLUMNS;
        p.column_count = split(&at, p.names);
        p.line++;
        uint32_t units = p.column_count <= MAX_COLUMNS ? split(&at, p.units) : 0;
        if (units != p.column_count || p.units[0][0])
            status =
                gsim_error_set(error, GSIM_INPUT, "line %llu: expected the units of %u columns: --page raw prints them",
                               (unsigned long long)p.line, p.column_count);
    }
    while (status == GSIM_OK && *at) {
        p.line++;
        if (*at == '\n' || *at == '=') { /* ncu speaks */
            at += strcspn(at, "\n");
            at += *at != '\0';
            continue;
        }
        uint32_t count = split(&at, p.cells);
        if (count != p.column_count)
            status = gsim_error_set(error, GSIM_INPUT, "line %llu: expected %u columns, found %u",
                                    (unsigned long long)p.line, p.column_count, count);
        else
            status = read_row(&p);
    }
    gsim_free(room);
    return status;
}
