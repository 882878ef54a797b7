/* op/elem/complex.c - x + i y of two reals. Cotangents as in JAX: the cotangents of x and y are re c and -im c. */
#include "../build.h"
#include "../ops.h"

static bool complex_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const tt_dtype d = x[0]->dtype;
    if (x[1]->dtype != d || (d != TT_F32 && d != TT_F64))
        return base_fail(TT_ETYPE, e->site, "complex: parts of types %s and %s; expected both f32, or both f64",
                         ir_dtype_of(d)->name, ir_dtype_of(x[1]->dtype)->name);
    bool same = x[0]->rank == x[1]->rank;
    for (int k = 0; same && k < x[0]->rank; k++) same = x[0]->dim[k] == x[1]->dim[k];
    if (!same)
        return op_expected(e, TT_ESHAPE, "the imaginary part", OP_ONLY, x[1], "the shape of the real part", x[0]);
    *y = ir_type_of(d == TT_F32 ? TT_C64 : TT_C128, x[0]->rank, x[0]->dim);
    return true;
}

static void complex_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)e;
    if (!ct[0]) return;
    const op_parts c = op_parts_of(b, ct[0]);
    if (!x[0]) cx[0] = c.re;
    if (!x[1]) cx[1] = op_neg(b, c.im);
}

static bool complex_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t i[IR_RANK];
    (void)e;
    for (bool more = ir_first(y, i); more; more = ir_next(y, i))
        ir_store(y, i, (ir_num){ .c = { ir_load(&x[0], i).f, ir_load(&x[1], i).f } });
    return true;
}

const op_prim prim_complex = {
    .name = "complex", .doc = "x + i y", .hlo = "stablehlo.complex", .call = "x, y", .nin = 2, .nout = 1,
    .kernel = OP_MOVE,
    .types = "F, F -> F", .type = complex_type, .rule = OP_BINARY, .linear = op_joint, .partial = op_partial_none,
    .jvp = op_jvp_linear,
    .transpose = complex_transpose, .batch = op_batch_map, .decompose = op_decompose_none, .ref = complex_ref,
    .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("complex f32[3,4], f32[3,4]", "complex f64[5], f64[5]", "complex f32[2,0], f32[2,0]"),
};
