#!/bin/sh
# Each request for memory of a whole process fails, once and from then on: an error or a right result, never a signal,
# never another result that is called fine. usage: tests/attack/refuse.sh BUILD [STRIDE]
B=${1:-build}; step=${2:-1}; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
export TUTTI=no-llvm,no-dnn,workers:2
cc -shared -fPIC -O1 -o "$dir/refuse.so" tests/attack/refuse.c -ldl &&
cc -O1 -Iinclude -o "$dir/work" tests/attack/work.c "$B/libtutti.a" -ljansson -lz -lm -lpthread -ldl ||
    { echo "FAIL: does not compile"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
# each NAME COMMAND...
each() {
    name=$1; shift
    REFUSE_COUNT="$dir/count" LD_PRELOAD="$dir/refuse.so" "$@" >"$dir/right" 2>/dev/null; want=$?
    n=$(cat "$dir/count" 2>/dev/null || echo 0); bad=0; tried=0; told=0
    [ "$want" = 0 ] && [ "$n" -gt 10 ] || { f=$((f+1)); echo "FAIL $name: status $want after $n requests"; return; }
    for on in "" 1; do
        i=1
        while [ $i -le "$n" ]; do
            rm -rf "$dir/out"; mkdir "$dir/out"; tried=$((tried+1))
            timeout 20 env REFUSE=$i ${on:+REFUSE_ON=1} LD_PRELOAD="$dir/refuse.so" "$@" >"$dir/got" 2>"$dir/said"; got=$?
            [ $got = 0 ] || told=$((told+1))
            if [ $got -ge 124 ] || { [ $got = 0 ] && ! cmp -s "$dir/got" "$dir/right"; }; then
                bad=$((bad+1)); [ $bad -gt 8 ] || echo "  $name: request $i of $n${on:+ and all later}: status $got, $(tail -n 1 "$dir/said")"
            fi
            i=$((i+step))
        done
    done
    echo "volume $tried processes with a request for memory refused"
    if [ $told = 0 ]; then f=$((f+1)); echo "FAIL $name: no request was refused, or no refusal told"
    elif [ $bad = 0 ]; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name: $bad of $tried"; fi
}
mkdir "$dir/out" "$dir/kept"; "$dir/work" train "$dir/kept" >/dev/null 2>&1
each "training" "$dir/work" train "$dir/out"
each "import" "$dir/work" import
each "metrics" "$dir/work" measured "$dir/out"
each "handles" "$dir/work" owned "$dir/out"
each "formats" "$dir/work" formats "$dir/out"
each "tutti doctor" "$B/tutti" doctor
each "tutti ckpt" "$B/tutti" ckpt ls "$dir/kept/run"
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
