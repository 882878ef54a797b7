/* oracle/numpy.c - kind `numpy`: functions by place, of folds with `where`, norms, sets, pads, joins, jacobians, scans.
 * A function is a row of the table; it gives a value whose leaves are the outputs. Gradients (params.grad) are those of
 * the sum of cos of the real parts of all floats.
 *
 * Longer than 400 lines: one suite of goldens: a function for each of its kinds, and their table. */
#include "kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };
typedef struct {
    oracle_case *c;
    const json_t *p;
    const char *fn;
} numpy_call;
typedef tt_val function(const numpy_call *q, int n, const tt_val *x);

/* ---- arguments ---- */

/* "1" or "0, 2" of a number or a list; NULL: absent or null. */
static const char *numpy_axis(const json_t *p)
{
    static char text[64];
    int64_t dim[14];
    const int n = oracle_has(p, "axis") ? oracle_dims(p, "axis", dim) : -1;
    *text = 0;
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? ", " : "", (int)dim[i]);
    return n < 0 ? NULL : text;
}
static const char *numpy_word(const json_t *p, const char *key)
{
    return oracle_has(p, key) ? oracle_text(p, key, "") : NULL;
}
static int64_t numpy_int(const json_t *p, const char *key) { return oracle_int(p, key, 0); }

/* bool [m, n, 1] of a list of lists of 0 and 1; unset: none. */
static tt_val numpy_mask(const json_t *p)
{
    bool to[64];
    const json_t *rows = json_object_get(p, "where");
    int64_t n = 0;
    const int64_t m = (int64_t)json_array_size(rows);
    for (int64_t r = 0; r < m; r++)
        for (size_t k = 0; k < json_array_size(json_array_get(rows, (size_t)r)) && n < 64; k++)
            to[n++] = json_integer_value(json_array_get(json_array_get(rows, (size_t)r), k)) != 0;
    return m ? tt_array(TT_BOOL, to, m, n / m, 1) : (tt_val){ 0 };
}

/* An integer as a C integer, so that a fold of integers takes it. */
static tt_val numpy_number(const json_t *p, const char *key)
{
    const double x = oracle_real(p, key, 0);
    return !oracle_has(p, key) ? (tt_val){ 0 } : x == floor(x) ? tt_i((int64_t)x) : tt_f(x);
}
static tt_reduce_opts numpy_fold(const json_t *p)
{
    return (tt_reduce_opts){ .size = sizeof(tt_reduce_opts),
                             .dims = numpy_axis(p),
                             .keepdims = oracle_flag(p, "keepdims"),
                             .where = numpy_mask(p),
                             .initial = numpy_number(p, "initial") };
}

/* ---- by place ---- */

/* "text, a, b": the arguments' texts, as the macros write them. */
static const char *numpy_names(const json_t *p, const char *before, char to[160])
{
    const json_t *names = json_object_get(p, "names");
    snprintf(to, 160, "%s", before);
    for (size_t i = 0; i < json_array_size(names); i++)
        snprintf(to + strlen(to), 160 - strlen(to), ", %s", json_string_value(json_array_get(names, i)));
    return to;
}
static tt_val do_at(const numpy_call *q, int n, const tt_val *x)
{
    char names[160];
    tt_val index[MOST] = { tt_end };
    for (int i = 1; i < n; i++) index[i - 1] = x[i], index[i] = tt_end;
    return tt_at_at(0, x[0], oracle_text(q->p, "text", ""), numpy_names(q->p, "text", names), index);
}
static tt_val do_at_put(const numpy_call *q, int n, const tt_val *x)
{
    char names[160];
    tt_val index[MOST] = { tt_end };
    for (int i = 2; i < n; i++) index[i - 2] = x[i], index[i - 1] = tt_end;
    return tt_at_put_at(0, oracle_text(q->p, "how", ""), x[0], oracle_text(q->p, "text", ""), x[1],
                        numpy_names(q->p, "text, u", names), index);
}
static tt_val do_dynamic_slice(const numpy_call *q, int n, const tt_val *x)
{
    int64_t size[14];
    (void)n;
    oracle_dims(q->p, "sizes", size);
    return tt_dynamic_box_at(0, x[0], x[1], size);
}
static tt_val do_dynamic_update(const numpy_call *q, int n, const tt_val *x)
{
    (void)q, (void)n;
    return tt_dynamic_update_box(x[0], x[1], x[2]);
}

