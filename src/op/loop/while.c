/* op/loop/while.c - carry = body(carry) while cond(carry). StableHLO's form: invariant values are carried too.
 *
 * Forward mode adds a second loop that carries values and tangents, so that the first loop stays known; what only
 * shows values is left out of the second loop. Reverse mode
 * would need the carries of all iterations, whose number is unknown: it is an error that names the loops which support
 * reverse mode. Mapped over a predicate that differs per element, the loop runs while the predicate holds for any
 * element, and keeps the carries of the elements for which it does not hold. */
#include "guard.h"

#include "../ops.h"

#include <string.h>

static bool while_type(const ir_eqn *e, const ir_type *const *x, const ir_type **y)
{
    const ir_fn *const cond = e->sub[0], *const body = e->sub[1];
    if (!op_takes(e, 0, e->nin, x) || !op_takes(e, 1, e->nin, x)) return false;
    if (cond->nret != 1)
        return base_fail(TT_ETYPE, e->site, "while: the condition returns %u values; expected one bool", cond->nret);
    const ir_type *const test = cond->type[cond->ret[0]];
    if (test->dtype != TT_BOOL || test->rank)
        return op_expected(e, TT_ETYPE, "the result of the condition", OP_ONLY, test, "one bool", NULL);
    if (body->nret != e->nin)
        return base_fail(TT_ETYPE, e->site, "while: the body returns %u values for %u carries", body->nret, e->nin);
    for (uint32_t i = 0; i < e->nin; i++) {
        y[i] = x[i];
        if (test->vary & ~x[i]->vary && !op_invariant(body, i))
            return base_fail(TT_ETYPE, e->site, "while: the condition varies over axes over which carry %u does not",
                             i);
        if (body->type[body->ret[i]] == x[i]) continue;
        base_arena *const a = base_open();
        base_fail(TT_ETYPE, e->site, "while: carry %u begins as %s and is returned as %s", i, ir_type_text(a, x[i]),
                  ir_type_text(a, body->type[body->ret[i]]));
        base_close(a);
        return base_hint("tt_cast the initial carry, or the carry that the body returns");
    }
    return true;
}

static void while_edges(const ir_eqn *e, op_edges *t)
{
    op_chosen_by(t, OP_RETURN, 0, 0);
    for (int i = 0; i < (int)e->nin; i++) {
        op_edge(t, i, OP_OPERAND, 0, i, 0);
        op_edge(t, i, OP_PARAM, 0, i, 0);
        op_edge(t, i, OP_PARAM, 1, i, 0);
        op_edge(t, i, OP_RETURN, 1, i, 0);
        op_edge(t, i, OP_RESULT, 0, i, 0);
    }
}

