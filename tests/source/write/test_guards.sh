#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What may not be lost when a source is read and written anew: ten lines each, what must come worked out by hand.
# Usage: test_guards.sh SOURCE-DIR BUILD-DIR
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
"$gpusim" import cuda "$source_dir/examples/cuda/vec.cu" -o a.json 2>&1 | grep -q 'built without libclang' && exit 0

source_of() { # source_of NAME: NAME.cu of kernels, and main's body from standard input
    { printf '#include <cuda_runtime.h>\n#include <stdio.h>\n'
      printf '__global__ void fill(float *x, int i) { x[threadIdx.x] = i; }\n'
      printf '__global__ void add(const float *x, float *y) { y[threadIdx.x] += x[threadIdx.x]; }\n'
      printf '__global__ void sum(const float *x, float *y)\n{\n    float s = 0;\n'
      printf '    for (int i = 0; i <= 7; i++) s += 2 * x[i];\n    *y = s;\n}\n'
      printf 'int rounds();\nint main(void)\n{\n    float *x, *y, *z, *h;\n    cudaMallocHost(&h, 4096);\n'
      printf '    cudaMalloc(&x, 4096);\n    cudaMalloc(&y, 4096);\n    cudaMalloc(&z, 4096);\n'
      cat
      printf '    return 0;\n}\n'; } >"$1.cu"
}
written() { "$gpusim" schedule "$@" --always -o out.cu >notes 2>&1 || fail "$*: $(tail -n 1 notes)"; }
read_in() { "$gpusim" import cuda "$@" -o p.json >notes 2>&1 || fail "$*: $(tail -n 1 notes)"; }
has() { grep -qF -- "$2" "$1" || { fail "expected '$2' in:"; cat "$1"; }; }
lacks() { grep -qF -- "$2" "$1" && { fail "expected no '$2' in:"; cat "$1"; }; }

# An event behind the statement that holds who waits for it would be recorded too late.
source_of guard <<'EOF'
    if (cudaMemcpy(x, h, 4096, cudaMemcpyHostToDevice) == cudaSuccess) {
        fill<<<1, 32>>>(z, 1);
        add<<<1, 32>>>(x, y);
        add<<<1, 32>>>(x, z);
    }
EOF
written guard.cu --sched kesco
has notes 'cudaMemcpy stays in the default stream: the statement that holds it holds what needs its result, too'
has out.cu 'if (cudaMemcpy(x, h, 4096, cudaMemcpyHostToDevice) == cudaSuccess) {'

# So would a wait before the statement that launches, within, what it waits for.
source_of inner <<'EOF'
    auto make = [] { float *p; cudaMalloc(&p, 4096); fill<<<1, 32>>>(p, 1); return p; };
    fill<<<1, 32>>>(x, 2);
    add<<<1, 32>>>(make(), x);
EOF
written inner.cu --sched grsched
has notes 'inner.cu:21: the launch stays in the default stream: the statement that holds it makes what it needs'
has out.cu '    add<<<1, 32>>>(make(), x);'

# A graph is captured again where a round gives it another argument.
source_of replay <<'EOF'
    for (int i = 0; i < 4; i++) {
        fill<<<1, 32>>>(x, i);
        fill<<<1, 32>>>(y, i);
        cudaDeviceSynchronize();
        printf("%d\n", i);
    }
EOF
written replay.cu --sched kesco --graph
has out.cu '        gpusim_begin_graph(0);'
lacks out.cu 'if (gpusim_begin_graph(0))'
sed 's/, i);/, 7);/' replay.cu >once.cu # and once where none does
written once.cu --sched kesco --graph
has out.cu 'if (gpusim_begin_graph(0))'

# An event of one capture is not known in another: the joins order the two, no event does.
source_of cross <<'EOF'
    fill<<<1, 32>>>(x, 1);
    fill<<<1, 32>>>(y, 2);
    cudaFuncSetCacheConfig(fill, cudaFuncCachePreferL1);
    add<<<1, 32>>>(x, y);
    add<<<1, 32>>>(y, z);
EOF
written cross.cu --sched kesco --graph
has notes ' 2 streams, 0 events, 0 waits, 0 prefetches, 2 graphs;'

