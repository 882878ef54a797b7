#!/bin/sh
# C++: options (tests/options.cpp) and tutti.hpp (tests/tutti.cpp) without a warning under each compiler and standard here,
# and run, with exceptions and without; tutti run of a program in C++. usage: tests/cpp.sh [BUILD]
B=${1:-build}; p=0; f=0; s=0
for with in "g++ 17" "g++ 20" "clang++ 20" "g++ 20 -fno-exceptions" "clang++ 17 -DTUTTI_NO_EXCEPTIONS"; do
    set -- $with
    command -v "$1" >/dev/null 2>&1 || { echo "skip: header: no $1"; s=$((s+1)); continue; }
    compiler=$1 standard=$2; shift 2
    for program in options tutti; do
        [ $program = tutti ] || [ -z "$*" ] || continue
        if $compiler -std=c++$standard "$@" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -o "$B/tests/${program}_cpp" tests/$program.cpp \
            "$B/libtutti.a" -ljansson -lz -lm -lpthread -ldl && "$B/tests/${program}_cpp" >"$B/tests/${program}_cpp.log" 2>&1; then p=$((p+1))
        else f=$((f+1)); echo "FAIL: $program, $with"; head -n 20 "$B/tests/${program}_cpp.log"; fi
        rm -f "$B/tests/${program}_cpp" "$B/tests/${program}_cpp.log"
    done
done
for compiler in g++ clang++; do                          # options are designators, which C++17 has as an extension only
    command -v $compiler >/dev/null 2>&1 || continue
    if $compiler -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only examples/mlp.cpp; then p=$((p+1))
    else f=$((f+1)); echo "FAIL: examples/mlp.cpp, $compiler -std=c++17 -Wpedantic"; fi
done
if command -v c++ >/dev/null 2>&1; then
    out=$("$B/tutti" run examples/mlp.cpp 200 2>&1)
    case $out in
    *"loss "*e-0[2-9]", bias "*"w f32[32, 256]"*) p=$((p+1)) ;;
    *) f=$((f+1)); echo "FAIL: tutti run mlp.cpp:"; printf '%s\n' "$out" | tail -n 8 ;;
    esac
else echo "skip: header: no g++"; s=$((s+1)); fi
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
