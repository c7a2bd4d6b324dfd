# SPDX-License-Identifier: GPL-3.0-or-later
# Of an SVG by gnuplot: texts that leave the picture, and texts that lie over one another, by estimates of their boxes
# (Helvetica: 0.5 em a letter, which is rather little). Prints a line for each; nothing is well.
/<svg/ { match($0, /viewBox="0 0 [0-9.]+ [0-9.]+/); split(substr($0, RSTART + 13, RLENGTH - 13), size, " ") }
/viewBox/ && !size[1] { match($0, /viewBox="0 0 [0-9.]+ [0-9.]+/); split(substr($0, RSTART + 13, RLENGTH - 13), size, " ") }
/<g transform="translate\(/ {
    match($0, /translate\([-0-9.]+,[-0-9.]+/)
    split(substr($0, RSTART + 10, RLENGTH - 10), at, ",")
    angle = match($0, /rotate\([-0-9.]+/) ? substr($0, RSTART + 7, RLENGTH - 7) : 0
    match($0, /font-size="[0-9.]+/); em = substr($0, RSTART + 11, RLENGTH - 11)
    anchor = /anchor="end"/ ? 1 : /anchor="middle"/ ? 0.5 : 0
}
/<text>/ {
    text = $0
    sub(/^[ \t]*<text>/, "", text); sub(/<\/text>.*/, "", text); gsub(/<[^>]*>/, "", text); gsub(/&[a-z]+;/, "x", text)
    sub(/^ +/, "", text)
    if (text == "") next
    n++
    name[n] = text
    width = length(text) * 0.5 * em; radians = angle * 3.14159265 / 180
    x0 = -anchor * width; x1 = x0 + width; y0 = -0.7 * em; y1 = 0
    left[n] = top[n] = 1e9; right[n] = bottom[n] = -1e9
    for (i = 0; i < 4; i++) {
        x = i % 2 ? x1 : x0; y = i < 2 ? y0 : y1
        px = at[1] + x * cos(radians) - y * sin(radians); py = at[2] + x * sin(radians) + y * cos(radians)
        if (px < left[n]) left[n] = px
        if (px > right[n]) right[n] = px
        if (py < top[n]) top[n] = py
        if (py > bottom[n]) bottom[n] = py
    }
    turned[n] = angle % 90 != 0
    if (left[n] < -1 || top[n] < -1 || right[n] > size[1] + 1 || bottom[n] > size[2] + 1) print "outside: " text
}
END {
    for (i = 1; i <= n; i++)
        for (j = i + 1; j <= n; j++)
            if (!turned[i] && !turned[j] && left[i] < right[j] - 1 && left[j] < right[i] - 1 && top[i] < bottom[j] - 1 && top[j] < bottom[i] - 1)
                print "over one another: " name[i] " and " name[j]
    if (!n) print "no text"
}
