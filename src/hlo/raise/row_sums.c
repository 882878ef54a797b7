/* hlo/raise/row_sums.c - brings softmax, norms and their gradients, as JAX spells them, into the form for which the
 * engine keeps rows in its cache: one kernel of elementwise equations and reductions of complete rows
 * (gen/rows/rows.c).
 *
 * The derivative of a broadcast [n, 1] -> [n, k] is printed as a sum of [n, k] over k, followed by a sum of [n, 1] over
 * the dim of size 1. The latter is not a reduction of rows but elementwise: x[i, 0] combined with the initial value. */
#include "../inner.h"
#include "raise.h"
#include "../../op/ops.h"

/* the primitive by which a reducer combines two values; NULL: other */
static const op_prim *meeting(const ir_eqn *e)
{
    switch (op_monoid(e->sub[0])) {
    case MESH_SUM:  return &prim_add;
    case MESH_PROD: return &prim_mul;
    case MESH_MAX:  return &prim_max;
    case MESH_MIN:  return &prim_min;
    default:        return NULL;
    }
}

static bool of_ones(const ir_eqn *e)                     /* True if a reduction of one operand over dims of size 1 */
{
    if (e->op != &prim_reduce || e->nin != 2 || !meeting(e)) return false;
    const ir_dims over = IR_ATTR(e, op_reduce_attr)->dimensions;
    for (int k = 0; k < over.n; k++) if (IR_IN(e, 0)->dim[over.v[k]] != 1) return false;
    const ir_dtype *const d = ir_dtype_of(IR_IN(e, 0)->dtype);
    return d->cls != IR_BOOL_CLASS && d->cls != IR_COMPLEX_CLASS && d->bytes > 1;
}

static bool row_sums_applies(hlo_pass *p, const ir_fn *f)
{
    (void)p;
    for (uint32_t k = 0; k < f->neqn; k++) if (of_ones(&f->eqn[k])) return true;
    return false;
}

static bool row_sums_raised(hlo_pass *p, ir_build *b, const ir_eqn *e, const ir_id *in, ir_fn *const *sub, ir_id *out,
                            bool *failed)
{
    (void)sub;
    if (!of_ones(e)) return false;
    const ir_type *const t = IR_OUT(e, 0);
    const ir_id first = op_broadcast(b, in[1], ir_type_of(t->dtype, t->rank, t->dim), 0, NULL);
    const ir_id x[] = { first, hlo_reshaped(b, in[0], t->rank, t->dim) };
    out[0] = ir_emit(b, meeting(e), NULL, 2, x, 0, NULL);
    *failed = !out[0];
    p->found++;
    return true;
}

ir_fn *hlo_row_sums(base_arena *a, const ir_fn *f, int *found)
{
    hlo_pass p = { .arena = a, .applies = row_sums_applies, .equation = row_sums_raised };
    ir_fn *const g = hlo_rewritten(&p, f);
    if (found) *found = p.found;
    return g;
}
