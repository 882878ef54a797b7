/* functions.c - drawn calls of the array functions (rows.h), of drawn types and shapes, empty ones too, with NaNs and
 * infinities among the numbers: jitted, reproducible, on a mesh, and mapped, a call gives what it gives eagerly on one
 * device, and so does its gradient; a call that is refused is refused each time. Where the function is smooth, the
 * gradient, the tangent and a difference quotient agree.
 *
 * usage: fuzz_functions [--seed S] [--draws N] [--draw K] [NAME...] */
#include <math.h>

#include "check.h"
#include "fuzz/drawn.h"

extern int64_t driver_ensemble_least;                    /* see driver/ensemble.c */

static long long gradients, refusals;

/* ---- ways of a call ---- */

enum { JIT, REPRODUCIBLE, ON_MESH, EAGER_ON_MESH, SAME_BITS, WAYS };

static tt_val called(const draw *d, tt_fn f, int way, tt_mesh mesh)
{
    tt_val arg[ARGS];
    for (int i = 0; i < d->c.nargs; i++)
        arg[i] = way >= ON_MESH ? tt_shard(d->arg[i], mesh, some_spec(d->rank[i])) : d->arg[i];
    if (way == EAGER_ON_MESH) return tt_call_n("call", f, d->c.nargs, arg);
    const bool exact = way == REPRODUCIBLE || way == SAME_BITS;
    return tt_call_n("call", exact ? tt_jit(f, .reproducible = 1) : tt_jit(f), d->c.nargs, arg);
}

typedef struct { uint64_t k; const char *form; const result *want; bool good; } trial;

static void differs(const trial *t, const draw *d, int way, const char *why)
{
    static const char *const name[] = { "jitted",            "reproducible",  "on a mesh",
                                        "eagerly on a mesh", "the same bits", "mapped" };
    char types[200] = "";
    for (int i = 0; i < d->c.nargs; i++)
        snprintf(types + strlen(types), sizeof types - strlen(types), " %s", tt_type_text(d->arg[i]));
    CHECK(false, "draw %llu of seed %llu: %s of %s (%s; k %lld, dims \"%s\", flag %d) %s: %s", (unsigned long long)t->k,
          (unsigned long long)seed, t->form, d->c.row->name, types + 1, (long long)d->c.p.k, d->c.p.dims,
          d->c.p.flag, name[way], why);
}

/* True if part `part` of the `parts` equal parts of got is want, the result of f of arg, but for rounding. */
static bool same(const result *got, const result *want, int part, int parts, tt_fn f, int n, const tt_val *arg,
                 char why[160])
{
    double within[LEAVES];
    if (near(got, want, part, parts, 1, NULL, why)) return true;
    condition(f, n, arg, want, within);
    return near(got, want, part, parts, 1, within, why);
}

static void try_ways(trial *t, const draw *d, tt_fn f, tt_mesh mesh)
{
    result got, bits = { 0 };
    for (int way = 0; way < WAYS; way++) {
        char why[700];
        const bool good = results(called(d, f, way, mesh), &got);
        if (!good) snprintf(why, sizeof why, "refused: %.600s", tt_error());
        if (good != t->good) differs(t, d, way, good ? "taken, which is refused eagerly" : why);
        else if (good && !same(&got, t->want, 0, 1, f, d->c.nargs, d->arg, why)) differs(t, d, way, why);
        else if (good && way == SAME_BITS && bits.n && !near(&got, &bits, 0, 1, 0, NULL, why)) differs(t, d, way, why);
        tt_clear();
        if (good && way == REPRODUCIBLE) bits = got;
        else if (good) drop(&got);
    }
    drop(&bits);
}

/* Mapped over two calls; an array that is not mapped is that of the first call. */
static void try_map(trial *t, const draw *d, tt_fn f)
{
    tt_val arg[ARGS], second[ARGS];
    char in[32] = "", why[700];
    result got, want;
    const uint32_t mapped = 1 + below((1u << d->c.nargs) - 1);
    for (int i = 0; i < d->c.nargs; i++) {
        const bool both = mapped >> i & 1;
        arg[i] = both ? tt_stack_values(0, d->arg[i], d->other[i]) : d->arg[i];
        second[i] = both ? d->other[i] : d->arg[i];
        strcat(strcat(in, i ? "; " : ""), both ? "0" : "_");
    }
    const bool has = results(tt_call_n("call", f, d->c.nargs, second), &want);
    tt_clear();
    const bool good = results(tt_call_n("call", tt_jit(tt_vmap(f, .in = in)), d->c.nargs, arg), &got);
    if (!good) snprintf(why, sizeof why, "refused: %.600s", tt_error());
    if (good != t->good) differs(t, d, WAYS, good ? "taken, which is refused by itself" : why);
    else if (good && !same(&got, t->want, 0, 2, f, d->c.nargs, d->arg, why)) differs(t, d, WAYS, why);
    else if (good && has && !same(&got, &want, 1, 2, f, d->c.nargs, second, why)) differs(t, d, WAYS, why);
    tt_clear();
    if (good) drop(&got);
    if (has) drop(&want);
}

