#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_reproduce_ccks.sh SOURCE-DIR BUILD-DIR: "gpusim reproduce ccks" says what is published and what is assumed, and finds a gain of 77 % for
# short tasks of a narrow graph over a quick link, none for long ones, and a single thread that is too slow for a wide graph.
set -u
build_dir=${2:?usage: test_reproduce_ccks.sh SOURCE-DIR BUILD-DIR}
gpusim=$build_dir/gpusim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; failed=1; }
failed=0

"$gpusim" reproduce ccks >"$work/table" || fail "ended with $?"
grep -q 'published is a gain of up to 77 %.*and nothing else' "$work/table" || fail "it does not say that nothing else is published"
grep -q 'are assumptions' "$work/table" || fail "it does not say what is assumed"
"$gpusim" reproduce ccks --csv "$work/csv" || fail "--csv ended with $?"
awk -F, '
    NR == 1 { if ($0 != "width,scheduler_push_us,threads,task_us,spread,link_us,gain") print "columns: " $0; next }
    { count++ }
    $1 == 16 && $2 == 0.1 && $4 == 1 && $5 == 0 && $6 == 0.1 && $7 < 0.77 { print "no gain of 77 % where it should be: " $0 }
    $1 == 16 && $4 == 20 && $7 > 0.3 { print "too great a gain with long tasks: " $0 }
    $1 == 264 && $3 == 1 && $4 <= 3 && $7 > 0 { print "one thread for a wide graph: " $0 }
    $1 == 16 && $5 == 0 { key = $2 "," $4; if (key == before && $7 > gain) print "a slower link helps: " $0; before = key; gain = $7 }
    END { if (count != 192) print count " rows" }' "$work/csv" >"$work/wrong"
[ -s "$work/wrong" ] && fail "$(cat "$work/wrong")"
"$gpusim" reproduce ccks --only average 2>"$work/error" && fail "--only was accepted"
grep -q 'expected --csv, --report and --jobs alone' "$work/error" || fail "--only: $(cat "$work/error")"
exit $failed
