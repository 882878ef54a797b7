/* api.c - drawn programs of the public interface: whatever the mesh, the axes' mode, the layouts, the transform,
 * and however they are called, they give what they give eagerly on one device.
 *
 * A program is a list of steps over a pool of values; a step takes what there is and the shapes it finds, so that the
 * same list traces, runs eagerly and is differentiated. Axes may be explicit: then the program may be refused where a
 * layout does not follow, with an error that says what to write, and must run with automatic ones. Numbers stay near 1,
 * and nothing jumps, so that rounding stays small.
 *
 * usage: fuzz_api [--seed S] [--draws N] [--draw K] */
#include <math.h>
#include <tutti.h>
#include <tutti/numpy.h>
#include <tutti/parallel.h>

#include "check.h"

extern int64_t driver_ensemble_least;                    /* see driver/ensemble.c */

enum { STEPS = 10, ARGS = 3, POOL = ARGS + STEPS };
typedef struct { uint8_t op, a, b, c, d; } step;
typedef struct { int nstep, laid; tt_mesh mesh; step step[STEPS]; } program;  /* laid: on its mesh */
typedef enum { PLAIN, GRAD, VALUE_AND_GRAD, VMAP, VMAP_OF_GRAD, REMAT, SECOND, FORMS } form;

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}
static int refused;
static uint64_t seed = 1;

/* ---- programs ---- */

static bool fits(tt_val x, tt_val y)                     /* True if their shapes broadcast */
{
    const int r = tt_rank(x), q = tt_rank(y);
    for (int d = 1; d <= r && d <= q; d++)
        if (tt_dim(x, -d) != tt_dim(y, -d) && tt_dim(x, -d) != 1 && tt_dim(y, -d) != 1) return false;
    return true;
}

static tt_val tamed(tt_val x) { return tt_tanh(x); }
static tt_val scalar(tt_val x) { return tt_mean(tt_tanh(x)); }
static tt_val turn(tt_val c, tt_val x) { return tt_tuple(tamed(tt_add(c, x)), tt_mul(c, x)); }
static tt_val again(tt_val x) { return tamed(tt_mul(x, tt_f(1.5))); }
static tt_val round_of(tt_val i, tt_val x) { return again(tt_add(x, tt_mul(tt_cast(i, TT_F32), tt_f(0.1)))); }
static tt_val yes(tt_val x) { return tt_sin(x); }
static tt_val no(tt_val x) { return tt_mul(x, tt_f(0.5)); }
static tt_val shifted(tt_val x) { return tt_add(tt_mul(tt_psum(x, "x"), tt_f(0.25)), x); }
static tt_val averaged(tt_val x) { return tamed(tt_add(x, tt_pmean(x, "x"))); }
static tt_val around(tt_val x) { return tt_pshift(x, "x", 1); }
static tt_val gathered(tt_val x) { return tt_add(x, tt_mean(tt_all_gather(x, "x"), .dims = "0", .keepdims = 1)); }
static tt_val scattered(tt_val x) { return tt_mul(tt_psum_scatter(x, "x"), tt_f(0.25)); }
static tt_val turned(tt_val x) { return tt_all_to_all(x, "x"); }

static const char *some_spec(tt_mesh mesh, int rank, uint32_t at, const int64_t *dim)
{
    static const char *const name[] = { "x", "y", "z" };
    static char text[64];
    *text = 0;
    for (int d = 0; d < rank; d++) {
        const uint32_t k = (at + (uint32_t)d) % 5;       /* each axis once */
        const bool there = k < 3 && tt_mesh_size(mesh, name[k]) > 1 && dim[d] >= tt_mesh_size(mesh, name[k]);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", d ? ", " : "", there ? name[k] : "_");
    }
    return text;
}

static tt_val laid(const program *p, tt_val x, uint32_t at)
{
    int64_t dim[8];
    for (int d = 0; d < tt_rank(x) && d < 8; d++) dim[d] = tt_dim(x, d);
    return p->laid && tt_rank(x) > 0 ? tt_shard(x, p->mesh, some_spec(p->mesh, tt_rank(x), at, dim)) : x;
}

