/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results file: rows come back as they went in, one per key; what is no results file, is in use, or is damaged is
 * refused with a message that says so. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/store.h"
#include "sweep/wire.h"
#include "tests/test.h"

static const char *scratch(char path[64], const char *ending)
{
    snprintf(path, 64, "/tmp/gpusim-store-%ld%s", (long)getpid(), ending);
    unlink(path);
    return path;
}

static struct gsim_row make_row(const char *key, const char *status, double value)
{
    struct gsim_row row = {0};
    row.cells[GSIM_COLUMN_key] = gsim_cell_text(key);
    row.cells[GSIM_COLUMN_status] = gsim_cell_text(status);
    row.cells[GSIM_COLUMN_sweep] = gsim_cell_integer(1);
    row.cells[GSIM_COLUMN_iteration_us] = gsim_cell_real(value);
    row.cells[GSIM_COLUMN_position] = gsim_cell_integer((int64_t)value);
    row.cells[GSIM_COLUMN_version] = gsim_cell_text("1");
    row.cells[GSIM_COLUMN_model] = gsim_cell_text("m");
    return row;
}

struct seen {
    size_t count;
    double sum;
    char keys[64];
};

static enum gsim_status look(void *data, const struct gsim_row *row, struct gsim_error *error)
{
    struct seen *seen = data;
    (void)error;
    seen->count++;
    seen->sum += row->cells[GSIM_COLUMN_iteration_us].real;
    strncat(seen->keys, row->cells[GSIM_COLUMN_key].text, 8);
    CHECK_INT(row->cells[GSIM_COLUMN_error].type, GSIM_CELL_NULL);
    return GSIM_OK;
}

static void put(struct gsim_store *store, const char *key, const char *status, double value, bool expected)
{
    struct gsim_error error = {0};
    struct gsim_row row = make_row(key, status, value);
    bool is_stored = !expected;
    CHECK_OK(gsim_store_begin(store, &error), error);
    CHECK_OK(gsim_store_insert(store, &row, &is_stored, &error), error);
    CHECK_OK(gsim_store_commit(store, &error), error);
    CHECK_INT(is_stored, expected);
}

static void rows_come_back(void)
{
    char path[64];
    struct gsim_store *store;
    struct gsim_error error = {0};
    struct seen seen = {0};
    scratch(path, ".db");
    CHECK_OK(gsim_store_open(path, GSIM_STORE_CREATE, &store, &error), error);
    put(store, "b", "failed", 7, true);
    put(store, "a", "ok", 3, true);
    put(store, "a", "ok", 4, false); /* done: stays */
    put(store, "b", "ok", 1, true);  /* failed before: gives way */
    gsim_store_close(store);
    CHECK_OK(gsim_store_open(path, GSIM_STORE_READ, &store, &error), error);
    CHECK_OK(gsim_store_each(store, look, &seen, &error), error);
    CHECK_INT(seen.count, 2);
    CHECK_NEAR(seen.sum, 4, 0);
    CHECK_STR(seen.keys, "ba"); /* by position */
    gsim_store_close(store);
    unlink(path);
}

static void sweeps_are_recorded_once(void)
{
    char path[64];
    struct gsim_store *store;
    struct gsim_error error = {0};
    struct gsim_sweep_record first = {.spec = "{}", .version = "1", .model = "m", .command = "c", .points = 5};
    struct gsim_sweep_record again = first, other = first;
    other.shard = "1/2";
    scratch(path, ".db");
    CHECK_OK(gsim_store_open(path, GSIM_STORE_CREATE, &store, &error), error);
    CHECK_OK(gsim_store_add_sweep(store, &first, &error), error);
    CHECK_OK(gsim_store_add_sweep(store, &again, &error), error);
    CHECK_OK(gsim_store_add_sweep(store, &other, &error), error);
    CHECK_INT(again.id, first.id);
    CHECK_INT(other.id, first.id + 1);
    gsim_store_close(store);
    unlink(path);
}

static void check_refused(const char *path, enum gsim_store_mode mode, enum gsim_status expected, const char *part)
{
    struct gsim_store *store;
    struct gsim_error error = {0};
    CHECK_INT(gsim_store_open(path, mode, &store, &error), expected);
    CHECK(store == NULL);
    CHECK_HAS(error.message, part);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs(text, file);
    fclose(file);
}

