/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sim/base. Functions whose use breaks determinism or memory safety, and what stands for a cast of a double
 * (whole.h); the build includes this header before every source file of ours.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/base/whole.h"

#pragma GCC poison rand srand random srandom drand48 strcpy strcat sprintf vsprintf gets strtok