static void while_jvp(ir_build *b, const ir_eqn *e, const ir_id *x, ir_id *y, const ir_id *dx, ir_id *dy)
{
    const uint32_t n = e->nin;
    bool *const in = IR_NEW(b, bool, n + 1), grew;
    ir_id *const op = IR_NEW(b, ir_id, 2 * n + 1), *const p = IR_NEW(b, ir_id, 2 * n + 1);
    ir_id more;
    op_split s;
    (void)y;
    for (uint32_t i = 0; i < n; i++) in[i] = dx[i] != 0;
    do {                                                 /* a carry is active if its initial value or its update is */
        grew = false;
        if (!op_lifts(b)->linearize(b, e->sub[1], in, in, &s)) return;
        for (uint32_t i = 0; i < n; i++) if (s.active[i] && !in[i]) in[i] = grew = true;
    } while (grew);

    ir_fn *const again = op_unwatched(b, e->site, e->sub[0]), *const known = op_unwatched(b, e->site, s.known);
    if (!again || !known) return;
    uint32_t m = n;
    memcpy(op, x, n * sizeof *op);
    for (uint32_t i = 0; i < n; i++) if (in[i]) op[m++] = op_ct(b, dx[i], IR_IN(e, i));
    ir_build *const cond = ir_region(b, base_intern("cond")), *const body = ir_region(b, base_intern("body"));
    for (uint32_t i = 0; i < m; i++) p[i] = ir_arg(cond, ir_typeof(b, op[i]));
    if (!ir_inline(cond, again, p, &more)) return;
    ir_fn *sub[2] = { ir_end(cond, 1, &more), NULL };

    ir_id *const out = IR_NEW(b, ir_id, s.known->nret + 1), *const lin = IR_NEW(b, ir_id, s.linear->narg + 1);
    for (uint32_t i = 0; i < m; i++) p[i] = ir_arg(body, ir_typeof(b, op[i]));
    if (!ir_inline(body, known, p, out)) return;
    memcpy(lin, p + n, (m - n) * sizeof *lin);
    memcpy(lin + (m - n), out + n, s.nres * sizeof *lin);
    if (!ir_inline(body, s.linear, lin, p + n)) return;
    memcpy(p, out, n * sizeof *p);
    sub[1] = ir_end(body, m, p);
    if (!sub[0] || !sub[1]) return;
    const ir_id first = ir_emit(b, e->op, NULL, m, op, 2, sub);
    for (uint32_t i = 0, k = first + n; first && i < n; i++) dy[i] = in[i] ? k++ : 0;
}

static void while_transpose(ir_build *b, const ir_eqn *e, const ir_id *x, const ir_id *ct, ir_id *cx)
{
    (void)b; (void)x; (void)ct; (void)cx;
    base_fail(TT_EGRAD, e->site,
        "reverse mode through a while loop: the number of its iterations is not known beforehand");
    base_hint("use tt_scan or tt_fori with a fixed length, or forward mode (tt_jvp)");
}

/* The loop for a mapped predicate: cond is the "or" over the elements; the body keeps the carries of elements whose
 * predicate is false. A guarded body has one more parameter than carries. */
static bool while_masked(ir_build *b, uint32_t k, ir_fn *cond, ir_fn *body, ir_fn **sub)
{
    ir_build *const c = ir_region(b, base_intern("cond")), *const d = ir_region(b, base_intern("body"));
    ir_id *const p = IR_NEW(b, ir_id, k + 1), *const out = IR_NEW(b, ir_id, k + 1);
    ir_id test;
    for (uint32_t i = 0; i < k; i++) p[i] = ir_arg(c, body->type[i + 1]);
    if (!ir_inline(c, cond, p, &test)) return false;
    const ir_id any = op_reduce_dims(c, &prim_or, test, 1, (const int64_t[]){ 0 });
    sub[0] = ir_end(c, 1, &any);
    for (uint32_t i = 0; i < k; i++) p[i] = ir_arg(d, body->type[i + 1]);
    if (!ir_inline(d, cond, p, &test)) return false;
    p[k] = test;                                         /* read by a guarded body */
    if (!ir_inline(d, body, p, out)) return false;
    for (uint32_t i = 0; i < k; i++) {
        const ir_type *const t = body->type[i + 1];
        if (out[i] == p[i]) continue;                    /* invariant; may be not mapped */
        const ir_id mask = op_broadcast(d, test, ir_type_of(TT_BOOL, t->rank, t->dim), 1, (const int64_t[]){ 0 });
        out[i] = op_select(d, mask, out[i], p[i]);
    }
    sub[1] = ir_end(d, k, out);
    return sub[0] && sub[1];
}

