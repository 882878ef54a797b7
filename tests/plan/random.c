/* Random programs on random meshes with random layouts and donations, against ir_eval: integers, so that every order of
 * sums gives the same bits. Elementwise chains that fuse, sums, contractions, moves, wishes for layouts, loops with
 * carries that swap, branches, manual regions with collectives; results that are arguments, constants or each other.
 * SEED=n and COUNT=n in the environment choose others. */
#include "api/pipeline.h"
#include "op/ops.h"

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

enum { POOL = 64 };
typedef struct {
    base_arena *a; ir_build *b; const mesh *m;
    ir_id v[POOL]; int n; int depth;
    ir_names manual;                                     /* axes of the innermost manual region; none: outside of any */
    mesh_set bound;                                      /* atoms of all of them */
    bool mute;                                           /* no collectives here: devices may go different ways */
} gen;

static const int64_t sizes[] = { 1, 2, 3, 4, 6, 8, 5 };
static const ir_type *some_type(void)
{
    int64_t dim[3];
    const int rank = (int)below(4);
    for (int d = 0; d < rank; d++) dim[d] = sizes[below(below(6) ? 6 : 7)];
    return ir_type_of(TT_I32, rank, dim);
}

static const ir_type *type(const gen *g, ir_id v) { return ir_typeof(g->b, v); }
static ir_id any(const gen *g) { return g->v[below((uint32_t)g->n)]; }
static void keep(gen *g, ir_id v)
{
    if (!v) return;
    if (type(g, v)->dtype != TT_I32 || ir_count(type(g, v)) > 4096) return;
    if (g->n < POOL) g->v[g->n++] = v;
    else g->v[below(POOL)] = v;
}

static const mesh_layout *some_layout(const mesh *m, int rank)
{
    mesh_list dim[IR_RANK] = { 0 };
    for (int k = 0; rank && k < m->natom; k++) if (below(3)) {
        const uint32_t d = below((uint32_t)rank);
        dim[d] = mesh_list_push(dim[d], k);
    }
    return mesh_layout_dims(m, rank, dim);
}

/* A value of this type: one of the pool, or made from one. */
static ir_id of_type(gen *g, const ir_type *t)
{
    for (int tries = 0; tries < 8; tries++) {
        const ir_id v = any(g);
        const ir_type *x = type(g, v);
        if (x == t) return v;
        if (x->rank == 0) return op_broadcast(g->b, v, t, 0, NULL);
        if (ir_count(x) == ir_count(t) && below(2)) return op_reshape(g->b, v, t->rank, t->dim);
        for (int d = 0; x->rank == 1 && d < t->rank; d++)
            if (x->dim[0] == t->dim[d]) return op_broadcast(g->b, v, t, 1, (const int64_t[]){ d });
    }
    return below(2) ? op_splat(g->b, t, (double)below(5) - 2) : t->rank
        ? op_iota(g->b, t, (int)below((uint32_t)t->rank))
                                                                        : op_int(g->b, TT_I32, below(7));
}

static ir_id elementwise(gen *g)
{
    const ir_id x = any(g), y = of_type(g, type(g, x)), z = of_type(g, type(g, x));
    switch (below(8)) {
    case 0: return op_neg(g->b, x);
    case 1: return op_sub(g->b, x, y);
    case 2: return op_mul(g->b, x, y);
    case 3: return op_max(g->b, x, y);
    case 4: return op_select(g->b, op_less(g->b, x, y), z, x);
    case 5: return op_min(g->b, y, x);
    default: return op_add(g->b, x, y);
    }
}

static ir_id sum(gen *g)
{
    const ir_id x = any(g);
    int64_t dims[IR_RANK];
    int n = 0;
    for (int d = 0; d < type(g, x)->rank; d++) if (below(2)) dims[n++] = d;
    return n ? op_reduce_dims(g->b, below(3) ? &prim_add : &prim_max, x, n, dims) : 0;
}

static ir_id contraction(gen *g)
{
    const ir_id x = any(g), y = any(g);
    for (int i = 0; i < type(g, x)->rank; i++)
        for (int j = 0; j < type(g, y)->rank; j++) {
            if (type(g, x)->dim[i] != type(g, y)->dim[j] || !below(3) || type(g, x)->rank + type(g,
                y)->rank > 6) continue;
            const int64_t a[1] = { i }, b[1] = { j };
            const op_dot_attr d = { { 0 }, { 0 }, { 1, a }, { 1, b }, TT_I32, OP_DEFAULT };
            return op_dot(g->b, x, y, &d);
        }
    return 0;
}

