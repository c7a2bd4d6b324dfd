/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: source. How a CUDA source is read (source/read/cuda.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct gsim_cuda_log;
struct gsim_cuda_told;
struct gsim_device_spec;

/* Of the toolkit and of its samples, instead of which there is the stub and helper.h. */
#define GSIM_CUDA_HEADERS(at)                                                                                          \
    at "cuda_runtime.h", at "cuda.h", at "cuda_runtime_api.h", at "device_functions.h",                                \
        at "device_launch_parameters.h", at "cuda_profiler_api.h", at "math_constants.h", at "vector_types.h",         \
        at "driver_types.h", at "cuda_fp16.h", at "cuda_bf16.h"
#define GSIM_CUDA_HELPERS(at)                                                                                          \
    at "helper_functions.h", at "helper_image.h", at "helper_timer.h", at "helper_string.h", at "helper_cuda.h"
/* What cuda_fp16.h declares beside the stub, whose names begin with "__": a program may have these for its own. */
#define GSIM_CUDA_HALF "typedef __half half;\ntypedef __half2 half2;\n"

struct gsim_cuda_word {
    enum { GSIM_CUDA_DEFINE, GSIM_CUDA_ARG, GSIM_CUDA_INCLUDE, GSIM_CUDA_ENTRY, GSIM_CUDA_FILE } kind;
    const char *text; /* "NAME=VALUE", of a macro or a variable; a folder; a function; another file of the program */
    bool is_used;     /* set: a variable took the value */
};

struct gsim_cuda_options {
    struct gsim_cuda_word *words;
    size_t count;
    const char *written[2]; /* files that will be written, which the source must not include. NULL allowed */
    /* What could not be told, with the line of the file that was read. NULL allowed. */
    void (*note)(const char *path, unsigned line, const char *text);
    struct gsim_cuda_log *log; /* filled; NULL: not wanted */
    struct gsim_cuda_told *told; /* by a run of the program. NULL: there was none */
    const struct gsim_device_spec *device; /* whose DRAM kernels wait for. NULL: models/laws/estimate.json's */
};
