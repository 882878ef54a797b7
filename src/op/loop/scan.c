/* op/loop/scan.c - (carry, y[i]) = body(consts, carry, x[i]) for i = 0 .. length-1, or from length-1 down if reverse.
 *
 * Operands: consts | initial carry | xs, each with a leading dim of `length`. Results: carry | ys, stacked. The
 * derivative is two scans: a known one that stacks the residuals, and a linear one that has them as xs. The transpose
 * of the linear scan runs in the opposite direction, with the cotangents of consts summed in the carry. Both are scans,
 * so other files need no rules for the derivative of a loop. Residuals that exist without stacking (consts, values that
 * depend on consts only, xs, ys) are passed directly. */
#include "../build.h"
#include "../ops.h"

#include <string.h>

typedef op_scan_attr scan;

static bool scan_counts(const ir_eqn *e)
{
    const scan *a = IR_ATTR(e, scan);
    if (a->length > INT32_MAX)                           /* the iteration number is an i32 */
        return base_fail(TT_EARG, e->site, "scan: %lld iterations; at most 2^31 - 1 are allowed", (long long)a->length);
    if (a->length < 0 || a->num_consts < 0 || a->num_carry < 0 || a->num_consts > e->nin ||
        a->num_carry > e->nin - a->num_consts)
        return base_fail(TT_EARG, e->site, "scan: length %lld, %lld consts, %lld carries, %u operands",
                         (long long)a->length, (long long)a->num_consts, (long long)a->num_carry, e->nin);
    if (e->sub[0]->nret < a->num_carry)
        return base_fail(TT_ETYPE, e->site, "scan: the body returns %u values for %lld carries", e->sub[0]->nret,
                         (long long)a->num_carry);
    return true;
}

static bool scan_carries(const ir_eqn *e, const ir_type *const *x)
{
    const ir_fn *const body = e->sub[0];
    const uint32_t nc = (uint32_t)IR_ATTR(e, scan)->num_consts;
    for (uint32_t i = 0; i < IR_ATTR(e, scan)->num_carry; i++) {
        const ir_type *const t = body->type[body->ret[i]];
        if (x[nc + i] == t) continue;                    /* types are interned */
        base_arena *const a = base_open();
        base_fail(TT_ETYPE, e->site, "scan: carry %u begins as %s and is returned as %s", i, ir_type_text(a, x[nc + i]),
                  ir_type_text(a, t));
        base_close(a);
        return base_hint("tt_cast the initial carry, or the carry that the body returns");
    }
    return true;
}

static bool scan_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!scan_counts(e) || !scan_carries(e, x)) return false;
    const scan *a = IR_ATTR(e, scan);
    const ir_fn *const body = e->sub[0];
    const uint32_t fixed = (uint32_t)(a->num_consts + a->num_carry), nk = (uint32_t)a->num_carry;
    const ir_type *row[e->nin + 1];
    for (uint32_t i = 0; i < e->nin; i++) {
        row[i] = x[i];
        if (i < fixed) continue;
        if (x[i]->rank < 1 || x[i]->dim[0] != a->length)
            return base_fail(TT_ESHAPE, e->site, "scan: xs[%u] has %lld rows; expected %lld", i - fixed,
                             x[i]->rank ? (long long)x[i]->dim[0] : 0LL, (long long)a->length);
        row[i] = ir_type_as(x[i], x[i]->dtype, x[i]->rank - 1, x[i]->dim + 1);
    }
    if (!op_takes(e, 0, e->nin, row)) return false;
    for (uint32_t i = 0; i < body->nret; i++) {
        const ir_type *const t = body->type[body->ret[i]];
        int64_t dim[IR_RANK + 1] = { a->length };
        if (i >= nk && t->rank == IR_RANK)
            return base_fail(TT_ESHAPE, e->site,
                             "scan: ys[%u] has %d dims, the limit, and no place for that of the iterations", i - nk,
                                 IR_RANK);
        if (i >= nk && t->rank) memcpy(dim + 1, t->dim, (size_t)t->rank * sizeof *dim);
        y[i] = i < nk ? t : ir_type_as(t, t->dtype, t->rank + 1, dim);
    }
    return true;
}

static void scan_edges(const ir_eqn *e, op_edges *t)
{
    const scan *a = IR_ATTR(e, scan);
    const int nin = (int)e->nin, nout = (int)e->nout, nc = (int)a->num_consts, nk = (int)a->num_carry;
    for (int i = 0; i < nin; i++) {                      /* xs and ys: all dims but dim 0 */
        op_edge(t, i, OP_OPERAND, 0, i, i >= nc + nk);
        op_edge(t, i, OP_PARAM, 0, i, 0);
    }
    for (int i = 0; i < nout; i++) {
        const int group = i < nk ? nc + i : nin + i;
        op_edge(t, group, OP_RETURN, 0, i, 0);
        op_edge(t, group, OP_RESULT, 0, i, i >= nk);
    }
}

