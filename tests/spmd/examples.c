/* examples.c - the examples' programs written for one device, run on nine meshes: one step of each, its loss and
 * all that it updates.
 *
 * Layouts are given to some arguments (a batch over all axes; a batch over the first axis and parameters over the
 * last; anything over parts of dims, uneven ones too) and found for the others. In reproducible mode a mesh gives the
 * bits of one device. In the usual mode a float may be off by what shaking the arguments by an ulp makes of one
 * device's results (per element, and on average over the leaf, times SPREADS), and by ULPS ulps of the leaf's largest.
 * Integers and moves are exact. usage: spmd_examples [--all]: every layout on every mesh, not each in its turn. */
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <tutti.h>

enum { LEAVES = 48, ARGS = 4, SHAKES = 3, SPREADS = 16, ULPS = 8 };

/* ---- hello: a move and a comparison; regression; shardmap's product ---- */

static tt_val hello(tt_val a) { return tt_tuple(tt_relu(tt_sub(a, tt_f(5))), tt_reverse(a, 0), tt_cast(a, TT_I32)); }

TT_RECORD(lin, w, b);
static tt_val lin_loss(tt_val p, tt_val x, tt_val y)
{
    lin m = lin_of(p);
    return tt_mean(tt_square(tt_sub(tt_add(tt_mul(m.w, x), m.b), y)));
}
static tt_val regression(tt_val p, tt_val x, tt_val y)
{
    tt_val l, g;
    tt_unpack(tt_call(tt_value_and_grad(lin_loss), p, x, y), &l, &g);
    return tt_tuple(tt_sub(p, tt_mul(tt_f(0.05), g)), l);
}
static tt_val product(tt_val x, tt_val w) { return tt_matmul(x, w); }

/* ---- mlp: a scanned stack, logical axes, Adam ---- */

enum { BATCH = 10, EMBED = 6, HIDDEN = 12, LAYERS = 3 };
TT_RECORD(state, params, opt);
static tt_val block(tt_nn m, tt_val x)
{
    tt_val h = tt_relu(tt_dense(m, "up", x, HIDDEN, .axes = "embed, hidden"));
    h = tt_logical_constraint(h, "batch, hidden");
    return tt_logical_constraint(tt_dense(m, "down", h, EMBED, .axes = "hidden, embed"), "batch, embed");
}
static tt_val mlp(tt_nn m, tt_val x) { return tt_stack(m, "layer", block, LAYERS, x); }
static tt_val mlp_loss(tt_val p, tt_val x, tt_val y) { return tt_mean(tt_square(tt_sub(tt_apply(mlp, p, x), y))); }
static tt_val train(tt_val s, tt_val x, tt_val y)
{
    state st = state_of(s);
    tt_val l, g;
    tt_unpack(tt_call(tt_value_and_grad(mlp_loss), st.params, x, y), &l, &g);
    tt_opt_step(&st.params, &st.opt, g);
    return tt_tuple(state_val(st), l);
}

/* ---- ensemble: members side by side, who vote ---- */

