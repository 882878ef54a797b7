/* api_transforms.c - every transform against closed forms, at top level and inside jit; captured values; caches;
 * donation. Longer than 400 lines: the transforms share the functions that they are applied to. */
#include <tutti.h>

#include "api/api_check.h"
#include "trace/trace.h"

/* ---- derivatives ---- */

static tt_val cube(tt_val x) { return tt_mul(x, tt_mul(x, x)); }
static tt_val sum_sin(tt_val x) { return tt_sum(tt_sin(x)); }
static tt_val dcube(tt_val x) { return tt_call(tt_grad(cube), x); }
static tt_val poly(tt_val p, tt_val x) { return tt_sum(tt_add(tt_mul(tt_get(p, "w"), x), tt_get(p, "b"))); }
static tt_val with_aux(tt_val x, tt_val y) { return tt_tuple(tt_sum(tt_mul(x, y)), tt_add(x, y), tt_i(7)); }
static tt_val quadratic(tt_val x) { return tt_add(tt_sum(tt_square(x)), tt_prod(x)); }
static tt_val two_out(tt_val x, tt_val n) { return tt_tuple(tt_mul(x, x), n); }
static tt_val vec_loss(tt_val x) { return tt_square(x); }
static tt_val relu_sum(tt_val x) { return tt_sum(tt_relu(x)); }

static tt_val outside;
static tt_val reads_outside(tt_val x) { return tt_sum(tt_mul(x, outside)); }
static tt_val nest(tt_val x)                             /* an inner function that reads a value of the outer trace */
{
    const tt_val saved = outside;
    outside = tt_mul(x, tt_f(2));
    const tt_val g = tt_call(tt_grad(reads_outside), tt_ones(TT_F32, 2));
    outside = saved;
    return tt_sum(tt_mul(g, x));                         /* 2 x . x */
}

static void derivatives(void)
{
    IS(tt_call(tt_grad(cube), tt_f(2)), 12);
    IS(tt_call(tt_jit(tt_grad(cube)), tt_f(2)), 12);
    IS(tt_call(tt_grad(dcube), tt_f(2)), 12);
    IS(tt_call(tt_grad(tt_grad(cube)), tt_f(3)), 18);
    IS(tt_call(tt_grad(tt_grad(tt_grad(cube))), tt_f(3)), 6);
    IS(tt_call(tt_grad(sum_sin), VEC(0, 1)), 1, cos(1));
    const tt_val p = tt_dict("w", tt_f(3), "b", tt_f(1)), g = tt_call(tt_grad(poly), p, VEC(1, 2, 3));
    IS(tt_get(g, "w"), 6);
    IS(tt_get(g, "b"), 3);
    IS(tt_call(tt_grad(poly, .wrt = "1"), p, VEC(1, 2, 3)), 3, 3, 3);
    const tt_val both = tt_call(tt_grad(poly, .wrt = "1, 0"), p, VEC(1, 2));
    IS(tt_item(both, 0), 3, 3);
    IS(tt_get(both, "1.w"), 3);
    const tt_val a = tt_call(tt_value_and_grad(with_aux, .aux = 1), VEC(1, 2), VEC(3, 4));
    CHECK(tt_items(a) == 4, "value, aux, aux, gradient");
    IS(tt_item(a, 0), 11);
    IS(tt_item(a, 1), 4, 6);
    IS(tt_item(a, 2), 7);
    IS(tt_item(a, 3), 3, 4);
    const tt_val ga = tt_call(tt_grad(with_aux, .aux = 1), VEC(1, 2), VEC(3, 4));
    IS(tt_item(ga, 0), 3, 4);
    IS(tt_item(ga, 2), 7);
    IS(tt_call(tt_grad(relu_sum), VEC(-1, 0, 2)), 0, 0, 1);
    outside = VEC(5, 6);
    IS(tt_call(tt_grad(reads_outside), VEC(1, 1)), 5, 6);
    IS(tt_call(tt_grad(nest), VEC(1, 3)), 4, 12);
    IS(tt_call(tt_jit(tt_grad(nest)), VEC(1, 3)), 4, 12);
    const tt_val h = tt_call(tt_hessian(quadratic), VEC(2, 3));
    CHECK(tt_rank(h) == 2, "a hessian is square");
    IS(h, 2, 1, 1, 2);
    const tt_val ht = tt_call(tt_hessian(poly), p, VEC(1, 2));
    IS(tt_get(ht, "w.b"), 0);
    const tt_val j = tt_call(tt_jvp(two_out), tt_tuple(tt_f(3), tt_i(5)), tt_tuple(tt_f(2), tt_none()));
    IS(tt_get(j, "0.0"), 9);
    IS(tt_get(j, "0.1"), 5);
    IS(tt_get(j, "1.0"), 12);
    CHECK(tt_items(tt_get(j, "1.1")) == 0, "an integer has no tangent");
    tt_call(tt_jvp(two_out), tt_tuple(tt_f(3), tt_i(5)), tt_tuple(tt_f(2), tt_i(1)));
    CHECK(failed("the tangent is i32[] for a value that is i32[], which has no derivative"), "an integer's tangent");
    const tt_val none = tt_zeros(TT_F32, 0);             /* what tt_grad gives for an integer */
    IS(tt_get(tt_call(tt_jvp(two_out), tt_tuple(tt_f(3), tt_i(5)), tt_tuple(tt_f(2), none)), "1.0"), 12);
    tt_call(tt_vjp(two_out), tt_tuple(tt_f(3), tt_i(5)), tt_tuple(tt_f(2), tt_i(1)));
    CHECK(failed("the cotangent is i32[] for a value that is i32[], which has no derivative"),
          "an integer's cotangent");
    const tt_val v = tt_call(tt_vjp(vec_loss), tt_tuple(VEC(1, 2)), VEC(10, 20));
    IS(tt_item(v, 0), 1, 4);
    IS(tt_get(v, "1.0"), 20, 80);
    tt_call(tt_grad(vec_loss), VEC(1, 2));
    CHECK(failed("grad: the loss must be one floating-point number, not f32[2]"), "a loss that is no number");
    tt_call(tt_grad(cube), tt_i(2));
    CHECK(failed("grad: argument 0 is i32[], which has no derivative"), "an integer argument");
    tt_call(tt_grad(with_aux), VEC(1, 2), VEC(3, 4));
    CHECK(failed("grad: the function must return one number, not (_, _, _)"), "aux forgotten");
}

