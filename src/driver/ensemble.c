/* driver/ensemble.c - runs the members of a vmap as instances on one device.
 *
 * A function vectorised over N members, an ensemble, is N times the same small program: no equation combines values of
 * two members. Step by step over all members, every intermediate value is N times as large and leaves the caches; so,
 * as over a mesh of N devices, a worker runs all steps for one member, then for the next (run/segment.c). The function
 * is partitioned over an internal mesh, "member:N", with arguments and results whose dim 0 is N sharded along it;
 * plan_single_device makes a plan whose arguments and results are the caller's own arrays, with the members' parts
 * contiguous.
 *
 * This applies to functions whose members share only small values: any exchange, any loop, and ordered equations lead
 * to the usual plan. Eight CNNs of the guide, two workers: 79 ms a step instead of 116. */
#include "inner.h"
#include "../op/ops.h"

#include "../base/machine.h"
#include "../mesh/mesh.h"
#include "../pass/pass.h"
#include "../plan/plan.h"

enum { MOST = 64 };                                      /* members: their boxes are computed in advance */
int64_t driver_ensemble_least = BASE_CACHES;   /* bytes of all arenas; less than that stays in the caches anyway */

static int64_t ensemble_bytes_of(const ir_type *t)
{
    int64_t n = (int64_t)ir_dtype_of(t->dtype)->bytes;
    for (int d = 0; d < t->rank; d++)
        if (__builtin_mul_overflow(n, t->dim[d], &n)) return INT64_MAX / 4096;
    return n;
}

static bool is_member(const ir_type *t, int64_t n) { return t->rank && t->dim[0] == n; }

/* The dim 0 of at least three quarters of the arguments' bytes; 0: there is none. So values that all members read, such
 * as the rows of a batch, are small. */
static int64_t ensemble_members(const ir_fn *f)
{
    double bytes[MOST + 1] = { 0 }, all = 0;
    int64_t best = 0;
    for (uint32_t i = 1; i <= f->narg; i++) {
        const ir_type *t = f->type[i];
        const double n = (double)ensemble_bytes_of(t);
        all += n;
        if (t->rank && t->dim[0] > 1 && t->dim[0] <= MOST && (bytes[t->dim[0]] += n) > bytes[best]) best = t->dim[0];
    }
    return 4 * bytes[best] >= 3 * all ? best : 0;
}

/* True if workers can take complete members evenly enough. */
static bool shared_out(int64_t n)
{
    const int64_t workers = run_workers();
    return n > workers && (n % workers == 0 || n >= 4 * workers);
}

static bool straight(const ir_fn *f)
{
    int64_t made = 0;
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *e = &f->eqn[k];
        if (ir_ordered(e) || e->op->kernel == OP_HOST || e->op == &prim_while || e->op == &prim_case) return false;
        for (uint32_t j = 0; j < e->nout; j++)
            if (made < driver_ensemble_least) made += ensemble_bytes_of(f->type[e->out + j]);
    }
    return made >= driver_ensemble_least;
}

/* True if the layout is sharded along dim 0 only, or replicated. */
static bool by_members(const mesh_layout *l)
{
    for (int d = 1; l && d < l->rank; d++) if (l->dim[d].atoms) return false;
    return !l || !l->partial;
}

static const mesh_layout *ensemble_layout_of(const mesh *m, const ir_type *t, int64_t n)
{
    const mesh_list all = mesh_set_list((mesh_set)((1u << m->natom) - 1));
    mesh_list cut[MESH_RANK] = { is_member(t, n) ? all : 0 };
    return mesh_layout_dims(m, t->rank, cut);
}

static ir_fn *partitioned(base_arena *a, const ir_fn *f, int64_t n, bool reproducible)
{
    const mesh *m = mesh_of(NULL, base_format(a, "member:%lld", (long long)n));
    ir_fn *g = m ? pass_on_mesh(a, f, m) : NULL;
    if (!g) return NULL;
    const mesh_layout **out = BASE_NEW(a, const mesh_layout *, g->nret + 1);
    g->layout = BASE_NEW(a, const mesh_layout *, g->nvalue + 1);
    for (ir_id i = 1; i <= g->narg; i++) g->layout[i] = ensemble_layout_of(m, g->type[i], n);
    for (uint32_t j = 0; j < g->nret; j++) out[j] = ensemble_layout_of(m, g->type[g->ret[j]], n);
    g->donate = f->donate;
    ir_fn *h = spmd_partition(a, g, out, &(spmd_opts){ .reproducible = reproducible }, NULL);
    for (uint32_t i = 0; h && i < h->narg; i++) if (!by_members(h->layout[1 + i])) return NULL;
    for (uint32_t j = 0; h && j < h->nret; j++) if (!by_members(h->layout[h->ret[j]])) return NULL;
    return h;
}

static bool computes(const run_list *l)
{
    for (uint32_t i = 0; i < l->n; i++) if (l->step[i].kind != RUN_COMPUTE) return false;
    return true;
}

run_plan *driver_ensemble(base_arena *a, base_arena *keep, const ir_fn *simple, const bool *donate, bool reproducible)
{
    const int64_t n = simple->mesh || base_switch("no-ensemble") ? 0 : ensemble_members(simple);
    if (!n || !shared_out(n) || !straight(simple)) return NULL;
    ir_fn *f = partitioned(a, simple, n, reproducible);
    if (f) f->donate = donate;
    run_plan *p = f ? plan_single_device(a, keep, f, reproducible) : NULL;
    if (!p) base_clear_error();                          /* the usual plan will report the error */
    return p && computes(&p->body) && run_plan_arena(p) >= driver_ensemble_least ? p : NULL;
}
