/* api/contract.c - matmul, dot and convolution. */
#include "api.h"
#include "../op/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int nb, ns, ra, rb;
    int64_t ab[IR_RANK], bb[IR_RANK], ac[IR_RANK], bc[IR_RANK];
    tt_dtype in, result;
    bool truth;                                          /* of bools: counted in i32, and any of them is true */
    int precision;
} dot_env;

static bool dot_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const dot_env *d = env;
    const op_dot_attr a = { { d->nb, d->ab }, { d->nb, d->bb }, { d->ns, d->ac }, { d->ns, d->bc }, d->result,
                            d->precision };
    const ir_id y = op_dot(b, op_convert(b, in[0], d->in), op_convert(b, in[1], d->in), &a);
    return (out[0] = d->truth ? op_convert(b, y, TT_BOOL) : y) != 0;
}

/* 0: they do not meet */
static tt_dtype contract_dtype(base_site site, const char *what, trace_value *a, trace_value *b)
{
    const trace_dtype t = trace_join(trace_dtype_of(a), trace_dtype_of(b));
    if (!t.dtype) trace_no_join(site, what, 2, (trace_value *[]){ a, b });
    return t.dtype == TT_BOOL ? TT_I32 : t.dtype;
}

static bool of_bools(const trace_value *a, const trace_value *b)
{
    return a->type->dtype == TT_BOOL && b->type->dtype == TT_BOOL;
}

/* ---- how exact ---- */

/* The word's number; -1 with the error set: there is no such word. */
static int precision_word(base_site site, const char *what, const char *word)
{
    const int p = op_precision_of(word);
    if (p >= 0) return p;
    base_fail(TT_EARG, site, "%s \"%s\" is unknown", what, word);
    base_hint_choices("the words are", word, strlen(word), "default, high, highest");
    return -1;
}

static int precision_of(base_site site, const char *call, const char *word)     /* NULL: what is in force */
{
    return word ? precision_word(site, base_format(trace_temp(), "%s: .precision", call), word) : trace_precision();
}

ENTRY0(const char *, "default", api_precision) { return op_precisions[trace_precision()]; }
const char *tt_precision(void) { return api_precision_at(NULL); }

ENTRY1(const char *, NULL, tt_set_precision, const char *, word)
{
    const char *const former = trace_choose_precision(NULL);
    const int p = word ? precision_word(site, "tt_set_precision: the word", word) : 0;
    trace_choose_precision(p < 0 ? former : word ? op_precisions[p] : NULL);
    return former;
}

static tt_val contract_two(base_site site, trace_value *a, trace_value *b) /* cites both */
{
    (void)site;
    trace_cite(a);
    trace_cite(b);
    return trace_poison;
}

/* ---- matmul, as NumPy's ---- */

/* Batch dims of both, the smaller rank's in front missing; a stretched dim is broadcast before the contraction. */
typedef struct { dot_env dot; int rank; int64_t a[IR_RANK], b[IR_RANK]; bool wide_a, wide_b; } matmul_env;

static ir_id contract_widened(ir_build *b, ir_id x, int rank, const int64_t *dim)
{
    const ir_type *t = ir_typeof(b, x);
    int64_t to[IR_RANK];
    if (!t) return 0;
    for (int d = 0; d < t->rank; d++) to[d] = d + rank - t->rank;
    return op_broadcast(b, x, ir_type_as(t, t->dtype, rank, dim), t->rank, to);
}

static bool matmul_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const matmul_env *m = env;
    ir_id x[2] = { in[0], in[1] };
    if (m->wide_a) x[0] = contract_widened(b, x[0], m->rank, m->a);
    if (m->wide_b) x[1] = contract_widened(b, x[1], m->rank, m->b);
    return dot_body(b, x, out, &m->dot);
}

/* The n batch dims of a product, broadcast. False with the error set: they do not broadcast. */
static bool matmul_batch(base_site site, trace_value *a, trace_value *b, int n, int64_t *batch)
{
    const ir_type *p = a->type, *q = b->type;
    const int na = p->rank > 2 ? p->rank - 2 : 0, nb = q->rank > 2 ? q->rank - 2 : 0;
    for (int i = 0; i < n; i++) {
        const int64_t sa = i < n - na ? 1 : p->dim[i - (n - na)], sb = i < n - nb ? 1 : q->dim[i - (n - nb)];
        batch[i] = sa == 1 ? sb : sa;
        if (sa == sb || sa == 1 || sb == 1) continue;
        base_fail(TT_ESHAPE, site, "matmul: batch dims do not broadcast: %lld and %lld", (long long)sa, (long long)sb);
        contract_two(site, a, b);
        return false;
    }
    return true;
}

