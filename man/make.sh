#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the manual page of what the program's help says and the sections beside this script: make.sh GPUSIM PAGE.
set -eu
gpusim=$1 page=$2 sections=$(dirname "$0")/sections.1
literal() { # help as it stands on a terminal
    printf '.nf\n'
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"
    printf '.fi\n'
}
help=$("$gpusim" --help)
commands=$(printf '%s\n' "$help" | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
{
    printf '.\\" Made by man/make.sh.\n.TH GPUSIM 1 "2026" "%s" "User Commands"\n' "$("$gpusim" --version | sed 's/ (.*//;q')"
    printf '.SH NAME\ngpusim \\- predict how long a GPU program takes under a scheduler\n.SH SYNOPSIS\n'
    printf '%s\n' "$help" | sed -n '/^Usage:/,/^$/s/^  //p' | literal
    sed -n '/^\.SH DESCRIPTION/,/^\.SH REPORT/{/^\.SH REPORT/d;p}' "$sections"
    for command in $commands; do
        printf '.SH "GPUSIM %s"\n' "$(printf '%s' "$command" | tr '[:lower:]' '[:upper:]')"
        "$gpusim" "$command" --help | sed '/^Exit status:/,$d' | literal
    done
    sed -n '/^\.SH REPORT/,$p' "$sections"
} >"$page.part"
mv "$page.part" "$page"
