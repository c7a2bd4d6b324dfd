/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: traces. The nodes and edges of a CUDA graph as cudaGraphDebugDotPrint writes them with
 * cudaGraphDebugDotFlagsVerbose (PyTorch: CUDAGraph.debug_dump), and a traced program with these edges in place of the
 * order in streams. Nodes and kernels are matched by launch shape and function, in the order of capture and of launch.
 */
#pragma once

#include "gpusim/program.h"

/* RESULT: the kernels and copies of PROGRAM, each behind those that the graph at PATH names; nothing of the host.
 * GSIM_INPUT: the file is none, or its kernels are not the program's. The caller releases RESULT. */
enum gsim_status gsim_graph_dot_apply(const char *path, const struct gsim_program *program, struct gsim_program *result,
                                      struct gsim_error *error) GSIM_NODISCARD;
