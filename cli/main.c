/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program gpusim. Everything is in the library, so that tests and other programs can use it. */
#include <gsl/gsl_errno.h>

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/database.h"
#include "sim/base/ends.h"
#include "sim/base/json.h"

/* What prints and is done: a reader that has seen enough of it (| head) is no news. */
static int is_short(const char *command)
{
    return strcmp(command, "list") == 0 || strcmp(command, "results") == 0 || strcmp(command, "help") == 0 ||
           strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0;
}

int main(int argc, char **argv)
{
    gsim_ends_install(argc > 1 && is_short(argv[1]));
    gsl_set_error_handler(gsim_ends_take_gsl); /* here: gpusim-runner has none of it */
    gsim_database_install();
    gsim_json_install();
    int status = gsim_cli_main(argc, argv);
#if !defined(__SANITIZE_ADDRESS__)
    /* Nothing is left to do, and the destructors of SimGrid's 30 libraries take longer than a small run. */
    fflush(NULL);
    _Exit(status);
#endif
    return status;
}