# An argument that is given twice is read and written: what reads it follows.
source_of twice <<'EOF'
    add<<<1, 32>>>(x, x);
    add<<<1, 32>>>(x, y);
EOF
read_in twice.cu
has p.json '"kernel": "add", "grid": [1, 1, 1], "block": [32, 1, 1], "reads": ["x"], "writes": ["x"]'

# The default stream and others follow each other.
source_of streams <<'EOF'
    cudaStream_t s;
    cudaStreamCreate(&s);
    fill<<<1, 32>>>(x, 1);
    fill<<<1, 32, 0, s>>>(y, 1);
    fill<<<1, 32>>>(z, 1);
EOF
read_in streams.cu
has p.json '"writes": ["y"], "stream": 1, "after": [0]}'
has p.json '"writes": ["z"], "stream": 0, "after": [1'

# i <= 7 from 0 on: 8 rounds of a product and a sum, by 32 threads: 512 operations.
source_of count <<'EOF'
    sum<<<1, 32>>>(x, y);
EOF
read_in count.cu
has p.json '{"name": "sum", "flops": 512'

# What an unknown loop changes is not known behind it.
source_of unknown <<'EOF'
    int n = 32;
    for (int i = 0; i < rounds(); i++) n *= 2;
    fill<<<n / 32, 32>>>(x, 1);
EOF
read_in unknown.cu
has notes 'the grid of the launch is not known: 1 assumed'
source_of moved <<'EOF'
    for (int i = 0; i < rounds(); i++) { float *t = x; x = y; y = t; }
    fill<<<1, 32>>>(x, 1);
    add<<<1, 32>>>(y, z);
EOF
read_in moved.cu
[ "$(grep -c '"unknown": true' p.json)" = 2 ] || { fail 'moved.cu: expected two kernels that may use any buffer'; cat p.json; }

# Streams are made by a function that is defined above the one that makes them.
cat >above.cu <<'EOF'
#include <cuda_runtime.h>
static void work(void);
int main(void)
{
    work();
    return 0;
}
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
static void work(void)
{
    float *x, *y;
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    fill<<<1, 32>>>(x);
    fill<<<1, 32>>>(y);
}
EOF
written above.cu --sched kesco
[ "$(grep 'gpusim_create(' out.cu | head -n 1)" = 'static void gpusim_create(void)' ] ||
    { fail 'above.cu: used above its definition'; cat out.cu; }

# Added calls are checked as the source checks its own.
cat >checked.cu <<'EOF'
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call) do { if ((call) != cudaSuccess) { fprintf(stderr, "%s\n", #call); exit(1); } } while (0)
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
__global__ void add(const float *x, const float *y, float *z) { z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x]; }
int main(void)
{
    float *x, *y, *z;
    CHECK(cudaMalloc(&x, 128));
    CHECK(cudaMalloc(&y, 128));
    CHECK(cudaMalloc(&z, 128));
    fill<<<1, 32>>>(x);
    fill<<<1, 32>>>(y);
    add<<<1, 32>>>(x, y, z);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
EOF
written checked.cu --sched kesco
has out.cu '    CHECK(cudaStreamWaitEvent(gpusim_stream['
has out.cu '    CHECK(cudaEventRecord(gpusim_event[0], gpusim_stream['
has out.cu 'CHECK(cudaStreamCreate(&gpusim_stream[i]));'
grep -E '^ *cuda(Stream|Event)(Wait|Record|Create)' out.cu >bare && { fail 'checked.cu: unchecked calls:'; cat bare; }
# A macro that launches checks nothing.
source_of launcher <<'EOF'
#define GO(k, ...) k<<<1, 32>>>(__VA_ARGS__)
    cudaMemset(x, 0, 4096);
    cudaMemset(y, 0, 4096);
    GO(add, x, y);
    GO(fill, z, 1);
    cudaMemcpy(h, y, 4096, cudaMemcpyDeviceToHost);
EOF
written launcher.cu --sched grsched --graph
lacks out.cu 'GO(cuda'
written checked.cu --sched kesco
awk 'length > 120 { exit 1 }' out.cu || fail 'checked.cu: a line of over 120 columns'
[ $failures = 0 ]
