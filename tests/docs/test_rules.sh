#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The pages of the model agree with each other and with the code: test_rules.sh SOURCE-DIR BUILD-DIR [--write].
#   docs/model/PAGE.md     a rule is a heading "## name", the line under it its one sentence, then what is known of it
#   sim/README.md          has the table of them, docs/model/numbers.md the table of a device's numbers
#   README.md              has the table of trust of docs/accuracy.md
# Both tables are made from the pages and from include/gpusim/device.def; --write puts them there.
set -u
cd "$1" || exit 2
mode=${3-}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
failures=0
fail() { printf '%s\n' "$*" && failures=$((failures + 1)); }

pages=$(find docs/model -name '*.md' ! -name numbers.md ! -name README.md | LC_ALL=C sort)
# page, rule, sentence
for page in $pages; do
    awk -v page="$(basename "$page" .md)" '/^## / { name = $2; getline; print page "\t" name "\t" $0 }' "$page"
done >"$place/rules"

while IFS="$(printf '\t')" read -r page name sentence; do
    words=$(printf '%s\n' "$sentence" | wc -w)
    [ "$words" -ge 3 ] && [ "$words" -le 20 ] || fail "docs/model/$page.md: $name: a sentence of $words words, at most 20"
    case $sentence in *.) ;; *) fail "docs/model/$page.md: $name: the sentence has no full stop" ;; esac
done <"$place/rules"
twice=$(cut -f 2 "$place/rules" | sort | uniq -d)
[ -z "$twice" ] || fail "two rules are called $twice"

# A rule says where it is in the code, and which test holds it; the tests it names are there.
for page in $pages; do
    awk '
        function over() { if (name && !has_code) print name ": no line \"- Code:\""
                          if (name && !has_test) print name ": no line \"- Test:\"" }
        /^## / { over(); name = $2; has_code = has_test = 0 }
        /^- Code: / { has_code = 1 } /^- Test: / { has_test = 1 }
        END { over() }' "$page" >"$place/gaps"
    [ ! -s "$place/gaps" ] || fail "$page: $(cat "$place/gaps")"
    awk '/^- / || /^$/ || /^#/ { test = 0 } /^- Test: / { test = 1 } test { printf "%s ", $0 }' "$page" |
        grep -oE '"[^"]+"' | while IFS= read -r test; do
        grep -rqF "{$test," tests || printf '%s: there is no test %s\n' "$page" "$test"
    done >"$place/gaps"
    [ ! -s "$place/gaps" ] || fail "$(cat "$place/gaps")"
done

{
    echo '| rule | in one sentence | page |'
    echo '|---|---|---|'
    awk -F '\t' '{ printf "| `%s` | %s | [%s] |\n", $2, $3, $1 }' "$place/rules"
    echo
    for page in $pages; do name=$(basename "$page" .md) && printf '[%s]: ../docs/model/%s.md\n' "$name" "$name"; done
} >"$place/table"

# number, rules that name it on their line "Numbers:"
for page in $pages; do
    awk '/^## / { name = $2 } /^- / || /^$/ { on = 0 } /^- Code: / { on = 1 }
         on { line = $0; if (sub(/.*Numbers: /, "", line)) on = 2; if (on == 2) {
             while (match(line, /`[a-z0-9_]+`/)) { print substr(line, RSTART + 1, RLENGTH - 2) "\t" name
                                                  line = substr(line, RSTART + RLENGTH) } } }' "$page"
done >"$place/used"
sed -n 's/^[XCURVE]*(\([a-z]*\), \([a-z0-9_]*\), "\([^"]*\)".*/\1\t\2\t\3/p' include/gpusim/device.def >"$place/numbers"
cut -f 1 "$place/used" | sort -u | while IFS= read -r number; do
    cut -f 2 "$place/numbers" | grep -qx "$number" || printf 'no number of a device is called %s\n' "$number"
done >"$place/gaps"
[ ! -s "$place/gaps" ] || fail "docs/model: $(cat "$place/gaps")"

# The file that reads a number, as X->number or X.number; "none": the model does not use it.
{
    echo '| number | unit | rules | read in |'
    echo '|---|---|---|---|'
    while IFS="$(printf '\t')" read -r _ number unit; do
        rules=$(awk -v n="$number" '$1 == n { printf "%s`%s`", sep, $2; sep = ", " }' "$place/used")
        file=$(grep -lE "(->|\.)$number\>" sim/device/occupancy.c sim/task/*.c sim/sm/*.c sim/front/*.c sim/memory/*.c sim/host/*.c sim/platform/*.c sim/*.c trust/*/*.c | head -n 1)
        printf '| `%s` | %s | %s | %s |\n' "$number" "$unit" "$rules" "${file:+\`$file\`}"
    done <"$place/numbers"
} | sed 's/ |  | / | | /g; s/|  |$/| |/' >"$place/table_of_numbers"

# between FILE NAME: what stands between "<!-- NAME -->" and "<!-- end -->".
between() { awk -v from="<!-- $2 -->" '$0 == from { on = 1; next } $0 == "<!-- end -->" { on = 0 } on' "$1"; }
check_table() { # check_table FILE NAME TABLE
    if [ "$mode" = --write ]; then
        awk -v from="<!-- $2 -->" -v table="$3" '
            $0 == "<!-- end -->" && on { on = 0 }
            !on { print }
            $0 == from { on = 1; while ((getline line <table) > 0) print line }' "$1" >"$place/new" && cp "$place/new" "$1"
    elif ! between "$1" "$2" | diff - "$3" >"$place/diff"; then
        fail "$1: the table is not what the pages say: $(head -n 5 "$place/diff")
bring it up to date by: sh tests/docs/test_rules.sh . build --write"
    fi
}
check_table sim/README.md rules "$place/table"
check_table docs/model/numbers.md numbers "$place/table_of_numbers"

# The README's table of trust is the one that a command prints in docs/accuracy.md, whose numbers the full check compares.
trust() { awk '/^\| what \| cases/ { on = 1 } on && !/^\|/ { exit } on' "$1"; }
trust docs/accuracy.md >"$place/trust"
if [ "$mode" = --write ]; then
    awk -v table="$place/trust" '
        /^\| what \| cases/ { on = 1; while ((getline line <table) > 0) print line }
        on && !/^\|/ { on = 0 } !on { print }' README.md >"$place/new" && cp "$place/new" README.md
elif [ "$(wc -l <"$place/trust")" != 7 ] || ! trust README.md | cmp -s - "$place/trust"; then
    fail "README.md: the table of trust is not that of docs/accuracy.md: sh tests/docs/test_rules.sh . build --write"
fi

printf 'rules of the model: %d, numbers of a device: %d; %d failures\n' "$(wc -l <"$place/rules")" "$(wc -l <"$place/numbers")" "$failures"
[ "$failures" = 0 ] && [ "$(wc -l <"$place/rules")" -ge 60 ]
