#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of the house that a machine can check: check.sh SOURCE-DIR. Prints "FILE:LINE: RULE: what" per
# offence and exits 1 when there was one; "warning:" lines do not count. test_style.sh runs it on the
# checkout; test_style_catches.sh shows that it finds planted offences. Formatting is .clang-format's part.
set -u
cd "${1:?usage: check.sh SOURCE-DIR}" || exit 2
list=$(mktemp) found=$(mktemp)
trap 'rm -f "$list" "$found"' EXIT

# Our files: everything below the source folder but builds and what is hidden (.ci, .clang-format aside).
find . -name '.git' -prune -o -type d -name 'build*' -prune -o -type d -name '.?*' ! -name .ci -prune -o -type f -print |
    sed 's|^\./||' | LC_ALL=C sort >"$list"

sources() { grep -E '\.(c|h|def|cu|cuh|sh|py|gp|cmake)$|(^|/)CMakeLists\.txt$|^gpusim$|^\.ci/run$' "$list"; }
c_sources() { grep -E '\.(c|h|cu|cuh|def)$' "$list"; }
texts() { sources; grep -E '\.(md|json|txt|1|yml)$|(^|/)(\.gitignore|\.clang-format)$' "$list"; }

# in_files RULE REGEX MESSAGE: every line of the files on standard input that matches is an offence.
in_files() {
    tr '\n' '\0' | xargs -0 -r grep -nHE "$2" 2>/dev/null | while IFS= read -r hit; do
        printf '%s: %s: %s\n' "$(printf '%s' "$hit" | cut -d: -f1-2)" "$1" "$3"
    done
}

check_simgrid() {
    c_sources | grep -vE '^sim/platform/simgrid\.c$' |
        in_files simgrid '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](simgrid|xbt)' \
            'SimGrid headers are for sim/platform/simgrid.c only'
}

check_spdx() {
    sources | while IFS= read -r file; do
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-3\.0-or-later' ||
            printf '%s:1: spdx: no "SPDX-License-Identifier: GPL-3.0-or-later" in the first three lines\n' "$file"
    done
}

check_size() {
    sources | while IFS= read -r file; do
        lines=$(wc -l <"$file")
        if [ "$lines" -gt 600 ]; then
            printf '%s:%d: size: %d lines, at most 600 (better 500)\n' "$file" "$lines" "$lines"
        elif [ "$lines" -gt 500 ]; then
            printf 'warning: %s: size: %d lines: better at most 500\n' "$file" "$lines"
        fi
    done
    # A function starts with "{" and ends with "}" in the first column.
    grep -E '\.(c|cu)$' "$list" | tr '\n' '\0' | xargs -0 -r awk '
        FNR == 1 { start = 0 }
        /^\{/ { start = FNR }
        /^\}/ { if (start && FNR - start > 60)
                    printf "warning: %s:%d: size: function of %d lines: better at most 60\n", FILENAME, start, FNR - start
                start = 0 }'
}

# A folder is read in one sitting: its own source files, those of folders below it aside.
check_folders() {
    grep -E '\.(c|h|cu|cuh|def)$' "$list" | tr '\n' '\0' | xargs -0 -r awk '
        { folder = FILENAME; if (!sub("/[^/]*$", "", folder)) folder = "."; lines[folder]++ }
        END { for (folder in lines) if (lines[folder] > 4000)
                  printf "%s:1: folder: %d lines of source, at most 4000: make folders below it\n", folder, lines[folder] }'
}

# A tag with gsim_ means one thing in the whole house.
check_tags() {
    c_sources | tr '\n' '\0' | xargs -0 -r grep -nHoE '^(struct|union|enum) gsim_[a-z0-9_]+ \{' 2>/dev/null |
        awk -F: '{ tag = $3; sub(/ \{/, "", tag)
                   if (tag in first) printf "%s:%s: tag: \"%s\" is also defined in %s\n", $1, $2, tag, first[tag]
                   else first[tag] = $1 }'
}

