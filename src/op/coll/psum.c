/* op/coll/psum.c - the sum over named axes. Checked: a value that varies over the axes becomes equal on all devices,
 * and the transpose is the cast back (to_varying). Unchecked, as under pmap: the transpose is psum, since the number of
 * devices that use the sum is unknown. */
#include "../build.h"
#include "../ops.h"

typedef op_reduce_axes_attr psum;

static bool psum_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const psum *a = IR_ATTR(e, psum);
    ir_type t = *x[0];
    if (t.dtype == TT_BOOL) {
        base_fail(TT_ETYPE, e->site, "psum of bool values; expected numbers");
        return base_hint("tt_cast(v, TT_I32) makes numbers of bools");
    }
    if (!op_must_vary(e, x[0], a->axes, a->unchecked)) return false;
    t.vary &= (mesh_set)~op_over(e, a->axes);
    t.partial &= (mesh_set)~op_over(e, a->axes);
    if (!t.partial) t.reduce = MESH_NONE;
    *y = ir_type_as(&t, t.dtype, t.rank, t.dim);
    return true;
}

static void psum_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const psum *a = IR_ATTR(e, psum);
    if (x[0] || !ct[0]) return;
    cx[0] = a->unchecked ? ir_clone(b, e, ct) : op_to_varying(b, ct[0], a->axes);
}

static void psum_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const psum *a = IR_ATTR(e, psum);
    const op_axes s = op_axes_split(b, a->axes);
    ir_id v = x[0];
    out[0] = mapped[0] && s.at < 0;                      /* not summed over the mapped axis: it is kept */
    if (s.at >= 0)                                       /* else: reduce it, or multiply by the number of copies */
        v = mapped[0] ? op_reduce_dims(b, &prim_add, v, 1, (const int64_t[]){ 0 })
                      : op_mul(b, v, op_splat(b, IR_IN(e, 0), (double)n));
    y[0] = s.rest.n ? ir_emit(b, e->op, &(psum){ s.rest, a->unchecked }, 1, &v, 0, NULL) : v;
}

static bool psum_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK];
    (void)e; (void)me;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i)) {
        ir_num s = ir_load(&x[0], i);                    /* in order of positions: the same bits for any engine */
        for (int g = 1; g < n; g++) s = op_combine_wide(MESH_SUM, y->dtype, s, ir_load(&x[g], i));
        ir_store(y, i, s);
    }
    return true;
}

static bool psum_exchange(const ir_eqn *e, op_exchange *x)
{
    if (!op_exchange_over(e, IR_ATTR(e, psum)->axes, x)) return false;
    x->reduce = MESH_SUM;
    return true;
}

const op_prim prim_psum = {
    .name = "psum", .doc = "sum over mesh or mapped axes", .hlo = "stablehlo.all_reduce", .call = "",
    .nin = 1, .nout = 1, .nsub = 0, .kernel = OP_EXCHANGE, .states = true,
    .attr = sizeof(psum), .field = OP_FIELDS(IR_FIELD(psum, axes, IR_NAMES), IR_FIELD(psum, unchecked, IR_BOOL)),
    .type = psum_type, .rule = "... -> ...", .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear, .transpose = psum_transpose, .batch = psum_batch, .decompose = op_decompose_none,
    .ref = op_ref_group, .group = psum_group, .exchange = psum_exchange, .prog = op_prog_none,
    .cases = OP_CASES("psum f32[3] {axes=[a], unchecked=true} on a:2",
                      "psum i32[2,2] {axes=[a,b], unchecked=true} on a:2, b:3"),
};
