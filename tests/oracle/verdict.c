/* oracle/verdict.c - kind `verdict`: small regions that are accepted, with their value, or refused. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static tt_val identity(tt_val x) { return x; }
static tt_val sum1(tt_val x) { return tt_sum(x, .over = "1"); }
static tt_val sum1_keep(tt_val x) { return tt_sum(x, .over = "1", .keep = 1); }
static tt_val psum_y(tt_val x) { return tt_psum(x, "y"); }
static tt_val psum_y_sum(tt_val x) { return tt_psum(tt_sum(x, .over = "1"), "y"); }
static tt_val gather_x(tt_val x) { return tt_all_gather(x, "x"); }
static tt_val psum_q(tt_val x) { return tt_psum(x, "q"); }
static tt_val index_q(tt_val x) { return tt_add(x, tt_cast(tt_axis_index("q"), tt_dtype_of(x))); }
static tt_val first(tt_val x, tt_val y) { (void)y; return x; }
static tt_val twice_to(tt_val x) { return tt_ppermute(x, "x", "0>1, 1>1"); }
static tt_val twice_from(tt_val x) { return tt_ppermute(x, "x", "0>1, 0>2"); }
static tt_val out_of_range(tt_val x) { return tt_ppermute(x, "x", "0>4"); }
static tt_val scatter_untiled(tt_val x) { return tt_psum_scatter(x, "x", .stack = 1); }
static tt_val scatter_tiled(tt_val x) { return tt_psum_scatter(x, "x"); }
static tt_val all_to_all(tt_val x) { return tt_all_to_all(x, "x", .split = 0, .concat = 1); }
static tt_val gather_dim3(tt_val x) { return tt_all_gather(x, "x", .dim = 3); }
static tt_val psum_twice(tt_val x) { return tt_psum(x, "x, x"); }
static tt_val add(tt_val a, tt_val b) { return tt_add(a, b); }
static tt_val negated(tt_val x) { return tt_neg(x); }
static tt_val choose(tt_val x) { return tt_cond(tt_gt(tt_axis_index("x"), tt_i(1)), identity, negated, x); }

typedef tt_val one(tt_val);
static const struct { const char *body; one *f; tt_val (*g)(tt_val, tt_val); } bodies[] = {
    { "identity", identity, NULL }, { "sum over dim 1", sum1, NULL }, { "sum over dim 1, keep", sum1_keep, NULL }, { "psum over y", psum_y, NULL },
    { "all_gather tiled over x", gather_x, NULL }, { "psum over q", psum_q, NULL }, { "x + axis_index over q", index_q, NULL },
    { "first argument", NULL, first }, { "ppermute 0>1 1>1", twice_to, NULL }, { "ppermute 0>1 0>2", twice_from, NULL },
    { "ppermute 0>4", out_of_range, NULL }, { "psum_scatter untiled", scatter_untiled, NULL }, { "psum_scatter tiled", scatter_tiled, NULL },
    { "all_to_all 0 1", all_to_all, NULL }, { "all_gather dim 3", gather_dim3, NULL }, { "psum over x,x", psum_twice, NULL },
    { "a + b", NULL, add }, { "cond(axis_index > 1, x, -x)", choose, NULL },
};

static const char *specs(const json_t *list, char *to, size_t size)
{
    *to = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = oracle_notation(json_string_value(json_array_get(list, i)));
        snprintf(to + strlen(to), size - strlen(to), "%s;", *s ? s : "_");
    }
    return to;
}

void oracle_verdict(oracle_case *c)
{
    const json_t *p = c->params;
    const char *body = oracle_text(p, "body", "");
    char in[256], out[256];
    if (!strcmp(body, "psum over x outside any region")) {
        psum_q(c->nin ? oracle_in(c, 0) : tt_f(1));
        return;
    }
    const tt_mesh mesh = tt_mesh(oracle_notation(oracle_text(p, "mesh", "")));
    specs(json_object_get(p, "in_specs"), in, sizeof in);
    specs(json_object_get(p, "out_specs"), out, sizeof out);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        if (strcmp(bodies[i].body, body)) continue;
        one *f = bodies[i].f;
        if (f == psum_y && strstr(in, "y") && c->nout && oracle_named_dims(c, oracle_out_name(c, 0), (int64_t[14]){ 0 }) == 1) f = psum_y_sum;
        const tt_shard_map_opts o = { .size = sizeof o, .mesh = mesh, .in = in, .out = out, .unchecked = !oracle_flag(p, "check") };
        const tt_fn g = tt_shard_map_at(0, f ? tt_fn_of1("body", f) : tt_fn_of2("body", bodies[i].g), &o);
        tt_val x[2];
        for (int k = 0; k < c->nin && k < 2; k++) x[k] = oracle_in(c, k);
        const tt_val y = tt_call_n(0, g, c->nin, x);
        if (c->nout && tt_ok()) oracle_expect(c, 0, y);
        return;
    }
    oracle_skip(c, body);
}
