# Makes a manual page, in man(7), of a public header: comments as text, examples and declarations as they stand.
# usage: awk -v version=0.1.0 -v links=FILE -f tools/man.awk include/tutti/nn.h > tutti-nn.3
# Into `links` goes a line "NAME PAGE" for each function and macro that the page documents.
function text(s)     { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); if (s ~ /^[.']/) s = "\\&" s; return s }
function end_code()  { if (code) print ".EE"; code = 0 }
function begin_code() { if (!code) print ".PP\n.EX"; code = 1 }
function line_of_code(s) { begin_code(); print text(s) }
function paragraph() { end_code(); if (!fresh) print ".PP"; fresh = 1 }
# A line of a comment: a blank one parts paragraphs, "- " begins an item, five blanks an example, "---- x ----" a heading.
function said(s) {
    if (s ~ /^---- .* ----$/) { end_code(); gsub(/^---- | ----$/, "", s); print ".SH " toupper(text(s)); fresh = 1; return }
    if (s ~ /^    /) { sub(/^    /, "", s); line_of_code("  " s); fresh = 0; return }
    if (s ~ /^[ \t]*$/) { end_code(); if (!fresh) print ".PP"; fresh = 1; return }
    end_code()
    if (s ~ /^- /) { print ".IP \\(bu 2"; sub(/^- /, "", s) }
    sub(/^ +/, "", s)
    print text(s)
    fresh = 0
}
function comment(s) {                                    # one line of a comment, without its marks
    if (first) {                                         # "tutti/nn.h - modules: ...": the name of the page
        first = 0
        if (match(s, / - /)) s = substr(s, RSTART + 3)
        brief = s
        if (brief !~ /\.$/) sub(/: .*/, "", brief)        # the sentence goes on below
        sub(/[.;] .*/, "", brief); sub(/[.:;]$/, "", brief)
        print ".SH NAME\n" page " \\- " text(brief) "\n.SH SYNOPSIS\n.EX\n#include <" include ">\n.EE\n.SH DESCRIPTION"
        fresh = 1
        said(s)
        return
    }
    said(s)
}
function known(name) {
    if (name in all || name ~ /_at$|_of$|_seen$|_$|^TT_C_/) return
    all[name] = 1
    print name, page >links
}
# A declaration or macro on one line, comments gone: what a program writes.
function declared(s, name) {
    gsub(/[ \t]+/, " ", s)
    sub(/^ /, "", s); sub(/ $/, "", s)
    if (s == "" || s ~ /^(extern "C"|#|[{}])/ && s !~ /^#define/) return
    if (s ~ /static inline|TT_EACH|^typedef tt_val tt_f[0-9]/ || s ~ /^#define TT_[A-Z0-9_]*_(\(| |$)|^#define TT_E[0-9]/) return
    if (s ~ /^#define /) {
        sub(/^#define /, "", s)
        if (match(s, /^[A-Za-z_0-9]+\([^)]*\)/)) s = substr(s, 1, RLENGTH)
        else if (s !~ /^[A-Za-z_0-9]+ [^ ]+$/ || s ~ /^TUTTI_/) sub(/ .*/, "", s)
        if (s ~ /^TUTTI_|^TT_(C_|API|NODISCARD|UNUSED|FORMAT|STR|AT|LIST|OPTS|VAL_LIT|FN_LIT|DEFAULT|FROM_1|ABOVE_0)/) return
        name = s
        sub(/[( ].*/, "", name)
        known(name)
    } else {
        gsub(/TT_API |TT_NODISCARD |TT_UNUSED | ?TT_DEFAULT| ?TT_FROM_1| ?TT_ABOVE_0|TT_OPTION_HEAD ?| TT_FORMAT\([^)]*\)/, "", s)
        name = s
        while (match(name, /tt_[a-z0-9_]+\)?\(/)) {
            known(substr(name, RSTART, match(substr(name, RSTART), /[)(]/) - 1))
            match(name, /tt_[a-z0-9_]+\)?\(/)
            name = substr(name, RSTART + RLENGTH)
        }
    }
    fresh = 0
    begin_code()
    while (length(s) > 76 && match(substr(s, 1, 76), /.*[,;{] /)) {
        print text(substr(s, 1, RLENGTH - 1))
        s = "    " substr(s, RLENGTH + 1)
    }
    print text(s)
}
BEGIN { first = 1; fresh = 1 }
FNR == 1 {
    include = FILENAME
    sub(/^include\//, "", include)
    page = include
    sub(/\.h(pp)?$/, "", page)
    sub(/\//, "-", page)
    if (include ~ /hpp$/) page = "tutti-cpp"
    print ".\\\" made by tools/man.awk from " include
    print ".TH " toupper(text(page)) " 3 \"\" \"Tutti " version "\" \"Tutti's library\""
}
# A comment that begins beside code and goes on below becomes one line.
pending != "" { t = $0; sub(/^[ \t]*\*? ?/, "", t); $0 = pending " " t; pending = "" }
/[^ \t].*\/\*/ && !/\*\// && !in_comment { pending = $0; next }
# Of tutti.hpp the comments alone, without those of its inner parts.
/^namespace detail/ { inner = 1 }
/^[}] \/[*] namespace detail/ { inner = 0; next }
inner { next }
include ~ /hpp$/ && !in_comment && !/^\/\*/ { next }
# Code for C++ repeats that for C.
/^#ifdef __cplusplus/ { hidden = 1; next }
hidden && /^#(else|endif)/ { hidden = 0; next }
hidden { next }
in_comment {
    s = $0
    ends = sub(/ *\*\/.*/, "", s)
    sub(/^ \*? ?/, "", s)
    if (!(ends && s == "")) comment(s)
    if (ends) { in_comment = 0; if (!fresh && !code) paragraph() }
    next
}
/^#(if|else|elif|endif|ifndef|undef|pragma|include)/ && !joined { next }
/^\/\*/ {
    s = $0
    ends = sub(/ *\*\/ *$/, "", s)
    sub(/^\/\* ?/, "", s)
    paragraph()
    comment(s)
    in_comment = !ends
    if (ends && !fresh && !code) paragraph()
    next
}
{
    s = $0
    after = ""
    if (match(s, /\/\*.*\*\//)) {                         # beside the code: stands after it
        after = substr(s, RSTART + 2, RLENGTH - 4)
        s = substr(s, 1, RSTART - 1) substr(s, RSTART + RLENGTH)
    }
    macro = s ~ /\\[ \t]*$/
    sub(/\\[ \t]*$/, "", s)
    joined = joined " " s
    opens = gsub(/[{]/, "{", joined); closes = gsub(/[}]/, "}", joined)
    inline = joined ~ /static inline/
    whole = !macro && (joined ~ /^ *#define/ || (opens == closes && joined ~ /[;}] *$/) || joined !~ /[^ \t]/)
    if (after != "" && !inline && joined !~ /#define TT_/) { sub(/^ +/, "", after); sub(/ +$/, "", after); notes = notes (notes == "" ? "" : "\n") after }
    if (!whole) next
    declared(joined)
    if (notes != "" && code) { end_code(); print ".RS 4"; n = split(notes, note, "\n"); for (k = 1; k <= n; k++) print text(note[k]); print ".RE"; fresh = 0 }
    joined = notes = ""
}
END {
    end_code()
    print ".SH SEE ALSO\n.BR tutti (1),\n.BR tutti (3)"
}
