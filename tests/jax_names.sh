#!/bin/sh
# Every public name of JAX is on a page of the documents (tests/jax_names.py). usage: tests/jax_names.sh [BUILD]
# Asks the JAX of TUTTI_PYTHON or of BUILD/venv; without one, the pages alone are compared with the headers.
B=${1:-build}
export JAX_PLATFORMS=cpu PYTHONDONTWRITEBYTECODE=1
for python in "${TUTTI_PYTHON:-}" "$B/venv/bin/python" ""; do
    [ -n "$python" ] && "$python" -c 'import jax' 2>/dev/null && exec "$python" tests/jax_names.py
done
command -v python3 >/dev/null ||
    { echo "skip: no Python with jax: no python3 with venv"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
exec python3 tests/jax_names.py --only-pages
