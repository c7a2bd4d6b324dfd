#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How long commands end: by signals, alike, with one line and nothing left; killed under --resume, nothing that was done is
# lost; with too few descriptors, processes or too little memory, as told errors: test_ends.sh SOURCE BUILD. Signals are sent
# once /proc says that the program is in the state; limits of time are there for what hangs. With a failure the folder stays.
set -u
build=$(cd "$2" && pwd)
gpusim=$build/gpusim
source_dir=$(cd "$1" && pwd)
export GPUSIM_DATA="$source_dir"
place=$build/ends
rm -rf "$place"
mkdir "$place"
cd "$place" || exit 1
mkdir temporary bin
export TMPDIR="$place/temporary"
failures=0
# fail TEXT: with what the last command said, and what there is.
fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    for file in out err; do [ ! -s $file ] || { printf '  %s:\n' $file && tail -n 20 $file | sed 's/^/    /'; }; done
    printf '  files: %s; temporary: %s\n' "$(ls -A | tr '\n' ' ')" "$(ls -A "$TMPDIR" | tr '\n' ' ')"
}
# wait_for CONDITION: ten minutes at most.
wait_for() {
    left=12000
    while ! eval "$1" && [ "$left" -gt 0 ]; do
        sleep 0.05
        left=$((left - 1))
    done
    [ "$left" -gt 0 ]
}
# takes_signals PID: its handlers are there, which come all at once (SIGTERM is bit 14 of the mask).
takes_signals() { [ $((0x$(sed -n 's/^SigCgt:\s*//p' "/proc/$1/status" 2>/dev/null || echo 0) >> 14 & 1)) = 1 ]; }
children_of() { cat "/proc/$1/task/$1/children" 2>/dev/null; }
# The process and when it began: a number is used again, in minutes where much is started.
identity() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f 20; }
is_over() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

hang="$build/plugins/misbehave.so --opt misbehave.how=hang"
mkfifo never # nobody reads it: who writes there waits
"$gpusim" --workload vec --size 1e5 --sched kesco --report run.json --trace trace.json >out || fail 'no run'
# A program in the place of gnuplot that writes half a picture and then takes its time.
cat >bin/gnuplot <<'END'
#!/bin/sh
echo '<svg>' >"$5"
echo >"$DRAWING"
exec sleep 60
END
chmod +x bin/gnuplot
export DRAWING="$place/drawing"

