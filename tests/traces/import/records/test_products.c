/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products by the operands' shapes as PyTorch writes them. */
#include "tests/test.h"
#include "traces/import/records/records.h"

static const struct {
    const char *name, *dims;
    uint64_t rows, columns, batch; /* 0: none */
} rows[] = {
    {"aten::mm", "[[1024, 512], [512, 6144]]", 1024, 6144, 1},
    {"aten::addmm", "[[6144], [1024, 512], [512, 6144], [], []]", 1024, 6144, 1},
    {"aten::addmm", "[[1024, 6144], [1024, 512], [512, 6144], [], []]", 1024, 6144, 1},
    {"aten::bmm", "[[8,64,32],[8,32,16]]", 64, 16, 8},
    {"aten::baddbmm", "[[8, 64, 16], [8, 64, 32], [8, 32, 16], [], []]", 64, 16, 8},
    {"aten::add", "[[1024, 512], [512, 6144]]", 0, 0, 0},
    {"aten::mm", "[[1024, 512], [511, 6144]]", 0, 0, 0},   /* no product */
    {"aten::mm", "[[1024, 512], [1, 512, 6144]]", 0, 0, 0},
    {"aten::mm", "[[1024, 512]]", 0, 0, 0},
    {"aten::mm", "[[1024, 512], [512, 6144", 0, 0, 0},     /* cut off */
    {"aten::mm", "[[0, 512], [512, 6144]]", 0, 0, 0},
    {"aten::mm", "[[1e300, 512], [512, 6144]]", 0, 0, 0},
    {"aten::addmm", "[[6144", 0, 0, 0},
    {"aten::mm", "7", 0, 0, 0},
    {"aten::mm", NULL, 0, 0, 0},
};

static enum gsim_status add(struct gsim_records *r, const char *name, uint64_t external, const char *dims)
{
    char json[32];
    snprintf(json, sizeof json, "\"%s\", ", name);
    int before = gsim_product_operands(json);
    return before < 0 ? GSIM_OK : gsim_records_add_product(r, before, external, dims);
}

static void test_products(void)
{
    struct gsim_error error = {0};
    struct gsim_records r = {.error = &error};
    uint32_t count = sizeof rows / sizeof rows[0];
    for (uint32_t i = count; i-- > 0;) CHECK_OK(add(&r, rows[i].name, i + 1, rows[i].dims), error);
    CHECK_OK(add(&r, rows[0].name, 0, rows[0].dims), error); /* of no operator */
    gsim_records_sort_products(&r);
    for (uint32_t i = 0; i <= count; i++) {
        const struct gsim_product *found = gsim_records_product(&r, i);
        uint32_t row = i ? i - 1 : 5;
        CHECK_MSG((found != NULL) == (rows[row].rows > 0), "%s", rows[row].dims);
        if (!found) continue;
        CHECK_INT(found->rows, rows[row].rows);
        CHECK_INT(found->columns, rows[row].columns);
        CHECK_INT(found->batch, rows[row].batch);
    }
    gsim_free(r.products);
}

static const struct test_case cases[] = {{"products", test_products}};
TEST_MAIN("traces/import/records/products", cases)
