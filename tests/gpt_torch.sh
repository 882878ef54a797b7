#!/bin/sh
# The losses of examples/gpt.c are those of its twin in PyTorch, bench/peers/gpt_twin.py, from the same weights and on the same
# batches: the first hundred at the sizes that it has by itself, and some of another model on four devices. usage:
# tests/gpt_torch.sh [BUILD]
# Needs a Python with torch: TUTTI_TORCH names it, or it stands in BUILD/peers/torch (make bench-peers), or python3 has it.
# Without one it is skipped, by one line.
B=$(cd "${1:-build}" && pwd); root=$(cd "$(dirname "$0")/.." && pwd)
for python in "${TUTTI_TORCH:-}" "$B/peers/torch/bin/python" python3 ""; do
    [ -n "$python" ] && "$python" -c 'import torch, numpy' 2>/dev/null && break
done
if [ -z "$python" ]; then
    echo "skip: no Python with torch (TUTTI_TORCH)"; echo "0 passed, 0 failed, 1 skipped"; exit 0
fi
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
p=0; f=0
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1; it printed:"; tail -n 5 out; }
export PYTHONDONTWRITEBYTECODE=1
gpt="$B/examples/gpt --dtype f32 --eval 0 --sample 0"

# twin NAME STATUS LAYOUT SIZES TRAINING OTHERS: sizes and training are options of gpt, training those of the twin too.
twin() {
    rm -rf first losses.npy
    $gpt $4 --steps 1 --rate 0 --warmup 0 --hub first >out 2>&1 </dev/null || { bad "$1: no weights"; return; }
    TUTTI= $gpt $4 $5 $3 --losses losses.npy >out 2>&1 </dev/null || { bad "$1: no losses"; return; }
    "$python" "$root/bench/peers/gpt_twin.py" first losses.npy "$root/examples/data/tinyshakespeare.txt.gz" $5 $6 >out 2>&1
    [ $? -eq "$2" ] || { bad "$1"; return; }
    good; echo "$1: $(tail -n 1 out)"
}
small="--layers 2 --heads 2 --width 48 --block 16"
twin "a hundred steps" 0 "" "" "--steps 100 --warmup 20"
twin "accumulated, on four devices" 0 "--mesh data:4 --rules batch:data,embed:data" "$small" \
    "--steps 20 --warmup 4 --block 16 --batch 8 --accumulate 2 --rate 3e-3 --decay 0.3 --clip 0.5"
twin "with another decay they differ" 1 "" "$small" "--steps 20 --warmup 4 --block 16 --rate 1e-2" "--decay 0.2"
echo "$p passed, $f failed, 0 skipped"
[ $f -eq 0 ]
