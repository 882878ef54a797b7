/* op/shape/iota.c - each element is its own index along one dim. */
#include "../build.h"
#include "../local/local.h"

typedef op_iota_attr iota;

static bool iota_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const iota *a = IR_ATTR(e, iota);
    (void)x;
    if (!op_check_shape(e, "shape", a->shape)) return false;
    if (a->iota_dimension < 0 || a->iota_dimension >= a->shape.n)
        return base_fail(TT_ESHAPE, e->site, "iota: no dim %lld in a value of rank %d", (long long)a->iota_dimension,
                         a->shape.n);
    if (ir_dtype_of(a->dtype)->cls == IR_BOOL_CLASS)
        return base_fail(TT_ETYPE, e->site, "iota: of bool; expected numbers");
    *y = ir_type_of(a->dtype, a->shape.n, a->shape.v);
    return true;
}

static void iota_rules(const ir_eqn *e, op_rule *r)
{
    for (int d = 0; d < IR_OUT(e, 0)->rank; d++) op_dim(r, 0, d, op_factor(r, IR_OUT(e, 0)->dim[d], OP_PASS_THROUGH));
}

static op_reg iota_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    (void)x;
    return op_index(t, (int)IR_ATTR(e, iota)->iota_dimension);
}

static bool iota_pair(ir_build *b, const ir_eqn *e, const op_parts *x, op_parts *y)      /* indices are real */
{
    const ir_type *t = IR_OUT(e, 0), *real = ir_type_of(op_real_dtype(t->dtype), t->rank, t->dim);
    (void)x;
    *y = (op_parts){ op_iota(b, real, (int)IR_ATTR(e, iota)->iota_dimension), op_zeros(b, real) };
    return true;
}

/* In integers, and rounded once, as elements of the whole are. */
static bool iota_local(op_local *e, ir_id *y)
{
    op_iota_attr a = *IR_ATTR(e->e, op_iota_attr);
    const ir_type *const t = op_local_result(e);
    const int d = (int)a.iota_dimension;
    if (!t) return false;
    a.shape = (ir_dims){ t->rank, t->dim };
    if (!op_local_cut(e, 0, d)) return op_local_emit(e, &a, y);
    const ir_id first = op_local_begin(e->p, e->need[0][d], IR_OUT(e->e, 0)->dim[d]);
    y[0] = op_convert(e->p->b, op_local_positions(e->p, t, d, first), a.dtype);
    return y[0] != 0;
}

const op_prim prim_iota = {
    .name = "iota",
    .doc = "indices along a dim",
    .hlo = "stablehlo.iota",
    .call = "",
    .nin = 0,
    .nout = 1,
    .kernel = OP_MAP,
    .attr = sizeof(iota),
    .field =
        OP_FIELDS(IR_FIELD(iota, dtype, IR_DTYPE), IR_FIELD(iota, shape, IR_DIMS),
                  IR_FIELD(iota, iota_dimension, IR_INT)),
    .type = iota_type,
    .rules = iota_rules,
    .linear = op_nonlinear,
    .partial = op_partial_none,
    .jvp = op_jvp_zero,
    .transpose = op_transpose_none,
    .batch = op_batch_none,
    .decompose = op_decompose_none,
    .ref = op_ref_prog,
    .exchange = op_exchange_none,
    .prog = iota_prog, .pair = iota_pair,
    .local = OP_LOCAL(.rule = iota_local),
    .cases = OP_CASES("iota {dtype=f32, shape=[3,4], iota_dimension=1}", "iota {dtype=u8, shape=[300], "
                      "iota_dimension=0}",
                      "iota {dtype=bf16, shape=[2,0], iota_dimension=0}", "iota {dtype=i64, shape=[5], "
                      "iota_dimension=0}",
                      "iota {dtype=c64, shape=[2,3], iota_dimension=1}"),
};
