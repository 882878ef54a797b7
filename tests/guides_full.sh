#!/bin/sh
# The twins that train on all of MNIST: the ensemble after two epochs is right on 98.5 % of 10,000 digits and better than its
# members by themselves; the Keras model is after twelve with training switched on; and it trains as its guide does, two
# epochs. Long, and only where all of the digits are to be had.
# usage: tests/guides_full.sh BUILD [K]     K: of the three the K-th alone, from 0
B=${1:-build}; only=${2:-}; k=0
"$B/tests/mnist_source" --source 2>&1 | grep -q '^60000 ' ||
    { echo "skip: no full MNIST here (TUTTI_DATA, the cache, a download)"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1"; tail -n 6 "$2"; }
# trains NAME TWIN ARGUMENTS: its output goes to a file of that name; false where another of the three is asked for
trains() {
    name=$1 twin=$2; shift 2; k=$((k+1))
    [ -z "$only" ] || [ $((only % 3)) = $((k-1)) ] || return 1
    "$B/examples/guides/$twin" "$@" >"$dir/$name" 2>/dev/null </dev/null || bad "$twin, $name: status" "$dir/$name"
    echo "volume 1 trainings of guides on all of MNIST"
}
trains ensemble ensemble 0 0 2 && {
awk '/^epoch:/ { sub(/.*test_accuracy: /, ""); together = $1 } /^members/ { alone = $NF }
    END { exit !(together >= 98.5 && together > alone) }' "$dir/ensemble" && good || bad "ensemble" "$dir/ensemble"; }
trains training keras_dp 1 0 12 && {
awk '/^Epoch 11 accuracy/ { e = $4 } /^Test accuracy/ { a = $3 } END { exit !(e >= 0.985 && a >= 0.985) }' "$dir/training" && good || bad "keras_dp, training" "$dir/training"; }
trains plain keras_dp 0 0 2 && {
awk '/^x_train shape: [(]60000, 28, 28, 1[)]$/ || /^60000 train samples$/ || /^10000 test samples$/ { n++ }
    /^Epoch [01] loss: / { k += $4 > 0 && $4 < 2 } END { exit !(n == 3 && k == 2) }' "$dir/plain" && good || bad "keras_dp" "$dir/plain"; }
cat "$dir"/* | grep -E '^(epoch|members|Epoch|Test)'
echo "$p passed, $f failed, 0 skipped"
[ $f -eq 0 ]
