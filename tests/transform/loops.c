/* Transforms through control flow: scan (forward, reversed, every set of active inputs, carries that become active
 * late, loops in loops), branches, while in forward mode, and what cannot be: with its message. */
#include "api/transforms.h"
#include "op/ops.h"

static void scans(void)
{
    static const char *const bodies[] = {
        /* a const, two carries of which the second is reached only through the first, xs, ys */
        "{ p = mul w, x; q = sin p; d = add c, q; e = mul k, d; return d, e, q, x }",
        /* the carry is not active before the const comes in */
        "{ d = mul c, c; e = mul k, w; return e, d, x, k }",
        /* nothing of the carry depends on x; a residual that is a const, one that is xs, one that is neither */
        "{ a = exp w; b = mul a, c; d = mul b, x; e = add k, x; return d, e, b, a }",
    };
    base_arena *a = base_open();
    for (int b = 0; b < 3; b++)
        for (int reverse = 0; reverse < 2; reverse++)
            for (int n = 0; n < 4; n += b ? 3 : 1)
                sound(base_format(a,
                                  "fn scan_%d_%d(w f64[], c f64[], k f64[], xs f64[%d]) {\n"
                                  "p, q, r, s = scan w, c, k, xs {length=%d, num_consts=1, num_carry=2, reverse=%s}"
                                  " (w f64[], c f64[], k f64[], x f64[]) %s\nreturn p, q, r, s\n}",
                                  b, reverse, n, n, reverse ? "true" : "false", bodies[b]),
                      n == 3 && !reverse ? 2 : 1, n == 3);
    base_close(a);
    sound("fn affine(w f64[3,3], h f64[3], xs f64[4,3]) {\n"
          "g, ys = scan w, h, xs {length=4, num_consts=1, num_carry=1} (w f64[3,3], h f64[3], x f64[3]) {\n"
          "a = dot_general w, h {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
          "preferred_element_type=f64}\nb = add a, x\nc = tanh b\n"
          "return c, c\n}\n"
          "return g, ys\n}", 1, true);
    sound("fn nested(w f64[2], c f64[2], xs f64[3,2]) {\n"
          "d, ys = scan w, c, xs {length=3, num_consts=1, num_carry=1} (w f64[2], c f64[2], x f64[2]) {\n"
          "e = scan x, c, w {length=2, num_consts=1, num_carry=1, reverse=true} (x f64[2], c f64[2], w f64[]) {\n"
          "v = broadcast_in_dim w {shape=[2], broadcast_dimensions=[]}\nf = mul c, v\ng = mul f, x\nh = sin g\n"
          "return h\n}\n"
          "return e, c\n}\nreturn d, ys\n}", 1, true);
    sound("fn counted(w f64[], c f64[]) {\n"                                   /* an integer carry decides */
          "n = const {dtype=i32, shape=[], splat=true, data=0}\n"
          "i, d = scan w, n, c {length=4, num_consts=1, num_carry=2} (w f64[], n i32[], c f64[]) {\n"
          "one = const {dtype=i32, shape=[], splat=true, data=1}\nm = add n, one\nr = rem n, m\n"
          "p = compare m, 2 {comparison_direction=lt}\n"
          "u = mul c, w\nv = sin c\ns = select p, u, v\nreturn m, s\n}\nreturn d\n}", 2, true);
}

/* Stacked is only what cannot be had otherwise: here the carry. exp(w) is computed outside, b comes as ys, x as xs. */
static void few_stacked(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, "fn f(w f64[2], c f64[2], xs f64[3,2]) {\n"
        "d, y = scan w, c, xs {length=3, num_consts=1, num_carry=1} (w f64[2], c f64[2], x f64[2]) {\n"
        "a = exp w; b = mul a, c; d = mul b, x; return d, b }\nreturn d, y\n}");
    op_split s;
    const bool ok = f && transform_linearize(a, f, (const bool[]){ true, true, true }, NULL, &s);
    CHECK(ok, "%s", prop_error());
    for (uint32_t k = 0; ok && k < s.known->neqn; k++)
        if (s.known->eqn[k].op == &prim_scan) CHECK(s.known->eqn[k].nout == 3, "%s", ir_print(a, s.known));
    base_close(a);
}

