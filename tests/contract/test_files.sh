#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing of the user's is lost: every output fails at every size without touching what was there, names reach no shell,
# results of others run nothing and are read where nothing can be written: test_files.sh SOURCE BUILD.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
fail() { printf 'FAILED: %s\n' "$*" && failures=$((failures + 1)); }

# --- inputs
cases=$source_dir/traces/h200/concurrency.json.gz
"$gpusim" --workload vec --size 1e5 --sched kesco --iterations 2 --report run.json --trace run.json.gz >out || fail 'no run'
"$gpusim" compare --workload vec --size 1e5 --sched serial,kesco --csv compare.csv >out || fail 'no comparison'
"$gpusim" sweep --workload vec --sched serial,kesco --vary size=1e5,2e5 --out sweep.db >out 2>err || fail "no sweep: $(cat err)"
mkdir temporary
export TMPDIR="$place/temporary"

# --- a file that may not grow beyond so many blocks of 512 bytes: whole, or as it was, and nothing beside it
# at_every_size FILE COMMAND... (which writes FILE)
# Some of them; all with GPUSIM_FULL.
sizes='0 1 4 16 64 128 256'
[ -z "${GPUSIM_FULL-}" ] || sizes='0 1 2 3 4 6 8 12 16 24 32 48 64 96 128 256'
at_every_size() {
    file=$1
    shift
    rm -f "$file"
    "$gpusim" "$@" >out 2>err </dev/null || { fail "$*: $(cat err)"; return; }
    mv "$file" whole
    ls >before
    for blocks in $sizes; do
        printf 'before\n' >"$file"
        (trap '' XFSZ && ulimit -f $blocks && exec "$gpusim" "$@") >/dev/null 2>err </dev/null
        status=$?
        if [ $status = 0 ]; then
            [ "$(wc -c <"$file")" = "$(wc -c <whole)" ] || fail "with $blocks blocks, $*: exit 0, but $(wc -c <"$file") bytes"
        else
            [ $status = 1 ] || fail "with $blocks blocks, $*: exit $status ($(cat err))"
            [ "$(cat "$file")" = before ] || fail "with $blocks blocks, $*: what was there is gone"
        fi
        rm -f "$file" sweep.db-* # SQLite's, of a log that has no room
        ls | cmp -s - before || fail "with $blocks blocks, $*: left: $(ls | grep -vxF -f before)"
        [ -z "$(ls temporary)" ] || fail "with $blocks blocks, $*: temporary files are left: $(ls temporary)"
        [ $status = 0 ] && break # and so with more
    done
    [ $status = 0 ] || fail "$*: never succeeds"
}
touch before whole err out # so that they are listed
at_every_size a.json --workload vec --size 1e5 --sched kesco --report a.json
at_every_size a.json --workload vec --size 1e5 --sched kesco --trace a.json
at_every_size a.json.gz --workload vec --size 1e5 --sched kesco --trace a.json.gz
at_every_size a.csv --workload vec --size 1e5 --sched kesco --csv a.csv
at_every_size a.csv compare --workload vec --size 1e5 --sched serial,kesco --csv a.csv
at_every_size a.json compare --workload vec --size 1e5 --sched serial,kesco --report a.json
at_every_size a.json import kineto run.json.gz -o a.json
at_every_size a.json.gz import kineto run.json.gz -o a.json.gz
at_every_size a.csv results sweep.db --csv a.csv
at_every_size a.json results sweep.db --json a.json
at_every_size a.json calibrate "$source_dir/traces/h200/probe.json" -o a.json
at_every_size a.csv validate "$cases" --kind pairs --half odd --csv a.csv
at_every_size a.csv sensitivity --workload vec --size 1e5 --sched serial --csv a.csv
at_every_size a.csv reproduce kesco --only vec --csv a.csv
if command -v gnuplot >/dev/null; then
    at_every_size a.svg plot speedup compare.csv -o a.svg
    at_every_size a.png plot timeline run.json -o a.png
fi

