#!/bin/sh
# tools/bisect on the planted error of tests/plan/ref_after.c. usage: tests/bisect.sh [BUILD]
B=${1:-build}; p=0; f=0
unset TUTTI
# expect NAME STATUS TEXT COMMAND...
expect() {
    name=$1; want=$2; text=$3; shift 3
    out=$("$@" 2>&1 </dev/null); got=$?
    if [ $got -eq "$want" ] && printf '%s' "$out" | grep -q -- "$text"; then p=$((p+1))
    else f=$((f+1)); echo "FAIL $name: status $got (expected $want), expected \"$text\", printed:"; printf '%s\n' "$out" | head -8; fi
}
show="$B/tests/plan_ref_after show"
expect "names the equation" 0 'ref_after.c:[0-9]*: .*sort' tools/bisect $show
expect "no switch mends it" 0 'switch: none of .*no-amx,.* mends the result' tools/bisect $show
expect "no instruction set mends it" 0 'instruction set: the result is wrong in each' tools/bisect $show
expect "a tolerance above the error" 1 'there is nothing to find' tools/bisect --tolerance 1e9 $show
expect "by status" 0 'switch: TUTTI=no-llvm mends' tools/bisect --status sh -c 'case $TUTTI in ref*|*no-llvm*) ;; *) exit 1;; esac'
expect "two switches together" 0 'switch: TUTTI=no-chain,.*no-llvm mends' \
    tools/bisect --status sh -c 'case $TUTTI in ref*|*no-chain*no-llvm*) ;; *) exit 1;; esac'
expect "an instruction set" 0 'TUTTI=isa:avx2 mends' tools/bisect --status sh -c 'case $TUTTI in ref*|isa:avx2|isa:base) ;; *) exit 1;; esac'
expect "a switch whose opposite TUTTI has" 0 'switch: TUTTI=no-dnn mends' \
    env TUTTI=llvm:now,cache:/x tools/bisect --status sh -c 'case $TUTTI in *no-llvm*|*no-cache*) exit 1;; ref*|*,ref*|*no-dnn*) ;; *) exit 1;; esac'
expect "a switch that TUTTI has already" 0 'switch: TUTTI=no-llvm mends' \
    env TUTTI=no-dnn tools/bisect --status sh -c 'case $TUTTI in no-dnn*no-dnn*) exit 1;; *ref*|*no-llvm*) ;; *) exit 1;; esac'
expect "fails both times" 1 'fails both times, with exit status 3' tools/bisect sh -c 'exit 3'
expect "wrong under ref" 1 'fails under TUTTI=ref too' tools/bisect --status false
expect "right" 1 'there is nothing to find' tools/bisect --status true
expect "no command" 2 'usage: tools/bisect' tools/bisect
expect "an unknown option" 2 'usage: tools/bisect' tools/bisect --fast true
echo "$p passed, $f failed, 0 skipped"
[ $f -eq 0 ]
