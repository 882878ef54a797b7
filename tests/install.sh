#!/bin/sh
# make install PREFIX=...: what is where, that a program builds and runs with pkg-config alone, outside the tree; and that
# the library shows nothing but tt_ names. usage: tests/install.sh [BUILD]
B=${1:-build}; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
ok() { name=$1; shift; if "$@" >"$dir/out" 2>&1; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name:"; head -n 8 "$dir/out"; fi; }
says() { name=$1; text=$2; shift 2; "$@" >"$dir/out" 2>&1 </dev/null; if grep -qF -- "$text" "$dir/out"; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name: expected \"$text\", printed:"; head -n 8 "$dir/out"; fi; }
empty() { if [ -s "$dir/out" ]; then f=$((f+1)); echo "FAIL $1:"; head -n 8 "$dir/out"; else p=$((p+1)); fi; }
unset TUTTI TUTTI_PLUGINS LD_LIBRARY_PATH MAKEFLAGS MFLAGS
to=$dir/usr
ok "make install" make --no-print-directory B="$B" PREFIX="$to" install
for file in include/tutti.h include/tutti/ops.h include/tutti/types.h lib/libtutti.so lib/libtutti.so.0.1 lib/libtutti.a \
    lib/pkgconfig/tutti.pc bin/tutti share/tutti/data/train-images-idx3-ubyte.gz share/doc/tutti/LICENSE share/doc/tutti/NOTICE; do
    ok "$file" test -f "$to/$file"
done
[ -f "$B/libtutti_dnn.so" ] && ok "the plug-in" test -f "$to/lib/tutti/libtutti_dnn.so"
ok "the compiler of scalar programs" test -f "$to/lib/tutti/libtutti_llvm.so"
says "soname" "libtutti.so.0.1" sh -c "LC_ALL=C readelf -d '$to/lib/libtutti.so' | grep SONAME"

# Only tt_ names, and no name that the header does not have.
nm -D --defined-only "$to/lib/libtutti.so" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort >"$dir/names"
ok "names" test -s "$dir/names"
grep -v '^tt_' "$dir/names" >"$dir/out"; empty "names that are not tt_"
cat "$to"/include/tutti.h "$to"/include/tutti/*.h >"$dir/header"
gcc -E -I"$to/include" "$to/include/tutti.h" 2>/dev/null | grep -o 'tt_[a-z0-9_]*' | sort -u >"$dir/said"
comm -23 "$dir/names" "$dir/said" | grep -v -x -e tt_on_error_break >"$dir/out"; empty "names that no header says"

# A program of somebody else, in another place.
cp examples/hello.c examples/regression.c "$dir"
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$to/lib/pkgconfig"
    flags=$(cd "$dir" && pkg-config --cflags --libs tutti)
    ok "pkg-config --libs" test -n "$flags"
    ok "cc with pkg-config" sh -c "cd '$dir' && cc -std=c17 -Wall -Wextra -Wpedantic -Werror hello.c -o hello $flags -Wl,-rpath,'$to/lib'"
    says "a program outside the tree" "f32[8@i] [0. 1. 2. 3. 4. 5. 6. 7.]" sh -c "cd '$dir' && ./hello"
    ok "cc -static with pkg-config" sh -c "cd '$dir' && cc regression.c -o fixed \$(pkg-config --cflags tutti) '$to/lib/libtutti.a' \$(pkg-config --static --libs-only-l tutti | sed 's/-ltutti//')"
    says "a program with the archive" "step  900" sh -c "cd '$dir' && ./fixed"
else s=$((s+1)); echo "skip: no pkg-config"; fi
says "the installed tool" "f32[8@i]" sh -c "cd '$dir' && PATH='$to/bin':\$PATH tutti run hello.c"
says "its data" "digits in $to/share/tutti/data" sh -c "'$to/bin/tutti' doctor | sed 's|/bin/../share|/share|'"
[ -f "$B/libtutti_dnn.so" ] && says "its plug-in" "$to/lib/tutti/libtutti_dnn.so" sh -c "cd / && '$to/bin/tutti' doctor | sed 's|/bin/../lib|/lib|'"
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
