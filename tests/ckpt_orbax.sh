#!/bin/sh
# The real Orbax restores what Tutti writes, steps included, and Tutti reads what Orbax writes. usage: tests/ckpt_orbax.sh [BUILD]
# Needs a Python with orbax-checkpoint: TUTTI_ORBAX names it, or it stands in BUILD/venv (tools/venv.sh BUILD), or python3 has
# it. Without one it is skipped, by one line.
B=${1:-build}; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0
for python in "${TUTTI_ORBAX:-}" "$B/venv/bin/python" python3 ""; do
    [ -n "$python" ] && "$python" -c 'import orbax.checkpoint' 2>/dev/null && break
done
if [ -z "$python" ]; then echo "skip: no Python with orbax-checkpoint: $(cat "$B/venv.why" 2>/dev/null)"; echo "0 passed, 0 failed, 1 skipped"; exit 0; fi
says() { if [ "$1" -eq 0 ]; then p=$((p+1)); else f=$((f+1)); echo "FAIL orbax: $2"; tail -n 5 "$dir/log"; fi; }
"$B/tests/ckpt_save" --for-orbax "$dir" >"$dir/log" 2>&1; says $? "nothing was written for it"
"$B/tests/ckpt_marks" --write "$dir" >"$dir/log" 2>&1; says $? "no single files were written for it"
sums() { sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$dir/log"; grep '^FAIL' "$dir/log" >&2; }
for what in read write; do
    "$python" tests/ckpt_orbax.py $what "$dir" >"$dir/log" 2>&1
    set -- $(sums)
    if [ $# -eq 2 ]; then p=$((p + $1)); f=$((f + $2)); else says 1 "ckpt_orbax.py $what broke"; fi
done
for form in 00 01 10 11; do                              # Zarr v2 and v3, files and OCDBT
    "$B/tutti" ckpt export "$dir/orbax-$form" "$dir/back-$form.npz" >"$dir/log" 2>&1; says $? "form $form does not read"
    "$python" - "$dir/orbax.npz" "$dir/back-$form.npz" >"$dir/log" 2>&1 <<'P'
import sys, numpy as np
bits = lambda v: v.view(f"u{v.dtype.itemsize}") if v.dtype.kind == "V" else v     # a file of NumPy's has bfloat16 so
a, b = ({k: bits(v) for k, v in np.load(f).items()} for f in sys.argv[1:])
assert set(a) == set(b), (sorted(a), sorted(b))
for k in a: assert a[k].dtype == b[k].dtype and a[k].tobytes() == b[k].tobytes(), k
P
    says $? "form $form: other values"
done
echo "$p passed, $f failed, 0 skipped"
[ $f -eq 0 ]
