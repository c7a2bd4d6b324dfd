#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim plot" as a user runs it: every kind of figure from every kind of file, the data behind it, a script that draws
# it again, and refusals: test_figures.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"

# draws WHAT ARGUMENTS...: the command succeeds without a word; with gnuplot, that is.
draws() {
    what=$1
    shift
    "$gpusim" plot "$@" >out 2>err || { fail "$what: gpusim plot $*: $(cat err)"; return; }
    [ ! -s out ] && [ ! -s err ] || fail "$what: expected silence, found $(cat out err)"
}
# refuses STATUS MESSAGE ARGUMENTS...
refuses() {
    expected=$1 message=$2
    shift 2
    "$gpusim" plot "$@" >out 2>err
    status=$?
    [ $status = "$expected" ] || fail "plot $*: exit $status, expected $expected"
    grep -qF -- "$message" err || fail "plot $*: found '$(cat err)', expected '$message'"
}
# has FILE TEXT (tabs as |)
has() { tr '\t' '|' <"$1" | grep -qxF -- "$2" || fail "$1: expected the line '$2', found: $(tr '\t' '|' <"$1" | head -n 30)"; }
is_kind() { # is_kind FILE MAGIC
    [ "$(head -c ${#2} "$1" | tr -d '\0')" = "$2" ] || fail "$1: expected it to begin with $2"
}

"$gpusim" run --workload img --sched kesco --iterations 2 --report run.json --trace run.json.gz >/dev/null || fail 'no run'
"$gpusim" compare --workload vec,img --sched serial,async,kesco --csv compare.csv >/dev/null || fail 'no comparison'
"$gpusim" compare --workload vec,img --sched serial,async,kesco --report compare.json >/dev/null || fail 'no comparison'

refuses 2 "unknown figure 'timelin'" timelin run.json
refuses 2 "did you mean 'timeline'" timelin run.json
refuses 2 'expected a file behind it' timeline
refuses 2 "ending in .svg, .pdf or .png, found 'a.jpg'" timeline run.json -o a.jpg
refuses 2 "cannot read 'nothing.json'" timeline nothing.json
refuses 2 "--iteration: expected 1 to 2 or all, found 3" timeline run.json --iteration 3
refuses 2 "--window: expected FROM:TO" timeline run.json --window 5
# As many iterations as have both a start and a length.
for cut in 's/"iteration_us": \[[^,]*, /"iteration_us": [/' 's/"iteration_start_us": \[[^,]*, /"iteration_start_us": [/'; do
    sed "$cut" run.json >short.json
    refuses 2 "--iteration: expected 1 to 1 or all, found 2" timeline short.json --iteration 2
done
refuses 2 "--width: expected column, page or centimetres" timeline run.json --width huge
refuses 2 "--x: no column 'workloda', did you mean 'workload'?" speedup compare.csv --x workloda
refuses 2 "no rows of the scheduler 'grsched'" speedup compare.csv --base grsched
refuses 2 '--log: bars begin at zero' speedup compare.csv --log y
refuses 2 'no rows are left' speedup compare.csv --where workload=none
refuses 2 'expected results: a database' speedup "$source_dir/CMakeLists.txt"
head -c 3000 run.json >cut.json
refuses 2 "cannot read 'cut.json': " timeline cut.json
[ "$(ls)" = "$(ls | grep -v '\.svg$')" ] || fail "refused, but left $(ls ./*.svg)"