static tt_val product(tt_val x, tt_val y)                /* over dims of one size, in whatever order they stand */
{
    if (tt_rank(x) < 1 || tt_rank(y) < 1) return tt_mul(x, y);
    for (int d = 0; d < tt_rank(x); d++)
        for (int e = 0; e < tt_rank(y); e++) {
            char sum[32];
            if (tt_dim(x, d) != tt_dim(y, e) || tt_rank(x) + tt_rank(y) > 5) continue;
            snprintf(sum, sizeof sum, "%d:%d", d, e);
            return tt_mul(tt_dot(x, y, .sum = sum), tt_f(1.0 / (double)tt_dim(x, d)));
        }
    return tt_mul(x, scalar(y));
}

static tt_val moved(tt_val x, const step *s)
{
    const int r = tt_rank(x), d = r ? s->c % r : 0;
    if (!r) return tt_expand_dims(x, 0);
    switch (s->d % 9) {
    case 0:  return tt_swapaxes(x, d, r - 1);
    case 1:  return tt_reverse(x, d);
    case 2:  return tt_dynamic_slice(x, d, tt_i(0), (tt_dim(x, d) + 1) / 2);
    case 3:  return tt_concat(d, x, x);
    case 4:  return tt_reshape(x, tt_count(x));
    case 5:  return tt_roll(x, 1, d);
    case 6:  return tt_cumsum(tt_mul(x, tt_f(0.25)), d);
    case 7:  return tt_take(x, tt_arange(TT_I32, (tt_dim(x, d) + 1) / 2), d);
    default: return tt_squeeze(tt_dynamic_slice(x, d, tt_i(0), 1), d);
    }
}

static tt_val folded(tt_val x, const step *s)
{
    char over[8];
    if (!tt_rank(x)) return x;
    snprintf(over, sizeof over, "%d", s->c % tt_rank(x));
    switch (s->d % 4) {
    case 0:  return tt_mul(tt_sum(x, .dims = over), tt_f(0.25));
    case 1:  return tt_mean(x, .dims = over);
    case 2:  return tt_logsumexp(x, .dims = over);
    default: return tt_softmax(x);
    }
}

/* Parts along dim 0 as a dim of their own, and back. */
static tt_val like(tt_val y, tt_val x, int64_t rows)
{
    int64_t dim[9] = { 0 };
    for (int d = 0; d < tt_rank(x); d++) dim[d] = d ? tt_dim(x, d) : rows;
    dim[tt_rank(x)] = TT_DIM_END;
    return tt_reshape_at("parts", y, dim);
}

/* Over the parts along "x", in a region; on one device as the same formula. */
static tt_val over_parts(const program *p, tt_val x, uint32_t which)
{
    static tt_f1 *const body[] = { shifted, averaged, around, gathered, scattered, turned };
    const int64_t n = tt_mesh_size(p->mesh, "x"), rows = tt_rank(x) ? tt_dim(x, 0) : 0, each = rows / n;
    which %= 6;
    if (!each || rows % n || (which >= 4 && each % n)) return x;
    if (p->laid)
        return tt_call(tt_shard_map(body[which], .mesh = p->mesh, .in = "x", .out = "x", .axes = "x"), x);
    const tt_val parts = tt_reshape(x, n, each, -1), sum = tt_sum(parts, .dims = "0", .keepdims = 1);
    switch (which) {
    case 0:  return like(tt_add(parts, tt_mul(sum, tt_f(0.25))), x, rows);
    case 1:  return like(tamed(tt_add(parts, tt_mul(sum, tt_f(1.0 / (double)n)))), x, rows);
    case 2:  return tt_roll(x, each, 0);
    case 3:  return tt_add(x, tt_mean(x, .dims = "0", .keepdims = 1));
    case 4:  return like(tt_mul(sum, tt_f(0.25)), x, each);
    default: return like(tt_swapaxes(tt_reshape(x, n, n, each / n, -1), 0, 1), x, rows);
    }
}

static tt_val looped(const program *p, tt_val x, const step *s)
{
    switch (s->d % 8) {
    case 5:  return tt_call(tt_jit(again), x);
    case 0:  return tt_fori(0, 1 + s->c % 3, round_of, x);
    case 1:  return tt_cond(tt_lt(tt_i(s->c % 3), tt_i(1)), yes, no, x);
    case 2:
        if (tt_rank(x) < 2) return again(x);
        return tt_item(tt_scan(turn, tt_mean(x, .dims = "0"), x), 1);
    case 3:  return tt_call(tt_remat(again), x);
    case 4:  return tt_rank(x) ? tt_call(tt_vmap(again), x) : x;
    default: return over_parts(p, x, s->c);
    }
}

