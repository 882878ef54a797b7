/* fuzz/drawn.h - drawn calls of the array functions of rows.h: the function, its arguments and options, a scalar of its
 * floats, and how far rounding of the arguments moves its results. */
#ifndef TUTTI_TESTS_FUZZ_DRAWN_H
#define TUTTI_TESTS_FUZZ_DRAWN_H

#include <math.h>

#include "fuzz/results.h"
#include "fuzz/rows.h"

enum { ROWS_N = sizeof rows / sizeof *rows, ARGS = 3 };
typedef struct { const row *row; pick p; int nargs; char wrt[16]; } call;
typedef struct { call c; bool special; tt_dtype dtype[ARGS]; int rank[ARGS]; tt_val arg[ARGS + 1], other[ARGS]; } draw;

static uint64_t state, seed = 1;
static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

/* ---- arguments ---- */

static double number(const draw *d, bool integer)
{
    static const double special[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 1, -1, 1e-6, 2, -2, 300, -0.5 };
    const row *r = d->c.row;
    const double lo = r->lo < r->hi ? r->lo : -2, hi = r->lo < r->hi ? r->hi : 2;
    if (integer) return (double)below(7) - 3;
    if (d->special && below(3) == 0) return special[below(12)];
    return lo + (hi - lo) * (double)below(1 << 20) / (1 << 20);
}

static tt_val some_array(const draw *d, tt_dtype dtype, int rank, const int64_t *dim)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dim[i];
    double *const x = malloc(((size_t)n + 1) * sizeof *x);
    const char kind = tt_dtype_kind(dtype);
    for (int64_t i = 0; i < n; i++) {
        x[i] = number(d, kind == 'i' || kind == 'u' || kind == 'b');
        if (kind == 'u' || kind == 'b') x[i] = fabs(x[i]);
    }
    const tt_val v = tt_cast(tt_array_at("argument", TT_F64, x, dim), dtype);
    free(x);
    return v;
}

static tt_dtype some_type(row_types types)
{
    static const tt_dtype all[] = { TT_F32, TT_F64, TT_F32, TT_BF16, TT_F16, TT_I32, TT_I8, TT_U8, TT_BOOL, TT_I64 };
    return all[below(types == WIDE ? 2 : types == FLOATS || types == LAST_INT ? 5 : 10)];
}

/* The dims of array i; those of the first array are in `first`. */
static int some_dims(const row *r, int i, int rank, const int64_t *first, int64_t *dim)
{
    static const int64_t size[] = { 1, 2, 3, 4, 8, 5, 0, 16 };
    if (i && r->types == LAST_INT) {
        rank = (int)below(2);
        for (int k = 0; k < rank; k++) dim[k] = 1 + below(3);
    } else if (i) {
        const int skip = r->shape == ANY && rank ? (int)below((uint32_t)rank) : 0;
        rank -= skip;
        for (int k = 0; k < rank; k++) dim[k] = r->shape == ANY && below(4) == 0 ? 1 : first[k + skip];
    } else {
        for (int k = 0; k < rank; k++) dim[k] = size[below(below(4) ? 6 : 8)];
        if (r->shape == SQUARE) dim[rank - 2] = dim[rank - 1];
    }
    dim[rank] = TT_DIM_END;
    return rank;
}

static void some_pick(pick *p, int rank)
{
    p->k = below(7);
    p->flag = (int)below(2);
    p->dim = rank ? (int)below((uint32_t)(2 * rank)) - rank : 0;
    snprintf(p->dims, sizeof p->dims, "%d", p->dim);
    if (rank > 1 && below(3) == 0) snprintf(p->dims, sizeof p->dims, "%d, 0", rank - 1);
}

static void some_call(draw *d)
{
    const row *r = d->c.row;
    const int least = r->shape == ANY ? 0 : r->shape == DIM || r->shape == LINE ? 1 : r->shape == IMAGE ? 4 : 2;
    const int rank = r->shape == IMAGE ? 4 : r->shape == LINE ? 1 : least + (int)below(3);
    const tt_dtype dtype = some_type(r->types);
    int64_t first[8], dim[8];
    d->c.nargs = r->nargs;
    d->special = below(2) && r->shape != SQUARE;
    for (int i = 0; i < r->nargs; i++) {
        const bool index = i && r->types == LAST_INT;
        d->dtype[i] = index ? TT_I32 : i && below(3) == 0 ? some_type(r->types) : dtype;
        d->rank[i] = some_dims(r, i, rank, first, dim);
        if (!i) memcpy(first, dim, sizeof first);
        d->arg[i] = some_array(d, d->dtype[i], d->rank[i], dim);
        d->other[i] = some_array(d, d->dtype[i], d->rank[i], dim);
        if (tt_dtype_kind(d->dtype[i]) != 'f') continue;
        const size_t n = strlen(d->c.wrt);
        snprintf(d->c.wrt + n, sizeof d->c.wrt - n, "%s%d", n ? ", " : "", i);
    }
    d->arg[r->nargs] = tt_end;
    some_pick(&d->c.p, rank);
}

/* ---- the call, and a scalar of its floats ---- */

static tt_val apply(void *env, int n, const tt_val *x)
{
    const call *c = env;
    (void)n;
    return c->row->call(x, &c->p);
}

