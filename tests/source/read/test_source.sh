#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# CUDA sources into programs: what is launched, read and written, by hand from the sources in cuda/; what is refused.
# Usage: test_source.sh SOURCE-DIR BUILD-DIR
set -u
gpusim=$2/gpusim
sources=$1/tests/source/read/cuda
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

fail() { printf 'test_source: %s\n' "$*" >&2; failed=1; }

# import_ok FILE OPTION...: into $scratch/program and $scratch/notes.
import_ok() {
    "$gpusim" import cuda "$@" -o "$scratch/program" 2>"$scratch/notes" || { fail "$1: refused"; cat "$scratch/notes" >&2; }
}
has() { grep -qF -- "$2" "$scratch/$1" || { fail "expected '$2' in:"; cat "$scratch/$1" >&2; }; }
is_last() { [ "$(tail -n 1 "$scratch/notes")" = "$1" ] || { fail "expected the last line '$1'"; cat "$scratch/notes" >&2; }; }
# count N TEXT: of lines in the program.
count() { [ "$(grep -cF -- "$2" "$scratch/program")" = "$1" ] || { fail "expected $1 of '$2'"; cat "$scratch/program" >&2; }; }
# refused STATUS TEXT FILE: one line on stderr.
refused() {
    "$gpusim" import cuda "$3" -o "$scratch/program" >/dev/null 2>"$scratch/notes"
    status=$?
    [ $status = "$1" ] || fail "$3: status $status, expected $1"
    [ "$(wc -l <"$scratch/notes")" = 1 ] || fail "$3: expected one line"
    has notes "$2"
}

"$gpusim" import cuda "$sources/img.cu" -o "$scratch/program" 2>&1 | grep -q 'built without libclang' && exit 0

# The host's operators, one launch each.
import_ok "$sources/operators.cu"
[ "$(grep -o '"grid": *\[[0-9]*' "$scratch/program" | sed 's/.*\[//' | tr '\n' ' ')" = \
    '15 6 4 32 8 10 11 26 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 29 13 33 16 3 6 40 11 34 36 35 37 38 39 41 114 ' ] || fail "operators: $(cat "$scratch/program")"

# Launches behind what is not known, each in an expression or a switch: the first way that calls CUDA is in the program.
cat >"$scratch/perhaps.cu" <<'EOF'
#include <cuda_runtime.h>
__global__ void fill(float *a) { a[threadIdx.x] = 1.0f; }
__global__ void fix(float *a) { a[threadIdx.x] += 1.0f; }
__global__ void fox(float *a) { a[threadIdx.x] += 2.0f; }
int main(void)
{
    float *a, err = 0.0f;
    int found = 0;
    cudaMalloc(&a, 1024);
    fill<<<1, 256>>>(a);
    cudaMemcpy(&err, a, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&found, a, 4, cudaMemcpyDeviceToHost);
    err > 0.5f ? fix<<<1, 256>>>(a) : (void)0;
    err > 0.5f ? (void)0 : fox<<<1, 256>>>(a);
    found && (fix<<<1, 256>>>(a), true);
    found || (fox<<<1, 256>>>(a), true);
    switch (found) {
    case 0: break;
    case 1: case 2: fix<<<1, 256>>>(a); break;
    default: fox<<<1, 256>>>(a);
    }
    cudaFree(a);
}
EOF
import_ok "$scratch/perhaps.cu"
count 3 '"kernel": "fix"'
count 2 '"kernel": "fox"'
has notes 'perhaps.cu:13: whether the condition holds is not known: taken as true'
has notes 'perhaps.cu:14: whether the condition holds is not known: taken as false'
has notes 'perhaps.cu:15: whether the condition holds is not known: taken as true (--arg found=VALUE)'
has notes 'perhaps.cu:16: whether the condition holds is not known: taken as false (--arg found=VALUE)'
has notes 'perhaps.cu:17: which case of the switch is taken is not known: the first that calls CUDA is read'
has notes '1 launches in functions or branches that are not executed: left out'
# Of seven in the text all but the first are behind a guess, and "default" is not executed.
has notes '5 launches in branches, cases or loops that may not be executed: read as if they were'
has notes 'guessed: 5 launches'
is_last 'launches: 7 of 7 read'

