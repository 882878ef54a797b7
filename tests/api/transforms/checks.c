/* checks.c - tt_check: its text, values and place, wherever a program may have it; checks that do not count: branches
 * that do not run, elements of a map that take another one; the first in program order; what is refused. */
#include "check.h"

#include <string.h>
#include <tutti.h>

static const float some[4] = { 1, 2, -3, -4 };

static tt_val positive(tt_val x)
{
    tt_check(tt_gt(x, tt_f(0)), "x is {}", x);
    return tt_sqrt(x);
}
static tt_val total(tt_val x) { return tt_sum(positive(x)); }
static tt_val two(tt_val x)
{
    tt_check(tt_lt(x, tt_f(2)), "x is {}, not below {}", x, tt_i(2));
    const tt_val y = tt_mul(x, tt_f(2));
    tt_check(tt_gt(y, tt_f(0)), "y is {}", y);
    return y;
}
static tt_val unused(tt_val x)
{
    tt_check(tt_all(tt_gt(x, tt_f(-4))), "{{all}} of x");
    return tt_f(1);
}
static tt_val same(tt_val x) { return x; }
static tt_val branch(tt_val x) { return tt_cond(tt_gt(x, tt_f(0)), positive, same, x); }
static tt_val other(tt_val x) { return tt_cond(tt_gt(x, tt_f(0)), same, positive, x); }
static tt_val go(tt_val x) { return tt_lt(x, tt_f(8)); }
static tt_val twice(tt_val x)
{
    tt_check(tt_ne(x, tt_f(4)), "x is {}", x);
    return tt_mul(x, tt_f(2));
}
static tt_val doubled(tt_val x) { return tt_while(go, twice, x); }
static tt_val row(tt_val c, tt_val x) { return tt_tuple(tt_add(c, positive(x)), x); }
static tt_val scanned(tt_val x) { return tt_item(tt_scan(row, tt_f(0), x), 0); }
static tt_val step(tt_val i, tt_val x)
{
    tt_check(tt_lt(i, tt_i(3)), "i is {}", i);
    return tt_add(x, tt_f(1));
}
static tt_val counted(tt_val x) { return tt_fori(0, 5, step, x); }
static tt_val in_branch(tt_val x) { return tt_cond(tt_gt(x, tt_f(0)), counted, same, x); }
static tt_val again(tt_val x) { return tt_sum(tt_call(tt_remat(positive), x)); }
static tt_val block(tt_val x) { return positive(x); }

static void refused(const char *what, tt_val v, const char *line, const char *text)
{
    CHECK(!tt_ok() && strstr(tt_error(), text) && strstr(tt_error(), line), "%s: \"%s\" and \"%s\" are not in \"%s\"",
          what, text, line, tt_ok() ? tt_type_text(v) : tt_error());
    tt_clear();
}

static void fine(const char *what, tt_val v)
{
    CHECK(tt_ok(), "%s: %s", what, tt_ok() ? tt_type_text(v) : tt_error());
    tt_clear();
}

static void forms(tt_val x, tt_val good)
{
    const char *const line = "checks.c:12: tt_check(tt_gt(x, tt_f(0)), ";
    refused("eager", positive(x), line, "error: x is -3, at [2]");
    refused("a number", positive(tt_f(-2.5)), line, "error: x is -2.5\n");
    fine("eager, good", positive(good));
    refused("compiled", tt_call(tt_jit(positive), x), line, "x is -3, at [2]");
    fine("compiled, good", tt_call(tt_jit(positive), good));
    refused("of which nothing reads the result", tt_call(tt_jit(unused), x), "checks.c:25", "error: {all} of x\n");
    fine("the same, good", tt_call(tt_jit(unused), good));
    refused("the first", tt_call(tt_jit(two), x), "checks.c:18", "x is 2, not below 2, at [1]");
    refused("the second", tt_call(tt_jit(two), tt_neg(good)), "checks.c:20", "y is -2, at [0]");
    refused("gradient", tt_call(tt_jit(tt_grad(total)), x), line, "x is -3, at [2]");
    fine("gradient, good", tt_call(tt_jit(tt_grad(total)), good));
    refused("remat", tt_call(tt_jit(tt_grad(again)), x), line, "x is -3, at [2]");
    refused("map", tt_call(tt_jit(tt_vmap(positive)), tt_reshape(x, 2, 2)), line, "x is -3, at [1, 0]");
}

