/* signals.c - signals of the program: no thread of the library takes one that is sent to the process, whatever the
 * program's threads block. */
#include "check.h"
#include "tutti.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <tutti/ckpt.h>
#include <tutti/data.h>
#include <unistd.h>

enum { BEFORE = 32 };
static char room[64] = "/tmp/tutti-signals-XXXXXX";
static pid_t known[BEFORE];                              /* threads that the library has not started */
static int nknown, seen;
static _Atomic int taking;                               /* threads of the library that take SIGUSR1 */
static _Atomic bool over;

static tt_val loss(tt_val x) { return tt_sum(tt_tanh(tt_matmul(x, x))); }

static bool is_known(pid_t thread)
{
    for (int i = 0; i < nknown; i++) if (known[i] == thread) return true;
    return false;
}

/* True if the thread is alive and takes SIGUSR1. The status of a thread that has ended, but is not gone yet, says
 * "Threads: 0" and, of no signal, that it is blocked. */
static bool takes(const char *thread)
{
    char path[300], line[200];
    unsigned long long blocked = ~0ull;
    int threads = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", thread);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Threads: %d", &threads) != 1 && sscanf(line, "SigBlk: %llx", &blocked) == 1) break;
    if (f) fclose(f);
    return threads > 0 && !(blocked >> (SIGUSR1 - 1) & 1);
}

static void look(bool first)
{
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *e; d && (e = readdir(d));) {
        const pid_t thread = (pid_t)atoi(e->d_name);
        if (thread <= 0) continue;
        if (first && nknown < BEFORE) known[nknown++] = thread;
        if (first || is_known(thread)) continue;
        seen++;
        if (takes(e->d_name)) taking++;
    }
    if (d) closedir(d);
}

static void *watches(void *unused)
{
    (void)unused;
    while (!atomic_load(&over)) look(false);
    return NULL;
}

/* Everything that starts threads. */
static void works(void)
{
    char path[100];
    const tt_val x = tt_normal(tt_key(0), TT_F32, 600, 600);
    const tt_val tree = tt_dict("a", x, "b", tt_shard(x, tt_mesh("i:8"), "i, _"));
    const tt_fn f = tt_jit(loss);
    snprintf(path, sizeof path, "%s/steps", room);
    const tt_manager m = tt_manager_open(path, .keep = 2, .background = 1);
    const tt_data rows = tt_dataset(x, .batch = 10, .ahead = 2);
    for (int i = 0; i < 3; i++) {
        tt_num(tt_call(f, x));
        tt_manager_save(m, i, tree);
        for (tt_loop l = tt_batches(rows); tt_next(&l);) tt_wait(l.batch);
    }
    tt_num(tt_sum(tt_get(tt_manager_load(m, 2), "a")));
    CHECK(tt_ok(), "%s", tt_error());
}

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    pthread_t watcher;
    char command[100], self[20];
    if (!check_folder(room)) return 1;
    snprintf(self, sizeof self, "%d", (int)getpid());
    CHECK(takes(self), "the thread of main takes signals");
    setenv("TUTTI", "workers:4", 1);
    if (pthread_create(&watcher, NULL, watches, NULL)) return 1;
    usleep(100000);
    atomic_store(&over, true);                           /* threads of a sanitizer have begun, too */
    pthread_join(watcher, NULL);
    look(true);
    atomic_store(&over, false), atomic_store(&taking, 0), seen = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const bool started = !pthread_create(&watcher, NULL, watches, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    works();
    atomic_store(&over, true);
    if (started) pthread_join(watcher, NULL);
    CHECK(started && seen > 10, "threads of the library were seen %d times", seen);
    CHECK(!atomic_load(&taking), "of %d threads that were seen %d take the program's signals", seen,
          atomic_load(&taking));
    /* The program waits for its signals, which one of its threads must take. */
    sigemptyset(&all), sigaddset(&all, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    if (!atomic_load(&taking)) kill(getpid(), SIGUSR1);
    CHECK(sigtimedwait(&all, NULL, &(struct timespec){ 5, 0 }) == SIGUSR1, "a thread of the library took it");
    snprintf(command, sizeof command, "rm -rf %s", room);
    CHECK(system(command) == 0, "%s stays", room);
    tt_done();
    return check_done();
}
