#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Wrong lines on purpose: do the tests see them?
#   run.sh SOURCE-DIR BUILD-DIR SEED COUNT [OPTION]...   draws COUNT wrong lines by rule (weave.c) and judges each
#     --files REGEX    of files whose names match
#     --tests REGEX    by tests whose names match
#     --most SECONDS   by tests that take no longer by themselves
#     --least PERCENT  fails when fewer are seen; where the share is less by chance alone (two standard deviations), it passes
#     --costs FILE     as this file of ctest's says
#     --keep FOLDER    keeps what was drawn and said there
# All wrong lines are woven into one build, each behind a switch: their files are compiled anew, and the program and the
# tests are linked from these objects in place of the right ones. A test judges if it passes there with every switch off;
# it then says which switches it reaches. A wrong line is seen when a test that reaches it fails with its switch on.
set -u
[ $# -ge 4 ] || { echo "usage: run.sh SOURCE-DIR BUILD-DIR SEED COUNT [OPTION]..." >&2; exit 2; }
source=$(cd "$1" && pwd -P) && build=$(cd "$2" && pwd -P) || exit 2
seed=$3 count=$4
shift 4
files=. tests=. most=1000 least=0 keep= costs=$build/Testing/Temporary/CTestCostData.txt
while [ $# -ge 2 ]; do
    case $1 in
    --files) files=$2 ;; --tests) tests=$2 ;; --most) most=$2 ;; --least) least=$2 ;; --keep) keep=$2 ;; --costs) costs=$2 ;;
    *) echo "run.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift 2
done
# What draws from no line that is woven, or builds the tree again.
never='^style|-full|^(contract-(install|one_of_each|recipes_evidence|reproduce_acs)|python-package|golden-(validate_runs|h200_rules|tally|aten|packs)|docs-.*|mutants.*)'
scratch=$(mktemp -d) || exit 2
chmod 755 "$scratch" # a test runs the program as another user
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
out=${keep:-$scratch/said}
mkdir -p "$out" "$scratch/new" "$scratch/build" "$scratch/reached" "$scratch/objects"
tab=$(printf '\t')

# --- draw: what does not compile is drawn again ---
cc -std=c11 -O1 -w -o "$scratch/weave" "$source/tests/mutants/weave.c" || exit 2
cat >"$scratch/mutant.h" <<'EOF'
extern unsigned char gsim_mutant_seen[];
extern int gsim_mutant_chosen;
void gsim_mutant_reach(int id);
static inline int gsim_mutant(int id)
{
    if (!gsim_mutant_seen[id]) gsim_mutant_reach(id);
    return id == gsim_mutant_chosen;
}
EOF
cat >"$scratch/mutant.c" <<EOF
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
unsigned char gsim_mutant_seen[$count + 1];
int gsim_mutant_chosen = -1;
__attribute__((constructor)) static void begin(void)
{
    if (getenv("GPUSIM_MUTANT")) gsim_mutant_chosen = atoi(getenv("GPUSIM_MUTANT"));
}
void gsim_mutant_reach(int id)
{
    gsim_mutant_seen[id] = 1;
    const char *path = getenv("GPUSIM_REACHED");
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (file >= 0) dprintf(file, "%d\\n", id), close(file);
}
EOF
# "output, file, command" of each compilation, without warnings.
awk '/"command":/ { c = $0 } /"file":/ { f = $0
    sub(/.*"command": "/, "", c); sub(/",?$/, "", c); gsub(/\\"/, "\"", c); gsub(/\\\\/, "\\", c)
    o = c; sub(/.* -o /, "", o); sub(/ .*/, "", o); sub(/ -o .*/, "", c); gsub(/-Werror/, "", c); gsub(/-O3/, "-O1 -w", c)
    sub(/.*"file": "/, "", f); sub(/",?$/, "", f); print o "\t" f "\t" c }' "$build/compile_commands.json" >"$scratch/commands"
