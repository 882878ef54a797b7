#!/bin/sh
# Adds the closing lines collected by tests/run.sh; the last line printed is the whole's. Status 1 when something failed.
awk -F'[ ,]+' '{ p += $1; f += $3; s += $5 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 || p == 0 }' "$1/.sum"
