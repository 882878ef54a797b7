/* errors.c - programs that must fail, with the exact text that the user sees; line numbers of this file are written #.
 */
#include <sys/wait.h>
#include <tutti.h>
#include <unistd.h>

#include "base/base.h"
#include "api/errors.h"

static tt_val loss(tt_val w, tt_val x) { return tt_mean(tt_square(tt_matmul(x, w))); }
static tt_val vector(tt_val x) { return tt_square(x); }
static tt_val add(tt_val a, tt_val b) { return tt_add(a, b); }
static tt_val nothing(tt_val x) { tt_val y = { 0 }; (void)x; return y; }
static tt_val reads(tt_val x) { return tt_num(x) > 0 ? x : tt_neg(x); }
static tt_val psum_typo(tt_val x) { return tt_psum(x, "bacth"); }
static tt_val sum_local(tt_val x) { return tt_sum(x); }
static tt_val two_bodies(tt_val c, tt_val x) { return tt_add(c, x); }
static tt_val grow(tt_val c, tt_val x) { (void)x; return tt_tuple(tt_concat(0, c, c), tt_none()); }
static tt_val yes(tt_val x) { return tt_cast(x, TT_F32); }
static tt_val no(tt_val x) { return tt_cast(x, TT_I32); }
static tt_val branch(tt_val x) { return tt_cond(tt_gt(x, tt_f(0)), yes, no, x); }
static tt_val is_small(tt_val x) { return tt_sub(x, tt_f(1)); }
static tt_val same(tt_val x) { return x; }
static tt_val sorted(tt_val x) { return tt_sort(x, 0); }
static tt_val fwd(tt_val x) { return tt_tuple(x, x); }
static tt_val bad_bwd(tt_val r, tt_val c) { return tt_tuple(r, c); }
static tt_val use_bad_bwd(tt_val x) { return tt_sum(tt_call(tt_custom_vjp(same, fwd, bad_bwd), x)); }
static tt_val bad_tangent(tt_val x, tt_val y, tt_val dx) { return (void)x, tt_sum(tt_mul(y, tt_item(dx, 0))); }
static tt_val mesh_one(tt_val x)
{
    return tt_call(tt_shard_map(same, .mesh = tt_mesh("i:2"), .in = "i", .out = "i"), x);
}
static tt_val mesh_two(tt_val x)
{
    return tt_call(tt_shard_map(same, .mesh = tt_mesh("j:2"), .in = "j", .out = "j"), mesh_one(x));
}
TT_RECORD(lin, w, b);

