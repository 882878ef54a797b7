#!/bin/sh
# tutti run -n as its user meets it, under the launcher of each MPI library: output, status, signals, what is left behind.
# usage: tests/job.sh [BUILD]
B=$(cd "${1:-build}" && pwd); T=$B/tutti; dir=$(mktemp -d); here="$dir/a folder"; mkdir "$here"
p=0; f=0; s=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export TUTTI_TEST_FOLDERS="$dir/folders"
usual=$PATH MARK=
# Every process of a job has this in its environment, so what is left of the job can be found.
begin() { MARK=job-$$-$1; rm -f "$dir/out" "$dir/err"; touch "$dir/out" "$dir/err"; }
marked() { grep -lsz "^TUTTI_TEST_MARK=$MARK\$" /proc/[0-9]*/environ | sed 's|/proc/\([0-9]*\)/.*|\1|'; }
line_of() { cat "/proc/$1/cmdline" 2>/dev/null | tr '\0' ' '; }
of_marked() { for one in $(marked); do line_of "$one" | grep -q -- "$1" && echo "$one"; done; }
trap 'for one in $(grep -lsz "^TUTTI_TEST_MARK=job-$$-" /proc/[0-9]*/environ | cut -d / -f 3); do kill -9 $one 2>/dev/null; done; rm -rf "$dir"' EXIT
verdict() { if [ "$2" = ok ]; then p=$((p+1)); else f=$((f+1)); echo "FAIL $lib $1: $2"; head -n 12 "$dir/out" "$dir/err" 2>/dev/null; fi; }
# expect NAME STATUS TEXT COMMAND...: the status, and a line of stdout or stderr that is the text ("": no line at all)
expect() {
    name=$1; want=$2; text=$3; shift 3
    (export TUTTI_TEST_MARK=$MARK; "$@") >"$dir/out" 2>"$dir/err" </dev/null; got=$?
    if [ $got -ne "$want" ]; then verdict "$name" "status $got, expected $want"
    elif [ -z "$text" ] && [ -z "$(cat "$dir/out" "$dir/err")" ]; then verdict "$name" ok
    elif [ -z "$text" ]; then verdict "$name" "expected no output"
    elif ! cat "$dir/out" "$dir/err" | grep -qF -- "$text"; then verdict "$name" "no line \"$text\""
    else verdict "$name" ok; fi
}
# printed NAME LINES: what the last command wrote to stdout, sorted
printed() { if [ "$(sort "$dir/out")" = "$2" ]; then verdict "$1" ok; else verdict "$1" "stdout is not \"$2\""; fi; }
told() { if [ "$(cat "$dir/err")" = "$2" ]; then verdict "$1" ok; else verdict "$1" "stderr is not \"$2\""; fi; }
# within SECONDS COMMAND...: true if the command succeeds by then
within() { n=$(($1 * 20)); shift; while [ $n -gt 0 ]; do "$@" && return 0; sleep 0.05; n=$((n-1)); done; return 1; }
nothing() { [ -z "$(marked)" ]; }
# left NAME: no process of the job and no folder of it; act.c has noted its folder
left() {
    within 8 nothing || { verdict "$1" "left: $(for one in $(marked); do line_of "$one"; done)"; return; }
    new=$(for one in $(sort -u "$dir/folders"); do ls -d "$one" 2>/dev/null; done)
    if [ -z "$new" ] && [ -s "$dir/folders" ]; then verdict "$1" ok; else verdict "$1" "left: $new"; fi
}

