#!/bin/sh
# Another architecture: the library and the kernels' tests built for aarch64 and run by qemu-user, as far as both are here.
# Compiled loops too (NEON) where there is an LLVM for it: Debian's libllvm19:arm64, or packages unpacked under ARM64_ROOT.
# usage: [ARM64_ROOT=DIR] tests/cross.sh [BUILD]
B=${1:-build}; CC=aarch64-linux-gnu-gcc; tests="gen_tile op_elem gen_gemv"
for tool in $CC qemu-aarch64; do
    command -v $tool >/dev/null || { echo "skip: no $tool"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
done
unset MAKEFLAGS MFLAGS
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu             # where its C library is
plugin= skipped=0
if ls "$ARM64_ROOT"/usr/lib/aarch64-linux-gnu/libLLVM*.so* >/dev/null 2>&1; then
    export QEMU_LD_PREFIX="$ARM64_ROOT/" TUTTI_PLUGINS="$B/aarch64"
    plugin="$B/aarch64/libtutti_llvm.so" tests="$tests gen_llvm gen_llvm_rows"
else
    echo "skip: no LLVM for aarch64 (libllvm19:arm64, or ARM64_ROOT=DIR): its compiled loops are not tried"
    skipped=1
fi
targets=$(for t in $tests; do echo "$B/aarch64/tests/$t"; done)
# No test needs zlib or jansson, of which there is none for that architecture; their headers are the same.
make --no-print-directory -j"$(nproc)" B="$B/aarch64" CC=$CC LIBS="-lm -lpthread -ldl" "$B/aarch64/libtutti.a" $plugin $targets ||
    { echo "FAIL: it does not build"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
for t in $targets; do qemu-aarch64 "$t" || echo "$t ended with status $?"; done >"$B/aarch64/log" 2>&1
grep -v ' passed, ' "$B/aarch64/log"
awk -F'[ ,]+' -v s=$skipped -v n="$(echo $tests | wc -w)" '/ passed, / { p += $1; f += $3; s += $5; ended++ } / ended with status / { f++ }
    END { f += n - ended; printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$B/aarch64/log"
