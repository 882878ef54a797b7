/* oracle/random.c - kind `random`: functions of jax.random with a raw key. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { oracle_case *c; const json_t *p; tt_val key; tt_dtype dtype; int64_t dim[14]; int rank; } draw;
typedef tt_val draw_fn(const draw *);

static tt_val key_words(const char *seed, bool x64)      /* decimal text of 64 bits, perhaps negative */
{
    const uint64_t s = *seed == '-' ? (uint64_t)strtoll(seed, NULL, 10) : strtoull(seed, NULL, 10);
    return x64 ? tt_key64((int64_t)s) : tt_key((int64_t)s);
}

static tt_val do_key(const draw *d)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", (long long)oracle_int(d->p, "seed", 0));
    return key_words(oracle_text(d->p, "seed", digits), oracle_flag(d->p, "x64"));
}

static tt_val block(tt_val key, tt_val counter)
{
    const tt_val y = tt_threefry_at(0, key, tt_take(counter, tt_i(0), 0), tt_take(counter, tt_i(1), 0));
    return tt_stack_values(0, tt_item(y, 0), tt_item(y, 1));
}
static tt_val do_block(const draw *d)                    /* keys (n,2), counters (n,2) */
{
    return tt_call(tt_vmap(block), oracle_in(d->c, 0), oracle_in(d->c, 1));
}

static tt_val do_flat(const draw *d) /* element i is paired with element i + m; odd lengths get a zero */
{
    const tt_val x = oracle_in(d->c, 0);
    const int64_t n = tt_dim(x, 0), m = (n + 1) / 2;
    const tt_val padded = 2 * m == n ? x : tt_concat(0, x, tt_zeros(TT_U32, 1));
    const tt_val y = tt_threefry_at(0, d->key, tt_slice(padded, 0, 0, m, 1), tt_slice(padded, 0, m, 2 * m, 1));
    return tt_slice(tt_concat(0, tt_item(y, 0), tt_item(y, 1)), 0, 0, n, 1);
}

static tt_val do_fold(const draw *d)
{
    return tt_fold_in(d->key, oracle_in(d->c, 0));
}

static tt_val do_split(const draw *d)
{
    int64_t n = 1, dim[14];
    for (int i = 0; i < d->rank; i++) n *= dim[i] = d->dim[i];
    dim[d->rank] = 2;
    dim[d->rank + 1] = TT_DIM_END;
    return tt_reshape_at(0, tt_split(d->key, n), dim);
}

static tt_val do_bits(const draw *d) { return tt_bits_at(0, d->key, d->dtype, d->dim); }
static tt_val do_uniform(const draw *d)
{
    return tt_uniform_in_at(0, d->key, d->dtype, oracle_real(d->p, "minval", 0), oracle_real(d->p, "maxval", 1),
                            d->dim);
}
static tt_val do_normal(const draw *d) { return tt_normal_at(0, d->key, d->dtype, d->dim); }
static tt_val do_gumbel(const draw *d) { return tt_gumbel_at(0, d->key, d->dtype, d->dim); }
static tt_val do_exponential(const draw *d) { return tt_exponential_at(0, d->key, d->dtype, d->dim); }
static tt_val do_laplace(const draw *d) { return tt_laplace_at(0, d->key, d->dtype, d->dim); }
static tt_val do_cauchy(const draw *d) { return tt_cauchy_at(0, d->key, d->dtype, d->dim); }
static tt_val do_logistic(const draw *d)
{
    return tt_logistic_draw_at(0, d->key, d->dtype, d->dim, !strcmp(oracle_text(d->p, "form", "ratio"), "difference"));
}
static tt_val do_rademacher(const draw *d) { return tt_rademacher_at(0, d->key, d->dtype, d->dim); }
static tt_val do_truncated(const draw *d)
{
    return tt_truncated_normal_at(0, d->key, d->dtype, oracle_real(d->p, "lower", -2), oracle_real(d->p, "upper", 2),
                                  d->dim);
}

