#!/bin/sh
# A Python with the newest JAX and Orbax that it can have, in BUILD/venv, for the tests that ask the real ones; beside them
# OpenXLA's library of PJRT for processors, whose package never changes, and TensorBoard.
# usage: tools/venv.sh BUILD
# Made where there is python3 with venv and a package index; once a day it follows what is new. What keeps it from being made
# is one line in BUILD/venv.why, and those tests are skipped with it. TUTTI_VENV=no: nothing is made or asked.
set -u
B=$1; V=$B/venv; SECONDS_AT_MOST=240
rm -f "$B/venv.why"
why() { printf '%s\n' "$1" >"$B/venv.why"; exit 0; }
[ "${TUTTI_VENV:-}" = no ] && why "TUTTI_VENV=no"
if [ -e "$V/made" ] && [ -e "$V/pjrt" ] && [ -n "$(find "$V/made" -mmin -1440)" ]; then exit 0; fi
# The newest JAX asks for a newer Python than some systems have under that name.
pyenv=${PYENV_ROOT:-$HOME/.pyenv}/versions
for python in python3.14 "$pyenv"/3.14.*/bin/python3 python3.13 "$pyenv"/3.13.*/bin/python3 python3.12 "$pyenv"/3.12.*/bin/python3 \
    python3 ""; do
    [ -n "$python" ] && command -v "$python" >/dev/null 2>&1 && "$python" -c 'import ensurepip, venv' 2>/dev/null && break
done
[ -x "$V/bin/python" ] || [ -n "$python" ] || why "no python3 with venv"
mkdir -p "$B"
log=$B/venv.log
if [ ! -x "$V/bin/python" ]; then
    rm -rf "$V"
    "$python" -m venv "$V" >"$log" 2>&1 || { rm -rf "$V"; why "no virtual environment: $(tail -n 1 "$log")"; }
fi
# --retries 1: without a network it is known at once. --no-compile: what is imported is compiled then, not all of it now.
if timeout "$SECONDS_AT_MOST" "$V/bin/pip" install -q -U --retries 1 --timeout 15 --disable-pip-version-check --no-compile --only-binary :all: \
    jax orbax-checkpoint safetensors >"$log" 2>&1; then
    date >"$V/made"
elif [ ! -e "$V/made" ]; then                            # what was there stays
    said=$(grep -m 1 '^ERROR' "$log" || tail -n 1 "$log")
    rm -rf "$V"
    why "no package index, or nothing in it for this Python: $said"
fi
[ -e "$V/pjrt" ] || timeout "$SECONDS_AT_MOST" "$V/bin/pip" install -q --retries 1 --timeout 15 --disable-pip-version-check --no-deps \
    --only-binary :all: xla-cpu-pjrt==0.0.1 >>"$log" 2>&1 && date >"$V/pjrt"
[ -e "$V/tensorboard" ] || timeout "$SECONDS_AT_MOST" "$V/bin/pip" install -q --retries 1 --timeout 15 --disable-pip-version-check \
    --no-compile --only-binary :all: tensorboard tbparse >>"$log" 2>&1 && date >"$V/tensorboard"
exit 0
