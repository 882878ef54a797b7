/* hlo/read/lapack.c - LAPACK calls of matrices that are not Hermitian, of tridiagonal systems and of QR with pivoting;
 * and the older form of all LAPACK calls, whose options are operands: it is converted to the newer form, with zeros for
 * its workspaces. */
#include "algebra.h"
#include "../../op/ops.h"

#include <string.h>

typedef ir_id value;

static value lapack_zeros(hlo_reader *r, const hlo_op *o, int j)
{
    const ir_type *const t = hlo_result(o, j);
    return t ? op_zeros(r->b, t) : 0;
}

/* A complex value as a call returns it: in two parts for a real matrix. Returns the number of results written. */
static int in_parts(hlo_reader *r, bool real, value w, ir_id *y)
{
    const op_parts p = real ? op_parts_of(r->b, w) : (op_parts){ w, 0 };
    y[0] = p.re;
    if (real) y[1] = p.im;
    return 1 + real;
}

static bool is_real(hlo_reader *r, value x) { return !op_is_complex(ir_typeof(r->b, x)->dtype); }

/* (a) -> (w or its parts, left vectors, right vectors, info) */
static bool geev(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const bool left = hlo_option(r, o, "compute_left") == 'V', right = hlo_option(r, o, "compute_right") == 'V';
    ir_id all[3];
    if (r->bad || o->in.n != 1) return hlo_counts(r, o, 1, 5);
    const bool real = is_real(r, x[0]);
    if (!hlo_counts(r, o, 1, 4 + real) || !hlo_emit(r, &prim_eig, &(op_eig_attr){ left, right }, 1, x, all))
        return false;
    const int at = in_parts(r, real, all[0], y);
    y[at] = left ? all[1] : lapack_zeros(r, o, at);
    y[at + 1] = right ? all[2] : lapack_zeros(r, o, at + 1);
    return (y[at + 2] = hlo_spoiled(r, y[0], 1)) != 0 && y[at] && y[at + 1];
}

/* (a) -> (t, z, w or its parts, sdim, info) */
static bool gees(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t sorted = hlo_option(r, o, "sort");
    ir_id all[3];
    if (r->bad || o->in.n != 1) return hlo_counts(r, o, 1, 6);
    const bool real = is_real(r, x[0]);
    if (sorted == 'S') return hlo_refuse(r, o, TT_EARG, "eigenvalues in a chosen order are not supported");
    if (!hlo_counts(r, o, 1, 5 + real) || !hlo_emit(r, &prim_schur, NULL, 1, x, all)) return false;
    y[0] = all[0], y[1] = all[1];
    const int at = 2 + in_parts(r, real, all[2], y + 2);
    y[at] = lapack_zeros(r, o, at);
    return (y[at + 1] = hlo_spoiled(r, y[0], 2)) != 0 && y[at];
}

static bool gehrd(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t low = hlo_option(r, o, "low"), high = hlo_option(r, o, "high");
    if (r->bad || !hlo_counts(r, o, 1, 3)) return false;
    const ir_type *const t = ir_typeof(r->b, x[0]);
    if (t->rank < 2 || low > 1 || high != t->dim[t->rank - 1])
        return hlo_refuse(r, o, TT_EARG, "rows %lld to %lld of a matrix, where all are expected", (long long)low,
                          (long long)high);
    return hlo_emit(r, &prim_hessenberg, NULL, 1, x, y) && (y[2] = hlo_spoiled(r, y[0], 2)) != 0;
}

static bool sytrd(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const op_lower_attr a = { hlo_option(r, o, "uplo") == 'L' };
    if (r->bad || !hlo_counts(r, o, 1, 5)) return false;
    return hlo_emit(r, &prim_tridiagonal, &a, 1, x, y) && (y[4] = hlo_spoiled(r, y[1], 1)) != 0;
}

static bool three(hlo_reader *r, const ir_id *x, bool perturb, ir_id *y)
{
    return hlo_emit(r, &prim_tridiagonal_solve, &(op_three_attr){ perturb }, 4,
                    (const ir_id[]){ x[3], x[0], x[1], x[2] }, y);
}

