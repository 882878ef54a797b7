/* num/rope.c - rotary positions (Su and others, 2021), and their frequencies for contexts longer than those that a
 * model was trained on: position interpolation (Chen and others, 2023), NTK-aware scaling (bloc97, 2023), YaRN (Peng
 * and others, 2023), Llama 3.1's rule. The frequencies are constants of the program, computed in float64. */
#include "num.h"

#include <math.h>
#include <stdlib.h>

/* times: the factor of sines and cosines. */
typedef struct { int64_t depth; double base, *f, times; } waves;

static bool is_given(tt_val v) { return v.slot || v.born; }

/* The number of an argument, above 0; NaN with the error set. */
static double above_0(const tt_form *form, const char *key, double usual)
{
    const double x = tt_form_number(form, key, usual);
    if (x > 0) return x;
    tt_form_fail(form, tt_form_has(form, key) ? tt_form_value(form, key) : form->name, tt_form_has(form, key)
                 ? "rope: .scaling: %s = %g; expected a number above 0" : "rope: .scaling: %s is missing", key, x);
    return NAN;
}

static bool by_factor(const tt_form *form, waves *w)
{
    const double factor = tt_form_keys((tt_form *)form, "factor") ? above_0(form, "factor", 0) : NAN;
    for (int64_t i = 0; i < w->depth / 2; i++) w->f[i] /= factor;
    return tt_ok();
}

static bool by_base(const tt_form *form, waves *w)
{
    const double d = (double)w->depth;
    const double factor = tt_form_keys((tt_form *)form, "factor") ? above_0(form, "factor", 0) : NAN;
    if (w->depth < 4)
        tt_form_fail(form, form->name, "rope: .scaling = \"ntk\" of depth %d; expected 4 or more", (int)w->depth);
    const double base = w->base * pow(factor, d / (d - 2));
    for (int64_t i = 0; i < w->depth / 2; i++) w->f[i] = pow(base, -2.0 * (double)i / d);
    return tt_ok();
}

/* The index of the pair of features that makes `turns` turns within `original` positions. */
static double pair_of(const waves *w, double turns, double original)
{
    return (double)w->depth * log(original / (turns * 2 * M_PI)) / (2 * log(w->base));
}

static bool by_yarn(const tt_form *form, waves *w)
{
    if (!tt_form_keys((tt_form *)form, "factor original beta_fast beta_slow attention_factor")) return false;
    const double factor = above_0(form, "factor", 0), original = above_0(form, "original", 0);
    const double fast = above_0(form, "beta_fast", 32), slow = above_0(form, "beta_slow", 1);
    const double usual = factor > 1 ? 0.1 * log(factor) + 1 : 1;
    w->times = above_0(form, "attention_factor", usual);
    if (tt_ok() && fast <= slow)
        tt_form_fail(form, form->name,
                     "rope: .scaling: beta_fast = %g, beta_slow = %g; expected beta_fast above beta_slow", fast, slow);
    double low = fmax(0, floor(pair_of(w, fast, original)));
    double high = fmin((double)w->depth - 1, ceil(pair_of(w, slow, original)));
    if (low == high) high += 0.001;
    for (int64_t i = 0; i < w->depth / 2; i++) {
        const double far = fmin(1, fmax(0, ((double)i - low) / (high - low)));
        w->f[i] = w->f[i] / factor * far + w->f[i] * (1 - far);
    }
    return tt_ok();
}

static bool by_length(const tt_form *form, waves *w)
{
    if (!tt_form_keys((tt_form *)form, "factor low high original")) return false;
    const double factor = above_0(form, "factor", 8), low = above_0(form, "low", 1), high = above_0(form, "high", 4);
    const double original = above_0(form, "original", 8192);
    if (tt_ok() && low >= high)
        tt_form_fail(form, form->name, "rope: .scaling: low = %g, high = %g; expected low below high", low, high);
    for (int64_t i = 0; i < w->depth / 2; i++) {
        const double turns = original * w->f[i] / (2 * M_PI), near = (turns - low) / (high - low);
        if (turns < low) w->f[i] /= factor;
        else if (turns <= high) w->f[i] = (1 - near) * w->f[i] / factor + near * w->f[i];
    }
    return tt_ok();
}

static bool scaled(const char *site, const char *scaling, waves *w)
{
    static const struct { const char *name; bool (*rule)(const tt_form *, waves *); } rule[] = {
        { "linear", by_factor }, { "ntk", by_base }, { "yarn", by_yarn }, { "llama3", by_length },
    };
    tt_form form;
    if (!tt_form_read(site, scaling, NULL, &form)) return false;
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (tt_form_is(&form, rule[i].name)) return rule[i].rule(&form, w) && tt_ok();
    tt_form_fail(&form, form.name, "rope: no .scaling \"%.*s\"", form.name.n, form.name.p);
    tt_hint_choices("the rules are", scaling, form.name.n, "linear, ntk, yarn, llama3");
    return false;
}

