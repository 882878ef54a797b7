/* api_values.c - handles, scopes, trees, promotion, broadcasting and array functions through the public header.
 *
 * Longer than 400 lines: one program goes through the public header, part by part. */
#include <tutti.h>

#include "api/api_check.h"
#include "trace/trace.h"

static char last[4096];
static void keep(const tt_error_info *e, void *env) { (void)env; snprintf(last, sizeof last, "%s", e->message); }

static void handles(void)
{
    tt_val never;
    memset(&never, 0x5a, sizeof never);
    tt_neg(never);
    CHECK(failed("never set"), "an uninitialised handle");
    tt_val empty = { 0 };
    tt_neg(empty);
    CHECK(failed("empty"), "an empty handle");
    tt_val q = { 0 };
    for (tt_loop it = tt_steps(2); tt_next(&it);) if (it.i == 0) q = tt_f(3);
    tt_neg(q);
    CHECK(failed("value used after its scope closed"), "a value of a loop");
    tt_val p = { 0 };
    for (tt_loop it = tt_steps(3); tt_next(&it);) tt_assign(&p, tt_f((double)it.i));
    IS_TYPED(p, "f32[]", 2);
    tt_val one = tt_f(1), two = one;                     /* two names of one value: each is assigned by itself */
    for (tt_loop it = tt_steps(3); tt_next(&it);) {
        tt_assign(&one, tt_add(one, tt_f(1)));
        tt_assign(&two, tt_add(two, one));
    }
    CHECK(tt_num(one) == 4 && tt_num(two) == 10 && tt_ok(), "%g %g: %s", tt_num(one), tt_num(two), tt_error());
    double sums = 0;
    for (tt_loop outer = tt_steps(2); tt_next(&outer);) {
        tt_val sum = one;                                /* of a scope further out: 4 + 5 + 6, then 6 + 7 + 8 */
        for (tt_loop inner = tt_steps(2); tt_next(&inner);) {
            tt_assign(&one, tt_add(one, tt_f(1)));
            tt_assign(&sum, tt_add(sum, one));
        }
        sums += tt_num(sum);
    }
    CHECK(sums == 36 && tt_num(one) == 8 && tt_ok(), "%g, %g: %s", sums, tt_num(one), tt_error());
    tt_val best = { 0 };                                 /* first assigned two loops down: lives in main's scope */
    for (tt_loop a = tt_steps(2); tt_next(&a);)
        for (tt_loop b = tt_steps(2); tt_next(&b);) tt_assign(&best, tt_f((double)(a.i * 2 + b.i)));
    IS_TYPED(best, "f32[]", 3);
    for (tt_loop it = tt_steps(5); tt_next(&it);) {
        const tt_val old = p;
        tt_assign(&p, tt_add(p, tt_f(1)));
        IS_TYPED(old, "f32[]", 2 + (double)it.i);              /* the old handle lives to the end of the turn */
    }
    IS_TYPED(p, "f32[]", 7);
    tt_val kept = { 0 };
    for (tt_loop it = tt_steps(1); tt_next(&it);) kept = tt_keep(tt_f(9));
    IS_TYPED(kept, "f32[]", 9);
    tt_drop(kept);
    tt_neg(kept);
    CHECK(failed("after tt_drop"), "a dropped value");
}

static int64_t grown_by(void) /* live handles after 1000 turns with temporaries, minus before */
{
    tt_val p = tt_zeros(TT_F32, 4);
    const int64_t before = trace_live();
    for (tt_loop it = tt_steps(1000); tt_next(&it);) tt_assign(&p, tt_add(tt_mul(p, tt_f(0.5)), tt_ones(TT_F32, 4)));
    return trace_live() - before;
}

static void scopes(void)
{
    const int64_t more = grown_by();
    CHECK(more <= 2, "%lld handles stay after a loop", (long long)more);
    const int64_t before = trace_live();
    tt_scope s = tt_scope_open();
    for (int i = 0; i < 100; i++) tt_f(i);
    CHECK(trace_live() == before + 100, "100 values live");
    tt_scope_close(s);
    CHECK(trace_live() == before, "a scope frees what was born in it");
    for (int turn = 0; turn < 10; turn++)
        for (tt_loop it = tt_steps(100); tt_next(&it);) {
            tt_f(1);
            if (it.i == 3) break;
        }
    CHECK(trace_live() <= before + 60, "break leaks %lld", (long long)(trace_live() - before));
}