/* (low, mid, high, b) -> (overwritten diagonals, x, info). The diagonals are not meant to be read. info: 1 where all of
 * x is NaN. */
static bool gtsv(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    if (!hlo_counts(r, o, 4, 5) || !three(r, x, false, y + 3)) return false;
    memcpy(y, x, 3 * sizeof *y);
    const ir_type *const t = ir_typeof(r->b, y[3]);
    const int64_t dims[] = { t->rank - 2, t->rank - 1 };
    const value lost = op_compare(r->b, OP_CMP_NE, y[3], y[3]);
    if (!ir_count(t)) return (y[4] = lapack_zeros(r, o, 4)) != 0;
    return (y[4] = op_convert(r->b, op_reduce_dims(r->b, &prim_and, lost, 2, dims), TT_I32)) != 0;
}

static bool perturbed(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_counts(r, o, 4, 1) && three(r, x, true, y);
}

static bool geqp3(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    return hlo_counts(r, o, 2, 3) && hlo_emit(r, &prim_geqp3, NULL, 2, x, y);
}

/* c times Q = 1 - V T V' from one side, Q or Q'. T's inverse has V'V above its diagonal and 1 / tau on it (a vector
 * with tau = 0 is left out). */
static bool ormqr(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    ir_build *const b = r->b;
    const hlo_attrs *const how =
        hlo_record(o, hlo_find(&o->attr, "mhlo.backend_config") ? "mhlo.backend_config" : "backend_config");
    const bool left = hlo_flag(how, "left"), turned = hlo_flag(how, "transpose");
    if (!hlo_counts(r, o, 3, 1)) return false;
    const ir_type *const t = ir_typeof(b, x[0]), *const u = ir_typeof(b, x[1]), *const c = ir_typeof(b, x[2]);
    if (t->rank < 2 || u->rank != t->rank - 1 || c->rank != t->rank || u->dtype != t->dtype || c->dtype != t->dtype ||
        u->dim[u->rank - 1] > t->dim[t->rank - 1] || u->dim[u->rank - 1] > t->dim[t->rank - 2] ||
        c->dim[c->rank - 1 - left] != t->dim[t->rank - 2])
        return hlo_refuse(r, o, TT_ESHAPE, "vectors, taus and a matrix do not fit each other");
    const int64_t m = t->dim[t->rank - 2], k = u->dim[u->rank - 1];
    const value part = op_part_of(b, x[0], 0, m, 0, k);
    if (!part) return false;
    const ir_type *const vt = ir_typeof(b, part);
    const value ones = op_where_compare(b, OP_CMP_EQ, 0, op_ones(b, vt), 0), none = op_equal(b, x[1], op_zeros(b, u));
    const value gone = op_by_column(b, none, vt), vectors = op_where_compare(b, OP_CMP_GT, 0, part, ones);
    const value v = op_select(b, gone, op_zeros(b, vt), vectors), vv = op_product(b, op_adjoint(b, v), v);
    if (!vv) return false;
    const value over = op_div(b, op_ones(b, u), op_select(b, none, op_ones(b, u), x[1]));
    const value on = op_where_compare(b, OP_CMP_EQ, 0, op_by_column(b, over, ir_typeof(b, vv)), 0);
    const value inverse = op_where_compare(b, OP_CMP_LT, 0, vv, on);
    const op_triangular_attr a = { left, false, false, turned ? OP_ADJOINT : OP_NO_TRANSPOSE };
    const value vc = left ? op_product(b, op_adjoint(b, v), x[2]) : op_product(b, x[2], v);
    const value w = op_solve_triangular(b, inverse, vc, a);
    const value change = left ? op_product(b, v, w) : op_product(b, w, op_adjoint(b, v));
    return change && (y[0] = op_sub(b, x[2], change)) != 0;
}

