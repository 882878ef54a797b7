/* Custom rules, remat, calls and barriers: the user's rule is what counts, it goes through loops, mapping and second
 * derivatives; remat changes no number and saves no residual; grad and its refusals. */
#include "api/transforms.h"
#include "op/ops.h"

static double number(const prop_value *v, int64_t i) { return reals(v)[i]; }

/* The rules here say twice the true derivative, so that it is seen who was asked. */
#define TWICE_VJP "custom_vjp x (x f64[2]) { y = sin x; return y } (x f64[2]) { y = sin x; c = cos x; return y, c } " \
                  "(c f64[2], t f64[2]) { u = mul c, t; two = add u, u; return two }"
#define TWICE_JVP "custom_jvp x (x f64[2]) { y = sin x; return y } (x f64[2], d f64[2]) { y = sin x; c = cos x; e = " \
                  "mul c, d; " \
                  "two = add e, e; return y, two }"

static void twice(const char *text)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, text);
    const bool wrt[1] = { true };
    const ir_fn *g = f ? transform_grad(a, "test", f, wrt) : NULL;
    CHECK(g, "%s: %s", text, prop_error());
    if (g) {
        const prop_value *x = inputs_of(a, g), *dx = outputs_of(a, g, x);
        for (int64_t i = 0; dx && i < 2; i++)
            CHECK(fabs(number(dx, i) - 2 * cos(number(x, i))) < 1e-14, "element %lld: %.17g", (long long)i,
                  number(dx, i));
        ir_fn *m = transform_vmap(a, g, wrt, NULL, NULL, 3);
        CHECK(m, "%s: vmap: %s", text, prop_error());
        const prop_value *xm = m ? inputs_of(a, m) : NULL, *dm = m ? outputs_of(a, m, xm) : NULL;
        for (int64_t i = 0; dm && i < 6; i++)
            CHECK(fabs(number(dm, i) - 2 * cos(number(xm, i))) < 1e-14, "mapped element %lld", (long long)i);
    }
    base_close(a);
}

#define SUM(y) "ones = const {dtype=f64, shape=[2], splat=true, data=1}\n" \
               "total = dot_general " y ", ones {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], " \
                                        "preferred_element_type=f64}\nreturn total\n}"

static void rules_are_asked(void)
{
    twice("fn vjp(x f64[2]) {\ny = " TWICE_VJP "\n" SUM("y"));
    twice("fn jvp(x f64[2]) {\ny = " TWICE_JVP "\n" SUM("y"));
    twice("fn vjp_called(x f64[2]) {\ny = call x (x f64[2]) { z = " TWICE_VJP "\nreturn z }\n" SUM("y"));
    twice("fn vjp_in_scan(x f64[2]) {\nz = const {dtype=f64, shape=[2], splat=true, data=0}\n"
          "y = scan x, z {length=1, num_consts=1, num_carry=1} (x f64[2], c f64[2]) { y = " TWICE_VJP "\nd = add c, y\n"
                                                                                               "return d }\n" SUM("y"));
    twice("fn vjp_in_case(x f64[2]) {\ni = const {dtype=i32, shape=[], splat=true, data=1}\n"
          "y = case i, x (x f64[2]) { return x } (x f64[2]) { y = " TWICE_VJP "\nreturn y }\n" SUM("y"));
    twice("fn vjp_in_remat(x f64[2]) {\ny = remat x (x f64[2]) { y = " TWICE_VJP "\nreturn y }\n" SUM("y"));
    twice("fn jvp_in_remat(x f64[2]) {\ny = remat x (x f64[2]) { y = " TWICE_JVP "\nreturn y }\n" SUM("y"));
}