# --- names are neither commands nor options, in what draws, and in the script that is kept
if command -v gnuplot >/dev/null; then
    mkdir names
    cd names || exit 1
    for name in '|touch ran;.svg' '<touch ran;.svg' 'a`touch ran`.svg' '$(touch ran).svg' "a'; system('touch ran'); '.svg" \
        'a"; system("touch ran"); ".svg' '@ran.svg' '-e.svg' "$(printf 'a\nsystem("touch ran").svg')" 'a\.svg'; do
        "$gpusim" plot speedup ../compare.csv -o "$name" --keep "$name.kept" --title "$name" --ylabel "$name" 2>err ||
            fail "a picture '$name': $(cat err)"
        [ -s "./$name" ] || fail "no picture '$name'"
        (cd "./$name.kept" && gnuplot ./speedup.gp >out 2>&1) || fail "the kept script of '$name': $(cat "./$name.kept/out")"
    done
    "$gpusim" --workload "$source_dir/tests/fuzz/corpus/program/injection-names" --sched serial --report odd.json >out || fail 'no run'
    "$gpusim" plot timeline odd.json -o odd.svg --keep odd || fail 'no timeline of odd names'
    "$gpusim" report odd.json -o odd.html || fail 'no page of odd names'
    (cd odd && gnuplot ./timeline.gp) || fail 'the kept script of odd names'
    grep -q '<script>alert' odd.html && fail 'a name became a part of the page'
    cd .. || exit 1
    ran=$(find . "$TMPDIR" -name 'ran*' -o -name 'pwned*')
    [ -z "$ran" ] || fail "a name was run as a command: $ran"
fi

# --- a page needs no gnuplot
mkdir empty
ln -s "$(command -v sh)" empty/sh
PATH=$place/empty "$gpusim" report run.json -o page.html >out 2>err || fail "a page without gnuplot: $(cat err)"
grep -q '"figure", {"name": "timeline"' page.html || fail 'a page without gnuplot has no figure'

# --- results of others: a view that never ends, one in the place of the points, a column that is computed
if command -v sqlite3 >/dev/null; then
    endless='WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n AS id FROM x'
    for change in "ALTER TABLE points RENAME TO old; CREATE VIEW points AS $endless;" \
        "DROP TABLE sweeps; CREATE VIEW sweeps AS $endless;" \
        "ALTER TABLE points ADD COLUMN more AS (hex(zeroblob(500000000)));"; do
        cp sweep.db bad.db
        sqlite3 bad.db "$change" || fail "sqlite3: $change"
        for command in "results bad.db" "report bad.db -o bad.html" "plot speedup bad.db -o bad.svg" "results merge -o merged.db bad.db" \
            "sweep --workload vec --sched serial --vary size=1e5 --out bad.db --resume"; do
            # shellcheck disable=SC2086 # a list of words
            (ulimit -t 10 && exec "$gpusim" $command) >out 2>err
            status=$?
            [ $status = 2 ] || fail "$command: exit $status after: $change ($(cat err))"
            [ "$(wc -l <err)" = 1 ] || fail "$command: more than a line: $(cat err)"
        done
    done
    rm -f bad.db*
    # A trigger does nothing: what it would delete is there after a sweep that went on.
    cp sweep.db bad.db
    sqlite3 bad.db 'CREATE TRIGGER evil AFTER INSERT ON points BEGIN DELETE FROM points; END;'
    "$gpusim" sweep --workload vec --sched serial,kesco --vary size=1e5,2e5,3e5 --out bad.db --resume >out 2>err || fail "a trigger: $(cat err)"
    [ "$(sqlite3 bad.db 'SELECT count(*) FROM points')" = 6 ] || fail "a trigger ran: $(sqlite3 bad.db 'SELECT count(*) FROM points') points"
fi
(ulimit -t 10 && exec "$gpusim" import nsys "$source_dir/tests/traces/import/cases/nsys_endless_view.sqlite" -o never.json) >out 2>err
[ $? = 2 ] || fail "an endless view in a trace: $(cat err)"

# --- results in a folder that cannot be written
mkdir closed
cp sweep.db "closed/a?b#c%41 d.db"
chmod 444 closed/*
chmod 555 closed
as_nobody() { "$@"; }
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
fi
unset TMPDIR
chmod 755 "$place"
"$gpusim" results sweep.db >expected 2>&1
cd closed || exit 1
as_nobody "$gpusim" results 'a?b#c%41 d.db' >../out 2>../err || fail "results that cannot be written: $(cat ../err)"
cmp -s ../out ../expected || fail 'results that cannot be written are others'
as_nobody "$gpusim" report 'a?b#c%41 d.db' -o - >../out 2>../err
grep -q '</html>' ../out || fail "a page from results that cannot be written: $(cat ../err)"
cd .. || exit 1
[ "$(ls closed | wc -l)" = 1 ] || fail "left in a folder that cannot be written: $(ls closed)"

printf 'files: %d failures\n' "$failures"
[ "$failures" = 0 ]
