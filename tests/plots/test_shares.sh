#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim plot jct" and "gpusim plot clients": the data behind the figures, from reports by hand and of runs; refusals.
# test_shares.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
draws() {
    what=$1
    shift
    "$gpusim" plot "$@" >out 2>err || { fail "$what: gpusim plot $*: $(cat err)"; return; }
    [ ! -s out ] && [ ! -s err ] || fail "$what: expected silence, found $(cat out err)"
}
refuses() {
    message=$1
    shift
    "$gpusim" plot "$@" >out 2>err
    status=$?
    [ $status = 2 ] || fail "plot $*: exit $status, expected 2"
    grep -qF -- "$message" err || fail "plot $*: found '$(cat err)', expected '$message'"
}
has() { tr '\t' '|' <"$1" | grep -qxF -- "$2" || fail "$1: expected the line '$2', found: $(tr '\t' '|' <"$1" | head -n 40)"; }

cat >two.json <<'END'
{"schema": "gpusim-share-comparison/1", "device": "d", "ways": [
 {"share": "mps", "tasks": [
  {"name": "late", "priority": 5, "p99_us": 900, "per_second": 10, "jct_us": [900, 300]},
  {"name": "urgent", "priority": 0, "p99_us": 400, "per_second": 40, "jct_us": [400, 100, 200, 300]}]},
 {"share": "streams", "error": "why not"},
 {"share": "exclusive", "tasks": [
  {"name": "late", "priority": 5, "p99_us": 500, "per_second": 4, "jct_us": [500]},
  {"name": "urgent", "priority": 0, "p99_us": 500, "per_second": 4, "jct_us": [500, 250]}]}]}
END
sed 's/"ways": \[/"ways": [ {"share": "mps", "tasks": [{"name": "urgent", "priority": 0, "p99_us": 120, "per_second": 50}]}/; q' two.json >one.json
printf ']}\n' >>one.json
refuses 'found a device: gpusim run --device FILE' jct "$source_dir/models/h200.json"
refuses "no task 'nobody' under mps in 'two.json'" jct two.json --series nobody
refuses "--x: applies to figures of a sweep's results, not to jct and clients" jct two.json --x size
refuses 'expected reports with different numbers of tasks, found 2 in each' clients two.json
refuses "cannot read 'none.json'" clients none.json
refuses 'no request times to draw' jct one.json
refuses "did you mean 'clients'" client two.json
printf '{"share": "mps", "tasks": [{"name": 3}]}' >bad.json
refuses 'tasks[0]: expected a name, a priority and times' jct bad.json
printf '{"share": "mps", "error": "no"}' >bad.json
refuses 'no way of sharing ran' jct bad.json
command -v gnuplot >/dev/null || { [ $failures = 0 ]; exit; }

draws 'a distribution' jct two.json -o jct.svg --keep kept
has kept/jct.dat '100|0|1|0|mps'
has kept/jct.dat '100|0.25|1|1|mps'
has kept/jct.dat '400|0.75|1|0|mps'
has kept/jct.dat '250|0.5|2|1|exclusive'
grep -q 'request of urgent (us)' jct.svg || fail "no label in $(head -c 300 jct.svg)"
draws 'of another task' jct two.json -o late.png --series late --keep late
has late/jct.dat '900|1|1|1|mps'
# The axis of times that span more than a factor of 20, or of which a few would crowd the others, is logarithmic unless told otherwise.
spread() {
    printf '{"schema": "gpusim-share-comparison/1", "device": "d", "ways": ['
    between=
    for us in "$@"; do
        printf '%s{"share": "w%s", "tasks": [{"name": "t", "priority": 0, "jct_us": [%s, %s]}]}' "$between" "$us" "$us" "$((us + 1))"
        between=,
    done
    printf ']}'
}
spread 100 110 120 130 140 150 160 170 1900 >wide.json
spread 100 110 120 130 140 150 160 170 900 >crowded.json
spread 100 200 300 400 500 600 700 800 900 >even.json
spread 100 110 3000 >far.json
for pair in wide:1 crowded:1 even:0 far:1; do
    draws "axis of ${pair%:*}" jct "${pair%:*}.json" -o axis.png --keep axis
    grep -qx "log_x = ${pair#*:}" axis/jct.gp || fail "${pair%:*}: expected log_x = ${pair#*:}, found $(grep log_x axis/jct.gp)"
done
draws 'a linear axis' jct wide.json -o axis.png --log none --keep axis
grep -qx 'log_x = 0' axis/jct.gp || fail "--log none: $(grep log_x axis/jct.gp)"
# Lines of many ways have a colour each, far from all others.
spread 101 102 103 104 105 106 107 108 109 110 111 112 113 114 >many.json
draws 'many ways' jct many.json -o many.svg --keep many
sed -n '/^array inks/,/]/p' "$source_dir/plots/common.gp" | grep -o '0x[0-9a-f]*' | while read -r colour; do
    printf '%d %d %d %s\n' $((colour >> 16)) $((colour >> 8 & 255)) $((colour & 255)) "$colour"
done | awk '{ for (i = 1; i < NR; i++) if (($1 - r[i])^2 + ($2 - g[i])^2 + ($3 - b[i])^2 < 60^2) print name[i] " is close to " $4
    r[NR] = $1; g[NR] = $2; b[NR] = $3; name[NR] = $4 } END { if (NR < 14) print NR " colours" }' >close
[ ! -s close ] || fail "colours: $(cat close)"
[ "$(grep -oi 'stroke *= *.rgb([^)]*)' many.svg | tr -d ' ' | sort -u | wc -l)" -ge 14 ] || fail 'many.svg: lines share colours'
draws 'over clients' clients one.json two.json -o clients.svg --keep clients
has clients/clients.dat '1|50|120|1|mps|0|0'
has clients/clients.dat '2|50|900|1|mps|0|0'
has clients/clients.dat '2|8|500|2|exclusive|0|0'
printf '%s\n' rate_per_s,batching,prefill_beside,goodput_per_s,ttft_p99_us,goodput_per_s_ci95,ttft_p99_us_ci95 \
    10,continuous,same,9,2000,1,500 20,continuous,same,18,9000,2.5,700 >load.csv
draws 'over rates, with intervals' load load.csv -o load.svg --keep load
has load/clients.dat '10|9|2|1|continuous, same|1|0.5'
has load/clients.dat '20|18|9|1|continuous, same|2.5|0.7'

"$gpusim" compare --task alexnet,requests=4 --task squeezenet,priority=3,requests=0 --device h100-vm --share mps,timeslice --report real.json >out 2>err ||
    fail "compare: $(cat err)"
"$gpusim" --task alexnet,requests=4 --device h100-vm --share mps --report run.json >out 2>err || fail "run: $(cat err)"
draws 'a comparison' jct real.json run.json -o real.pdf --log x
draws 'a comparison and a run' clients real.json run.json -o both.png
[ $failures = 0 ]
