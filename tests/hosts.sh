#!/bin/sh
# Two machines as this one can have them: namespaces of their own for network, host name, processes, files of /tmp and
# /dev/shm, home, boot id, with an ssh server each and a cable (veth) between them. What docs/several-processes.md says
# of two machines is done there word for word, under the launcher of each MPI library, and what can go wrong between
# machines: a rank that is killed or stopped, a cable that is cut, folders that are not shared, other libraries.
# usage: tests/hosts.sh [BUILD]; needs root.
B=$(cd "${1:-build}" && pwd); T=$B/tutti; root=$PWD; lib=
p=0; f=0; s=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset TUTTI
skip() { echo "skip: two hosts: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
[ "$(id -u)" = 0 ] || skip "not root"
for tool in unshare nsenter ip ssh ssh-keygen /usr/sbin/sshd perl; do command -v $tool >/dev/null || skip "no $tool"; done
unshare --net --uts --ipc --mount --pid --fork --mount-proc true 2>/dev/null || skip "namespaces are refused"

# ---- the hosts ----

dir=$B/hosts.$$; home=$(getent passwd root | cut -d : -f 6)
mkdir "$dir" "$dir/ssh" "$dir/shared" || exit 2
on() { host=$1; shift; nsenter -t "$(cat "$dir/pid.$host")" -a --wd="$dir/shared" env -u TUTTI_DATA "$@"; }
end() {
    for one in first second; do kill -9 "$(cat "$dir/pid.$one")" 2>/dev/null; done
    ip link del tt$$a 2>/dev/null
    rm -rf "$dir"
}
trap end EXIT
trap 'exit 130' INT TERM
for key in ssh/id_ed25519 host_key; do ssh-keygen -q -t ed25519 -N '' -f "$dir/$key"; done
cp "$dir/ssh/id_ed25519.pub" "$dir/ssh/authorized_keys"
printf '127.0.0.1 localhost\n10.77.0.1 first\n10.77.0.2 second\n' >"$dir/hosts"
for one in first second; do echo "$one $(cat "$dir/host_key.pub")" >>"$dir/ssh/known_hosts"; done
printf 'HostKey %s\nPermitRootLogin yes\nPasswordAuthentication no\nUsePAM no\nStrictModes no\nPidFile none\nMaxStartups 100\n' \
    "$dir/host_key" >"$dir/sshd_config"
: >"$dir/empty"
# What a host does first. Processes 2 to 11 hold an empty file under the numbers at which ranks hold their memory.
cat >"$dir/boot" <<'S'
name=$1; dir=$2; home=$3
for i in 1 2 3 4 5 6 7 8 9 10; do perl -e 'for (3 .. 60) { open $f[$_], "<", $ARGV[0] } sleep 100000' "$dir/empty" & done
hostname "$name"
mount --make-rprivate / && mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /dev/shm && mount -t tmpfs tmpfs /run || exit 1
mount -t sysfs sysfs /sys 2>/dev/null
mkdir -p /run/sshd "$dir/home.$name"; cp -r "$dir/ssh" "$dir/home.$name/.ssh"; chmod -R go= "$dir/home.$name/.ssh"
mount --bind "$dir/home.$name" "$home"; mount --bind "$dir/hosts" /etc/hosts
cat /proc/sys/kernel/random/uuid >/run/boot_id; mount --bind /run/boot_id /proc/sys/kernel/random/boot_id
ip link set lo up
until ip link show net0 >/dev/null 2>&1; do sleep 0.05; done
ip addr add "$(awk -v n="$name" '$2 == n { print $1 }' "$dir/hosts")/24" dev net0 && ip link set net0 up || exit 1
exec /usr/sbin/sshd -D -e -f "$dir/sshd_config" 2>"$dir/sshd.$name"
S
for one in first second; do
    unshare --net --uts --ipc --mount --pid --fork --mount-proc --kill-child sh "$dir/boot" $one "$dir" "$home" \
        >"$dir/log.$one" 2>&1 </dev/null &
    outer=$!
    until child=$(cat /proc/$outer/task/$outer/children 2>/dev/null) && [ -n "$child" ]; do sleep 0.05; done
    echo $child >"$dir/pid.$one"
done
ip link add tt$$a type veth peer name tt$$b || skip "no veth"
ip link set tt$$a netns "$(cat "$dir/pid.first")" name net0 && ip link set tt$$b netns "$(cat "$dir/pid.second")" name net0
# Waits until the hosts reach each other: a network that has come up finds its neighbours first.
joined() {
    n=0
    until on first ssh second true 2>/dev/null && on second ssh first true 2>/dev/null; do
        n=$((n+1)); [ $n -lt 50 ] || return 1
        sleep 0.2
    done
}
joined || { echo "FAIL two hosts: no ssh"; cat "$dir"/log.* "$dir"/sshd.*; exit 1; }

# ---- programs ----

cd "$dir/shared" || exit 2
cat >who.c <<'C'
#include <stdio.h>
#include <unistd.h>
#include <tutti.h>
int main(void)
{
    char name[100] = "", axis[32];
    gethostname(name, sizeof name);
    snprintf(axis, sizeof axis, "data:%d", (int)tt_device_count());
    tt_show(tt_sum(tt_shard(tt_arange(TT_F32, 100000 * tt_device_count()), tt_mesh(axis), "data")));
    if (tt_ok()) printf("%d of %d on %s\n", tt_process_index(), tt_process_count(), name);
    return tt_done();
}
C
# A step whose parameters are sharded; v[1]: steps, v[2]: what a rank multiplies by.
cat >train.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <tutti.h>
static double rate = 0.01;
static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(tt_tanh(tt_matmul(x, w)))); }
static tt_val update(tt_val w, tt_val x) { return tt_sub(w, tt_mul(tt_call(tt_grad(loss), w, x), tt_f(rate))); }
int main(int c, char **v)
{
    char axis[32];
    tt_join();
    snprintf(axis, sizeof axis, "data:%d", (int)tt_device_count());
    const tt_mesh m = tt_mesh(axis);
    tt_val w = tt_shard(tt_normal(tt_key(0), TT_F32, 64, 64), m, "data, _");
    const tt_val x = tt_shard(tt_normal(tt_key(1), TT_F32, 64, 64), m, "data, _");
    const tt_fn f = tt_jit(update);
    if (c > 2) rate = atof(v[2]);
    for (tt_loop l = tt_steps(c > 1 ? atoi(v[1]) : 100); tt_next(&l);) {
        tt_assign(&w, tt_call(f, w, x));
        if (!l.i && !tt_process_index()) fprintf(stderr, "began\n");
    }
    if (tt_ok()) printf("%.9g\n", tt_num(tt_sum(w)));
    return tt_done();
}
C
cat >save.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti.h>
int main(int c, char **v)
{
    char axis[32];
    tt_join();
    snprintf(axis, sizeof axis, "data:%d", (int)tt_device_count());
    const tt_val w = tt_shard(tt_normal(tt_key(c > 3 ? (uint64_t)atoi(v[3]) : 0), TT_F32, 64, 64), tt_mesh(axis), "data, _");
    if (!strcmp(v[1], "save")) tt_save(v[2], w);
    if (!strcmp(v[1], "load")) tt_show(tt_all(tt_eq(tt_load(v[2], .mesh = tt_mesh(axis)), w)));
    if (!strcmp(v[1], "read")) tt_show(tt_sum(tt_shard(tt_read_csv(v[2]), tt_mesh(axis), "data")));
    return tt_done();
}
C
seq 64 | sed 's/$/,1/' >numbers.csv
compile() { cc -O1 -I"$root/include" "$1.c" -o "$2" -L"$B" -ltutti -Wl,-rpath,"$B" -lm; }
compile train train || exit 2