/* Rules that say the truth pass every test that plain functions pass, in forward mode where there is one. */
static void rules_that_are_true(void)
{
    sound("fn jvp(w f64[2], x f64[2], n i32[]) {\n"
          "y, m, z = custom_jvp x, n, w (x f64[2], n i32[], w f64[2]) { a = mul w, x; y = sin a; return y, n, x }"
          " (x f64[2], n i32[], w f64[2], dx f64[2], dw f64[2]) { a = mul w, x; y = sin a; c = cos a; u = mul dw, x; v "
          "= mul w, dx; "
          "s = add u, v; t = mul c, s; return y, n, x, t, dx }\nreturn y, z\n}", 2, true);
    sound("fn tangent(w f64[2], x f64[2], n i32[]) {\n"
          "y, m, z = custom_jvp x, n, w (x f64[2], n i32[], w f64[2]) { a = mul w, x; y = exp a; return y, n, x }"
          " (x f64[2], n i32[], w f64[2], y f64[2], m i32[], z f64[2], dx f64[2], dw f64[2]) { u = mul dw, x; "
          "v = mul w, dx; s = add u, v; t = mul y, s; return t, dx }\nreturn y, z\n}", 2, true);
    sound("fn remat(w f64[2], x f64[2], n i32[]) {\n"
          "y, m, z = remat x, n, w (x f64[2], n i32[], w f64[2]) { a = mul w, x; y = sin a; b = exp y; c = mul b, a; "
          "return c, n, x }\n"
          "u = mul y, z\nreturn u, y\n}", 2, true);
    sound("fn layers(w f64[3,2], x f64[2]) {\n"
          "y = scan x, w {length=3, num_consts=0, num_carry=1} (x f64[2], w f64[2]) {\n"
          "y = remat x, w (x f64[2], w f64[2]) { a = mul w, x; b = tanh a; c = add b, x; return c }\nreturn y\n}\n"
          "return y\n}", 2, true);
    sound("fn called(w f64[2], x f64[2]) {\n"
          "y, z = call x, w (x f64[2], w f64[2]) { a = mul w, x; b = sin a; return b, x }\np, q = barrier y, z\n"
          "r = mul p, q\nreturn r, q\n}",
          2, true);
}

/* custom_vjp over what is mapped or not, with integers and two results; against the plain function in reverse mode. */
static void custom_equals_plain(void)
{
    static const char *const plain = "fn plain(x f64[2], w f64[2], n i32[]) {\na = mul w, x\ny = sin a\ns = add y, x\n"
                                     "z = mul s, s\n" SUM("z");
    static const char *const own =
        "fn own(x f64[2], w f64[2], n i32[]) {\n"
        "y, k, s = custom_vjp x, w, n (x f64[2], w f64[2], n i32[]) { a = mul w, x; y = sin a; return y, n, x }"
        " (x f64[2], w f64[2], n i32[]) { a = mul w, x; y = sin a; c = cos a; return y, n, x, c, w, x }"
        " (c f64[2], w f64[2], x f64[2], ty f64[2], ts f64[2]) {\n"
        "u = mul c, ty; dx = mul u, w; ex = add dx, ts; dw = mul u, x; return ex, dw }\n"
        "q = add y, s\nz = mul q, q\n" SUM("z");
    base_arena *a = base_open();
    const bool wrt[3] = { true, true, false };
    const ir_fn *f = parsed(a, plain), *g = parsed(a, own);
    if (!f || !g) return;
    const ir_fn *df = transform_value_and_grad(a, "test", f, wrt), *dg = transform_value_and_grad(a, "test", g, wrt);
    CHECK(df && dg, "%s", prop_error());
    for (uint32_t set = 0; df && dg && set < 8; set++) {
        const bool mapped[3] = { set & 1, set & 2, set & 4 };
        const ir_fn *mf = transform_vmap(a, df, mapped, NULL, NULL, 3),
                    *mg = transform_vmap(a, dg, mapped, NULL, NULL, 3);
        CHECK(mf && mg, "vmap %#x: %s", set, prop_error());
        if (!mf || !mg) continue;
        const prop_value *x = inputs_of(a, mf), *yf = outputs_of(a, mf, x), *yg = outputs_of(a, mg, x);
        if (yf && yg) check_values("custom against plain", a, yg, yf, mf->nret, 1e-12);
        /* the gradient of the mapped loss: mapping first, then the rule */
        const ir_fn *vf = transform_vmap(a, f, mapped, NULL, NULL, 3),
                    *vg = transform_vmap(a, g, mapped, NULL, NULL, 3);
        CHECK(vf && vg, "vmap of the function %#x: %s", set, prop_error());
        if (!vf || !vg) continue;
        const ir_fn *bf = transform_vjp(a, "test", vf, wrt), *bg = transform_vjp(a, "test", vg, wrt);
        CHECK(bf && bg, "vjp of vmap %#x: %s", set, prop_error());
        if (!bf || !bg) continue;
        x = inputs_of(a, bf), yf = outputs_of(a, bf, x), yg = outputs_of(a, bg, x);
        if (yf && yg) check_values("vjp of vmap, custom against plain", a, yg, yf, bf->nret, 1e-12);
    }
    base_close(a);
}

