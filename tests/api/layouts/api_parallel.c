/* api_parallel.c - pmap, shard_map and collectives against what they mean, with several layouts, trees and errors. */
#include <tutti.h>

#include "api/api_check.h"

static tt_mesh four, grid;

/* ---- pmap ---- */

static tt_val share(tt_val x) { return tt_div(x, tt_psum(x, "i")); }
static tt_val add(tt_val x, tt_val y) { return tt_add(x, y); }
static tt_val total(tt_val x) { return tt_psum(tt_sum(x), "i"); }
static tt_val place(tt_val x) { return tt_add(tt_cast(x, TT_I32), tt_axis_index("i")); }
static tt_val mean_tree(tt_val t) { return tt_pmean(t, "i"); }
static tt_val loss(tt_val w, tt_val x) { return tt_sum(tt_square(tt_mul(w, x))); }
static tt_val update(tt_val w, tt_val x)
{
    return tt_sub(w, tt_mul(tt_f(0.5), tt_pmean(tt_call(tt_grad(loss), w, x), "i")));
}
static tt_val psum_loss(tt_val x) { return tt_sum(tt_psum(tt_square(x), "i")); }
static tt_val local_grad(tt_val x) { return tt_call(tt_grad(psum_loss), x); }
static tt_val in_groups(tt_val x) { return tt_psum(x, "i", .groups = "0 2; 1 3"); }
static tt_val gather_groups(tt_val x) { return tt_all_gather(x, "i", .stack = 1, .groups = "0 2; 1 3"); }
static tt_val create(tt_val key) { return tt_sum(tt_cast(key, TT_F32)); }

static void pmaps(void)
{
    IS(tt_call(tt_pmap(share, .mesh = four, .axis = "i"), VEC(1, 2, 3, 4)), 0.1, 0.2, 0.3, 0.4);
    IS(tt_call(tt_pmap(share), VEC(1, 3)), 0.25, 0.75);  /* the default mesh has one device per element */
    IS(tt_call(tt_pmap(add, .mesh = four, .in = "0; _"), VEC(1, 2, 3, 4), tt_f(10)), 11, 12, 13, 14);
    IS(tt_call(tt_pmap(add, .mesh = four, .in = "0; _", .out = "0"), VEC(1, 2, 3, 4), VEC(10, 20)), 11, 21, 12, 22,
       13, 23, 14, 24);
    const tt_val m = tt_reshape(tt_arange(TT_F32, 8), 2, 4);
    IS(tt_call(tt_pmap(total, .mesh = four, .axis = "i", .in = "1", .out = "_"), m), 28);
    IS(tt_call(tt_pmap(add, .mesh = four, .in = "1; 0", .out = "1"), m, VEC(10, 20, 30, 40)), 10, 21, 32, 43, 14, 25,
       36, 47);
    IS(tt_call(tt_pmap(place, .mesh = four, .axis = "i"), VEC(0, 0, 0, 0)), 0, 1, 2, 3);
    const tt_val t = tt_call(tt_pmap(mean_tree, .mesh = four, .axis = "i", .out = "_"),
                             tt_tuple(VEC(1, 2, 3, 6), tt_array(TT_I32, ((int[]){ 1, 2, 3, 4 }), 4)));
    IS(tt_item(t, 0), 3);
    IS(tt_item(t, 1), 2.5);
    CHECK(tt_dtype_of(tt_item(t, 1)) == TT_F32, "the mean of integers is f32");
    IS(tt_call(tt_pmap(update, .mesh = four, .axis = "i", .in = "_; 0", .out = "_"), tt_f(1), VEC(0, 1, 1, 0)), 0.5);
    IS(tt_call(tt_pmap(local_grad, .mesh = four, .axis = "i"), VEC(1, 2, 3, 4)), 8, 16, 24,
       32); /* psum's transpose is psum */
    IS(tt_call(tt_pmap(in_groups, .mesh = four, .axis = "i"), VEC(1, 2, 3, 4)), 4, 6, 4, 6);
    IS(tt_call(tt_pmap(gather_groups, .mesh = four, .axis = "i"), VEC(1, 2, 3, 4)), 1, 3, 2, 4, 1, 3, 2, 4);
    IS(tt_call(tt_pmap(create, .mesh = four, .in = "0"), tt_reshape(tt_arange(TT_U32, 8), 4, 2)), 1, 5, 9, 13);
    IS(tt_call(tt_vmap(tt_pmap(share, .mesh = four, .axis = "i")), tt_reshape(tt_arange(TT_F32, 8), 2, 4)), 0,
       1.0 / 6, 2.0 / 6, 0.5, 4.0 / 22, 5.0 / 22, 6.0 / 22, 7.0 / 22);
    IS(tt_call(tt_jit(tt_pmap(share, .mesh = four, .axis = "i")), VEC(1, 2, 3, 4)), 0.1, 0.2, 0.3, 0.4);
    const tt_val lies = tt_call(tt_pmap(add, .mesh = four), VEC(1, 2, 3, 4), VEC(1, 2, 3, 4));
    CHECK(!strcmp(tt_type_text(lies), "f32[4@i]"), "%s", tt_type_text(lies));
    tt_call(tt_pmap(share, .mesh = four, .axis = "i"), VEC(1, 2, 3));
    CHECK(failed("pmap: the mapped dim has 3 elements, but axis \"i\" has 4 devices"), "an undivided pmap");
    tt_call(tt_pmap(share, .mesh = four, .axis = "j"), VEC(1, 2, 3, 4));
    CHECK(failed("pmap: the mesh has no axis \"j\""), "a misspelt axis");
    tt_call(tt_pmap(in_groups, .mesh = tt_mesh("i:3"), .axis = "i"), VEC(1, 2, 3));
    CHECK(failed("psum: .groups names place 3; expected 0 to 2"), "groups of another size");
}