# ---- what is expected ----

verdict() { if [ "$2" = ok ]; then p=$((p+1)); else f=$((f+1)); echo "FAIL $lib $1: $2"; head -n 14 out err 2>/dev/null; fi; }
job() { on first env PATH="$dir/shared/$lib:$PATH" timeout -k 5 100 "$@" >out 2>err </dev/null; }
run() { job "$T" run --hosts "$hosts" "$@"; }             # as a user on the first host
# True if the status is the expected one; any: an error, but no end by timeout
fits() { if [ "$2" = any ]; then [ "$1" != 0 ] && [ "$1" != 124 ] && [ "$1" != 137 ]; else [ "$1" = "$2" ]; fi; }
# expect NAME STATUS TEXT COMMAND...: the status, and a line of stdout or stderr with the text (an extended expression)
expect() {
    name=$1; want=$2; text=$3; shift 3
    "$@"; got=$?
    if ! fits $got "$want"; then verdict "$name" "status $got, expected $want"
    elif [ -n "$text" ] && ! cat out err | grep -qE -- "$text"; then verdict "$name" "no line \"$text\""
    else verdict "$name" ok; fi
}
lines() { got=$(grep -cE -- "$3" $2); if [ "$got" = "$4" ]; then verdict "$1" ok; else verdict "$1" "$got lines \"$3\", expected $4"; fi; }
left_on() { on "$1" ps -eo args | grep -E "tutti run|/program|orted|hydra|ssh -x"; }
# left NAME [SECONDS]: neither a process of the job nor a file of it, on either host
left() {
    n=0; while [ $n -lt $((${2:-8} * 5)) ] && [ -n "$(left_on first; left_on second)" ]; do sleep 0.2; n=$((n+1)); done
    rest=$(left_on first; left_on second; ls -d tutti-run-* 2>/dev/null; for one in first second; do on $one ls /dev/shm; done)
    if [ -z "$rest" ]; then verdict "$1" ok; else verdict "$1" "left: $rest"; fi
}
# during NAME STATUS SECONDS TEXT COMMAND...: while a job of 4 trains, the command; then the end within so many seconds
during() {
    name=$1; want=$2; most=$3; text=$4; shift 4
    rm -f out err; touch out err
    (TUTTI=patience:6 run -n 4 train.c 100000000; echo $? >status) &
    n=0; until grep -q began err || [ $n -ge 300 ]; do sleep 0.1; n=$((n+1)); done
    sleep 0.3; start=$(date +%s); "$@"; wait $!
    got=$(cat status); took=$(($(date +%s) - start))
    if ! fits "$got" "$want"; then verdict "$name" "status $got, expected $want"
    elif [ $took -gt "$most" ]; then verdict "$name" "the job ended after $took s"
    elif ! grep -qE -- "$text" err; then verdict "$name" "no line \"$text\""
    else verdict "$name" ok; fi
}
signal_rank() { on second sh -c 'kill -'"$1"' $(pgrep -f "/[p]rogram" | tail -n 1)'; }
cut() { on second ip link set net0 down; }
mend() { on second ip link set net0 up; joined; }

