/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See traces/import/records/records.h. The matrix products that PyTorch's operators say (profile(record_shapes=True)):
 * rows M and columns N of C = A B, by the operator's external id, which its kernels have, too.
 */
#include <stdlib.h>
#include <string.h>

#include "gpusim/limits.h"
#include "gpusim/order.h"
#include "traces/import/records/records.h"

/* The sizes of the list at AT, "[4096, 512]" of [[..], [..]], at most 3; 0: it is none of 2 or 3. Leaves AT behind. */
static int read_list(const char **at, double sizes[3])
{
    const char *from = strchr(*at, '[');
    int count = 0;
    if (!from) return 0;
    for (from++; count < 3; count++) {
        char *rest;
        sizes[count] = strtod(from, &rest);
        if (rest == from || !(sizes[count] >= 1 && sizes[count] <= UINT32_MAX)) break;
        from = rest + strspn(rest, ", ");
    }
    *at = from + strcspn(from, "]");
    return **at == ']' && from == *at && count > 1 ? count : 0;
}

int gsim_product_operands(const char *name)
{
    static const char *const products[][2] = {{"\"aten::mm\"", "\"aten::bmm\""},
                                              {"\"aten::addmm\"", "\"aten::baddbmm\""}};
    for (int i = 0; name && i < 4; i++)
        if (strncmp(name, products[i / 2][i % 2], strlen(products[i / 2][i % 2])) == 0) return i / 2;
    return -1;
}

enum gsim_status gsim_records_add_product(struct gsim_records *r, int before, uint64_t external, const char *dims)
{
    double a[3], b[3];
    if (!external || !dims || *dims != '[') return GSIM_OK;
    dims++;
    for (; before && *dims; before--) dims = strchr(dims, ']') ? strchr(dims, ']') + 1 : "";
    int count = read_list(&dims, a);
    if (!count || read_list(&dims, b) != count || a[count - 1] != b[count - 2]) return GSIM_OK;
    const struct gsim_product product = {external, gsim_whole_u64(a[count - 2]), gsim_whole_u64(b[count - 1]),
                                         count == 3 ? gsim_whole_u64(a[0]) : 1};
    return GSIM_ADD(r->error, r->products, r->product_count, r->product_room, product);
}

GSIM_ORDER(by_external, struct gsim_product, GSIM_UP(external))

void gsim_records_sort_products(struct gsim_records *r)
{
    if (r->product_count) qsort(r->products, r->product_count, sizeof *r->products, by_external);
}

const struct gsim_product *gsim_records_product(const struct gsim_records *r, uint64_t external)
{
    const struct gsim_product wanted = {.external = external};
    if (!external || !r->product_count) return NULL;
    return bsearch(&wanted, r->products, r->product_count, sizeof *r->products, by_external);
}