/* ---- arrays by rule ---- */

static tt_val do_arange(const numpy_call *q, int n, const tt_val *x)
{
    double at[4];
    const json_t *list = json_object_get(q->p, "at");
    const size_t m = json_array_size(list);
    (void)n, (void)x;
    for (size_t i = 0; i < m && i < 3; i++) at[i] = json_number_value(json_array_get(list, i));
    at[m < 3 ? m : 3] = TT_REALS_END;
    return tt_arange_of_at(0, oracle_dtype(oracle_text(q->p, "dtype", "")), at);
}
static tt_val do_triangle(const numpy_call *q, int n, const tt_val *x)
{
    const tt_tri_opts o = {
        .size = sizeof o, .given = ".columns", .k = numpy_int(q->p, "k"), .columns = numpy_int(q->p, "columns")
    };
    (void)n, (void)x;
    return (q->fn[3] == 'l' ? tt_tril_indices_at : tt_triu_indices_at)(0, numpy_int(q->p, "n"), &o);
}
static tt_val do_diagonal(const numpy_call *q, int n, const tt_val *x)
{
    (void)n, (void)x;
    return tt_diag_indices(numpy_int(q->p, "n"));
}
static tt_val do_frequencies(const numpy_call *q, int n, const tt_val *x)
{
    (void)n, (void)x;
    return (q->fn[0] == 'f' ? tt_fftfreq_at : tt_rfftfreq_at)(0, numpy_int(q->p, "n"), oracle_real(q->p, "d", 1));
}

/* ---- folds, norms, vectors ---- */

static tt_val do_fold(const numpy_call *q, int n, const tt_val *x)
{
    static const struct {
        const char *fn;
        tt_val (*f)(const char *, tt_val, const tt_reduce_opts *);
    } t[] = {
        { "sum", tt_sum_at },
        { "prod", tt_prod_at },
        { "mean", tt_mean_at },
        { "var", tt_var_at },
        { "std", tt_std_at },
        { "max", tt_amax_at },
        { "min", tt_amin_at },
        { "any", tt_any_at },
        { "all", tt_all_at },
        { "nansum", tt_nansum_at },
        { "nanprod", tt_nanprod_at },
        { "nanmean", tt_nanmean_at },
        { "nanmax", tt_nanmax_at },
        { "nanmin", tt_nanmin_at },
        { "nanvar", tt_nanvar_at },
        { "nanstd", tt_nanstd_at },
        { "count_nonzero", tt_count_nonzero_at },
        { "logsumexp", tt_logsumexp_at },
    };
    const tt_reduce_opts o = numpy_fold(q->p);
    (void)n;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (!strcmp(t[i].fn, q->fn)) return t[i].f(0, x[0], &o);
    return tt_end;
}
static tt_val do_softmax(const numpy_call *q, int n, const tt_val *x)
{
    const tt_softmax_opts o = { .size = sizeof o, .dims = numpy_axis(q->p), .where = numpy_mask(q->p) };
    (void)n;
    return (q->fn[0] == 's' ? tt_softmax_at : tt_log_softmax_at)(0, x[0], &o);
}
static tt_val do_norm(const numpy_call *q, int n, const tt_val *x)
{
    const tt_ord_opts o = { .size = sizeof o,
                            .ord = numpy_word(q->p, "ord"),
                            .dims = numpy_axis(q->p),
                            .keepdims = oracle_flag(q->p, "keepdims") };
    (void)n;
    return tt_norm_at(0, x[0], &o);
}
static tt_val do_cross(const numpy_call *q, int n, const tt_val *x) { return (void)q, (void)n, tt_cross(x[0], x[1]); }
static tt_val do_line(const numpy_call *q, int n, const tt_val *x)
{
    const tt_line_opts o = { .size = sizeof o, .mode = numpy_word(q->p, "mode"), .precision = "highest" };
    (void)n;
    return (q->fn[2] == 'n' ? tt_convolve1d_at : tt_correlate_at)(0, x[0], x[1], &o);
}
static tt_val do_gradient(const numpy_call *q, int n, const tt_val *x)
{
    const tt_gradient_opts o = { .size = sizeof o, .dims = numpy_axis(q->p), .step = oracle_real(q->p, "step", 0) };
    (void)n;
    return tt_gradient_at(0, x[0], &o);
}
static tt_val do_trapezoid(const numpy_call *q, int n, const tt_val *x)
{
    const tt_trapezoid_opts o = { .size = sizeof o,
                                  .x = n > 1 ? x[1] : (tt_val){ 0 },
                                  .step = oracle_real(q->p, "step", 0) };
    return tt_trapezoid_at(0, x[0], &o);
}

