#!/bin/sh
# Arrays to NumPy and from it through DLPack, by ctypes alone. usage: tests/dlpack.sh [BUILD]
# Needs a Python with numpy: TUTTI_PYTHON names it, or it stands in BUILD/venv (tools/venv.sh BUILD), or python3 has it.
B=$(cd "${1:-build}" && pwd)
for python in "${TUTTI_PYTHON:-}" "$B/venv/bin/python" python3 ""; do
    [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null && break
done
if [ -z "$python" ]; then echo "skip: no Python with NumPy: $(cat "$B/venv.why" 2>/dev/null)"; echo "0 passed, 0 failed, 1 skipped"; exit 0; fi
PYTHONDONTWRITEBYTECODE=1 "$python" "$(dirname "$0")/dlpack.py" "$B/libtutti.so"
