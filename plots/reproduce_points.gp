# SPDX-License-Identifier: GPL-3.0-or-later
# Published against simulated, one point per number and one panel per kind of number, for those that the papers do not
# show as bars of speed-ups (reproduce.gp). gnuplot -c reproduce_points.gp CSV OUT TERMINAL; the CSV is that of
# "gpusim reproduce --csv". On the line both are equal; the axes are logarithmic where the numbers span more than 50.
if (ARGC != 3) { print "usage: gnuplot -c reproduce_points.gp CSV OUT TERMINAL"; exit status 2 }
set datafile separator ","
set datafile missing NaN
set terminal @ARG3
set output ARG2
# The words of a column, each once, in the order of their first rows.
figures = ""
devices = ""
add(list, word) = strstrt(" ".list." ", " ".word." ") ? list : list eq "" ? word : list." ".word
stats ARG1 using (figures = add(figures, strcol(1)), devices = add(devices, strcol(2)), 0) every ::1 nooutput
color(i) = word("#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9", (i - 1) % 6 + 1)
place(list, word) = sum [i = 1:words(list)] (word(list, i) eq word ? i : 0)
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b
set style line 1 lc rgb "#999999" lw 0.7
set border 3
set tics nomirror
set grid lc rgb "#dddddd" lt 1
set key left top reverse Left samplen 1
panels = words(figures)
columns = panels > 6 ? 3 : panels > 1 ? 2 : 1
set xlabel "published"
set ylabel "simulated"
if (panels > 2) {
    set tics font ",5"
    set key font ",5" spacing 0.8
    set title font ",7" offset 0,-0.7
    set xlabel font ",6" offset 0,0.8
    set ylabel font ",6"
}
set multiplot layout (panels + columns - 1) / columns, columns
do for [figure in figures] {
    unset logscale
    set autoscale
    here = ""
    low = 1e300
    high = 0
    stats ARG1 using (strcol(1) eq figure && strlen(strcol(7)) ? \
        (here = add(here, strcol(2)), low = least(low, least($6, $7)), high = most(high, most($6, $7)), 0) : 0) every ::1 nooutput
    if (here eq "") { low = 0; high = 1 }
    if (low > 0 && high > 50 * low) {
        set logscale xy
        low = 0.8 * low
        high = 1.25 * high
        set format "10^{%T}"
    } else {
        set format "%g"
        low = 0
        high = 1.05 * high
    }
    set xrange [low:high]
    set yrange [low:high]
    set title figure.(here eq "" ? ": not simulated" : "")
    plot x with lines ls 1 notitle, \
         for [d in here] ARG1 every ::1 \
             using (strcol(1) eq figure && strcol(2) eq d && strlen(strcol(7)) ? $6 : NaN):7 \
             with points pt 7 ps 0.4 lc rgb color(place(devices, d)) title d
}
unset multiplot
