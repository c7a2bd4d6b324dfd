# SPDX-License-Identifier: GPL-3.0-or-later
# Speed-up over one stream against launch + synchronise and against the window, a colour per class, solid acs-hw, dashed acs-sw.
# gnuplot -c acs.gp CSV OUT TERMINAL; the CSV is that of "gpusim reproduce acs --csv".
if (ARGC != 3) { print "usage: gnuplot -c acs.gp CSV OUT TERMINAL"; exit status 2 }
set datafile separator ","
set datafile missing NaN
set terminal @ARG3
set output ARG2
classes = "deep-rl dyn-dnn static-dnn"
color(i) = word("#0072b2 #d55e00 #009e73", i)
at(figure, class, way) = strcol(1) eq figure && strcol(3) eq class && strcol(5) eq way
set border 3
set tics nomirror
set grid lc rgb "#dddddd" lt 1
set yrange [0.5:2.5]
set key top right samplen 2 spacing 0.9
set multiplot layout 1, 2
set ylabel "speed-up over one stream"
set xlabel "launch and synchronise together (us)"
set xrange [0:24]
set xtics (0, 4, 10, 20)
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#000000" lw 0.5 dt 2
plot for [i=1:3] ARG1 every ::1 using 4:(at("acs-launch-sync", word(classes, i), "acs-hw") ? $7 : NaN) with linespoints lw 1.5 pt 7 ps 0.5 lc rgb color(i) title word(classes, i)." acs-hw", \
     for [i=1:3] ARG1 every ::1 using 4:(at("acs-launch-sync", word(classes, i), "acs-sw") ? $7 : NaN) with linespoints lw 1.5 dt 2 pt 6 ps 0.5 lc rgb color(i) notitle
set xlabel "kernels in the window"
set logscale x 2
set xrange [6:90]
set xtics (8, 16, 32, 64)
plot for [i=1:3] ARG1 every ::1 using 4:(at("acs-window", word(classes, i), "acs-hw") ? $7 : NaN) smooth unique with linespoints lw 1.5 pt 7 ps 0.5 lc rgb color(i) notitle, \
     for [i=1:3] ARG1 every ::1 using 4:(at("acs-window", word(classes, i), "acs-sw") ? $7 : NaN) smooth unique with linespoints lw 1.5 dt 2 pt 6 ps 0.5 lc rgb color(i) title word(classes, i)." acs-sw"
unset multiplot
