# SPDX-License-Identifier: GPL-3.0-or-later
# Over clients or the rate of requests, side by side: requests per second, and a percentile of their times.
# DATA has blocks, two empty lines apart, fields separated by tabs:
#   0  the legend (see above)
#   1  load, requests per second, percentile, colour, way, half of the interval of each; one empty line between ways
# Set before, besides what is common: label_x, label_left, low_x, high_x, log_y, low_y, high_y, label_y.
set tmargin at screen down(head_cm)
set xrange [low_x:high_x]
low_of(y, half, low) = y - half > low ? y - half : low # the lower end of an interval, as far as it is seen
set xtics ()
set xlabel label_x
set lmargin at screen across(1.9)
set rmargin at screen across(width_cm / 2 - 0.3)
set yrange [0:*]
set ylabel label_left
plot data index 1 using 1:2:(ink($4)):xtic(1) with lines lw 1.5 lc rgb variable, \
     data index 1 using 1:(low_of($2, $6, 0)):(0):($2 + $6 - low_of($2, $6, 0)):(ink($4)) \
         with vectors nohead lw 1 lc rgb variable, \
     data index 1 using 1:2:(mark($4)):(ink($4)) with points pt variable ps 0.6 lc rgb variable
set lmargin at screen across(width_cm / 2 + 1.4)
set rmargin at screen across(width_cm - 0.45)
if (log_y) { set logscale y }
set yrange [low_y:high_y]
set ylabel label_y
if (log_y && high_y / low_y < 100) { eval short_log("y", low_y, high_y) }
plot data index 1 using 1:3:(ink($4)):xtic(1) with lines lw 1.5 lc rgb variable, \
     data index 1 using 1:(low_of($3, $7, low_y)):(0):($3 + $7 - low_of($3, $7, low_y)):(ink($4)) \
         with vectors nohead lw 1 lc rgb variable, \
     data index 1 using 1:3:(mark($4)):(ink($4)) with points pt variable ps 0.6 lc rgb variable
unset multiplot
