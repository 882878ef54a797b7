#!/bin/sh
# Engines of PJRT on GPUs: goldens and the guides' steps, a language model of GPT-2's shape trained in bf16, a program that
# is killed, a device without memory. CUDA's library is that of the package jax[cuda13], 3 GB once, in BUILD/gpu, or
# PJRT_LIBRARY=FILE, any library, without looking for a GPU. What cannot be run here skips by name.
# usage: tests/gpu.sh BUILD; GPT=OPTIONS: of the model
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; chmod 755 "$dir"
. tests/pjrt/shared.sh
end() { echo "$p passed, $f failed, $s skipped"; [ $f -eq 0 ]; exit; }
gpt=${GPT:---layers 12 --heads 12 --width 768 --block 1024 --batch 8 --steps 40 --warmup 10 --eval 20 --sample 0 --dtype bf16}

real=${PJRT_LIBRARY:-}
if [ -z "$real" ]; then
    ls /dev/nvidia[0-9]* >/dev/null 2>&1 || { skip "no GPU: there is no /dev/nvidia0 (PJRT_LIBRARY=FILE: another library)"; end; }
    [ "${TUTTI_VENV:-}" != no ] || { skip "CUDA's library: TUTTI_VENV=no"; end; }
    if [ ! -e "$B/gpu/made" ]; then
        rm -rf "$B/gpu"
        python3 -m venv "$B/gpu" && timeout 1200 "$B/gpu/bin/pip" install -q --retries 1 --timeout 15 --disable-pip-version-check \
            "jax[cuda13]" >"$dir/log" 2>&1 && date >"$B/gpu/made"
        [ -e "$B/gpu/made" ] || { skip "CUDA's library: $(grep -m 1 '^ERROR' "$dir/log" || tail -n 1 "$dir/log")"; end; }
    fi
    real=$(find "$B/gpu" -name xla_cuda_plugin.so | head -n 1)
    [ -n "$real" ] || { bad gpu "jax[cuda13] has no xla_cuda_plugin.so"; end; }
fi
cc -std=c17 -D_GNU_SOURCE -Iinclude -o "$dir/ask" tests/pjrt/ask.c "$B/libtutti.a" -ljansson -lz -lm -lpthread -ldl || { bad gpu "ask.c does not compile"; end; }
export TUTTI_PLUGINS="$B"
timeout 300 "$dir/ask" "pjrt:$real" >"$dir/out" 2>&1
n=$(grep -c '^[a-z]*:[0-9]* ' "$dir/out"); grep '^[a-z]*:[0-9]* ' "$dir/out"
[ "$n" -gt 0 ] || { bad "its devices" "none"; end; }
export PJRT_LIBRARY="$real"

# The programs of these are for eight devices, but for those of one; on fewer, what needs more is skipped by name.
if [ "$n" -ge 8 ]; then
    for test in engine engine_programs; do "$B/tests/$test" >"$dir/out" 2>&1; add $test; done
    for form in global planned; do
        goldens "goldens, $form" "$real" $form ${GOLDENS:-}
        export TUTTI=pjrt:$real,form:$form
        twin "shardmap, $form" 1e-4 shardmap
        twin "pmap, $form" 1e-4 pmap 8 5
        unset TUTTI
    done
else
    skip "goldens and guides on eight devices: $n here"
fi
export TUTTI=pjrt:$real
twin "a guide's step on one device" 1e-3 fsdp batch=32 classes=5 input=12 hidden=16 dropout=0 rate=0.01 seed=9 bf16=0 devices=1 minibatches=4

# ---- a language model ----

model() { timeout 1800 "$B/examples/gpt" $gpt "$@" >"$dir/out" 2>&1; }
cd "$dir"                                                # where the example keeps its files
if model --metrics "$dir/runs/first"; then good; else bad "a model of GPT-2's shape" "ended with an error"; fi
# Bytes: the first loss is that of a guess, ln 256; it falls.
sed -n 's/.*"loss": \([^},]*\).*/\1/p' "$dir/runs/first/metrics.jsonl" >"$dir/losses"
if awk '{ if (!n++) first = $1; last = $1; if ($1 !~ /^[0-9.]+$/) wrong = 1 }
        END { exit wrong || n < 2 || first < 5.2 || first > 6 || last >= first }' "$dir/losses"; then good
else bad "its losses" "$(head -n 1 "$dir/losses"), then $(tail -n 1 "$dir/losses")"; fi
grep '^train ' "$dir/out" | tail -n 1
# Killed in its steps: the next program has the device and its memory again.
timeout -s KILL ${KILL:-40} "$B/examples/gpt" $gpt --steps 1000000 >"$dir/out" 2>&1
[ $? -eq 137 ] && good || bad "a program that is killed" "it had ended before"
unset TUTTI
timeout 300 "$dir/ask" "pjrt:$real" one plan >"$dir/out" 2>&1; if grep -q '^the end' "$dir/out"; then good; else bad "a program behind it" "no end"; fi

# ---- memory ----

if grep -q 'does not tell their memory' "$dir/out"; then skip "a device without memory: its library does not tell how much there is"
else
    timeout 600 "$dir/ask" "pjrt:$real" fill >"$dir/out" 2>/dev/null
    for text in "KiB were created here" "in use" "again 1" "the end"; do
        if grep -q "$text" "$dir/out"; then good; else bad "a device without memory" "no line \"$text\""; fi
    done
fi
end
