/* branches.c - tt_cond and tt_switch outside of compiled functions: a branch that is not taken is traced, not run, and
 * branches that differ are the error that they are in a compiled function. With the exact text that the user sees. */
#include "api/api_check.h"
#include "api/errors.h"
#include "trace/trace.h"

static tt_val same(tt_val x) { return x; }
static tt_val as_integer(tt_val x) { return tt_cast(x, TT_I32); }
static tt_val rows(tt_val x) { return tt_reshape(x, 1, -1); }
static tt_val pair(tt_val x) { return tt_tuple(x, x); }
static tt_val named(tt_val x) { return tt_dict("a", x, "b", tt_sum(x)); }
static tt_val named_other(tt_val x) { return tt_dict("a", x, "b", tt_ones(TT_I32)); }
static tt_val by_three(tt_val x) { return tt_matmul(x, tt_ones(TT_F32, 3, 3)); }
static tt_val reads(tt_val x) { return tt_num(tt_sum(x)) > 0 ? x : tt_neg(x); }
static tt_val zero(tt_val x) { return (void)x, tt_f(0); }
static tt_val one(tt_val x) { return (void)x, tt_i(1); }
static tt_val doubled(tt_val x) { return tt_mul(x, tt_f(2)); }
static tt_val both_ways(tt_val x) { return tt_cond(tt_gt(x, tt_f(0)), both_ways, same, x); }

/* ---- programs that must fail ---- */

static void types(void) { tt_cond(tt_b(true), same, as_integer, tt_ones(TT_F32, 2)); }
static void types_of_a_test(void) { tt_cond(tt_gt(tt_ones(TT_F32), tt_f(0)), same, as_integer, tt_ones(TT_F32, 2)); }
static void shapes(void) { tt_cond(tt_b(false), rows, same, tt_ones(TT_F32, 2)); }
static void trees(void) { tt_cond(tt_b(true), same, pair, tt_ones(TT_F32, 2)); }
static void leaves(void) { tt_switch(tt_i(0), tt_ones(TT_I32, 2), named, same); }
static void leaf(void) { tt_switch(tt_i(7), tt_ones(TT_F32, 2), named, named, named_other); }
static void leaf_of_the_first(void) { tt_switch(tt_i(-3), tt_ones(TT_F32, 2), named_other, named, named); }
static void weak_first(void) { tt_switch(tt_i(0), tt_ones(TT_F32), one, same, as_integer); }
static void not_taken(void) { tt_cond(tt_b(true), same, by_three, tt_ones(TT_F32, 2, 2)); }
static void not_taken_reads(void) { tt_cond(tt_b(true), same, reads, tt_ones(TT_F32, 2)); }
static void calls_itself(void) { tt_cond(tt_b(false), both_ways, same, tt_f(-1)); }
static tt_val known(tt_val x) { return tt_cond(tt_b(true), same, as_integer, x); }
static void known_in_jit(void) { tt_call(tt_jit(known), tt_ones(TT_F32, 2)); }
static tt_val turned(tt_val i, tt_val x) { return (void)i, rows(x); }
static void no_turns(void) { tt_fori(3, 3, turned, tt_ones(TT_F32, 2)); }

static const program programs[] = {
#include "branches.inc"
};

/* ---- what must not fail ---- */

static int ran;
static tt_val counts(tt_val x) { return ran++, tt_neg(x); }
static int64_t width = 2;
static tt_val wide(tt_val x) { return (void)x, tt_ones(TT_F32, width); }
static tt_val wide_too(tt_val x) { return (void)x, tt_zeros(TT_F32, width); }
static tt_val leaky(tt_val x) { return tt_add(x, tt_f(1)); }
static tt_val by_env(void *env, int n, const tt_val *x) { return (void)n, tt_mul(x[0], tt_f(*(const double *)env)); }

