/* run/there_needs.c - memory as an engine's library counts it: what a program needs of a device, and what the devices
 * have. For tutti plan, TUTTI=memory, and errors about memory.
 *
 *     by the count of cpu's library a device needs
 *       arguments     12.3 MiB
 *       results        4.0 KiB, and 12.0 MiB in the place of donated arguments
 *       temporaries    3.5 MiB
 *       code          80.0 KiB
 *       in all        15.9 MiB
 *     devices of cpu: their library does not tell their memory
 */
#include "there.h"

#include <string.h>

static int64_t in_all(const run_needs *n)
{
    return n->peak >= 0 ? n->peak : n->arguments + n->results - n->reused + n->temporary + n->code;
}

/* The device that has the least left, or the most in use. */
static run_device_memory fullest(run_engine *e, int *device)
{
    run_device_memory worst = { -1, -1, -1 };
    for (int d = 0; d < e->devices; d++) {
        const run_device_memory m = e->memory(e, d);
        const bool first = worst.used < 0;
        if (m.used < 0 || (!first && m.limit - m.used >= worst.limit - worst.used)) continue;
        worst = m, *device = d;
    }
    return worst;
}

static const char *devices_text(base_arena *a, run_engine *e)
{
    int d = 0;
    const run_device_memory m = fullest(e, &d);
    base_text t = { .arena = a };
    if (m.used < 0)
        return base_format(a, "devices of %s: their library does not tell their memory", e->platform);
    base_appendf(&t, "device %d of %s has %s in use", d, e->platform, base_bytes_text(a, (double)m.used));
    if (m.limit >= 0) base_appendf(&t, " of %s", base_bytes_text(a, (double)m.limit));
    if (m.peak >= 0) base_appendf(&t, ", at most %s so far", base_bytes_text(a, (double)m.peak));
    return t.s;
}

static void put_needs(base_text *t, const char *what, int64_t bytes, const char *more)
{
    base_appendf(t, "  %-11s %11s%s\n", what, base_bytes_text(t->arena, (double)bytes), more);
}

static void put_program(base_text *t, run_engine *e, void *program)
{
    const char *why = "";
    run_needs n;
    if (!e->needs(e, program, &n, &why)) {
        base_appendf(t, "%s's library does not tell what the program needs: %s\n", e->platform, why);
        return;
    }
    base_appendf(t, "by the count of %s's library a device needs\n", e->platform);
    put_needs(t, "arguments", n.arguments, "");
    put_needs(t, "results", n.results - n.reused, n.reused ? base_format(t->arena, ", and %s in the place of donated "
              "arguments", base_bytes_text(t->arena, (double)n.reused)) : "");
    put_needs(t, "temporaries", n.temporary, "");
    put_needs(t, "code", n.code, "");
    put_needs(t, n.peak >= 0 ? "at its peak" : "in all", in_all(&n), "");
}

const char *run_needs_text(base_arena *a, run_engine *e, const run_program *p, const mesh *m, const char *text)
{
    base_text t = { .arena = a };
    const int64_t devices = m ? mesh_size(m) : 1;
    const char *why = "";
    void *program = p ? run_program_there(p) : NULL;
    if (!p && devices > e->devices)
        base_appendf(&t, "%s's library was not asked: it has %d devices, not %lld\n", e->platform, e->devices,
                     (long long)devices);
    else if (!p) {
        const run_source s = { text, strlen(text), (int)devices, m ? m->order : NULL };
        program = run_there_program(e, &s, &why);
        if (!program) base_appendf(&t, "%s's library does not compile the program: %s\n", e->platform, why);
    }
    if (program) put_program(&t, e, program);
    if (program && !p) e->forget(e, program);
    base_appendf(&t, "%s\n", devices_text(a, e));
    return t.s;
}

void run_cite_needs(run_engine *e, void *program)
{
    const char *why;
    run_needs n;
    base_arena *const a = base_open();
    if (program && e->needs(e, program, &n, &why))
        base_also(NULL, "the program needs %s of a device: %s of arguments, %s of results, %s of temporaries",
                  base_bytes_text(a, (double)in_all(&n)), base_bytes_text(a, (double)n.arguments),
                  base_bytes_text(a, (double)(n.results - n.reused)), base_bytes_text(a, (double)n.temporary));
    else if (program) base_also(NULL, "the library does not tell what the program needs: %s", why);
    else base_also(NULL, "%s", devices_text(a, e));
    base_close(a);
}
