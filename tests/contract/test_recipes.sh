#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The recipes of CONTRIBUTING.md and the first things to try of README.md do what they say: every "sh" block
# runs, in order, in a copy of the checkout whose ./gpusim is the program as built:
# test_recipes.sh SOURCE-DIR BUILD-DIR.
set -u
source_dir=$1 build_dir=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0 blocks=0

# Folders are copied, because recipes add to them; ./gpusim is the program itself, which builds nothing.
for folder in sim models schedulers workloads traces; do cp -R "$source_dir/$folder" "$tree/$folder"; done
printf '#!/bin/sh\nGPUSIM_DATA=%s exec %s/gpusim "$@"\n' "$tree" "$build_dir" >"$tree/gpusim"
chmod +x "$tree/gpusim"

for document in README.md CONTRIBUTING.md; do
    rm -f "$tree"/block.*
    # Blocks that begin with "./gpusim check" or a comment "not run by the tests" would call the tests again.
    awk -v out="$tree/block." '/^```sh$/ { name = sprintf("%s%03d", out, ++n); next } /^```/ { name = "" }
        name { print > name }' "$source_dir/$document"
    for block in "$tree"/block.*; do
        [ -e "$block" ] || continue
        head -n 1 "$block" | grep -qE '^(\./gpusim check|# not run by the tests|sudo |git )' && continue
        blocks=$((blocks + 1))
        if ! (cd "$tree" && sh -eu "$block") >"$tree/out" 2>&1; then
            printf '%s: this block failed:\n' "$document"
            sed 's/^/    /' "$block"
            tail -n 15 "$tree/out"
            failures=$((failures + 1))
        fi
    done
done
printf 'recipes: %d of %d blocks failed\n' "$failures" "$blocks"
[ "$failures" = 0 ] && [ "$blocks" -ge 4 ]
