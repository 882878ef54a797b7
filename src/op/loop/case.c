/* op/loop/case.c - one of several regions by an index: branches[index](operands...).
 *
 * index: i32[] or bool[] (false: branch 0, true: branch 1); an index out of range selects the last branch. All branches
 * have the same parameter and result types. Derivative: each branch is split into a known and a linear part; the known
 * case returns the union of the branches' residuals (slots that a branch does not use hold zeros), and the linear case
 * reads them. A residual that is an operand is passed a second time instead. If the index is mapped, all branches run
 * and the results are selected. */
#include "guard.h"

#include "../ops.h"

#include <string.h>

static bool case_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    if (!e->nsub || !e->nin)
        return base_fail(TT_EARG, e->site, "case: %u operands and %u branches; expected an index, and 1 or more",
                         e->nin, e->nsub);
    if (x[0]->rank || (x[0]->dtype != TT_I32 && x[0]->dtype != TT_BOOL))
        return op_expected(e, TT_ETYPE, "the index", OP_ONLY, x[0], "one i32 or bool", NULL);
    for (uint32_t s = 0; s < e->nsub; s++) {
        const ir_fn *const f = e->sub[s], *const g = e->sub[0];
        if (!op_takes(e, s, e->nin - 1, x + 1)) return false;
        if (f->nret != g->nret)
            return base_fail(TT_ETYPE, e->site, "case: branch 0 returns %u values and branch %u returns %u", g->nret, s,
                             f->nret);
        for (uint32_t j = 0; j < f->nret; j++) {
            y[j] = g->type[g->ret[j]];
            if (x[0]->vary & ~y[j]->vary)
                return base_fail(TT_ETYPE, e->site, "case: the index varies over axes over which result %u does not",
                                 j);
            if (f->type[f->ret[j]] == y[j]) continue;
            base_arena *const a = base_open();
            base_fail(TT_ETYPE, e->site, "case: result %u is %s in branch 0 and %s in branch %u", j,
                      ir_type_text(a, y[j]), ir_type_text(a, f->type[f->ret[j]]), s);
            base_close(a);
            return base_hint("all branches must return the same types: convert with tt_cast, or broadcast, in one of "
                             "them");
        }
    }
    return true;
}

static void case_edges(const ir_eqn *e, op_edges *t)
{
    const int nin = (int)e->nin;
    op_chosen_by(t, OP_OPERAND, 0, 0);
    for (int s = 0; s < (int)e->nsub; s++) {
        for (int i = 1; i < nin; i++) op_edge(t, i, OP_PARAM, s, i - 1, 0);
        for (int j = 0; j < (int)e->nout; j++) op_edge(t, nin + j, OP_RETURN, s, j, 0);
    }
    for (int i = 0; i < nin; i++) op_edge(t, i, OP_OPERAND, 0, i, 0);
    for (int j = 0; j < (int)e->nout; j++) op_edge(t, nin + j, OP_RESULT, 0, j, 0);
}

/* ---- derivative ---- */

/* Slots for residuals: a slot is an operand of the case, or a value of a type that branches return. */
typedef struct { const ir_type *type; uint32_t operand; } slot;
typedef struct { uint32_t n; slot *at; uint32_t **of; } slots;   /* of[branch][residual]: its slot */

static void slots_fill(ir_build *b, const ir_eqn *e, const op_split *s, slots *u)
{
    uint32_t cap = 0;
    for (uint32_t k = 0; k < e->nsub; k++) cap += s[k].nres;
    u->at = IR_NEW(b, slot, cap + 1);
    u->of = IR_NEW(b, uint32_t *, e->nsub);
    bool *const used = IR_NEW(b, bool, cap + 1);
    for (uint32_t k = 0; k < e->nsub; k++) {
        const ir_fn *const f = s[k].known;
        u->of[k] = IR_NEW(b, uint32_t, s[k].nres + 1);
        memset(used, 0, cap + 1);
        for (uint32_t r = 0; r < s[k].nres; r++) {
            const ir_id v = f->ret[e->nout + r];
            const ir_type *const t = ir_type_vary(f->type[v], (mesh_set)(f->type[v]->vary | IR_IN(e, 0)->vary));
            /* parameter v is operand v, as the index is operand 0 */
            const uint32_t operand = v <= f->narg ? v : 0;
            uint32_t i = 0;
            while (i < u->n && (used[i] || u->at[i].type != t || u->at[i].operand != operand)) i++;
            if (i == u->n) u->at[u->n++] = (slot){ t, operand };
            used[i] = true;
            u->of[k][r] = i;
        }
    }
}

