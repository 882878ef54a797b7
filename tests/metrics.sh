#!/bin/sh
# The real TensorBoard, tbparse and pandas read what Tutti writes. usage: tests/metrics.sh [BUILD]
# Needs a Python with tensorboard and tbparse: TUTTI_TENSORBOARD names it, or it stands in BUILD/venv (tools/venv.sh BUILD), or
# python3 has it. Without one it is skipped, by one line.
B=${1:-build}; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
for python in "${TUTTI_TENSORBOARD:-}" "$B/venv/bin/python" python3 ""; do
    [ -n "$python" ] && "$python" -c 'import tensorboard, tbparse' 2>/dev/null && break
done
if [ -z "$python" ]; then
    echo "skip: no Python with tensorboard and tbparse: $(cat "$B/venv.why" 2>/dev/null)"; echo "0 passed, 0 failed, 1 skipped"; exit 0
fi
if ! "$B/tests/metrics_files" --for-tensorboard "$dir/run" >"$dir/log" 2>&1; then
    echo "FAIL metrics: nothing was written for it"; cat "$dir/log"; echo "0 passed, 1 failed, 0 skipped"; exit 1
fi
PYTHONDONTWRITEBYTECODE=1 "$python" "$(dirname "$0")/metrics.py" "$dir/run"