/* ---- derivative ---- */

/* The source of the linear scan's residual r. each: one value per iteration (xs, ys, or a value that the known scan
 * stacks for r); else a value outside of the loop (an operand, or a value that depends on consts only). */
typedef struct { ir_id id; bool each; } source;

/* Computes in b, once, the residuals that depend on consts only. at[id]: the value, or 0 if id depends on more. */
static ir_id *scan_outside(ir_build *b, const ir_eqn *e, const op_split *s, const ir_id *x)
{
    const ir_fn *const f = s->known;
    const uint32_t nc = (uint32_t)IR_ATTR(e, scan)->num_consts;
    ir_id *const at = IR_NEW(b, ir_id, f->nvalue + 2), *const in = IR_NEW(b, ir_id, f->nvalue + 1);
    bool *const same = IR_NEW(b, bool, f->nvalue + 2), *const need = IR_NEW(b, bool, f->nvalue + 2);
    for (uint32_t i = 1; i <= nc; i++) same[i] = true, at[i] = x[i - 1];
    for (uint32_t k = 0; k < f->neqn; k++) {
        bool all = !f->eqn[k].op->ordered && f->eqn[k].op->kernel != OP_EXCHANGE && !f->eqn[k].nsub;
        for (uint32_t i = 0; i < f->eqn[k].nin; i++) all &= same[f->eqn[k].in[i]];
        for (uint32_t j = 0; j < f->eqn[k].nout; j++) same[f->eqn[k].out + j] = all;
    }
    for (uint32_t r = 0; r < s->nres; r++) need[f->ret[e->nout + r]] = same[f->ret[e->nout + r]];
    for (uint32_t k = f->neqn; k-- > 0;) {
        bool any = false;
        for (uint32_t j = 0; j < f->eqn[k].nout; j++) any |= need[f->eqn[k].out + j];
        for (uint32_t j = 0; any && j < f->eqn[k].nout; j++) need[f->eqn[k].out + j] = true;
        for (uint32_t i = 0; any && i < f->eqn[k].nin; i++) need[f->eqn[k].in[i]] = true;
    }
    for (uint32_t k = 0; k < f->neqn; k++) {
        const ir_eqn *const q = &f->eqn[k];
        if (!q->nout || !need[q->out]) continue;
        for (uint32_t i = 0; i < q->nin; i++) in[i] = at[q->in[i]];
        const ir_id first = ir_clone(b, q, in);
        for (uint32_t j = 0; j < q->nout; j++) at[q->out + j] = first + j;
    }
    return at;
}

/* Emits the known scan and finds every residual's source. Returns the first result; 0: failed. */
static ir_id scan_known(ir_build *b, const ir_eqn *e, const op_split *s, const ir_id *x, source *from)
{
    const uint32_t nc = (uint32_t)IR_ATTR(e, scan)->num_consts, nk = (uint32_t)IR_ATTR(e, scan)->num_carry;
    ir_build *const body = ir_region(b, base_intern("known"));
    ir_id *const p = IR_NEW(b, ir_id, e->nin + 1), *const out = IR_NEW(b, ir_id, s->known->nret + 1);
    const ir_id *const ret = s->known->ret, *const outside = scan_outside(b, e, s, x);
    uint32_t *const result = IR_NEW(b, uint32_t, s->nres + 1), n = e->nout;
    for (uint32_t i = 0; i < e->nin; i++) p[i] = ir_arg(body, s->known->type[i + 1]);
    if (!ir_inline(body, s->known, p, out)) return 0;
    for (uint32_t r = 0; r < s->nres; r++) {
        const ir_id v = ret[e->nout + r];
        const bool xs = v > nc + nk && v <= e->nin;
        from[r] = (source){ xs ? x[v - 1] : outside[v], !outside[v] };
        if (from[r].id) continue;
        for (result[r] = nk; result[r] < e->nout && ret[result[r]] != v;) result[r]++;
        if (result[r] == e->nout) result[r] = n, out[n++] = out[e->nout + r];
    }
    ir_fn *const f = ir_end(body, n, out);
    const ir_id first = f ? ir_emit(b, e->op, IR_ATTR(e, scan), e->nin, x, 1, &f) : 0;
    for (uint32_t r = 0; r < s->nres; r++) if (!from[r].id) from[r].id = first + result[r];
    return first;
}

