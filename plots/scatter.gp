# SPDX-License-Identifier: GPL-3.0-or-later
# Every row of the results as a point.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above)
#   1  x, y, colour, series
# Set before, besides what is common: log_x, low_x, high_x, label_x, the same for y.
set tmargin at screen down(head_cm)
set rmargin at screen across(width_cm - 0.45)
set bmargin at screen up(foot(label_x))
if (log_x) { set logscale x }
if (log_y) { set logscale y }
set xrange [low_x:high_x]
set yrange [low_y:high_y]
if (!log_x) { set xtics nice((high_x - low_x) * (strlen(sprintf("%g", high_x)) + 2) * 0.4 * line_cm / (width_cm - 2)) }
set label 20 label_x at graph 0.5, screen up(0.55 * line_cm) center
set ylabel label_y
if (log_x && low_x >= 1) { set format x "%.0s%c" } else { if (high_x >= 1e5) { set format x "%.1s%c" } }
if (log_x && high_x / low_x < 100) { eval short_log("x", low_x, high_x) }
if (log_y && high_y / low_y < 100) { eval short_log("y", low_y, high_y) }
if (high_y >= 1e5) { set format y "%.0s%c" }
plot data index 1 using 1:2:(mark($3)):(ink($3)) with points pt variable ps 0.5 lc rgb variable
unset multiplot