/* Of x's shape, numbers between -1 and 1. A sum by these weights is as well conditioned as x, which the sum of a curved
 * function of large elements is not. */
static tt_val weights_of(tt_val x, tt_dtype dtype)
{
    int64_t dim[16];
    const int rank = tt_rank(x);
    for (int i = 0; i < rank; i++) dim[i] = tt_dim(x, i);
    dim[rank] = TT_DIM_END;
    return tt_reshape_at("weights", tt_cos(tt_arange(dtype, tt_count(x))), dim);
}

static tt_val loss(void *env, int n, const tt_val *x)
{
    tt_val leaf[LEAVES], sum = tt_f(0);
    const int leaves = tt_tree_leaves(apply(env, n, x), LEAVES, leaf);
    for (int i = 0; i < leaves; i++) {
        const char kind = tt_dtype_kind(tt_dtype_of(leaf[i]));
        const tt_val real = kind == 'c' ? tt_add(tt_real(leaf[i]), tt_imag(leaf[i])) : leaf[i];
        const bool wide = tt_dtype_of(leaf[i]) == TT_F64 || kind == 'c';
        const tt_dtype dtype = wide ? tt_dtype_of(real) : TT_F32;
        if (kind == 'f' || kind == 'c')
            sum = tt_add(sum, tt_sum(tt_mul(weights_of(real, dtype), tt_cast(real, dtype))));
    }
    return sum;
}

static tt_fn value_of(const call *c) { return tt_bind_env("call", apply, (void *)(uintptr_t)c, sizeof *c, c->nargs); }
static tt_fn loss_of(const call *c) { return tt_bind_env("loss", loss, (void *)(uintptr_t)c, sizeof *c, c->nargs); }
static tt_fn gradient_of(const call *c) { return tt_grad(loss_of(c), .wrt = c->wrt); }

/* ---- layouts ---- */

static const char *some_spec(int rank)
{
    static char text[64];
    const uint32_t at = below(5);
    *text = 0;
    for (int d = 0; d < rank; d++) {
        const uint32_t k = (at + (uint32_t)d) % 4;
        strcat(strcat(text, d ? ", " : ""), k == 0 ? "x" : k == 1 ? "y" : "_");
    }
    return rank ? text : "_";
}

/* ---- which draws ---- */

typedef struct { uint64_t first, n; char *const *names; } draws_asked;   /* names: of functions; none: all */

/* Of --seed, --draws and --draw, then names. n: the number of draws where none is given. */
static draws_asked draws_of(char **argv, int argc, uint64_t n)
{
    draws_asked d = { 0, n, NULL };
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        const uint64_t v = strtoull(argv[at + 1], NULL, 0);
        if (!strcmp(argv[at], "--seed")) seed = v;
        if (!strcmp(argv[at], "--draws")) d.n = v;
        if (!strcmp(argv[at], "--draw")) d.first = v, d.n = v + 1;
    }
    d.names = argv + at;
    return d;
}

/* Begins draw k: its function. False: that function is not asked for. */
static bool draw_begun(draw *d, uint64_t k, char *const *names)
{
    bool wanted = !names || !*names;
    memset(d, 0, sizeof *d);
    state = seed * 0x9E3779B97F4A7C15u + k * 0xBF58476D1CE4E5B9u;
    below(1);
    d->c.row = &rows[below(ROWS_N)];
    for (char *const *n = names; n && *n; n++) wanted |= !strcmp(*n, d->c.row->name);
    return wanted;
}

/* ---- what rounding of the arguments does ---- */

/* x, each element off by at most a unit in its last place. */
static tt_val shaken(tt_val x, int turn)
{
    const tt_dtype dtype = tt_dtype_of(x);
    if (tt_dtype_kind(dtype) != 'f') return x;
    const double unit = dtype == TT_F64 ? 0x1p-52 : dtype == TT_F32 ? 0x1p-23 : dtype == TT_F16 ? 0x1p-10 : 0x1p-7;
    const tt_val off = tt_cos(tt_mul(tt_add(weights_of(x, TT_F64), tt_f(turn)), tt_f(1e3)));
    return tt_cast(tt_mul(tt_cast(x, TT_F64), tt_add(tt_mul(off, tt_f(unit)), tt_f(1))), dtype);
}

/* within[i]: four times the most that shaken arguments move an element of leaf i. */
static void condition(tt_fn f, int n, const tt_val *arg, const result *want, double within[LEAVES])
{
    memset(within, 0, LEAVES * sizeof *within);
    for (int turn = 0; turn < 8; turn++) {
        tt_val x[ARGS];
        result r;
        for (int i = 0; i < n; i++) x[i] = shaken(arg[i], turn);
        if (!results(tt_call_n("call", f, n, x), &r)) continue;
        for (int i = 0; i < r.n && r.n == want->n && r.count[i] == want->count[i]; i++)
            for (size_t k = 0; k < r.count[i]; k++) {
                const double apart = 4 * fabs(r.x[i][k] - want->x[i][k]);
                if (isfinite(apart)) within[i] = fmax(within[i], apart);
            }
        drop(&r);
    }
    tt_clear();
}

#endif