/* ---- Fourier ---- */

static tt_val do_fourier(const numpy_call *q, int n, const tt_val *x)
{
    static const struct {
        const char *fn;
        tt_val (*f)(const char *, tt_val, const tt_fftn_opts *);
    } t[] = {
        { "fft2", tt_fft2_at }, { "ifft2", tt_ifft2_at }, { "rfft2", tt_rfft2_at }, { "irfft2", tt_irfft2_at },
        { "fftn", tt_fftn_at }, { "ifftn", tt_ifftn_at }, { "rfftn", tt_rfftn_at }, { "irfftn", tt_irfftn_at },
    };
    const tt_fftn_opts o = {
        .size = sizeof o, .dims = numpy_axis(q->p), .norm = numpy_word(q->p, "norm"), .n = numpy_int(q->p, "n")
    };
    (void)n;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (!strcmp(t[i].fn, q->fn)) return t[i].f(0, x[0], &o);
    return tt_end;
}
static tt_val do_dims(const numpy_call *q, int n, const tt_val *x)
{
    const tt_dims_opts o = { .size = sizeof o, .dims = numpy_axis(q->p) };
    (void)n;
    return (!strcmp(q->fn, "flip") ? tt_flip_at : q->fn[0] == 'f' ? tt_fftshift_at : tt_ifftshift_at)(0, x[0], &o);
}

/* ---- sets ---- */

static tt_val do_nonzero(const numpy_call *q, int n, const tt_val *x)
{
    const tt_nonzero_opts o = { .size = sizeof o,
                                .given = oracle_has(q->p, "size") ? ".count" : "",
                                .count = numpy_int(q->p, "size"),
                                .fill = numpy_int(q->p, "fill") };
    (void)n;
    return (q->fn[0] == 'n' ? tt_nonzero_at : tt_argwhere_at)(0, x[0], &o);
}
static tt_val do_unique(const numpy_call *q, int n, const tt_val *x)
{
    const bool all = oracle_flag(q->p, "all");
    const tt_unique_opts o = { .size = sizeof o,
                               .given = oracle_has(q->p, "size") ? ".count" : "",
                               .count = numpy_int(q->p, "size"),
                               .fill = numpy_number(q->p, "fill"),
                               .index = all,
                               .inverse = all,
                               .counts = all };
    (void)n;
    return tt_unique_at(0, x[0], &o);
}
static tt_val do_isin(const numpy_call *q, int n, const tt_val *x) { return (void)q, (void)n, tt_isin(x[0], x[1]); }
static tt_val do_histogram(const numpy_call *q, int n, const tt_val *x)
{
    const json_t *range = json_object_get(q->p, "range");
    tt_histogram_opts o = { .size = sizeof o,
                            .bins = numpy_int(q->p, "bins"),
                            .density = oracle_flag(q->p, "density") };
    for (size_t i = 0; i < json_array_size(range) && i < 2; i++)
        o.range[i] = json_number_value(json_array_get(range, i));
    if (n > 1 && oracle_flag(q->p, "edges")) o.edges = x[1];
    if (n > 1 && oracle_flag(q->p, "weights")) o.weights = x[1];
    return tt_histogram_at(0, x[0], &o);
}
static tt_val do_equal(const numpy_call *q, int n, const tt_val *x)
{
    const tt_close_opts o = { .size = sizeof o, .equal_nan = oracle_flag(q->p, "equal_nan") };
    (void)n;
    return (q->fn[1] == 'l' ? tt_allclose_at : tt_array_equal_at)(0, x[0], x[1], &o);
}
static tt_val do_segments(const numpy_call *q, int n, const tt_val *x)
{
    static const struct {
        const char *fn;
        tt_val (*f)(const char *, tt_val, tt_val, int64_t);
    } t[] = {
        { "segment_sum", tt_segment_sum_at },
        { "segment_prod", tt_segment_prod_at },
        { "segment_max", tt_segment_max_at },
        { "segment_min", tt_segment_min_at },
    };
    (void)n;
    for (int i = 0; i < 4; i++)
        if (!strcmp(t[i].fn, q->fn)) return t[i].f(0, x[0], x[1], numpy_int(q->p, "n"));
    return tt_end;
}

