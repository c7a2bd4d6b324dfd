#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is written of the forms in forms.txt races in no order: a part of them, by a policy each; with GPUSIM_FULL all, by four.
# Usage: test_forms.sh SOURCE-DIR BUILD-DIR [NAME...]
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
shift 2
export PATH="$source_dir/tests/source/run/bin:$PATH" GPUSIM_COMPILED="$build/compiled"
clang++ --version >/dev/null 2>&1 || { echo "skipped: clang++ is not in PATH (Debian: clang)"; exit 0; }
"$gpusim" import cuda "$source_dir/examples/cuda/vec.cu" -o a.json 2>&1 | grep -q 'built without libclang' && exit 0

# FORM.cu of each, and in "forms" their names and whether they are run.
awk -v RS= -F '\n' '!/^#/ {
    file = $1 ".cu"
    printf "#include <cuda_runtime.h>\n#include <cstdio>\n#include <tuple>\n#include <utility>\n#include <vector>\n#define N 64\n" >file
    printf "__global__ void add(float *o, const float *i, float k) { o[threadIdx.x] = i[threadIdx.x] + k; }\n" >file
    for (l = 2; $l !~ /^--/; l++) print $l >file
    printf "int main() {\n    float *x, *y, *z, h[N] = {0}, sum = 0;\n" >file
    for (n = 1; n <= 3; n++)
        printf "    cudaMalloc(&%s, N * 4);\n    cudaMemset(%s, 0, N * 4);\n", substr("xyz", n, 1), substr("xyz", n, 1) >file
    print $1, $l == "--" ? "run" : "not" >"forms"
    for (l++; l <= NF; l++) print "    " $l >file
    printf "    cudaMemcpy(h, z, N * 4, cudaMemcpyDeviceToHost);\n    for (int i = 0; i < N; i++) sum += h[i] * (i + 1);\n" >file
    printf "    printf(\"%%g\\n\", sum);\n    return 0;\n}\n" >file
    close(file)
}' "$source_dir/tests/source/run/forms.txt"

check() { # FORM RUN OPTION...
    form=$1 run=$2
    shift 2
    [ "$run" = not ] || set -- "$@" --check
    "$gpusim" schedule "$form.cu" "$@" --always -o out.cu >out 2>&1 || fail "$form $*: $(tail -n 1 out)"
    case $run in run) said='^checked: .* in 24 orders: no race' ;; *) said='it may read and write any buffer' ;; esac
    grep -q "$said" out || fail "$form $*: $(cat out)"
}
number=0
while read -r form run; do
    number=$((number + 1))
    case " ${*:-$form} " in *" $form "*) ;; *) continue ;; esac
    [ "${GPUSIM_FULL:-}" ] || [ $# -gt 0 ] || [ $((number % 75)) = 9 ] || continue
    for way in 0 1 2 3; do
        [ "${GPUSIM_FULL:-}" ] || [ $((number % 4)) = $way ] || continue
        case $way in
        0) check "$form" "$run" --sched kesco --prefetch off ;;
        1) check "$form" "$run" --sched grsched ;;
        2) check "$form" "$run" --sched kesco --graph ;;
        3) check "$form" "$run" --sched grsched --graph ;;
        esac
    done
done <forms
[ $number -ge 228 ] || fail "$number forms were read"
[ $failures = 0 ]
