# Makes a manual page, in man(7), of the events of a public header (tools/headers.awk): comments as text, examples and
# declarations as they stand.
# usage: awk -f tools/headers.awk HEADER | awk -v version=0.1.0 -v links=FILE -f tools/man.awk > tutti-nn.3
# Into `links` goes a line "NAME PAGE" for each function and macro that the page documents.
function text(s)     { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.']/) s = "\\&" s; return s }
function end_code()  { if (code) print ".EE"; code = 0 }
function begin_code() { if (!code) print ".PP\n.EX"; code = 1 }
function paragraph() { end_code(); if (!fresh) print ".PP"; fresh = 1 }
function end_notes() { if (noted) { print ".RE"; noted = 0; fresh = 0 } }
BEGIN { FS = "\t"; fresh = 1 }
{ s = substr($0, length($1) + 2) }
$1 != "note" { end_notes() }
$1 == "page" {
    page = $2
    include = $3
    print ".\\\" made by tools/man.awk from " include
    print ".TH " toupper(text(page)) " 3 \"\" \"Tutti " version "\" \"Tutti's library\""
}
$1 == "name" { print ".SH NAME\n" page " \\- " text(s) "\n.SH SYNOPSIS\n.EX\n#include <" include ">\n.EE\n.SH DESCRIPTION"; fresh = 1 }
$1 == "head" {
    end_code()
    more = match(s, /[.] /) ? substr(s, RSTART + 2) : ""
    print ".SH " toupper(text(more == "" ? s : substr(s, 1, RSTART - 1)))
    if (more != "") print text(more)
    fresh = more == ""
}
$1 == "code" { begin_code(); print text("  " s); fresh = 0 }
$1 == "part" { paragraph() }
$1 == "end" && !fresh && !code { paragraph() }
$1 == "item" || $1 == "row" || $1 == "more" || $1 == "text" {
    end_code()
    if ($1 == "item") print ".IP \\(bu 2"
    if ($1 == "row") print ".br"
    print text(s)
    fresh = 0
}
$1 == "fn" { print s, page >links }
$1 == "decl" {
    fresh = 0
    begin_code()
    while (length(s) > 76 && match(substr(s, 1, 76), /.*[,;{] /)) {
        print text(substr(s, 1, RLENGTH - 1))
        s = "    " substr(s, RLENGTH + 1)
    }
    print text(s)
}
$1 == "note" {
    end_code()
    if (!noted) print ".RS 4"
    noted = 1
    print text(s)
}
END {
    end_notes()
    end_code()
    print ".SH SEE ALSO\n.BR tutti (1),\n.BR tutti (3)"
}
