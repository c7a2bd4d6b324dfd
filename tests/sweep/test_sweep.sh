#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps as users meet them: the same rows whatever the number of processes, crashes and time limits cost one point, a kill
# at any moment or a full disk loses nothing that was done, and what cannot work is refused: test_sweep.sh SOURCE BUILD.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
trap 'umount "$place/small" 2>/dev/null; rm -rf "$place"' EXIT
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }

# ask FILE SQL: what a database says; gpusim itself has no SQL prompt, so by its CSV.
rows() { "$gpusim" results "$1" --columns "$2" --csv - ${3:+--where "$3"} 2>>messages | sed 1d; }
count() { rows "$1" workload "${2-}" | wc -l; }
# All columns but those that say where in the file a row stands.
table() {
    "$gpusim" results "$1" --csv - --columns \
        key,position,workload,scheduler,device,size,seed,repeat,status,makespan_us,kernels,streams_used,sm_busy_ratio,achieved_occupancy,overlap_total,h2d_bytes,critical_path_us,lower_bound_us,error \
        2>>messages | LC_ALL=C sort
}
expect_status() { # expect_status STATUS PART COMMAND...: exits so, and says PART
    wanted=$1 part=$2
    shift 2
    "$@" >out 2>messages
    got=$?
    [ "$got" = "$wanted" ] || fail "exit $got, expected $wanted: $* ($(head -c 300 messages))"
    grep -qF -- "$part" out messages || fail "nothing says '$part': $* ($(head -c 300 messages))"
}

wait_for() { # wait_for SECONDS CONDITION
    tries=0
    until eval "$2" 2>/dev/null; do
        [ $((tries = tries + 1)) -lt $((20 * $1)) ] || { fail "waited $1 s for: $2" && return 1; }
        sleep 0.05
    done
}
bad=$(plugin misbehave) || exit 1

# --- the same rows with one and two workers, and four MPI ranks
cat >spec.json <<'END'
{"schema": "gpusim-sweep/1", "name": "test", "options": {"device": "v100"},
 "vary": {"workload": "vec,img,hits", "sched": ["serial", "kesco", "grsched"], "size": "100:1000:log4",
          "kesco.streams": [2, 10], "device.hw_queues": [1, 8]},
 "where": ["workload != hits or size < 500"], "repeat": 2}
END
expect_status 0 'points to compute' "$gpusim" sweep spec.json --dry-run
grep -q '^ *176  points to compute' out || fail "another number of points: $(grep points out)"
expect_status 0 '176 points' "$gpusim" sweep spec.json --jobs 1 --out one.db
expect_status 0 '176 points' "$gpusim" sweep spec.json --jobs 2 --out two.db
table one.db >one.txt
[ "$(wc -l <one.txt)" = 177 ] || fail "$(wc -l <one.txt) lines of 177"
table two.db | cmp - one.txt || fail 'two workers give other rows than one'
if command -v mpirun >/dev/null 2>&1 && [ -x "$build/gpusim-mpi" ]; then
    LSAN_OPTIONS=detect_leaks=0 && export LSAN_OPTIONS # under the sanitizers: MPI's libraries leak
    case $(mpirun --version 2>/dev/null) in
    *'Open MPI'* | *OpenRTE*) mpi() { mpirun --allow-run-as-root --oversubscribe "$@"; } ;;
    *) mpi() { mpirun "$@"; } ;;
    esac
    expect_status 0 '176 points' mpi -np 4 "$gpusim" sweep spec.json --out mpi.db
    table mpi.db | cmp - one.txt || fail 'four ranks give other rows than one worker'
    expect_status 2 'is there already' mpi -np 2 "$gpusim" sweep spec.json --out mpi.db

    # A rank that fails: the launcher ends the others, rank 0 tells what each held, and the sweep goes on later.
    # shellcheck disable=SC2016 # the ranks expand it
    mpi -np 3 sh -c 'echo $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec "$0" "$@" 2>said.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}' \
        "$gpusim" sweep --workload vec --sched "$bad" --size 1000 --vary seed=1:20 --vary misbehave.how=work,hang \
        --out rank.db >out 2>messages &
    launcher=$!
    wait_for 600 '[ "$(count rank.db)" -ge 2 ]' # each rank has met one that hangs by then, or will at once
    kill -9 "$(cat pid.2)"
    wait $launcher && fail 'a failed rank does not fail the sweep'
    grep -q 'rank 2 .*held [0-9]* points' said.0 || fail "rank 0 does not tell what the failed rank held: $(cat said.0)"
    [ "$(count rank.db 'status != ok')" = 0 ] || fail 'points of ranks that were ended count as crashed'
    expect_status 0 points "$gpusim" sweep --workload vec --sched "$bad" --size 1000 --vary seed=1:20 \
        --vary misbehave.how=work --out rank.db --resume
    unset LSAN_OPTIONS
