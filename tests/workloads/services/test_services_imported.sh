#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_services_imported.sh SOURCE-DIR BUILD-DIR [--write]: the traced services (workloads/services) are what "gpusim import" makes of the
# recordings: of each the second pass, without the profiler's share. --write makes them anew. And they run by name.
set -u
source_dir=$(cd "$1" && pwd) gpusim=$(cd "$2" && pwd)/gpusim write=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { printf '%s\n' "$*" && failures=$((failures + 1)); }
GPUSIM_DATA=$source_dir
export GPUSIM_DATA

while read -r name folder device range; do
    kept=$source_dir/workloads/services/$name.json.gz
    "$gpusim" import kineto "$source_dir/traces/$folder/kineto/kineto_$name.json.gz" --device "$device" --range "$range" --name "$name" \
        --profiler-overhead remove -o "$work/new.json.gz" 2>"$work/err" || fail "$name: $(cat "$work/err")"
    if [ "$write" = --write ]; then
        cp "$work/new.json.gz" "$kept"
        continue
    fi
    # What import assumed (guesses) stands in a program since; the kept ones are of before.
    gzip -dc "$work/new.json.gz" | sed '/^ "guesses": /d; s/^\( "iterations": [0-9]*\)[,}]$/\1/' >"$work/new"
    gzip -dc "$kept" | sed 's/^\( "iterations": [0-9]*\)}$/\1/' >"$work/kept"
    cmp -s "$work/new" "$work/kept" || fail "$name: import gives another program: $0 SOURCE BUILD --write"
done <<'END'
alexnet h100 h100-vm 37:73
squeezenet h100 h100-vm 100:199
resnet50 h100 h100-vm 232:463
resnet101 h100 h100-vm 453:905
fcn50 h100 h100-vm 244:487
resnet18 h200 h200 109:217
vgg16 h200 h200 93:185
deeplab50 h200 h200 275:549
END
cd "$work" || exit 1
"$gpusim" --task resnet50,requests=2 --task bert-infer,requests=0,priority=5 --share timeslice --device h100-vm >out 2>err || fail "by name: $(cat err)"
grep -q '^  resnet50 .* 2 ' out && grep -q '^  bert-infer ' out || fail "by name: $(cat out)"
"$gpusim" --workload alexnet --sched kesco --device h100-vm >out 2>err || fail "as a workload: $(cat err)"
"$gpusim" list workloads alexnet | grep -q 'traced on an H100' || fail 'list names no alexnet'
"$gpusim" list workloads | grep -q '^  bert-train ' || fail 'list names no bert-train'
"$gpusim" --task resnet51 >out 2>err && fail 'resnet51 was taken'
grep -q "did you mean 'resnet50'" err || fail "a slip: $(cat err)"
"$gpusim" --task alexnet,size=3 >out 2>err && fail 'a size was taken'
grep -q 'applies to built-in workloads, not to a service' err || fail "a size: $(cat err)"
"$gpusim" sweep --vary workload=alexnet,vgg16 --sched async --device h100-vm --out sweep.db >out 2>err || fail "sweep: $(cat err)"
[ $failures = 0 ]
