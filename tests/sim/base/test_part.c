/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files under way: names that cannot be guessed, links that are planted or meant, modes, pipes, and what is left
 * behind. */
#include "sim/base/part.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/output.h"
#include "sim/base/scratch.h"
#include "tests/test.h"

/* In place of the system's: the file's name is then known, so that something can be planted there. */
static bool is_guessed;
ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    static unsigned char next;
    (void)flags;
    memset(bytes, 0, size);
    if (!is_guessed) memset(bytes, ++next, 1);
    return (ssize_t)size;
}

static unsigned entries(const char *folder)
{
    unsigned count = 0;
    DIR *place = opendir(folder);
    for (struct dirent *entry = place ? readdir(place) : NULL; entry; entry = readdir(place))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) count++;
    if (place) closedir(place);
    return count;
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

static const char *content(const char *path)
{
    static char text[64];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = '\0';
    return file ? text : "(none)";
}

static enum gsim_status write_to(const char *path, const char *text, struct gsim_error *error)
{
    struct gsim_output output;
    enum gsim_status status = gsim_output_open(&output, path, error);
    if (status != GSIM_OK) return status;
    gsim_output_text(&output, text);
    return gsim_output_commit(&output, error);
}

struct place {
    struct gsim_arena arena;
    const char *folder, *path, *link;
};

static struct place begin(void)
{
    struct place p = {0};
    struct gsim_error error = {0};
    CHECK_OK(gsim_scratch_folder(&p.arena, &p.folder, &error), error);
    p.path = gsim_arena_printf(&p.arena, "%s/out.json", p.folder);
    p.link = gsim_arena_printf(&p.arena, "%s/link", p.folder);
    return p;
}

static void end(struct place *p)
{
    gsim_scratch_remove(p->folder);
    CHECK(access(p->folder, F_OK) != 0);
    gsim_arena_release(&p->arena);
}

static void planted_link(void)
{
    struct place p = begin();
    struct gsim_error error = {0};
    const char *victim = gsim_arena_printf(&p.arena, "%s/victim", p.folder);
    put_file(victim, "mine");
    CHECK_INT(symlink(victim, gsim_arena_printf(&p.arena, "%s.0000000000000000.part", p.path)), 0);
    is_guessed = true;
    CHECK_INT(write_to(p.path, "text", &error), GSIM_IO);
    is_guessed = false;
    CHECK_HAS(error.message, "File exists");
    CHECK_STR(content(victim), "mine");
    CHECK(access(p.path, F_OK) != 0);
    CHECK_INT(entries(p.folder), 2); /* nor was what is not ours removed */
    CHECK_OK(write_to(p.path, "text", &error), error);
    CHECK_STR(content(p.path), "text");
    end(&p);
}

/* Two at once have names of their own; what is dropped leaves what was there. */
static void names(void)
{
    struct place p = begin();
    struct gsim_part one, two;
    struct gsim_error error = {0};
    char long_name[256] = "";
    memset(long_name, 'x', 250);
    put_file(p.path, "before");
    CHECK_OK(gsim_part_open(&one, p.path, &error), error);
    CHECK_OK(gsim_part_open(&two, p.path, &error), error);
    CHECK(one.name && two.name && strcmp(one.name, two.name) != 0);
    CHECK_STR(content(p.path), "before");
    CHECK_INT(entries(p.folder), *one.held ? 1 : 3); /* what a kill -9 would leave */
    gsim_part_release(&one);
    CHECK_INT(entries(p.folder), *two.held ? 1 : 2);
    CHECK(gsim_part_commit(&two));
    CHECK_STR(content(p.path), "");
    CHECK_INT(entries(p.folder), 1);
    CHECK_OK(write_to(gsim_arena_printf(&p.arena, "%s/%s", p.folder, long_name), "long", &error), error);
    CHECK_INT(entries(p.folder), 2);
    end(&p);
}

