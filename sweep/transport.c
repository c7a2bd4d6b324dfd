/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a launcher (mpirun, srun) has started several of us. MPI is in a program of its own, gpusim-mpi, which takes
 * this one's place then: loading it would slow every other start, and SimGrid's library has functions of the same
 * names, so MPI's must come first in the order of linking.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "sweep/remote.h"

#define PROGRAM "gpusim-mpi"

/* What launchers leave in the environment: Open MPI; MPICH and Intel MPI (Hydra); Slurm's srun. */
static bool is_launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const char *size = getenv(sizes[i]);
        if (size && strtol(size, NULL, 10) > 1) return true;
    }
    return false;
}

const struct gsim_transport *gsim_transport_find(char **argv, struct gsim_error *error)
{
    char path[PATH_MAX + sizeof(PROGRAM) + 1];
    if (!is_launched()) return NULL;
    void *program = dlopen(NULL, RTLD_NOW);
    const struct gsim_transport *transport = program ? dlsym(program, "gsim_transport_linked") : NULL;
    if (transport) return transport;
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash && strcmp(slash + 1, PROGRAM) != 0) {
        snprintf(slash + 1, sizeof(PROGRAM), "%s", PROGRAM);
        execv(path, argv);
    }
    gsim_error_set(error, GSIM_USAGE,
                   "started as one of several processes, but this gpusim was built without MPI (%s: %s): "
                   "build it where MPI is, or use --shard I/N",
                   path, strerror(errno));
    return NULL;
}
