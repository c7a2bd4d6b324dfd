/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/sniff.h. */
#include "traces/import/sniff.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "sim/base/database.h"
#include "sim/base/gz.h"
#include "sim/base/text.h"

/* --- the file's beginning ---------------------------------------------------------------------------------------- */
static sqlite3 *open_database(struct gsim_sniff *sniff, struct gsim_database_steps *steps)
{
    sqlite3 *database = NULL;
    int code = gsim_database_open(sniff->path, false, &database, steps);
    if (code == SQLITE_OK) return database;
    if (code == SQLITE_NOMEM) sniff->no_memory = true;
    sqlite3_close(database);
    return NULL;
}

static void close_database(struct gsim_sniff *sniff, sqlite3 *database)
{
    if (database && sqlite3_errcode(database) == SQLITE_NOMEM) sniff->no_memory = true;
    sqlite3_close(database);
}

static void read_tables(struct gsim_sniff *sniff)
{
    struct gsim_database_steps steps;
    sqlite3 *database = open_database(sniff, &steps);
    sqlite3_stmt *rows = NULL;
    size_t length = (size_t)snprintf(sniff->tables, sizeof sniff->tables, "\n");
    if (!database) return;
    if (sqlite3_prepare_v2(database, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &rows, NULL) ==
        SQLITE_OK)
        while (sqlite3_step(rows) == SQLITE_ROW && length < sizeof sniff->tables - 1) {
            const char *name = (const char *)sqlite3_column_text(rows, 0);
            int wrote = snprintf(sniff->tables + length, sizeof sniff->tables - length, "%s\n", name ? name : "");
            length += (size_t)wrote;
        }
    sqlite3_finalize(rows);
    close_database(sniff, database);
}

enum gsim_status gsim_sniff_open(struct gsim_sniff *sniff, const char *path, struct gsim_error *error)
{
    static const char database[] = "SQLite format 3";
    struct stat info;
    *sniff = (struct gsim_sniff){.path = path, .head = ""};
    sniff->is_there = stat(path, &info) == 0;
    sniff->is_folder = sniff->is_there && S_ISDIR(info.st_mode);
    if (!sniff->is_there || sniff->is_folder) return GSIM_OK;
    unsigned char magic[2] = "";
    FILE *file = gsim_input_stream(path, error);
    if (!file) return gsim_error_prefix(error, "cannot read '%.300s'", path);
    sniff->is_gzip = fread(magic, 1, 2, file) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
    fclose(file);
    sniff->room = gsim_alloc(GSIM_SNIFF_BYTES + 1);
    if (!sniff->room) return gsim_no_memory(error);
    sniff->length = gsim_gz_head(path, sniff->room, GSIM_SNIFF_BYTES + 1);
    sniff->no_memory = errno == ENOMEM;
    sniff->head = sniff->room;
    if (sniff->length >= sizeof database && memcmp(sniff->head, database, sizeof database) == 0) {
        sniff->is_database = !sniff->is_gzip;
        if (sniff->is_database) read_tables(sniff);
        return GSIM_OK;
    }
    size_t skipped = strncmp(sniff->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    skipped += strspn(sniff->head + skipped, " \t\r\n");
    sniff->head += skipped;
    sniff->length -= skipped;
    return GSIM_OK;
}

void gsim_sniff_close(struct gsim_sniff *sniff)
{
    gsim_free(sniff->room);
    sniff->room = NULL;
}

bool gsim_sniff_has_table(const struct gsim_sniff *sniff, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = sniff->tables; (at = strstr(at, name)) != NULL; at++)
        if (at > sniff->tables && at[-1] == '\n' && at[length] == '\n') return true;
    return false;
}

/* --- what is no trace --- */
struct named {
    const char *mark; /* an ending, or what the file begins with, or a table */
    const char *text;
};

static const struct named endings[] = {
    {".nsys-rep", "a report of Nsight Systems: export it with nsys export --type sqlite FILE"},
    {".qdrep", "a report of Nsight Systems: export it with nsys export --type sqlite FILE"},
    {".qdstrm", "raw data of Nsight Systems: import it with QdstrmImporter, then nsys export --type sqlite"},
    {".ncu-rep",
     "a report of Nsight Compute, which has single kernels, not when they ran: record with nsys or PyTorch's profiler"},
    {".xplane.pb", "a profile of JAX or TensorFlow (XPlane): take the trace.json.gz beside it"},
    {".pftrace", "a trace in Perfetto's own format: record with rocprofv3 --output-format json"},
    {".perfetto-trace", "a trace in Perfetto's own format: record as JSON instead"},
    {".otf2", "a trace in OTF2: record with rocprofv3 --output-format json"},
    {".csv", "a table (CSV), which is no trace: give the profiler's SQLite export or JSON trace"},
    {".pickle",
     "a Python pickle, such as PyTorch's memory snapshots: give the trace of torch.profiler's export_chrome_trace()"},
    {".pkl",
     "a Python pickle, such as PyTorch's memory snapshots: give the trace of torch.profiler's export_chrome_trace()"},
};