check_todo() {
    sources | in_files todo '(^|[^A-Za-z0-9_])(TO''DO|FIX''ME|X''XX)([^A-Za-z0-9_]|$)' \
        'bare marker: write "NEEDSWORK: what, why"'
}

check_conflicts() { texts | in_files conflict '^(<<<<<<<|>>>>>>>) ' 'the mark of a merge that was not finished'; }

check_paths() {
    texts | in_files path '(^|[^A-Za-z0-9_.})-])/(work|root|farm|home|Users)/' 'a path of one machine'
}

# What each folder may include, beside itself: one line a folder, the deepest one that matches counts. "all" stands for
# every folder of the house. HOUSE: include <- base <- program, record <- platform <- device <- sm <- memory <- front <- host <- sim.
layers='
include          include
sim/base         include
sim/program      include sim/base
sim/record       include sim/base
sim/device       include sim/base sim/program
sim/sm           include sim/base sim/program sim/device
sim/platform     include sim/base sim/program sim/device sim/sm
sim/memory       include sim/base sim/program sim/device sim/sm sim/platform
sim/front        include sim/base sim/program sim/device sim/sm sim/platform sim/memory
sim/host         include sim/base sim/program sim/device sim/sm sim/platform sim/memory sim/front
sim/report       include sim/base sim/program sim/device
sim/task         include sim/base sim/program sim/device sim/sm sim/platform sim/memory sim/front sim/host
sim              include sim/base sim/program sim/device sim/sm sim/platform sim/memory sim/front sim/host sim/task
schedulers       include sim/base sim/program
workloads        include sim/base sim/program
traces           include sim/base sim/program sim/device sim/report sim
traces/import    include sim/base sim/program sim/device sim/report sim traces
traces/runner    include sim/base sim/program sim/report sim/device schedulers workloads traces cli
trust/validate   include sim/base sim/program sim/device sim/sm sim/report sim schedulers workloads traces traces/import
trust/calibrate  include sim/base sim/program sim/device sim/sm sim/report sim schedulers workloads traces traces/import trust/validate
trust/whatif     include sim/base sim/program sim/device sim/sm sim/report sim schedulers workloads traces traces/import trust/validate
trust/published  include sim/base sim/program sim/device sim/report sim schedulers workloads traces traces/import trust/validate
sweep            include sim/base sim/program sim/device sim/report sim schedulers workloads traces traces/import trust/validate
plots            include sim/base sim/program sim/device sim/report sim schedulers workloads traces traces/import trust/validate sweep
cli              all
tests            all
'
check_layering() {
    c_sources | tr '\n' '\0' | xargs -0 -r grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' 2>/dev/null |
        LAYERS=$layers awk '
        function folder(path) { # the deepest listed folder that holds the path
            while (sub("/[^/]*$", "", path)) if (path in may) return path
            return ""
        }
        BEGIN {
            count = split(ENVIRON["LAYERS"], lines, "\n")
            for (i = 1; i <= count; i++) if (split(lines[i], words, " ") > 1) {
                may[words[1]] = 1
                for (j = 2; j in words; j++) allowed[words[1], words[j]] = 1
            }
        }
        {
            split($0, parts, ":"); from = folder(parts[1]); match($0, "\"[^\"]+\""); path = substr($0, RSTART + 1, RLENGTH - 2)
            where = parts[1] ":" parts[2] ": layering: "
            if (path ~ "^gpusim/") path = "include/" path
            if (from == "") next
            if (path !~ "/") { if (from != "traces/runner" && path !~ "\\.inc$") print where "write include paths from the root"; next }
            to = folder(path)
            if (to != "" && to != from && !((from, to) in allowed) && !((from, "all") in allowed))
                print where from "/ may not include " to "/ (" path ")"
        }'
}

