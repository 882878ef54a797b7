/* op/host/host.c - common to primitives that call a function of C: types, layouts, mapping, and the call itself.
 *
 * The function sees complete values, so the rule replicates every dim; a partitioned call sees what each device has.
 * Mapped one after the other (and always where there is no result), an equation keeps one call per element: the new dim
 * becomes a lead dim of the attribute, and operands that are not mapped are not copied. Mapped all at once, an operand
 * gets the new dim itself, of size 1 or n, and the function sees one dim more. */
#include "../build.h"

#include <string.h>

static const char *const methods[] = { "none", "sequential", "expand_dims", "broadcast_all", NULL };
const ir_field op_host_fields[] = {
    IR_FIELD(op_host_attr, call, IR_HOST), IR_FIELD(op_host_attr, user, IR_HOST), IR_FIELD(op_host_attr, env, IR_HOST),
    IR_FIELD(op_host_attr, name, IR_NAME), IR_FIELD(op_host_attr, results, IR_DIMS),
    IR_FIELD(op_host_attr, lead, IR_DIMS), IR_FIELD(op_host_attr, has, IR_DIMS),
    { "vmap_method", IR_ENUM, offsetof(op_host_attr, vmap_method), methods },
    IR_FIELD(op_host_attr, partitioned, IR_BOOL), { 0 },
};

/* ---- types ---- */

int op_host_result(const ir_type *t, int64_t *to)
{
    to[0] = t->dtype, to[1] = t->rank;
    if (t->rank) memcpy(to + 2, t->dim, (size_t)t->rank * sizeof *to);
    return 2 + t->rank;
}

/* The lead dims that operand i has. */
static int leads(const op_host_attr *a, uint32_t i)
{
    return i < (uint32_t)a->has.n ? __builtin_popcountll((uint64_t)a->has.v[i]) : 0;
}

bool op_host_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const op_host_attr *const a = IR_ATTR(e, op_host_attr);
    int64_t dim[2 * IR_RANK + 1];
    uint32_t j = 0;
    if (a->lead.n > IR_RANK)
        return base_fail(TT_ESHAPE, e->site, "%s under %d nested maps; at most %d are allowed", e->op->name, a->lead.n,
                         IR_RANK);
    for (uint32_t i = 0; i < e->nin; i++) {
        if (leads(a, i) > x[i]->rank) return base_bug(e->site, "%s: operand %u lacks a lead dim", e->op->name, i);
        for (int k = 0, d = 0; i < (uint32_t)a->has.n && k < a->lead.n; k++)
            if (a->has.v[i] >> k & 1 && x[i]->dim[d++] != a->lead.v[k])
                return base_bug(e->site, "%s: lead dim %d of operand %u has another size", e->op->name, k, i);
    }
    for (int i = 0; i + 1 < a->results.n; i += 2 + (int)a->results.v[i + 1]) {
        const int rank = (int)a->results.v[i + 1];
        if (a->lead.n + rank > IR_RANK)
            return base_fail(TT_ESHAPE, e->site, "%s: a mapped result has %d dims; at most %d are allowed", e->op->name,
                             a->lead.n + rank, IR_RANK);
        if (a->lead.n) memcpy(dim, a->lead.v, (size_t)a->lead.n * sizeof *dim);
        if (rank) memcpy(dim + a->lead.n, a->results.v + i + 2, (size_t)rank * sizeof *dim);
        if (!(y[j++] = ir_type_of((tt_dtype)a->results.v[i], a->lead.n + rank, dim))) return false;
    }
    return true;
}

/* Dims of the same number and size are one factor, as there are only so many. */
void op_host_rules(const ir_eqn *e, op_rule *r)
{
    const op_factor_kind kind = IR_ATTR(e, op_host_attr)->partitioned ? OP_PASS_THROUGH : OP_NEED_REPLICATION;
    struct { int d, factor; int64_t size; } seen[OP_FACTORS];
    int n = 0;
    for (uint32_t t = 0; t < e->nin + e->nout; t++) {
        const ir_type *const x = t < e->nin ? IR_IN(e, t) : IR_OUT(e, t - e->nin);
        for (int d = 0; d < x->rank; d++) {
            int k = 0;
            while (k < n && (seen[k].d != d || seen[k].size != x->dim[d])) k++;
            if (k == n && n == OP_FACTORS) continue;
            if (k == n) seen[n].d = d, seen[n].size = x->dim[d], seen[n++].factor = op_factor(r, x->dim[d], kind);
            op_dim(r, (int)t, d, seen[k].factor);
        }
    }
}

/* ---- transforms ---- */

void op_host_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    (void)b, (void)x, (void)y, (void)dx;
    for (uint32_t j = 0; j < e->nout; j++) dy[j] = 0;
    if (!e->nout) return;
    base_fail(TT_EGRAD, e->site, "%s: the function of C has no derivative", e->op->name);
    base_hint("give the function that calls it a rule with tt_custom_jvp or tt_custom_vjp, or tt_stop_gradient its "
              "operands");
}

