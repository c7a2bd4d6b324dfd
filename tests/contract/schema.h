/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a JSON value keeps to a JSON Schema: the keywords that docs/schemas uses. A schema with any other keyword is
 * refused, so that none is passed over in silence.
 */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Where VALUE breaks SCHEMA, the file that references start at. */
struct schema_check {
    const cJSON *root;
    char place[160], message[200]; /* of the first breach: "/ops/3/grid", "type: ..." */
};

/* False with place and message filled in. */
bool schema_holds(struct schema_check *check, const cJSON *schema, const cJSON *value);
