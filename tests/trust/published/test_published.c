/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader of published tables: what it keeps, and that errors name file, line and field. */
#include "trust/published/published.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/test.h"

#define HEADER "figure,device,workload,size,quantity,value,use,source\n"

static enum gsim_status read_text(const char *text, bool launches, struct gsim_published *published,
                                  struct gsim_error *error)
{
    char path[] = "/tmp/gpusim-published-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    enum gsim_status status =
        launches ? gsim_published_read_launches(published, path, error) : gsim_published_read(published, path, error);
    remove(path);
    return status;
}

static void rows_are_kept(void)
{
    struct gsim_published p = {0};
    struct gsim_error error = {0};
    CHECK_INT(read_text(HEADER "f,d,w,20000000,q,1.25,fit,s\nf,d,w,0,q,-3,check,s\n", false, &p, &error), GSIM_OK);
    CHECK_INT(p.row_count, 2);
    CHECK(p.rows[0].is_fit && !p.rows[1].is_fit);
    CHECK_NEAR(p.rows[0].size, 2e7, 0);
    CHECK_NEAR(p.rows[1].value, -3, 0);
    CHECK_STR(p.rows[0].quantity, "q");
    gsim_published_release(&p);
    CHECK_INT(read_text("figure,device,workload,blocks,block1d\ng,d,w,32,32 128\n", true, &p, &error), GSIM_OK);
    const struct gsim_published_launch *l = gsim_published_launch_find(&p, "g", "d", "w");
    CHECK(l && l->blocks == 32 && l->block1d_count == 2 && l->block1d[1] == 128);
    CHECK(!gsim_published_launch_find(&p, "g", "d", "v"));
    gsim_published_release(&p);
}

static void errors_name_the_place(void)
{
    static const struct {
        bool launches;
        const char *text, *part;
    } wrong[] = {
        {false, "figure\n", "line 1: header: expected figure,device"},
        {false, HEADER "f,d,w,x,q,1,fit,s\n", "line 2: size: expected a number from 0, found 'x'"},
        {false, HEADER "f,d,w,1,q,,fit,s\n", "line 2: value: expected a number, found ''"},
        {false, HEADER "f,d,w,1,q,1,fitted,s\n", "line 2: use: expected fit or check, found 'fitted'"},
        {false, HEADER "f,d,w,1,q,1,fit\n", "line 2: fields: expected 8 of them, found '7'"},
        {false, HEADER "f,d,w,1,q,1,fit,s,t\n", "line 2: fields: expected 8 of them, found '9'"},
        {true, "figure,device,workload,blocks,block1d\ng,d,w,0,32\n", "blocks: expected a positive integer"},
        {true, "figure,device,workload,blocks,block1d\ng,d,w,-1,32\n", "blocks: expected a positive integer"},
        {true, "figure,device,workload,blocks,block1d\ng,d,w,4294967297,32\n", "blocks: expected a positive integer"},
        {true, "figure,device,workload,blocks,block1d\ng,d,w,3x,32\n", "blocks: expected a positive integer"},
        {true, "figure,device,workload,blocks,block1d\ng,d,w,1,many\n", "block1d: expected 1 to 4 positive integers"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct gsim_published p = {0};
        struct gsim_error error = {0};
        CHECK_INT(read_text(wrong[i].text, wrong[i].launches, &p, &error), GSIM_INPUT);
        CHECK_MSG(strstr(error.message, wrong[i].part), "found \"%s\", expected \"%s\"", error.message, wrong[i].part);
        gsim_published_release(&p);
    }
    struct gsim_published p = {0};
    struct gsim_error error = {0};
    CHECK_INT(gsim_published_read(&p, "/nowhere/x.csv", &error), GSIM_IO);
    gsim_published_release(&p);
}

static const struct test_case cases[] = {
    {"rows are kept", rows_are_kept},
    {"errors name the place", errors_name_the_place},
};
TEST_MAIN("sim/published", cases)
