/* random/initializer.c - jax.nn.initializers by form: variance scaling, normal, uniform, constants, orthogonal.
 *
 * The variance is computed in double and rounded to float32; a truncated normal sample is multiplied by sqrt(variance)
 * / .87962566103423978, in that order. Fans are by default of (in_axis -2, out_axis -1).
 */
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The product of the dims listed in text ("0 -1" or "0, -1"). */
static double sizes(const char *site, const int64_t *dims, int rank, const char *text)
{
    double n = 1;
    for (const char *p = text; *p;) {
        char *end;
        const long d = strtol(p, &end, 10);
        if (end == p || d < -rank || d >= rank) {
            tt_fail_at(site, TT_EARG, "variance scaling: \"%s\"; expected dims from %d to %d", text, -rank, rank - 1);
            return 1;
        }
        n *= (double)dims[d < 0 ? d + rank : d];
        p = end + strspn(end, ", ");
    }
    return n;
}

static double fan(const char *site, const int64_t *dims, const tt_variance_opts *o)
{
    const int rank = random_rank(dims);
    if (rank < 2) {
        tt_fail_at(site, TT_ESHAPE, "variance scaling: a shape of %d dims has no fans", rank);
        tt_hint("at least two dims are needed; use \"normal\" or \"zeros\" for vectors");
        return 1;
    }
    double all = 1;
    for (int d = 0; d < rank; d++) all *= (double)dims[d];
    const double in = sizes(site, dims, rank, o->in ? o->in : "-2"),
                 out = sizes(site, dims, rank, o->out ? o->out : "-1");
    const double rest = in * out * sizes(site, dims, rank, o->batch ? o->batch : ""), field = rest > 0 ? all / rest : 1;
    const double fan_in = in * field, fan_out = out * field;
    const char *mode = o->mode ? o->mode : "fan_in";
    if (!strcmp(mode, "fan_in")) return fan_in;
    if (!strcmp(mode, "fan_out")) return fan_out;
    if (!strcmp(mode, "fan_avg")) return (fan_in + fan_out) / 2;
    if (!strcmp(mode, "fan_geo_avg")) return sqrt(fan_in * fan_out);
    tt_fail_at(site, TT_EARG, "variance scaling: no mode \"%s\"", mode);
    tt_hint_choices("the modes are", mode, -1, "fan_in, fan_out, fan_avg, fan_geo_avg");
    return 1;
}

tt_val tt_variance_scaling_at(const char *site, tt_val key, tt_dtype dtype, const int64_t *dims,
                              const tt_variance_opts *o)
{
    TT_ENTRY(site);
    if (!TT_CHECKED(tt_variance_opts, site, "variance_scaling", o)) return tt_poison;
    const char *how = o->distribution ? o->distribution : "truncated_normal";
    const double denominator = fan(site, dims, o);
    if (!tt_ok() || !random_is_float(site, "variance scaling", dtype))
        return tt_fail_at(site, TT_ETYPE, "this draw was refused");
    const double scale = o->scale != 0 || tt_given(o, "scale") ? o->scale : 1;
    if (!(scale >= 0)) return tt_fail_at(site, TT_EARG, "variance scaling: scale = %g; expected 0 or more", scale);
    const tt_val variance = random_real(site, dtype, scale / (denominator > 0 ? denominator : 1));
    if (!strcmp(how, "normal"))
        return tt_mul_at(site, tt_normal_at(site, key, dtype, dims), tt_sqrt_at(site, variance));
    if (!strcmp(how, "uniform")) {
        const tt_val u = tt_uniform_in_at(site, key, dtype, -1, 1, dims);
        return tt_mul_at(site, u, tt_sqrt_at(site, tt_mul_at(site, random_real(site, dtype, 3), variance)));
    }
    if (!strcmp(how, "truncated_normal")) {
        const tt_val stddev = tt_div_at(site, tt_sqrt_at(site, variance), random_real(site, dtype, .87962566103423978));
        return tt_mul_at(site, tt_truncated_normal_at(site, key, dtype, -2, 2, dims), stddev);
    }
    const tt_val bad = tt_fail_at(site, TT_EARG, "variance scaling: no distribution \"%s\"", how);
    tt_hint_choices("the distributions are", how, -1, "truncated_normal, normal, uniform");
    return bad;
}

/* ---- forms ---- */