/* ---- pads, pieces, turns ---- */

static tt_val do_pad(const numpy_call *q, int n, const tt_val *x)
{
    const tt_pad_opts o = { .size = sizeof o, .mode = numpy_word(q->p, "mode"), .value = numpy_number(q->p, "value") };
    (void)n;
    return tt_pad_with_at(0, x[0], oracle_text(q->p, "widths", ""), &o);
}
static tt_val do_array_split(const numpy_call *q, int n, const tt_val *x)
{
    (void)n;
    return tt_array_split(x[0], numpy_int(q->p, "n"), (int)numpy_int(q->p, "axis"));
}
static tt_val do_split(const numpy_call *q, int n, const tt_val *x)
{
    int64_t at[14];
    (void)n;
    oracle_dims(q->p, "at", at);
    return tt_split_indices_at(0, x[0], (int)numpy_int(q->p, "axis"), at);
}
static tt_val do_stack(const numpy_call *q, int n, const tt_val *x)
{
    static const struct {
        const char *fn;
        tt_val (*f)(const char *, const tt_val *);
    } t[] = {
        { "vstack", tt_vstack_at },
        { "hstack", tt_hstack_at },
        { "dstack", tt_dstack_at },
        { "column_stack", tt_column_stack_at },
    };
    tt_val list[MOST + 1];
    for (int i = 0; i < n; i++) list[i] = x[i];
    list[n] = tt_end;
    for (int i = 0; i < 4; i++)
        if (!strcmp(t[i].fn, q->fn)) return t[i].f(0, list);
    return tt_end;
}
static tt_val do_block(const numpy_call *q, int n, const tt_val *x)
{
    (void)q;
    return tt_block(n == 2 ? tt_tuple(x[0], x[1]) : tt_tuple(tt_tuple(x[0], x[1]), tt_tuple(x[2], x[3])));
}
static tt_val do_rot90(const numpy_call *q, int n, const tt_val *x)
{
    return (void)n, tt_rot90(x[0], numpy_int(q->p, "k"));
}
static tt_val do_einsum(const numpy_call *q, int n, const tt_val *x)
{
    tt_val list[MOST + 1];
    for (int i = 0; i < n; i++) list[i] = x[i];
    list[n] = tt_end;
    return tt_einsum_at(0, oracle_text(q->p, "text", ""), list);
}

/* ---- derivatives, loops ---- */

static tt_val net(tt_val w, tt_val b, tt_val x)
{
    return tt_dict("a", tt_tanh(tt_add(tt_matmul(w, x), b)), "b", tt_sum(tt_square(x)));
}
static tt_val product_of_sines(tt_val x) { return tt_prod(tt_sin(x)); }

