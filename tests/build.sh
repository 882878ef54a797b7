#!/bin/sh
# The build as its user meets it: flags of the user's own, what is compiled again when they change, progress, and the tarball of a
# release. usage: tests/build.sh [BUILD]
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
ok() { name=$1; shift; if "$@" >"$dir/out" 2>&1; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name:"; head -n 8 "$dir/out"; fi; }
says() { name=$1; text=$2; shift 2; "$@" >"$dir/out" 2>&1 </dev/null; if grep -qF -- "$text" "$dir/out"; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name: expected \"$text\", printed:"; head -n 8 "$dir/out"; fi; }
lacks() { name=$1; text=$2; shift 2; "$@" >"$dir/out" 2>&1 </dev/null; if grep -qF -- "$text" "$dir/out"; then f=$((f+1)); echo "FAIL $name: printed \"$text\":"; head -n 8 "$dir/out"; else p=$((p+1)); fi; }
skip() { s=$((s+1)); echo "skip: $1"; }
unset MAKEFLAGS MFLAGS CFLAGS CPPFLAGS LDFLAGS CC
b=$dir/b one=$dir/b/src/base/link.o
build() { make --no-print-directory B="$b" "$@"; }

# Flags of the user's own are added to the project's.
says "CFLAGS, beside the project's own" "-std=c17" build -n CFLAGS=-O3 "$one"
says "CFLAGS" "-O3" build -n CFLAGS=-O3 "$one"
says "CFLAGS of the environment" "-O3" env CFLAGS=-O3 make --no-print-directory B="$b" -n "$one"
says "CPPFLAGS" "-DOWN=1" build -n CPPFLAGS=-DOWN=1 "$one"
says "LDFLAGS" "-Wl,-z,now" build -n LDFLAGS=-Wl,-z,now "$b/libtutti_llvm.so"
ok "they compile" build CFLAGS=-O0 CPPFLAGS="-DOWN='\"a b\"'" "$one"
# What changed flags concern is compiled again, and nothing else is.
ok "without them again" build "$one"
says "nothing to do" "is up to date" build "$one"
says "other CFLAGS" "link.c" build CFLAGS=-O0 "$one"
says "other places concern few objects" "is up to date" build CFLAGS=-O0 PREFIX=/opt/x "$one"
ok "an object with places" build CFLAGS=-O0 PREFIX=/opt/x "$b/src/base/plugin.o"
says "which others make again" "plugin.c" build CFLAGS=-O0 PREFIX=/opt/y "$b/src/base/plugin.o"

# Progress: lines elsewhere than on a terminal; one line there; nothing with -s.
says "a line each" "[1/2] src/base/link.c" build "$one" "$b/src/base/hash.o"
build CFLAGS=-O0 -s "$one" >"$dir/silent" 2>&1
ok "nothing with -s" test ! -s "$dir/silent"
if command -v python3 >/dev/null; then
    env TERM=xterm python3 tests/terminal.py 80 make --no-print-directory B="$b" CFLAGS=-O1 "$one" "$b/src/base/hash.o" >"$dir/tty" 2>&1
    says "on a terminal, line over line" "$(printf '\033[K[2/2] src/base/hash.c')" cat "$dir/tty"
    env TERM=dumb python3 tests/terminal.py 80 make --no-print-directory B="$b" CFLAGS=-O2 "$one" >"$dir/dumb" 2>&1
    says "on a dumb terminal" "[1/1] src/base/link.c" cat "$dir/dumb"
    lacks "on a dumb terminal, no control" "$(printf '\033')" cat "$dir/dumb"
else skip "terminals: no python3"; fi

# Benchmarks: words and counts that fit nothing are errors. Their programs are ones that do nothing.
bench=$dir/bench
mkdir -p "$bench/bench"
for w in steps guides gpt calls ops compile contract ranks decode train; do printf '#!/bin/sh\n' >"$bench/bench/$w"; done
chmod +x "$bench"/bench/*
says "a type that is not there" "ONLY=fp32 is in the name of no type; expected f32 or bf16" env ONLY=fp32 bench/train.sh "$bench" 1
says "the end of one type and the beginning of the next" "ONLY=2 b is in the name of no type" env ONLY="2 b" bench/train.sh "$bench" 1
says "rounds of a training" 'ROUNDS is "x"; expected a whole number' bench/train.sh "$bench" x
says "layers of a training" 'LAYERS is "0"; expected a whole number' bench/train.sh "$bench" 1 1 1 1 0
ok "types that are there" sh -c "bench/train.sh '$bench' 1 && ONLY=bf bench/train.sh '$bench' 1"
says "a work that is not there" "ONLY=gtp2 is in the name of no work" env ONLY=gtp2 bench/run.sh "$bench" 1
says "rounds of works" 'ROUNDS is "-1"; expected a whole number' bench/run.sh "$bench" -1

# The tarball: what git has, and it builds without git; the same bytes again.
if git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    ok "make dist" make --no-print-directory B="$dir/one" dist
    ok "make dist, again" make --no-print-directory B="$dir/two" dist
    tar=$(ls "$dir"/one/tutti-*.tar.gz)
    ok "the same bytes" cmp "$tar" "$dir/two/${tar##*/}"
    ok "it unpacks" tar -C "$dir" -xzf "$tar"
    tree=$dir/$(basename "$tar" .tar.gz)
    # Its own git has no repository to look at, and there is no network in a name space of its own.
    alone="env GIT_DIR=/nowhere"
    unshare -rn true 2>/dev/null && alone="unshare -rn $alone"
    ok "it builds alone" sh -c "cd '$tree' && $alone make --no-print-directory B='$tree/build' LENDER='$B' LENT=% lib '$tree/build/tutti'"
    says "its tool" "f32[8@i]" sh -c "cd '$tree' && build/tutti run examples/hello.c"
    says "make dist of a tarball" "is no git checkout" sh -c "cd '$tree' && GIT_DIR=/nowhere make --no-print-directory dist"
else skip "no git checkout: no tarball"; fi
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