static const struct named beginnings[] = {
    {"<!DOCTYPE", "a web page: perhaps the page about the file, not the file itself"},
    {"<!doctype", "a web page: perhaps the page about the file, not the file itself"},
    {"<html", "a web page: perhaps the page about the file, not the file itself"},
    {"<HTML", "a web page: perhaps the page about the file, not the file itself"},
    {"<?xml", "an XML file, which is no trace"},
    {"version https://git-lfs", "a pointer of Git LFS: fetch the file itself with git lfs pull"},
    {"PK\x03\x04", "a ZIP archive: unpack it first"},
    {"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it with zstd -d first"},
    {"BZh", "compressed by bzip2: unpack it with bunzip2 first"},
    {"\xfd"
     "7zXZ",
     "compressed by xz: unpack it with unxz first"},
    {"7z\xbc\xaf", "a 7z archive: unpack it first"},
    {"\x7f"
     "ELF",
     "a program, not a trace"},
    {"NVR",
     "a report of Nsight Compute, which has single kernels, not when they ran: record with nsys or PyTorch's profiler"},
    {"==PROF==", "the log of a profiler, not a trace: give the file that it wrote"},
    {"==", "the log of nvprof, not a trace: record with nvprof -o FILE"},
};

static const struct named tables[] = {
    {"rocpd_kernel_dispatch", "a rocpd database of ROCm: record with rocprofv3 --output-format json"},
    {"rocpd_op", "a rocpd database of ROCm: record with rocprofv3 --output-format json"},
    {"sweeps", "gpusim's results of a sweep: gpusim results FILE, gpusim plot"},
};

static const char *find(const struct named *names, size_t count, bool (*fits)(const struct gsim_sniff *, const char *),
                        const struct gsim_sniff *sniff)
{
    for (size_t i = 0; i < count; i++)
        if (fits(sniff, names[i].mark)) return names[i].text;
    return NULL;
}

static bool ends_with(const struct gsim_sniff *sniff, const char *ending)
{
    size_t length = strlen(sniff->path), wanted = strlen(ending);
    return length > wanted && strcasecmp(sniff->path + length - wanted, ending) == 0;
}

static bool begins_with(const struct gsim_sniff *sniff, const char *beginning)
{
    size_t wanted = strlen(beginning);
    return sniff->length >= wanted && memcmp(sniff->head, beginning, wanted) == 0;
}

static bool has_table_like(const struct gsim_sniff *sniff, const char *prefix)
{
    for (const char *at = sniff->tables; (at = strstr(at, prefix)) != NULL; at++)
        if (at > sniff->tables && at[-1] == '\n') return true;
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *name_of_json(const struct gsim_sniff *sniff)
{
    if (strstr(sniff->head, "\"gpusim-program/")) return "a program of gpusim: run it with gpusim --workload FILE";
    if (strstr(sniff->head, "\"gpusim-device/")) return "a device of gpusim: give it to --device";
    if (strstr(sniff->head, "\"gpusim-runs/") || strstr(sniff->head, "\"gpusim-cases/"))
        return "recordings of gpusim-runner: gpusim validate FILE";
    if (strstr(sniff->head, "\"gpusim-")) return "a file of gpusim that is no trace";
    return "JSON without \"traceEvents\"";
}

const char *gsim_sniff_name(const struct gsim_sniff *sniff)
{
    const char *found = NULL;
    if (!sniff->is_there) return "no such file";
    if (sniff->is_folder) return "a folder: give the files in it";
    if (sniff->is_database) {
        found = find(tables, COUNT(tables), has_table_like, sniff);
        return found ? found : "an SQLite database of neither nsys nor nvprof (no table of CUPTI's activities)";
    }
    found = find(endings, COUNT(endings), ends_with, sniff);
    if (!found) found = find(beginnings, COUNT(beginnings), begins_with, sniff);
    if (found) return found;
    if (sniff->length == 0 && sniff->is_gzip) return "gzip of nothing, or damaged: fetch or write it again";
    if (sniff->length == 0) return "empty, or cannot be read";
    if (sniff->is_gzip && begins_with(sniff, "SQLite format 3"))
        return "gzip of an SQLite database: unpack it with gunzip first";
    if (*sniff->head == '{') return name_of_json(sniff);
    return sniff->is_gzip ? "gzip of a file of unknown kind" : "a file of unknown kind";
}

/* --- where it was made --- */
static void copy_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%.*s", (int)size - 1, text ? text : "");
    gsim_text_clean(to);
}

