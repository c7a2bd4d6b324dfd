/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program gpusim. Everything is in the library, so that tests and other programs can use it. */
#include "sim/cli.h"

int main(int argc, char **argv)
{
    return gsim_cli_main(argc, argv);
}
