/* not_a_number.c - TUTTI=nan and TUTTI=inf: the first equation that makes what a result holds, with its line, element,
 * iterations and device; what is no error: NaN that comes in, is written, or that a select leaves out. */
#include "check.h"

#include <math.h>
#include <tutti.h>

static const float some[4] = { 1, 4, -9, 16 };

static tt_val logs(tt_val x) { return tt_log(x); }
static tt_val also_logs(tt_val x) { return tt_log(x); }
static tt_val deep(tt_val x)
{
    const tt_val r = tt_sqrt(x);
    return tt_mul(tt_exp(tt_neg(r)), tt_f(2));
}
static tt_val masked(tt_val x) { return tt_where(tt_gt(x, tt_f(0)), tt_log(x), tt_f(0)); }
static tt_val written(tt_val x) { return tt_where(tt_gt(x, tt_f(0)), x, tt_f(NAN)); }
static tt_val folded(tt_val x) { return tt_add(x, tt_log(tt_full(-1, TT_F32, 4))); }
static tt_val quotient(tt_val x) { return tt_div(x, tt_sub(x, x)); }
static tt_val length(tt_val x) { return tt_sum(tt_sqrt(tt_mul(x, x))); }

static tt_val lower(tt_val i, tt_val x) { return (void)i, tt_sqrt(tt_sub(x, tt_f(1))); }
static tt_val looped(tt_val x) { return tt_fori(0, 10, lower, x); }
static tt_val inner(tt_val i, tt_val x) { return (void)i, tt_sub(x, tt_f(1)); }
static tt_val outer(tt_val i, tt_val x) { return (void)i, tt_sqrt(tt_fori(0, 3, inner, x)); }
static tt_val nested(tt_val x) { return tt_fori(0, 4, outer, x); }
static tt_val row(tt_val sum, tt_val x) { return tt_tuple(tt_add(sum, x), tt_log(x)); }
static tt_val scanned(tt_val x) { return tt_item(tt_scan(row, tt_f(0), x), 1); }
static tt_val mends(tt_val i, tt_val x) { return (void)i, tt_where(tt_lt(x, tt_f(0)), x, tt_log(x)); }
static tt_val mended(tt_val x) { return tt_fori(0, 100, mends, x); }
static tt_val block(tt_val x) { return tt_psum(tt_sqrt(x), "data"); }
static tt_val cases(tt_val x) { return tt_cond(tt_lt(tt_sum(x), tt_f(0)), logs, deep, x); }

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

static void eager(tt_val x)
{
    fine("a logarithm", tt_log(tt_abs(x)));
    refused("log", tt_log(x), "tt_log(x)", "log makes a NaN of operands without one, at [2] of its result");
    char line[64];
    snprintf(line, sizeof line, "not_a_number.c:%d: ", __LINE__ + 1);
    refused("log again", tt_log(x), line, "log makes a NaN");        /* the same program, another line */
    fine("infinity", tt_log(tt_zeros(TT_F32, 2)));
    fine("a NaN of an argument", tt_add(tt_array(TT_F32, ((float[]){ NAN, 1 }), 2), tt_f(1)));
    refused("narrow", tt_log(tt_cast(x, TT_BF16)), "TT_BF16", "log makes a NaN");
    const tt_val nothing = tt_complex(tt_zeros(TT_F32, 2), tt_zeros(TT_F32, 2));
    refused("complex", tt_div(nothing, nothing), "tt_div(nothing, nothing)", "makes a NaN");
}

static void compiled(tt_val x)
{
    refused("deep", tt_call(tt_jit(deep), x), "tt_sqrt(x)", "sqrt makes a NaN of operands without one, at [2] of");
    fine("masked", tt_call(tt_jit(masked), x));
    fine("written", tt_call(tt_jit(written), x));
    refused("constants", tt_call(tt_jit(folded), x), "tt_log(tt_full", "log makes a NaN of operands without one");
    refused("quotient", tt_call(tt_jit(quotient), tt_zeros(TT_F32, 2)), "tt_div(x, ", "div makes a NaN");
    refused("logs", tt_call(tt_jit(logs), x), "not_a_number.c:10: ", "log makes a NaN");
    refused("of equal content", tt_call(tt_jit(also_logs), x), "not_a_number.c:11: ", "log makes a NaN");
    refused("slope", tt_call(tt_jit(tt_grad(length)), tt_zeros(TT_F32, 3)), "tt_mul(x, x)", "makes a NaN");
    refused("branch", tt_call(tt_jit(cases), x), "tt_sqrt(x)", "sqrt makes a NaN");
    refused("mapped", tt_call(tt_jit(tt_vmap(deep)), tt_reshape(x, 2, 2)), "tt_sqrt(x)", "at [1, 0] of its result");
}

static void loops(tt_val x)
{
    refused("fori", tt_call(tt_jit(looped), tt_f(7)), "tt_sqrt(tt_sub", "in iteration 3, counted from 0");
    refused("fori", tt_call(tt_jit(looped), tt_f(7)), "tt_fori(0, 10, lower, x)", "sqrt makes a NaN");
    refused("nested", tt_call(tt_jit(nested), tt_f(11)), "tt_sqrt(tt_fori", "in iteration 1, counted from 0");
    refused("scan", tt_call(tt_jit(scanned), x), "tt_log(x)", "in iteration 2, counted from 0");
    refused("eager loop", looped(tt_f(7)), "tt_sqrt(tt_sub", "sqrt makes a NaN");
    fine("mended", tt_call(tt_jit(mended), x));
}

static void meshes(tt_val x)
{
    const tt_mesh mesh = tt_mesh("data:2, model:2");
    const tt_val wide = tt_broadcast(tt_expand_dims(x, 1), 4, 4);
    refused("sharded", tt_call(tt_jit(deep, .mesh = mesh, .in = "data, model"), wide), "tt_sqrt(x)",
            "at [2, 0] of its result on device data=1, model=0");
    refused("eager, sharded", tt_sqrt(tt_shard(x, mesh, "model")), "tt_sqrt(tt_shard", "on device model=1");
    refused("shard_map", tt_call(tt_jit(tt_shard_map(block, .mesh = mesh, .in = "data", .out = "_")), x), "tt_sqrt(x)",
            "on device data=1");
    fine("masked", tt_call(tt_jit(masked, .mesh = mesh, .in = "data"), x));
}

static tt_val rate(tt_val x) { return tt_div(tt_f(1), x); }
static tt_val softmax(tt_val x) { return tt_softmax(tt_where(tt_gt(x, tt_f(0)), x, tt_f(-INFINITY))); }
static void infinities(tt_val x)
{
    refused("inf", tt_call(tt_jit(rate), tt_zeros(TT_F32, 2)), "tt_div(tt_f(1), x)", "div makes an infinity");
    refused("eager inf", tt_exp(tt_full(1000, TT_F32, 2)), "tt_exp(tt_full", "exp makes an infinity");
    fine("a mask of infinities", tt_call(tt_jit(softmax), x));
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "")) return check_done();
    const tt_val x = tt_array(TT_F32, some, 4);
    const tt_fn before = tt_jit(deep);
    fine("without the switch", tt_call(before, x)), fine("without the switch", tt_log(x));
    CHECK(tt_config("nan") && tt_config_value("nan"), "%s", tt_error());
    refused("compiled before", tt_call(before, x), "tt_sqrt(x)", "sqrt makes a NaN");
    eager(x), compiled(x), loops(x), meshes(x);
    CHECK(tt_config("inf"), "%s", tt_error());
    infinities(x);
    return check_done() || (tt_clear(), tt_done());
}
