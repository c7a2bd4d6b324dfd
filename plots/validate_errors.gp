# SPDX-License-Identifier: GPL-3.0-or-later
# Histogram of the signed errors of all predicted times, in classes of one percent; what lies beyond 20 % is in the
# outermost classes. gnuplot -c validate_errors.gp CSV OUT TERMINAL; the CSV is that of "gpusim validate --csv".
if (ARGC != 3) { print "usage: gnuplot -c validate_errors.gp CSV OUT TERMINAL"; exit status 2 }
set datafile separator ","
set datafile missing NaN # rows without a time leave no gap
set terminal @ARG3
set output ARG2
is_time(q) = q eq "span" || q eq "live" || q eq "serial" || q eq "sync" || q eq "graph" || q eq "one-stream graph" || q eq "late end" || q eq "makespan"
most = 20.0
clamp(e) = e > most ? most : e < -most ? -most : e
class(e) = floor(clamp(100*e) + 0.5)
error_of(q, e) = is_time(q) ? class(e) : NaN
stats ARG1 using (error_of(strcol(2), column(5))) every ::1 nooutput
if (!exists("STATS_records") || STATS_records == 0) { print "no errors in ".ARG1; exit status 1 }
set xlabel "error of the prediction (%)"
set ylabel "predictions"
set title sprintf("Errors of %d predicted times", STATS_records)
set xrange [-most-1:most+1]
set yrange [0:*]
set xtics (sprintf("<-%g", most) -most, "-15" -15, "-10" -10, "-5" -5, "0" 0, "5" 5, "10" 10, "15" 15, sprintf(">%g", most) most)
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd" lt 1
set key off
set style fill solid 0.8 border rgb "white"
set boxwidth 0.9
set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb "black" dt 3
plot ARG1 every ::1 using (error_of(strcol(2), column(5))):(1) smooth frequency with boxes lc rgb "#0072b2"