static void inner_dims(void)
{
    tt_val h = tt_relu(tt_ones(TT_F32, 64, 1024));
    tt_matmul(h, tt_zeros(TT_F32, 256, 10));
}
static void inner_dims_in_grad(void)
{
    tt_call(tt_jit(tt_value_and_grad(loss)), tt_ones(TT_F32, 3, 2), tt_ones(TT_F32, 8, 4));
}
static void no_broadcast(void) { tt_add(tt_ones(TT_F32, 3), tt_ones(TT_F32, 4)); }
static void reshape_count(void) { tt_reshape(tt_ones(TT_F32, 3, 4), 5, -1); }
static void no_dim(void) { tt_sum(tt_ones(TT_F32, 3, 4), .dims = "2"); }
static void not_bool(void) { tt_select(tt_ones(TT_F32, 2), tt_f(1), tt_f(2)); }
static void trees_differ(void)
{
    tt_add(tt_dict("w", tt_f(1), "b", tt_tuple(tt_f(1), tt_f(2))), tt_dict("w", tt_f(1), "b", tt_f(2)));
}
static void tree_for_array(void) { tt_matmul(tt_tuple(tt_f(1), tt_f(2)), tt_ones(TT_F32, 2)); }
static void no_path(void) { tt_get(tt_dict("params", tt_dict("kernel", tt_f(1))), "params.kernal"); }
static void wrong_record(void) { lin_of(tt_dict("w", tt_f(1))); }
static void unpack_count(void) { tt_val a, b; tt_unpack(tt_tuple(tt_f(1), tt_f(2), tt_f(3)), &a, &b); }
static void after_scope(void)
{
    tt_val q = { 0 };
    for (tt_loop it = tt_steps(1); tt_next(&it);) q = tt_ones(TT_F32, 2);
    tt_neg(q);
}
static void donated_twice_used(void)
{
    tt_fn f = tt_jit(add, .donate = "0");
    tt_val s = tt_neg(tt_ones(TT_F32, 2));
    tt_call(f, s, tt_f(1));
    tt_neg(s);
}
static void empty(void) { tt_val v = { 0 }; tt_exp(v); }
static void returns_nothing(void) { tt_call(tt_jit(nothing), tt_f(1)); }
static void reads_traced(void) { tt_call(tt_jit(reads), tt_f(1)); }
static void grad_vector(void) { tt_call(tt_grad(vector), tt_ones(TT_F32, 3)); }
static void grad_integer(void) { tt_call(tt_grad(vector), tt_i(3)); }
static void missing_argument(void) { tt_call(tt_jit(add), tt_f(1)); }
static void mesh_text(void) { tt_mesh("data:2, model"); }
static void spec_typo(void) { tt_shard(tt_ones(TT_F32, 8), tt_mesh("data:2, model:4"), "modle"); }
static void spec_rank(void) { tt_shard(tt_ones(TT_F32, 8), tt_mesh("data:2, model:4"), "data, model"); }
static void unbound(void) { tt_call(tt_pmap(psum_typo, .axis = "batch"), tt_ones(TT_F32, 8)); }
static void outside(void) { tt_psum(tt_f(1), "i"); }
static void undivided_pmap(void)
{
    tt_call(tt_pmap(same, .mesh = tt_mesh("dev:8"), .axis = "dev"), tt_ones(TT_F32, 6));
}
static void pmap_scalar(void) { tt_call(tt_pmap(add, .axis = "dev"), tt_ones(TT_F32, 8), tt_f(1)); }
static void pmap_spec(void) { tt_call(tt_pmap(same, .axis = "dev", .in = "dev"), tt_ones(TT_F32, 8)); }
static void undivided_shard_map(void)
{
    tt_call(tt_shard_map(same, .mesh = tt_mesh("i:4"), .in = "i", .out = "i"), tt_ones(TT_F32, 6));
}
static void result_varies(void)
{
    tt_call(tt_shard_map(sum_local, .mesh = tt_mesh("i:4"), .in = "i", .out = "_"), tt_ones(TT_F32, 8));
}
static void no_specs(void) { tt_call(tt_shard_map(same, .mesh = tt_mesh("i:4")), tt_ones(TT_F32, 8)); }
static void no_mesh(void) { tt_shard_map(same, .in = "i"); }
static void two_meshes(void) { tt_call(tt_jit(mesh_two), tt_ones(TT_F32, 2)); }
static void vmap_sizes(void) { tt_call(tt_vmap(add), tt_ones(TT_F32, 2), tt_ones(TT_F32, 3)); }
static void vmap_count(void) { tt_call(tt_vmap(add, .in = "0; _; 0"), tt_ones(TT_F32, 2), tt_ones(TT_F32, 2)); }
static void scan_tuple(void) { tt_scan(two_bodies, tt_f(0), tt_ones(TT_F32, 3)); }
static void scan_grows(void) { tt_scan(grow, tt_ones(TT_F32, 1), tt_none(), .length = 3); }
static void branches(void) { tt_call(tt_jit(branch), tt_f(1)); }
static void while_test(void) { tt_while(is_small, same, tt_f(3)); }
static void tangent_count(void) { tt_custom_tangent(same, bad_bwd); }
static void tangent_type(void)
{
    tt_call(tt_jvp(tt_custom_tangent(same, bad_tangent)), tt_tuple(tt_ones(TT_F32, 2)), tt_tuple(tt_ones(TT_F32, 2)));
}
static void bwd_count(void) { tt_call(tt_grad(use_bad_bwd), tt_ones(TT_F32, 2)); }
static void formula(void) { tt_val x = tt_f(1); TT_E("2*x + noise", x); }
static void formula_end(void) { tt_val x = tt_f(1); TT_E("2*(x + 1", x); }
static void option(void)
{
    const tt_reduce_opts o = { .size = sizeof o, .name_your_options = (struct tt_name_your_options *)"0" };
    tt_sum_at("prog.c:3: tt_sum(x, \"0\")", tt_ones(TT_F32, 2), &o);
}
static void switches(void) { tt_config("plam"); }
static void bad_key(void) { tt_normal(tt_f(1), TT_F32, 3); }
static void wrong_bytes(void) { float x[2]; tt_read(tt_ones(TT_F32, 3), x, sizeof x); }
static void conv_features(void) { tt_convolve(tt_ones(TT_F32, 1, 8, 8, 3), tt_ones(TT_F32, 3, 3, 4, 16)); }
static void einsum_text(void) { tt_einsum("b i. i j -> b j", tt_ones(TT_F32, 2, 3), tt_ones(TT_F32, 3, 2)); }
static void donate_number(void) { tt_call(tt_jit(add, .donate = "2"), tt_f(1), tt_f(2)); }