else
    echo 'no MPI here: that part is left out'
fi
for shard in 1 2 3; do expect_status 0 points "$gpusim" sweep spec.json --shard $shard/3 --out part$shard.db; done
expect_status 0 '176 points added' "$gpusim" results merge -o merged.db part1.db part2.db part3.db
table merged.db | cmp - one.txt || fail 'three shards give other rows than the whole'
mkdir array && cd array || exit 1
for task in 1 2; do
    GPUSIM=$gpusim SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=2 SLURM_CPUS_PER_TASK=2 \
        sh "$source_dir/sweep/examples/slurm-array.sh" ../spec.json 2>>../messages || fail "task $task of the job array"
done
expect_status 0 '176 points added' "$gpusim" results merge -o ../array.db part-1.db part-2.db
cd ..
table array.db | cmp - one.txt || fail 'a job array gives other rows than the whole'
expect_status 0 'nothing is left to compute' "$gpusim" sweep spec.json --out one.db --resume

# --- crashes, refusals and time limits cost one point each
expect_status 0 '3 without figures' "$gpusim" sweep --workload vec --sched "serial,$bad" --size 1000 \
    --vary misbehave.how=work,refuse,crash,hang --timeout 2 --jobs 2 --out bad.db
[ "$(rows bad.db status | cut -d, -f1 | sort | tr '\n' ' ')" = 'crashed failed ok ok timeout ' ] ||
    fail "statuses: $(rows bad.db status | tr '\n' ' ')"
rows bad.db error 'status = crashed' | grep -q 'signal 6.*it was told to crash' || fail 'the crash is not explained'
rows bad.db error 'status = failed' | grep -q 'it was told to refuse' || fail 'the refusal is not explained'
rows bad.db error 'status = timeout' | grep -q 'time limit of 2 s' || fail 'the time limit is not told'

# Nothing but failures is no success, and says the first one; a program that cannot be read is refused before it starts.
expect_status 1 'no point has figures; the first error: ' "$gpusim" sweep --workload vec --sched "$bad" --size 1000 \
    --vary seed=1:3 --opt misbehave.how=refuse --out nothing.db
grep -q '3 without figures' messages && grep -q 'it was told to refuse' messages || fail "all failed: $(cat messages)"
expect_status 0 '1 without figures' "$gpusim" sweep --workload vec --sched "serial,$bad" --size 1000 \
    --opt misbehave.how=refuse --out some.db
echo '{}' >empty.json
expect_status 2 "cannot read './empty.json'" "$gpusim" sweep --workload vec,./empty.json --sched serial --out never.db
[ ! -e never.db ] || fail 'a sweep with an unreadable program left a file'

# --- kill -9 in the middle: what is done stays, the rest is made up for, and the sum is the same
seeds='--workload img --sched kesco,grsched --vary seed=1:300 --noise --device v100'
# shellcheck disable=SC2086 # $seeds is a list of words
"$gpusim" sweep $seeds --jobs 2 --out whole.db 2>>messages || fail 'the sweep that is not killed'
# shellcheck disable=SC2086
"$gpusim" sweep $seeds --jobs 2 --out killed.db 2>>messages &
victim=$!
wait_for 600 '[ "$(count killed.db)" -ge 100 ]'
kill -9 $victim 2>/dev/null
wait $victim 2>/dev/null
done_before=$(count killed.db)
[ "$done_before" -ge 100 ] || fail "only $done_before rows after the kill"
[ "$done_before" -lt 600 ] || echo 'the kill came too late to prove anything'
# shellcheck disable=SC2086
expect_status 0 'done already' "$gpusim" sweep $seeds --out killed.db --resume
table killed.db >killed.txt
table whole.db | cmp - killed.txt || fail 'killed and resumed gives other rows'

# --- two sweeps on one file
"$gpusim" sweep --workload vec --sched "$bad" --opt misbehave.how=hang --timeout 3000 --out busy.db 2>>messages &
holder=$!
wait_for 600 '[ -s busy.db ]'
expect_status 1 'is being written by another gpusim (process' "$gpusim" sweep spec.json --out busy.db --resume
kill -TERM $holder
wait $holder
[ $? = 143 ] || fail 'a sweep that is ended does not exit with 143'

