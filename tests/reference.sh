#!/bin/sh
# Every function of the public headers has an example there, and every example compiles: one function for each, in which
# functions that the example defines are nested, as gcc allows. usage: tests/reference.sh [BUILD]
B=${1:-build}; p=0; f=0; s=0
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
LC_ALL=C; export LC_ALL
for header in include/tutti.h include/tutti/*.h; do awk -f tools/headers.awk "$header" || exit 2; done >"$dir/events"
# Names without an example: all lines of examples, then the names that none of them has.
awk -F '\t' -v dir="$dir" '
    $1 == "page" { header = $3 }
    $1 == "code" { lines[header] = lines[header] " " substr($0, 6) " " }
    $1 == "fn" { last[++l] = $2 }
    $1 == "decl" { for (i = 1; i <= l && $0 !~ /\ttypedef /; i++) { name[++n] = last[i]; of[n] = header } l = 0 }
    END {
        for (i = 1; i <= n; i++)
            if (lines[of[i]] ~ ("[^A-Za-z0-9_]" name[i] "[^A-Za-z0-9_]")) have++
            else print of[i] ": " name[i] " has no example"
        print have + 0 > (dir "/have")
    }' "$dir/events" >"$dir/without"
have=$(cat "$dir/have")
if [ -s "$dir/without" ]; then f=$((f+1)); echo "FAIL: functions have no example:"; head -n 40 "$dir/without"
else p=$((p+1)); fi
# An example is the lines in a row. What is no C, a line for the shell or "...", is left out.
awk -F '\t' '
    function flush() {
        printf "%s", before
        before = ""
        if (body != "") printf "static int example_%d(void)   /* %s */\n{\n%s    return 0;\n}\n\n", ++n, header, body
        body = ""
    }
    BEGIN { print "#include \"headers/examples.h\"" }
    $1 == "page" { flush(); header = $3 }
    $1 != "code" && $1 != "fn" { flush() }
    $1 == "code" {
        line = substr($0, 6)
        if (line ~ /^ *(#include|[.][.][.]$|TUTTI=|tutti )/) next
        if (line ~ /^TT_RECORD/) { before = before line "\n"; next }
        sub(/^static /, "", line)
        sub(/^int main\(/, "int main_of_example(", line)
        sub(/return tt_poison;/, "return 1;", line)
        if (line ~ /^return tt_(form_fail|keep_latest)/) sub(/^return/, "(void)", line)
        body = body "    " line "\n"
    }
    END { flush() }' "$dir/events" >"$dir/examples.c"
count=$(grep -c '^static int example_' "$dir/examples.c")
if command -v gcc >/dev/null 2>&1; then
    if gcc -std=gnu17 -Wall -Wextra -Wno-unused -Wno-unused-value -Wno-shadow -Werror -fsyntax-only -Iinclude -Itests \
        "$dir/examples.c" >"$dir/log" 2>&1; then p=$((p+1))
    else
        f=$((f+1)); echo "FAIL: examples of headers do not compile:"
        grep -A 3 'error' "$dir/log" | head -n "${LINES_SHOWN:-40}"
    fi
else echo "skip: header: no gcc"; s=$((s+1)); fi
# The first of tutti.hpp is a whole program.
awk -f tools/headers.awk include/tutti.hpp |
    awk -F '\t' '$1 == "code" { on = 1; print substr($0, 6) } $1 != "code" && on { exit }' >"$dir/example.cpp"
if command -v g++ >/dev/null 2>&1; then
    if g++ -std=c++17 -include cstdio -Wall -Wextra -Werror -fsyntax-only -Iinclude "$dir/example.cpp" >"$dir/log" 2>&1
    then p=$((p+1)); else f=$((f+1)); echo "FAIL: the example of tutti.hpp:"; head -n 12 "$dir/log"; fi
else echo "skip: header: no g++"; s=$((s+1)); fi
echo "$have functions, $count examples"
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