# The line of COMMANDS of FILE as the program, or the runner on the fake CUDA, has it.
command_of() { awk -F'\t' -v file="$source/$1" '$2 == file && $1 ~ /gpusim(library|program|runner)\.dir/ { print; exit }' "$scratch/commands"; }
cut -f1,2 "$scratch/commands" | grep -E "^CMakeFiles/gpusim(library|program|runner)\.dir" >"$scratch/all"
cut -f2 "$scratch/all" | sed "s|^$source/||" | grep -Ev '^(source/run|sim/platform/simgrid|sim/base/banned)' | grep -E "$files" | sort >"$scratch/files"
: >"$scratch/skip"
cd "$source" || exit 2
while :; do
    rm -rf "$scratch/woven" && mkdir -p "$scratch/woven"
    xargs -n 1 dirname <"$scratch/files" | sort -u | sed "s|^|$scratch/woven/|" | xargs mkdir -p
    xargs "$scratch/weave" "$seed" "$count" "$scratch/woven" "$scratch/skip" <"$scratch/files" || exit 2
    bad=
    for file in $(cut -f2 "$scratch/woven/table" | sort -u); do
        object=$scratch/objects/$(echo "$file" | tr / _).o
        cmp -s "$scratch/woven/$file" "$scratch/new/$(echo "$file" | tr / _)" && continue
        command=$(command_of "$file" | cut -f3)
        if (cd "$build" && eval "$command" "-include '$scratch/mutant.h' -I'$source/$(dirname "$file")'" -o "$object" -c "$scratch/woven/$file") 2>"$scratch/errors"; then
            cp "$scratch/woven/$file" "$scratch/new/$(echo "$file" | tr / _)"
        else
            bad=1
            lines=$(sed -n "s|^$scratch/woven/$file:\([0-9]*\):[0-9]*: error.*|\1|p" "$scratch/errors")
            drawn=$(awk -F'\t' -v file="$file" '$2 == file { print $3 }' "$scratch/woven/table")
            hit=$(for line in $lines; do echo "$drawn" | grep -x "$line"; done)
            for line in ${hit:-$drawn}; do echo "$file:$line"; done >>"$scratch/skip"
        fi
    done
    [ -n "$bad" ] || break
done
cp "$scratch/woven/table" "$out/table"