# Pages: everything is in them, nothing is fetched, and what a file holds is text there.
page() { # page FILE NAME
    "$gpusim" report "$1" -o "$2" >out 2>err || fail "report $1: $(cat err)"
    [ ! -s out ] || fail "report $1: expected silence, found $(cat out)"
    [ "$(head -c 15 "$2")" = '<!DOCTYPE html>' ] && [ "$(tail -n 1 "$2")" = '</html>' ] || fail "$2 is not whole"
    ! grep -qE '<link|<img|src=|href="http|@import|url\(http|fetch\(|XMLHttpRequest|import\(' "$2" || fail "$2 fetches something"
}
contains() { grep -qF -- "$2" "$1" || fail "$1: expected '$2'"; }
page run.json run.html
contains run.html '"workload": "img", "scheduler": "kesco", "device": "a100-sxm4-40gb", "seed": "1"'
contains run.html '["gaussian_blur", 6, '
if command -v node >/dev/null 2>&1; then
    node "$source_dir/tests/plots/draw_page.js" run.html >run.drawn || fail 'the script of run.html'
    contains run.drawn 'img with kesco on a100-sxm4-40gb'
    contains run.drawn '<td>gaussian_blur</td><td class="n">6</td>'
    contains run.drawn 'gpusim run --workload img --sched kesco --device a100-sxm4-40gb --seed 1 --suite kesco'
fi
"$gpusim" sweep --workload vec,img --sched serial,kesco --vary device.h2d_gbps=10,20 --out results.db >/dev/null 2>&1 || fail 'no sweep'
page results.db results.html
contains results.html '8 simulated points'
contains results.html 'gpusim sweep --workload vec,img --sched serial,kesco --vary device.h2d_gbps=10,20 --out results.db'
contains results.html '["device.h2d_gbps", "10, 20"]'
[ "$(grep -c '^\["figure"' results.html)" -ge 3 ] || fail "expected three pictures in results.html"
printf 'workload,scheduler,iteration_us\n<b>x</b>&,serial,2\ny,serial,1\n' >hostile.csv
page hostile.csv hostile.html
contains hostile.html '\u003cb>x\u003c/b>&'
! grep -q '<b>' hostile.html || fail 'a name became HTML'
refused() { # refused MESSAGE ARGUMENTS...
    message=$1
    shift
    "$gpusim" report "$@" >out 2>err && fail "report $*: expected a refusal"
    grep -qF -- "$message" err || fail "report $*: found '$(cat err)', expected '$message'"
}
refused 'no output: expected -o FILE.html' results.db
refused 'is both input and output' run.json -o run.json
refused "cannot read 'nothing.db'" nothing.db -o nothing.html
[ ! -e nothing.html ] || fail 'refused, but wrote a page'

command -v gnuplot >/dev/null 2>&1 || { printf 'no gnuplot: nothing drawn\n' && exit "$failures"; }

# The same recording as report and trace: the same slices.
draws 'a report' timeline run.json -o report.svg --iteration all --keep kept-report
draws 'a trace' timeline run.json.gz -o trace.pdf --iteration all --keep kept-trace
is_kind report.svg '<?xml'
is_kind trace.pdf '%PDF'
for kept in kept-report kept-trace; do
    # Traces tell durations, so ends may be off by a rounding.
    sed -n '/^# start_us/,$p' $kept/timeline.dat | awk -F'\t' '{ print sprintf("%.1f %.1f", $1, $2 + 0.02), $3, $4, $5 }' >$kept/slices
    has $kept/timeline.dat '0|stream 1'
    grep -q 'copy H2D' $kept/timeline.dat || fail "$kept: no row for copies"
done
cmp -s kept-report/slices kept-trace/slices || fail "report and trace differ: $(diff kept-report/slices kept-trace/slices | head -n 5)"
[ "$(wc -l <kept-report/slices)" -gt 24 ] || fail "expected 22 kernels and their copies, found $(wc -l <kept-report/slices) lines"
draws 'one iteration' timeline run.json -o second.svg --iteration 2 --keep kept-second
[ "$(grep -c gaussian_blur kept-second/timeline.dat)" = 4 ] || fail 'expected three blurs and their legend in the second iteration'
draws 'a profile of PyTorch' timeline "$source_dir/traces/h200/kineto/kineto_resnet18.json.gz" -o resnet.png --keep kept-kineto
grep -q 'vectorized_elementwise_kernel$' kept-kineto/timeline.dat || fail 'expected short names in the legend'

