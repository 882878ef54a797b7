/* gen/llvm/queue.c - the plug-in's door: a tape that is asked for is compiled once, by a thread of its own; equal tapes share
 * what comes out. Until then, and where it cannot be done, the interpreter computes the same bits.
 *
 * The thread begins with the first tape and ends with the process: exit waits for the kernel in the making, because LLVM
 * must not be taken down under it. TUTTI=llvm:now: whoever asks waits; TUTTI=llvm:say: a line per kernel. */
#include "llvm.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const gen_host *llvm_host;

typedef struct entry {                                   /* lives for ever */
    struct entry *next;
    gen_fused fused;
    char *text;
    bool done;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static entry *list, *last;                               /* in the order of asking */
static bool begun, stopping;
static enum { UNKNOWN, OPEN, CLOSED } state;             /* of LLVM, and why not */
static const char *trouble;
static const gen_fused usable;
static pthread_t thread;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(const entry *e, double start, const char *why)
{
    const char *word = llvm_host->word("llvm");
    if (!word || (!why && !strcmp(word, "now"))) return;
    if (!strcmp(word, "text")) llvm_host->say("%s", e->text);
    llvm_host->say("llvm: %zu characters in %.1f ms%s%s", strlen(e->text), 1e3 * (seconds() - start), why ? ": " : "", why ? why : "");
}

static void stop(void)                                   /* at exit; twice does no harm */
{
    pthread_mutex_lock(&lock);
    const bool wait = begun && !stopping;
    stopping = true;
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&lock);
    if (wait) pthread_join(thread, NULL);
}

static void compile(entry *e)
{
    const double start = seconds();
    const char *why = trouble;
    gen_fused_loop *loop = state == OPEN ? llvm_compile(e->text, &why) : NULL;
    atomic_store_explicit(&e->fused.loop, loop, memory_order_release);
    say(e, start, loop ? NULL : why);
}

static void *work(void *unused)
{
    const char *why = NULL;
    const bool open = llvm_open(&why);
    entry *e = NULL;                                     /* the last one that was compiled */
    (void)unused;
    atexit(stop);                                        /* behind LLVM's own, so that it comes before them */
    pthread_mutex_lock(&lock);
    state = open ? OPEN : CLOSED, trouble = why;
    pthread_cond_broadcast(&change);
    while (!stopping) {
        entry *next = e ? e->next : list;
        if (!next) {
            pthread_cond_wait(&change, &lock);
            continue;
        }
        pthread_mutex_unlock(&lock);
        compile(e = next);
        pthread_mutex_lock(&lock);
        e->done = true;
        pthread_cond_broadcast(&change);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* With the lock held. Signals stay with the program's own threads. */
static bool begin(void)
{
    sigset_t all, before;
    if (begun) return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    begun = !pthread_create(&thread, NULL, work, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

static entry *find_or_add(char *text)                    /* with the lock held; takes the text */
{
    for (entry *e = list; e; e = e->next) if (!strcmp(e->text, text)) return free(text), e;
    entry *e = calloc(1, sizeof *e);
    if (!e) return free(text), NULL;
    e->text = text;
    if (last) last->next = e;
    else list = e;
    last = e;
    pthread_cond_broadcast(&change);
    return e;
}

static const gen_fused *ready(const char **why)          /* waits until LLVM is open */
{
    pthread_mutex_lock(&lock);
    const bool can = begin();
    while (can && state == UNKNOWN && !stopping) pthread_cond_wait(&change, &lock);
    *why = trouble ? trouble : "no thread could be started for it";
    const bool open = state == OPEN;
    pthread_mutex_unlock(&lock);
    return open ? &usable : NULL;
}

static const gen_fused *request(const gen_tile_code *c, const char **why)
{
    const char *word = llvm_host->word("llvm");
    if (!c) return ready(why);
    char *text = llvm_text(c, why);
    if (!text) {
        if (word) llvm_host->say("llvm: left to the interpreter: %s", *why);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    entry *e = find_or_add(text);
    if (e && !begin()) e = NULL;
    while (e && word && !strcmp(word, "now") && !e->done && !stopping) pthread_cond_wait(&change, &lock);
    pthread_mutex_unlock(&lock);
    *why = "no memory or no thread for it";
    return e ? &e->fused : NULL;
}

__attribute__((visibility("default"))) gen_fuser tutti_fuser;
gen_fuse_fn *tutti_fuser(uint32_t abi, const gen_host *h, const char **why)
{
    if (abi != GEN_ABI) {
        *why = "it was built for another version";
        return NULL;
    }
    llvm_host = h;
    atexit(stop);
    return request;
}
