/* api/query.c - properties of values and of dtypes. No error for poison, whose error was reported before. */
#include "api.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *site;
    tt_val v;
    int i;
    int64_t out;
    enum { QUERY_BYTES, QUERY_DTYPE, QUERY_RANK, QUERY_DIM, QUERY_COUNT, QUERY_TRACED } kind;
} query_args;

/* The name of the call that the site shows, "tt_mean" of "a.c:3: tt_mean(x)": of a function that asks on its way, its
 * own; otherwise `usual`. */
static const char *caller(base_site site, const char *usual)
{
    const char *const p = site ? strstr(site, ": tt_") : NULL;
    const size_t n = p ? strspn(p + 2, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
    return p && p[2 + n] == '(' ? base_format(trace_temp(), "%.*s", (int)n, p + 2) : usual;
}

static void answer(void *p)
{
    query_args *q = p;
    const base_site site = trace_site(q->site);
    trace_value *v = trace_get(site, q->v);
    if (!v) return;
    if (q->kind == QUERY_BYTES || q->kind == QUERY_COUNT || q->kind == QUERY_TRACED) {
        q->out = 0;
        for (int i = 0; i < trace_nleaf(v); i++) {
            const trace_value *leaf = trace_leaf_of(v, i);
            if (q->kind == QUERY_TRACED) q->out |= leaf->form == TRACE_TRACED;
            else
                q->out += ir_count(leaf->type) *
                          (q->kind == QUERY_BYTES ? (int64_t)ir_dtype_of(leaf->type->dtype)->bytes : 1);
        }
        return;
    }
    if (!v->type) {
        if (q->kind == QUERY_RANK) q->out = -1;
        else {
            base_fail(TT_ETREE, site, "%s takes an array, not the tree %s",
                      caller(site, q->kind == QUERY_DIM ? "tt_dim" : "tt_dtype_of"),
                      trace_tree_text(trace_temp(), v->tree));
            trace_cite(v);
            base_hint("take a leaf of it with tt_get or tt_item, or map over leaves with tt_tree_map");
        }
        return;
    }
    if (q->kind == QUERY_DTYPE) q->out = v->type->dtype;
    if (q->kind == QUERY_RANK) q->out = v->type->rank;
    if (q->kind != QUERY_DIM) return;
    const int d = api_dim(site, "tt_dim", v, q->i);
    if (d >= 0) q->out = v->type->dim[d];
}

/* ---- dtypes that a call writes ---- */

/* The functions with a dtype, without "tt_", and the place of the dtype among their arguments. */
static const struct { const char *function; int place; } dtype_place[] = {
    { "zeros", 0 }, { "ones", 0 }, { "array", 0 }, { "shape", 0 }, { "arange", 0 }, { "iota", 0 }, { "const", 0 },
    { "eye", 0 }, { "linspace", 0 }, { "array_from_callback", 0 }, { "full", 1 }, { "cast", 1 }, { "bitcast", 1 },
    { "uniform", 1 }, { "normal", 1 }, { "gumbel", 1 }, { "exponential", 1 }, { "laplace", 1 }, { "cauchy", 1 },
    { "rademacher", 1 }, { "bits", 1 }, { "logistic_draw", 1 }, { "uniform_in", 1 }, { "truncated_normal", 1 },
    { "randint", 1 }, { "gamma", 1 }, { "loggamma", 1 }, { "chisquare", 1 }, { "t_draw", 1 },
    { "generalized_normal", 1 }, { "dirichlet", 1 }, { "pareto", 1 }, { "lognormal", 1 }, { "rayleigh", 1 },
    { "wald", 1 }, { "poisson", 1 }, { "geometric", 1 }, { "beta", 1 }, { "f_draw", 1 }, { "weibull_min", 1 },
    { "double_sided_maxwell", 1 }, { "binomial", 1 }, { "multinomial", 1 }, { "triangular", 1 }, { "maxwell", 1 },
    { "orthogonal", 1 }, { "ball", 1 }, { "multivariate_normal", 1 }, { "variance_scaling", 1 }, { "one_hot", 2 },
};

/* The place of the dtype in a call of the function of these n letters; negative: the function has none. */
static int dtype_place_of(const char *function, size_t n)
{
    for (size_t i = 0; i < sizeof dtype_place / sizeof *dtype_place; i++) {
        const char *const f = dtype_place[i].function;
        if (*f == *function && !strncmp(f, function, n) && !f[n]) return dtype_place[i].place;
    }
    return -1;
}

/* Where argument number i begins in a list of arguments, "3, f(x, y))"; its end if there are fewer. */
static const char *argument(const char *p, int i)
{
    int open = 0;
    for (; i && *p && open >= 0; p++) {
        open += *p == '(' || *p == '{' || *p == '[';
        open -= *p == ')' || *p == '}' || *p == ']';
        i -= *p == ',' && !open;
        const char *const end = *p == '"' ? strchr(p + 1, '"') : NULL;
        if (end) p = end;
    }
    return p + strspn(p, " ");
}

bool api_dtype(base_site site, const char *what, tt_dtype t)
{
    const char *const call = site ? strstr(site, ": tt_") : NULL, *const open = call ? strchr(call, '(') : NULL;
    const char *const function = call ? call + strlen(": tt_") : NULL;
    const int place = open ? dtype_place_of(function, (size_t)(open - function)) : -1;
    const char *const p = place < 0 ? "" : argument(open + 1, place);
    if (isdigit((unsigned char)*p)) {
        const int length = (int)(open - function), n = (int)strcspn(p, ",) ");
        base_fail(TT_ETYPE, site, "tt_%.*s: %.*s is in the place of the dtype", length, function, n, p);
        return base_hint("a dtype is TT_F32, TT_I32, TT_BOOL and so on");
    }
    if (ir_dtype_of(t)) return true;
    base_fail(TT_ETYPE, site, "%s: %d is no dtype", what, (int)t);
    return base_hint("dtypes are TT_F32, TT_I32, TT_BOOL and so on");
}

static int64_t query_value(const char *site, tt_val v, int kind, int i, int64_t otherwise)
{
    query_args q = { site, v, i, otherwise, kind };
    api_enter(answer, &q);
    return q.out;
}

size_t tt_bytes_at(const char *site, tt_val v) { return (size_t)query_value(site, v, QUERY_BYTES, 0, 0); }

char tt_dtype_kind(tt_dtype d)
{
    static const char letter[] = { [IR_BOOL_CLASS] = 'b', [IR_INT_CLASS] = 'i', [IR_UINT_CLASS] = 'u',
                                   [IR_FLOAT_CLASS] = 'f', [IR_COMPLEX_CLASS] = 'c' };
    const ir_dtype *t = ir_dtype_of(d);
    return t ? letter[t->cls] : '?';
}
const char *tt_dtype_name(tt_dtype d) { return ir_dtype_of(d) ? ir_dtype_of(d)->name : "no dtype"; }
bool tt_int_range(tt_dtype d, int64_t *least, uint64_t *most)
{
    int64_t lo = 0;
    uint64_t hi = 0;
    const bool is = ir_dtype_of(d) && ir_int_range(d, &lo, &hi);
    if (least) *least = lo;
    if (most) *most = hi;
    return is;
}
tt_dtype tt_dtype_of_at(const char *site, tt_val v) { return (tt_dtype)query_value(site, v, QUERY_DTYPE, 0, TT_F32); }
int tt_rank_at(const char *site, tt_val v) { return (int)query_value(site, v, QUERY_RANK, 0, 0); }
int64_t tt_dim_at(const char *site, tt_val v, int i) { return query_value(site, v, QUERY_DIM, i, 1); }
int64_t tt_count_at(const char *site, tt_val v) { return query_value(site, v, QUERY_COUNT, 0, 1); }
bool tt_is_traced_at(const char *site, tt_val v) { return query_value(site, v, QUERY_TRACED, 0, 0) != 0; }
