#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# "gpusim explain" and "gpusim whatif" as a user runs them: sums, the same numbers in every form, refusals, and what was measured on an
# H100 where the recordings are there: test_whatif_command.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
source=$(cd "$1" && pwd)
measured=$source/../shared/data/h100
refuses() { # refuses MESSAGE ARGUMENTS...
    message=$1
    shift
    "$gpusim" "$@" >out 2>err
    status=$?
    [ $status = 2 ] && grep -qF -- "$message" err || fail "$*: exit $status, '$(cat err)', expected 2, '$message'"
}
refuses 'expected gpusim whatif TRACE|PROGRAM|WORKLOAD' whatif
refuses "cannot read 'none.json': No such file or directory" explain none.json
refuses "cannot read './none': No such file or directory" whatif ./none
refuses "unknown workload 'frontie'" explain frontie
refuses "schedule needs the whole program beforehand, and 'frontier' is drawn while it runs" schedule frontier
refuses "--change device=nosuch: unknown device 'nosuch': expected a path or one of a100-pcie-40gb, " whatif vec --change device=nosuch
[ ! -s out ] || fail "whatif of an unknown device prints: $(head -n 2 out)"
refuses "--change device=nosuch: unknown device 'nosuch'" whatif vec --change graph+device=nosuch
for name in brax resnet18; do # a generator, a service
    "$gpusim" explain $name --device h200 >out 2>err || fail "explain $name: $(cat err)"
    grep -q "^$name under async on h200" out || fail "explain $name: $(head -n 3 out)"
done
refuses "unknown change 'graphs'" whatif vec --change graphs
refuses "--step: applies to profilers' traces, not to a built-in workload" explain vec --step 1
refuses '--profiler-overhead: expected keep or remove' explain "$source/traces/h200/kineto/kineto_resnet18.json.gz" --profiler-overhead some

# 40 kernels of 5 us that the host waits for one by one without need.
awk 'BEGIN {
    print "{\"schema\": \"gpusim-program/1\", \"name\": \"waits\", \"buffers\": [],"
    print " \"kernels\": [{\"name\": \"k\", \"regs_per_thread\": 32, \"solo_us\": 5}], \"ops\": ["
    for (i = 0; i < 40; i++) {
        print "  {\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [8, 1, 1], \"block\": [128, 1, 1], \"stream\": 0},"
        printf "  {\"op\": \"host_compute\", \"us\": 1, \"after\": [%d]}%s\n", 2 * i, i < 39 ? "," : ""
    }
    print " ], \"iterations\": 1}" }' >waits.json
"$gpusim" explain waits.json --device h200 --csv - >waits.csv 2>err || fail "explain: $(cat err)"
sum=$(awk -F, 'NR > 1 { sum += $(NF - 1) } END { printf "%.3f", sum }' waits.csv)
"$gpusim" explain waits.json --device h200 --json waits-why.json >why.txt 2>err || fail "explain --json: $(cat err)"
total=$(sed -n 's/.*"makespan_us": \([0-9.]*\).*/\1/p' waits-why.json)
awk "BEGIN { exit !($total > 200 && ($sum - $total)^2 < 1e-4) }" || fail "the shares add up to $sum of $total us"
first=$(awk '/^GPU idle/ { getline; print; exit }' why.txt)
case $first in *'waited for a result'*) ;; *) fail "the first cause is '$first', expected that the host waited for results" ;; esac

"$gpusim" whatif waits.json --device h200 --csv table.csv --json table.json >table.txt 2>err || fail "whatif: $(cat err)"
now=$(awk -F, '$1 == "now" { print $2 }' table.csv)
nosync=$(awk -F, '$1 == "nosync" { print $2 }' table.csv)
awk "BEGIN { exit !($nosync > 200 && $nosync < 0.8 * $now) }" || fail "nosync: $nosync of $now us"
grep -q '^nosync ' table.txt && grep -q '"change": "nosync"' table.json || fail "nosync is not in every form"
# The command of a row shows that run.
command=$(sed -n 's/^each by itself: gpusim \(explain.*\) CHANGE$/\1 nosync/p' table.txt)
# shellcheck disable=SC2086 # words
"$gpusim" $command --csv - 2>err >one.csv || fail "$command: $(cat err)"
alone=$(awk -F, 'NR > 1 { sum += $(NF - 1) } END { printf "%.3f", sum }' one.csv)
awk "BEGIN { exit !(($alone - $nosync)^2 < 1e-3 * $nosync) }" || fail "'gpusim $command' takes $alone us, the table says $nosync"
# So does that of the first row: an iteration as it repeats, which the first of img is not.
"$gpusim" whatif img --change launch=2x --csv img.csv >img.txt 2>err || fail "whatif img: $(cat err)"
now=$(awk -F, '$1 == "now" { print $2 }' img.csv)
for command in "$(sed -n 's/^each by itself: gpusim \(explain.*\) CHANGE$/\1 now/p' img.txt)" "$(sed -n 's/^now,.*,gpusim \(explain.*\)$/\1/p' img.csv)"; do
    # shellcheck disable=SC2086 # words
    alone=$("$gpusim" ${command:-none} 2>err | awk '$1 == "all" { print $2 }')
    awk "BEGIN { exit !($now > 1000 && (${alone:-0} - $now)^2 < 1e-3) }" || fail "'gpusim $command' takes $alone us, the table says $now"
