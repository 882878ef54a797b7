/* oracle/math.c - kinds `math` and `loss`: functions of lax, jax.numpy, jax.nn and optax that exist here. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

#define ONE(name) { #name, 1, .one = tt_##name##_at }
#define TWO(name) { #name, 2, .two = tt_##name##_at }

static const struct {
    const char *fn;
    int n;
    tt_val (*one)(const char *, tt_val);
    tt_val (*two)(const char *, tt_val, tt_val);
} plain[] = {
    ONE(exp), ONE(log), ONE(log1p), ONE(expm1), ONE(tanh), ONE(erf), ONE(erf_inv), ONE(logistic), ONE(rsqrt),
    ONE(sqrt), ONE(sin), ONE(cos), ONE(floor), ONE(ceil), ONE(sign), ONE(abs), ONE(neg), ONE(is_finite), ONE(square),
    ONE(reciprocal), ONE(relu), ONE(relu6), ONE(silu), ONE(softplus), ONE(log_sigmoid),
    { "bitwise_not", 1, .one = tt_not_at }, ONE(tan), ONE(cbrt), ONE(clz),
    { "population_count", 1, .one = tt_popcnt_at }, ONE(exp2), ONE(log2), ONE(log10), ONE(asin), ONE(acos), ONE(atan),
    ONE(sinh), ONE(cosh), ONE(asinh), ONE(acosh), ONE(atanh), ONE(signbit), ONE(hard_tanh), ONE(hard_sigmoid),
    ONE(erfc), ONE(lgamma), ONE(digamma), ONE(bessel_i0e), ONE(bessel_i1e), ONE(ndtri), TWO(igamma), TWO(igammac),
    TWO(nextafter), ONE(hard_silu), ONE(soft_sign), ONE(squareplus), ONE(selu), ONE(mish), TWO(atan2), TWO(hypot),
    TWO(logaddexp), TWO(copysign), TWO(fmax), TWO(fmin), TWO(heaviside), TWO(add), TWO(sub), TWO(mul),
        TWO(div), TWO(rem),
    TWO(max), TWO(min), TWO(pow), TWO(mod), TWO(floor_divide), { "bitwise_and", 2, .two = tt_and_at },
    { "bitwise_or", 2, .two = tt_or_at }, { "bitwise_xor", 2, .two = tt_xor_at },
    { "shift_left", 2, .two = tt_shl_at }, { "shift_right_logical", 2, .two = tt_shr_at },
    { "shift_right_arithmetic", 2, .two = tt_sar_at },
};

typedef tt_val special(oracle_case *, const json_t *p, tt_val x);

static int axis_of(const json_t *p) { return (int)oracle_int(p, "axis", -1); }
static const char *over(const json_t *p, const char *key)       /* a number or a list of them; NULL: absent */
{
    static char text[64];
    int64_t dim[14];
    const int n = oracle_dims(p, key, dim);
    *text = 0;
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? ", " : "", (int)dim[i]);
    return n < 0 ? NULL : text;
}
static tt_reduce_opts anywhere(const json_t *p)
{
    return (tt_reduce_opts){ .size = sizeof(tt_reduce_opts), .dims = over(p, "axis") };
}
static tt_reduce_opts along(const json_t *p)                     /* the last dim where none is told */
{
    return (tt_reduce_opts){ .size = sizeof(tt_reduce_opts), .dims = oracle_has(p, "axis") ? over(p, "axis") : "-1" };
}

