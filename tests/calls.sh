#!/bin/sh
# Lists the functions of the public headers, each as a call whose arguments the test chooses (tests/api/options/calls.c).
# usage: tests/calls.sh CC > build/include/tests/calls.h
LC_ALL=C
echo '/* tests/calls.h - made by tests/calls.sh from include/: CALL(function, its arguments), one line per function. */'
${1:-cc} -E -P -Iinclude include/tutti.h | awk '
    function mangled(type) { gsub(/[ \t]*\*[ \t]*/, "_p", type); gsub(/[^A-Za-z0-9_]+/, "_", type); return type }
    # The type of a parameter without its name: "const tt_val *v" is const_tt_val_p.
    function kind(p, site) {
        gsub(/[ \t]+/, " ", p); sub(/^ /, "", p); sub(/ $/, "", p)
        if (p ~ /\(/) return "callback"
        if (p ~ /^const char \*(site)?$/ && site) return "site"
        if (p ~ /[a-z0-9_]\[[0-9]*\]$/) { sub(/\[[0-9]*\]$/, "", p); sub(/[A-Za-z_0-9]+$/, "*", p) }
        else if (match(p, /[* ][A-Za-z_0-9]+$/) && substr(p, 1, RLENGTH) != "" && p ~ /[A-Za-z_0-9]+[ *]+[A-Za-z_0-9]+$/ && p !~ /^(const|struct) [a-z_0-9]+$/)
            sub(/[A-Za-z_0-9]+$/, "", p)
        sub(/ +$/, "", p)
        return mangled(p)
    }
    function call(name, text, n, part, k, depth, c, s, list, module, options, t) {
        # tt_fn_wrong is there for its message alone; those like printf take no NULL, as in C; an exported tensor is deleted by
        # who gets it (tests/api/dlpack.c)
        if (name == "tt_fn_wrong" || name ~ /^tt_to_dlpack/ || text ~ /va_list/ || name ~ /^tt_.*printf$/) return
        n = 0
        for (k = 1; k <= length(text); k++) {            # parameters: between commas outside of brackets
            c = substr(text, k, 1)
            if (c == "(") depth++
            if (c == ")") depth--
            if (c == "," && !depth) { part[n++] = s; s = "" } else s = s c
        }
        part[n++] = s
        for (k = 0; k < n; k++) {
            s = part[k]
            gsub(/[ \t]+/, " ", s); sub(/^ /, "", s)
            if (s == "void" || s == "") continue
            t = s == "..." ? "" : kind(s, !k)
            module += t == "tt_nn"
            if (t ~ /^const_tt_[a-z_0-9]*_opts_p$/) {
                options = 1
                t = "O(" k ", " substr(t, 7, length(t) - 8) ")"
            } else t = t == "" ? "MORE" : t == "callback" ? "NULL" : "A(" k ", " t ")"
            list = list (k ? ", " : "") t
        }
        print "CALL(" name ", " n ", " module + 0 ", " options + 0 ", (" list "))"
    }
    function declared(text, k, c, depth, name, from) {   # one or more declarators
        sub(/.*visibility\("default"\)\)\)/, "", text)
        gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", text)
        while (match(text, /\(tt_[a-z_0-9]+\)/))        # bool (tt_addressable_data)(...)
            text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + 1, RLENGTH - 2) " " substr(text, RSTART + RLENGTH)
        if (text ~ /^ *(extern )? *tt_cell /) {
            sub(/.*tt_cell /, "", text)
            n_cell = split(text, cell, /, */)
            for (k = 1; k <= n_cell; k++) call(cell[k], "const char *site, tt_nn m, const char *name, tt_val carry, tt_val x")
        }
        if (text !~ /\(/) return                         # data
        for (k = 1; k <= length(text); k++) {
            c = substr(text, k, 1)
            if (c == "(") { if (!depth++) from = k }
            if (c == ")" && !--depth) {
                name = substr(text, 1, from - 1)
                sub(/ *$/, "", name); sub(/.*[^A-Za-z0-9_]/, "", name)
                call(name, substr(text, from + 1, k - from - 1))
                text = substr(text, k + 1)
                k = 0
            }
        }
    }
    { all = all " " $0 }
    END { n = split(all, d, /[;{}]/); for (i = 1; i <= n; i++) if (d[i] ~ /visibility\("default"\)/) declared(d[i]) }'