TT_RECORD(pair, w, b);
TT_RECORD(nested, first, second);

static void trees(void)
{
    const tt_val p = pair_val((pair){ tt_f(1), tt_array(TT_F32, ((float[]){ 2, 3 }), 2) });
    IS_TYPED(pair_of(p).w, "f32[]", 1);
    IS_TYPED(tt_get(p, "b"), "f32[2]", 2, 3);
    const tt_val n = nested_val((nested){ p, tt_tuple(tt_i(4), p) });
    IS_TYPED(tt_get(n, "second.1.b"), "f32[2]", 2, 3);
    IS_TYPED(tt_item(tt_get(n, "second"), 0), "i32[]", 4);
    CHECK(tt_has(n, "first.w") && !tt_has(n, "first.z"), "tt_has");
    tt_get(n, "first.z");
    CHECK(failed("no \"z\" in the tree"), "a path that is not there");
    CHECK(tt_tree_leaves(n, 0, NULL) == 5, "leaves");
    CHECK(!strcmp(tt_leaf_path(n, 4), "second.1.b"), "leaf path %s", tt_leaf_path(n, 4));
    const tt_val d = tt_dict("loss", tt_f(1), "accuracy", tt_f(2));
    CHECK(!strcmp(tt_name(d, 0), "accuracy") && tt_items(d) == 2, "dicts are sorted");
    IS_TYPED(tt_item(d, -1), "f32[]", 1);                /* negative numbers count from the end */
    CHECK(!strcmp(tt_name(d, -1), "loss") && !strcmp(tt_leaf_path(d, -2), "accuracy"), "names from the end");
    tt_item(d, -3);
    CHECK(failed("no item -3 in a tree of 2"), "before the first item");
    CHECK(!tt_name(d, -3) && failed("child -3 of a tree of 2"), "before the first name");
    IS_TYPED(tt_get(tt_get(d, ""), "loss"), "f32[]", 1); /* the tree itself */
    IS_TYPED(tt_set(d, "", tt_i(7)), "i32[]", 7);
    const tt_val e = tt_set(d, "extra.deep", tt_f(5));
    IS_TYPED(tt_get(e, "extra.deep"), "f32[]", 5);
    const tt_val s = tt_sub(p, tt_mul(tt_f(2), p));      /* leafwise, a scalar beside a tree */
    IS_TYPED(tt_get(s, "b"), "f32[2]", -2, -3);
    tt_add(p, d);
    CHECK(failed("structures differ at the top: only the first has \"w\""), "trees of two structures");
    tt_add(n, tt_set(n, "second.1", tt_f(0)));
    CHECK(failed("structures differ at \"second.1\""), "the path of the first difference");
    tt_val a, b;
    CHECK(tt_unpack(tt_tuple(tt_f(1), tt_f(2)), &a, &b), "unpack");
    IS_TYPED(b, "f32[]", 2);
    tt_unpack(tt_tuple(tt_f(1)), &a, &b);
    CHECK(failed("2 variables for a tuple of 1 item"), "unpack into too many");
    const tt_val tagged = tt_tagged("adam", d);
    CHECK(!strcmp(tt_tag(tt_add(tagged, d)), "adam"), "arithmetic keeps a tag");
    const tt_val leaf = tt_leaf(tt_ones(TT_F32, 2), .axes = "embed", .frozen = 1);
    const tt_val t = tt_tuple(leaf, tt_f(1)), u = tt_sub(t, t);
    CHECK(tt_leaf_frozen(tt_item(u, 0)) && !strcmp(tt_leaf_axes(tt_item(u, 0)), "embed"),
          "annotations ride on the structure");
    IS_TYPED(tt_item(tt_tree_map(tt_square, t), 0), "f32[2]", 1, 1);
    CHECK(tt_items(tt_none()) == 0 && tt_tree_leaves(tt_none(), 0, NULL) == 0, "the empty tuple");
    CHECK(tt_ok(), "%s", tt_ok() ? "" : tt_error());
    tt_clear();
}

