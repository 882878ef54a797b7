/* api/complex.c - parts of complex numbers, conjugates, Fourier transforms of the last dim. Leafwise on trees. */
#include "api.h"
#include "../op/ops.h"

typedef struct { op_fft how; int64_t n; } fft_env;

static trace_value *one(base_site site, const op_prim *prim, trace_value *v) { return trace_emit(site, prim, NULL, 1,
    &v); }

/* Zeros with v's dims and real type, weak if v is, also where v is not finite. */
static trace_value *complex_zeros(base_site site, trace_value *v)
{
    trace_value *const no = trace_emit(site, &prim_compare, &(op_compare_attr){ OP_CMP_NE, true }, 2,
                                       (trace_value *[]){ v, v });
    trace_value *const zero = no ? api_cast(site, no, v->type->dtype) : NULL;
    trace_unref(no);
    if (zero && v->weak) zero->weak = true;
    return zero;
}

static trace_value *real_leaf(base_site site, trace_value *v, const void *env)
{
    (void)env;
    return op_is_complex(v->type->dtype) ? one(site, &prim_real, v) : trace_ref(v);
}

static trace_value *imag_leaf(base_site site, trace_value *v, const void *env)
{
    (void)env;
    return op_is_complex(v->type->dtype) ? one(site, &prim_imag, v) : complex_zeros(site, v);
}

static trace_value *conj_leaf(base_site site, trace_value *v, const void *env)
{
    if (!op_is_complex(v->type->dtype)) return trace_ref(v);
    trace_value *const re = real_leaf(site, v, env), *const im = re ? imag_leaf(site, v, env) : NULL;
    trace_value *const down = im ? one(site, &prim_neg, im) : NULL;
    trace_value *const y = down ? trace_emit(site, &prim_complex, NULL, 2, (trace_value *[]){ re, down }) : NULL;
    trace_unref(re), trace_unref(im), trace_unref(down);
    return y;
}

static trace_value *fft_leaf(base_site site, trace_value *v, const void *env)
{
    const fft_env *f = env;
    const tt_dtype d = v->type->dtype;
    if (!v->type->rank) {
        static const char *const name[] = { "fft", "ifft", "rfft", "irfft" };
        base_fail(TT_ESHAPE, site, "%s: of %s; expected rank 1 or more", name[f->how], trace_text(v->type));
        return trace_cite(v), NULL;
    }
    if (f->how == OP_RFFT && (d == TT_C64 || d == TT_C128)) {
        base_fail(TT_ETYPE, site, "rfft: of %s; expected real numbers", trace_text(v->type));
        base_hint("tt_fft takes complex numbers; tt_real leaves the imaginary parts out");
        trace_cite(v);
        return NULL;
    }
    const bool wide = d == TT_F64 || d == TT_C128 || ((d == TT_I64 || d == TT_U64) && trace_x64());
    const tt_dtype real = wide ? TT_F64 : TT_F32, as = f->how == OP_RFFT ? real : wide ? TT_C128 : TT_C64;
    const int64_t n = f->how == OP_IRFFT ? f->n : v->type->dim[v->type->rank - 1];
    trace_value *const x = api_cast(site, v, as);
    const op_fft_attr a = { f->how, { 1, &n } };
    trace_value *const y = x ? trace_emit(site, &prim_fft, &a, 1, &x) : NULL;
    trace_unref(x);
    return y;
}

static tt_val leafwise(base_site site, tt_val v, trace_each *f, const void *env)
{
    trace_value *const x = trace_get(site, v);
    return x ? api_handle(trace_leafwise(site, x, f, env)) : trace_poison;
}

VAL1(tt_real, tt_val, v) { return leafwise(site, v, real_leaf, NULL); }
VAL1(tt_imag, tt_val, v) { return leafwise(site, v, imag_leaf, NULL); }
VAL1(tt_conj, tt_val, v) { return leafwise(site, v, conj_leaf, NULL); }
VAL1(tt_fft, tt_val, v) { return leafwise(site, v, fft_leaf, &(fft_env){ OP_FFT, 0 }); }
VAL1(tt_ifft, tt_val, v) { return leafwise(site, v, fft_leaf, &(fft_env){ OP_IFFT, 0 }); }
VAL1(tt_rfft, tt_val, v) { return leafwise(site, v, fft_leaf, &(fft_env){ OP_RFFT, 0 }); }
VAL2(tt_irfft, tt_val, v, int64_t, n) { return leafwise(site, v, fft_leaf, &(fft_env){ OP_IRFFT, n }); }