/* y[m, batch..., n] as [batch..., m, n]; takes over y. */
static trace_value *matmul_rows_last(base_site site, trace_value *y, int nbatch)
{
    int64_t perm[IR_RANK + 1];
    for (int i = 0; i < nbatch; i++) perm[i] = i + 1;
    perm[nbatch] = 0;
    perm[nbatch + 1] = nbatch + 1;
    const op_transpose_attr t = { { nbatch + 2, perm } };
    trace_value *const z = trace_emit(site, &prim_transpose, &t, 1, &y);
    trace_unref(y);
    return z;
}

VAL3(tt_matmul, tt_val, va, tt_val, vb, const tt_matmul_opts *, o)
{
    trace_value *a = trace_array(site, "tt_matmul", va), *b = a ? trace_array(site, "tt_matmul", vb) : NULL, *y = NULL;
    matmul_env m;
    memset(&m, 0, sizeof m);
    if (!b || !API_OPTIONS(site, "tt_matmul", tt_matmul_opts, o)) return trace_poison;
    if ((m.dot.precision = precision_of(site, "matmul", o->precision)) < 0) return trace_poison;
    const ir_type *p = a->type, *q = b->type;
    if (!p->rank || !q->rank) {
        base_fail(TT_ESHAPE, site, "matmul: operand %d is a scalar; expected rank 1 or more", p->rank ? 1 : 0);
        contract_two(site, a, b);
        base_hint("multiply by a scalar with tt_mul");
        return trace_poison;
    }
    const int ka = p->rank - 1, kb = q->rank > 1 ? q->rank - 2 : 0;
    if (p->dim[ka] != q->dim[kb]) {
        base_fail(TT_ESHAPE, site, "matmul: inner dimensions differ: %lld and %lld", (long long)p->dim[ka],
                  (long long)q->dim[kb]);
        return contract_two(site, a, b);
    }
    const int na = p->rank > 2 ? p->rank - 2 : 0, nb = q->rank > 2 ? q->rank - 2 : 0, n = na > nb ? na : nb;
    dot_env *d = &m.dot;
    if (!(d->in = d->result = contract_dtype(site, "matmul", a, b))) return trace_poison;
    d->truth = of_bools(a, b);
    d->ns = 1;
    int64_t batch[IR_RANK];
    if (!matmul_batch(site, a, b, n, batch)) return trace_poison;
    const bool both = p->rank > 1 && q->rank > 1 && na && nb;      /* else the batched one keeps its dims free */
    if (!both) {
        d->ac[0] = ka;
        d->bc[0] = kb;
        if (trace_do(site, matmul_body, &m, sizeof m, 2, (trace_value *[]){ a, b }, 1, &y) && nb && p->rank > 1)
            y = matmul_rows_last(site, y, nb);
    } else {
        m.rank = n + 2;
        d->nb = n;
        for (int i = 0; i < n; i++) m.a[i] = m.b[i] = batch[i], d->ab[i] = d->bb[i] = i;
        m.a[n] = p->dim[ka - 1], m.a[n + 1] = p->dim[ka], m.b[n] = q->dim[kb], m.b[n + 1] = q->dim[kb + 1];
        d->ac[0] = n + 1;
        d->bc[0] = n;
        m.wide_a = na != n || memcmp(batch, p->dim, (size_t)n * sizeof *batch);
        m.wide_b = nb != n || memcmp(batch, q->dim, (size_t)n * sizeof *batch);
        trace_do(site, matmul_body, &m, sizeof m, 2, (trace_value *[]){ a, b }, 1, &y);
    }
    if (y) y->weak = a->weak && b->weak;
    return api_handle(y);
}

/* ---- dot, by numbered dims ---- */

