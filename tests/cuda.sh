#!/bin/sh
# What Tutti writes for eight devices is compiled for eight H100s, without a GPU: each different function of the five
# guides, of the examples and of a language model's step, in the global form and, where tools/venv.sh could fetch
# OpenXLA's library for processors (or PJRT_LIBRARY=FILE), on which the programs then run, as planned. The library of PJRT
# for CUDA, its assembler and its device library are packages of Python's index, 220 MB once, in BUILD/cuda; what cannot be
# fetched skips by name.
# usage: tests/cuda.sh BUILD [PROGRAM...]; PROGRAM: of examples/, as guides/fsdp
B=$(cd "${1:-build}" && pwd); shift; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
V=$B/cuda
. tests/pjrt/shared.sh
end() { echo "$p passed, $f failed, $s skipped"; [ $f -eq 0 ]; exit; }
skip() { s=$((s+1)); echo "skip: $1"; end; }
[ "$(uname -m)" = x86_64 ] || skip "CUDA's library: not for this processor"
python3 -c 'import ensurepip, venv' 2>/dev/null || skip "CUDA's library: no python3 with venv"
[ "${TUTTI_VENV:-}" != no ] || skip "CUDA's library: TUTTI_VENV=no"
if [ ! -e "$V/made" ]; then
    rm -rf "$V"
    python3 -m venv "$V" && timeout 600 "$V/bin/pip" install -q --retries 1 --timeout 15 --disable-pip-version-check --no-deps \
        --no-compile --only-binary :all: jax-cuda13-pjrt nvidia-cuda-nvcc nvidia-nvvm >"$dir/log" 2>&1 && date >"$V/made"
    [ -e "$V/made" ] || skip "CUDA's library: $(grep -m 1 '^ERROR' "$dir/log" || tail -n 1 "$dir/log")"
fi
library=$(find "$V/" -name xla_cuda_plugin.so | head -n 1)
bitcode=$(find "$V/" -path '*/nvvm/libdevice/libdevice.*.bc' | head -n 1)
[ -n "$library" ] && [ -n "$bitcode" ] || { f=1; echo "FAIL the packages have no library, or no device library"; end; }
topology "$dir/topology" || { f=1; echo "FAIL topology.c does not compile"; end; }
export XLA_FLAGS="--xla_gpu_cuda_data_dir=${bitcode%/nvvm/libdevice/*}"

cpu=${PJRT_LIBRARY:-$(ls "$B"/venv/lib/python3*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so 2>/dev/null | head -n 1)}
engine=${cpu:+,pjrt:$cpu}
[ "$cpu" ] || { s=$((s+1)); echo "skip: texts as planned: pip could not fetch xla-cpu-pjrt"; }

# texts NAME COMMAND...: the functions that it compiles for several devices, each once, as $dir/DEVICES/NUMBER.NAME.mlir
texts() {
    name=$1; shift
    mkdir -p "$dir/all"
    # The bound is one of processor time: on a busy machine the example that trains longest takes more than ten minutes.
    (cd "$dir" && ulimit -t 600 && XLA_FLAGS=$patient TUTTI=report:3,hlo$engine timeout 3600 "$@" 3>"$dir/text" >"$dir/out" 2>&1 </dev/null)
    status=$?
    [ $status -eq 0 ] || { f=$((f+1)); echo "FAIL $name: status $status"; tail -n 5 "$dir/out"; }
    awk -v into="$dir/all/$name" '/^\/\/ ---- / { if (to) close(to); to = sprintf("%s.%03d", into, ++n); next } to { print > to } /^}/ { if (to) close(to); to = "" }' "$dir/text"
    for text in "$dir/all/$name".*; do
        [ -e "$text" ] || continue
        devices=$(sed -n 's/.*sdy.mesh @[a-z_0-9]* = <\[\(.*\)\]>.*/\1/p' "$text" | tr -dc '0-9=,' | tr ',' '\n' | awk -F= '{ n = (n ? n : 1) * $2 } END { print n + 0 }')
        key=$(cksum <"$text" | tr ' ' '.')
        [ "$devices" -gt 1 ] && [ ! -e "$dir/seen.$key" ] || continue
        : >"$dir/seen.$key"
        mkdir -p "$dir/$devices"
        mv "$text" "$dir/$devices/$(basename "$text").mlir"
    done
}
small="--layers 2 --heads 2 --width 32 --block 16 --batch 16 --steps 2 --warmup 1 --eval 2 --sample 1"
wants() { [ -z "$programs" ] || case " $programs " in *" $1 "*) ;; *) return 1 ;; esac; }
programs=$*
guide() { if wants "guides/$1"; then texts "$1" "$B/examples/guides/$@"; fi; }
guide dataparallel images=512 test=256 epochs=1
guide dp
guide fsdp
guide keras_dp 1 512 1
guide linen_spmd
guide nnx_spmd 3 96 "$dir/nnx"
guide pmap
guide shardmap
guide ensemble 42 512 1 256
for example in mlp shardmap; do if wants $example; then texts "example_$example" "$B/examples/$example"; fi; done
if wants gpt; then
    texts gpt_data "$B/examples/gpt" $small --mesh data:8 --rules "batch:data"
    texts gpt_sharded "$B/examples/gpt" $small --mesh data:8 --rules "batch:data, embed:data"
    texts gpt_two "$B/examples/gpt" $small --mesh "data:2, model:4" --rules "batch:data, heads:model, hidden:model, vocab:model"
fi
for set in "$dir"/[0-9]*; do
    [ -d "$set" ] || continue
    "$dir/topology" "$library" tests/pjrt/h100.txtpb "$(basename "$set")" "$set"/*.mlir >"$dir/out" 2>"$dir/err" || [ $? -eq 1 ] ||
        { f=$((f+1)); echo "FAIL $(basename "$set") devices: $(tail -n 3 "$dir/err")"; }
    p=$((p + $(grep -c '^compiled' "$dir/out"))); f=$((f + $(grep -c '^FAIL' "$dir/out")))
    grep '^FAIL' "$dir/out" | sed "s|$dir/||" | cut -c 1-400
    awk '/^compiled/ { n++; t += $4; if ($4 > most) { most = $4; name = $2 } } END { if (n) { sub(".*/", "", name); printf "volume %d programs compiled for H100s\n", n; printf "%.1f s in all, %.1f s for %s\n", t, most, name } }' "$dir/out"
done
[ $p -gt 0 ] || f=$((f+1))
end