/* ---- wrong layouts ---- */

static tt_val ones(void) { return tt_ones(TT_F32, 8, 4); }
static tt_val product(tt_val x, tt_val w) { return tt_matmul(x, w); }
static tt_val plus_one(tt_val x, tt_val w) { return tt_add(tt_matmul(x, w), tt_f(1)); }
static tt_val named(tt_val x) { return tt_logical_constraint(x, "batch, hidden"); }
static tt_val named_long(tt_val x) { return tt_logical_constraint(x, "batch, hidden, more"); }
static tt_val constrained(tt_val x) { return tt_shard(x, tt_mesh("data:2"), "data, _"); }
static tt_val constrained_long(tt_val x) { return tt_shard(x, tt_mesh("data:2"), "_, _, data"); }
static tt_val no_mesh_inside(tt_val x) { return tt_shard(x, tt_mesh_of(x), "_, model"); }
static tt_val over_data(tt_val x) { return tt_psum(x, "data"); }
static tt_val part(tt_val x) { return tt_shard(x, tt_mesh("data:2, model:4"), "_, data"); }
static tt_val in_part(tt_val x)
{
    tt_mesh m = tt_mesh("data:2, model:4");
    return tt_call(tt_shard_map(part, .mesh = m, .in = "data", .out = "data"), x);
}
static tt_val carry(tt_val c, tt_val x) { return tt_tuple(tt_shard(c, tt_mesh_of(c), "_"), x); }
static tt_val loop_of(tt_val c, tt_val xs) { return tt_item(tt_scan(carry, c, xs), 0); }
static tt_mesh explicit_mesh(void) { return tt_mesh("data:2 explicit, model:4 explicit"); }
static tt_val on(const char *spec) { return tt_shard(ones(), explicit_mesh(), spec); }