static void promotion(void)
{
    const tt_dtype B = TT_BOOL, I = TT_I32, U = TT_U32, H = TT_BF16, F = TT_F32, D = TT_F64;
    const struct { tt_dtype a, b, c;
    } row[] = {
        { B, B, B },
        { B, I, I },
        { I, F, F },
        { I, H, H },
        { H, F, F },
        { H, TT_F16, F },
        { F, D, D },
        { U, I, I },
        { TT_U8, TT_I8, TT_I16 },
        { TT_U16, TT_I32, TT_I32 },
        { TT_I64, TT_I32, TT_I64 },
        { TT_U64, TT_I64, F },
        { TT_I64, TT_F16, TT_F16 },
        { TT_U8, TT_U32, TT_U32 },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const tt_dtype got = tt_dtype_of(tt_max(tt_zeros(row[i].a, 2), tt_zeros(row[i].b, 2)));
        CHECK(got == row[i].c, "%d with %d gives %d, not %d", row[i].a, row[i].b, got, row[i].c);
        CHECK(tt_dtype_of(tt_max(tt_zeros(row[i].b, 2), tt_zeros(row[i].a, 2))) == row[i].c, "the other way");
    }
    CHECK(tt_dtype_of(tt_mul(tt_ones(H, 2), tt_f(0.5))) == H, "a weak float takes bf16");
    CHECK(tt_dtype_of(tt_mul(tt_ones(TT_I8, 2), tt_i(2))) == TT_I8, "a weak integer takes i8");
    CHECK(tt_dtype_of(tt_mul(tt_ones(TT_I8, 2), tt_f(2))) == F, "a weak float beside integers is f32");
    CHECK(tt_dtype_of(tt_exp(tt_ones(TT_I32, 2))) == F, "functions of floats take integers");
    CHECK(tt_dtype_of(tt_mul(tt_mul(tt_f(2), tt_i(3)), tt_ones(H, 2))) == H, "weak with weak stays weak");
    IS_TYPED(tt_mul(tt_ones(D, 1), tt_f(0.1)), "f64[1]", 0.1);
    const double exact = tt_num(tt_mul(tt_ones(D, 1), tt_f(0.1)));
    CHECK(exact == 0.1, "a C number is not rounded to f32 on its way to f64: %.17g", exact);
    CHECK(tt_dtype_of(tt_eq(tt_i(1), tt_f(1))) == B, "comparisons are bool");
    CHECK(tt_ok(), "%s", tt_ok() ? "" : tt_error());
    tt_clear();
}

static void broadcasting(void)
{
    const tt_val a = tt_reshape(tt_arange(TT_F32, 3), 3, 1), b = tt_arange(TT_F32, 2);
    IS_TYPED(tt_add(a, b), "f32[3, 2]", 0, 1, 1, 2, 2, 3);
    IS_TYPED(tt_sub(b, tt_f(1)), "f32[2]", -1, 0);
    IS_TYPED(tt_broadcast(b, 2, 2), "f32[2, 2]", 0, 1, 0, 1);
    tt_add(tt_zeros(TT_F32, 3), tt_zeros(TT_F32, 4));
    CHECK(failed("add: shapes do not broadcast: f32[3] and f32[4]"), "shapes that do not broadcast");
    tt_add(tt_zeros(TT_F32, 0, 3), tt_zeros(TT_F32, 1, 3));
    CHECK(tt_ok(), "dims of size 0");
    IS_TYPED(tt_select(tt_gt(b, tt_f(0)), b, tt_f(-1)), "f32[2]", -1, 1);
    IS_TYPED(tt_clamp(tt_f(0), tt_array(TT_F32, ((float[]){ -1, 0.5f, 2 }), 3), tt_f(1)), "f32[3]", 0, 0.5, 1);
}