/* The linear body with its parameters in a scan's order: (tangents of consts, residuals from outside | tangents of
 * carries | tangents of xs, residuals of each iteration); s->linear takes (tangents, residuals). */
static ir_fn *scan_linear(ir_build *b, const ir_eqn *e, const op_split *s, const bool *in, const source *from)
{
    const uint32_t nc = (uint32_t)IR_ATTR(e, scan)->num_consts, nt = s->linear->narg - s->nres;
    ir_build *const body = ir_region(b, base_intern("linear"));
    ir_id *const arg = IR_NEW(b, ir_id, s->linear->narg + 1), *const out = IR_NEW(b, ir_id, s->linear->nret + 1);
    uint32_t t = 0;
    for (uint32_t i = 0; i < nc; i++) if (in[i]) arg[t] = ir_arg(body, s->linear->type[t + 1]), t++;
    for (uint32_t r = 0; r < s->nres; r++) if (!from[r].each) arg[nt + r] = ir_arg(body, s->linear->type[nt + r + 1]);
    for (; t < nt; t++) arg[t] = ir_arg(body, s->linear->type[t + 1]);
    for (uint32_t r = 0; r < s->nres; r++) if (from[r].each) arg[nt + r] = ir_arg(body, s->linear->type[nt + r + 1]);
    if (!ir_inline(body, s->linear, arg, out)) return NULL;
    return ir_end(body, s->linear->nret, out);
}

static bool scan_split(ir_build *b, const ir_eqn *e, bool *in, op_split *s)
{
    const uint32_t nc = (uint32_t)IR_ATTR(e, scan)->num_consts, nk = (uint32_t)IR_ATTR(e, scan)->num_carry;
    bool *const want = IR_NEW(b, bool, e->nout + 1), grew;
    do {                                                 /* a carry is active if its initial value or its update is */
        grew = false;
        for (uint32_t k = 0; k < nk; k++) want[k] = in[nc + k];
        if (!op_lifts(b)->linearize(b, e->sub[0], in, want, s)) return false;
        for (uint32_t k = 0; k < nk; k++) if (s->active[k] && !in[nc + k]) in[nc + k] = grew = true;
    } while (grew);
    return true;
}

static void scan_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const scan *a = IR_ATTR(e, scan);
    const uint32_t nc = (uint32_t)a->num_consts, nk = (uint32_t)a->num_carry;
    bool *const in = IR_NEW(b, bool, e->nin + 1);
    op_split s;
    for (uint32_t i = 0; i < e->nin; i++) in[i] = dx[i] != 0;
    if (!scan_split(b, e, in, &s)) return;

    source *const from = IR_NEW(b, source, s.nres + 1);
    const ir_id known = scan_known(b, e, &s, x, from);
    ir_fn *const body = known ? scan_linear(b, e, &s, in, from) : NULL;
    if (!body) return;
    for (uint32_t i = 0; i < e->nout; i++) y[i] = known + i;

    ir_id *const lin = IR_NEW(b, ir_id, e->nin + s.nres + 1);
    scan d = { .length = a->length, .reverse = a->reverse };
    uint32_t n = 0;
    for (uint32_t i = 0; i < nc; i++) if (in[i]) lin[n++] = op_ct(b, dx[i], IR_IN(e, i));
    for (uint32_t r = 0; r < s.nres; r++) if (!from[r].each) lin[n++] = from[r].id;
    d.num_consts = n;
    for (uint32_t i = nc; i < e->nin; i++) {
        if (!in[i]) continue;
        lin[n++] = op_ct(b, dx[i], IR_IN(e, i));
        d.num_carry += i < nc + nk;
    }
    for (uint32_t r = 0; r < s.nres; r++) if (from[r].each) lin[n++] = from[r].id;
    const ir_id dlin = ir_emit(b, e->op, &d, n, lin, 1, &body);
    for (uint32_t i = 0, j = 0; dlin && i < e->nout; i++) dy[i] = s.active[i] ? dlin + j++ : 0;
}

/* ---- transpose ---- */

/* The backward scan: carry = (sums of cotangents of linear consts | cotangents of the carry); xs = (other xs |
 * cotangents of ys). */
typedef struct {
    ir_build *body; uint32_t n, rest, sums; scan d;
    ir_id *op, *in, *sum;   /* operands; arguments of the transposed body; the sums so far */
} back;

