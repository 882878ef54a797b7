/* slab.c - blocks of middle size: none overlaps another, each keeps what was written, and nothing stays mapped when
 * the last is freed; also from several threads, and in a forked process. */
#include "base/base.h"
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 120, TURNS = 3000, THREADS = 4 };
typedef struct { uint8_t *p; size_t n; uint8_t mark; } block;
typedef struct { uint32_t draw; int bad; } work;

static uint32_t draw(uint32_t *x) { return (*x = *x * 1664525 + 1013904223) >> 8; }

static int64_t kilobytes(const char *field)
{
    char line[200];
    long long n = -1;
    FILE *const f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, field, strlen(field))) n = strtoll(line + strlen(field), NULL, 10);
    if (f) fclose(f);
    return n;
}

static bool holds(const block *b)
{
    for (size_t i = 0; i < b->n; i += 512) if (b->p[i] != b->mark) return false;
    return b->p[b->n - 1] == b->mark;
}

/* Blocks of 1 KB to 2.1 MB, drawn; most are of middle size. */
static void *turns(void *env)
{
    work *const w = env;
    static _Thread_local block all[BLOCKS];
    memset(all, 0, sizeof all);
    for (int t = 0; t < TURNS + BLOCKS; t++) {
        block *const b = &all[t < TURNS ? draw(&w->draw) % BLOCKS : (uint32_t)(t - TURNS)];
        if (b->p) w->bad += !holds(b), base_pages_free(b->p, b->n), b->p = NULL;
        else if (t < TURNS) {
            const uint32_t kind = draw(&w->draw) % 10;
            b->n = kind ? 30000 + draw(&w->draw) % (kind == 1 ? 2100000 : 300000) : 1000 + draw(&w->draw) % 9000;
            b->mark = (uint8_t)draw(&w->draw);
            b->p = base_pages(b->n);
            if (!b->p || (uintptr_t)b->p % BASE_CACHE_LINE) return w->bad++, NULL;
            for (size_t i = 0; i < b->n; i += 512) b->p[i] = b->mark;
            b->p[b->n - 1] = b->mark;
        }
    }
    return NULL;
}

static void alone(void)
{
    const size_t live = base_live_bytes();
    work w = { 1, 0 };
    turns(&w);
    const int64_t before = kilobytes("VmSize:");
    turns(&w), turns(&w);
    CHECK(!w.bad, "%d blocks are not what was written", w.bad);
    CHECK(base_live_bytes() == live, "%zu bytes live, before %zu", base_live_bytes(), live);
    if (CHECK_SANITIZED) {
        CHECK_SKIP("the process's memory is a sanitizer's");
        return;
    }
    CHECK(kilobytes("VmSize:") <= before + 1024, "%lld KiB mapped, before %lld", (long long)kilobytes("VmSize:"),
          (long long)before);
}

static void together(void)
{
    pthread_t thread[THREADS];
    work w[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (work){ (uint32_t)i + 7, 0 };
        CHECK(!pthread_create(&thread[i], NULL, turns, &w[i]), "a thread");
    }
    if (CHECK_SANITIZED) CHECK_SKIP("a forked process may wait for a lock of the sanitizer's own memory");
    for (int k = 0; k < (CHECK_SANITIZED ? 0 : 5); k++) {/* while the threads hold the lock, or do not */
        const int child = fork();
        if (!child) {
            work own = { 3, 0 };
            turns(&own);
            _exit(own.bad != 0);
        }
        int status = 1;
        if (child > 0) waitpid(child, &status, 0);
        CHECK(child > 0 && !status, "in a forked process: %d", status);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(!w[i].bad, "thread %d: %d blocks", i, w[i].bad);
    }
}

/* As many as a model has. */
static void many(void)
{
    enum { MANY = 100, BYTES = 300 << 10 };
    static void *p[MANY];
    const size_t live = base_live_bytes();
    for (int i = 0; i < MANY; i++) p[i] = base_pages(BYTES);
    bool good = true;
    for (int i = 0; i < MANY; i++) good = good && p[i];
    for (int i = 0; good && i < MANY; i++) memset(p[i], i, BYTES);
    for (int i = 0; good && i < MANY; i++) good = *((uint8_t *)p[i] + BYTES - 1) == i;
    CHECK(good, "the blocks are apart");
    for (int i = 0; i < MANY; i++) base_pages_free(p[i], BYTES);
    CHECK(base_live_bytes() == live, "%zu bytes", base_live_bytes());
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(alone());
    CHECK_RUN(together());
    CHECK_RUN(many());
    return check_done();
}