static ir_id move(gen *g)
{
    const ir_id x = any(g);
    const ir_type *t = type(g, x);
    int64_t p[IR_RANK] = { 0 }, lo[IR_RANK], hi[IR_RANK], st[IR_RANK];
    for (int d = 0; d < t->rank; d++) p[d] = d, lo[d] = below(2) && t->dim[d] > 1, hi[d] = t->dim[d],
        st[d] = 1 + below(2);
    for (int d = t->rank; d > 1; d--) {
        const uint32_t k = below((uint32_t)d);
        const int64_t s = p[d - 1];
        p[d - 1] = p[k], p[k] = s;
    }
    const ir_dims dlo = { t->rank, lo }, dhi = { t->rank, hi }, dst = { t->rank, st }, all = { t->rank, p };
    switch (below(8)) {
    case 0: case 1: return op_transpose(g->b, x, p);
    case 2: return op_slice(g->b, x, dlo, dhi, dst);
    case 3: return t->rank ? op_pad(g->b, x, dlo, dlo, (ir_dims){ t->rank, lo }) : 0;
    case 4: return t->rank ? op_concatenate(g->b, 2, (const ir_id[]){ x, of_type(g, t) }, (int)below((uint32_t)t->rank))
        : 0;
    case 5: return t->rank ? op_reverse(g->b, x, all) : 0;
    case 6: return of_type(g, some_type());
    default: {
        ir_id start[IR_RANK];
        if (!t->rank) return 0;
        for (int d = 0; d < t->rank; d++) start[d] = of_type(g, ir_type_of(TT_I32, 0, NULL)),
            hi[d] = (t->dim[d] + 1) / 2;
        const ir_id small = op_dynamic_slice(g->b, x, start, dhi);
        return below(2) ? small : op_dynamic_update_slice(g->b, of_type(g, t), small, start);
    }
    }
}

static ir_id wish(gen *g)
{
    if (!g->m || g->depth || g->manual.n) return 0;
    const ir_id x = any(g);
    const mesh_layout *l = some_layout(g->m, type(g, x)->rank);
    return ir_emit(g->b, below(2) ? &prim_reshard : &prim_constrain, &(op_layout_attr){ { 1, &l } }, 1, &x, 0, NULL);
}

static void grow(gen *g, int steps);

static ir_fn *region(gen *g, uint32_t n, const ir_id *in, uint32_t nret, bool counter)
{
    gen r = { .a = g->a, .b = ir_region(g->b, "region"), .m = g->m, .depth = g->depth + 1, .manual = g->manual,
        .bound = g->bound };
    r.mute = g->mute || !counter;
    ir_id ret[8];
    for (uint32_t i = 0; i < n; i++) r.v[r.n++] = ir_arg(r.b, type(g, in[i]));
    grow(&r, 2 + (int)below(5));
    for (uint32_t i = 0; i < nret; i++) {
        const ir_type *t = type(g, in[i]);
        const uint32_t way = below(6);
        const ir_id p = 1 + below(n);   /* as it came, another parameter of that type, or something new */
        ret[i] = way == 0 ? 1 + i : way == 1 && type(&r, p) == t ? p : of_type(&r, t);
    }
    if (counter) ret[0] = op_add(r.b, 1, op_int(r.b, TT_I32, 1));
    return ir_end(r.b, nret, ret);
}

static void loop(gen *g)
{
    ir_id in[8] = { op_int(g->b, TT_I32, 0) };
    const uint32_t n = 2 + below(4);
    if (g->depth > 1) return;
    for (uint32_t i = 1; i < n; i++) in[i] = any(g);
    if (n > 2 && below(2)) in[2] = of_type(g, type(g, in[1]));
    ir_build *c = ir_region(g->b, "cond");
    for (uint32_t i = 0; i < n; i++) ir_arg(c, type(g, in[i]));
    const ir_id more = op_less(c, 1, op_int(c, TT_I32, 1 + below(3)));
    ir_fn *sub[2] = { ir_end(c, 1, &more), region(g, n, in, n, true) };
    const ir_id y = sub[0] && sub[1] ? ir_emit(g->b, &prim_while, NULL, n, in, 2, sub) : 0;
    for (uint32_t i = 1; y && i < n; i++) keep(g, y + i);
}

static void branch(gen *g)
{
    ir_id in[8];
    const uint32_t n = 1 + below(3), branches = 1 + below(3);
    ir_fn *sub[3];
    if (g->depth > 1) return;
    in[0] = of_type(g, ir_type_of(TT_I32, 0, NULL));
    for (uint32_t i = 1; i <= n; i++) in[i] = any(g);
    for (uint32_t k = 0; k < branches; k++) if (!(sub[k] = region(g, n, in + 1, n, false))) return;
    const ir_id y = ir_emit(g->b, &prim_case, NULL, n + 1, in, branches, sub);
    for (uint32_t i = 0; y && i < n; i++) keep(g, y + i);
}

