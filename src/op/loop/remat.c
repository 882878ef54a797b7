/* op/loop/remat.c - a function whose backward pass saves few values and rematerialises the others.
 *
 * Saved are operands, and what the policy names (jax.checkpoint_policies), as far as the backward pass needs them. The
 * derivative is the function itself (with the results of custom rules, if it has any), which returns what is to be
 * saved too, and one remat_linear equation for the linear part. Its known region computes the residuals from what is
 * saved: the equations between the two, no others. The transpose runs that region again, after a barrier. A loop inside
 * the function is saved as a whole or not at all: policies do not look into its body. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef struct { base_name policy; } attr;                /* NULL: nothing is saved but operands */

/* True if the list of names in parentheses, "(a, b)", has the name. */
static bool policy_names(const char *list, base_name name)
{
    const size_t n = name ? strlen(name) : 0;
    while (*list && *list != ')') {
        list += strspn(list, "(, ");
        const size_t m = strcspn(list, ",)");
        if (n == m && m && !memcmp(list, name, m)) return true;
        list += m;
    }
    return false;
}

/* True if the policy lets the equation's results be saved. */
static bool saveable(base_name policy, const ir_eqn *e)
{
    const size_t n = strcspn(policy, "( ");
    const char *const list = policy + n;
    const base_name name = e->op == &prim_checkpoint_name ? *(const base_name *)e->attr : NULL;
    if (!strncmp(policy, "everything_saveable", n)) return true;
    if (!strncmp(policy, "nothing_saveable", n)) return false;
    if (!strncmp(policy, "dots_saveable", n)) return e->op == &prim_dot_general || e->op == &prim_convolution;
    if (!strncmp(policy, "dots_with_no_batch_dims_saveable", n))
        return e->op == &prim_dot_general && !IR_ATTR(e, op_dot_attr)->lhs_batching_dimensions.n;
    if (!strncmp(policy, "save_only_these_names", n)) return name && policy_names(list, name);
    if (!strncmp(policy, "save_any_names_but_these", n)) return name && !policy_names(list, name);
    return !name || !policy_names(list, name);                 /* save_anything_except_these_names */
}

static bool remat_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const f = e->sub[0];
    if (!op_takes(e, 0, e->nin, x)) return false;
    for (uint32_t j = 0; j < f->nret; j++) y[j] = f->type[f->ret[j]];
    return true;
}

static void remat_edges(const ir_eqn *e, op_edges *t)
{
    const int nin = (int)e->nin;
    for (int i = 0; i < nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0), op_edge(t, i, OP_PARAM, 0, i, 0);
    for (int j = 0; j < (int)e->nout; j++)
        op_edge(t, nin + j, OP_RETURN, 0, j, 0), op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

/* What the backward pass computes again of the known function: (operands) -> (results, residuals). The last nret - nres
 * .. nret results are residuals. need: the value is an operand or is computed again; saved: it is handed over. */
typedef struct { const ir_fn *known; uint32_t nres; bool *need, *saved; uint32_t nsaved; } cut;

static void cut_find(cut *c, base_name policy)
{
    const ir_fn *const f = c->known;
    for (uint32_t r = f->nret - c->nres; r < f->nret; r++) c->need[f->ret[r]] = true;
    for (uint32_t k = f->neqn; k-- > 0;) {
        const ir_eqn *const e = &f->eqn[k];
        const bool keep = policy && saveable(policy, e);
        bool again = ir_ordered(e);                      /* what only shows values shows them again, as in JAX */
        for (uint32_t j = 0; j < e->nout; j++) {
            const ir_id v = e->out + j;
            if (c->need[v] && keep) c->need[v] = false, c->saved[v] = true, c->nsaved++;
            again |= c->need[v];
        }
        for (uint32_t i = 0; again && i < e->nin; i++) c->need[e->in[i]] = true;
    }
}

/* Copies the equations of the known function that `only` asks for; NULL: all. */
static bool cut_copy(ir_build *b, const cut *c, const bool *only, ir_id *at)
{
    for (uint32_t k = 0; k < c->known->neqn; k++) {
        const ir_eqn *const e = &c->known->eqn[k];
        ir_id *const x = IR_NEW(b, ir_id, e->nin + 1);
        bool used = !only || ir_ordered(e);
        for (uint32_t j = 0; only && j < e->nout; j++) used |= only[e->out + j];
        if (!used) continue;
        const base_site site = ir_site(b, e->site);
        for (uint32_t i = 0; i < e->nin; i++) x[i] = at[e->in[i]];
        const ir_id first = ir_clone(b, e, x);
        ir_site(b, site);
        if (!first && e->nout) return false;
        for (uint32_t j = 0; j < e->nout; j++) if (!only || only[e->out + j]) at[e->out + j] = first + j;
    }
    return true;
}

/* True if derivatives of f compute results of their own, by a rule of the user. */
static bool cut_replaces(const ir_fn *f)
{
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const e = &f->eqn[k];
        if (op_rule_replaces(e)) return true;
        for (uint32_t i = 0; i < e->nsub; i++) if (cut_replaces(e->sub[i])) return true;
    }
    return false;
}

