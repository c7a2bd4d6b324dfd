#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What was predicted for two GPUs against what they did (traces/h100/several), and predictions for eight that this program still makes.
# Run as "test_several.sh SOURCE-DIR BUILD-DIR".
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }
several="python3 $source/traces/runner/several/several.py" recorded=$source/traces/h100/several
bad=0
fail() { echo "$*"; bad=1; }
scores=$($several score "$recorded/two.json.gz" "$recorded/predicted-2.json") || fail "score: $scores"
echo "$scores" | grep -q '80 of 80 pairs that differ' || fail "pairs: $scores"
# By name: what the mean error in per cent may be.
for bound in dag:2 gemm_beside:1 all_reduce_beside:6 peer_all_pairs:4 peer_one_to_all:4; do
    echo "$scores" | awk -v name="${bound%:*}" -v most="${bound#*:}" '$1 == name {found = 1; if ($3 > most) exit 1} END {exit !found}' || fail "$bound: $scores"
done
for part in copies beside; do
    found=$($several agree "$recorded/predicted-8.json" 8 --part $part --gpusim "$build/gpusim") || fail "$part: $found"
done
exit $bad
