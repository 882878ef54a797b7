#!/bin/sh
# Lists the primitives: one per file in a subfolder of src/op. Writes the list of rows (the only list there is).
# usage: tools/prims.sh > build/include/op/prims.h
LC_ALL=C
echo '/* op/prims.h - made by tools/prims.sh from the files in src/op/(folder)/: one line per primitive. */'
for f in src/op/*/*.c; do [ -f "$f" ] && echo "OP_PRIM($(basename "$f" .c))"; done
exit 0
