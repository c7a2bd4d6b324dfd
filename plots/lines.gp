# SPDX-License-Identifier: GPL-3.0-or-later
# Lines over a number (or a list of settings), with error bars where points were repeated.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above)
#   1  position and text of the horizontal axis' marks
#   2  x, y, low, high, colour, series, x as told; one empty line between series
# Set before, besides what is common: log_x, low_x, high_x, label_x, the same for y, own_marks (block 1 is used), turned,
# down_cm, joined (0: categories, which no line joins), repeated, reference (a line, NaN: none).
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
if (reference == reference) { set arrow 2 from low_x, reference to high_x, reference nohead lc rgb "#000000" lw 0.5 dt 2 }
names = ""
if (own_marks) {
    unset xtics
    set xtics nomirror out scale 0.5
    set for [i=1:1] xtics ()
    if (turned) { set xtics rotate by turned right }
    names = "data index 1 using 1:(low_y):xticlabels(2) with points pt -1, "
}
errors = "data index 2 using 1:3:(0):($4-$3):(ink($5)) with vectors arrowstyle 2, "
eval "plot " . names . (repeated ? errors : "") . \
     (joined ? "data index 2 using 1:2:(ink($5)) with lines lw 1.5 lc rgb variable, " : "") . \
     "data index 2 using 1:2:(mark($5)):(ink($5)) with points pt variable ps 0.6 lc rgb variable"
unset multiplot
