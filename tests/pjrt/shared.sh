# What the tests of engines of PJRT share, to be sourced: counts, and what is run on the devices of a library.
# Wants $B, the build, and $dir, a folder of the test's own.
p=0; f=0; s=0
unset TUTTI NO_COLOR
# OpenXLA's library for processors ends the process when a device has waited for another one for 40 seconds, which on a busy
# machine is no failure.
patient=--xla_cpu_collective_call_terminate_timeout_seconds=3600
export XLA_FLAGS="$patient"
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1: $2"; head -n 12 "$dir/out" 2>/dev/null; }
skip() { s=$((s+1)); echo "skip: $1"; }
add() {                                                  # add NAME: the closing line in $dir/out
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$dir/out" | tail -n 1)
    [ -n "$last" ] || { bad "$1" "no closing line"; return; }
    grep -E '^(FAIL|skip|skipped) ?' "$dir/out"
    p=$((p+$(echo "$last" | cut -d ' ' -f 1))); f=$((f+$(echo "$last" | cut -d ' ' -f 3))); s=$((s+$(echo "$last" | cut -d ' ' -f 5)))
}

# topology PROGRAM: makes the compiler for devices that are not here; it includes src/pjrt/program.c
topology() { cc -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -o "$1" tests/pjrt/topology.c $(ls src/pjrt/*.c | grep -v /program.c) -ldl -lpthread; }

# goldens NAME LIBRARY FORM ARGUMENTS: by the devices of the library
goldens() {
    name=$1; library=$2; form=$3; shift 3
    TUTTI_ORACLE_ENGINE=pjrt TUTTI=pjrt:$library,form:$form "$B/tests/oracle" --mode user "$@" >"$dir/out" 2>&1; add "$name"
}
# twin NAME WITHIN ARGUMENTS: its numbers are those of the embedded engine, within so much of 1 + their size. In the
# planned form no note says that a function is in the other one.
twin() {
    name=$1; within=$2; shift 2
    TUTTI=$usual "$B/examples/guides/$@" >"$dir/here" 2>"$dir/out" || bad "$name" "the embedded engine"
    "$B/examples/guides/$@" >"$dir/there" 2>"$dir/out" || { bad "$name" "ended with an error"; return; }
    if grep -q 'runs in the global form' "$dir/out"; then bad "$name" "a function is not as planned"; fi
    grep -v 'per loop\|sec/epoch\|median step' "$dir/here" >"$dir/a"; grep -v 'per loop\|sec/epoch\|median step' "$dir/there" >"$dir/b"
    if paste -d ' ' "$dir/a" "$dir/b" | awk -v d="$within" '
        { if (NF % 2) wrong = 1
          for (i = 1; i <= NF / 2; i++) { x = $i; y = $(i + NF / 2); gsub(/[][,]/, "", x); gsub(/[][,]/, "", y); if (x == y) continue
              s = x < 0 ? -x : x; e = x - y; if (e < 0) e = -e; if (!(x ~ /^-?[0-9.]/) || e > d * (1 + s)) wrong = 1 } }
        END { exit wrong || !NR }'; then good; else bad "$name" "other lines:"; diff "$dir/a" "$dir/b" | head -n 6; fi
}
usual=
