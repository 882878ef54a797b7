#!/bin/sh
# Writes the texts that a test expects anew, as they are now: FILE.inc beside FILE.c, which the test prints when its argument is -p.
# What has changed is shown, to be read before it is committed. usage: tests/update.sh FILE.c PROGRAM; make test T=api/errors UPDATE=1
texts=${1%.c}.inc
if ! [ -f "$texts" ] || ! grep -q '"-p"\|errors_main' "$1"; then
    echo "make test UPDATE=1: $1 has no texts to write; these have: $(grep -l '"-p"\|errors_main' tests/*.c tests/*/*.c tests/*/*/*.c | sed 's|^tests/||; s|\.c$||' | tr '\n' ' ')" >&2
    exit 2
fi
if "$2" -p >"$texts.new" && [ -s "$texts.new" ]; then mv "$texts.new" "$texts"
else rm -f "$texts.new"; echo "make test UPDATE=1: $2 -p failed" >&2; exit 1
fi
git --no-pager diff --stat -- "$texts"
git --no-pager diff -- "$texts"