/* ---- custom derivatives, stop, remat ---- */

static tt_val plain(tt_val x, tt_val y) { return tt_mul(x, y); }
static tt_val fwd(tt_val x, tt_val y) { return tt_tuple(tt_mul(x, y), tt_tuple(x, y)); }
static tt_val bwd(tt_val res, tt_val ct) { return tt_tuple(tt_mul(tt_f(100), tt_mul(ct, tt_item(res, 1))), tt_none()); }
static tt_val rule(tt_val primals, tt_val tangents)
{
    return tt_tuple(tt_mul(tt_item(primals, 0), tt_item(primals, 1)), tt_mul(tt_f(7), tt_item(tangents, 0)));
}
static tt_val use_vjp(tt_val x, tt_val y) { return tt_call(tt_custom_vjp(plain, fwd, bwd), x, y); }
static tt_val use_jvp(tt_val x, tt_val y) { return tt_call(tt_custom_jvp(plain, rule), x, y); }
/* three times the result: of any order, as no function has it */
static tt_val thrice(tt_val x, tt_val y, tt_val dx)
{
    return tt_mul(tt_mul(tt_f(3), y), tt_add(tt_item(dx, 0), tt_mul(tt_item(x, 1), tt_item(dx, 1))));
}
static tt_val use_tangent(tt_val x, tt_val y) { return tt_call(tt_custom_tangent(plain, thrice), x, y); }
static tt_val bwd_reads(tt_val res, tt_val ct)
{
    return tt_tuple(tt_mul(ct, tt_sum(outside)), tt_mul(ct, tt_item(res, 0)));
}
static tt_val use_reads(tt_val x, tt_val y) { return tt_call(tt_custom_vjp(plain, fwd, bwd_reads), x, y); }
static tt_val bwd_numbers(tt_val res, tt_val ct)
{
    (void)res, (void)ct;
    return tt_tuple(tt_f(3), tt_f(4));
}
static tt_val use_numbers(tt_val x, tt_val y) { return tt_call(tt_custom_vjp(plain, fwd, bwd_numbers), x, y); }
/* Rounding with a slope of 1. The rule's result is 2 above the function's; it has no slope, as tt_floor has none. */
static tt_val upwards(tt_val x) { return tt_add(tt_floor(x), tt_i(2)); }
static tt_val step_rule(tt_val x, tt_val dx) { return tt_tuple(upwards(tt_item(x, 0)), tt_item(dx, 0)); }
static tt_val step_fwd(tt_val x) { return tt_tuple(upwards(x), tt_none()); }
static tt_val step_bwd(tt_val res, tt_val ct) { (void)res; return tt_tuple(ct); }
static tt_val step_jvp(tt_val x) { return tt_call(tt_custom_jvp(tt_floor, step_rule), x); }
static tt_val step_vjp(tt_val x) { return tt_call(tt_custom_vjp(tt_floor, step_fwd, step_bwd), x); }
static tt_val step_nested(tt_val x) { return tt_call(tt_remat(tt_jit(step_vjp)), x); }
#define STEP_OF(f) static tt_val f##_sin(tt_val x) { return tt_sin(f(x)); } \
    static tt_val f##_again(tt_val x) { return tt_sin(tt_call(tt_remat(f), x)); } \
    static tt_val f##_saved(tt_val x) { return tt_sin(tt_call(tt_remat(f, .policy = "everything_saveable"), x)); } \
    static tt_val f##_d(tt_val x) { return tt_call(tt_grad(f##_sin), x); } \
    static tt_val f##_again_d(tt_val x) { return tt_call(tt_grad(f##_again), x); } \
    static tt_val f##_saved_d(tt_val x) { return tt_call(tt_grad(f##_saved), x); }