static uint32_t uses(const ir_fn *f, const op_prim *prim)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->neqn; k++) n += f->eqn[k].op == prim;
    return n;
}

/* With remat the known part hands over operands only, and the backward pass computes sin again behind a barrier. */
static void remat_saves_nothing(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(
        a, "fn f(x f64[4]) {\ny = remat x (x f64[4]) { a = sin x; b = exp a; c = tanh b; return c }\nreturn y\n}");
    const bool active[1] = { true };
    op_split s;
    const bool ok = f && transform_linearize(a, f, active, NULL, &s);
    CHECK(ok, "%s", prop_error());
    if (ok) {
        CHECK(s.nres == 1 && s.known->ret[1] == 1, "%u residuals", s.nres);
        const ir_fn *t = transform_transpose(a, s.linear, (const bool[]){ true, false });
        CHECK(t && uses(t, &prim_barrier) == 1 && uses(t, &prim_sin) == 1, "%s", t ? ir_print(a, t) : prop_error());
    }
    base_close(a);
}

/* Saved besides operands, as jax.ad_checkpoint.saved_residuals of JAX 0.10.2 has it for the same function. */
static void policies(void)
{
    static const struct { const char *policy; uint32_t nres; int64_t elements; } want[] = {
        { "nothing_saveable", 3, 62 }, { "dots_saveable", 5, 95 }, { "dots_with_no_batch_dims_saveable", 5, 95 },
        { "save_only_these_names(hidden)", 4, 77 }, { "save_only_these_names(hidden, out)", 5, 95 },
        { "save_any_names_but_these(hidden)", 4, 80 }
    };
    static const char *const text =
        "fn f(x f32[3,4], w f32[4,5], v f32[5,6]) {\ny = remat x, w, v {policy=\"%s\"} (x f32[3,4], w f32[4,5], "
        "v f32[5,6]) { a = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
        "preferred_element_type=f32}; s = sin a; h = checkpoint_name s {name=hidden}; b = dot_general h, v "
        "{lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], preferred_element_type=f32}; e = exp b; "
        "g = checkpoint_name e {name=out}; t = tanh g; return t }\nreturn y\n}";
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        base_arena *a = base_open();
        const ir_fn *f = parsed(a, base_format(a, text, want[k].policy));
        op_split s;
        const bool ok = f && transform_linearize(a, f, (const bool[]){ true, true, true }, NULL, &s);
        int64_t elements = 0;
        CHECK(ok, "%s: %s", want[k].policy, prop_error());
        for (uint32_t r = 0; ok && r < s.nres; r++) elements += ir_count(s.known->type[s.known->ret[1 + r]]);
        if (ok) CHECK(s.nres == want[k].nres && elements == want[k].elements, "%s: %u residuals of %lld elements\n%s",
                      want[k].policy, s.nres, (long long)elements, ir_print(a, s.known));
        base_close(a);
    }
}

/* What is saved: not constants, not spreads, each value once; and inputs are handed on. */
static void residuals_are_few(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, "fn f(x f64[4], w f64[]) {\nb = broadcast_in_dim w {shape=[4], "
                               "broadcast_dimensions=[]}\n"
                               "y = mul x, b\nh = const {dtype=f64, shape=[4], splat=true, data=0.5}\n"
                               "z = mul y, h\nq = mul z, z\nreturn q, x\n}");
    const bool active[2] = { true, true };
    op_split s;
    const bool ok = f && transform_linearize(a, f, active, NULL, &s);
    CHECK(ok, "%s", prop_error());
    int64_t elements = 0;                                /* x, w, z: w itself, not its spread */
    for (uint32_t r = 0; ok && r < s.nres; r++) elements += ir_count(s.known->type[s.known->ret[2 + r]]);
    if (ok) CHECK(s.nres == 3 && elements == 9, "%u residuals of %lld elements\n%s\n%s", s.nres, (long long)elements,
                  ir_print(a, s.known), ir_print(a, s.linear));
    base_close(a);
}