const hlo_rule hlo_lapack_more[] = {
    { "geev_ffi", geev },   { "gees_ffi", gees }, { "gehrd_ffi", gehrd }, { "sytrd_ffi", sytrd },
    { "hetrd_ffi", sytrd }, { "gtsv_ffi", gtsv }, { "geqp3_ffi", geqp3 }, { "ormqr_ffi", ormqr },
    { "unmqr_ffi", ormqr }, { NULL, NULL },
};
const hlo_rule hlo_perturbed = { "tridiagonal_solve_perturbed_ffi", perturbed };

/* ---- the older form ---- */

enum { OPTIONS = 4, RESULTS = 9, WORK = -1 };
/* The option `key` is operand `at`; of: the characters of its values 0, 1, ...; NULL: the value itself. second: a
 * further operand whose value counts twice; equal to `at`: none. */
typedef struct {
    const char *key;
    int at, second;
    const char *of;
} old_option;
/* to: result by result its number in the newer form; WORK: a workspace. complex_to: for complex matrices, where they
 * differ. */
typedef struct {
    const char *name, *now;
    int scalars;
    old_option option[OPTIONS];
    int n, to[RESULTS], complex_n, complex_to[RESULTS];
} old_call;
static const old_call older[] = {
    { "potrf", "potrf_ffi", 3, { { "uplo", 0, 0, "UL" } }, 2, { 0, 1 }, 0, { 0 } },
    { "getrf", "getrf_ffi", 3, { { 0 } }, 3, { 0, 1, 2 }, 0, { 0 } },
    { "geqrf", "geqrf_ffi", 4, { { 0 } }, 4, { 0, 1, WORK, WORK }, 0, { 0 } },
    { "orgqr", "orgqr_ffi", 5, { { 0 } }, 3, { 0, WORK, WORK }, 0, { 0 } },
    { "ungqr", "orgqr_ffi", 5, { { 0 } }, 3, { 0, WORK, WORK }, 0, { 0 } },
    { "gesdd",
      "gesdd_ffi",
      6,
      { { "mode", 0, 1, "NNSA" } },
      7,
      { 0, 1, 2, 3, 4, WORK, WORK },
      8,
      { 0, 1, 2, 3, 4, WORK, WORK, WORK } },
    { "syevd", "syevd_ffi", 3, { { "uplo", 0, 0, "UL" } }, 5, { 0, 1, 2, WORK, WORK }, 0, { 0 } },
    { "heevd", "heevd_ffi", 3, { { "uplo", 0, 0, "UL" } }, 6, { 0, 1, 2, WORK, WORK, WORK }, 0, { 0 } },
    { "geev",
      "geev_ffi",
      4,
      { { "compute_left", 2, 2, NULL }, { "compute_right", 3, 3, NULL } },
      8,
      { WORK, WORK, WORK, 0, 1, 2, 3, 4 },
      6,
      { WORK, WORK, 0, 1, 2, 3 } },
    { "gees",
      "gees_ffi",
      4,
      { { "mode", 2, 2, NULL }, { "sort", 3, 3, NULL } },
      6,
      { 0, 2, 3, 1, 4, 5 },
      6,
      { 0, WORK, 2, 1, 3, 4 } },
    { "gehrd", "gehrd_ffi", 6, { { "low", 1, 1, NULL }, { "high", 2, 2, NULL } }, 4, { 0, 1, 2, WORK }, 0, { 0 } },
    { "sytrd", "sytrd_ffi", 5, { { "uplo", 1, 1, "UL" } }, 6, { 0, 1, 2, 3, 4, WORK }, 0, { 0 } },
    { "hetrd", "hetrd_ffi", 5, { { "uplo", 1, 1, "UL" } }, 6, { 0, 1, 2, 3, 4, WORK }, 0, { 0 } },
    { "trsm",
      "trsm_ffi",
      8,
      { { "side", 0, 0, "RL" }, { "uplo", 1, 1, "UL" }, { "trans_x", 2, 2, "NTC" }, { "diag", 3, 3, "NU" } },
      1,
      { 0 },
      0,
      { 0 } },
};
enum { OLDER = sizeof older / sizeof *older };

static const old_call *old_named(hlo_span name)
{
    for (int i = 0; i < OLDER; i++)
        if (hlo_is(name, older[i].name)) return &older[i];
    return NULL;
}