static tt_val made(const program *p, const step *s, const tt_val *pool, int n)
{
    const tt_val x = pool[s->a % n], y = pool[s->b % n], z = fits(x, y) ? y : scalar(y);
    if (tt_rank(x) > 4 || tt_count(x) > 4096) return scalar(x);
    switch (s->op % 12) {
    case 0:  return tt_add(x, z);
    case 1:  return tt_mul(tt_sub(x, z), tt_f(0.5));
    case 2:  return tt_mul(x, tamed(z));
    case 3:  return tt_sin(x);
    case 4: case 5: return product(x, tamed(y));
    case 6: case 7: return moved(x, s);
    case 8:  return folded(x, s);
    case 9:  return laid(p, x, s->c);
    default: return looped(p, x, s);
    }
}

static tt_val drawn(void *env, int n, const tt_val *arg)
{
    const program *p = env;
    tt_val pool[POOL];
    memcpy(pool, arg, (size_t)n * sizeof *pool);
    for (int k = 0; k < p->nstep; k++) {
        pool[n] = tamed(made(p, &p->step[k], pool, n));
        n++;
    }
    return tt_tuple(pool[n - 1], pool[n - 2], tt_add(scalar(pool[n - 1]), scalar(pool[n - 3])));
}

static tt_val loss(void *env, int n, const tt_val *arg) { return tt_item(drawn(env, n, arg), 2); }

/* Of the gradient, to be differentiated again. */
static tt_val slope(void *env, int n, const tt_val *arg)
{
    const tt_fn l = tt_bind_env("loss", loss, env, sizeof(program), ARGS);
    return scalar(tt_call_n("slope", tt_grad(l), n, arg));
}

/* ---- forms ---- */

static tt_fn fn_of(const program *p, form how)
{
    const tt_fn f = tt_bind_env("drawn", drawn, (void *)(uintptr_t)p, sizeof *p, ARGS);
    const tt_fn l = tt_bind_env("loss", loss, (void *)(uintptr_t)p, sizeof *p, ARGS);
    const tt_fn g = tt_bind_env("slope", slope, (void *)(uintptr_t)p, sizeof *p, ARGS);
    switch (how) {
    case SECOND:         return tt_value_and_grad(g, .wrt = "0, 1");
    case GRAD:           return tt_grad(l, .wrt = "0, 1, 2");
    case VALUE_AND_GRAD: return tt_value_and_grad(l, .wrt = "1");
    case VMAP:           return tt_vmap(f);
    case VMAP_OF_GRAD:   return tt_vmap(tt_grad(l, .wrt = "0, 2"));
    case REMAT:          return tt_grad(tt_remat(l), .wrt = "0, 1");
    default:             return f;
    }
}

static bool near(tt_val got, tt_val want, double *apart)
{
    tt_val x[16], y[16];
    const int n = tt_tree_leaves(got, 16, x);
    *apart = 0;
    if (!tt_ok() || n != tt_tree_leaves(want, 16, y)) return false;
    for (int i = 0; i < n; i++) {
        const size_t bytes = tt_bytes(x[i]), count = bytes / sizeof(float);
        float *a = malloc(2 * bytes + 8), *b = a + count;
        if (bytes != tt_bytes(y[i]) || !tt_read(x[i], a, bytes) || !tt_read(y[i], b, bytes)) return free(a), false;
        double most = 0;
        for (size_t k = 0; k < count; k++) most = fmax(most, fabs((double)b[k]));
        for (size_t k = 0; k < count; k++) {
            const double d = fabs((double)a[k] - (double)b[k]) / (1 + most);
            if (!(d <= *apart)) *apart = isnan(d) && isnan(a[k]) && isnan(b[k]) ? *apart : isnan(d) ? 1e9 : d;
        }
        free(a);
    }
    return *apart <= 2e-4;
}

static const char *some_mesh(bool modes)
{
    static const char *const name[] = { "x", "y", "z" };
    static const int size[] = { 2, 3, 4, 2 };
    static char text[96];
    const uint32_t n = 1 + below(3);
    int all = 1;
    *text = 0;
    for (uint32_t i = 0; i < n; i++) {
        int k = size[below(4)];
        if (all * k > 12) k = 1;
        all *= k;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%d%s", i ? ", " : "", name[i], k,
                 modes && below(2) ? " explicit" : "");
    }
    return text;
}

