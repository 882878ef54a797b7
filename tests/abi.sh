#!/bin/sh
# The interface is that of the release whose SONAME it has, by abidiff (docs/dev/abi.md); and the comparison sees what it should see.
# usage: tests/abi.sh [BUILD]
B=${1:-build}; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
says() { name=$1; want=$2; text=$3; shift 3; "$@" >"$dir/out" 2>&1; got=$?; if [ $got -eq $want ] && { [ -z "$text" ] || grep -qF -- "$text" "$dir/out"; }; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name: status $got (expected $want), expected \"$text\", printed:"; head -n 12 "$dir/out"; fi; }
skip() { s=$((s+1)); echo "skip: $1"; }
if ! command -v abidiff >/dev/null 2>&1; then skip "no abidiff"; echo "$p passed, $f failed, $s skipped"; exit 0; fi
so=$(sed -n 's/^SOVERSION *:= *//p' Makefile)
if [ -f "tools/abi/$so.abi" ]; then says "the interface of $so" 0 "" tools/abi.sh check "$B" "$so"
else skip "no release has this SONAME yet: no ABI to keep"; fi
# What a change would be: headers with one, compared with these.
self=$dir/self; mkdir -p "$self/tools"; cp -r include "$self"; cp tools/abi.sh "$self/tools"
lib=$(realpath "$B/libtutti.so")
at() { (cd "$self" && tools/abi.sh "$1" - 9 "${2:-include}" "${3:-$lib}"); }
says "keep" 0 "names" at keep
says "the same" 0 "" at check
# changed NAME FILE SED: headers with an edit
changed() { rm -rf "$self/new"; cp -r include "$self/new"; sed -i "$2" "$self/new/$1"; cmp -s "include/$1" "$self/new/$1" && { f=$((f+1)); echo "FAIL: no such line in $1"; }; }
changed tutti.h 's/const char \*wrt TT_DEFAULT; int aux TT_DEFAULT;/const char *wrt TT_DEFAULT; int aux TT_DEFAULT; int more TT_DEFAULT;/'
says "an option more" 1 "tt_grad_opts" at check new
changed tutti.h 's/double tt_num_at(const char \*site, tt_val v)/float tt_num_at(const char *site, tt_val v)/'
says "another type of a result" 1 "tt_num_at" at check new
changed tutti/types.h 's/TT_BOOL = 1, TT_I8 = 2,/TT_BOOL = 2, TT_I8 = 1,/'
says "other numbers of an enum" 1 "TT_BOOL" at check new
printf 'void tt_num_at(void) {}\n' | cc -x c -shared -fPIC -o "$dir/less.so" - && says "functions that are gone" 1 "Removed" at check include "$dir/less.so"
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