static void links_stay(void)
{
    struct place p = begin();
    struct gsim_error error = {0};
    struct stat info;
    CHECK_INT(symlink("out.json", p.link), 0);
    for (int i = 0; i < 2; i++) { /* to nothing yet, and to a file */
        CHECK_OK(write_to(p.link, i ? "second" : "first", &error), error);
        CHECK(lstat(p.link, &info) == 0 && S_ISLNK(info.st_mode));
        CHECK_STR(content(p.path), i ? "second" : "first");
        CHECK_INT(entries(p.folder), 2);
    }
    unlink(p.link);
    CHECK_INT(symlink(p.folder, p.link), 0);
    CHECK_INT(write_to(p.link, "a folder", &error), GSIM_IO);
    CHECK_HAS(error.message, "Is a directory");
    unlink(p.link);
    CHECK_INT(symlink("link", p.link), 0); /* to itself */
    CHECK_INT(write_to(p.link, "a circle", &error), GSIM_IO);
    end(&p);
}

static void modes_stay(void)
{
    struct place p = begin();
    struct gsim_error error = {0};
    struct stat info;
    mode_t before = umask(022);
    CHECK_OK(write_to(p.path, "new", &error), error);
    CHECK(stat(p.path, &info) == 0 && (info.st_mode & 0777) == 0644);
    CHECK_INT(chmod(p.path, 0600), 0);
    CHECK_OK(write_to(p.path, "private", &error), error);
    CHECK(stat(p.path, &info) == 0 && (info.st_mode & 0777) == 0600);
    umask(before);
    end(&p);
}

static void written_in_place(void)
{
    struct place p = begin();
    struct gsim_error error = {0};
    struct stat info;
    char text[8] = "";
    CHECK_INT(mkfifo(p.link, 0600), 0);
    int reader = open(p.link, O_RDONLY | O_NONBLOCK);
    CHECK_OK(write_to(p.link, "piped", &error), error);
    CHECK(read(reader, text, sizeof text - 1) == 5);
    CHECK_STR(text, "piped");
    CHECK(lstat(p.link, &info) == 0 && S_ISFIFO(info.st_mode));
    close(reader);
    CHECK_INT(write_to("/dev/full", "full", &error), GSIM_IO);
    CHECK_HAS(error.message, "cannot write '/dev/full': No space left");
    /* A descriptor that is open is written where it stands: a shell's file is not replaced, nor cut. */
    int file = open(p.path, O_RDWR | O_CREAT, 0600);
    CHECK(write(file, "ab", 2) == 2);
    CHECK_OK(write_to(gsim_arena_printf(&p.arena, "/dev/fd/%d", file), "cd", &error), error);
    CHECK(write(file, "ef", 2) == 2);
    CHECK_STR(content(p.path), "abcdef");
    close(file);
    CHECK_INT(write_to("/dev/fd/987", "x", &error), GSIM_IO);
    CHECK_INT(write_to("/dev/fd/2x", "x", &error), GSIM_IO);
    CHECK_INT(write_to("/dev/fd/4294967298", "x", &error), GSIM_IO); /* not 2 */
    CHECK_INT(entries(p.folder), 2);
    end(&p);
}

/* Every allocation fails once: an error, what was there stays, and nothing is left. */
static void out_of_memory(void)
{
    struct place p = begin();
    struct gsim_error error = {0};
    put_file(p.path, "before");
    gsim_alloc_fail_nth(0);
    CHECK_OK(write_to(p.path, "first", &error), error);
    uint64_t count = gsim_alloc_fail_nth(0);
    CHECK(count >= 4);
    for (uint64_t n = 1; n <= count; n++) {
        gsim_alloc_fail_nth(n);
        enum gsim_status status = write_to(p.path, "after", &error);
        gsim_alloc_fail_nth(0);
        /* Without its place in the list of what an early end removes, a file is written all the same. */
        CHECK_MSG(status == GSIM_NOMEM || status == GSIM_OK, "allocation %d: status %d", (int)n, (int)status);
        CHECK_STR(content(p.path), status == GSIM_OK ? "after" : "first");
        CHECK_INT(entries(p.folder), 1);
        CHECK_OK(write_to(p.path, "first", &error), error);
    }
    end(&p);
}

static const struct test_case cases[] = {
    {"a planted link is not followed", planted_link}, {"names", names},           {"links stay links", links_stay},
    {"modes stay", modes_stay},                       {"written in place", written_in_place},
    {"out of memory", out_of_memory},
};
TEST_MAIN("sim/part", cases)