static void others_files_are_refused(void)
{
    char path[64];
    struct stat about;
    struct gsim_store *store;
    struct gsim_error error = {0};
    scratch(path, ".db");
    check_refused(path, GSIM_STORE_READ, GSIM_INPUT, "no such file");
    CHECK(stat(path, &about) != 0);
    check_refused("/tmp", GSIM_STORE_WRITE, GSIM_INPUT, "found a folder");
    write_text(path, "workload,sched\nimg,kesco\nthis is a CSV file, and certainly no database of any kind\n");
    check_refused(path, GSIM_STORE_READ, GSIM_INPUT, "no SQLite database");
    check_refused(path, GSIM_STORE_WRITE, GSIM_INPUT, "no SQLite database");
    CHECK_OK(stat(path, &about), error);
    CHECK_INT(about.st_size, 83); /* untouched */
    unlink(path);
    CHECK_OK(gsim_store_open(path, GSIM_STORE_CREATE, &store, &error), error);
    gsim_store_close(store);
    check_refused(path, GSIM_STORE_CREATE, GSIM_INPUT, "is there already");
    unlink(path);
}

static void a_second_writer_is_refused(void)
{
    char path[64], holder[32];
    struct gsim_store *store;
    struct gsim_error error = {0};
    int status = 0;
    scratch(path, ".db");
    CHECK_OK(gsim_store_open(path, GSIM_STORE_CREATE, &store, &error), error);
    snprintf(holder, sizeof(holder), "process %ld", (long)getpid());
    pid_t child = fork(); /* locks are between processes */
    if (child == 0) {
        struct gsim_store *second;
        struct gsim_error refusal = {0};
        bool refused = gsim_store_open(path, GSIM_STORE_WRITE, &second, &refusal) == GSIM_IO &&
                       strstr(refusal.message, "being written by another gpusim") && strstr(refusal.message, holder);
        /* Reading goes on meanwhile. */
        bool read = gsim_store_open(path, GSIM_STORE_READ, &second, &refusal) == GSIM_OK;
        _exit(refused && read ? 0 : 1);
    }
    waitpid(child, &status, 0);
    CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    gsim_store_close(store);
    CHECK_OK(gsim_store_open(path, GSIM_STORE_WRITE, &store, &error), error); /* free again */
    gsim_store_close(store);
    unlink(path);
}

static void damage_is_noticed(void)
{
    char path[64], page[4096];
    struct gsim_store *store;
    struct gsim_error error = {0};
    scratch(path, ".db");
    CHECK_OK(gsim_store_open(path, GSIM_STORE_CREATE, &store, &error), error);
    for (int i = 0; i < 200; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key-%d", i);
        put(store, key, "ok", i, true);
    }
    gsim_store_close(store);
    int file = open(path, O_RDWR);
    memset(page, 0x5a, sizeof(page));
    CHECK_INT(pwrite(file, page, sizeof(page), 3 * 4096), sizeof(page));
    close(file);
    check_refused(path, GSIM_STORE_WRITE, GSIM_IO, "damaged");
    unlink(path);
}

static void rows_travel_as_bytes(void)
{
    struct gsim_row row = make_row("k", "ok", 1.5), back;
    struct gsim_bytes bytes = {0};
    row.cells[GSIM_COLUMN_error] = gsim_cell_text("");
    row.cells[GSIM_COLUMN_seed] = gsim_cell_integer(INT64_MIN);
    gsim_row_pack(&row, &bytes);
    CHECK(gsim_row_unpack(&back, bytes.data, bytes.length));
    for (int i = 0; i < GSIM_COLUMN_COUNT; i++) CHECK_INT(back.cells[i].type, row.cells[i].type);
    CHECK_STR(back.cells[GSIM_COLUMN_key].text, "k");
    CHECK_STR(back.cells[GSIM_COLUMN_error].text, "");
    CHECK(back.cells[GSIM_COLUMN_seed].integer == INT64_MIN);
    for (size_t length = 0; length < bytes.length; length++) CHECK(!gsim_row_unpack(&back, bytes.data, length));
    gsim_bytes_release(&bytes);
}

static const struct test_case cases[] = {
    {"rows come back, one per key", rows_come_back},
    {"sweeps are recorded once", sweeps_are_recorded_once},
    {"other files are refused", others_files_are_refused},
    {"a second writer is refused", a_second_writer_is_refused},
    {"damage is noticed", damage_is_noticed},
    {"rows travel as bytes", rows_travel_as_bytes},
};
TEST_MAIN("sweep/store", cases)
