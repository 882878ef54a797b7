/* op/coll/extreme.c - common to pmax and pmin: the maximum and the minimum over named axes, NaN if any member's value
 * is NaN. If several members have the extreme value, the derivative is the mean of these members' tangents: the
 * tangents' sum divided by the number of members. */
#include "../build.h"
#include "../ops.h"

typedef op_reduce_axes_attr extreme;

static bool greatest(const ir_eqn *e) { return e->op == &prim_pmax; }

bool op_extreme_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const extreme *a = IR_ATTR(e, extreme);
    ir_type t = *x[0];
    if (!op_must_vary(e, x[0], a->axes, a->unchecked)) return false;
    t.vary &= (mesh_set)~op_over(e, a->axes);
    *y = ir_type_as(&t, t.dtype, t.rank, t.dim);
    return true;
}

void op_extreme_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const extreme *a = IR_ATTR(e, extreme);
    const ir_id here = op_convert(b, op_equal(b, x[0], y[0]), IR_IN(e, 0)->dtype);
    const ir_id sum = op_psum(b, op_mul(b, dx[0], here), a->axes, a->unchecked);
    dy[0] = op_div(b, sum, op_psum(b, here, a->axes, a->unchecked));
}

void op_extreme_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const extreme *a = IR_ATTR(e, extreme);
    const op_axes s = op_axes_split(b, a->axes);
    const op_prim *const fold = greatest(e) ? &prim_max : &prim_min;
    ir_id v = x[0];
    (void)n;
    out[0] = mapped[0] && s.at < 0;
    if (s.at >= 0 && mapped[0]) v = op_reduce_dims(b, fold, v, 1, (const int64_t[]){ 0 });
    y[0] = s.rest.n ? ir_emit(b, e->op, &(extreme){ s.rest, a->unchecked }, 1, &v, 0, NULL) : v;
}

bool op_extreme_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    const mesh_reduce reduce = greatest(e) ? MESH_MAX : MESH_MIN;
    int64_t i[IR_RANK];
    (void)me;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        ir_num s = ir_load(&x[0], i);
        for (int g = 1; g < n; g++) s = op_combine_wide(reduce, y->dtype, s, ir_load(&x[g], i));
        ir_store(y, i, s);
    }
    return true;
}

bool op_extreme_exchange(const ir_eqn *e, op_exchange *x)
{
    if (!op_exchange_over(e, IR_ATTR(e, extreme)->axes, x)) return false;
    x->reduce = greatest(e) ? MESH_MAX : MESH_MIN;
    return true;
}