static tt_val do_jacobian(const numpy_call *q, int n, const tt_val *x)
{
    const tt_grad_opts o = { .size = sizeof o, .wrt = oracle_text(q->p, "wrt", "0") };
    const tt_fn f = tt_fn_of3("net", net);
    return tt_call_n(0, (q->fn[3] == 'f' ? tt_jacfwd_at : tt_jacrev_at)(0, f, &o), n, x);
}
static tt_val do_hessian(const numpy_call *q, int n, const tt_val *x)
{
    (void)n;
    return q->fn[3] == 'f' ? tt_call(tt_jacfwd(tt_jacfwd(product_of_sines)), x[0])
                           : tt_call(tt_jacfwd(tt_jacrev(product_of_sines)), x[0]);
}
static tt_val do_linearize(const numpy_call *q, int n, const tt_val *x)
{
    tt_val y, s;
    (void)q, (void)n;
    if (!tt_unpack(tt_call(tt_linearize(net), x[0], x[1], x[2]), &y, &s)) return tt_poison;
    return tt_tuple(y, tt_call(tt_linear(net), s, tt_tuple(x[0], x[1], x[2])));
}
static tt_val do_ravel(const numpy_call *q, int n, const tt_val *x)
{
    (void)q, (void)n;
    return tt_ravel(tt_dict("w", x[0], "b", x[1], "x", x[2]));
}
static tt_val affine(tt_val l, tt_val r)
{
    const tt_val a = tt_item(r, 0);
    return tt_tuple(tt_mul(a, tt_item(l, 0)), tt_add(tt_mul(a, tt_item(l, 1)), tt_item(r, 1)));
}
static tt_val plus(tt_val a, tt_val b) { return tt_add(a, b); }
static tt_val most(tt_val a, tt_val b) { return tt_max(a, b); }
static tt_val do_associative(const numpy_call *q, int n, const tt_val *x)
{
    const tt_associative_opts o = { .size = sizeof o,
                                    .dim = (int)numpy_int(q->p, "axis"),
                                    .reverse = oracle_flag(q->p, "reverse") };
    const tt_fn f = strstr(q->fn, "affine") ? tt_fn_of2("affine", affine)
                    : strstr(q->fn, "max")  ? tt_fn_of2("max", most)
                                            : tt_fn_of2("add", plus);
    return tt_associative_scan_at(0, f, n == 2 ? tt_tuple(x[0], x[1]) : x[0], &o);
}
static tt_val two_results(tt_val r) { return tt_tuple(tt_sum(tt_sin(r)), tt_mul(r, tt_f(2))); }
static tt_val do_map(const numpy_call *q, int n, const tt_val *x)
{
    const tt_map_opts o = { .size = sizeof o, .batch_size = numpy_int(q->p, "batch_size") };
    (void)n;
    return tt_map_at(0, tt_fn_of1("two_results", two_results), x[0], &o);
}
static tt_val half_and_i(tt_val i, tt_val c) { return tt_add(tt_mul(c, tt_f(0.5)), i); }
static tt_val bounded(tt_val lo, tt_val hi, tt_val v) { return tt_fori(lo, hi, half_and_i, v); }
static tt_val do_fori(const numpy_call *q, int n, const tt_val *x)
{
    const tt_val lo = tt_cast(tt_i(numpy_int(q->p, "lo")), TT_I32), hi = tt_cast(tt_i(numpy_int(q->p, "hi")), TT_I32);
    (void)n;
    return tt_call(tt_jit(bounded), lo, hi, x[0]);
}

