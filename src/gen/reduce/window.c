/* gen/reduce/window.c - the walk over windows, which reduce_window.c and pool.c share, and the engine of both.
 *
 * Lines run along one dim v of the windows: channels if these are the fastest dim (NHWC), else the last dim with a
 * window. */
#include "window.h"
#include "../../op/ops.h"

/* Taps of a task; most taps of a window. */
enum { GRAIN = 1 << 16, TAPS = 1 << 20 };

/* Sets v: a dim without window that is fastest in memory, else the last dim with a window. */
window_walk window_walk_of(const ir_eqn *e, const ir_box *x)
{
    window_walk w = { .rank = x->rank, .v = -1, .ntap = 1 };
    int last = 0;
    for (int d = 0; d < w.rank; d++) {
        w.t[d] = op_taps_of(IR_ATTR(e, op_window_attr), d);
        w.size[d] = IR_IN(e, 0)->dim[d];
        const bool trivial = op_taps_trivial(&w.t[d]);
        if (!trivial) last = d;
        if (trivial && x->step[d] == 1 && x->n[d] > 3) w.v = d;
    }
    if (w.v < 0) w.v = last;
    for (int d = 0; d < w.rank; d++) if (d != w.v) w.ntap *= w.t[d].n;
    return w;
}

bool window_reach(const op_taps *t, int64_t size, int64_t k, int64_t a, int64_t b, int64_t *lo, int64_t *hi)
{
    const int64_t p = k * t->step - t->lo, end = size - 1 - p;
    const bool one = t->stride == 1;                     /* no divisions where channels are the line */
    const int64_t first = p >= 0 ? 0 : one ? -p : (-p + t->stride - 1) / t->stride;
    const int64_t last = end < 0 ? 0 : one ? end + 1 : end / t->stride + 1;
    *lo = first > a ? first : a;
    *hi = last < b ? last : b;
    return *hi > *lo;
}

int64_t window_positions(const window_walk *w, const ir_box *y)
{
    int64_t n = 1;
    for (int d = 0; d < w->rank; d++) if (d != w->v) n *= y->n[d];
    return n;
}

int64_t window_position(const window_walk *w, const ir_box *y, int64_t at, int64_t *i)  /* returns y's offset */
{
    int64_t to = 0;
    for (int d = w->rank - 1; d >= 0; d--) {
        if (d == w->v) continue;
        i[d] = y->lo[d] + at % y->n[d];
        to += at % y->n[d] * y->step[d];
        at /= y->n[d];
    }
    return to;
}

void window_next(const window_walk *w, const ir_box *y, int64_t *i, int64_t *to)
{
    for (int d = w->rank - 1; d >= 0; d--) {
        if (d == w->v) continue;
        *to += y->step[d];
        if (++i[d] < y->lo[d] + y->n[d]) return;
        i[d] = y->lo[d];
        *to -= y->n[d] * y->step[d];
    }
}

int64_t window_parts(const window_walk *w, const ir_box *y, int64_t most)
{
    const double work = (double)ir_box_count(y) * (double)(w->ntap * w->t[w->v].n) / GRAIN;
    const int64_t want = work > 64 ? 64 : work < 1 ? 1 : (int64_t)work;
    return want < most ? want : most < 1 ? 1 : most;
}

/* ---- the engine ---- */

/* The dim of a prefix: 1 + d if dim d's window is the full dim, ending at each place, and no other dim has a window; -1
 * - d if it begins at each place; else 0. */
static int prefix_dim(const ir_eqn *e)
{
    int found = 0;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        const op_taps t = op_taps_of(IR_ATTR(e, op_window_attr), d);
        const int64_t n = IR_IN(e, 0)->dim[d];
        if (op_taps_trivial(&t)) continue;
        if (found || t.n != n || t.stride != 1 || t.base != 1 || t.step != 1) return 0;
        if (t.lo == n - 1 && !t.hi) found = 1 + d;
        else if (t.hi == n - 1 && !t.lo) found = -1 - d;
        else return 0;
    }
    return found;
}

static bool compares(const ir_fn *f, op_cmp *keep) /* True if one comparison of both parameters by <, <=, >, >= */
{
    if (f->neqn != 1 || f->eqn[0].op != &prim_compare || f->ret[0] != f->eqn[0].out) return false;
    const op_compare_attr *a = IR_ATTR(&f->eqn[0], op_compare_attr);
    *keep = (op_cmp)a->comparison_direction;
    return !a->total && f->eqn[0].in[0] == 1 && f->eqn[0].in[1] == 2 && *keep != OP_CMP_EQ && *keep != OP_CMP_NE;
}

static const char *window_refuses(const gen_group *g)
{
    const ir_eqn *e = g->eqn[0];
    const bool selects = e->op == &prim_select_and_gather || e->op == &prim_select_and_scatter;
    double taps = 1;
    op_cmp keep;
    if (g->neqn != 1 || (e->op != &prim_reduce_window && !selects)) return "not a window";
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) taps *= (double)IR_ATTR(e, op_window_attr)->window_dimensions.v[d];
    if (taps > TAPS && !(e->op == &prim_reduce_window && prefix_dim(e))) return "a window of more than 2^20 elements";
    if (!selects) {
        const mesh_reduce reduce = e->nin == 2 ? op_monoid(e->sub[0]) : MESH_NONE;
        return reduce != MESH_NONE && reduce_here(IR_IN(e, 0)->dtype, reduce) ? NULL : "a reducer of its own";
    }
    if (!ir_is_float(IR_IN(e, 0)->dtype)) return "selection among floats only";
    if (!IR_IN(e, 0)->rank) return "no dims";
    if (!compares(e->sub[0], &keep)) return "a selection of its own";
    return e->op == &prim_select_and_scatter && op_monoid(e->sub[1]) != MESH_SUM ? "a combination that is no sum"
        : NULL;
}

static bool window_make(base_arena *a, const gen_group *g, run_kernel *k)
{
    window_kernel *f = BASE_NEW(a, window_kernel, 1);
    const ir_eqn *e = g->eqn[0];
    f->e = e;
    if (e->op == &prim_reduce_window) {
        const ir_box one = ir_box_of(f->identity, IR_IN(e, 0)->dtype, 0, NULL, NULL);
        f->reduce = op_monoid(e->sub[0]);
        f->fixed = g->reproducible;
        ir_store(&one, NULL, op_identity_num(f->reduce, one.dtype));
        f->prefix = prefix_dim(e);
        run_code *code = IR_IN(e, 0)->rank ? window_run : window_point;
        *k = (run_kernel){ .code = code, .tiles = window_tiles, .scratch = window_scratch };
    } else if (e->op == &prim_select_and_gather) {
        *k = (run_kernel){ .code = window_gather_run, .tiles = window_gather_tiles, .scratch = window_gather_scratch };
    } else {
        *k = (run_kernel){ .code = window_scatter_run, .tiles = window_scatter_tiles,
                           .scratch = window_scatter_scratch };
    }
    if (e->op != &prim_reduce_window && !compares(e->sub[0], &f->keep)) return false;
    k->self = f, k->site = e->site;
    k->name = base_intern(base_format(a, "window: %s", e->op->name));
    return true;
}

const gen_engine gen_window = { sizeof(gen_engine), "window", window_refuses, window_make };
