#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the kernels of cuda/pointers.cu read and write, by hand; "any": they may use any buffer, with a note.
# Usage: test_pointers.sh SOURCE-DIR BUILD-DIR
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
file=$source_dir/tests/source/read/cuda/pointers.cu
"$gpusim" import cuda "$file" -o p.json 2>notes
grep -q 'built without libclang' notes && exit 0
while read -r kernel reads writes; do
    line=$(grep "\"kernel\": \"$kernel\"" p.json)
    if [ "$reads" = any ]; then
        case $line in *'"unknown": true'*) ;; *) fail "$kernel: expected any buffer: $line" ;; esac
        continue
    fi
    found="$(printf '%s' "$line" | sed -n 's/.*"reads": \[\([^]]*\)\].*/\1/p' | tr -d '" ') $(printf '%s' "$line" | sed -n 's/.*"writes": \[\([^]]*\)\].*/\1/p' | tr -d '" ')"
    [ "$(echo "$reads $writes" | tr -d -)" = "$found" ] || fail "$kernel: expected reads '$reads', writes '$writes': $line"
    case $line in *'"unknown": true'*) fail "$kernel: may use any buffer: $line" ;; esac
done <<'END'
vector - x
copied y x
braced y x
added x x
referred - x
constant x y
halves - x
chosen - x,y
returned y x
by_reference y x
viewed - x
view_passed x y
lambda - x
instance y x
atomic x,y x
stepped - x
listed - x,y
asked x,y x
waited x,y x
switched x,y x
until x,y x
compared x,y x
met y x
number any
loaded any
punned any
stored any
lane - y
far any
global any
child any
called any
broken any
unused - -
END
[ $failures = 0 ]
