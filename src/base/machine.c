/* base/machine.c - finds the sizes of the machine's caches. */
#include "machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

static base_machine found;
static const base_machine *_Atomic used;

/* Notes a cache of the level, if it holds data. */
static void machine_note(int level, int64_t line, int64_t bytes)
{
    if (level == 1) found.line = line, found.l1 = bytes;
    if (level == 2) found.l2 = bytes;
    if (level == 3) found.l3 = bytes;
}

#if defined __x86_64__
/* Intel's leaf 4 and AMD's leaf 0x8000001d have one format: a subleaf per cache. */
static void machine_detect(void)
{
    enum { INTEL = 4, AMD = (int)0x8000001d, INSTRUCTIONS = 2, TOPOLOGY = 1 << 22, MOST = 16 };
    unsigned a, b, c, d;
    const bool amd = __get_cpuid(0x80000001u, &a, &b, &c, &d) && c & TOPOLOGY;
    for (unsigned i = 0; i < MOST; i++) {
        if (!__get_cpuid_count(amd ? (unsigned)AMD : INTEL, i, &a, &b, &c, &d) || !(a & 31)) return;
        if ((a & 31) == INSTRUCTIONS) continue;
        const int64_t line = (b & 0xfff) + 1, ways = (b >> 22) + 1, partitions = (b >> 12 & 0x3ff) + 1;
        machine_note((int)(a >> 5 & 7), line, ways * partitions * line * ((int64_t)c + 1));
    }
}
#else
static bool machine_read(int cache, const char *what, char *to, int n)
{
    char path[96];
    base_snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", cache, what);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    const bool ok = fgets(to, n, f) != NULL;
    fclose(f);
    return ok;
}

static void machine_detect(void)
{
    enum { MOST = 16 };
    char type[24], level[24], line[24], size[24];
    for (int i = 0; i < MOST && machine_read(i, "type", type, sizeof type); i++) {
        if (!strncmp(type, "Instruction", 11) || !machine_read(i, "level", level, sizeof level) ||
            !machine_read(i, "coherency_line_size", line, sizeof line) || !machine_read(i, "size", size, sizeof size))
            continue;
        char *unit;
        const int64_t n = strtoll(size, &unit, 10);
        machine_note(atoi(level), atoi(line), *unit == 'M' ? n << 20 : *unit == 'K' ? n << 10 : n);
    }
}
#endif

static int64_t machine_plausible(int64_t n, int64_t least, int64_t most, int64_t otherwise)
{
    return n >= least && n <= most ? n : otherwise;
}

static void machine_find(void)
{
    machine_detect();
    found.line = machine_plausible(found.line, 16, 1024, BASE_CACHE_LINE);
    found.l1 = machine_plausible(found.l1, 4 << 10, 4 << 20, BASE_L1);
    found.l2 = machine_plausible(found.l2, 64 << 10, 64 << 20, BASE_L2);
    found.l3 = machine_plausible(found.l3, 256 << 10, (int64_t)16 << 30, BASE_UNCACHED);
}

const base_machine *base_machine_facts(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const base_machine *m = atomic_load_explicit(&used, memory_order_acquire);
    if (m) return m;
    pthread_once(&once, machine_find);
    atomic_store_explicit(&used, &found, memory_order_release);
    return &found;
}

void base_machine_use(const base_machine *m) { atomic_store_explicit(&used, m, memory_order_release); }

static const char *machine_size(base_arena *a, int64_t n)
{
    return n >> 20 && !(n & ((1 << 20) - 1)) ? base_format(a, "%lld MiB", (long long)(n >> 20))
                                             : base_format(a, "%lld KiB", (long long)(n >> 10));
}

const char *base_machine_report(base_arena *a)
{
    const base_machine *m = base_machine_facts();
    return base_format(a, "%s, %s, %s; lines of %lld bytes", machine_size(a, m->l1), machine_size(a, m->l2),
                       machine_size(a, m->l3), (long long)m->line);
}
