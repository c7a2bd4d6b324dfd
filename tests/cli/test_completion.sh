#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# gpusim completion bash|zsh: what a shell offers follows the tables of --help: test_completion.sh SOURCE-DIR BUILD-DIR.
# shellcheck source=tests/common.sh
. "$1/tests/common.sh"
gpusim=$2/gpusim

"$gpusim" completion bash >gpusim.bash || fail 'no completion for bash'
"$gpusim" completion zsh >_gpusim || fail 'no completion for zsh'
"$gpusim" completion fish >out 2>&1 && fail 'a shell that is not known is no error'
grep -q 'expected bash or zsh, found fish' out || fail "fish: $(cat out)"
"$gpusim" completion >out 2>&1 && fail 'no shell is no error'

# offered WORDS...: what bash offers for the last of the words, one a line
cat >offered.bash <<'EOF'
. ./gpusim.bash
COMP_WORDS=(gpusim "$@") COMP_CWORD=$# COMPREPLY=()
_gpusim
printf '%s\n' "${COMPREPLY[@]}"
EOF
offers() { # offers WORD... -- EXPECTED: completing the last WORD, EXPECTED is among what is offered
    words=
    while [ "$1" != -- ]; do words="$words '$1'" && shift; done
    eval "bash offered.bash $words" >out 2>&1
    grep -qxF -e "$2" out || fail "completing$words: expected $2, found $(tr '\n' ' ' <out)"
}

# Each command of the usage stands in one group.
"$gpusim" --help | sed -n '/^Usage:/,/^$/s/^  gpusim \[*\([a-z]*\)\]* .*/\1/p' | sort -u >used
"$gpusim" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort >grouped
cmp -s used grouped || fail "commands of the usage and of the groups: $(diff used grouped)"

if command -v bash >/dev/null 2>&1; then
    for command in $("$gpusim" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        offers '' -- "$command"
        "$gpusim" "$command" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' >wanted
        bash offered.bash "$command" -- | sort -u >found
        sort -u wanted | cmp -s - found || fail "$command: other options than --help has: $(sort -u wanted | diff - found | grep '^[<>]')"
    done
    touch 'my program.json'
    offers --memory '' -- pinned
    offers --memory = pag -- pageable
    offers run --sched k -- kesco
    offers --workload my -- 'my program.json'
    offers compare --device h2 -- h200
    offers --opt kesco.str -- kesco.streams=
    offers --opt device.sm_c -- device.sm_count=
    offers list '' -- schedulers
    offers list devices h2 -- h200
    offers import ns -- nsys
    offers plot h -- heatmap
    offers validate --half e -- even
    offers completion z -- zsh
    offers results my -- 'my program.json'
    bash offered.bash --seed '' >out
    grep -q . out && fail "completing --seed: expected nothing, found $(cat out)"
fi

# has COMMAND LINE: the function for zsh has this line for it.
has() {
    awk -v command="    $1) " 'index($0, command) == 1 { inside = 1 } inside { print } / ;;$/ { inside = 0 }' _gpusim >lines
    grep -qxF -- "        $2" lines || fail "zsh, $1: expected $2, found $(cat lines)"
}
has list "'--long[all details of each entry]' \\"
has list "'1:what:(workloads schedulers placements devices nodes rules)' \\"
has list "'2:name:{compadd -- \$workloads \$schedulers \$devices}' ;;"
has run "'--memory=[how data reaches the GPU (default managed)]:managed|pinned|pageable:{compadd -S \" \" -- managed pinned pageable }' \\"
has run "'*--opt=[a scheduler'\\''s parameter (NAME or SCHED.NAME), gpu.NAME (gpusim list gpu), device.NAME or rule.NAME=off; may be repeated]:NAME=VALUE:{compadd -S \"\" --  \$settings}' \\"
has run "'--seed=[seed of all random numbers and of the order of ends (default 1)]:S:{compadd -S \" \" --  }' \\"
has run "'--noise[draw the durations of kernels and calls from the spreads in the device file (off by default)]' \\"
has compare "'--base=[scheduler that speed-ups refer to (default serial)]:SCHED:{compadd -S \" \" --  \$schedulers}' \\"
has plot "'*--where=[only rows that meet it\\: '\\''size >= 1e6 && sched != serial'\\''; may be repeated]:CONDITION:{compadd -S \" \" --  }' \\"
has plot "'1:what:(speedup lines heatmap scatter box timeline jct clients load)' \\"
has plot "'*:file:_files' ;;"
has completion "'1:what:(bash zsh)' ;;"
grep 'may be repeated' _gpusim | grep -v "^        '\*" && fail 'an option that may be repeated is offered once'

if command -v zsh >/dev/null 2>&1; then
    zsh -n _gpusim || fail 'zsh: syntax'
    # What the function asks zsh's own helpers for, one word a line.
    cat >asked.zsh <<'EOF'
compdef() { }
_arguments() { print -rl -- arguments "$@" }
_describe() { print -rl -- describe ${(P)2} }
. ./_gpusim
words=(gpusim "$@") CURRENT=$(( $# + 1 ))
_gpusim
EOF
    asks() { # asks WORD... -- EXPECTED: completing the last WORD, a line of what is asked for begins with EXPECTED
        words=
        while [ "$1" != -- ]; do words="$words '$1'" && shift; done
        eval "zsh -f asked.zsh $words" >out 2>&1
        awk -v expected="$2" 'index($0, expected) == 1 { found = 1 } END { exit !found }' out ||
            fail "zsh, completing$words: expected $2, found $(head -n 40 out)"
    }
    asks '' -- 'sensitivity:tell which numbers'
    asks --memory '' -- '--memory=[how data reaches the GPU (default managed)]:managed|pinned|pageable:{compadd -S " " -- managed'
    asks run --opt '' -- '*--opt=['
    asks compare '' -- '--base=[scheduler that speed-ups refer to (default serial)]:SCHED:'
    asks list '' -- '1:what:(workloads schedulers sharing devices presets rules gpu)'
    asks validate '' -- '*:file:_files'
    for command in $("$gpusim" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        "$gpusim" "$command" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p' | sort -u >wanted
        zsh -f asked.zsh "$command" '' | sed -n 's/^\**\(--[a-z0-9-]*\).*/\1/p' | sort -u | cmp -s - wanted ||
            fail "zsh, $command: other options than --help has"
    done
fi

printf 'completion: %d failures\n' "$failures"
[ "$failures" = 0 ]
