#!/bin/sh
# All benchmarks of steps and calls, and the peers that are installed, in interleaved rounds: a slow minute of the machine
# hits everyone. usage: bench/run.sh BUILD [ROUNDS [WORD]], or ROUNDS and ONLY from the environment. WORD: only works with it
# (gpt2, W4, "first call" is none: it comes with its step). Prints a table of medians; rows go to BUILD/bench.json.
# Peers: BUILD/peers/jax, torch and llama, virtual environments (`make bench-peers` makes them). The last has llama.cpp, and
# what makes the files of weights that `decode` reads: without it nothing is decoded.
set -u
whole() { case $2 in ''|0*|*[!0-9]*) echo "${0##*/}: $1 is \"$2\"; expected a whole number from 1 on" >&2; exit 2;; esac; }
build=$1 rounds=${2:-${ROUNDS:-3}}
whole ROUNDS "$rounds"
here=$(dirname "$0")
export TUTTI_ROWS="$build/bench/rows.tsv" TUTTI_ONLY="${3:-${ONLY:-}}" XDG_CACHE_HOME="$PWD/$build/bench/cache"
case $build in /*) XDG_CACHE_HOME=$build/bench/cache;; esac
: > "$TUTTI_ROWS"
peer() {                                                 # peer NAME SCRIPT ARGUMENT
    python="$build/peers/$1/bin/python"
    [ -x "$python" ] || { [ "$round" -gt 1 ] || echo "not installed: $1 (make bench-peers)" >&2; return; }
    # the C library's allocator gives large blocks back at once: PyTorch would pay page faults in every call
    MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=8589934592 \
        "$python" "$here/peers/$2" $3 > "$build/bench/peer.log" 2>&1 || { echo "failed: $1 $3; the end of its log:" >&2; tail -n 3 "$build/bench/peer.log" >&2; }
}
models="$build/bench/models" files=
case "decode prompt first id of" in
*"$TUTTI_ONLY"*)
    for kind in bf16 q8_0 q4_0; do files="$files $models/$kind.gguf"; done
    if [ -x "$build/peers/llama/bin/python" ]; then
        [ -f "$models/done" ] || { "$build/peers/llama/bin/python" "$here/peers/gguf_files.py" "$models" && touch "$models/done"; } || exit 1
    else
        echo "not installed: llama (make bench-peers); nothing is decoded" >&2
        files=
    fi;;
esac
round=1
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds" >&2
    export TUTTI_ROUND=$round
    rm -rf "$build/bench/cache"                          # first calls are cold ones
    for call in "steps 5" "guides 5" "gpt 5" "gpt 3 gpt2" "calls 5" "ops 3" "compile 1" "contract 3" "ranks 1"; do
        program=${call%% *}
        "$build/bench/$program" ${call#* } > "$build/bench/$program.log" 2>&1 && continue
        echo "failed: $call; the end of its log:" >&2
        tail -n 3 "$build/bench/$program.log" >&2
        exit 1
    done
    if [ ! -s "$TUTTI_ROWS" ] && [ -z "$files" ]; then echo "run.sh: ONLY=$TUTTI_ONLY is in the name of no work" >&2; exit 2; fi
    if [ -n "$files" ]; then
        "$build/bench/decode" 1 $files > "$build/bench/decode.log" 2>&1 || { echo "failed: decode; the end of its log:" >&2; tail -n 3 "$build/bench/decode.log" >&2; exit 1; }
        peer llama with_llama.py "1 $files"
    fi
    peer jax with_jax.py 1
    peer jax with_jax.py 8
    peer torch with_torch.py ""
    peer torch with_torch.py compiled
    round=$((round + 1))
done
awk -v json="$build/bench.json" -f "$here/table.awk" "$TUTTI_ROWS" && echo "rows: $build/bench.json"
