/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. Which gpusim this is: the version that users see, and the number of the binary interface, which every
 * table of functions carries in front. What all public headers put around their declarations.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* For C++ as well; of the library's functions these alone are seen from outside. */
#ifdef __cplusplus
#define GSIM_DECLARATIONS_BEGIN extern "C" { _Pragma("GCC visibility push(default)")
#define GSIM_DECLARATIONS_END _Pragma("GCC visibility pop") }
#else
#define GSIM_DECLARATIONS_BEGIN _Pragma("GCC visibility push(default)")
#define GSIM_DECLARATIONS_END _Pragma("GCC visibility pop")
#endif

/* Counts up when a struct or function of the public headers changes in a way that compiled code notices. */
#define GSIM_ABI 3u
/* What a table of functions begins with: struct gsim_KIND_ops. */
#define GSIM_HEAD(kind) .abi = GSIM_ABI, .size = sizeof(struct gsim_##kind##_ops)

GSIM_DECLARATIONS_BEGIN

/* "0.1.0": of the library that is linked, which may be another than the headers'. */
const char *gpusim_version(void);
uint32_t gpusim_abi(void);

GSIM_DECLARATIONS_END
