#!/bin/sh
# The tool as its user meets it: messages and exit statuses. usage: tests/tool.sh [BUILD]
B=${1:-build}; T=$B/tutti; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
# expect NAME STATUS TEXT COMMAND...: the status, and the text somewhere in what it printed
expect() {
    name=$1; want=$2; text=$3; shift 3
    out=$("$@" 2>&1 </dev/null); got=$?
    if [ $got -eq "$want" ] && printf '%s' "$out" | grep -qF -- "$text"; then p=$((p+1))
    else f=$((f+1)); echo "FAIL $name: status $got (expected $want), expected \"$text\", printed:"; printf '%s\n' "$out" | head -8; fi
}
expect "no command" 2 "usage: tutti COMMAND" "$T"
expect "help" 0 "tutti run" sh -c "$T --help | sed 's/^  run/tutti run/'"
expect "help of a command" 0 "--grad 0,1" "$T" run --help
expect "help of a command, in words" 0 "--grad 0,1" "$T" help run
expect "help of no command" 2 'no command "x"' "$T" --help x
expect "help of two commands" 2 'unknown argument "plan"' "$T" help run plan
expect "help of two words, in one line" 0 "one line" sh -c "[ \$('$T' help x y 2>&1 | wc -l) -eq 1 ] && echo one line"
expect "help, every switch" 0 "switches listed" sh -c "for w in \$(grep -oE '^    \{ \"[a-z0-9-]+\"' src/base/switches.c | tr -d ' {\"'); do
    $T --help | grep -qE \"^  \$w[: ]\" || { echo no \$w; exit 1; }; done; echo switches listed"
expect "no help for a pipe that is closed" 0 "usage" sh -c "$T --help | head -3"
expect "version" 0 "tutti 0." "$T" --version
expect "version of something" 2 'unknown argument "x"' "$T" --version x
expect "unknown command" 2 'no command "fly"; there are run, show, explain, plan, export, ckpt, tokens, doctor, completion' "$T" fly
expect "doctor" 0 "engines" "$T" doctor
expect "doctor with an argument" 2 'unknown argument "now"' "$T" doctor now
expect "run nothing" 2 "usage: tutti run" "$T" run
expect "run a missing file" 2 "none.c cannot be read: No such file" "$T" run "$dir/none.c"
expect "run a directory" 2 "tutti run: . is a directory" "$T" run .
expect "plan of a directory" 2 "tutti plan: . is a directory" "$T" plan .
expect "run a text" 2 "README.md is no C or C++ source by its name" "$T" run README.md
expect "run a file of no ending" 2 "a program is a .c, .cpp, .cc, .cxx or .C file, or a MODEL.mlir" "$T" run Makefile
expect "children are ignored" 0 "f32[8@i]" sh -c "trap '' CHLD; exec '$T' run examples/hello.c"
expect "run hello" 0 "f32[8@i]" "$T" run examples/hello.c
printf 'int main(void) { return undeclared; }\n' >"$dir/bad.c"
expect "does not compile" 1 "bad.c does not compile" "$T" run "$dir/bad.c"
printf '#include <tutti.h>\nint main(void) { tt_zeros(TT_F32, 2, 2.5); return tt_done(); }\n' >"$dir/dims.c"
expect "a dim that is no integer" 1 "tt_a_dim_is_an_integer" "$T" run "$dir/dims.c"
for call in "tt_i(0.5)" "tt_integer_pow(x, 0.5)" "tt_repeat(x, 2.5, 0)" "tt_roll(x, 1.5f, 0)"; do
    printf '#include <tutti.h>\n#include <tutti/numpy.h>\nint main(void) { tt_val x = tt_f(1); tt_show(%s), tt_show(x); return tt_done(); }\n' \
        "$call" >"$dir/integer.c"
    expect "$call, which is no integer" 1 "tt_expected_an_integer" "$T" run "$dir/integer.c"
