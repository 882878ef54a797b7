/* api_ambient.c - the mesh and rules in use, named parts, and functions that know their leaves' paths. */
#include "check.h"

#include <string.h>
#include <tutti.h>

static tt_val twice(tt_val x) { return tt_mul(tt_logical_constraint(x, "rows, _"), tt_i(2)); }
static tt_val block(tt_val x) { return tt_add(x, tt_cast(tt_axis_index("b"), TT_F32)); }

static void in_use(void)
{
    const tt_mesh mesh = tt_mesh("a:2"), other = tt_mesh("b:4");
    const tt_val x = tt_arange(TT_F32, 8), m = tt_reshape(x, 4, 2);
    tt_fn f = tt_fn_end, g = tt_fn_end, h = tt_fn_end;
    int turns = 0;
    CHECK(!tt_current_mesh().p, "a mesh from the beginning");
    for (TT_WITH(mesh, .rules = "rows:a")) {
        turns++;
        CHECK(tt_current_mesh().p == mesh.p, "not in use");
        f = tt_jit(twice);
        for (TT_WITH(other)) {
            g = tt_shard_map(block, .in = "b", .out = "b");
            h = tt_pmap(block);
        }
        CHECK(tt_current_mesh().p == mesh.p, "not in use again");
    }
    CHECK(turns == 1 && !tt_current_mesh().p, "still in use, after %d turns", turns);
    CHECK(tt_has_layout(tt_call(f, m), mesh, "a, _"), "%s", tt_spec(tt_call(f, m))); /* what it was made with holds */
    CHECK(tt_has_layout(tt_call(g, x), other, "b"), "%s", tt_spec(tt_call(g, x)));
    CHECK(tt_num(tt_sum(tt_call(h, tt_zeros(TT_F32, 4)))) == 6, "pmap over the mesh in use");
    const tt_fn bare = tt_jit(twice, .rules = "rows:a"); /* where there is no mesh, nothing is laid out, as in Flax */
    CHECK(tt_num(tt_array_equal(tt_call(bare, m), tt_call(f, m))) == 1, "%s", tt_ok() ? "another value" : tt_error());
    tt_call(tt_jit(twice, .rules = "rows"), m);          /* what is no rule is an error there too */
    CHECK(!tt_ok() && strstr(tt_error(), "rule"), "%s", tt_ok() ? "no error" : tt_error());
    tt_clear();
    tt_shard_map(block, .in = "b", .out = "b");
    CHECK(!tt_ok() && strstr(tt_error(), "tt_shard_map: there is no mesh"), "%s", tt_error());
    tt_clear();
    tt_set_mesh((tt_mesh){ NULL });
    CHECK(!tt_ok() && strstr(tt_error(), "the mesh is empty"), "%s", tt_error());
    tt_clear();
}

/* ---- what a traced function leaves behind ---- */

static tt_val keeps_mesh(tt_val x) { return tt_set_mesh(tt_mesh("a:2")), tt_neg(x); }
static tt_val leaves_loop(tt_val x)
{
    for (TT_WITH(tt_mesh("a:2"))) return tt_neg(x);
    return x;
}
static tt_val keeps_name(tt_val x) { return tt_named_scope_enter("deep"), tt_neg(x); }
static tt_val keeps_precision(tt_val x) { return tt_set_precision("highest"), tt_neg(x); }
static tt_val keeps_bits(tt_val x) { return tt_set_random_layout("original"), tt_neg(x); }
static tt_val within(tt_val x)                           /* a loop that ends puts all back */
{
    for (TT_WITH(tt_mesh("b:4")))
        for (TT_PRECISION("highest")) x = tt_call(tt_shard_map(block, .in = "b", .out = "b"), x);
    return x;
}
static tt_val fails_within(tt_val x)
{
    for (TT_WITH(tt_mesh("a:2"))) {
        if (!tt_ok()) break;
        tt_reshape(x, 7);
        return tt_poison;
    }
    return x;
}

