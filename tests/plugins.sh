#!/bin/sh
# Plug-ins that somebody else could have put there are not loaded: each planted one would write a file when it is opened.
# usage: tests/plugins.sh [BUILD]
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; chmod 755 "$dir"
p=0; f=0; s=0
unset TUTTI TUTTI_PLUGINS LD_LIBRARY_PATH
ok() { name=$1; shift; if "$@" >"$dir/out" 2>&1; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name:"; head -n 12 "$dir/out"; fi; }
cat >"$dir/evil.c" <<C
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void loaded(void) { FILE *f = fopen("$dir/loaded", "w"); if (f) fclose(f); }
C
printf '#include <stdio.h>\n#include <tutti.h>\nint main(void) { fputs(tt_doctor(), stdout); return tt_done(); }\n' >"$dir/ask.c"
cc -shared -fPIC -o "$dir/evil.so" "$dir/evil.c" && cc -Iinclude -o "$dir/ask" "$dir/ask.c" "$B/libtutti.a" -ljansson -lz -lm -lpthread -ldl ||
    { echo "FAIL: does not compile"; f=1; }
# plant FOLDER MODE: both plug-ins, in a folder of that mode
plant() { mkdir -p "$1"; for n in dnn llvm; do cp "$dir/evil.so" "$1/libtutti_$n.so"; done; chmod "$2" "$1"; rm -f "$dir/loaded"; }
kept_out() { ! test -e "$dir/loaded"; }

# A program that has the library in it takes nothing from its own folder, nor from the one above.
plant "$dir/a" 755; plant "$dir/a/x" 755; mkdir -p "$dir/a/lib/tutti"; plant "$dir/a/x/tutti" 755; plant "$dir/a/lib/tutti" 755
cp "$dir/ask" "$dir/a/x/ask"
ok "beside a program" "$dir/a/x/ask"; ok "beside a program, nothing is loaded" kept_out
# The same through the tool, which puts the program below /tmp.
ok "tutti run" "$B/tutti" run "$dir/ask.c"; ok "tutti run, nothing is loaded" kept_out

# Named by TUTTI_PLUGINS, but open to everybody; then writable files in a good folder.
plant "$dir/open" 777
ok "a folder that everybody may write to" sh -c "TUTTI_PLUGINS='$dir/open' '$dir/ask' | grep 'llvm: .*: not loaded: everybody may write to it, the folder $dir/open'"
ok "open folder, nothing is loaded" kept_out
plant "$dir/files" 755; chmod 777 "$dir"/files/*.so
ok "a file that everybody may write to" sh -c "TUTTI_PLUGINS='$dir/files' '$B/tutti' doctor | grep 'dnn: .*: not loaded: everybody may write to it'"
ok "open files, nothing is loaded" kept_out
mkdir "$dir/link"; ln -s "$dir/open/libtutti_dnn.so" "$dir/open/libtutti_llvm.so" "$dir/link"; rm -f "$dir/loaded"
ok "a link to an open folder" sh -c "TUTTI_PLUGINS='$dir/link' '$dir/ask' | grep 'not loaded: everybody may write to it, the folder $dir/open'"
ok "link, nothing is loaded" kept_out
if [ "$(id -u)" = 0 ]; then
    plant "$dir/other" 755; chown 12345 "$dir"/other/*.so
    ok "another user's file" sh -c "TUTTI_PLUGINS='$dir/other' '$dir/ask' | grep 'not loaded: it belongs to another user'"
    chown 0 "$dir"/other/*.so; chown 12345 "$dir/other"
    ok "another user's folder" sh -c "TUTTI_PLUGINS='$dir/other' '$dir/ask' | grep 'belongs to another user, the folder'"
    ok "another user's, nothing is loaded" kept_out
else s=$((s+1)); echo "skip: another user's files: only root can make them"; fi

# What is as it should be is loaded, and said to be unusable.
plant "$dir/good" 755
ok "a good folder" sh -c "TUTTI_PLUGINS='$dir/good' '$dir/ask' | grep 'what should be in it is not there'"
ok "a good folder is used" test -e "$dir/loaded"
ok "those of the build are found" sh -c "'$dir/ask' | grep -F 'llvm: $B/libtutti_llvm.so'"
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
