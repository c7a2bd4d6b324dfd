#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a new user gets wrong, for every command: files that are empty, broken, folders or of another kind, outputs that
# cannot be written or are read as well, numbers that are none. Each is refused in one line that says what is wrong, where
# and what was expected, with exit status 2, and leaves no file: test_wrong_inputs.sh SOURCE BUILD.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
failures=0 calls=0
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }

# refused PART ARGUMENT...: exit 2, one line on stderr that holds PART, nothing on stdout.
refused() {
    part=$1
    shift
    calls=$((calls + 1))
    timeout 60 "$gpusim" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = 2 ] || fail "exit $got, expected 2: gpusim $*: $(head -c 300 err)"
    grep -qF -- "$part" err || fail "nothing says '$part': gpusim $*: $(head -c 300 err)"
    [ "$(wc -l <err)" = 1 ] || fail "$(wc -l <err) lines, expected 1: gpusim $*: $(head -c 300 err)"
    [ ! -s out ] || fail "it prints: gpusim $*: $(head -n 2 out)"
}

mkdir folder
mkfifo pipe pipe.so
: >empty
: >empty.json
: >empty.so
echo '{' >broken.json
echo '{}' >object.json
head -c 2000 /dev/zero >zeros.json
cat >program.json <<'JSON'
{"schema": "gpusim-program/1", "name": "p", "buffers": [{"name": "x", "bytes": 4096, "init": "host"}],
 "kernels": [{"name": "k", "solo_us": 5}],
 "ops": [{"op": "kernel", "kernel": "k", "grid": [64], "block": [256], "reads": ["x"], "writes": ["x"]}]}
JSON
sed 's/"name": "h200"/"name": "my"/' "$source_dir/models/h200.json" >device.json
"$gpusim" sweep --workload program.json --sched serial --out results.db 2>/dev/null || fail 'the sweep that is right'
"$gpusim" --workload program.json --sched serial --report run.json --trace trace.json >/dev/null || fail 'the run that is right'
echo '{"schema": "gpusim-tasks/1", "tasks": []}' >tasks.json
ls >before

# --- figures of files of another kind: what it is, and which command takes it
refused 'found a device: gpusim run --device FILE' plot timeline device.json
refused "found results of a sweep: gpusim plot speedup, gpusim results" plot timeline results.db
refused 'expected tasks under a way of sharing' plot clients run.json
refused 'or gpusim import FILE -o program.json' report trace.json -o x.html
refused 'found a program: gpusim run --workload FILE' report program.json -o x.html

refused 'expected an SQLite database, found no regular file' import nsys folder -o x.json
refused '--range: expected a first work below 2, found 2' import kineto trace.json --range 2:3 -o x.json
refused "'tasks.json': tasks: expected a list of tasks" --task tasks.json

# --- resident kernels where somebody decides whose kernels have the SMs
for share in timeslice xsched; do
    for key in deadline_us duration_us; do refused "$key: expected a number from 0.001" --task vec,size=1e5,$key=0 --task vec --share mps; done
refused 'no resident kernels here: none under time slices or a policy' --task vec,sched=persistent --task vec --share $share --memory pinned
    refused 'no resident kernels here: none under time slices or a policy' --task vec,sched=ccks --task vec --share $share --memory pinned
done

# --- files that are no programs, devices, schedulers, specs, results, traces, probes
for file in empty empty.json broken.json object.json zeros.json folder pipe; do
    refused "cannot read './$file'" --workload "./$file" --sched serial
    refused "cannot read './$file'" --workload vec --sched serial --device "./$file"
    refused "cannot read '$file'" sweep "$file"
    refused "'$file'" results "$file"
    refused "cannot read '$file'" plot speedup "$file" -o x.svg
    refused "cannot read '$file'" plot timeline "$file" -o x.svg
    refused "cannot read '$file'" report "$file" -o x.html
    refused "cannot read '$file'" import kineto "$file" -o x.json
    refused "cannot read '$file'" import nsys "$file" -o x.json
    refused "cannot read '$file'" validate "$file"
    refused "cannot read '$file'" calibrate "$file" -o x.json
    refused "cannot read './$file'" sweep --workload "./$file" --sched serial
    refused "cannot read './$file'" sensitivity --workload "./$file" --sched serial
    refused "cannot read './$file'" compare --workload "./$file" --sched serial,kesco
