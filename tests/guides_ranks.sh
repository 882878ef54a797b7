#!/bin/sh
# The twins in several processes print what they print in one, in reproducible mode: ranks x devices = 8x1, 4x2 and 2x4
# against one process of eight devices. Not compared, since it differs by its nature:
# - times: the line of tt_timeit ("... per loop ..."), the number before "sec/epoch", and "in ... s; median step ... ms";
# - of arrays on a mesh (types with an "@"), what tt_show prints behind the type: in one process the elements, in several
#   which of them has what.
# usage: tests/guides_ranks.sh [BUILD [long]]; without long: 2x4, and shardmap in the other two, under one MPI library; long:
# all three of each under each library, and the examples.
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
unset NO_COLOR TUTTI
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ -n "$TUTTI_DATA" ] || export TUTTI_DATA_URL=http://127.0.0.1:9 XDG_CACHE_HOME="$dir"   # no download: what is shipped will do
root=$PWD usual=$PATH
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1: $2"; }
compared() {                                             # what is left of the file $1
    awk '/^ *rank [0-9]+ has / && shown { next }
        / per loop / { next }
        /^[a-z][a-z0-9]*\[[^]]*@/ { shown = 1; print substr($0, 1, index($0, "]")); next }
        shown && /^( *\[| +[-0-9.]|$)/ { next }
        { shown = 0; sub(/[0-9.]+ sec\/epoch/, "sec/epoch"); sub(/ in [0-9.]+ s; median step [0-9]+ ms/, ""); print }' "$1"
}
# alike NAME WORDS PROGRAM ARGUMENTS: in one process, then as $jobs
alike() {
    name=$1; words=reproducible,$2; program=$3; shift 3
    rm -rf "$dir/here"; mkdir "$dir/here"; cd "$dir/here" || exit 2      # where programs save
    if ! TUTTI=$words "$B/examples/$program" "$@" >"$dir/one" 2>"$dir/err" </dev/null; then
        bad "$name" "one process: $(tail -n 1 "$dir/err")"; return
    fi
    compared "$dir/one" >"$dir/want"
    for job in $jobs; do
        if ! TUTTI=$words "$B/tutti" run -n "${job%x*}" --devices "${job#*x}" "$root/examples/$program.c" "$@" \
            >"$dir/several" 2>"$dir/err" </dev/null; then bad "$mpi $name, $job" "$(tail -n 3 "$dir/err")"; continue; fi
        compared "$dir/several" >"$dir/got"
        if [ -s "$dir/want" ] && cmp -s "$dir/want" "$dir/got"; then good
        else bad "$mpi $name, $job" "other lines than one process:"; diff "$dir/want" "$dir/got" | head -n 8; fi
    done
    cd "$root" || exit 2
}
twins() {
    small="batch=32 classes=5 input=12 hidden=16 rate=0.01"
    alike dp "" guides/dp $small minibatches=2
    alike fsdp "" guides/fsdp $small minibatches=2 min_weight_size=16
    alike linen timeit:1 guides/linen_spmd 3 64 2
    alike nnx timeit:1 guides/nnx_spmd 3 96 checkpoint
    alike pmap "" guides/pmap 8 5
    alike keras mesh:batch=8 guides/keras_dp 0 128 1
    alike "keras, training" mesh:batch=8 guides/keras_dp 1 128 1
    alike dataparallel "" guides/dataparallel gpus=8 batch=64 images=128 test=64 epochs=1 width=4
    alike ensemble "" guides/ensemble 0 128 1 250
}

found=
for mpi in openmpi mpich; do
    command -v mpirun.$mpi >/dev/null && [ -f "$B/libtutti_mpi_$mpi.so" ] || continue
    found=$mpi
    mkdir "$dir/$mpi"; printf '#!/bin/sh\nexec mpirun.%s "$@"\n' $mpi >"$dir/$mpi/mpirun"; chmod +x "$dir/$mpi/mpirun"
    PATH=$dir/$mpi:$usual
    jobs="8x1 4x2 2x4"; alike shardmap "" guides/shardmap
    [ "$2" = long ] || jobs=2x4
    twins
    [ "$2" = long ] || break
    alike "examples/shardmap" "" shardmap
    alike "examples/mlp" "" mlp
    alike "examples/ensemble" "" ensemble --images 256 --epochs 1
done
[ -n "$found" ] || { echo "skip: neither Open MPI nor MPICH is installed"; s=1; }
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
