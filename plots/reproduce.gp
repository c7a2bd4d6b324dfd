# SPDX-License-Identifier: GPL-3.0-or-later
# Published beside simulated, grouped bars as in the papers: GrCUDA's speed-ups by device and workload, and KeSCo's
# averages. gnuplot -c reproduce.gp CSV OUT TERMINAL; the CSV is that of "gpusim reproduce --csv".
if (ARGC != 3) { print "usage: gnuplot -c reproduce.gp CSV OUT TERMINAL"; exit status 2 }
set datafile separator ","
set datafile missing NaN
set terminal @ARG3
set output ARG2
short(d) = d eq "gtx960" ? "GTX 960" : d eq "gtx1660s" ? "GTX 1660 S" : d eq "p100" ? "P100" : d
name(w) = w eq "all" ? "mean" : w
other(q) = substr(q, strstrt(q, "/") + 1, 40)
label(f, w, q) = f eq "mean-speedup" ? name(w) : other(q).(f eq "average-prefetch" ? "*" : "")
# The rows of one panel, counted from 1 in the order of the file; others have no place.
place(f, d) = (f eq figure && d eq device) || (figure eq "average" && strstrt(f, "average") == 1) ? (n = n + 1, n) : NaN
n_grcuda = 0
n_kesco = 0
stats ARG1 using (strcol(1) eq "mean-speedup" ? (n_grcuda = n_grcuda + 1) : strstrt(strcol(1), "average") == 1 ? (n_kesco = n_kesco + 1) : 0) every ::1 nooutput
if (!n_grcuda && !n_kesco) { print "no speed-ups in ".ARG1; exit status 1 }
set boxwidth 0.38
set style fill solid 0.85 border rgb "white"
set border 3
set tics nomirror
unset xtics
set bmargin 3
set grid ytics lc rgb "#dddddd" lt 1
set yrange [0:*]
set ytics 0.5
set xrange [0.4:7.6]
set key above
set multiplot layout (n_grcuda ? 2 : 1), (n_grcuda ? 2 : 1)
if (n_grcuda) {
    set ylabel "speed-up over serial"
    figure = "mean-speedup"
    do for [device in "gtx960 gtx1660s p100"] {
        set title "GrCUDA, ".short(device)
        plot n = 0, ARG1 every ::1 using (place(strcol(1), strcol(2)) - 0.2):6 with boxes lc rgb "#999999" title "published", \
             n = 0, ARG1 every ::1 using (place(strcol(1), strcol(2)) + 0.2):7 with boxes lc rgb "#0072b2" title "simulated", \
             n = 0, ARG1 every ::1 using (place(strcol(1), strcol(2))):(0):(label(strcol(1), strcol(3), strcol(5))) with labels offset 0,-1 notitle, \
             1 with lines lc rgb "black" dt 3 notitle
        unset key
    }
}
if (n_kesco) {
    if (!n_grcuda) { set key above }
    set ylabel "speed-up over ..."
    figure = "average"
    set xlabel "* with prefetch, serial without" offset 0,-2.6
    set bmargin 6
    device = ""
    set xrange [0.4:6.6]
    set ytics 1
    set title "KeSCo, A100"
    plot n = 0, ARG1 every ::1 using (place(strcol(1), strcol(2)) - 0.2):6 with boxes lc rgb "#999999" title "published", \
         n = 0, ARG1 every ::1 using (place(strcol(1), strcol(2)) + 0.2):7 with boxes lc rgb "#0072b2" title "simulated", \
         n = 0, ARG1 every ::1 using (place(strcol(1), strcol(2))):(0):(label(strcol(1), strcol(3), strcol(5))) with labels rotate by -35 left offset -1,-0.5 notitle, \
         1 with lines lc rgb "black" dt 3 notitle
}
unset multiplot