typedef struct { tt_form *form; const char *site; tt_val key; tt_dtype dtype; const int64_t *dims; } draw;

static tt_val initializer_scaled(const draw *d, double scale, const char *mode, const char *how)
{
    char m[32], h[32], in[48], out[48], batch[48];
    const tt_form *f = d->form;
    return tt_variance_scaling_at(
        d->site, d->key, d->dtype, d->dims,
        &(tt_variance_opts){ .size = sizeof(tt_variance_opts),
                             .scale = tt_form_number(f, "scale", scale), .given = ".scale",
                             .mode = tt_form_word(f, "mode", mode, m, sizeof m),
                             .distribution = tt_form_word(f, "distribution", how, h, sizeof h),
                             .in = tt_form_word(f, "in_axis", NULL, in, sizeof in),
                             .out = tt_form_word(f, "out_axis", NULL, out, sizeof out),
                             .batch = tt_form_word(f, "batch_axis", NULL, batch, sizeof batch) });
}

static tt_val initializer_times(const draw *d, tt_val sample, const char *key, double usual)
{
    return tt_mul_at(d->site, sample, random_real(d->site, d->dtype, tt_form_number(d->form, key, usual)));
}

static tt_val general(const draw *d) { return initializer_scaled(d, 1, "fan_in", "truncated_normal"); }
static tt_val lecun_normal(const draw *d) { return initializer_scaled(d, 1, "fan_in", "truncated_normal"); }
static tt_val lecun_uniform(const draw *d) { return initializer_scaled(d, 1, "fan_in", "uniform"); }
static tt_val glorot_normal(const draw *d) { return initializer_scaled(d, 1, "fan_avg", "truncated_normal"); }
static tt_val glorot_uniform(const draw *d) { return initializer_scaled(d, 1, "fan_avg", "uniform"); }
static tt_val he_normal(const draw *d) { return initializer_scaled(d, 2, "fan_in", "truncated_normal"); }
static tt_val he_uniform(const draw *d) { return initializer_scaled(d, 2, "fan_in", "uniform"); }
static tt_val initializer_zeros(const draw *d) { return tt_full_at(d->site, 0, d->dtype, d->dims); }
static tt_val ones(const draw *d) { return tt_full_at(d->site, 1, d->dtype, d->dims); }
static tt_val initializer_constant(const draw *d)
{
    return tt_full_at(d->site, tt_form_number(d->form, "value", 0), d->dtype, d->dims);
}
static tt_val normal(const draw *d)
{
    return initializer_times(d, tt_normal_at(d->site, d->key, d->dtype, d->dims), "stddev", 0.01);
}
static tt_val uniform(const draw *d)
{
    return initializer_times(d, tt_uniform_at(d->site, d->key, d->dtype, d->dims), "scale", 0.01);
}
static tt_val truncated(const draw *d)
{
    const double lo = tt_form_number(d->form, "lower", -2), hi = tt_form_number(d->form, "upper", 2);
    return initializer_times(d, tt_truncated_normal_at(d->site, d->key, d->dtype, lo, hi, d->dims), "stddev", 0.01);
}
static tt_val orthogonal_of(const draw *d, const int64_t *dims)
{
    const double axis_of = tt_form_number(d->form, "column_axis", -1);
    if (axis_of != trunc(axis_of) || fabs(axis_of) > RANDOM_RANK)
        return tt_form_fail(d->form, d->form->name, "column_axis = %g; expected the number of a dim", axis_of);
    const int axis = (int)axis_of;
    return initializer_times(d, random_orthogonal(d->site, d->key, d->dtype, dims, axis), "scale", 1);
}
static tt_val orthogonal(const draw *d) { return orthogonal_of(d, d->dims); }

/* For a convolution's kernel: an orthogonal matrix in the middle of its window, zeros elsewhere (Xiao and others,
 * 2018). */