static void arrays(void)
{
    CHECK(signbit(tt_num(tt_full(-0.0, TT_F32))) && !signbit(tt_num(tt_zeros(TT_F32))), "-0 keeps its sign");
    const tt_val x = tt_reshape(tt_arange(TT_F32, 6), 2, 3);
    IS_TYPED(tt_transpose(x), "f32[3, 2]", 0, 3, 1, 4, 2, 5);
    IS_TYPED(tt_transpose(x, 0, 1), "f32[2, 3]", 0, 1, 2, 3, 4, 5);
    IS_TYPED(tt_dynamic_slice(x, 1, tt_i(1), 2), "f32[2, 2]", 1, 2, 4, 5);
    IS_TYPED(tt_dynamic_slice(x, 1, tt_sum(tt_ones(TT_I32, 7)), 2), "f32[2, 2]", 1, 2, 4, 5); /* clamped */
    IS_TYPED(tt_slice(x, -1, 0, 3, 2), "f32[2, 2]", 0, 2, 3, 5);
    IS_TYPED(tt_dynamic_update_slice(x, tt_zeros(TT_F32, 2, 1), 1, tt_i(1)), "f32[2, 3]", 0, 0, 2, 3, 0, 5);
    IS_TYPED(tt_dynamic_update_slice(x, tt_zeros(TT_F32, 2, 1), 1, tt_i(-3)), "f32[2, 3]", 0, 1, 2, 0, 4, 5);
    IS_TYPED(tt_dynamic_update_slice(x, tt_zeros(TT_F32, 2, 1), 1, tt_i(-1)), "f32[2, 3]", 0, 1, 0, 3, 4, 0);
    IS_TYPED(tt_dynamic_update_slice(x, tt_zeros(TT_F32, 2, 1), -1, tt_i(-9)), "f32[2, 3]", 0, 1, 2, 0, 4, 5);
    IS_TYPED(tt_concat(0, x, tt_ones(TT_F32, 1, 3)), "f32[3, 3]", 0, 1, 2, 3, 4, 5, 1, 1, 1);
    IS_TYPED(tt_reverse(x, 1), "f32[2, 3]", 2, 1, 0, 5, 4, 3);
    IS_TYPED(tt_pad(tt_arange(TT_F32, 2), tt_f(9), ((int64_t[]){ 1 }), ((int64_t[]){ 2 }), ((int64_t[]){ 1 })),
             "f32[6]", 9,
       0, 9, 1, 9, 9);
    IS_TYPED(tt_iota(TT_I32, 1, 2, 2), "i32[2, 2]", 0, 1, 0, 1);
    IS_TYPED(tt_sum(x), "f32[]", 15);
    IS_TYPED(tt_sum(x, .dims = "0"), "f32[3]", 3, 5, 7);
    IS_TYPED(tt_sum(x, .dims = "-1", .keepdims = 1), "f32[2, 1]", 3, 12);
    IS_TYPED(tt_prod(tt_add(x, tt_f(1)), .dims = "1"), "f32[2]", 6, 120);
    IS_TYPED(tt_amax(x, .dims = "0"), "f32[3]", 3, 4, 5);
    IS_TYPED(tt_amin(x), "f32[]", 0);
    IS_TYPED(tt_any(tt_gt(x, tt_f(4))), "bool[]", 1);
    IS_TYPED(tt_all(tt_gt(x, tt_f(4)), .dims = "1"), "bool[2]", 0, 0);
    IS_TYPED(tt_sum(tt_gt(x, tt_f(1))), "i32[]", 4);
    IS_TYPED(tt_argmax(tt_array(TT_F32, ((float[]){ 1, 5, 5, 2, 9, 0 }), 2, 3), .dims = "1"), "i32[2]", 1, 1);
    IS_TYPED(tt_argmax(x), "i32[]", 5);
    IS_TYPED(tt_argmin(tt_array(TT_F32, ((float[]){ 3, NAN, 1 }), 3)), "i32[]", 1);
    CHECK(!strcmp(tt_type_text(tt_argmin(tt_zeros(TT_F32, 0, 3), .dims = "1")), "i32[0]"), "no lines: %s", tt_error());
    IS_TYPED(tt_item(tt_top_k(VEC(-0.0f, 0, NAN, 1, copysignf(NAN, -1)), 5), 1), "i32[5]", 2, 3, 1, 0, 4);
    IS_TYPED(tt_matmul(x, tt_transpose(x)), "f32[2, 2]", 5, 14, 14, 50);
    IS_TYPED(tt_matmul(tt_arange(TT_F32, 2), x), "f32[3]", 3, 4, 5);
    IS_TYPED(tt_matmul(x, tt_arange(TT_F32, 3)), "f32[2]", 5, 14);
    IS_TYPED(tt_matmul(tt_ones(TT_F32, 1, 2), tt_reshape(tt_arange(TT_F32, 8), 2, 2, 2)), "f32[2, 1, 2]", 2, 4, 10, 12);
    IS_TYPED(tt_matmul(tt_reshape(tt_arange(TT_F32, 4), 2, 1, 2), tt_ones(TT_F32, 1, 2, 1)), "f32[2, 1, 1]", 1, 5);
    IS_TYPED(tt_dot(x, x, .sum = "0:0"), "f32[3, 3]", 9, 12, 15, 12, 17, 22, 15, 22, 29);
    IS_TYPED(tt_dot(x, x, .batch = "0:0", .sum = "1:1"), "f32[2]", 5, 50);
    IS_TYPED(tt_take(x, tt_array(TT_I32, ((int[]){ 1, -1, 0 }), 3), 0), "f32[3, 3]", 3, 4, 5, 3, 4, 5, 0, 1, 2);
    IS_TYPED(tt_take(x, tt_i(2), 1), "f32[2]", 2, 5);
    IS_TYPED(tt_index_set(x, tt_array(TT_I32, ((int[]){ 1 }), 1), tt_zeros(TT_F32, 1, 3)), "f32[2, 3]", 0, 1,
             2, 0, 0, 0);
    IS_TYPED(tt_index_add(x, tt_array(TT_I32, ((int[]){ 0, 0 }), 2), tt_ones(TT_F32, 2, 3)), "f32[2, 3]", 2, 3,
             4, 3, 4, 5);
    IS_TYPED(tt_sort(tt_array(TT_F32, ((float[]){ 3, NAN, 1 }), 3), 0), "f32[3]", 1, 3, NAN);
    IS_TYPED(tt_cumsum(x, 1), "f32[2, 3]", 0, 1, 3, 3, 7, 12);
    IS_TYPED(tt_cumsum(x, 0, .reverse = 1), "f32[2, 3]", 3, 5, 7, 3, 4, 5);
    IS_TYPED(tt_convolve(tt_ones(TT_F32, 1, 3, 1), tt_ones(TT_F32, 3, 1, 1)), "f32[1, 3, 1]", 2, 3, 2);
    IS_TYPED(tt_convolve(tt_ones(TT_F32, 1, 4, 1), tt_ones(TT_F32, 2, 1, 1), .stride = { 2 }, .pad = "VALID"),
       "f32[1, 2, 1]", 2, 2);
    IS_TYPED(tt_window_max(tt_reshape(tt_arange(TT_F32, 4), 1, 4, 1), .window = { 2 }, .stride = { 2 }),
             "f32[1, 2, 1]", 1,
       3);
    IS_TYPED(tt_window_sum(tt_reshape(tt_arange(TT_F32, 4), 1, 4, 1), .window = { 3 }), "f32[1, 2, 1]", 3, 6);
    IS_TYPED(tt_pow(tt_array(TT_F32, ((float[]){ -2, 3 }), 2), tt_i(3)), "f32[2]", -8, 27);
    IS_TYPED(TT_E("2*x - 1 + 0.5*(x^2)/x", x), "f32[2, 3]", NAN, 1.5, 4, 6.5, 9, 11.5);
    IS_TYPED(TT_E("-x + exp(0*x)", x), "f32[2, 3]", 1, 0, -1, -2, -3, -4);
    IS_TYPED(tt_bitcast(tt_ones(TT_F32, 1), TT_I32), "i32[1]", 1065353216);
    IS_TYPED(tt_i(1LL << 40), "i64[]", 1099511627776.0);
    float back[6];
    CHECK(tt_read(x, back, sizeof back) && back[5] == 5, "tt_read");
    CHECK(tt_bytes(x) == 24 && tt_rank(x) == 2 && tt_dim(x, -1) == 3 && tt_count(x) == 6, "what a value is");
    CHECK(!tt_is_traced(x), "not traced");
}

