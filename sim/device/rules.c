/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/device/rules.h. */
#include "sim/device/rules.h"

#include <string.h>

static const struct {
    const char *name, *sentence;
} rules[GSIM_RULE_COUNT] = {
#define X(key, name, sentence) {#name, sentence},
#include "sim/device/rules.def"
#undef X
};

const char *gsim_rule_name(enum gsim_rule rule) { return rules[rule].name; }
const char *gsim_rule_sentence(enum gsim_rule rule) { return rules[rule].sentence; }

enum gsim_rule gsim_rule_find(const char *name)
{
    int i = 0;
    while (i < GSIM_RULE_COUNT && strcmp(rules[i].name, name) != 0) i++;
    return (enum gsim_rule)i;
}

enum gsim_status gsim_rule_set(struct gsim_device_spec *device, const char *name, const char *value,
                               struct gsim_error *error)
{
    enum gsim_rule rule = gsim_rule_find(name);
    bool is_on = strcmp(value, "on") == 0 || strcmp(value, "1") == 0,
         is_off = strcmp(value, "off") == 0 || strcmp(value, "0") == 0;
    if (rule == GSIM_RULE_COUNT) return gsim_error_set(error, GSIM_USAGE, "unknown rule '%.60s'", name);
    if (!is_on && !is_off)
        return gsim_error_set(error, GSIM_USAGE, "rule.%s: expected on or off, found \"%.60s\"", name, value);
    uint64_t bit = UINT64_C(1) << rule;
    device->rules_off = is_off ? device->rules_off | bit : device->rules_off & ~bit;
    return GSIM_OK;
}
