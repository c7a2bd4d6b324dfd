#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A table of measured figures in a document says where they are from: a test that computes them anew, or when, on which machine and by
# which command they were measured. test_tables.sh SOURCE-DIR BUILD-DIR.
set -u
cd "$1" || exit 2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cat >"$place/tables.awk" <<'END'
# A row counts that has a number with a decimal point, a sign or a unit in a cell of its own; a table, of which half of the rows count.
function is_figure(cell) { return cell ~ /^ *[-+]?[0-9][0-9,]*(\.[0-9]+)? *(%|us|ms|s|GB\/s|M|[0-9, .]*(us|ms|%)|to [0-9.]+ (us|ms|%)|\[[-+0-9., ]*\])? *$/ && cell ~ /[.+%,-]|[0-9] *(us|ms|s)/ }
function end_of_section(    i, from, is_test, says) {
    says = is_block ? "sh " section : section
    is_test = section ~ /tests\/[a-z_\/]+\.(sh|c)|<!-- test: [a-z_-]+ -->/
    is_measured = section ~ /20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]/ && says ~ /gpusim |python3 |valgrind |sh / && section ~ /[HABV]100|[HB]200|GTX|RTX| cores/
    for (i = 1; i <= tables; i++) if (!is_test && !is_measured) print last ":" table[i] ": a table of figures without a test, or its date, machine and command: " head[i]
    section = ""; tables = 0; is_block = 0
}
FNR == 1 { if (NR > 1) end_of_section(); in_code = 0; rows = 0; last = FILENAME }
/^```/ { in_code = !in_code; if (/sh$/) is_block = 1 }
!in_code && /^#/ { end_of_section() }
{ section = section "\n" $0 }
!in_code && /^\|/ {
    if (!rows) { start = FNR; first = substr($0, 1, 60); figures = 0 }
    rows++
    n = split($0, cell, "|"); found = 0
    for (i = 2; i < n; i++) found += is_figure(cell[i])
    figures += found > 0 && rows > 2
    next
}
rows { if (rows > 3 && figures * 2 >= rows - 2) { table[++tables] = start; head[tables] = first } rows = 0 }
END { end_of_section() }
END
# What it must find, and what not.
found() { printf '%b' "$1" >"$place/made.md" && awk -f "$place/tables.awk" "$place/made.md" | grep -c 'made.md:'; }
rows='| what | us |\n|---|--:|\n| a | 1.5 |\n| b | 2.5 |\n| c | 3 us |\n'
expect() { [ "$(found "$2")" = "$1" ] || { echo "expected $1 of: $2"; failures=$((failures + 1)); }; }
failures=0
expect 1 "# One\n\n$rows\n"
expect 0 "# One\n\nOn an H100, 2026-11-28: \`./gpusim x\`.\n\n$rows\n"
expect 1 "# One\n\nOn an H100: \`./gpusim x\`.\n\n$rows\n"
expect 1 "# One\n\nOn an H100, 2026-11-28.\n\n$rows\n"
expect 1 "# One\n\n2026-11-28, H100, \`./gpusim x\`.\n\n# Two\n\n$rows\n"
expect 0 "# One\n\n$rows\n\`tests/cli/test_x.sh\` holds it.\n"
expect 1 '# One\n\n| rule | change |\n|---|---|\n| a | +0.5 [0.1, 0.9] |\n| b | -0.5 [-0.9, 0.1] |\n| c | +0.5 [0.1, 0.9] |\n\n'
expect 0 '# One\n\n| word | means |\n|---|---|\n| a | 1.5 of them |\n| b | two |\n| c | three |\n\n'
# shellcheck disable=SC2046
awk -f "$place/tables.awk" $(git ls-files '*.md' 2>/dev/null | grep -v CHANGELOG || find . -name '*.md' ! -path './build*' ! -name CHANGELOG.md) >"$place/gaps"
cat "$place/gaps"
# Tests that tables name are there.
for named in $(grep -rhoE 'tests/[a-z_/]+\.(sh|c)\b' --include='*.md' README.md CONTRIBUTING.md docs traces trust sim workloads schedulers models plots sweep tests | sort -u); do
    [ -e "$named" ] || { echo "documents name $named, which is not there" && failures=$((failures + 1)); }
done
[ "$failures" = 0 ] && [ ! -s "$place/gaps" ]
