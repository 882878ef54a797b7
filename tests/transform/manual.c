/* Manual regions, checked and unchecked: derivatives against differences and inner products, mapping against a loop,
 * second derivatives; what gradients are inside a region (checked 1, unchecked n); FSDP's own rule; messages of wrong
 * regions. */
#include "api/transforms.h"

/* One text for both modes: "$V" stands for "{a}" behind a type (checked), "$C" for the collectives' attribute. */
static const char *filled(base_arena *a, const char *name, const char *text, bool unchecked)
{
    base_text s = { .arena = a };
    base_appendf(&s, "mesh \"a:3\"\nfn %s_%s", name, unchecked ? "unchecked" : "checked");
    for (; *text; text++)
        if (*text != '$') base_appendf(&s, "%c", *text);
        else if (*++text == 'V') base_appendf(&s, "%s", unchecked ? "" : "{a}");
        else base_appendf(&s, "unchecked=%s", unchecked ? "true" : "false");
    return s.s;
}

static void both(const char *name, int depth, const char *text)
{
    base_arena *a = base_open();
    sound(filled(a, name, text, false), depth, true);
    sound(filled(a, name, text, true), depth, true);
    base_close(a);
}

static void regions(void)
{
    both("data_parallel", 2, "(w f64[2], x f64[6,2]) {\n"
         "l = manual w, x {manual_axes=[a], in_shardings=[\"_\", \"a, _\"], out_shardings=[\"\"], $C} (w f64[2], "
         "x f64[2,2]$V) {\n"
         "y = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
         "preferred_element_type=f64}\nz = sin y\n"
         "s = dot_general z, z {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
         "preferred_element_type=f64}\nt = psum s {axes=[a], $C}\n"
         "return t\n}\nreturn l\n}");
    both("gather_scatter", 1, "(x f64[6,3]) {\n"
         "y = manual x {manual_axes=[a], in_shardings=[\"a, _\"], out_shardings=[\"a, _\"], $C} (x f64[2,3]$V) {\n"
         "g = all_gather x {axes=[a], all_gather_dim=0, axis_size=3, $C}\nh = mul g, g\n"
         "r = reduce_scatter h {axes=[a], scatter_dimension=0, axis_size=3, $C}\n"
         "s = sin x\nt = mul r, s\nreturn t\n}\nreturn y\n}");
    both("exchange", 1, "(x f64[6,3], w f64[3]) {\n"
         "y, z = manual x, w {manual_axes=[a], in_shardings=[\"a, _\", \"a\"], out_shardings=[\"_, a\", \"a\"], "
         "$C} (x f64[2,3]$V, w f64[1]$V) {\n"
         "t = all_to_all x {axes=[a], split_dimension=1, concat_dimension=0, axis_size=3, $C}\nu = mul t, t\n"
         "p = ppermute w {axes=[a], source=[2,0,-1], $C}\nq = mul p, w\nreturn u, q\n}\nreturn y, z\n}");
    both("extremes", 1, "(x f64[6]) {\n"
         "y, z = manual x {manual_axes=[a], in_shardings=[\"a\"], out_shardings=[\"_\", \"_\"], $C} (x f64[2]$V) {\n"
         "m = pmax x {axes=[a], $C}\nn = pmin x {axes=[a], $C}\nreturn m, n\n}\nreturn y, z\n}");
    both("index", 1, "(x f64[2], y f64[3,2]) {\n"   /* a scalar residual that differs; a shared operand */
         "z = manual x, y {manual_axes=[a], in_shardings=[\"_\", \"a, _\"], out_shardings=[\"a, _\"], $C} (x f64[2], "
         "y f64[1,2]$V) {\n"
         "i = axis_index {axes=[a], $C}\nf = convert i {new_dtype=f64}\n"
         "b = broadcast_in_dim f {shape=[2], broadcast_dimensions=[]}\n"
         "c = exp x\nu = mul b, c\nv = reshape u {shape=[1,2]}\nw = mul v, y\nreturn w\n}\nreturn z\n}");
    both("scan_with_psum", 1, "(w f64[2], x f64[3,2]) {\n"
         "y = manual w, x {manual_axes=[a], in_shardings=[\"_\", \"a, _\"], out_shardings=[\"_\"], $C} (w f64[2], "
         "x f64[1,2]$V) {\n"
         "r = reshape x {shape=[2]}\n"
         "c = scan r, w {length=3, num_consts=1, num_carry=1} (r f64[2]$V, c f64[2]) {\n"
         "p = mul r, c\nq = sin p\ns = psum q {axes=[a], $C}\nreturn s\n}\nreturn c\n}\nreturn y\n}");
    sound("mesh \"a:2, b:2\"\nfn two_axes(w f64[4,2], x f64[2,4]) {\n"
          "y = manual w, x {manual_axes=[a,b], in_shardings=[\"b, _\", \"a, b\"], out_shardings=[\"a, "
          "_\"]} (w f64[2,2]{b}, x f64[1,2]{a+b}) {\n"
          "z = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
          "preferred_element_type=f64}\np = psum z {axes=[b]}\n"
          "t = tanh p\nreturn t\n}\n"
          "return y\n}", 2, true);
    sound("mesh \"a:2\"\nfn copies(x f64[2]) {\n"   /* the same everywhere, but put together as a sharded dim */
          "y = manual x {manual_axes=[a], in_shardings=[\"_\"], out_shardings=[\"a\"]} (x f64[2]) { y = sin x; "
          "return y }\nreturn y\n}", 2, true);
}

