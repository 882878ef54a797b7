#!/bin/sh
# Another C library: the core and some tests built against musl (Debian: musl-tools), linked statically and run.
# usage: tests/musl.sh [BUILD]
B=${1:-build}; tests="op_elem gen_gemv run_pool ir_text ir_cases"
command -v musl-gcc >/dev/null || { echo "skip: no musl-gcc"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
unset MAKEFLAGS MFLAGS CFLAGS CPPFLAGS LDFLAGS
# No test needs zlib or jansson, of which there is none for that library; their headers are the same.
mkdir -p "$B/musl/also"
for header in zlib.h zconf.h jansson.h jansson_config.h; do
    from=$(echo '#include <jansson.h>
#include <zlib.h>' | gcc -E - | sed -n "s|^# [0-9]* \"\(/.*/$header\)\".*|\1|p" | head -n 1)
    cp "$from" "$B/musl/also/" || { echo "FAIL: no $header"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
done
targets=$(for t in $tests; do echo "$B/musl/tests/$t"; done)
make --no-print-directory -j"$(nproc)" B="$B/musl" CC="${MUSL_CC:-musl-gcc}" CPPFLAGS="-I$B/musl/also" TEST_LD=-static LIBS="-lm -lpthread -ldl" \
    "$B/musl/libtutti.a" $targets >"$B/musl/made" 2>&1 ||
    { tail -n 12 "$B/musl/made"; echo "FAIL: it does not build"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
for t in $targets; do "$t" || echo "$t ended with status $?"; done >"$B/musl/log" 2>&1
grep -v ' passed, ' "$B/musl/log"
awk -F'[ ,]+' -v n="$(echo $tests | wc -w)" '/ passed, / { p += $1; f += $3; s += $5; ended++ } / ended with status / { f++ }
    END { f += n - ended; printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$B/musl/log"