# The square root of a negative number, which rank 1 has; in the result of rank 1 alone, or in that of all ranks.
cat >"$here/nan.c" <<'C'
#include <string.h>
#include <tutti.h>
static const float v[4] = { 1, 2, 3, -4 };
static tt_val own(tt_val x) { return tt_sqrt(x); }
static tt_val sum(tt_val x) { return tt_sum(own(x)); }
int main(int c, char **w)
{
    tt_join();
    const tt_mesh m = tt_mesh("data:2");
    tt_call(tt_jit(c > 1 && !strcmp(w[1], "sum") ? sum : own, .mesh = m), tt_shard(tt_array(TT_F32, v, 4), m, "data"));
    return tt_done();
}
C
# A rank does what its arguments say: WORD, or RANK:WORD for one rank alone.
cat >"$here/act.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t interrupted;
static void interrupt(int n) { (void)n; interrupted = 1; }
int main(int c, char **v)
{
    const char *mine = getenv("OMPI_COMM_WORLD_RANK");
    const int rank = atoi(mine ? mine : getenv("PMI_RANK"));
    char line[200];
    FILE *folders = fopen(getenv("TUTTI_TEST_FOLDERS"), "a");
    fprintf(folders, "%.*s\n", (int)(strrchr(v[0], '/') - v[0]), v[0]), fclose(folders);
    for (int i = 1; i < c; i++) {
        const char *w = v[i];
        if (*w >= '0' && *w <= '9' && atoi(w) != rank) continue;
        if (*w >= '0' && *w <= '9') w += 2;
        if (!strncmp(w, "out=", 4)) printf("%s\n", w + 4), fflush(stdout);
        if (!strncmp(w, "err=", 4)) fprintf(stderr, "%s\n", w + 4);
        if (!strncmp(w, "exit=", 5)) return atoi(w + 5);
        if (!strncmp(w, "kill=", 5)) raise(atoi(w + 5));
        if (!strncmp(w, "sleep=", 6)) sleep((unsigned)atoi(w + 6));
        if (!strcmp(w, "words")) printf("%s\n", getenv("TUTTI"));
        if (!strcmp(w, "terminal")) printf("%s\n", isatty(1) ? "terminal" : "file");
        if (!strcmp(w, "many")) for (int k = 0; k < 20000; k++) printf("line %d of many\n", k);
        if (!strcmp(w, "part")) printf("no newline");
        if (!strcmp(w, "read")) while (fgets(line, sizeof line, stdin)) printf("read %s", line);
        if (!strcmp(w, "loop")) {
            signal(SIGINT, interrupt);
            printf("\rready\n"), fflush(stdout);
            while (!interrupted) usleep(1000);
            printf("saved\n"), fflush(stdout);
        }
    }
    return 0;
}
C

# Rank 0 runs a step that the others do not have.
cat >"$here/lanes.c" <<'C'
#include <tutti.h>
static tt_val f(tt_val w, tt_val x) { return tt_sum(tt_tanh(tt_matmul(x, w))); }
int main(void)
{
    tt_mesh m = tt_mesh("data:4");
    tt_val w = tt_shard(tt_ones(TT_F32, 64, 64), m, "_, _"), x = tt_shard(tt_ones(TT_F32, 512, 64), m, "data, _");
    tt_fn g = tt_jit(tt_grad(f));
    for (tt_loop it = tt_steps(3); tt_next(&it);) tt_wait(tt_call(g, w, x));
    return tt_done();
}
C
cat >"$here/steps.c" <<'C'
#include <tutti.h>
int main(void)
{
    tt_val x = tt_arange(TT_F32, 100000);
    tt_num(tt_process_index() ? tt_tanh(x) : tt_exp(x));
    return tt_done();
}
C

# Rank 1 stops itself: before it joins the job, or while it does; v[1]: after so many microseconds.
cat >"$here/stops.c" <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <tutti.h>
#include <unistd.h>
static void *stop(void *after) { usleep((unsigned)*(int *)after); kill(getpid(), SIGSTOP); return NULL; }
int main(int c, char **v)
{
    const char *mine = getenv("OMPI_COMM_WORLD_RANK");
    int after = c > 1 ? atoi(v[1]) : 0;
    pthread_t t;
    if (atoi(mine ? mine : getenv("PMI_RANK")) == 1) {
        if (!after) raise(SIGSTOP);
        pthread_create(&t, NULL, stop, &after);
    }
    tt_join(.devices = 1);
    for (tt_loop l = tt_steps(1000000); tt_next(&l);) tt_sync_global_devices("step");
    return tt_done();
}
C

