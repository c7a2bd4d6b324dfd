#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# gpusim schedule of CUDA sources: the plans of KeSCo's authors' compiler log; what is written has the same ops and keeps every
# dependence (roundtrip.py, which goes by its own rules); the difference is a patch; what is refused.
# A part of them; all with GPUSIM_FULL.
# Usage: test_schedule.sh SOURCE-DIR BUILD-DIR
set -u
gpusim=$2/gpusim
here=$1/tests/source/write
examples=$1/examples/cuda
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

fail() { printf 'test_schedule: %s\n' "$*" >&2; failed=1; }
has() { grep -qF -- "$2" "$scratch/$1" || { fail "expected '$2' in:"; cat "$scratch/$1" >&2; }; }
lacks() { grep -qF -- "$2" "$scratch/$1" && { fail "expected no '$2' in:"; cat "$scratch/$1" >&2; }; }

# round FILE SCHEDULER OPTION...: into $scratch/out.cu and $scratch/notes; back again, and compared.
round() {
    file=$1 sched=$2
    shift 2
    "$gpusim" schedule "$file" --sched "$sched" "$@" --always -o "$scratch/out.cu" --diff "$scratch/out.diff" 2>"$scratch/notes" ||
        { fail "$file $sched $*: refused"; cat "$scratch/notes" >&2; return; }
    cp "$file" "$scratch/patched.cu"
    patch -s "$scratch/patched.cu" "$scratch/out.diff" && cmp "$scratch/patched.cu" "$scratch/out.cu" || fail "$file $sched: the difference is no patch"
    case " $*" in *\ -DROUNDS=3*) macro=-DROUNDS=3 ;; *) macro=-DROUNDS=1 ;; esac
    read=$scratch/$(basename "$file")$macro.json # a file is read once
    [ -e "$read" ] || "$gpusim" import cuda "$file" --include "$here" $macro -o "$read" 2>/dev/null
    "$gpusim" import cuda "$scratch/out.cu" --include "$examples" $macro -o "$scratch/b.json" 2>"$scratch/again" ||
        { fail "$file $sched $*: cannot be read again"; cat "$scratch/again" >&2; return; }
    streams=$(sed -n 's/^scheduled: .* calls, \([0-9]*\) streams.*/\1/p' "$scratch/notes")
    grep -q ' 0 prefetches' "$scratch/notes" || streams= # which have streams of their own
    [ "$streams" != 1 ] || grep -q gpusim_stream "$scratch/out.cu" || streams=0 # the default one
    python3 "$here/roundtrip.py" "$read" "$scratch/b.json" $streams >"$scratch/trip" 2>&1 || { fail "$file $sched $*: $(tail -n 1 "$scratch/trip")"; }
}

"$gpusim" import cuda "$examples/vec.cu" -o "$scratch/a.json" 2>&1 | grep -q 'built without libclang' && exit 0

# Streams and events of the authors' compiler, per program.
while read -r name streams events; do
    round "$examples/$name.cu" kesco --prefetch off
    has notes ", $streams streams, $events events, $events waits"
    [ $name != img ] || cp "$scratch/out.cu" "$scratch/img.out"
    case $name in img) ;; *) [ "${GPUSIM_FULL:-}" ] || continue ;; esac
    round "$examples/$name.cu" grsched --graph
done <<EOF
vec 2 1
bs 10 0
img 4 4
ml 2 1
hits 2 3
dl 2 1
EOF
# IMG's streams in the log: [blurL,sobelL,max,extend,combine1] [blurU,unsharpen] [blurS,sobelS,combine2] and min or max alone.
tr -d '\n' <"$scratch/img.out" | grep -o '<<<[^>]*gpusim_stream\[[0-9]*\]' | grep -o '[0-9]*.$' | tr -d '\n]' >"$scratch/streams"
[ "$(cat "$scratch/streams")" = 01201131210 ] || fail "img: streams $(cat "$scratch/streams")"
# The same as of the built-in workload: streams of grsched, which goes by signatures.
"$gpusim" schedule "$examples/img.cu" --sched grsched --prefetch off --plan "$scratch/ours" 2>/dev/null
"$gpusim" --workload img --sched grsched --prefetch off --iterations 1 --plan "$scratch/theirs" >/dev/null 2>&1
streams_of() { sort -n "$1" | awk -F, '$1 ~ /^[0-9]/ {if (!($3 in seen)) seen[$3] = count++; printf "%d ", seen[$3]}'; }
[ "$(streams_of "$scratch/ours" | cut -d' ' -f1-11)" = "$(streams_of "$scratch/theirs" | cut -d' ' -f1-11)" ] || fail "img: another plan than the workload's"

