#!/bin/sh
# What Tutti writes as StableHLO text, the real JAX parses and runs to the same numbers: every primitive's cases, and what the
# examples trace. usage: tests/hlo_jax.sh [BUILD [K [N]]]     K: each N-th text alone, beginning with the K-th; N: 6
# Needs a Python with jax: TUTTI_PYTHON names it, or it stands in BUILD/venv (tools/venv.sh BUILD), or python3 has it. Without
# one it is skipped, by one line.
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
for python in "${TUTTI_PYTHON:-}" "$B/venv/bin/python" python3 ""; do
    [ -n "$python" ] && "$python" -c 'import jax' 2>/dev/null && break
done
if [ -z "$python" ]; then echo "skip: no Python with jax: $(cat "$B/venv.why" 2>/dev/null)"; echo "0 passed, 0 failed, 1 skipped"; exit 0; fi
if ! "$B/tests/hlo_export" --into "$dir" >"$dir/log" 2>&1; then
    tail -n 5 "$dir/log"; echo "0 passed, 1 failed, 0 skipped"; exit 1
fi
for example in mlp regression shardmap ensemble guides/dp guides/fsdp guides/pmap guides/shardmap; do
    (cd "$dir" && TUTTI=hlo,dry,report:3 timeout 60 "$B/examples/$example") 3>"$dir/texts" >/dev/null 2>&1 </dev/null
    awk -v stem="$dir/z_$(basename "$example")" '         # dry: all is traced, nothing computed
        /^\/\/ ---- / { file = sprintf("%s_%02d_%s.mlir", stem, n++, $3); next }
        { print >file } /^}/ { close(file) }' "$dir/texts"
done
md5sum "$dir"/z_*.mlir | sort | awk '$1 == last { print $2 } { last = $1 }' | xargs rm -f
[ -z "${2:-}" ] || ls "$dir"/*.mlir | awk -v k="$2" -v n="${3:-6}" 'NR % n != k % n' | xargs rm -f
# The same by axes, as JAX writes collectives since 0.12.
if "$python" -c 'import jax; exit(jax.__version_info__ < (0, 12))'; then
    for text in $(grep -l 'replica_groups' "$dir"/*.mlir); do
        "$B/tutti" export "$text" --jax 0.12 --out "${text%.mlir}_axes.mlir" ||
            { echo "FAIL export of $(basename "$text")"; lost=$((${lost:-0} + 1)); }
        [ -e "${text%.mlir}.bin" ] && cp "${text%.mlir}.bin" "${text%.mlir}_axes.bin"
    done
else echo "skip: this JAX is older than 0.12: no groups by axes"; old=1
fi
"$python" tests/hlo_jax.py "$dir" "$B/tutti" 2>"$dir/errors" | tee "$dir/said" | grep -v ' passed, '
set -- $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$dir/said")
[ $# -eq 3 ] || { tail -n 5 "$dir/errors"; set -- 0 1 0; }
echo "$1 passed, $(($2 + ${lost:-0})) failed, $(($3 + ${old:-0})) skipped"
[ $(($2 + ${lost:-0})) -eq 0 ]
