#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# test_reproduce_mega.sh SOURCE-DIR BUILD-DIR: "gpusim reproduce mega" has each published number of persistent kernels and programmatic launches
# with what the model says: which are met, in which order they come, and how far off the others may be.
set -u
build_dir=${2:?usage: test_reproduce_mega.sh SOURCE-DIR BUILD-DIR}
gpusim=$build_dir/gpusim
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; failed=1; }
failed=0

if [ -n "${GPUSIM_FULL-}" ]; then
    "$gpusim" reproduce mega >"$work/table" || fail "ended with $?"
    grep -q 'a check that it is plausible' "$work/table" || fail "it does not say what was fitted"
fi
"$gpusim" reproduce mega --csv "$work/csv" || fail "--csv ended with $?"
awk -F, '
    NR == 1 { if ($0 != "key,unit,published_low,published_high,slack,model,off") print "columns: " $0; next }
    { count++; model[$1] = $6; off[$1] = $7 }
    END {
        if (count != 13) print count " rows"
        met = "llama-default llama-pdl llama-persistent mpk-reserved mpk-jit chain-fixed llamacpp-pdl cohere-stealing ascend-batching"
        for (i = split(met, keys, " "); i; i--) if (off[keys[i]] != 0) print keys[i] ": " model[keys[i]] " is not as published"
        if (!(model["llama-default"] > model["llama-pdl"] && model["llama-pdl"] > model["llama-persistent"])) print "the order of the three for Llama"
        if (!(model["chain-prefetched"] < model["chain-fixed"] && model["chain-claimed"] < model["chain-fixed"])) print "neither way helps the chain"
        if (model["chain-claimed"] > 1.6) print "chain-claimed: " model["chain-claimed"]
        if (model["ascend-late"] < 10 || model["ascend-late"] > 40) print "ascend-late: " model["ascend-late"]
        if (model["ascend-staging"] < -10 || model["ascend-staging"] > 2) print "ascend-staging: " model["ascend-staging"]
    }' "$work/csv" >"$work/wrong"
[ -s "$work/wrong" ] && fail "$(cat "$work/wrong")"
"$gpusim" reproduce mega --per-case 2>"$work/error" && fail "--per-case was accepted"
grep -q 'expected --csv, --report and --jobs alone' "$work/error" || fail "--per-case: $(cat "$work/error")"
exit $failed