static tt_mesh mesh_of_text(const char *text)            /* devices in any order, now and then */
{
    const tt_mesh m = tt_mesh(text);
    int64_t id[24], n = tt_mesh_size(m, NULL);
    if (below(3) || n > 24) return m;
    for (int64_t i = 0; i < n; i++) id[i] = i;
    for (int64_t i = n; i > 1; i--) {
        const int64_t k = below((uint32_t)i), s = id[i - 1];
        id[i - 1] = id[k], id[k] = s;
    }
    return tt_mesh(text, .order = id);
}

typedef struct { program p; form how; tt_val arg[ARGS]; } draw;

static void some_program(draw *d, tt_mesh mesh)
{
    static const int64_t size[] = { 2, 3, 4, 6, 8, 12, 4, 2 };
    memset(d, 0, sizeof *d);
    d->how = (form)below(FORMS);
    d->p.mesh = mesh;
    d->p.nstep = 1 + (int)below(STEPS);
    for (int k = 0; k < d->p.nstep; k++)
        d->p.step[k] = (step){ (uint8_t)below(256), (uint8_t)below(256), (uint8_t)below(256), (uint8_t)below(256),
                               (uint8_t)below(256) };
    const bool mapped = d->how == VMAP || d->how == VMAP_OF_GRAD;
    const int64_t members = 2 + below(7);
    for (int i = 0; i < ARGS; i++) {
        int64_t dim[6];
        int r = 0;
        if (mapped) dim[r++] = members;
        for (int q = (int)below(4); q; q--) dim[r++] = size[below(8)];
        dim[r] = TT_DIM_END;
        d->arg[i] = tt_normal_at("argument", tt_key(below(1 << 20)), TT_F32, dim);
    }
}

/* As it is called: on the mesh with arguments laid out, eagerly so, with arguments given away, without a mesh. */
enum { JIT, EAGER, DONATE, ALONE, WAYS };

static tt_val called(const draw *d, int way, uint32_t at)
{
    tt_val arg[ARGS];
    program p = d->p;
    p.laid = way != ALONE;
    for (int i = 0; i < ARGS; i++) arg[i] = p.laid ? laid(&p, tt_mul(d->arg[i], tt_f(1)), at + 7 * (uint32_t)i)
                                                   : d->arg[i];
    const tt_fn f = fn_of(&p, d->how);
    if (way == EAGER) return tt_call_n("drawn", f, ARGS, arg);
    return tt_call_n("drawn", way == DONATE ? tt_jit(f, .donate = "0, 1, 2") : tt_jit(f), ARGS, arg);
}

static void one(uint64_t k, bool modes)
{
    const tt_scope scope = tt_scope_open();
    state = seed * 0x9E3779B97F4A7C15u + k * 0xBF58476D1CE4E5B9u;
    below(1);
    char text[96];
    snprintf(text, sizeof text, "%s", some_mesh(modes));
    const tt_mesh mesh = mesh_of_text(text);
    draw d;
    double apart = 0;
    some_program(&d, mesh);
    const tt_val want = tt_call_n("drawn", fn_of(&d.p, d.how), ARGS, d.arg);
    CHECK(tt_ok(), "draw %llu: %s", (unsigned long long)k, tt_error());
    const uint32_t at = below(64);
    for (int way = 0; way < WAYS && tt_ok(); way++) {
        const tt_val got = called(&d, way, at);
        const bool good = near(got, want, &apart);
        if (modes && !tt_ok() && tt_error_record()->code == TT_ESPEC && tt_error_record()->hint) {
            refused++;
            tt_clear();
            continue;
        }
        CHECK(good, "draw %llu of seed %llu: way %d of form %d on \"%s\": %s (%g)", (unsigned long long)k,
              (unsigned long long)seed, way, (int)d.how, text, tt_ok() ? "differs" : tt_error(), apart);
        tt_clear();
    }
    tt_clear();
    tt_scope_close(scope);
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--seed N --draw N --draws N")) return check_done();
    uint64_t n = 150, first = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const uint64_t v = strtoull(argv[i + 1], NULL, 0);
        if (!strcmp(argv[i], "--seed")) seed = v;
        if (!strcmp(argv[i], "--draws")) n = v;
        if (!strcmp(argv[i], "--draw")) first = v, n = v + 1;
    }
    tt_on_error(silent, NULL);
    driver_ensemble_least = 0;
    for (uint64_t k = first; k < n; k++) one(k, k % 3 == 0);
    printf("%d calls on explicit axes were refused, each with what to write\n", refused);
    CHECK_VOLUME(n - first, "drawn programs of the public calls");
    tt_done();
    return check_done();
}