static ir_fn *case_known(ir_build *b, const ir_eqn *e, const op_split *s, const slots *u, uint32_t k)
{
    ir_build *const d = ir_region(b, base_intern("branch"));
    ir_id *const p = IR_NEW(b, ir_id, e->nin), *const out = IR_NEW(b, ir_id, s->known->nret + 1);
    ir_id *const ret = IR_NEW(b, ir_id, e->nout + u->n + 1), *const hold = IR_NEW(b, ir_id, u->n + 1);
    uint32_t n = e->nout;
    for (uint32_t i = 0; i + 1 < e->nin; i++) p[i] = ir_arg(d, e->sub[k]->type[i + 1]);
    if (!ir_inline(d, s->known, p, out)) return NULL;
    memcpy(ret, out, e->nout * sizeof *ret);
    for (uint32_t r = 0; r < s->nres; r++) hold[u->of[k][r]] = out[e->nout + r];
    for (uint32_t i = 0; i < u->n; i++) if (!u->at[i].operand) ret[n++] = op_ct(d, hold[i], u->at[i].type);
    return ir_end(d, n, ret);
}

static ir_fn *case_linear(ir_build *b, const op_split *s, const slots *u, uint32_t k, uint32_t ntangent)
{
    ir_build *const d = ir_region(b, base_intern("branch"));
    ir_id *const arg = IR_NEW(b, ir_id, ntangent + s->nres + 1), *const hold = IR_NEW(b, ir_id, u->n + 1);
    ir_id *const out = IR_NEW(b, ir_id, s->linear->nret + 1);
    const ir_type **const type = IR_NEW(b, const ir_type *, ntangent + s->nres + 1);
    for (uint32_t i = 0; i < ntangent; i++) arg[i] = ir_arg(d, type[i] = s->linear->type[i + 1]);
    for (uint32_t i = 0; i < u->n; i++) hold[i] = ir_arg(d, u->at[i].type);
    for (uint32_t r = 0; r < s->nres; r++)
        arg[ntangent + r] = hold[u->of[k][r]], type[ntangent + r] = u->at[u->of[k][r]].type;
    const ir_fn *const linear = op_varying(ir_build_arena(b), s->linear, type);
    if (!linear || !ir_inline(d, linear, arg, out)) return NULL;
    return ir_end(d, s->linear->nret, out);
}

static bool case_split(ir_build *b, const ir_eqn *e, const bool *in, bool *want, op_split *s)
{
    bool grew;
    do {                                                 /* a result is active if it is active in any branch */
        grew = false;
        for (uint32_t k = 0; k < e->nsub; k++) {
            if (!op_lifts(b)->linearize(b, e->sub[k], in, want, &s[k])) return false;
            for (uint32_t j = 0; j < e->nout; j++) if (s[k].active[j] && !want[j]) want[j] = grew = true;
        }
    } while (grew);
    return true;
}

static void case_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    bool *const in = IR_NEW(b, bool, e->nin), *const want = IR_NEW(b, bool, e->nout + 1);
    op_split *const s = IR_NEW(b, op_split, e->nsub);
    ir_fn **const sub = IR_NEW(b, ir_fn *, e->nsub);
    slots u = { 0 };
    uint32_t n = 1;
    for (uint32_t i = 1; i < e->nin; i++) in[i - 1] = dx[i] != 0;
    if (!case_split(b, e, in, want, s)) return;
    slots_fill(b, e, s, &u);
    for (uint32_t k = 0; k < e->nsub; k++) if (!(sub[k] = case_known(b, e, &s[k], &u, k))) return;
    const ir_id known = ir_emit(b, e->op, NULL, e->nin, x, e->nsub, sub);
    if (!known) return;
    for (uint32_t j = 0; j < e->nout; j++) y[j] = known + j;

    ir_id *const lin = IR_NEW(b, ir_id, e->nin + u.n + 1);
    ir_id next = known + e->nout;
    lin[0] = x[0];
    for (uint32_t i = 1; i < e->nin; i++) if (dx[i]) lin[n++] = dx[i];
    const uint32_t ntangent = n - 1;
    for (uint32_t i = 0; i < u.n; i++) lin[n++] = u.at[i].operand ? x[u.at[i].operand] : next++;
    for (uint32_t k = 0; k < e->nsub; k++) if (!(sub[k] = case_linear(b, &s[k], &u, k, ntangent))) return;
    const ir_id dlin = ir_emit(b, e->op, NULL, n, lin, e->nsub, sub);
    for (uint32_t j = 0, r = 0; dlin && j < e->nout; j++) dy[j] = want[j] ? dlin + r++ : 0;
}

