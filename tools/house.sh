#!/bin/sh
# The house's own checks: includes point down, names of static functions, generated files are fresh, format, the header under four compilers.
# Each is one passed or failed; a tool that is absent skips its check by name.
p=0; f=0; s=0
ok() { if "$@" >/tmp/tutti-house.$$ 2>&1; then p=$((p+1)); else f=$((f+1)); echo "FAIL: $*"; head -n 20 /tmp/tutti-house.$$; fi; rm -f /tmp/tutti-house.$$; }
B=${B:-build}
skip() { s=$((s+1)); echo "skip: $1"; }

ok tools/layers
ok tools/names
ok tools/lines --check
if [ -x "$B/mkops" ]; then ok "$B/mkops" --check; fi
for f14 in clang-format-14 clang-format; do
    command -v $f14 >/dev/null 2>&1 && $f14 --version | grep -q 'version 14' && { FORMAT=$f14; break; }
done
if [ -n "${FORMAT:-}" ] && [ -f tools/format.sh ]; then ok tools/format.sh --check "$FORMAT"; else skip "format: no clang-format 14"; fi
STRICT="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -fsyntax-only"
for c in gcc clang; do
    if command -v $c >/dev/null 2>&1; then ok $c -std=c17 $STRICT examples/regression.c tests/headers/right.c; else skip "header: no $c"; fi
done
for c in g++ clang++; do
    if command -v $c >/dev/null 2>&1; then ok $c -std=c++20 $STRICT tests/headers/right.cpp; else skip "header: no $c"; fi
done
# Every file of C as clang reads it: only make check-long builds with clang.
read_by_clang()
{
    for d in TUTTI_LIB TUTTI_LIBDIR TUTTI_BUILD TUTTI_PLUGINS TUTTI_ROOT TUTTI_PREFIX TUTTI_TREE TUTTI_SHARE ORACLE_LISTS; do set -- "$@" "-D$d=\"\""; done
    find src tests bench examples -name '*.c' ! -path '*/mpi/*' ! -name refuse.c | xargs -P "$(nproc)" -n 20 clang -std=c17 -D_GNU_SOURCE \
        -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude -I"$B/include" -Isrc -Itests -DISA=base -DISA_base "$@"
}
if command -v clang >/dev/null 2>&1; then ok read_by_clang; else skip "sources as clang reads them: no clang"; fi
# Each public header by itself, and so in any order.
alone()
{
    for h in include/tutti/*.h; do
        ${CC:-gcc} -x c -std=c17 -Wall -Wextra -Werror -Iinclude -fsyntax-only -include "${h#include/}" /dev/null || return 1
    done
}
ok alone
# Every name of Tutti in the table of other libraries' words is declared in a header.
named()
{
    for n in $(grep -ohE '\b(tt|TT)_[A-Za-z0-9_]+' docs/from-jax.md docs/from-jax-names.md | sort -u); do
        grep -qrwE "(define |[ *(])$n" include || { echo "docs/from-jax*.md: no $n in include"; missing=1; }
    done
    [ -z "${missing:-}" ]
}
ok named
# Every file of the tree that a document names is there.
paths()
{
    gone=
    for path in $(grep -ohE '\b(tests|src|tools|docs|bench|examples)/[A-Za-z0-9_/.-]+\.(c|h|sh|md|py|inc|awk|txt)\b' \
        README.md CONTRIBUTING.md docs/*.md docs/*/*.md | sort -u); do
        [ -e "$path" ] || { echo "documents name $path, which is not there"; gone=1; }
    done
    [ -z "$gone" ]
}
ok paths
# A page of the design is read in one go.
pages() { for page in docs/design/*.md; do [ "$(wc -l <"$page")" -le 150 ] || { echo "$page: more than 150 lines"; return 1; }; done; }
ok pages
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
