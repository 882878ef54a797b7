/* op/reduce/fft.c - discrete Fourier transforms of the last dims: FFT and IFFT of complex numbers, RFFT of reals (the
 * non-redundant half of the last dim), IRFFT back to reals.
 *
 * y[k] = sum of x[j] e^(-2 pi i j k / n); the inverse has + in the exponent, and 1 / n. IRFFT reads only the real part
 * of the first and middle column of its last dim. Linear; FFT and IFFT are their own transposes, since cotangents are
 * not conjugated. The transformed dims are never sharded; all others may be sharded. */
#include "../build.h"
#include "../ops.h"

#include <math.h>

static const char *const types[] = { "FFT", "IFFT", "RFFT", "IRFFT", NULL };

static bool fft_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const op_fft_attr *a = IR_ATTR(e, op_fft_attr);
    const ir_dims n = a->fft_length;
    const op_fft how = (op_fft)a->fft_type;
    const int lead = x[0]->rank - n.n;
    const bool real_in = how == OP_RFFT, complex = op_is_complex(x[0]->dtype);
    int64_t dim[IR_RANK];
    if (n.n < 1 || lead < 0)
        return base_fail(TT_ESHAPE, e->site,
                         "fft: %d lengths for an operand of rank %d; expected 1 or more, at most the rank", n.n,
                             x[0]->rank);
    if (real_in ? x[0]->dtype != TT_F32 && x[0]->dtype != TT_F64 : !complex)
        return base_fail(TT_ETYPE, e->site, "fft: %s of %s; expected %s", types[how], ir_dtype_of(x[0]->dtype)->name,
                         real_in ? "f32 or f64" : "complex numbers");
    if (!op_check_shape(e, "fft_length", n)) return false;
    for (int d = 0; d < x[0]->rank; d++) {
        const bool last = d + 1 == x[0]->rank;
        const int64_t size = d < lead ? x[0]->dim[d] : n.v[d - lead];
        const int64_t want = how == OP_IRFFT && last ? size / 2 + 1 : size;
        if (want != x[0]->dim[d] && !(how == OP_IRFFT && last && !size && !x[0]->dim[d]))
            return base_fail(TT_ESHAPE, e->site, "fft: dim %d of the operand has size %lld; expected %lld", d,
                             (long long)x[0]->dim[d], (long long)want);
        dim[d] = how == OP_RFFT && last && size ? size / 2 + 1 : size;
    }
    const tt_dtype as = how == OP_IRFFT ? op_real_dtype(x[0]->dtype) : !real_in ? x[0]->dtype
                        : x[0]->dtype == TT_F32 ? TT_C64 : TT_C128;
    *y = ir_type_of(as, x[0]->rank, dim);
    return true;
}

/* A transformed dim needs replication, yet its layout propagates between both sides, unless its size changes. */
static void fft_rules(const ir_eqn *e, op_rule *r)
{
    const int lead = IR_IN(e, 0)->rank - IR_ATTR(e, op_fft_attr)->fft_length.n;
    for (int d = 0; d < IR_IN(e, 0)->rank; d++) {
        if (IR_IN(e, 0)->dim[d] != IR_OUT(e, 0)->dim[d]) continue;
        const int f = op_factor(r, IR_IN(e, 0)->dim[d], d < lead ? OP_PASS_THROUGH : OP_NEED_REPLICATION);
        op_dim(r, 0, d, f);
        op_dim(r, 1, d, f);
    }
}

static ir_id transformed(ir_build *b, ir_id x, op_fft how, ir_dims length)
{
    return x ? ir_emit(b, &prim_fft, &(op_fft_attr){ how, length }, 1, &x, 0, NULL) : 0;
}

/* The real part of the FFT of c, padded with zeros to the full last dim. */
static ir_id rfft_transpose(ir_build *b, const ir_eqn *e, ir_id c)
{
    const ir_type *t = IR_IN(e, 0), *half = ir_typeof(b, c);
    int64_t lo[IR_RANK] = { 0 }, hi[IR_RANK] = { 0 }, none[IR_RANK] = { 0 };
    hi[t->rank - 1] = t->dim[t->rank - 1] - half->dim[t->rank - 1];
    const ir_id whole = op_pad(b, c, (ir_dims){ t->rank, lo }, (ir_dims){ t->rank, hi }, (ir_dims){ t->rank, none });
    return op_parts_of(b, transformed(b, whole, OP_FFT, IR_ATTR(e, op_fft_attr)->fft_length)).re;
}

