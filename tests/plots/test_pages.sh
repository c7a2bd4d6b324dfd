#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages of results: nothing is averaged over devices or sizes, no axis mixes the sizes of different workloads, points tell a
# pointer what they are in words, tables and pictures scroll in boxes of their own: test_pages.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# The page, and with node what its script makes of it: NAME.html and NAME.drawn.
page() {
    "$gpusim" report "$1" -o "$2" >out 2>err && [ ! -s err ] || fail "report $1: $(cat err)"
    command -v node >/dev/null 2>&1 || return
    node "$source_dir/tests/plots/draw_page.js" "$2" >"${2%.html}.drawn" 2>err || fail "the script of $2: $(cat err)"
}
has() { grep -qF -- "$2" "$1" || fail "$1: expected '$2'"; }
lacks() { grep -qF -- "$2" "$1" && fail "$1: found '$2'"; }
count() { grep -oF -- "$2" "$1" | wc -l; }

"$gpusim" sweep --workload vec,img --sched serial,kesco --vary device=a100-sxm4-40gb,h200 --out devices.db >/dev/null 2>&1 || fail 'no sweep'
page devices.db devices.html
lacks devices.html 'eans over different'
for device in a100-sxm4-40gb h200; do
    [ "$(count devices.html '["h3", "'"$device"'"]')" = 2 ] || fail "devices.html: expected two tables of $device"
done
# The speed-ups of each device as results has them, not their mean.
"$gpusim" results devices.db --base serial --csv - 2>/dev/null |
    awk -F, '$2 == "kesco" && NR > 1 { printf "\"%.3f\"]\n", $NF }' | sort >expected
[ "$(wc -l <expected)" = 4 ] || fail "results: $(cat expected)"
while read -r cell; do has devices.html "$cell"; done <expected

"$gpusim" sweep --workload vec,img --sched serial,kesco --vary size=100,1000,4000 --vary streams=2,4 --out sizes.db >/dev/null 2>&1 || fail 'no sweep'
page sizes.db sizes.html
lacks sizes.html 'eans over different'
has sizes.html '["h3", "size = 1000, streams = 4"]'

printf 'workload,scheduler,device,memory,iteration_us\nv,serial,d,pinned,20\nv,kesco,d,pinned,10\nw,serial,d,pinned,4\nw,kesco,d,pinned,3\n' >fixed.csv
page fixed.csv fixed.html
# What did not vary is told once, and has no column.
[ "$(count fixed.html '["memory", "pinned"]')" = 1 ] || fail 'fixed.html: a column of what did not vary'
grep -F '["table"' fixed.html | grep -q memory && fail 'fixed.html: a column of what did not vary'
printf 'workload,scheduler,iteration_us\n<b>&amp;x,serial,2\n<b>&amp;x,kesco,1\ny,serial,4\ny,kesco,3\n' >hostile.csv
page hostile.csv hostile.html
lacks hostile.html '<b>'

# Points that failed are told on the page, with what nothing is left of, and by plot.
cat >poor.json <<'END'
{"schema": "gpusim-program/1", "name": "poor", "buffers": [{"name": "b", "bytes": 999000000000}], "kernels": [{"name": "k", "solo_us": 5}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [4], "block": [64], "writes": ["b"]}]}
END
"$gpusim" sweep --workload vec,poor.json --sched serial,kesco --memory pinned --vary iterations=1,2,3 --out failed.db >/dev/null 2>&1
page failed.db failed.html
has failed.html '6 simulated points, from failed.db; 6 of 12 points failed: nothing is left of workload poor.json.'
has failed.html '["h2", "Points without a result"]'
lacks devices.html 'points failed'
if command -v gnuplot >/dev/null 2>&1; then
    "$gpusim" plot lines failed.db --x iterations --y makespan_us -o failed.svg 2>err || fail "plot: $(cat err)"
    has err '6 of 12 points failed: nothing is left of workload poor.json'
fi
"$gpusim" sweep --workload poor.json --sched serial --memory pinned --out none.db >/dev/null 2>&1
"$gpusim" report none.db -o none.html 2>err && fail 'a page of no results'
has err 'it has no results: 1 of 1 points failed'

# Names as compilers make them leave room for the numbers: cut in the middle, told in full to a pointer. Notes keep a width.
long="void ns::kernel<$(printf 'float, %.0s' 1 2 3 4 5 6 7 8 9 10 11 12)int>(float*)"
cat >long.json <<END
{"schema": "gpusim-program/1", "name": "long", "buffers": [{"name": "b", "bytes": 4096}], "kernels": [{"name": "$long", "solo_us": 5}],
 "ops": [{"op": "kernel", "kernel": "$long", "grid": [4], "block": [64], "writes": ["b"]}]}
END
"$gpusim" run --workload long.json --sched async --device h200 --report long-run.json >/dev/null 2>err || fail "run: $(cat err)"
page long-run.json long.html
has long.html "[\"$(printf '%s' "$long" | sed 's/</\\u003c/g')\", 1, "
"$gpusim" whatif long.json --sched async --device h200 --report what.json >/dev/null 2>err || fail "whatif: $(cat err)"
page what.json what.html
has what.html '"command":"gpusim explain long.json '
# Changes without a time are none of the table; ranks have no zeros of what they are not asked; notes stand on pages.
"$gpusim" --ranks 4 --workload ddp --sched async --device l4 --report ranks.json >out 2>err || fail "ranks: $(cat err)"
page ranks.json ranks.html
has ranks.html 'no link between GPUs is known of l4'
"$gpusim" compare --task ml,size=1e5,copies=1:3,requests=3,arrival=poisson:2000 --share mps,exclusive --limit p99=9s --repeat 2 --report clients.json >out 2>err ||
    fail "clients: $(cat err)"
