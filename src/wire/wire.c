/* wire/wire.c - small messages of all ranks, over an engine: waiting with a deadline, gathering, broadcasting, meeting.
 *
 * All ranks call these functions in one order, each from the thread that launches. A wait polls: the thread yields,
 * since ranks may share a processor. */
#include "wire.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static const wire_engine *engine;                        /* NULL: one process */
static double patience = WIRE_PATIENCE;

void wire_use(const wire_engine *e) { engine = e; }
const wire_engine *wire_now(void) { return engine; }
int wire_rank(void) { return engine ? engine->me : 0; }
int wire_ranks(void) { return engine ? engine->ranks : 1; }
void wire_set_patience(double seconds) { patience = seconds; }
double wire_patience(void) { return patience; }

static void name_missing(base_site site, uint32_t post, const char *what)
{
    enum { NAMED = 8 };
    int rank[NAMED];
    const int n = engine->missing(post, NAMED, rank);
    char list[16 * NAMED] = "";
    size_t at = 0;
    for (int i = 0; i < n; i++)
        at += (size_t)base_snprintf(list + at, sizeof list - at, "%s%d", i ? ", " : "", rank[i]);
    base_fail(TT_ERANK, site, "rank %d has waited %.0f s for %s %s%s in %s", engine->me, patience,
              n == 1 ? "rank" : "ranks", n ? list : "that receive", n == NAMED ? ", ..." : "", what);
    base_hint("a rank has ended, stands still, or does not make this call; TUTTI=patience:N waits N seconds");
}

bool wire_wait(base_site site, uint32_t post, const char *what)
{
    /* polls before the first yield; polls between looks at the clock */
    enum { SPINS = 1000, LOOKS = 64 };
    double since = 0;
    for (uint64_t i = 0;; i++) {
        const char *why = NULL;
        const int done = engine->done(post, &why);
        if (done > 0) return true;
        if (done < 0) return base_fail(TT_ERANK, site, "rank %d, %s: %s", engine->me, what, why);
        if (i < SPINS) continue;
        sched_yield();
        if (i % LOOKS) continue;
        const double now = base_seconds();
        if (!since) since = now;
        if (now - since < patience) continue;
        name_missing(site, post, what);
        return false;
    }
}

bool wire_exchange(base_site site, int nrecv, const wire_part *recv, int nsend, const wire_part *send, const char *what)
{
    const char *why = NULL;
    const uint32_t post = engine->post(nrecv, recv, nsend, send, &why);
    if (!post) return base_fail(TT_ERANK, site, "rank %d, %s: %s", engine->me, what, why);
    return wire_wait(site, post, what);
}

bool wire_gather(base_site site, const void *mine, int64_t bytes, void *all, const char *what)
{
    const int n = wire_ranks(), me = wire_rank();
    memcpy((char *)all + me * bytes, mine, (size_t)bytes);
    if (n == 1) return true;
    wire_part *part = base_heap(2 * (size_t)n * sizeof *part);
    if (!part) return false;
    int k = 0;
    for (int r = 0; r < n; r++) {
        if (r == me) continue;
        part[k] = (wire_part){ r, (char *)all + r * bytes, bytes };
        part[n + k++] = (wire_part){ r, (char *)all + me * bytes, bytes };
    }
    const bool good = wire_exchange(site, k, part, k, part + n, what);
    base_heap_free(part);
    return good;
}

/* A binomial tree rooted at `from`: with ranks counted from it, rank r receives from r without its highest bit. */
bool wire_broadcast(base_site site, int from, void *at, int64_t bytes, const char *what)
{
    const int n = wire_ranks(), me = (wire_rank() - from + n) % n;
    int bit = 1;
    while (bit <= me) bit *= 2;
    if (me) {
        const wire_part source = { (me - bit / 2 + from) % n, at, bytes };
        if (!wire_exchange(site, 1, &source, 0, NULL, what)) return false;
    }
    for (; me + bit < n; bit *= 2) {
        const wire_part target = { (me + bit + from) % n, at, bytes };
        if (!wire_exchange(site, 0, NULL, 1, &target, what)) return false;
    }
    return true;
}

bool wire_meet(base_site site, const char *name)
{
    enum { TEXT = 256 };
    const int n = wire_ranks();
    char mine[TEXT] = "", *all;
    if (n == 1) return true;
    base_snprintf(mine, sizeof mine, "%s at %s", name, site ? site : "an unknown line");
    if (!(all = base_heap((size_t)n * TEXT))) return false;
    bool good = wire_gather(site, mine, TEXT, all, name);
    for (int r = 0; good && r < n; r++) {
        all[r * TEXT + TEXT - 1] = '\0';
        if (!strcmp(all + r * TEXT, mine)) continue;
        base_fail(TT_ERANK, site, "rank %d is at \"%s\", rank %d at \"%s\"", wire_rank(), mine, r, all + r * TEXT);
        base_hint("all ranks make the same calls in the same order");
        good = false;
    }
    base_heap_free(all);
    return good;
}
