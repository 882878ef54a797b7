/* scans.c - the functions of tutti/transforms.h: jacobians against finite columns, scans, maps and loops against plain
 * ones, implicit derivatives against those of the solution in closed form, what is refused; under jit, vmap and on a
 * mesh. */
#include "api/api_check.h"

static tt_val plus(tt_val a, tt_val b) { return tt_add(a, b); }
static tt_val both_rows(tt_val a, tt_val b) { return tt_concat(0, a, b); }
static tt_val cubes(tt_val w, tt_val x) { return tt_tuple(tt_mul(w, tt_integer_pow(x, 3)), tt_sum(tt_mul(w, x))); }
static tt_val ids_too(tt_val x) { return tt_tuple(tt_square(x), tt_cast(x, TT_I32)); }
static tt_val ids_only(tt_val x) { return tt_cast(x, TT_I32); }
static tt_val column(tt_val x) { return tt_call(tt_jacrev(cubes, .wrt = "1"), tt_f(2), x); }

static void jacobians(void)
{
    const tt_val w = VEC(1, 2), x = VEC(3, -1);
    const tt_val forward = tt_call(tt_jacfwd(cubes, .wrt = "0, 1"), w, x),
                 back = tt_call(tt_jacrev(cubes, .wrt = "0, 1"), w, x);
    for (int k = 0; k < 2; k++) {
        const tt_val j = k ? back : forward;
        IS_TYPED(tt_item(tt_item(j, 0), 0), "f32[2, 2]", 27, 0, 0, -1);
        IS_TYPED(tt_item(tt_item(j, 0), 1), "f32[2, 2]", 27, 0, 0, 6);
        IS_TYPED(tt_item(tt_item(j, 1), 0), "f32[2]", 3, -1);
        IS_TYPED(tt_item(tt_item(j, 1), 1), "f32[2]", 1, 2);
    }
    IS(tt_item(tt_item(tt_call(tt_jacrev(cubes, .wrt = "1,"), w, x), 1), 0), 1, 2);
    const tt_val aux = tt_call(tt_jacfwd(ids_too, .aux = 1), x);
    IS(tt_item(aux, 0), 6, 0, 0, -2);
    IS_TYPED(tt_item(aux, 1), "i32[2]", 3, -1);
    const tt_val many = tt_call(tt_vmap(tt_jit(column)), tt_reshape(VEC(1, 2, 3, 4), 2, 2));
    IS_TYPED(tt_item(many, 0), "f32[2, 2, 2]", 6, 0, 0, 24, 54, 0, 0, 96);
    tt_on_error(quiet, NULL);
    tt_call(tt_jacfwd(ids_only), x);
    CHECK(failed("jacfwd: the result is i32[2], which has no derivative"), "integers");
    tt_call(tt_jacrev(cubes), tt_i(1), x);
    CHECK(failed("which has no derivative"), "by integers");
    tt_jacrev(cubes, .wrt = "");
    CHECK(failed("jacrev: .wrt = \"\" names no argument"), "nothing");
    tt_on_error(NULL, NULL);
}

static tt_val tanhs(tt_val x) { return tt_tanh(tt_mul(x, tt_f(2))); }
static void linear_parts(void)
{
    const tt_val x = VEC(0.5f, -1), dx = VEC(1, 3);
    tt_val y, state;
    CHECK(tt_unpack(tt_call(tt_linearize(tanhs), x), &y, &state), "%s", tt_error());
    const tt_val both = tt_call(tt_jvp(tanhs), tt_tuple(x), tt_tuple(dx)),
                 dy = tt_call(tt_linear(tanhs), state, tt_tuple(dx));
    CHECK(tt_num(tt_allclose(y, tt_item(both, 0))) == 1 && tt_num(tt_allclose(dy, tt_item(both, 1))) == 1, "%s",
          tt_error());
    tt_on_error(quiet, NULL);
    tt_call(tt_linear(cubes), state, tt_tuple(dx, dx));
    CHECK(!tt_ok(), "the state of another function");
    tt_clear();
    tt_call(tt_linear(tanhs), x, tt_tuple(dx));
    CHECK(failed("the state is not that of tt_linearize"), "no state");
    tt_on_error(NULL, NULL);
}

