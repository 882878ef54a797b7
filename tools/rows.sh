#!/bin/sh
# Lists the primitives: one per file in a subfolder of src/op. Writes the list of rows (the only list there is).
# usage: tools/rows.sh > build/include/op/rows.h
LC_ALL=C
echo '/* op/rows.h - made by tools/rows.sh from the files in src/op/(folder)/: one line per primitive. */'
for f in src/op/*/*.c; do [ -f "$f" ] && echo "OP_ROW($(basename "$f" .c))"; done
exit 0