static void poison(void)
{
    const tt_val bad = tt_add(tt_zeros(TT_F32, 3), tt_zeros(TT_F32, 4));
    snprintf(last, sizeof last, "none");
    CHECK(!tt_ok(), "an error");
    tt_neg(tt_exp(bad));
    CHECK(strstr(tt_error(), "add: shapes"), "the first error stays: %s", tt_error());
    CHECK(tt_dim(bad, 0) == 1, "a dim of poison is 1");
    CHECK(isnan(tt_num(bad)), "a number of poison is NaN");
    int turns = 0;
    for (tt_loop it = tt_steps(10); tt_next(&it);) turns++;
    CHECK(turns == 0, "loops end");
    tt_clear();
    CHECK(tt_ok(), "cleared");
    tt_neg(bad);
    CHECK(failed("value of a call that failed"), "poison after tt_clear");
}

static void same(const char *got, const char *want) { CHECK(got && !strcmp(got, want), "%s\n%s", got, want); }

static void layout_texts(void)
{
    const int64_t turned[] = { 3, 2, 1, 0 }, far[] = { 3 };
    const int64_t odd[] = { 7, 8, TT_DIM_END }, dims[] = { 6, 8, 8, TT_DIM_END };
    const tt_mesh m = tt_mesh("data:2 explicit, model:4"), p = tt_mesh("a:2, b:2", .order = turned);
    int64_t part[2];
    same(tt_layout_text(m, 2, "model", "spec"), "PartitionSpec('model', None)");
    same(tt_layout_text(m, -1, "model", "spec"), "PartitionSpec('model',)");
    same(tt_layout_text(m, 3, "_, data+model", "spec short 0.10.2"), "P(None, ('data', 'model'))");
    same(tt_layout_text(m, 2, "?, model.2.2", "tuple"), "(UNCONSTRAINED, 'model:(2)2')");
    same(tt_layout_text(m, 1, "model", "sharding 0.4.13"),
         "NamedSharding(mesh={'data': 2, 'model': 4}, spec=PartitionSpec('model',))");
    same(tt_layout_text(m, 2, "data?, model.1.2!1", "shardy"),
         "#sdy.sharding<@mesh, [{\"data\", ?}, {\"model\":(1)2}p1]>");
    same(tt_layout_text(m, 2, "model.2.2, data", "gspmd"),
         "{devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}");
    same(tt_layout_text(m, 1, "model.2.2", "gspmd list"),
         "{devices=[2,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}");
    same(tt_layout_text(p, 1, "b", "positional"),
         "PositionalSharding([{CPU 1, 3} {CPU 0, 2}], memory_kind=unpinned_host, shape=(2,))");
    same(tt_layout_text(tt_mesh("one:1", .order = far), 0, "", "device 0.10"),
         "SingleDeviceSharding(device=CpuDevice(id=3), memory_kind=device)");
    same(tt_mesh_text(m, "str 0.10"), "Mesh('data': 2, 'model': 4, axis_types=(Explicit, Auto))");
    same(tt_mesh_text(p, "repr"), "Mesh(device_ids=array([[3, 2],\n       [1, 0]]), axis_names=('a', 'b'))");
    same(tt_mesh_text(tt_mesh("i:6"), "devices"),
         "[CpuDevice(id=0) CpuDevice(id=1) CpuDevice(id=2) CpuDevice(id=3)\n CpuDevice(id=4) CpuDevice(id=5)]");
    CHECK(strstr(tt_mesh_text(tt_mesh("i:2048"), "repr"), "array([   0,    1,    2, ..., 2045, 2046, "
    "2047])"), "abridged");
    CHECK(tt_same_layout(p, "b, a", tt_mesh("a:2, b:2", .order = turned), "b, a", 2), "itself");
    CHECK(!tt_same_layout(p, "b", tt_mesh("a:2, b:2"), "b", 1), "the other way round");
    CHECK(tt_same_layout(m, "_, model", tt_mesh("x:2, y:2, z:2"), "_, y+z", 2), "other axes");
    CHECK(tt_shard_shape(m, "_, model", odd, part) && part[0] == 7 && part[1] == 2, "%d", (int)part[1]);
    same(tt_fsdp_spec(m, "data", 16, dims), "_, _, data");
    same(tt_fsdp_spec(m, "data", 384, dims), "_, _, _");
    CHECK(!tt_shard_shape(m, "data", odd, NULL) && strstr(tt_error(), "dim 0 has 7 elements"), "%s", tt_error());
    tt_clear();
    CHECK(!*tt_layout_text(m, 1, "model", "specs") && strstr(tt_error(), "form \"specs\""), "%s", tt_error());
    tt_clear();
    CHECK(!*tt_layout_text(m, 1, "model", "spec tuple") && strstr(tt_error(), "\"tuple\" after the form \"spec\"") &&
          !strstr(tt_error(), "did you mean"), "%s", tt_error());
    tt_clear();
    CHECK(!*tt_layout_text(m, -1, "_, _, _, _, _, _, _, _, _, _, _, _, _", "gspmd") &&
          strstr(tt_error(), "13 dims; at most 12"), "%s", tt_error());
    tt_clear();
    CHECK(!*tt_layout_text(m, 1, "modle", "spec") && strstr(tt_error(), "no axis \"modle\""), "%s", tt_error());
    tt_clear();
}