/* Inside the region: the gradient of psum(x) by x. Checked: 1, the derivative of one shared number. Unchecked: n, for
 * every member's loss counts. */
static void inside(void)
{
    for (int unchecked = 0; unchecked < 2; unchecked++) {
        base_arena *a = base_open();
        const ir_fn *f =
            parsed(a, filled(a, "inside", "(x f64[]$V) {\ny = psum x {axes=[a], $C}\nreturn y\n}", unchecked));
        const bool wrt[1] = { true };
        const ir_fn *g = f ? transform_grad(a, "test", f, wrt) : NULL;
        CHECK(g, "%s", prop_error());
        double x[3] = { 1, 2, 3 }, y[3] = { 0 };
        ir_box in[3], out[3];
        for (int m = 0; m < 3; m++)
            in[m] = ir_box_of(&x[m], TT_F64, 0, NULL, NULL), out[m] = ir_box_of(&y[m], TT_F64, 0, NULL, NULL);
        const op_device_set c = { f->mesh, 1, 3 };
        CHECK(g && op_lockstep(&c, g, in, out), "%s", prop_error());
        for (int m = 0; m < 3; m++)
            CHECK(y[m] == (unchecked ? 3 : 1), "member %d, unchecked %d: %g", m, unchecked, y[m]);
        base_close(a);
    }
}

/* Where several members hold the maximum, each has its share of the gradient. */
static void ties(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, "mesh \"a:3\"\nfn ties(x f64[3]) {\n"
        "y = manual x {manual_axes=[a], in_shardings=[\"a\"], out_shardings=[\"\"]} (x f64[1]{a}) {\n"
        "m = pmax x {axes=[a]}; r = reshape m {shape=[]}; return r }\nreturn y\n}");
    const ir_fn *g = f ? transform_grad(a, "test", f, (const bool[]){ true }) : NULL;
    double x[3] = { 2, 1, 2 };
    const prop_value in = { ir_type_of(TT_F64, 1, (const int64_t[]){ 3 }), x }, *dx = g ? outputs_of(a, g, &in) : NULL;
    CHECK(g, "%s", prop_error());
    if (dx)
        CHECK(reals(dx)[0] == 0.5 && reals(dx)[1] == 0 && reals(dx)[2] == 0.5, "%g %g %g", reals(dx)[0], reals(dx)[1],
              reals(dx)[2]);
    base_close(a);
}

