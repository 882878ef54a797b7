#!/bin/sh
# All benchmarks of steps and calls, and the peers that are installed, in interleaved rounds: a slow minute of the machine
# hits everyone. usage: bench/run.sh BUILD [ROUNDS]. Prints a table of medians; rows go to BUILD/bench.json.
# Peers: BUILD/peers/jax and BUILD/peers/torch, virtual environments (`make bench-peers` makes them).
set -u
build=$1 rounds=${2:-3}
here=$(dirname "$0")
export TUTTI_ROWS="$build/bench/rows.tsv"
: > "$TUTTI_ROWS"
peer() {                                                 # peer NAME SCRIPT ARGUMENT
    python="$build/peers/$1/bin/python"
    [ -x "$python" ] || { [ "$round" -gt 1 ] || echo "not installed: $1 (make bench-peers)" >&2; return; }
    "$python" "$here/peers/$2" $3 > "$build/bench/peer.log" 2>&1 || { echo "failed: $1 $3; the end of its log:" >&2; tail -n 3 "$build/bench/peer.log" >&2; }
}
round=1
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds" >&2
    for program in steps gpt calls; do
        "$build/bench/$program" 5 > "$build/bench/$program.log" && continue
        echo "failed: $program; the end of its log:" >&2
        tail -n 3 "$build/bench/$program.log" >&2
        exit 1
    done
    peer jax with_jax.py 1
    peer jax with_jax.py 8
    peer torch with_torch.py ""
    peer torch with_torch.py compiled
    round=$((round + 1))
done
awk -v json="$build/bench.json" -f "$here/table.awk" "$TUTTI_ROWS" && echo "rows: $build/bench.json"
