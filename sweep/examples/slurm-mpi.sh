#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#SBATCH --job-name=gpusim
#SBATCH --ntasks=64 --time=02:00:00
#
# A sweep as one MPI job: rank 0 hands out the points and writes results.db. Where srun does not speak the MPI that gpusim
# was built with (srun --mpi=list), mpirun does the same.
#
#   sbatch slurm-mpi.sh spec.json
spec=${1:?usage: sbatch slurm-mpi.sh SPEC.json}
exec srun --mpi="${GPUSIM_SRUN_MPI:-pmix}" "${GPUSIM:-gpusim}" sweep "$spec" --out results.db --resume --timeout 600
