# Reads a public header's documentation: one event a line, for manual pages (tools/man.awk), the reference of the site
# (tools/site/reference.py) and the test of the examples (tests/reference.sh).
# usage: awk -f tools/headers.awk include/tutti/nn.h
# page NAME INCLUDE   the header's page, tutti-nn, and the file that programs include
# name TEXT           what the header is for, one line
# head TEXT           a heading: "---- layers ----"
# text TEXT           a line of a comment; item TEXT: its first line, in a list; row TEXT: in a table, "word   what it means"
# more TEXT           what goes on below an item or a row; code TEXT: a line of an example
# part                a blank line, or a comment's begin; end: a comment's end
# fn NAME             a function or macro that the next declaration declares
# decl TEXT           a declaration or macro as a program writes it, on one line
# note TEXT           what stands beside that declaration
function say(what, s) { print s == "" ? what : what "\t" s }
# A line of a comment: a blank one parts paragraphs, "- " begins an item, three blanks a row, five an example. What goes on
# below a row stands further in.
function said(s) {
    if (s ~ /^---- .* ----$/) { gsub(/^---- | ----$/, "", s); say("head", s); where = "" }
    else if (where == "row" && s ~ /^      /) { sub(/^ +/, "", s); say("more", s) }
    else if (s ~ /^    /) { sub(/^    /, "", s); say("code", s) }
    else if (s ~ /^[ \t]*$/) { say("part"); where = "" }
    else if (s ~ /^- /) { sub(/^- /, "", s); sub(/^ +/, "", s); say("item", s); where = "item" }
    else if (where != "item" && s ~ /^   ?[^ ].*  [^ ]/) { sub(/^ +/, "", s); say("row", s); where = "row" }
    else if (where == "item" && s ~ /^ /) { sub(/^ +/, "", s); say("more", s) }
    else { where = ""; sub(/^ +/, "", s); say("text", s) }
}
function comment(s, brief) {                             # one line of a comment, without its marks
    if (heading != "") { sub(/^ +/, "", s); s = heading " " s; heading = "" }
    if (s ~ /^---- / && s !~ / ----$/) { heading = s; return }
    if (first) {                                         # "tutti/nn.h - modules: ...": the name of the page
        first = 0
        if (match(s, / - /)) s = substr(s, RSTART + 3)
        brief = s
        if (brief !~ /\.$/) sub(/: .*/, "", brief)        # the sentence goes on below
        sub(/[.;] .*/, "", brief); sub(/[.:;]$/, "", brief)
        say("name", brief)
    }
    said(s)
}
function known(name) {
    if (name in all || name ~ /_seen$|_$|^TT_C_|^tt_fn_wrong$/) return
    all[name] = 1
    say("fn", name)
}
# True if a macro stands for others' use: it is given a site, makes declarations, or is a part of an option struct.
function is_inner(s) {
    return s ~ /_of\((at|site)[,)]/ || s ~ /^TUTTI_|^TT_[A-Z_]+[0-9][( ]|^TT_REALS_END|^TT_OPT_COMMON/ ||
        s ~ /^TT_(C_|API|NODISCARD|UNUSED|FORMAT|STR|AT|LIST|OPTS|VAL_LIT|FN_LIT|DEFAULT|FROM_1|ABOVE_0)/
}
# A declaration or macro on one line, comments gone: what a program writes.
function declared(s, name) {
    gsub(/[ \t]+/, " ", s)
    sub(/^ /, "", s); sub(/ $/, "", s)
    if (s == "" || s ~ /^(extern "C"|#|[{}])/ && s !~ /^#define/) return
    if (s ~ /^#define TT_EACH|^typedef tt_val tt_f[0-9]/ || (s ~ /static inline/ && s !~ /^#define/) || s ~ /^#define TT_[A-Z0-9_]*_(\(| |$)|^#define TT_E[0-9]/) return
    if (s ~ /^#define /) {
        sub(/^#define /, "", s)
        if (match(s, /^[A-Za-z_0-9]+\([^)]*\)/)) s = substr(s, 1, RLENGTH)
        else if (s !~ /^[A-Za-z_0-9]+ [^ ]+$/ || s ~ /^TUTTI_/) sub(/ .*/, "", s)
        if (is_inner(s " ")) return
        name = s
        sub(/[( ].*/, "", name)
        known(name)
    } else {
        gsub(/TT_API |TT_NODISCARD |TT_UNUSED | ?TT_DEFAULT| ?TT_FROM_1| ?TT_ABOVE_0|TT_OPTION_HEAD ?| TT_FORMAT\([^)]*\)/, "", s)
        name = s
        while (match(name, /tt_[a-z0-9_]+\)?\(/)) {
            name = substr(name, RSTART)
            if (name !~ /^tt_[a-z0-9_]+_(at|of)\)?\(/) known(substr(name, 1, match(name, /[)(]/) - 1))
            match(name, /tt_[a-z0-9_]+\)?\(/)
            name = substr(name, RSTART + RLENGTH)
        }
    }
    say("decl", s)
    told = 1
}
BEGIN { first = 1 }
FNR == 1 {
    include = FILENAME
    sub(/^include\//, "", include)
    page = include
    sub(/\.h(pp)?$/, "", page)
    sub(/\//, "-", page)
    if (include ~ /hpp$/) page = "tutti-cpp"
    say("page", page "\t" include)
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
    if (ends) { in_comment = 0; say("end") }
    next
}
/^\/\* clang-format/ { next }
/^#(if|else|elif|endif|ifndef|undef|pragma|include)/ && !joined { next }
/^\/\*/ {
    s = $0
    ends = sub(/ *\*\/ *$/, "", s)
    sub(/^\/\* ?/, "", s)
    say("part")
    where = ""
    comment(s)
    in_comment = !ends
    if (ends) say("end")
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
    if (joined ~ /^( *TT_[A-Z_]+[0-9]\([a-z0-9_]+\))+ *$/) {     # TT_NUM1(square): prototypes of macros that stand above
        joined = ""
        next
    }
    opens = gsub(/[{]/, "{", joined); closes = gsub(/[}]/, "}", joined)
    inline = joined ~ /static inline/
    whole = !macro && (joined ~ /^ *#define/ || (opens == closes && joined ~ /[;}] *$/) || joined !~ /[^ \t]/)
    if (after != "" && !inline && joined !~ /#define TT_/) { sub(/^ +/, "", after); sub(/ +$/, "", after); notes = notes (notes == "" ? "" : "\n") after }
    if (!whole) next
    told = 0
    declared(joined)
    if (notes != "" && told) { n = split(notes, note, "\n"); for (k = 1; k <= n; k++) say("note", note[k]) }
    joined = notes = ""
}
