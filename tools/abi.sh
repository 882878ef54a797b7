#!/bin/sh
# The interface of a release: the types of all functions that libtutti.so exports, as the headers declare them, by
# libabigail; docs/dev/abi.md. usage: tools/abi.sh keep|check BUILD SOVERSION [HEADERS [LIBRARY]]
# keep writes tools/abi/SOVERSION.abi; check compares with it: status 1 for a function that is gone or has changed.
set -e
mode=$1 B=$2 kept=tools/abi/$3.abi headers=${4:-include} library=${5:-$2/libtutti.so}
command -v abidw >/dev/null 2>&1 || { echo "make abi: no abidw; Debian: abigail-tools" >&2; exit 2; }
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
# A variable for each function, of the type of a pointer to it: what a compiler writes about such a variable is the
# function's whole type, at the price of one small file.
cc -E -I"$headers" "$headers/tutti.h" | grep -o 'tt_[a-z0-9_]*' | sort -u >"$dir/declared"
nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { sub(/@.*/, "", $3); print $3, $2 }' | sort >"$dir/exported"
{
    echo '#include <tutti.h>'
    join "$dir/exported" "$dir/declared" | while read -r name kind; do
        echo "extern __typeof__(tt_val) tt_val_; __typeof__($name) *abi_$name;"
    done
} >"$dir/abi.c"
cc -std=gnu17 -g -shared -fPIC -I"$headers" -o "$dir/abi.so" "$dir/abi.c"
if [ "$mode" = keep ]; then
    mkdir -p tools/abi
    (cd "$dir" && abidw --no-comp-dir-path --no-corpus-path --no-show-locs abi.so) >"$kept"
    echo "$kept: $(grep -c . "$dir/exported") names"
    exit 0
fi
status=0
abidiff --no-added-syms "$kept" "$dir/abi.so" >"$dir/said" 2>&1 || status=$?
[ $status -ne 0 ] || exit 0
sed 's/abi_tt_/tt_/g' "$dir/said"
exit 1
