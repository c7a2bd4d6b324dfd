#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The Python package: its tests, doctests and notebooks, its wheel. test_package.sh SOURCE-DIR BUILD-DIR. Skipped, and said,
# where there is no Python; policies in Python are tested where it has cffi.
set -u
source_dir=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
python=
for candidate in python3 /usr/bin/python3; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    [ -n "$python" ] || python=$candidate
    "$candidate" -c 'import cffi' 2>/dev/null && python=$candidate && break
done
[ -n "$python" ] || { echo "skipped: no python3"; exit 0; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export GPUSIM="$build/gpusim" GPUSIM_DATA="$source_dir" LIBGPUSIM="$build/libgpusim.so" PYTHONDONTWRITEBYTECODE=1
"$python" "$source_dir/python/tests/test_package.py" || exit 1
# The wheel has what the folder has, and works from elsewhere.
wheel=$("$python" "$source_dir/python/build_wheel.py" "$place") || exit 1
cd "$place" && "$python" -m zipfile -e "$wheel" installed &&
    PYTHONPATH="$place/installed" "$python" -c 'import gpusim; print(gpusim.run("m1", sched="async"))'