static void layouts(void)
{
    const tt_mesh m = tt_mesh("data:2, model:4");
    const tt_val x = tt_shard(tt_reshape(tt_arange(TT_F32, 24), 6, 4), m, "data, model");
    CHECK(!strcmp(tt_type_text(x), "f32[6@data, 4@model]"), "%s", tt_type_text(x));
    CHECK(!strcmp(tt_spec(x), "data, model"), "%s", tt_spec(x));
    CHECK(!strcmp(tt_text(x, "spec"), "PartitionSpec('data', 'model')"), "%s", tt_text(x, "spec"));
    CHECK(tt_has_layout(x, m, "data, model") && !tt_has_layout(x, m, "data, _"), "tt_has_layout");
    float part[3];
    int64_t lo[2], n[2];
    CHECK(tt_addressable_data(x, 6, lo, n, part, sizeof part) && lo[0] == 3 && lo[1] == 2 && n[0] == 3 && n[1] == 1 &&
              part[1] == 18,
          "what device 6 holds");
    CHECK(!tt_addressable_data(x, 8, lo, n, NULL, 0), "no device 8");
    IS_TYPED(tt_sum(x), "f32[]", 276);
    const tt_val u = tt_shard(tt_arange(TT_F32, 7), m, "model");         /* uneven */
    CHECK(tt_num(tt_sum(u)) == 21, "an uneven sum");
    const tt_val r = tt_replicate(tt_f(2), m);
    IS_TYPED(tt_unreplicate(r), "f32[]", 2);
    CHECK(tt_mesh_size(m, "model") == 4 && tt_mesh_size(m, NULL) == 8 && !tt_mesh_size(m, "x"), "sizes");
    CHECK(tt_ok(), "%s", tt_ok() ? "" : tt_error());
    tt_clear();
}

