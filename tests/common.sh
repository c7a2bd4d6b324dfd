# SPDX-License-Identifier: GPL-3.0-or-later
# What tests of the program begin with, for `. "$1/tests/common.sh"` in test_NAME.sh SOURCE-DIR BUILD-DIR: $source_dir,
# $build, $gpusim, a folder of its own as the current one ($place, removed at the end), fail MESSAGE, $failures.
set -u
source_dir=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
gpusim=$build/gpusim
shift 2
set -- "$source_dir" "$build" "$@"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export GPUSIM_DATA="$source_dir"
cd "$place" || exit 1
# plugin NAME: the path of tests/*/external/NAME.c as a shared object. Without it a test would wait in vain, or fail in riddles.
plugin() {
    [ -s "$build/plugins/$1.so" ] && echo "$build/plugins/$1.so" && return
    echo "FAILED: '$build/plugins/$1.so' is missing: cmake --build '$build' --target plugin-$1" >&2
    exit 1
}
failures=0
fail() { printf '%s\n' "$*" && failures=$((failures + 1)); }
