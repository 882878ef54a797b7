/* hlo/read/legacy.c - operations that printers no longer emit, expressed by current ones: einsum and unary_einsum,
 * torch_index_select, and CHLO's operations that broadcast their operands first (chlo.broadcast_add etc.). */
#include "../inner.h"
#include "../../op/ops.h"

#include <string.h>

/* ---- einsum: "ab,bc->ac" ---- */

typedef struct { const char *at; int n; } labels;        /* one letter per dim */

static bool letters(labels *l, const char **p, const char *end)
{
    *l = (labels){ *p, 0 };
    for (; *p < end && ((**p >= 'a' && **p <= 'z') || (**p >= 'A' && **p <= 'Z')); ++*p, l->n++)
        if (memchr(l->at, **p, (size_t)l->n)) return false;
    return l->n <= IR_RANK;
}

static int legacy_index_of(const labels *l, char c)
{
    const char *const at = l->n ? memchr(l->at, c, (size_t)l->n) : NULL;
    return at ? (int)(at - l->at) : -1;
}

/* x summed over the dims whose labels are neither in `stays` nor in `other`; updates the labels. */
static ir_id legacy_summed(hlo_reader *r, ir_id x, labels *l, char *buffer, const labels *stays, const labels *other)
{
    int64_t over[IR_RANK];
    int n = 0, kept = 0;
    for (int d = 0; d < l->n; d++) {
        if (legacy_index_of(stays, l->at[d]) < 0 && (!other || legacy_index_of(other, l->at[d]) < 0)) over[n++] = d;
        else buffer[kept++] = l->at[d];
    }
    *l = (labels){ buffer, kept };
    return n ? op_reduce_dims(r->b, &prim_add, x, n, over) : x;
}

static ir_id transposed_to(hlo_reader *r, ir_id x, const labels *has, const labels *wants)
{
    int64_t perm[IR_RANK];
    for (int d = 0; d < wants->n; d++) perm[d] = legacy_index_of(has, wants->at[d]);
    return x ? op_transpose(r->b, x, perm) : 0;
}

static bool einsum(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const hlo_span s = hlo_choice(&o->attr, "einsum_config");
    const char *p = s.at, *const end = s.at + s.n;
    const int n = hlo_is(o->name, "stablehlo.einsum") ? 2 : 1;
    labels l[2] = { { 0 } }, to;
    char buffer[3][IR_RANK + 1];
    bool ok = o->in.n == n && hlo_result(o, 0) && letters(&l[0], &p, end);
    if (ok && n == 2) ok = p < end && *p++ == ',' && letters(&l[1], &p, end);
    ok = ok && end - p >= 2 && *p++ == '-' && *p++ == '>' && letters(&to, &p, end) && p == end;
    for (int i = 0; i < n; i++) ok = ok && l[i].n == ir_typeof(r->b, x[i])->rank;
    for (int d = 0; ok && d < to.n; d++) ok = legacy_index_of(&l[0], to.at[d]) >= 0 ||
        (n == 2 && legacy_index_of(&l[1], to.at[d]) >= 0);
    if (!ok) return hlo_refuse(r, o, TT_EARG, "einsum_config: a letter per dim, none twice in a value, such as "
                                              "ab,bc->ac");
    ir_id v[2] = { legacy_summed(r, x[0], &l[0], buffer[0], &to, n == 2 ? &l[1] : NULL), 0 };
    if (n == 1) return (y[0] = transposed_to(r, v[0], &l[0], &to)) != 0;
    v[1] = legacy_summed(r, x[1], &l[1], buffer[1], &to, &l[0]);
    int64_t dim[4][IR_RANK], ndim[2] = { 0 };
    int all = 0;
    /* in both operands: batch dims come first in the result; others are contracted */
    for (int d = 0; d < l[0].n; d++) {
        const int other = legacy_index_of(&l[1], l[0].at[d]), batch = legacy_index_of(&to, l[0].at[d]) >= 0;
        if (other < 0) continue;
        dim[2 * batch][ndim[batch]] = d, dim[2 * batch + 1][ndim[batch]++] = other;
        if (batch) buffer[2][all++] = l[0].at[d];
    }
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < l[i].n; d++) if (legacy_index_of(&l[1 - i], l[i].at[d]) < 0) buffer[2][all++] = l[i].at[d];
    const op_dot_attr a = { { (int)ndim[1], dim[2] }, { (int)ndim[1], dim[3] }, { (int)ndim[0], dim[0] },
                            { (int)ndim[0], dim[1] }, hlo_result(o, 0)->dtype, OP_DEFAULT };
    const labels has = { buffer[2], all };
    ir_id z;
    return v[0] && v[1] && hlo_emit(r, &prim_dot_general, &a, 2, v, &z) && (y[0] = transposed_to(r, z, &has, &to)) != 0;
}

/* ---- torch_index_select: operand[..., index, ...] along dim; the first batch_dims dims are paired ---- */

