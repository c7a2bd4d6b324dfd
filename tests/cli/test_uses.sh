#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Options are done or refused: test_uses.sh SOURCE-DIR BUILD-DIR gives each option that "gpusim COMMAND --help" lists, one
# at a time, to commands on subjects of every kind. The result changes (what is printed or written, but not that the
# option was given), or the option is refused, or the table at the end says why it may be without effect.
# GPUSIM_FULL: all subjects; else those that take no time.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
recorded=$source_dir/traces/h100
one=$recorded/whatif/kineto_branchy_b1.json.gz
several="$recorded/several/kineto_tp_r0.json.gz $recorded/several/kineto_tp_r1.json.gz"
jax=$recorded/steps/jax_mlp.json.gz

# --- what is asked about: files ---
mkdir files headers
ok() { "$gpusim" "$@" >/dev/null 2>err || fail "$*: $(cat err)"; }
ok run --workload img --sched serial --size 1k --memory pinned --write-program files/prog.json --report files/run.json
ok compare --task ml,size=1e5,requests=2,copies=1:2 --share mps --limit p99=99s --report files/clients.json
ok compare --task ml,size=1e5,requests=2 --task img,size=1k,requests=2 --share mps --report files/shares.json
ok sweep --workload img --sched serial,kesco --vary size=1k,2k --out files/results.db
echo '{"schema": "gpusim-ranks/1", "ranks": [{"program": "ddp", "count": 2}]}' >files/ranks.json
cp "$recorded/probe.json" files/probe.json
sed 's/"launch_us": 54/"launch_us": 99/' "$source_dir/models/hosts/h100-vm.json" >files/host.json

# --- an option's value that differs from its default ---
value() {
    case $1 in
    workload) echo ml ;; sched) echo heft ;; task) echo ml,requests=1,size=1e5 ;; ranks) echo 2 ;;
    share) echo timeslice ;; profile) echo measure ;; device) echo h200 ;; suite) echo grcuda ;; size) echo 2k ;;
    iterations) echo 2 ;; host | other-device) echo h200 ;; host-speed) echo 2 ;; model) echo fluid ;; node) echo dgx-h100 ;; gpus) echo 2 ;; place) echo round-robin ;;
    memory) echo pageable ;; prefetch) echo off ;; block1d) echo 128 ;; blocks) echo 64 ;; opt) echo rule.l2=off ;;
    kernels) echo "$place/files/none.csv" ;; seed) echo 7 ;; base) echo async ;; fit) echo none ;; folds) echo 2 ;;
    measure | report | trace | write-program | json) echo out.json ;; output) echo out.svg ;; out) echo out.db ;;
    plan | csv) echo out.csv ;; scatter | histogram | figure) echo out.svg ;; python) echo out.py ;;
    diff) echo out.diff ;; keep) echo out.d ;; trace-sms) echo 4 ;; trace-window | time | window) echo 0:300us ;;
    kind) echo launch ;; half) echo odd ;; split) echo test ;; again) echo "$recorded/dags.json.gz" ;;
    name) echo other ;; gaps) echo off ;; copies) echo modelled ;; depends | unexplained | profiler-overhead) other "$1" ;;
    execution-trace) echo "$recorded/whatif/et_branchy_b1.json.gz" ;; alone) echo recorded ;; gpu | rank) echo 0 ;;
    step) echo 1 ;; steps) echo 1:2 ;; step-time) echo 12ms ;; between) echo 'ProfilerStep#1' ;; range) echo 0:30 ;;
    x) echo size ;; y) echo makespan_us ;; value) echo makespan_us ;; series) echo size ;; log) echo xy ;;
    title | xlabel | ylabel) echo TEXT ;; width) echo 11 ;; height) echo 5 ;; font) echo 9 ;; iteration) echo all ;;
    rules) echo l2_far ;; method) echo morris ;; numbers) echo sms ;; spread) echo 3 ;; batching) echo chunked ;;
    prefill-beside) echo stream ;; arrivals) echo poisson:30 ;; rate) echo 30 ;; requests) echo 10 ;;
    vary) echo seed=1,2 ;; paired) echo 'seed=1,2 size=1k,2k' ;; where) echo 'size < 1500' ;; repeat) echo 2 ;;
    samples) echo 4 ;; sample-seed) echo 3 ;; jobs) echo 1 ;; timeout) echo 100 ;; shard) echo 1/2 ;;
    columns) echo all ;; group) echo size ;; limit) echo 1 ;; only) echo speedup ;; scale) echo sms=2 ;;
    define) echo A=1 ;; arg) echo nothing=7 ;; include) echo "$place/headers" ;; entry) echo run ;;
    collective-library) echo custom ;; host) echo "$place/files/host.json" ;; within) echo ttft=1ms ;; run) echo 100 ;; run-limit) echo 9 ;;
    change) echo nosync ;; streams) echo 2 ;; cuda-graph) echo "$recorded/whatif/graph_branchy_b1.dot.gz" ;;
    *) fail "--$1: expected a value for it in $0" ;;
    esac
}
other() { case $1 in depends) echo none ;; unexplained) echo drop ;; *) echo "$overhead" ;; esac; }

