# SPDX-License-Identifier: GPL-3.0-or-later
# Grouped bars with their values, the mean over all groups apart at the right end.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above)
#   1  position and name of each group
#   2  position, value, low, high (NaN where nothing was repeated), colour, label, group, series
# Set before, besides what is common: bar (its width), bars_end, mean_at (left edge of the mean's group, NaN: none),
# label_x ("": none), ylabel, y_top, reference (a line, NaN: none), label_pt (0: no labels), label_angle, label_high (in values), turned (group names), down_cm, repeated.
set tmargin at screen down(head_cm)
set rmargin at screen across(width_cm - 0.3)
set bmargin at screen up(foot(label_x))
set xrange [0:bars_end]
set yrange [0:y_top]
unset grid; set grid ytics lc rgb "#dddddd" lt 1 lw 0.5
set xtics scale 0
if (turned) { set xtics rotate by turned right }
set ylabel ylabel
if (strlen(label_x)) { set label 20 label_x at graph 0.5, screen up(0.55 * line_cm) center }
if (mean_at == mean_at) { set arrow 1 from mean_at, graph 0 to mean_at, graph 1 nohead lc rgb "#888888" dt 3 }
# Above the line where it would cross them out.
label_from(top) = top < reference && top + label_high > reference ? reference : top
line = reference == reference ? ", reference with lines lc rgb '#000000' lw 0.5 dt 2" : ""
set style fill solid 1.0 noborder
bars = "data index 1 using 1:(-1):xticlabels(2) with points, data index 2 using 1:2:(bar):(colour($5)) with boxes lc rgb variable"
errors = ", data index 2 using 1:3:(0):($4-$3) with vectors arrowstyle 1"
side = label_angle ? 'left rotate by 90' : 'center offset 0,0.3'
labels = ", data index 2 using 1:(label_from($4 > $2 ? $4 : $2) + y_top * 0.015):6 with labels " . side . " font sprintf(',%g', label_pt)"
eval "plot " . bars . line . (repeated ? errors : "") . (label_pt > 0 ? labels : "")
unset multiplot