/* ---- shard_map ---- */

static tt_val twice(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val sum_i(tt_val x) { return tt_psum(tt_sum(x), "i"); }
static tt_val bad_sum(tt_val x) { return tt_sum(x); }
static tt_val matmul_k(tt_val x, tt_val w) { return tt_psum(tt_matmul(x, w), "i"); }
static tt_val both_axes(tt_val x) { return tt_psum(tt_sum(x), "a, b"); }
static tt_val index_ab(tt_val x) { return tt_add(tt_mul(x, tt_f(0)), tt_axis_index("a, b")); }
static tt_val only_a(tt_val x) { return tt_psum(x, "a"); }
static tt_val shift(tt_val x) { return tt_pshift(x, "i", 1); }
static tt_val permute(tt_val x) { return tt_ppermute(x, "i", "0>1, 1>0, 2>3"); }
static tt_val permute_from_end(tt_val x) { return tt_ppermute(x, "i", "0>-1, -2>1"); }
static tt_val permute_twice(tt_val x) { return tt_ppermute(x, "i", "0>3, 1>-1"); }
static tt_val permute_beyond(tt_val x) { return tt_ppermute(x, "i", "0>-5"); }
static tt_val gather(tt_val x) { return tt_all_gather(x, "i"); }
static tt_val gather_one(tt_val x) { return tt_psum(tt_all_gather(x, "i"), "i"); }
static tt_val scatter(tt_val x) { return tt_psum_scatter(x, "i"); }
static tt_val to_all(tt_val x) { return tt_all_to_all(x, "i", .split = 1, .concat = 0); }
static tt_val to_all_untiled(tt_val x) { return tt_all_to_all(x, "i", .split = 1, .concat = 0, .stack = 1); }
static tt_val largest(tt_val x) { return tt_pmax(tt_amax(x), "i"); }
static tt_val smallest(tt_val x) { return tt_pmin(tt_amin(x), "i"); }
static tt_val sq_loss(tt_val w, tt_val x) { return tt_psum(tt_sum(tt_square(tt_mul(w, x))), "i"); }
static tt_val sharded_loss(tt_val w, tt_val x)
{
    return tt_call(tt_shard_map(sq_loss, .mesh = four, .in = "_; i", .out = "_"), w, x);
}
static tt_val grad_inside(tt_val w, tt_val x) { return tt_call(tt_grad(sq_loss), w, x); }
static tt_val captured;
static tt_val uses_captured(tt_val x) { return tt_add(x, tt_sum(captured)); }
static tt_val size_of(tt_val x) { return tt_mul(x, tt_f((double)tt_axis_size("i"))); }
static tt_val scan_body(tt_val c, tt_val x) { const tt_val s = tt_add(c, x); return tt_tuple(s, s); }
static tt_val scan_in(tt_val x) { return tt_item(tt_scan(scan_body, tt_zeros(TT_F32, 1), x), 1); }
static tt_val varies(tt_val x) { return tt_tuple(x, tt_psum(tt_pvary(tt_f(1), "i"), "i")); }

static void shard_maps(void)
{
    IS(tt_call(tt_shard_map(twice, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4)), 2, 4, 6, 8);
    IS(tt_call(tt_jit(tt_shard_map(twice, .mesh = four, .in = "i", .out = "i")), VEC(1, 2, 3, 4)), 2, 4, 6, 8);
    IS(tt_call(tt_shard_map(sum_i, .mesh = four, .in = "i", .out = "_"), tt_arange(TT_F32, 8)), 28);
    const tt_val x = tt_reshape(tt_arange(TT_F32, 8), 2, 4), w = tt_reshape(tt_arange(TT_F32, 12), 4, 3);
    IS(tt_sub(tt_call(tt_shard_map(matmul_k, .mesh = four, .in = "_, i; i, _", .out = "_"), x, w), tt_matmul(x, w)),
       0, 0, 0, 0, 0, 0);
    IS(tt_call(tt_shard_map(both_axes, .mesh = grid, .in = "a, b", .out = "_"),
               tt_reshape(tt_arange(TT_F32, 12), 4, 3)),
       66);
    IS(tt_call(tt_shard_map(index_ab, .mesh = grid, .in = "a+b", .out = "a+b"), tt_arange(TT_F32, 6)), 0, 1, 2, 3, 4,
       5);
    IS(tt_call(tt_shard_map(only_a, .mesh = grid, .in = "a, b", .out = "_, b"),
               tt_reshape(tt_arange(TT_F32, 6), 2, 3)),
       3, 5, 7);
    IS(tt_call(tt_shard_map(only_a, .mesh = grid, .in = "a", .out = "_", .axes = "a"), VEC(1, 2)), 3);
    IS(tt_call(tt_shard_map(shift, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4)), 4, 1, 2, 3);
    IS(tt_call(tt_shard_map(permute_from_end, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4)), 0, 3, 0, 1);
    tt_call(tt_shard_map(permute_twice, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4));
    CHECK(failed("ppermute: a place sends or receives twice"), "3 and -1 are one place of four");
    tt_call(tt_shard_map(permute_beyond, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4));
    CHECK(failed("ppermute: pairs are source>target, places from 0 to 3"), "there is no fifth place from the end");
    IS(tt_call(tt_shard_map(permute, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4)), 2, 1, 0, 3);
    IS(tt_call(tt_shard_map(gather, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4)), 1, 2, 3, 4, 1, 2, 3, 4, 1,
       2, 3, 4, 1, 2, 3, 4);
    IS(tt_call(tt_shard_map(gather_one, .mesh = four, .in = "i", .out = "_"), VEC(1, 2, 3, 4)), 4, 8, 12, 16);
    IS(tt_call(tt_shard_map(scatter, .mesh = four, .in = "i", .out = "i"), tt_arange(TT_F32, 16)), 24, 28, 32, 36);
    IS(tt_call(tt_shard_map(to_all, .mesh = tt_mesh("i:2"), .in = "i, _", .out = "_, i"), x), 0, 1, 2, 3, 4, 5, 6, 7);
    IS(tt_call(tt_shard_map(to_all_untiled, .mesh = tt_mesh("i:2"), .in = "i", .out = "i"),
               tt_reshape(tt_arange(TT_F32, 4), 2, 2)),
       0, 2, 1, 3);
    IS(tt_call(tt_shard_map(largest, .mesh = four, .in = "i", .out = "_"), tt_arange(TT_F32, 8)), 7);
    IS(tt_call(tt_shard_map(smallest, .mesh = four, .in = "i", .out = "_"), tt_arange(TT_F32, 8)), 0);
    IS(tt_call(tt_grad(sharded_loss), tt_f(2), VEC(1, 2, 3, 4)), 4 * 30);
    IS(tt_call(tt_grad(sharded_loss, .wrt = "1"), tt_f(2), VEC(1, 2, 3, 4)), 8, 16, 24, 32);
    IS(tt_call(tt_shard_map(grad_inside, .mesh = four, .in = "_; i", .out = "_"), tt_f(2), VEC(1, 2, 3, 4)), 120);
    captured = VEC(1, 2);
    IS(tt_call(tt_shard_map(uses_captured, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4)), 4, 5, 6, 7);
    IS(tt_call(tt_shard_map(size_of, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3, 4)), 4, 8, 12, 16);
    IS(tt_call(tt_shard_map(scan_in, .mesh = four, .in = "_, i", .out = "_, i"), x), 0, 1, 2, 3, 4, 6, 8, 10);
    IS(tt_item(tt_call(tt_shard_map(varies, .mesh = four, .in = "i", .out = "i; _"), VEC(1, 2, 3, 4)), 1), 4);
    const tt_val y = tt_call(tt_shard_map(twice, .mesh = grid, .in = "a, b", .out = "a, b"),
                             tt_reshape(tt_arange(TT_F32, 12), 4, 3));
    CHECK(!strcmp(tt_type_text(y), "f32[4@a, 3@b]"), "%s", tt_type_text(y));
    tt_call(tt_shard_map(bad_sum, .mesh = four, .in = "i", .out = "_"), VEC(1, 2, 3, 4));
    CHECK(failed("shard_map: result 0 varies over i, which its spec \"_\" does not name"), "a result that varies");
    IS(tt_call(tt_shard_map(bad_sum, .mesh = four, .in = "i", .out = "_", .unchecked = 1), VEC(1, 2, 3, 4)), 1);
    tt_call(tt_shard_map(twice, .mesh = four, .in = "i", .out = "i"), VEC(1, 2, 3));
    CHECK(failed("shard_map: dim 0 of argument 0 has 3 elements, which do not divide over 4 devices (i)"),
          "an undivided dim");
    tt_call(tt_shard_map(twice, .mesh = four, .in = "j", .out = "i"), VEC(1, 2, 3, 4));
    CHECK(!tt_ok() && strstr(tt_error(), "\"j\""), "%s", tt_ok() ? "no error" : tt_error());
    tt_clear();
    tt_psum(tt_f(1), "i");
    CHECK(failed("psum: axis \"i\" is not bound here"), "a collective outside");
}

/* ---- jit over a mesh ---- */

static tt_val mlp(tt_val w, tt_val x) { return tt_tanh(tt_logical_constraint(tt_matmul(x, w), "batch, hidden")); }
static tt_val made(tt_val x) { return tt_leaf(tt_mul(tt_ones(TT_F32, 4, 6), tt_sum(x)), .axes = "embed, hidden"); }

static void jits(void)
{
    const char *rules = "batch:a, hidden:b";
    const tt_val w = tt_call(tt_jit(made, .mesh = grid, .rules = rules), tt_f(0.125));
    CHECK(!strcmp(tt_type_text(w), "f32[4, 6@b]"), "born sharded: %s", tt_type_text(w));
    const tt_val x = tt_shard(tt_ones(TT_F32, 2, 4), grid, "a");
    const tt_val y = tt_call(tt_jit(mlp, .mesh = grid, .rules = rules), w, x);
    CHECK(!strcmp(tt_type_text(y), "f32[2@a, 6@b]"), "%s", tt_type_text(y));
    const double t = tanh(0.5);
    IS(y, t, t, t, t, t, t, t, t, t, t, t, t);
    IS(mlp(w, x), t, t, t, t, t, t, t, t, t, t, t, t);
    const tt_val z = tt_call(tt_jit(mlp, .mesh = grid, .in = "_, b; a, _", .out = "_, a"), w, x);
    CHECK(!strcmp(tt_type_text(z), "f32[2, 6@a]"), "%s", tt_type_text(z));
    tt_call(tt_jit(mlp, .mesh = grid, .rules = "batch:c"), w, x);
    CHECK(failed("rules name mesh axis \"c\", but the mesh a:2, b:3 has no such axis"), "a rule for no axis");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    four = tt_mesh("i:4");
    grid = tt_mesh("a:2, b:3");
    captured = tt_f(0);
    CHECK_RUN(pmaps());
    CHECK_RUN(shard_maps());
    CHECK_RUN(jits());
    CHECK(tt_done() == 0, "done");
    return check_done();
}
