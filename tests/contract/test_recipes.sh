#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The documents do what they say: every "sh" block of every *.md runs, in order, in a copy of the checkout as it is for
# each document: test_recipes.sh SOURCE-DIR BUILD-DIR [--evidence | --write] [DOCUMENT...].
#   without an option   the blocks that take a moment; each prints every word of the "text" block behind it, its numbers within 2 %
#   --evidence          the blocks that run validate, reproduce, calibrate or for seconds
#   --write             all blocks; puts the present output into the "text" blocks
set -u
source_dir=$(cd "$1" && pwd) build_dir=$(cd "$2" && pwd) mode=${3-}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0 blocks=0
# As on a terminal of 100 columns, which is where people will compare.
export LC_ALL=C.UTF-8 COLUMNS=100

# Folders are copied, because recipes add to them, and copied again for the next document where some did; ./gpusim is the program
# itself, which builds nothing.
copy_checkout() {
    if [ -e "$tree/.copied" ] && [ -z "$(find "$tree"/*/ -newer "$tree/.copied" 2>/dev/null | head -n 1)" ]; then
        find "$tree" -maxdepth 1 -type f ! -name .copied ! -name gpusim -exec rm -f {} +
        return
    fi
    rm -rf "${tree:?}"/*
    for folder in "$source_dir"/*/; do
        case $folder in */build* | */docs/ | */tests/ | */man/) ;; *) cp -R "${folder%/}" "$tree" ;; esac
    done
    mkdir "$tree/tests" && cp -R "$source_dir/tests/source" "$tree/tests" # CUDA sources that documents show
    printf '#!/bin/sh\nGPUSIM_DATA=%s exec %s/gpusim "$@"\n' "$tree" "$build_dir" >"$tree/gpusim"
    chmod +x "$tree/gpusim"
    sleep 0.1 # what is written from now on is newer than the mark, whatever the file system's clock
    : >"$tree/.copied"
}

# Block N of DOCUMENT into block.N, and the text block right behind it into shown.N.
split() {
    rm -f "$tree"/block.* "$tree"/shown.*
    awk -v out="$tree" '
        /^```sh$/ { name = sprintf("%s/block.%03d", out, ++n); behind = 0; next }
        /^```text$/ && behind { name = sprintf("%s/shown.%03d", out, n); behind = 0; printf "" >name; next }
        /^```/ { behind = name ~ /block/; name = ""; next }
        name { print >name; next }
        NF { behind = 0 }' "$1"
}

# The words of a text: numbers, units and drawings follow the model, which may change.
words() { grep -oE '[A-Za-z_][A-Za-z_-]+' "$1" | grep -vxE 'ns|us|ms|[kMGT]?B' | LC_ALL=C sort -u; }

# "..." as the last (first) line stands for what follows (comes before).
cut_as_shown() { # cut_as_shown SHOWN OUTPUT
    lines=$(($(wc -l <"$1") - 1))
    if [ "$(tail -n 1 "$1")" = ... ]; then
        head -n "$lines" "$2"
        echo ...
    elif [ "$(head -n 1 "$1")" = ... ]; then
        echo ...
        tail -n "$lines" "$2"
    else
        cat "$2"
    fi
}

write_back() { # write_back DOCUMENT: each text block from new.N
    awk -v out="$tree" '
        /^```sh$/ { n++; sh = 1 }
        /^```text$/ && behind {
            print; file = sprintf("%s/new.%03d", out, n); behind = 0
            if ((getline line <file) > 0) { do print line; while ((getline line <file) > 0); skip = 1 }
            next
        }
        /^```$/ { if (sh) behind = 1; sh = 0; skip = 0; print; next }
        skip { next }
        NF && !sh { behind = 0 }
        { print }' "$1" >"$tree/document" && cp "$tree/document" "$1"
}

# Those too that take seconds: recorded servers, sources that are run, services that share, and what is drawn of them.
is_evidence() {
    grep -qE 'gpusim (validate|reproduce|calibrate|ablate|serve)|cuda/predict.py|clusters.py|overhead.py|limits.py|same_60|--check|--run |copies=|bert-infer|plot jct|seq 24|et_branchy_b16|alike/|specs/streams|plans.csv|^for m in' "$1"
}

# Numbers of SHOWN and NEW in order: as many, each within 2 % or one unit of its last digit. Prints the first that differs.
compare_numbers() { # compare_numbers SHOWN NEW
    grep -oE '[0-9]+(\.[0-9]+)?' "$1" >"$tree/numbers.shown"
    grep -oE '[0-9]+(\.[0-9]+)?' "$2" >"$tree/numbers.new"
    paste -d' ' "$tree/numbers.shown" "$tree/numbers.new" | awk '
        NF != 2 { print "line " NR ": " $0 " (one has no such number)"; exit }
        { dot = index($1, "."); digits = dot ? length($1) - dot : 0
          away = $1 > $2 ? $1 - $2 : $2 - $1; large = $1 > $2 ? $1 : $2
          if (away > 0.02 * large && away > 1.01 * 10 ^ -digits) { print $1 " shown, " $2 " printed"; exit } }'
}

documents=$(cd "$source_dir" && find . -name 'build*' -prune -o -path './.git' -prune -o -name '*.md' -exec grep -l '^```sh$' {} + | LC_ALL=C sort)
least=10
[ "$mode" != --evidence ] || least=3
[ $# -lt 4 ] || { shift 3 && documents=$* && least=1; }
for document in $documents; do
    copy_checkout # each begins with the checkout as it is
    split "$source_dir/$document"
    for block in "$tree"/block.*; do
        [ -e "$block" ] || continue
        number=${block##*.}
        # Blocks that begin so would call the tests again, take too long, or change the machine.
        head -n 1 "$block" | grep -qE '^(\./gpusim check|# not run by the tests|sudo |git |pip )' && continue
        case $mode in
        --evidence) is_evidence "$block" || continue ;;
        --write) ;;
        *) ! is_evidence "$block" || continue ;;
        esac
        blocks=$((blocks + 1))
        if ! (cd "$tree" && sh -eu "$block") >"$tree/out" 2>"$tree/messages"; then
            printf '%s: this block failed:\n' "$document"
            sed 's/^/    /' "$block"
            tail -n 15 "$tree/out" "$tree/messages"
            failures=$((failures + 1))
        elif [ -e "$tree/shown.$number" ]; then
            cut_as_shown "$tree/shown.$number" "$tree/out" >"$tree/new.$number"
            words "$tree/out" >"$tree/printed"
            words "$tree/shown.$number" | LC_ALL=C comm -23 - "$tree/printed" | tr '\n' ' ' >"$tree/unknown"
            if [ "$mode" != --write ] && [ -s "$tree/unknown" ]; then
                printf '%s: shown, but not printed: %s; bring it up to date by\n' "$document" "$(cat "$tree/unknown")"
                printf '    sh tests/contract/test_recipes.sh . build --write\nThe block is\n'
                sed 's/^/    /' "$block"
                failures=$((failures + 1))
            elif [ "$mode" != --write ]; then
                differs=$(compare_numbers "$tree/shown.$number" "$tree/new.$number")
                if [ -n "$differs" ]; then
                    printf '%s: a number is another: %s; the block is\n' "$document" "$differs"
                    sed 's/^/    /' "$block"
                    failures=$((failures + 1))
                fi
            fi
        fi
    done
    [ "$mode" != --write ] || write_back "$source_dir/$document"
    rm -f "$tree"/new.*
done
printf 'recipes: %d of %d blocks failed\n' "$failures" "$blocks"
[ "$failures" = 0 ] && [ "$blocks" -ge "$least" ]
