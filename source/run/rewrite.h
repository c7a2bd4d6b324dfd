/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source (private to source/run). */
#pragma once

#include <stddef.h>

/* Preprocessed CUDA as C++: k<<<A>>>(B) becomes "k(B), gpusim_launch(A).go()", a kernel's body a closure, a call of the
 * API gets its place. What stands before "#pragma gpusim text" loses CUDA's words alone. For gsim_free(); NULL: memory
 * is out. */
char *gsim_run_rewrite(const char *text, size_t length, size_t *rewritten_length);
