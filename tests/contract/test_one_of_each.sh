#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A scheduler, a policy, a placement, a work model, a workload, a source, a question and an importer are each one file and one line of a
# .def; a device and a node are one file, a paper is a spec and a table. In a copy of the tree one of each is added, the copy is built, and all work:
# test_one_of_each.sh SOURCE-DIR BUILD-DIR.
set -u
source_dir=$(cd "$1" && pwd) build_dir=$(cd "$2" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset GPUSIM_DATA
failures=0
fail() { printf '%s\n' "$*" && failures=$((failures + 1)); }
expect() { # expect WHAT COMMAND...: the command succeeds
    what=$1
    shift
    "$@" >"$place/out" 2>&1 && return 0
    fail "$what: failed: $*"
    grep -m 3 -A 4 "error:" "$place/out" || tail -n 8 "$place/out"
}

copy() { (cd "$source_dir" && tar cf - --exclude=./.git --exclude='./build*' .) | (mkdir "$place/$1" && cd "$place/$1" && tar xf -); }
copy before
copy tree
tree=$place/tree

# --- one file and one line each ---------------------------------------------------------------------------------
sed 's/gsim_scheduler_skeleton/gsim_scheduler_added/; s/"skeleton"/"added"/' "$tree/schedulers/skeleton.c" >"$tree/schedulers/added.c"
echo 'X(added)' >>"$tree/schedulers/schedulers.def"

# One that is copied: FROM DEF, under the name WORD.
add() {
    sed "s/$3/added${4:-}/g" "$tree/$1" >"$tree/$(dirname "$1")/added${4:-}.c"
    echo "X(added${4:-})" >>"$tree/$2"
}
add schedulers/dm.c schedulers/schedulers.def '\<dm\>' _policy
add schedulers/place/round_robin.c schedulers/place/place.def 'round.robin'
add sim/sm/models/waves.c sim/sm/models/models.def waves
add ask/questions/compare.c ask/questions/questions.def compare _question
add workloads/sources/early_exit.c workloads/sources/sources.def 'early.exit' _source
sed 's/"name": "dgx-a100"/"name": "added"/' "$tree/models/nodes/dgx-a100.json" >"$tree/models/nodes/added.json"

sed 's/gsim_workload_vec/gsim_workload_added/; s/"vec"/"added"/' "$tree/workloads/vec.c" >"$tree/workloads/added.c"
echo 'X(added)' >>"$tree/workloads/workloads.def"

sed 's/"name": "h200"/"name": "added"/' "$tree/models/h200.json" >"$tree/models/added.json"

sed -n '/^cat >mine.csv/,/^END/p' "$tree/CONTRIBUTING.md" | sed '1d;$d' >"$tree/trust/published/added.csv"
sed -n '/"schema": "gpusim-paper/,/^END/p' "$tree/CONTRIBUTING.md" | sed '$d; s/mine/added/' >"$tree/trust/published/added.json"

echo 'X(added, "a list of kernels and their times")' >>"$tree/traces/import/importers.def"
cat >"$tree/traces/import/added.c" <<'END'
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines "NAME BLOCKS US" behind the line "kernels": one kernel after the other. */
#include <string.h>

#include "sim/base/gz.h"
#include "traces/import/sniff.h"

bool gsim_sniff_added(const struct gsim_sniff *sniff) { return strncmp(sniff->head, "kernels\n", 8) == 0; }

enum gsim_status gsim_import_added(const char *path, const struct gsim_import_options *options, struct gsim_program *program,
                                   struct gsim_import_notes *notes, struct gsim_error *error)
{
    size_t length;
    char *text = gsim_file_read(path, &length, error), name[32];
    struct gsim_builder *b = text ? gsim_builder_create(options->name) : NULL;
    unsigned blocks;
    int used;
    *notes = (struct gsim_import_notes){0};
    if (!b) {
        gsim_free(text);
        return gsim_error_set(error, GSIM_NOMEM, "cannot read '%s'", path);
    }
    struct gsim_kernel k = {.name = name, .block = {256, 1, 1}};
    for (const char *at = text + 8; sscanf(at, "%31s %u %lf\n%n", name, &blocks, &k.solo_us, &used) == 3; at += used) {
        k.grid = (struct gsim_dim3){blocks, 1, 1};
        uint32_t kernel = gsim_builder_kernel(b, &k);
        gsim_builder_op(b, &(struct gsim_op){.kind = GSIM_OP_KERNEL, .kernel_index = kernel});
        notes->kernels++;
    }
    gsim_free(text);
    return gsim_builder_finish(b, 1, program, error);
}
END

cd "$place" || exit 1
diff -rq before tree | LC_ALL=C sort >touched.txt
cat >expected.txt <<'END'
Files before/ask/questions/questions.def and tree/ask/questions/questions.def differ
Files before/schedulers/place/place.def and tree/schedulers/place/place.def differ
Files before/schedulers/schedulers.def and tree/schedulers/schedulers.def differ
Files before/sim/sm/models/models.def and tree/sim/sm/models/models.def differ
Files before/traces/import/importers.def and tree/traces/import/importers.def differ
Files before/workloads/sources/sources.def and tree/workloads/sources/sources.def differ
Files before/workloads/workloads.def and tree/workloads/workloads.def differ
Only in tree/ask/questions: added_question.c
Only in tree/models/nodes: added.json
Only in tree/models: added.json
Only in tree/schedulers/place: added.c
Only in tree/schedulers: added.c
Only in tree/schedulers: added_policy.c
Only in tree/sim/sm/models: added.c
Only in tree/traces/import: added.c
Only in tree/trust/published: added.csv
Only in tree/trust/published: added.json
Only in tree/workloads/sources: added_source.c
Only in tree/workloads: added.c
END
cmp -s touched.txt expected.txt || { fail 'other files were touched:' && cat touched.txt; }
for list in schedulers/schedulers.def:2 schedulers/place/place.def:1 sim/sm/models/models.def:1 traces/import/importers.def:1 ask/questions/questions.def:1 \
    workloads/sources/sources.def:1 workloads/workloads.def:1; do
    [ "$(diff "before/${list%:*}" "tree/${list%:*}" | grep -c '^[<>]')" = "${list#*:}" ] || fail "$list: other lines"
done

# --- it builds, and they work -----------------------------------------------------------------------------------
launcher=$(sed -n 's/^CMAKE_C_COMPILER_LAUNCHER:[A-Z]*=//p' "$build_dir/CMakeCache.txt")
expect 'configuring' cmake -S tree -B build -DGPUSIM_MPI=OFF -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_COMPILER_LAUNCHER="$launcher"
expect 'building' cmake --build build --parallel 2 --target gpusim test-schedulers-property test-schedulers-registry \
    test-contract-contract test-traces-import-importers test-ask-questions-questions
gpusim=$place/build/gpusim
[ -x "$gpusim" ] || exit 1
for kind in schedulers workloads devices nodes placements; do
    "$gpusim" list $kind | grep -q '^ *added ' || fail "gpusim list $kind: no 'added'"
done
"$gpusim" completion bash | grep -q 'added' || fail "completion: no 'added'"
expect 'a scheduler, a workload and a device' "$gpusim" --workload vec --sched added --device added --report added.json
expect 'a paper' "$gpusim" reproduce added --csv cells.csv
"$gpusim" --workload img --sched serial --device v100 --iterations 3 --report serial.json >/dev/null
"$gpusim" --workload img --sched kesco --device v100 --iterations 3 --report kesco.json >/dev/null
last() { sed -n 's/.*"iteration_us": \[[^]]* \([0-9.]*\)\].*/\1/p' "$1"; }
awk -F, -v serial="$(last serial.json)" -v kesco="$(last kesco.json)" '
    $1 == "img" { off = $(NF - 1) / (serial / kesco) - 1; found = off * off < 1e-16 }
    END { exit !found }' cells.csv || fail "the paper's cell is not what its runs give: $(cat cells.csv)"
# Beside what each was copied from, but for the names.
same() { # same WHAT COPY ORIGINAL: these arguments give the same run
    what=$1 copy=$2 original=$3
    # shellcheck disable=SC2086
    expect "$what" "$gpusim" $copy --report copy.json && expect "$what" "$gpusim" $original --report original.json
    for report in copy original; do sed -n '/"makespan_us"/,$p' $report.json | grep -o '_us": [0-9.]*' >$report.txt; done
    { [ -s copy.txt ] && cmp -s copy.txt original.txt; } || fail "$what: runs otherwise than the original"
}
same 'a policy, a node and a placement' '--workload cholesky --sched added_policy --node added --place added' \
    '--workload cholesky --sched dm --node dgx-a100 --place round-robin'
same 'a work model' '--workload img --sched kesco --model added' '--workload img --sched kesco --model waves'
same 'a source' '--workload added_source --sched taskflow' '--workload early-exit --sched taskflow'
sed 's/gsim_scheduler_skeleton/gsim_scheduler/' before/schedulers/skeleton.c >skeleton.c
expect 'the skeleton as a plug-in' "${CC:-cc}" -std=c11 -O1 -Ibefore/include -shared -fPIC -o skeleton.so skeleton.c
expect 'what it was copied from' "$gpusim" --workload vec --sched ./skeleton.so --device h200 --report copied.json
for report in added copied; do # but for the names
    sed -n '/"makespan_us"/,$p' $report.json | sed 's/"tasks": \[{"name": "[a-z]*"/"tasks": [{"name": "task"/' >$report.txt
done
{ [ -s added.txt ] && cmp -s added.txt copied.txt; } || fail "the copies run otherwise than the originals: $(diff added.txt copied.txt | cut -c1-200 | head -n 4)"

printf 'kernels\nfirst 132 10\nsecond 264 20.5\n' >list.txt
expect 'importing' "$gpusim" import list.txt -o list.json
expect 'importing by name' "$gpusim" import added list.txt -o named.json
cmp -s list.json named.json || fail 'by name another program'
expect 'running what was imported' "$gpusim" --workload list.json --sched added --device added --report list-report.json
grep -q '"name": "second"' list-report.json || fail 'the imported kernel does not run'

# The suites take up what is listed.
for suite in schedulers-property schedulers-registry contract-contract traces-import-importers ask-questions-questions; do
    expect "the suite $suite" "$place/build/test-$suite"
done

printf 'one of each: %d failures\n' "$failures"
[ "$failures" = 0 ]
