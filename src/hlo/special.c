/* hlo/special.c - erfc, lgamma, digamma: computed in f64 and rounded once for narrower floats.
 *
 * erfc is 1 - erf near 0 and exp(-x^2) P(x)/Q(x) beyond 1 (S. Moshier's coefficients, Cephes). lgamma and digamma are
 * Lanczos's sum (g = 7, 9 terms) for x >= 1/2, reflected below. */
#include "inner.h"

#include <math.h>

typedef ir_id value;
#define B(r) ((r)->b)
#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static value num(hlo_reader *r, value like, double v)
{
    const ir_type *const t = ir_typeof(B(r), like);
    return t ? op_broadcast(B(r), op_real(B(r), t->dtype, v), t, 0, NULL) : 0;
}

static value plus(hlo_reader *r, value x, double v) { return op_add(B(r), x, num(r, x, v)); }
static value times(hlo_reader *r, value x, double v) { return op_mul(B(r), x, num(r, x, v)); }

static value horner(hlo_reader *r, value x, int n, const double *c)      /* highest degree first */
{
    value y = num(r, x, c[0]);
    for (int i = 1; i < n; i++) y = plus(r, op_mul(B(r), y, x), c[i]);
    return y;
}

static value bounded(hlo_reader *r, value x, double lo,
                     double hi) { return op_clamp(B(r), num(r, x, lo), x, num(r, x, hi)); }

static value erfc_(hlo_reader *r, value x)
{
    static const double p[] = { 2.46196981473530512524E-10, 5.64189564831068821977E-1, 7.46321056442269912687E0,
                                4.86371970985681366614E1, 1.96520832956077098242E2, 5.26445194995477358631E2,
                                9.34528527171957607540E2, 1.02755188689515710272E3, 5.57535335369399327526E2 };
    static const double q[] = { 1, 1.32281951154744992508E1, 8.67072140885989742329E1, 3.54937778887819891062E2,
                                9.75708501743205489753E2, 1.82390916687909736289E3, 2.24633760818710981792E3,
                                1.65666309194161350182E3, 5.57535340817727675546E2 };
    static const double s[] = { 5.64189583547755073984E-1, 1.27536670759978104416E0, 5.01905042251180477414E0,
                                6.16021097993053585195E0, 7.40974269950448939160E0, 2.97886665372100240670E0 };
    static const double t[] = { 1, 2.26052863220117276590E0, 9.39603524938001434673E0, 1.20489539808096656605E1,
                                1.70814450747565897222E1, 9.60896809063285878198E0, 3.36907645100081516050E0 };
    ir_build *const b = B(r);
    const value a = op_abs(b, x), one = num(r, x, 1);
    const value near = bounded(r, a, 1, 8), far = bounded(r, a, 8, 28), is_far = op_less(b, num(r, x, 8), a);
    const value e = op_exp(b, op_neg(b, op_select(b, is_far, op_mul(b, far, far), op_mul(b, near, near))));
    const value ratio = op_select(b, is_far, op_div(b, horner(r, far, COUNT(s), s), horner(r, far, COUNT(t), t)),
                                  op_div(b, horner(r, near, COUNT(p), p), horner(r, near, COUNT(q), q)));
    const value tail = op_mul(b, e, ratio), two = num(r, x, 2);
    const value out = op_select(b, op_less(b, x, num(r, x, 0)), op_sub(b, two, tail), tail);
    const value inner = op_sub(b, one, op_erf(b, bounded(r, x, -1, 1)));
    const value y = op_select(b, op_less(b, one, a), out, inner);
    return op_select(b, op_compare(b, OP_CMP_NE, x, x), x, y);
}

static const double lanczos[] = { 676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                  771.3234287776530788486528258894,    -176.61502916214059906584551354,
                                  12.507343278686904814458936853,      -0.13857109526572011689554707,
                                  9.984369578019570859563e-6,          1.50563273514931155834e-7 };
static const double lanczos_base = 0.99999999999980993227684700473478;

