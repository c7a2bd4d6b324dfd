#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every kind of picture for few and many schedulers, devices and sizes, with long names: drawn without a word, no text cut or
# over another, categories not joined by lines, marks where the points are, two factors: test_pictures.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
command -v gnuplot >/dev/null 2>&1 || { echo 'no gnuplot: nothing drawn' && exit 0; }
# draws NAME ARGUMENTS...: silent, and nothing of it is cut or written over.
draws() {
    name=$1
    shift
    "$gpusim" plot "$@" -o "$name.svg" --keep "$name" >out 2>err || { fail "$name: $(cat err)"; return; }
    grep -v 'means over different values' err | grep . && fail "$name: expected silence"
    found=$(awk -f "$source_dir/tests/plots/texts.awk" "$name.svg")
    [ -z "$found" ] || fail "$name: $found"
}
sets() { grep -qxF -- "$2" "$1"/*.gp || fail "$1: expected '$2', found $(grep "^${2%% *} " "$1"/*.gp)"; }

# results FILE SCHEDULERS DEVICES WORKLOADS SIZES: times that are no simulation's, but differ by much.
results() {
    awk -v schedulers="$2" -v devices="$3" -v workloads="$4" -v sizes="$5" 'BEGIN {
        split("serial kesco async grsched a-scheduler-of-somebody-with-a-long-name cudagraph heft", s, " ")
        split("a100-pcie-40gb a100-sxm4-40gb h200 v100-sxm2-16gb gtx960 a-gpu-with-a-rather-long-name p100 t4 l4 mi300x", d, " ")
        split("img vec hits ml m2 bs dl a-program-of-mine", w, " ")
        print "workload,scheduler,device,size,iteration_us,sm_busy_ratio"
        for (i = 1; i <= schedulers; i++) for (j = 1; j <= devices; j++) for (k = 1; k <= workloads; k++) for (l = 0; l < sizes; l++)
            printf "%s,%s,%s,%d,%g,%g\n", w[k], s[i], d[j], 1000 * 2 ^ l, 100 * (1 + 0.4 * (i * k % 5)) * j ^ 1.5 * 4 ^ (k - 1) * 1.9 ^ l, (i * 7 + j * 5 + k * 3) % 20 / 20
    }' >"$1"
}
for schedulers in 1 2 7; do
    for devices in 1 2 10; do
        results r.csv $schedulers $devices 8 2
        case=$schedulers-$devices
        draws "bars-$case" speedup r.csv --where size=1000 --where device=a100-pcie-40gb
        draws "column-$case" speedup r.csv --where size=1000 --where device=a100-pcie-40gb --width column
        draws "points-$case" lines r.csv --x device --y iteration_us --series scheduler --where size=1000 --where workload=img
        sets "points-$case" 'joined = 0'
        draws "boxes-$case" box r.csv --x device --y iteration_us
        draws "box-$case" box r.csv --x scheduler --y speedup
        draws "scatter-$case" scatter r.csv --x sm_busy_ratio --y iteration_us
        sets "scatter-$case" 'legend_marks = 2'
        draws "map-$case" heatmap r.csv --x device --y workload --value iteration_us --where scheduler=serial --where size=1000
        draws "turned-map-$case" heatmap r.csv --x workload --y device --value iteration_us --where scheduler=serial --where size=1000
        draws "ratios-$case" heatmap r.csv --x scheduler --y device --value speedup --where size=1000 --where workload=img
    done
done
grep -q 'with lines lw' points-2-10/lines.gp || fail 'the script has no lines at all'
[ "$(grep -c '<path' points-2-10.svg)" -gt 5 ] || fail 'points-2-10: nothing drawn'
# Rows of ten devices and eight workloads span three powers of ten: logarithmic colours, and no number is 0.0.
sets map-7-10 'is_log = 1'
grep -q '	0\.0*$' map-7-10/heatmap.dat && fail "map-7-10: $(grep '	0\.0*$' map-7-10/heatmap.dat)"

# Marks where the points are: 1,000 to 16,000 on a logarithmic axis; those without room on a linear one have no text.
results r.csv 2 1 1 5
draws sizes lines r.csv --x size --y iteration_us
sets sizes 'log_x = 1'
sets sizes 'own_marks = 1'
for text in 1000 2000 4000 8000 16k; do grep -q "<text>$text</text>" sizes.svg || fail "sizes: no mark $text"; done
draws linear lines r.csv --x size --y iteration_us --log none
sets linear 'own_marks = 1'
grep -q '<text>16k</text>' linear.svg || fail 'linear: no mark 16k'

# Two factors: a line for each pair, which says what it is; without --series all that varies.
results r.csv 2 2 1 4
draws pairs lines r.csv --x size --y iteration_us --series sched,device
[ "$(cut -f 6 pairs/lines.dat | grep -c '^kesco, a100-sxm4-40gb$')" = 4 ] || fail "pairs: $(cat pairs/lines.dat)"
draws all lines r.csv --x size --y iteration_us
[ "$(sed -n '/^# x/,$p' pairs/lines.dat | cut -f 1-5)" = "$(sed -n '/^# x/,$p' all/lines.dat | cut -f 1-5)" ] || fail 'all: expected the four lines of pairs'
grep -q 'means over' err && fail "all: $(cat err)"
draws bars speedup r.csv --x size --series scheduler,device
draws numbers lines r.csv --x device --y iteration_us --series sched,size
grep -q 'kesco, size=2000' numbers/lines.dat || fail "numbers: $(cat numbers/lines.dat)"
"$gpusim" plot lines r.csv --x size --series sched,devise -o none.svg 2>err && fail 'a column that is not there'
grep -q "did you mean 'device'" err || fail "$(cat err)"

[ "$failures" = 0 ] || exit 1
echo 'pictures are whole'