for name in 2mm 3mm mvt bicg gemver; do
    [ $name = bicg ] || [ "${GPUSIM_FULL:-}" ] || continue
    round "$examples/$name.cu" kesco
done
round "$examples/gemver.cu" heft --graph
has out.cu 'cudaGraphLaunch'

# Loops, macros, one statement without braces, memory that is not pinned: every static scheduler, streams and graphs.
for sched in cudagraph grsched heft taskflow kesco; do
    case $sched in grsched | heft | taskflow) [ "${GPUSIM_FULL:-}" ] || continue ;; esac
    round "$here/cuda/loops.cu" $sched --graph
    round "$here/cuda/loops.cu" $sched
    [ $sched != cudagraph ] || has out.cu 'cudaEventRecord(gpusim_event[i % 4 + 1], gpusim_stream[i % 4 + 2]);'
done
has out.cu 'SAFE(cudaMemsetAsync(b, 0, N * sizeof(float), gpusim_stream[1]));'
# Copies that read one part of the host's memory do not follow one another; a loop without braces gets them.
has out.cu '            CHECK(cudaMemcpyAsync(c[i], host, N * sizeof(float), cudaMemcpyHostToDevice, gpusim_stream[i % 4 + 2]));'
has out.cu 'SAFE(cudaPeekAtLastError());'
# Rounds that wait for one another in turns: a table.
has out.cu 'gpusim_enter(&gpusim_call_'
has notes '2 copies are from or to memory that is not pinned'

# A statement without braces that ends where its graph does.
round "$examples/img.cu" kesco --graph -DROUNDS=3
has out.cu '        gpusim_end_graph(1);'
lacks out.cu 'gpusim_end_graph(1); }'

# A plan of one's own: everything in stream 7.
"$gpusim" schedule "$examples/vec.cu" --sched kesco --plan "$scratch/plan" 2>/dev/null
sed -i 's/^\([0-9]*\),0,[0-9]*/\1,0,7/' "$scratch/plan"
round "$examples/vec.cu" "plan=$scratch/plan" --prefetch off
has notes '3 of 3 calls, 1 streams, 0 events, 0 waits'
# Prefetches where the policy has them: five arrays.
round "$examples/vec.cu" kesco --prefetch on
has notes '5 prefetches'
has out.cu 'gpusim_prefetch(xx, 4194304, gpusim_stream['