static void branches(void)
{
    sound("fn cond(p bool[], x f64[2], y f64[2]) {\n"
          "a, b = case p, x, y (x f64[2], y f64[2]) { u = mul x, y; v = sin u; return v, x }"
          " (x f64[2], y f64[2]) { u = exp x; v = mul u, u; return v, y }\nreturn a, b\n}", 2, true);
    sound("fn pick(i i32[], x f64[2], y f64[2]) {\n"    /* residuals of different number and type */
          "a = case i, x, y (x f64[2], y f64[2]) { return x }"
          " (x f64[2], y f64[2]) { u = exp x; v = mul u, y; w = sin v; return w }"
          " (x f64[2], y f64[2]) { s = dot_general x, y {lhs_contracting_dimensions=[0], "
          "rhs_contracting_dimensions=[0], preferred_element_type=f64}\n"
          "t = sin s; v = broadcast_in_dim t {shape=[2], broadcast_dimensions=[]}; return v }"
          " (x f64[2], y f64[2]) { z = const {dtype=f64, shape=[2], splat=true, data=1}; return z }\nreturn a\n}", 2,
          true);
    sound("fn in_loop(i i32[3], x f64[]) {\n"
          "y = scan x, i {length=3, num_consts=0, num_carry=1} (c f64[], i i32[]) {\n"
          "d = case i, c (c f64[]) { d = sin c; return d } (c f64[]) { d = mul c, c; return d } (c f64[]) { return c "
          "}\nreturn d\n}\n"
          "return y\n}", 2, true);
}

static const char *const turns = "fn turns(x f64[2], y f64[], w f64[]) {\n"
    "p, q, r = while x, y, w (x f64[2], y f64[], w f64[]) { l = const {dtype=f64, shape=[], splat=true, data=2}; "
    "t = compare y, l {comparison_direction=lt}; return t } (x f64[2], y f64[], w f64[]) {\n"
    "b = broadcast_in_dim w {shape=[2], broadcast_dimensions=[]}\nu = mul x, b\nv = sin u\n"
    "z = add y, w\none = const {dtype=f64, shape=[], splat=true, data=0.5}\nn = add y, one\nk = max z, n\n"
    "return v, k, w\n}\n"
    "return p, q, r\n}";

static void whiles(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, turns);
    /* forward mode, and mapped predicates: set 2 and 4 reach the predicate */
    for (uint32_t set = 1; f && set < 8; set++) {
        bool active[3] = { set & 1, set & 2, set & 4 };
        const ir_fn *jvp = transform_jvp(a, f, active);
        CHECK(jvp && ir_verify(jvp), "while: jvp: %s", prop_error());
        if (!jvp) break;
        prop_value x[6], *dx = x + 3;
        for (uint32_t i = 0, k = 0; i < 3; i++) {
            x[i] = prop_fresh(a, f->type[i + 1], PROP_NARROW);
            if (active[i]) dx[k++] = prop_fresh(a, f->type[i + 1], PROP_WIDE);
        }
        const prop_value *out = outputs_of(a, jvp, x), *dy = differences(a, f, x, active, dx);
        if (out && dy) check_values("while: jvp", a, out + 3, dy, 3, 1e-6);
        check_vmap(a, "while", f, set, 3);
    }
    base_close(a);
}

static void says(const char *text, const char *what, const char *hint)
{
    base_arena *a = base_open();
    ir_fn *f = parsed(a, text);
    bool *wrt = BASE_NEW(a, bool, f ? f->narg + 1 : 1);
    for (uint32_t i = 0; f && i < f->narg; i++) wrt[i] = transform_smooth(f->type[i + 1]);
    ir_fn *g = f ? transform_grad(a, "train.c:7: tt_grad(f)", f, wrt) : NULL;
    const base_error *e = base_failed();
    CHECK(!g && e && e->code == TT_EGRAD && e->site && strstr(e->what, what) && e->hint && strstr(e->hint, hint),
          "expected \"%s\", \"%s\", got: %s", what, hint, prop_error());
    base_clear_error();
    base_close(a);
}

static void refusals(void)
{
    says(
        "fn f(x f64[]) {\ny = while x (x f64[]) { t = compare x, 2 {comparison_direction=lt}; "
        "return t } (x f64[]) { y = add x, "
        "1; return y }\n"
        "return y\n}",
        "while loop", "tt_scan");
    says("fn f(x f64[2]) {\ny = sin x\nreturn y\n}", "one floating-point number, not f64[2]", "mean");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(scans());
    CHECK_RUN(few_stacked());
    CHECK_RUN(branches());
    CHECK_RUN(whiles());
    CHECK_RUN(refusals());
    return check_done();
}
