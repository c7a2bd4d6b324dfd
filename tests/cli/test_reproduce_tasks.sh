#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_reproduce_tasks.sh SOURCE-DIR BUILD-DIR: "gpusim reproduce mp" and "xsched". Published: KeSCo's MP-1 takes 1/1.43 of the time of
# processes; here it is over serial ones one after the other, within 5 %. XSched's rates and latencies are within 10.5 %.
set -u
source_dir=$1 build_dir=${2:?usage: test_reproduce_tasks.sh SOURCE-DIR BUILD-DIR}
gpusim=$build_dir/gpusim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; failed=1; }
failed=0

"$gpusim" reproduce mp --csv "$work/mp" >"$work/table" || fail "mp ended with $?"
awk -F, '
    { gain[$1 "," $2 "," $3] = $4; count++ }
    END {
        if (count != 25) print count - 1 " cells"
        if (gain["exclusive serial,pinned,MP-1"] < 1.36 || gain["exclusive serial,pinned,MP-1"] > 1.5) print "over serial processes"
        if (gain["exclusive serial,managed,MP-1"] < 1.3) print "over serial processes, managed memory"
        if (gain["mps serial,pinned,MP-1"] < 1.2) print "over MPS"
        if (gain["exclusive serial,pinned,MP-2"] >= 1) print "MP-2 is reproduced"
        off = gain["timeslice serial,managed,MP-1"] - gain["timeslice serial,pinned,MP-1"]
        if (off > 0.05 || off < -0.05) print "time slices: memory decides"
    }' "$work/mp" >"$work/wrong"
[ -s "$work/wrong" ] && fail "$(cat "$work/wrong")"
[ -z "${GPUSIM_FULL-}" ] || "$gpusim" reproduce kesco >"$work/kesco" || fail "kesco ended with $?"
[ -z "${GPUSIM_FULL-}" ] || tail -n "$(wc -l <"$work/table")" "$work/kesco" | cmp -s - "$work/table" || fail "kesco does not end with mp"
# The sizes are those of the files of tasks.
sed -n 's/.*"program": "\([a-z]*\)", "size": "\([^"]*\)".*"priority": \([0-9]\).*/\1,size=\2,priority=\3/p' "$source_dir"/workloads/tasks/mp-*.json |
    while read -r task; do grep -q "\"$task,requests=1\"" "$source_dir/trust/published/mp.json" || echo "$task"; done >"$work/other"
[ -s "$work/other" ] && fail "mp.json lacks $(cat "$work/other")"

"$gpusim" reproduce xsched --csv "$work/xsched" >/dev/null || fail "xsched ended with $?"
awk '
    NR > 1 {
        rest = $0; sub(/.*\/s,|.*ms,|.*",,|.*alone,,|.*share,,/, "", rest); split(rest, f, ",")
        off = f[2] / f[1] - 1; count++
        if (off > 0.105 || off < -0.105) print $0
    }
    END { if (count != 11) print count " rows" }' "$work/xsched" >"$work/wrong"
[ -s "$work/wrong" ] && fail "xsched: $(cat "$work/wrong")"
exit $failed
