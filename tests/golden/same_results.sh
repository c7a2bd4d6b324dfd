#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the results of two builds byte for byte: same_results.sh OLD NEW [WORK-FOLDER]. OLD and NEW are checkouts that
# were built (their wrapper ./gpusim is called). Runs every workload x scheduler x device as a JSON report, then validate,
# reproduce and a sweep. Prints a line per group and exits 1 when one differs.
set -u
[ $# -ge 2 ] || { echo "usage: same_results.sh OLD NEW [WORK-FOLDER]" >&2; exit 2; }
old=$(cd "$1" && pwd) new=$(cd "$2" && pwd)
work=${3:-$(mktemp -d)}
mkdir -p "$work/old" "$work/new"
work=$(cd "$work" && pwd)

reports() { # reports CHECKOUT FOLDER
    mkdir -p "$2/reports"
    for device in "$1"/models/*.json; do
        device=$(basename "$device" .json)
        for workload in m1 m2 vec bs img ml hits dl; do
            for sched in serial async grsched taskflow cudagraph kesco; do
                "$1/gpusim" --workload $workload --sched $sched --device "$device" --iterations 3 --report - \
                    >"$2/reports/$device-$workload-$sched.json" 2>"$2/reports/$device-$workload-$sched.err"
            done
        done
    done
}
one() { # one CHECKOUT FOLDER
    [ -e "$2/done" ] && return
    reports "$1" "$2"
    (cd "$1" && ./gpusim validate) >"$2/validate.txt" 2>/dev/null
    (cd "$1" && ./gpusim reproduce all) >"$2/reproduce.txt" 2>/dev/null
    rm -f "$2/sweep.db"
    (cd "$1" && ./gpusim sweep --workload img,m1,dl --sched all --vary device=v100,h200 --vary device.hw_queues=1,8 \
        --out "$2/sweep.db" && ./gpusim results "$2/sweep.db" --columns workload,sched,device,iteration_us,makespan_us --csv -) >"$2/sweep.txt" 2>/dev/null
    : >"$2/done"
}
one "$old" "$work/old"
one "$new" "$work/new"
differ=0
for part in reports validate.txt reproduce.txt sweep.txt; do
    if diff -rq "$work/old/$part" "$work/new/$part" >"$work/diff-$part"; then
        echo "$part: $(find "$work/old/$part" -name '*.json' -o -name "$part" -type f | wc -l) outputs, the same"
    else
        echo "$part: $(wc -l <"$work/diff-$part") differ (first: $(head -n 1 "$work/diff-$part"))"
        differ=1
    fi
done
exit $differ