/* ---- manual regions ---- */

static ir_names some_axes(ir_names from, base_name *room)
{
    ir_names r = { 0, room };
    for (int i = 0; i < from.n; i++) if (below(3)) room[r.n++] = from.v[i];
    if (!r.n) room[r.n++] = from.v[below((uint32_t)from.n)];
    if (r.n == 2 && below(2)) { const base_name s = room[0]; room[0] = room[1], room[1] = s; }
    return r;
}

static ir_id collective(gen *g)
{
    base_name room[4];
    if (!g->manual.n || g->mute) return 0;
    const ir_names axes = some_axes(g->manual, room);
    const int64_t n = mesh_set_size(g->m, mesh_named(g->m, axes.n, axes.v));
    const ir_id x = any(g);
    const ir_type *t = type(g, x);
    const int d = t->rank ? (int)below((uint32_t)t->rank) : -1, e = t->rank ? (int)below((uint32_t)t->rank) : -1;
    int64_t source[64];
    switch (below(8)) {
    case 0: return ir_emit(g->b, &prim_axis_index, &(op_axis_attr){ axes, true }, 0, NULL, 0, NULL);
    case 1: return ir_emit(g->b, below(2) ? &prim_pmax : &prim_pmin, &(op_reduce_axes_attr){ axes, true }, 1,
                           &x, 0, NULL);
    case 2: return d < 0 ? 0 : ir_emit(g->b, &prim_all_gather, &(op_gather_axes_attr){ axes, d, n, true }, 1,
                                       &x, 0, NULL);
    case 3: return d < 0 || t->dim[d] % n ? 0
                 : ir_emit(g->b, &prim_reduce_scatter, &(op_gather_axes_attr){ axes, d, n, true }, 1, &x, 0, NULL);
    case 4: return d < 0 || d == e || t->dim[d] % n ? 0
                 : ir_emit(g->b, &prim_all_to_all, &(op_all_to_all_attr){ axes, d, e, n, true }, 1, &x, 0, NULL);
    case 5:
        for (int64_t i = 0; i < n; i++) source[i] = (i + 1) % n;
        for (int64_t i = n; i > 1; i--) {
            const int64_t k = below((uint32_t)i), s = source[i - 1];
            source[i - 1] = source[k], source[k] = below(6) ? s : -1;
        }
        return ir_emit(g->b, &prim_ppermute, &(op_ppermute_attr){ axes, { (int)n, source }, true }, 1, &x, 0, NULL);
    default: return ir_emit(g->b, &prim_psum, &(op_reduce_axes_attr){ axes, true }, 1, &x, 0, NULL);
    }
}

/* A layout over these axes; divides: every dim of t must. */
static const mesh_layout *over(const mesh *m, ir_names axes, const ir_type *t, bool divides)
{
    mesh_list dim[IR_RANK] = { 0 };
    for (int i = 0; i < axes.n && t->rank; i++) {
        const int d = (int)below((uint32_t)t->rank + 1);
        const mesh_list l = mesh_axis_list(m, axes.v[i]);
        if (d == t->rank || (divides && t->dim[d] % (mesh_list_size(m, dim[d]) * mesh_list_size(m, l)))) continue;
        for (int k = 0; k < mesh_list_n(l); k++) dim[d] = mesh_list_push(dim[d], mesh_list_at(l, k));
    }
    return mesh_layout_dims(m, t->rank, dim);
}

static void manual(gen *g)
{
    base_name all[4], room[4];
    ir_names free = { 0, all };
    if (!g->m || g->depth) return;
    for (int i = 0; i < g->m->naxis; i++)                /* axes that are not manual already */
        if (!(mesh_named(g->m, 1, &g->m->axis[i].name) & g->bound)) all[free.n++] = g->m->axis[i].name;
    if (!free.n) return;
    const ir_names axes = some_axes(free, room);
    gen r = { .a = g->a, .b = ir_region(g->b, "manual"), .m = g->m, .mute = g->mute, .manual = axes };
    r.bound = g->bound | mesh_named(g->m, axes.n, axes.v);
    ir_id in[4], ret[4];
    const mesh_layout *lin[4], *lout[4];
    const uint32_t n = 1 + below(3), nret = 1 + below(3);
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim[IR_RANK];
        in[i] = any(g);
        const ir_type *t = type(g, in[i]);
        lin[i] = over(g->m, axes, t, true);
        for (int d = 0; d < t->rank; d++) dim[d] = t->dim[d] / mesh_list_size(g->m, lin[i]->dim[d].atoms);
        r.v[r.n++] = ir_arg(r.b, ir_type_of(TT_I32, t->rank, dim));
    }
    grow(&r, 3 + (int)below(10));
    for (uint32_t j = 0; j < nret; j++) {
        ret[j] = any(&r);
        lout[j] = over(g->m, axes, type(&r, ret[j]), false);
    }
    ir_fn *f = ir_end(r.b, nret, ret);
    const op_manual_attr a = { axes, { (int)n, lin }, { (int)nret, lout }, true };
    const ir_id y = f ? ir_emit(g->b, &prim_manual, &a, n, in, 1, &f) : 0;
    for (uint32_t j = 0; y && j < nret; j++) keep(g, y + j);
}

