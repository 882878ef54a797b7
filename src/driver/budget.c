/* driver/budget.c - memory and communication of one device under a plan, as text, for TUTTI=memory and tutti plan.
 *
 *     plan train on data:4096, model:16: 65536 devices, 3 kernels
 *     memory of a device, at most
 *       arguments     12.3 MiB
 *       results        4.0 KiB, and 12.0 MiB in the place of donated arguments
 *       arena          3.5 MiB
 *       in all        15.9 MiB
 *     the arena at its peak, 3.1 MiB, at
 *       mlp.c:32: tt_call(...)
 *          2.0 MiB  mlp.c:9: tt_relu(...)
 *     communication of a device
 *       2 all-reduce over data                      12.0 MiB      1.2 ms
 *       in all                                      12.0 MiB      1.2 ms
 *
 * Nothing here iterates over devices. Sizes are those of the largest shard, and the time is the cost model's. */
#include "inner.h"

enum { LINES = 8, WIDE = 80 };

static void put_bytes(base_text *t, const char *what, int64_t bytes, const char *more)
{
    base_appendf(t, "  %-10s %11s%s\n", what, driver_bytes_text(t->arena, (double)bytes), more);
}

static void put_memory(base_text *t, const run_memory *m)
{
    base_arena *a = t->arena;
    base_appendf(t, "memory of a device, at most\n");
    put_bytes(t, "arguments", m->arguments, "");
    put_bytes(t, "results", m->results,
              m->reused ? base_format(a, ", and %s in the place of donated arguments",
                                      driver_bytes_text(a, (double)m->reused))
                        : "");
    if (m->constants) put_bytes(t, "constants", m->constants, "");
    put_bytes(t, "arena", m->arena, "");
    put_bytes(t, "in all", m->peak, "");
    if (!m->nline) return;
    base_appendf(t, "the arena at its peak, %s, at\n  %s\n", driver_bytes_text(a, (double)m->live),
                 driver_truncate(a, m->site, WIDE - 2));
    for (int i = 0; i < m->nline && i < LINES; i++)
        base_appendf(t, "  %10s  %s\n", driver_bytes_text(a, (double)m->line[i].bytes),
                     m->line[i].site || !m->line[i].name ? driver_truncate(a, m->line[i].site, WIDE - 14)
                                                     : base_format(a, "(%s)", m->line[i].name));
    if (m->nline > LINES) base_appendf(t, "  and %d more lines\n", m->nline - LINES);
}

static void put_move(base_text *t, const char *what, double bytes, double seconds)
{
    base_appendf(t, "  %-40s %11s %11s\n", what, driver_bytes_text(t->arena, bytes),
                 driver_time_text(t->arena, seconds));
}

/* Writes one line per kind of exchange and set of atoms. */
static void put_moves(base_text *t, const driver_lowered *v)
{
    base_arena *a = t->arena;
    const spmd_report *r = &v->report;
    bool *done = BASE_NEW(a, bool, r->n + 1);
    const driver_sum s = driver_sum_of(r);
    if (!s.moving) {
        base_appendf(t, "communication: none\n");
        return;
    }
    base_appendf(t, "communication of a device%s\n", s.open ? ", loops of unknown length counted once" : "");
    for (int i = 0; i < r->n; i++) {
        const spmd_note *n = &r->note[i];
        int64_t count = 0;
        double bytes = 0, seconds = 0, between = 0, between_seconds = 0;
        for (int k = i; k < r->n && n->kind != SPMD_SLICE; k++) {
            const spmd_note *x = &r->note[k];
            const int64_t times = x->times > 0 ? x->times : 1;
            if (done[k] || x->kind != n->kind || x->over != n->over) continue;
            done[k] = true;
            count += times;
            bytes += (double)x->moved * (double)times;
            seconds += x->seconds * (double)times;
            between += (double)x->between * (double)times;
            between_seconds += x->between_seconds * (double)times;
        }
        if (!count) continue;
        const char *what = base_format(a, "%lld %s over %s", (long long)count, spmd_kind_name[n->kind],
                                       mesh_set_text(a, v->fn->mesh, n->over));
        put_move(t, what, bytes, seconds);
        if (between > 0) put_move(t, "  of them from other hosts", between, between_seconds);
    }
    put_move(t, "in all", s.received, s.seconds);
    if (s.between > 0) put_move(t, "  of them from other hosts", s.between, s.between_seconds);
}

const char *driver_budget_text(base_arena *a, const driver_lowered *v)
{
    base_text t = { .arena = a };
    run_memory m;
    run_memory_of(a, v->plan, &m);
    base_appendf(&t, "plan %s on %s: %lld device%s, %u kernels\n", v->fn->name,
                 v->fn->mesh ? mesh_text(a, v->fn->mesh) : "one device",
                 (long long)(v->fn->mesh ? mesh_size(v->fn->mesh) : 1), v->fn->mesh && mesh_size(v->fn->mesh) > 1 ? "s"
                 : "", v->plan->nkernel);
    put_memory(&t, &m);
    put_moves(&t, v);
    return t.s;
}
