#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Schedulers and placements on two GPUs that are a thread (../share/external/fake_cuda.c), which refuses what CUDA refuses: work for the
# stream of a GPU that is not current, an event recorded on another GPU than its own. Run as "test_without_gpu.sh SOURCE-DIR BUILD-DIR".
set -u
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
runner=$build/gpusim-runner-fake
[ -x "$runner" ] || { echo "skipped: no gpusim-runner-fake in $build, which needs CUDA's compiler"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GPUSIM_DATA="$source" FAKE_CUDA_GPUS=2
cd "$work" || exit 1
bad=0
fail() { echo "$*"; bad=1; }
on_two() { timeout 120 "$runner" --workload "${workload:-hits}" --size 1e4 --node h100-vm-x2 --device h100-vm --iterations 2 --check off --tracer off "$@" >out 2>err; }

"$build/gpusim" --workload hits --size 1e4 --sched async --memory pinned --node h100-vm-x2 --place round-robin --plan plan.csv >out || fail "no plan"
on_two --sched plan=plan.csv --report report.json || fail "plan: $(cat err)"
for way in 'grsched --place minmax-transfer-time' 'dm --place dmda' eager 'kesco --place heft' 'async --place round-robin' 'serial --place round-robin'; do
    # shellcheck disable=SC2086 # words
    on_two --sched $way || fail "$way: $(cat err)"
done
workload=bs on_two --sched grsched || fail "a stream for each of 50 kernels: $(cat err)"
# Refused with one line each.
refused() { on_two "$@" && fail "$*: not refused"; [ "$(wc -l <err)" = 1 ] || fail "$*: $(cat err)"; }
refused --sched cudagraph --place round-robin
refused --sched async --place round-robin --memory managed
refused --sched async --place round-robin --gpus 3

# What would be recorded: vec has 16 bytes an element and 4, so 20 kB are 1,249 elements, 24 MB 1,499,999, 1 GB 62,499,999: three digits of it. Every
# other case is to test with. An image of no pixel has no buffers.
record() { timeout 60 "$runner" record --shapes serial --sched serial --prefetch off --dry-run -o none.json "$@" >out 2>err; }
record --workload vec --bytes 20,20k,24M,1G || fail "record: $(cat err)"
tr -s ' ' <out | cut -d ' ' -f 1-7 >found
printf '%s\n' 'vec size 1 20 B serial fit,' 'vec size 1240 19.84 kB serial test,' \
    'vec size 1490000 23.84 MB serial fit,' 'vec size 62400000 998.4 MB serial test,' '4 runs' |
    cmp -s - found || fail "record: $(cat out)"
record --workload img --bytes 1 && fail "an image of a byte: $(cat out)"
grep -qx 'gpusim-runner: --bytes: img has no size of 1 bytes' err || fail "an image of a byte: $(cat err)"
for bytes in 1T 0 1e13 2X; do record --workload vec --bytes $bytes && fail "$bytes bytes: $(cat out)"; done
exit $bad
