#!/bin/sh
# Each twin on one device and on several: the same numbers but for the order of sums, and the same digits to the last in
# reproducible mode. What differs by its nature is said in docs/guides.md. usage: tests/guides_devices.sh [BUILD]
B=${1:-build}; G=$B/examples/guides; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0
unset TUTTI NO_COLOR
[ -n "$TUTTI_DATA" ] || export TUTTI_DATA_URL=http://127.0.0.1:9 XDG_CACHE_HOME="$dir"   # no download: what is shipped will do
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1: $2"; }
# numbers NAME WORDS LINES TWIN ARGUMENTS: the lines with numbers that do not speak of devices, in both modes
numbers() {
    name=$1; words=$2; lines=$3; shift 3
    for mode in fast same; do
        [ $mode = fast ] || words="reproducible, $words"
        TUTTI="$words" "$G/$@" 2>"$dir/err" </dev/null >"$dir/out" || bad "$name" "$1: $(tail -n 1 "$dir/err")"
        grep -E "$lines" "$dir/out" >"$dir/$name.$mode"
    done
}
# alike ONE OTHER WITHIN: in reproducible mode the same text; else numbers within so much of 1 + their size
alike() {
    if [ -s "$dir/$1.same" ] && cmp -s "$dir/$1.same" "$dir/$2.same"; then good
    else bad "$2" "reproducible, other digits than $1:"; diff "$dir/$1.same" "$dir/$2.same" | head -n 6; fi
    if paste -d ' ' "$dir/$1.fast" "$dir/$2.fast" | awk -v d="$3" '
        { for (i = 1; i <= NF / 2; i++) { x = $i; y = $(i + NF / 2); gsub(/,/, "", x); gsub(/,/, "", y)
              if (x == y) continue
              s = x < 0 ? -x : x; e = x - y; if (e < 0) e = -e; if (!(x ~ /^-?[0-9.]/) || e > d * (1 + s)) wrong = 1 } }
        END { exit wrong || !NR || NF % 2 }'; then good
    else bad "$2" "other numbers than $1:"; diff "$dir/$1.fast" "$dir/$2.fast" | head -n 6; fi
}

# Sums of 96 products and means of 768: their orders differ by some 1e-6 of the result, five steps of Adam keep that.
m=0
for mesh in data=1+model=1 data=2+model=4 data=8+model=1 data=1+model=8; do
    m=$((m+1))
    numbers nnx$m "timeit:1, mesh:$mesh" '^[0-9.e-]+$' nnx_spmd 3 96 "$dir/nnx"
    numbers linen$m "timeit:1, mesh:$mesh" '^mean' linen_spmd 3 64 3
    [ $m = 1 ] || { alike nnx1 nnx$m 1e-5; alike linen1 linen$m 1e-6; }
done
for n in 1 2 8; do
    numbers pmap$n "" '^(Step|w =)' pmap $n 5
    numbers keras$n mesh:batch=$n '^(Epoch|Test)' keras_dp 0 256 1 3
    numbers trained$n mesh:batch=$n '^(Epoch|Test)' keras_dp 1 128 1 3
    [ $n = 1 ] || { alike pmap1 pmap$n 1e-5; alike keras1 keras$n 1e-3; alike trained1 trained$n 1e-2; }
done
# In bfloat16 a device's sum over a minibatch is rounded before the devices' are added: as many rows each, then.
small="batch=32 classes=5 input=12 hidden=16 dropout=0 rate=0.01 seed=9"
for t in dp fsdp; do
    for n in 1 2 8; do
        numbers $t$n "" '^(loss|accuracy)' $t $small bf16=0 devices=$n minibatches=1
        numbers $t$n.4 "" '^(loss|accuracy)' $t $small bf16=0 devices=$n minibatches=4
        numbers $t$n.half "" '^(loss|accuracy)' $t $small devices=$n minibatches=$((16 / n))
        alike dp1 $t$n 1e-5; alike dp1 $t$n.4 1e-5; alike dp1.half $t$n.half 1e-5
    done
done
echo "$p passed, $f failed, 0 skipped"
[ $f -eq 0 ]
