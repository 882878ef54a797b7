/* gen/llvm/queue.c - the plug-in's entry point: a requested scalar program is compiled once, by threads of the plug-in;
 * equal scalar programs share the compiled loop. Until the loop is compiled, and if it cannot be compiled, the
 * interpreter computes the same bits.
 *
 * A thread is started when a kernel waits and no thread is idle, up to the number of processors; each thread searches
 * the cache first, and opens LLVM only for a kernel that is not there. The threads end with the process: exit waits for
 * kernels that are being compiled, because LLVM must not be torn down under them (see tutti_end). A forked process
 * starts with the kernels that its parent had compiled.
 * - TUTTI=llvm:now: a request waits for its kernel.
 * - TUTTI=llvm:log: logs a line per kernel, and their totals. TUTTI=time logs the totals too. */
#include "llvm.h"
#include "../../base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const gen_host *llvm_host;
llvm_tally llvm_counts;

typedef struct entry {                                   /* never freed */
    struct entry *next;
    gen_fused fused;
    char *text, *name;
    bool done;
} entry;

enum { MOST = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, opening = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static entry *list, *last, *todo;                        /* in order of request; todo: the first not yet taken */
static bool stopping;
static int threads, idle, waiting;                       /* waiting: kernels not yet taken by a thread */
static pthread_t thread[MOST];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(enum { UNKNOWN, OPEN, CLOSED }) state;    /* of LLVM; trouble: why it is CLOSED */
static const char *trouble;
static const gen_fused usable;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- start and end ---- */

static void stop(void)                                   /* at exit; a second call does no harm */
{
    pthread_mutex_lock(&lock);
    const int n = stopping ? 0 : threads;
    stopping = true;
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) pthread_join(thread[i], NULL);
    const char *word = llvm_host->option("llvm");
    if (n && (llvm_host->option("time") || (word && strcmp(word, "now"))))
        llvm_host->log("llvm: %d kernels compiled, %d from the cache, %d damaged there, %d could not be kept there",
                       llvm_counts.compiled, llvm_counts.found, llvm_counts.damaged, llvm_counts.unwritten);
}

/* Exit handlers that LLVM registers while it compiles run before `stop`, which was registered earlier. So the core
 * calls tutti_end when its main thread begins to exit. For an exit of another thread, `stop` is registered once more
 * after each kernel, which does not cover handlers that LLVM registers during the first kernels. */
__attribute__((visibility("default"))) void tutti_end(void);
void tutti_end(void) { stop(); }

/* A forked process has none of the parent's threads, and its copy of LLVM may be in the middle of a compilation. */
static void before_fork(void) { pthread_mutex_lock(&opening), pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock), pthread_mutex_unlock(&opening); }
static void in_child(void)
{
    const bool busy = threads > idle;
    in_parent();
    pthread_cond_init(&change, NULL);
    for (entry *e = busy ? list : NULL; e; e = e->next) e->done = true;
    if (busy) {
        if (state != CLOSED) trouble = "this process was forked while kernels were compiled";
        state = CLOSED;
        todo = NULL;
        waiting = 0;
    }
    threads = idle = 0;
}

static void queue_first(void)
{
    llvm_cache_open();
    pthread_atfork(before_fork, in_parent, in_child);
}

/* True if LLVM is open. The first call opens it. */
static bool queue_opened(const char **why)
{
    static llvm_message message;
    llvm_found found = { "", "" };
    if (state == UNKNOWN) {
        pthread_mutex_lock(&opening);
        if (state == UNKNOWN) {
            const bool open = llvm_open(&message, &found, &trouble);
            atexit(stop);                                /* after LLVM's own handlers, so that `stop` runs first */
            if (open) llvm_cache_knows(&found);
            state = open ? OPEN : CLOSED;
        }
        pthread_mutex_unlock(&opening);
    }
    if (state != OPEN) *why = trouble;
    return state == OPEN;
}