done
# No reason for idleness that is 0.0 %, a reason for more.
"$gpusim" whatif vec --sched serial --device a100-pcie-40gb --memory pageable --change link=2x >idle.txt 2>err
grep -q 'idle for 0\.0 % of the time$' idle.txt && ! grep -q 'most of its idle time' idle.txt || fail "vec: $(cat idle.txt)"
grep -q 'idle for 0\.2 % of the time$' img.txt && grep -q '^most of its idle time: host late: launch calls$' img.txt || fail "img: $(sed -n 2p img.txt)"
# Idle stretches of an iteration that repeats begin within it; those alike are a line.
awk 'BEGIN { print "{\"schema\": \"gpusim-program/1\", \"name\": \"late\", \"buffers\": [],"
    print " \"kernels\": [{\"name\": \"k\", \"regs_per_thread\": 32, \"solo_us\": 5}], \"ops\": ["
    for (i = 0; i < 3; i++) {
        printf "  {\"op\": \"host_compute\", \"us\": %d},\n", i == 1 ? 300 : 100
        printf "  {\"op\": \"kernel\", \"kernel\": \"k\", \"grid\": [8, 1, 1], \"block\": [128, 1, 1], \"stream\": 0}%s\n", i < 2 ? "," : ""
    }
    print " ], \"iterations\": 1}" }' >late.json
"$gpusim" explain late.json --device h200 --change now --json late-why.json >late.txt 2>err || fail "explain late: $(cat err)"
sed -n '/^longest idle/,$p' late.txt | awk 'NR > 1 { for (i = 1; i <= NF; i++) if ($i == "at") print $(i + 1) } NR == 2 && ($1 < 290 || $1 > 305) { print "first " $0 }' >times.txt
total=$(awk '$1 == "all" { print $2 }' late.txt)
awk -v total="$total" '!/^[0-9.]*$/ || $1 > total { exit 1 }' times.txt && [ -s times.txt ] || fail "idle stretches of $total us: $(cat late.txt)"
grep -o '"end_us": [0-9.]*' late-why.json | awk -v total="$total" '$2 > total + 1e-3 { bad = 1 } END { exit bad || !NR }' || fail "stretches in JSON end behind $total us"
"$gpusim" explain waits.json --device h200 >alike.txt 2>err || fail "explain waits: $(cat err)"
sed -n '/^longest idle/,$p' alike.txt | sed '1d; s/^  \([0-9]* x \)*\([0-9.]* us\).* before/\2 before/' | sort | uniq -d >twice.txt
[ ! -s twice.txt ] && grep -q '^  [0-9][0-9] x [0-9.]* us, the first at ' alike.txt || fail "idle stretches: $(sed -n '/^longest/,$p' alike.txt)"
"$gpusim" whatif waits.json --device h200 --jobs 1 --csv - >other.csv 2>/dev/null
cmp -s table.csv other.csv || { sed 's/ --jobs 1//' other.csv >plain.csv; cmp -s table.csv plain.csv || fail "other numbers with one job"; }
if command -v gnuplot >/dev/null; then
    "$gpusim" whatif waits.json --device h200 --change nosync,graph -o tornado.svg >/dev/null 2>err && grep -q nosync tornado.svg || fail "picture: $(cat err)"
fi

# A page of each.
"$gpusim" explain waits.json --device h200 --change graph --json graph-why.json --trace why-trace.json >/dev/null 2>err || fail "explain --trace: $(cat err)"
grep -q '"cat":"explanation".*"name":"host late' why-trace.json || fail 'no track of causes in the trace'
"$gpusim" report waits-why.json -o why.html 2>err && grep -q 'host late: waited for a result' why.html || fail "page of explain: $(cat err)"
"$gpusim" report table.json -o table.html 2>err && grep -q -- '--change nosync' table.html || fail "page of whatif: $(cat err)"

