#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# traces/README.md does what it says (test_recipes.sh), beside the other documents and not after them.
exec sh "$(dirname "$0")/test_recipes.sh" "$1" "$2" --traces
