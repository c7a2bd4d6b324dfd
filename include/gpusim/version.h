/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: base. The version of gpusim, and the number of its binary interface, with which every table of functions
 * begins. Also the macros around the declarations of all public headers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* C linkage in C++; only these functions are visible outside the library. */
#ifdef __cplusplus
#define GSIM_DECLARATIONS_BEGIN extern "C" { _Pragma("GCC visibility push(default)")
#define GSIM_DECLARATIONS_END _Pragma("GCC visibility pop") }
#else
#define GSIM_DECLARATIONS_BEGIN _Pragma("GCC visibility push(default)")
#define GSIM_DECLARATIONS_END _Pragma("GCC visibility pop")
#endif

/* Counts up when a change of the public headers breaks compiled code. */
#define GSIM_ABI 6u
/* First members of a table of functions, struct gsim_KIND_ops. */
#define GSIM_HEAD(kind) .abi = GSIM_ABI, .size = sizeof(struct gsim_##kind##_ops)

GSIM_DECLARATIONS_BEGIN

/* Return the version ("0.1.0") / the interface of the linked library, which may differ from the headers'. */
const char *gpusim_version(void);
uint32_t gpusim_abi(void);

GSIM_DECLARATIONS_END