# The picture of docs/questions.md is the one that its command draws.
if command -v gnuplot >/dev/null; then
    here=$source/traces/h100/whatif
    "$gpusim" whatif "$here/kineto_branchy_b16.json.gz" --execution-trace "$here/et_branchy_b16.json.gz" -o drawn.svg >/dev/null 2>err || fail "$(cat err)"
    for picture in drawn.svg "$source/docs/figures/whatif.svg"; do grep -o '<text>[a-z][^<]*' "$picture" | sed 's/.*>//; s/[0-9]//g' | sort >"labels-$(basename "$picture")"; done
    [ "$(wc -l <labels-drawn.svg)" -ge 8 ] && cmp -s labels-drawn.svg labels-whatif.svg || fail "docs/figures/whatif.svg is another picture: $(diff labels-drawn.svg labels-whatif.svg)"
fi

# Shapes of public reports: the right cause comes first, the right change is worth most.
program() { # program NAME, awk statements that print ops
    awk -v name="$1" "function kernel(k, grid, stream) { printf \"%s  {\\\"op\\\": \\\"kernel\\\", \\\"kernel\\\": \\\"%s\\\", \\\"grid\\\": [%d, 1, 1], \\\"block\\\": [256, 1, 1], \\\"stream\\\": %d}\", (n++ ? \",\\n\" : \"\"), k, grid, stream }
        function host(us) { printf \"%s  {\\\"op\\\": \\\"host_compute\\\", \\\"us\\\": %g, \\\"overhead\\\": true}\", (n++ ? \",\\n\" : \"\"), us }
        BEGIN { printf \"{\\\"schema\\\": \\\"gpusim-program/1\\\", \\\"name\\\": \\\"%s\\\", \\\"buffers\\\": [], \\\"kernels\\\": [\", name
            print \"{\\\"name\\\": \\\"short\\\", \\\"solo_us\\\": 6.16, \\\"regs_per_thread\\\": 32}, {\\\"name\\\": \\\"full\\\", \\\"solo_us\\\": 500, \\\"regs_per_thread\\\": 64},\"
            print \"{\\\"name\\\": \\\"matmul\\\", \\\"solo_us\\\": 2.5, \\\"regs_per_thread\\\": 64}], \\\"ops\\\": [\"
            $2
            print \" ], \\\"iterations\\\": 1}\" }" >"$1.json"
}
first_of() { awk '/^GPU idle/ { idle = $3 } /^GPU busy/ { busy = $3 } /^GPU idle/ { getline; if (idle > busy) { print; exit } }
    /why no further kernel ran/ { getline; print; exit }' "$1"; }
# 1,185 launches of 7.3 ms of kernels that take 53.7 ms.
program eager 'for (i = 0; i < 1185; i++) { host(42.4); kernel("short", 16, 0) }'
"$gpusim" explain eager.json --device h200 >eager.txt 2>err || fail "eager: $(cat err)"
case $(first_of eager.txt) in *'framework between calls'*) ;; *) fail "eager: the first cause is '$(first_of eager.txt)'" ;; esac
"$gpusim" whatif eager.json --device h200 --csv eager.csv >eager-table.txt 2>err || fail "eager: $(cat err)"
awk -F, '$1 == "now" && ($2 < 51000 || $2 > 56000) { bad = 1 } $1 == "graph" && ($2 < 7300 || $2 > 12000) { bad = 1 }
    $1 ~ /^(hw_queues|priorities|streams)/ && $2 != "" { bad = 1 } NR == 3 && $1 != "graph" && $1 !~ /graph/ { bad = 1 } END { exit bad }' eager.csv ||
    fail "eager: $(cat eager.csv)"
grep -q 'host-bound' eager-table.txt || fail 'eager: not called host-bound'
# Two instances that fill the GPU each: nothing of the host or of streams helps.
program instances 'for (i = 0; i < 40; i++) kernel("full", 4000, i % 2)'
"$gpusim" explain instances.json --device h200 >instances.txt 2>err || fail "instances: $(cat err)"
case $(first_of instances.txt) in *'no room'*) ;; *) fail "instances: the first cause is '$(first_of instances.txt)'" ;; esac
"$gpusim" whatif instances.json --device h200 --csv instances.csv >instances-table.txt 2>err || fail "instances: $(cat err)"
awk -F, '$1 ~ /^(graph|launch|hw_queues|priorities|nosync|fuse)/ && $4 > 3 { bad = 1 } END { exit bad }' instances.csv || fail "instances: $(cat instances.csv)"
grep -q 'GPU-bound' instances-table.txt || fail 'instances: not called GPU-bound'
# Matrix products of 100 x 100 on eight streams: each is over before the next one is launched.
program products 'for (i = 0; i < 400; i++) kernel("matmul", 16, i % 8)'
"$gpusim" explain products.json --device h200 >products.txt 2>err || fail "products: $(cat err)"
case $(sed -n '/could overlap more/ { n; n; p; q; }' products.txt) in *'the host launches late'*) ;; *) fail "products: $(sed -n '/could overlap/,/^$/p' products.txt)" ;; esac

