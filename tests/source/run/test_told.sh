#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --run tells the reader what the text does not: told.cu with sizes and rounds counted by hand; a program of two files, one of them C.
# Usage: test_told.sh SOURCE-DIR BUILD-DIR
. "$1/tests/common.sh"
export PATH="$source_dir/tests/source/run/bin:$PATH" GPUSIM_COMPILED="$build/compiled"
clang++ --version >/dev/null 2>&1 || { echo "skipped: clang++ is not in PATH (Debian: clang)"; exit 0; }
"$gpusim" import cuda "$source_dir/examples/cuda/vec.cu" -o a.json 2>&1 | grep -q 'built without libclang' && exit 0
told=$source_dir/tests/source/run/told.cu
count() { # PATTERN NUMBER
    [ "$(grep -c -e "$1" a.json)" = "$2" ] || fail "$1: expected $2, found $(grep -c -e "$1" a.json)"
}
read_it() { "$gpusim" import cuda "$told" --run "$1" -o a.json 2>notes || fail "--run $1: $(cat notes)"; }
# 3 fills, 3 rounds, case 0 (v[2] = v[0] + 1 = 3), then 4 to 9: six rounds of two kernels
read_it "512 3 9"
count '"op": "kernel"' 19
count '"grid": \[8, 1, 1\]' 13
count '"bytes": 2048, "init"' 3
count '"kernel": "add".*"reads": \["x"\], "writes": \["x.3"\]' 1
grep -q 'times in the run' notes && fail "as often as it ran: $(cat notes)"
# 3 fills, one round, case 1 is a fill, then 1 and 2
if [ "${GPUSIM_FULL-}" ]; then
    read_it "256 1 2"
    count '"op": "kernel"' 9
    count '"kernel": "clear"' 4
    count '"grid": \[4, 1, 1\]' 7
fi
"$gpusim" schedule "$told" --sched kesco --always --run "512 3 9" --check -o out.cu 2>notes && grep -q '^checked: .* in 24 orders: no race' notes ||
    fail "schedule: $(cat notes)"
# every -D arrives, however many there are
cat >late.cu <<'END'
__global__ void k(float *a) { a[threadIdx.x] = LAST; }
int main() { float *a; cudaMalloc(&a, 128); k<<<1, 32>>>(a); cudaDeviceSynchronize(); return 0; }
END
"$gpusim" import cuda late.cu --run "" $(seq -f '-D X%.0f=1' 80) -D LAST=2.f -o a.json 2>notes || fail "80 definitions: $(cat notes)"
grep -q 'gpusim_call_\|gpusim_stream\[' out.cu || fail 'nothing has a stream'
# the rounds of the loop that the device ends stay in the default stream, so more of them are right, too
grep -q '^        add<<<n / 64, 64>>>(v\[2\], v\[2\], n);' out.cu || fail 'the loop is scheduled by the rounds of one run'
"$gpusim" schedule out.cu --run "512 3 30" --check >notes 2>&1 || fail "more rounds: $(cat notes)"
if [ "${GPUSIM_FULL-}" ]; then
    "$gpusim" import cuda "$told" --run "" -o a.json 2>notes && fail 'an exit before the first launch is read'
    grep -q 'ended with status 1' notes || fail "exit status: $(cat notes)"
fi

cat >part.cu <<'EOF'
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
extern "C" int wanted;
extern "C" void work(float *h, int n)
{
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < wanted; i++) twice<<<1, n>>>(i % 2 ? a : b);
    cudaMemcpy(h, b, n * sizeof(float), cudaMemcpyDeviceToHost);
}
EOF
cat >main.c <<'EOF'
#include <stdlib.h>
int wanted = 5;
void work(float *h, int n);
static void fill(h, n) float *h; int n; { while (n--) h[n] = n; }
int main(void)
{
    float *h = malloc(128 * sizeof *h);
    fill(h, 128);
    work(h, 128);
    return h[1] != 8; /* of five rounds three are b's */
}
EOF
"$gpusim" import cuda part.cu main.c -o a.json 2>notes || fail "two files: $(cat notes)"
count '"op": "kernel"' 5
count '"bytes": 512, "init"' 2
[ -z "${GPUSIM_FULL-}" ] || "$gpusim" schedule part.cu main.c --sched kesco --always --check -o out.cu 2>notes || fail "two files: $(cat notes)"
[ $failures = 0 ]
