#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh finds every kind of offence where it was planted, and nothing in a tree without one:
# test_style_catches.sh SOURCE-DIR.
set -u
checker=$1/tests/style/check.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# put FILE [TEXT]: a file with a licence line (C or shell), then TEXT.
put() {
    mkdir -p "$tree/$(dirname "$1")"
    case $1 in
    *.[ch] | *.cu | *.def) printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n' ;;
    *.sh) printf '# SPDX-License-Identifier: GPL-3.0-or-later\n' ;;
    esac >"$tree/$1"
    printf '%b' "${2-}" >>"$tree/$1"
}

clean_tree() {
    rm -rf "${tree:?}"/*
    put sim/platform/simgrid.c '#include <simgrid/actor.h>\n#include "sim/platform/simgrid.h"\n'
    put sim/platform/engine.h
    put cli/main.c '#include "sim/program/verify.h"\n'
    put cli/run.c '#include "sim/device/device.h"\n'
    put schedulers/serial.c '#include "gpusim/driver.h"\n#include "schedulers/shared/graphs.h"\n'
    put tests/sim/platform/test_engine.c '/* NEEDSWORK: nothing, an example */\n'
    put tests/contract/test_all.c
    put README.md '# a\n[ok](sim/platform/simgrid.c) [ok](#a) [web](https://example.org/x)\n```\n[not a link](nowhere)\n```\n'
    put build/junk.c 'no licence line matters in build folders'
}

# expect_clean, expect_offence FILE:LINE: RULE
expect_clean() {
    if ! found=$(sh "$checker" "$tree"); then
        printf 'a clean tree was found wanting:\n%s\n' "$found"
        failures=$((failures + 1))
    fi
}
expect_offence() {
    if found=$(sh "$checker" "$tree"); then status=0; else status=$?; fi
    offences=$(printf '%s\n' "$found" | grep -cv -e '^warning:' -e '^style:')
    if [ "$status" != 1 ] || [ "$offences" != 1 ] || ! printf '%s\n' "$found" | grep -qF "$1"; then
        printf 'expected exactly "%s" and exit status 1, found status %s and:\n%s\n' "$1" "$status" "$found"
        failures=$((failures + 1))
    fi
    clean_tree
}
many_lines() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "/* line */" }' >>"$tree/$2"; }

clean_tree
expect_clean

put sim/sm/gpu.c '#include <simgrid/host.h>\n'
expect_offence 'sim/sm/gpu.c:2: simgrid'
put schedulers/kesco.c '#  include "xbt/log.h"\n'
expect_offence 'schedulers/kesco.c:2: simgrid'
mkdir -p "$tree/sim/sm"
printf 'int x;\n' >"$tree/sim/sm/gpu.c"
expect_offence 'sim/sm/gpu.c:1: spdx'
printf '#!/bin/sh\ntrue\n' >"$tree/gpusim"
expect_offence 'gpusim:1: spdx'
put sim/sm/gpu.c 'double number = 1;\nint x = (int)number;\n'
expect_offence 'sim/sm/gpu.c:3: cast'
put sim/sm/gpu.c 'x = (uint32_t)item->valuedouble;\n'
expect_offence 'sim/sm/gpu.c:2: cast'
put sim/sm/gpu.c 'uint64_t number;\nint x = (int)number, y = gsim_whole(item->valuedouble);\n'
expect_clean
put sim/sm/gpu.c && many_lines 600 sim/sm/gpu.c
expect_offence 'sim/sm/gpu.c:601: size'
put sim/sm/gpu.c && many_lines 550 sim/sm/gpu.c
expect_clean
clean_tree
for part in a b c d e f g h; do put sim/sm/$part.c && many_lines 500 sim/sm/$part.c; done
expect_offence 'sim/sm:1: folder: 4008 lines'
put sim/sm/gpu.h 'struct gsim_lane {\n};\n' && put sim/sm/lanes.h 'struct gsim_lane {\n};\n'
expect_offence 'sim/sm/lanes.h:2: tag: "gsim_lane" is also defined in sim/sm/gpu.h'
put sim/sm/gpu.h 'struct gsim_lane {\n};\n' && put sim/sm/lanes.h 'struct gsim_road {
    struct gsim_lane {
        int of;
    } lane;
};
'
expect_offence 'sim/sm/lanes.h:3: tag: "gsim_lane" is also defined in sim/sm/gpu.h'
put sim/sm/gpu.h 'struct gsim_lane {\n};\n' && put sim/sm/lanes.h 'typedef int gsim_lane;
'
expect_offence 'sim/sm/lanes.h:2: tag: "gsim_lane" is also defined in sim/sm/gpu.h'
put sim/sm/gpu.h '/* Adds COUNT to the SM of INDEX, below MOST_SMS; "A_B=VALUE", NULL, DEVICE. */\nvoid add(int index,\n int count);\n' &&
    put sim/sm/gpu.c '#define MOST_SMS 4\n'
