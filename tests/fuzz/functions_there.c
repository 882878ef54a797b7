/* functions_there.c - drawn calls of the array functions (rows.h) on the devices of a PJRT library: eagerly, jitted, on
 * a mesh in both forms, mapped, and their gradients, give what the embedded engine gives eagerly on one device; a call
 * that is refused is refused on both. PJRT_LIBRARY=FILE: the library.
 *
 * usage: fuzz_functions_there [--seed S] [--draws N] [--draw K] [NAME...] */
#include "api/programs/engine_word.h"
#include "fuzz/drawn.h"

#include <signal.h>
#include <unistd.h>

enum { EAGER, JIT, PLANNED, GLOBAL, EAGER_ON_MESH, MAPPED, WAYS };
static const char *const names[] = { "eagerly", "jitted", "on a mesh, as planned", "on a mesh, global",
                                     "eagerly on a mesh", "mapped" };

static const char *word;                                 /* "pjrt:FILE" */
static long long refusals;
static volatile unsigned long long drawn;

typedef struct { uint64_t k; const char *form; const draw *here; tt_fn f; result want; bool good; double within[LEAVES];
                 void *bytes[ARGS]; } trial;

/* ---- the same arguments there ---- */

static size_t size_of(tt_val v)                         /* in bytes, of the types that are drawn */
{
    const tt_dtype d = tt_dtype_of(v);
    const bool two = d == TT_F16 || d == TT_BF16, four = d == TT_F32 || d == TT_I32, eight = d == TT_F64 || d == TT_I64;
    return (size_t)tt_count(v) * (eight ? 8 : four ? 4 : two ? 2 : 1);
}

static void kept(trial *t)                               /* their elements, while the embedded engine is in force */
{
    for (int i = 0; i < t->here->c.nargs; i++) {
        t->bytes[i] = malloc(size_of(t->here->arg[i]) + 1);
        tt_read_at("argument", t->here->arg[i], t->bytes[i], size_of(t->here->arg[i]));
    }
}

static tt_val sent(const trial *t, int i)
{
    int64_t dim[16];
    const tt_val v = t->here->arg[i];
    const int rank = tt_rank(v);
    for (int d = 0; d < rank; d++) dim[d] = tt_dim(v, d);
    dim[rank] = TT_DIM_END;
    return tt_array_at("argument", tt_dtype_of(v), t->bytes[i], dim);
}

/* ---- a way ---- */

static void differs(const trial *t, int way, const char *why)
{
    char types[200] = "";
    const call *const c = &t->here->c;
    for (int i = 0; i < c->nargs; i++)
        snprintf(types + strlen(types), sizeof types - strlen(types), " %s", tt_type_text(t->here->arg[i]));
    CHECK(false, "draw %llu of seed %llu: %s of %s (%s; k %lld, dims \"%s\", flag %d) %s: %s", (unsigned long long)t->k,
          (unsigned long long)seed, t->form, c->row->name, types + 1, (long long)c->p.k, c->p.dims, c->p.flag,
          names[way], why);
}

static tt_val called(const trial *t, int way, tt_mesh mesh)
{
    tt_val arg[ARGS];
    char in[32] = "";
    const int n = t->here->c.nargs;
    for (int i = 0; i < n; i++) {
        arg[i] = sent(t, i);
        if (way >= PLANNED && way < MAPPED) arg[i] = tt_shard(arg[i], mesh, some_spec(tt_rank(arg[i])));
        if (way == MAPPED) arg[i] = tt_stack_values(0, arg[i], arg[i]), strcat(strcat(in, i ? "; " : ""), "0");
    }
    if (way == EAGER || way == EAGER_ON_MESH) return tt_call_n("call", t->f, n, arg);
    return tt_call_n("call", tt_jit(way == MAPPED ? tt_vmap(t->f, .in = in) : t->f), n, arg);
}

/* An error that says what the global form lacks. */
static bool is_lacking(int way)
{
    return (way == GLOBAL || way == EAGER_ON_MESH) && strstr(tt_error(), "where TUTTI does not say form:global");
}

