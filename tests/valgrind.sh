#!/bin/sh
# Programs under valgrind, which sees reads of what was never written; sanitizers do not. Own kernels, AVX2: valgrind knows no
# wider ones. usage: tests/valgrind.sh [BUILD]
B=${1:-build}; p=0; f=0
command -v valgrind >/dev/null || { echo "skip: no valgrind"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
log=$(mktemp); trap 'rm -f "$log"' EXIT
isa=isa:avx2
grep -q avx2 /proc/cpuinfo || isa=isa:base
for t in examples/hello examples/regression tests/api_values tests/api_transforms tests/api_parallel tests/api_loops \
    tests/nn_modules tests/run_exec tests/plan_donate tests/plan_manual tests/transform_loops tests/gen_tile; do
    if TUTTI=$isa,no-dnn valgrind -q --error-exitcode=99 --suppressions=tests/valgrind.supp "$B/$t" >"$log" 2>&1 </dev/null
    then p=$((p+1))
    else f=$((f+1)); echo "FAIL $t:"; head -n 30 "$log"; fi
done
echo "$p passed, $f failed, 0 skipped"
[ $f -eq 0 ]
