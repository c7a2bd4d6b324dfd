# SPDX-License-Identifier: GPL-3.0-or-later
# What all figures have in common; settings (sizes, data, out, heading) come before, the figure's own script behind.
set encoding utf8
set datafile separator "\t"
set datafile missing "NaN"
# Okabe and Ito's colours, told apart by colour-blind readers, then greys and one brown; and marks that tell them apart in black and white.
array colours = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442, 0xd8d8d8, \
                 0x606060, 0xa4a4a4, 0x000000, 0x8c510a, 0x808080, 0x9999ad]
array marks = [7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 1, 2, 3, 14]
colour(i) = colours[(int(i) - 1) % |colours| + 1]
# Lines and marks: the same hues, the yellow darker; of thin lines one grey alone is told from the others.
array inks = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0x9a9a00, 0x8c8c8c, \
              0x6a3d9a, 0x9acd32, 0x000000, 0x8c510a, 0xe7298a, 0x00c5cd]
ink(i) = inks[(int(i) - 1) % |inks| + 1]
mark(i) = marks[(int(i) - 1) % |marks| + 1]
# Error bars; those of gnuplot leave a white disc around the point.
set style arrow 1 heads size graph 0.008, 90 fixed nofilled lw 0.75 lc rgb "#000000"
set style arrow 2 heads size graph 0.008, 90 fixed nofilled lw 0.75 lc rgb variable
# Margins in centimetres from the picture's edges.
across(cm) = cm / width_cm
up(cm) = cm / height_cm
down(cm) = 1.0 - cm / height_cm
# What stands below the plot: marks, turned ones DOWN_CM further down than level ones, and a label.
if (!exists("down_cm")) { down_cm = 0 }
foot(label) = (strlen(label) ? 3.3 : 2.0) * line_cm + down_cm
head_cm = key_cm + (heading eq '' ? 0 : 1.2 * line_cm)
# The step of marks on a linear axis: 1, 2 or 5 times a power of ten, at least LEAST.
nice(least) = 10 ** floor(log10(least)) * (least <= 10 ** floor(log10(least)) ? 1 : least <= 2 * 10 ** floor(log10(least)) ? 2 : \
              least <= 5 * 10 ** floor(log10(least)) ? 5 : 10)
# Marks of a logarithmic axis that has few powers of ten: at twice and five times these as well.
mark_at(axis, v) = sprintf("'%s' %g", v >= (axis eq 'x' ? 1e3 : 1e5) ? gprintf("%.0s%c", v) : sprintf("%g", v), v)
few_powers(axis, low) = sprintf("set %stics add (%s, %s, %s, %s, %s, %s)", axis, mark_at(axis, 2 * 10 ** floor(log10(low))), \
    mark_at(axis, 5 * 10 ** floor(log10(low))), mark_at(axis, 2 * 10 ** (floor(log10(low)) + 1)), \
    mark_at(axis, 5 * 10 ** (floor(log10(low)) + 1)), mark_at(axis, 2 * 10 ** (floor(log10(low)) + 2)), \
    mark_at(axis, 5 * 10 ** (floor(log10(low)) + 2)))
# One that has none or one: at even steps.
even(axis, first, step) = sprintf("set %stics (%s, %s, %s, %s, %s, %s)", axis, mark_at(axis, first), mark_at(axis, first + step), \
    mark_at(axis, first + 2 * step), mark_at(axis, first + 3 * step), mark_at(axis, first + 4 * step), mark_at(axis, first + 5 * step))
short_log(axis, low, high) = high >= 4 * low ? few_powers(axis, low) : \
    even(axis, ceil(low / nice((high - low) / 5)) * nice((high - low) / 5), nice((high - low) / 5))
set border 3 lw 0.75
set xtics nomirror out scale 0.5; set ytics nomirror out scale 0.5
set grid lc rgb "#dddddd" lt 1 lw 0.5
set key off
set output out
set multiplot
# The legend, from the top, in centimetres: block 0 of the data has x, y, colour, name.
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0
if (!exists("legend_marks")) { legend_marks = 0 }
set xrange [0:width_cm]; set yrange [height_cm:0]
unset border; unset tics; unset grid
if (heading ne '') { set label 1 heading at width_cm / 2, 0.7 * line_cm center }
shift_cm = head_cm - key_cm
if (!legend_count) {
    plot 0 with points pt -1
} else { if (legend_marks) {
    plot data index 0 using ($1+(legend_marks>1)*0.7*line_cm):($2+shift_cm):((legend_marks<2)*1.4*line_cm):(0):(ink($3)) with vectors nohead lw 1.5 lc rgb variable, \
         data index 0 using ($1+0.7*line_cm):($2+shift_cm):(mark($3)):(ink($3)) with points pt variable ps 0.6 lc rgb variable, \
         data index 0 using ($1+1.6*line_cm):($2+shift_cm):4 with labels left
} else {
    plot data index 0 using 1:($2+shift_cm):1:($1+1.1*line_cm):($2+shift_cm-0.3*line_cm):($2+shift_cm+0.3*line_cm):(colour($3)) \
             with boxxyerror fs solid 1.0 noborder lc rgb variable, \
         data index 0 using ($1+1.3*line_cm):($2+shift_cm):4 with labels left
} }
unset label 1
set border 3 lw 0.75
set xtics nomirror out scale 0.5; set ytics nomirror out scale 0.5
set grid lc rgb "#dddddd" lt 1 lw 0.5
set lmargin; set rmargin; set tmargin; set bmargin
set xrange [*:*]; set yrange [*:*]
