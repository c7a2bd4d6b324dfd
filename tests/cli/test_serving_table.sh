#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of docs/serving.md is what "gpusim serve" prints of the recorded runs today. test_serving_table.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# One of them; all with GPUSIM_FULL.
rows=0 expected=1
[ -z "${GPUSIM_FULL-}" ] || expected=5
# | `NAME` | TTFT P50 | TPOT P50 | TTFT P99 | TPOT P99 |, in %: of a report's lines "+1.2 %" the columns are mean, p50, p90, p95, p99.
grep '^| `[a-z]*_[0-9]*` |' "$source_dir/docs/serving.md" | tr -d "\`" | head -n $expected >rows
while IFS='| ' read -r _ run ttft tpot ttft99 tpot99 _; do
    "$gpusim" serve "$source_dir/traces/h100/serving/$run.json.gz" >out 2>err || fail "$run: $(cat err)"
    now=$(sed -n '/Measured/,$p' out | grep '^ *[-+][0-9.]* %' | awk 'NR == 1 { t = $3; t99 = $9 } NR == 2 { print t, $3, t99, $9 }')
    [ "$now" = "$ttft $tpot $ttft99 $tpot99" ] || fail "$run: docs/serving.md: $ttft $tpot $ttft99 $tpot99, printed: $now"
    rows=$((rows + 1))
done <rows
[ $rows = $expected ] || fail "found $rows rows, expected $expected"
[ $failures = 0 ]