static void try_way(trial *t, int way, tt_mesh mesh)
{
    char why[700];
    result got;
    CHECK(tt_config(way == GLOBAL ? "form:global" : "form:planned"), "%s", tt_error());
    const bool good = results(called(t, way, mesh), &got);
    if (!good) snprintf(why, sizeof why, "refused: %.600s", tt_error());
    if (!good && t->good && is_lacking(way)) refusals++;
    else if (good != t->good) differs(t, way, good ? "taken, which the embedded engine refuses" : why);
    for (int part = 0; good && t->good && part <= (way == MAPPED); part++)
        if (!near(&got, &t->want, part, 1 + (way == MAPPED), 1, t->within, why)) differs(t, way, why);
    tt_clear();
    if (good) drop(&got);
}

/* What is computed in a narrow type and then with a wide one has the narrow one's rounding. */
static void widen(trial *t)
{
    double unit = 0;
    for (int i = 0; i < t->here->c.nargs; i++) unit = fmax(unit, rounding(t->here->dtype[i]));
    for (int i = 0; i < t->want.n; i++) {
        double most = 0;
        for (size_t k = 0; k < t->want.count[i]; k++)
            if (isfinite(t->want.x[i][k])) most = fmax(most, fabs(t->want.x[i][k]));
        if (rounding(t->want.dtype[i]) > 0) t->within[i] += unit * most;
    }
}

static void try_ways(uint64_t k, const char *form, const draw *d, tt_fn f, bool *value)
{
    trial t = { .k = k, .form = form, .here = d, .f = f };
    t.good = results(tt_call_n("call", f, d->c.nargs, d->arg), &t.want);
    *value = t.good;
    refusals += !t.good;
    tt_clear();
    if (t.good) condition(f, d->c.nargs, d->arg, &t.want, t.within), widen(&t);
    kept(&t);
    CHECK(tt_ok() && tt_engine(word), "%s", tt_error());
    const tt_mesh mesh = tt_mesh(k % 3 == 0 ? "x:4, y:2" : k % 3 == 1 ? "x:2, y:2" : "x:2, y:1");
    for (int way = JIT; way < WAYS; way++) if (way != EAGER_ON_MESH || k % 8 == 0) try_way(&t, way, mesh);
    if (k % 4 == 0) try_way(&t, EAGER, mesh);
    CHECK(tt_engine("cpu"), "%s", tt_error());
    for (int i = 0; i < d->c.nargs; i++) free(t.bytes[i]);
    if (t.good) drop(&t.want);
}

/* ---- draws ---- */

static void one(uint64_t k, char *const *wanted)
{
    const tt_scope scope = tt_scope_open();
    draw d;
    bool value = false;
    drawn = k;
    if (draw_begun(&d, k, wanted)) {
        some_call(&d);
        try_ways(k, "the value", &d, value_of(&d.c), &value);
        if (value && *d.c.wrt && k % 2) try_ways(k, "the gradient", &d, gradient_of(&d.c), &value);
    }
    tt_clear();
    tt_scope_close(scope);
}

/* The library ends the process: which draw it was. */
static void ended(int signal)
{
    char text[80];
    const int n = snprintf(text, sizeof text, "FAIL draw %llu of seed %llu: signal %d\n", drawn,
                           (unsigned long long)seed, signal);
    if (write(1, text, (size_t)n) != n) _exit(3);
    _exit(1);
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--seed N --draw N --draws N [NAME...]")) return check_done();
    if (!(word = engine_word())) return check_done();
    const draws_asked asked = draws_of(argv, argc, 40);
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGABRT, ended), signal(SIGSEGV, ended);
    tt_on_error(silent, NULL);
    for (uint64_t k = asked.first; k < asked.n; k++) one(k, asked.names);
    printf("%lld arrays compared, %lld calls refused\n", compared, refusals);
    CHECK(compared > 0, "no array was compared");
    CHECK_VOLUME(asked.n - asked.first, "drawn calls of array functions on a device of a PJRT library");
    tt_done();
    return check_done();
}