# Targets of [text](target) and of [text]: target.
check_links() {
    grep -E '\.md$' "$list" | while IFS= read -r file; do
        folder=$(dirname "$file")
        awk '/^```/ { code = !code } !code { line = $0; gsub(/`[^`]*`/, "", line)
             if (match(line, /^\[[^]]+\]: /)) { print FNR "\t" substr(line, RLENGTH + 1); next }
             while (match(line, /\]\([^)]+\)/)) {
                 print FNR "\t" substr(line, RSTART + 2, RLENGTH - 3); line = substr(line, RSTART + RLENGTH) } }' "$file" |
            while IFS="$(printf '\t')" read -r number target; do
                case $target in http://* | https://* | mailto:* | '#'*) continue ;; esac
                part=${target#*#}
                [ "$part" != "$target" ] || part=''
                target=${target%%#*}
                if [ ! -e "$folder/$target" ]; then
                    printf '%s:%s: link: no file "%s"\n' "$file" "$number" "$target"
                elif [ -n "$part" ] && ! headings "$folder/$target" | grep -qxF -e "$part"; then
                    printf '%s:%s: link: "%s" has no heading "%s"\n' "$file" "$number" "$target" "$part"
                fi
            done
    done
}
headings() { # as a link names them
    sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr '[:upper:] ' '[:lower:]-' | sed 's/[^a-z0-9_-]//g'
}

# A path in backticks with a folder of ours exists: `sim/sm/gpu.{h,c}`, `traces/h200/runs-*.json.gz`. NAME stands for any name.
check_mentions() {
    grep -E '\.md$' "$list" | tr '\n' '\0' | xargs -0 -r awk '
        function each(path,  at, end, parts, count, i) { # one line for each way to read {a,b}
            at = index(path, "{"); end = index(path, "}")
            if (!at || end < at) { print FILENAME ":" FNR "\t" path; return }
            count = split(substr(path, at + 1, end - at - 1), parts, ",")
            for (i = 1; i <= count; i++) each(substr(path, 1, at - 1) parts[i] substr(path, end + 1))
        }
        FNR == 1 { code = 0 }
        /^```/ { code = !code }
        !code {
            line = $0
            while (match(line, /`[^`]+`/)) {
                text = substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH)
                if (text ~ /^(cli|cmake|docs|include|man|models|plots|schedulers|sim|sweep|tests|traces|trust|workloads)\/[^ ]*$/ &&
                    text !~ /[A-Z][A-Z]/) each(text)
            }
        }' | while IFS="$(printf '\t')" read -r place path; do
        # shellcheck disable=SC2086 # a pattern stands for the files that it matches
        set -- $path
        [ -e "$1" ] || printf '%s: mention: no file "%s"\n' "$place" "$path"
    done
}

check_lines() {
    LC_ALL=C.UTF-8 grep -nHE '^.{121,}' $(grep -E '\.md$' "$list") /dev/null | cut -d: -f1-2 | sed 's/$/: line: longer than 120 characters/'
    [ ! -e README.md ] || [ "$(wc -l <README.md)" -le 130 ] || printf 'README.md:131: size: at most 130 lines\n'
}

# tests/FOLDER/test_MODULE.c stands for FOLDER/MODULE.{c,h}. Beside them: folders that test no single module, and
# property (all modules of a folder on random input) and external (plug-ins).
check_mirror() {
    grep -E '^tests/.*/test_[^/]*\.c$' "$list" |
        grep -vE '^tests/(contract|fuzz|golden|style)/|/test_(property|external)\.c$' |
        while IFS= read -r file; do
            module=$(printf '%s' "$file" | sed 's|^tests/||; s|test_\([^/]*\)\.c$|\1|')
            [ -e "$module.c" ] || [ -e "$module.h" ] || [ -e "$module.def" ] ||
                printf '%s:1: mirror: there is no module %s.{c,h,def}\n' "$file" "$module"
        done
}

for rule in simgrid spdx size folders tags todo conflicts paths layering links mentions lines mirror; do "check_$rule"; done >"$found"
cat "$found"
offences=$(grep -cv '^warning:' "$found")
printf 'style: %d files, %d offences\n' "$(wc -l <"$list")" "$offences"
[ "$offences" = 0 ]
