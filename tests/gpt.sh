#!/bin/sh
# The language model of examples/gpt.c: in reproducible mode its losses have the same bits under every layout, and after kill
# -9 too; it learns, and speaks. With "long" the sizes that it has by itself, and the validation loss that it is to reach.
# usage: tests/gpt.sh [BUILD [long]]
B=$(cd "${1:-build}" && pwd); long=$2; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
p=0; f=0; s=0
unset TUTTI NO_COLOR TUTTI_DATA
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1: $2; it printed:"; tail -n 12 "$dir/out"; }
runs() {
    name=$1; want=$2; shift 2
    "$@" >"$dir/out" 2>&1 </dev/null; got=$?
    if [ $got -eq "$want" ]; then good; else bad "$name" "status $got, expected $want"; fi
}
same() { if cmp -s "$2" "$3"; then good; else bad "$1" "other losses"; fi; }
holds() { if awk "$2" "$dir/out"; then good; else bad "$1" "$3"; fi; }

if [ "$long" ]; then
    small="--steps 100 --warmup 20 --eval 0 --sample 0"
else
    small="--layers 2 --heads 2 --width 16 --block 16 --batch 8 --accumulate 2 --dropout 0.1 --steps 12 --warmup 4 --eval 0 --sample 0"
fi
gpt="env TUTTI=reproducible $B/examples/gpt $small"
runs "one device" 0 $gpt --losses one.npy
holds "one device" '/note|warning/ { n++ } END { exit n }' "a note"
layout() { runs "$1" 0 $gpt --mesh "$2" --rules "$3" --losses other.npy; same "$1" one.npy other.npy; }
layout "data parallel" "data:8" "batch:data"
layout "fully sharded" "data:8" "batch:data, embed:data"
layout "tensor parallel" "model:2" "heads:model, hidden:model, vocab:model"
layout "2-D" "data:2, model:4" "batch:data, heads:model, hidden:model, vocab:model"
layout "sequence parallel" "seq:4" "time:seq"

# Killed when its first checkpoint is there, and started again on another mesh: the losses of an unbroken run.
steps=$(expr "$small" : '.*--steps \([0-9]*\)')
$gpt --save run --every 4 >out 2>&1 </dev/null & pid=$!
n=0; while [ ! -d run/4 ] && [ $n -lt 6000 ] && kill -0 $pid 2>/dev/null; do sleep 0.05; n=$((n+1)); done
kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
runs "again after kill -9" 0 $gpt --save run --every 4 --losses again.npy --metrics again --mesh "data:4" --rules "batch:data"
holds "again after kill -9" "/parameters, from step/ { at = \$5 } END { exit !(at >= 4 && at <= $steps) }" "it began anew"
same "again after kill -9" one.npy again.npy
runs "metrics" 0 $gpt --metrics again                 # written from the first step on: what was there is dropped
if [ "$(grep -c '"loss"' again/metrics.jsonl)" = "$steps" ] && tail -n 1 again/metrics.jsonl | grep -q "\"step\": $steps,"; then good
else bad "metrics" "other lines: $(cat again/metrics.jsonl)"; fi
if [ -d "run/$steps" ]; then good; else bad "checkpoints" "no step $steps"; fi

# It learns, on eight devices, with evaluations, a curve and a text.
if [ "$long" ]; then
    runs "a training" 0 "$B/examples/gpt" --mesh "data:8" --rules "batch:data"
    holds "a training" '/^step 2000:/ { v = $6 } END { exit !(v > 0 && v < 1.88) }' "a validation loss above 1.88"
else
    runs "a training" 0 "$B/examples/gpt" --layers 1 --heads 2 --width 32 --block 16 --batch 16 --steps 60 --warmup 5 --rate 1e-2 \
        --eval 30 --sample 40 --mesh "data:8" --rules "batch:data"
    holds "a training" '/^step 30:/ { one = $6 } /^step 60:/ { two = $6 } END { exit !(two < one && two < 3.4) }' "it does not learn"
fi
holds "a curve" '/loss$/ { n++ } END { exit !n }' "no curve"
runs "a wrong option" 2 "$B/examples/gpt" --stesp 3
runs "a wrong rule" 4 $gpt --mesh "data:2" --rules "batch:dta"
runs "a text that is not there" 13 $gpt --data nowhere.txt
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