done
# Nobody writes to the pipe: who opened it would wait.
other='expected a regular file'
for command in explain whatif serve ablate 'ask best'; do
    # shellcheck disable=SC2086 # a list of words
    refused "$other" $command pipe
done
refused "$other" step pipe prefill 128
refused "$other" import kineto pipe -o pipe.json
refused "$other" --task pipe --share mps
refused "$other" --task vec,arrival=pipe --share mps
refused "$other" --workload vec --sched plan=pipe
refused "$other" --workload vec --sched ./pipe.so
# The second of two ways of sharing is not there.
refused './missing.so' compare --task vec --task vec,name=other --share mps,./missing.so
refused 'found results of a sweep: ' explain results.db # and nothing beside it is left
refused "--change power=abc: expected a number of watts behind '=', found 'abc'" whatif program.json --change power=abc
refused "--change power=2x: expected a number of watts behind '=', found '2x'" whatif program.json --change power=2x
refused "--change launch=abc: expected a number such as 2 or 2x behind '=', found 'abc'" whatif program.json --change launch=abc
refused "schema: expected \"gpusim-device/1\", found \"gpusim-program/1\"" --workload vec --sched serial --device program.json
refused "expected a program, found a device: gpusim run --device FILE" --workload device.json --sched serial
refused 'expected a program, found a trace of' --workload trace.json --sched async
refused 'gpusim import FILE -o PROGRAM' --workload trace.json --sched async
refused "cannot load scheduler './empty.so'" --workload vec --sched ./empty.so
refused "for the file write './empty'" --workload vec --sched serial --device empty
refused "did you mean 'h200'?" --workload vec --sched serial --device h2000
refused 'standard input cannot be' compare --workload - --sched serial
refused 'standard input cannot be' sensitivity --workload - --sched serial

# --- each word that a message lists is taken: what is refused then is the output; a letter too many, and it is offered again
for word in pairs arrival priority dags launch aten repeated beside unlike micro runs traces all; do
    refused "--report: cannot write 'nowhere/x'" validate --kind $word --report nowhere/x
    refused "found '${word}x'" validate --kind ${word}x
done
for word in kesco kesco-effort grcuda grcuda-gpus all acs ccks mega mp collectives xsched fikit tally; do
    refused "--csv: cannot write 'nowhere/x'" reproduce $word --csv nowhere/x
    refused "found '$word.'" reproduce $word.
done
for word in figures bound mean-speedup devices single-gpu plan timeline; do
    "$gpusim" reproduce --only ${word}x 2>&1 | grep -q "did you mean '$word'" || [ $word = figures ] || [ $word = devices ] || fail "reproduce --only ${word}x: no offer"
done
for word in workloads schedulers placements sharing devices nodes presets rules; do
    refused "did you mean '$word'" list ${word}x
    "$gpusim" list $word 2>&1 | grep -q . || fail "list $word: nothing"
done

