# SPDX-License-Identifier: GPL-3.0-or-later
# What ran when: a row per stream (of several tasks per task, and stream) and copy direction, a colour per kernel, the load of the SMs below.
# DATA has blocks, two empty lines apart, fields separated by tabs, times in microseconds from the left edge:
#   0  the legend (see above)
#   1  row, label
#   2  time, SMs in use (%), resident warps (%); or time, kernels under way
#   3  start, end, row, colour, shade (1 pale to 4 full), how many kernels or copies it stands for, name
# Set before, besides what is common: left_cm, span_us, unit_us, unit, rows, load_is_share, has_warps, thinned, thinned_text.
load_cm = 4.2 * line_cm
stats data index 2 using 2 nooutput
most = STATS_max
foot_cm = 3.3 * line_cm
gap_cm = 1.7 * line_cm
set lmargin at screen across(left_cm)
set rmargin at screen across(width_cm - 0.35)
set xrange [0 : span_us / unit_us]

# Rows from the top down.
set tmargin at screen down(head_cm)
set bmargin at screen up(foot_cm + load_cm + gap_cm)
set yrange [rows - 0.4 : -0.6]
set format x ""
set ytics scale 0
unset grid; set grid xtics lc rgb "#dddddd" lt 1 lw 0.5
# The shortest is still a line that can be seen.
end_of(start, end) = end - start < span_us / 700 ? start + span_us / 700 : end
# Towards white where what a bar stands for leaves gaps.
part(c, by) = int(255 - (255 - (int(c) / by % 256)) * share)
shaded(c, s) = (share = 0.25 + 0.75 * (s - 1) / 3.0, s > 3 ? c : part(c, 65536) * 65536 + part(c, 256) * 256 + part(c, 1))
bars = "data index 1 using (-1):1:yticlabels(2) with points, " . \
    "data index 3 using (($1+$2)/2/unit_us):3:($1/unit_us):(end_of($1,$2)/unit_us):($3-0.38):($3+0.38):(shaded(colour($4), $5))" . \
    " with boxxyerror fs solid 1.0 noborder lc rgb variable"
eval "plot " . bars

# The load.
set tmargin at screen up(foot_cm + load_cm)
set bmargin at screen up(foot_cm)
set format x "%g"
set xlabel sprintf("time (%s)", unit) offset 0, 0.4
set ylabel (load_is_share ? "SMs (%)" : "kernels") offset 1.2, 0
set grid ytics lc rgb "#dddddd" lt 1 lw 0.5
set ytics auto nomirror out scale 0.5
if (load_is_share) {
    set yrange [0:104]
    set ytics 50
    key_y = up(foot_cm + load_cm + 0.5 * line_cm)
    half = up(0.3 * line_cm)
    set object 1 rectangle from screen across(left_cm), screen key_y - half to screen across(left_cm + 1.1 * line_cm), screen key_y + half \
        fc rgb "#bcd7ea" fs solid 1.0 border lc rgb "#0072b2"
    set label 1 "in use" at screen across(left_cm + 1.3 * line_cm), screen key_y left
    if (has_warps) {
    set arrow 1 from screen across(left_cm + 5 * line_cm), screen key_y to screen across(left_cm + 6.1 * line_cm), screen key_y nohead lc rgb "#d55e00" lw 1
    set label 2 "resident warps" at screen across(left_cm + 6.3 * line_cm), screen key_y left
    }
} else {
    set yrange [0 : most * 1.04]
    set ytics 0, (most > 6 ? ceil(most / 3) : most > 2 ? 2 : 1)
}
if (thinned) { set label 3 thinned_text at screen across(width_cm - 0.35), screen up(foot_cm + load_cm + 0.5 * line_cm) right tc rgb "#606060" }
plot data index 2 using ($1/unit_us):2 with fillsteps fs solid 1.0 noborder fc rgb "#bcd7ea", \
     for [i=2:(has_warps ? 3 : 2)] data index 2 using ($1/unit_us):i with steps lc rgb (i == 2 ? "#0072b2" : "#d55e00") lw 0.75
unset multiplot