static tt_val delta_orthogonal(const draw *d)
{
    const int rank = random_rank(d->dims), at = rank - 2;
    int64_t whole[6], low[5] = { 0 }, high[5] = { 0 }, none[5] = { 0 };
    if (rank < 3 || rank > 5) {
        tt_fail_at(d->site, TT_ESHAPE, "delta_orthogonal: a shape of %d dims; expected 3 to 5", rank);
        return tt_hint("the dims of a kernel are those of the window, then in and out"), tt_poison;
    }
    const int64_t *in_out = d->dims + at;
    if (in_out[0] > in_out[1])
        return tt_fail_at(d->site, TT_ESHAPE,
                          "delta_orthogonal: %lld features in and %lld out; expected at most as many in as out",
                              (long long)in_out[0], (long long)in_out[1]);
    for (int i = 0; i < at; i++) {
        if (d->dims[i] < 1) return tt_full_at(d->site, 0, d->dtype, d->dims);
        low[i] = (d->dims[i] - 1) / 2, high[i] = d->dims[i] - 1 - low[i];
    }
    for (int i = 0; i < rank; i++) whole[i] = i < at ? 1 : d->dims[i];
    whole[rank] = TT_DIM_END;
    const tt_val matrix = tt_reshape_at(d->site, orthogonal_of(d, in_out), whole);
    return tt_pad_at(d->site, matrix, random_real(d->site, d->dtype, 0), low, high, none);
}

/* ---- Keras's: standard deviation and limit are C numbers; both fans of a vector are its size ---- */

static double keras_variance(const draw *d, double scale, const char *mode)
{
    const int n = random_rank(d->dims);
    double field = 1, in = 1, out = 1;
    for (int i = 0; i < n - 2; i++) field *= (double)d->dims[i];
    if (n == 1) in = out = (double)d->dims[0];
    if (n > 1) in = (double)d->dims[n - 2] * field, out = (double)d->dims[n - 1] * field;
    const double fan = !strcmp(mode, "fan_in") ? in : !strcmp(mode, "fan_out") ? out : (in + out) / 2;
    return scale / (fan > 1 ? fan : 1);
}

static tt_val keras_truncated(const draw *d, double mean, double stddev)
{
    const tt_val x = tt_truncated_normal_at(d->site, d->key, d->dtype, -2, 2, d->dims);
    return tt_add_at(d->site, tt_mul_at(d->site, x, random_real(d->site, d->dtype, stddev)),
                     random_real(d->site, d->dtype, mean));
}
static tt_val keras_normal_of(const draw *d, double mean, double stddev)
{
    const tt_val x = tt_normal_at(d->site, d->key, d->dtype, d->dims);
    return tt_add_at(d->site, tt_mul_at(d->site, x, random_real(d->site, d->dtype, stddev)),
                     random_real(d->site, d->dtype, mean));
}

static tt_val no_word(const draw *d, const char *what, const char *word, const char *words)
{
    const tt_val bad = tt_form_fail(d->form, d->form->name, "no %s \"%s\"", what, word);
    tt_hint_choices("the words are", word, -1, words);
    return bad;
}

static tt_val keras_scaled(const draw *d, double scale, const char *mode, const char *how)
{
    char m[32], h[32];
    scale = tt_form_number(d->form, "scale", scale);
    if (!tt_ok()) return tt_poison;
    if (!(scale > 0))
        return tt_fail_at(d->site, TT_EARG, "variance scaling: scale = %g; expected a number above 0", scale);
    mode = tt_form_word(d->form, "mode", mode, m, sizeof m);
    how = tt_form_word(d->form, "distribution", how, h, sizeof h);
    const double v = keras_variance(d, scale, mode);
    if (strcmp(mode, "fan_in") && strcmp(mode, "fan_out") && strcmp(mode, "fan_avg"))
        return no_word(d, "mode", mode, "fan_in, fan_out, fan_avg");
    if (!strcmp(how, "truncated_normal")) return keras_truncated(d, 0, sqrt(v) / .87962566103423978);
    if (!strcmp(how, "untruncated_normal")) return keras_normal_of(d, 0, sqrt(v));
    if (!strcmp(how, "uniform"))
        return tt_uniform_in_at(d->site, d->key, d->dtype, -sqrt(3 * v), sqrt(3 * v), d->dims);
    return no_word(d, "distribution", how, "truncated_normal, untruncated_normal, uniform");
}

