/* exit.c - the end of a process while saves go on behind it: main returns at once, without tt_done; several
 * savers; exit(3) from a thread that began none of them; a thread that ends before its save. Each checkpoint is whole
 * afterwards, and what a saver failed at is told and becomes the status. A fork waits for nobody. Each process here is
 * a fork of one that has never called the library. */
#include "check.h"

#include "attack/calls.h"

#include <pthread.h>
#include <sys/wait.h>
#include <tutti.h>

#ifdef __SANITIZE_ADDRESS__
/* The search for leaks takes a lock of the sanitizer's allocator, which a saver may hold at the moment of a fork: then
 * the child would wait for ever at its exit. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
#endif

enum { SAVERS = 4, SLOW = 150000 };                      /* microseconds that each first call of a save waits */
static char dir[64] = "/tmp/tutti-exit-XXXXXX";

static const char *root(int i)
{
    static _Thread_local char path[128];
    snprintf(path, sizeof path, "%s/%d", dir, i);
    return path;
}

static tt_val tree_of(int i)
{
    return tt_dict("w", tt_full(i + 1, TT_F32, 300, 40), "b", tt_full(i + 1, TT_F32, 7));
}

static void slowly(const char *what, int fd, const char *path, const char *to, const void *p, size_t n)
{
    (void)fd, (void)to, (void)p, (void)n;
    if (!strcmp(what, "made") && path && strstr(path, "_METADATA")) usleep(SLOW);
}

static _Atomic int begun;                                /* saves, in this process */

/* Begins a save that is far from its end when this returns. */
static void begin(int i)
{
    tt_manager_save(tt_manager_open(root(i), .background = 1), 1, tree_of(i));
    begun++;
}

/* Waits until so many saves have begun, however late their threads run. */
static void all_begun(int savers) { while (begun < savers) usleep(1000); }

static void *begin_here(void *p)
{
    begin((int)(intptr_t)p);
    return NULL;
}
static void *begin_and_stay(void *p)
{
    begin((int)(intptr_t)p);
    for (;;) pause();
    return NULL;
}
static void *end_all(void *p)
{
    usleep(10000);
    exit(*(int *)p);
    return NULL;
}

static void thread(void *(*f)(void *), void *p)
{
    pthread_t t;
    if (pthread_create(&t, NULL, f, p) || pthread_detach(t)) _exit(98);
}

/* ---- how a process ends ---- */

static void returns(void) { begin(0); }
static void several(void) { for (int i = 0; i < SAVERS; i++) begin(i); }
static void by_another(void)
{
    static int status;
    several();
    thread(end_all, &status);
    for (;;) pause();
}
static void while_others_live(void)
{
    for (int i = 0; i < SAVERS; i++) thread(begin_and_stay, (void *)(intptr_t)i);
    all_begun(SAVERS);                                   /* none is at its end */
}
static void after_threads(void)
{
    for (int i = 0; i < SAVERS; i++) thread(begin_here, (void *)(intptr_t)i);
    all_begun(SAVERS);
    usleep(50000);                                       /* their scopes are closing, which waits */
}
static void after_done(void)
{
    thread(begin_and_stay, (void *)(intptr_t)0);
    all_begun(1);
    if (tt_done()) _exit(97);
}
static void forks(void)                                  /* the child's end is not the saver's */
{
    begin(0);
    const pid_t child = fork();
    if (!child) {
        alarm(60);                                       /* a child that waits does so for ever: it has no saver */
        exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status) _exit(96);
}

/* Runs f in a process that ends by exit(0), as a main that returns 0; its status, or 1000 + a signal. said: its lines
 */
static int ends(void (*f)(void), char *said, size_t capacity)
{
    int fd[2], status = 0;
    size_t n = 0;
    fflush(stdout);
    if (pipe(fd)) return -1;
    const pid_t pid = fork();
    if (!pid) {
        dup2(fd[1], 2);
        alarm(60);                                       /* an end that waits for ever */
        calls_heard = slowly;
        f();
        exit(0);
    }
    close(fd[1]);
    for (ssize_t got; n + 1 < capacity && (got = read(fd[0], said + n, capacity - n - 1)) > 0;) n += (size_t)got;
    said[n] = '\0';
    close(fd[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static bool whole(int i)
{
    const tt_manager m = tt_manager_open(root(i));
    if (tt_manager_newest(m) != 1 || !tt_ckpt_verify(tt_manager_path(m, 1), NULL)) return false;
    const tt_val t = tt_manager_load(m, 1);
    return tt_num(tt_sum(tt_get(t, "w"))) == 12000. * (i + 1) && tt_num(tt_sum(tt_get(t, "b"))) == 7. * (i + 1);
}

static int found(int savers)                             /* how many of their checkpoints are whole */
{
    int status = 0, n = 0;
    const pid_t pid = fork();
    if (!pid) {
        for (int i = 0; i < savers; i++) n += whole(i), tt_clear();
        _exit(n);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ending(const char *name, void (*f)(void), int savers)
{
    static char said[1 << 14];
    for (int i = 0; i < SAVERS; i++) {
        char line[200];
        snprintf(line, sizeof line, "rm -rf %s", root(i));
        if (system(line)) CHECK(false, "%s stays", root(i));
    }
    const int status = ends(f, said, sizeof said);
    CHECK(status == 0, "%s: it ended with %d: %s", name, status, said);
    const int n = found(savers);
    CHECK(n == savers, "%s: %d of %d checkpoints are whole", name, n, savers);
}

/* The step is there already, which its saver finds out when nobody listens. */
static void told(const char *name, void (*f)(void), int times)
{
    static char said[1 << 14];
    const int status = ends(f, said, sizeof said);
    int n = 0;
    for (const char *s = said; (s = strstr(s, "is there already")); s++) n++;
    CHECK(status > 0 && status < 96 && n == times, "%s: status %d, told %d times: %s", name, status, n, said);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    if (!check_folder(dir)) return 1;
    CHECK_RUN(ending("main returns", returns, 1));
    CHECK_RUN(ending("several savers", several, SAVERS));
    CHECK_RUN(told("several that fail", several, 1));
    CHECK_RUN(ending("exit from another thread", by_another, SAVERS));
    CHECK_RUN(told("and they fail", by_another, 1));
    CHECK_RUN(ending("threads that live on", while_others_live, SAVERS));
    CHECK_RUN(told("and they fail", while_others_live, 1));
    CHECK_RUN(ending("threads that end", after_threads, SAVERS));
    CHECK_RUN(ending("a thread after tt_done", after_done, 1));
    CHECK_RUN(ending("a fork", forks, 1));
    return check_done();
}
