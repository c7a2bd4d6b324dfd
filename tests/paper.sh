# SPDX-License-Identifier: GPL-3.0-or-later
# What tests by hand begin with, behind common.sh: a GPU of round numbers, paper.json, and whole outputs.
# same WHAT COMMAND...: its output, without the options, is the standard input.
same() {
    what=$1
    shift
    cat >right
    "$@" >found 2>err || fail "$what: $(cat err)"
    sed '/^  Options /,/^$/{/^$/!d;}' found | diff right - >differs || fail "$what: expected (<), found (>): $(cat differs)"
}
# has WHAT TEXT FILE: a line of FILE with TEXT.
has() { grep -qF -- "$2" "$3" || fail "$1: expected $2 in: $(cat "$3")"; }
number() { while [ $# -gt 1 ]; do sed -i "s/\"$1\": {\"value\": [^,]*,/\"$1\": {\"value\": $2,/" paper.json; shift 2; done; }

# A launch takes 4 us and its kernel starts 1 later; a copy's call 5, the copy 1 and its bytes at 10 or 20 GB/s. Behind a kernel
# in its stream 2 us, behind one elsewhere 3, behind a copy 1. Who waited goes on 6 us after the end. 80 SMs.
sed 's/"name": "v100"/"name": "paper"/; s/"gpus": .*/"gpus": ["paper"],/; s/"title": .*/"title": "A GPU on paper",/' "$source_dir/models/v100.json" >paper.json
number launch_to_start_us 1 stream_gap_us 2 event_gap_us 3 h2d_gbps 10 d2h_gbps 20 bidirectional_gbps 25 h2d_latency_us 1 d2h_latency_us 1 \
    copy_gap_us 1 launch_us 4 stream_create_us 0 stream_destroy_us 0 event_create_us 0 event_destroy_us 0 event_record_us 1 \
    event_record_no_timing_us 1 stream_wait_us 1 memcpy_us 5 sync_return_us 6 sync_idle_us 2
on="--device ./paper.json --memory pinned"
# k NAME US: a kernel of blocks of which one is on an SM.
k() { echo "{\"name\": \"$1\", \"solo_us\": $2, \"solo_device\": \"paper\", \"regs_per_thread\": 32, \"smem_bytes\": 60000, \"dram_bytes\": 0}"; }