static void back_operands(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, back *k)
{
    const scan *a = IR_ATTR(e, scan);
    const ir_fn *const f = e->sub[0];
    const uint32_t nc = (uint32_t)a->num_consts, nk = (uint32_t)a->num_carry, ny = e->nout - nk, nin = e->nin;
    for (uint32_t i = 0; i < nin; i++) k->rest += x[i] && (i < nc || i >= nc + nk);
    for (uint32_t i = 0; i < nc; i++)
        if (x[i]) k->op[k->n++] = x[i], k->in[k->d.num_consts++] = ir_arg(k->body, IR_IN(e, i));
    for (uint32_t i = 0; i < nc; i++)
        if (!x[i])
            k->op[k->n++] = op_zeros_as(b, IR_IN(e, i)), k->sum[k->sums++] = ir_arg(k->body, IR_IN(e, i)),
            k->d.num_carry++;
    for (uint32_t c = 0; c < nk; c++) {
        k->op[k->n++] = op_ct(b, ct[c], IR_OUT(e, c));
        k->in[k->rest + c] = ir_arg(k->body, IR_OUT(e, c));
    }
    uint32_t r = (uint32_t)k->d.num_consts;
    for (uint32_t i = nc + nk; i < nin; i++)
        if (x[i]) k->op[k->n++] = x[i], k->in[r++] = ir_arg(k->body, f->type[1 + i]);
    for (uint32_t j = 0; j < ny; j++) {
        k->op[k->n++] = op_ct(b, ct[nk + j], IR_OUT(e, nk + j));
        k->in[k->rest + nk + j] = ir_arg(k->body, f->type[f->ret[nk + j]]);
    }
}

static void scan_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    const scan *a = IR_ATTR(e, scan);
    const uint32_t nc = (uint32_t)a->num_consts, nk = (uint32_t)a->num_carry, nin = e->nin;
    bool *const linear = IR_NEW(b, bool, nin + 1);
    for (uint32_t i = 0; i < nin; i++) {
        /* A carry whose initial value is a constant (zeros) is linear too. */
        const bool carry = i >= nc && i < nc + nk;
        linear[i] = carry || !x[i];
        if (!carry || ir_dtype_of(IR_IN(e, i)->dtype)->cls >= IR_FLOAT_CLASS) continue;
        base_fail(TT_EGRAD, e->site, "scan: carry %u is %s, not a linear value, so the loop has no transpose", i - nc,
                  ir_dtype_of(IR_IN(e, i)->dtype)->name);
        base_hint("pass values that do not depend on the linear inputs as consts or as xs");
        return;
    }
    ir_fn *const t = op_lifts(b)->transpose(b, e->sub[0], linear);  /* (rest, ct carry, ct y) -> (consts, carry, xs) */
    if (!t) return;

    back k = { .body = ir_region(b, base_intern("backward")),
               .d = { .length = a->length, .num_carry = (int64_t)nk, .reverse = !a->reverse },
               .op = IR_NEW(b, ir_id, nin + e->nout + 1),
               .in = IR_NEW(b, ir_id, nin + e->nout + 1),
               .sum = IR_NEW(b, ir_id, nin + 1) };
    back_operands(b, e, x, ct, &k);
    ir_id *const out = IR_NEW(b, ir_id, t->nret + 1);
    if (!ir_inline(k.body, t, k.in, out)) return;
    for (uint32_t i = 0; i < k.sums; i++) out[i] = op_plus(k.body, k.sum[i], out[i]);
    ir_fn *const f = ir_end(k.body, t->nret, out);
    const ir_id first = f ? ir_emit(b, e->op, &k.d, k.n, k.op, 1, &f) : 0;
    for (uint32_t i = 0, j = 0; first && i < nin; i++) {
        if (!linear[i]) continue;                        /* sums, carry, xs: the same order */
        if (!x[i]) cx[i] = first + j;
        j++;
    }
}

/* ---- mapping, and the decomposition to a while ---- */

static void scan_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    const scan *a = IR_ATTR(e, scan);
    const uint32_t nc = (uint32_t)a->num_consts, nk = (uint32_t)a->num_carry;
    bool *const in = IR_NEW(b, bool, e->nin + 1), grew;
    ir_id *const op = IR_NEW(b, ir_id, e->nin + 1);
    ir_fn *f;
    memcpy(in, mapped, e->nin * sizeof *in);
    do {
        grew = false;
        for (uint32_t i = 0; i < e->nout; i++) out[i] = i < nk && in[nc + i];
        if (!(f = op_lifts(b)->batch(b, e->sub[0], in, out, n))) return;
        for (uint32_t k = 0; k < nk; k++) if (out[k] && !in[nc + k]) in[nc + k] = grew = true;
    } while (grew);
    for (uint32_t i = 0; i < e->nin; i++) {
        op[i] = in[i] && !mapped[i] ? op_spread(b, x[i], n) : x[i];
        if (i >= nc + nk && in[i]) op[i] = op_move(b, op[i], 0, 1);           /* the dim of iterations stays in front */
    }
    const ir_id first = ir_emit(b, e->op, a, e->nin, op, 1, &f);
    for (uint32_t i = 0; first && i < e->nout; i++) y[i] = i >= nk && out[i] ? op_move(b, first + i, 1, 0) : first + i;
}