static bool index_select(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    const int64_t dim = hlo_int(r, o, &o->attr, "dim", 0), batch = hlo_int(r, o, &o->attr, "batch_dims", 0);
    const ir_type *const t = o->in.n == 2 ? ir_typeof(r->b, x[0]) : NULL, *const i = t ? ir_typeof(r->b, x[1]) : NULL;
    int64_t both[IR_RANK], offset[IR_RANK], size[IR_RANK];
    int n = 0;
    if (r->bad) return false;
    if (!t || batch < 0 || batch > dim || dim >= t->rank || batch > i->rank)
        return hlo_refuse(r, o, TT_EARG,
                          "expected an operand, indices, and batch_dims <= dim < the rank of the operand");
    for (int d = 0; d < t->rank; d++) size[d] = d == dim || d < batch ? 1 : t->dim[d];
    for (int d = 0; d < batch; d++) both[d] = d;
    for (int64_t d = batch; d < dim; d++) offset[n++] = d;
    for (int64_t d = dim + 1; d < t->rank; d++) offset[n++] = d - 1 + i->rank - batch;
    const op_gather_attr a = { .offset_dims = { n, offset },
                               .collapsed_slice_dims = { 1, &dim },
                               .operand_batching_dims = { (int)batch, both },
                               .start_indices_batching_dims = { (int)batch, both },
                               .start_index_map = { 1, &dim },
                               .index_vector_dim = i->rank,
                               .slice_sizes = { t->rank, size } };
    return hlo_emit(r, &prim_gather, &a, 2, x, y);
}

/* ---- chlo.broadcast_add: dims of lower-rank operands map to broadcast_dimensions, else to the last dims; size 1 is
 * repeated ---- */

static ir_id legacy_widened(hlo_reader *r, const hlo_op *o, ir_id x, const ir_type *to)
{
    const ir_type *const t = ir_typeof(r->b, x);
    const hlo_attr *const said = hlo_find(&o->attr, "broadcast_dimensions");
    int64_t dims[IR_RANK], kept[IR_RANK], size[IR_RANK];
    int n = 0;
    if (t->rank > to->rank)
        return hlo_refuse(r, o, TT_ESHAPE, "an operand of rank %d; expected at most %d, that of the result", t->rank,
                          to->rank), 0;
    ir_dims at = { t->rank, dims };
    for (int d = 0; d < t->rank; d++) dims[d] = to->rank - t->rank + d;
    if (said && t->rank < to->rank) at = hlo_dims(r, o, &o->attr, "broadcast_dimensions", 0, 0);
    if (r->bad || at.n != t->rank)
        return r->bad ? 0 : (hlo_refuse(r, o, TT_ESHAPE,
                                        "broadcast_dimensions has %d dims; expected %d, one per dim of the operand",
                                            at.n, t->rank), 0);
    for (int d = 0; d < t->rank; d++) {
        if (at.v[d] < 0 || at.v[d] >= to->rank) return hlo_refuse(r, o, TT_ESHAPE,
            "broadcast_dimensions names dim %lld; expected 0 to %d", (long long)at.v[d], to->rank - 1), 0;
        if (t->dim[d] == 1 && to->dim[at.v[d]] != 1) continue;
        kept[n] = at.v[d], size[n++] = t->dim[d];
    }
    return op_broadcast(r->b, op_reshape(r->b, x, n, size), ir_type_of(t->dtype, to->rank, to->dim), n, kept);
}

static bool broadcasting(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y)
{
    static const char *const of_chlo[] = { "next_after", "polygamma", "zeta" };
    const hlo_span what = { o->name.at + 15, o->name.n - 15 };           /* the part after "chlo.broadcast_" */
    const ir_type *const t = hlo_result(o, 0);
    ir_id in[3];
    hlo_op plain = *o;
    bool chlo = false;
    if (!t || o->in.n < 2 || o->in.n > 3)
        return hlo_refuse(r, o, TT_EARG, "expected 2 or 3 operands, not %d, and the result's type", o->in.n);
    for (size_t i = 0; i < sizeof of_chlo / sizeof *of_chlo; i++) chlo |= hlo_is(what, of_chlo[i]);
    for (int i = 0; i < o->in.n; i++) if (!(in[i] = legacy_widened(r, o, x[i], t))) return false;
    const char *const name = base_format(r->p->arena, "%s.%.*s", chlo ? "chlo" : "stablehlo", HLO_SPAN(what));
    plain.name = (hlo_span){ name, strlen(name) };
    return hlo_meaning(r, &plain, in, y);
}

#define WIDE(name) { "chlo.broadcast_" name, broadcasting }
const hlo_rule hlo_old[] = {
    { "stablehlo.einsum", einsum },
    { "stablehlo.unary_einsum", einsum },
    { "stablehlo.torch_index_select", index_select },
    WIDE("add"), WIDE("and"), WIDE("atan2"), WIDE("compare"), WIDE("complex"), WIDE("divide"), WIDE("maximum"),
    WIDE("minimum"), WIDE("multiply"), WIDE("next_after"), WIDE("or"), WIDE("polygamma"), WIDE("power"),
    WIDE("remainder"), WIDE("select"), WIDE("shift_left"), WIDE("shift_right_arithmetic"),
    WIDE("shift_right_logical"), WIDE("subtract"), WIDE("xor"), WIDE("zeta"),
    { NULL, NULL },
};
