#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What figures draw, each number computed by hand, and the settings of their scripts: test_paper.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
# shellcheck source=tests/paper.sh
. "$source_dir/tests/paper.sh"
command -v gnuplot >/dev/null 2>&1 || { echo "no gnuplot: nothing drawn" && exit 0; }
kernel() { echo "{\"op\": \"kernel\", \"kernel\": \"$1\", \"grid\": [${2:-40}], \"block\": [256]${3-}}"; }
cat >two.json <<EOF
{"schema": "gpusim-program/1", "name": "two", "iterations": 2,
 "buffers": [{"name": "x", "bytes": 1000000, "init": "host"}, {"name": "y", "bytes": 2000000, "init": "none"}],
 "kernels": [$(k a 100), $(k b 40)],
 "ops": [$(kernel a 40 ', "reads": ["x"], "writes": ["y"]'), $(kernel b 40 ', "reads": ["x"]'),
         $(kernel b 40 ', "reads": ["y"], "writes": ["y"]'), {"op": "host_read", "buffer": "y", "bytes": 2000000}]}
EOF
echo "{\"schema\": \"gpusim-program/1\", \"name\": \"full\", \"kernels\": [$(k a 100)], \"ops\": [$(kernel a 80)]}" | sed 's/60000/80000/' >full.json
# shellcheck disable=SC2086
{
    "$gpusim" sweep --workload two.json --sched serial,kesco --vary device.launch_us=4,8 $on --out r.db >out 2>err || fail "sweep: $(cat err)"
    "$gpusim" --workload two.json --sched kesco $on --iterations 1 --report run.json --trace trace.json >out 2>err || fail "run: $(cat err)"
    "$gpusim" compare --task full.json,requests=2,name=p --task full.json,requests=2,name=q $on --share streams --report tasks.json >out 2>err || fail "tasks: $(cat err)"
}
# draws NAME KIND FILE OPTION...: the settings and the data of the figure are the standard input.
draws() {
    name=$1
    shift
    cat >right
    "$gpusim" plot "$@" -o "$name.svg" --keep kept >out 2>err || fail "$name: $(cat err)"
    { sed '1,5d; /^$/,$d' kept/*.gp && grep -v '^# gpusim' kept/*.dat; } >found
    diff right found >differs || fail "$name: expected (<), found (>): $(cat differs)"
    rm -r kept
}

# Times of test_on_paper.sh: serial 376 and 386, kesco 307 and 309; 4 % of the range beyond it. The mean ratio is the root of
# 1.22476 x 1.24919.
draws bars speedup r.db <<'EOF'
set terminal svg size 673,242 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 17.8
height_cm = 6.4
line_cm = 0.381
heading = ""
legend_count = 2
key_cm = 0.5715
turned = 0
down_cm = 0
label_pt = 8.53333333333
label_angle = 0
y_top = 1.33610704736
label_high = 0.0869161088543
bar = 0.94
bars_end = 10.4
mean_at = 6.75
reference = 1
repeated = 0
label_x = "cudaLaunchKernel (us)"
ylabel = "speed-up over serial"
# legend: x_cm	y_cm	colour	name
7.200	0.286	1	serial
8.995	0.286	2	kesco


# position	group
2.100	4
5.200	8
8.300	geomean


# position	value	low	high	colour	label	group	series
1.600	1	NaN	NaN	1	1.00	4	serial
2.600	1.22476	NaN	NaN	2	1.22	4	kesco
4.700	1	NaN	NaN	1	1.00	8	serial
5.700	1.24919	NaN	NaN	2	1.25	8	kesco
7.800	1	NaN	NaN	1	1.00	geomean	serial
8.800	1.23691	NaN	NaN	2	1.24	geomean	kesco
EOF
lines=$(cat <<'EOF'
set terminal svg size 321,218 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 8.5
height_cm = 5.78
line_cm = 0.381
heading = ""
legend_marks = 1
legend_count = 2
key_cm = 0.5715
turned = 0
down_cm = 0
own_marks = 1
joined = 1
repeated = 0
reference = NaN
log_x = 0
low_x = 3.84
high_x = 8.16
label_x = "cudaLaunchKernel (us)"
log_y = 0
low_y = 303.84
high_y = 389.16
label_y = "time per iteration (us)"
# legend: x_cm	y_cm	colour	name
2.550	0.286	1	serial
4.345	0.286	2	kesco


# position	mark
4	4
8	8


# x	y	low	high	colour	series	x_as_told
4	376	376	376	1	serial	4
8	386	386	386	1	serial	8

4	307	307	307	2	kesco	4
8	309	309	309	2	kesco	8
EOF
)
echo "$lines" | draws lines lines r.db
# The same from the spec of the sweep.
echo '{"schema": "gpusim-sweep/1", "options": {"workload": "two.json", "device": "./paper.json", "memory": "pinned"}, "vary": {"sched": ["serial", "kesco"], "device.launch_us": [4, 8]}}' >spec.json
echo "$lines" | draws spec lines spec.json
# A logarithmic axis: 5 % of the values at least.
draws one lines r.db --where sched=kesco --log y --x device.launch_us <<'EOF'
set terminal svg size 321,218 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 8.5
height_cm = 5.78
line_cm = 0.381
heading = ""
legend_marks = 1
legend_count = 0
key_cm = 0.2
turned = 0
down_cm = 0
own_marks = 1
joined = 1
repeated = 0
reference = NaN
log_x = 0
low_x = 3.84
high_x = 8.16
label_x = "cudaLaunchKernel (us)"
log_y = 1
low_y = 292.380952381
high_y = 324.45
label_y = "time per iteration (us)"
# legend: x_cm	y_cm	colour	name
NaN	NaN	1	none
NaN	NaN	1	none


# position	mark
4	4
8	8


# x	y	low	high	colour	series	x_as_told
4	307	307	307	1		4
8	309	309	309	1		8
EOF
draws points scatter r.db <<'EOF'
set terminal svg size 321,218 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 8.5
height_cm = 5.78
line_cm = 0.381
heading = ""
legend_marks = 2
legend_count = 2
key_cm = 0.5715
log_x = 0
low_x = 3.84
high_x = 8.16
label_x = "cudaLaunchKernel (us)"
log_y = 0
low_y = 0
high_y = 401.44
label_y = "time per iteration (us)"
# legend: x_cm	y_cm	colour	name
2.550	0.286	1	serial
4.345	0.286	2	kesco


# x	y	colour	series
4	376	1	serial
8	386	1	serial
4	307	2	kesco
8	309	2	kesco
EOF
draws heat heatmap r.db <<'EOF'
set terminal svg size 321,191 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 8.5
height_cm = 5.04415
line_cm = 0.381
heading = ""
left_cm = 0.999631111111
legend_count = 0
key_cm = 0.2
turned = 0
down_cm = 0
is_log = 0
columns = 2
rows = 2
numbers = 1
from_below = 1
label_x = "scheduler"
label_y = "cudaLaunchKernel (us)"
label_value = "time per iteration (us)"
# legend: x_cm	y_cm	colour	name
NaN	NaN	1	none
NaN	NaN	1	none


# position	mark
0	serial
1	kesco


# position	mark
0	4
1	8


# column	row	value	label
0	0	376	376
0	1	386	386
1	0	307	307
1	1	309	309
EOF
# Quartiles of two values: a quarter of the way.
draws boxes box r.db --x sched --series sched <<'EOF'
set terminal svg size 321,219 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 8.5
height_cm = 5.8
line_cm = 0.381
heading = ""
legend_count = 2
key_cm = 0.5715
turned = 0
down_cm = 0
outliers = 0
series = 2
boxes_end = 6.4
log_y = 0
low_y = 303.84
high_y = 389.16
label_y = "time per iteration (us)"
# legend: x_cm	y_cm	colour	name
2.550	0.286	1	serial
4.345	0.286	2	kesco


# position	mark
1.8	serial
4.6	kesco


# position	quartile1	low	high	quartile3	median	colour	values	group	series
1.300	378.5	376	386	383.5	381	1	2	serial	serial
5.100	307.5	307	309	308.5	308	2	2	kesco	kesco
EOF
# kesco, as in test_tables.sh; how many SMs are in use in each thousandth of the time: of 106.684 to 107.042 us 0.042 / 0.358 have 40 of 80.
draws run timeline run.json <<'EOF'
set terminal svg size 673,233 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 17.8
height_cm = 6.1722
line_cm = 0.381
heading = ""
thinned = 0
thinned_text = "0 kernels thinned: neighbours as one bar, paler where it has gaps"
legend_count = 3
key_cm = 0.5715
load_is_share = 1
has_warps = 1
span_us = 358
unit_us = 1
unit = "us"
rows = 4
left_cm = 1.66934444444
# legend: x_cm	y_cm	colour	name
6.743	0.286	1	a
8.245	0.286	2	b
9.746	0.286	9	copy


# row	label
0	stream 1
1	stream 2
2	copy H2D
3	copy D2H


# time_us	SMs_in_use_percent	occupancy_percent
0.000	0.000	0.000
106.684	5.866	0.733
107.042	50.000	6.250
108.832	76.536	9.567
109.190	100.000	12.500
148.928	60.084	7.510
149.286	50.000	6.250
206.924	10.684	1.336
207.282	0.000	0.000
208.714	9.986	1.248
209.072	50.000	6.250
248.810	26.634	3.329
249.168	0.000	0.000
358.000	0.000	0.000


# start_us	end_us	row	colour	shade	count	name
107.000	207.000	0	1	4	1	a
209.000	249.001	0	2	4	1	b
109.000	149.000	1	2	4	1	b
5.000	106.000	2	9	4	1	explicit
251.001	352.000	3	9	4	1	explicit
EOF
draws trace timeline trace.json <<'EOF'
set terminal svg size 673,233 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 17.8
height_cm = 6.1722
line_cm = 0.381
heading = ""
thinned = 0
thinned_text = "0 kernels thinned: neighbours as one bar, paler where it has gaps"
legend_count = 3
key_cm = 0.5715
load_is_share = 1
has_warps = 1
span_us = 352
unit_us = 1
unit = "us"
rows = 4
left_cm = 1.66934444444
# legend: x_cm	y_cm	colour	name
6.743	0.286	1	a
8.245	0.286	2	b
9.746	0.286	9	copy


# row	label
0	stream 1
1	stream 2
2	copy H2D
3	copy D2H


# time_us	SMs_in_use_percent	occupancy_percent
0.000	0.000	0.000
106.656	1.136	0.142
107.008	50.000	6.250
108.768	67.045	8.381
109.120	100.000	12.500
148.896	64.801	8.100
149.248	50.000	6.250
206.976	3.480	0.435
207.328	0.000	0.000
208.736	12.429	1.554
209.088	50.000	6.250
248.864	19.418	2.427
249.216	0.000	0.000
352.000	0.000	0.000


# start_us	end_us	row	colour	shade	count	name
107.000	207.000	0	1	4	1	a
209.000	249.001	0	2	4	1	b
109.000	149.000	1	2	4	1	b
5.000	106.000	2	9	4	1	explicit
251.001	352.000	3	9	4	1	explicit
EOF
# Requests of 111 and 200 us (test_on_paper.sh).
draws requests jct tasks.json <<'EOF'
set terminal svg size 321,218 fixed noenhanced font 'Helvetica,10.67' background rgb 'white'
width_cm = 8.5
height_cm = 5.78
line_cm = 0.381
heading = ""
legend_marks = 1
legend_count = 1
key_cm = 0.5715
log_x = 0
low_x = 107.43996
high_x = 203.56104
label_x = "request of p (us)"
# legend: x_cm	y_cm	colour	name
3.374	0.286	1	streams


# request time	share of requests	colour	mark	way
111	0	1	0	streams
111	0.5	1	1	streams
200.001	0.5	1	0	streams
200.001	1	1	1	streams

EOF

# A program that cannot be run there has no time, nor has a row without a number: told once for each name, and the others are drawn.
sed 's/"paper"/"nowhere"/' full.json >cannot.json
cp cannot.json neither.json
"$gpusim" sweep --workload cannot.json,two.json,neither.json --vary sched=serial,kesco --vary device.launch_us=4,8 --device ./paper.json --memory pinned --out some.db >out 2>err || fail "some: $(cat err)"
"$gpusim" plot lines some.db --x device.launch_us --series workload --where sched=kesco -o some.svg --keep kept >out 2>err || fail "some: $(cat err)"
diff - err >differs <<'EOF' || fail "some: expected (<), said (>): $(cat differs)"
gpusim: note: 4 of 6 points failed: nothing is left of workload cannot.json, workload neither.json (see gpusim results FILE --where 'status != ok')
EOF
grep -c '^[48]	30[79]	' kept/lines.dat >out
[ "$(cat out)" = 2 ] || fail "some: $(cat kept/lines.dat)"
printf 'scheduler,device.launch_us,iteration_us\nserial,1,\nserial,2,\nkesco,1,5\nkesco,2,7\nheft,1,\n' >rows.csv
"$gpusim" plot lines rows.csv -o rows.svg >out 2>err || fail "rows: $(cat err)"
diff - err >differs <<'EOF' || fail "rows: expected (<), said (>): $(cat differs)"
gpusim: note: no row of serial has a number in the column 'iteration_us': nothing of it is drawn
gpusim: note: no row of heft has a number in the column 'iteration_us': nothing of it is drawn
EOF

[ $failures = 0 ]
