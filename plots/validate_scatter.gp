# SPDX-License-Identifier: GPL-3.0-or-later
# Predicted against measured times, both logarithmic, with the line of perfect prediction and 10 % to either side.
# gnuplot -c validate_scatter.gp CSV OUT TERMINAL; the CSV is that of "gpusim validate --csv".
if (ARGC != 3) { print "usage: gnuplot -c validate_scatter.gp CSV OUT TERMINAL"; exit status 2 }
set datafile separator ","
set terminal @ARG3
set output ARG2
set logscale xy
set xlabel "measured (us)"
set ylabel "predicted (us)"
set title "Predicted against measured times"
set key outside right center Left reverse samplen 1
set grid xtics ytics lc rgb "#dddddd" lt 1
set border 3
set tics nomirror
set xtics enhanced; set ytics enhanced # powers of ten
set size square
set format xy "10^{%L}"
kinds = "pairs arrival dags launch aten micro serial async grsched taskflow cudagraph kesco trace"
colours = "#0072b2 #e69f00 #009e73 #d55e00 #cc79a7 #999999 #0072b2 #e69f00 #009e73 #d55e00 #cc79a7 #999999 #000000"
points = "6 4 8 10 12 2 7 5 9 11 13 1 3"
# Times only: the rows of priority count in block times, those of placement have no time at all.
is_time(q) = q eq "span" || q eq "live" || q eq "serial" || q eq "sync" || q eq "graph" || q eq "one-stream graph" || q eq "late end" || q eq "makespan" || q eq "stream busy"
# Only kinds that the file has get a line in the key.
seen = ""
note(kind) = (seen = strstrt(seen, " ".kind." ") ? seen : seen." ".kind." ", 0)
stats ARG1 using (is_time(strcol(2)) ? (note(strcol(1)), column(4)) : NaN) every ::1 nooutput
if (!exists("STATS_records") || STATS_records == 0) { print "no times in ".ARG1; exit status 1 }
low = 10**floor(log10(STATS_min)); high = 10**ceil(log10(STATS_max))
set xrange [low:high]
set yrange [low:high]
found = ""
do for [i=1:words(kinds)] { if (strstrt(seen, " ".word(kinds, i)." ")) { found = found.sprintf(" %d", i) } }
plot for [i in found] ARG1 every ::1 \
         using ((is_time(strcol(2)) && strcol(1) eq word(kinds, int(i))) ? column(4) : NaN):3 \
         with points pt (int(word(points, int(i)))) ps 0.8 lc rgb word(colours, int(i)) title word(kinds, int(i)), \
     x with lines lc rgb "black" lw 1 title "equal", \
     1.1*x with lines lc rgb "#888888" dt 2 title "10 % off", \
     x/1.1 with lines lc rgb "#888888" dt 2 notitle