# ends SIGNAL NUMBER CONDITION LINE COMMAND...: once CONDITION holds, SIGNAL ends it with 128 + NUMBER and LINE, nothing is left.
ends() {
    signal=$1 number=$2 condition=$3 line=$4
    shift 4
    rm -f drawing
    ls -A >before
    env --default-signal=INT,HUP,TERM,PIPE "$gpusim" "$@" >out 2>err </dev/null &
    victim=$!
    if ! wait_for "$condition"; then
        fail "$signal: never under way: $* ($(cat err))"
        kill -9 $victim
    fi
    helpers=
    for child in $(children_of $victim); do helpers="$helpers $child:$(identity "$child")"; done
    kill "-$signal" $victim
    wait $victim
    status=$?
    [ $status = $((128 + number)) ] || fail "$signal: exit $status: $* ($(cat err))"
    # Beside how far it came: "12 of 50 points", also while it went on.
    [ "$(grep -vc '^gpusim: stopped: \|^gpusim: note\|^gpusim: .trace.json.: \|^gpusim: [0-9][^;]* of ' err)" = 1 ] || fail "$signal: expected one line: $* ($(cat err))"
    grep -q "$line" err || fail "$signal: expected '$line': $* ($(cat err))"
    rm -f drawing
    ls -A | cmp -s - before || fail "$signal: $*: left: $(ls -A | grep -vxF -f before)"
    [ -z "$(ls -A temporary)" ] || fail "$signal: $*: temporary files are left: $(ls -A temporary)"
    for helper in $helpers; do
        process=${helper%:*}
        wait_for "is_over $process || [ \"\$(identity $process)\" != '${helper#*:}' ]" || fail "$signal: $*: process $process goes on"
    done
}
touch out err before
afresh='; no file was changed; the same command starts afresh'
for pair in INT:2 TERM:15 HUP:1; do
    signal=${pair%:*} number=${pair#*:}
    # shellcheck disable=SC2016 # $victim is of the function
    up='takes_signals $victim' at_work='[ -n "$(children_of $victim)" ]'
    # shellcheck disable=SC2086 # $hang is a list of words
    {
        ends "$signal" "$number" "$up" "SIG$signal.*$afresh" run --workload vec --sched $hang --report a.json
        ends "$signal" "$number" "$up" "SIG$signal.*$afresh" compare --workload vec --sched $hang --csv a.csv
        ends "$signal" "$number" "$at_work" 'no file was changed; the same command starts afresh' sensitivity --workload vec --sched $hang --csv a.csv
    }
    [ $signal = TERM ] || [ "${GPUSIM_FULL-}" ] || continue # each signal has run, compare and sensitivity
    ends "$signal" "$number" "$up" "SIG$signal.*$afresh" import kineto trace.json -o never
    ends "$signal" "$number" "$up" "SIG$signal.*$afresh" validate "$source_dir/traces/h200/research1.json.gz" --csv never
    ends "$signal" "$number" "$at_work" "SIG$signal.*$afresh" reproduce all --csv a.csv
    PATH=$place/bin:$PATH ends "$signal" "$number" '[ -s drawing ]' "SIG$signal.*$afresh" plot timeline run.json -o a.svg
    ends "$signal" "$number" "$up" "SIG$signal.*$afresh" report run.json -o never
    # A sweep keeps its results file, and says how to go on.
    : >a.db
    # shellcheck disable=SC2086
    ends "$signal" "$number" "$at_work" 'the same command with --resume goes on from here' \
        sweep --workload vec --sched $hang --vary seed=1:50 --out a.db
    rm -f a.db
done
# What is complete is told.
mkfifo pipe
exec 4<>pipe 5>pipe 4<&-
env --default-signal=PIPE "$gpusim" --workload vec --size 1e5 --sched kesco --report a.json >&5 2>err
[ $? = 141 ] || fail "a pipe without a reader: $(cat err)"
grep -q 'SIGPIPE: nobody reads its output; 1 file is complete, no other was changed' err || fail "a pipe without a reader: $(cat err)"
[ -s a.json ] || fail 'a file that was complete is gone'
env --default-signal=PIPE "$gpusim" list schedulers >&5 2>err
[ $? = 141 ] || fail "list into a pipe without a reader: $(cat err)"
[ ! -s err ] || fail "list into a pipe without a reader: $(cat err)"
exec 5>&-
# Signals that the caller ignores stay ignored (nohup).
# shellcheck disable=SC2086
(trap '' HUP && exec "$gpusim" sweep --workload vec --sched $hang --timeout 2 --vary seed=1 --out hup.db) >out 2>err &
victim=$!
wait_for '[ -n "$(children_of $victim)" ]' || fail 'a sweep under nohup does not begin'
kill -HUP $victim
wait $victim
status=$?
[ $status = 1 ] || fail "a sweep under nohup: exit $status ($(cat err))"
grep -q 'time limit' err || fail "a sweep under nohup: $(cat err)"

# --- killed again and again under --resume: all points are there in the end, and the same
seeds='--workload vec --sched kesco,serial --vary seed=1:300 --size 1e5'
if command -v sqlite3 >/dev/null; then
    sum() { sqlite3 "$1" 'SELECT count(*), sum(seed), total(iteration_us) FROM (SELECT seed, iteration_us FROM points ORDER BY key)'; }
    # shellcheck disable=SC2086 # a list of words
    "$gpusim" sweep $seeds --out whole.db >out 2>err || fail "the sweep that is not killed: $(cat err)"
    : >killed.db
    kills=0 before_count=0 most=5
    [ -z "${GPUSIM_FULL-}" ] || most=40
    while [ $kills -lt $most ]; do
        # shellcheck disable=SC2086
        "$gpusim" sweep $seeds --out killed.db --resume --jobs 1 >out 2>err &
        victim=$!
        # At work, each time at another place.
        wait_for "[ -n \"\$(children_of $victim)\" ] || is_over $victim" || fail "killed sweep $kills: neither at work nor over"
        sleep 0.0$((kills % 10))
        kill -9 $victim 2>/dev/null
        wait $victim 2>/dev/null
        kills=$((kills + 1))
        count=$(sqlite3 killed.db 'SELECT count(*) FROM points' 2>/dev/null || echo 0)
        [ "${count:-0}" -ge "$before_count" ] || fail "after $kills kills $count points, $before_count before"
        before_count=${count:-0}
    done
    # shellcheck disable=SC2086
    "$gpusim" sweep $seeds --out killed.db --resume >out 2>err || fail "after $most kills: $(cat err)"
    [ "$(sum killed.db)" = "$(sum whole.db)" ] || fail "after $most kills '$(sum killed.db)', without '$(sum whole.db)'"
    [ "$(sqlite3 killed.db 'PRAGMA integrity_check')" = ok ] || fail "after $most kills the file is damaged"
fi

# --- limits of the system. told LIMIT COMMAND...: it succeeds, or says in a line why not.
told() {
    limit=$1
    shift
    # shellcheck disable=SC2086 # an option and a value
    # What a test runner left open counts too.
    (ulimit $limit && exec $as_whom "$gpusim" "$@") >out 2>err </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    status=$?
    case $status in 0 | 1 | 2) ;; *) fail "ulimit $limit: exit $status: $* ($(head -c 300 err))" ;; esac
    [ $status = 0 ] || grep -q '^gpusim: ' err || fail "ulimit $limit: no reason: $* ($(head -c 300 err))"
    ! grep -q 'please report' err || fail "ulimit $limit: $*: $(head -c 300 err)"
    [ -z "$(ls -A temporary)" ] || fail "ulimit $limit: $*: temporary files are left: $(ls -A temporary)"
}
as_whom=
all_told() {
    told "$1" --workload vec --size 1e5 --sched kesco --report a.json
    told "$1" --task vec,size=1e5 --task img,size=100 --share mps --memory pinned --report a.json
    told "$1" compare --workload img --sched serial,kesco --csv a.csv
    told "$1" sensitivity --workload vec --size 1e5 --sched serial --csv a.csv
    told "$1" reproduce kesco --only vec --csv a.csv
    told "$1" plot timeline run.json -o a.svg
    told "$1" report run.json -o a.html
    rm -f limited.db*
    told "$1" sweep --workload vec --sched serial --vary size=1e5,2e5 --out limited.db
    told "$1" results whole.db
}
# Some of the limits; all with GPUSIM_FULL.
descriptors='4 6' memory='500 3500 15000'
[ -z "${GPUSIM_FULL-}" ] ||
    descriptors='4 5 6 7 8' memory='500 1000 1500 2000 2500 3000 3500 4000 5000 6000 8000 10000 15000 20000 50000 60000 100000'
for few in $descriptors; do all_told "-n $few"; done
if ! grep -q __asan_init "$gpusim"; then # which reserves 20 TB and takes threads for actors
    all_told '-s 256'
    least=30000 # what the libraries take before the program begins: their own refusals are not ours
    while ! (ulimit -v $least && exec "$gpusim" --version) >out 2>err && [ $least -lt 400000 ]; do least=$((least + 500)); done
    for more in $memory; do all_told "-v $((least + more))"; done
    chmod 755 "$place"
    chmod 777 temporary
    as_whom='prlimit --nproc=1'
    if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then # root has no limit of processes
        as_whom='setpriv --reuid=65531 --regid=65531 --clear-groups prlimit --nproc=1'
        mkdir open && chmod 777 open && cp run.json whole.db open && cd open || exit 1
        mkdir temporary
        export TMPDIR=$place/temporary
    fi
    command -v prlimit >/dev/null && all_told '-n 64' # sh knows no limit of processes
fi

printf 'ends: %d failures\n' "$failures"
[ "$failures" != 0 ] || rm -rf "$place"
[ "$failures" = 0 ]
