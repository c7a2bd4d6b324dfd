#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The figures in the documents come out of the commands beside them (test_recipes.sh --evidence). Part of the full check.
exec sh "$(dirname "$0")/test_recipes.sh" "$1" "$2" --evidence
