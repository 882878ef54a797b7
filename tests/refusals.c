/* refusals.c - calls that have no meaning, or none that a program can want: transforms, arrays, layers and optimizers.
 * With the exact text that the user sees (errors.h); what goes with them, and is right, has the text "no error". */
#include "errors.h"

static tt_val three(void) { return tt_add(tt_arange(TT_F32, 3), tt_f(1)); }
static tt_val same(tt_val x) { return x; }
static tt_val twice(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val squares(tt_val x) { return tt_sum(tt_square(x)); }

/* ---- carries, and results of rules ---- */

static tt_val half_more(tt_val c, tt_val x) { return (void)x, tt_tuple(tt_mul(c, tt_f(1.5)), c); }
static tt_val one_more(tt_val c, tt_val x) { return (void)x, tt_tuple(tt_add(c, tt_i(1)), c); }
static tt_val below_five(tt_val s) { return tt_lt(s, tt_f(5)); }
static tt_val add_half(tt_val s) { return tt_add(s, tt_f(0.5)); }
static void carry_cut(void) { tt_scan(half_more, tt_ones(TT_I32), three()); }
static void carry_of_bool(void) { tt_scan(one_more, tt_ones(TT_BOOL), three()); }
static void state_cut(void) { tt_while(below_five, add_half, tt_zeros(TT_I32)); }
static void carry_of_numbers(void)                       /* no error */
{
    tt_scan(half_more, tt_i(1), three());
    tt_scan(one_more, tt_ones(TT_U8), three());
    tt_scan(one_more, tt_ones(TT_F16), three());
}
static tt_val bent(tt_val p, tt_val t) { return tt_tuple(twice(tt_item(p, 0)), tt_square(tt_item(t, 0))); }
static tt_val over(tt_val p, tt_val t) { return tt_tuple(twice(tt_item(p, 0)), tt_div(tt_f(1), tt_item(t, 0))); }
static tt_val whole(tt_val p, tt_val t)
{
    return tt_tuple(twice(tt_item(p, 0)), tt_cast(tt_cast(tt_item(t, 0), TT_I32), TT_F32));
}
static tt_val of_bent(tt_val x) { return tt_sum(tt_call(tt_custom_jvp(twice, bent), x)); }
static tt_val of_over(tt_val x) { return tt_sum(tt_call(tt_custom_jvp(twice, over), x)); }
static tt_val of_whole(tt_val x) { return tt_sum(tt_call(tt_custom_jvp(twice, whole), x)); }
static void tangent_squared(void) { tt_call(tt_grad(of_bent), three()); }
static void tangent_below(void) { tt_call(tt_grad(of_over), three()); }
static void tangent_whole(void) { tt_call(tt_grad(of_whole), three()); }
static tt_val integer_of(tt_val x) { return tt_cast(tt_mul(x, tt_f(2)), TT_I32); }
static tt_val number_and_rest(tt_val x) { return (void)x, tt_tuple(tt_f(2.5), tt_none()); }
static tt_val nothing_back(tt_val r, tt_val g) { return (void)r, (void)g, tt_f(0); }
static tt_val of_number(tt_val x)
{
    return tt_cast(tt_call(tt_custom_vjp(integer_of, number_and_rest, nothing_back), x), TT_F32);
}
static void result_cut(void) { tt_call(tt_grad(of_number), tt_zeros(TT_F32)); }

/* ---- names of axes and arguments ---- */

static void axis_empty(void) { tt_vmap(same, .axis = ""); }
static void axis_of_two(void) { tt_pmap(same, .axis = "i, j"); }
static void wrt_nothing(void) { tt_grad(squares, .wrt = ""); }
static void manual_twice(void)
{
    const tt_mesh m = tt_mesh("i:2, j:2");
    tt_call(tt_shard_map(same, .mesh = m, .in = "i", .out = "i", .axes = "i, i"), tt_ones(TT_F32, 4));
}
static void manual_nothing(void) { tt_shard_map(same, .mesh = tt_mesh("i:2"), .in = "_", .out = "_", .axes = " "); }

static tt_val sum_i(tt_val x) { return tt_psum(x, "i"); }
static void axis_of_vmap_too(void)
{
    tt_call(tt_vmap(tt_pmap(sum_i, .axis = "i"), .axis = "i"), tt_ones(TT_F32, 2, 4));
}
static void axis_of_pmap_too(void)                       /* no error: the inner one is meant */
{
    const tt_val y = tt_call(tt_pmap(tt_vmap(sum_i, .axis = "i"), .axis = "i"), tt_ones(TT_F32, 2, 4));
    CHECK(tt_num(tt_sum(y)) == 32, "sums over the inner axis: %s", tt_value_text(y));
}
static void open_block(void)
{
    tt_call(tt_shard_map(same, .mesh = tt_mesh("i:2"), .in = "?", .out = "_"), tt_ones(TT_F32, 4));
}
static void axes_of_more_dims(void) { tt_axes(three(), "batch, hidden"); }
static void axes_alike(void) { tt_axes(tt_ones(TT_F32, 2, 2), "batch, batch"); }

static const program programs[] = {
#include "refusals.inc"
};

int main(int argc, char **argv)
{
    const bool print = argc > 1 && !strcmp(argv[1], "-p");
    tt_on_error(errors_quiet, NULL);
    errors_run(__FILE__, programs, sizeof programs / sizeof *programs, print);
    return print ? 0 : check_done();
}
