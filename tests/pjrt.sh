#!/bin/sh
# Engines of PJRT: a library that fails in every way that is known, then OpenXLA's for processors with eight devices, where
# tools/venv.sh could fetch it (or PJRT_LIBRARY=FILE): values and transfers, goldens, the guides' twins.
# usage: tests/pjrt.sh BUILD [long]; long: all goldens and all twins
B=$(cd "${1:-build}" && pwd); long=${2:-}; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; chmod 755 "$dir"
. tests/pjrt/shared.sh

# ---- a library that fails ----

cc -std=c17 -D_GNU_SOURCE -shared -fPIC -fvisibility=hidden -Isrc -Iinclude -o "$dir/fake.so" tests/pjrt/fake.c &&
    cc -std=c17 -D_GNU_SOURCE -Iinclude -o "$dir/ask" tests/pjrt/ask.c "$B/libtutti.a" -ljansson -lz -lm -lpthread -ldl ||
    bad pjrt "does not compile"
if topology "$dir/topology" 2>"$dir/out"; then good; else bad "tests/pjrt/topology.c" "does not compile"; fi
chmod 755 "$dir/fake.so"
export TUTTI_PLUGINS="$B"
# says NAME FAKE TEXT WORDS...: what a program prints that opens the library and computes; it ends, within seconds
says() {
    name=$1; fake=$2; text=$3; shift 3
    FAKE=$fake TUTTI=patience:1 timeout 20 "$dir/ask" "pjrt:$dir/fake.so" "$@" >"$dir/out" 2>/dev/null
    status=$?
    if [ $status -ne 0 ]; then bad "$name" "status $status"
    elif grep -qF -- "$text" "$dir/out"; then good; else bad "$name" "no line \"$text\""; fi
}
also() { if grep -qF -- "$2" "$dir/out"; then good; else bad "$1" "no line \"$2\""; fi; }
says "a good library" good "the end" launch one; also "its devices" "fake:7 unit"
FAKE=good TUTTI=time "$dir/ask" "pjrt:$dir/fake.so" launch >"$dir/out" 2>&1
also "TUTTI=time counts" "transfers: 9 to devices (0.000 MB), 9 to the host (0.000 MB), 0 between devices"
FAKE=trace TUTTI=time:$dir/run.json "$dir/ask" "pjrt:$dir/fake.so" launch >"$dir/out" 2>&1
also "the library's own trace" "timeline of the library of fake: $dir/run.fake.xplane.pb"
if [ "$(cat "$dir/run.fake.xplane.pb" 2>/dev/null)" = traced ]; then good; else bad "the trace's file" "other bytes"; fi
FAKE=good TUTTI=time:$dir/run.json "$dir/ask" "pjrt:$dir/fake.so" launch >"$dir/out" 2>&1
also "no trace" "the library of fake gives no trace of its own: it has no profiler extension"
says "no table" null "its GetPjrtApi gives no table of functions"
says "an old version" old "it has version 0.40 of PJRT's API; 0.57 and its later minor versions are known here"
says "missing functions" lacks "it lacks functions of PJRT's API: PJRT_Client_Compile, PJRT_Buffer_ToHostBuffer"
says "no device" none "it has no device"
says "no client" client "no accelerator of this kind is attached"
says "no engine, and yet a value" client "the engine that this program asked for did not open" on
says "a library that makes no devices" option "the end" launch
says "a refused program" compile "the compilation on fake failed: this program is not for this device" one
also "the line of a refused program" "ask.c:103: tt_call(tt_jit(next), tt_array(TT_F32, data, 1))"
says "memory" memory "a transfer to device on fake failed: 4096 bytes do not fit" large
says "who holds memory" memory "KiB were created here: tests/pjrt/ask.c:105: tt_call" launch launch large
also "what its devices have" "device 0 of fake has 3.0 MiB in use of 4.0 MiB"
says "memory of a launch" full "a launch on fake failed: 2 MiB of temporaries do not fit" one
also "who holds it" "were created here"; also "a launch on one device is no loss" "hint: drop values that are not needed"
says "memory of a launch on several devices" full "a launch on fake failed: 2 MiB of temporaries do not fit" launch
also "the loss" "hint: what was computed there is gone"
also "what the program needs" "the program needs 2.1 MiB of a device: 64.0 KiB of arguments, 16.0 KiB of results, 2.0 MiB of temporaries"
says "a device that is full" fill "filled by 8 arrays" fill; also "goes on" "again 0"; also "who holds what" "were created here"
says "a plan by the library's count" full "  temporaries     2.0 MiB" plan
also "results in the place of arguments" "  results        16.0 KiB, and 16.0 KiB in the place of donated arguments"; also "in all" "  in all          2.1 MiB"
says "a library that does not count" good "fake's library does not tell what the program needs: unimplemented" plan
also "nor its devices" "devices of fake: their library does not tell their memory"
says "a library without the function" short "does not tell what the program needs: it lacks PJRT_Executable_GetCompiledMemoryStats" plan
FAKE=good timeout 20 "$dir/ask" "pjrt:$dir/fake.so" far >"$dir/out" 2>&1
also "a function without a planned form" "note: next runs in the global form, partitioned by the library's compiler: dim 0 of"
also "and why" "is longer than 2^31 - 1"; also "it is compiled all the same" "does not tell what the program needs: unimplemented"
says "a refused launch" refuse "a launch on fake failed: device 3 has refused the launch" launch launch cpu one
also "the line of a refused launch" "at   tests/pjrt/ask.c:105: tt_call(tt_jit(next), x)"
also "launches behind it" "the devices are lost since a launch failed: device 3 has refused the launch"
also "goes on without it" "engine 1"
# The time of day is set back by an hour as soon as it was looked at: a wait that counts by it takes an hour more.
printf '#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\nint clock_gettime(clockid_t c, struct timespec *t)
{\n    const int r = (int)syscall(SYS_clock_gettime, c, t);\n    if (!r && c == CLOCK_REALTIME) t->tv_sec += 3600;\n    return r;\n}\n' |
    cc -D_GNU_SOURCE -shared -fPIC -o "$dir/ahead.so" -x c - || bad pjrt "a clock does not compile"