static bool alike(tt_val a, tt_val b)
{
    return tt_rank(a) == tt_rank(b) && tt_dtype_of(a) == tt_dtype_of(b) && tt_num(tt_all(tt_eq(a, b))) == 1;
}

/* Macros that take no dims, or functions as they are, give what their _at targets give. */
static void macros(void)
{
    const int64_t none[] = { TT_DIM_END }, two[] = { 2, TT_DIM_END };
    const tt_val k = tt_key(3), l = tt_normal(tt_key(4), TT_F32, 3, 5), x = tt_arange(TT_F32, 6);
    CHECK(alike(tt_bernoulli(k, tt_f(0.5)), tt_bernoulli_at(0, k, tt_f(0.5), none)), "bernoulli");
    CHECK(alike(tt_randint(k, TT_I32, tt_i(0), tt_i(9)), tt_randint_at(0, k, TT_I32, tt_i(0), tt_i(9), none)),
          "randint");
    CHECK(alike(tt_uniform_in(k, TT_F32, -1, 1), tt_uniform_in_at(0, k, TT_F32, -1, 1, none)), "uniform_in");
    CHECK(alike(tt_truncated_normal(k, TT_F32, -1, 1), tt_truncated_normal_at(0, k, TT_F32, -1, 1, none)),
          "truncated_normal");
    CHECK(alike(tt_categorical(k, l), tt_categorical_at(0, k, l, -1, NULL)) && tt_rank(tt_categorical(k, l)) == 1,
          "categorical of rows");
    CHECK(alike(tt_choice(k, x, 2), tt_choice_at(0, k, x, two, 1, NULL, 0)) && tt_rank(tt_choice(k, x)) == 0, "choice");
    CHECK(tt_num(tt_sum(tt_switch(tt_i(1), x, tt_neg, tt_square, tt_exp))) == 55, "switch takes functions");
    CHECK(tt_ok(), "%s", tt_error());
    tt_clear();
}

