#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every command with an operand too few, too many or unknown: exit status 2, one line that says what was expected, nothing on
# the standard output and no file. test_operands.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
program='{"schema": "gpusim-program/1", "name": "p", "kernels": [{"name": "k", "solo_us": 9}], "ops": [{"op": "kernel", "kernel": "k", "grid": [4], "block": [64]}]}'
echo "$program" >p.json
"$gpusim" sweep --workload p.json --sched serial --vary seed=1:2 --out r.db >out 2>err || fail "sweep: $(cat err)"
rows=0
while IFS='|' read -r arguments text; do
    rows=$((rows + 1))
    # shellcheck disable=SC2086
    "$gpusim" $arguments >out 2>err
    status=$?
    [ $status = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$text" err ||
        fail "gpusim $arguments: status $status, expected 2 and one line with \"$text\", found: $(cat out err)"
done <<EOF
run extra --workload p.json --sched serial|unexpected argument 'extra' (see gpusim run --help)
compare extra --workload p.json --sched serial|unexpected argument 'extra' (see gpusim compare --help)
list devices v100 extra|unexpected argument 'extra' (see gpusim list --help)
list nonsense|cannot list 'nonsense': expected workloads, schedulers, placements
sweep a.json b.json|unexpected argument 'b.json' (see gpusim sweep --help)
results r.db extra|unexpected argument 'extra': one results file at a time
results merge r.db|no output: expected gpusim results merge -o FILE FILE...
results merge -o m.db|nothing to merge: expected gpusim results merge -o FILE FILE...
results|expected
report r.db extra -o x.html|expected one file, found 2 (see gpusim report --help)
report -o x.html|expected one file, found 0 (see gpusim report --help)
reproduce mega extra|unexpected argument 'extra' (see gpusim reproduce --help)
sensitivity extra --workload p.json --sched serial|unexpected argument 'extra' (see gpusim sensitivity --help)
completion bash extra|unexpected argument 'extra' (see gpusim completion --help)
completion|completion: expected bash or zsh, found nothing
completion fish|completion: expected bash or zsh, found fish
explain p.json extra|cannot read 'p.json': expected a trace that says its rank
explain|nothing to look at: expected gpusim explain TRACE|PROGRAM|WORKLOAD
whatif p.json extra|cannot read 'p.json': expected a trace that says its rank
whatif|nothing to look at: expected gpusim whatif TRACE|PROGRAM|WORKLOAD
serve a b|unexpected argument 'b' (see gpusim serve --help)
serve|nothing to serve: expected gpusim serve SPEC.json
step a.json|expected gpusim step SPEC.json KIND SIZE, or gpusim step SPEC.json --listen
schedule|nothing to schedule: expected gpusim schedule
ablate|ablate: expected [DEVICE=]FILE..., found nothing
plot lines|lines: expected a file behind it (see gpusim plot --help)
plot nonsense r.db|unknown figure 'nonsense': expected speedup, lines, heatmap, scatter, box, timeline
plot lines r.db extra -o x.svg|extra
import kineto p.json|no output: expected -o FILE (see gpusim import --help)
import|expected FILE, found nothing (see gpusim import --help)
import nonsense p.json -o x.json|nonsense
calibrate|nothing to calibrate from: expected a probe file, recorded runs or profilers' traces
validate nofile.json|cannot read 'nofile.json': No such file or directory
nonsense|unknown command 'nonsense' (see gpusim --help)
--nonsense|unknown option '--nonsense' (see gpusim run --help)
--workload|expected
--workload p.json|expected --sched
--sched serial|expected --workload
--workload p.json --sched serial --seed x|seed
--workload p.json --sched serial --iterations 0|iterations
--workload p.json --sched serial --iterations -1|iterations
--workload p.json --sched serial --gpus 0|gpus
--workload p.json --sched serial --memory heap|memory
--workload p.json --sched serial --opt nonsense=1|nonsense
--workload p.json --sched serial --opt device.launch_us=x|launch_us
--workload p.json --sched serial --opt device.launch_us=-1|launch_us
--workload p.json --sched nonsense|nonsense
--workload p.json --sched serial --device nonsense|nonsense
EOF
[ -e x.html ] || [ -e x.json ] || [ -e x.svg ] || [ -e m.db ] && fail "a refused command left a file"
[ $rows -gt 40 ] && [ $failures = 0 ]
