/* Transformed functions through the whole pipeline: plan, exchanges, kernels. Value, jvp, vjp, vjp of vjp and their
 * mapped forms of functions with loops, branches, custom rules and manual regions are run and compared with ir_eval.
 * What is called own_ has no forward mode. */
#include "api/pipeline.h"
#include "transform/transform.h"

static void compare(base_arena *a, const char *what, const ir_fn *f)
{
    pipeline r = { .a = a };
    CHECK(f, "%s: %s", what, f ? "" : pipeline_error());
    if (!f || f->narg > PIPELINE_MOST || f->nret > PIPELINE_MOST) return;
    const bool ran = pipeline_open(&r, f);
    CHECK(ran, "%s: ir_eval: %s", what, ran ? "" : pipeline_error());
    if (ran) pipeline_run(&r, what, NULL, NULL, 2e-5);
    base_clear_error();
}

static void body(void *arg)
{
    base_arena *a = base_open();
    const ir_fn *f = ir_parse(a, "pipeline", arg);
    CHECK(f, "%s\n%s", f ? "" : pipeline_error(), (const char *)arg);
    for (int depth = 0; f && depth < 2; depth++) {
        bool *all = BASE_NEW(a, bool, f->narg + 1), *smooth = BASE_NEW(a, bool, f->narg + 1);
        for (uint32_t i = 0; i < f->narg; i++) all[i] = true, smooth[i] = transform_smooth(f->type[i + 1]);
        const ir_fn *vjp = transform_vjp(a, "pipeline", f, smooth);
        const char *what = base_format(a, "%s, derivative %d", f->name, depth);
        if (!depth) compare(a, what, f);
        if (strncmp(f->name, "own", 3)) compare(a, base_format(a, "%s: jvp", what), transform_jvp(a, f, NULL));
        compare(a, base_format(a, "%s: vjp", what), vjp);
        compare(a, base_format(a, "%s: mapped", what), transform_vmap(a, f, all, NULL, NULL, 3));
        if (vjp && !depth) {
            all = BASE_NEW(a, bool, vjp->narg + 1);
            for (uint32_t i = 0; i < vjp->narg; i += 2) all[i] = true;
            compare(a, base_format(a, "%s: mapped vjp", what), transform_vmap(a, vjp, all, NULL, NULL, 2));
        }
        f = vjp;
    }
    base_close(a);
}

static const char *const functions[] = {
    "fn layers(w f32[3,4,4], x f32[2,4]) {\n"
    "y, h = scan x, w {length=3, num_consts=0, num_carry=1} (x f32[2,4], w f32[4,4]) {\n"
    "y = remat x, w (x f32[2,4], w f32[4,4]) {\n"
    "a = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\nb = tanh a\nc = add b, x\n"
    "return c }\n"
    "return y, x\n}\nreturn y, h\n}",

    "fn backwards(w f32[4], c f32[4], xs f32[5,4]) {\n"
    "d, y = scan w, c, xs {length=5, num_consts=1, num_carry=1, reverse=true} (w f32[4], c f32[4], x f32[4]) {\n"
    "a = exp w\nb = mul a, c\np = sin b\nd = mul p, x\nreturn d, p\n}\nreturn d, y\n}",

    "fn pick(i i32[], x f32[3], y f32[3]) {\n"
    "a, b = case i, x, y (x f32[3], y f32[3]) { return x, y }"
    " (x f32[3], y f32[3]) { u = exp x; v = mul u, y; w = sin v; return w, v }"
    " (x f32[3], y f32[3]) { u = mul x, y; return u, x }\nreturn a, b\n}",

    "fn own_vjp(x f32[4], w f32[4]) {\n"
    "y = custom_vjp x, w (x f32[4], w f32[4]) { a = mul w, x; y = sin a; return y }\n"
    "(x f32[4], w f32[4]) { a = mul w, x; y = sin a; c = cos a; return y, c, w, x }\n"
    "(c f32[4], w f32[4], x f32[4], t f32[4]) { u = mul c, t; p = mul u, w; q = mul u, x; return p, q }\n"
    "return y\n}",

    "fn forward(x f32[4]) {\n"
    "y = custom_jvp x (x f32[4]) { y = mul x, x; return y } (x f32[4], d f32[4]) {\n"
    "y = mul x, x; p = mul x, d; q = add p, p; return y, q }\n"
    "return y\n}",

    "mesh \"a:4\"\nfn data_parallel(w f32[3,2], x f32[8,3]) {\n"
    "l, z = manual w, x {manual_axes=[a], in_shardings=[\"_, _\", \"a, _\"], out_shardings=[\"\", \"a, "
    "_\"]} (w f32[3,2], x f32[2,3]{a}) {\n"
    "y = dot_general x, w {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\nz = sin y\n"
    "s = dot_general z, z {lhs_contracting_dimensions=[0,1], rhs_contracting_dimensions=[0,1], "
    "preferred_element_type=f32}\nt = psum s {axes=[a]}\n"
    "return t, z\n}\n"
    "return l, z\n}",

    "mesh \"a:2\"\nfn sharded_weights(w f32[4], x f32[4,4]) {\n"
    "l = manual w, x {manual_axes=[a], in_shardings=[\"a\", \"a, _\"], out_shardings=[\"_\"], "
    "unchecked=true} (w f32[2], x f32[2,4]) {\n"
    "g = all_gather w {axes=[a], all_gather_dim=0, axis_size=2, unchecked=true}\nh = mul g, g\n"
    "y = dot_general x, h {lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[0], "
    "preferred_element_type=f32}\nz = tanh y\n"
    "s = psum z {axes=[a], unchecked=true}\nreturn s\n}\nreturn l\n}",

    "mesh \"a:2, b:2\"\nfn round_trip(x f32[4,4]) {\n"
    "y = manual x {manual_axes=[a,b], in_shardings=[\"a, b\"], out_shardings=[\"a, b\"]} (x f32[2,2]{a+b}) {\n"
    "t = all_to_all x {axes=[a], split_dimension=1, concat_dimension=0, axis_size=2}\np = ppermute t {axes=[b], "
    "source=[1,-1]}\nq = sin t\n"
    "r = add p, q\n"
    "m = pmax r {axes=[b]}\nu = all_to_all r {axes=[a], split_dimension=0, concat_dimension=1, axis_size=2}\n"
    "n = slice m {start_indices=[0,0], limit_indices=[2,1], strides=[1,1]}\nk = reshape n {shape=[2]}\n"
    "v = broadcast_in_dim k {shape=[2,2], broadcast_dimensions=[0]}\nw = mul u, v\nreturn w\n}\nreturn y\n}",

    "mesh \"a:2\"\nfn loop_with_psum(w f32[3], x f32[2,3]) {\n"
    "y = manual w, x {manual_axes=[a], in_shardings=[\"_\", \"a, _\"], out_shardings=[\"_\"]} (w f32[3], "
    "x f32[1,3]{a}) {\n"
    "r = reshape x {shape=[3]}\n"
    "c = scan r, w {length=3, num_consts=1, num_carry=1} (r f32[3]{a}, c f32[3]) {\n"
    "p = mul r, c\nq = sin p\ns = psum q {axes=[a]}\nreturn s\n}\nreturn c\n}\nreturn y\n}",
};

int main(int argc, char **argv)
{
    if (!check_main_one(argc, argv, __FILE__)) return check_done();
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        CHECK(base_catch(body, (void *)(uintptr_t)functions[k]), "out of memory in\n%s", functions[k]);
    driver_forget();
    run_pool_stop();
    return check_done();
}
