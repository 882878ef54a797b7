#!/bin/bash
# tutti completion: what bash, zsh and fish complete, and that every option of the table is one that its command knows.
# usage: tests/completion.sh [BUILD]
B=$(cd "${1:-build}" && pwd); T=$B/tutti; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
skip() { s=$((s+1)); echo "skip: $1"; }
same() { if [ "$2" = "$3" ]; then p=$((p+1)); else f=$((f+1)); printf 'FAIL %s: expected "%s", got "%s"\n' "$1" "$2" "$3"; fi; }
cd "$dir" || exit 1
mkdir sub; touch a.c b.cpp c.mlir d.npz e.txt "f g.c" sub/h.c
"$T" completion bash >bash.sh && . ./bash.sh
# completed WORD... : what bash offers for the last word
completed() { COMP_WORDS=(tutti "$@"); COMP_CWORD=$#; COMPREPLY=(); _tutti 2>/dev/null; printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd ' '; }
same "commands" "ckpt completion doctor explain export plan run show tokens" "$(completed '')"
same "a command's beginning" "explain export" "$(completed ex)"
same "options" "--mesh" "$(completed plan --m)"
same "all options of a command" "--all --devices --grad --help --hosts --in --mesh --out --spec" "$(completed run --)"
same "programs" "a.c b.cpp c.mlir f g.c sub" "$(completed run '')"
same "a folder's" "sub/h.c" "$(completed run sub/)"
same "a model" "c.mlir sub" "$(completed show '')"
same "arrays" "d.npz sub" "$(completed run c.mlir --in '')"
same "a value that is no file" "" "$(completed run -n '')"
same "options of the tool" "--help --version" "$(completed -)"
same "words of a command" "export ls verify" "$(completed ckpt '')"
same "any file" "a.c b.cpp bash.sh c.mlir d.npz e.txt f g.c sub" "$(completed ckpt ls '')"
same "shells" "bash" "$(completed completion b)"
same "nothing" "" "$(completed doctor x)"
"$T" completion zsh >_tutti
if command -v zsh >/dev/null; then
    same "zsh reads it" "" "$(zsh -f -n _tutti 2>&1)"
    # Completion of zsh needs its line editor, so it runs in a terminal of zsh's own.
    cat >ask.zsh <<'Z'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; zstyle ":completion:*" list-separator "--"; bindkey "^I" complete-word; print RE''ADY'
zpty -r z out '*READY*'
setopt extendedglob
zpty -n -w z "$1"
for turn in {0..599}; do                                 # a Tab now and then, until it is completed; a minute at most
    ((turn % 10)) || zpty -n -w z $'\t'
    sleep 0.1
    while zpty -r -t z out; do all+=$out; done
    plain=${${all//[$'\r\n']/}//$'\e'\[[0-9;?]#[A-Za-z]/}
    [[ $plain != *"$2"* ]] || break
done
print -r -- "$plain"
zpty -d z
Z
    # asked NAME TYPED COMPLETED
    asked() {
        got=$(timeout 120 zsh -f ask.zsh "$2" "$3" 2>/dev/null)
        case $got in *"$3"*) p=$((p+1)) ;; *) f=$((f+1)); echo "FAIL zsh: $1: $got" ;; esac
    }
    asked "a command" 'tutti expl' "explain "
    asked "an option" 'tutti plan --me' "plan --mesh"
else skip "no zsh"; fi
"$T" completion fish >tutti.fish
if command -v fish >/dev/null; then
    asked() { HOME=$dir fish --no-config -c "source tutti.fish; complete -C '$1'" 2>&1 | cut -f1 | LC_ALL=C sort | paste -sd ' '; }
    same "fish: commands" "explain export" "$(asked 'tutti ex')"
    same "fish: options" "--mesh" "$(asked 'tutti plan --m')"
    same "fish: words" "verify" "$(asked 'tutti ckpt v')"
else skip "no fish"; fi
# Each option of the table is known to its command: none says that it is unknown, or takes it for a program.
printf 'func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %%x : tensor<2xf32>\n}\n' >c.mlir
for command in $("$T" --help | awk '/^usage/ { on = 1; next } /^$/ { if (on++ > 1) exit } on && $1 !~ /^-/ { print $1 }'); do
    for option in $("$T" "$command" --help | awk '/^  -/ && $1 != "--" { print $1 }' | sort -u); do
        case $command:$option in run:-n | run:--devices | run:--hosts | run:--all) set -- "$option" a.c ;; ckpt:*) continue ;; *) set -- c.mlir "$option" x ;; esac
        out=$("$T" "$command" "$@" 2>&1 </dev/null)
        case $out in *"option is unknown"* | *"unknown option"* | *" is for a MODEL"*) f=$((f+1)); echo "FAIL $command $option: $out" ;; *) p=$((p+1)) ;; esac
    done
done
"$T" completion tcsh >out 2>&1; same "another shell" "2 tutti completion: no shell \"tcsh\"" "$? $(head -1 out)"
"$T" completion >out 2>&1; same "no shell" "2 usage: tutti completion bash|zsh|fish" "$? $(head -1 out)"
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
