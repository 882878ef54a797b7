#!/bin/sh
# Another architecture: the library and the kernels' tests built for aarch64 and run by qemu-user, as far as both are here.
# usage: tests/cross.sh [BUILD]
B=${1:-build}; CC=aarch64-linux-gnu-gcc; tests="gen_tile op_elem"
for tool in $CC qemu-aarch64; do
    command -v $tool >/dev/null || { echo "skip: no $tool"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
done
unset MAKEFLAGS MFLAGS
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu             # where its C library lies
targets=$(for t in $tests; do echo "$B/aarch64/tests/$t"; done)
# No test needs zlib or jansson, of which there is none for that architecture; their headers are the same.
make --no-print-directory -j"$(nproc)" B="$B/aarch64" CC=$CC LIBS="-lm -lpthread -ldl" "$B/aarch64/libtutti.a" $targets ||
    { echo "FAIL: it does not build"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
for t in $targets; do qemu-aarch64 "$t" || echo "$t ended with status $?"; done >"$B/aarch64/log" 2>&1
grep -v ' passed, ' "$B/aarch64/log"
awk -F'[ ,]+' -v n="$(echo $tests | wc -w)" '/ passed, / { p += $1; f += $3; s += $5; ended++ }
    END { f += n - ended; printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$B/aarch64/log"