# --- why an option may be without effect: COMMAND SUBJECT OPTION, each a pattern ---
may_be_idle() {
    case "$1 $2 $3" in
    *' jobs') : 'how many processes compute it is nothing that it shows' ;;
    *' seed') : 'equal ends come in an order of its own; here there are none' ;;
    *' entry' | *' include' | *' define') : 'a source may have no use for a macro or a folder' ;;
    *' copies' | *' unexplained' | *' alone' | *' gpu' | *' whole' | *' step' | *' rank')
        : 'the trace has none of these copies, gaps, neighbours, or no other GPU, rank, step' ;;
    *' execution-trace') : 'it orders what had one order' ;;
    'run generated '* | 'run service '* | 'run ranks'*)
        case $3 in memory | prefetch) : 'it moves no data of the host' ;; *) return 1 ;; esac ;;
    'plot trace iteration' | 'plot box x' | 'run gpus2 gpus' | 'run node gpus' | 'compare node gpus' | 'run gpus2 sched' | 'plot lines x' | 'plot speedup x' | 'plot timeline iteration' | 'results groups where') : 'the same as before' ;;
    'sensitivity built-in iterations') : 'each takes the same time' ;;
    'schedule cuda model') : 'kernels do not meet on an SM' ;;
    'import trace device') : 'kernels have the times of the GPU that the trace names' ;;
    'explain trace depends') : 'async keeps the order of the one stream, which is all that it had' ;;
    'explain jax change') : 'it is one CUDA graph, which waits for nothing: nothing to leave out' ;;
    'results rows where' | 'results groups limit' | 'results rows value') : 'all rows meet it' ;;
    'sweep '*' resume' | 'sweep '*' allow-mixed' | 'sweep '*' allow-plugins' | 'sweep '*' timeout') : 'nothing there' ;;
    *) return 1 ;;
    esac
}

# result ARGUMENTS...: exit status, in "found" all that was printed and written but for times and options' names.
result() {
    rm -rf run && mkdir run
    (cd run && "$gpusim" "$@" >stdout 2>stderr </dev/null)
    status=$?
    if [ -e run/out.db ]; then
        "$gpusim" results run/out.db --columns all --csv - >run/rows 2>&1
        rm run/out.db
        sed -i 's/.*[0-9] points.*//' run/stderr
    fi
    (cd run && find . -type f | LC_ALL=C sort | while read -r file; do echo "== $file" && cat "$file"; done) |
        sed 's/^.*"options".*$//; /^  Options  /,/^$/d; s/, [0-9.]* s$//; / left$/d; s/ points in .*//' >found
}