static void control(tt_val x, tt_val good)
{
    fine("a branch that does not run", tt_call(tt_jit(branch), tt_f(-1)));
    refused("a branch that runs", tt_call(tt_jit(other), tt_f(-1)), "checks.c:12", "x is -1");
    refused("while", tt_call(tt_jit(doubled), tt_f(1)), "checks.c:34", "x is 4");
    fine("while, good", tt_call(tt_jit(doubled), tt_f(3)));
    refused("scan", tt_call(tt_jit(scanned), x), "checks.c:12", "x is -3");
    fine("scan, good", tt_call(tt_jit(scanned), good));
    refused("fori", tt_call(tt_jit(counted), tt_f(0)), "checks.c:42", "i is 3");
    refused("gradient of a scan", tt_call(tt_jit(tt_grad(scanned)), x), "checks.c:12", "x is -3");
    fine("elements that take the branch", tt_call(tt_jit(tt_vmap(branch)), x));
    refused("an element of the other branch", tt_call(tt_jit(tt_vmap(other)), x), "checks.c:12", "x is -3, at [2]");
    fine("elements that are done", tt_call(tt_jit(tt_vmap(doubled)), tt_array(TT_F32, ((float[]){ 3, 16, 5 }), 3)));
    refused("one that is not", tt_call(tt_jit(tt_vmap(doubled)), tt_array(TT_F32, ((float[]){ 3, 16, 1 }), 3)),
            "checks.c:34", "x is 4, at [2]");
    refused("a loop in a branch of some", tt_call(tt_jit(tt_vmap(in_branch)), x), "in_branch", "tt_check in a ");
}

static void meshes(tt_val x, tt_val good)
{
    const tt_mesh mesh = tt_mesh("data:2");
    const tt_fn spread = tt_jit(positive, .mesh = mesh, .in = "data");
    refused("sharded", tt_call(spread, x), "checks.c:12", "x is -3, at [2]");
    refused("sharded", tt_call(spread, x), "checks.c:12", "on device data=1");
    fine("sharded, good", tt_call(spread, good));
    refused("a region", tt_call(tt_jit(tt_shard_map(block, .mesh = mesh, .in = "data", .out = "data")), x),
            "on device data=1", "x is -3, at [0]");
}

static void texts(tt_val x)
{
    const tt_val yes = tt_gt(x, tt_f(-9));
    tt_check(x, "no bool");
    refused("a number", x, "tt_check(x, ", "check: the predicate is f32[4]; expected bool");
    tt_check(yes, "x is {}");
    refused("no value", x, "tt_check(yes", "0 values for 1 places");
    tt_check(yes, "x", x);
    refused("no place", x, "tt_check(yes", "1 values for 0 places");
    tt_check(yes, "x is {", x);
    refused("half a place", x, "tt_check(yes", "a brace without its partner");
    tt_check(tt_all(yes), "x is {}", x);
    refused("too many elements", x, "tt_check(tt_all(yes)",
            "value 0 is f32[4], which does not broadcast to the predicate, bool[]");
    tt_check(yes, "x is {} of {} {} {}", x, tt_i(7), tt_complex(tt_f(1), tt_f(-2)), yes);
    fine("good", x);
    tt_check(tt_not(yes), "{} {} {}", tt_i(7), tt_complex(tt_f(1), tt_f(-2)), yes);
    refused("dtypes", x, "tt_check(tt_not(yes)", "error: 7 1-2j true, at [0]");
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "")) return check_done();
    const tt_val x = tt_array(TT_F32, some, 4), good = tt_array(TT_F32, ((float[]){ 1, 1, 1, 1 }), 4);
    forms(x, good), control(x, good), meshes(x, good), texts(x);
    return check_done() || (tt_clear(), tt_done());
}
