#!/bin/sh
# Every example is a test: what it prints, that it runs plans, and how it meets terminals, Ctrl-C and caches.
# usage: tests/examples.sh [BUILD]
B=$(cd "${1:-build}" && pwd); root=$(pwd); dir=$(mktemp -d); trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir" || exit 2                                      # where examples save
p=0; f=0; s=0
unset TUTTI NO_COLOR TUTTI_DATA TUTTI_DATA_URL
export XDG_CACHE_HOME="$dir/cache" TUTTI_DATA_URL=http://127.0.0.1:9      # no download: what is shipped will do
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1: $2; it printed:"; head -n "${3:-12}" "$dir/out"; }
skip() { s=$((s+1)); echo "skip: $1"; }
# runs NAME STATUS COMMAND...: runs it, output into $dir/out
runs() {
    name=$1; want=$2; shift 2
    "$@" >"$dir/out" 2>&1 </dev/null; got=$?
    if [ $got -eq "$want" ]; then good; else bad "$name" "status $got, expected $want"; fi
}
# says NAME PATTERN: an extended regular expression in $dir/out
says() { if grep -qE -- "$2" "$dir/out"; then good; else bad "$1" "no line matches \"$2\""; fi; }
says_not() { if grep -qE -- "$2" "$dir/out"; then bad "$1" "a line matches \"$2\""; else good; fi; }
holds() { if awk "$2" "$dir/out"; then good; else bad "$1" "$3"; fi; }

# hello: every character.
runs hello 0 "$B/examples/hello"
printf 'f32[8@i] [0. 1. 2. 3. 4. 5. 6. 7.]\nf32[8@i] [0. 1. 2. 3. 4. 5. 6. 7.]\n' >"$dir/want"
if cmp -s "$dir/out" "$dir/want"; then good; else bad hello "other text"; fi

# regression: the line that the points were made from.
runs regression 0 "$B/examples/regression"
holds regression '/^w = / { w = $3; b = $6 } END { exit !(w > 1.9 && w < 2.1 && b > -1.1 && b < -0.9) }' "w is not near 2 or b not near -1"
holds regression '/^step/ { n++; if (n == 1) first = $4; last = $4 } END { exit !(n == 10 && last < first / 4) }' "the loss does not fall"

# shardmap: three ways to one product; the last line is a difference.
runs shardmap 0 "$B/examples/shardmap"
says "shardmap, gather" '^f32\[192@i, 128\]'
says "shardmap, scatter" '^f32\[192, 128@i\]'
holds "shardmap, ring" '/^f32/ { part++; next } part == 3 { gsub(/[^-+0-9.e]+/, " "); n = split($0, x, " "); for (k = 1; k <= n; k++) if (x[k] ~ /[0-9]/) { seen++; if (x[k] + 0 > 1e-4 || x[k] + 0 < -1e-4) wrong = 1 } } END { exit wrong || seen < 8 }' "the ring's product is another"

# mlp: born sharded, and it learns.
runs mlp 0 "$B/examples/mlp"
says mlp '^f32\[4, 256, 1024@model\]'
says "mlp, restored under other rules" '^f32\[4, 256@data, 1024\]'
holds mlp '/loss/ { for (k = 1; k < NF; k++) if ($k == "loss") { n++; if (n == 1) first = $(k + 1); last = $(k + 1) } } END { exit !(n >= 2 && last < first / 2) }' "the loss does not fall"
runs "mlp's checkpoint" 0 "$B/tutti" ckpt verify mlp.ckpt
says "mlp's checkpoint" 'every byte is as it was written'
runs "mlp's checkpoint, listed" 0 "$B/tutti" ckpt ls mlp.ckpt
says "mlp's checkpoint, listed" 'params.layer.up.kernel +f32\[4, 256, 1024\].*_, _, model on data:2, model:4'

# ensemble, on few images.
runs ensemble 0 "$B/examples/ensemble" --images 640 --epochs 1
says "ensemble, from where" 'An ensemble of 8 CNNs.*640 images of MNIST'
says "ensemble, the subset is said aloud" 'using the real subset'
says "ensemble, members" '^  member 7 +[0-9.]+ %'
holds "ensemble, accuracy" '/^  ensemble/ { a = $2 } /^On .* test images/ { n = $2 } END { exit !(a > 30 && n == 1000) }' "the ensemble has learnt nothing"
says "ensemble, digits" 'is [0-9]'
says "ensemble, layout" 'f32\[8@member, 10\]'
runs "ensemble's checkpoint" 0 "$B/tutti" ckpt verify ensemble.ckpt
runs "ensemble, wrong option" 2 "$B/examples/ensemble" --imags 3
runs "ensemble, no number" 2 "$B/examples/ensemble" --images -3

# Every jit and pmap call runs a plan, and TUTTI=plan says which.
for e in "regression update" "shardmap gather scatter ring" "mlp create train" "ensemble create step answer"; do
    set -- $e; e=$1; shift
    case $e in ensemble) more="--images 128 --epochs 1";; *) more=;; esac
    runs "$e with plans" 0 env TUTTI=plan "$B/examples/$e" $more
    for fn; do
        holds "the plan of $e's $fn" "/^---- / { on = \$2 == \"$fn\" || \$2 ~ /[(]$fn[)]/ } on && /^plan of/ { kernels = \$0; sub(/.*: /, \"\", kernels); n++ } END { exit !(n > 0 && kernels + 0 > 0) }" "no plan with kernels of that name"
    done
done

# No terminal: no escape sequence, no carriage return. NO_COLOR on a terminal: no colour. 40 columns: nothing wider.
runs "no terminal" 0 "$B/examples/ensemble" --images 128 --epochs 1
if LC_ALL=C grep -q "$(printf '[\033\r]')" "$dir/out"; then bad "no terminal" "escape sequences or carriage returns" 3; else good; fi
if command -v python3 >/dev/null; then
    runs "40 columns" 0 python3 "$root/tests/terminal.py" 40 "$B/examples/ensemble" --images 128 --epochs 1
    says "40 columns, a bar" 'epoch.*[0-9]+'
    says_not "40 columns, too wide" '^wide: '
    says "a terminal, colours" '^colours: [1-9]'
    runs "NO_COLOR" 0 env NO_COLOR=1 python3 "$root/tests/terminal.py" 100 "$B/examples/ensemble" --images 128 --epochs 1
    says "NO_COLOR" '^colours: 0'
    runs "TERM=dumb" 0 env TERM=dumb python3 "$root/tests/terminal.py" 100 "$B/examples/ensemble" --images 128 --epochs 1
    if LC_ALL=C grep -q "$(printf '\033')" "$dir/out"; then bad "TERM=dumb" "escape sequences" 3; else good; fi
    runs "Ctrl-C" 130 python3 "$root/tests/terminal.py" --interrupt 100 "$B/examples/mlp"
    says "Ctrl-C, a message" '[Ii]nterrupt'
else skip "terminals: no python3"; fi

# A cache that cannot be written is said once and the program goes on.
mkdir -p "$dir/file.d"; : >"$dir/file.d/cache"
runs "a cache that cannot be made" 0 env XDG_CACHE_HOME="$dir/file.d/cache" "$B/examples/ensemble" --images 128 --epochs 1
says "a cache that cannot be made" 'cannot be made'
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
