#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A point's result does not depend on what its worker ran before: one worker, two, points in reverse, shuffled, a sweep
# that is resumed and one in two parts that are merged give the same bytes.
# All of it ($GPUSIM_FULL): points of seconds, of which one of 24 once differed.
# Usage: test_order.sh SOURCE-DIR BUILD-DIR
set -u
gpusim=$2/gpusim source_dir=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
failed=0
forward=2e3,3e3,5e3 reverse=5e3,3e3,2e3
[ -z "${GPUSIM_FULL-}" ] || {
    forward=10000,18182,26364,34545,42727,50909,59091,67273,75455,83636,91818,100000
    reverse=$(echo $forward | tr , '\n' | tac | paste -sd, -)
}
# rows NAME SCHEDULERS SIZES OPTION...: the sorted rows of a sweep.
rows() {
    name=$1 schedulers=$2 sizes=$3
    shift 3
    "$gpusim" sweep --workload img --sched "$schedulers" --size "$sizes" --out "$name.db" "$@" >/dev/null 2>&1 &&
        "$gpusim" results "$name.db" --csv - 2>/dev/null | LC_ALL=C sort >"$name"
}
rows one async,kesco $forward --jobs 1
[ "$(wc -l <one)" -gt 6 ] || { echo "test_order: no rows: $(cat one)"; exit 1; }
rows two async,kesco $forward --jobs 2
rows back kesco,async "$reverse" --jobs 1
rows again async,kesco "${reverse%,*}" --jobs 1
rows again async,kesco $forward --jobs 2 --resume
# The same shuffle each time: the file is no source of chance.
rows shuffled kesco,async "$(echo $forward | tr , '\n' | shuf --random-source="$source_dir/LICENSE" | paste -sd, -)" --jobs 2
for shard in 1 2; do rows shard$shard async,kesco $forward --jobs 1 --shard $shard/2; done
"$gpusim" results merge -o merged.db shard2.db shard1.db >/dev/null 2>&1
"$gpusim" results merged.db --csv - 2>/dev/null | LC_ALL=C sort >merged
for other in two back again shuffled merged; do
    diff one $other >changes || { echo "test_order: $other differs:" && cat changes && failed=1; }
done
[ $failed = 0 ]
