# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of check.sh, each a function: reads the files named on standard input, one a line, each once.
#   each_line   the rules about one line of a file;  each_file   those about a file;  END   those about files together
# Needs no more than POSIX awk: characters beyond ASCII are counted by characters().

function offence(place, rule, what) { printf "%s: %s: %s\n", place, rule, what; offences++ }
function folder_of(path) { return sub(/\/[^\/]*$/, "", path) ? path : "." }

# --- what each folder may include ---
function read_layers(file,  line, words, count, i, j) {
    while ((getline line <file) > 0) {
        if (line ~ /^#/ || (count = split(line, words, " ")) < 2) continue
        if (words[1] != "chain") {
            layer[words[1]] = 1
            for (j = 2; j <= count; j++) may[words[1], words[j]] = 1
        } else for (i = 2; i <= count; i++) {
            layer[words[i]] = 1
            for (j = 2; j < i; j++) may[words[i], words[j]] = 1
        }
    }
}
function layer_of(path) {
    while (sub(/\/[^\/]*$/, "", path)) if (path in layer) return path
    return ""
}
function check_include(path,  from, to) {
    if (path ~ /^gpusim\//) path = "include/" path
    from = layer_of(file)
    if (from == "") return
    if (path !~ /\//) {
        if (from != "traces/runner" && path !~ /\.inc$/) offence(place, "layering", "write include paths from the root")
        return
    }
    to = layer_of(path)
    if (to != "" && to != from && !((from, to) in may) && !((from, "all") in may))
        offence(place, "layering", from "/ may not include " to "/ (" path ")")
}

# --- C: SimGrid's headers, layers, tags, long functions ---
function c_line(line,  tag, said) {
    if (length(line) > 120 && characters(line) > 120) offence(place, "line", "longer than 120 characters")
    if (file !~ /^tests\/|^sim\/base\/whole.h$/ && casts_number(line)) offence(place, "cast", "a number of others: by sim/base/whole.h")
    if (line ~ /[A-Z]_[A-Z]/ && line !~ /^ ?(\/?\*)/) find_constants(line)
    if (file ~ /\.h$/) header_line(line)
    if (match(line, /Layer: [a-z\/]+/) && file !~ /^(include|tests|examples)\//) { # a reader's guide: it names the folder, or one above
        said = substr(line, RSTART + 7, RLENGTH - 7)
        if (index(folder_of(file) "/", said "/") != 1) offence(place, "layer", "says \"" said "\", and lies in " folder_of(file))
    }
    if (line ~ /^[ \t]*#[ \t]*include[ \t]*[<"]/) {
        if (line ~ /[<"](simgrid|xbt)/ && file != "sim/platform/simgrid.c")
            offence(place, "simgrid", "SimGrid headers are for sim/platform/simgrid.c and wires.cc only")
        if (match(line, /"[^"]+"/)) check_include(substr(line, RSTART + 1, RLENGTH - 2))
    } else if (line ~ /^[ \t]*(struct|union|enum) gsim_[a-z0-9_]+ \{/ || line ~ /^typedef .* gsim_[a-z0-9_]+;/) {
        tag = line; sub(/( \{|;).*/, "", tag); sub(/.* /, "", tag) # a tag, or a type, means one thing in the whole house
        if (tag in defined) offence(place, "tag", "\"" tag "\" is also defined in " defined[tag])
        else defined[tag] = file
    } else if (line ~ /^\{/) body = number # a function starts with "{" and ends with "}" in the first column
    else if (line ~ /^\}/) {
        if (body && number - body > 60 && file !~ /\.(h|def)$/)
            printf "warning: %s:%d: size: function of %d lines: better at most 60\n", file, body, number - body
        body = 0
    }
}

# --- numbers that files and users give are made integers by sim/base/whole.h alone ---
function casts_number(line) {
    if (line ~ /^}/) has_double = 0
    if (line ~ /(^|[^a-z_])double [^;({]*numbers?[^a-z_]/) has_double = 1
    if (line ~ /[.>]valueint([^a-z]|$)/) return 1
    if (!match(line, /\((u?int(8|16|32|64)_t|int|unsigned|long|unsigned long|size_t|gsim_time)\)\(?/)) return 0
    line = substr(line, RSTART + RLENGTH)
    return line ~ /^[a-z_.>-]*valuedouble/ || line ~ /^(strtod|[a-z_]*number[a-z_]*|atof)\(/ ||
           (has_double && line ~ /^numbers?([^a-z_(]|$)/)
}

# --- a header's comment of functions: a word in capitals is a parameter of theirs, a macro or an enumerator ---
# In quotes, and in a longer text (NAME.json, FROM:TO, NAME=VALUE, $NAME), it is not.
function shouts(text,  word, before, after) {
    gsub(/"[^"]*"/, "", text)
    while (match(text, /[A-Za-z0-9_]+/)) {
        word = substr(text, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
        text = substr(text, RSTART + RLENGTH); after = substr(text, 1, 2)
        if (word ~ /^[A-Z][A-Z0-9_]*[A-Z][A-Z0-9_]*$/ && before !~ /[$.:\/=+-]/ && after !~ /^([:\/.+][A-Za-z]|=)/ &&
            !(word in acronym) && word !~ /^(UINT|SIG|CUDA_|CLOCK_)/) shouted = shouted " " word
    }
}
function find_constants(line) { # whatever has a name in capitals in the code
    sub(/\/\*.*/, "", line)
    while (match(line, /[A-Z][A-Z0-9]*_[A-Z0-9_]+/)) {
        constant[substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}
function judge_comment(  words, count, i) {
    if (declared ~ /\(/ && declared !~ /^ *(struct|enum|union) [a-z0-9_]+ *\{/) {
        gsub(/[^A-Za-z0-9_]+/, " ", declared)
        count = split(shouted, words, " ")
        for (i = 1; i <= count; i++) if (!index(declared " ", " " tolower(words[i]) " ")) {
            unknown[++count_of_unknown] = words[i]; unknown_place[count_of_unknown] = comment_place
        }
    }
    shouted = declared = ""
}
function header_line(line,  at) {
    if (in_comment || line ~ /^\/\*/) {
        if (declared != "") judge_comment()
        if (!in_comment) { comment_place = place; shouted = "" }
        at = index(line, "*/"); in_comment = !at
        shouts(at ? substr(line, 1, at - 1) : line)
    } else if (line ~ /^[ \t]*$|^[#}]/) judge_comment()
    else { sub(/\/\*.*/, "", line); declared = declared " " line }
}

# --- documents: links, mentions of files, long lines ---
function remember(kind, what) {
    claim[++count_of_claims] = what
    claim_kind[count_of_claims] = kind; claim_place[count_of_claims] = place; claim_file[count_of_claims] = file
}
function mention(path,  at, end, parts, count, i) { # one claim for each way to read {a,b}
    at = index(path, "{"); end = index(path, "}")
    if (!at || end < at) { remember("mention", path); return }
    count = split(substr(path, at + 1, end - at - 1), parts, ",")
    for (i = 1; i <= count; i++) mention(substr(path, 1, at - 1) parts[i] substr(path, end + 1))
}
function characters(line) { gsub(/[\200-\277]/, "", line); return length(line) }
function document_line(line,  text, rest) {
    if (length(line) > 120 && characters(line) > 120) offence(place, "line", "longer than 120 characters")
    if (line ~ /^```/) { code = !code; return }
    if (code) return
    if (line ~ /^##* /) { # as a link names it
        text = tolower(line)
        sub(/^##* /, "", text); gsub(/ /, "-", text); gsub(/[^a-z0-9_-]/, "", text)
        heading[file, text] = 1
    }
    rest = line
    while (match(rest, /`[^`]+`/)) {
        text = substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH)
        if (text ~ /^[a-z]+\/[^ ]*$/ && text !~ /[A-Z][A-Z]/ && substr(text, 1, index(text, "/") - 1) in ours) mention(text)
    }
    gsub(/`[^`]*`/, "", line)
    if (match(line, /^\[[^]]+\]: /)) { remember("link", substr(line, RLENGTH + 1)); return }
    while (match(line, /\]\([^)]+\)/)) {
        remember("link", substr(line, RSTART + 2, RLENGTH - 3)); line = substr(line, RSTART + RLENGTH)
    }
}

# Is there a file or a folder PATH, in which * stands for any name? Paths have no "." and ".." then.
function plain(path,  parts, count, i, depth, out) {
    count = split(path, parts, "/")
    for (i = 1; i <= count; i++) {
        if (parts[i] == ".." && depth) depth--
        else if (parts[i] != "." && parts[i] != "") out[++depth] = parts[i]
    }
    path = depth ? out[1] : "."
    for (i = 2; i <= depth; i++) path = path "/" out[i]
    return path
}
function exists(path,  regex, other) {
    path = plain(path)
    if (path in there) return 1
    if (path !~ /[*?]/) return 0
    regex = path
    gsub(/[.+()\[\]^$|{}\\]/, "\\\\&", regex); gsub(/\*/, "[^/]*", regex); gsub(/\?/, "[^/]", regex)
    regex = "^" regex "$"
    for (other in there) if (other ~ regex) return 1
    return 0
}
function check_claim(i,  target, part, path) {
    place = claim_place[i]; target = claim[i]
    if (claim_kind[i] == "mention") {
        if (!exists(target)) offence(place, "mention", "no file \"" target "\"")
        return
    }
    if (target ~ /^(https?:\/\/|mailto:|#)/) return
    part = ""
    if (match(target, /#/)) { part = substr(target, RSTART + 1); target = substr(target, 1, RSTART - 1) }
    path = folder_of(claim_file[i]) "/" target
    if (!exists(path)) offence(place, "link", "no file \"" target "\"")
    else if (part != "" && !((plain(path), part) in heading))
        offence(place, "link", "\"" target "\" has no heading \"" part "\"")
}

# --- every file ---
function each_file(  is_source, is_text, is_c, is_document, line, licence, module, path) {
    for (path = file; path != "."; path = folder_of(path)) there[path] = 1
    is_source = file ~ /\.(c|h|def|cu|cuh|sh|py|gp|awk|cmake)$|(^|\/)CMakeLists\.txt$|^gpusim$|^\.ci\/run$/
    is_text = is_source || file ~ /\.(md|json|txt|1|yml)$|(^|\/)(\.gitignore|\.clang-format)$/
    is_c = file ~ /\.(c|h|cu|cuh|def)$/
    is_document = file ~ /\.md$/
    if (file ~ /^tests\/.*\/test_[^\/]*\.c$/) tests[++count_of_tests] = file
    if (!is_text) return
    number = body = code = licence = in_comment = has_double = 0
    shouted = declared = ""
    while ((getline line <file) > 0) {
        place = file ":" ++number
        if (number <= 3 && index(line, "SPDX-License-Identifier: GPL-3.0-or-later")) licence = 1
        if (line ~ /^(<<<<<<<|>>>>>>>) /) offence(place, "conflict", "the mark of a merge that was not finished")
        if (line ~ /(^|[^A-Za-z0-9_.})-])\/(work|root|farm|home|Users)\//) offence(place, "path", "a path of one machine")
        if (is_source && line ~ /TO[D]O|FI[X]ME|X[X]X/ && line ~ /(^|[^A-Za-z0-9_])(TO[D]O|FI[X]ME|X[X]X)([^A-Za-z0-9_]|$)/)
            offence(place, "todo", "bare marker: write \"NEEDSWORK: what, why\"")
        if (is_c) c_line(line)
        if (is_document) document_line(line)
    }
    close(file)
    judge_comment()
    if (file == "README.md" && number > 130) offence(file ":131", "size", "at most 130 lines")
    if (!is_source) return
    if (!licence) offence(file ":1", "spdx", "no \"SPDX-License-Identifier: GPL-3.0-or-later\" in the first three lines")
    if (number > 600) offence(file ":" number, "size", number " lines, at most 600 (better 500)")
    else if (number > 500) printf "warning: %s: size: %d lines: better at most 500\n", file, number
    if (is_c) folder_lines[folder_of(file)] += number
}

# tests/FOLDER/test_MODULE.c stands for FOLDER/MODULE.{c,h}. Beside them: folders that test no single module, and
# property (all modules of a folder on random input) and external (plug-ins).
function check_mirror(test,  module) {
    if (test ~ /^tests\/(contract|fuzz|golden|style)\// || test ~ /\/test_(property|external)\.c$/) return
    module = test
    sub(/^tests\//, "", module); sub(/\.c$/, "", module); sub(/test_/, "", module)
    if (!(module ".c" in there || module ".h" in there || module ".def" in there))
        offence(test ":1", "mirror", "there is no module " module ".{c,h,def}")
}

BEGIN {
    read_layers(layers)
    count = split("ABI API ASCII CPU CSV CUDA CUPTI DAG DRAM GB GPC GPU GSL HIP ID INFINITY IPC JSON KB LANG MB MIG MPS NAN NCCL NUL NULL " \
                  "NVIDIA NVML OOPSLA PCI RFC SM SQL SVG US UTF", words, " ")
    for (i = 1; i <= count; i++) acronym[words[i]] = 1
    for (folder in layer) { sub(/\/.*/, "", folder); ours[folder] = 1 }
    ours["cmake"] = ours["docs"] = ours["examples"] = ours["man"] = ours["models"] = 1
}
{ file = $0; files++; each_file() }
END {
    # A folder is read in one sitting: its own source files, those of folders below it aside.
    for (folder in folder_lines) if (folder_lines[folder] > 4000)
        offence(folder ":1", "folder", folder_lines[folder] " lines of source, at most 4000: make folders below it")
    for (i = 1; i <= count_of_claims; i++) check_claim(i)
    for (i = 1; i <= count_of_unknown; i++) if (!(unknown[i] in constant))
        offence(unknown_place[i], "parameter", "\"" unknown[i] "\" is no parameter, macro or enumerator")
    for (i = 1; i <= count_of_tests; i++) check_mirror(tests[i])
    printf "style: %d files, %d offences\n", files, offences
    exit offences != 0
}