static tt_val do_compare(oracle_case *c, const json_t *p, tt_val x)
{
    static const char *const names[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    for (int i = 0; i < 6; i++)
        if (!strcmp(names[i], oracle_text(p, "op", ""))) return tt_compare_at(0, i, x, oracle_in(c, 1));
    return x;
}
static tt_val do_pow(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_integer_pow_at(0, x, oracle_int(p, "y", 1));
}
static tt_val do_round(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return !strcmp(oracle_text(p, "mode", ""), "away_from_zero") ? tt_round_away(x) : tt_round_even(x);
}
static tt_val do_clamp(oracle_case *c, const json_t *p, tt_val x)
{
    (void)p;
    return tt_clamp(x, oracle_in(c, 1), oracle_in(c, 2));
}
static tt_val do_convert(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_cast_at(0, x, oracle_dtype(oracle_text(p, "to", "")));
}
static tt_val do_bitcast(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_bitcast_at(0, x, oracle_dtype(oracle_text(p, "to", "")));
}
static tt_val do_gelu(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return oracle_flag(p, "approximate") ? tt_gelu(x) : tt_gelu_erf(x);
}

static tt_val do_reduce(oracle_case *c, const json_t *p, tt_val x)
{
    static const struct { const char *op; tt_val (*f)(const char *, tt_val, const tt_reduce_opts *); } t[] = {
        { "sum", tt_sum_at },  { "prod", tt_prod_at }, { "max", tt_amax_at },
        { "min", tt_amin_at }, { "mean", tt_mean_at }, { "var", tt_var_at },
        { "std", tt_std_at },  { "any", tt_any_at },   { "all", tt_all_at },
    };
    const tt_reduce_opts o = { .size = sizeof o, .dims = over(p, "axes"), .keepdims = oracle_flag(p, "keepdims") };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (!strcmp(t[i].op, oracle_text(p, "op", ""))) return t[i].f(0, x, &o);
    oracle_unknown(c, oracle_text(p, "op", "reduce"));
    return x;
}

/* Functions of the last dim, for any axis: the axis is moved to the end and back. */
static tt_val at_last(oracle_case *c, const json_t *p, tt_val x, tt_val (*f)(const char *, tt_val))
{
    if (json_is_array(json_object_get(p, "axis"))) {
        oracle_unknown(c, "functions of several axes");
        return x;
    }
    const int rank = tt_rank(x), axis = axis_of(p) < 0 ? axis_of(p) + rank : axis_of(p);
    int64_t perm[13];
    if (axis == rank - 1) return f(0, x);
    for (int i = 0; i < rank; i++) perm[i] = i == axis ? rank - 1 : i == rank - 1 ? axis : i;
    perm[rank] = TT_DIM_END;
    return tt_transpose_at(0, f(0, tt_transpose_at(0, x, perm)), perm);
}
static tt_val do_softmax(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_softmax_at(0, x, &(tt_softmax_opts){ .size = sizeof(tt_softmax_opts), .dims = along(p).dims });
}
static tt_val do_log_softmax(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_log_softmax_at(0, x, &(tt_softmax_opts){ .size = sizeof(tt_softmax_opts), .dims = along(p).dims });
}
static tt_val do_glu(oracle_case *c, const json_t *p, tt_val x) { return at_last(c, p, x, tt_glu_at); }
static tt_val do_logsumexp(oracle_case *c, const json_t *p, tt_val x)
{
    const tt_reduce_opts o = anywhere(p);
    (void)c;
    return tt_logsumexp_at(0, x, &o);
}
static tt_val do_argmax(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    const tt_reduce_opts o = anywhere(p);
    return tt_argmax_at(0, x, &o);
}
static tt_val do_argmin(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    const tt_reduce_opts o = anywhere(p);
    return tt_argmin_at(0, x, &o);
}
#define CUM(name)                                                                                                      \
    static tt_val do_##name(oracle_case *c, const json_t *p, tt_val x)                                                 \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        return tt_##name##_at(0, x, axis_of(p),                                                                        \
                              &(tt_cum_opts){ .size = sizeof(tt_cum_opts), .reverse = oracle_flag(p, "reverse") });    \
    }
