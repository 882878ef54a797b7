#!/bin/sh
# GPT-2's training step on a GPU beside JAX and PyTorch on the same one, in interleaved rounds: of 4 x 64 tokens (W5), where
# calls weigh, and of 8 x 1024 in float32 and bfloat16 (W14). Products of float32 are of TF32 everywhere, XLA's default.
# A table of medians; rows go to BUILD/gpu.json. usage: bench/gpu.sh BUILD [ROUNDS]; PJRT_LIBRARY=FILE and
# BENCH_DEVICE=cpu: on another library's devices; MODEL=gpt: bench/gpt.c's small model, on one device and on eight;
# CALLS=n: of a round; TYPES="bf16" and SIZE="STEPS BATCH TIME LAYERS": of W14.
# Peers: BUILD/gpu, which tests/gpu.sh makes (jax[cuda13]; optax is added), and BUILD/peers/torch-gpu, if somebody made it;
# or JAX and TORCH, the names of their Pythons.
set -u
whole() { case $2 in ''|0*|*[!0-9]*) echo "${0##*/}: $1 is \"$2\"; expected a whole number from 1 on" >&2; exit 2;; esac; }
jax=${JAX:-$1/gpu/bin/python} torch=${TORCH:-$1/peers/torch-gpu/bin/python} size=${SIZE:-20 8 1024 12}
export PYTHONDONTWRITEBYTECODE=1
build=$1 rounds=${2:-${ROUNDS:-3}} here=$(dirname "$0")
whole ROUNDS "$rounds"
export BENCH_DEVICE="${BENCH_DEVICE:-cuda}" TUTTI_ONLY=${MODEL:-gpt2} TUTTI_ROWS="$build/bench/gpu.tsv"
library=${PJRT_LIBRARY:-$(find "$build/gpu" -name xla_cuda_plugin.so 2>/dev/null | head -n 1)}
if [ "$BENCH_DEVICE" = cuda ] && ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then echo "skip: no GPU: there is no /dev/nvidia0"; exit 0; fi
if [ -z "$library" ]; then echo "skip: no library of PJRT for CUDA (tests/gpu.sh $build fetches it)"; exit 0; fi
: > "$TUTTI_ROWS"
peer() {                                                 # peer NAME PYTHON SCRIPT ARGUMENT
    [ -x "$2" ] || { [ "$round" -gt 1 ] || echo "not installed: $1 ($2)" >&2; return; }
    "$2" "$here/peers/$3" $4 > "$build/bench/peer.log" 2>&1 || { echo "failed: $1; the end of its log:" >&2; tail -n 3 "$build/bench/peer.log" >&2; }
}
[ ! -x "$build/gpu/bin/pip" ] || [ "${JAX:-}" ] || "$build/gpu/bin/pip" install -q optax 2>/dev/null || echo "no optax for JAX" >&2
round=1
while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds" >&2
    for form in planned global; do                       # the first is what users run; the second has rows of its own
        TUTTI_ROWS="$build/bench/gpu.$form" TUTTI="pjrt:$library,form:$form" "$build/bench/gpt" ${CALLS:-5} "$TUTTI_ONLY" > "$build/bench/gpt.log" 2>&1 ||
            { echo "failed: gpt, $form; the end of its log:" >&2; tail -n 3 "$build/bench/gpt.log" >&2; exit 1; }
        [ -s "$build/bench/gpu.$form" ] || { echo "gpu.sh: MODEL=$TUTTI_ONLY is in the name of no work; expected gpt or gpt2" >&2; exit 2; }
        sed "$([ $form = planned ] || echo 's/W5 [^\t]*/&, global form/')" "$build/bench/gpu.$form" >> "$TUTTI_ROWS"; rm -f "$build/bench/gpu.$form"
    done
    peer jax "$jax" with_jax.py 1
    peer torch "$torch" with_torch.py ""
    peer torch "$torch" with_torch.py compiled
    for type in ${TYPES-f32 bf16}; do
        TUTTI="pjrt:$library" "$build/bench/train" $type $size > "$build/bench/train.log" 2>&1 ||
            { echo "failed: train $type; the end of its log:" >&2; tail -n 3 "$build/bench/train.log" >&2; exit 1; }
        peer jax "$jax" train_gpt2.py "jax $type $size"
        peer torch "$torch" train_gpt2.py "torch $type $size"
    done
    round=$((round + 1))
done
awk -v json="$build/gpu.json" -f "$here/table.awk" "$TUTTI_ROWS" && echo "rows: $build/gpu.json"