# --- link ---
cc -O1 -c -o "$scratch/objects/mutant.o" "$scratch/mutant.c" || exit 2
cut -f2 "$scratch/woven/table" | sort -u | awk -F'\t' -v source="$source" -v scratch="$scratch" -v build="$build" '
    FNR == NR { name = $1; gsub("/", "_", name); changed[source "/" $1] = scratch "/objects/" name ".o"; next }
    { print (($2 in changed) ? changed[$2] : build "/" $1) >(scratch ($1 ~ /gpusimrunner/ ? "/runner" : "/list")) }' - "$scratch/all"
{ cat "$scratch/list"; echo "$scratch/objects/mutant.o"; } | xargs ar crsT "$scratch/core.a" || exit 2
# The runner's that are drawn, before those of libgpusimkernels.a.
# shellcheck disable=SC2046 # names without spaces
ar crs "$scratch/kernels.a" $(grep "^$scratch" "$scratch/runner") || exit 2
libraries="$(pkg-config --libs gsl libcjson sqlite3 zlib cunit) -lpthread -ldl -lm"
! command -v ld.gold >/dev/null || libraries="-fuse-ld=gold $libraries" # a third of the time, of some 200 programs
for entry in "$build"/*; do ln -s "$entry" "$scratch/build/" 2>/dev/null; done
rm -f "$scratch/build/gpusim" "$scratch"/build/test-* "$scratch/build/gpusim-mpi" "$scratch/build/gpusim-runner-fake"
cc -rdynamic -o "$scratch/build/gpusim" "$build/CMakeFiles/gpusim.dir/cli/main.c.o" -Wl,--whole-archive "$scratch/core.a" -Wl,--no-whole-archive $libraries || exit 2
# shellcheck disable=SC2046 # names without spaces
cc -rdynamic -o "$scratch/build/gpusim-runner-fake" $(find "$build/CMakeFiles/gpusim-runner-fake.dir" -name '*.o') $(cat "$scratch/runner") \
    "$build/libgpusimkernels.a" "$scratch/core.a" $libraries || echo "not linked: gpusim-runner-fake" >&2
# The tests: "name, script or -".
awk -F'"' '/^add_test\(/ { n = $1; gsub(/add_test\(|\[=*\[|\]=*\]| /, "", n); print n "\t" ($2 == "sh" ? $4 : "-") }' \
    "$build/CTestTestfile.cmake" | grep -Ev "$never" | grep -E "^[^$tab]*($tests)" >"$scratch/tests.all"
awk -v most="$most" 'FNR == NR { cost[$1] = $3; next } cost[$1] <= most' "$costs" "$scratch/tests.all" \
    >"$scratch/tests" 2>/dev/null || cp "$scratch/tests.all" "$scratch/tests"
sed -n 's/^\(.*\)\t-$/\1/p' "$scratch/tests" | while read -r test; do
    main=$(find "$build/CMakeFiles/test-$test.dir/tests" -name 'test_*.o' | head -1)
    line=$(awk -F'\t' -v o="${main#"$build"/}" '$1 == o { print; exit }' "$scratch/commands")
    file=$(echo "$line" | cut -f2)
    if grep -q GPUSIM_BINARY "$file"; then
        command=$(echo "$line" | cut -f3 | sed "s|$build/gpusim|$scratch/build/gpusim|")
        (cd "$build" && eval "$command" -o "$scratch/objects/main.o" -c "$file") && main=$scratch/objects/main.o
    fi
    case $test in schedulers-* | workloads-sources-*) all=-Wl,--whole-archive ;; *) all= ;; esac
    cc -rdynamic -Wl,--wrap=gsim_simulate -o "$scratch/build/test-$test" "$main" "$build/CMakeFiles/gpusimeveryrun.dir/tests/every_run.c.o" "$build/libgpusimtest.a" \
        $all "$scratch/core.a" -Wl,--no-whole-archive "$scratch/kernels.a" "$build/libgpusimkernels.a" "$build/libgpusimtest.a" "$scratch/core.a" $libraries 2>"$scratch/errors" || echo "not linked: $test" >&2
done

# --- judge ---
run() { # run TEST SECONDS SCRIPT: in the source's folder
    [ "$3" = - ] && set -- "$1" "$2" "$3" "$scratch/build/test-$1" || set -- "$1" "$2" "$3" sh "$3" "$source" "$scratch/build"
    limit=$2
    shift 3
    (ulimit -c 0; timeout -k 5 "$limit" "$@") >"$scratch/output" 2>&1 </dev/null
}
now() { date +%s%N; }
while IFS="$tab" read -r test script; do
    from=$(now)
    if GPUSIM_REACHED="$scratch/reached/$test" run "$test" 600 "$script"; then
        [ ! -e "$scratch/reached/$test" ] || echo "$((($(now) - from) / 1000000))$tab$test$tab$script"
    else
        echo "judges nothing, since it fails with every switch off: $test" >&2
        cp "$scratch/output" "$out/fails-$test"
    fi
done <"$scratch/tests" | sort -n >"$scratch/judges"
[ -s "$scratch/judges" ] || { echo "run.sh: no test judges: is the build up to date?" >&2; exit 2; }
for test in $(cut -f2 "$scratch/judges"); do sort -un "$scratch/reached/$test" -o "$scratch/reached/$test"; done
echo "judges: $(wc -l <"$scratch/judges") tests, $(awk '{ s += $1 } END { print s / 1000 }' "$scratch/judges") s" >"$out/judges"
cat "$scratch/judges" >>"$out/judges"
while IFS="$tab" read -r id file line kind text changed; do
    seen= reach=0
    while IFS="$tab" read -r ms test script <&3; do
        grep -qx "$id" "$scratch/reached/$test" || continue
        reach=$((reach + 1))
        # Twice: what fails once in a while, or when the machine is loaded, has seen nothing.
        GPUSIM_MUTANT=$id run "$test" $((10 + ms / 200)) "$script" || GPUSIM_MUTANT=$id run "$test" $((20 + ms / 100)) "$script" ||
            { seen=$test; break; }
    done 3<"$scratch/judges"
    printf '%s\t%s:%s\t%s\t%s\t%s\n' "${seen:-LIVES of $reach}" "$file" "$line" "$kind" "$text" "$changed" | tee -a "$out/said"
done <"$scratch/woven/table" >"$scratch/said.all"
awk -F'\t' -v least="$least" '
    { folder = $2; if (split(folder, p, "/") > 2) folder = p[1] "/" p[2]; else folder = p[1]; all[folder]++; n++
      if ($1 ~ /^LIVES/) print; else { seen[folder]++; s++ } }
    END { for (f in all) printf "%-20s %d of %d\n", f, seen[f], all[f] | "sort"; close("sort")
          slack = n ? 200 * sqrt(least / 100 * (1 - least / 100) / n) : 0
          printf "mutants: %d of %d seen, %.0f %% (at least %g, less %.0f by chance)\n", s, n, n ? 100 * s / n : 0, least, slack
          exit !(n && 100 * s / n >= least - slack) }' "$scratch/said.all"