/* A function is traced once: were it to change what later calls see, that would depend on which call traces it. */
static void left_behind(void)
{
    static const struct { tt_f1 *f; const char *name, *what; } of[] = {
        { keeps_mesh, "keeps_mesh", "mesh in use" }, { leaves_loop, "leaves_loop", "mesh in use" },
        { keeps_name, "keeps_name", "name (TT_NAMED_SCOPE)" }, { keeps_precision, "keeps_precision", "precision" },
        { keeps_bits, "keeps_bits", "layout of random bits" },
    };
    const tt_val x = tt_arange(TT_F32, 8);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char text[120];
        snprintf(text, sizeof text, "returns with another %s", of[i].what);
        for (int way = 0; way < 3; way++) {
            const tt_fn f = way ? tt_vmap(of[i].f) : tt_jit(of[i].f);
            tt_call(way == 2 ? tt_jit(f) : f, x);
            CHECK(!tt_ok() && strstr(tt_error(), text), "%s, %d: %s", of[i].name, way, tt_error());
            tt_clear();
            CHECK(!tt_current_mesh().p, "%s: its mesh stays", of[i].name);
        }
        tt_reshape(x, 7);
        CHECK(!strstr(tt_error_record()->site, "["), "%s: its name stays: %s", of[i].name, tt_error());
        tt_clear();
    }
    CHECK(tt_num(tt_sum(tt_call(tt_jit(within), x))) == 28 + 12 && !tt_current_mesh().p, "%s", tt_error());
    tt_call(tt_jit(fails_within), x);
    CHECK(!tt_ok() && strstr(tt_error(), "reshape") && !tt_current_mesh().p, "%s", tt_error());
    tt_clear();
    tt_call(TT_FN(keeps_mesh), x);                    /* at top level a call is a call of C */
    CHECK(tt_ok() && tt_current_mesh().p, "%s", tt_error());
    tt_restore_mesh((tt_mesh_context){ { NULL }, NULL });
}

static tt_val step(tt_val x)
{
    tt_val y = tt_tanh(x);
    for (TT_NAMED_SCOPE("sync")) {
        y = tt_exp(y);
        for (TT_NAMED_SCOPE("metrics")) y = tt_sum(y);
    }
    return tt_neg(y);
}

static tt_val plain_step(tt_val x) { return tt_neg(tt_sum(tt_exp(tt_tanh(x)))); }

static void names(void)
{
    const tt_val x = tt_arange(TT_F32, 5), bad = tt_zeros(TT_F32, 3);
    CHECK(tt_num(tt_sub(tt_call(tt_jit(step), x), tt_call(tt_jit(plain_step), x))) == 0, "a name changes values");
    for (TT_NAMED_SCOPE("sync")) for (TT_NAMED_SCOPE("metrics")) tt_add(x, bad);
    CHECK(strstr(tt_error_record()->site, "tt_add(x, bad) [sync/metrics]"), "%s", tt_error());
    tt_clear();
    tt_add(x, bad);
    CHECK(!strstr(tt_error_record()->site, "["), "%s", tt_error());
    tt_clear();
}

typedef struct { int n; char seen[8][24]; } seen;

static tt_val scaled(void *env, const char *path, tt_val leaf)
{
    seen *s = env;
    strcpy(s->seen[s->n++], path);
    return strstr(path, "kernel") ? tt_mul(leaf, tt_i(10)) : leaf;
}
static tt_val broken(void *env, const char *path, tt_val leaf)
{
    (void)env, (void)path;
    return tt_reshape(leaf, 7);
}

static void paths(void)
{
    const tt_val t = tt_dict("a", tt_dict("kernel", tt_arange(TT_F32, 3), "bias", tt_arange(TT_F32, 2)), "n",
                             tt_tuple(tt_f(1), tt_f(2)));
    seen s = { 0 };
    const tt_val y = tt_tree_map_with_path(scaled, &s, t);
    CHECK(s.n == 4 && !strcmp(s.seen[0], "a.bias") && !strcmp(s.seen[3], "n.1"), "%d paths, %s first", s.n, s.seen[0]);
    CHECK(tt_num(tt_sum(tt_get(y, "a.kernel"))) == 30 && tt_num(tt_sum(tt_get(y, "a.bias"))) == 1, "other leaves");
    CHECK(tt_num(tt_get(y, "n.1")) == 2, "a tuple's item");
    s.n = 0;
    CHECK(tt_num(tt_tree_map_with_path(scaled, &s, tt_f(4))) == 4 && s.n == 1 && !*s.seen[0],
        "a bare leaf has the path \"\"");
    tt_tree_map_with_path(broken, NULL, t);
    CHECK(!tt_ok() && strstr(tt_error(), "reshape"), "%s", tt_error());
    tt_clear();
}

static void silent(const tt_error_info *e, void *env) { (void)e, (void)env; }

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(silent, NULL);
    CHECK_RUN(in_use());
    CHECK_RUN(left_behind());
    CHECK_RUN(names());
    CHECK_RUN(paths());
    tt_done();
    return check_done();
}