static void origin_of_database(struct gsim_sniff *sniff, struct gsim_trace_origin *origin)
{
    static const char *const queries[] = {
        ("SELECT name, 10 * computeMajor + computeMinor, smCount, memoryBandwidth * 1e-9, clockRate * 1e-6 FROM "
         "TARGET_INFO_GPU "
         "LIMIT 1"),
        "SELECT name, 10 * computeMajor + computeMinor, smCount FROM TARGET_INFO_GPU LIMIT 1",
        "SELECT name FROM TARGET_INFO_GPU LIMIT 1",
        ("SELECT coalesce((SELECT value FROM StringTable WHERE _id_ = name), name), 10 * computeCapabilityMajor + "
         "computeCapabilityMinor, numMultiprocessors FROM CUPTI_ACTIVITY_KIND_DEVICE LIMIT 1"),
    };
    struct gsim_database_steps steps;
    sqlite3 *database = open_database(sniff, &steps);
    for (size_t i = 0; database && i < COUNT(queries) && !origin->gpu[0]; i++) {
        sqlite3_stmt *row = NULL;
        if (sqlite3_prepare_v2(database, queries[i], -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
            copy_text(origin->gpu, sizeof origin->gpu, (const char *)sqlite3_column_text(row, 0));
            int capability = sqlite3_column_count(row) > 1 ? sqlite3_column_int(row, 1) : 0;
            double sms = sqlite3_column_count(row) > 2 ? sqlite3_column_double(row, 2) : 0;
            if (capability > 0 && capability < 1000) origin->compute_capability = capability;
            if (sms > 0 && sms < 1e6) origin->sm_count = sms;
            origin->dram_gbps = sqlite3_column_count(row) > 3 ? sqlite3_column_double(row, 3) : 0;
            origin->clock_mhz = sqlite3_column_count(row) > 3 ? sqlite3_column_double(row, 4) : 0;
        }
        sqlite3_finalize(row);
        sniff->no_memory |= sqlite3_errcode(database) == SQLITE_NOMEM;
    }
    sqlite3_close(database);
}

/* The number behind "NAME": at or after AT. */
static double number_behind(const char *at, const char *name)
{
    double value = 0;
    const char *found = strstr(at, name);
    return found && sscanf(found + strlen(name), " : %lf", &value) == 1 && value >= 0 && value < 1e6 ? value : 0;
}

static void text_behind(const char *at, const char *name, char *text, size_t size)
{
    char found[256] = "";
    const char *start = at ? strstr(at, name) : NULL;
    if (start && sscanf(start + strlen(name), " : \"%255[^\"\\]\"", found) == 1) copy_text(text, size, found);
}

void gsim_sniff_origin(struct gsim_sniff *sniff, struct gsim_trace_origin *origin)
{
    *origin = (struct gsim_trace_origin){0};
    if (sniff->is_database) {
        origin_of_database(sniff, origin);
        return;
    }
    const char *ours = strstr(sniff->head, "\"gpusim\":{");
    char *properties = strstr(sniff->room, "\"deviceProperties\""), *end = properties ? strchr(properties, ']') : NULL;
    text_behind(ours, "\"device\"", origin->device, sizeof origin->device);
    if (end) {
        *end = '\0'; /* the first GPU of the list; other names follow it */
        text_behind(properties, "\"name\"", origin->gpu, sizeof origin->gpu);
        origin->compute_capability =
            (int)gsim_whole(10 * number_behind(properties, "\"computeMajor\"") +
                            number_behind(properties, "\"computeMinor\""));
        origin->sm_count = number_behind(properties, "\"numSms\"");
        *end = ']';
    }
    if (strstr(sniff->head, "\"rocprofiler-sdk-tool\"")) { /* the CPUs, which come first, have product names as well */
        const char *gpu = strstr(sniff->head, "\"AMD Instinct");
        if (!gpu) gpu = strstr(sniff->head, "\"AMD Radeon");
        char found[64] = "";
        if (gpu && sscanf(gpu, "\"%63[^\"\\]\"", found) == 1) copy_text(origin->gpu, sizeof origin->gpu, found);
        for (const char *at = sniff->head;
             origin->compute_capability == 0 && (at = strstr(at, "\"gfx_target_version\"")) != NULL; at++) {
            int version = (int)gsim_whole(number_behind(at, "\"gfx_target_version\""));
            origin->compute_capability = 10 * (version / 10000) + version / 100 % 10;
        }
    }
}