static tt_val scaled(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val counted(tt_val i, tt_val s) { return tt_add(s, i); }
static tt_val upto(tt_val n) { return tt_fori(1, n, counted, tt_f(0)); }
static tt_val fixed_turns(tt_val x) { return tt_fori(0, tt_i(3), counted, x); }

static void scans(void)
{
    const tt_val x = tt_arange(TT_F32, 1, 8);
    IS(tt_associative_scan(plus, x), 1, 3, 6, 10, 15, 21, 28);
    IS(tt_associative_scan(plus, x, .reverse = 1), 28, 27, 25, 22, 18, 13, 7);
    IS_TYPED(tt_associative_scan(plus, tt_reshape(tt_arange(TT_I32, 6), 2, 3), .dim = -1), "i32[2, 3]", 0, 1, 3, 3, 7,
             12);
    IS(tt_map(scaled, x, .batch_size = 3), 2, 4, 6, 8, 10, 12, 14);
    IS(tt_map(scaled, x), 2, 4, 6, 8, 10, 12, 14);
    CHECK(!strcmp(tt_type_text(tt_map(scaled, tt_zeros(TT_F32, 0, 3), .batch_size = 2)), "f32[0, 3]"), "%s",
          tt_error());
    IS(tt_call(tt_jit(upto), tt_const(TT_I32, 5)), 10);
    IS(tt_call(tt_vmap(upto), tt_const(TT_I32, { 1, 3, 5 })), 0, 3, 10);
    IS(tt_call(tt_grad(fixed_turns), tt_f(0)), 1);
    tt_val v = tt_dict("a", tt_ones(TT_BF16, 2), "b", tt_const(TT_F32, { { 3, 4 } })),
           back = tt_unravel(v, tt_ravel(v));
    IS_TYPED(tt_ravel(v), "f32[4]", 1, 1, 3, 4);
    CHECK(!strcmp(tt_type_text(tt_get(back, "a")), "bf16[2]") && !strcmp(tt_type_text(tt_get(back, "b")), "f32[1, 2]"),
          "back");
    IS(tt_optimization_barrier(x), 1, 2, 3, 4, 5, 6, 7);
    tt_on_error(quiet, NULL);
    tt_associative_scan(both_rows, x);
    CHECK(failed("associative_scan: the function's result has another structure or other dims than its operands"),
          "result");
    tt_associative_scan(plus, tt_tuple(x, tt_ones(TT_F32, 3)));
    CHECK(failed("leaves of 7 and of 3 elements"), "sizes");
    tt_map(scaled, tt_f(1));
    CHECK(failed("which has no dim 0"), "scalar");
    tt_unravel(v, x);
    CHECK(failed("unravel: f32[7]; expected a vector of 4 elements"), "unravel");
    tt_fori(x, 3, counted, tt_f(0));
    CHECK(failed("fori: a bound is f32[7]"), "bound");
    tt_on_error(NULL, NULL);
}

/* x^3 = p, by Newton's iterations */
static tt_val cubic(tt_val x, tt_val p) { return tt_sub(tt_integer_pow(x, 3), p); }
static tt_val not_there(tt_val s) { return tt_any(tt_gt(tt_abs(cubic(tt_item(s, 0), tt_item(s, 1))), tt_f(1e-5))); }
static tt_val newton(tt_val s)
{
    const tt_val x = tt_item(s, 0), p = tt_item(s, 1);
    return tt_tuple(tt_sub(x, tt_div(cubic(x, p), tt_mul(tt_f(3), tt_square(x)))), p);
}
static tt_val cube_root(tt_val guess, tt_val p) { return tt_item(tt_while(not_there, newton, tt_tuple(guess, p)), 0); }
static tt_val root_of(tt_val p)
{
    return tt_call(tt_custom_root(cubic, cube_root), tt_add(tt_mul(p, tt_f(0)), tt_f(1)), p);
}
static tt_val root_sum(tt_val p) { return tt_sum(root_of(p)); }

static tt_val product(tt_val x, tt_val a) { return tt_matmul(a, x); }
static tt_val solved(tt_val b, tt_val a) { return tt_solve(a, b); }
static tt_val solved_back(tt_val b, tt_val a) { return tt_solve(tt_transpose(a), b); }
static tt_val by_hand(tt_val b, tt_val a) { return tt_sum(tt_sin(tt_solve(a, b))); }
static tt_val by_rule(tt_val b, tt_val a)
{
    return tt_sum(tt_sin(tt_call(tt_custom_linear_solve(product, solved, solved_back), b, a)));
}

static void implicit(void)
{
    const tt_val p = VEC(8, 27);
    IS(root_of(p), 2, 3);
    IS(tt_call(tt_grad(root_sum), p), 1.0 / 12, 1.0 / 27); /* 1 / (3 x^2) */
    IS(tt_call(tt_jacfwd(root_of), p), 1.0 / 12, 0, 0, 1.0 / 27);
    IS(tt_diag(tt_call(tt_hessian(root_sum), p), 0), -2.0 / 9 / 32, -2.0 / 9 / 243); /* -2/9 p^(-5/3) */
    const tt_val a = tt_const(TT_F32, { { 3, 1 }, { -1, 2 } }), b = VEC(1, 2);
    for (int k = 0; k < 2; k++) {
        const char *wrt = k ? "1" : "0";
        const tt_val want = tt_call(tt_grad(by_hand, .wrt = wrt), b, a),
                     got = tt_call(tt_grad(by_rule, .wrt = wrt), b, a);
        CHECK(tt_num(tt_allclose(got, want, .rtol = 1e-5, .atol = 1e-6)) == 1, "by %s: %s", wrt, tt_error());
    }
}

static void on_a_mesh(void)
{
    const tt_mesh m = tt_mesh("i:2, j:2");
    const tt_val x = tt_normal(tt_key(3), TT_F32, 7, 4), y = tt_shard(x, m, "i, j");
    const tt_val one = tt_associative_scan(plus, x), two = tt_associative_scan(plus, y);
    CHECK(tt_num(tt_allclose(one, two, .rtol = 1e-5, .atol = 1e-5)) == 1, "%s", tt_error());
    const tt_val three = tt_map(tanhs, x, .batch_size = 2), four = tt_map(tanhs, y, .batch_size = 2);
    CHECK(tt_num(tt_allclose(three, four, .rtol = 1e-5)) == 1, "%s", tt_error());
    const tt_val j = tt_call(tt_jacrev(tanhs), x), k = tt_call(tt_jacfwd(tanhs), y);
    CHECK(tt_num(tt_allclose(j, k, .rtol = 1e-5, .atol = 1e-6)) == 1, "%s", tt_error());
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(jacobians());
    CHECK_RUN(linear_parts());
    CHECK_RUN(scans());
    CHECK_RUN(implicit());
    CHECK_RUN(on_a_mesh());
    return check_done();
}