static void while_batch(ir_build *b, const ir_eqn *e, const ir_id *x, const bool *mapped, int64_t n, ir_id *y,
                        bool *out)
{
    const uint32_t k = e->nin;
    bool *const in = IR_NEW(b, bool, k + 1), *const want = IR_NEW(b, bool, k + 1), masked = false, grew;
    ir_id *const op = IR_NEW(b, ir_id, k + 1);
    ir_fn *sub[2];
    memcpy(in, mapped, k);
    do {
        grew = masked = false;
        if (!(sub[0] = op_lifts(b)->batch(b, e->sub[0], in, &masked, n))) return;
        for (uint32_t i = 0; i < k; i++) want[i] = in[i] || (masked && !op_invariant(e->sub[1], i));
        if (!(sub[1] = op_lifts(b)->batch(b, e->sub[1], in, want, n))) return;
        for (uint32_t i = 0; i < k; i++) if (want[i] && !in[i]) in[i] = grew = true;
    } while (grew);
    if (masked && guard_checks(e->sub[1])) {
        ir_fn *const body = guard_region(b, e->sub[1]);
        in[k] = true;
        if (!body || !(sub[1] = op_lifts(b)->batch(b, body, in, want, n))) return;
    }
    if (masked && !while_masked(b, k, sub[0], sub[1], sub)) return;
    for (uint32_t i = 0; i < k; i++) op[i] = in[i] && !mapped[i] ? op_spread(b, x[i], n) : x[i];
    const ir_id first = ir_emit(b, e->op, NULL, k, op, 2, sub);
    for (uint32_t i = 0; i < k; i++) y[i] = first + i, out[i] = in[i];
}

typedef struct { const ir_eqn *e; const ir_box *x, *y; ir_box *from, *to; bool ok; } iterations;

static void while_iterate(void *arg)
{
    iterations *const t = arg;
    const uint32_t n = t->e->nin;
    bool more;
    const ir_box test = ir_box_of(&more, TT_BOOL, 0, NULL, NULL);
    for (uint32_t i = 0; i < n; i++) if (!ir_copy(&t->x[i], &t->from[i])) return;
    for (;;) {
        if (!ir_eval(t->e->sub[0], t->from, &test)) return;
        if (!more) break;
        if (!ir_eval(t->e->sub[1], t->from, t->to)) return;
        ir_box *const swap = t->from;
        t->from = t->to;
        t->to = swap;
    }
    for (uint32_t i = 0; i < n; i++) if (!ir_copy(&t->from[i], &t->y[i])) return;
    t->ok = true;
}

static bool while_ref(const ir_eqn *e, const ir_box *x, const ir_box *y)
{
    size_t bytes = 0, at = 0;
    for (uint32_t i = 0; i < e->nin; i++)
        bytes += ((size_t)ir_box_count(&x[i]) * ir_dtype_of(x[i].dtype)->bytes + 15) / 16 * 32;
    char *const buffer = base_heap(bytes + 2 * (e->nin + 1) * sizeof(ir_box));
    if (!buffer) return false;
    ir_box *const box = (ir_box *)(void *)(buffer + bytes);
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < e->nin; i++) {
            box[s * e->nin + i] = ir_box_of(buffer + at, x[i].dtype, x[i].rank, x[i].lo, x[i].n);
            at += ((size_t)ir_box_count(&x[i]) * ir_dtype_of(x[i].dtype)->bytes + 15) / 16 * 16;
        }
    iterations t = { e, x, y, box, box + e->nin, false };
    const bool captured = base_catch(while_iterate, &t);
    base_heap_free(buffer);
    return captured && t.ok;
}

const op_prim prim_while = {
    .name = "while", .doc = "a loop until its condition fails", .hlo = "stablehlo.while", .call = "",
    .nin = -1, .nout = -1, .nsub = 2, .kernel = OP_LOOP, .states = true,
    .type = while_type, .edges = while_edges, .linear = op_nonlinear, .partial = op_partial_none,
    .jvp = while_jvp, .transpose = while_transpose, .batch = while_batch, .decompose = op_decompose_none,
    .ref = while_ref, .exchange = op_exchange_none, .prog = op_prog_none,
    .cases = OP_CASES("while f32[3], f32[] (x f32[3], s f32[]) { l = const f32[] 100.; p = compare s, l "
                      "{comparison_direction=lt}; return p } "
                      "(x f32[3], s f32[]) { y = mul x, x; t = const f32[] 40.; u = add s, t; return y, u }"),
};
