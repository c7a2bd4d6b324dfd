/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/formats.h. */
#include "traces/import/formats.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "gpusim/memory.h"
#include "sim/base/gz.h"
#include "traces/import/kineto.h"
#include "traces/import/nsys.h"
#include "traces/import/nvprof.h"
#include "traces/import/table.h"

#define HEAD_BYTES 65536u

const struct gsim_importer gsim_importers[] = {
#define X(name, help) {#name, help, gsim_import_##name},
#include "traces/import/importers.def"
#undef X
    {NULL, NULL, NULL},
};

const struct gsim_importer *gsim_importer_named(const char *name)
{
    for (const struct gsim_importer *i = gsim_importers; i->name; i++)
        if (strcmp(i->name, name) == 0) return i;
    return NULL;
}

static bool has_table(sqlite3 *database, const char *name)
{
    sqlite3_stmt *find = NULL;
    bool found = sqlite3_prepare_v2(database, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1", -1, &find, NULL) == SQLITE_OK &&
                 sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(find) == SQLITE_ROW;
    sqlite3_finalize(find);
    return found;
}

static const struct gsim_importer *of_database(const char *path, struct gsim_error *error)
{
    static const struct {
        const char *table, *importer, *what;
    } known[] = {
        {"StringTable", "nvprof", NULL}, /* nsys' table of texts is StringIds */
        {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "nvprof", NULL},
        {"StringIds", "nsys", NULL},
        {"CUPTI_ACTIVITY_KIND_KERNEL", "nsys", NULL},
        {"CUPTI_ACTIVITY_KIND_RUNTIME", "nsys", NULL},
        {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "nsys", NULL},
        {"points", NULL, "results of gpusim sweep: gpusim results lists them, gpusim plot draws them"},
        {"rocpd_string", NULL, "a database of rocprof: export its trace as JSON"},
    };
    const struct gsim_importer *found = NULL;
    sqlite3 *database = gsim_table_database(path, error);
    size_t i = 0;
    if (!database) return NULL;
    while (i < sizeof known / sizeof known[0] && !has_table(database, known[i].table)) i++;
    if (i == sizeof known / sizeof known[0])
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected a profiler's trace, found an SQLite database without its tables", path);
    else if (known[i].importer)
        found = gsim_importer_named(known[i].importer);
    else
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected a profiler's trace, found %s", path, known[i].what);
    sqlite3_close(database);
    return found;
}

/* Of a database by one row, of a trace by the first "name" behind its "deviceProperties". */
void gsim_importer_gpu(const struct gsim_importer *importer, const char *path, char gpu[64])
{
    gpu[0] = '\0';
    if (strcmp(importer->name, "kineto") != 0) {
        struct gsim_error ignored = {0};
        sqlite3_stmt *find = NULL;
        sqlite3 *database = gsim_table_database(path, &ignored);
        if (database && sqlite3_prepare_v2(database, "SELECT name FROM TARGET_INFO_GPU LIMIT 1", -1, &find, NULL) == SQLITE_OK &&
            sqlite3_step(find) == SQLITE_ROW && sqlite3_column_type(find, 0) == SQLITE_TEXT)
            snprintf(gpu, 64, "%.63s", (const char *)sqlite3_column_text(find, 0));
        sqlite3_finalize(find);
        sqlite3_close(database);
        return;
    }
    char *head = gsim_alloc(HEAD_BYTES + 1);
    const char *at = head && gsim_gz_head(path, head, HEAD_BYTES + 1) ? strstr(head, "\"deviceProperties\"") : NULL;
    if (at) at = strstr(at, "\"name\"");
    if (at && sscanf(at, "\"name\" : \"%63[^\"\\]\"", gpu) != 1) gpu[0] = '\0';
    gsim_free(head);
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* Files that hold a trace, but not in a form that can be read. */
static const char *advice(const char *path, const char *head)
{
    if (ends_in(path, ".nsys-rep") || ends_in(path, ".qdrep"))
        return "a report of Nsight Systems: export it with nsys export --type sqlite";
    if (ends_in(path, ".ncu-rep")) return "a report of Nsight Compute, which holds no times of calls: record with nsys or PyTorch's profiler";
    if (ends_in(path, ".pftrace") || ends_in(path, ".perfetto-trace")) return "a trace in Perfetto's own format: convert it with traceconv json";
    if (ends_in(path, ".pb") || ends_in(path, ".xplane.pb")) return "a protocol buffer: take the trace.json.gz beside it";
    if (strncmp(head, "<!DOCTYPE", 9) == 0 || strncmp(head, "<html", 5) == 0) return "a web page";
    if (strstr(head, "\"gpusim-program/")) return "a program, not a trace: give it as --workload";
    return NULL;
}

const struct gsim_importer *gsim_importer_of(const char *path, struct gsim_error *error)
{
    struct stat info;
    if (strcmp(path, "-") == 0) return gsim_importer_named("kineto");
    if (stat(path, &info) != 0 || S_ISDIR(info.st_mode)) {
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected a profiler's trace, found %s", path,
                       stat(path, &info) != 0 ? "no such file" : "a folder");
        return NULL;
    }
    char *head = gsim_alloc(HEAD_BYTES + 1);
    if (!head) {
        gsim_error_set(error, GSIM_NOMEM, "out of memory");
        return NULL;
    }
    const struct gsim_importer *found = NULL;
    bool is_read = gsim_gz_head(path, head, HEAD_BYTES + 1);
    const char *text = is_read ? head + strspn(head, " \n\r\t\xef\xbb\xbf") : "", *what = advice(path, is_read ? head : "");
    if (what)
        gsim_error_set(error, GSIM_INPUT, "cannot read '%s': expected a profiler's trace, found %s", path, what);
    else if (is_read && strncmp(head, "SQLite format 3", 15) == 0)
        found = of_database(path, error);
    else if (*text == '{' || *text == '[')
        found = gsim_importer_named("kineto");
    else
        gsim_error_set(error, GSIM_INPUT,
                       "cannot read '%s': expected a profiler's trace (kineto, nsys or nvprof), found another kind of file", path);
    gsim_free(head);
    return found;
}