/* A while that carries (i, consts, carry, xs, ys): StableHLO's form, in which invariant values are carried too. */
static bool scan_decompose(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y)
{
    const scan *a = IR_ATTR(e, scan);
    const uint32_t nk = (uint32_t)a->num_carry, fixed = (uint32_t)a->num_consts + nk, ny = e->nout - nk,
        n = 1 + e->nin + ny;
    ir_id *const in = IR_NEW(b, ir_id, n), *const p = IR_NEW(b, ir_id, n);
    ir_id *const arg = IR_NEW(b, ir_id, e->nin + 1), *const ret = IR_NEW(b, ir_id, e->nout + 1);
    in[0] = op_int(b, TT_I32, 0);
    memcpy(in + 1, x, e->nin * sizeof *x);
    for (uint32_t j = 0; j < ny; j++) in[1 + e->nin + j] = op_zeros_as(b, IR_OUT(e, nk + j));
    if (!a->length) {                                    /* no iterations, and no row of xs to read */
        memcpy(y, x + a->num_consts, nk * sizeof *y);
        memcpy(y + nk, in + 1 + e->nin, ny * sizeof *y);
        return true;
    }
    ir_build *const cond = ir_region(b, base_intern("cond")), *const body = ir_region(b, base_intern("body"));
    for (uint32_t i = 0; i < n; i++) p[i] = ir_arg(cond, ir_typeof(b, in[i]));
    const ir_id more = op_less(cond, p[0], op_int(cond, TT_I32, a->length));
    ir_fn *sub[2] = { ir_end(cond, 1, &more), NULL };

    for (uint32_t i = 0; i < n; i++) p[i] = ir_arg(body, ir_typeof(b, in[i]));
    const ir_id at = a->reverse ? op_sub(body, op_int(body, TT_I32, a->length - 1), p[0]) : p[0];
    for (uint32_t i = 0; i < e->nin; i++) arg[i] = i < fixed ? p[1 + i] : op_at(body, p[1 + i], at);
    if (!ir_inline(body, e->sub[0], arg, ret)) return false;
    for (uint32_t k = 0; k < nk; k++) p[1 + (uint32_t)a->num_consts + k] = ret[k];
    for (uint32_t j = 0; j < ny; j++) p[1 + e->nin + j] = op_update_at(body, p[1 + e->nin + j], at, ret[nk + j]);
    p[0] = op_add(body, p[0], op_int(body, TT_I32, 1));
    sub[1] = ir_end(body, n, p);
    if (!sub[0] || !sub[1]) return false;

    const ir_id first = ir_emit(b, &prim_while, NULL, n, in, 2, sub);
    for (uint32_t k = 0; k < nk; k++) y[k] = first + 1 + (uint32_t)a->num_consts + k;
    for (uint32_t j = 0; j < ny; j++) y[nk + j] = first + 1 + e->nin + j;
    return first != 0;
}

const op_prim prim_scan = {
    .name = "scan", .doc = "a loop of known length", .hlo = "", .call = "",
    .nin = -1, .nout = -1, .nsub = 1, .kernel = OP_LOOP, .states = true,
    .attr = sizeof(scan), .field = OP_FIELDS(IR_FIELD(scan, length, IR_INT), IR_FIELD(scan, num_consts, IR_INT),
                                             IR_FIELD(scan, num_carry, IR_INT), IR_FIELD(scan, reverse, IR_BOOL)),
    .type = scan_type, .edges = scan_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = scan_jvp, .transpose = scan_transpose, .batch = scan_batch, .decompose = scan_decompose,
    .ref = op_ref_decomposed, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("scan f32[2], f32[], f32[3,2] {length=3, num_consts=1, num_carry=1} (w f32[2], c f32[], "
                      "x f32[2]) { p = mul w, x; s = dot_general w, x {lhs_contracting_dimensions=[0], "
                      "rhs_contracting_dimensions=[0], preferred_element_type=f32}; "
                      "d = add c, s; return d, p }"),
};
