#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The checkout keeps the rules of check.sh: test_style.sh SOURCE-DIR.
exec sh "$1/tests/style/check.sh" "$1"
