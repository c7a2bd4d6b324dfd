#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The figures in the README files come from the commands beside them: each "./gpusim plot ... -o plots/figures/NAME.svg" is run
# again, and the table behind the picture is the one that lies in plots/figures:
# test_readme_figures.sh SOURCE-DIR BUILD-DIR [--write]. --write puts the present pictures and tables there. Results of
# another model are another table; then only what is drawn is compared, not its values.
set -u
source_dir=$(cd "$1" && pwd) build_dir=$(cd "$2" && pwd) mode=${3-}
command -v gnuplot >/dev/null 2>&1 || { printf 'no gnuplot: nothing drawn\n' && exit 0; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export GPUSIM_DATA="$source_dir"
cd "$place" || exit 1
mkdir -p plots/figures && cp -R "$source_dir/plots/specs" plots/specs
printf '#!/bin/sh\nexec %s/gpusim "$@"\n' "$build_dir" >gpusim
chmod +x gpusim
failures=0 figures=0 stale=0

# What a table says without its numbers: groups, series, marks, names of kernels.
words() { tail -n +2 "$1" | sed 's/[-+0-9.e]*[0-9][-+0-9.e]*/N/g' | grep '[a-z]' | LC_ALL=C sort; }

# A command may go on over lines that end in "\".
cat "$source_dir/README.md" "$source_dir/plots/README.md" |
    sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' | grep -E '^\./gpusim .*plots/figures/' >commands
while IFS= read -r command; do
    name=$(printf '%s' "$command" | sed 's|.*plots/figures/\([a-z0-9_]*\)\.svg.*|\1|')
    figures=$((figures + 1))
    # The data's folder is named last, after the picture.
    if ! sh -eu -c "$command --keep kept-$name" >out 2>&1; then
        printf '%s: %s\n' "$command" "$(cat out)"
        failures=$((failures + 1))
        continue
    fi
    cp "kept-$name"/*.dat "plots/figures/$name.dat"
    committed=$source_dir/plots/figures/$name.dat
    if [ "$mode" = --write ]; then
        cp "plots/figures/$name.dat" "plots/figures/$name.svg" "$source_dir/plots/figures/"
    elif [ ! -e "$source_dir/plots/figures/$name.svg" ] || [ ! -e "$committed" ]; then
        printf '%s: plots/figures has no such picture\n' "$name"
        failures=$((failures + 1))
    elif ! cmp -s "$committed" "plots/figures/$name.dat" && {
        [ "$(head -n 1 "$committed")" != "$(head -n 1 "plots/figures/$name.dat")" ] || [ "$stale" -gt 0 ]; }; then
        stale=$((stale + 1)) # tables of single runs do not tell their model: they follow the others
        words "$committed" >expected && words "plots/figures/$name.dat" >found && cmp -s expected found ||
            { printf '%s: another figure: %s\n' "$name" "$(diff expected found | head -n 5)" && failures=$((failures + 1)); }
    elif ! cmp -s "$committed" "plots/figures/$name.dat"; then
        printf '%s: the command gives another table: %s\n' "$name" "$(diff "$committed" "plots/figures/$name.dat" | head -n 6)"
        failures=$((failures + 1))
    fi
done <commands
for picture in "$source_dir"/plots/figures/*.svg; do
    grep -q "plots/figures/$(basename "$picture")" commands ||
        { printf '%s: no command in plots/README.md draws it\n' "$picture" && failures=$((failures + 1)); }
done
[ "$stale" = 0 ] || printf 'note: %d figures are of another model: bring them up to date by\n    sh tests/plots/test_readme_figures.sh . build --write\n' "$stale"
printf 'figures of the README files: %d of %d failed\n' "$failures" "$figures"
[ "$failures" = 0 ] && [ "$figures" -ge 4 ]
