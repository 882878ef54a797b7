#!/bin/sh
# libFuzzer on the reader of StableHLO: tests/hlo_fuzz.sh BUILD SECONDS. New inputs go to BUILD/corpus/hlo, a finding to BUILD.
build=$1
mkdir -p "$build/corpus/hlo"
"$build/hlo_fuzz" -max_total_time="$2" -max_len=8192 -timeout=10 -rss_limit_mb=3000 -malloc_limit_mb=512 -print_final_stats=1 \
    -artifact_prefix="$build/" "$build/corpus/hlo" tests/corpus/hlo tests/corpus/transforms >"$build/log" 2>&1
rc=$?
grep -E 'number_of_executed_units|new_units_added' "$build/log"
sed -n 's/.*number_of_executed_units: *\([0-9]*\).*/volume \1 executions of the reader of StableHLO/p' "$build/log"
if [ $rc -eq 0 ]; then echo "1 passed, 0 failed, 0 skipped"; else tail -n 30 "$build/log"; echo "0 passed, 1 failed, 0 skipped"; fi
exit $rc