static void spec_twice(void) { tt_shard(ones(), tt_mesh("data:2, model:4"), "data, data"); }
static void spec_twice_joined(void) { tt_shard(ones(), tt_mesh("data:2, model:4"), "data+model, model"); }
static void jit_in_rank(void)
{
    tt_call(tt_jit(is_small, .mesh = tt_mesh("data:2"), .in = "data, _, _"), ones());
}
static void jit_in_axis(void) { tt_call(tt_jit(is_small, .mesh = tt_mesh("data:2"), .in = "dta"), ones()); }
static void jit_out_rank(void)
{
    tt_call(tt_jit(is_small, .mesh = tt_mesh("data:2"), .out = "_, _, data"), ones());
}
static void jit_no_mesh(void) { tt_jit(is_small, .in = "data"); }
static void shard_no_mesh(void) { tt_shard(ones(), (tt_mesh){ 0 }, "data"); }
static void traced_rank(void) { tt_call(tt_jit(constrained_long), ones()); }
static void other_mesh(void)
{
    tt_call(tt_jit(constrained, .mesh = tt_mesh("model:4")), ones());
}
static void axis_of_another(void)                        /* it is on one mesh, and is to be on another */
{
    tt_val x = tt_shard(ones(), tt_mesh("data:2"), "data");
    tt_shard(x, tt_mesh("rows:2, model:4"), "rows, data");
}
static void outside_traced(void) { tt_call(tt_jit(no_mesh_inside), ones()); }
static void layout_on_another(void)
{
    tt_has_layout(tt_shard(ones(), tt_mesh("data:2"), "data"), tt_mesh("model:4"), "data");
}
static void rules_unknown(void)
{
    tt_call(tt_jit(named, .mesh = tt_mesh("data:2, model:4"), .rules = "batch:data, hidden:modle"), ones());
}
static void rules_no_colon(void)
{
    tt_call(tt_jit(named, .mesh = tt_mesh("data:2"), .rules = "batch data"), ones());
}
static void axes_rank(void)
{
    tt_call(tt_jit(named_long, .mesh = tt_mesh("data:2"), .rules = "batch:data"), ones());
}
static void automatic_psum(void) { tt_call(tt_jit(over_data, .mesh = tt_mesh("data:2")), ones()); }
static void manual_as_automatic(void) { tt_call(tt_jit(in_part), ones()); }
static void manual_not_listed(void)
{
    tt_mesh m = tt_mesh("data:2, model:4");
    tt_call(tt_shard_map(same, .mesh = m, .in = "model", .out = "model", .axes = "data"), ones());
}
static void manual_unknown(void)
{
    tt_call(tt_shard_map(same, .mesh = tt_mesh("data:2"), .in = "data", .out = "data", .axes = "dat"), ones());
}
static void explicit_sum(void)
{
    tt_call(tt_jit(plus_one), on("_, model"), tt_shard(tt_ones(TT_F32, 4, 8), explicit_mesh(), "model"));
}
static void explicit_twice(void)
{
    tt_call(tt_jit(product), on("data"), tt_shard(tt_ones(TT_F32, 4, 8), explicit_mesh(), "_, data"));
}
static void explicit_differ(void) { tt_add(on("data"), on("model")); }
static void explicit_sort(void) { tt_sort(on("data"), 0); }
static void explicit_reshape(void) { tt_reshape(on("_, model"), 32); }
static void explicit_carry(void)
{
    tt_call(tt_jit(loop_of), tt_shard(tt_ones(TT_F32, 8), explicit_mesh(), "data"), tt_ones(TT_F32, 3));
}
static void strict_gather(void)
{
    tt_mesh m = tt_mesh("model:4");
    tt_call(tt_jit(sorted, .mesh = m, .strict = 1), tt_shard(tt_ones(TT_F32, 64), m, "model"));
}
static void donated_elsewhere(void)                      /* a note, no error: the result is laid out otherwise */
{
    tt_mesh m = tt_mesh("data:2");
    tt_call(tt_jit(same, .mesh = m, .out = "_, data", .donate = "0"), tt_shard(ones(), m, "data"));
}
static void mesh_too_many(void) { tt_mesh("data:2, data:4"); }
static void mesh_mode(void) { tt_mesh("data:2 exact"); }
static void wrong_strict(void) { tt_call(tt_jit(is_small, .strict = -1), ones()); }

static const program programs[] = {
#include "errors.inc"
};