static tt_val bound(const draw *d, const char *name, int i)
{
    if (d->c->nin == 2) return oracle_in(d->c, i);
    const char *big = oracle_text(d->p, name, NULL);      /* beyond 64 signed bits */
    const uint64_t huge = big ? strtoull(big, NULL, 10) : 0;
    if (big && *big != '-') return tt_array(TT_U64, &huge);
    const int64_t x = oracle_int(d->p, name, 0);
    const int32_t small = (int32_t)x;
    const bool wide = oracle_flag(d->p, "x64") || x != small;
    return wide ? tt_array(TT_I64, &x) : tt_array(TT_I32, &small);
}

static tt_val do_randint(const draw *d)
{
    const bool native = !strcmp(oracle_text(d->p, "small_int", "32"), "native");
    return (native ? tt_randint_native_at : tt_randint_at)(0, d->key, d->dtype, bound(d, "minval", 0),
                                                           bound(d, "maxval", 1), d->dim);
}

static tt_val do_permutation(const draw *d)
{
    if (!d->c->nin) return tt_permutation(d->key, tt_i(oracle_int(d->p, "n", 0)));
    return tt_permutation_at(0, d->key, oracle_in(d->c, 0), (int)oracle_int(d->p, "axis", 0),
                             oracle_flag(d->p, "independent"));
}

static tt_val do_bernoulli(const draw *d)
{
    return tt_bernoulli_at(0, d->key, d->c->nin ? oracle_in(d->c, 0) : tt_f(oracle_real(d->p, "p", 0.5)), d->dim);
}

static tt_val do_categorical(const draw *d)
{
    return tt_categorical_at(0, d->key, oracle_in(d->c, 0), (int)oracle_int(d->p, "axis", -1),
                             d->rank < 0 ? NULL : d->dim);
}

static tt_val do_choice(const draw *d)
{
    const bool weights = oracle_flag(d->p, "weights"), n = oracle_has(d->p, "n");
    const tt_val p = weights ? oracle_in(d->c, d->c->nin - 1) : tt_none();
    const tt_val from = n ? tt_i(oracle_int(d->p, "n", 0)) : oracle_in(d->c, 0);
    return tt_choice_at(0, d->key, from, d->dim, oracle_flag(d->p, "replace"), weights ? &p : NULL,
                        (int)oracle_int(d->p, "axis", 0));
}

/* ---- draws by parameters: tests/oracle/random_by.c has their table ---- */

static tt_val do_by(const draw *d)
{
    return oracle_drawn_by(d->c, d->c->fn, d->key, d->dtype, d->rank < 0 ? NULL : d->dim);
}

static const struct { const char *fn; draw_fn *run;
} table[] = {
    { "threefry2x32", do_block }, { "threefry_2x32", do_flat }, { "PRNGKey", do_key }, { "key", do_key },
    { "fold_in", do_fold }, { "split", do_split }, { "bits", do_bits }, { "uniform", do_uniform },
    { "normal", do_normal }, { "gumbel", do_gumbel }, { "exponential", do_exponential }, { "laplace", do_laplace },
    { "cauchy", do_cauchy }, { "logistic", do_logistic }, { "rademacher", do_rademacher },
    { "truncated_normal", do_truncated }, { "randint", do_randint }, { "permutation", do_permutation },
    { "bernoulli", do_bernoulli }, { "categorical", do_categorical }, { "choice", do_choice },
};

tt_val oracle_key(const oracle_case *c)
{
    const json_t *k = json_object_get(c->params, "key");
    const uint32_t word[2] = { (uint32_t)json_integer_value(json_array_get(k, 0)),
                               (uint32_t)json_integer_value(json_array_get(k, 1)) };
    return tt_array(TT_U32, word, 2);
}

void oracle_random(oracle_case *c)
{
    draw d = {
        .c = c, .p = c->params, .key = oracle_key(c), .dtype = oracle_dtype(oracle_text(c->params, "dtype", "float32"))
    };
    d.rank = oracle_dims(c->params, "shape", d.dim);
    tt_set_random_layout(oracle_text(c->params, "layout", NULL));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].fn, c->fn)) continue;
        const tt_val got = table[i].run(&d);
        if (c->nout) oracle_expect(c, 0, got);
        tt_set_random_layout(NULL);
        return;
    }
    if (oracle_draws_by(c->fn)) oracle_expect(c, 0, do_by(&d));
    else oracle_unknown(c, c->fn);
    tt_set_random_layout(NULL);
}
