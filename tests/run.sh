#!/bin/sh
# Runs test programs, as many at once as there are processors (TEST_JOBS says otherwise): name, seconds and closing line of
# each; what failed in full. A program prints "N passed, N failed, N skipped" last; one that ends otherwise has failed.
# What stands behind --beside runs one by one beside all others: jobs of several processes, which mostly wait.
# usage: tests/run.sh LOGDIR PROGRAM... [--beside PROGRAM...]
#        tests/run.sh --later LOGDIR PROGRAM...     notes them for `tests/run.sh --noted LOGDIR`, which runs all that were noted
#        tests/run.sh --one LOGDIR PROGRAM          a single one, here
set -u
one() {                                                  # one LOGDIR PROGRAM: its lines, printed at once when it has ended
    name=${2#build/}; log=$1/$(echo "$name" | tr '/ ' '__').log
    start=$(date +%s.%N)
    timeout "${TEST_SECONDS:-1200}" $2 >"$log" 2>&1 </dev/null
    rc=$?
    seconds=$(awk "BEGIN{printf \"%.1f\", $(date +%s.%N)-$start}")
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
    why=
    if [ -z "$last" ]; then
        last="0 passed, 1 failed, 0 skipped"; why=$(grep -v '^$' "$log" | tail -n 20; echo "$name ended with status $rc and no closing line")
    elif ! echo "$last" | grep -q ' 0 failed'; then why=$(grep -E '^(FAIL|fail)' "$log" | head -n 15)
    elif [ $rc -ne 0 ]; then last="0 passed, 1 failed, 0 skipped"; why=$(tail -n 20 "$log"; echo "$name ended with status $rc")
    fi
    printf '%s%-40s %6ss  %s\n' "${why:+$why
}" "$name" "$seconds" "$last"
    [ -z "$why" ] || echo "$why" | head -n 8 | cut -c 1-400 | sed "s|^|failed  $name: |" >>"$1/.failed"
    echo "$last" >>"$1/.sum"
}
if [ "$1" = --one ]; then one "$2" "$3"; exit 0; fi
mode=; case $1 in --*) mode=$1; shift;; esac
logs=$1; shift
mkdir -p "$logs"
[ -n "$mode" ] || rm -f "$logs/.noted" "$logs/.beside"
list=$logs/.noted
for program; do
    if [ "$program" = --beside ]; then list=$logs/.beside; else printf '%s\0' "$program" >>"$list"; fi
done
[ "$mode" != --later ] || exit 0
export XDG_CACHE_HOME="$PWD/$logs/cache"                 # compiled loops; no test writes to the user's
case $logs in /*) XDG_CACHE_HOME=$logs/cache;; esac
lane() {                                                 # lane LIST HOW-MANY-AT-ONCE
    [ ! -e "$1" ] || xargs -0 -P "$2" -I '{}' "$0" --one "$logs" '{}' <"$1" || echo "0 passed, 1 failed, 0 skipped" >>"$logs/.sum"
}
lane "$logs/.beside" 1 &
lane "$logs/.noted" "${TEST_JOBS:-$(nproc 2>/dev/null || echo 1)}"
wait
exit 0