# walk NAME COMMAND ARGUMENTS...
walk() {
    name=$1 command=$2
    shift
    overhead=keep
    [ "$command" != import ] || overhead=remove
    result "$@"
    [ $status = 0 ] || fail "$name: $*: status $status: $(cat run/stderr)"
    mv found before
    result "$@"
    cmp -s found before || fail "$name: $*: another result the second time"
    "$gpusim" "$command" --help | sed -n 's/^  --\([a-z0-9-]*\)\( [^ ].*\)\{0,1\}$/\1\2/p' | sed 's/  .*//' >options
    while read -r option metavar; do
        [ "$option" != help ] || continue
        case " $* " in *" --$option "*) continue ;; esac
        if [ "$metavar" ]; then
            given=$(value "$option") || exit 1
            result "$@" "--$option" "$given"
        else
            given='' && result "$@" "--$option"
        fi
        if [ $status != 0 ]; then
            [ -s run/stderr ] || fail "$command $name --$option $given: status $status without a word"
        elif cmp -s found before && ! may_be_idle "$command" "$name" "$option"; then
            fail "$command $name --$option $given: neither done nor refused"
        fi
        walked=$((walked + 1))
    done <options
}
walked=0
walk built-in run --workload img --sched kesco --size 1k
walk file run --workload "$place/files/prog.json" --sched async
walk generated run --workload layered --sched async
walk service run --workload alexnet --sched async
walk ranks run --workload ddp --sched async --ranks 2 --device h100
walk built-in compare --workload img --sched serial,kesco --size 1k
walk built-in explain img --size 1k
walk trace import "$one" -o out.json
walk jax import "$jax" -o out.json
walk rows results "$place/files/results.db"
walk groups results "$place/files/results.db" --base serial --group sched
walk page report "$place/files/run.json" -o out.html
walk all list schedulers
if [ "${GPUSIM_FULL-}" ]; then
    ok serve "$recorded/serving/server.json" --requests 20 --rate 20,60 --csv files/load.csv
    walk gpus2 run --workload cholesky --sched heft --gpus 2
    walk tasks run --task ml,size=1e5,requests=2 --task img,size=1k,requests=2 --share mps
    walk cuda import "$source_dir/examples/cuda/vec.cu" -o out.json
    walk file explain "$place/files/prog.json"
    walk ranks-file run --sched async --ranks "$place/files/ranks.json" --device h100
    walk drawn run --workload frontier --sched async
    walk tasks compare --task ml,size=1e5,requests=2 --task img,size=1k,requests=2 --share mps,timeslice
    walk copies compare --task ml,size=1e5,requests=2,copies=1:2,arrival=poisson:20 --share mps --limit p99=99s
    walk built-in sweep --workload img --sched serial,kesco --vary size=1k,2k --out out.db
    walk tasks sweep --task ml,size=1e5,requests=2 --share mps,timeslice --out out.db
    walk built-in sensitivity --workload vec --sched serial --size 1e5 --numbers sm_count,dram_gbps
    walk trace explain "$one"
    walk jax explain "$jax"
    # shellcheck disable=SC2086 # two files
    walk ranks explain $several
    walk trace whatif "$one" --change nosync
    walk built-in whatif img --size 1k --change streams=2
    # shellcheck disable=SC2086 # two files
    walk ranks whatif $several --change comm=2x
    # shellcheck disable=SC2086 # two files
    walk ranks import $several -o out.json
    walk trace schedule "$one" --execution-trace "$recorded/whatif/et_branchy_b1.json.gz"
    walk built-in schedule img --size 1k --sched kesco
    walk cuda schedule "$source_dir/examples/cuda/img.cu" --sched kesco -o out.cu
    walk trace validate "$one"
    # shellcheck disable=SC2086 # two files
    walk ranks validate $several
    walk server serve "$recorded/serving/server.json" --requests 20
    walk step step "$recorded/serving/server.json" decode 8
    walk lines plot lines "$place/files/results.db" --x size --y iteration_us -o out.svg
    walk speedup plot speedup "$place/files/results.db" -o out.svg
    walk timeline plot timeline "$place/files/run.json" -o out.svg
    walk jct plot jct "$place/files/shares.json" -o out.svg
    walk load plot load "$place/files/load.csv" -o out.svg
    walk node run --workload cholesky --sched kesco --node h100-vm-x2 --memory pinned
    walk tasks-gpus run --task ml,size=1e5,requests=2,gpu=0 --task img,size=1k,requests=2,gpu=1 --share mps --gpus 2
    walk ranks-node run --workload tensor-parallel --sched async --ranks 8 --node dgx-h100
    walk node compare --workload cholesky,lu --sched heft,dm --node h100-vm-x2 --iterations 3
    walk rates serve "$recorded/serving/server.json" --requests 20 --rate 20,60 --batching continuous,chunked
    walk trace plot timeline "$one" -o out.svg
    walk clients plot clients "$place/files/clients.json" -o out.svg
    walk box plot box "$place/files/results.db" --y makespan_us -o out.svg
    walk heatmap plot heatmap "$place/files/results.db" --x size --y sched --value makespan_us -o out.svg
    walk scatter plot scatter "$place/files/results.db" --x size --y makespan_us -o out.svg
    walk clients report "$place/files/clients.json" -o out.html
    walk database report "$place/files/results.db" -o out.html
    walk recorded validate "$recorded/dags-blind.json.gz" --device h100-vm
    walk nodes list nodes
    walk device list devices h200
fi
[ $walked -gt 200 ] || fail "walked $walked options, expected more than 200"
exit $failures