enum { MEMBERS = 4, IMAGES = 6, SIDE = 8 };
static tt_val cnn(tt_nn m, tt_val x)
{
    x = tt_relu(tt_conv(m, "c1", x, 4, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_conv(m, "c2", x, 6, .window = { 3, 3 }));
    x = tt_avg_pool(x, .window = { 2, 2 }, .stride = { 2, 2 });
    x = tt_relu(tt_dense(m, "d1", tt_flatten(x, 1), 12));
    return tt_dense(m, "out", x, 10);
}
static tt_val cnn_loss(tt_val params, tt_val image, tt_val label)
{
    tt_val logits = tt_apply(cnn, params, image);
    return tt_tuple(tt_mean(tt_xent(logits, label)), logits);
}
static tt_val member_of_key(tt_val key)
{
    tt_val p = tt_init(cnn, key, tt_zeros(TT_F32, 1, SIDE, SIDE, 1));
    return state_val((state){ p, tt_sgd(p, .rate = 0.1, .momentum = 0.9) });
}
static tt_val member_step(tt_val s, tt_val image, tt_val label)
{
    state m = state_of(s);
    tt_val l, logits, g;
    tt_unpack(tt_call(tt_value_and_grad(cnn_loss, .aux = 1), m.params, image, label), &l, &logits, &g);
    tt_opt_step(&m.params, &m.opt, g);
    tt_val vote = tt_pmean(tt_softmax(logits), "member");
    tt_val hit = tt_mean(tt_eq(tt_argmax(vote, .dims = "1"), label));
    return tt_tuple(state_val(m), tt_pmean(l, "member"), hit);
}

/* ---- of the guides: statistics of a batch; dropout, and minibatches of a batch added up ---- */

static tt_val keras(tt_nn m, tt_val x)
{
    x = tt_relu(tt_batch_norm(m, NULL, tt_conv(m, NULL, x, 4, .window = { 3, 3 }, .no_bias = 1), .no_scale = 1));
    x = tt_conv(m, NULL, x, 6, .window = { 4, 4 }, .stride = { 2, 2 }, .pad = "VALID", .no_bias = 1);
    x = tt_relu(tt_batch_norm(m, NULL, x, .no_scale = 1));
    return tt_dense(m, NULL, tt_dropout(m, tt_relu(tt_dense(m, NULL, tt_mean(x, .dims = "1, 2"), 12)), 0.5), 10);
}
static tt_val keras_loss(tt_val vars, tt_val x, tt_val y)
{
    tt_val out, updated;
    tt_unpack(tt_apply_train(keras, vars, x, tt_key(5)), &out, &updated);
    return tt_tuple(tt_mean(tt_xent(out, y)), updated);
}
static tt_val keras_step(tt_val s, tt_val x, tt_val y)
{
    state st = state_of(s);
    tt_val l, g;
    tt_unpack(tt_call(tt_value_and_grad(keras_loss, .aux = 1), st.params, x, y), &l, &st.params, &g);
    tt_opt_step(&st.params, &st.opt, g);
    return tt_tuple(state_val(st), l);
}

static tt_val classifier(tt_nn m, tt_val x)
{
    return tt_dense(m, "out", tt_dropout(m, tt_silu(tt_dense(m, "in", x, HIDDEN)), 0.1), 10);
}
static tt_val parts_loss(tt_val params, tt_val batch, tt_val key)
{
    tt_val logits = tt_item(tt_apply_train(classifier, params, tt_get(batch, "x"), key), 0);
    tt_val hits = tt_cast(tt_eq(tt_argmax(logits, .dims = "1"), tt_get(batch, "y")), TT_I32);
    return tt_tuple(tt_mean(tt_xent(logits, tt_get(batch, "y"))), tt_dict("hits", tt_tuple(tt_sum(hits), tt_i(6))));
}
static tt_val parts_step(tt_val s, tt_val x, tt_val y)
{
    state st = state_of(s);
    tt_val g, metrics;
    tt_unpack(tt_accumulate(parts_loss, 2, st.params, tt_dict("x", x, "y", y), tt_key(3)), &g, &metrics);
    tt_opt_step(&st.params, &st.opt, g);
    return tt_tuple(state_val(st), metrics);
}

/* ---- programs, and what they begin with ---- */

typedef struct {
    const char *name, *kinds;                            /* per argument: s state, b batch */
    const char *rules;                                   /* with %s for the last axis, or NULL */
    tt_fn fn;
    tt_val x[ARGS]; int n;
} program;

static tt_val normal(int key, int64_t a, int64_t b) { return tt_normal(tt_key((uint64_t)key), TT_F32, a, b); }
static tt_val labels(int64_t n) { return tt_randint(tt_key(9), TT_I32, tt_i(0), tt_i(10), n); }
static tt_val images(void) { return tt_normal(tt_key(8), TT_F32, IMAGES, SIDE, SIDE, 1); }
static tt_val with_adam(tt_val p) { return state_val((state){ p, tt_adamw(p, .rate = 1e-3) }); }

static int all_programs(program *p)
{
    const tt_val x = normal(1, BATCH, EMBED), y = normal(2, BATCH, EMBED), line = normal(5, 7, 3);
    const tt_val members = tt_call(tt_vmap(member_of_key), tt_split(tt_key(0), MEMBERS));
    const tt_val start = lin_val((lin){ .w = tt_cast(tt_f(0.25), TT_F32), .b = tt_cast(tt_f(0.5), TT_F32) });
    const program all[] = {
        { "hello", "b", NULL, TT_FN(hello), { tt_arange(TT_F32, 13) }, 1 },
        { "regression", "sbb", NULL, TT_FN(regression), { start, line, normal(6, 7, 3) }, 3 },
        { "shardmap", "bs", NULL, TT_FN(product), { normal(1, 12, 10), normal(2, 10, 7) }, 2 },
        { "mlp", "sbb", "batch:x, hidden:%s", TT_FN(train), { with_adam(tt_init(mlp, tt_key(0), x)), x, y }, 3 },
        { "ensemble", "sbb", NULL, tt_vmap(member_step, .axis = "member", .in = "0; _; _"),
          { members, images(), labels(IMAGES) }, 3 },
        { "keras", "sbb", NULL, TT_FN(keras_step), { with_adam(tt_init(keras, tt_key(4), images())), images(),
          labels(IMAGES) }, 3 },
        { "minibatches", "sbb", NULL, TT_FN(parts_step), { with_adam(tt_init(classifier, tt_key(4), x)), x,
          labels(BATCH) }, 3 },
    };
    memcpy(p, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

/* ---- results ---- */

typedef struct {
    int n;
    tt_dtype dtype[LEAVES]; size_t bytes[LEAVES]; int64_t count[LEAVES];
    char *at[LEAVES]; const char *path[LEAVES];
} result;

static bool run(tt_fn f, const program *p, const tt_val *x, result *r)
{
    tt_val leaf[LEAVES];
    const tt_val y = tt_call_n("spmd_examples.c", f, p->n, x);
    *r = (result){ .n = tt_tree_leaves(y, LEAVES, leaf) };
    for (int i = 0; i < r->n && i < LEAVES; i++) {
        r->dtype[i] = tt_dtype_of(leaf[i]);
        r->count[i] = 1;
        for (int d = 0; d < tt_rank(leaf[i]); d++) r->count[i] *= tt_dim(leaf[i], d);
        r->bytes[i] = tt_bytes(leaf[i]);
        r->at[i] = malloc(r->bytes[i] + 1);
        r->path[i] = tt_leaf_path(y, i);
        tt_read(leaf[i], r->at[i], r->bytes[i]);
    }
    return tt_ok() && r->n <= LEAVES;
}

static void drop(result *r)
{
    for (int i = 0; i < r->n && i < LEAVES; i++) free(r->at[i]);
    *r = (result){ 0 };
}

/* ---- what rounding can do ---- */

static uint64_t seed = 1;
static uint32_t draw(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static tt_val shaken(void *env, const char *path, tt_val v)      /* each element up or down by an ulp, or neither */
{
    int64_t dim[13], n = 1;
    (void)env, (void)path;
    if (tt_dtype_of(v) != TT_F32) return v;
    for (int d = 0; d < tt_rank(v); d++) n *= dim[d] = tt_dim(v, d);
    dim[tt_rank(v)] = TT_DIM_END;
    float *x = malloc((size_t)n * sizeof *x + 1);
    tt_read(v, x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t way = draw(3);
        if (way && x[i] != 0) x[i] = nextafterf(x[i], way == 1 ? INFINITY : -INFINITY);
    }
    const tt_val y = tt_array_at("spmd_examples.c", TT_F32, x, dim);
    free(x);
    return y;
}

static double element(const result *r, int leaf, int64_t i) { return (double)((const float *)r->at[leaf])[i]; }

/* "w at [3]: 0.5 instead of 0.25"; NULL: near enough. */
static const char *differs(const result *got, const result *want, const result *shook)
{
    static char text[256];
    for (int k = 0; k < want->n; k++) {
        const bool f32 = want->dtype[k] == TT_F32;
        double mean = 0, most = 0;
        if (got->n != want->n || got->dtype[k] != want->dtype[k] || got->bytes[k] != want->bytes[k])
            return "other types";
        if (!f32 || !shook) {
            if (!memcmp(got->at[k], want->at[k], want->bytes[k])) continue;
            snprintf(text, sizeof text, "%s has other bits", want->path[k]);
            return text;
        }
        for (int64_t i = 0; i < want->count[k]; i++) {
            for (int s = 0; s < SHAKES; s++)
                mean += fabs(element(&shook[s], k, i) - element(want, k, i)) / (double)(SHAKES * want->count[k]);
            most = fmax(most, fabs(element(want, k, i)));
        }
        for (int64_t i = 0; i < want->count[k]; i++) {
            double spread = 0;
            for (int s = 0; s < SHAKES; s++)
                spread = fmax(spread, fabs(element(&shook[s], k, i) - element(want, k, i)));
            const double off = fabs(element(got, k, i) - element(want, k, i));
            if (off <= SPREADS * (spread + mean) + ULPS * FLT_EPSILON * most) continue;
            snprintf(text, sizeof text, "%s at %lld: %.9g instead of %.9g, shaken by %.3g, %.3g on average",
                     want->path[k], (long long)i, element(got, k, i), element(want, k, i), spread, mean);
            return text;
        }
    }
    return NULL;
}

/* ---- layouts ---- */

static const struct { const char *text; int n; } meshes[] = {
    { "x:1", 1 }, { "x:2", 1 }, { "x:4", 1 }, { "x:8", 1 }, { "x:2, y:4", 2 }, { "x:4, y:2", 2 },
    { "x:2, y:2, z:2", 3 }, { "x:3", 1 }, { "x:6", 1 },
};
enum { MESHES = sizeof meshes / sizeof *meshes };
typedef enum { ROWS, GRID, ANY, WAYS } way;
static const char *const way_name[] = { "rows over all axes", "rows and columns", "anyhow" };
typedef struct { tt_mesh mesh; int naxis; way how; bool batch; } placing;

static tt_val placed(void *env, const char *path, tt_val v)
{
    const placing *p = env;
    const int rank = tt_rank(v);
    char spec[128] = "";
    int at[3] = { -1, -1, -1 };                          /* the dim that each axis cuts */
    (void)path;
    if (p->how == ROWS && !p->batch) return v;           /* left for the library to find */
    for (int i = 0; i < p->naxis && rank; i++) {
        if (p->how == ANY) at[i] = (int)draw((uint32_t)rank + 1) - 1;
        else if (p->batch) at[i] = p->how == ROWS || !i ? 0 : -1;
        else if (rank > 1 && i == p->naxis - 1) at[i] = rank - 1;
    }
    for (int d = 0; d < rank; d++) {
        int n = 0;
        if (d) strcat(spec, ", ");
        for (int i = 0; i < p->naxis; i++)
            if (at[i] == d) snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%c", n++ ? "+" : "", "xyz"[i]);
        if (!n) strcat(spec, "_");
    }
    return tt_shard(v, p->mesh, spec);
}

/* ---- the runs ---- */

static void on_mesh(const program *p, int m, way how, bool reproducible, const result *want, const result *shook)
{
    placing to = { tt_mesh(meshes[m].text), meshes[m].n, how, false };
    char rules[64];
    tt_val x[ARGS];
    result got;
    if (p->rules) snprintf(rules, sizeof rules, "batch:x, hidden:%c", "xyz"[to.naxis - 1]);
    for (int i = 0; i < p->n; i++) {
        to.batch = p->kinds[i] == 'b';
        x[i] = tt_tree_map_with_path(placed, &to, p->x[i]);
    }
    const bool ruled = p->rules && how == GRID && to.naxis > 1;
    const tt_fn f = tt_jit(p->fn, .mesh = to.mesh, .rules = ruled ? rules : NULL, .reproducible = reproducible);
    const bool ok = run(f, p, x, &got);
    const char *bad = ok ? differs(&got, want, reproducible ? NULL : shook) : tt_error();
    CHECK(ok && !bad, "%s on %s, %s%s: %s", p->name, meshes[m].text, way_name[how],
          reproducible ? ", reproducible" : "", bad);
    tt_clear();
    drop(&got);
}

static void check_program(const program *p, bool all)
{
    result bits, want, shook[SHAKES];
    tt_val x[ARGS];
    const tt_fn alone = tt_jit(p->fn);
    bool ok = run(alone, p, p->x, &want) && run(tt_jit(p->fn, .reproducible = 1), p, p->x, &bits);
    for (int s = 0; s < SHAKES && ok; s++) {
        for (int i = 0; i < p->n; i++) x[i] = tt_tree_map_with_path(shaken, NULL, p->x[i]);
        ok = run(alone, p, x, &shook[s]);
    }
    CHECK(ok, "%s: %s", p->name, tt_error());
    if (!ok) tt_clear();
    for (int m = 0; ok && m < MESHES; m++)
        for (way how = ROWS; how < WAYS; how++) {
            if (!all && how != (way)((m + (int)p->name[0]) % WAYS)) continue;
            on_mesh(p, m, how, true, &bits, NULL);
            on_mesh(p, m, how, false, &want, shook);
        }
    drop(&bits), drop(&want);
    for (int s = 0; s < SHAKES; s++) drop(&shook[s]);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "--all")) return check_done();
    static program p[16];
    const bool all = argc > 1 && !strcmp(argv[1], "--all");
    const int n = all_programs(p);
    CHECK(tt_ok(), "%s", tt_error());
    for (int i = 0; i < n; i++) {
        tt_scope s = tt_scope_open();
        check_program(&p[i], all);
        tt_scope_close(s);
    }
    return check_done();
}