/* Replaces the results of e by those of a remat of the known function, which returns what is saved too. What shows
 * values shows them in e itself. */
static bool cut_save(ir_build *b, const ir_eqn *e, const cut *c, const ir_id *x, ir_id *y, ir_id *save)
{
    const ir_fn *const f = c->known;
    ir_build *const d = ir_region(b, base_intern("saving"));
    ir_id *const at = IR_NEW(b, ir_id, f->nvalue + 2), *const ret = IR_NEW(b, ir_id, e->nout + c->nsaved + 1);
    uint32_t n = e->nout;
    for (uint32_t i = 1; i <= f->narg; i++) at[i] = ir_arg(d, f->type[i]);
    if (!cut_copy(d, c, NULL, at)) return false;
    for (uint32_t j = 0; j < e->nout; j++) ret[j] = at[f->ret[j]];
    for (ir_id v = 1; v <= f->nvalue; v++) if (c->saved[v]) ret[n++] = at[v];
    ir_fn *const all = ir_end(d, n, ret), *const g = all ? op_unwatched(b, e->site, all) : NULL;
    const ir_id first = g ? ir_emit(b, e->op, e->attr, e->nin, x, 1, &g) : 0;
    for (uint32_t j = 0; first && j < n; j++) *(j < e->nout ? &y[j] : save++) = first + j;
    return first != 0;
}

/* The region (operands that are needed, saved values) -> residuals. */
static ir_fn *cut_again(ir_build *b, const cut *c)
{
    const ir_fn *const f = c->known;
    ir_build *const d = ir_region(b, base_intern("again"));
    ir_id *const at = IR_NEW(b, ir_id, f->nvalue + 2), *const ret = IR_NEW(b, ir_id, c->nres + 1);
    for (uint32_t i = 1; i <= f->narg; i++) if (c->need[i]) at[i] = ir_arg(d, f->type[i]);
    for (ir_id v = 1; v <= f->nvalue; v++) if (c->saved[v]) at[v] = ir_arg(d, f->type[v]);
    if (!cut_copy(d, c, c->need, at)) return NULL;
    for (uint32_t r = 0; r < c->nres; r++) ret[r] = at[f->ret[f->nret - c->nres + r]];
    return ir_end(d, c->nres, ret);
}

static void remat_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    bool *const in = IR_NEW(b, bool, e->nin + 1);
    op_split s;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = dx[i] != 0;
    if (!op_unwatched(b, e->site, e->sub[0])) return;
    if (!op_lifts(b)->linearize(b, e->sub[0], in, NULL, &s) || !s.linear->nret) return;
    cut c = { s.known, s.nres, IR_NEW(b, bool, s.known->nvalue + 2), IR_NEW(b, bool, s.known->nvalue + 2), 0 };
    cut_find(&c, IR_ATTR(e, attr)->policy);
    ir_id *const op = IR_NEW(b, ir_id, 2 * e->nin + c.nsaved + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->nin; i++) if (c.need[1 + i]) op[n++] = x[i];
    if ((c.nsaved || cut_replaces(e->sub[0])) && !cut_save(b, e, &c, x, y, op + n)) return;
    n += c.nsaved;
    const uint32_t nx = n;
    for (uint32_t i = 0; i < e->nin; i++) if (in[i]) op[n++] = dx[i];
    ir_fn *const sub[2] = { cut_again(b, &c), s.linear };
    if (!sub[0]) return;
    const ir_id first = ir_emit(b, &prim_remat_linear, &(op_custom_linear_attr){ nx }, n, op, 2, sub);
    for (uint32_t j = 0, k = first; first && j < e->nout; j++) dy[j] = s.active[j] ? k++ : 0;
}

static void remat_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    op_transpose_inline(b, e->sub[0], x, ct, cx);
}

static void remat_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                        bool *out)
{
    memset(out, 0, e->nout);
    ir_fn *const f = op_lifts(b)->batch(b, e->sub[0], mapped, out, n);
    const ir_id first = f ? ir_emit(b, e->op, e->attr, e->nin, x, 1, &f) : 0;
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

static bool remat_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    return ir_inline(b, e->sub[0], x, y);
}

static bool remat_ref(const ir_eqn *e, const ir_box *x, const ir_box *y) { return ir_eval(e->sub[0], x, y); }

const op_prim prim_remat = {
    .name = "remat", .doc = "a function that its backward pass computes again", .hlo = "", .call = "",
    .nin = -1, .nout = -1, .nsub = 1, .kernel = OP_CALL, .states = true,
    .attr = sizeof(attr), .field = OP_FIELDS(IR_FIELD(attr, policy, IR_NAME)),
    .type = remat_type, .edges = remat_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = remat_jvp, .transpose = remat_transpose, .batch = remat_batch, .decompose = remat_decompose,
    .ref = remat_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("remat f32[3], f32[3] (a f32[3], b f32[3]) { c = mul a, b; d = sin c; return d, a }",
                      "remat f32[3] {policy=dots_saveable} (a f32[3]) { b = sin a; c = exp b; return c }",
                      "remat f32[3] {policy=\"save_only_these_names(b)\"} (a f32[3]) { s = sin a; "
                      "b = checkpoint_name s {name=b}; c = exp b; return c }"),
};