# Copies of pageable memory that all calls before them precede stay as they are; while the other kernel runs they do not, nor where
# the default stream is one of each thread.
cat >"$scratch/plain.cu" <<'EOF'
#include <cuda_runtime.h>
__global__ void k(float *x) { x[threadIdx.x]++; }
int main() {
  float *a, *b, h[32] = {0}, g[32];
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  cudaMemcpy(a, h, 128, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h, 128, cudaMemcpyHostToDevice);
  k<<<1, 32>>>(a);
  k<<<1, 32>>>(b);
  cudaMemcpy(g, a, 128, cudaMemcpyDeviceToHost);
  return (int)g[0];
}
EOF
round "$scratch/plain.cu" kesco
has notes 'scheduled: 5 of 5 calls, 2 streams, 0 events, 0 waits'
has out.cu '  cudaMemcpy(b, h, 128, cudaMemcpyHostToDevice);'
has out.cu '  cudaMemcpyAsync(g, a, 128, cudaMemcpyDeviceToHost, gpusim_stream[0]);'
sed 's/^#include/#define CUDA_API_PER_THREAD_DEFAULT_STREAM\n&/' "$scratch/plain.cu" >"$scratch/thread.cu"
round "$scratch/thread.cu" kesco
has out.cu '  cudaMemcpyAsync(b, h, 128, cudaMemcpyHostToDevice, gpusim_stream[1]);'
# One stream is the default one: all that is written is one wait less.
sed 's/^  k<<<1, 32>>>(b);/  cudaDeviceSynchronize();\n  k<<<1, 32>>>(a);/' "$scratch/plain.cu" >"$scratch/chain.cu"
round "$scratch/chain.cu" kesco
sed '/cudaDeviceSynchronize/d' "$scratch/chain.cu" | cmp - "$scratch/out.cu" || fail "chain: $(cat "$scratch/out.diff")"
# A wait behind a call that is not read stays.
cat >"$scratch/unread.cu" <<'EOF'
#include <cuda_runtime.h>
__global__ void k(float *x, int n) { x[threadIdx.x] += n; }
void note(void *n) { ++*(int *)n; }
int main() {
  float *a;
  int n = 0;
  cudaMalloc(&a, 128);
  cudaLaunchHostFunc(0, note, &n);
  cudaDeviceSynchronize();
  k<<<1, 32>>>(a, n);
  cudaDeviceSynchronize();
  k<<<1, 32>>>(a, n);
}
EOF
round "$scratch/unread.cu" kesco
grep -A 1 'cudaLaunchHostFunc' "$scratch/out.cu" | grep -q 'cudaDeviceSynchronize();' || fail "unread: $(cat "$scratch/out.cu")"

# What cannot be scheduled stays where it is.
cat >"$scratch/left.cu" <<'EOF'
#include <cuda_runtime.h>
__global__ void k(int *x) { x[threadIdx.x]++; }
#define LAUNCH(x) k<<<1, 32>>>(x)
int rounds();
int main() {
  int *a, *b;
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  LAUNCH(a);
  k<<<1, 32>>>(b);
  for (int i = 0; i < rounds(); i++) {
    k<<<1, 32>>>(a);
    cudaDeviceSynchronize();
  }
  k<<<1, 32>>>(b);
  cudaDeviceSynchronize();
  return 0;
}
EOF
round "$scratch/left.cu" kesco
has notes 'left.cu:9: the launch stays in the default stream: it is launched within a macro'
has notes 'left.cu:12: the launch stays in the default stream: how often it is executed is not known'
has notes 'scheduled: 2 of 4 calls'
has out.cu '    k<<<1, 32>>>(a);'

refused() { # STATUS TEXT ARGUMENT...
    status=$1 text=$2
    shift 2
    "$gpusim" schedule "$@" >/dev/null 2>"$scratch/notes"
    found=$?
    [ $found = "$status" ] || fail "$*: status $found, expected $status"
    [ "$(grep -vc '^gpusim: note: ' "$scratch/notes")" = 1 ] || { fail "$*: expected one line beside notes, found:"; cat "$scratch/notes" >&2; }
    has notes "$text"
}
for sched in acs-sw acs-hw persistent ccks eager dm; do
    case $sched in acs-hw | persistent | ccks | eager) [ "${GPUSIM_FULL:-}" ] || continue ;; esac
    refused 2 'decides while the program runs' "$examples/vec.cu" --sched $sched -o "$scratch/o.cu"
done
[ -e "$scratch/o.cu" ] && fail "a refused schedule was written"
refused 2 'unknown scheduler' "$examples/vec.cu" --sched kesko -o "$scratch/o.cu"
refused 2 'no scheduler' "$examples/vec.cu" -o "$scratch/o.cu"
refused 2 'no output' "$examples/vec.cu" --sched kesco
refused 2 'no variable of that name is set' "$examples/vec.cu" --sched kesco --arg nothing=7 -o "$scratch/o.cu"
refused 2 'none.cu' "$scratch/none.cu" --sched kesco -o "$scratch/o.cu"
refused 2 'hits.cu:28: the source makes a stream of its own' "$1/tests/source/read/cuda/hits.cu" --sched kesco -o "$scratch/o.cu"
printf 'int main() {\n  return 0\n}\n' >"$scratch/syntax.cu"
refused 2 "syntax.cu:2:11: expected ';' after return statement" "$scratch/syntax.cu" --sched kesco -o "$scratch/o.cu"
exit $failed