/* A formula of many terms: what it computes on its way is let go. */
static void formulas(void)
{
    enum { TERMS = 20000 };
    static char text[4 * TERMS + 8];
    const tt_val x = tt_ones(TT_F32, 2);
    for (int i = 0; i < TERMS; i++) memcpy(text + 4 * i, i % 2 ? "-x*1" : "+x^2", 4);
    text[0] = ' ';
    strcpy(text + 4 * TERMS, "+(x)");
    const int64_t before = trace_live();
    const tt_val y = tt_formula_at("here", text, "x", (const tt_val[]){ x, tt_end });
    CHECK(trace_live() == before + 1, "%lld values stay", (long long)(trace_live() - before));
    CHECK(tt_num(tt_sum(y)) == 2, "it sums up");
    for (int i = 0; i < 3; i++) {
        static const char *const wrong[] = { "(x+x*(2*x)", "sin(x+x", "x*x x" };
        tt_formula_at("here", wrong[i], "x", (const tt_val[]){ x, tt_end });
        CHECK(!tt_ok(), "%s", wrong[i]);
        tt_clear();
    }
    CHECK(trace_live() == before + 2, "the sum alone is more: %lld", (long long)(trace_live() - before));
}

static tt_val waves(tt_val x) { return tt_sum(tt_sin(tt_mul(x, x)), .dims = "1"); }

/* The number that computes changes between calls of one compiled function; values do not. */
static void threads(void)
{
    const int was = tt_threads(0);
    const tt_val x = tt_normal(tt_key(7), TT_F32, 300, 1000);
    const tt_fn f = tt_jit(waves);
    const tt_val want = tt_call(f, x);
    CHECK(was > 0 && tt_ok(), "%d threads compute", was);
    for (int n = 1; n <= 5; n += 2) {
        CHECK(tt_threads(n) == n, "asked for %d threads: %d", n, tt_threads(0));
        CHECK(tt_num(tt_sum(tt_abs(tt_sub(tt_call(f, x), want)))) == 0, "other values with %d threads", n);
    }
    CHECK(tt_threads(-1) == 0 && !tt_ok() && strstr(tt_error(), "tt_threads(-1)"), "-1 threads: %s", tt_error());
    tt_clear();
    CHECK(tt_threads(was) == was && tt_threads(0) == was, "back to %d threads", was);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(keep, NULL);
    CHECK_RUN(threads());
    CHECK_RUN(handles());
    CHECK_RUN(scopes());
    CHECK_RUN(trees());
    CHECK_RUN(promotion());
    CHECK_RUN(broadcasting());
    CHECK_RUN(arrays());
    CHECK_RUN(poison());
    CHECK_RUN(layouts());
    CHECK_RUN(macros());
    CHECK_RUN(layout_texts());
    CHECK_RUN(formulas());
    CHECK(tt_done() == 0, "done");
    return check_done();
}