/* The attribute with one more lead dim. */
static op_host_attr one_by_one(ir_build *b, const ir_eqn *e, const bool *mapped, int64_t n)
{
    op_host_attr a = *IR_ATTR(e, op_host_attr);
    int64_t *const has = IR_NEW(b, int64_t, e->nin + 1), *const lead = IR_NEW(b, int64_t, a.lead.n + 1);
    for (uint32_t i = 0; i < e->nin; i++) has[i] = (i < (uint32_t)a.has.n ? a.has.v[i] << 1 : 0) | mapped[i];
    if (a.lead.n) memcpy(lead + 1, a.lead.v, (size_t)a.lead.n * sizeof *lead);
    lead[0] = n;
    a.lead = (ir_dims){ a.lead.n + 1, lead }, a.has = (ir_dims){ (int)e->nin, has };
    return a;
}

/* The attribute whose results have a new dim 0; operands that are not mapped get it too: of size 1, or n copies. */
static op_host_attr all_at_once(ir_build *b, const ir_eqn *e, const bool *mapped, int64_t n, ir_id *in)
{
    op_host_attr a = *IR_ATTR(e, op_host_attr);
    int64_t *const to = IR_NEW(b, int64_t, a.results.n + (int)e->nout + 1);
    int m = 0;
    for (int i = 0; i + 1 < a.results.n; i += 2 + (int)a.results.v[i + 1]) {
        const int64_t rank = a.results.v[i + 1];
        to[m] = a.results.v[i], to[m + 1] = rank + 1, to[m + 2] = n;
        if (rank) memcpy(to + m + 3, a.results.v + i + 2, (size_t)rank * sizeof *to);
        m += 3 + (int)rank;
    }
    a.results = (ir_dims){ m, to };
    for (uint32_t i = 0; i < e->nin; i++)
        if (!mapped[i]) in[i] = op_spread(b, in[i], a.vmap_method == OP_VMAP_EXPAND_DIMS ? 1 : n);
    return a;
}

void op_host_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const int64_t method = IR_ATTR(e, op_host_attr)->vmap_method;
    ir_id *const in = IR_NEW(b, ir_id, e->nin + 1);
    if (e->nout && method == OP_VMAP_NONE) {
        base_fail(TT_EARG, e->site, "vmap of %s, whose call gives no .vmap_method", e->op->name);
        base_hint(".vmap_method is \"sequential\": a call for each element; \"expand_dims\", \"broadcast_all\": one "
                  "call with a new dim 0");
        return;
    }
    memcpy(in, x, e->nin * sizeof *in);
    const bool each = !e->nout || method == OP_VMAP_SEQUENTIAL;
    const op_host_attr a = each ? one_by_one(b, e, mapped, n) : all_at_once(b, e, mapped, n, in);
    const ir_id first = ir_emit(b, e->op, &a, e->nin, in, 0, NULL);
    for (uint32_t j = 0; first && j < e->nout; j++) y[j] = first + j, out[j] = true;
}

/* ---- the call ---- */

/* The part of a box that belongs to element i of the lead dims of which `has` says which it has. */
static ir_box element(const ir_box *x, int nlead, uint64_t has, const int64_t *i)
{
    const size_t bytes = ir_dtype_of(x->dtype)->bytes;
    ir_box y = *x;
    int n = 0;
    for (int k = 0; k < nlead; k++)
        if (has >> k & 1) y.at = (char *)y.at + i[k] * x->step[n] * (int64_t)bytes, n++;
    y.rank = x->rank - n;
    for (int d = 0; d < y.rank; d++) y.lo[d] = x->lo[n + d], y.n[d] = x->n[n + d], y.step[d] = x->step[n + d];
    return y;
}

bool op_host_run(base_site site, const op_host_attr *a, uint32_t nin, const ir_box *x, uint32_t nout, const ir_box *y,
                 bool apart)
{
    int64_t i[IR_RANK] = { 0 }, left = 1;
    ir_box box[nin + nout + 1];
    if (!a->lead.n) return a->call(site, a, nin, x, nout, y, apart);
    for (int k = 0; k < a->lead.n; k++) left *= a->lead.v[k];
    for (; left > 0; left--) {
        for (uint32_t k = 0; k < nin; k++) box[k] = element(&x[k], a->lead.n, (uint64_t)a->has.v[k], i);
        for (uint32_t k = 0; k < nout; k++) box[nin + k] = element(&y[k], a->lead.n, ~(uint64_t)0, i);
        if (!a->call(site, a, nin, box, nout, box + nin, apart)) return false;
        for (int k = a->lead.n; k-- > 0 && ++i[k] == a->lead.v[k];) i[k] = 0;
    }
    return true;
}

bool op_host_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    return op_host_run(e->site, IR_ATTR(e, op_host_attr), e->nin, x, e->nout, y, false);
}
