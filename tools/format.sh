#!/bin/sh
# Is the source spaced as .clang-format says? usage: tools/format.sh [--check] [clang-format-14] [files]
# Where lines break, and the column of trailing comments, are the author's: one-line types, tables and guards are part of
# the house's hand. So each file is compared with what clang-format 14 makes of it as one stream of text, not line by line.
# Besides: no tabs, no blanks at line ends, lines of 120 columns.
[ "$1" = --check ] && shift
FORMAT=clang-format-14
case "$1" in *clang-format*) FORMAT=$1; shift;; esac
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- $(find src include tests examples bench -name '*.[ch]' 2>/dev/null | sort)
set -- $(awk 'FNR == 1 && !/generated/ { print FILENAME }' "$@")
made=$(mktemp -d); trap 'rm -rf "$made"' EXIT            # what clang-format makes of all of them, in one run
cp .clang-format "$made" && tar cf - "$@" | tar xf - -C "$made" && (cd "$made" && "$FORMAT" -i "$@") || exit 2
bad=0
for f in "$@"; do echo "$made/$f" "$f"; done | xargs -n 100000 awk '
    # The text of a line as words; a space that only a line break would make is none: behind an opening bracket,
    # before a closing one, around a brace, around a colon, and in "for (...; ) {". A trailing backslash is a line break too.
    function words(into, at, t, w, k, m) {
        t = $0
        sub(/\\$/, "", t)
        gsub(/[*]/, " * ", t); gsub(/~/, " ~ ", t); gsub(/xor [(]/, "xor(", t)      # it takes casts for declarations
        gsub(/[(]/, "( ", t); gsub(/[)]/, " )", t); gsub(/[{]/, " { ", t); gsub(/[}]/, " }", t)
        gsub(/:/, " : ", t)
        m = split(t, w)
        for (k = 1; k <= m; k++) { into[++n] = w[k]; at[n] = FNR }
    }
    function compare(k) {
        for (k = 1; k <= n || k <= wanted; k++)
            if (have[k] != want[k]) {
                print name ":" line[k] ": " have[k - 1] " " have[k] "  -->  " want[k - 1] " " want[k]
                wrong = 1
                return
            }
    }
    FNR == 1 && second { compare(); split("", want); split("", have) }
    FNR == 1 { wanted = n; n = 0; second = files++ % 2; name = FILENAME }       # each as it is made, then as it is
    !second { words(want, unused); next }
    { words(have, line) }
    /\t/ { print name ":" FNR ": a tab"; wrong = 1 }
    /[ ]$/ { print name ":" FNR ": blanks at the end of the line"; wrong = 1 }
    END { compare(); exit wrong }' || bad=1
LC_ALL=C.UTF-8 grep -nE "^.{121,}" "$@" /dev/null | sed "s|^\([^:]*:[0-9]*\):.*|\1: more than 120 columns|" | grep . && bad=1
exit $bad
