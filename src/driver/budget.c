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
 *     devices without work
 *       48 of 64 in 5 of 9 steps: data divides 16 elements among 64
 *         mlp.c:9: tt_relu(...)
 *
 * Nothing here iterates over devices. Sizes are those of the largest shard, and the time is the cost model's. */
#include "inner.h"

enum { LINES = 8, WIDE = 80 };

static void put_bytes(base_text *t, const char *what, int64_t bytes, const char *more)
{
    base_appendf(t, "  %-10s %11s%s\n", what, base_bytes_text(t->arena, (double)bytes), more);
}

static void put_memory(base_text *t, const run_memory *m)
{
    base_arena *a = t->arena;
    base_appendf(t, "memory of a device, at most\n");
    put_bytes(t, "arguments", m->arguments, "");
    put_bytes(t, "results", m->results,
              m->reused ? base_format(a, ", and %s in the place of donated arguments",
                                      base_bytes_text(a, (double)m->reused))
                        : "");
    if (m->constants) put_bytes(t, "constants", m->constants, "");
    put_bytes(t, "arena", m->arena, "");
    put_bytes(t, "in all", m->peak, "");
    if (!m->nline) return;
    base_appendf(t, "the arena at its peak, %s, at\n  %s\n", base_bytes_text(a, (double)m->live),
                 driver_truncate(a, m->site, WIDE - 2));
    for (int i = 0; i < m->nline && i < LINES; i++)
        base_appendf(t, "  %10s  %s\n", base_bytes_text(a, (double)m->line[i].bytes),
                     m->line[i].site || !m->line[i].name ? driver_truncate(a, m->line[i].site, WIDE - 14)
                                                     : base_format(a, "(%s)", m->line[i].name));
    if (m->nline > LINES) base_appendf(t, "  and %d more lines\n", m->nline - LINES);
}

/* ---- devices without work ---- */

/* A dim of `size` elements that axes divide among more devices: steps that compute such a result. */
typedef struct { mesh_list atoms; int64_t parts, size, steps; base_site site; } idle_dim;
typedef struct { idle_dim dim[LINES]; int n; int64_t steps; } idle;

/* The dim that leaves the largest share of devices without an element of the value; parts 0: none does. */
static idle_dim worst_dim(const mesh *m, const run_value *v)
{
    idle_dim worst = { .parts = 0 };
    for (int d = 0; v->layout && d < v->rank; d++) {
        const int64_t parts = mesh_list_size(m, v->layout->dim[d].atoms);
        if (v->dim[d] >= parts || (worst.parts && v->dim[d] * worst.parts >= worst.size * parts)) continue;
        worst = (idle_dim){ v->layout->dim[d].atoms, parts, v->dim[d], 0, NULL };
    }
    return worst;
}

static void idle_steps(idle *all, const run_plan *p, const run_list *l)
{
    for (const run_step *s = l->step; s < l->step + l->n; s++) {
        idle_dim x = { .parts = 0 };
        int i = 0;
        RUN_EACH_BLOCK(s, block) idle_steps(all, p, block);
        if (s->kind != RUN_COMPUTE) continue;
        all->steps++;
        for (uint32_t k = s->narg - s->nwritten; k < s->narg && !x.parts; k++)
            x = worst_dim(p->mesh, &p->value[s->arg[k]]);
        if (!x.parts) continue;
        while (i < all->n && (all->dim[i].size != x.size || all->dim[i].parts != x.parts)) i++;
        if (i == LINES) continue;
        if (i == all->n) all->dim[all->n++] = x, all->dim[i].site = s->site;
        all->dim[i].steps++;
    }
}

static void put_idle(base_text *t, const run_plan *p)
{
    idle all = { .n = 0 };
    if (!p->mesh || p->single_device) return;
    idle_steps(&all, p, &p->body);
    if (all.n) base_appendf(t, "devices without work\n");
    for (int i = 0; i < all.n; i++) {
        const idle_dim *const x = &all.dim[i];
        const int64_t devices = mesh_size(p->mesh);
        base_appendf(t, "  %lld of %lld in %lld of %lld steps: %s divides %lld element%s among %lld\n    %s\n",
                     (long long)(devices - devices / x->parts * x->size), (long long)devices, (long long)x->steps,
                     (long long)all.steps, mesh_set_text(t->arena, p->mesh, mesh_list_set(x->atoms)),
                     (long long)x->size, x->size == 1 ? "" : "s", (long long)x->parts,
                     driver_truncate(t->arena, x->site, WIDE - 4));
    }
}

static void put_move(base_text *t, const char *what, double bytes, double seconds)
{
    base_appendf(t, "  %-40s %11s %11s\n", what, base_bytes_text(t->arena, bytes),
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
    if (v->needs) base_appendf(&t, "%s", v->needs);
    put_moves(&t, v);
    put_idle(&t, v->plan);
    return t.s;
}