# --- a full disk
mkdir small
if mount -t tmpfs -o size=120k none small 2>/dev/null; then
    # shellcheck disable=SC2086
    expect_status 1 "cannot write 'small/full.db': the disk is full" "$gpusim" sweep $seeds --out small/full.db
    said=$(sed -n 's/.*stopped: \([0-9,]*\) of.*/\1/p' messages | tr -d ,)
    cp small/full.db* .
    [ "$(count full.db)" = "${said:-none}" ] || fail "on the full disk $(count full.db) rows, reported $said"
    umount small
    for size in 4 24 100; do # not even room to begin
        mount -t tmpfs -o size=${size}k none small || break
        expect_status 1 "cannot write 'small/full.db': the disk is full" "$gpusim" sweep spec.json --out small/full.db
        umount small
    done
else
    echo 'no file system of our own here: only a file that must not grow stands for the full disk'
fi
(ulimit -f 400 && exec "$gpusim" sweep --workload vec --sched serial --vary seed=1:3000 --out limit.db) >out 2>messages
[ $? = 1 ] || fail "a file that must not grow: $(cat messages)"
said=$(sed -n 's/.*stopped: \([0-9,]*\) of.*/\1/p' messages | tr -d ,)
[ "$(count limit.db)" = "${said:-none}" ] || fail "in the file that must not grow $(count limit.db) rows, reported $said"

# --- noise: around the time without it, by as much as the device says (2 %), the same for the same seed; off, nothing changes
cat >one.json <<'END'
{"schema": "gpusim-program/1", "name": "one", "buffers": [{"name": "x", "bytes": 4096, "init": "device"}],
 "kernels": [{"name": "k", "solo_us": 100000}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [100, 1, 1], "block": [128, 1, 1], "reads": ["x"], "writes": ["x"]}]}
END
expect_status 0 '200 points' "$gpusim" sweep --workload one.json --sched serial --device v100 --noise --repeat 200 --out noise.db
"$gpusim" results noise.db --group sched --csv - 2>>messages | tail -n 1 >group
# n, mean, 95 % interval: of 200 values t = 1.972, so the deviation is the interval x sqrt(200) / 1.972.
awk -F, '{ s = $4 * sqrt(200) / 1.972 / $3
           if ($2 != 200 || $3 < 99500 || $3 > 100500 || s < 0.017 || s > 0.023) { print "noise is off: " $0; exit 1 } }' group ||
    fail 'noise has another mean or spread than the device file says'
"$gpusim" --workload one.json --sched serial --device v100 --noise --seed 3 --report a.json >/dev/null
"$gpusim" --workload one.json --sched serial --device v100 --noise --seed 3 --report b.json >/dev/null
"$gpusim" --workload one.json --sched serial --device v100 --noise --seed 4 --report c.json >/dev/null
cmp -s a.json b.json || fail 'the same seed draws other noise'
cmp -s a.json c.json && fail 'another seed draws the same noise'

# --- what cannot work is refused, and nothing is touched
head -c 3000 /dev/urandom >random.db
expect_status 2 'no SQLite database' "$gpusim" sweep spec.json --out random.db --resume
expect_status 2 'no SQLite database' "$gpusim" results random.db
dd if=/dev/urandom of=two.db bs=4096 seek=3 count=2 conv=notrunc 2>/dev/null
expect_status 1 'damaged' "$gpusim" sweep spec.json --out two.db --resume
printf '{"schema": "gpusim-sweep/1", "vary": {"sched": ["serial",}}' >broken.json
expect_status 2 "cannot read 'broken.json'" "$gpusim" sweep broken.json --out new.db
printf '{"schema": "gpusim-sweep/1", "vry": {}}' >broken.json
expect_status 2 'unknown field "vry", did you mean' "$gpusim" sweep broken.json --out new.db
expect_status 2 "cannot read 'nowhere.json'" "$gpusim" sweep nowhere.json --out new.db
[ ! -e new.db ] || fail 'a refused sweep left a file'
expect_status 2 'is there already' "$gpusim" sweep spec.json --out one.db

expect_status 0 'no rows are left' "$gpusim" results one.db --where 'sched = nobody'

printf 'sweep: %d failures\n' "$failures"
[ "$failures" = 0 ]