expect_offence 'sim/sm/gpu.h:2: parameter: "DEVICE" is no parameter'
put sim/sm/gpu.c "int a; /* TO""DO: later */\n"
expect_offence 'sim/sm/gpu.c:2: todo'
put tests/run.sh "# FIX""ME\n"
expect_offence 'tests/run.sh:2: todo'
put gpusim '# SPDX-License-Identifier: GPL-3.0-or-later\n<<<''<<<< HEAD\ntrue\n'
expect_offence 'gpusim:2: conflict'
put workloads/img.c "static const char *path = \"/ho""me/alice/img.json\";\n"
expect_offence 'workloads/img.c:2: path'
put docs/use.md "Run it in /wo""rk/gpusim today.\n"
expect_offence 'docs/use.md:1: path'
put sim/sm/gpu.c '#include "schedulers/shared/graphs.h"\n'
expect_offence 'sim/sm/gpu.c:2: layering'
put sim/sm/gpu.h '#include "sim/memory/managed.h"\n'
expect_offence 'sim/sm/gpu.h:2: layering'
put schedulers/kesco.c '#include "sim/device/device.h"\n'
expect_offence 'schedulers/kesco.c:2: layering'
put workloads/img.c '#include "schedulers/shared/graphs.h"\n'
expect_offence 'workloads/img.c:2: layering'
put sim/device/device.c '#include "traces/writer.h"\n'
expect_offence 'sim/device/device.c:2: layering'
put sim/sm/gpu.c '#include "engine.h"\n'
expect_offence 'sim/sm/gpu.c:2: layering'
put README.md 'text\nsee [the guide](docs/guide.md#start)\n'
expect_offence 'README.md:2: link: no file "docs/guide.md"'
put README.md 'see [the engine](sim/platform/notes.md#what-it-does)\n' && put sim/platform/notes.md '## What it is\n'
expect_offence 'README.md:1: link: "sim/platform/notes.md" has no heading "what-it-does"'
put README.md '[engine]\n\n[engine]: sim/engine.c\n'
expect_offence 'README.md:3: link: no file "sim/engine.c"'
put README.md 'text\nfrom `sim/platform/engine.{h,cc}`, `cli/NAME.c` and `gpusim --workload x`\n'
expect_offence 'README.md:2: mention: no file "sim/platform/engine.cc"'
put README.md 'from `traces/h200/runs-*.json.gz`\n'
expect_offence 'README.md:1: mention: no file "traces/h200/runs-*.json.gz"'
put README.md "$(printf '%0121d' 0)\n"
expect_offence 'README.md:1: line'
put README.md && yes 'a line' | head -n 131 >>"$tree/README.md"
expect_offence 'README.md:131: size'
put tests/sim/test_nothing.c
expect_offence 'tests/sim/test_nothing.c:1: mirror'

put sim/host/driver.c "/* $(printf '%0121d' 0) */\n"
expect_offence 'sim/host/driver.c:2: line'
put sim/sm/gpu.h '/* Layer: sim/memory. Pages. */\n'
expect_offence 'sim/sm/gpu.h:2: layer'

printf 'style check: %d of 30 cases failed\n' "$failures"
[ "$failures" = 0 ]