/* conj(RFFT of c) / n, with columns between the first and the middle one doubled. */
static ir_id irfft_transpose(ir_build *b, const ir_eqn *e, ir_id c)
{
    const ir_dims length = IR_ATTR(e, op_fft_attr)->fft_length;
    const ir_id z = transformed(b, c, OP_RFFT, length);
    double scale = 1;
    if (!z) return 0;
    for (int d = 0; d < length.n; d++) scale /= (double)length.v[d];
    const ir_type *t = ir_typeof(b, z), *real = ir_type_of(op_real_dtype(t->dtype), t->rank, t->dim);
    const int64_t last = t->rank - 1, n = length.v[length.n - 1];
    const ir_type *place = ir_type_of(TT_I64, t->rank, t->dim);
    const ir_id at = op_iota(b, place, (int)last), twice = op_splat(b, real, 2 * scale), once = op_splat(b, real,
        scale);
    const ir_id first = op_equal(b, at, op_zeros(b, place)), middle = op_equal(b, op_add(b, at, at), op_splat(b, place,
        (double)n));
    const ir_id by = op_select(b, op_or(b, first, middle), once, twice);
    return op_conj(b, op_mul(b, op_convert(b, by, t->dtype), z));
}

static void fft_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const op_fft how = (op_fft)IR_ATTR(e, op_fft_attr)->fft_type;
    if (x[0] || !ct[0]) return;
    if (!ir_count(IR_IN(e, 0)) || !ir_count(IR_OUT(e, 0))) cx[0] = op_zeros(b, IR_IN(e, 0));
    else if (how == OP_RFFT) cx[0] = rfft_transpose(b, e, ct[0]);
    else if (how == OP_IRFFT) cx[0] = irfft_transpose(b, e, ct[0]);
    else cx[0] = ir_clone(b, e, ct);
}

static void fft_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    (void)mapped, (void)n, (void)out;                    /* an additional leading dim */
    y[0] = ir_clone(b, e, x);
}

/* One element, by definition. */
static ir_num fft_element(const ir_eqn *e, const ir_box *x, const int64_t *k)
{
    const op_fft_attr *a = IR_ATTR(e, op_fft_attr);
    const int lead = x->rank - a->fft_length.n, last = x->rank - 1;
    const bool inverse = a->fft_type == OP_IFFT || a->fft_type == OP_IRFFT;
    const int64_t length = a->fft_length.v[a->fft_length.n - 1];
    double re = 0, im = 0, scale = 1;
    ir_box over = *x;
    int64_t j[IR_RANK];
    for (int d = 0; d < lead; d++) over.lo[d] = k[d], over.n[d] = 1;
    for (int d = 0; d < a->fft_length.n; d++) scale *= (double)a->fft_length.v[d];
    for (bool more = ir_first(&over, j); more; more = ir_next(&over, j)) {
        double turns = 0;
        for (int d = lead; d < x->rank; d++) {
            const int64_t n = a->fft_length.v[d - lead];
            turns += (double)(j[d] % n * (k[d] % n) % n) / (double)n;
        }
        const double angle = (inverse ? 2 : -2) * M_PI * (turns - floor(turns)), c = cos(angle), s = sin(angle);
        const ir_num v = ir_load(x, j);
        const double vi = op_is_complex(x->dtype) ? v.c.im : 0;
        const double weight = a->fft_type == OP_IRFFT && j[last] && 2 * j[last] != length ? 2 : 1;
        re += weight * (v.c.re * c - vi * s);
        im += weight * (v.c.re * s + vi * c);
    }
    return inverse ? (ir_num){ .c = { re / scale, im / scale } } : (ir_num){ .c = { re, im } };
}

static bool fft_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    int64_t k[IR_RANK];
    for (bool more = ir_first(y, k); more; more = ir_next(y, k)) ir_store(y, k, fft_element(e, x, k));
    return true;
}

const op_prim prim_fft = {
    .name = "fft", .doc = "discrete Fourier transforms of the last dims", .hlo = "stablehlo.fft", .call = "",
    .nin = 1, .nout = 1, .kernel = OP_REDUCE, .attr = sizeof(op_fft_attr),
    .field = OP_FIELDS({ "fft_type", IR_ENUM, offsetof(op_fft_attr, fft_type), types },
                       IR_FIELD(op_fft_attr, fft_length, IR_DIMS)),
    .type = fft_type, .rules = fft_rules, .linear = op_joint, .partial = op_partial_none, .jvp = op_jvp_linear,
    .transpose = fft_transpose, .batch = fft_batch, .decompose = op_decompose_none, .ref = fft_ref,
    .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("fft c64[3,6] {fft_type=FFT, fft_length=[6]}", "fft c64[2,3,4] {fft_type=IFFT, fft_length=[3,4]}",
                      "fft f32[3,7] {fft_type=RFFT, fft_length=[7]}",
                      "fft f64[2,4,6] {fft_type=RFFT, fft_length=[4,6]}",
                      "fft c64[3,4] {fft_type=IRFFT, fft_length=[6]}",
                      "fft c64[2,3,3] {fft_type=IRFFT, fft_length=[3,5]}",
                      "fft c128[0,5] {fft_type=FFT, fft_length=[5]}"),
};