bool hlo_is_older(hlo_span name) { return old_named(name) != NULL; }

static bool integer_constant(hlo_reader *r, value id, int64_t *v)
{
    const ir_eqn *const e = ir_def(r->b, id);
    int64_t zero[1] = { 0 };
    if (!e || e->op != &prim_const || ir_typeof(r->b, id)->rank) return false;
    const tt_dtype d = IR_ATTR(e, op_const_attr)->dtype;
    const ir_box box = ir_box_of((void *)(uintptr_t)IR_ATTR(e, op_const_attr)->data.p, d, 0, NULL, NULL);
    const ir_class c = ir_dtype_of(d)->cls;
    *v = ir_load(&box, zero).i;
    return c == IR_INT_CLASS || c == IR_UINT_CLASS;
}

static bool old_options(hlo_reader *r, const hlo_op *o, const old_call *c, const ir_id *x, hlo_op *now)
{
    hlo_attr *const all = hlo_add(r->p, &now->attr, "mhlo.backend_config", HLO_DICT);
    hlo_attrs options = { 0 };
    for (int i = 0; i < OPTIONS && c->option[i].key; i++) {
        const old_option *const k = &c->option[i];
        int64_t v, w = 0;
        if (!integer_constant(r, x[k->at], &v) || (k->second != k->at && !integer_constant(r, x[k->second], &w)))
            return hlo_refuse(r, o, TT_EARG, "option \"%s\", operand %d, is not a constant", k->key, k->at + 1);
        v += 2 * w;
        if (k->of && (v < 0 || v >= (int64_t)strlen(k->of)))
            return hlo_refuse(r, o, TT_EARG, "option \"%s\" is %lld; expected 0 to %zu", k->key, (long long)v,
                              strlen(k->of) - 1);
        hlo_add(r->p, &options, k->key, HLO_INTEGER)->i = k->of ? k->of[v] : v;
    }
    all->item = options;
    return true;
}

static bool old_form(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span name = hlo_choice(&o->attr, "call_target_name");
    const size_t prefix = name.at[0] == 'b' ? 6 : 8;
    const old_call *const c = old_named((hlo_span){ name.at + prefix, name.n - prefix });
    const int first = c->scalars, nin = o->in.n - first;
    ir_id now[RESULTS] = { 0 };
    int count = 0;
    if (nin < 1) return hlo_refuse(r, o, TT_EARG, "%d operands; expected more than %d", o->in.n, first);
    const bool other = c->complex_n && !is_real(r, x[first]);
    const int n = other ? c->complex_n : c->n, *const to = other ? c->complex_to : c->to;
    if (o->to.n != n) return hlo_refuse(r, o, TT_EARG, "%d results; expected %d", o->to.n, n);
    hlo_op whole = { .name = o->name, .at = o->at, .loc = o->loc };
    for (int i = 0; i < nin; i++) *HLO_MORE(r->p->arena, &whole.in) = o->in.v[first + i];
    for (int j = 0; j < n; j++) count = to[j] >= count ? to[j] + 1 : count;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < n; j++)
            if (to[j] == k) *HLO_MORE(r->p->arena, &whole.to) = o->to.v[j];
    if (!old_options(r, o, c, x, &whole)) return false;
    ir_id *const in = BASE_COPY(r->p->arena, x + first, nin);
    /* trsm: the right side is scaled first */
    if (first == 8 && nin == 2) {
        const ir_type *const t = ir_typeof(r->b, in[1]);
        in[1] = op_mul(r->b, in[1], op_broadcast(r->b, x[7], t, 0, NULL));
    }
    if (!in[nin - 1] || !hlo_lapack_call((hlo_span){ c->now, strlen(c->now) })->read(r, &whole, in, now)) return false;
    for (int j = 0; j < n; j++)
        if (!(y[j] = to[j] == WORK ? lapack_zeros(r, o, j) : now[to[j]])) return false;
    return true;
}
const hlo_rule hlo_older = { "an older LAPACK call", old_form };