/* ---- the threads ---- */

static void queue_log(const entry *e, double start, bool found, const char *why)
{
    const char *word = llvm_host->option("llvm");
    if (!word || (!why && !strcmp(word, "now"))) return;
    if (!strcmp(word, "text")) llvm_host->log("%s", e->text);
    llvm_host->log("llvm: %s: %zu characters, %s %.1f ms%s%s", e->name, strlen(e->text),
                   found ? "found in" : "compiled in", 1e3 * (seconds() - start), why ? ": " : "", why ? why : "");
}

static void build(entry *e)
{
    const double start = seconds();
    llvm_message message;
    const char *why = NULL;
    llvm_code code = { 0 };
    gen_fused_loop *loop = NULL;
    bool found = llvm_cache_find(e->text, &code), made = false;
    if (!found && queue_opened(&why)) found = llvm_cache_find(e->text, &code); /* now that LLVM's version is known */
    if (!found && state == OPEN) made = llvm_compile(e->text, &code, &message, &why);
    char *const at = found || made ? llvm_map(&code, &why) : NULL, *const entry = at ? at + code.entry : NULL;
    memcpy(&loop, &entry, sizeof loop);
    if (made) atexit(stop), llvm_cache_keep(e->text, &code);
    if (loop) {
        (found ? llvm_counts.found++ : llvm_counts.compiled++);
        pthread_mutex_lock(&lock);
        llvm_name(at, &code, e->name);
        pthread_mutex_unlock(&lock);
    }
    atomic_store_explicit(&e->fused.loop, loop, memory_order_release);
    queue_log(e, start, found, loop ? NULL : why);
    free(code.at);
}

static void *queue_work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stopping) {
        entry *e = todo;
        if (!e) {
            idle++;
            pthread_cond_wait(&change, &lock);
            idle--;
            continue;
        }
        todo = e->next, waiting--;
        pthread_mutex_unlock(&lock);
        build(e);
        pthread_mutex_lock(&lock);
        e->done = true;
        pthread_cond_broadcast(&change);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int most_threads(void)
{
    const char *word = llvm_host->option("workers");
    const long n = word ? atol(word) : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MOST ? MOST : (int)n;
}

/* With the lock held. Starts a thread if more kernels wait than threads are idle; true if there is a thread. */
static bool queue_begin(void)
{
    if (waiting <= idle || threads == most_threads()) return threads > 0;
    if (!base_thread_start(&thread[threads], queue_work, NULL)) threads++;
    return threads > 0;
}

/* ---- requests ---- */

static entry *find_or_add(char *text, const char *name)  /* with the lock held; takes ownership of text */
{
    for (entry *e = list; e; e = e->next) if (!strcmp(e->text, text)) return free(text), e;
    entry *e = calloc(1, sizeof *e);
    char *own = e ? strdup(name) : NULL;
    if (!own) return free(text), free(e), NULL;
    e->text = text, e->name = own;
    if (last) last->next = e;
    else list = e;
    last = e;
    if (!todo) todo = e;
    waiting++;
    pthread_cond_broadcast(&change);
    return e;
}

static const gen_fused *request(const gen_tile_code *c, const char **why)
{
    const char *word = llvm_host->option("llvm");
    pthread_once(&once, queue_first);
    if (!c) return queue_opened(why) ? &usable : NULL;
    char *text = llvm_text(c, why), name[256];
    if (!text) {
        if (word) llvm_host->log("llvm: left to the interpreter: %s", *why);
        return NULL;
    }
    snprintf(name, sizeof name, "%s%s%s", c->name ? c->name : "loop", c->site ? ", " : "", c->site ? c->site : "");
    pthread_mutex_lock(&lock);
    entry *e = stopping ? NULL : find_or_add(text, name);
    if (stopping) free(text);
    if (e && !e->done && !queue_begin()) e = NULL;
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