page clients.json clients.html
"$gpusim" serve "$source_dir/traces/h100/serving/server.json" --requests 20 --rate 20 --batching disaggregated --report server.json >out 2>err ||
    fail "server: $(cat err)"
page server.json server.html
# Any answer: heads with units, numbers at the right in their digits, what is not known empty, a bar for each row.
cat >answer.json <<'END'
{"schema": "gpusim-answer/1", "question": "mine", "program": "p", "scheduler": "async", "device": "d",
 "columns": [{"name": "way", "unit": ""}, {"name": "time_us", "unit": "us"}, {"name": "gain_percent", "unit": "%"}, {"name": "ok", "unit": ""}],
 "rows": [{"way": "a", "time_us": 12.34, "gain_percent": 1.005, "ok": true}, {"way": "b", "time_us": 6, "gain_percent": null, "ok": false}]}
END
page answer.json answer.html
if command -v node >/dev/null 2>&1; then
    has answer.drawn '<h1>mine: p</h1>'
    has answer.drawn '<tr><th>way</th><th class="n">time (us)</th><th class="n">gain (%)</th><th>ok</th></tr>'
    has answer.drawn '<tr><td>a</td><td class="n">12.3</td><td class="n">1.00</td><td>yes</td></tr>'
    has answer.drawn '<tr><td>b</td><td class="n">6.0</td><td class="n"></td><td>no</td></tr>'
    has answer.drawn '<title>a: 12.3</title>'
    has what.drawn '<h2>Changes that are none here</h2>'
    sed '/Changes that are none here/,$d' what.drawn | grep -qF '>-<' && fail 'what.drawn: a row without a time'
    for zero in 'Critical path' 'Lower bound' 'Streams used' 'Run it again'; do lacks ranks.drawn "$zero"; done
    has ranks.drawn '<h2>Ranks</h2>'
    has clients.drawn '<h1>Copies of ml on a100-sxm4-40gb with p99 within 9.000 s</h1>'
    has clients.drawn '<td>mps</td><td class="n">3</td><td>yes</td>'
    has clients.drawn '<title>mps, 3 copies: '
    has server.drawn '<h1>small-lm on 2 x h100-vm, batching disaggregated</h1>'
    has server.drawn '>time to first token</td>'
    has server.drawn '<title>first token</title>'
fi
# No figure over sizes shows two workloads; a device has a figure of its own.
grep -F '["figure"' sizes.html | grep -F -- '--x size' | grep -v 'workload = ' && fail 'a figure over the sizes of two workloads'
[ "$(count devices.html '"name": "speedup"')" = 2 ] || fail "devices.html: $(count devices.html '"name": "speedup"') figures, expected one for each device"

if command -v node >/dev/null 2>&1; then
    [ "$(count devices.drawn '<div class="picture"><svg role="img" aria-label="')" = 2 ] || fail 'devices: no picture for each device'
    [ "$(count devices.drawn '<table>')" = "$(count devices.drawn '<div class="wide"><table>')" ] || fail 'a table without a box'
    # A number of the JSON stands at the right of its table.
    while read -r cell; do has devices.drawn "<td class=\"n\">$(printf '%s' "$cell" | tr -d '"]')</td>"; done <expected
    # Bars and points say what they are; names are texts, never HTML.
    grep -q '<title>img, kesco: [0-9.]*</title>' devices.drawn || fail 'devices: bars do not say what they are'
    grep -q '<title>kesco, 1000: [0-9.]*</title>' sizes.drawn || fail 'sizes: points do not say what they are'
    has hostile.drawn '<title>&#60;b&#62;&#38;amp;x, kesco: 2.00</title>'
    lacks hostile.drawn '<b>'
    # A long name is cut in the middle, and told in full to a pointer; commands wrap.
    escaped=$(printf '%s' "$long" | sed 's/</\&#60;/g; s/>/\&#62;/g')
    has long.drawn "<td class=\"t\" title=\"$escaped\">void ns::kernel&#60;float, float"
    has long.drawn 'loat, int&#62;(float*)</td><td class="n">1</td>'
    lacks long.drawn "<td>$escaped"
    has what.drawn '<pre>gpusim explain long.json --sched async --device h200 --change CHANGE</pre>'
    "$gpusim" --workload img --sched kesco --report run.json >/dev/null
    page run.json run.html
    grep -q '<title>gaussian_blur: [0-9.]* ms from [0-9.]*</title>' run.drawn || fail 'run: kernels do not say what they are'
    # Repeated points have boxes.
    "$gpusim" sweep --workload vec --sched kesco --repeat 5 --noise --out noise.db >/dev/null 2>err || fail "sweep: $(cat err)"
    page noise.db noise.html
    grep -q '<title>kesco: median [0-9.]* of 5</title>' noise.drawn || fail 'noise: boxes do not say what they are'
fi
[ "$failures" = 0 ] || exit 1
echo 'pages are sound'
