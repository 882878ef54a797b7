#!/bin/sh
# docs/tutorial.md tells the truth: each of its programs, run by the tool, prints what stands below it, letter by letter.
# usage: tests/tutorial.sh [BUILD]
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# A C block is kept until the block of its output names it.
awk -v dir="$dir" '
    /^```c$/ { code = ""; on = 1; next }
    /^```$/ && !on { on = 2; next }
    /^```$/ { on = 0; next }
    on == 1 { code = code $0 "\n" }
    on == 2 && /^[$] build.tutti run / {
        name = $NF; options = $0; sub(/^[$] build.tutti run */, "", options); sub(/[^ ]*$/, "", options)
        printf "%s", options > (dir "/" name ".options"); printf "%s", code > (dir "/" name); want = dir "/" name ".want"; printf "" > want; next }
    on == 2 { print > want }' docs/tutorial.md
for program in "$dir"/*.c; do
    name=$(basename "$program")
    options=$(cat "$program.options")
    if [ -n "$options" ] && ! { command -v mpirun.openmpi || command -v mpirun.mpich; } >/dev/null; then
        echo "skip: Open MPI is not installed"; s=$((s+1)); continue
    fi
    (cd "$dir" && "$B/tutti" run $options "$name" >"$name.out" 2>"$name.err" </dev/null)
    cat "$program.err" >>"$program.out"
    if cmp -s "$program.want" "$program.out"; then p=$((p+1))
    else f=$((f+1)); echo "FAIL docs/tutorial.md, $name:"; diff "$program.want" "$program.out" | head -n 12; fi
done
all=$(grep -c '^```c$' docs/tutorial.md)
[ $((p + f + s)) -eq "$all" ] || { f=$((f+1)); echo "FAIL docs/tutorial.md: $all programs, of which $((p + f + s - 1)) have an output"; }
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
