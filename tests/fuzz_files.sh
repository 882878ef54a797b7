#!/bin/sh
# libFuzzer on the readers of files and texts: tests/fuzz_files.sh BUILD SECONDS [FORMAT...]. So many seconds each; what is
# found is in BUILD, new inputs in BUILD/corpus. Prints executions by format. Leaks are looked for at the end of each.
build=$1; seconds=$2; shift 2
[ $# -gt 0 ] || set -- $(ls tests/corpus/files)
good=0; bad=0
for format; do
    mkdir -p "$build/corpus/$format"
    TUTTI_FUZZ=$format nice "$build/fuzz_files" -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=4000 \
        -malloc_limit_mb=1000 -detect_leaks=0 -entropic=0 -print_final_stats=1 -artifact_prefix="$build/$format-" "$build/corpus/$format" \
        "tests/corpus/files/$format" >"$build/$format.log" 2>&1
    rc=$?
    printf '%-12s %10s executions\n' "$format" "$(sed -n 's/.*number_of_executed_units: *//p' "$build/$format.log")"
    sed -n 's/.*number_of_executed_units: *\([0-9]*\).*/volume \1 executions of readers of files and texts/p' "$build/$format.log"
    if [ $rc -eq 0 ]; then good=$((good + 1)); else bad=$((bad + 1)); echo "FAIL $format"; grep -v "^#" "$build/$format.log" | tail -n 30; fi
done
echo "$good passed, $bad failed, 0 skipped"
[ $bad -eq 0 ]