STEP_OF(step_jvp)
STEP_OF(step_vjp)
STEP_OF(step_nested)

/* A remat has the results of rules, where derivatives are taken, and thus their second derivatives, as in JAX. */
static void remat_of_rules(void)
{
    static tt_val (*const first[])(tt_val) = { step_jvp_sin, step_jvp_again, step_jvp_saved, step_vjp_sin,
        step_vjp_again, step_vjp_saved, step_nested_sin, step_nested_again, step_nested_saved };
    static tt_val (*const d[])(tt_val) = { step_jvp_d, step_jvp_again_d, step_jvp_saved_d, step_vjp_d,
        step_vjp_again_d, step_vjp_saved_d, step_nested_d, step_nested_again_d, step_nested_saved_d };
    for (int i = 0; i < 9; i++) {
        const tt_val x = tt_f(1.25);
        CHECK(fabs(tt_num(tt_call(first[i], x)) - sin(1)) < 1e-6, "%d: the function itself: %s", i, tt_error());
        const tt_val both = tt_call(tt_value_and_grad(first[i]), x);
        CHECK(fabs(tt_num(tt_item(both, 0)) - sin(3)) < 1e-6, "%d: the rule's result: %g", i, tt_num(tt_item(both, 0)));
        CHECK(fabs(tt_num(tt_item(both, 1)) - cos(3)) < 1e-6, "%d: slope: %g", i, tt_num(tt_item(both, 1)));
        CHECK(tt_num(tt_call(tt_grad(d[i]), x)) == 0, "%d: second: %g", i, tt_num(tt_call(tt_grad(d[i]), x)));
    }
    tt_clear();
}

/* Rules that call their own function: f(x, y) = x y, whose derivative is 7 f by x and none by y. */
static tt_val again_rule(tt_val primals, tt_val tangents), endless_rule(tt_val primals, tt_val tangents),
    again_tangent(tt_val x, tt_val y);