/* The argument that the sum takes: x - 1, or -x below 1/2. */
static value lanczos_at(hlo_reader *r, value x,
                        value reflect) { return op_select(B(r), reflect, op_neg(B(r), x), plus(r, x, -1)); }
static value below_half(hlo_reader *r, value x) { return op_less(B(r), x, num(r, x, 0.5)); }
static value log_shift(hlo_reader *r, value z) { return plus(r, op_log1p(B(r), times(r, z, 1 / 7.5)), log(7.5)); }

static value lgamma_(hlo_reader *r, value x)
{
    ir_build *const b = B(r);
    const value reflect = below_half(r, x), z = lanczos_at(r, x, reflect);
    value sum = num(r, x, lanczos_base);
    for (int k = 0; k < COUNT(lanczos); k++) sum = op_add(b, sum, op_div(b, num(r, x, lanczos[k]), plus(r, z, k + 1)));
    const value log_t = log_shift(r, z), t = plus(r, z, 7.5);
    const value power = op_mul(b, op_sub(b, plus(r, z, 0.5), op_div(b, t, log_t)), log_t);
    const value y = op_add(b, plus(r, power, 0.91893853320467274178), op_log(b, sum));
    const value a = op_abs(b, x), rest = op_sub(b, a, op_floor(b, a));       /* log |sin pi x| from the fraction */
    const value part = op_select(b, op_less(b, num(r, x, 0.5), rest), op_sub(b, num(r, x, 1), rest), rest);
    const value below = op_sub(b, op_sub(b, num(r, x, log(M_PI)), op_log(b, op_sin(b, times(r, part, M_PI)))), y);
    const value inf = num(r, x, HUGE_VAL);
    return op_select(b, op_equal(b, a, inf), inf, op_select(b, reflect, below, y));
}

static value digamma_(hlo_reader *r, value x)
{
    ir_build *const b = B(r);
    const value reflect = below_half(r, x), z = lanczos_at(r, x, reflect);
    value sum = num(r, x, lanczos_base), slope = num(r, x, 0);
    for (int k = 0; k < COUNT(lanczos); k++) {
        const value d = plus(r, z, k + 1), c = num(r, x, lanczos[k]);
        sum = op_add(b, sum, op_div(b, c, d));
        slope = op_sub(b, slope, op_div(b, c, op_mul(b, d, d)));
    }
    const value t = plus(r, z, 7.5), y = op_sub(b, op_add(b, log_shift(r, z), op_div(b, slope, sum)),
                                                op_div(b, num(r, x, 7), t));
    const value rest = op_sub(b, x, op_floor(b, plus(r, x, 0.5)));           /* the nearest whole number taken away */
    const value angle = times(r, rest, M_PI);
    const value below = op_sub(b, y, op_div(b, times(r, op_cos(b, angle), M_PI), op_sin(b, angle)));
    const value pole = op_and(b, op_compare(b, OP_CMP_LE, x, num(r, x, 0)), op_equal(b, x, op_floor(b, x)));
    return op_select(b, pole, num(r, x, (double)NAN), op_select(b, reflect, below, y));
}

static bool wide(hlo_reader *r, const hlo_op *o, value (*f)(hlo_reader *, value), const ir_id *x, ir_id *y)
{
    const ir_type *const t = o->in.n == 1 ? ir_typeof(r->b, x[0]) : NULL;
    if (!t || !ir_is_float(t->dtype)) return hlo_refuse(r, o, TT_ETYPE, "one operand of real floats");
    const value v = f(r, op_convert(r->b, x[0], TT_F64));
    y[0] = v ? op_convert(r->b, v, t->dtype) : 0;
    return y[0] != 0;
}

static bool erfc_of(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y) { return wide(r, o, erfc_, x, y); }
static bool lgamma_of(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y) { return wide(r, o, lgamma_, x, y); }
static bool digamma_of(hlo_reader *r, const hlo_op *o, const ir_id *x, ir_id *y) { return wide(r, o, digamma_, x, y); }

const hlo_rule hlo_specials[] = {
    { "chlo.erfc", erfc_of }, { "chlo.lgamma", lgamma_of }, { "chlo.digamma", digamma_of }, { NULL, NULL } };
