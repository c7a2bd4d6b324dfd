# SPDX-License-Identifier: GPL-3.0-or-later
# Which inputs matter: a row of bars for each, the largest at the top.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above)
#   1  row, name
#   2  row, from, to, colour, upper edge, lower edge (within the row, from -0.5 to 0.5)
#   3  row, from, to: with errors only
# Set before, besides what is common: rows, errors, left_cm, low_x, high_x, label_x.
set lmargin at screen across(left_cm)
set rmargin at screen across(width_cm - 0.45)
set tmargin at screen down(head_cm)
set xrange [low_x:high_x]
set yrange [rows - 0.4 : -0.6]
set ytics scale 0
unset grid; set grid xtics lc rgb "#dddddd" lt 1 lw 0.5
set border 1
set xlabel label_x
set xtics nice((high_x - low_x) * 1.1 / (width_cm - left_cm - 0.45)) # at least 1.1 cm apart
set arrow 3 from 0, graph 0 to 0, graph 1 nohead lc rgb "#000000" lw 0.75 front
bars = "data index 1 using (0):1:yticlabels(2) with points pt -1, " . \
       "data index 2 using (($2+$3)/2):1:2:3:($1+$5):($1+$6):(colour($4)) with boxxyerror fs solid 1.0 noborder lc rgb variable"
if (errors) {
    eval "plot " . bars . ", data index 3 using 2:1:($3-$2):(0) with vectors arrowstyle 1"
} else {
    eval "plot " . bars
}
unset multiplot
