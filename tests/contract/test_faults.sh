#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Faults that were found once, as kinds: device files that cannot be read, links that others planted, a file by two names, quotes
# in figures, a user's ~/.gnuplot, formulas in CSV, shared objects that are cut, allocations that fail: test_faults.sh SOURCE BUILD.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }
plugin=$(plugin misbehave) || exit 1
# refused PART COMMAND...: exits with 1 or 2, by itself, and says PART.
refused() {
    part=$1
    shift
    "$gpusim" "$@" >out 2>err </dev/null
    case $? in 1 | 2) ;; *) fail "exit $?, expected 1 or 2: $* ($(head -c 300 err))" ;; esac
    grep -qF -- "$part" err || fail "nothing says '$part': $* ($(head -c 300 err))"
}
works() { "$gpusim" "$@" >out 2>err </dev/null || fail "exit $?: $* ($(head -c 300 err))"; }

# --- another GPU without a word: the file of the GPU's device is empty, cut, a folder, a link to nowhere
works --workload vec --size 1e5 --sched kesco --device h200 --trace plain.json
sed 's/"device":"h200",//' plain.json >trace.json
works explain trace.json
grep -q '^trace under async on h200,' out || fail "explain: $(head -n 1 out)"
cp -R "$source_dir/models" .
for how in empty cut folder link; do
    mv models/h200.json whole
    case $how in
    empty) : >models/h200.json ;;
    cut) head -c 2000 whole >models/h200.json ;;
    folder) mkdir models/h200.json ;;
    link) ln -s nowhere models/h200.json ;;
    esac
    export GPUSIM_DATA="$place"
    for command in explain whatif validate "import kineto -o imported.json"; do
        # shellcheck disable=SC2086 # words
        refused models/h200.json $command trace.json
    done
    refused models/h200.json explain trace.json --device a100-sxm4-80gb # whose kernels, on another GPU
    export GPUSIM_DATA="$source_dir"
    rm -rf models/h200.json
    mv whole models/h200.json
done

# --- planted links: the lock of a sweep, the folder of a figure, and outputs whose link another user made
seeds='--workload vec --sched serial --vary seed=1:3 --size 1e5'
echo precious >victim
for name in r.db-writer r.db-journal r.db-wal r.db-shm; do
    ln -s victim $name
    # shellcheck disable=SC2086
    "$gpusim" sweep $seeds --out r.db >out 2>err </dev/null
    [ "$(cat victim)" = precious ] || fail "$name: the victim says $(head -c 40 victim)"
    rm -f r.db*
done
if command -v gnuplot >/dev/null; then
    mkdir kept
    for name in speedup timeline lines; do ln -s ../victim kept/$name.gp && ln -s ../victim kept/$name.dat; done
    works --workload vec --size 1e5 --sched kesco --report run.json
    works plot timeline run.json -o timeline.svg --keep kept
    [ "$(cat victim)" = precious ] || fail "--keep: the victim says $(head -c 40 victim)"
    [ -f kept/timeline.gp ] && [ ! -L kept/timeline.gp ] || fail '--keep: no script'
fi
if [ "$(id -u)" = 0 ]; then
    for output in "--workload vec --sched serial --report theirs" "--workload vec --sched serial --csv theirs" "sweep $seeds --out theirs"; do
        : >empty
        ln -s empty theirs && chown -h 65534 theirs
        # shellcheck disable=SC2086
        refused 'it is a link that another user made' $output
        [ ! -s empty ] || fail "$output: another's link was followed"
        rm -f theirs empty
    done
fi

# --- one writer per file, whatever it is called
if command -v sqlite3 >/dev/null; then
    for kind in hard symbolic; do
        rm -f a.db* b.db*
        # shellcheck disable=SC2086
        works sweep $seeds --out a.db
        [ $kind = hard ] && ln a.db b.db || ln -s a.db b.db
        "$gpusim" sweep --workload vec --sched "$plugin" --opt misbehave.how=hang --vary seed=1 --out a.db --resume \
            >first 2>&1 </dev/null &
        writer=$!
        left=6000 # it is at work once it has a worker
        while kill -0 $writer 2>/dev/null && [ -z "$(cat "/proc/$writer/task/$writer/children" 2>/dev/null)" ] && [ $left -gt 0 ]; do
            sleep 0.05 && left=$((left - 1))
        done
        # shellcheck disable=SC2086
        refused "is being written by another gpusim (process $writer)" sweep $seeds --out b.db --resume
        kill -TERM $writer
        wait $writer
        # shellcheck disable=SC2086
        works sweep $seeds --out b.db --resume
        [ "$(sqlite3 b.db 'PRAGMA integrity_check')" = ok ] || fail "$kind: the file is damaged"
    done
fi

