# SPDX-License-Identifier: GPL-3.0-or-later
# Two settings against each other; colour and number show a third quantity.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above): empty
#   1  position and text of the columns' marks
#   2  position and text of the rows' marks
#   3  column, row, value, label
# Set before, besides what is common: left_cm, columns, rows, from_below, numbers (labels fit), is_log (colours), turned and down_cm (of the columns), label_x, label_y, label_value.
stats data index 3 using 3 nooutput
set tmargin at screen down(head_cm + 0.15)
set bmargin at screen up(foot(label_x))
unset grid
unset border
set tics scale 0
set xrange [-0.5:columns-0.5]
if (from_below) { set yrange [-0.5:rows-0.5] } else { set yrange [rows-0.5:-0.5] }
if (turned) { set xtics rotate by turned right }
set label 20 label_x at graph 0.5, screen up(0.55 * line_cm) center
set label 2 label_y at screen across(0.3), graph 0.5 center rotate by 90
set cblabel label_value
# Cividis: even in lightness, and the same to colour-blind readers.
set palette defined (0 "#00224e", 0.25 "#414d6b", 0.5 "#7c7b78", 0.75 "#bcae6c", 1 "#fee838")
set cbrange [STATS_min : STATS_max > STATS_min ? STATS_max : STATS_min + 1]
middle = is_log ? sqrt(STATS_min * STATS_max) : (STATS_min + STATS_max) / 2
if (is_log) { set logscale cb; if (STATS_max < 100 * STATS_min) { eval short_log("cb", STATS_min, STATS_max) } } else { if (STATS_max > STATS_min) { set cbtics nice((STATS_max - STATS_min) * 1.6 * line_cm / (height_cm - foot(label_x) - head_cm - 0.15)) } }
set colorbox user origin screen across(width_cm - 2.15), graph 0 size screen across(0.3), graph 1
set lmargin at screen across(left_cm)
set rmargin at screen across(width_cm - 2.4)
cells = "data index 3 using 1:2:($1-0.49):($1+0.49):($2-0.48):($2+0.48):3 with boxxyerror fs solid 1.0 noborder lc palette"
labels = ", data index 3 using 1:2:4:($3 < middle || STATS_max == STATS_min ? 0xffffff : 0x000000) with labels tc rgb variable"
eval "plot data index 1 using 1:(0):xticlabels(2) with points pt -1, data index 2 using (0):1:yticlabels(2) with points pt -1, " . \
     cells . (numbers ? labels : "")
unset multiplot
