#!/bin/sh
# The site's sources can be laid out: every link of a document leads to a file and a heading that are there, and every
# function of a header has an entry with an example in the reference. Sphinx is not needed. usage: tests/site.sh [BUILD]
B=${1:-build}; p=0; f=0; s=0
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
end() { echo "$p passed, $f failed, $s skipped"; [ $f -eq 0 ]; exit; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
    { echo "skip: site: no python3 of 3.9 or newer"; s=1; end; }
if python3 -B tools/site/stage.py "$B" "${CC:-cc}" "$dir/site" >"$dir/log" 2>&1; then p=$((p+1))
else f=$((f+1)); echo "FAIL: the site's sources:"; tail -n 4 "$dir/log"; end; fi
for header in include/tutti.h include/tutti/*.h; do awk -f tools/headers.awk "$header"; done |
    awk -F '\t' '$1 == "fn" { last[++n] = $2 }
        $1 == "decl" { for (i = 1; i <= n && $2 !~ /^typedef/; i++) print last[i]; n = 0 }' | sort -u >"$dir/names"
# An entry is a block of four backquotes; its first line says what is declared, and one begins an example. The example
# of a group stands above its entries.
awk '/^<div class="group">/ { shared = 0 }
    /^```c$/ && !on { shared = 1 }
    /^````\{c:/ { on = 1; example = shared; name = $0; sub(/\(.*/, "", name); sub(/.*[ *}]/, "", name); next }
    /^````$/ { if (example) print name; else print name ": no example" >"/dev/stderr"; on = 0 }
    on && /^```c$/ { example = 1 }' "$dir"/site/reference/tutti*.md 2>"$dir/without" | sort -u >"$dir/entries"
if [ ! -s "$dir/without" ] && cmp -s "$dir/names" "$dir/entries"; then p=$((p+1))
else
    f=$((f+1)); echo "FAIL: entries of the reference:"
    head -n 8 "$dir/without"; diff "$dir/names" "$dir/entries" | head -n 12
fi
end
