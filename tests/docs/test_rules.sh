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
# What tests are called, between quotes.
grep -rhoE '\{"[^"]+",' tests --include='*.[ch]' | sed 's/^{//; s/,$//' >"$place/tests"
# Into rules: page, rule, sentence. Printed: what a page lacks. A rule is a sentence of at most 20 words, says where it is in
# the code, and which test holds it; the tests that it names are there.
# shellcheck disable=SC2086 # a list of files
LC_ALL=C awk -v rules="$place/rules" -v tests="$place/tests" '
    function lacks(what) { print FILENAME ": " what }
    function over() {
        if (name && !has_code) print page ": " name ": no line \"- Code:\""
        if (name && !has_test) print page ": " name ": no line \"- Test:\""
    }
    function paragraph_over() { # the tests that a paragraph "- Test:" names, which may go over lines
        while (match(paragraph, /"[^"]+"/)) {
            if (!(substr(paragraph, RSTART, RLENGTH) in there)) lacks("there is no test " substr(paragraph, RSTART, RLENGTH))
            paragraph = substr(paragraph, RSTART + RLENGTH)
        }
        paragraph = ""
    }
    BEGIN { while ((getline test <tests) > 0) there[test] = 1 }
    FNR == 1 { over(); name = ""; page = FILENAME }
    is_sentence {
        is_sentence = 0; file = FILENAME; sub(/.*\//, "", file); sub(/\.md$/, "", file)
        print file "\t" name "\t" $0 >rules
        if (NF < 3 || NF > 20) lacks(name ": a sentence of " NF " words, at most 20")
        if ($0 !~ /\.$/) lacks(name ": the sentence has no full stop")
    }
    /^- / || /^$/ || /^#/ { paragraph_over(); in_test = 0 }
    /^## / { over(); name = $2; has_code = has_test = 0; is_sentence = 1; if (name in seen) lacks("two rules are called " name); seen[name] = 1 }
    /^- Code: / { has_code = 1 }
    /^- Test: / { has_test = in_test = 1 }
    in_test { paragraph = paragraph $0 " " }
    END { paragraph_over(); over() }' $pages >"$place/gaps"
[ ! -s "$place/gaps" ] || fail "$(cat "$place/gaps")"
# A rule that can be switched off has its page, by the switch's name and with its sentence; its key is the name in capitals.
awk -F '\t' '
    FNR == NR { gsub(/`/, "", $3); sub(/\.$/, "", $3); sentence[$2] = $3; next }
    /^X\(/ { key = $0; sub(/^X\(/, "", key); sub(/,.*/, "", key); name = $0; sub(/^[^,]*, /, "", name); sub(/,.*/, "", name) }
    match($0, /"[^"]*"/) {
        said = substr($0, RSTART + 1, RLENGTH - 2); sub(/(; off: [^;]*)?\.$/, "", said)
        if (key != toupper(name)) print "sim/device/rules.def: " key ": the key is not " name " in capitals"
        if (said != sentence[name]) print "sim/device/rules.def: " name ": its page does not say \"" said "\""
    }' "$place/rules" sim/device/rules.def >"$place/gaps"
[ ! -s "$place/gaps" ] || fail "$(cat "$place/gaps")"

{
    echo '| rule | in one sentence | page |'
    echo '|---|---|---|'
    awk -F '\t' '{ printf "| `%s` | %s | [%s] |\n", $2, $3, $1 }' "$place/rules"
    echo
    for page in $pages; do name=$(basename "$page" .md) && printf '[%s]: ../docs/model/%s.md\n' "$name" "$name"; done
} >"$place/table"

# The equations of a block's time are the same on the page and in the code's header.
equations() { grep -oE 'T(\^n)? = .*' "$1" | sed 's/   .*//'; }
equations sim/sm/share.h >"$place/equations"
[ "$(wc -l <"$place/equations")" = 5 ] && equations docs/model/sharing.md | cmp -s - "$place/equations" ||
    fail "docs/model/sharing.md: its equations are not those of sim/sm/share.h"

# The numbers of a device. Each with the rules that name it on their line "Numbers:" and the file that reads it, as X->number or
# X.number; none: the model does not use it.
sed -n 's/^[XCURVE]*(\([a-z]*\), \([a-z0-9_]*\), "\([^"]*\)".*/\2\t\3/p' include/gpusim/device.def >"$place/numbers"
: >"$place/gaps"
# shellcheck disable=SC2086
LC_ALL=C awk -F '\t' -v gaps="$place/gaps" '
    FNR == 1 { part = FILENAME ~ /\/numbers$/ ? "numbers" : FILENAME ~ /\.md$/ ? "pages" : "code"; on = 0 }
    part == "numbers" { order[++count] = $1; unit[$1] = $2; next }
    part == "pages" {
        if (/^## /) { split($0, word, " "); name = word[2] }
        if (/^- / || /^$/) on = 0
        if (/^- Code: /) on = 1
        line = $0
        if (on && sub(/.*Numbers: /, "", line)) on = 2
        while (on == 2 && match(line, /`[a-z0-9_]+`/)) {
            number = substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH)
            if (!(number in unit)) print "docs/model: no number of a device is called " number >gaps
            rules[number] = rules[number] (number in rules && rules[number] ? ", " : "") "`" name "`"
        }
        next
    }
    {
        line = $0
        # Of a device, by what such variables are called: kernels and others have members of these names, too.
        while (match(line, /(device|spec|^d|[^a-z_>.]d)((->|\.)(spec|device))*(->|\.)[a-z][a-z0-9_]*/)) {
            number = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
            sub(/.*(->|\.)/, "", number)
            if (!(number in unit)) continue
            reads[number, FILENAME] += FILENAME ~ /^sim\// && FILENAME != "sim/spread.c" ? 1000 : 1
            if (reads[number, FILENAME] > most[number]) { most[number] = reads[number, FILENAME]; reader[number] = "`" FILENAME "`" }
        }
    }
    END {
        print "| number | unit | rules | read in |"
        print "|---|---|---|---|"
        for (i = 1; i <= count; i++) {
            row = "| `" order[i] "` | " unit[order[i]] " | " rules[order[i]] " | " reader[order[i]] " |"
            gsub(/ \|  \| /, " | | ", row); sub(/\|  \|$/, "| |", row)
            print row
        }
    }' "$place/numbers" $pages sim/device/occupancy.c sim/task/*.c sim/sm/*.[ch] sim/sm/known/*.c sim/front/*.c sim/memory/*.c \
    sim/host/*.c sim/platform/*.c sim/report/energy/*.c sim/*.c trust/*/*.c >"$place/table_of_numbers"
[ ! -s "$place/gaps" ] || fail "$(cat "$place/gaps")"

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
elif [ "$(wc -l <"$place/trust")" != 8 ] || ! trust README.md | cmp -s - "$place/trust"; then
    fail "README.md: the table of trust is not that of docs/accuracy.md: sh tests/docs/test_rules.sh . build --write"
fi

printf 'rules of the model: %d, numbers of a device: %d; %d failures\n' "$(wc -l <"$place/rules")" "$(wc -l <"$place/numbers")" "$failures"
[ "$failures" = 0 ] && [ "$(wc -l <"$place/rules")" -ge 60 ]