/* Weights cut over devices: gathered forward; backward the user's rule scatters and takes the mean. */
static void own_rule(void)
{
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, "mesh \"a:3\"\nfn fsdp(w f64[3], x f64[3]) {\n"
        "l = manual w, x {manual_axes=[a], in_shardings=[\"a\", \"a\"], out_shardings=[\"\"], "
        "unchecked=true} (w f64[1], x f64[1]) {\n"
        "g = custom_vjp w (w f64[1]) { g = all_gather w {axes=[a], all_gather_dim=0, axis_size=3, unchecked=true}; "
        "return g }"
        " (w f64[1]) { g = all_gather w {axes=[a], all_gather_dim=0, axis_size=3, unchecked=true}; return g }"
        " (t f64[3]) { r = reduce_scatter t {axes=[a], scatter_dimension=0, axis_size=3, unchecked=true}\n"
        "n = const {dtype=f64, shape=[1], splat=true, data=3}\ns = div r, n\nreturn s }\n"
        "b = broadcast_in_dim x {shape=[3], broadcast_dimensions=[0]}\np = mul g, b\n"
        "s = dot_general p, g {lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], "
        "preferred_element_type=f64}\n"
        "t = psum s {axes=[a], unchecked=true}\nn = const {dtype=f64, shape=[], splat=true, data=3}\nm = div t, n\n"
        "return m\n}\nreturn l\n}");
    const bool wrt[2] = { true, false };
    const ir_fn *g = f ? transform_grad(a, "test", f, wrt) : NULL;
    CHECK(g, "%s", prop_error());
    if (g) {
        prop_value x[2] = { prop_fresh(a, f->type[1], PROP_WIDE), prop_fresh(a, f->type[2], PROP_WIDE) };
        const prop_value *dw = outputs_of(a, g, x);
        const double sum = reals(&x[1])[0] + reals(&x[1])[1] + reals(&x[1])[2];
        for (int i = 0; dw && i < 3; i++) { /* l = mean over members of x_m |w|^2; the rule divides once more */
            const double want = 2 * reals(&x[0])[i] * sum / 3 / 3;
            CHECK(fabs(reals(dw)[i] - want) < 1e-12, "element %d: %g, not %g", i, reals(dw)[i], want);
        }
    }
    base_close(a);
}

static void refused(const char *text, const char *what, const char *hint)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "region.c:5", text);
    const base_error *e = base_failed();
    CHECK(!f && e && strstr(e->what, what) && (!hint || (e->hint && strstr(e->hint, hint))), "expected \"%s\", got: %s",
          what, prop_error());
    base_clear_error();
    base_close(a);
}

static void refusals(void)
{
    refused(
        "mesh \"a:3\"\nfn f(x f64[4]) {\ny = manual x {manual_axes=[a], in_shardings=[\"a\"], "
        "out_shardings=[\"a\"]} (x f64[2]{a}) { return x }\n"
        "return y\n}",
        "dim 0 of size 4 does not divide into 3 equal parts", "pad the dim");
    refused(
        "mesh \"a:3\"\nfn f(x f64[3]) {\ny = manual x {manual_axes=[a], in_shardings=[\"a\"], "
        "out_shardings=[\"_\"]} (x f64[1]{a}) { return x }\n"
        "return y\n}",
        "result 0 varies over axis \"a\"", "tt_psum");
    refused(
        "mesh \"a:3\"\nfn f(x f64[3]) {\n"
        "y = manual x {manual_axes=[a], in_shardings=[\"_\"], out_shardings=[\"_\"]} (x f64[3]) { y = psum x "
        "{axes=[a]}; return y }\n"
        "return y\n}",
        "psum over axis \"a\", along which the value does not vary", "tt_pvary");
    refused(
        "mesh \"a:3, b:2\"\nfn f(x f64[6]) {\n"
        "y = manual x {manual_axes=[a], in_shardings=[\"b\"], out_shardings=[\"_\"]} (x f64[3]) { return x }\nreturn "
        "y\n}",
        "names an axis that is not manual", NULL);
    base_arena *a = base_open();
    const ir_fn *f = parsed(a, "mesh \"a:3\"\nfn f(x f64[3]) {\ny = psum x {axes=[a], unchecked=true}\nreturn y\n}");
    prop_value x = prop_fresh(a, ir_type_of(TT_F64, 1, (const int64_t[]){ 3 }), PROP_WIDE), y;
    CHECK(f && !prop_eval(a, f, &x, &y), "a collective alone has a value");
    CHECK(strstr(prop_error(), "psum outside the function that has the axis"), "message");
    base_close(a);
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    CHECK_RUN(regions());
    CHECK_RUN(inside());
    CHECK_RUN(ties());
    CHECK_RUN(own_rule());
    CHECK_RUN(refusals());
    return check_done();
}