static tt_val again_jvp(tt_val x, tt_val y) { return tt_call(tt_custom_jvp(plain, again_rule), x, y); }
static tt_val again_rule(tt_val primals, tt_val tangents)
{
    const tt_val y = again_jvp(tt_item(primals, 0), tt_item(primals, 1));
    return tt_tuple(y, tt_mul(tt_mul(tt_f(7), y), tt_item(tangents, 0)));
}
static tt_val again_thrice(tt_val x, tt_val y, tt_val dx)
{
    (void)y;
    return tt_mul(tt_mul(tt_f(3), again_tangent(tt_item(x, 0), tt_item(x, 1))), tt_item(dx, 0));
}
static tt_val again_tangent(tt_val x, tt_val y) { return tt_call(tt_custom_tangent(plain, again_thrice), x, y); }
static tt_val again_fwd(tt_val x, tt_val y), again_bwd(tt_val res, tt_val ct), again_bwd_x(tt_val res, tt_val ct);
static tt_val again_vjp(tt_val x, tt_val y) { return tt_call(tt_custom_vjp(plain, again_fwd, again_bwd), x, y); }
static tt_val again_fwd(tt_val x, tt_val y) { return tt_tuple(again_vjp(x, y), again_vjp(x, y)); }
static tt_val again_bwd(tt_val res, tt_val ct) { return tt_tuple(tt_mul(tt_f(5), tt_mul(ct, res)), tt_none()); }
static tt_val again_in_bwd(tt_val x, tt_val y) { return tt_call(tt_custom_vjp(plain, fwd, again_bwd_x), x, y); }
static tt_val again_bwd_x(tt_val res, tt_val ct)
{
    return tt_tuple(tt_mul(tt_f(5), tt_mul(ct, again_in_bwd(tt_item(res, 0), tt_item(res, 1)))), tt_none());
}
/* A rule that calls its function with other operands, without an end. */
static tt_val endless(tt_val x) { return tt_call(tt_custom_jvp(tt_square, endless_rule), x); }
static tt_val endless_rule(tt_val primals, tt_val tangents)
{
    const tt_val x = tt_item(primals, 0);
    return tt_tuple(tt_mul(x, x), tt_mul(endless(tt_sub(x, tt_f(1))), tt_item(tangents, 0)));
}
static tt_val stopped(tt_val x) { return tt_mul(x, tt_stop_gradient(x)); }
static tt_val rounded(tt_val x)                          /* the square of x, rounded straight through */
{
    const tt_val y = tt_add(x, tt_stop_gradient(tt_sub(tt_round_even(x), x)));
    return tt_mul(y, y);
}
static tt_val half_stopped(tt_val x) { return tt_mul(tt_stop_gradient(tt_sin(x)), tt_log(x)); }
static tt_val deep(tt_val x) { return tt_sin(tt_sin(tt_sin(x))); }
static tt_val use_remat(tt_val x) { return tt_call(tt_remat(deep), x); }

