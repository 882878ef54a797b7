/* op/loop/custom_jvp.c - a function with a derivative given by the user.
 *
 * Regions: f (x) -> y, and a rule of one of three kinds:
 * - (x, tangents of smooth x) -> (y, tangents of smooth y): replaces f where a tangent arrives (operands without a
 *   tangent have zeros);
 * - (x, y, tangents of smooth x) -> tangents of smooth y: is added to f and reads y as f computes it; the tangent of y
 *   is the rule's;
 * - (x, y, tangents of smooth x) -> (y, tangents of smooth y): reads y as f computes it, and replaces y.
 * Smooth: of floating or complex dtype. The rule must be linear in the tangents, and is transposed like any other
 * equations. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

static bool smooth(const ir_type *t) { return ir_dtype_of(t->dtype)->cls >= IR_FLOAT_CLASS; }

static bool returns_results(const ir_fn *f, const ir_fn *rule)   /* True if the rule is of the first or third kind */
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < f->nret; j++) n += smooth(f->type[f->ret[j]]);
    return rule->nret != n;
}

bool op_rule_replaces(const ir_eqn *e)
{
    return e->op == &prim_custom_vjp || (e->op == &prim_custom_jvp && returns_results(e->sub[0], e->sub[1]));
}

/* True if the rule is of the second or third kind. */
static bool reads_results(const ir_fn *f, const ir_fn *rule)
{
    uint32_t n = f->narg;
    for (uint32_t i = 1; i <= f->narg; i++) n += smooth(f->type[i]);
    return f->nret && (rule->narg > n || !returns_results(f, rule));
}

/* What makes "f32[]" of a plain scalar's text. */
static const char *brackets(const ir_type *t) { return t->rank || t->vary || t->partial || t->reduced ? "" : "[]"; }

/* True if the rule's k-th value has type t; else sets the error. */
static bool is_type(const ir_eqn *e, const ir_fn *rule, uint32_t k, const ir_type *t, const char *what, uint32_t j)
{
    const ir_type *const got = k < rule->nret ? rule->type[rule->ret[k]] : NULL;
    if (got == t) return true;
    base_arena *a = base_open();
    base_fail(TT_ETYPE, e->site, "%s: the rule's %s %u is %s%s, not %s%s",
              returns_results(e->sub[0], rule) ? "custom_jvp" : "custom_tangent", what, j,
              got ? ir_type_text(a, got) : "missing", got ? brackets(got) : "", ir_type_text(a, t), brackets(t));
    return base_close(a), false;
}

static bool custom_jvp_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const f = e->sub[0], *const rule = e->sub[1];
    const bool reads = reads_results(f, rule), returns = returns_results(f, rule);
    uint32_t n = e->nin, m = returns ? f->nret : 0;
    const ir_type *in[2 * e->nin + f->nret + 1];
    if (!op_takes(e, 0, e->nin, x)) return false;
    memcpy(in, x, e->nin * sizeof *in);
    for (uint32_t j = 0; j < f->nret && reads; j++) in[n++] = f->type[f->ret[j]];
    for (uint32_t i = 0; i < e->nin; i++) if (smooth(x[i])) in[n++] = x[i];
    if (!op_takes(e, 1, n, in)) return false;
    for (uint32_t j = 0; j < f->nret; j++) {
        y[j] = f->type[f->ret[j]];
        if (returns && !is_type(e, rule, j, y[j], "result", j)) return false;
        if (smooth(y[j]) && !is_type(e, rule, m++, y[j], "tangent of result", j)) return false;
    }
    if (m != rule->nret)
        return base_fail(TT_ETYPE, e->site, "custom_jvp: the rule returns %u values instead of %u", rule->nret, m);
    return true;
}

