#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An installed gpusim works by itself, wherever its folder was moved to; schedulers and programs that embed the library are
# built against it, by CMake's find_package, by pkg-config, in C and in C++: test_install.sh SOURCE-DIR BUILD-DIR. With
# GPUSIM_FULL also the other example projects, every header in C++, and the Debian packages, which take a minute.
set -u
full=${GPUSIM_FULL-}
source_dir=$(cd "$1" && pwd) build_dir=$(cd "$2" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset GPUSIM_DATA
failures=0

expect() { # expect WHAT COMMAND...: the command succeeds
    what=$1
    shift
    "$@" >"$place/out" 2>&1 && return 0
    printf '%s: failed: %s\n' "$what" "$*"
    tail -n 5 "$place/out"
    failures=$((failures + 1))
}
expect_file() { [ -s "$place/moved/$1" ] || { printf 'not installed: %s\n' "$1" && failures=$((failures + 1)); }; }

expect 'installing' cmake --install "$build_dir" --prefix "$place/prefix"
mv "$place/prefix" "$place/moved"
cd "$place" || exit 1
gpusim=$place/moved/bin/gpusim
share=$place/moved/share/gpusim

for file in share/bash-completion/completions/gpusim share/zsh/site-functions/_gpusim \
    share/man/man1/gpusim.1 share/doc/gpusim/README.md share/doc/gpusim/LICENSE share/gpusim/models/h200.json \
    share/gpusim/models/arch/sm_90.json; do
    expect_file "$file"
done
for trace in "$source_dir"/traces/h200/*.json.gz; do
    [ ! -e "$trace" ] || expect_file "share/gpusim/traces/h200/${trace##*/}"
done
expect_file share/gpusim/traces/h100/probe.json
expect_file share/gpusim/traces/h100/runs-small.json.gz
expect 'a run' "$gpusim" --workload img --sched kesco --device h200
expect 'the version to cite' grep -qx "version: $("$gpusim" --version | cut -d' ' -f2)" "$place/moved/share/doc/gpusim/CITATION.cff"
# Documents: what one shows, and what it links to but sources, is there.
(cd "$place/moved/share/doc/gpusim" && find . -name '*.md' | while IFS= read -r document; do
    awk '/^```/ { code = !code } !code { line = $0; gsub(/`[^`]*`/, "", line)
         while (match(line, /\]\([^)]+\)/)) {
             print substr(line, RSTART + 2, RLENGTH - 3); line = substr(line, RSTART + RLENGTH) } }' "$document" |
        sed 's/#.*//' | grep -E '^[^:]+\.(md|svg)$' | while IFS= read -r target; do
        echo link
        [ -e "${document%/*}/$target" ] || printf '%s: no %s\n' "$document" "$target"
    done
done) >links
[ "$(grep -c '^link$' links)" -ge 30 ] || { printf 'few links in documents\n' && failures=$((failures + 1)); }
! grep -v '^link$' links || failures=$((failures + 1))
expect 'a program that is shipped' "$gpusim" --workload "$share/workloads/examples/axpy-chain.json" --sched grsched

expect 'a paper that is shipped' "$gpusim" reproduce mp
expect 'the recordings that are shipped' "$gpusim" validate --kind priority
! command -v gnuplot >/dev/null 2>&1 ||
    expect 'a figure' "$gpusim" validate --kind launch --scatter "$place/figure.svg"

# Its own devices are found, not the checkout's that it was built from.
sed 's/"name": "h200"/"name": "only-here"/' "$share/models/h200.json" >"$share/models/only-here.json"
expect 'a device of the installed folder' "$gpusim" --workload vec --sched serial --device only-here

sed 's/gsim_scheduler_skeleton/gsim_scheduler/; s/"skeleton"/"mine"/' "$share/schedulers/skeleton.c" >mine.c
include=$place/moved/include
expect 'compiling a scheduler' "${CC:-cc}" -std=c11 -I"$include" -O2 -shared -fPIC -o mine.so mine.c
expect 'a scheduler of the user' "$gpusim" --workload img --sched ./mine.so

