/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing a device file: the counterpart of sim/device/device.c, in the same order and layout as the committed ones.
 */
#include <string.h>

#include "sim/device/device.h"
#include "sim/device/occupancy.h"
#include "sim/base/output.h"

static void put_number(const struct gsim_device_spec *spec, enum gsim_device_number number, bool is_first,
                       struct gsim_output *output)
{
    gsim_output_printf(output, "%s\n    \"%s\": {\"value\": %.6g, \"unit\": ", is_first ? "" : ",",
                       gsim_device_number_name(number), gsim_device_get(spec, number));
    gsim_output_json_string(output, gsim_device_number_unit(number));
    gsim_output_printf(output, ", \"kind\": \"%s\",\n      \"source\": ", gsim_number_kind_name(spec->kind[number]));
    gsim_output_json_string(output, spec->source[number]);
    gsim_output_text(output, "}");
}

void gsim_device_write(const struct gsim_device_spec *spec, struct gsim_output *output)
{
    static const char *const sections[] = {"gpu", "link", "managed", "host", "sharing"};
    gsim_output_text(output, "{\n  \"schema\": \"" GSIM_DEVICE_SCHEMA "\",\n  \"name\": ");
    gsim_output_json_string(output, spec->name);
    gsim_output_text(output, ",\n  \"title\": ");
    gsim_output_json_string(output, spec->title);
    char capability[GSIM_CAPABILITY_TEXT];
    gsim_output_printf(output, ",\n  \"compute_capability\": \"%s\"", gsim_capability_text(spec->compute_capability, capability));
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        bool is_first = true;
        gsim_output_printf(output, ",\n  \"%s\": {", sections[i]);
        for (int n = 0; n < GSIM_DEVICE_NUMBER_COUNT; n++) {
            if (strcmp(gsim_device_number_section((enum gsim_device_number)n), sections[i]) != 0) continue;
            put_number(spec, (enum gsim_device_number)n, is_first, output);
            is_first = false;
        }
        gsim_output_text(output, "\n  }");
    }
    gsim_output_text(output, "\n}\n");
}
