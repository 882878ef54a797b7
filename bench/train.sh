#!/bin/sh
# Training of GPT-2 (124M) beside PyTorch (compiled, autocast) and JAX, a process each, in interleaved rounds: milliseconds a
# step, processor time a step, tokens a second, the most memory of the process.
# usage: bench/train.sh BUILD [ROUNDS [STEPS [BATCH TIME [LAYERS]]]]; CPU=0: all on that processor alone; ONLY=bf16.
# Peers: BUILD/peers/torch and jax (make bench-peers), or TORCH and JAX, the names of their Pythons.
set -u
whole() { case $2 in ''|0*|*[!0-9]*) echo "${0##*/}: $1 is \"$2\"; expected a whole number from 1 on" >&2; exit 2;; esac; }
build=$1 rounds=${2:-3} steps=${3:-3} batch=${4:-4} time=${5:-128} layers=${6:-12}
whole ROUNDS "$rounds"; whole STEPS "$steps"; whole BATCH "$batch"; whole TIME "$time"; whole LAYERS "$layers"
types=
for type in f32 bf16; do case $type in *"${ONLY:-}"*) types="$types $type";; esac; done
[ -n "$types" ] || { echo "train.sh: ONLY=$ONLY is in the name of no type; expected f32 or bf16" >&2; exit 2; }
here=$(dirname "$0")
torch=${TORCH:-$build/peers/torch/bin/python} jax=${JAX:-$build/peers/jax/bin/python}
export TUTTI_ROWS="${TUTTI_ROWS:-$build/bench/train.tsv}" PYTHONDONTWRITEBYTECODE=1
on=; [ -z "${CPU:-}" ] || on="taskset -c $CPU"
: > "$TUTTI_ROWS"
for type in $types; do
    round=1
    while [ "$round" -le "$rounds" ]; do
        export TUTTI_ROUND=$round
        $on "$build/bench/train" $type "$steps" "$batch" "$time" "$layers" || exit 1
        for who in torch jax; do
            python=$torch; [ $who = torch ] || python=$jax
            [ -x "$python" ] || { echo "not installed: $who (make bench-peers)" >&2; continue; }
            MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=8589934592 \
                $on "$python" "$here/peers/train_gpt2.py" $who $type "$steps" "$batch" "$time" "$layers" 2>"$build/bench/train.log" ||
                { echo "failed: $who $type; the end of its log:" >&2; tail -n 3 "$build/bench/train.log" >&2; }
        done
        round=$((round + 1))
    done
done
