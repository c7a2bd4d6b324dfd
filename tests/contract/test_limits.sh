#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Hostile and absurd inputs are refused within seconds of processor time, with one line that says why; small stacks are
# enough; what files say steers no terminal: test_limits.sh SOURCE BUILD.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
corpus=$source_dir/tests/fuzz/corpus
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }

# refused PART COMMAND...: exits with 2 and says PART on one line, within ten seconds of the processor.
refused() {
    part=$1
    shift
    (ulimit -t 10 && exec "$@") >out 2>messages
    got=$?
    [ "$got" = 2 ] || fail "exit $got, expected 2: $* ($(head -c 300 messages))"
    grep -qF -- "$part" messages || fail "nothing says '$part': $* ($(head -c 300 messages))"
    [ "$(wc -l <messages)" -le 1 ] || fail "more than a line: $* ($(head -c 300 messages))"
}
# many COUNT FORMAT: "FORMAT" with 1 to COUNT, commas between.
many() { awk -v n="$1" -v f="$2" 'BEGIN { for (i = 1; i <= n; i++) printf f "%s", i, i < n ? "," : "" }'; }
deep() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "[" }'; }

# --- counts
refused "9999992 values or more, expected at most 1000000" "$gpusim" sweep --vary size=8:9999999 --vary sched=serial --dry-run
refused "values or more, expected at most 1000000" "$gpusim" sweep --vary seed=1:1e300:+1 --dry-run
refused "values or more, expected at most 1000000" "$gpusim" sweep --vary seed=1:9:lin1e9 --dry-run
refused "all axes together have" "$gpusim" sweep --vary seed=1:900000 --vary size=1:100001 --dry-run
refused "all axes together have" "$gpusim" sweep --vary size=1:9:random --vary device.h2d_gbps=1:9:random --samples 900000 --dry-run
# --- members, depth, length, numbers
{ printf '{"schema":"gpusim-sweep/1",' && many 300000 '"k%d":1' && printf '}'; } >members.json
refused 'unknown field "k1"' "$gpusim" sweep members.json --dry-run
{ printf '{"schema":"gpusim-sweep/1","vary":{"sched":[' && many 300000 '"s%d"' && printf ']},"a":1}'; } >list.json
refused 'unknown field "a"' "$gpusim" sweep list.json --dry-run
deep 1000000 >deep.json
for command in "--workload deep.json --sched serial" "--workload vec --sched serial --device ./deep.json" "sweep deep.json --dry-run" \
    "plot speedup deep.json -o x.svg" "import kineto deep.json -o x.json" "validate deep.json"; do
    refused "deep.json'" "$gpusim" $command
done
{ printf '{"schema":"gpusim-program/1","name":"a","iterations":' && many 1000000 '%d' | tr -d , && printf '}'; } >number.json
refused "iterations: expected an integer from 1 to" "$gpusim" --workload number.json --sched serial
{ printf '{"solo":[' && many 100000 '%d' && printf '],"dags":[{"streams":1,"live_us":1,"nodes":[{"stream":0,"kernels":[' &&
    many 100000 '{"k":%d}' && printf ']}]}]}'; } >cases.json
refused "cases.json'" "$gpusim" validate cases.json
# --- gzip that expands a thousand times, from a file; plain text of the same size is read
{ printf '{"schema":"gpusim-program/1","name":"' && head -c 150000000 /dev/zero | tr '\0' a; } | gzip -9 >bomb.json.gz
for command in "--workload bomb.json.gz --sched serial" "import kineto bomb.json.gz -o x.json" "validate bomb.json.gz"; do
    refused "times its size: expected at most 200 times" "$gpusim" $command
done
refused "expected a report of a run" "$gpusim" plot timeline bomb.json.gz -o x.svg # told by its beginning

# --- two gigabytes of blanks, packed quickly and plain: refused as what they are, at once and in little memory
truncate -s 2G blanks.json
head -c 100000000 /dev/zero | tr '\0' ' ' | gzip -1 >quick.json.gz
for file in blanks.json quick.json.gz; do
    for command in "--workload $file --sched serial" "import kineto $file -o x.json" "import wfcommons $file -o x.json" "validate $file" "report $file -o x.html"; do
        (
            grep -q __asan_init "$gpusim" || ulimit -v 400000
            # shellcheck disable=SC2086
            refused "$file'" "$gpusim" $command
            [ $failures = 0 ] && ! grep 'out of memory' messages
        ) || failures=$((failures + 1))
    done
done

# --- thousands of GPUs: a plan's tables are of the streams that have kernels, not of all that there could be
(
    grep -q __asan_init "$gpusim" || ulimit -v 1000000
    "$gpusim" --workload cholesky --sched heft --memory pinned --node dgx-h100-x1024 --place round-robin >out 2>messages &&
        grep -q Makespan out
) || fail "8192 GPUs: $(cat messages)"