# Public headers: each by itself, in C and in C++, and nothing of ours but public headers in them.
(cd "$include" && find . -name '*.h' | sort) >headers
mkdir alone
while IFS= read -r header; do
    printf '#include "%s"\n' "${header#./}" >"alone/$(echo "${header#./}" | tr / -).c"
done <headers
expect 'each header by itself' "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$include" -fsyntax-only alone/*.c
! command -v c++ >/dev/null 2>&1 || {
    [ -n "$full" ] && in_cpp=$(echo alone/*.c) || in_cpp=alone/gpusim-gpusim.h.c
    # shellcheck disable=SC2086 # a list of files
    expect 'headers in C++' c++ -std=c++17 -Wall -Wextra -Werror -I"$include" -fsyntax-only -x c++ $in_cpp
}
expect 'a header for all others' grep -q '^./gpusim/gpusim.h$' headers
if grep -rhE '^#[[:space:]]*include[[:space:]]*"' "$include" | grep -v '"gpusim/'; then
    printf 'a public header includes one that is not\n' && failures=$((failures + 1))
fi

# --- the library: the two example projects, and pkg-config -------------------------------------------------------
lib=$(dirname "$(find "$place/moved" -name 'libgpusim.so')")
for file in "$lib/libgpusim.a" "$lib/pkgconfig/gpusim.pc" "$lib/cmake/gpusim/gpusimConfig.cmake"; do
    [ -s "$file" ] || { printf 'not installed: %s\n' "$file" && failures=$((failures + 1)); }
done
flags=
grep -q '^GPUSIM_SANITIZE:BOOL=ON' "$build_dir/CMakeCache.txt" && flags=-fsanitize=address,undefined
example() { # example NAME FOLDER OPTIONS...: configured and built in FOLDER
    name=$1 folder=$2
    shift 2
    expect "configuring the example $name" cmake -S "$place/moved/share/doc/gpusim/examples/$name" -B "$folder" \
        -DCMAKE_PREFIX_PATH="$place/moved" -DCMAKE_C_FLAGS="$flags" "$@"
    expect "building the example $name" cmake --build "$folder"
}
example embed embed-shared
kinds=shared
[ -z "$full" ] || { kinds='shared static' && example embed embed-static -DEMBED_STATIC=ON; }
# The three kernels of its own program: two at a time, then the one that reads what both wrote.
for kind in $kinds; do
    expect "the example embed ($kind)" env GPUSIM_DATA="$share" "./embed-$kind/embed" h200
    cp "$place/out" "$kind.txt"
    awk '{ gsub(/:/, "", $3); start[NR] = $4; end[NR] = $6 }
         END { exit !(NR == 3 && start[2] < end[1] && start[3] >= end[1] && start[3] >= end[2]) }' "$kind.txt" ||
        { printf 'embed (%s): the kernels do not overlap as they should\n' "$kind" && failures=$((failures + 1)); }
done
[ -z "$full" ] || expect 'the same from both libraries' cmp shared.txt static.txt
# What a program in a few lines predicts is what gpusim does.
program=$share/workloads/examples/axpy-chain.json
expect 'a run to compare with' "$gpusim" --workload "$program" --sched kesco --device h200 --report report.json
for kind in $kinds; do
    # It leaves its memory to the end of the process.
    expect "the example least ($kind)" env ASAN_OPTIONS=detect_leaks=0 GPUSIM_DATA="$share" "./embed-$kind/least" h200 "$program"
    grep -qF "\"makespan_us\": $(cut -d' ' -f1 out)," report.json ||
        { printf 'least (%s): %s; gpusim:%s\n' "$kind" "$(cat out)" "$(grep makespan report.json)" && failures=$((failures + 1)); }
done
lines=$(sed -n '/^{/,/^}/p' "$source_dir/examples/embed/least.c" | grep -c ';$')
[ "$lines" -le 10 ] || { printf 'least.c: %d statements\n' "$lines" && failures=$((failures + 1)); }
# The shared library finds the devices that were installed with it, and reads a program file.
expect 'devices beside the library' ./embed-shared/embed only-here "$share/workloads/examples/axpy-chain.json"
grep -q '^axpy' "$place/out" || { printf 'embed: no kernel of the file\n' && failures=$((failures + 1)); }
if [ -n "$full" ]; then
    example scheduler plugin
    expect 'the example scheduler' "$gpusim" --workload img --sched ./plugin/lifo.so
    example source drawn
    expect 'the example source' "$gpusim" --workload ./drawn/solver.so --sched async --opt solver.every=2
fi
if command -v pkg-config >/dev/null 2>&1; then
    # shellcheck disable=SC2046 # words
    expect 'pkg-config' "${CC:-cc}" $flags -std=c11 -o by-pkg-config "$source_dir/examples/embed/embed.c" \
        $(PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config --cflags --libs gpusim) -Wl,-rpath,"$lib"
    expect 'a program by pkg-config' ./by-pkg-config h200
    cp out pkg-config.txt
    expect 'the same by pkg-config' cmp pkg-config.txt shared.txt
fi

# --- the Debian packages ------------------------------------------------------------------------------------------
if [ -n "$full" ] && [ -z "$flags" ] && command -v dpkg-shlibdeps >/dev/null 2>&1; then
    expect 'cpack' cpack --config "$build_dir/CPackConfig.cmake" -G DEB -B "$place/deb"
    package=$(echo "$place"/deb/gpusim_*.deb)
    expect 'unpacking' dpkg -x "$package" "$place/debian"
    expect 'the program of the package' "$place/debian/usr/bin/gpusim" --workload img --sched kesco --device h200
    [ ! -e "$place/debian/usr/include" ] || { printf 'headers in the package gpusim\n' && failures=$((failures + 1)); }
    dpkg-deb -f "$package" Depends >depends
    for library in libc6 libcjson1 libgsl libsimgrid libsqlite3-0 zlib1g; do
        expect "Depends: $library" grep -q "$library" depends
    done
    ! grep -q mpi depends || { printf 'the package gpusim depends on MPI\n' && failures=$((failures + 1)); }
    expect 'the package libgpusim-dev' dpkg -x "$(echo "$place"/deb/libgpusim-dev_*.deb)" "$place/development"
    [ -e "$place/development/usr/include/gpusim/gpusim.h" ] ||
        { printf 'no headers in libgpusim-dev\n' && failures=$((failures + 1)); }
fi

printf 'install: %d failures\n' "$failures"
[ "$failures" = 0 ]