/* ---- derivatives ---- */

static double at_step(const draw *d, const tt_val *v, double h)
{
    tt_val x[ARGS];
    for (int i = 0; i < d->c.nargs; i++) x[i] = tt_add(d->arg[i], tt_mul(v[i], tt_f(h)));
    return tt_num(tt_call_n("loss", loss_of(&d->c), d->c.nargs, x));
}

static void try_slope(uint64_t k, const draw *d)
{
    tt_val v[ARGS + 1], sum = tt_f(0);
    for (int i = 0; i < d->c.nargs; i++) v[i] = tt_cos(tt_mul(d->other[i], tt_f(5))), v[i + 1] = tt_end;
    const tt_val all = tt_tuple_at("arguments", d->arg), along = tt_tuple_at("tangents", v);
    const double tangent = tt_num(tt_item(tt_call(tt_jvp(loss_of(&d->c)), all, along), 1));
    const tt_val g = tt_call_n("gradient", gradient_of(&d->c), d->c.nargs, d->arg);
    for (int i = 0; i < d->c.nargs; i++) sum = tt_add(sum, tt_sum(tt_mul(d->c.nargs > 1 ? tt_item(g, i) : g, v[i])));
    const double slope = tt_num(sum), h = 1e-5;
    const double quotient = (at_step(d, v, h) - at_step(d, v, -h)) / (2 * h), size = 1 + fabs(quotient);
    const bool constant = quotient == 0 && isnan(slope) && isnan(tangent);   /* std of one element: JAX has NaN too */
    CHECK(constant || (tt_ok() && fabs(tangent - slope) <= 1e-6 * size && fabs(quotient - slope) <= 1e-4 * size),
          "draw %llu of seed %llu: the slope of %s (%s; k %lld, dims \"%s\", flag %d): gradient %.9g, tangent %.9g, "
          "difference quotient %.9g %s", (unsigned long long)k, (unsigned long long)seed, d->c.row->name,
          tt_type_text(d->arg[0]), (long long)d->c.p.k, d->c.p.dims, d->c.p.flag, slope, tangent, quotient, tt_error());
    tt_clear();
    gradients++;
}

/* True if the call is smooth at its arguments, all of float64 and not empty. */
static bool is_smooth(const draw *d)
{
    for (int i = 0; i < d->c.nargs; i++) if (d->dtype[i] != TT_F64 || tt_count(d->arg[i]) == 0) return false;
    return !d->special && d->c.row->lo < d->c.row->hi;
}

/* ---- draws ---- */

static void one(uint64_t k, char *const *names)
{
    const tt_scope scope = tt_scope_open();
    draw d;
    if (draw_begun(&d, k, names)) {
        some_call(&d);
        const tt_mesh mesh = tt_mesh(below(2) ? "x:4, y:2" : "x:2, y:3");
        driver_ensemble_least = below(2) ? 0 : INT64_MAX;
        result want;
        trial t = { k, "the value", &want, results(tt_call_n("call", value_of(&d.c), d.c.nargs, d.arg), &want) };
        refusals += !t.good;
        tt_clear();
        try_ways(&t, &d, value_of(&d.c), mesh);
        try_map(&t, &d, value_of(&d.c));
        const bool value = t.good;
        if (value) drop(&want);
        if (value && *d.c.wrt && below(2)) {
            t.form = "the gradient";
            t.good = results(tt_call_n("gradient", gradient_of(&d.c), d.c.nargs, d.arg), &want);
            tt_clear();
            try_ways(&t, &d, gradient_of(&d.c), mesh);
            try_map(&t, &d, gradient_of(&d.c));
            if (t.good) drop(&want);
        }
        if (value && is_smooth(&d)) try_slope(k, &d);
    }
    tt_clear();
    tt_scope_close(scope);
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--seed N --draw N --draws N [NAME...]")) return check_done();
    const draws_asked asked = draws_of(argv, argc, (uint64_t)check_share(250));
    tt_on_error(silent, NULL);
    for (uint64_t k = asked.first; k < asked.n; k++) one(k, asked.names);
    printf("%lld arrays compared, %lld slopes, %lld calls refused\n", compared, gradients, refusals);
    CHECK(compared > 0, "no array was compared");
    CHECK_VOLUME(asked.n - asked.first, "drawn calls of array functions");
    tt_done();
    return check_done();
}