CUM(cumsum) CUM(cumprod) CUM(cummax) CUM(cummin) CUM(cumlogsumexp)
static tt_val do_precision(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_reduce_precision(x, oracle_int(p, "exponent_bits", 8), oracle_int(p, "mantissa_bits", 23));
}
static tt_val do_search(oracle_case *c, const json_t *p, tt_val x)
{
    return tt_searchsorted(x, oracle_in(c, 1), .right = !strcmp(oracle_text(p, "side", "left"), "right"));
}
static tt_val do_select_n(oracle_case *c, const json_t *p, tt_val x)
{
    tt_val choice[9];
    (void)p;
    for (int i = 1; i < c->nin && i < 9; i++) choice[i - 1] = oracle_in(c, i);
    choice[c->nin - 1] = tt_end;
    return tt_select_n_at(0, x, choice);
}
static tt_val do_one_hot(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_one_hot_at(0, x, oracle_int(p, "num_classes", 1), oracle_dtype(oracle_text(p, "dtype", "float32")));
}

static tt_val do_leaky_relu(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_leaky_relu(x, oracle_real(p, "negative_slope", 0.01));
}
static tt_val do_elu(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_elu(x, oracle_real(p, "alpha", 1));
}
static tt_val do_celu(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    return tt_celu(x, oracle_real(p, "alpha", 1));
}
static tt_val do_standardize(oracle_case *c, const json_t *p, tt_val x)
{
    (void)c;
    const tt_reduce_opts o = along(p);
    return tt_standardize_at(0, x, &o);
}

/* Several results. */
static void do_sort(oracle_case *c, const json_t *p, tt_val x)
{
    const tt_sort_opts o = { .size = sizeof o, .keys = (int)oracle_int(p, "num_keys", 1) };
    tt_val all[9];
    for (int i = 0; i < c->nin && i < 8; i++) all[i] = oracle_in(c, i);
    all[c->nin < 8 ? c->nin : 8] = tt_end;
    const tt_val y =
        c->nin == 1 ? tt_sort_at(0, x, axis_of(p), &o) : tt_sort_at(0, tt_tuple_at(0, all), axis_of(p), &o);
    for (int i = 0; i < c->nout; i++) oracle_expect(c, i, c->nin == 1 ? y : tt_item(y, i));
}
static void do_argsort(oracle_case *c, const json_t *p, tt_val x)
{
    int64_t dim[13];
    const int rank = tt_rank(x), axis = axis_of(p) < 0 ? axis_of(p) + rank : axis_of(p);
    for (int i = 0; i < rank; i++) dim[i] = tt_dim(x, i);
    dim[rank] = TT_DIM_END;
    const tt_val y = tt_sort_at(
        0, tt_tuple(x, tt_iota_at(0, TT_I32, axis, dim)), axis,
        &(tt_sort_opts){ .size = sizeof(tt_sort_opts), .keys = 1, .descending = oracle_flag(p, "descending") });
    oracle_expect(c, 0, tt_item(y, 1));
}
static void do_top_k(oracle_case *c, const json_t *p, tt_val x)
{
    const tt_val y = tt_top_k_at(0, x, oracle_int(p, "k", 1));
    for (int i = 0; i < 2; i++) oracle_expect(c, i, tt_item(y, i));
}

static const struct { const char *fn; special *f;
} specials[] = {
    { "compare", do_compare }, { "integer_pow", do_pow }, { "round", do_round }, { "clamp", do_clamp },
    { "convert", do_convert }, { "bitcast_convert", do_bitcast }, { "gelu", do_gelu }, { "reduce", do_reduce },
    { "softmax", do_softmax }, { "log_softmax", do_log_softmax }, { "logsumexp", do_logsumexp },
    { "argmax", do_argmax }, { "argmin", do_argmin }, { "cumsum", do_cumsum }, { "cumprod", do_cumprod },
    { "glu", do_glu }, { "leaky_relu", do_leaky_relu }, { "elu", do_elu }, { "celu", do_celu },
    { "standardize", do_standardize }, { "cummax", do_cummax }, { "cummin", do_cummin }, { "one_hot", do_one_hot },
    { "cumlogsumexp", do_cumlogsumexp }, { "reduce_precision", do_precision }, { "searchsorted", do_search },
    { "select_n", do_select_n },
};
static const struct { const char *fn; void (*f)(oracle_case *, const json_t *, tt_val); } several[] = {
    { "sort", do_sort }, { "argsort", do_argsort }, { "top_k", do_top_k },
};

