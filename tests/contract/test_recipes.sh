#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The documents do what they say: every "sh" block of every *.md runs, in order, in a copy of the checkout for each
# document, and prints every word of the "text" block behind it: test_recipes.sh SOURCE-DIR BUILD-DIR [--write | --traces].
# --write puts the present output into the "text" blocks of all. Otherwise traces/README.md, which takes as long as all the
# others, is test_recipes_traces.sh's.
set -u
source_dir=$(cd "$1" && pwd) build_dir=$(cd "$2" && pwd) mode=${3-}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0 blocks=0 sanitized=
grep -qs '^GPUSIM_SANITIZE:BOOL=ON' "$build_dir/CMakeCache.txt" && sanitized=1
# As on a terminal of 100 columns, which is where people will compare.
export LC_ALL=C.UTF-8 COLUMNS=100

# Folders are copied, because recipes add to them; ./gpusim is the program itself, which builds nothing.
copy_checkout() {
    rm -rf "${tree:?}"/*
    for folder in sim models schedulers workloads traces plots sweep published; do cp -R "$source_dir/$folder" "$tree/$folder"; done
    printf '#!/bin/sh\nGPUSIM_DATA=%s exec %s/gpusim "$@"\n' "$tree" "$build_dir" >"$tree/gpusim"
    chmod +x "$tree/gpusim"
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

documents=$(cd "$source_dir" && find . -name 'build*' -prune -o -path './.git' -prune -o -name '*.md' -exec grep -l '^```sh$' {} + | LC_ALL=C sort)
least=20
[ "$mode" != --traces ] || least=5
for document in $documents; do
    case $mode:$document in
    --traces:./traces/README.md | --write:*) ;;
    --traces:* | :./traces/README.md) continue ;;
    esac
    copy_checkout
    split "$source_dir/$document"
    for block in "$tree"/block.*; do
        [ -e "$block" ] || continue
        number=${block##*.}
        # Blocks that begin so would call the tests again, or take too long.
        head -n 1 "$block" | grep -qE '^(\./gpusim check|# not run by the tests|sudo |git )' && continue
        blocks=$((blocks + 1))
        # The sanitizers have seen the recordings in tests/golden and the papers' runs in contract-reproduce, and are slow.
        [ -n "$sanitized" ] && grep -qE 'gpusim (validate|reproduce)' "$block" && continue
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
            fi
        fi
    done
    [ "$mode" != --write ] || write_back "$source_dir/$document"
    rm -f "$tree"/new.*
done
printf 'recipes: %d of %d blocks failed\n' "$failures" "$blocks"
[ "$failures" = 0 ] && [ "$blocks" -ge "$least" ]