static void custom_jvp_edges(const ir_eqn *e, op_edges *t)
{
    const int nin = (int)e->nin;
    op_unlisted(t);
    for (int i = 0; i < nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0), op_edge(t, i, OP_PARAM, 0, i, 0);
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_RETURN, 0, j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

static void custom_jvp_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const bool reads = reads_results(e->sub[0], e->sub[1]), returns = returns_results(e->sub[0], e->sub[1]);
    ir_id *const in = IR_NEW(b, ir_id, 2 * e->nin + e->nout + 1), *const out = IR_NEW(b, ir_id, 2 * e->nout + 1);
    uint32_t n = e->nin, m = returns ? e->nout : 0;
    memcpy(in, x, e->nin * sizeof *in);
    for (uint32_t j = 0; j < e->nout && reads; j++) in[n++] = y[j];
    for (uint32_t i = 0; i < e->nin; i++) if (smooth(IR_IN(e, i))) in[n++] = op_ct(b, dx[i], IR_IN(e, i));
    if (!ir_inline(b, e->sub[1], in, out)) return;
    for (uint32_t j = 0; j < e->nout; j++) {
        if (returns) y[j] = out[j];
        dy[j] = smooth(IR_OUT(e, j)) ? out[m++] : 0;
    }
}

static void custom_jvp_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    op_transpose_inline(b, e->sub[0], x, ct, cx);
}

static void custom_jvp_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                             bool *out)
{
    const ir_fn *const rule = e->sub[1];
    const bool reads = reads_results(e->sub[0], rule), returns = returns_results(e->sub[0], rule);
    const uint32_t own = returns ? e->nout : 0;          /* number of the rule's results before its tangents */
    bool *const in = IR_NEW(b, bool, rule->narg + 1), *const found = IR_NEW(b, bool, rule->nret + 1), grew;
    ir_fn *sub[2];
    uint32_t k = e->nin + (reads ? e->nout : 0);
    memcpy(in, mapped, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) if (smooth(IR_IN(e, i))) in[k++] = mapped[i];
    memset(out, 0, e->nout);
    do {    /* until f, the rule's values and the rule's tangents agree on which are mapped */
        grew = false;
        if (!(sub[0] = op_lifts(b)->batch(b, e->sub[0], mapped, out, n))) return;
        if (reads) memcpy(in + e->nin, out, e->nout);
        if (returns) memcpy(found, out, e->nout);
        for (uint32_t j = 0, m = own; j < e->nout; j++) if (smooth(IR_OUT(e, j))) found[m++] = out[j];
        if (!(sub[1] = op_lifts(b)->batch(b, e->sub[1], in, found, n))) return;
        for (uint32_t j = 0, m = own; j < e->nout; j++) {
            const bool is = (returns && found[j]) | (smooth(IR_OUT(e, j)) && found[m++]);
            if (is && !out[j]) out[j] = grew = true;
        }
    } while (grew);
    const ir_id first = ir_emit(b, e->op, NULL, e->nin, x, 2, sub);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

static bool custom_jvp_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return ir_inline(b, e->sub[0], x, y);
}

static bool custom_jvp_ref(const ir_eqn *e, const ir_box *x, const ir_box *y) { return ir_eval(e->sub[0], x, y); }

const op_prim prim_custom_jvp = {
    .name = "custom_jvp", .doc = "a function with a derivative of its own", .hlo = "", .call = "",
    .nin = -1, .nout = -1, .nsub = 2, .kernel = OP_CALL, .states = true,
    .type = custom_jvp_type, .edges = custom_jvp_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = custom_jvp_jvp, .transpose = custom_jvp_transpose, .batch = custom_jvp_batch,
    .decompose = custom_jvp_decompose,
    .ref = custom_jvp_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("custom_jvp f32[3] (x f32[3]) { y = sin x; return y } "
                      "(x f32[3], d f32[3]) { y = sin x; c = cos x; e = mul c, d; return y, e }",
                      "custom_jvp f32[3] (x f32[3]) { y = exp x; return y } "
                      "(x f32[3], y f32[3], d f32[3]) { e = mul y, d; return e }",
                      "custom_jvp f32[3] (x f32[3]) { y = exp x; return y } "
                      "(x f32[3], y f32[3], d f32[3]) { e = mul y, d; z = exp x; return z, e }"),
};