# What is kept draws the same picture, and the picture of a copied script is the user's own.
(cd kept-report && gnuplot timeline.gp) >out 2>&1 && [ -s kept-report/report.svg ] || fail "the kept script failed: $(cat out)"
cmp -s report.svg kept-report/report.svg || fail 'the kept script draws another picture'
draws 'a hostile name' timeline run.json -o "it's \"; system('touch owned').svg" --title "it's \`touch owned\`" --keep "kept'q"
(cd "kept'q" && gnuplot timeline.gp) >out 2>&1 || fail "the kept script failed: $(cat out)"
[ ! -e owned ] && [ ! -e "kept'q/owned" ] || fail 'a name was executed'

# What the runner recorded on a GPU: measured iterations are repetitions, a traced run is a timeline.
cat >runs.json <<'END'
{"schema": "gpusim-runs/1", "device": "h200", "runs": [
 {"workload": "vec", "scheduler": "serial", "size": 5, "checked": true, "iteration_us": [20.0, 22.0],
  "traced": {"iteration_us": 25, "ops": [{"op": 0, "kind": "h2d", "bytes": 8, "stream": 1, "launch_us": 0, "start_us": 1, "end_us": 2},
   {"op": 1, "kind": "kernel", "name": "square", "stream": 3, "launch_us": 1, "start_us": 4, "end_us": 9}]}},
 {"workload": "vec", "scheduler": "kesco", "size": 5, "checked": true, "iteration_us": [10.0, 11.0]}]}
END
draws 'recorded runs' timeline runs.json --where scheduler=serial -o recorded.svg --keep kept-recorded
has kept-recorded/timeline.dat '4.000|9.000|0|1|4|1|square'
refuses 2 'runs[1]: this run was not traced' timeline runs.json --where scheduler=kesco -o recorded.svg
refuses 2 'no run is left' timeline runs.json --where scheduler=async -o recorded.svg
draws 'measured bars' speedup runs.json -o measured.svg --keep kept-measured
found=$(awk -F'\t' '$7 == "vec" && $8 == "kesco" { print $2, ($3 < $2), ($4 > $2) }' kept-measured/speedup.dat)
[ "$found" = '2.00227 1 1' ] || fail "measured speed-up: found '$found', expected 21 / sqrt(10 * 11) = 2.00227 within an interval"

# Bars: from CSV and JSON, with the values that compare printed.
draws 'CSV' speedup compare.csv -o bars.svg --keep kept-csv
draws 'JSON' speedup compare.json -o bars.png --width column --keep kept-json
is_kind bars.png "$(printf '\211PNG')"
cmp -s kept-csv/speedup.dat kept-json/speedup.dat ||
    sed 1,5d kept-csv/speedup.dat | cut -f 2,6-8 >csv && sed 1,5d kept-json/speedup.dat | cut -f 2,6-8 >json && cmp -s csv json ||
    fail "CSV and JSON differ: $(diff csv json)"
expected=$(awk -F, '$1 == "img" && $2 == "kesco" { printf "%.6g", $9 }' compare.csv)
found=$(awk -F'\t' '$7 == "img" && $8 == "kesco" { print $2 }' kept-csv/speedup.dat)
[ -n "$found" ] && [ "$expected" = "$found" ] || fail "kesco on img: found '$found', expected '$expected'"
draws 'another base' speedup compare.csv --base async -o bars.svg --keep kept-base
[ "$(awk -F'\t' '$8 == "async" { print $2 }' kept-base/speedup.dat | sort -u)" = 1 ] || fail 'expected the base at 1'

