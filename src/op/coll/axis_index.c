/* op/coll/axis_index.c - the coordinate along named axes, row-major over them, the first the most major: i32[]. */
#include "../build.h"
#include "../ops.h"

typedef op_axis_attr attr;

static bool axis_index_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const attr *a = IR_ATTR(e, attr);
    const ir_type *const t = ir_type_of(TT_I32, 0, NULL);
    (void)x;
    *y = a->unchecked ? t : ir_type_vary(t, op_over(e, a->axes));
    return true;
}

static void axis_index_rules(const ir_eqn *e, op_rule *r) { (void)e; (void)r; }        /* no dims */

static ir_id index_over(ir_build *b, const ir_eqn *e, ir_names axes)
{
    return ir_emit(b, e->op, &(attr){ axes, IR_ATTR(e, attr)->unchecked }, 0, NULL, 0, NULL);
}

/* The index is ((major * n) + i) * size + minor, size the number of members over the minor axes. */
static void axis_index_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                             bool *out)
{
    const op_axes s = op_axes_split(b, IR_ATTR(e, attr)->axes);
    const ir_type *const t = ir_type_of(TT_I32, 1, &n);
    (void)x; (void)mapped; (void)out;
    ir_id v = op_iota(b, t, 0);
    if (s.major.n)
        v = op_add(b, v, op_broadcast(b, op_mul(b, index_over(b, e, s.major), op_int(b, TT_I32, n)), t, 0, NULL));
    if (s.minor.n) {
        const int64_t size = op_part(b, s.minor, 0);
        if (!size) {
            base_fail(TT_ETRACE, e->site, "axis_index over several mapped axes at once");
            base_hint("take the index of each axis and put them together");
            return;
        }
        v = op_mul(b, v, op_splat(b, t, (double)size));
        v = op_add(b, v, op_broadcast(b, index_over(b, e, s.minor), t, 0, NULL));
    }
    y[0] = v;
}

static bool axis_index_group(const ir_eqn *e, int n, int me, const ir_box *x, const ir_box *y)
{
    (void)e; (void)n; (void)x;
    ir_store(y, (const int64_t[]){ 0 }, (ir_num){ .i = me });
    return true;
}

static bool axis_index_exchange(const ir_eqn *e, op_exchange *x)
{
    if (!op_exchange_over(e, IR_ATTR(e, attr)->axes, x)) return false;
    x->index = true;
    return true;
}

const op_prim prim_axis_index = {
    .name = "axis_index", .doc = "the place along mesh or mapped axes", .hlo = "", .call = "",
    .nin = 0, .nout = 1, .nsub = 0, .kernel = OP_EXCHANGE, .states = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, axes, IR_NAMES), IR_FIELD(attr, unchecked, IR_BOOL)),
    .type = axis_index_type, .rules = axis_index_rules, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = op_jvp_zero, .transpose = op_transpose_none, .batch = axis_index_batch, .decompose = op_decompose_none,
    .ref = op_ref_group, .group = axis_index_group, .exchange = axis_index_exchange, .prog = op_prog_none,
    .cases = OP_CASES("axis_index {axes=[a], unchecked=true} on a:2",
                      "axis_index {axes=[b,a], unchecked=true} on a:2, b:3"),
};