static void custom(void)
{
    IS(use_vjp(tt_f(3), tt_f(4)), 12);
    IS(tt_call(tt_grad(use_vjp), tt_f(3), tt_f(4)), 400);
    IS(tt_call(tt_grad(use_vjp, .wrt = "1"), tt_f(3), tt_f(4)), 0);
    IS(tt_call(tt_jit(tt_grad(use_vjp)), tt_f(3), tt_f(4)), 400);
    IS(tt_call(tt_vmap(tt_grad(use_vjp)), VEC(1, 2), VEC(3, 4)), 300, 400);
    IS(tt_call(tt_grad(use_jvp), tt_f(3), tt_f(4)), 7);
    IS(use_tangent(tt_f(3), tt_f(4)), 12);
    IS(tt_call(tt_grad(use_tangent), tt_f(3), tt_f(4)), 36);
    IS(tt_call(tt_grad(use_tangent, .wrt = "1"), tt_f(3), tt_f(4)), 144);
    IS(tt_call(tt_grad(tt_grad(use_tangent)), tt_f(3), tt_f(4)), 108);
    IS(tt_call(tt_jit(tt_grad(tt_grad(tt_grad(use_tangent)))), tt_f(3), tt_f(4)), 324);
    IS(tt_call(tt_vmap(tt_grad(use_tangent), .in = "0; _"), VEC(1, 2), tt_f(3)), 9, 18);
    const tt_val back = tt_call(tt_vjp(tt_vmap(use_tangent, .in = "0; _")), tt_tuple(VEC(1, 2), tt_f(3)), VEC(1, 1));
    IS(tt_item(tt_item(back, 1), 0), 9, 18);
    IS(tt_item(tt_item(back, 1), 1), 81);
    static const struct { const char *name; tt_f2 *f; double k; } again[] = {
        { "jvp", again_jvp, 7 }, { "tangent", again_tangent, 3 }, { "vjp", again_vjp, 5 }, { "bwd", again_in_bwd, 5 },
    };
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) {      /* f = x y = 6; each derivative is k times f */
        const double k = again[i].k;
        tt_f2 *const f = again[i].f;
        IS(f(tt_f(2), tt_f(3)), 6);
        IS(tt_call(tt_grad(f), tt_f(2), tt_f(3)), 6 * k);
        IS(tt_call(tt_grad(f, .wrt = "1"), tt_f(2), tt_f(3)), 0);
        IS(tt_call(tt_grad(tt_grad(f)), tt_f(2), tt_f(3)), 6 * k * k);
        IS(tt_call(tt_jit(tt_grad(tt_grad(tt_grad(f)))), tt_f(2), tt_f(3)), 6 * k * k * k);
        IS(tt_call(tt_vmap(tt_grad(tt_grad(f)), .in = "0; _"), VEC(1, 2), tt_f(3)), 3 * k * k, 6 * k * k);
    }
    tt_call(tt_grad(endless), tt_f(2));
    CHECK(failed("the rule of tt_square calls tt_square itself, 32 times one within the other"),
          "a rule without an end");
    outside = VEC(5, 6);
    IS(tt_call(tt_grad(use_reads), tt_f(3), tt_f(4)), 11);
    IS(tt_call(tt_grad(use_numbers, .wrt = "1"), tt_cast(tt_f(3), TT_BF16), tt_cast(tt_f(4), TT_BF16)), 4);
    IS(tt_call(tt_grad(stopped), tt_f(3)), 3);
    IS(tt_call(tt_grad(tt_grad(stopped)), tt_f(3)), 0);
    IS(tt_call(tt_jit(tt_grad(tt_grad(stopped))), tt_f(3)), 0);
    IS(tt_call(tt_hessian(stopped), tt_f(3)), 0);
    IS(tt_call(tt_vmap(tt_grad(tt_grad(stopped))), VEC(3, 4)), 0, 0);
    IS(tt_item(tt_call(tt_jvp(tt_grad(stopped)), tt_f(3), tt_f(1)), 1), 0);
    IS(tt_call(tt_grad(tt_grad(rounded)), tt_f(2.3)), 2);
    IS(tt_call(tt_grad(tt_grad(half_stopped)), tt_f(2)), -0.22732435);
    const double x = 0.7, want = cos(sin(sin(x))) * cos(sin(x)) * cos(x);
    IS(tt_call(tt_grad(use_remat), tt_f(x)), want);
    IS(tt_call(tt_jit(tt_grad(use_remat)), tt_f(x)), want);
    IS(use_remat(tt_f(x)), sin(sin(sin(x))));
}

/* ---- vmap ---- */

static tt_val dot(tt_val a, tt_val b) { return tt_sum(tt_mul(a, b)); }
static tt_val center(tt_val x) { return tt_sub(x, tt_pmean(x, "n")); }
static tt_val rank_of(tt_val x) { return tt_add(tt_mul(x, tt_f(0)), tt_axis_index("n")); }
static tt_val outer(tt_val a, tt_val b) { return tt_call(tt_vmap(plain, .in = "_; 0"), a, b); }
static tt_val ignores(tt_val x) { return tt_tuple(x, tt_f(4)); }
static tt_val grad_sq(tt_val x) { return tt_call(tt_grad(cube), x); }
static tt_val shared_loss(tt_val w, tt_val x) { return tt_sum(tt_call(tt_vmap(plain, .in = "_; 0"), w, x)); }
static tt_val gathered(tt_val x) { return tt_all_gather(x, "n", .stack = 1); }