/* The frequencies [1, 1, 1, depth / 2] as a value. */
static tt_val frequencies(const char *site, int64_t depth, tt_dtype wide, const tt_rope_opts *o, double *times)
{
    waves w = { depth, o->base != 0 ? o->base : 10000, calloc((size_t)depth / 2 + 1, sizeof(double)), 1 };
    const int64_t dims[] = { 1, 1, 1, depth / 2, TT_DIM_END };
    if (!w.f) return tt_fail_at(site, TT_EMEM, "rope: no memory for %lld frequencies", (long long)depth / 2);
    for (int64_t i = 0; i < depth / 2; i++) w.f[i] = pow(w.base, -2.0 * (double)i / (double)depth);
    const bool good = !o->scaling || scaled(site, o->scaling, &w);
    float *narrow = (float *)w.f;                        /* in place, from the front */
    for (int64_t i = 0; wide == TT_F32 && i < depth / 2; i++) narrow[i] = (float)w.f[i];
    const tt_val f = good ? tt_array_at(site, wide, w.f, dims) : tt_poison;
    *times = w.times;
    free(w.f);
    return f;
}

tt_val tt_rope_at(const char *site, tt_val x, const tt_rope_opts *o)
{
    TT_ENTRY(site);
    if (!tt_ok()) return tt_poison;
    if (!TT_CHECKED(tt_rope_opts, site, "rope", o)) return tt_poison;
    if (tt_ok() && (tt_rank_at(site, x) != 4 || tt_dim_at(site, x, 3) % 2)) {
        const tt_val bad = tt_fail_at(site, TT_ESHAPE, "rope: of %s; expected [batch, time, heads, depth]",
                                      tt_type_text_at(site, x));
        tt_hint("the depth is even");
        return bad;
    }
    x = num_real(site, x);
    const int64_t t = tt_dim_at(site, x, 1), d = tt_dim_at(site, x, 3), half = d / 2;
    const tt_dtype wide = tt_dtype_of_at(site, x) == TT_F64 ? TT_F64 : TT_F32;
    double times = 1;
    const tt_val f = frequencies(site, d, wide, o, &times);
    tt_val place = tt_iota_at(site, wide, 1, (const int64_t[]){ 1, t, 1, 1, TT_DIM_END });
    if (is_given(o->positions) && tt_ok() &&
        (tt_rank_at(site, o->positions) != 2 || tt_dim_at(site, o->positions, 1) != t ||
         (tt_dim_at(site, o->positions, 0) != 1 && tt_dim_at(site, o->positions, 0) != tt_dim_at(site, x, 0))))
        return tt_fail_at(site, TT_ESHAPE, "rope: .positions are %s; expected [1 or %lld, %lld], as x is %s",
                          tt_type_text_at(site, o->positions), (long long)tt_dim_at(site, x, 0), (long long)t,
                          tt_type_text_at(site, x));
    if (is_given(o->positions))                              /* [batch, time] */
        place = tt_reshape_at(site, tt_cast_at(site, o->positions, wide), (const int64_t[]){ -1, t, 1, 1, TT_DIM_END });
    const tt_val angle = tt_mul_at(site, tt_add_at(site, place, tt_f((double)o->offset)), f);
    tt_val c = tt_cos_at(site, angle), s = tt_sin_at(site, angle);
    if (times != 1) c = tt_mul_at(site, c, tt_f(times)), s = tt_mul_at(site, s, tt_f(times));
    tt_val a, b, pairs = x;
    if (o->interleaved) {
        pairs = tt_reshape_at(site, x, (const int64_t[]){ tt_dim_at(site, x, 0), t, tt_dim_at(site, x, 2), half, 2,
                                                          TT_DIM_END });
        a = tt_squeeze_at(site, tt_slice_at(site, pairs, 4, 0, 1, 1), 4);
        b = tt_squeeze_at(site, tt_slice_at(site, pairs, 4, 1, 2, 1), 4);
    } else a = tt_slice_at(site, x, 3, 0, half, 1), b = tt_slice_at(site, x, 3, half, d, 1);
    const tt_val u = tt_sub_at(site, tt_mul_at(site, a, c), tt_mul_at(site, b, s));
    const tt_val v = tt_add_at(site, tt_mul_at(site, b, c), tt_mul_at(site, a, s));
    const tt_val turned[] = { u, v, tt_end };
    const tt_val y = o->interleaved ? tt_flatten_at(site, tt_stack_values_at(site, -1, turned), 3)
                                    : tt_concat_at(site, 3, turned);
    return tt_cast_at(site, y, tt_dtype_of_at(site, x));
}