static tt_val k_scaled(const draw *d) { return keras_scaled(d, 1, "fan_in", "truncated_normal"); }
static tt_val k_glorot_uniform(const draw *d) { return keras_scaled(d, 1, "fan_avg", "uniform"); }
static tt_val k_glorot_normal(const draw *d) { return keras_scaled(d, 1, "fan_avg", "truncated_normal"); }
static tt_val k_he_uniform(const draw *d) { return keras_scaled(d, 2, "fan_in", "uniform"); }
static tt_val k_he_normal(const draw *d) { return keras_scaled(d, 2, "fan_in", "truncated_normal"); }
static tt_val k_lecun_uniform(const draw *d) { return keras_scaled(d, 1, "fan_in", "uniform"); }
static tt_val k_normal(const draw *d)
{
    return keras_normal_of(d, tt_form_number(d->form, "mean", 0), tt_form_number(d->form, "stddev", 0.05));
}
static tt_val k_truncated(const draw *d)
{
    return keras_truncated(d, tt_form_number(d->form, "mean", 0), tt_form_number(d->form, "stddev", 0.05));
}
static tt_val k_uniform(const draw *d)
{
    const double lo = tt_form_number(d->form, "minval", -0.05), hi = tt_form_number(d->form, "maxval", 0.05);
    return tt_uniform_in_at(d->site, d->key, d->dtype, lo, hi, d->dims);
}
static tt_val k_orthogonal(const draw *d)
{
    return initializer_times(d, random_orthogonal(d->site, d->key, d->dtype, d->dims, -1), "gain", 1);
}

#define AXES "in_axis out_axis batch_axis"
static const struct { const char *name, *keys; tt_val (*make)(const draw *); } table[] = {
    { "variance_scaling", "scale mode distribution " AXES, general },
    { "lecun_normal", AXES, lecun_normal }, { "lecun_uniform", AXES, lecun_uniform },
    { "glorot_normal", AXES, glorot_normal }, { "glorot_uniform", AXES, glorot_uniform },
    { "xavier_normal", AXES, glorot_normal }, { "xavier_uniform", AXES, glorot_uniform },
    { "he_normal", AXES, he_normal }, { "he_uniform", AXES, he_uniform },
    { "kaiming_normal", AXES, he_normal }, { "kaiming_uniform", AXES, he_uniform },
    { "zeros", "", initializer_zeros }, { "ones", "", ones }, { "constant", "value", initializer_constant },
    { "normal", "stddev", normal }, { "uniform", "scale", uniform },
    { "truncated_normal", "stddev lower upper", truncated }, { "orthogonal", "scale column_axis", orthogonal },
    { "delta_orthogonal", "scale column_axis", delta_orthogonal },
    { "keras.VarianceScaling", "scale mode distribution", k_scaled }, { "keras.GlorotUniform", "", k_glorot_uniform },
    { "keras.GlorotNormal", "", k_glorot_normal }, { "keras.HeUniform", "", k_he_uniform },
    { "keras.HeNormal", "", k_he_normal }, { "keras.LecunUniform", "", k_lecun_uniform },
    { "keras.LecunNormal", "", k_scaled }, { "keras.RandomNormal", "mean stddev", k_normal },
    { "keras.TruncatedNormal", "mean stddev", k_truncated }, { "keras.RandomUniform", "minval maxval", k_uniform },
    { "keras.OrthogonalInitializer", "gain", k_orthogonal }, { "keras.Orthogonal", "gain", k_orthogonal },
    { "keras.Zeros", "", initializer_zeros }, { "keras.Ones", "", ones },
        { "keras.Constant", "value", initializer_constant },
};

tt_val tt_init_named_at(const char *site, const char *initializer, tt_val key, tt_dtype dtype, const int64_t *dims)
{
    TT_ENTRY(site);
    tt_form f;
    const draw d = { &f, site, key, dtype, dims };
    if (!tt_form_read(site, initializer, NULL, &f)) return tt_fail_at(site, TT_ETEXT, "no initializer");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!tt_form_is(&f, table[i].name)) continue;
        if (!tt_form_keys(&f, table[i].keys)) return tt_fail_at(site, TT_ETEXT, "no initializer");
        if (!strcmp(table[i].name, "constant") && !tt_form_has(&f, "value")) {
            const tt_val none = tt_form_fail(&f, f.name, "constant: value is missing");
            tt_hint("write constant(0.5); zeros and ones have no argument");
            return none;
        }
        const tt_val v = table[i].make(&d);
        return tt_ok() ? v : tt_poison;
    }
    const tt_val bad = tt_form_fail(&f, f.name, "no initializer \"%.*s\"", f.name.n, f.name.p);
    char names[1024];
    size_t n = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", table[i].name);
    tt_hint_choices("there are", f.name.p, f.name.n, names);
    return bad;
}
