#!/bin/sh
# The tutorial, the chapter on language models and the how-to pages tell the truth: each of their programs, run by the
# tool, prints what stands below it, letter by letter; "…" in what a page shows stands for any text, alone on a line for
# any lines. In a block ```console each number stands for any number: it depends on the machine.
# usage: tests/tutorial.sh [BUILD [PAGE.md ...]]
# A page has blocks ```c, ```cpp, ```c NAME or ```mlir NAME. A block of no language, or ```console, that begins with
# "$ build/tutti" or "$ TUTTI=" has commands with their output; the first of them names the program above. The commands
# of a page run in one folder.
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- docs/tutorial.md docs/language-model.md docs/how-to/*.md
p=0; f=0; s=0
unset TUTTI NO_COLOR
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TERM=dumb
# Writes a page's programs, and NN.run and NN.want of each command.
parts() {
    awk -v dir="$2" '
        function begin(n) { command = sprintf("%s/%02d", dir, n); printf "" > (command ".want") }
        /^```(c|cpp|mlir)( |$)/ && !on { on = 1; ending = substr($1, 4); code = ""; name = $2; programs++; next }
        /^```(console)?$/ && !on { on = 2; fresh = 1; loose = $1 ~ /console/; next }
        /^```/ && !on { on = 3; next }
        /^```$/ {
            if (on == 1 && name != "") { printf "%s", code > (dir "/" name); code = ""; programs-- }
            on = 0; next
        }
        on == 1 { code = code $0 "\n" }
        on == 2 && /^[$] (build.tutti|TUTTI=)/ {
            if (fresh && code != "") {
                for (k = 1; k <= NF; k++) if ($k ~ "^[a-z_]+[.]" ending "$") name = $k
                printf "%s", code > (dir "/" name); code = ""; programs--
            }
            fresh = 0; begin(++n); print substr($0, 3) > (command ".run")
            if (loose) printf "" > (command ".loose")
            next
        }
        on == 2 && fresh { on = 3 }
        on == 2 { print > (command ".want") }
        END { if (programs) printf "%d programs have no output\n", programs > (dir "/left") }' "$1"
}
# Compares two files by lines; "…" of the first one is any text, and if it is loose a number any number.
same() {
    awk -v want="$1" -v loose="$([ ! -e "${1%.want}.loose" ] || echo 1)" '
        function pattern(s) {
            gsub(/[][\\.^$*+?(){}|]/, "\\\\&", s)
            if (loose) { gsub(/ +/, " +", s); gsub(/[0-9,]*[0-9](\\[.][0-9]+)?/, "[0-9][0-9.,]*", s) }
            gsub(/…/, ".*", s)
            return "^" s "$"
        }
        BEGIN { while ((getline line < want) > 0) w[++m] = line }
        { g[++n] = $0 }
        END {
            for (i = j = 1; i <= m; i++) {
                if (w[i] == "…") { any = 1; continue }
                if (any) while (j <= n && g[j] !~ pattern(w[i])) j++
                if (j > n || (g[j] != w[i] && g[j] !~ pattern(w[i]))) exit 1
                j++; any = 0
            }
            exit !(any || j > n)
        }' "$2"
}
for page in "$@"; do
    here=$dir/$(basename "$page" .md)
    mkdir "$here"
    parts "$page" "$here"
    if [ -e "$here/left" ]; then f=$((f+1)); echo "FAIL $page: $(cat "$here/left")"; fi
    for run in "$here"/*.run; do
        [ -e "$run" ] || continue
        command=$(cat "$run"); skip=
        case $command in
        *" -n "*)
            { command -v mpirun.openmpi || command -v mpirun.mpich; } >/dev/null || skip="Open MPI is not installed" ;;
        *.cpp*) command -v c++ >/dev/null || skip="header: no g++" ;;
        esac
        if [ -n "$skip" ]; then echo "skip: $skip"; s=$((s+1)); continue; fi
        out=${run%.run}.out
        line=$(printf '%s\n' "$command" | sed 's|build/tutti|tutti|')
        (cd "$here" && PATH=$B:$PATH && eval "$line" >"$out" 2>"$out.err" </dev/null)
        cat "$out.err" >>"$out"
        if same "${run%.run}.want" "$out"; then p=$((p+1))
        else f=$((f+1)); echo "FAIL $page, $command:"; diff "${run%.run}.want" "$out" | head -n "${LINES_SHOWN:-12}"; fi
    done
done
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