/* "2:1, 3:0" into pairs. */
static int contract_pairs(base_site site, const char *text, const trace_value *a, const trace_value *b, int64_t *x,
    int64_t *y)
{
    int n = 0;
    const char *p = text ? text : "";
    for (bool more = *p; more; p++) {
        long v[2] = { 0, 0 };
        while (isspace((unsigned char)*p)) p++;
        const char *at = p;
        bool good = n < IR_RANK;
        for (int s = 0; s < 2 && good; s++) {
            good = isdigit((unsigned char)*p) || *p == '-';
            v[s] = strtol(p, (char **)&p, 10);
            good = good && v[s] >= -IR_RANK && v[s] < IR_RANK;
            while (isspace((unsigned char)*p)) p++;
            if (!s && (good &= *p == ':')) p++;
            while (!s && isspace((unsigned char)*p)) p++;
        }
        more = *p == ',';
        if (!good || (*p && !more)) {
            base_fail(TT_ETEXT, site, "dot: expected pairs of dims, \"2:1, 3:0\", not \"%s\"", text);
            base_caret(text, (size_t)(at - text));
            return -1;
        }
        const int d = api_dim(site, "tt_dot", a, (int)v[0]), e = d < 0 ? -1 : api_dim(site, "tt_dot", b, (int)v[1]);
        if (e < 0) return -1;
        if (a->type->dim[d] != b->type->dim[e]) {
            base_fail(TT_ESHAPE, site, "dot: dims %d and %d differ: %lld and %lld", d, e, (long long)a->type->dim[d],
                      (long long)b->type->dim[e]);
            contract_two(site, (trace_value *)(uintptr_t)a, (trace_value *)(uintptr_t)b);
            return -1;
        }
        x[n] = d;
        y[n++] = e;
    }
    return n;
}

VAL3(tt_dot, tt_val, va, tt_val, vb, const tt_dot_opts *, o)
{
    trace_value *a = trace_array(site, "tt_dot", va), *b = a ? trace_array(site, "tt_dot", vb) : NULL, *y = NULL;
    dot_env d;
    memset(&d, 0, sizeof d);
    if (!b || !API_OPTIONS(site, "tt_dot", tt_dot_opts, o)) return trace_poison;
    if ((d.nb = contract_pairs(site, o->batch, a, b, d.ab, d.bb)) < 0 ||
        (d.ns = contract_pairs(site, o->sum, a, b, d.ac, d.bc)) < 0)
        return trace_poison;
    if (!(d.in = contract_dtype(site, "dot", a, b))) return trace_poison;
    if ((d.precision = precision_of(site, "dot", o->precision)) < 0) return trace_poison;
    d.result = o->result ? o->result : d.in;
    d.truth = !o->result && of_bools(a, b);
    if (trace_do(site, dot_body, &d, sizeof d, 2, (trace_value *[]){ a, b }, 1, &y))
        y->weak = a->weak && b->weak && !o->result;
    return api_handle(y);
}

/* ---- convolution: NHWC, HWIO ---- */

enum { SPATIAL = IR_RANK - 2 };
typedef struct {
    int n;
    int64_t stride[SPATIAL], low[SPATIAL], high[SPATIAL], spread[SPATIAL], base[SPATIAL], groups;
    tt_dtype dtype;
    int precision;
} conv_env;

static bool conv_body(ir_build *b, const ir_id *in, ir_id *out, const void *env)
{
    const conv_env *c = env;
    int64_t x[SPATIAL], w[SPATIAL], none[SPATIAL] = { 0 };
    const int n = c->n;
    for (int i = 0; i < n; i++) x[i] = i + 1, w[i] = i;
    const op_conv_attr a = {
        .input_batch_dimension = 0,
        .input_feature_dimension = n + 1,
        .input_spatial_dimensions = { n, x },
        .kernel_input_feature_dimension = n,
        .kernel_output_feature_dimension = n + 1,
        .kernel_spatial_dimensions = { n, w },
        .output_batch_dimension = 0,
        .output_feature_dimension = n + 1,
        .output_spatial_dimensions = { n, x },
        .window_strides = { n, c->stride },
        .padding_low = { n, c->low },
        .padding_high = { n, c->high },
        .lhs_dilation = { n, c->base },
        .rhs_dilation = { n, c->spread },
        .window_reversal = { n, none },
        .feature_group_count = c->groups,
        .batch_group_count = 1,
        .preferred_element_type = c->dtype,
        .precision = c->precision,
    };
    const ir_id v[2] = { op_convert(b, in[0], c->dtype), op_convert(b, in[1], c->dtype) };
    return (out[0] = ir_emit(b, &prim_convolution, &a, 2, v, 0, NULL)) != 0;
}