# holds FILE: its data behind the legend, tabs as |, without empty lines: the standard input.
holds() {
    cat >right
    sed '/^# legend/,/^$/d; /^# gpusim/d; /^$/d' "$1" | tr '\t' '|' | diff right - >differs || fail "$1: expected (<), found (>): $(cat differs)"
}
# Means, intervals, quartiles: 10, 12, 14 have the mean 12, the standard error 2/sqrt(3) and Student's t 4.3027; the
# speed-up over the base's mean 24 is the geometric mean of 2.4, 2 and 1.7143.
cat >results.csv <<'END'
workload,scheduler,device,size,seed,iteration_us
vec,serial,a,100,1,24
vec,kesco,a,100,1,10
vec,kesco,a,100,2,12
vec,kesco,a,100,3,14
vec,serial,a,10000,1,240
vec,kesco,a,10000,1,100
"im,g",serial,a,100,1,30
"im,g",kesco,a,100,1,30
END
draws lines lines results.csv --where workload=vec -o lines.svg --keep kept-lines
holds kept-lines/lines.dat <<'END'
# position|mark
100|100
10000|10k
# x|y|low|high|colour|series|x_as_told
100|24|24|24|1|serial|100
10000|240|240|240|1|serial|10000
100|12|7.03172458|16.9682754|2|kesco|100
10000|100|100|100|2|kesco|10000
END
# 4 % of the ratio beyond: 100 / 100^0.04, 7.0317 / (240 / 7.0317)^0.04.
for limit in 'low_x = 83.176' 'high_x = 12022.64' 'low_y = 6.1057' 'high_y = 276.399'; do
    grep -q "^$limit" kept-lines/lines.gp || fail "limits: expected $limit: $(grep '^[lh][oi].*_[xy] =' kept-lines/lines.gp)"
done
grep -qx 'log_x = 1' kept-lines/lines.gp || fail 'expected a logarithmic axis'
draws 'no logarithm' lines results.csv --where workload=vec --where 'size in (100, 10000)' --log none -o lines.pdf --keep kept-lines
grep -qx 'log_x = 0' kept-lines/lines.gp || fail 'expected a linear axis'
# A logarithmic axis of less than two powers of ten has marks between them, one of less than a factor of four even ones.
printf 'size,iteration_us\n12,50\n30,63\n60,71\n' >narrow.csv
draws 'a narrow range' scatter narrow.csv --x size --y iteration_us --log xy -o narrow.svg
for text in 20 60 70; do
    grep -q "<text>$text</text>" narrow.svg || fail "narrow.svg: expected the mark $text"
done
draws speedup speedup results.csv --where size=100 -o bars.svg --keep kept-bars
# vec: (2.4 * 2 * 12/7)^(1/3); the logarithms' deviation 0.16843 / sqrt(3) times Student's 4.3027 is a factor of 1.5195. The
# geometric mean with 1 is the root; its deviation, half of 0.09724, times the normal 1.96 a factor of 1.1.
holds kept-bars/speedup.dat <<'END'
# position|group
2.100|vec
5.200|im,g
8.300|geomean
# position|value|low|high|colour|label|group|series
1.600|1|NaN|NaN|1|1.00|vec|serial
2.600|2.01887|1.3286|3.06776|2|2.02|vec|kesco
4.700|1|NaN|NaN|1|1.00|im,g|serial
5.700|1|NaN|NaN|2|1.00|im,g|kesco
7.800|1|NaN|NaN|1|1.00|geomean|serial
8.800|1.42087|1.29171|1.56294|2|1.42|geomean|kesco
END
draws heatmap heatmap results.csv --x workload --y size --where sched=kesco -o map.svg --keep kept-map
holds kept-map/heatmap.dat <<'END'
# position|mark
0|vec
1|im,g
# position|mark
0|100
1|10k
# column|row|value|label
0|0|12|12.0
0|1|100|100
1|0|30|30.0
END
# Three digits, at the limits of each form.
printf 'row,column,depth\na,1,0\na,2,0.1\na,3,0.096\na,4,0.004\na,5,9.99\na,6,9.995\na,7,99.9\na,8,99.95\na,9,-12\n' >digits.csv
draws digits heatmap digits.csv --x column --y row --value depth -o digits.svg --keep kept-digits
found=$(awk -F'\t' '/^# column/ { on = 1; next } on && NF == 4 { printf "%s ", $4 }' kept-digits/heatmap.dat)
[ "$found" = '0.00 0.10 0.096 0.004 9.99 10.0 99.9 100 -12.0 ' ] || fail "digits: found $found"
draws scatter scatter results.csv --x size --y iteration_us -o scatter.png --keep kept-scatter
has kept-scatter/scatter.dat '100|14|2|kesco'
draws box box results.csv --x workload --where size=100 -o box.svg --keep kept-box
holds kept-box/box.dat <<'END'
# position|mark
1.8|vec
4.6|im,g
# position|quartile1|low|high|quartile3|median|colour|values|group|series
1.300|24|24|24|24|24|1|1|vec|serial
2.300|11|10|14|13|12|2|3|vec|kesco
4.100|30|30|30|30|30|1|1|im,g|serial
5.100|30|30|30|30|30|2|1|im,g|kesco
END
# Times of requests under two ways: steps of a third and of a half.
cat >jct.json <<'END'
{"tasks": 2, "ways": [
 {"share": "mps", "tasks": [{"name": "a", "priority": 0, "per_second": 100, "p99_us": 30, "jct_us": [10, 30, 20]},
  {"name": "b", "priority": 1, "per_second": 7, "p99_us": 90, "jct_us": [90]}]},
 {"share": "streams", "tasks": [{"name": "a", "priority": 0, "per_second": 50, "p99_us": 60, "jct_us": [60, 40]},
  {"name": "b", "priority": 1, "per_second": 9, "p99_us": 80, "jct_us": [80]}]}]}
