#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Drawn CUDA sources (odd.py): none ends the program, each is read or refused with one line, what is scheduled keeps every dependence.
# Two of them; six with GPUSIM_FULL.
# Usage: test_odd.sh SOURCE-DIR BUILD-DIR [FIRST END]
. "$1/tests/common.sh"
here=$source_dir/tests/source/write
first=${3:-2} end=${4:-4}
[ -z "${GPUSIM_FULL-}" ] || end=${4:-8}
"$gpusim" import cuda "$source_dir/examples/cuda/vec.cu" -o a.json 2>&1 | grep -q 'built without libclang' && exit 0
python3 "$here/odd.py" "$first" "$end"
number=$first
for file in odd*.cu; do
    case $((number % 4)) in 0) sched=kesco graph= ;; 1) sched=kesco graph=--graph ;; 2) sched=grsched graph=--graph ;; 3) sched=heft graph= ;; esac
    number=$((number + 1))
    "$gpusim" import cuda "$file" -o a.json 2>notes
    status=$?
    [ $status -le 2 ] || fail "$file: status $status"
    [ $status = 0 ] || { [ "$(wc -l <notes)" = 1 ] || fail "$file: refused with more than a line"; continue; }
    tail -n 1 notes | grep -q '^launches: [0-9]* of [0-9]* read$' || fail "$file: launches are not counted"
    "$gpusim" schedule "$file" --sched $sched $graph --always -o out.cu 2>notes || { fail "$file $sched $graph: $(tail -n 1 notes)"; continue; }
    "$gpusim" import cuda out.cu -o b.json 2>notes || { fail "$file $sched $graph: read again: $(tail -n 1 notes)"; continue; }
    python3 "$here/roundtrip.py" a.json b.json >notes 2>&1 || fail "$file $sched $graph: $(tail -n 1 notes)"
done
[ $failures = 0 ]
