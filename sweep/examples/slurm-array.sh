#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#SBATCH --job-name=gpusim
#SBATCH --array=1-16
#SBATCH --ntasks=1 --cpus-per-task=8 --time=02:00:00
#SBATCH --requeue
#
# A sweep as 16 independent jobs, without MPI: each computes every 16th point into a file of its own. A task that is
# requeued or submitted again goes on where it was. When all are done:
#   gpusim results merge -o results.db part-*.db
#
#   sbatch slurm-array.sh spec.json
spec=${1:?usage: sbatch slurm-array.sh SPEC.json}
task=${SLURM_ARRAY_TASK_ID:?to be started by sbatch}
exec "${GPUSIM:-gpusim}" sweep "$spec" --shard "$task/${SLURM_ARRAY_TASK_COUNT:?}" --out "part-$task.db" --resume \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" --timeout 600