LD_PRELOAD=$dir/ahead.so says "a launch that fails late, while the clock is set" late "device 3 has stopped" launch cpu one
also "goes on without it" "engine 1"
says "a launch that fails late" late "device 3 has stopped, launched at tests/pjrt/ask.c:105: tt_call(tt_jit(next), x)" launch cpu one
also "goes on without it" "engine 1"
watched="this event cannot be watched, launched at tests/pjrt/ask.c"
says "a launch whose end cannot be watched" watch "$watched:105: tt_call(tt_jit(next), x)" launch cpu one
also "goes on without it" "engine 1"
says "the same on one device" watch "$watched:103: tt_call(tt_jit(next), tt_array(TT_F32, data, 1))" one
says "a launch on one device that fails late" alone "a transfer to the host on fake failed: the device has stopped" one
also "its line" "the value was created here: tests/pjrt/ask.c:103: tt_call(tt_jit(next)"; also "goes on" "the end"
says "a refused transfer to the host" read "a transfer to the host on fake failed: the host's memory is not mapped" one
also "its line" "at   tests/pjrt/ask.c:103: tt_num(tt_call("
says "a transfer that is cut off" arrive "a transfer to the host on fake failed: the transfer was cut off" one
says "a copy between devices" copy "a copy between devices on fake failed: a copy does not fit" replicas
also "its line" "at   tests/pjrt/ask.c:99: tt_shard(tt_array(TT_F32, data, 4096), m, \"_\")"
says "no plug-in of Tutti" good "the end" one
TUTTI_PLUGINS=$dir says "no plug-in of Tutti" good "no libtutti_pjrt.so in $dir" one
# No call waits for a transfer that a later launch ends; the memory lives until it is read.
says "batches are sent while steps run" slow "batch 3: 888" batches; also "the first batch" "batch 0: 120"
says "a failure that no call has met" late "device 3 has stopped, launched at tests/pjrt/ask.c:101: tt_call(tt_jit(next), x)" unread
# A copy of the process has none of the library's threads: its calls fail, and neither it nor its parent waits for ever.
forked="this process was forked from the one that opened the library"
says "a fork" good "the child has ended with 0" launch fork one
also "what the child reads" "a transfer to the host on fake failed: $forked"; also "what it launches" "a launch on fake failed: $forked"
also "what it sends" "a transfer to device on fake failed: $forked"; also "its own engine" "engine 1, and there 3"
also "goes on" "the end"
says "a fork while launches are under way" hold "the child has ended with 0" fork leave
# Programs on the disk: kept NAME COMPILED LOADED [FAKE [LIBRARY]]. A file that is not what was written is not loaded, and
# written again.
kept() {
    FAKE=${4:-keep} TUTTI=time,cache:$dir/kept timeout 20 "$dir/ask" "pjrt:${5:-$dir/fake.so}" one >"$dir/out" 2>&1
    also "$1" "programs for them: $2 compiled, $3 from the disk"; also "$1: its value" "the end"
}
kept "a program that is written" 1 0; kept "read again" 0 1
entry=$(ls "$dir"/kept/pjrt-*); cp "$entry" "$dir/entry"
for n in 0 8 60 $(($(wc -c <"$entry") - 1)); do
    head -c $n "$dir/entry" >"$entry"; kept "a file of $n bytes" 1 0; kept "written again" 0 1
