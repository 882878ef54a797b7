#!/bin/sh
# Makes the manual pages: tutti.1 from the tool's help, tutti.3 and tutti-*.3 from the headers, and `links`, the functions with
# their pages. usage: tools/man.sh BUILD VERSION
set -e
B=$1 version=$2 to=$1/man
LC_ALL=C
export LC_ALL
rm -rf "$to"
mkdir -p "$to"
for header in include/tutti.h include/tutti.hpp include/tutti/*.h; do
    [ -f "$header" ] || continue
    page=$(echo "$header" | sed 's|^include/||; s|\.hpp$|-cpp|; s|\.h$||; s|/|-|')
    awk -f tools/headers.awk "$header" | awk -v version="$version" -v links="$to/links.$page" -f tools/man.awk >"$to/$page.3"
done
cat "$to"/links.* | awk '!seen[$1]++' | sort >"$to/links"
rm -f "$to"/links.*
# The tool's help, if this machine can run the tool.
"$B/tutti" --help >"$to/help" 2>/dev/null || { rm -f "$to/help"; echo "tutti: no tutti.1: this machine cannot run $B/tutti" >&2; exit 0; }
plain() { sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'; }
{
    echo ".\\\" made by tools/man.sh from the tool's help"
    printf '.TH TUTTI 1 "" "Tutti %s" "User commands"\n.SH NAME\ntutti \\- runs, explains and plans programs of Tutti\n' "$version"
    printf '.SH SYNOPSIS\n.B tutti\n.I COMMAND\n[\n.I arguments\n]\n.SH DESCRIPTION\n'
    sed -n '1s/.* - //p' "$to/help" | sed 's/^\(.\)/Tutti is \1/; s/$/./' | plain
    for command in $("$B/tutti" --help | awk '/^usage/ { on = 1; next } /^$/ { if (on++ > 1) exit } on && $1 !~ /^-/ { print $1 }'); do
        printf '.SS tutti %s\n.EX\n' "$command"
        "$B/tutti" "$command" --help | plain
        printf '.EE\n'
    done
    printf '.SH ENVIRONMENT\n.TP\n.B TUTTI\nWords that switch things on, separated by commas or blanks:\n.EX\n'
    awk '/^The variable TUTTI/ { on = 1; next } on' "$to/help" | sed 's/^  //' | plain
    printf '.EE\n.TP\n.BR CC ,\\  CXX\nThe compilers that tutti run, explain and plan take.\n'
    printf '.TP\n.B TUTTI_PLUGINS\nThe folders of plug\\-ins, with colons between them, in the place of the usual ones.\n'
    printf '.TP\n.BR NO_COLOR ,\\  TERM\nNo colours where NO_COLOR is set; no colours and no rewritten lines where TERM is dumb.\n'
    printf '.SH EXIT STATUS\n0, the status of the program that was run, 1 for an error, 2 for wrong usage.\n'
    printf '.SH SEE ALSO\n.BR tutti (3)\n'
} >"$to/tutti.1"
rm -f "$to/help"