static void test_not_run(void)
{
    const tt_val x = VEC(1, 2);
    for (tt_loop it = tt_steps(5); tt_next(&it);) IS(tt_cond(tt_b(true), doubled, counts, x), 2, 4);
    CHECK(ran == 1, "traced once for these types, never run: %d", ran);
    IS(tt_cond(tt_b(true), doubled, counts, VEC(1, 2, 3)), 2, 4, 6);
    CHECK(ran == 2, "once more for others: %d", ran);
    IS(tt_cond(tt_b(false), doubled, counts, x), -1, -2);
    CHECK(ran == 3, "run: %d", ran);
    const int64_t live = trace_live();
    const tt_scope scope = tt_scope_open();              /* the loop's */
    for (tt_loop it = tt_steps(3); tt_next(&it);) tt_switch(tt_i(1), x, doubled, same, leaky);
    tt_scope_close(scope);
    CHECK(trace_live() == live, "nothing is left of what was traced");
}

/* A C function may read what changes: branches that agree now are no error. */
static void test_changed(void)
{
    IS(tt_cond(tt_b(true), wide, wide_too, tt_f(1)), 1, 1);
    width = 3;
    IS(tt_cond(tt_b(true), wide, wide_too, tt_f(1)), 1, 1, 1);
    IS(tt_cond(tt_b(false), wide, wide_too, tt_f(1)), 0, 0, 0);
    double k = 2;
    const tt_fn by = tt_bind_env("by", by_env, &k, sizeof k, 1);
    IS(tt_cond(tt_b(false), by, same, VEC(1, 2)), 1, 2);
    IS(tt_cond(tt_b(true), by, same, VEC(1, 2)), 2, 4);
}

/* A C number takes the type of the other branch, as in a compiled function. */
static tt_val choose(tt_val p, tt_val x) { return tt_cond(p, zero, same, x); }
static tt_val choose_one(tt_val p, tt_val x) { return tt_cond(p, one, same, x); }
static void test_weak(void)
{
    const tt_val half = tt_cast(tt_f(3), TT_BF16), yes = tt_b(true), no = tt_b(false);
    IS_TYPED(choose(yes, half), "bf16[]", 0);
    IS_TYPED(choose(no, half), "bf16[]", 3);
    IS_TYPED(tt_call(tt_jit(choose), yes, half), "bf16[]", 0);
    IS_TYPED(choose_one(yes, half), "bf16[]", 1);
    IS_TYPED(tt_add(choose(yes, tt_ones(TT_F32)), tt_ones(TT_BF16)), "f32[]", 1);
    IS_TYPED(tt_add(tt_cond(yes, zero, zero, half), tt_ones(TT_BF16)), "bf16[]", 1);
    IS_TYPED(tt_item(tt_cond(yes, pair, pair, half), 1), "bf16[]", 3);
}

/* Branches that are transforms, a condition in a condition, values on several devices. */
static tt_val add_to(tt_val i, tt_val x) { return tt_add(x, i); }
static tt_val total(tt_val x) { return tt_sum(tt_square(x)); }
static tt_val inner(tt_val x) { return tt_cond(tt_gt(tt_sum(x), tt_f(0)), doubled, same, x); }
static void test_nested(void)
{
    const tt_val x = VEC(1, 2), yes = tt_b(true), no = tt_b(false);
    IS(tt_cond(yes, tt_jit(doubled), tt_grad(total), x), 2, 4);
    IS(tt_cond(no, tt_jit(doubled), tt_grad(total), VEC(3, 4)), 6, 8);
    IS(tt_call(tt_jit(doubled), x), 2, 4);               /* what is kept of its types is not taken for its program */
    IS(tt_cond(yes, same, inner, x), 1, 2);
    IS(tt_cond(yes, inner, same, x), 2, 4);
    const tt_val laid = tt_shard(x, tt_mesh("i:2"), "i");
    IS(tt_cond(yes, doubled, same, laid), 2, 4);
    CHECK(!strcmp(tt_spec(tt_cond(yes, same, doubled, laid)), "i"), "it is laid out as it did");
    IS(tt_fori(3, 3, add_to, x), 1, 2);
    IS(tt_fori(3, -3, add_to, tt_i(4)), 4);
}

static void more(void)
{
    test_not_run();
    test_changed();
    test_weak();
    test_nested();
}

int main(int argc, char **argv)
{
    return errors_main(argc, argv, __FILE__, programs, sizeof programs / sizeof *programs, more);
}
