/* op/elem/integer_pow.c - x to an integer power known at build time, by squaring; a negative power is 1 over the
 * positive one. The products and their order are JAX's. */
#include "../prog/prog.h"
#include "../ops.h"

static void integer_pow_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const int64_t n = IR_ATTR(e, op_integer_pow_attr)->y;
    (void)y;                                             /* dy = n x^(n - 1) dx */
    if (!dx[0] || !n) return;
    const ir_id below = n == 1 ? 0 : ir_emit(b, &prim_integer_pow, &(op_integer_pow_attr){ n - 1 }, 1, x, 0, NULL);
    const ir_id slope = op_splat(b, ir_typeof(b, x[0]), (double)n);
    dy[0] = op_mul(b, dx[0], below ? op_mul(b, slope, below) : slope);
}

/* The products, for any kind of writer w: `times` multiplies two ids; id 0 is none. */
static int power(void *w, int x, uint64_t n, int (*times)(void *, int, int))
{
    int y = 0;
    for (; n; n >>= 1) {
        if (n & 1) y = y ? times(w, y, x) : x;
        if (n > 1) x = times(w, x, x);
    }
    return y;
}

static int times_ir(void *b, int x, int y) { return (int)op_mul(b, (ir_id)x, (ir_id)y); }
static int times_prog(void *t, int x, int y) { return t_mul(t, (op_reg)x, (op_reg)y); }

static uint64_t magnitude(int64_t n) { return n < 0 ? 0 - (uint64_t)n : (uint64_t)n; }

static bool integer_pow_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const int64_t n = IR_ATTR(e, op_integer_pow_attr)->y;
    const ir_id one = op_ones(b, ir_typeof(b, x[0]));
    y[0] = n ? (ir_id)power(b, (int)x[0], magnitude(n), times_ir) : one;
    if (n < 0) y[0] = op_div(b, one, y[0]);
    return y[0] != 0;
}

static op_reg integer_pow_prog(op_prog *t, const ir_eqn *e, const op_reg *x)
{
    const int64_t n = IR_ATTR(e, op_integer_pow_attr)->y;
    const op_reg one = op_imm(t, 1);
    if (!n) return one;
    const op_reg y = (op_reg)power(t, x[0], magnitude(n), times_prog);
    return n < 0 ? t_div(t, one, y) : y;
}

const op_prim prim_integer_pow = {
    .name = "integer_pow", .doc = "x to a whole power", .hlo = "", .call = "", .nin = 1, .nout = 1, .kernel = OP_MAP,
    .attr = sizeof(op_integer_pow_attr), .field = OP_FIELDS(IR_FIELD(op_integer_pow_attr, y, IR_INT)),
    .types = "Z -> Z", .rule = OP_UNARY, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = integer_pow_jvp, .transpose = op_transpose_none, .batch = op_batch_map, .decompose = integer_pow_decompose,
    .ref = op_ref_prog, .exchange = op_exchange_none, .prog = integer_pow_prog,
    .cases = OP_CASES("integer_pow f32[3,4] {y=2}", "integer_pow f32[5] {y=-3}", "integer_pow bf16[5] {y=3}",
                      "integer_pow i32[5] {y=7}", "integer_pow f64[2,0] {y=0}", "integer_pow c64[3] {y=3}",
                      "integer_pow c64[3] {y=-2}"),
};