static void case_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    bool *const linear = IR_NEW(b, bool, e->nin);
    ir_id *const in = IR_NEW(b, ir_id, e->nin + e->nout + 1);
    ir_fn **const sub = IR_NEW(b, ir_fn *, e->nsub);
    uint32_t n = 1;
    in[0] = x[0];
    for (uint32_t i = 1; i < e->nin; i++) {
        linear[i - 1] = !x[i];
        if (x[i]) in[n++] = x[i];
    }
    for (uint32_t j = 0; j < e->nout; j++) in[n++] = op_ct(b, ct[j], IR_OUT(e, j));
    for (uint32_t k = 0; k < e->nsub; k++) if (!(sub[k] = op_lifts(b)->transpose(b, e->sub[k], linear))) return;
    ir_id next = ir_emit(b, e->op, NULL, n, in, e->nsub, sub);
    for (uint32_t i = 1; next && i < e->nin; i++) if (linear[i - 1]) cx[i] = next++;
}

/* ---- mapping ---- */

/* True for the elements that take branch k; of the last one also those whose index is out of range. */
static ir_id case_takes(ir_build *b, ir_id index, uint32_t k, bool last)
{
    const ir_type *const t = ir_typeof(b, index);
    if (!last) return op_equal(b, index, op_splat(b, t, k));
    const ir_id low = op_compare(b, OP_CMP_LT, index, op_zeros(b, t));
    const ir_id high = op_compare(b, OP_CMP_GE, index, op_splat(b, t, k));
    return ir_emit(b, &prim_or, NULL, 2, (const ir_id[]){ low, high }, 0, NULL);
}

static void case_select(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y)
{
    bool *const out = IR_NEW(b, bool, e->nout + 1), *const in = IR_NEW(b, bool, e->nin + 1);
    ir_id *const r = IR_NEW(b, ir_id, e->nout + 1), *const op = IR_NEW(b, ir_id, e->nin + 1);
    const ir_id index = op_convert(b, x[0], TT_I32);
    for (uint32_t k = e->nsub; k-- > 0;) {               /* an index out of range selects the last branch */
        for (uint32_t j = 0; j < e->nout; j++) out[j] = true;
        const bool last = k + 1 == e->nsub, guarded = guard_checks(e->sub[k]);
        const ir_id here = !last || guarded ? case_takes(b, index, k, last) : 0;
        ir_fn *const sub = guarded ? guard_region(b, e->sub[k]) : e->sub[k];
        memcpy(in, mapped + 1, e->nin - 1);
        memcpy(op, x + 1, (e->nin - 1) * sizeof *op);
        in[e->nin - 1] = true, op[e->nin - 1] = here;    /* read by a guarded branch */
        ir_fn *const f = sub ? op_lifts(b)->batch(b, sub, in, out, n) : NULL;
        if (!f || !ir_inline(b, f, op, r)) return;
        for (uint32_t j = 0; j < e->nout; j++) {
            const ir_type *const t = ir_typeof(b, r[j]);
            const ir_type *const mask = ir_type_of(TT_BOOL, t->rank, t->dim);
            y[j] = last ? r[j]
                                    : op_select(b, op_broadcast(b, here, mask, 1, (const int64_t[]){ 0 }), r[j], y[j]);
        }
    }
}

static void case_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y, bool *out)
{
    ir_fn **const sub = IR_NEW(b, ir_fn *, e->nsub);
    bool *const found = IR_NEW(b, bool, e->nout + 1), grew;
    for (uint32_t j = 0; j < e->nout; j++) out[j] = mapped[0];
    if (mapped[0]) {
        case_select(b, e, x, mapped, n, y);
        return;
    }
    do {
        grew = false;
        for (uint32_t k = 0; k < e->nsub; k++) {
            memcpy(found, out, e->nout);
            if (!(sub[k] = op_lifts(b)->batch(b, e->sub[k], mapped + 1, found, n))) return;
            for (uint32_t j = 0; j < e->nout; j++) if (found[j] && !out[j]) out[j] = grew = true;
        }
    } while (grew);
    const ir_id first = ir_emit(b, e->op, NULL, e->nin, x, e->nsub, sub);
    for (uint32_t j = 0; j < e->nout; j++) y[j] = first + j;
}

static bool case_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    const ir_num i = ir_load(&x[0], (const int64_t[]){ 0 });
    const int64_t k = x[0].dtype == TT_BOOL ? (int64_t)i.b : i.i;
    return ir_eval(e->sub[k < 0 || k >= e->nsub ? e->nsub - 1 : k], x + 1, y);
}

const op_prim prim_case = {
    .name = "case", .doc = "one of several branches by an index", .hlo = "stablehlo.case", .call = "",
    .nin = -1, .nout = -1, .nsub = -1, .kernel = OP_CASE, .states = true,
    .type = case_type, .edges = case_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = case_jvp, .transpose = case_transpose, .batch = case_batch, .decompose = op_decompose_none,
    .ref = case_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("case i32[], f32[3] (x f32[3]) { y = sin x; return y } (x f32[3]) { y = mul x, x; return y } "
                      "(x f32[3]) { return x }",
                      "case bool[], f32[], f32[] (x f32[], y f32[]) { return x } (x f32[], y f32[]) { z = mul x, y; "
                      "return z }"),
};
