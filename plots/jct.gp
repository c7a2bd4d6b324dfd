# SPDX-License-Identifier: GPL-3.0-or-later
# How long requests took: the share of them that took at most so long, a line for each way of sharing.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above)
#   1  request time, share of requests, colour, whether it has a mark, way; one empty line between ways
# Set before, besides what is common: log_x, low_x, high_x, label_x.
set tmargin at screen down(head_cm)
set rmargin at screen across(width_cm - 0.45)
if (log_x) { set logscale x }
set xrange [low_x:high_x]
set yrange [0:1.02]
if (!log_x) { set xtics nice((high_x - low_x) * (strlen(sprintf("%g", high_x)) + 2) * 0.4 * line_cm / (width_cm - 2)) }
set xlabel label_x
set ylabel "share of requests"
if (log_x && low_x >= 1) { set format x "%.0s%c" }
if (log_x && high_x / low_x < 100) { eval short_log("x", low_x, high_x) }
plot data index 1 using 1:2:(ink($3)) with lines lw 1.5 lc rgb variable, \
     data index 1 using ($4 > 0 ? $1 : NaN):2:(mark($3)):(ink($3)) with points pt variable ps 0.6 lc rgb variable
unset multiplot
