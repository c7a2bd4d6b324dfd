#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a hostile source, its name or its options can do to "import cuda" and "schedule": an error within seconds.
# Usage: test_bounds.sh SOURCE-DIR BUILD-DIR
set -u
gpusim=$2/gpusim source_dir=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
failed=0
fail() { printf 'test_bounds: %s\n' "$*" >&2; failed=1; }
# source NAME STATEMENT [BEFORE]: a program with one launch of a grid of N, behind STATEMENT.
source() {
    printf '%s\n#ifndef N\n#define N 128\n#endif\n__global__ void k(float *a) { a[threadIdx.x] *= 2; }\nint main() { float *a; cudaMalloc(&a, 4096); %s k<<<N, 32>>>(a); cudaDeviceSynchronize(); }\n' \
        "${3-}" "$2" >"$1"
}
# refused TEXT COMMAND...: exit status 2 and one line.
refused() {
    text=$1
    shift
    "$gpusim" "$@" >/dev/null 2>err
    status=$?
    sed -i '/__asan_handle_no_return/,+2d' err # ASan warns where the parser's own stack, of 256 MiB, ends: a false alarm
    [ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$text" err || fail "expected '$text' of $*, found status $status: $(head -c 400 err)"
}
many() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'; }

source plain.cu ''
"$gpusim" import cuda plain.cu -o p 2>&1 | grep -q 'built without libclang' && exit 0
# Each -D counts, whatever stands before it.
awk 'BEGIN { for (i = 1; i <= 400; i++) printf "-DX%d=1\n", i }' >defines
# shellcheck disable=SC2046 # words
"$gpusim" import cuda plain.cu $(cat defines) -DN=7 -o p 2>/dev/null && grep -q '"grid": *\[7,' p || fail 'with 400 before, -DN=7 is left out'
refused "-I: expected a folder, found './none'" import cuda plain.cu -I./none -o p
refused '--arg: expected NAME=NUMBER' import cuda plain.cu --arg n=nan -o p
# Regular files alone.
source zero.cu '' '#include "/dev/zero"'
refused "zero.cu:1: expected a regular file, found '/dev/zero'" import cuda zero.cu -o p
mkfifo pipe && source pipe.cu '' '# include <pipe>'
refused "pipe.cu:1: expected a regular file, found 'pipe'" import cuda pipe.cu -o p
refused "pipe: expected a regular file" import cuda pipe -o p
mkfifo only.cu && refused "expected a regular file" ask explain only.cu
mkfifo other.cu && refused "other.cu: expected a regular file" import cuda plain.cu other.cu -o p
# What leaves its type is unknown, and goto: of how many rounds is said, and they stay serial.
for loop in 'for (unsigned i = 10; i >= 0; i--) k<<<1, 32>>>(a);' 'for (unsigned i = 10; i - 1 >= 0; i--) k<<<1, 32>>>(a);' \
    'for (unsigned char i = 0; i < 256; i++) k<<<1, 32>>>(a);' 'again: k<<<1, 32>>>(a); goto again;'; do
    source endless.cu "$loop"
    "$gpusim" import cuda endless.cu -o p 2>err || fail "$loop: $(cat err)"
    grep -q 'how often .* is executed is not known' err || fail "$loop: no word of its rounds: $(cat err)"
done
source mask.cu 'unsigned m = ~31u; int n = (70 + 31) & m; for (unsigned i = 3; i-- > 0;) k<<<n, 32>>>(a);'
"$gpusim" import cuda mask.cu -o p 2>err && [ "$(grep -c '"grid": \[96,' p)" = 3 ] || fail "a mask, i-- > 0: $(cat err p)"
# A stack's end is a message; what ends before it is read.
source deep.cu "int x = $(many 400000 '- ')1;"
refused "cannot read 'deep.cu': it nests too deep" import cuda deep.cu -o p
source self.cu 'int n = same(128); k<<<n, 32>>>(a);' 'static int same(int n) { return n; }
#define same(n) same(n)'
"$gpusim" schedule self.cu --sched kesco -o self.out.cu >out 2>err || fail "a macro of its own name: $(cat err)"
source wide.cu "int x = 1$(many 10000 '+1');"
"$gpusim" import cuda wide.cu -o p 2>err || fail "a sum of 10,000: $(cat err)"
[ -n "${GPUSIM_FULL-}" ] && {
    source loop.cu 'while (1) k<<<1, 32>>>(a);'
    refused 'expected at most 32768 ops' import cuda loop.cu -o p
}
# A name is text, and a header that is included is no output.
name=$(printf 'a\nint evil;.cu')
cp "$source_dir/examples/cuda/support.h" . && cp "$source_dir/examples/cuda/img.cu" "$name" && cp "$name" img.cu
"$gpusim" schedule "$name" --sched kesco -o out.cu --diff out.diff >/dev/null 2>&1 || fail 'a name with a line'
! grep -q '^int evil;' out.cu out.diff || fail 'a name is code'
refused "cannot write './support.h'" schedule img.cu --sched kesco -o ./support.h
# By a header of a header, by -I, by a macro and through a link.
mkdir folder && cp support.h folder/far.h && ln -s folder/far.h link.h
sed 's/"support.h"/"middle.h"/' img.cu >nested.cu && echo '#include "support.h"' >middle.h
sed 's/"support.h"/<far.h>/' img.cu >far.cu
sed 's/#include "support.h"/#define WHERE "support.h"\n#include WHERE/' img.cu >macro.cu
refused "cannot write 'support.h': 'nested.cu' includes it" schedule nested.cu --sched kesco -o support.h
refused "cannot write 'middle.h': 'nested.cu' includes it" schedule nested.cu --sched kesco --diff middle.h
refused "cannot write 'link.h': 'far.cu' includes it" schedule far.cu -I folder --sched kesco -o link.h
refused "cannot write 'support.h': 'macro.cu' includes it" schedule macro.cu --sched kesco -o support.h
for header in support.h folder/far.h; do
    cmp -s $header "$source_dir/examples/cuda/support.h" || fail "$header was changed"
done
[ $failed = 0 ]