static const struct {
    const char *fn;
    function *f;
} functions[] = {
    { "at", do_at },
    { "at_put", do_at_put },
    { "dynamic_slice", do_dynamic_slice },
    { "dynamic_update_slice", do_dynamic_update },
    { "arange", do_arange },
    { "tril_indices", do_triangle },
    { "triu_indices", do_triangle },
    { "diag_indices", do_diagonal },
    { "fftfreq", do_frequencies },
    { "rfftfreq", do_frequencies },
    { "sum", do_fold },
    { "prod", do_fold },
    { "mean", do_fold },
    { "var", do_fold },
    { "std", do_fold },
    { "max", do_fold },
    { "min", do_fold },
    { "any", do_fold },
    { "all", do_fold },
    { "nansum", do_fold },
    { "nanprod", do_fold },
    { "nanmean", do_fold },
    { "nanmax", do_fold },
    { "nanmin", do_fold },
    { "nanvar", do_fold },
    { "nanstd", do_fold },
    { "count_nonzero", do_fold },
    { "logsumexp", do_fold },
    { "softmax", do_softmax },
    { "log_softmax", do_softmax },
    { "norm", do_norm },
    { "cross", do_cross },
    { "convolve", do_line },
    { "correlate", do_line },
    { "gradient", do_gradient },
    { "trapezoid", do_trapezoid },
    { "fft2", do_fourier },
    { "ifft2", do_fourier },
    { "rfft2", do_fourier },
    { "irfft2", do_fourier },
    { "fftn", do_fourier },
    { "ifftn", do_fourier },
    { "rfftn", do_fourier },
    { "irfftn", do_fourier },
    { "fftshift", do_dims },
    { "ifftshift", do_dims },
    { "flip", do_dims },
    { "nonzero", do_nonzero },
    { "argwhere", do_nonzero },
    { "unique", do_unique },
    { "isin", do_isin },
    { "histogram", do_histogram },
    { "allclose", do_equal },
    { "array_equal", do_equal },
    { "segment_sum", do_segments },
    { "segment_prod", do_segments },
    { "segment_max", do_segments },
    { "segment_min", do_segments },
    { "pad", do_pad },
    { "array_split", do_array_split },
    { "split", do_split },
    { "vstack", do_stack },
    { "hstack", do_stack },
    { "dstack", do_stack },
    { "column_stack", do_stack },
    { "block", do_block },
    { "block_line", do_block },
    { "rot90", do_rot90 },
    { "einsum", do_einsum },
    { "jacfwd", do_jacobian },
    { "jacrev", do_jacobian },
    { "jacfwd_hessian", do_hessian },
    { "jacrev_hessian", do_hessian },
    { "linearize", do_linearize },
    { "ravel", do_ravel },
    { "associative_scan_add", do_associative },
    { "associative_scan_affine", do_associative },
    { "associative_scan_max", do_associative },
    { "map", do_map },
    { "fori", do_fori },
};

/* ---- the kind ---- */

typedef struct {
    const numpy_call *q;
    function *f;
} gradient_env;

/* sum(cos(real)) over all leaves of floats and complex numbers */
static tt_val cosines(void *env, int n, const tt_val *x)
{
    const gradient_env *e = env;
    tt_val leaf[64], sum = tt_f(0);
    const int m = tt_tree_leaves(e->f(e->q, n, x), 64, leaf);
    for (int i = 0; i < m && i < 64; i++) {
        const char kind = tt_dtype_kind(tt_dtype_of(leaf[i]));
        if (kind != 'f' && kind != 'c') continue;
        sum = tt_add(sum, tt_sum(tt_cos(kind == 'c' ? tt_real(leaf[i]) : leaf[i])));
    }
    return sum;
}

void oracle_numpy(oracle_case *c)
{
    tt_val x[MOST], leaf[64], grads[MOST];
    const json_t *by = json_object_get(c->params, "grad");
    numpy_call q = { c, c->params, c->fn };
    char wrt[64] = "";
    size_t i = 0;
    while (i < sizeof functions / sizeof *functions && strcmp(functions[i].fn, c->fn)) i++;
    if (i == sizeof functions / sizeof *functions || c->nin > MOST) {
        oracle_unknown(c, c->fn);
        return;
    }
    for (int k = 0; k < c->nin; k++) x[k] = oracle_in(c, k);
    const tt_val y = functions[i].f(&q, c->nin, x);
    if (!tt_ok()) return;
    const int n = tt_tree_leaves(y, 64, leaf), ngrad = (int)json_array_size(by);
    if (n + ngrad != c->nout) {
        oracle_fail(c, "%d results and %d gradients, where %d are expected", n, ngrad, c->nout);
        return;
    }
    for (int k = 0; k < n; k++) oracle_expect(c, k, leaf[k]);
    if (!ngrad) return;
    for (int k = 0; k < ngrad; k++)
        snprintf(wrt + strlen(wrt), sizeof wrt - strlen(wrt), "%d,",
                 (int)json_integer_value(json_array_get(by, (size_t)k)));
    const gradient_env e = { &q, functions[i].f };
    const tt_fn loss = tt_bind_env("cosines", cosines, (void *)(uintptr_t)&e, sizeof e, c->nin);
    const tt_val g =
        tt_call_n(0, tt_grad_at(0, loss, &(tt_grad_opts){ .size = sizeof(tt_grad_opts), .wrt = wrt }), c->nin, x);
    if (!tt_ok() || tt_tree_leaves(g, MOST, grads) != ngrad) return;
    for (int k = 0; k < ngrad; k++) oracle_expect(c, n + k, grads[k]);
}
