#!/bin/sh
# Runs test programs, one after another: name, seconds and closing line of each; what failed in full; then the sum.
# usage: tests/run.sh LOGDIR PROGRAM...    A program prints "N passed, N failed, N skipped" last; one that ends otherwise has failed.
set -u
logs=$1; shift
mkdir -p "$logs"
now() { date +%s.%N; }
for t in "$@"; do
    name=${t#build/}; log=$logs/$(echo "$name" | tr '/ ' '__').log
    start=$(now)
    timeout "${TEST_SECONDS:-600}" $t >"$log" 2>&1 </dev/null
    rc=$?
    s=$(awk "BEGIN{printf \"%.1f\", $(now)-$start}")
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
    if [ -z "$last" ]; then last="0 passed, 1 failed, 0 skipped"; grep -v '^$' "$log" | tail -n 20; echo "$name ended with status $rc and no closing line"
    elif [ $rc -ne 0 ] && echo "$last" | grep -q ' 0 failed'; then last="0 passed, 1 failed, 0 skipped"; tail -n 20 "$log"; echo "$name ended with status $rc"
    elif ! echo "$last" | grep -q ' 0 failed'; then grep -E '^(FAIL|fail)' "$log" | head -n 15
    fi
    printf '%-40s %6ss  %s\n' "$name" "$s" "$last"
    echo "$last" >>"$logs/.sum"
done
exit 0
