#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# KeSCo's plans from source: the six programs of examples/cuda, imported and planned, have the streams, kernels and events of the log that
# the authors' compiler wrote (AssOfKFC_Benchmarks e6558e9, bin/work2_op.log), and of our generators: test_source_plans.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
source=$(cd "$1" && pwd)

plan() { # plan PROGRAM [OPTIONS]: "streams events waits", then each stream's kernels, a stream a line
    "$gpusim" --workload "$@" --sched kesco --memory managed --prefetch off --report report.json >/dev/null 2>err || fail "$*: $(tail -n 1 err)"
    sed -n 's/.*"streams_used": \([0-9]*\).*/\1/p' report.json | head -n 1 | tr '\n' ' '
    sed -n 's/.*"events_recorded": \([0-9]*\).*/\1/p' report.json | head -n 1 | tr '\n' ' '
    sed -n 's/.*"stream_waits": \([0-9]*\).*/\1/p' report.json | head -n 1
    # hits.cu numbers its rows in a kernel of its own before.
    sed -n 's/.*{"op": \([0-9]*\), "iteration": 0, .*"name": "\([a-z0-9_]*\)", "stream": \([0-9]*\),.*/\1 \3 \2/p' report.json | sort -n |
        awk '$3 != "number" { line[$2] = line[$2] (line[$2] ? " " : "") $3 } END { for (s in line) print line[s] }' | LC_ALL=C sort
}

# The log's plan. Which of maximum and minimum stays behind sobel is a tie, and the log has it the other way round.
expected() {
    case $1 in
    vec) printf '2 1 1\nsquare\nsquare reduce\n' ;;
    bs)
        echo 10 0 0
        for _ in 0 1 2 3 4 5 6 7 8 9; do echo price; done
        ;;
    ml) printf '2 1 1\nnb_1 nb_2 nb_3 nb_4 softmax argmax\nrr_1 rr_2 rr_3 softmax\n' ;;
    hits) printf '2 3 3\nspmv sum divide\nspmv sum divide reset\n' ;;
    img) printf '4 4 4\ngaussian_blur sobel combine\ngaussian_blur sobel maximum extend combine\ngaussian_blur unsharpen\nminimum\n' ;;
    dl) printf '2 1 1\nconv2d mean_pooling conv2d\nconv2d mean_pooling conv2d concat dot_product\n' ;;
    esac
}

if "$gpusim" import cuda "$source/examples/cuda/vec.cu" -o program.json 2>&1 | grep -q libclang; then
    echo '0 failures, without libclang'
    exit 0
fi
for program in vec bs ml hits img dl; do
    "$gpusim" import cuda "$source/examples/cuda/$program.cu" -o program.json 2>err || fail "$program: $(tail -n 1 err)"
    plan program.json >plan.txt
    expected $program >wanted.txt
    cmp -s plan.txt wanted.txt || fail "$program from source: $(diff wanted.txt plan.txt)"
    # Our generator's kernels have their papers' names.
    plan $program --suite kesco | sed 's/spmv3/spmv/g; s/^bs$/price/' >generated.txt
    cmp -s plan.txt generated.txt || fail "$program by the generator: $(diff generated.txt plan.txt)"
done

# Annotated for KeSCo, with main and its loops in an included file.
for program in vec hits; do
    "$gpusim" import cuda "$source/tests/source/read/kesco/$program.cu" -o program.json 2>err || fail "kesco/$program: $(tail -n 1 err)"
    plan program.json >plan.txt
    expected $program >wanted.txt
    cmp -s plan.txt wanted.txt || fail "$program annotated: $(diff wanted.txt plan.txt)"
done

echo "$failures failures"
[ $failures = 0 ]