done
printf more >>"$entry"; kept "a longer file" 1 0; kept "written again" 0 1
for n in 0 9 17 25 40 $(($(wc -c <"$entry") - 2)); do
    printf Q | dd of="$entry" bs=1 seek=$n conv=notrunc 2>/dev/null; kept "another byte $n" 1 0; kept "written again" 0 1
done
kept "a library that does not load it" 1 0 other
cp "$dir/fake.so" "$dir/second.so"; chmod 755 "$dir/second.so"
kept "another library" 1 0 keep "$dir/second.so"
for file in "$dir"/kept/pjrt-*; do [ "$file" = "$entry" ] || mv "$file" "$entry"; done
kept "a file of another library under this name" 1 0
rm "$entry"; ln -s "$dir/entry" "$entry"; kept "a link" 1 0
# Files that are none of PJRT's, or that others could have put there.
ask() { timeout 20 "$dir/ask" "$1" >"$dir/out" 2>/dev/null; if grep -qF -- "$2" "$dir/out"; then good; else bad "$1" "no line \"$2\""; fi; }
echo "no library" >"$dir/text.so"; ask "pjrt:$dir/text.so" "text.so: "
ask "pjrt:$B/libtutti_llvm.so" "it is no plug-in of PJRT: it has no GetPjrtApi"
cp "$dir/fake.so" "$dir/open.so"; chmod 777 "$dir/open.so"; ask "pjrt:$dir/open.so" "not loaded: everybody may write to it"
HOME=$dir VIRTUAL_ENV=$dir PJRT_NAMES_AND_LIBRARY_PATHS=; export HOME VIRTUAL_ENV PJRT_NAMES_AND_LIBRARY_PATHS
ask "pjrt:nothing-of-this-name" "no library of PJRT is called \"nothing-of-this-name\""
mkdir -p "$dir/lib/python3.12/site-packages/jax_plugins/xla_fake"; cp "$dir/fake.so" "$dir/lib/python3.12/site-packages/jax_plugins/xla_fake/f.so"
ask "pjrt:fake" "fake:0 unit"
"$B/tutti" doctor >"$dir/out" 2>&1; also "doctor" "xla_fake: 8 devices (fake, unit), PJRT 0.81, of tests"
PJRT_NAMES_AND_LIBRARY_PATHS=mine:$dir/fake.so,other:/nowhere; ask "pjrt:mine" "fake:0 unit"
ask "pjrt:other" "there is no file /nowhere"
unset PJRT_NAMES_AND_LIBRARY_PATHS VIRTUAL_ENV TUTTI_PLUGINS

# ---- a real one ----

real=${PJRT_LIBRARY:-$(ls "$B"/venv/lib/python3*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so 2>/dev/null | head -n 1)}
if [ -z "$real" ]; then
    skip "no library of PJRT: pip could not fetch xla-cpu-pjrt"
    echo "$p passed, $f failed, $s skipped"
    [ $f -eq 0 ]; exit
fi
export PJRT_LIBRARY="$real"
"$B/tests/engine" >"$dir/out" 2>&1; add engine
TUTTI=form:global "$B/tests/engine" >"$dir/out" 2>&1; add "engine, global"
# Derivatives of linear algebra, compiled in seconds each; in the global form with the long tests.
for form in planned ${long:+global}; do
    TUTTI=form:$form "$B/tests/engine_algebra" >"$dir/out" 2>&1; add "engine_algebra, $form"