import_ok "$sources/img.cu"
is_last 'launches: 11 of 11 read'
count 11 '"op": "kernel"'
has program '"kernel": "blur", "grid": [8, 8, 1], "block": [8, 8, 1], "reads": ["all", "masks"], "writes": ["blurred"]'
# Through a local pointer, an atomic in a device function, and in place.
has program '"kernel": "edges", "grid": [8, 8, 1], "block": [8, 8, 1], "reads": ["blurred"], "writes": ["all.2"]'
has program '"kernel": "largest", "grid": [1, 1, 1], "block": [32, 1, 1], "reads": ["all.3", "high"], "writes": ["high"]'
has program '"kernel": "stretch", "grid": [64, 1, 1], "block": [64, 1, 1], "reads": ["all.3", "low", "high"], "writes": ["all.3"]'
# 9 products and 9 sums for each of 64 x 64 threads; an image read, one written, 9 numbers of the mask.
has program '"name": "blur", "smem_bytes": 36, "flops": 73728, "dram_bytes": 32804'
has program '{"name": "all", "bytes": 16384, "init": "host"}'
import_ok "$sources/img.cu" --arg n=128
has program '{"name": "all", "bytes": 65536, "init": "host"}'
has program '"kernel": "blur", "grid": [16, 16, 1]'
"$gpusim" --workload "$scratch/program" --sched kesco >"$scratch/run" 2>&1 || { fail "cannot run it"; cat "$scratch/run" >&2; }

import_ok "$sources/hits.cu"
is_last 'launches: 3 of 3 read'
count 3 '"kernel": "spread"'
has program '{"op": "copy", "kind": "h2d", "buffer": "both", "bytes": 16384, "memory": "pageable", "stream": 1}'
# The second half of an array, then the pointers swapped; the event of stream 1 holds stream 2.
has program '"reads": ["rows", {"buffer": "both", "offset": 16384, "bytes": 16384}], "writes": ["other"], "stream": 1, "after": [0]'
has program '"reads": ["other", "norm"], "writes": ["other"], "stream": 2, "after": [2, 1]'
has program '"reads": ["rows", "other"], "writes": [{"buffer": "both", "offset": 16384, "bytes": 16384}], "stream": 1'
import_ok "$sources/hits.cu" -DSTEPS=4
count 5 '"kernel": "spread"'

# A stream that does not block neither waits for the default stream nor is waited for; one with a priority does, and passes it on.
cat >"$scratch/apart.cu" <<'EOF'
#include <cuda_runtime.h>
__global__ void one(float *a) { a[threadIdx.x] = 1.0f; }
int main()
{
    float *a, *b, *c;
    cudaStream_t apart, urgent;
    int least, greatest;
    cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); cudaMalloc(&c, 4096);
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, greatest);
    one<<<1, 256>>>(a);
    one<<<2, 256, 0, apart>>>(b);
    one<<<3, 256, 0, urgent>>>(c);
    one<<<4, 256>>>(a);
    cudaDeviceSynchronize();
    float *byte, host[48];
    cudaMalloc(&byte, 1);
    cudaMemcpy2DAsync(b, 256, host, 64, 64, 3, cudaMemcpyHostToDevice, urgent);
    cudaMemPrefetchAsync(byte, 1, 0, urgent);
    cudaMemPrefetchAsync(b, 9000, 0, apart);
}
EOF
import_ok "$scratch/apart.cu"
has program '"sm_cycles": 16, "stream": 1}'
has program '"sm_cycles": 24, "stream": 2, "priority": -5, "after": [0]}'
has program '"sm_cycles": 32, "stream": 0, "after": [2, 0]}'
# Three rows of 64 bytes; no more than a buffer has.
has program '"kind": "h2d", "buffer": "b", "bytes": 192, "memory": "pageable", "stream": 2'
has program '{"op": "prefetch", "buffer": "byte", "bytes": 1, "stream": 2'
has program '{"op": "prefetch", "buffer": "b", "bytes": 4096, "stream": 1'

import_ok "$sources/join.cu"
is_last 'launches: 2 of 2 read'
count 13 '"op": "kernel"'
has program '"after": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]'

import_ok "$sources/product.cu"
is_last 'launches: 2 of 2 read'
# 64 products and 64 sums for each of 64 x 64 results; two matrices read, the result read and written.
# 64 rounds of four accesses (sum read and written, two operands), by 4,096 threads, 32 at once.
# Each round waits for a line of "right" of its own, as the store to "out" may change it: of its 1 MiB of reads 16 KiB are the first, so
# 64 (270 + (580 - 270) / 64) cycles.
has program '"name": "product", "flops": 524288, "dram_bytes": 65536, "thread_cycles": 17590, "sm_cycles": 32768'
count 3 '"kernel": "product", "grid": [2, 8, 1], "block": [32, 8, 1], "reads": ["matrix", "matrix.2", "matrix.3"], "writes": ["matrix.3"]'
count 10 '"kernel": "price"'
has program '"reads": ["x.10"], "writes": ["y.10"], "stream": 10'
count 10 '{"op": "host_read", "buffer": "y'
"$gpusim" --workload "$scratch/program" --sched async >"$scratch/run" 2>&1 || { fail "cannot run it"; cat "$scratch/run" >&2; }

