/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a device file in the order and layout of the committed ones. Reading: sim/device/device.c.
 */
#include <string.h>

#include "sim/device/numbers.h"
#include "sim/device/occupancy.h"
#include "sim/base/output.h"

/* Points of a curve have one source in a file: that of the first one whose kind is the least sure. */
static void put_row(const struct gsim_device_spec *spec, const struct gsim_number_row *row, bool is_first,
                    struct gsim_output *output)
{
    int source = row->first;
    gsim_output_printf(output, "%s\n    \"%s\": {\"value\": %s", is_first ? "" : ",", row->name,
                       row->points ? "[" : "");
    for (int i = 0; i < gsim_number_row_size(row); i++) {
        gsim_output_printf(output, "%s%.6g", i ? ", " : "", gsim_device_get(spec, row->first + i));
        if (spec->kind[row->first + i] > spec->kind[source]) source = row->first + i;
    }
    gsim_output_put(output, "%s, 'unit': %q, 'kind': '%s',\n      'source': %q}", row->points ? "]" : "", row->unit,
                    gsim_number_kind_name(spec->kind[source]), spec->source[source]);
}

void gsim_device_write(const struct gsim_device_spec *spec, struct gsim_output *output)
{
    static const char *const sections[] = {"gpu", "link", "managed", "host", "power", "sharing"};
    size_t row_count;
    const struct gsim_number_row *rows = gsim_number_rows(&row_count);
    gsim_output_put(output, "{\n  'schema': '%s',\n  'name': %q,\n  'title': %q", GSIM_DEVICE_SCHEMA, spec->name,
                    spec->title);
    char capability[GSIM_CAPABILITY_TEXT];
    gsim_output_printf(output, ",\n  \"compute_capability\": \"%s\"",
                       gsim_capability_text(spec->compute_capability, capability));
    if (spec->arch) gsim_output_put(output, ",\n  'arch': %q", spec->arch);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        bool is_first = true;
        gsim_output_printf(output, ",\n  \"%s\": {", sections[i]);
        for (size_t r = 0; r < row_count; r++) {
            if (strcmp(rows[r].section, sections[i]) != 0) continue;
            put_row(spec, &rows[r], is_first, output);
            is_first = false;
        }
        gsim_output_text(output, "\n  }");
    }
    gsim_output_text(output, "\n}\n");
}