END
draws jct jct jct.json -o jct.svg --keep kept-jct
holds kept-jct/jct.dat <<'END'
# request time|share of requests|colour|mark|way
10|0|1|0|mps
10|0.333333|1|1|mps
20|0.333333|1|0|mps
20|0.666667|1|1|mps
30|0.666667|1|0|mps
30|1|1|1|mps
40|0|2|0|streams
40|0.5|2|1|streams
60|0.5|2|0|streams
60|1|2|1|streams
END
"$gpusim" plot lines results.csv --x size --series sched -o averaged.svg 2>err || fail "averaged: $(cat err)"
grep -q 'im,g: left out, as some points lack it' err || fail "expected a note on what is left out, found '$(cat err)'"
"$gpusim" plot lines results.csv --x size --series sched --where size=100 -o averaged.svg 2>err || fail "averaged: $(cat err)"
grep -q 'means over different values of workload' err || fail "expected a note on what was averaged, found '$(cat err)'"

# A picture that could not be written whole is an error (gnuplot says nothing of it), and what was there stays.
printf 'before\n' >short.png
(trap '' XFSZ && ulimit -f 24 && exec "$gpusim" plot speedup compare.csv -o short.png) >out 2>err &&
    fail 'a picture cut short is no error'
grep -q "cannot write 'short.png'" err || fail "a picture cut short: found '$(cat err)'"
[ "$(cat short.png)" = before ] || fail 'a picture cut short replaced what was there'

# gnuplot takes names that begin with "|" or "<" as commands, "-" as an option: ours are files, whatever they are called.
for name in '|touch ran;.svg' '< touch ran;.svg' '-e.svg'; do
    "$gpusim" plot speedup compare.csv -o "$name" --keep "$name.kept" 2>err || fail "a picture '$name': $(cat err)"
    [ -s "./$name" ] || fail "no picture '$name'"
    [ ! -e ran ] || fail "the name '$name' was run as a command"
done

# Sizes that each workload counts in units of its own: a figure per workload, not one through all.
printf 'workload,scheduler,size,iteration_us\na,serial,10,1\na,serial,20,2\nb,serial,1000,3\nb,serial,2000,4\n' >apart.csv
sed 'p; s/serial/kesco/' apart.csv | sed 2d >both.csv
page both.csv apart.html
for workload in a b; do
    contains apart.html "--x size --y iteration_us --series scheduler --where \\\"workload = '$workload'\\\""
done
[ "$(grep -c -- '--x size --y iteration_us' apart.html)" = 2 ] || fail 'apart.html: expected a figure over sizes for each workload'

printf 'figures: %d failures\n' "$failures"
[ "$failures" = 0 ]
