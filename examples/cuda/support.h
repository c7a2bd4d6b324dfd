// SPDX-License-Identifier: GPL-3.0-or-later
// What the programs of this folder share: arrays of made values, the clock, results written as bytes. Memory is
// managed, as in the papers; with -DDEVICE_MEMORY it is on the device, filled by copies from pinned memory. ROUNDS: how
// often the timed part runs.
#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifndef ROUNDS
#define ROUNDS 1
#endif

// COUNT values from 1/SEED-like sequences below SCALE; SEED 0: zeros.
template <class T> void fill(T *to, size_t count, unsigned seed, double scale)
{
    unsigned state = seed;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u * (seed != 0);
        to[i] = (T)((state >> 8) * scale / 16777216.0);
    }
}

template <class T> T *array(size_t count, unsigned seed, double scale)
{
    T *made;
#ifdef DEVICE_MEMORY
    T *staging;
    cudaMalloc(&made, count * sizeof(T));
    cudaMallocHost(&staging, count * sizeof(T));
    fill(staging, count, seed, scale);
    cudaMemcpy(made, staging, count * sizeof(T), cudaMemcpyHostToDevice);
    cudaFreeHost(staging);
#else
    cudaMallocManaged(&made, count * sizeof(T));
    fill(made, count, seed, scale);
#endif
    return made;
}

// An array that kernels write before they read it.
template <class T> T *space(size_t count)
{
    T *made;
#ifdef DEVICE_MEMORY
    cudaMalloc(&made, count * sizeof(T));
#else
    cudaMallocManaged(&made, count * sizeof(T));
#endif
    return made;
}

static double round_us[ROUNDS], round_begin_us;
static int round_count, round_errors;

static double now_us()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

static void begin_round()
{
    cudaDeviceSynchronize();
    round_begin_us = now_us();
}

static void end_round()
{
    cudaDeviceSynchronize();
    round_us[round_count++] = now_us() - round_begin_us;
    if (cudaGetLastError() != cudaSuccess) round_errors++;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The bytes of COUNT values that are on the host, appended to FILE where there is one, and their sum.
static void put_bytes(const char *file, const char *name, const void *values, size_t bytes)
{
    unsigned long long hash = 14695981039346656037ull;
    FILE *out = file ? fopen(file, "ab") : NULL;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const unsigned char *)values)[i]) * 1099511628211ull;
    if (out) {
        fwrite(values, 1, bytes, out);
        fclose(out);
    }
    printf("%s %zu bytes %016llx\n", name, bytes, hash);
}

template <class T> void put(const char *file, const char *name, const T *values, size_t count)
{
#ifdef DEVICE_MEMORY
    T *copy = (T *)malloc(count * sizeof(T));
    cudaMemcpy(copy, values, count * sizeof(T), cudaMemcpyDeviceToHost);
    put_bytes(file, name, copy, count * sizeof(T));
    free(copy);
#else
    put_bytes(file, name, values, count * sizeof(T));
#endif
}

static int finish()
{
    cudaError_t error = cudaDeviceSynchronize();
    qsort(round_us, round_count, sizeof(double), by_time);
    printf("median_us %.3f of %d rounds, least %.3f, most %.3f\n", round_us[round_count / 2], round_count, round_us[0],
           round_us[round_count - 1]);
    if (error != cudaSuccess || round_errors) printf("error %d, %d rounds with errors\n", (int)error, round_errors);
    return error != cudaSuccess || round_errors;
}