/* What a rule gives no derivative for has no tangent at all, also in a loop. */
static void stopped(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, "fn f(x f64[4], w f64[4]) {\n"
        "s = custom_jvp x (x f64[4]) { return x } (x f64[4], d f64[4]) {\n"
        "z = const {dtype=f64, shape=[4], splat=true, data=0}; return x, z }\n"
        "y = mul s, w\nreturn y\n}");
    op_split s;
    const bool ok = f && transform_linearize(a, f, (const bool[]){ true, true }, NULL, &s);
    CHECK(ok, "%s", prop_error());
    if (ok) CHECK(s.nres == 1 && s.linear->neqn == 1, "%s\n%s", ir_print(a, s.known), ir_print(a, s.linear));
    base_close(a);
    sound("fn own_in_scan(w f64[], c f64[]) {\n"
          "d = scan w, c {length=3, num_consts=1, num_carry=1} (w f64[], c f64[]) {\n"
          "z = custom_jvp c (c f64[]) { y = mul c, c; return y } (c f64[], d f64[]) {\n"
          "y = mul c, c; p = mul c, d; q = add p, p; return y, q }\n"
          "s = sin z; e = mul s, w; return e }\nreturn d\n}", 2, true);
}

/* A rule that reads the result needs nothing else of the function. */
static void result_is_residual(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, "fn f(x f64[4]) {\n"
        "y = custom_jvp x (x f64[4]) { s = sin x; y = exp s; return y } (x f64[4], y f64[4], d f64[4]) {\n"
        "e = mul y, d; return e }\nreturn y\n}");
    op_split s;
    const bool ok = f && transform_linearize(a, f, (const bool[]){ true }, NULL, &s);
    CHECK(ok, "%s", prop_error());
    if (ok) CHECK(s.nres == 1 && s.known->ret[0] == s.known->ret[1] && s.linear->neqn == 1, "%s\n%s",
                  ir_print(a, s.known), ir_print(a, s.linear));
    CHECK(!ir_parse(a, "t", "fn f(x f64[4]) {\ny = custom_jvp x (x f64[4]) { return x } (x f64[4], d f64[4]) {\n"
                            "return d }\nreturn y\n}"), "a rule that does not take the result is taken");
    base_clear_error();
    base_close(a);
}

static void says(tt_code code, const ir_fn *g, const char *what, const char *hint)
{
    const base_error *e = base_failed();
    CHECK(!g && e && e->code == code && strstr(e->what, what) && e->hint && strstr(e->hint, hint),
          "expected \"%s\", \"%s\", got: %s", what, hint, prop_error());
    base_clear_error();
}

static void refusals(void)
{
    base_arena *a = base_open();
    const bool one[1] = { true };
    const ir_fn *f = parsed(a, "fn f(x f64[2]) {\ny = " TWICE_VJP "\nreturn y\n}");
    says(TT_EGRAD, transform_jvp(a, f, NULL), "only a rule for reverse mode", "tt_custom_jvp");
    f = parsed(a, "fn f(n i32[]) {\ny = convert n {new_dtype=f64}\nreturn y\n}");
    says(TT_EGRAD, transform_grad(a, "a.c:3", f, one), "input 0 is i32", "floating-point inputs");
    f = parsed(a, "fn f(x f64[]) {\ny = convert x {new_dtype=i32}\nreturn y\n}");
    says(TT_EGRAD, transform_grad(a, "a.c:3", f, one), "not i32", "floating-point loss");
    CHECK(!ir_parse(a, "t",
                    "fn f(x f64[2]) {\ny = custom_vjp x (x f64[2]) { return x } (x f64[2]) { return x } (t f64[2]) "
                    "{ s = const {dtype=f64, shape=[], splat=true, data=0}; return s }\nreturn y\n}"),
          "a wrong bwd is taken");
    CHECK(base_failed() && strstr(base_failed()->what, "cotangent of input 0 is f64; expected f64[2]"), "%s",
          prop_error());
    base_clear_error();
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(rules_are_asked());
    CHECK_RUN(rules_that_are_true());
    CHECK_RUN(custom_equals_plain());
    CHECK_RUN(remat_saves_nothing());
    CHECK_RUN(policies());
    CHECK_RUN(residuals_are_few());
    CHECK_RUN(stopped());
    CHECK_RUN(result_is_residual());
    CHECK_RUN(refusals());
    return check_done();
}
