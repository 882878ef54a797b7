#!/bin/sh
# The twin of the note on pmap: convolutions to the letter, the regression within the goldens' tolerance; and on four
# devices, with other keys and, where the goldens are (TUTTI_ORACLE), on their points. usage: tests/guides_pmap.sh [BUILD]
B=${1:-build}; G=$B/examples/guides; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
unset TUTTI NO_COLOR
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1: $2"; }
runs() { name=$1; shift; if "$@" >"$dir/$name" 2>"$dir/err" </dev/null; then good; else bad "$name" "status $?"; tail -n 5 "$dir/$name" "$dir/err"; fi; }
like() { if grep -qE -- "$2" "$dir/$1"; then good; else bad "$1" "no line is like $2"; fi; }
# rows NAME K: the numbers of every row of the K-th array, one row per line
rows() { awk -v k="$2" '/^[a-z]+[0-9]*\[/ { n++ } n == k && /\[/ { gsub(/^[a-z0-9]+\[[^]]*\]/, ""); gsub(/[][]/, ""); if (NF) print }' "$dir/$1"; }
# is NAME K ROW TEXT: that row of that array has these numbers within 1e-6
is() {
    if rows "$1" "$2" | awk -v r="$3" -v t="$4" 'NR == r { n = split(t, w, " "); ok = n == NF; for (i = 1; i <= n; i++) { d = $i - w[i]; e = w[i] * 2e-6; if (d > e || d < -e) ok = 0 } seen = 1 } END { exit !(seen && ok) }'
    then good; else bad "$1" "array $2, row $3 is not $4: $(rows "$1" "$2" | sed -n "$3p")"; fi
}
runs pmap "$G/pmap"
like pmap '^8 devices$'
is pmap 1 1 "11 20 29"
for k in 2 3 5; do is pmap $k 1 "11 20 29"; is pmap $k 8 "326 335 344"; done
is pmap 4 1 "78 138 198"; is pmap 4 8 "36198 37203 38208"
is pmap 6 1 "0.00816024 0.01408451 0.019437"
like pmap '^f32\[8@[a-z_]+, 3\]'                         # it stays on the devices
like pmap '^after first `update\(\)`, `replicated_params\.weight` is f32\[8@num_devices\], on the devices$'
like pmap '^after first `update\(\)`, `loss` is f32\[8@num_devices\], on the devices$'
like pmap '^after first `update\(\)`, `x_split` is f32\[8, 16, 1\]$'
if awk '/^Step/ { n++; if ($0 !~ /^Step [ 0-9][ 0-9][0-9], loss: [0-9]+\.[0-9][0-9][0-9]$/) wrong = 1; if (n == 1) first = $4; last = $4 }
        END { exit wrong || n != 10 || !(last < first / 4) }' "$dir/pmap"; then good; else bad pmap "the log of the losses"; fi
runs four "$G/pmap" 4 7
is four 2 4 "146 155 164"
like four '^after first `update\(\)`, `x_split` is f32\[4, 32, 1\]$'
# points NAME CASE DEVICES KEY: the golden's points, its log
points() {
    if ! command -v python3 >/dev/null || [ ! -f "${TUTTI_ORACLE:-/nowhere}/seeds_pmap/arrays.npz" ]; then
        s=$((s+1)); echo "skip: no goldens of the regression (TUTTI_ORACLE, python3)"; return
    fi
    python3 - "$TUTTI_ORACLE/seeds_pmap" "$2" "$dir" <<'X'
import json, sys, zipfile
folder, name, to = sys.argv[1:]
case = [c for c in json.load(open(folder + "/cases.json")) if c["id"] == name][0]
with zipfile.ZipFile(folder + "/arrays.npz") as z:
    for i in (0, 1): open("%s/%d.npy" % (to, i), "wb").write(z.read(case["in"][i] + ".npy"))
open(to + "/log", "w").write(case["text"])
X
    runs "$1" "$G/pmap" "$3" "$4" "$dir/0.npy" "$dir/1.npy"
    if awk 'NR == FNR { want[$2] = $4; n++; next } /^Step/ && $2 in want { m++; d = $4 - want[$2]; if (d > 0.0011 || d < -0.0011) wrong = 1 } END { exit wrong || m != n || !n }' \
        "$dir/log" "$dir/$1"; then good; else bad "$1" "another log than the golden's:"; diff "$dir/log" "$dir/$1" | head -n 6; fi
}
points guide regression/guide/original 8 123
points golden4 regression/four/original 4 7
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