static void mapped(void)
{
    const tt_val m = tt_reshape(tt_arange(TT_F32, 6), 2, 3);
    IS(tt_call(tt_vmap(dot), m, m), 5, 50);
    IS(tt_call(tt_vmap(dot, .in = "0; _"), m, VEC(1, 0, 2)), 4, 13);
    IS(tt_call(tt_vmap(dot, .in = "1; 1"), m, m), 9, 17, 29);
    IS(tt_call(tt_jit(tt_vmap(dot, .in = "1")), m, m), 9, 17, 29);
    IS(tt_call(tt_vmap(sum_sin), m), sin(0) + sin(1) + sin(2), sin(3) + sin(4) + sin(5));
    IS(tt_call(tt_vmap(center, .axis = "n"), VEC(1, 2, 6)), -2, -1, 3);
    IS(tt_call(tt_vmap(rank_of, .axis = "n"), VEC(1, 2, 6)), 0, 1, 2);
    IS(tt_call(tt_vmap(outer, .in = "0; _"), VEC(1, 2), VEC(3, 4, 5)), 3, 4, 5, 6, 8, 10);
    const tt_val o = tt_call(tt_vmap(ignores, .out = "0; _"), VEC(1, 2));
    CHECK(tt_rank(tt_item(o, 1)) == 0, "an unmapped result");
    IS(tt_item(o, 1), 4);
    CHECK(tt_dim(tt_call(tt_vmap(tt_vmap(cube), .out = "1"), m), 0) == 3, "the mapped dim of the result goes to 1");
    IS(tt_call(tt_vmap(grad_sq), VEC(1, 2)), 3, 12);
    IS(tt_call(tt_vmap(tt_grad(cube)), VEC(1, 2)), 3, 12);
    IS(tt_call(tt_grad(shared_loss), tt_f(2), VEC(1, 2, 3)), 6);
    IS(tt_call(tt_vmap(gathered, .axis = "n", .out = "_"), VEC(1, 2)), 1, 2);
    outside = VEC(1, 10);
    IS(tt_call(tt_vmap(reads_outside), tt_reshape(tt_arange(TT_F32, 4), 2, 2)), 10, 32);
    tt_call(tt_vmap(dot), m, VEC(1, 2, 3));
    CHECK(failed("vmap: mapped dims differ: 2 in argument 0 and 3 in argument 1"), "mapped dims that differ");
    tt_call(tt_vmap(dot), m, tt_f(1));
    CHECK(failed("vmap: argument 1 is f32[], which has no dim 0 to map"), "a scalar mapped");
    tt_call(tt_vmap(cube, .out = "_"), VEC(1, 2));
    CHECK(failed("vmap: result 0 differs between elements"), "out _ of a mapped result");
    tt_call(tt_vmap(center, .axis = "k"), VEC(1, 2));
    CHECK(failed("pmean: axis \"n\" is not bound here"), "an axis that is not bound");
    tt_call(tt_vmap(dot, .in = "0; i"), m, m);
    CHECK(failed("tt_vmap's .in takes the number of the mapped dim, or _: not \"i\""), "another grammar");
}

/* ---- control flow ---- */