static void exit_status(void)                            /* the code of the first error, and the text on stderr */
{
    int fd[2], status = 0;
    char text[1024] = "";
    if (pipe(fd)) return;
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        dup2(fd[1], STDERR_FILENO);
        tt_on_error(NULL, NULL);
        no_broadcast();
        tt_neg(tt_ones(TT_F32, 3));
        spec_rank();                                     /* a second error is not told */
        _exit(tt_done());
    }
    close(fd[1]);
    const ssize_t n = read(fd[0], text, sizeof text - 1);
    waitpid(child, &status, 0);
    close(fd[0]);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TT_ESHAPE, "status %d", WEXITSTATUS(status));
    const char *second = n > 6 ? strstr(text + 6, "error:") : NULL;
    CHECK(!strncmp(text, "error: add: shapes do not broadcast", 35) && !second, "told once: %s", text);
}

static int heard, in_module;
static struct { char site[80], hint[80]; } told;
static void count(const tt_error_info *e, void *env)
{
    (void)env;
    heard += e->code != TT_OK;
    snprintf(told.site, sizeof told.site, "%s", e->site);
    snprintf(told.hint, sizeof told.hint, "%s", e->hint);
}

/* A function that is written on top of Tutti, and one on top of it. */
static tt_val layer_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    if (tt_rank(x) == 2) return x;
    tt_fail_at(NULL, TT_ESHAPE, "layer: %s", tt_type_text(x));
    tt_hint("a matrix");
    return tt_poison;
}
static tt_val outer_at(const char *site, tt_val x)
{
    TT_ENTRY(site);
    const int before = heard;
    const tt_val y = layer_at(site, x);
    CHECK(heard == before, "an inner function tells nothing");
    return y;
}
static tt_val module(tt_nn m, tt_val x)
{
    tt_dense(m, "d", x, 2, .kernel_init = "strange");
    in_module = heard;
    return x;
}

static void told_in_time(void)                           /* errors of tt_fail_at, which a hint may follow */
{
    tt_on_error(count, NULL);
    tt_fail_at("here", TT_EARG, "no");
    tt_clear();
    CHECK(heard == 1, "tt_clear tells an error that was not told: %d", heard);
    tt_load("/nowhere/file");
    CHECK(heard == 2, "tt_load tells its error before it returns: %d", heard);
    tt_clear();
    CHECK(heard == 2, "an error is told once: %d", heard);
    tt_read_npz("/nowhere/file.npz");
    CHECK(heard == 3, "tt_read_npz likewise: %d", heard);
    tt_clear();
    layer_at("here", tt_ones(TT_F32, 2));
    CHECK(heard == 4 && !strcmp(told.site, "here") && !strcmp(told.hint, "a matrix"),
          "a function of one's own: %d, %s, %s", heard, told.site, told.hint);
    tt_clear();
    outer_at("there", tt_ones(TT_F32, 2));
    CHECK(heard == 5 && !strcmp(told.hint, "a matrix"), "within another one: %d, %s", heard, told.hint);
    tt_clear();
    tt_init(module, tt_key(0), tt_ones(TT_F32, 2));
    CHECK(heard == 6 && in_module == 6, "a layer tells before it returns to the module: %d, %d", heard, in_module);
    tt_clear();
    tt_on_error(errors_quiet, NULL);
}

static char said[2048];
static void hear(const char *line) { snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", line); }

static void donation_note(void)
{
    static const char *const want = "note: donated argument 0 of same, f32[8, 4], is not reused: the result of its "
                                    "type is laid out as "
        "\"_, data\", it as \"data, _\"\n  _, data\n  ^\n"
        "  at   #: tt_jit(same, .mesh = m, .out = \"_, data\", .donate = \"0\")\n"
        "  hint: lay both out alike (.in, .out), or leave it out of .donate\n";
    base_set_log_sink(hear);
    donated_elsewhere();
    CHECK(tt_ok() && !strcmp(errors_plain(__FILE__, said), want), "%s", said);
}

static void more(void)
{
    exit_status();
    told_in_time();
    donation_note();
}

int main(int argc, char **argv)
{
    return errors_main(argc, argv, __FILE__, programs, sizeof programs / sizeof *programs, more);
}
