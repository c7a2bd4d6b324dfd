/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program gpusim. Everything is in the library, so that tests and other programs can use it. */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int status = gsim_cli_main(argc, argv);
#if !defined(__SANITIZE_ADDRESS__)
    /* Nothing is left to do, and the destructors of SimGrid's 30 libraries take longer than a small run. */
    fflush(NULL);
    _Exit(status);
#endif
    return status;
}