static tt_val running(tt_val c, tt_val x) { const tt_val s = tt_add(c, x); return tt_tuple(s, tt_mul(s, s)); }
static tt_val scan_loss(tt_val xs) { return tt_sum(tt_item(tt_scan(running, tt_f(0), xs), 1)); }
static tt_val scaled(tt_val c, tt_val x) { return tt_tuple(tt_mul(tt_add(c, x), tt_sum(outside)), tt_none()); }
static tt_val scan_reads(tt_val w)
{
    const tt_val saved = outside;
    outside = w;
    const tt_val y = tt_item(tt_scan(scaled, tt_f(1), VEC(1, 2)), 0);
    outside = saved;
    return y;
}
static tt_val small(tt_val s) { return tt_lt(tt_item(s, 0), tt_i(5)); }
static tt_val step_up(tt_val s) { return tt_tuple(tt_add(tt_item(s, 0), tt_i(1)), tt_mul(tt_item(s, 1), tt_f(2))); }
static tt_val add_i(tt_val i, tt_val s) { return tt_add(s, tt_cast(i, TT_F32)); }
static tt_val double_it(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val triple(tt_val x) { return tt_mul(x, tt_f(3)); }
static tt_val choose(tt_val x) { return tt_cond(tt_gt(x, tt_f(0)), double_it, triple, x); }
static tt_val by_index(tt_val i, tt_val x) { return tt_switch(i, x, TT_FN(double_it), TT_FN(triple), TT_FN(cube)); }
static tt_val while_jit(tt_val n) { return tt_item(tt_while(small, step_up, tt_tuple(n, tt_f(1))), 1); }
static tt_val fori_loss(tt_val x) { return tt_fori(0, 4, plain, x); }
static tt_val grows(tt_val c, tt_val x) { (void)x; return tt_tuple(tt_concat(0, c, c), tt_none()); }

static void control(void)
{
    const tt_val s = tt_scan(running, tt_f(0), VEC(1, 2, 3));
    IS(tt_item(s, 0), 6);
    IS(tt_item(s, 1), 1, 9, 36);
    IS(tt_item(tt_scan(running, tt_f(0), VEC(1, 2, 3), .reverse = 1), 1), 36, 25, 9);
    IS(tt_call(tt_grad(scan_loss), VEC(1, 2, 3)), 2 + 6 + 12, 6 + 12, 12);
    IS(tt_call(tt_jit(tt_grad(scan_loss)), VEC(1, 2, 3)), 20, 18, 12);
    IS(tt_call(tt_grad(scan_reads), VEC(2, 1)), 2 * 3 * 2 + 2, 14);      /* ((1+1)s + 2)s: 4s + 2 */
    IS(tt_call(tt_vmap(scan_loss), tt_reshape(tt_arange(TT_F32, 4), 2, 2)), 1, 29);
    IS(while_jit(tt_i(0)), 32);
    IS(tt_call(tt_jit(while_jit), tt_i(2)), 8);
    IS(tt_call(tt_vmap(while_jit), tt_array(TT_I32, ((int[]){ 0, 3, 9 }), 3)), 32, 4, 1);
    IS(tt_fori(0, 4, add_i, tt_f(10)), 16);
    IS(tt_fori(3, 3, add_i, tt_f(10)), 10);
    IS(tt_call(tt_jit(choose), tt_f(2)), 4);
    IS(tt_call(tt_jit(choose), tt_f(-2)), -6);
    IS(choose(tt_f(-2)), -6);
    IS(tt_call(tt_grad(choose), tt_f(-2)), 3);
    IS(tt_call(tt_vmap(choose), VEC(1, -1)), 2, -3);
    IS(tt_call(tt_jit(by_index), tt_i(2), tt_f(2)), 8);
    IS(tt_call(tt_jit(by_index), tt_i(-5), tt_f(2)), 4);
    IS(tt_call(tt_jit(by_index), tt_i(50), tt_f(2)), 8);
    IS(by_index(tt_i(1), tt_f(2)), 6);
    IS(tt_call(tt_grad(fori_loss), tt_f(2)), 0);         /* the first factor is 0 */
    tt_scan(grows, VEC(1), tt_none(), .length = 2);
    CHECK(failed("scan: the carry begins as f32[1] and is returned as f32[2]"), "a carry that grows");
    tt_scan(running, tt_f(0), tt_none());
    CHECK(failed("scan: the number of iterations is not given"), "no length");
    tt_call(tt_jit(cube), tt_f(1));
    CHECK(tt_ok(), "fine");
}

/* ---- jit ---- */

static int traced;
static tt_val counted(tt_val x, tt_val y) { traced++; return tt_add(tt_mul(x, tt_f(2)), y); }
static tt_val peeks(tt_val x) { return tt_f(tt_num(x)); }
static tt_val leaked;
static tt_val leaks(tt_val x) { leaked = tt_mul(x, x); return x; }
static tt_val as_env(void *env, int n, const tt_val *v) { return tt_mul(v[n - 1], tt_f(*(const double *)env)); }

static void jits(void)
{
    const tt_fn f = tt_jit(counted);
    traced = 0;
    IS(tt_call(f, VEC(1, 2), tt_f(1)), 3, 5);
    IS(tt_call(f, VEC(3, 4), tt_f(2)), 8, 10);
    CHECK(traced == 1, "a second call does not trace: %d", traced);
    tt_call(f, VEC(1, 2, 3), tt_f(1));
    CHECK(traced == 2, "another shape does");
    tt_call(f, VEC(1, 2), VEC(1, 2));
    CHECK(traced == 3, "so does another shape of the second");
    tt_call(f, VEC(1, 2), tt_f(5));
    CHECK(traced == 3, "the first is still there");
    tt_call(f, tt_shard(VEC(1, 2), tt_mesh("i:2"), "i"), tt_f(5));
    CHECK(traced == 3, "another layout takes another program, not another trace");
    IS(tt_call(f, tt_shard(VEC(3, 4), tt_mesh("i:2"), "i"), tt_f(2)), 8, 10);
    IS(tt_call(f, tt_shard(VEC(3, 4), tt_mesh("i:2"), "_"), tt_f(2)), 8, 10);
    tt_call(f, tt_shard(VEC(1, 2), tt_mesh("i:2 explicit"), "i"), tt_f(5));
    CHECK(traced == 4, "explicit axes do: types hold them");
    for (tt_loop it = tt_steps(3); tt_next(&it);) tt_call(tt_jit(counted), VEC(1, 2), tt_f(1));
    CHECK(traced == 5, "a jit made in a loop is one function: %d", traced - 4);
    const trace_counts before = trace_jit_counts();
    tt_call(f, VEC(1, 2), tt_f(5));
    CHECK(trace_jit_counts().hits == before.hits + 1 && trace_jit_counts().traces == before.traces, "counted as a hit");
    outside = VEC(1, 2);
    const tt_fn r = tt_jit(reads_outside);
    IS(tt_call(r, VEC(1, 1)), 3);
    outside = VEC(9, 9);
    IS(tt_call(r, VEC(1, 1)), 3);                        /* what it read while it was traced */
    const trace_counts once = trace_jit_counts();
    IS(tt_call(r, tt_shard(VEC(1, 1), tt_mesh("i:2"), "i")), 3);
    CHECK(trace_jit_counts().traces == once.traces, "another layout of an argument traces what was read again");
    const tt_val peeked = tt_call(tt_jit(peeks), tt_f(1));
    CHECK(failed("the elements of f32[] are known only when the traced function runs"), "reading a traced value");
    tt_neg(peeked);
    CHECK(failed("value of a call that failed"),
          "the function went on after its error: what it returned means nothing");
    tt_call(tt_jit(leaks), VEC(1));
    CHECK(tt_ok(), "a leak is not an error yet");
    tt_neg(leaked);
    CHECK(failed("value used after its scope closed"), "a value that left its trace");
    double k = 3;
    IS(tt_call(tt_jit(tt_bind_env("times", as_env, &k, sizeof k, 1)), tt_f(2)), 6);
    k = 5;
    IS(tt_call(tt_jit(tt_bind_env("times", as_env, &k, sizeof k, 1)), tt_f(2)), 10);
    tt_call(f, VEC(1, 2));
    CHECK(failed("counted takes 2 values, not 1"), "a missing argument");
}

static tt_val advance(tt_val s, tt_val x) { return tt_add(s, x); }

static void donation(void)
{
    const tt_fn f = tt_jit(advance, .donate = "0");
    tt_val s = tt_add(tt_zeros(TT_F32, 3), tt_f(1)), x = tt_ones(TT_F32, 3);
    const tt_val old = s;
    tt_assign(&s, tt_call(f, s, x));
    IS(s, 2, 2, 2);
    tt_neg(old);
    CHECK(failed("value was donated at tests/api/transforms/api_transforms.c"), "a donated value");
    for (tt_loop it = tt_steps(10); tt_next(&it);) tt_assign(&s, tt_call(f, s, x));
    IS(s, 12, 12, 12);
    tt_val same = tt_add(x, x);
    tt_call(f, same, same);
    CHECK(failed("given twice"), "donated and used");
    const tt_fn wrong = tt_jit(advance, .donate = "2");
    tt_call(wrong, s, x);
    CHECK(failed("no argument 2 of 2"), "a donated argument that is not there");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    tt_on_error(quiet, NULL);
    outside = tt_f(0);
    CHECK_RUN(derivatives());
    CHECK_RUN(custom());
    CHECK_RUN(remat_of_rules());
    CHECK_RUN(mapped());
    CHECK_RUN(control());
    CHECK_RUN(jits());
    CHECK_RUN(donation());
    CHECK(tt_done() == 0, "done");
    return check_done();
}
