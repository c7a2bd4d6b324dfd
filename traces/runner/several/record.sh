#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Records what N GPUs of one host do at once, in one call of less than ten minutes: copies, NCCL's collectives alone and beside a kernel,
# DAGs under placements by gpusim-runner, training steps by PyTorch. What is not there is left out, and a note says so.
# usage: record.sh OUT DAGS [GPUS]
#   OUT    folder for recording.json.gz and the traces of the steps; DAGS: folder that "several.py predict DAGS GPUS" has filled here
#   GPUS   how many (default: all). RUNNER, SEVERAL: the programs, if they are built already
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1 dags=$2
mkdir -p "$out/parts"
parts=$out/parts
gpus=${3:-$(nvidia-smi -L | wc -l)}
export GPUS="$gpus"
note() { printf '{"note": "%s"}\n' "$1" >>"$parts/notes.jsonl"; echo "$1" >&2; }
# within SECONDS COMMAND...: a part that hangs or fails costs no other one
within() { timeout -k 5 "$@" || note "failed or too slow: $*"; }

nvidia-smi topo -m >"$out/topology.txt" 2>&1
several=${SEVERAL:-}
[ -n "$several" ] || { several=$out/several; within 60 nvcc -O2 -arch=sm_90 -o "$several" "$here/several.cu" -lpthread -ldl; }
if [ -z "${NCCL_LIBRARY:-}" ]; then
    NCCL_LIBRARY=$(python3 -c 'import glob, nvidia; print((glob.glob(list(nvidia.__path__)[0] + "/nccl/lib/libnccl.so.2") + [""])[0])' 2>/dev/null)
    export NCCL_LIBRARY
fi

within 60 "$several" peer >"$parts/peer.jsonl"
within 60 "$several" host >"$parts/host.jsonl"
within 60 "$several" alone >"$parts/alone0.jsonl"
for channels in 1 4 16; do
    NCCL_MAX_CTAS=$channels within 60 "$several" alone >"$parts/alone$channels.jsonl"
done
within 60 "$several" beside >"$parts/beside.jsonl"

runner=${RUNNER:-$(command -v gpusim-runner)}
[ -n "$runner" ] || note "no gpusim-runner: no DAGs"
node="--node h100-vm-x$gpus"
case $gpus in 2 | 4 | 8) ;; *) node="--node h100-vm-x8 --gpus $gpus" ;; esac
end=$(($(date +%s) + 200))
for plan in "$dags"/*."$gpus".csv; do
    [ -n "$runner" ] && [ "$(date +%s)" -lt "$end" ] || continue
    name=$(basename "$plan" .csv)
    # shellcheck disable=SC2086 # words
    within 30 "$runner" --workload "$dags/${name%%.*}.json" --sched "plan=$plan" $node --device h100-vm --iterations 20 --tracer off \
        --report "$parts/$name.report.json" >>"$parts/runner.txt" 2>&1
done

if python3 -c 'import torch' 2>/dev/null; then
    within 150 python3 "$here/steps.py" "$parts" "$gpus" >"$parts/steps.txt" 2>&1
    mv "$parts"/kineto_* "$out" 2>/dev/null
else
    note "no PyTorch: no steps"
fi
python3 "$here/several.py" collect "$parts" -o "$out/recording.json.gz"
