/* op/coll/ppermute.c - each position along the axes (row-major, the first axis the most major) receives the value of
 * position source[position], or zeros for -1. No value goes to two positions, so the transpose is the inverse
 * permutation. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef op_ppermute_attr permute;

static bool ppermute_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const permute *a = IR_ATTR(e, permute);
    if (!op_check_group_size(e, a->axes, a->source.n) || !op_must_vary(e, x[0], a->axes, a->unchecked)) return false;
    for (int p = 0; p < a->source.n; p++) {
        const int64_t s = a->source.v[p];
        if (s < -1 || s >= a->source.n)
            return base_fail(TT_EARG, e->site, "ppermute: place %d takes from %lld, but there are %d places", p,
                             (long long)s, a->source.n);
        for (int q = 0; s >= 0 && q < p; q++)
            if (a->source.v[q] == s)
                return base_fail(TT_EARG, e->site, "ppermute: place %lld gives to place %d and to place %d",
                                 (long long)s, q, p);
    }
    *y = x[0];
    return true;
}

static void ppermute_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const permute *a = IR_ATTR(e, permute);
    int64_t *const inverse = IR_NEW(b, int64_t, a->source.n + 1);
    if (x[0] || !ct[0]) return;
    for (int p = 0; p < a->source.n; p++) inverse[p] = -1;
    for (int p = 0; p < a->source.n; p++) if (a->source.v[p] >= 0) inverse[a->source.v[p]] = p;
    cx[0] = ir_emit(b, e->op, &(permute){ a->axes, { a->source.n, inverse }, a->unchecked }, 1, ct, 0, NULL);
}

/* Rows from[0 .. n) of v, zeros for -1: a gather that fills out of range. */
static ir_id ppermute_rows(ir_build *b, ir_id v, int64_t n, const int32_t *from)
{
    const ir_type *const t = ir_typeof(b, v);
    int64_t offset[IR_RANK], size[IR_RANK], zero[1] = { 0 };
    for (int d = 1; d < t->rank; d++) offset[d - 1] = d, size[d] = t->dim[d];
    size[0] = 1;
    const op_gather_attr g = { .offset_dims = { t->rank - 1, offset }, .collapsed_slice_dims = { 1, zero },
                               .start_index_map = { 1, zero }, .index_vector_dim = 1,
                               .slice_sizes = { t->rank, size }, .fill = true };
    const ir_id index = op_const(b, ir_type_of(TT_I32, 2, (const int64_t[]){ n, 1 }), from);
    return ir_emit(b, &prim_gather, &g, 2, (const ir_id[]){ v, index }, 0, NULL);
}

/* Positions are (major, i, minor). For each pair (i, j) of mapped coordinates of target and source, the other
 * coordinates are permuted by a ppermute over the other axes. */
static void ppermute_joint(ir_build *b, const ir_eqn *e, const op_axes *s, ir_id v, int64_t n, int64_t minor, ir_id *y)
{
    const permute *a = IR_ATTR(e, permute);
    const int64_t others = a->source.n / n;
    int64_t *const rest = IR_NEW(b, int64_t, others + 1);
    ir_id *const row = IR_NEW(b, ir_id, n + 1);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {                /* the contribution of element j to mapped element i */
            bool any = false;
            for (int64_t o = 0; o < others; o++) {
                const int64_t p = (o / minor * n + i) * minor + o % minor, q = a->source.v[p];
                const bool here = q >= 0 && q / minor % n == j;
                rest[o] = here ? q / minor / n * minor + q % minor : -1;
                any |= here;
            }
            if (!any && (row[i] || j + 1 < n)) continue;
            const ir_id part = op_at(b, v, op_int(b, TT_I32, j));
            const ir_id got =
                ir_emit(b, e->op, &(permute){ s->rest, { (int)others, rest }, a->unchecked }, 1, &part, 0, NULL);
            row[i] = row[i] && ir_typeof(b, got)->dtype == TT_BOOL ? op_or(b, row[i], got) : op_plus(b, row[i], got);
        }
        row[i] = op_spread(b, row[i], 1);
    }
    y[0] = op_concatenate(b, (int)n, row, 0);
}

static void ppermute_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                           bool *out)
{
    const permute *a = IR_ATTR(e, permute);
    const op_axes s = op_axes_split(b, a->axes);
    int64_t major, minor;
    (void)out;
    if (s.at < 0) {
        y[0] = ir_clone(b, e, x);
        return;
    }
    if (!op_axes_sizes(b, e, &s, a->source.n / n, &major, &minor)) return;
    const ir_id v = mapped[0] ? x[0] : op_spread(b, x[0], n);
    if (s.rest.n) {
        ppermute_joint(b, e, &s, v, n, minor, y);
        return;
    }
    int32_t *const from = IR_NEW(b, int32_t, n + 1);
    for (int64_t p = 0; p < n; p++) from[p] = (int32_t)a->source.v[p];
    y[0] = ppermute_rows(b, v, n, from);
}

static bool ppermute_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    const int64_t s = IR_ATTR(e, permute)->source.v[me];
    int64_t i[IR_RANK];
    (void)n;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i))
        ir_store(y, i, s < 0 ? (ir_num){ 0 } : ir_load(&x[s], i));
    return true;
}

static bool ppermute_exchange(const ir_eqn *e, op_exchange *x)
{
    const permute *a = IR_ATTR(e, permute);
    uint32_t *const source = BASE_NEW(e->fn->arena, uint32_t, a->source.n + 1);
    if (!op_exchange_over(e, a->axes, x)) return false;
    for (int p = 0; p < a->source.n; p++) source[p] = a->source.v[p] < 0 ? ~0u : (uint32_t)a->source.v[p];
    x->source = source;
    x->nsource = a->source.n;
    return true;
}

const op_prim prim_ppermute = {
    .name = "ppermute", .doc = "values change places along axes", .hlo = "stablehlo.collective_permute", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_EXCHANGE, .states = true,
    .attr = sizeof(permute), .field = OP_FIELDS(IR_FIELD(permute, axes, IR_NAMES), IR_FIELD(permute, source, IR_DIMS),
                                                IR_FIELD(permute, unchecked, IR_BOOL)),
    .type = ppermute_type, .rule = "... -> ...", .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = ppermute_transpose, .batch = ppermute_batch, .decompose = op_decompose_none,
    .ref = op_ref_group, .group = ppermute_group, .exchange = ppermute_exchange, .prog = op_prog_none,
    .cases = OP_CASES("ppermute f32[3] {axes=[a], source=[2,0,1], unchecked=true} on a:3",
                      "ppermute i32[2,2] {axes=[a,b], source=[-1,0,5,4,-1,2], unchecked=true} on a:2, b:3"),
};