done
printf '#include <stdlib.h>\nint main(void) { abort(); }\n' >"$dir/crash.c"
printf '#include <tutti.h>\nint main() { tt_show(tt_sum(tt_ones(TT_F32, 3), .dims = "0")); return tt_done(); }\n' >"$dir/plus.cpp"
if command -v c++ >/dev/null; then expect "C++" 0 "f32[] 3." "$T" run "$dir/plus.cpp"; fi
printf '#include <tutti.h>\nint main(void) { tt_sum(tt_ones(TT_F32, 3), .dims = 1); return tt_done(); }\n' >"$dir/over.c"
printf '#include <tutti.h>\nint main(void) { tt_show(tt_sum(tt_ones(TT_F32, 3), .dims = "0", .dims = "-1")); return tt_done(); }\n' >"$dir/twice.c"
expect "an option that is given twice" 1 "does not compile" "$T" run "$dir/twice.c"
expect "an integer for a text" 1 "does not compile" "$T" run "$dir/over.c"
printf '#include <tutti.h>\nint main(void) { tt_print("%%s", 42); return tt_done(); }\n' >"$dir/format.c"
expect "a format and its arguments" 139 "-Wformat" "$T" run "$dir/format.c"
expect "crashes" 134 "was stopped by signal 6" "$T" run "$dir/crash.c"
printf '#include <stdio.h>\nint main(int c, char **v) { printf("%%s\\n", v[c - 1]); return 7; }\n' >"$dir/args.c"
expect "arguments and status" 7 "second" "$T" run "$dir/args.c" first second
printf '#include <stdio.h>\nint main(int c, char **v) { fprintf(stderr, "%%d, %%s\\n", c, v[c - 1]); return 7; }\n' >"$dir/many.c"
expect "300 arguments" 7 "301, 300" "$T" run "$dir/many.c" $(seq 300)
expect "300 arguments of a plan" 7 "301, 300" "$T" plan "$dir/many.c" $(seq 299) --mesh "data:4" 300
expect "an option of a text for a program" 2 "--spec is for a MODEL.mlir" "$T" explain "$dir/args.c" --spec a
expect "likewise of a plan" 2 "--grad is for a MODEL.mlir" "$T" plan "$dir/args.c" --grad=0
expect "an option misspelt" 2 "did you mean --mesh?" "$T" explain "$dir/args.c" --mehs data:4
expect "likewise with its value" 2 "unknown option --host" "$T" plan "$dir/args.c" --host=2
expect "the program's own options" 7 "4, --mesh" "$T" plan "$dir/many.c" --mesh "data:4" -- --spec a --mesh
expect "no compiler" 1 "there is no C compiler" env -i PATH="$dir" "$T" run "$dir/args.c"
printf '#include <tutti.h>\nint main(void) { tt_matmul(tt_zeros(TT_F32, 2, 3), tt_zeros(TT_F32, 4, 5)); return tt_done(); }\n' >"$dir/error.c"
expect "an error's status" 1 "tt_matmul(tt_zeros(TT_F32, 2, 3), tt_zeros(TT_F32, 4, 5))" "$T" run "$dir/error.c"
expect "unknown switch" 9 "plann" env TUTTI=plann "$T" doctor
expect "a size of no axis" 9 "takes axes, each once, with sizes" env TUTTI=mesh:a "$T" doctor
expect "a switch on and off" 9 'switches "no-llvm" and "llvm:now" contradict each other' env TUTTI=no-llvm,llvm:now "$T" doctor
expect "a cache and none" 9 'switches "no-cache" and "cache:/x" contradict each other' env TUTTI=cache:/x,no-cache "$T" doctor
expect "an axis of two sizes" 9 "takes axes, each once, with sizes" env TUTTI=mesh:a=4+a=2 "$T" doctor
expect "no devices" 9 "devices:0" env TUTTI=devices:0 "$T" doctor
expect "where time went" 0 "the machine now:" env TUTTI=time "$T" run examples/hello.c
expect "a timeline" 0 '"name": "tile: iota", "args": {"line": "' sh -c "TUTTI=time:$dir/t.json '$T' run examples/hello.c >/dev/null 2>&1; cat '$dir/t.json'"
cat >"$dir/lanes.c" <<'C'
#include <tutti.h>
static tt_val f(tt_val w, tt_val x) { return tt_sum(tt_tanh(tt_matmul(x, w))); }
int main(void)
{
    tt_mesh m = tt_mesh("data:4, model:2");
    tt_val w = tt_shard(tt_ones(TT_F32, 64, 64), m, "_, model"), x = tt_shard(tt_ones(TT_F32, 512, 64), m, "data, _");
    tt_fn g = tt_jit(tt_grad(f));
    for (tt_loop it = tt_steps(5, .bar = "train"); tt_next(&it);) tt_wait(tt_call(g, w, x));
    return tt_done();
}
C
expect "lanes of a timeline" 0 "a good timeline" sh -c "TUTTI=time:$dir/l.json,workers:2 '$T' run '$dir/lanes.c' && python3 tests/timeline.py '$dir/l.json' 2 8 5"
expect "where time went, in 80 columns" 0 "nothing is wider" sh -c "python3 tests/terminal.py 80 env TUTTI=time '$T' run '$dir/lanes.c' | tr -d '\r' |
    awk '/ ms +[0-9.]+ % / { n++ } / (ms|times) / && length(\$0) > 80 { print; bad = 1 } END { if (n && !bad) print \"nothing is wider\" }'"
