#!/bin/sh
# The engine matrix: goldens and programs of the public API under every choice of engines, a line of a table for each. Goldens run
# as users run (--mode user). Those that are known to miss under some choice stand in tests/oracle/known.txt, with the reason, and
# are counted by themselves; anything else that misses is a failure.
# usage: tests/engines.sh BUILD [usual | SWITCHES]...     `usual` alone leaves out the long goldens
#        tests/engines.sh BUILD [--turn K]                all choices; --turn: each third one, beginning with the K-th of three
B=${1:-build}; shift
third=; [ "${1:-}" = --turn ] && { third=$2; shift 2; }
set -- "${@:-all}"
[ "$1" = all ] && set -- usual isa:avx2 isa:sse2 no-llvm llvm:now isa:avx2,llvm:now isa:sse2,llvm:now no-dnn no-amx \
    no-amx,no-dnn no-lapack workers:1 ref
[ -z "$third" ] || set -- $(printf '%s\n' "$@" | awk -v k="$third" 'NR % 3 == k % 3')
suites="math collectives random programs init layers optim"
[ "$*" = usual ] || suites="$suites layout checkpoints visual seeds_keras seeds_linen seeds_nnx seeds_pmap seeds_shardmap"
programs="op_values num_values program_steps transform_loops nn_modules complex_values exchanges prop_primitives optim_chain plan_chain
    pipeline_transforms api_transforms"

oracle=${TUTTI_ORACLE:-$(dirname "$0")/goldens}              # the project's own are small
log=$(mktemp) closing=$(mktemp) skips=$(mktemp); trap 'rm -f "$log" "$closing" "$skips"' EXIT
# run SWITCHES PROGRAM...: its failures to the log, its closing line to `closing`, what it skips to `skips`
run() {
    words=$1; shift
    TUTTI=$words,no-cache "$@" >"$log.1" 2>&1 </dev/null
    rc=$?
    last=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log.1" | tail -n 1)
    if [ -z "$last" ]; then echo "FAIL $*: status $rc and no closing line" >>"$log"; last="0 passed, 1 failed, 0 skipped"; fi
    grep -E '^(FAIL|known) ' "$log.1" >>"$log"; grep -E '^skip(:|ped )' "$log.1" >>"$skips"; rm -f "$log.1"
    echo "$last" >>"$closing"
}
P=0 F=0 S=0
printf '%-24s %8s %8s %8s %8s %8s\n' engines passed failed known skipped seconds
for set_ in "$@"; do
    : >"$log"; : >"$closing"; start=$(date +%s); switches=$set_ goldens=$suites
    [ "$set_" = usual ] && switches=
    [ "$set_" = ref ] && goldens="math collectives programs init optim"  # the others hold millions of random bits, convolutions
    for s in $goldens; do
        [ -d "$oracle/$s" ] && run "$switches" "$B/tests/oracle" --mode user "$oracle" "$s"
    done
    for t in $programs; do run "$switches" "$B/tests/$t"; done
    missed=$(grep -c '^known ' "$log")
    sum=$(awk -F'[ ,]+' -v k="$missed" '{ p += $1; f += $3; s += $5 } END { print p, f, s - k }' "$closing")
    p=${sum%% *} rest=${sum#* }; f=${rest%% *} s=${rest#* }
    [ "$f" -gt 0 ] && grep '^FAIL' "$log" | cut -c 1-300
    printf '%-24s %8d %8d %8d %8d %8d\n' "$set_" "$p" "$f" "$missed" "$s" $(($(date +%s) - start))
    P=$((P + p)) F=$((F + f)) S=$((S + s + missed))
done
sort -u "$skips"
echo "volume $P checks under choices of engines"
echo "$P passed, $F failed, $S skipped"
[ $F -eq 0 ]