void oracle_math(oracle_case *c)
{
    const tt_val x = oracle_in(c, 0);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(plain[i].fn, c->fn)) continue;
        oracle_expect(c, 0, plain[i].n == 1 ? plain[i].one(0, x) : plain[i].two(0, x, oracle_in(c, 1)));
        return;
    }
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (strcmp(specials[i].fn, c->fn)) continue;
        const tt_val y = specials[i].f(c, c->params, x);
        if (!c->skipped) oracle_expect(c, 0, y);
        return;
    }
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        if (strcmp(several[i].fn, c->fn)) continue;
        several[i].f(c, c->params, x);
        return;
    }
    oracle_unknown(c, c->fn);
}

/* ---- losses: the values, then gradients of their sum ---- */

typedef tt_val two(const char *, tt_val, tt_val);
typedef struct { two *plain; const char *fn; double number; } loss;      /* number: delta or epsilon */

static tt_val squared_error(const char *site, tt_val a, tt_val b) { return tt_square_at(site, tt_sub_at(site, a, b)); }

static tt_val valued(void *env, int n, const tt_val *x)
{
    const loss *l = env;
    (void)n;
    if (l->plain) return l->plain(0, x[0], x[1]);
    if (!strcmp(l->fn, "smooth_labels")) return tt_smooth_labels(x[0], l->number);
    if (!strcmp(l->fn, "huber_loss")) return tt_huber(x[0], x[1], l->number);
    const tt_val cosine = tt_cosine(x[0], x[1], l->number);
    return !strcmp(l->fn, "cosine_distance") ? tt_sub(tt_f(1), cosine) : cosine;
}

static tt_val total(void *env, int n, const tt_val *x) { return tt_sum(valued(env, n, x)); }

void oracle_loss(oracle_case *c)
{
    static const struct { const char *fn; two *f; const char *number; double usual;
    } t[] = {
        { "softmax_cross_entropy", tt_xent_at, NULL, 0 },
        { "softmax_cross_entropy_with_integer_labels", tt_xent_at, NULL, 0 },
        { "l2_loss", tt_l2_loss_at, NULL, 0 },
        { "squared_error", squared_error, NULL, 0 },
        { "sigmoid_binary_cross_entropy", tt_bce_at, NULL, 0 },
        { "log_cosh", tt_log_cosh_at, NULL, 0 },
        { "hinge_loss", tt_hinge_at, NULL, 0 },
        { "kl_divergence", tt_kl_at, NULL, 0 },
        { "smooth_labels", NULL, "alpha", 0 },
        { "huber_loss", NULL, "delta", 1 },
        { "cosine_similarity", NULL, "epsilon", 0 },
        { "cosine_distance", NULL, "epsilon", 0 },
    };
    const json_t *grad = json_object_get(c->params, "grad");
    size_t i = 0;
    while (i < sizeof t / sizeof *t && strcmp(t[i].fn, c->fn)) i++;
    if (i == sizeof t / sizeof *t) {
        oracle_unknown(c, c->fn);
        return;
    }
    loss l = { t[i].f, t[i].fn, t[i].number ? oracle_real(c->params, t[i].number, t[i].usual) : 0 };
    const tt_val x[2] = { oracle_in(c, 0), c->nin > 1 ? oracle_in(c, 1) : tt_f(0) };
    oracle_expect(c, 0, valued(&l, 2, x));
    for (size_t k = 0; k < json_array_size(grad); k++) {
        char wrt[8];
        snprintf(wrt, sizeof wrt, "%d", (int)json_integer_value(json_array_get(grad, k)));
        oracle_expect(c, 1 + (int)k,
                      tt_call(tt_grad(tt_bind_env("total", total, &l, sizeof l, 2), .wrt = wrt), x[0], x[1]));
    }
}