# --- texts: neither raw control characters nor those that turn the order around, in messages, tables and JSON
raw() { LC_ALL=C grep -qE "$(printf '\033|\302[\200-\237]|\342\200[\250-\256]|\342\201[\246-\251]')" "$@"; }
bad=$(printf 'a\342\200\256b\302\233c')
printf '{"schema":"gpusim-program/1","name":"%s","ops":[]}' "$bad" >text.json
refused "without control characters" "$gpusim" --workload text.json --sched serial
raw messages && fail "raw control characters in a message: $(cat -v messages)"
for command in "--workload vec --sched $bad" "--workload $bad --sched serial" "--workload vec --sched serial --device $bad" "list $bad" \
    "--workload $bad.json --sched serial" "--opt $bad=1 --workload vec --sched serial" "results $bad" "sweep --vary $bad=1" "$bad" "--$bad"; do
    "$gpusim" $command >out 2>messages && fail "not refused: $command"
    raw messages out && fail "raw control characters: $(cat -v messages)"
done
sed 's/"title": "[^"]*"/"title": "'"$bad"'"/; s/"source": "[^"]*"/"source": "'"$bad"'"/' "$source_dir"/models/h200.json >device.json
for command in "list devices ./device.json --long" "--workload vec --size 1e5 --sched serial --device ./device.json --report -"; do
    "$gpusim" $command >out 2>messages || fail "$command: $(cat messages)"
    raw messages out && fail "raw control characters: $command"
done
printf '{"schema":"gpusim-program/1","name":"a","ops":[{"op":"host_compute","us":1}]}' >"named$bad.json"
"$gpusim" whatif "named$bad.json" >out 2>messages || fail "whatif: $(cat messages)"
raw messages out && fail "raw control characters in the command that whatif names"
printf 'workload,sched,iteration_us\n%s,serial,1\n%s,kesco,2\n' "$bad" "$bad" >table.csv
"$gpusim" plot speedup table.csv -o out.svg >out 2>messages || fail "plot: $(cat messages)"
raw messages out out.svg && fail "raw control characters in a picture"
"$gpusim" --workload "$corpus/program/injection-names" --sched serial --gantt >out 2>messages || fail "names of programs: $(cat messages)"
grep -qF '%s%n%s' out || fail "a name is not printed as it is"
[ -z "$(find . -name 'pwned*')" ] || fail "a name ran a command"

# --- a stack of 256 KB is enough (sanitizers need more by themselves)
if ! grep -q __asan_init "$gpusim"; then
    for command in "sweep --vary size=1e5,2e5 --vary sched=serial,kesco --vary workload=vec --out small.db" \
        "sensitivity --workload vec --size 1e5 --sched kesco" "results small.db --base sched=serial" "compare --workload vec --size 1e5" \
        "--workload vec --size 1e5 --sched kesco --trace small.json.gz" "import kineto small.json.gz -o small.json" \
        "plot timeline small.json.gz -o small.svg" "reproduce kesco --only vec"; do
        (ulimit -s 256 && exec "$gpusim" $command) >out 2>messages || fail "with a small stack: exit $?: $command ($(head -c 300 messages))"
    done
    long=$(awk 'BEGIN { printf "size = 0"; for (i = 1; i < 390; i++) printf " or size = %d", i }')
    (ulimit -s 256 && exec "$gpusim" results small.db --where "$long") >out 2>messages || fail "a long condition: exit $? ($(head -c 300 messages))"
fi

# --- code of others: by a path with a slash alone, and of a spec file only where that is allowed
cp "$build/plugins/depthfirst.so" here.so
refused "a shared object is loaded by a path with a slash: './here.so'" "$gpusim" --workload vec --size 1e5 --sched here.so
refused "a shared object is loaded by a path with a slash" "$gpusim" compare --workload vec --size 1e5 --sched serial,here.so
"$gpusim" --workload vec --size 1e5 --sched ./here.so >out 2>messages || fail "--sched ./here.so: $(cat messages)"
for spec in '"options":{"sched":"./here.so","workload":"vec","size":1e5}' '"options":{"workload":"vec","size":1e5},"vary":{"sched":["serial","./here.so"]}' \
    '"options":{"workload":"vec","size":1e5},"vary":{"scheduler":"serial,./here.so"}'; do
    printf '{"schema":"gpusim-sweep/1",%s}' "$spec" >own.json
    refused "sched: './here.so' is code that the spec file names: --allow-plugins runs it" "$gpusim" sweep own.json --out own.db
    rm -f own.db
    "$gpusim" sweep own.json --out own.db --allow-plugins >out 2>messages || fail "--allow-plugins: $(cat messages)"
    rm -f own.db
    "$gpusim" sweep own.json --vary sched=serial --out own.db >out 2>messages || fail "the command line's scheduler: $(cat messages)"
    rm -f own.db
done
"$gpusim" sweep --workload vec --size 1e5 --sched ./here.so --out own.db >out 2>messages || fail "sweep --sched ./here.so: $(cat messages)"

printf 'limits: %d failures\n' "$failures"
[ "$failures" = 0 ]