done
for form in global planned; do
    TUTTI=form:$form,time,cache:$dir/cache "$B/tests/engine_programs" >"$dir/out" 2>&1; add "engine_programs, $form"
done
# A program with constants of its own is found on the disk whatever their elements are: two functions, one program.
also "constants as arguments" "constants of theirs that are arguments: "
if awk '/^programs for them: / { n = $6 } END { exit !(n > 0) }' "$dir/out"; then good; else bad "other constants" "no program from the disk"; fi
# tutti plan computes nothing, and asks the library beside it.
TUTTI=pjrt:$real "$B/tutti" plan examples/mlp.c >"$dir/out" 2>&1; also "a plan by the library's count" "by the count of cpu's library a device needs"
TUTTI=pjrt:$real "$B/tutti" plan examples/mlp.c --mesh "data:64, model:16" >"$dir/out" 2>&1
also "a mesh that the library does not have" "cpu's library was not asked: it has 8 devices, not 1024"
# Drawn programs and functions, and every primitive's cases with every type of elements.
fuzz() { name=$1; shift; timeout 7200 "$@" >"$dir/out" 2>"$dir/err"; add "$name"; grep "^volume " "$dir/out"; }
day=${SEED:-$(date +%Y%m%d)}
fuzz "drawn programs" "$B/tests/fuzz_spmd" --engine $(if [ "$long" ]; then echo "--seed $day --draws 500"; else echo "--draws 12"; fi)
fuzz "drawn functions" "$B/tests/fuzz_functions_there" $(if [ "$long" ]; then echo "--seed $day --draws 300"; else echo "--draws 8"; fi)
fuzz "cases of primitives" "$B/tests/driver_engine_cases" $([ "$long" ] || echo "--one-in 40")
# The same program in another process takes its programs from the disk.
part=; [ "$long" ] || part="--one-in 60"
for form in global planned; do
    goldens "goldens, $form" "$real" $form $part
done
for form in global planned; do
    export TUTTI=pjrt:$real,form:$form
    twin "shardmap, $form" 1e-5 shardmap
    twin "pmap, $form" 1e-5 pmap 8 5
    if [ "$long" ]; then twin "nnx_spmd, $form" 1e-5 nnx_spmd 3 96 "$dir/nnx"; twin "linen_spmd, $form" 1e-5 linen_spmd 3 64 3; fi
done
# explained FUNCTION LIST ARGUMENTS: as planned the function's text has the collectives of this list, and explain lists them
explained() {
    name=$1; list=$2; shift 2
    TUTTI=pjrt:$real,hlo,explain "$B/examples/$@" >"$dir/out" 2>&1 || bad "$name" "ended with an error"
    awk -v f="$name" -v list="$list" '
        BEGIN { of["all_reduce"] = "all-reduce"; of["all_gather"] = "all-gather"; of["reduce_scatter"] = "reduce-scatter"
                of["all_to_all"] = "all-to-all"; of["collective_permute"] = "permute"; n = split(list, want, ", ") }
        / ---- / { within = $3 == f && / as planned$/; if (within) { texts++; split("", has) } }
        /^explain / { explains = $2 == f; within = 0 }
        explains && /^[0-9]+ exchanges?/ { sub(/^[^:]*: /, ""); said = $0 }
        within && match($0, /"stablehlo\.[a-z_]*"/) { k = substr($0, RSTART + 11, RLENGTH - 12); if (k in of) has[of[k]]++ }
        END { for (i = 1; i <= n; i++) { split(want[i], w, " "); if (has[w[2]] != w[1]) wrong = 1; delete has[w[2]] }
              for (k in has) wrong = 1
              exit wrong || !texts || said != list }' "$dir/out" && good || bad "$name" "other collectives than $list"
}
explained train "7 all-reduce" mlp
explained train_step_fsdp "2 all-gather, 8 reduce-scatter, 5 all-reduce" guides/fsdp \
    batch=32 classes=5 input=12 hidden=16 dropout=0 rate=0.01 seed=9 bf16=0 devices=8 minibatches=4
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