# --- outputs: where none can be, twice the same, or what is read
for where in folder nowhere/x program.json/x ''; do
    refused "--report: cannot write '$where'" --workload vec --sched serial --report "$where"
    refused "--trace: cannot write '$where'" --workload vec --sched serial --trace "$where"
    refused "--csv: cannot write '$where'" compare --workload vec --sched serial --csv "$where"
    refused "--csv: cannot write '$where'" reproduce --csv "$where"
    refused "--report: cannot write '$where'" validate --kind priority --report "$where"
    refused "--csv: cannot write '$where'" sensitivity --workload vec --sched serial --csv "$where"
    refused "--json: cannot write '$where'" results results.db --json "$where"
    refused "--out: cannot write '$where'" sweep --workload vec --sched serial --out "$where"
    refused "--out: cannot write '$where'" results merge -o "$where" results.db
    refused "--output: cannot write '$where'" plot timeline run.json -o "$where"
    refused "--output: cannot write '$where'" report results.db -o "$where"
    refused "--output: cannot write '$where'" import kineto trace.json -o "$where"
    refused "--output: cannot write '$where'" calibrate "$source_dir/traces/h200/probe.json" -o "$where"
done
refused "expected two files, found one, 'x' and './x'" --workload vec --sched serial --report x --trace ./x
refused "'run.json' is both input and output" report run.json -o run.json
refused "'./trace.json' is both input and output" import kineto trace.json -o ./trace.json
refused "'program.json' is both input and output" --workload program.json --sched serial --report program.json
refused "'device.json' is both input and output" --workload vec --sched serial --device ./device.json --csv device.json
refused "'program.json' is both input and output" compare --workload vec,program.json --sched serial --csv program.json
refused "expected two files" validate --csv same --report same
refused 'expected a file name ending in .svg, .pdf or .png' reproduce --figure x.txt
refused '--keep: expected --output FILE with it' sensitivity --workload vec --sched serial --keep kept

# --- numbers that are none, or too many
refused '--opt streams=0: ' --workload vec --sched kesco --opt streams=0
refused '--opt kesco.streams=nan: ' compare --workload vec --sched kesco --opt kesco.streams=nan
refused '--scale: expected NUMBER=FACTOR' reproduce --scale clock_mhz=nan
refused "'clock_mhz' is given twice" sensitivity --workload vec --sched serial --numbers "$(yes clock_mhz | head -n 99 | paste -sd,)"
refused '--width: expected column, page' sensitivity --workload vec --sched serial -o x.svg --width none
refused '--window: applies to timelines, not to speedup' plot speedup results.db --window 1:2
refused '--log: applies to figures with axes of numbers, not to timeline' plot timeline run.json --log x
refused '--value: applies to heatmaps, not to speedup' plot speedup results.db --value speedup
for vary in memory=managed,foo prefetch=x seed=-1,2 iterations=0 device.clock_mhz=1,2 size=a,b size=nan:2:lin3 size=1:inf:lin3 size=:; do
    refused ': expected ' sweep --workload vec --sched serial --vary "$vary"
done

# --- words in the wrong place
refused "unknown option '-g'" --workload vec --sched serial -g
refused '-o: expected FILE, found nothing' plot timeline run.json -o
refused '--output is not an option of gpusim run' --workload vec --sched serial -o x
refused 'to run a program, expected gpusim --workload img --sched NAME' img --sched kesco
refused 'to run a program, expected gpusim --workload program.json --sched NAME' program.json
refused '--workload: expected one program' --workload vec,img --sched serial
refused '--sched: expected one scheduler' --workload vec --sched all

# --- a full device is told as one, with the cause, also where the file is large
for how in "--workload program.json --sched serial --trace" "import kineto trace.json -o" "report run.json -o"; do
    # shellcheck disable=SC2086 # a list of words
    "$gpusim" $how /dev/full >out 2>err </dev/null && fail "written to a full device: $how"
    grep -q "cannot write '/dev/full': No space left on device" err || fail "$how: $(cat err)"
done

rm -f out err
ls >after
grep -vx -f before after | grep -vx after | grep -q . && fail "files were left: $(ls)"
# A view that never ends: what a file from others brings is not run.
refused 'CUPTI_ACTIVITY_KIND_KERNEL' import nsys "$source_dir/tests/traces/import/cases/nsys_endless_view.sqlite" -o never.json

printf 'wrong inputs: %d calls, %d failures\n' "$calls" "$failures"
[ "$failures" = 0 ]