/* "SAME", "VALID" or "1:1, 2:0" per spatial dim. size: of the dim as the window sees it; window: with its dilation. */
bool api_padding(base_site site, const char *what, const char *pad, int n, const int64_t *size, const int64_t *window,
                 const int64_t *stride, int64_t *low, int64_t *high)
{
    const char *p = pad;
    for (int i = 0; i < n; i++) low[i] = high[i] = 0;
    if (!strcmp(pad, "VALID")) return true;
    if (!strcmp(pad, "SAME")) {
        for (int i = 0; i < n; i++) {
            const int64_t out = (size[i] + stride[i] - 1) / stride[i],
                          need = (out - 1) * stride[i] + window[i] - size[i];
            low[i] = need > 0 ? need / 2 : 0;
            high[i] = need > 0 ? need - low[i] : 0;
        }
        return true;
    }
    for (int i = 0; i < n; i++) {
        char *end;
        while (isspace((unsigned char)*p)) p++;
        if (i && *p == ',') p++;
        low[i] = strtol(p, &end, 10);
        const bool good = end != p && *end == ':';
        if (good) p = end + 1, high[i] = strtol(p, &end, 10);
        if (!good || end == p) {
            base_fail(TT_ETEXT, site, "%s: .pad = \"%s\"; expected \"SAME\", \"VALID\" or low:high per dim", what, pad);
            base_caret(pad, (size_t)(p - pad));
            if (isalpha((unsigned char)*p)) return base_hint_choices("the words are", p, strlen(p), "SAME, VALID");
            return base_hint("\"1:1, 2:0\" for %d dims", n);
        }
        p = end;
    }
    while (isspace((unsigned char)*p)) p++;
    if (!*p) return true;
    base_fail(TT_ETEXT, site, "%s: .pad = \"%s\" has more than %d items, one per spatial dim", what, pad, n);
    return base_caret(pad, (size_t)(p - pad));
}

bool api_per_dim(base_site site, const char *what, const char *option, int n, const int64_t x[8])
{
    int given = 0;
    while (given < 8 && x[given]) given++;
    if (!given || given == n) return true;
    base_fail(TT_EARG, site, "%s: .%s has %d number%s for %d spatial dim%s", what, option, given,
              given == 1 ? "" : "s", n, n == 1 ? "" : "s");
    return base_hint("give one for each dim, .%s = { 2, 2 }, or leave it out", option);
}

VAL3(tt_convolve, tt_val, vx, tt_val, vw, const tt_convolve_opts *, o)
{
    trace_value *x = trace_array(site, "tt_convolve", vx), *w = x ? trace_array(site, "tt_convolve", vw) : NULL,
                *y = NULL;
    conv_env c;
    int64_t size[SPATIAL], window[SPATIAL];
    memset(&c, 0, sizeof c);
    if (!w || !API_OPTIONS(site, "tt_convolve", tt_convolve_opts, o)) return trace_poison;
    c.n = x->type->rank - 2;
    c.groups = o->groups ? o->groups : 1;
    if (!(c.dtype = contract_dtype(site, "convolve", x, w))) return trace_poison;
    if ((c.precision = precision_of(site, "convolve", o->precision)) < 0) return trace_poison;
    if (c.n < 1 || c.n > 8 || w->type->rank != x->type->rank) {
        base_fail(TT_ESHAPE, site,
                  "convolve: the image is %s and the kernel %s; expected [N, spatial..., C] and [window..., C, F], of "
                  "one rank", trace_text(x->type), trace_text(w->type));
        return contract_two(site, x, w);
    }
    if (w->type->dim[c.n] * c.groups != x->type->dim[c.n + 1]) {
        base_fail(TT_ESHAPE, site, "convolve: the kernel takes %lld features in %lld group%s, the image has %lld",
                  (long long)w->type->dim[c.n], (long long)c.groups, c.groups == 1 ? "" : "s",
                  (long long)x->type->dim[c.n + 1]);
        return contract_two(site, x, w);
    }
    if (!api_per_dim(site, "convolve", "stride", c.n, o->stride) ||
        !api_per_dim(site, "convolve", "window_dilation", c.n, o->window_dilation) ||
        !api_per_dim(site, "convolve", "base_dilation", c.n, o->base_dilation))
        return trace_poison;
    for (int i = 0; i < c.n; i++) {
        c.stride[i] = o->stride[i] ? o->stride[i] : 1;
        c.spread[i] = o->window_dilation[i] ? o->window_dilation[i] : 1;
        c.base[i] = o->base_dilation[i] ? o->base_dilation[i] : 1;
        const int64_t d = x->type->dim[i + 1], k = w->type->dim[i];
        size[i] = d ? (d - 1) * c.base[i] + 1 : 0;
        window[i] = k ? (k - 1) * c.spread[i] + 1 : 0;
    }
    if (!api_padding(site, "convolve", o->pad ? o->pad : "SAME", c.n, size, window, c.stride, c.low, c.high))
        return trace_poison;
    if (trace_do(site, conv_body, &c, sizeof c, 2, (trace_value *[]){ x, w }, 1, &y)) y->weak = x->weak && w->weak;
    return api_handle(y);
}
