# SPDX-License-Identifier: GPL-3.0-or-later
# How values are spread: quartiles as a box, the median as a line in it, whiskers to the last values within 1.5 times
# the box's length of it, points beyond.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above)
#   1  position and name of each group
#   2  position, first quartile, low, high, third quartile, median, colour, number of values, group, series
#   3  position, value, colour of what lies beyond; not there when nothing does
# Set before, besides what is common: series, boxes_end, outliers, turned, down_cm, log_y, low_y, high_y, label_y.
set tmargin at screen down(head_cm)
set rmargin at screen across(width_cm - 0.3)
set bmargin at screen up(foot(""))
if (log_y) { set logscale y }
set xrange [0:boxes_end]
set yrange [low_y:high_y]
unset grid; set grid ytics lc rgb "#dddddd" lt 1 lw 0.5
set xtics scale 0
if (turned) { set xtics rotate by turned right }
set ylabel label_y
if (log_y && high_y / low_y < 100) { eval short_log("y", low_y, high_y) }
if (high_y >= 1e5) { set format y "%.0s%c" }
set style fill solid 0.6 border
boxes = "for [k=1:series] data index 2 using ($7 == k ? $1 : NaN):2:3:4:5:(0.7) with candlesticks lc rgb colour(k) lw 0.75 whiskerbars 0.5"
medians = "data index 2 using ($1-0.35):6:(0.7):(0) with vectors nohead lc rgb '#000000' lw 1.5"
eval "plot data index 1 using 1:(low_y):xticlabels(2) with points pt -1, " . boxes . ", " . medians . \
     (outliers ? ", data index 3 using 1:2:(colour($3)) with points pt 6 ps 0.4 lc rgb variable" : "")
unset multiplot
