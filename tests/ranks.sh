#!/bin/sh
# The goldens of several processes, by each MPI library that is installed: the suite `distributed` of tests/goldens in 2
# processes of 1 and 2 devices, that of TUTTI_ORACLE in 2 and 4 processes of 1, 2 and 4 devices.
# usage: tests/ranks.sh BUILD [openmpi|mpich]
B=$1
passed=0 failed=0 skipped=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
log=$(mktemp); trap 'rm -f "$log"' EXIT
skip() { echo "skip: $1"; skipped=$((skipped + 1)); }
# Sums of "N passed, N failed" over the ranks: a case counts once, as passed if all ranks have passed it.
run() {                                                   # library, processes, devices of each, folder of goldens
    more=; [ "$1" = openmpi ] && more=--oversubscribe
    TUTTI=ranks,devices:$3 timeout -k 5 200 mpirun."$1" $more -n "$2" "$B/tests/oracle" "$4" distributed >"$log" 2>&1
    status=$?
    set -- "$1" "$2" "$3" $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$log" |
        awk '{ n++; if (n == 1 || $1 < p) p = $1; if ($2 > f) f = $2 } END { print n + 0, p + 0, f + 0 }')
    [ "$4" = "$2" ] || { echo "FAIL $1, $2 processes of $3 devices: $4 have reported, status $status"; failed=$((failed + 1)); }
    [ "$6" = 0 ] && [ $status = 0 ] || { echo "$1, $2 processes of $3 devices:"; grep FAIL "$log" | sort -u; }
    passed=$((passed + $5)) failed=$((failed + $6))
}
for mpi in ${2:-openmpi mpich}; do
    if ! command -v mpirun."$mpi" >/dev/null; then skip "$mpi is not installed"; continue; fi
    for pair in "2 1" "2 2"; do run $mpi $pair tests/goldens; done
    if [ ! -r "$TUTTI_ORACLE/distributed/cases.json" ]; then skip "there is no suite distributed in TUTTI_ORACLE"
    else for pair in "2 1" "2 2" "2 4" "4 1" "4 2"; do run $mpi $pair "$TUTTI_ORACLE"; done
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