expect "a roofline" 0 "flops per byte" sh -c "TUTTI=roofline:$dir/r.svg '$T' run examples/shardmap.c >/dev/null 2>&1; cat '$dir/r.svg'"
expect "a roofline nowhere" 13 "written to /nowhere/r.svg: No such file" env TUTTI=roofline:/nowhere/r.svg "$T" run examples/shardmap.c
expect "a timeline nowhere" 13 "written to /nowhere/t.json: No such file" env TUTTI=time:/nowhere/t.json "$T" run examples/hello.c
printf '#include <tutti.h>\nint main(void) { tt_show(tt_ones(TT_F32, 3)); return 0; }\n' >"$dir/short.c"
expect "a timeline nowhere, without tt_done" 13 "written to /nowhere/t.json" env TUTTI=time:/nowhere/t.json "$T" run "$dir/short.c"
expect "where time went, without tt_done" 0 "the machine now:" env TUTTI=time "$T" run "$dir/short.c"
expect "a roofline of no file" 9 'switch "roofline" takes a file: roofline:steps.svg' env TUTTI=roofline "$T" doctor
expect "a cache in no folder" 9 'switch "cache" takes a folder: cache:DIR' env TUTTI=cache "$T" doctor
cat >"$dir/traced.c" <<'C'
#include <tutti.h>
static tt_val f(tt_val x) { return tt_mean(tt_square(x)); }
static tt_val once(tt_fn g, tt_val x) { return tt_call(g, x); }
int main(void)
{
    tt_fn g = tt_jit(f);
    once(g, tt_ones(TT_F32, 3)), once(g, tt_zeros(TT_F32, 3)), once(g, tt_ones(TT_F32, 4));
    once(g, tt_tuple(tt_ones(TT_F32, 3), tt_f(1)));
    return tt_done();
}
C
expect "TUTTI=trace" 3 "trace $dir/traced.c:2: tt_square(x) -> f32[3]" env TUTTI=trace "$T" run "$dir/traced.c"
expect "TUTTI=trace, once per type" 0 "2 of f32[3], 1 of f32[4]" sh -c "TUTTI=trace '$T' run '$dir/traced.c' 2>&1 | awk '
    /tt_square.*f32.3.$/ { a++ } /tt_square.*f32.4.$/ { b++ } END { print a \" of f32[3], \" b \" of f32[4]\" }'"
expect "TUTTI=retrace, a type" 3 "retrace f: argument 0 is f32[4]" env TUTTI=retrace "$T" run "$dir/traced.c"
expect "TUTTI=retrace, a structure" 3 "retrace f: argument 0 has another structure: (_, _)" env TUTTI=retrace "$T" run "$dir/traced.c"
expect "a tree for an array" 3 "#0   tree of 2 leaves  from $dir/traced.c:2: tt_square(x)" "$T" run "$dir/traced.c"
expect "explain" 0 "explain train on data:2, model:4" "$T" explain examples/mlp.c
expect "explain prints reports alone" 0 "explain train" sh -c "$T explain examples/mlp.c | grep -v 'f32\['"
expect "explain on a mesh that need not exist" 0 "explain train on data:16, model:4" "$T" explain examples/mlp.c --mesh "data:16, model:4"
expect "explain of an axis that no mesh has" 5 'no mesh of this program has an axis "modle"' "$T" explain examples/mlp.c --mesh "modle:8"
cat >"$dir/named.c" <<'C'
#include <tutti.h>
static tt_val step(tt_val x) { return tt_sum(tt_square(x)); }
int main(void) { tt_show(tt_call(tt_jit(step), tt_ones(TT_F32, 4))); return tt_done(); }
C
expect "the plan of a function" 0 "---- step" env TUTTI=plan:step "$T" run "$dir/named.c"
expect "the plan of no function" 9 "TUTTI=plan:stpe: no function of that name was compiled" env TUTTI=plan:stpe "$T" run "$dir/named.c"
expect "the IR of no function" 9 'those of this program are: step' env TUTTI=ir:stpe "$T" run "$dir/named.c"
expect "explain nothing" 2 "usage: tutti explain" "$T" explain
expect "plan" 0 "plan train on data:2, model:4: 8 devices" "$T" plan examples/mlp.c
expect "plan of a mesh that need not exist" 0 "65536 devices" "$T" plan examples/mlp.c --mesh "data:4096, model:16"
expect "plan of a mesh too large to compute on" 0 "67108864 devices" "$T" plan examples/mlp.c --mesh "data:4194304, model:16"
expect "plan of an axis that no mesh has" 5 'no mesh of this program has an axis "modle"' "$T" plan examples/mlp.c --mesh "data:64, modle:8"
expect "plan of a program with data" 0 "plan step on member:8" "$T" plan examples/ensemble.c
expect "plan nothing" 2 "usage: tutti plan" "$T" plan --mesh data:2
expect "no such form of a mesh" 2 'is not of the form' "$T" plan examples/mlp.c --mesh data=2
expect "a mesh of no words" 2 "--mesh has no value" "$T" explain examples/mlp.c --mesh
expect "plan of several hosts" 0 "of them from other hosts" "$T" plan examples/mlp.c --mesh "data:64, model:8" --hosts 64
expect "explain over a slow link" 0 "from other hosts" "$T" explain examples/mlp.c --mesh "data:64" --hosts 8 --link "1ms, 1GB/s"
expect "no hosts" 2 '--hosts "0" is not of the form 64' "$T" plan examples/mlp.c --hosts 0
expect "a mesh without a value" 2 '--mesh has no value; expected "data:4096' "$T" plan examples/mlp.c --mesh
expect "an axis of no devices" 2 'at   tutti explain --mesh "data:0"' "$T" explain examples/mlp.c --mesh "data:0"
expect "an axis twice" 2 'at   tutti plan --mesh "data:2, data:4"' "$T" plan examples/mlp.c --mesh "data:2, data:4"
expect "a link without a rate" 2 'at   tutti plan --link "1us, 0GB/s"' "$T" plan examples/mlp.c --link "1us, 0GB/s"
expect "devices without work" 0 "65472 of 65536 in " "$T" plan examples/mlp.c --mesh "data:65536, model:1"
expect "more hosts than devices" 5 'hosts:5 for the 8 devices of the mesh data:2, model:4' "$T" plan examples/mlp.c --hosts 5
expect "hosts twice" 2 "is the second one" "$T" plan examples/mlp.c --hosts 2 --hosts 3
expect "no link" 2 'is not of the form "10us, 5GB/s"' "$T" plan examples/mlp.c --link 5
expect "a second mesh" 2 "is the second one" "$T" plan examples/mlp.c --mesh data:2 --mesh model:2
expect "an error in a plan" 1 "tt_matmul(tt_zeros(TT_F32, 2, 3), tt_zeros(TT_F32, 4, 5))" "$T" plan "$dir/error.c"

# Checkpoints.
cat >"$dir/save.c" <<'C'
#include <tutti.h>
int main(void)
{
    const tt_val t = tt_dict("w", tt_shard(tt_ones(TT_F32, 8, 4), tt_mesh("data:2, model:4"), "data, _"), "n", tt_none());
    const tt_manager m = tt_manager_open("steps", .best = "max accuracy");
    tt_save("run", t);
    for (int i = 1; i < 4; i++) tt_manager_save(m, i, t, .metrics = tt_dict("accuracy", tt_f(i == 2)));
    return tt_done();
}
C
tool=$(cd "$(dirname "$T")" && pwd)/tutti
expect "a program that saves" 0 "saved" sh -c "cd '$dir' && '$tool' run save.c && echo saved"
expect "ckpt ls" 0 "f32[8, 4]" "$T" ckpt ls "$dir/run"
expect "ckpt ls, the layout" 0 "data, _ on data:2, model:4" "$T" ckpt ls "$dir/run"
expect "ckpt of no command" 2 'no command "list"' "$T" ckpt list "$dir/run"
expect "ckpt ls of steps" 0 "step 3 (the newest)" "$T" ckpt ls "$dir/steps"
expect "ckpt verify" 0 "every byte is as it was written" "$T" ckpt verify "$dir/run"
expect "ckpt verify of steps" 0 "steps/2: 1 arrays" "$T" ckpt verify "$dir/steps"
expect "ckpt export" 0 "1 arrays" "$T" ckpt export "$dir/steps" "$dir/w.safetensors"
expect "what was exported" 0 "safetensors, 1 arrays" "$T" ckpt ls "$dir/w.safetensors"
expect "ckpt export over a file" 1 "is there already; --force replaces it" "$T" ckpt export "$dir/run" "$dir/w.safetensors"
expect "ckpt export over a file by force" 0 "1 arrays" "$T" ckpt export "$dir/run" "$dir/w.safetensors" --force
cp -r "$dir/run" "$dir/bare" && rm "$dir/bare/_MANIFEST"
expect "ckpt verify without the manifest" 1 "_MANIFEST is missing" "$T" ckpt verify "$dir/bare"
printf 'X' | dd of="$dir/run/w/c.0.0" bs=1 seek=9 conv=notrunc 2>/dev/null
expect "ckpt verify, one byte changed" 1 "run/w/c.0.0: crc32c" "$T" ckpt verify "$dir/run"
expect "ckpt ls --help" 0 "usage: tutti ckpt ls" "$T" ckpt ls --help
expect "ckpt of nothing" 1 "No such file" "$T" ckpt ls "$dir/none"
expect "ckpt ls of a GGUF" 0 "stored as Q8_0" "$T" ckpt ls tests/goldens/gguf/all.gguf
expect "its metadata" 0 '"general.name":"a test"' "$T" ckpt ls tests/goldens/gguf/all.gguf
G=tests/goldens/tokenizers
expect "tokens" 0 "3 ids of 3 bytes; 320 pieces (BPE, tokenizer.json)" "$T" tokens $G/gpt2.json "zqx"
expect "tokens of stdin" 0 "(BPE, tokenizer.model)" sh -c 'echo abc | "$1" tokens $2' tokens "$T" $G/sp_bpe.model
expect "tokens, called wrongly" 2 "usage: tutti tokens" "$T" tokens
expect "tokens of nothing" 1 "No such file" "$T" tokens "$dir/none" a
expect "ckpt, called wrongly" 2 "usage: tutti ckpt ls" "$T" ckpt look "$dir/run"
expect "explain of a program that saves" 0 "explained" sh -c "cd '$dir' && rm -rf run && '$tool' explain save.c && ! [ -e run ] && echo explained"

# StableHLO programs.
cat >"$dir/model.mlir" <<'M'
module @m {
  func.func public @main(%x: tensor<2xf32>) -> tensor<f32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %x, %x : tensor<2xf32>
    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
M
cat >"$dir/write.c" <<'C'
#include <tutti.h>
int main(int argc, char **argv)
{
    const float x[] = { 3, 4 };
    (void)argc;
    tt_write_npz(argv[1], tt_dict("arg0", tt_array(TT_F32, x, 2)));
    return tt_done();
}
C
expect "arrays for a program" 0 "written" sh -c "'$T' run '$dir/write.c' '$dir/a.npz' && test -s '$dir/a.npz' && echo written"
cat >"$dir/less.mlir" <<'M'
module @m {
  func.func public @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.subtract %x, %y : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
M
cat >"$dir/two.c" <<'C'
#include <tutti.h>
int main(int argc, char **argv)
{
    const tt_val one = tt_ones(TT_F32, 2), ten = tt_full(10, TT_F32, 2);
    (void)argc;
    tt_write_npz(argv[1], tt_dict("arr_0", ten, "arr_1", one));
    tt_write_npz(argv[2], tt_dict("arg1", ten, "other", one));
    return tt_done();
}
C
expect "two arrays for a program" 0 "written" sh -c "'$T' run '$dir/two.c' '$dir/two.npz' '$dir/mixed.npz' && echo written"
expect "arrays by numpy's numbers" 0 "[9. 9.]" "$T" run "$dir/less.mlir" --in "$dir/two.npz"
expect "arrays of other names" 1 "which of its arrays is which argument" "$T" run "$dir/less.mlir" --in "$dir/mixed.npz"
expect "a result in its argument's place" 1 "is the file that is read" "$T" run "$dir/less.mlir" --in "$dir/two.npz" --out "$dir/two.npz"
expect "a checkpoint that is none" 1 "at   tutti ckpt ls" "$T" ckpt ls "$dir/less.mlir"
expect "show a source" 2 "args.c is a C or C++ source; show takes a StableHLO program" "$T" show "$dir/args.c"
expect "show a directory" 2 "is a directory; show takes a StableHLO program" "$T" show "$dir"
expect "show nothing" 2 "tutti show: the path is empty" "$T" show ""
expect "a program's text" 0 "3 operations" "$T" show "$dir/model.mlir"
expect "a program's value" 0 "25" "$T" run "$dir/model.mlir" --in "$dir/a.npz"
expect "a program's gradient on a mesh" 0 "[6. 8.]" "$T" run "$dir/model.mlir" --in "$dir/a.npz" --grad 0 --mesh data:2 --spec data
expect "a program into a file" 0 "written" sh -c "'$T' run '$dir/model.mlir' --in '$dir/a.npz' --out '$dir/r.npz' && test -s '$dir/r.npz' && echo written"
expect "a result of a strange kind" 2 "results go to an NPZ file" "$T" run "$dir/model.mlir" --in "$dir/a.npz" --out "$dir/r.txt"
printf 'func.func @main(%%x: tensor<2xf32>) -> tensor<2xf8E5M2> {\n  %%y = stablehlo.convert %%x : (tensor<2xf32>) -> tensor<2xf8E5M2>\n  return %%y : tensor<2xf8E5M2>\n}\n' >"$dir/to8.mlir"
printf 'func.func @main(%%x: tensor<2xf8E5M2>) -> tensor<2xf8E5M2> {\n  %%y = stablehlo.multiply %%x, %%x : tensor<2xf8E5M2>\n  return %%y : tensor<2xf8E5M2>\n}\n' >"$dir/of8.mlir"
expect "eight-bit floats go through a file by their bits" 0 "[ 8. 16.]" sh -c "'$T' run '$dir/to8.mlir' --in '$dir/a.npz' --out '$dir/r8.npz' && '$T' run '$dir/of8.mlir' --in '$dir/r8.npz'"
expect "a program without arrays" 2 "give --in" "$T" run "$dir/model.mlir"
expect "a program as text" 0 "func.func public @main" "$T" export "$dir/model.mlir" --grad 0
expect "a program's layouts in a file" 0 '"data"' sh -c "'$T' export '$dir/model.mlir' --mesh data:2 --spec data --out '$dir/e.mlir' && cat '$dir/e.mlir'"
printf 'ML\357R\001StableHLO_v1.20.0\000\001' >"$dir/bytes.mlir"
expect "bytecode" 1 "MLIR bytecode, as jax.export's serialize() makes it" "$T" show "$dir/bytes.mlir"
printf 'module {\n\000}\n' >"$dir/zero.mlir"
expect "a file with a byte that is no text" 1 "zero.mlir is not text" "$T" show "$dir/zero.mlir"
expect "a text for no such version" 1 '"12" is no version of JAX' "$T" export "$dir/model.mlir" --jax 12
expect "a text for a version that is not yet" 1 '"99.0" is no version of JAX that is known: 0.4 to 0.12' "$T" export "$dir/model.mlir" --jax 99.0
expect "a version where nothing is exported" 2 "--jax is for export" "$T" plan "$dir/model.mlir" --jax 0.12
expect "what a program would move" 0 "1 all-reduce" "$T" explain "$dir/model.mlir" --mesh data:2 --spec data
expect "what a program would need" 0 "65536 devices" "$T" plan "$dir/model.mlir" --mesh "data:65536" --grad 0
expect "hosts of a model" 2 'tutti plan: --hosts "2,ir" is not of the form 64' "$T" plan "$dir/model.mlir" --hosts 2,ir
expect "a link of a model" 2 'is not of the form "10us, 5GB/s"' "$T" explain "$dir/model.mlir" --link "1us, 1GB/s, ir"
expect "a link of a model without a rate" 2 'at   tutti plan --link "1us, 0GB/s"' "$T" plan "$dir/model.mlir" --link "1us, 0GB/s"
expect "--all twice" 2 "--all is given twice" "$T" run --all --all examples/hello.c
expect "a look takes no arrays" 2 "arrays (--in, --out) are for run" "$T" plan "$dir/model.mlir" --in "$dir/a.npz"
expect "a result nowhere" 1 "at   --out" "$T" run "$dir/model.mlir" --in "$dir/a.npz" --out /nowhere/r.npz
expect "an option of no program" 2 "tutti run: unknown option --device" "$T" run "$dir/model.mlir" --device 4
expect "an option without a value" 2 "--out has no value" "$T" run "$dir/model.mlir" --out
expect "export of a C source" 2 "a C or C++ source is no StableHLO program" "$T" export examples/hello.c
expect "an option twice" 2 "--mesh is given twice" "$T" plan "$dir/model.mlir" --mesh data:2 --mesh data:4
expect "a full disk" 13 "the output is not written" sh -c "'$T' show '$dir/model.mlir' >/dev/full"
# Reports and programs on a full disk: an error, what was there stays, and nothing is left beside it.
mkdir "$dir/small"; small=$dir/small
kept() {                                                 # name, status, a command that writes $small/f
    out=$(unshare -rm sh -c "mount -t tmpfs -o size=8k tmpfs '$small' && echo old >'$small/f' && head -c 4000 /dev/zero >'$small/g'
        $3 >/dev/null 2>&1; echo \$? \$(cat '$small/f') \$(ls '$small')" 2>&1)
    if [ "$out" = "$2 old f g" ]; then p=$((p+1)); else f=$((f+1)); echo "FAIL $1: $out"; fi
}
if unshare -rm mount -t tmpfs tmpfs "$small" 2>/dev/null; then
    kept "a timeline on a full disk" 13 "TUTTI=time:$small/f '$T' run examples/shardmap.c"
    kept "a roofline on a full disk" 13 "TUTTI=roofline:$small/f '$T' run examples/shardmap.c"
    kept "an export on a full disk" 1 "'$T' export '$dir/model.mlir' --out '$small/f'"
else s=$((s+3)); echo "skip: reports on a full disk (no file systems of one's own here)"
fi
expect "a spec of a strange axis" 1 "in   --spec" "$T" run "$dir/model.mlir" --in "$dir/a.npz" --mesh data:2 --spec dta
expect "arrays that are not there" 1 "at   --in" "$T" run "$dir/model.mlir" --in /nowhere/a.npz
sed 's/tensor<2xf32>)/tensor<2xf32> {jax.buffer_donor = true})/' "$dir/model.mlir" >"$dir/given.mlir"
expect "a text that gives away" 0 "may be given away: arguments 0" "$T" show "$dir/given.mlir"
expect "a program with a strange option" 2 "unknown option --inn" "$T" run "$dir/model.mlir" --inn "$dir/a.npz"
sed 's/stablehlo.multiply/stablehlo.multiplied/' "$dir/model.mlir" >"$dir/bad.mlir"
expect "an unknown operation" 1 "bad.mlir:4:10" "$T" show "$dir/bad.mlir"
sed 's/%x: tensor<2xf32>/%x: tensor<2xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}/' "$dir/model.mlir" >"$dir/laid.mlir"
expect "a text's own shardings" 0 "25" "$T" run "$dir/laid.mlir" --in "$dir/a.npz"
expect "a text's own shardings, in what moves" 0 "all-reduce" env TUTTI=explain "$T" run "$dir/laid.mlir" --in "$dir/a.npz"
expect "what a program does" 0 "4 floating operations" "$T" show "$dir/model.mlir"

# What the README shows is what is printed: its program, and its mistake.
same() { if cmp -s "$dir/$2" "$dir/$3"; then p=$((p+1)); else f=$((f+1)); echo "FAIL $1:"; diff "$dir/$2" "$dir/$3" | head -12; fi; }
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$dir/gradient.c"
awk '/^[$] build.tutti run gradient.c/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$dir/gradient.want"
awk '/^error: / { on = 1 } /^```$/ { on = 0 } on' README.md >"$dir/mlp.want"
cat >"$dir/mlp.c" <<'C'
#include <tutti.h>
int main(void)
{
    tt_val x = tt_zeros(TT_F32, 64, 1024), w = tt_zeros(TT_F32, 256, 10);
    tt_matmul(x, w);
    return tt_done();
}
C
tool=$(realpath "$T")
(cd "$dir" && "$tool" run gradient.c >gradient.out 2>&1; "$tool" run mlp.c >mlp.out 2>&1)
# The last digits of a sum are the processor's.
for t in gradient.want gradient.out; do sed -E -i 's/([0-9]\.[0-9]{4})[0-9]*/\1/g; s/ +/ /g' "$dir/$t"; done
same "README's program" gradient.want gradient.out
same "README's mistake" mlp.want mlp.out
# A compiled loop asks for operands that come from memory, not for those that stay in the caches.
cat >"$dir/far.c" <<'C'
#include <stdlib.h>
#include <tutti.h>
static tt_val f(tt_val x, tt_val y) { return tt_add(tt_mul(x, y), x); }
int main(int c, char **v)
{
    const int64_t n = atoll(v[c - 1]);
    const tt_val x = tt_full(1, TT_F32, n), y = tt_full(2, TT_F32, n);
    for (int64_t i = 0; i < 100000000 / n; i++) {
        const tt_scope scope = tt_scope_open();
        tt_call(tt_jit(f), x, y);
        tt_scope_close(scope);
    }
    return tt_done();
}
C
lacks=
"$T" doctor | grep -q 'instructions.*avx512' || lacks="no AVX-512 here"
"$T" doctor | grep -q 'llvm: .*\.so' || lacks="no libLLVM here"
if [ -z "$lacks" ]; then
    for n in 2000000 1000; do
        TUTTI=llvm:text,no-cache "$T" run "$dir/far.c" $n >"$dir/far.$n" 2>&1
        expect "a loop over $n is compiled" 0 "fmul" cat "$dir/far.$n"
    done
    expect "large operands are asked for" 0 "2 times" sh -c "grep -c 'call void @llvm.prefetch' '$dir/far.2000000' | sed 's/$/ times/'"
    expect "small ones are not" 0 "0 times" sh -c "grep -c 'call void @llvm.prefetch' '$dir/far.1000' | sed 's/$/ times/'"
else echo "skip: operands asked for early: $lacks"; s=$((s+4))
fi
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
