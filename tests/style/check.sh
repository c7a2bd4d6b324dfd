#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of the house that a machine can check: check.sh SOURCE-DIR. Prints "FILE:LINE: RULE: what" per offence and exits 1
# when there was one; "warning:" lines do not count. The rules are in rules.awk, which folder may include which is in
# layers.txt. test_style.sh runs it on the checkout; test_style_catches.sh shows that it finds planted offences.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?usage: check.sh SOURCE-DIR}" || exit 2

# Our files: everything below the source folder but builds and what is hidden (.ci, .clang-format aside).
find . -name '.git' -prune -o -type d -name 'build*' -prune -o -type d -name '.?*' ! -name .ci -prune -o -type f -print |
    sed 's|^\./||' | LC_ALL=C sort | LC_ALL=C awk -v layers="$here/layers.txt" -f "$here/rules.awk"
