#!/bin/sh
# Lists the options of every call, from the option structs of the headers: what the library checks them by.
# usage: tools/options.sh > build/include/api/options.h
LC_ALL=C
echo '/* api/options.h - made by tools/options.sh from the option structs of include/: one line per option. */'
awk '
    function bad(text) { print FILENAME ": " type ": " text > "/dev/stderr"; failed = 1 }
    function one(kind, d, f, n, least) {                 # a declarator, "*over TT_DEFAULT", "stride[8] TT_FROM_1"
        least = d ~ / TT_FROM_1$/ ? "FROM_1" : d ~ / TT_ABOVE_0$/ ? "ABOVE_0" : d ~ / TT_DEFAULT$/ ? "ANY" : ""
        if (least == "") bad("no TT_DEFAULT, TT_FROM_1 or TT_ABOVE_0 behind \"" d "\"")
        sub(/ TT_[A-Z0-9_]*$/, "", d)
        n = 1
        if (match(d, /\[[0-9]+\]$/)) { n = substr(d, RSTART + 1, RLENGTH - 2); d = substr(d, 1, RSTART - 1) }
        if (d ~ /^\*/) { kind = kind == "char" ? "TEXT" : "POINTER"; sub(/^\* */, "", d) }
        else if (kind ~ /_opts$/) { print "OPTION_INNER(" type ", " d ", " kind ")"; return }
        else if (!(kind = names[kind])) bad("what is the kind of \"" d "\"?")
        print "OPTION(" type ", " d ", " kind ", " n ", " least ")"
    }
    function declared(text, k, n, part, kind) {          # "const char *over TT_DEFAULT, *in TT_DEFAULT"
        gsub(/[ \t]+/, " ", text)
        sub(/^ /, "", text); sub(/ $/, "", text)
        if (text == "" || text == "TT_OPTION_HEAD") return
        sub(/^TT_OPTION_HEAD /, "", text)
        sub(/^const /, "", text)
        match(text, /^[a-z_0-9]+/)
        kind = substr(text, 1, RLENGTH)
        n = split(substr(text, RLENGTH + 2), part, /, */)
        for (k = 1; k <= n; k++) one(kind, part[k])
    }
    function whole(text, k, n, part) {                   # all between the braces
        sub(/TT_OPT_COMMON/, common, text)
        print "OPTION_BEGIN(" type ")"
        for (k = types++; k && sorted[k - 1] > type; k--) sorted[k] = sorted[k - 1]
        sorted[k] = type
        n = split(text, part, ";")
        for (k = 1; k <= n; k++) declared(part[k])
        print "OPTION_END(" type ")"
    }
    BEGIN { split("double NUMBER int INT int64_t LONG tt_dtype DTYPE tt_mesh MESH tt_val VALUE", w); for (k = 1; k < 12; k += 2) names[w[k]] = w[k + 1] }
    { line = $0; gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, " ", line); sub(/\/\*.*/, "", line) }
    /^#define TT_OPT_COMMON/ { shared = 1; next }
    shared { shared = line ~ /\\$/; sub(/\\$/, "", line); common = common " " line; next }
    match(line, /^typedef struct tt_[a-z_0-9]*_opts \{/) {
        type = substr(line, 16, RLENGTH - 17)
        line = substr(line, RLENGTH + 1)
        body = ""
        open = 1
    }
    open { body = body " " line; if (match(body, "[}] " type ";")) { open = 0; whole(substr(body, 1, RSTART - 1)) } }
    END { for (k = 0; k < types; k++) print "OPTION_SORTED(" sorted[k] ")"; exit failed }' include/tutti.h include/tutti/*.h