static void grow(gen *g, int steps)
{
    for (int i = 0; i < steps; i++) {
        if (g->manual.n && below(3) == 0) keep(g, collective(g));
        switch (below(17)) {
        case 0: case 1: keep(g, sum(g)); break;
        case 2: case 3: keep(g, contraction(g)); break;
        case 4: case 5: keep(g, move(g)); break;
        case 6: keep(g, wish(g)); break;
        case 7: loop(g); break;
        case 8: branch(g); break;
        case 9: manual(g); break;
        default: keep(g, elementwise(g));
        }
    }
}

static void one(uint64_t seed)
{
    static const char *const meshes[] = { NULL, "x:1", "x:2", "x:3", "x:8", "x:2, y:4", "x:3, y:2", "x:4, y:1" };
    base_arena *a = base_open();
    state = seed * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < 4; i++) below(2);
    const char *text = meshes[below(8)];
    gen g = { .a = a, .m = text ? mesh_of(NULL, text) : NULL };
    g.b = ir_begin(a, "random", g.m);
    const uint32_t narg = 2 + below(4);
    for (uint32_t i = 0; i < narg; i++) g.v[g.n++] = ir_arg(g.b, some_type());
    grow(&g, 4 + (int)below(24));
    ir_id ret[6];
    const uint32_t nret = 1 + below(5);
    for (uint32_t i = 0; i < nret; i++) ret[i] = below(3) ? g.v[g.n - 1 - (int)below(g.n < 6 ? (uint32_t)g.n : 6)]
        : any(&g);
    const ir_fn *f = ir_end(g.b, nret, ret);
    CHECK(f, "seed %llu: %s", (unsigned long long)seed, pipeline_error());
    pipeline r = { .a = a };
    if (f && pipeline_open(&r, f)) {
        const char *what = base_format(a, "seed %llu", (unsigned long long)seed);
        for (int round = 0; round < 3; round++) {
            const mesh_layout *in[PIPELINE_MOST] = { 0 };
            run_array *x[PIPELINE_MOST], *y[PIPELINE_MOST];
            bool give[PIPELINE_MOST];
            for (uint32_t i = 0; i < narg; i++) {
                in[i] = g.m && round ? some_layout(g.m, f->type[1 + i]->rank) : NULL;
                x[i] = run_array_of(f->type[1 + i], in[i], r.in[i]);
                give[i] = round == 2 && below(2);
            }
            const uint64_t before = (uint64_t)check_failed;
            const bool ok = driver_run(f, &(driver_opts){ .once = true, .donate = give }, x, give, y);
            CHECK(ok, "%s: %s", what, pipeline_error());
            for (uint32_t j = 0; ok && j < nret; j++) {
                const ir_type *t = f->type[f->ret[j]];
                int32_t *got = base_new(a, (size_t)ir_count(t) * 4 + 4);
                CHECK(run_read(y[j], NULL, NULL, got), "%s: %s", what, pipeline_error());
                CHECK(!memcmp(got, r.want[j], (size_t)ir_count(t) * 4), "%s, round %d: result %u differs",
                      what, round, j);
                run_drop(y[j]);
            }
            if ((uint64_t)check_failed != before && getenv("SEED")) puts(ir_print(a, f));
            for (uint32_t i = 0; i < narg; i++) if (!give[i] || !ok) run_drop(x[i]);
            base_clear_error();
        }
    } else CHECK(!f, "%s", pipeline_error());
    base_clear_error();
    base_close(a);
}

static void say(const char *line) { puts(line); }

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    const char *seed = getenv("SEED"), *count = getenv("COUNT");
    const uint64_t first = seed ? strtoull(seed, NULL, 10) : 1, n = count ? strtoull(count, NULL, 10) : seed ? 1 : 1500;
    base_set_log_sink(seed ? say : NULL);
    base_switches_env();
    for (uint64_t s = first; s < first + n; s++) if (seed || check_turn(s)) one(s);
    driver_forget();
    return check_done();
}