# --- texts in figures: nothing ends them, nothing in them runs; and a figure is the same for every user
if command -v gnuplot >/dev/null; then
    printf "'col,time,\"a''b\"\n1,2,3\n2,3,4\n" >quotes.csv
    for text in "'x" "'" "a''b" '"' '\' 'end\' '`touch ran`' '@x' '$y' "' . system('touch ran') . '" '" . system("touch ran") . "' '#'; do
        works plot lines quotes.csv --x "'col" --y "time" --title "$text" --xlabel "$text" --ylabel "$text" -o texts.svg
    done
    works plot lines quotes.csv --x time --y "a''b" -o texts.svg
    grep -q "a.*b" texts.svg || fail 'no name of a column'
    [ ! -e ran ] || fail 'a text was executed'
    works --task "vec,size=1e5,name=a''b" --task "img,size=100,name='" --share mps --memory pinned --report tasks.json
    works report tasks.json -o tasks.html
    mkdir home
    echo 'set logscale x; system("touch ran")' >home/.gnuplot
    works plot lines quotes.csv --x time --y "a''b" -o theirs.svg
    HOME=$place/home LC_ALL=C works plot lines quotes.csv --x time --y "a''b" -o ours.svg
    [ ! -s err ] || fail "gnuplot in the locale C: $(cat err)"
    [ ! -e ran ] || fail '~/.gnuplot was executed'
    cmp -s theirs.svg ours.svg || fail '~/.gnuplot changes a figure'
fi

# --- CSV: what a spreadsheet would compute has an apostrophe before it, which our own reading takes away; numbers have none
cat >formulas.json <<'END'
{"schema": "gpusim-program/1", "name": "formulas", "kernels": [{"name": "=1+1", "solo_us": 20}, {"name": "@SUM(A1)", "solo_us": 20},
  {"name": "-2", "solo_us": 20}, {"name": "+a,\"b\"", "solo_us": 20}],
 "ops": [{"op": "kernel", "kernel": "=1+1", "grid": [64], "block": [256]}, {"op": "kernel", "kernel": "@SUM(A1)", "grid": [64], "block": [256]},
  {"op": "kernel", "kernel": "-2", "grid": [64], "block": [256]}, {"op": "kernel", "kernel": "+a,\"b\"", "grid": [64], "block": [256]}]}
END
works --workload formulas.json --sched async --csv -
for field in ",'=1+1," ",'@SUM(A1)," ",-2," ",\"'+a,\"\"b\"\"\","; do grep -qF -- "$field" out || fail "CSV: no $field: $(cat out)"; done

# --- shared objects that are cut short, pipes, empty files: as a scheduler, a source, a way of sharing
size=$(wc -c <"$plugin")
for bytes in 0 10 63 64 1000 3000 $((size / 2)) $((size - 1)); do
    head -c $bytes "$plugin" >cut.so
    refused 'cut short' --workload img --sched ./cut.so
done
head -c 3000 "$plugin" >cut.so
refused 'cut short' --workload ./cut.so --sched async
refused 'cut short' --task img,size=100 --share ./cut.so
mkfifo pipe.so
refused 'expected a regular file' --workload img --sched ./pipe.so

# --- small ones: the file that is blamed, a full disk under --version, two outputs of which one is a link to the other
refused "cannot read 'nothere.json'" import plain.json --execution-trace nothere.json -o imported.json
"$gpusim" --version >/dev/full 2>err && fail '--version on a full disk: exit 0'
ln -s both.json second.json
refused 'expected two files' --workload vec --sched serial --report both.json --csv second.json

# --- an allocation that fails once, in whatever library: "out of memory" and exit 1 (127 and symbols
# that are not found are ld.so's), or what comes out else
fail_alloc=$(plugin fail_alloc) || exit 1
spoils() { # spoils TIMES COMMAND...: spread evenly over the command's allocations
    times=$1
    shift
    "$gpusim" "$@" >usual 2>err </dev/null || fail "exit $?: $*"
    # How many there are: by doubling, until nothing fails any more.
    most=1
    while ! LD_PRELOAD=$fail_alloc FAIL_NTH=$most "$gpusim" "$@" >out 2>err </dev/null || [ $most -lt 300 ]; do most=$((most * 2)); done
    for i in $(seq 1 "$times"); do
        n=$((most * i / times - i % 7))
        LD_PRELOAD=$fail_alloc FAIL_NTH=$n "$gpusim" "$@" >out 2>err </dev/null
        status=$?
        case $status in
        0) cmp -s out usual || fail "allocation $n: another output: $*" ;;
        1 | 127) grep -Eq 'out of memory|cannot load SimGrid' err || fail "allocation $n: $* ($(head -c 300 err))" ;;
        *) fail "allocation $n: exit $status: $* ($(head -c 300 err))" ;;
        esac
    done
}
if [ -e "$fail_alloc" ]; then
    # shellcheck disable=SC2086
    works sweep $seeds --out points.db
    spoils 60 --workload frontier --sched async
    spoils 40 --task vec,requests=2,size=1e5 --task img,requests=2,size=100 --share mps --memory pinned
    spoils 25 results points.db
    spoils 25 explain trace.json
    spoils 25 calibrate "$source_dir/traces/h200/probe.json" --base h200 -o fitted.json
fi

printf 'faults: %d failures\n' "$failures"
[ "$failures" = 0 ]
