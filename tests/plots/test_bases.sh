#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a speed-up is over, in plots and pages as in results: a scheduler, or any NAME=VALUE; parameters of one scheduler that
# vary under their bare name; plug-ins under their own name: test_bases.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"

"$gpusim" sweep --workload img,m1 --sched serial,kesco --size 500 --vary streams=1,2,4 --out bare.db >/dev/null 2>&1 || fail 'no sweep'
"$gpusim" results bare.db --base serial --csv - 2>/dev/null >expected.csv
"$gpusim" report bare.db -o bare.html 2>err || fail "report: $(cat err)"
grep -q '"h2", "Speed-up"' bare.html || fail 'the page has no speed-ups'
if command -v gnuplot >/dev/null 2>&1; then
    "$gpusim" plot lines bare.db --x streams --y speedup --series workload -o lines.svg --keep lines 2>err || fail "lines: $(cat err)"
    for value in $(awk -F, '$2 == "kesco" { print substr($NF, 1, 6) }' expected.csv); do
        cat lines/*.dat | grep -qF "$value" || fail "lines: no $value of gpusim results in $(cat lines/*.dat)"
    done
    "$gpusim" plot speedup bare.db -o bars.svg 2>err || fail "bars: $(cat err)"
    "$gpusim" plot lines bare.db --x streams --y speedup --series workload --base streams=1 -o over.svg --keep over 2>err ||
        fail "--base streams=1: $(cat err)"
    [ "$(cat over/*.dat | awk -F'\t' 'NF == 7 && $1 == 1 && $2 == 1' | wc -l)" = 2 ] || fail "--base streams=1: $(cat over/*.dat)"
    "$gpusim" plot lines bare.db --x streams --y speedup --base streams=7 -o none.svg 2>err && fail 'a base that is not there'
    grep -qF -- "--base: no rows have 'streams=7' to compare with" err || fail "--base streams=7: $(cat err)"
    "$gpusim" plot lines bare.db --x streams --y speedup --base strems=1 -o none.svg 2>err && fail 'a column that is not there'
    grep -qF "did you mean 'streams'" err || fail "--base strems=1: $(cat err)"
    # Serial did not run on one of the devices: its schedulers are not drawn, and that is said.
    printf 'workload,scheduler,device,iteration_us\nw,serial,a,2\nw,kesco,a,1\nw,async,b,1\n' >part.csv
    "$gpusim" plot speedup part.csv -o part.svg 2>err || fail "part: $(cat err)"
    grep -qF "note: no row of async has a number in the column 'speedup'" err || fail "part: $(cat err)"
    # Small numbers among large ones in a map are not 0.00.
    printf 'workload,device,iteration_us\nv,a,900000\nv,b,4000\nw,a,3\nw,b,500000\n' >map.csv
    "$gpusim" plot heatmap map.csv --x device --y workload -o map.svg --keep map 2>err || fail "map: $(cat err)"
    grep -q '0\.00$' map/*.dat && fail "map: $(cat map/*.dat)"
    grep -q '	3\.00$' map/*.dat || fail "map: $(cat map/*.dat)"
fi

# A number of a generator is no parameter of the scheduler: bases with the same number.
"$gpusim" sweep --workload layered --sched serial,async --vary layered.layers=10,100 --memory pinned --iterations 3 --out drawn.db >/dev/null 2>&1
if command -v gnuplot >/dev/null 2>&1; then
    for kind in lines box heatmap speedup; do
        case $kind in heatmap) set -- --x layered.layers --y sched --value speedup ;; *) set -- --x layered.layers --y speedup --series sched ;; esac
        "$gpusim" plot $kind drawn.db "$@" -o drawn.svg --keep drawn 2>err || fail "$kind: $(cat err)"
        for value in $("$gpusim" results drawn.db --base serial --csv - 2>/dev/null | awk -F, '$1 == "async" { printf "%.2f\n", $NF }'); do
            cat drawn/*.dat | grep -qF "$value" || cat drawn/*.dat | grep -qF "$(echo "$value" | cut -c1-3)" || fail "$kind: no $value in $(cat drawn/*.dat)"
        done
    done
    # Parameters of one scheduler are no groups of all: devices are, and schedulers have the colours. Without one is said.
    "$gpusim" sweep --workload m1 --sched serial,kesco --vary kesco.streams=2,4,8 --vary device=v100,p100 --out own.db >/dev/null 2>&1
    "$gpusim" plot speedup own.db -o own.svg --keep own 2>err || fail "own: $(cat err)"
    grep -q '	v100	kesco$' own/*.dat || fail "own: $(cat own/*.dat)"
    "$gpusim" plot lines own.db --x device --y iteration_us --series kesco.streams -o own.svg --keep named 2>err || fail "named: $(cat err)"
    grep -q 'without kesco.streams' named/*.dat || fail "named: $(cat named/*.dat)"
    "$gpusim" plot lines own.db --x kesco.streams --y iteration_us --series kesco.streams -o own.svg --keep drawn_only 2>err
    grep -q 'without' drawn_only/*.dat && fail "a series without points: $(cat drawn_only/*.dat)"
fi

# An interval is said of repetitions only.
"$gpusim" results bare.db --group sched >out 2>/dev/null
grep -q 'spread (standard deviation) over different cells' out && ! grep -q 'confidence\|ci95' out || fail "cells: $(cat out)"
"$gpusim" sweep --workload img --size 500 --sched serial,kesco --noise --repeat 3 --out repeated.db >/dev/null 2>&1
"$gpusim" results repeated.db --group sched >out 2>/dev/null
grep -q 'mean with 95 % confidence interval' out && grep -q ci95 out || fail "repetitions: $(cat out)"

plugin=$(plugin depthfirst) || exit 1
"$gpusim" sweep --workload m2 --sched serial,"$plugin" --out plugin.db >/dev/null 2>err || fail "plug-in: $(cat err)"
"$gpusim" results plugin.db --base serial --csv - 2>/dev/null | cut -d, -f1 | grep -qx depthfirst || fail "plug-in: $("$gpusim" results plugin.db)"
"$gpusim" sweep --workload m2 --sched serial,"$plugin" --resume --out plugin.db 2>&1 | grep -q '2 points' || fail 'plug-in: not resumed'
[ $failures = 0 ]
