/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One function per kind of input: it reads SIZE bytes as gpusim would read them and leaves nothing behind. A crash, a
 * sanitizer's report and memory that is not freed are faults. With libFuzzer: tests/fuzz/entry.c and run.sh; without:
 * tests/fuzz/test_corpus.c reads the corpus in every build.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define X(name) void gsim_fuzz_##name(const uint8_t *data, size_t size);
#include "tests/fuzz/targets.def"
#undef X

/* Writes DATA to a file of this process, whose name ends in ENDING, and returns its path. The next call with the same
 * ENDING overwrites it; gsim_fuzz_end() removes it. */
const char *gsim_fuzz_file(const uint8_t *data, size_t size, const char *ending);
void gsim_fuzz_end(void);
