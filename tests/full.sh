#!/bin/sh
# The demo on all of MNIST, two epochs: the ensemble's accuracy on 10,000 test images is at least 98.7 % and better than the
# mean of its members. Skipped where only the shipped digits are to be had. usage: tests/full.sh [BUILD]
B=${1:-build}; log=$(mktemp); trap 'rm -f "$log"' EXIT
"$B/tests/mnist_source" --source 2>&1 | grep -q '^60000 ' ||
    { echo "skip: no full MNIST here (TUTTI_DATA, the cache, a download)"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
"$B/examples/ensemble" --full >"$log" 2>&1 </dev/null || { tail -n 20 "$log"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
sed -n '/^On /,/^$/p' "$log"
awk '/^On / { n = $2 } /^  mean/ { m = $2 } /^  ensemble/ { e = $2 }
    END { ok = (n == 10000) + (e >= 98.7) + (e > m); printf "%d passed, %d failed, 0 skipped\n", ok, 3 - ok; exit ok < 3 }' "$log"