import_ok "$sources/vec.cu" -DBLOCKS=4 --arg n=1024
has notes 'guessed: 1 launches'
is_last 'launches: 3 of 3 read'
has program '"kernel": "square", "grid": [4, 1, 1], "block": [256, 1, 1], "reads": ["x"], "writes": ["x1"]'
# 1025 elements by 256, through macros.
import_ok "$sources/vec.cu" -DBLOCKS=4 --arg n=1025
has program '"kernel": "reduce", "grid": [5, 1, 1], "block": [256, 1, 1], "reads": ["x1", "y1", "z"], "writes": ["z"]'
has notes "vec.cu:16: there is no main: 'run' is executed"
has notes 'vec.cu:26: how often the loop is executed is not known: 1 assumed'
import_ok "$sources/vec.cu" -DBLOCKS=4
has notes 'vec.cu:19: the size of '
refused 2 "vec.cu:24:14: use of undeclared identifier 'BLOCKS'" "$sources/vec.cu"

printf '#include "nothing.h"\nint main() { return 0; }\n' >"$scratch/header.cu"
refused 2 "header.cu:1:10: 'nothing.h' file not found" "$scratch/header.cu"
printf '#include "again.cu"\nint main() { return 0; }\n' >"$scratch/again.cu"
refused 2 "again.cu:1:10: #include nested too deeply" "$scratch/again.cu"
printf 'int main() {\n  return 0\n}\n' >"$scratch/syntax.cu"
refused 2 "syntax.cu:2:11: expected ';' after return statement" "$scratch/syntax.cu"
printf 'int main() { for (;;) {} }\n' >"$scratch/empty.cu"
refused 2 'empty.cu: expected launches or copies' "$scratch/empty.cu"
printf '__global__ void k(int *x) { x[0] = nowhere; }\nint main() { int *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); }\n' >"$scratch/kernel.cu"
import_ok "$scratch/kernel.cu"
is_last 'launches: 1 of 1 read'
has notes 'kernel.cu:1: 1 errors within kernels'
printf '__global__ void k(int *x) { x[0] = 1; }\nint main() { int *x; cudaMalloc(&x, 4); cudaNew(x); k<<<1, 1>>>(x); }\n' >"$scratch/new.cu"
import_ok "$scratch/new.cu"
has notes "new.cu:2: use of undeclared identifier 'cudaNew'"
printf 'struct S { int *p; };\n__global__ void k(S s) { s.p[0] = 1; }\nint main() { int *x; cudaMalloc(&x, 4); k<<<1, 1>>>(S{x}); }\n' >"$scratch/struct.cu"
import_ok "$scratch/struct.cu"
has notes 'struct.cu:3: argument 1 is not known: it may read and write any buffer'
has program '"unknown": true'
# Arrays in device memory, KeSCo's annotation where there is no body, a launch through a variable, try, a template's allocation.
cat >"$scratch/more.cu" <<'EOF'
__device__ int table[64];
__device__ void put(int i) { table[i] = 1; }
__global__ void fills(int n) { put(threadIdx.x); }
__global__ void reads(int *y) { y[threadIdx.x] = table[threadIdx.x]; }
__global__ void kesco(int outputs, float *out, const float *in, int priority);
template <class T> T *make(size_t n) { T *made; cudaMalloc(&made, n * sizeof(T)); return made; }
int main() {
  int *y = make<int>(64);
  double *x = make<double>(16);
  fills<<<1, 64>>>(3);
  try { reads<<<1, 64>>>(y); } catch (...) {}
  kesco<<<1, 1>>>(1, (float *)x, (float *)y, 2);
  void (*any)(int *) = reads;
  any<<<1, 1>>>(y);
}
EOF
import_ok "$scratch/more.cu"
is_last 'launches: 4 of 4 read'
has program '{"name": "made.2", "bytes": 128,'
has program '"kernel": "fills", "grid": [1, 1, 1], "block": [64, 1, 1], "reads": ["table"], "writes": ["table"]'
has program '"kernel": "reads", "grid": [1, 1, 1], "block": [64, 1, 1], "reads": ["table"], "writes": ["made", "table"]'
has program '"kernel": "kesco", "grid": [1, 1, 1], "block": [1, 1, 1], "reads": ["made.2", "made"], "writes": ["made.2"]'
has notes "more.cu:12: priority 2 is of the whole program"
has notes 'more.cu:14: it is launched through a variable: it may read and write any buffer'
"$gpusim" import cuda "$sources/img.cu" --arg n=many -o "$scratch/program" 2>"$scratch/notes"
has notes "--arg: expected NAME=NUMBER, found 'n=many'"
exit $failed