# What was measured: eager and graph of six models, from their eager traces.
[ -d "$measured/whatif" ] || exit $failures
for model in googlenet_b1 resnet50_b1 mobilenet_v2_b1 gpt_decode encoder_b8 branchy_b1; do
    "$gpusim" whatif "$measured/whatif/kineto_$model.json.gz" --change graph --csv - 2>/dev/null |
        awk -F, -v model=$model '$1 == "now" || $1 == "graph" { print model, $1, $2 }'
    awk -v model=$model '$0 ~ "\"" model "\"" { found = 1 } found && /eager_us|graph_us/ { kind = /eager/ ? "now" : "graph" }
        found && /p50/ { gsub(/[^0-9.]/, "", $2); print model, "measured-" kind, $2; if (++n == 2) exit }' "$measured/whatif/whatif.json"
done >found.txt
awk '{ value[$1, $2] = $3; models[$1] = 1 }
    END { for (m in models) for (k = 0; k < 2; k++) {
              kind = k ? "graph" : "now"; error = value[m, kind] / value[m, "measured-" kind] - 1
              sum[kind] += error < 0 ? -error : error; count[kind]++ }
          printf "eager %.1f %%, graph %.1f %%\n", 100 * sum["now"] / count["now"], 100 * sum["graph"] / count["graph"]
          exit !(count["now"] == 6 && sum["now"] / 6 < 0.15 && sum["graph"] / 6 < 0.08) }' found.txt || fail "mean errors"
# The same from the graphs' own traces.
for model in googlenet_b1 resnet50_b1 mobilenet_v2_b1 gpt_decode encoder_b8 branchy_b1; do
    "$gpusim" whatif "$measured/whatif/kineto_graph_$model.json.gz" --change launch=2x --csv - 2>/dev/null | awk -F, -v model=$model '$1 == "now" { print model, $2 }'
    grep "^$model measured-graph" found.txt
done >graphs.txt
awk 'NF == 2 { got[$1] = $2 } NF == 3 { error = got[$1] / $3 - 1; sum += error < 0 ? -error : error; if (error > 0.2 || error < -0.2) bad = 1; n++ }
    END { printf "graphs from their traces %.1f %%\n", 100 * sum / n; exit !(n == 6 && sum / n < 0.08 && !bad) }' graphs.txt || fail 'graphs from their own traces'

# Branches: one stream, and each on a stream of its own.
while read -r model one branches; do
    "$gpusim" whatif "$measured/branches/kineto_$model.json.gz" --execution-trace "$measured/branches/et_$model.json.gz" --change graph,dag --csv - 2>/dev/null |
        awk -F, -v model="$model" -v one="$one" -v branches="$branches" '$1 == "graph" { print "graph", $2 / one - 1 } $1 == "dag" { print "dag", $2 / branches - 1 }'
done >branches.txt <<END
googlenet_b1 906.9 562.9
inception_v3_b8 3358.7 2693.2
branchy_b1 503.2 179.2
branchy_b16 1927.8 1870.2
END
awk '{ sum[$1] += $2 < 0 ? -$2 : $2; n[$1]++; if ($2 > 0.2 || $2 < -0.2) bad = 1 }
    END { printf "branches: one stream %.1f %%, own streams %.1f %%\n", 100 * sum["graph"] / n["graph"], 100 * sum["dag"] / n["dag"]
          exit !(n["graph"] == 4 && n["dag"] == 4 && sum["graph"] / 4 < 0.08 && sum["dag"] / 4 < 0.1 && !bad) }' branches.txt || fail "branches: $(cat branches.txt)"
exit $failures
