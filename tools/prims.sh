#!/bin/sh
# Lists the primitives: one per file in a subfolder of src/op. Writes the list of primitives (the only list there is).
# usage: tools/prims.sh > build/include/op/prims.h
LC_ALL=C
echo '/* op/prims.h - made by tools/prims.sh from the files in src/op/(folder)/: one line per primitive. */'
grep -lE "^const op_prim prim_[a-z0-9_]+ = [{]" src/op/*/*.c | awk -F/ '{ sub("[.]c$", "", $NF); print "OP_PRIM(" $NF ")" }'
exit 0
