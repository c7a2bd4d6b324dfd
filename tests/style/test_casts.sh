#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What clang sees of the C files: no warning, and no cast of a double to an integer outside of sim/base/whole.h, written or
# implied: test_casts.sh SOURCE BUILD. A tenth of the files, another one each day of ten; with GPUSIM_FULL all. Two casts and a
# warning that are planted are found. Without clang-query (Debian: clang-tools) it is skipped.
set -u
command -v clang-query >/dev/null 2>&1 || { echo 'skipped: no clang-query' && exit 0; }
build=$(cd "$2" && pwd)
cd "$1" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/query" <<'END'
set output diag
set traversal AsIs
match castExpr(hasCastKind("CK_FloatingToIntegral"), unless(isExpansionInSystemHeader()))
END
# places COMMAND...: each FILE:LINE of what is printed, once.
places() { "$@" 2>"$work/err" | sed -n "s|^$PWD/||; s|^\([^ ]*:[0-9]*\):[0-9]*: note: \"root\".*|\1|p" | LC_ALL=C sort -u; }

printf 'int f(double x) { return (int)x; }\nint g(double x)\n{\n  return x;\n}\ndouble h(int x) { return x == x; }\n' >"$work/planted.c"
found=$(places clang-query -f "$work/query" "$work/planted.c" -- -Wall | sed 's/.*://' | tr '\n' ' ')
grep -q 'planted.c:6:.*warning: self-comparison' "$work/err" || { echo 'a warning was planted in line 6, and not found' && cat "$work/err" && exit 1; }
[ "$found" = '1 4 ' ] || { echo "planted in lines 1 and 4, found: $found"; cat "$work/err"; exit 1; }

# Named: whole.h itself; a public header, which has no header of ours, and numbers that device files hold to their ranges;
# a header of GPU code, whose numbers are constants of the benchmarks.
find ./*/ -name '*.c' | sed 's|^\./||' | grep -Ev '^(tests|examples|build[^/]*)/' | LC_ALL=C sort |
    awk -v day="$(date +%j)" -v all="${GPUSIM_FULL-}" 'all || (NR + day) % 10 == 0' >"$work/files"
places xargs -n 30 clang-query -p "$build" -f "$work/query" <"$work/files" |
    grep -Ev '^(sim/base/whole\.h|include/gpusim/scheduler\.h|traces/runner/kernels/common\.h):' >"$work/left"
grep -E '(error|warning):' "$work/err" && exit 1
sed 's|$|: casts a double: use sim/base/whole.h|' "$work/left"
echo "$(wc -l <"$work/files") files, $(wc -l <"$work/left") casts of a double"
[ ! -s "$work/left" ]
