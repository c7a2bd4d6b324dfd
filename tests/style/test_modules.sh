#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every module has a test of its name, or a line of tests/modules.txt names tests that are there: test_modules.sh SOURCE BUILD.
set -u
cd "$1" || exit 1
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find tests -name 'test_*.c' -o -name 'test_*.sh' | sed 's|^tests/||; s|test_||; s|\.[a-z]*$||' >"$list"
find ./*/ -name '*.c' | grep -Ev '^\./(tests|examples|build[^/]*)/' | sed 's|^\./||' |
    awk -v tests="$list" '
    BEGIN { while ((getline line < tests) > 0) { own[line] = 1; gsub("/", "-", line); there[line] = 1 } }
    FNR == NR { if (/^#|^$/) next
        of[$1] = 1
        for (i = 2; i <= NF; i++) if (!($i in there)) { print "tests/modules.txt: there is no test " $i; bad++ }
        next }
    { module = $0; sub(/\.c$/, "", module); count++
      if (module in own) { named++; next }
      for (n = length($0); n && !(substr($0, 1, n) in of); n--);
      if (n) used[substr($0, 1, n)] = 1
      else { print $0 ": no test of its name, no line of tests/modules.txt"; bad++ } }
    END { for (prefix in of) if (!(prefix in used)) { print "tests/modules.txt: " prefix " is no module without a test of its name"; bad++ }
        print count " modules, " named + 0 " with a test of their name"
        exit bad > 0 }' tests/modules.txt -