for lib in openmpi mpich; do
    command -v mpirun.$lib >/dev/null && [ -f "$B/libtutti_mpi_$lib.so" ] || { echo "skip: $lib is not installed"; s=$((s+1)); continue; }
    mkdir $lib; printf '#!/bin/sh\nexec mpirun.%s "$@"\n' $lib >$lib/mpirun; chmod +x $lib/mpirun
    if [ $lib = openmpi ]; then format='%s slots=%d\n'; more="-x TUTTI --hostfile"; else format='%s:%d\n'; more="-f"; fi
    for k in 1 2; do printf "$format" first $k second $k >hosts.$lib.$k; done
    hosts=hosts.$lib.2

    # The recipe.
    expect "four ranks" 0 "^f32\[\] 7.99998e\+10$" run -n 4 who.c
    lines "output of rank 0 alone" out . 2
    expect "all output" 0 "^\[3\] 3 of 4 on second$" run -n 4 --all who.c
    lines "two of them on the first" out "on first$" 2
    hosts=hosts.$lib.1; expect "two ranks" 0 "^0 of 2 on first$" run -n 2 who.c; hosts=hosts.$lib.2
    one=$(TUTTI=devices:8,reproducible "$T" run train.c 2>/dev/null)
    TUTTI=reproducible expect "the bits of one process" 0 "^$one$" run -n 4 --devices 2 train.c
    expect "by the launcher itself" 0 "^$(TUTTI=devices:4,reproducible "$T" run train.c 2>/dev/null)$" \
        job env TUTTI=ranks,reproducible mpirun.$lib $more $hosts -n 4 ./train
    on first cp numbers.csv save.c /tmp
    expect "a program that one host has" 127 "rank [23]: /tmp/tutti-run-.*/program: No such file" run -n 4 /tmp/save.c save x
    left "the recipe: nothing is left"

    # Folders and files.
    rm -rf saved; expect "a save into a shared folder" 0 "" run -n 4 save.c save saved
    expect "is whole" 0 "every byte is as it was written" job "$T" ckpt verify saved
    expect "and loads" 0 "bool\[\] True" run -n 4 save.c load saved
    hosts=hosts.$lib.1; expect "in other ranks" 0 "bool\[\] True" run -n 2 --devices 3 save.c load saved; hosts=hosts.$lib.2
    expect "a save into two folders" 13 "/tmp/own.*: the folder that rank 0 has made is not visible to this rank" run -n 4 save.c save /tmp/own
    if on first ls -d /tmp/own 2>/dev/null || on second ls -d /tmp/own 2>/dev/null; then verdict "leaves no checkpoint" "there is /tmp/own"; else verdict "leaves no checkpoint" ok; fi
    for one in first second; do on $one sh -c 'rm -rf /tmp/own*; mkdir -p /tmp/own.orbax-checkpoint-tmp/writers'; done
    TUTTI=patience:6 expect "beside what is left of an earlier save" 13 "/tmp/own.*: the folder that rank 0 has made is not visible to this rank" run -n 4 save.c save /tmp/own
    on first "$T" run save.c save /tmp/two 1 2>/dev/null; on second "$T" run save.c save /tmp/two 2 2>/dev/null
    expect "two checkpoints of one name" 15 "tt_load: rank 0 has \"orbax of 1 leaves [(][0-9a-f]*[)]\", rank [23] " run -n 4 save.c load /tmp/two
    on second rm -rf /tmp/two
    expect "a checkpoint that one host has" 13 "rank [23]: error: /tmp/two: No such file" run -n 4 save.c load /tmp/two
    expect "a file that all have" 0 "^f32\[\] 2144" run -n 4 save.c read numbers.csv
    expect "a file that one host has" 13 "rank [23]: error: /tmp/numbers.csv" run -n 4 save.c read /tmp/numbers.csv
    on second sh -c 'sed "s/^7,/8,/" numbers.csv >/tmp/numbers.csv'
    expect "files that differ" 15 "differ|another value" run -n 4 save.c read /tmp/numbers.csv
    for one in first second; do on $one sh -c 'rm -rf /tmp/own* /tmp/two* /tmp/numbers.csv /tmp/save.c'; done
    for k in 1 2; do TUTTI=cache:/tmp/kernels expect "a cache of each host, run $k" 0 "^-?[0-9]" run -n 4 train.c; done

    # Ranks that are not alike.
    on first cp train /tmp/train; sed 's/0.01/0.02/' train.c >other.c; compile other other; on second cp other /tmp/train
    expect "another program there" 15 "the ranks differ: rank [0-3] is at (train|other).c" job env TUTTI=ranks mpirun.$lib $more $hosts -n 4 /tmp/train
    perl -pe 's/0\.1\.(?=f)/0.9./g' "$B/libtutti.so" >newer.so   # the text is within instructions
    cmp -s "$B/libtutti.so" newer.so && verdict "a library of another version" "cannot be made"
    on second mount --bind "$dir/shared/newer.so" "$B/libtutti.so"
    expect "another version there" 15 "version 0.9.0 of the library" run -n 4 who.c
    on second umount "$B/libtutti.so"
    on second mount -t tmpfs tmpfs "$root/src"; on second mount --bind "$dir/empty" "$T"
    expect "no tool there" any "started [012] of 4 ranks" run -n 4 who.c
    on second umount "$T"; on second umount "$root/src"
    left "other programs: nothing is left" 40

    # Faults. A rank whose connection to the killed one breaks may end before it is ended.
    during "a rank is killed" 137 10 "rank [23] was stopped by signal 9 \(Killed\); the ([23] others were|other one was) ended" signal_rank KILL
    left "killed: nothing is left"
    during "a rank is stopped" any 20 "has waited 6 s for rank.* in .*" signal_rank STOP
    left "stopped: nothing is left"
    during "the cable is cut" any 30 "error: rank [01] has waited 6 s for ranks .* in " cut
    lines "which line" err "  at   train.c:" 2
    lines "whose host" err "tutti run: the host of ranks 2, 3 does not answer" 1
    sleep 40                                             # TCP's patience
    rest=$(left_on first; on second ps -eo args | grep -E "tutti run|/program")
    if [ -z "$rest" ]; then verdict "cut: the hosts end by themselves" ok; else verdict "cut: the hosts end by themselves" "left: $rest"; fi
    mend; left "cut: nothing is left" 60
    expect "and again" 0 "^f32\[\] 7.99998e\+10$" run -n 4 who.c

    # Names that deceive: both hosts are called the same, which Open MPI itself does not survive; and processes on one
    # host that have other numbers for each other, as in containers.
    if [ $lib = mpich ]; then
        on second hostname first; expect "two hosts of one name" 0 "^f32\[\] 7.99998e\+10$" run -n 4 who.c
        on second hostname second
    fi
    printf '#!/bin/sh\ncase ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 1|3) exec unshare --pid --fork --mount-proc sh -c "(true);(true);(true);$*; exit \$?";; esac\nexec "$@"\n' >inside; chmod +x inside
    expect "ranks in containers" 0 "cannot map each other's memory" job env TUTTI=ranks,reproducible OMPI_MCA_btl=tcp,self mpirun.$lib $more $hosts -n 4 ./inside ./train
    lines "and its values" out "^-?[0-9.]*$" 4
done

# ---- the guides ----

for lib in openmpi mpich; do
    hosts=$dir/shared/hosts.$lib.2; [ -f "$hosts" ] || continue
    small="batch=32 classes=5 input=12 hidden=16 rate=0.01"
    while read -r words program arguments; do
        TUTTI=reproducible,$words "$B/examples/guides/$program" $arguments 2>err </dev/null | grep -v " per loop \|@\|^ *\[" >want
        TUTTI=reproducible run -n 4 --devices 2 "$root/examples/guides/$program.c" $arguments
        grep -v " per loop \|@\|^ *\[\|^ *rank " out | diff want - >differ && [ -s want ] && verdict "$program" ok || verdict "$program" "$(head -n 5 differ)"
    done <<L
devices:8 dp $small minibatches=2
devices:8 fsdp $small minibatches=2 min_weight_size=16
devices:8 shardmap
L
done
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
