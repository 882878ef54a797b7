#!/bin/sh
# Options in C++: tests/options.cpp without a warning under each compiler and standard that is here, and run.
B=${1:-build}; p=0; f=0; s=0
for with in "g++ 17" "g++ 20" "clang++ 20"; do
    set -- $with
    command -v "$1" >/dev/null 2>&1 || { echo "skip: header: no $1"; s=$((s+1)); continue; }
    if "$1" -std=c++$2 -Wall -Wextra -Wconversion -Wshadow -Werror -Iinclude -o "$B/tests/options_cpp" tests/options.cpp \
        "$B/libtutti.a" -ljansson -lz -lm -lpthread -ldl && "$B/tests/options_cpp"; then p=$((p+1)); else f=$((f+1)); echo "FAIL: $with"; fi
done
rm -f "$B/tests/options_cpp"
echo "$p passed, $f failed, $s skipped"
