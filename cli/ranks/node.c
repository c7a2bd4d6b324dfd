/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: sim (program). Nodes by name: "DEVICE-xN" is N of a device with the links that its file says. */
#include <stdlib.h>
#include <string.h>

#include "cli/ranks/ranks.h"
#include "gpusim/limits.h"

enum gsim_status gsim_cli_node(const char *name, struct gsim_cli_node *node, struct gsim_error *error)
{
    const char *last = strrchr(name, '-');
    char *end = NULL;
    unsigned long count = last && last[1] == 'x' ? strtoul(last + 2, &end, 10) : 0;
    if (!count || count > GSIM_LIMIT_RANKS || *end || last == name || (size_t)(last - name) >= sizeof node->device)
        return gsim_error_set(error, GSIM_INPUT, "node: expected DEVICE-xN, N GPUs of a device (gpusim list devices), found '%.60s'", name);
    *node = (struct gsim_cli_node){.gpus = (uint32_t)count};
    memcpy(node->device, name, (size_t)(last - name));
    node->device[last - name] = '\0';
    return GSIM_OK;
}