# A host of another name is this one: what a launcher would call instead of ssh.
cat >"$dir/ssh" <<'S'
#!/bin/sh
while case $1 in -*) true;; *) false;; esac; do shift; done
TMPDIR=${0%/*}/$1; mkdir -p "$TMPDIR"; export TMPDIR
shift
exec sh -c "$*"
S
chmod +x "$dir/ssh"
export OMPI_MCA_plm_rsh_agent="$dir/ssh" HYDRA_LAUNCHER_EXEC="$dir/ssh"
# Runs a program on a terminal, types two lines and Ctrl-D, and prints what it wrote.
cat >"$dir/type.py" <<'P'
import os, pty, sys
pid, tty = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
os.write(tty, b"one\ntwo\n\x04")
text = b""
try:
    while part := os.read(tty, 4096):
        text += part
except OSError:
    pass
sys.stdout.write(text.decode().replace("\r", ""))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P

# What is wrong before anything is started.
lib=usage
expect "no processes" 2 'tutti run: -n takes a number of processes, 1 to 65536, not "0"' "$T" run -n 0 x.c
expect "a word of processes" 2 'tutti run: -n takes a number of processes, 1 to 65536, not "x"' "$T" run -n x x.c
expect "part of a number" 2 'not "2x"' "$T" run -n 2x x.c
expect "no number" 2 'not ""' "$T" run -n
expect "-n twice" 2 "tutti run: -n is given twice" "$T" run -n 2 -n 3 x.c
expect "no devices" 2 'tutti run: --devices takes a number of devices of a process, 1 to 65536, not "0"' "$T" run -n 2 --devices 0 x.c
expect "--devices without -n" 2 "tutti run: --devices is for a job" "$T" run --devices 2 examples/hello.c
expect "--all without -n" 2 "tutti run: --all is for a job" "$T" run --all examples/hello.c
expect "hosts that are not there" 2 "tutti run: --hosts $dir/none cannot be read: No such file" "$T" run -n 2 --hosts "$dir/none" x.c
expect "an unknown option" 2 "tutti run: unknown option --al" "$T" run -n 2 --al x.c
expect "no program" 2 "tutti run: there is no program" "$T" run -n 2
expect "a program that is not there" 2 "none.c cannot be read" "$T" run -n 2 "$dir/none.c"
expect "a StableHLO program" 2 "tutti run: -n is for a program in C or C++; m.mlir runs in one process" "$T" run -n 4 m.mlir --in a.npz
expect "help" 0 "--hosts FILE" "$T" run --help
expect "a watcher without a job" 2 "--rank is what a launcher of MPI is told" "$T" run --rank
mkdir "$dir/none" "$dir/plain"
for tool in cc gcc as ld collect2 sh env; do [ -x "$(command -v $tool)" ] && ln -sf "$(command -v $tool)" "$dir/plain/$tool"; done
expect "no plug-in" 1 "several processes need a plug-in for MPI: there is no libtutti_mpi_openmpi.so in" env TUTTI_PLUGINS="$dir/none" "$T" run -n 2 "$here/act.c"
expect "why in doctor" 0 "no plug-in: not installed, or mpicc.mpich was not there" env TUTTI_PLUGINS="$dir/none" "$T" doctor
if [ -f "$B/libtutti_mpi_openmpi.so" ]; then
    expect "no launcher" 1 "tutti run: no launcher of Open MPI" env PATH="$dir/plain" "$T" run -n 2 "$here/act.c"
fi

for lib in openmpi mpich; do
    name=$([ $lib = openmpi ] && echo "Open MPI" || echo MPICH)
    if ! command -v mpirun.$lib >/dev/null || [ ! -f "$B/libtutti_mpi_$lib.so" ]; then echo "skip: $name is not installed"; s=$((s+1)); continue; fi
    mkdir "$dir/$lib"; printf '#!/bin/sh\nexec mpirun.%s "$@"\n' $lib >"$dir/$lib/mpirun"; chmod +x "$dir/$lib/mpirun"; PATH=$dir/$lib:$usual
    act() { n=$1; shift; "$T" run -n "$n" "$here/act.c" "$@"; }
    begin 1
    expect "doctor" 0 "launcher $dir/$lib/mpirun, plug-in $B/libtutti_mpi_$lib.so" "$T" doctor
    expect "output" 0 "hello" act 3 out=hello
    printed "that of rank 0 alone" hello
    expect "errors" 0 "of rank 2" act 3 "2:err=of rank 2"
    told "stderr of all" "of rank 2"
    expect "all output" 0 "[2] hello" "$T" run -n 3 --all "$here/act.c" out=hello
    printed "each line behind its rank" "[0] hello
[1] hello
[2] hello"
    expect "all output of one" 0 "[0] no newline" "$T" run -n 2 --all "$here/act.c" 0:part
    expect "much output" 0 "line 19999 of many" act 2 many
    if [ "$(wc -l <"$dir/out")" = 20000 ]; then verdict "all of it" ok; else verdict "all of it" "$(wc -l <"$dir/out") lines"; fi
    "$T" run -n 3 --all "$here/act.c" many >"$dir/out" 2>"$dir/err"
    n=$(grep -cE '^\[[012]\] line [0-9]+ of many$' "$dir/out")
    if [ "$n" = 60000 ]; then verdict "much of all" ok; else verdict "much of all" "$n lines"; fi
    expect "arguments" 0 "a : b 'c' \"d\"  \$e" act 2 "out=a : b 'c' \"d\"  \$e" : -n 7 --all
    printed "one argument" "a : b 'c' \"d\"  \$e"
    expect "an argument of no letters" 0 "after it" act 2 "" "out=after it"
    expect "the words" 0 "no-cache,ranks,devices:3" env TUTTI=no-cache "$T" run -n 2 --devices 3 "$here/act.c" words
    expect "\"ranks\" in the environment" 0 "no-cache,ranks,devices:3" env TUTTI=ranks,no-cache "$T" run -n 2 --devices 3 "$here/act.c" words
    expect "the words of all output" 0 "[1] ranks:all" "$T" run -n 2 --all "$here/act.c" words
    expect "\"ranks:all\" in the environment" 0 "[1] no-cache,ranks:all" env TUTTI=ranks:all,no-cache "$T" run -n 2 "$here/act.c" words
    files() { (cd "$dir/$lib" && rm -f t.* r.* && TUTTI=time:t.json,roofline:r.svg "$T" run -n 2 "$@" "$here/steps.c" >"$dir/out" 2>"$dir/err" </dev/null; echo t.* r.*); }
    got=$(files)
    if [ "$got" = "t.json r.svg" ] && grep -q '"tile: exp"' "$dir/$lib/t.json" && ! grep -q '"tile: tanh"' "$dir/$lib/t.json"; then verdict "files of rank 0" ok
    else verdict "files of rank 0" "$got"; fi
    got=$(files --all)
    if [ "$got" = "t.rank0.json t.rank1.json r.rank0.svg r.rank1.svg" ] && grep -q '"tile: tanh"' "$dir/$lib/t.rank1.json"; then verdict "files of each rank" ok
    else verdict "files of each rank" "$got"; fi
    (cd "$dir/$lib" && TUTTI=time:l.json,workers:1 "$T" run -n 2 --all "$here/lanes.c" >"$dir/out" 2>"$dir/err" </dev/null)
    got=$(python3 tests/timeline.py "$dir/$lib/l.rank0.json" "$dir/$lib/l.rank1.json" 1 2 3 2>&1 | tail -n 1)
    if [ "$got" = "a good timeline" ]; then verdict "timelines joined" ok; else verdict "timelines joined" "$got"; fi
    if grep -q '"wait for other ranks", "args": {"line": ".*lanes.c:' "$dir/$lib/l.rank1.json" &&
        grep -q '0.00   0 %  wait for other ranks .*lanes.c:' "$dir/out"; then verdict "waits in the profile" ok
    else verdict "waits in the profile" "none"; fi
    expect "a line that has its rank" 0 "[0] of 0" "$T" run -n 2 --all "$here/act.c" "0:out=[0] of 0"
    expect "stdout is the tool's own" 0 file act 2 terminal
    printf 'one\ntwo\n' | "$T" run -n 2 --all "$here/act.c" read >"$dir/out" 2>"$dir/err"
    printed "stdin goes to rank 0" "[0] read one
[0] read two"
    expect "an end in time" 0 "" act 2 exit=0
    expect "one status of all" 5 "" act 3 exit=5
    told "is no news" ""
    expect "one rank's status" 3 "tutti run: rank 2 ended with status 3; the 3 others were ended" act 4 2:exit=3 sleep=20
    told "and nothing else" "tutti run: rank 2 ended with status 3; the 3 others were ended"
    expect "one of two" 3 "tutti run: rank 1 ended with status 3; the other one was ended" act 2 1:exit=3 sleep=20
    expect "a signal" 139 "tutti run: rank 1 was stopped by signal 11 (Segmentation fault); the 2 others were ended" act 3 1:kill=11 sleep=20
    expect "a signal of all" 134 "tutti run: each of the 2 ranks was stopped by signal 6 (Aborted)" act 2 kill=6
    expect "a NaN of one rank" 9 "sqrt makes a NaN of operands without one, at [3] of its result on device data=1" env TUTTI=nan "$T" run -n 2 "$here/nan.c" own
    expect "a NaN in a sum of all ranks" 9 "nan.c:4: tt_sqrt(x)" env TUTTI=nan "$T" run -n 2 "$here/nan.c" sum
    expect "one process" 4 "" act 1 exit=4
    expect "does not compile" 1 "tutti run: $dir/bad.c does not compile" sh -c "echo 'int main(' >'$dir/bad.c'; exec '$T' run -n 2 '$dir/bad.c'"
    if [ $lib = openmpi ] && [ "$(id -u)" = 0 ]; then
        expect "root" 1 "tutti run: Open MPI starts no processes for root unless OMPI_ALLOW_RUN_AS_ROOT=1" env -u OMPI_ALLOW_RUN_AS_ROOT "$T" run -n 2 "$here/act.c"
    fi
    if command -v python3 >/dev/null; then
        expect "stdin from a terminal" 0 "read two" python3 "$dir/type.py" "$T" run -n 2 "$here/act.c" read
        expect "stdout is the terminal" 0 terminal python3 "$dir/type.py" "$T" run -n 2 "$here/act.c" terminal
        expect "Ctrl-C on a terminal" 0 saved python3 tests/terminal.py --interrupt 80 "$T" run -n 2 "$here/act.c" 0:sleep=1 loop
    else echo "skip: terminals: no python3"; s=$((s+1)); fi
    left "nothing is left of all these"

    # Ranks on other hosts: what they write and read travels through the tool.
    begin 100
    [ $lib = openmpi ] && printf 'hosta slots=2\nhostb slots=2\n' >"$dir/hosts" || printf 'hosta:2\nhostb:2\n' >"$dir/hosts"
    far() { "$T" run -n 4 --hosts "$dir/hosts" "$@"; }
    expect "on two hosts" 0 "[3] hello" far --all "$here/act.c" out=hello
    expect "output of rank 0" 0 "line 19999 of many" far "$here/act.c" 0:many
    if [ "$(wc -l <"$dir/out")" = 20000 ]; then verdict "all of it" ok; else verdict "all of it" "$(wc -l <"$dir/out") lines"; fi
    printf 'one\ntwo\n' | far "$here/act.c" read >"$dir/out" 2>"$dir/err"
    printed "stdin to another host" "read one
read two"
    expect "errors of another host" 3 "tutti run: rank 3 ended with status 3; the 3 others were ended" far "$here/act.c" "3:err=of rank 3" 3:exit=3 sleep=20
    if grep -q "^of rank 3$" "$dir/err"; then verdict "and its stderr" ok; else verdict "and its stderr" "not there"; fi
    [ $lib = mpich ] ||     expect "the job of a batch system" 0 "[1] hello" env SLURM_JOB_ID=1 sh -c "cd '$here' && '$T' run -n 2 --all act.c out=hello"
    left "nothing is left on two hosts"

    # Each process of a job is stopped; $1: which by its command line, $2: the signal.
    k=1
    stopped() {   # NAME WHICH SIGNAL STATUS TEXT
        k=$((k+1)); begin $k
        env --default-signal=INT TUTTI_TEST_MARK=$MARK "$T" run -n 3 "$here/act.c" loop sleep=30 >"$dir/out" 2>"$dir/err" </dev/null &
        tool=$!
        within 20 grep -q ready "$dir/out" || { verdict "$1" "the job did not start"; kill -9 $tool; return; }
        sleep 0.3
        one=$tool
        [ "$2" = tool ] || one=$(of_marked "$2" | tail -n 1)
        [ -n "$one" ] || { verdict "$1" "there is no $2"; one=$tool; }
        kill -"$3" $one
        wait $tool 2>/dev/null; got=$?
        if [ "$4" = any ] && [ $got -eq 0 ] || [ "$4" != any ] && [ "$4" != $got ]; then verdict "$1" "status $got, expected $4"
        elif [ -n "$5" ] && ! grep -qE -- "^$5\$" "$dir/err"; then verdict "$1" "no line \"$5\""
        elif [ -n "$5" ] && [ "$(wc -l <"$dir/err")" != 1 ]; then verdict "$1" "more than that line"
        elif [ -z "$5" ] && [ -s "$dir/err" ]; then verdict "$1" "stderr is not empty"
        else verdict "$1" ok; fi
        left "$1: nothing is left"
    }
    stopped "SIGTERM of the tool" tool TERM 143 ""
    stopped "SIGHUP of the tool" tool HUP 129 ""
    stopped "kill -9 of the tool" tool KILL 137 ""
    stopped "kill -9 of a program" "/program" KILL 137 "tutti run: rank [0-2] was stopped by signal 9 \(Killed\); the 2 others were ended"
    stopped "kill -9 of a watcher" "run --rank *$" KILL 137 "tutti run: rank [0-2] was lost, since the process that watches it was ended; the 2 others were ended"
    stopped "kill -9 of the launcher" "^mpirun.$lib" KILL 137 "tutti run: mpirun was stopped by signal 9 \(Killed\); the 3 ranks were ended"
    stopped "SIGTERM of the launcher" "^mpirun.$lib" TERM any "tutti run: mpirun ended the 3 ranks"

    # A rank is stopped while it starts: the program, or its watcher before it has connected.
    begin 30
    for after in 0 2000 10000 30000 100000; do           # side by side, since they wait
        (export TUTTI_TEST_MARK=$MARK TUTTI=patience:2; start=$(date +%s)
         "$T" run -n 3 "$here/stops.c" $after >"$dir/stops.$after" 2>&1 </dev/null
         echo "status $? within $(($(date +%s) - start < 20))" >>"$dir/stops.$after") &
    done
    wait
    for after in 0 2000 10000 30000 100000; do
        mv "$dir/stops.$after" "$dir/out"; : >"$dir/err"
        if grep -qE "the ranks come together for 2 s|has waited 2 s for rank 1" "$dir/out" && grep -q "^status 15 within 1$" "$dir/out"; then verdict "stopped after $after us" ok
        else verdict "stopped after $after us" "not status 15 within 20 s"; fi
    done
    printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 1 ] || kill -STOP $$\nexec "$@"\n' >"$dir/slow"; chmod +x "$dir/slow"
    printf '#!/bin/sh\nexec mpirun.%s $(echo "$*" | sed "s|[^ ]* run --rank|%s &|")\n' $lib "$dir/slow" >"$dir/$lib/mpirun"
    expect "a watcher that is stopped" 1 "mpirun started 2 of 3 ranks" env TUTTI=patience:2 "$T" run -n 3 "$here/act.c" exit=0
    expect "and the others join" 15 "the ranks come together for 2 s" env TUTTI=patience:2 "$T" run -n 3 "$here/stops.c"
    printf '#!/bin/sh\nexec mpirun.%s "$@"\n' $lib >"$dir/$lib/mpirun"
    left "stopped at the start: nothing is left"

    # Ctrl-C: once, the programs go on behind their loops; twice, they are gone.
    begin 20
    env --default-signal=INT TUTTI_TEST_MARK=$MARK "$T" run -n 3 --all "$here/act.c" loop >"$dir/out" 2>"$dir/err" </dev/null &
    tool=$!
    within 20 sh -c "[ \$(grep -c ready '$dir/out') = 3 ]"
    kill -INT $tool; wait $tool; got=$?
    if [ $got = 0 ] && [ "$(grep -c saved "$dir/out")" = 3 ]; then verdict "Ctrl-C" ok; else verdict "Ctrl-C" "status $got"; fi
    left "Ctrl-C: nothing is left"
    begin 21
    env --default-signal=INT TUTTI_TEST_MARK=$MARK "$T" run -n 3 --all "$here/act.c" loop sleep=30 >"$dir/out" 2>"$dir/err" </dev/null &
    tool=$!
    within 20 sh -c "[ \$(grep -c ready '$dir/out') = 3 ]"
    kill -INT $tool; within 10 sh -c "[ \$(grep -c saved '$dir/out') = 3 ]"
    kill -INT $tool; wait $tool; got=$?
    if [ $got = 130 ]; then verdict "Ctrl-C twice" ok; else verdict "Ctrl-C twice" "status $got"; fi
    left "Ctrl-C twice: nothing is left"
done
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
